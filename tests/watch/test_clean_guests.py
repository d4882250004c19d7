"""200 guests without a mistake: none gets a hint, whatever it feeds to which model.

What is here: generated preprocessing of the usual kinds, warm-ups, pipelines, random weights, counts,
sensors, sounds and words. They are by the hand that wrote the rules. What is not: networks with random
weights that are fed pixels up to 255, of which nobody can tell whether they want them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import NN
from pywasm_nn.watch import events
from pywasm_nn.watch.trace import Trace
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.apart import apart
from tests.watch.whatif_models import SIDE, encoded, picture, planar, recogniser, untrained

GUEST = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "get_output" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 40)
  (data (i32.const 0) "m")
  (func (export "begin")
    (drop (call $load (i32.const 0) (i32.const 1) (i32.const 8)))
    (drop (call $init (i32.load (i32.const 8)) (i32.const 8))))
  (func (export "set") (param $index i32) (param $record i32) (result i32)
    (call $set (i32.load (i32.const 8)) (local.get $index) (local.get $record)))
  (func (export "compute") (result i32) (call $compute (i32.load (i32.const 8))))
  (func (export "get") (result i32)
    (call $get (i32.load (i32.const 8)) (i32.const 0) (i32.const 65536) (i32.const 65536) (i32.const 12))))"""
TYPES = {"<f4": 1, "|u1": 3, "<i4": 4, "<i8": 5}
"""Numbers of element types in wasi-nn."""
BUFFER = 0x40000


class Session:
    """A guest with the model m, driven step by step."""

    def __init__(self, folder: Path, model: bytes) -> None:
        (folder / "m.onnx").write_bytes(model)
        self.trace = Trace(["nn", "whatif"])
        nn = NN(models=folder, backends={"onnx": "numpy"})
        self.app = Module.from_text(GUEST).instantiate(nn=nn, observer=self.trace)
        self.app.exports.begin()

    def fill(self, array: Any, index: int = 0) -> int:
        """Write a tensor's elements and record; returns the record's address."""
        address = BUFFER + index * 0x80000
        memory, record = self.app.memory, 32 + 64 * index
        shape = pack(f"<{array.ndim}I", *array.shape)
        memory.write(0x400 + 64 * index, shape)
        kind = TYPES[array.dtype.str]
        memory.write(record, pack("<5I", 0x400 + 64 * index, array.ndim, kind, address, array.nbytes))
        memory.write(address, numpy.ascontiguousarray(array).tobytes())
        return record

    def set(self, array: Any, index: int = 0) -> None:
        assert self.app.exports.set(index, self.fill(array, index)) == 0

    def compute(self) -> None:
        assert self.app.exports.compute() == 0
        assert self.app.exports.get() == 0

    def hints(self) -> list[str]:
        self.app.close()
        self.trace.flush()
        return [event.text for event in self.trace if isinstance(event, events.Hint)]


def any_model(shape: Any, dtype: str, order: Any, classes: int = 10, inputs: int = 1) -> bytes:
    """A linear classifier with random weights."""
    size = int(numpy.prod(shape))
    names = [f"x{i}" for i in range(inputs)]
    nodes = []
    for i, name in enumerate(names):
        nodes += [node("Cast", [name], [f"c{i}"], to=1), node("Flatten", [f"c{i}"], [f"f{i}"])]
    total = "f0"
    if inputs == 2:
        nodes.append(node("Add", ["f0", "f1"], ["f"]))
        total = "f"
    nodes += [node("Gemm", [total, "w", "b"], ["l"]), node("Softmax", ["l"], ["y"], axis=1)]
    weights = {
        "w": (order.normal(0, float(order.choice([0.01, 0.3, 2])) / size**0.5, (size, classes))).astype("f4"),
        "b": order.normal(0, 0.3, classes).astype("f4"),
    }
    return Model(
        nodes, {name: (dtype, list(shape)) for name in names}, {"y": ("float32", [1, classes])}, weights
    ).data()


