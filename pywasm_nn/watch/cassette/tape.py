"""What a cassette holds, and its file.

What is here: calls of the guest to the host with all that crossed, as frozen data, written to a file one by
one and read in the same way. What is not: how they are heard (`recording.py`).

The file is a line of JSON that names the format and the guest's module, then an entry for each call that the
guest made: a line of JSON, followed by the bytes that it mentions, in their order, and a line feed. All bytes
stand in the file as they are, so that any tool can search them. A call that the guest made while the host had
called it back stands inside of the host's call.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Any, BinaryIO, NamedTuple

from ...errors import CassetteError
from ...printable import printable
from ...records import record

FORMAT = "pywasm-nn cassette"
SCHEMA = 1
"""Version of the file. It changes when older readers would misunderstand it."""
LONGEST_LINE = 1 << 24
"""Bytes of an entry's JSON: a call with a thousand buffers has some tens of thousands."""
DOUBLE = Struct("<d")
Value = int | float | None
"""A core value: integers unsigned, None for a null reference."""


@record
class Sent:
    """Bytes of the guest that the host read: `data` at `address` of the memory with this name."""

    memory: str
    address: int
    data: bytes


@record
class Written:
    """Bytes that the host wrote into the guest: those that it changed, of the part that begins at `begin`."""

    memory: str
    address: int
    data: bytes
    begin: int


@record
class Output:
    """Bytes that reached the person's standard output (`stream` 1) or standard error (2)."""

    stream: int
    data: bytes


@record
class KeptTensor:
    """A tensor that crossed: `wants` is what the model declares, as "f32[N,3,224,224]"."""

    name: str
    wants: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes


@record
class Inference:
    """An operation of wasi-nn that ended: `error` is its name in wasi-nn and `reason` says why, None if it
    went well. `tensors` are the input that was set or the outputs that the guest got."""

    operation: str
    model: str | None
    index: int | None
    error: str | None
    reason: str | None
    tensors: tuple[KeptTensor, ...]


@record
class Reentered:
    """The host called a function that the guest exports. `results` is None if the function didn't return;
    `calls` are those that it made to the host meanwhile."""

    export: str
    arguments: tuple[Value, ...]
    results: tuple[Value, ...] | None
    calls: tuple[Call, ...]


@record
class Answer:
    """How a call ended. `kind` is "returned", then `values` are the results; "exited", then they are the exit
    code; or "trap", "limit" or "host" for what was raised, then `words` say what: the kind of the trap or the
    name of the limit, and the message."""

    kind: str
    values: tuple[Value, ...] = ()
    words: tuple[str, ...] = ()


Step = Sent | Written | Output | Inference | Reentered


@record
class Call:
    """A call of the guest to the host. `number` counts from 1 in the order in which calls began.

    `names` are those of the parameters, as far as they are known, and `reason` says for a person why the call
    failed, if it did.
    """

    number: int
    module: str
    name: str
    arguments: tuple[Value, ...]
    steps: tuple[Step, ...]
    answer: Answer
    names: tuple[str, ...] = ()
    reason: str = ""

    @property
    def title(self) -> str:
        """ "wasi_snapshot_preview1::fd_write"."""
        return f"{printable(self.module, 60)}::{printable(self.name, 60)}"

    @property
    def inferences(self) -> Iterator[Inference]:
        """What it did of wasi-nn."""
        return (step for step in self.steps if isinstance(step, Inference))


@record
class Header:
    """What a file begins with: name and SHA-256 of the guest's module, and the functions that it imports."""

    module: str
    digest: str
    imports: tuple[tuple[str, str], ...]


# Writing


def plain(value: Value) -> Any:
    """A value as JSON, to the bit: a float is a list of the bits of its double."""
    return [DOUBLE.pack(value).hex()] if isinstance(value, float) else value


def written_step(step: Step, blobs: list[bytes]) -> list[Any]:
    """A step as JSON; its bytes go to `blobs`."""
    match step:
        case Sent(memory, address, data):
            blobs.append(data)
            return ["sent", memory, address, len(data)]
        case Written(memory, address, data, begin):
            blobs.append(data)
            return ["written", memory, address, len(data), begin]
        case Output(stream, data):
            blobs.append(data)
            return ["output", stream, len(data)]
        case Inference(operation, model, index, error, reason, tensors):
            blobs += [tensor.data for tensor in tensors]
            told = [[t.name, t.wants, t.dtype, list(t.shape), len(t.data)] for t in tensors]
            return ["inference", operation, model, index, error, reason, told]
        case Reentered(export, arguments, results, calls):
            given = None if results is None else list(map(plain, results))
            inner = [written_call(call, blobs) for call in calls]
            return ["reentered", export, list(map(plain, arguments)), given, inner]


def written_call(call: Call, blobs: list[bytes]) -> list[Any]:
    """A call as JSON; its bytes go to `blobs`."""
    answer = call.answer
    return [
        call.number,
        call.module,
        call.name,
        list(map(plain, call.arguments)),
        [written_step(step, blobs) for step in call.steps],
        [answer.kind, list(map(plain, answer.values)), list(answer.words)],
        list(call.names),
        call.reason,
    ]


