"""The fuzz target of the search for hints: what a guest might read, send, be answered and write, with numbers
at the ends of their types, and files that are cut off or changed. A mistake in a rule is only told to a
person (`watch/failing.py`), so that it is raised here."""

from __future__ import annotations

import io
import json
import struct
import wave
from collections.abc import Callable, Iterator
from random import Random
from typing import Any
from unittest import mock

import numpy

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch import evidence
from pywasm_nn.watch.evidence import Evidence

NUMBERS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e-45,
    1e-30,
    3.4e38,
    -3.4e38,
    65504.0,
    1e5,
    12345.0,
    float("inf"),
    float("nan"),
)
FIELDS = (
    "",
    "NA",
    "nan",
    "inf",
    "1e400",
    "-1e999",
    "1,5",
    "1.234,5",
    "0x1f",
    "12:30",
    "2024-02-31",
    "a b",
    '"',
    "é",
)
WORDS = (
    "cat",
    "dog",
    "none",
    "class",
    "label",
    "%",
    "=",
    "is",
    "the",
    "NaN",
    "score:",
    "1e400",
    "°C",
    "-",
    "\u0000",
)
SHAPES = (
    (),
    (0,),
    (1,),
    (1, 1),
    (1, 4),
    (4, 1),
    (3, 5),
    (1, 3, 8, 8),
    (1, 8, 8, 3),
    (1, 16, 3),
    (2, 24),
    (1, 576),
    (1, 1, 28, 28),
)
TYPES = ("f4", "f4", "f4", "f8", "f2", "u1", "i4", "i8")
NAMES = ("x", "input", "logits", "probs", "log_price", "state", "boxes", "sincos", "")
ROUNDS = 6
"""Most computes of a guest."""


def numbers(random: Random, count: int, kind: int | None = None) -> Any:
    """Numbers as they are measured, or as nobody measures them."""
    order = numpy.random.default_rng(random.getrandbits(32))
    kind = random.randrange(7) if kind is None else kind
    if kind == 0:
        return numpy.array([random.choice(NUMBERS) for _ in range(count)])
    if kind == 1:
        return order.integers(0, 256, count).astype("f8")
    if kind == 2:
        return numpy.full(count, random.choice(NUMBERS))
    if kind == 3:
        return order.normal(size=count) * 10.0 ** random.randint(-30, 30)
    made = numpy.sin(numpy.arange(count) / random.uniform(0.5, 30)) + order.normal(0, 0.05, count)
    return made * random.choice((1, 20, 3000)) + random.choice((0, 0, 15, 1e6))


def of_table(random: Random) -> bytes:
    width, rows, delimiter = random.randint(1, 9), random.randint(0, 40), random.choice(",;\t |")
    lines = [[random.choice(WORDS) + str(at) for at in range(width)]] if random.random() < 0.6 else []
    every = numbers(random, width * rows).reshape(rows, width)
    lines += [[f"{one:.{random.randint(0, 5)}g}" for one in row] for row in every]
    for _ in range(random.choice((0, 0, 1, 5))):
        line = random.choice(lines or [[""]])
        line[random.randrange(len(line))] = random.choice(FIELDS)
    end = random.choice(("\n", "\r\n"))
    return end.join(delimiter.join(line) for line in lines).encode("utf-8")


def of_picture(random: Random) -> bytes:
    width, height, kind = random.randint(0, 40), random.randint(0, 40), random.choice((2, 3, 5, 6))
    count = width * height * (3 if kind in (3, 6) else 1)
    top = random.choice((1, 15, 255, 65535))
    head = f"P{kind}\n{'# made by hand' + chr(10) if random.random() < 0.3 else ''}{width} {height}\n{top}\n"
    pixels = [random.randint(0, top) for _ in range(count)]
    if kind < 5:
        return (head + " ".join(map(str, pixels))).encode()
    return head.encode() + struct.pack(f">{count}{'H' if top > 255 else 'B'}", *pixels)


