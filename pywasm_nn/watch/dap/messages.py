"""Messages of the Debug Adapter Protocol: a header with the length, and JSON.

What is not here: what messages mean (`adapter.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import RawIOBase
from threading import Lock
from typing import Any, BinaryIO

LONGEST_LINE = 1000
MOST_BYTES = 1 << 24
"""The length of a message that is read."""
MOST_DIGITS = 20
FIELDS = "content-length", "content-type"
"""The fields of a header. A request of HTTP has others: no page in a browser gets to the debugger's port."""
Message = dict[str, Any]


class BrokenError(Exception):
    """The bytes are no message. The text says why."""


class Channel:
    """Both directions of a connection. Several threads may send."""

    def __init__(self, incoming: RawIOBase, outgoing: BinaryIO) -> None:
        """`incoming` has no buffer: its lock would be held by a waiting thread when the process ends."""
        self._incoming, self._outgoing = incoming, outgoing
        self._data = bytearray()
        self._lock = Lock()
        self._number = 0

    def receive(self) -> Message | None:
        """Returns the next message, or None at the end. Raises BrokenError, OSError."""
        length = -1
        while True:
            line = self._line()
            if not line:
                return None
            name, _, value = line.decode("latin-1").partition(":")
            name = name.strip().lower()
            if not line.strip():
                break
            if name not in FIELDS:
                raise BrokenError(f"a header that is none of {' and '.join(FIELDS)}")
            if name == FIELDS[0] and value.strip().isdecimal():
                length = int(value[:MOST_DIGITS])
        if not 0 <= length <= MOST_BYTES:
            raise BrokenError("a message without a usable Content-Length")
        while len(self._data) < length:
            if not self._more():
                return None
        data = bytes(self._data[:length])
        del self._data[:length]
        try:
            message = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BrokenError(f"a message is no JSON: {error}") from None
        if not isinstance(message, dict):
            raise BrokenError("a message is no object")
        return message

    def _more(self) -> bool:
        """Wait for more bytes; returns whether some came."""
        data = self._incoming.read(1 << 16)
        self._data += data or b""
        return bool(data)

    def _line(self) -> bytes:
        """The next line; b"" at the end."""
        while b"\n" not in self._data:
            if len(self._data) > LONGEST_LINE:
                raise BrokenError("a line of the header is too long")
            if not self._more():
                return b""
        end = self._data.index(b"\n") + 1
        line = bytes(self._data[:end])
        del self._data[:end]
        return line

    def _send(self, message: Message) -> None:
        with self._lock:
            self._number += 1
            data = json.dumps({"seq": self._number, **message}).encode()
            self._outgoing.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
            self._outgoing.flush()

    def event(self, name: str, body: Mapping[str, Any]) -> None:
        self._send({"type": "event", "event": name, "body": dict(body)})

    def answer(self, request: Message, body: Mapping[str, Any], error: str = "") -> None:
        """The response to a request; with `error`, one that it has failed."""
        number, command = request.get("seq"), request.get("command")
        told: Message = {"type": "response", "success": not error}
        told["request_seq"] = number if isinstance(number, int) else 0
        told["command"] = command if isinstance(command, str) else ""
        if error:
            told["message"] = error
            body = {"error": {"id": 1, "format": "{text}", "variables": {"text": error}, "showUser": True}}
        self._send({**told, "body": dict(body)})
