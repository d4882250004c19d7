"""Cassettes: files with the answers of hosts and models in one run of a guest, so that the guest can run
again without them.

What is here: the public names. The file format is in `tape.py`, `recording.py` writes cassettes, `replay.py`
answers from them, and `compare.py` compares two. What is not: components, whose host calls pass values
instead of core numbers.
"""

from .compare import Comparison, TensorDifference, compared
from .recording import Recording
from .replay import Replay
from .tape import Call, Cassette, KeptTensor

__all__ = [
    "Call", "Cassette", "Comparison", "KeptTensor", "Recording", "Replay", "TensorDifference", "compared",
]  # fmt: skip
