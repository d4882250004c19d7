"""The data of a cassette, and its file format.

What is here: the guest's calls to the host with everything that was passed, as frozen data, written to a file
and read from it one by one. What is not: recording calls (`recording.py`).

The file is a line of JSON that names the format and the guest's module, then an entry for each call: a line
of JSON, followed by the bytes to which it refers, in order, and a line feed. Bytes aren't encoded, so that
any tool can search the file. A call that the guest makes while the host has called it back is inside the
entry of the host's call.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Any, BinaryIO, NamedTuple

from ...errors import CassetteError
from ...nn.tensor import shape_text
from ...printable import printable
from ...records import Frozen

FORMAT = "pywasm-nn cassette"
SCHEMA = 1
"""The version of the format. It changes when older readers would misunderstand the file."""
LONGEST_LINE = 1 << 24
"""The most bytes of an entry's JSON; a call with a thousand buffers has some tens of thousands."""
SHOWN = 16
"""Bytes to show of differing data."""
DOUBLE = Struct("<d")
Value = int | float | None
"""A core value: integers unsigned, None for a null reference."""


class Sent(Frozen):
    """Bytes that the host read from the guest: `data` at `address` of the memory with this name."""

    memory: str
    address: int
    data: bytes


class Written(Frozen):
    """Bytes that the host changed in the guest, within a viewed part that begins at `begin`."""

    memory: str
    address: int
    data: bytes
    begin: int


class Output(Frozen):
    """Bytes that were written to the user's standard output (`stream` 1) or standard error (2)."""

    stream: int
    data: bytes


class KeptTensor(Frozen):
    """A tensor that was passed: `wants` is the model's declaration, for example "f32[N,3,224,224]"."""

    name: str
    wants: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes

    @property
    def type(self) -> str:
        """ "f32[1,1000]"."""
        return f"{self.dtype}{shape_text(self.shape)}"


class Inference(Frozen):
    """A finished operation of wasi-nn. `error` is the name of its error in wasi-nn and `reason` its text,
    both None for success. `tensors` are the input that was set or the outputs that the guest got."""

    operation: str
    model: str | None
    index: int | None
    error: str | None
    reason: str | None
    tensors: tuple[KeptTensor, ...]


class Reentered(Frozen):
    """A call by the host of a function that the guest exports. `results` is None if the function didn't
    return; `calls` are its calls to the host."""

    export: str
    arguments: tuple[Value, ...]
    results: tuple[Value, ...] | None
    calls: tuple[Call, ...]


class Answer(Frozen):
    """The end of a call. `kind` "returned": `values` are the results; "exited": `values` has the exit code;
    "trap", "limit" or "host": an exception was raised, and `words` are the kind of the trap or the name of
    the limit, and the message."""

    kind: str
    values: tuple[Value, ...] = ()
    words: tuple[str, ...] = ()


Step = Sent | Written | Output | Inference | Reentered


class Call(Frozen):
    """A guest's call to the host. `number` counts from 1 in the order in which calls began.

    `names` are the parameters' names, if they are known, and `reason` is the text for users why the call
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
        """Its operations of wasi-nn."""
        return (step for step in self.steps if isinstance(step, Inference))


class Header(Frozen):
    """The header of a file: name and SHA-256 of the guest's module, and its imported functions."""

    module: str
    digest: str
    imports: tuple[tuple[str, str], ...]


# Writing


def plain(value: Value) -> Any:
    """A value as JSON, exactly: a float becomes a list with the bits of its double."""
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
    """Write the header."""
    imports = [list(each) for each in header.imports]
    named = {"module": header.module, "sha256": header.digest, "imports": imports}
    file.write(line_of({"format": FORMAT, "schema": SCHEMA, **named}))


def write_call(file: BinaryIO, call: Call) -> None:
    """Write an entry."""
    blobs: list[bytes] = []
    line = line_of(written_call(call, blobs))
    file.write(b"".join([line, *blobs, b"\n"]))


# Reading


def value_of(told: Any) -> Value:
    """The value in JSON. Raises ValueError or another error if it isn't one."""
    if isinstance(told, list):
        (bits,) = told
        data = bytes.fromhex(bits)
        if len(data) != DOUBLE.size:
            raise ValueError(f"{bits!r:.40} is no double")
        number: float = DOUBLE.unpack(data)[0]
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
    """Parses entries of a file. `take` returns the next bytes of the current entry."""

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
    """The position of the current entry's bytes."""

    file: BinaryIO
    size: int
    """The size of the whole file."""

    def take(self, count: Any) -> bytes:
        """The next bytes. Raises ValueError, before allocating memory, if the file has fewer."""
        if whole(count) > self.size - self.file.tell():
            raise ValueError(f"it names {count} bytes, more than the file has")
        return self.file.read(count)


class Cassette:
    """A cassette's file: `header`, and by iteration its calls, each read on demand. It can be iterated
    several times."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises OSError, and CassetteError if the file is no cassette."""
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
        """Raises CassetteError for a malformed entry."""
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
    """Whether the values are equal, bit by bit."""
    return list(map(plain, one)) == list(map(plain, other))


def differing_arguments(call: Call, others: Sequence[Value]) -> Iterator[tuple[str, Value, Value]]:
    """The arguments of a call that aren't these to the bit: name, its value, and the other one."""
    names = call.names or tuple(map(str, range(len(call.arguments))))
    for name, value, other in zip(names, call.arguments, others, strict=False):
        if not same_values([value], [other]):
            yield name, value, other
