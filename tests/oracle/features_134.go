//go:build v134

package main

import dracel "k8s.io/dynamic-resource-allocation/cel"

// Kubernetes 1.34 has no list attributes yet.
func featuresOf(one caseLine) dracel.Features {
	return dracel.Features{
		EnableConsumableCapacity: one.Features["EnableConsumableCapacity"],
	}
}
