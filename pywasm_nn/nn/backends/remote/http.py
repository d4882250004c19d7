"""The protocol over HTTP: connections that are kept, one request at a time on each, and the servers' answers.

No redirect is followed and no proxy is used. A request is repeated only if its connection was found closed
before the request was sent. What is not here: the messages (`protocol`).
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from socket import SHUT_RDWR, socket
from threading import Lock
from typing import Any
from urllib.parse import quote
from weakref import finalize

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError, ResponseError

from ....records import Frozen
from ...blame import REASON, shortened
from ...errors import Code, NNError
from ...tensor import Tensor, TensorSpec
from . import protocol
from .address import Place
from .call import Call, UnreachableError
from .settings import Settings

MOST_IDLE = 8
"""The most connections that are kept for later requests."""
CONNECTING = 5.0
"""The time limit in seconds for connecting, which can't be interrupted."""
PIECE = 1 << 20
METADATA = 4 << 20
"""The most bytes of an answer without tensors."""
HEAD = 1 << 20
"""The most bytes of an answer besides its tensors."""
AS_TEXT = 8
"""The size of a tensor's JSON, as a multiple of the tensor's bytes."""
EXTENSION = "binary_tensor_data"
HEADER = "Inference-Header-Content-Length"
ELSEWHERE = frozenset({502, 503, 504})
"""Statuses with which a server, or a proxy before it, reports that it can't serve now."""
LATE = (TimeoutError, ReadTimeoutError)
FAILURES = (OSError, HTTPError, HTTPException, ValueError)


