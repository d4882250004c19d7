"""Observers of a running guest, and how events are shown. None of this code runs without an observer."""
