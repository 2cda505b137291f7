"""Decisions as text, JSON and other formats."""