def line_of(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def write_header(file: BinaryIO, header: Header) -> None:
    """Begin a file."""
    imports = [list(each) for each in header.imports]
    named = {"module": header.module, "sha256": header.digest, "imports": imports}
    file.write(line_of({"format": FORMAT, "schema": SCHEMA, **named}))


def write_call(file: BinaryIO, call: Call) -> None:
    """Add an entry."""
    blobs: list[bytes] = []
    line = line_of(written_call(call, blobs))
    file.write(b"".join([line, *blobs, b"\n"]))


# Reading


def value_of(told: Any) -> Value:
    """Raises ValueError or another error for what is no value."""
    if isinstance(told, list):
        (bits,) = told
        number: float = DOUBLE.unpack(bytes.fromhex(bits))[0]
        return number
    return None if told is None else whole(told)


def whole(told: Any) -> int:
    if type(told) is not int or told < 0:
        raise ValueError(f"{told!r:.40} is no number here")
    return told


def text(told: Any) -> str:
    if not isinstance(told, str):
        raise ValueError(f"{told!r:.40} is no text")
    return told


def optional(read: Callable[[Any], Any], told: Any) -> Any:
    return None if told is None else read(told)


class Reader:
    """Entries of a file. `take` gives the next bytes of the entry that is read."""

    def __init__(self, take: Callable[[int], bytes]) -> None:
        self._take = take
        self._kinds: dict[str, Callable[..., Step]] = {
            "sent": self._sent,
            "written": self._written,
            "output": lambda stream, size: Output(whole(stream), take(size)),
            "inference": self._inference,
            "reentered": self._reentered,
        }

    def call(self, told: Any) -> Call:
        number, module, name, arguments, steps, answer, names, reason = told
        kind, values, words = answer
        return Call(
            whole(number),
            text(module),
            text(name),
            tuple(map(value_of, arguments)),
            tuple([self._kinds[step[0]](*step[1:]) for step in steps]),
            Answer(text(kind), tuple(map(value_of, values)), tuple(map(text, words))),
            tuple(map(text, names)),
            text(reason),
        )

    def _sent(self, memory: Any, address: Any, size: Any) -> Sent:
        return Sent(text(memory), whole(address), self._take(size))

    def _written(self, memory: Any, address: Any, size: Any, begin: Any) -> Written:
        return Written(text(memory), whole(address), self._take(size), whole(begin))

    def _inference(
        self, operation: Any, model: Any, index: Any, error: Any, reason: Any, tensors: Any
    ) -> Inference:
        return Inference(
            text(operation),
            optional(text, model),
            optional(whole, index),
            optional(text, error),
            optional(text, reason),
            tuple([self._tensor(*tensor) for tensor in tensors]),
        )

    def _tensor(self, name: Any, wants: Any, dtype: Any, shape: Any, size: Any) -> KeptTensor:
        return KeptTensor(text(name), text(wants), text(dtype), tuple(map(whole, shape)), self._take(size))

    def _reentered(self, export: Any, arguments: Any, results: Any, calls: Any) -> Reentered:
        given = None if results is None else tuple(map(value_of, results))
        inner = tuple(map(self.call, calls))
        return Reentered(text(export), tuple(map(value_of, arguments)), given, inner)


class Entry(NamedTuple):
    """Where the bytes of the entry that is read are."""

    file: BinaryIO
    size: int
    """Of the whole file."""

    def take(self, count: Any) -> bytes:
        """The next bytes. Nothing is allocated that the file doesn't have. Raises ValueError."""
        if whole(count) > self.size - self.file.tell():
            raise ValueError(f"it names {count} bytes, more than the file has")
        return self.file.read(count)


class Cassette:
    """A cassette's file: `header`, and when gone through its calls, each read when it is wanted. May be gone
    through again."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises OSError, and CassetteError for a file of another kind."""
        self.path = os.fspath(path)
        with open(self.path, "rb") as file:
            self.header = self._header(file.readline(LONGEST_LINE))
            self._begin = file.tell()

    def _header(self, line: bytes) -> Header:
        try:
            told = json.loads(line)
            if told["format"] != FORMAT:
                raise ValueError
        except (ValueError, TypeError, LookupError, RecursionError):
            raise CassetteError(f"{printable(self.path)} is no cassette") from None
        if told.get("schema") != SCHEMA:
            version = printable(str(told.get("schema")), 20)
            raise CassetteError(f"{printable(self.path)} is a cassette of version {version}, not {SCHEMA}")
        try:
            imports = tuple([(text(module), text(name)) for module, name in told["imports"]])
            return Header(text(told["module"]), text(told["sha256"]), imports)
        except (ValueError, TypeError, LookupError) as error:
            raise CassetteError(f"{printable(self.path)}: its first line can't be read: {error}") from None

    def __iter__(self) -> Iterator[Call]:
        """Raises CassetteError at an entry that can't be read."""
        with open(self.path, "rb") as file:
            entry = Entry(file, os.fstat(file.fileno()).st_size)
            reader = Reader(entry.take)
            file.seek(self._begin)
            position = 0
            while line := file.readline(LONGEST_LINE):
                position += 1
                try:
                    call = reader.call(json.loads(line))
                    if file.read(1) != b"\n":
                        raise ValueError("it ends otherwise than it says")
                except (ValueError, TypeError, LookupError, RecursionError) as error:
                    problem = f"entry {position} can't be read: {printable(str(error), 200)}"
                    raise CassetteError(f"{printable(self.path)}: {problem}") from None
                yield call


def same_values(one: Sequence[Value], other: Sequence[Value]) -> bool:
    """To the bit."""
    return list(map(plain, one)) == list(map(plain, other))
