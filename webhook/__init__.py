"""Drawbridge: says at admission whether a GPU claim can work on this cluster."""
