"""Whether a claim, or a pod with all its claims, can ever be placed."""
