// Command oracle answers CEL cases with the code that Kubernetes itself runs.
//
// It reads one JSON object per line (id, expression, features, stored, devices) from standard
// input and writes one per line in the form of `drawbridge cel --jsonl`. The versions of the
// modules in go.mod select the Kubernetes version that answers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

const costLimit = 1000000

type deviceLine struct {
	Ref    string             `json:"ref"`
	Driver string             `json:"driver"`
	Device resourceapi.Device `json:"device"`
}

type caseLine struct {
	ID         string          `json:"id"`
	Expression string          `json:"expression"`
	Features   map[string]bool `json:"features"`
	Stored     bool            `json:"stored"`
	Devices    []string        `json:"devices"`
}

type result struct {
	Match *bool   `json:"match,omitempty"`
	Err   *string `json:"err,omitempty"`
	Cost  *uint64 `json:"cost,omitempty"`
}

type answer struct {
	ID      string   `json:"id"`
	Verdict string   `json:"verdict"`
	Error   string   `json:"error,omitempty"`
	Type    string   `json:"type,omitempty"`
	MaxCost *uint64  `json:"maxCost,omitempty"`
	Results []result `json:"results,omitempty"`

	CompileNs  int64 `json:"compileNs,omitempty"`
	EvaluateNs int64 `json:"evaluateNs,omitempty"`
}

func main() {
	devicesPath := flag.String("devices", "devices.jsonl", "devices that the cases name")
	times := flag.Int("bench", 0, "evaluate each case so often and report the time of one")
	flag.Parse()
	devices, err := readDevices(*devicesPath)
	if err != nil {
		log.Fatal(err)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var one caseLine
		if err := decoder.Decode(&one); err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(ask(one, devices, *times)); err != nil {
			log.Fatal(err)
		}
	}
}

func readDevices(path string) (map[string]dracel.Device, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	devices := map[string]dracel.Device{}
	decoder := json.NewDecoder(file)
	for decoder.More() {
		var line deviceLine
		if err := decoder.Decode(&line); err != nil {
			return nil, err
		}
		devices[line.Ref] = dracel.Device{
			Driver:                   line.Driver,
			AllowMultipleAllocations: line.Device.AllowMultipleAllocations,
			Attributes:               line.Device.Attributes,
			Capacity:                 line.Device.Capacity,
		}
	}
	return devices, nil
}

func ask(one caseLine, devices map[string]dracel.Device, times int) (given answer) {
	given.ID = one.ID
	defer func() {
		// A panic while compiling fails the request; so it counts as an internal error.
		if problem := recover(); problem != nil {
			given.Verdict = "internal"
			given.Error = fmt.Sprintf("PANIC: %v", problem)
		}
	}()
	environmentType := environment.NewExpressions
	if one.Stored {
		environmentType = environment.StoredExpressions
	}
	begun := time.Now()
	compiled := dracel.GetCompiler(featuresOf(one)).CompileCELExpression(
		one.Expression, dracel.Options{EnvType: &environmentType})
	if compiled.Error != nil {
		given.Verdict = "invalid"
		if compiled.Error.Type == apiservercel.ErrorTypeInternal {
			given.Verdict = "internal"
		}
		given.Error = compiled.Error.Detail
		return given
	}
	if times > 0 {
		given.CompileNs = time.Since(begun).Nanoseconds()
	}
	given.Verdict = "ok"
	if compiled.MaxCost > costLimit {
		given.Verdict = "too_complex"
	}
	given.Type = compiled.OutputType.String()
	given.MaxCost = &compiled.MaxCost
	for _, ref := range one.Devices {
		given.Results = append(given.Results, evaluate(compiled, devices[ref]))
	}
	if times > 0 && len(one.Devices) > 0 {
		begun = time.Now()
		for number := range times {
			evaluate(compiled, devices[one.Devices[number%len(one.Devices)]])
		}
		given.EvaluateNs = time.Since(begun).Nanoseconds() / int64(times)
	}
	return given
}

func evaluate(compiled dracel.CompilationResult, device dracel.Device) result {
	var given result
	match, details, err := compiled.DeviceMatches(context.Background(), device)
	if err != nil {
		text := err.Error()
		given.Err = &text
	} else {
		given.Match = &match
	}
	if details != nil {
		given.Cost = details.ActualCost()
	}
	return given
}