class Question(Frozen):
    """A request, and the limit on the bytes of its answer."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    most: int


class Reply(Frozen):
    status: int
    headers: Mapping[str, str]
    body: bytes


class HTTPServer:
    """One server, for all models on it. Safe to use from several threads."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = Lock()
        self._idle: list[HTTPConnection] = []
        self._binary: bool | None = None
        """Whether the server accepts binary tensors; None if unknown."""
        finalize(self, close_all, self._idle).atexit = False
        self._tls = ssl.create_default_context() if place.scheme == "https" else None

    # Requests

    def metadata(self, place: Place, settings: Settings, call: Call) -> Mapping[str, Any]:
        """The server's metadata of a model. Raises NNError: NOT_FOUND for an unknown model."""
        if self._binary is None and settings.binary == "auto":
            with suppress(NNError):
                self._binary = self._lists_binary(settings, call) or None
        reply = self._told(self._question("GET", model_path(place), settings, METADATA), settings, call)
        return protocol.parsed(reply.body)

    def _lists_binary(self, settings: Settings, call: Call) -> bool:
        reply = self._told(
            self._question("GET", f"{self._place.prefix}/v2", settings, METADATA), settings, call
        )
        extensions = protocol.parsed(reply.body).get("extensions")
        return isinstance(extensions, list) and EXTENSION in extensions

    def infer(
        self,
        place: Place,
        settings: Settings,
        call: Call,
        inputs: Sequence[TensorSpec],
        tensors: Sequence[Tensor],
        outputs: Sequence[TensorSpec],
        wanted: Sequence[str],
    ) -> list[Tensor | None]:
        """The outputs for these inputs; `wanted` names the requested ones, empty for all."""

        def ask(binary: bool, apart: bool = False) -> list[Tensor | None]:
            id_ = protocol.next_id()
            head, views = protocol.request(id_, inputs, tensors, wanted, binary)
            sized = {HEADER: str(len(head)), "Content-Type": "application/octet-stream"}
            question = self._question(
                "POST",
                f"{model_path(place)}/infer",
                settings,
                room(call.most, len(wanted) or len(outputs), binary),
                sized if binary else {"Content-Type": "application/json"},
                b"".join([head, *views]),
            )
            reply = self._told(question, settings, call, apart=apart)
            said, rest = split(reply)
            return protocol.answer(id_, outputs, wanted, said, rest, call.most)

        return self._in_a_way_it_takes(ask, settings, call)

    def _in_a_way_it_takes(
        self, ask: Callable[..., list[Tensor | None]], settings: Settings, call: Call
    ) -> list[Tensor | None]:
        """Ask with binary tensors if the server accepts them. If that is unknown, try it once on a separate
        connection, because some servers break the connection, and remember the result."""
        if settings.binary != "auto":
            return ask(settings.binary == "always")
        if self._binary is not None:
            return ask(self._binary)
        try:
            found = ask(True, apart=True)
        except NNError as error:
            if call.over or error.code in (Code.NOT_FOUND, Code.TOO_LARGE):
                raise
            found = ask(False)
            self._binary = False
        else:
            self._binary = True
        return found

    def _question(
        self,
        method: str,
        path: str,
        settings: Settings,
        most: int,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Question:
        sent = {
            "Accept-Encoding": "identity",
            "User-Agent": "pywasm-nn",
            **(headers or {}),
            **settings.secrets(),
        }
        return Question(method, path, sent, body, most)

    def _told(self, question: Question, settings: Settings, call: Call, *, apart: bool = False) -> Reply:
        """The server's successful answer. Otherwise raises NNError with the server's message."""
        reply = self._exchanged(question, call, apart)
        if reply.status == 200:
            return reply
        if 300 <= reply.status < 400:
            what = f"{self._place} redirects ({reply.status}), which is not followed"
            raise NNError(Code.RUNTIME_ERROR, what)
        words = settings.hidden(words_of(reply.body))
        reason = f"{self._place} answers {reply.status}: {words}"
        if reply.status == 404:
            raise NNError(Code.NOT_FOUND, reason)
        raise (UnreachableError if reply.status in ELSEWHERE else NNError)(Code.RUNTIME_ERROR, reason)

    # Exchanging messages

    def _exchanged(self, question: Question, call: Call, apart: bool) -> Reply:
        connection, used = self._connection(apart)
        try:
            with call.ending_with(lambda: cut(connection)):
                if used and not self._sent(connection, question, call, again=True):
                    connection.close()
                    used = False
                if not used:
                    self._sent(connection, question, call, again=False)
                reply = received(connection, question.most, call)
        except BaseException as error:
            connection.close()
            if isinstance(error, LATE) or (call.over and not isinstance(error, NNError)):
                raise call.error() from None
            if isinstance(error, FAILURES):
                raise NNError(Code.RUNTIME_ERROR, f"{self._place}: {reason_of(error)}") from None
            raise
        self._kept(connection, apart)
        return reply

    def _sent(self, connection: HTTPConnection, question: Question, call: Call, *, again: bool) -> bool:
        """Connect and send. Returns False if a kept connection turns out to be closed, so that the server
        hasn't got the whole request; only with `again`."""
        if connection.sock is None:
            self._connect(connection, call)
        try:
            connection.sock.settimeout(call.remaining())
            connection.request(
                question.method, question.path, body=question.body or None, headers=question.headers,
                preload_content=False, decode_content=False,
            )  # fmt: skip
        except LATE:
            raise call.error() from None
        except (OSError, HTTPError) as error:
            call.remaining()
            if again:
                return False
            raise self._unreachable(reason_of(error)) from None
        return True

    def _connect(self, connection: HTTPConnection, call: Call) -> None:
        connection.timeout = min(call.remaining(), CONNECTING)
        try:
            connection.connect()
        except (OSError, HTTPError) as error:
            call.remaining()
            raise self._unreachable(reason_of(error)) from None

    def _unreachable(self, why: str) -> NNError:
        return UnreachableError(Code.RUNTIME_ERROR, f"{self._place}: {why}")

    def _connection(self, apart: bool) -> tuple[HTTPConnection, bool]:
        """A connection, and whether it is a kept one that seems to be open."""
        while not apart:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                break
            if kept.is_connected:
                return kept, True
            kept.close()
        if self._tls is not None:
            return HTTPSConnection(self._place.host, self._place.port, ssl_context=self._tls), False
        return HTTPConnection(self._place.host, self._place.port), False

    def _kept(self, connection: HTTPConnection, apart: bool) -> None:
        with self._lock:
            if not apart and connection.sock is not None and len(self._idle) < MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def close_all(connections: Sequence[HTTPConnection]) -> None:
    for connection in connections:
        connection.close()


def model_path(place: Place) -> str:
    version = f"/versions/{quote(place.version, safe='')}" if place.version else ""
    return f"{place.prefix}/v2/models/{quote(place.model, safe='')}{version}"


def room(most: int | None, outputs: int, binary: bool) -> int:
    """The limit on the bytes of an answer with so many outputs."""
    return HEAD + outputs * (most if most is not None else 1 << 40) * (1 if binary else AS_TEXT)


def cut(connection: HTTPConnection) -> None:
    """End another thread's use of a connection."""
    sock: socket | None = connection.sock
    if sock is not None:
        with suppress(OSError):
            socket.shutdown(sock, SHUT_RDWR)


def received(connection: HTTPConnection, most: int, call: Call) -> Reply:
    """Read an answer of at most `most` bytes, independent of the length in its header."""
    response = connection.getresponse()
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise protocol.lies("it is compressed, which nobody asked for")
    said = response.headers.get("Content-Length", "")
    if said.isdecimal() and len(said) < 20 and int(said) > most:
        raise NNError(Code.TOO_LARGE, f"the server's answer is {said} bytes, at most {most} fit the model")
    pieces, size = [], 0
    while piece := response.read(min(PIECE, most + 1 - size), decode_content=False):
        call.remaining()
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise NNError(Code.TOO_LARGE, f"the server's answer is more than {most} bytes")
    return Reply(response.status, response.headers, pieces[0] if len(pieces) == 1 else b"".join(pieces))


def split(reply: Reply) -> tuple[Mapping[str, Any], memoryview]:
    """The JSON of an answer, and the bytes after it."""
    length = reply.headers.get(HEADER)
    if length is None:
        return protocol.parsed(reply.body), memoryview(b"")
    if not (length.isascii() and length.isdecimal() and len(length) < 20) or int(length) > len(reply.body):
        raise protocol.lies(f"its head is said to be {length[:40]} bytes")
    body = memoryview(reply.body)
    return protocol.parsed(body[: int(length)]), body[int(length) :]


def words_of(body: bytes) -> str:
    """A server's error message."""
    text = body[: 4 * REASON].decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        said = json.loads(body)
        text = str(said.get("error", text)) if isinstance(said, dict) else text
    return shortened(" ".join(text.split())) or "no reason given"


def reason_of(error: BaseException) -> str:
    """The reason why there is no answer, without names of a library's classes and objects."""
    if isinstance(error, NewConnectionError | ResponseError):
        error = error.__cause__ or error
    text = getattr(error, "strerror", None) or str(error)
    return shortened(" ".join(str(text).split())) or type(error).__name__
