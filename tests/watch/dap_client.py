"""A scripted editor: a client of the Debug Adapter Protocol over a socket, or over pipes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, BinaryIO, Self

import pywasm_nn

Message = dict[str, Any]
PATIENCE = 20.0


class Client:
    """Sends requests and keeps what comes."""

    def __init__(self, over_port: bool = True, cwd: Path | None = None) -> None:
        words = [sys.executable, "-m", "pywasm_nn", "debug", "--dap", *(["0"] if over_port else [])]
        path = str(Path(pywasm_nn.__file__).parents[1])
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.socket: socket.socket | None = None
        incoming: BinaryIO
        if over_port:
            said = self.process.stderr.readline().decode()
            self.socket = socket.create_connection(("127.0.0.1", int(said.rpartition(":")[2])))
            incoming, self._outgoing = self.socket.makefile("rb"), self.socket.makefile("wb")
        else:
            incoming, self._outgoing = self.process.stdout, self.process.stdin  # type: ignore[assignment] # both are binary
        self.events: list[Message] = []
        self._messages: Queue[Message | None] = Queue()
        self._number = 0
        Thread(target=self._read, args=(incoming,), daemon=True).start()

    def _read(self, incoming: BinaryIO) -> None:
        while True:
            length = 0
            while (line := incoming.readline()).strip():
                length = int(line.partition(b":")[2])
            if not line:
                self._messages.put(None)
                return
            self._messages.put(json.loads(incoming.read(length)))

    def send(self, command: str, **arguments: Any) -> int:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command, "arguments": arguments}
        self.raw(json.dumps(message).encode())
        return self._number

    def raw(self, data: bytes) -> None:
        self._outgoing.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._outgoing.flush()

    def next(self) -> Message | None:
        try:
            return self._messages.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError(f"nothing came; events so far: {self.events}") from None

    def answer(self, number: int) -> Message:
        """The response to a request; events that come before it are kept."""
        while True:
            message = self.next()
            assert message is not None, f"the connection ended; events so far: {self.events}"
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == number:
                return message

    def ask(self, command: str, **arguments: Any) -> Any:
        response = self.answer(self.send(command, **arguments))
        assert response["success"], response
        return response.get("body", {})

    def refused(self, command: str, **arguments: Any) -> str:
        response = self.answer(self.send(command, **arguments))
        assert not response["success"]
        return str(response["message"])

    def event(self, name: str) -> Any:
        """The next event of this kind."""
        while True:
            for number, message in enumerate(self.events):
                if message["event"] == name:
                    return self.events.pop(number)["body"]
            message = self.next()
            assert message is not None, f"the connection ended without {name}"
            if message["type"] == "event":
                self.events.append(message)

    def output(self) -> str:
        """The guest's output so far."""
        said = [each["body"]["output"] for each in self.events if each["event"] == "output"]
        return "".join(said)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.socket is not None:
            self.socket.close()
        self.process.kill()
        self.process.communicate()
