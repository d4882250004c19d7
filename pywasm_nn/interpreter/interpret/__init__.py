"""The interpreter: an explicit machine whose frames and operand stacks are data (`machine.py`), with function
bodies prepared for it (`code.py`), and a kind that reports to observers (`watched.py`).

What is not here: choosing the engine (`engine.py`).
"""

from .entry import enter, make_entry
from .machine import Frame, Machine, Snapshot, activations, caller
from .watched import WatchedMachine

__all__ = ["Frame", "Machine", "Snapshot", "WatchedMachine", "activations", "caller", "enter", "make_entry"]
