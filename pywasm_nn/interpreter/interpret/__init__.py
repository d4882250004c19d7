"""The interpreter: an explicit machine whose frames and operand stacks are data (`machine.py`), on bodies
made ready for it (`code.py`), watched where somebody watches (`watched.py`).

What is not here: who chooses this engine (`engine.py`).
"""

from .entry import enter, make_entry
from .machine import Frame, Machine, Snapshot, activations, caller
from .watched import WatchedMachine

__all__ = ["Frame", "Machine", "Snapshot", "WatchedMachine", "activations", "caller", "enter", "make_entry"]
