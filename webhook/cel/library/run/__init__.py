"""Implementations of the functions, one module per family; each has a table by overload id."""
