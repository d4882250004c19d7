"""Analyses of a function body, before and during its translation."""
