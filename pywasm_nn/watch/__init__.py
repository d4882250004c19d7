"""Observers and how they are shown. Nothing here runs unless somebody watches."""
