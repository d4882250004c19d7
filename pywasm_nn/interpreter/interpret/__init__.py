"""The interpreter: an explicit machine whose frames and operand stacks are data (`machine.py`), on bodies
made ready for it (`code.py`), watched where somebody watches (`watched.py`).

What is not here: who chooses this engine (`engine.py`).
"""

from .entry import enter, make_entry
from .machine import Frame, Machine, Snapshot, caller, frames_of
from .watched import WatchedMachine

__all__ = ["Frame", "Machine", "Snapshot", "WatchedMachine", "caller", "enter", "frames_of", "make_entry"]