def pictures(folder: Path, seed: int, order: Any) -> Session:
    known = [picture(100 * seed + number) for number in range(8)]
    kind = ("unit", "signed", "imagenet", "raw")[seed // 10 % 4]
    session = Session(folder, recogniser(known, kind))
    for number in order.permutation(8)[:3]:
        session.set(planar(encoded(known[number], kind)))
        session.compute()
    return session


def unknown_pictures(folder: Path, seed: int, order: Any) -> Session:
    known = [picture(100 * seed + number) for number in range(8)]
    kind = ("unit", "signed", "imagenet", "raw")[seed // 10 % 4]
    session = Session(folder, recogniser(known, kind))
    for number in range(3):
        session.set(planar(encoded(picture(100 * seed + 50 + number), kind)))
        session.compute()
    return session


def random_weights(folder: Path, seed: int, order: Any) -> Session:
    model, shape = untrained(seed)
    session = Session(folder, model)
    pixels = picture(seed, *shape[2:])
    pixels = pixels if shape[1] == 3 else pixels.mean(2, keepdims=True)
    session.set(planar(encoded(pixels, str(order.choice(["unit", "signed"])))))
    session.compute()
    return session


def warm_up(folder: Path, seed: int, order: Any) -> Session:
    known = [picture(100 * seed + number) for number in range(8)]
    session = Session(folder, recogniser(known, "unit"))
    blank = numpy.zeros((1, 3, SIDE, SIDE), "f4")
    for array in (blank, blank, planar(encoded(known[2], "unit")), blank)[: 3 + seed // 10 % 2]:
        session.set(array)
        session.compute()
    return session


def pipeline(folder: Path, seed: int, order: Any) -> Session:
    known = [picture(100 * seed + number) for number in range(8)]
    session = Session(folder, recogniser(known, "unit"))
    frames = [planar(encoded(known[number], "unit")) for number in range(5)]
    session.fill(frames[0])
    for following in [*frames[1:], None]:
        assert session.app.exports.set(0, 32) == 0
        if following is not None:
            session.fill(following)  # while the model computes
        session.compute()
    return session


def counts(folder: Path, seed: int, order: Any) -> Session:
    size = int(order.choice([100, 784, 1000, 1024]))
    session = Session(folder, any_model((1, size), "float32", order))
    for _ in range(3):
        words = order.poisson(0.4, (1, size)) * order.integers(0, 200, (1, size))
        session.set(words.astype("f4"))
        session.compute()
    return session


def sensors(folder: Path, seed: int, order: Any) -> Session:
    size = int(order.choice([12, 64, 128, 561]))
    session = Session(folder, any_model((1, size), "float32", order))
    scale, shift = order.uniform(0.01, 300), order.uniform(-50, 1000)
    for _ in range(3):
        session.set((order.normal(0, scale, (1, size)).cumsum(axis=1) + shift).astype("f4"))
        session.compute()
    return session


def sounds(folder: Path, seed: int, order: Any) -> Session:
    session = Session(folder, any_model((1, 1600), "float32", order, 12))
    time = numpy.arange(4800) / 16000
    wave = numpy.sin(2 * numpy.pi * order.uniform(80, 900) * time) * order.uniform(0.01, 1)
    wave = wave + order.normal(0, 0.01, wave.shape)
    wave = wave * 32767 if seed // 10 % 2 else wave
    wave = wave.round() if seed // 20 % 2 and seed // 10 % 2 else wave
    for begin in range(0, 4800, 1600):
        session.set(wave[None, begin : begin + 1600].astype("f4"))
        session.compute()
    return session


def words(folder: Path, seed: int, order: Any) -> Session:
    dtype = ("int64", "int32")[seed // 10 % 2]
    session = Session(folder, any_model((1, 128), dtype, order, 4, inputs=2))
    for _ in range(2):
        length = int(order.integers(5, 128))
        ids, mask = numpy.zeros((2, 1, 128), "<i8" if dtype == "int64" else "<i4")
        ids[0, :length], mask[0, :length] = order.integers(100, 30000, length), 1
        session.set(ids, 0)
        session.set(mask, 1)
        session.compute()
    return session


def bytes_of_pixels(folder: Path, seed: int, order: Any) -> Session:
    session = Session(folder, any_model((1, SIDE, SIDE, 3), "uint8", order, 100))
    for number in range(3):
        pixels = picture(seed + number)
        session.set(numpy.where(pixels > 128, 255, 0).astype("u1")[None] if number == 2 else pixels[None])
        session.compute()
    return session


KINDS: tuple[Callable[[Path, int, Any], Session], ...] = (
    pictures, unknown_pictures, random_weights, warm_up, pipeline, counts, sensors, sounds, words,
    bytes_of_pixels,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(200))
@apart
def test_a_guest_without_a_mistake_gets_no_hint(seed: int, tmp_path: Path) -> None:
    kind = KINDS[seed % len(KINDS)]
    session = kind(tmp_path, seed, numpy.random.default_rng(seed))
    assert session.hints() == [], kind.__name__
