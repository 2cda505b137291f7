"""Certificates: authority, leaf, files."""
