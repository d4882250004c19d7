"""A stand-in for servers of the Open Inference Protocol v2, which does as it is told, also what none should.

Written from the protocol's text. One model "m": inputs a, b and outputs sum, prod, f32[-1,2].
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np

Shape = list[int]
HEAD = "inference-header-content-length"
METADATA = {
    "name": "m", "versions": ["1"], "platform": "test",
    "inputs": [{"name": name, "datatype": "FP32", "shape": [-1, 2]} for name in "ab"],
    "outputs": [{"name": name, "datatype": "FP32", "shape": [-1, 2]} for name in ("sum", "prod")],
}  # fmt: skip


@dataclass
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def binary(self) -> bool:
        return HEAD in self.headers

    @property
    def said(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body[: int(self.headers.get(HEAD, len(self.body)))])
        return found


def reply(status: int, body: bytes = b"", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Words", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def as_json(said: Any, status: int = 200) -> bytes:
    return reply(status, json.dumps(said).encode(), Content_Type="application/json")


def with_binary(said: Any, *tensors: bytes) -> bytes:
    head = json.dumps(said).encode()
    return reply(200, head + b"".join(tensors), Inference_Header_Content_Length=str(len(head)))


def inputs_of(request: Request) -> list[np.ndarray]:
    at, found = int(request.headers.get(HEAD, 0)), []
    for one in request.said["inputs"]:
        if request.binary:
            size = one["parameters"]["binary_data_size"]
            array = np.frombuffer(request.body[at : at + size], "<f4")
            at += size
        else:
            array = np.array(one["data"], "<f4")
        found.append(array.reshape(one["shape"]))
    assert not request.binary or at == len(request.body)
    return found


def answered(request: Request) -> bytes:
    """The right answer, as the request came."""
    a, b = inputs_of(request)
    wanted = [one["name"] for one in request.said.get("outputs", [])]
    results = {
        name: value for name, value in {"sum": a + b, "prod": a * b}.items() if not wanted or name in wanted
    }
    said: dict[str, Any] = {"model_name": "m", "id": request.said["id"], "outputs": []}
    for name, value in results.items():
        one: dict[str, Any] = {"name": name, "datatype": "FP32", "shape": list(value.shape)}
        if request.binary:
            one["parameters"] = {"binary_data_size": value.nbytes}
        else:
            one["data"] = value.ravel().tolist()
        said["outputs"].append(one)
    if request.binary:
        return with_binary(said, *(value.astype("<f4").tobytes() for value in results.values()))
    return as_json(said)


Behaviour = Callable[["Stand", socket.socket, Request], bool | None]
"""What is done with an inference: sends what it likes. True closes the connection."""


def good(stand: Stand, link: socket.socket, request: Request) -> bool | None:
    link.sendall(answered(request))
    return None


class Stand:
    """A server on loopback. `requests` are those that came whole."""

    def __init__(
        self, infer: Behaviour = good, *, lists_binary: bool = True, metadata: Any = METADATA
    ) -> None:
        self.infer = infer
        self.lists_binary = lists_binary
        self.metadata = metadata
        self.requests: list[Request] = []
        self.connections = 0
        self._links: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"oip+http://127.0.0.1:{self.port}/m"

    @property
    def inferences(self) -> list[Request]:
        return [one for one in self.requests if one.path.endswith("/infer")]

    def close(self) -> None:
        """No connections any more, as if the process was killed."""
        for link in (self._listener, *self._links):
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()

    def drop(self) -> None:
        """Close the connections that there are."""
        for link in self._links:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
        self._links.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                link, _ = self._listener.accept()
                self.connections += 1
                self._links.append(link)
                Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link: socket.socket) -> None:
        with suppress(OSError, ValueError), link, link.makefile("rb") as stream:
            while first := stream.readline():
                method, path, _ = first.decode().split()
                headers = {}
                while line := stream.readline().strip():
                    name, _, value = line.decode().partition(":")
                    headers[name.lower()] = value.strip()
                body = stream.read(int(headers.get("content-length", 0)))
                request = Request(method, path, headers, body)
                self.requests.append(request)
                if self._answer(link, request):
                    return

    def _answer(self, link: socket.socket, request: Request) -> bool | None:
        if request.path == "/v2":
            extensions = ["binary_tensor_data"] if self.lists_binary else []
            link.sendall(as_json({"name": "stand", "version": "1", "extensions": extensions}))
        elif request.path in ("/v2/models/m", "/v2/models/m/versions/1"):
            link.sendall(as_json(self.metadata))
        elif request.path.endswith("/m/infer") or request.path.endswith("/versions/1/infer"):
            return self.infer(self, link, request)
        else:
            link.sendall(as_json({"error": "no such model here"}, 404))
        return None
