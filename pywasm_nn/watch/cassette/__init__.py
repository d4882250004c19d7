"""Cassettes: what hosts and models answered in one run of a guest, kept in a file, to run the guest again
without them.

What is here: the way in. The file is in `tape.py`, `recording.py` makes it, `replay.py` answers from it, and
`compare.py` tells two of them apart. What is not: components, whose host calls carry values instead of core
numbers.
"""

from .compare import Comparison, TensorDifference, compared
from .recording import Recording
from .replay import Replay
from .tape import Call, Cassette

__all__ = ["Call", "Cassette", "Comparison", "Recording", "Replay", "TensorDifference", "compared"]
