//go:build v134

package main

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// Kubernetes 1.34 has no list attributes yet.
func featuresOf(gates map[string]bool) structured.Features {
	return structured.Features{
		AdminAccess:          gates["DRAAdminAccess"],
		PrioritizedList:      gates["DRAPrioritizedList"],
		PartitionableDevices: gates["DRAPartitionableDevices"],
		DeviceTaints:         gates["DRADeviceTaints"],
		ConsumableCapacity:   gates["DRAConsumableCapacity"],
		DeviceBinding:        gates["DRADeviceBindingConditions"],
		DeviceStatus:         gates["DRADeviceBindingConditions"],
	}
}

func celFeatures(gates map[string]bool) cel.Features {
	return cel.Features{EnableConsumableCapacity: gates["DRAConsumableCapacity"]}
}
