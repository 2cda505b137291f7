// Command allocator answers allocation cases with the allocator that Kubernetes itself uses.
//
// Standard input holds one JSON document a line. A line with "slices" is an inventory, to which the
// cases that follow refer by its id; a line with "claims" and "inventory" is a case. For each case one
// line comes out: for each node of the inventory whether the claims fit together, with the devices
// chosen, or the error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

type line struct {
	ID        string                       `json:"id"`
	Slices    []*resourceapi.ResourceSlice `json:"slices"`
	Classes   []*resourceapi.DeviceClass   `json:"classes"`
	Allocated []*resourceapi.ResourceClaim `json:"allocated"`
	Nodes     []*corev1.Node               `json:"nodes"`
	Inventory string                       `json:"inventory"`
	Claims    []*resourceapi.ResourceClaim `json:"claims"`
	Features  map[string]bool              `json:"features"`
}

type answer struct {
	ID    string       `json:"id"`
	Nodes []nodeAnswer `json:"nodes"`
}

type nodeAnswer struct {
	Node    string     `json:"node"`
	Fits    bool       `json:"fits"`
	Error   string     `json:"error,omitempty"`
	Devices [][]string `json:"devices,omitempty"`
}

type classes map[string]*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) {
	var found []*resourceapi.DeviceClass
	for _, class := range c {
		found = append(found, class)
	}
	return found, nil
}

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	if class, ok := c[name]; ok {
		return class, nil
	}
	return nil, fmt.Errorf("deviceclass.resource.k8s.io %q not found", name)
}

// stateOf collects what is allocated, as the scheduler's allocated device tracker does.
func stateOf(claims []*resourceapi.ResourceClaim) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.AdminAccess != nil && *result.AdminAccess {
				continue
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if result.ShareID == nil {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
			if result.ConsumedCapacity != nil {
				consumed := map[resourceapi.QualifiedName]resource.Quantity{}
				for name, value := range result.ConsumedCapacity {
					consumed[name] = value
				}
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, consumed))
			}
		}
	}
	return state
}

func allocate(inventory *line, one *line) answer {
	result := answer{ID: one.ID}
	lister := classes{}
	for _, class := range inventory.Classes {
		lister[class.Name] = class
	}
	state := stateOf(inventory.Allocated)
	cache := cel.NewCache(100, celFeatures(one.Features))
	for _, node := range inventory.Nodes {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		found := nodeAnswer{Node: node.Name}
		allocator, err := structured.NewAllocator(
			ctx, featuresOf(one.Features), state, lister, inventory.Slices, cache)
		if err == nil {
			var results []resourceapi.AllocationResult
			results, err = allocator.Allocate(ctx, node, one.Claims)
			found.Fits = err == nil && results != nil
			for _, allocation := range results {
				var devices []string
				for _, device := range allocation.Devices.Results {
					devices = append(devices,
						device.Request+"="+device.Driver+"/"+device.Pool+"/"+device.Device)
				}
				found.Devices = append(found.Devices, devices)
			}
		}
		if err != nil {
			found.Error = err.Error()
		}
		cancel()
		result.Nodes = append(result.Nodes, found)
	}
	return result
}

func main() {
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	inventories := map[string]*line{}
	decoder := json.NewDecoder(reader)
	for decoder.More() {
		one := &line{}
		if err := decoder.Decode(one); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if one.Slices != nil || one.Inventory == "" {
			inventories[one.ID] = one
			continue
		}
		if err := encoder.Encode(allocate(inventories[one.Inventory], one)); err != nil {
			os.Exit(1)
		}
	}
}
