"""API objects in one normal form, positions in files, JSON patches."""
