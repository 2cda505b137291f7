"""The HTTPS door."""