def of_bitmap(random: Random) -> bytes:
    width, height, bits = (
        random.randint(1, 30),
        random.choice((-1, 1)) * random.randint(1, 30),
        random.choice((8, 24, 32)),
    )
    row = (width * bits // 8 + 3) // 4 * 4
    body = random.randbytes(row * abs(height))
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(body), 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + head + body


def of_sound(random: Random) -> bytes:
    made, size = io.BytesIO(), random.choice((1, 2, 3, 4))
    with wave.open(made, "wb") as sound:
        sound.setnchannels(random.choice((1, 2)))
        sound.setsampwidth(size)
        sound.setframerate(random.choice((1, 8000, 16000, 44100)))
        samples = numbers(random, random.randint(0, 1500), random.choice((1, 4)))
        whole = numpy.clip(numpy.nan_to_num(samples) * 100, -(2**31), 2**31 - 1).astype("<i4")
        sound.writeframes(whole.astype({1: "u1", 2: "<i2", 3: "<i4", 4: "<i4"}[size]).tobytes())
    return made.getvalue()


def of_numbers(random: Random) -> bytes:
    made = numbers(random, random.randint(0, 900))
    with numpy.errstate(all="ignore"):
        return bytes(made.astype(random.choice(("<f4", ">f4", "<f8", "<i2", "u1"))).tobytes())


def of_array(random: Random) -> bytes:
    made = io.BytesIO()
    numpy.save(made, numbers(random, 48).reshape(random.choice(((48,), (6, 8), (2, 3, 8)))).astype("f4"))
    return made.getvalue()


def of_words(random: Random) -> bytes:
    lines = (" ".join(random.choices(WORDS, k=random.randint(0, 9))) for _ in range(random.randint(0, 60)))
    return "\n".join(lines).encode()


def of_json(random: Random) -> bytes:
    values = {random.choice(WORDS): numbers(random, random.randint(0, 9)).tolist() for _ in range(4)}
    return json.dumps(random.choice((values, [*values.values()], {"mean": 0, "std": [0, 1e-320]}))).encode()


FILES: tuple[tuple[str, Callable[[Random], bytes]], ...] = (
    ("csv", of_table), ("txt", of_table), ("ppm", of_picture), ("bmp", of_bitmap), ("wav", of_sound),
    ("bin", of_numbers), ("raw", of_numbers), ("npy", of_array), ("txt", of_words), ("json", of_json),
)  # fmt: skip


def changed(random: Random, data: bytes) -> bytes:
    """Mostly the data as they are; or cut off, or with other bytes."""
    made, kind = bytearray(data), random.randrange(6)
    if kind == 0:
        del made[random.randint(0, len(made)) :]
    elif kind == 1:
        for _ in range(random.randint(1, 8)):
            if made:
                made[random.randrange(len(made))] = random.choice((0, 255, 10, 44, random.randrange(256)))
    return bytes(made)


def called(name: str, **arguments: Any) -> HostEvent:
    return HostEvent("wasi_snapshot_preview1", name, tuple(arguments.items()), 0, None, 0.0)


def tensor(random: Random, data: bytes) -> Tensor:
    """Numbers of a file's bytes, or others."""
    shape, dtype = random.choice(SHAPES), random.choice(TYPES)
    count = int(numpy.prod(shape))
    with numpy.errstate(all="ignore"):
        if random.random() < 0.5 and len(data) >= count > 0:
            start = random.randint(0, len(data) - count)
            made = numpy.frombuffer(data[start : start + count], "u1").astype("f8") * random.choice(
                (1, 1 / 255)
            )
        else:
            made = numbers(random, count)
        whole = dtype not in ("f2", "f4", "f8")
        array = (numpy.nan_to_num(made) % 256 if whole else made).astype(dtype)
    return Tensor.from_numpy(array.reshape(shape))


def operation(name: str, random: Random, index: int | None, *tensors: Tensor) -> NNEvent:
    specs = tuple(TensorSpec(random.choice(NAMES), one.dtype, one.shape) for one in tensors)
    return NNEvent(name, "", 0.001, None, "m", 1, 1, None, index, specs, tensors)


def said(random: Random, answers: tuple[Tensor, ...]) -> bytes:
    """What a guest writes about answers."""
    words: list[str] = []
    for one in answers:
        flat = (one.numbers() if one.nbytes else numpy.zeros(0)).reshape(-1)[: random.randint(0, 6)]
        words += [
            random.choice(WORDS),
            *(f"{float(value):.{random.randint(0, 4)}{random.choice('feg')}}" for value in flat),
        ]
    words += random.choices(WORDS, k=random.randint(0, 3))
    return (" ".join(words) + random.choice(("\n", "", " %\n"))).encode()


def story(random: Random) -> Iterator[HostEvent | NNEvent]:
    """What happens to a guest, event by event."""
    data = b""
    for number in range(random.randint(0, 3)):
        kind, of = random.choice(FILES)
        data = changed(random, of(random))
        yield called("path_open", fd=3, path=f"{random.choice(WORDS[:4])}{number}.{kind}", opened=5 + number)
        yield called("fd_read", fd=5 + number, iovs=[data], nread=len(data))
        if random.random() < 0.7:
            yield called("fd_read", fd=5 + number, iovs=[b""], nread=0)
    seed = random.getrandbits(32)
    for at in range(random.randint(1, ROUNDS)):
        same = Random(seed + at * random.randint(0, 1))
        given = [tensor(same, data) for _ in range(same.choice((1, 1, 2)))]
        for index, one in enumerate(given):
            yield operation("set_input", Random(seed), index, one)
        answers = tuple(tensor(same, data) for _ in range(same.choice((1, 1, 2))))
        yield operation("compute", Random(seed), None, *answers)
        for index, one in enumerate(answers):
            yield operation("get_output", Random(seed), index, one)
        yield called("fd_write", fd=1, ciovs=[said(random, answers)], nwritten=1)


def raised(error: Exception, what: str) -> str:
    raise error


class Hints:
    """The search for hints."""

    name = "hints"

    def input(self, random: Random) -> list[HostEvent | NNEvent]:
        return [*story(random)]

    def feed(self, data: list[HostEvent | NNEvent]) -> str:
        found = Evidence()
        hints = 0
        with mock.patch.object(evidence, "failure", raised), numpy.errstate(all="ignore"):
            for event in data:
                if isinstance(event, HostEvent):
                    hints += len([*(found.host_call(event) or ())])
                else:
                    hints += len([*found.nn_event(event, ())])
            hints += len([*found.finish()])
        return "something said" if hints else "nothing said"
