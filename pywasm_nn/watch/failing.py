"""The sentence for a mistake of ours in the search for hints, which ends that search, or a part of it, and no
guest.

What is not here: where such mistakes are caught (`trace.py`, `evidence.py`).
"""

from __future__ import annotations

from pathlib import Path


def failure(error: Exception, what: str) -> str:
    """Returns a sentence that says what failed, and where."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = f" at {Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}" if last is not None else ""
    return f"{what} failed and ended ({type(error).__name__}{place}); the guest goes on"
