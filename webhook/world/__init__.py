"""The snapshot of a cluster, and its sources."""
