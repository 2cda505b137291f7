"""What only NVIDIA's driver knows: parameters, gates, products, MIG."""
