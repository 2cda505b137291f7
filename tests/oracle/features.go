//go:build !v134

package main

import dracel "k8s.io/dynamic-resource-allocation/cel"

func featuresOf(one caseLine) dracel.Features {
	return dracel.Features{
		EnableConsumableCapacity: one.Features["EnableConsumableCapacity"],
		EnableListTypeAttributes: one.Features["EnableListTypeAttributes"],
	}
}
