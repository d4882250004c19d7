"""The interpreter: an explicit machine whose frames and operand stacks are data (`machine.py`), with function
bodies prepared for it (`code.py`), a kind that reports to observers (`watched.py`), and a kind that observers
stop anywhere (`stepped.py`).

What is not here: choosing the engine (`engine.py`).
"""

from .entry import enter, make_entry
from .machine import Frame, Machine, Paused, Snapshot, activations, caller
from .stepped import Around, Pausing, SteppedMachine, pausing
from .watched import WatchedMachine, touched_by

__all__ = [
    "Around",
    "Frame",
    "Machine",
    "Paused",
    "Pausing",
    "Snapshot",
    "SteppedMachine",
    "WatchedMachine",
    "activations",
    "caller",
    "enter",
    "make_entry",
    "pausing",
    "touched_by",
]
