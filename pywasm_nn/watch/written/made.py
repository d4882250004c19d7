"""`Made`: the bytes of files that a guest writes.

What is not here: what the bytes are (`painted.py`, `sketched.py`), and its standard output (`spoken.py`).
"""

from __future__ import annotations

from ...interpreter.runtime.observe import HostEvent
from ..spoken import OUTPUTS


class Made:
    """Keeps at most so many bytes of each file, by its path."""

    def __init__(self, most: int) -> None:
        self.files: dict[str, bytearray] = {}
        self._most = most
        self._open: dict[int, str] = {}

    def host_call(self, event: HostEvent) -> bool:
        """A host function returned. Returns whether it opened a file or wrote to one."""
        if event.error is not None or event.result:
            return False
        arguments = dict(event.arguments)
        if event.name == "path_open" and isinstance(number := event.arguments[-1][1], int):
            self._open[number] = str(arguments.get("path"))
            return True
        if event.name != "fd_write" or (file := arguments.get("fd")) not in self._open or file in OUTPUTS:
            return False
        kept = self.files.setdefault(self._open[file], bytearray())
        for piece in arguments.get("ciovs") or ():
            kept += bytes(piece[: self._most - len(kept)])
        return True
