"""Compiled functions in an instance."""
