"""Loops of guests that are done with numpy: the only part of the engine that needs more than the standard
library. `whole.py` imports numpy when a loop pays for it; without numpy, loops run as they stand."""
