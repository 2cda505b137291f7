//go:build !v134

package main

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

func featuresOf(gates map[string]bool) structured.Features {
	return structured.Features{
		AdminAccess:            gates["DRAAdminAccess"],
		PrioritizedList:        gates["DRAPrioritizedList"],
		PartitionableDevices:   gates["DRAPartitionableDevices"],
		DeviceTaints:           gates["DRADeviceTaints"],
		ConsumableCapacity:     gates["DRAConsumableCapacity"],
		DeviceBindingAndStatus: gates["DRADeviceBindingConditions"],
		ListTypeAttributes:     gates["DRAListTypeAttributes"],
	}
}

func celFeatures(gates map[string]bool) cel.Features {
	return cel.Features{
		EnableConsumableCapacity: gates["DRAConsumableCapacity"],
		EnableListTypeAttributes: gates["DRAListTypeAttributes"],
	}
}
