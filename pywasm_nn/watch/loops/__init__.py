"""Guests that run a model again on what it answered: windows that move, texts that go on, states.

What is here: `Loops`, which keeps the last rounds of each context. What is not: what is wrong with them
(`windows.py`, `states.py`, `shared.py`, `sounds_in_turns.py`, `files.py`, `standing.py`, `units_behind.py`,
`same_text.py`), and a state that is never sent back (`feedback.py`).
"""

from .following import Loops
from .same_text import SameText
from .standing import Standing

__all__ = ["Loops", "SameText", "Standing"]
