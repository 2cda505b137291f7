"""The function library of the dialect: one module per family, one declaration per function."""
