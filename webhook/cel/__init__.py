"""The Kubernetes DRA dialect of CEL: compile, check, cost, evaluate, explain."""
