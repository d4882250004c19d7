"""Loops over pictures as compilers emit them: each is done with arrays, and gives what `interpret` gives.

The sources are beside the texts in `tests/guests/arrays`; those were made with `zig cc -target wasm32-wasi
-O2 -mcpu=mvp -nostdlib`, `rustc -O --target wasm32-unknown-unknown` and `asc -O3`. `reductions.*` and
`nests.*` are of later days.
"""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.interpreter.arrays import whole

pytest.importorskip("numpy")
GUESTS = Path(__file__).parents[1] / "guests" / "arrays"
COMPILERS = ("clang", "rust", "assemblyscript")
A, B, C, D, F = 1 << 20, 3 << 20, 5 << 20, 7 << 20, 9 << 20
"""Where bytes, results, floats, more bytes and wider floats are."""
TENTH = struct.unpack("<f", struct.pack("<f", 0.1))[0]


def calls(count: int) -> dict[str, tuple[Any, ...]]:
    """Arguments for so many elements."""
    return {
        "normalise": (A, B, count), "normalise3": (A, B, count // 3, C, C + 12), "chw": (A, B, count // 3),
        "hwc": (C, B, count // 3), "ycc": (A, A + 9999, D, B, count // 3), "yccf": (A, B, count // 3),
        "argmax2": (C, count), "sumb": (A, count), "sumf": (C, count), "dot": (C, C + 400, count),
        "threshold": (A, B, count, 100), "blend": (A, D, B, count, 77), "quantise": (C, B, count, TENTH, 3),
        "dequant": (A, B, count, TENTH, 7), "lut": (A, B, D, count), "grey": (A, B, count // 3),
        "maxi": (A, count), "xorr": (A, count), "hash31": (A, count), "djb2": (A, count),
        "rolling": (A, count, 0x100000001B3), "hash97": (C, count * 97), "argmax": (C, count),
        "argminb": (A, count), "fmins": (F, count), "fmaxi": (C, count),
    }  # fmt: skip


def nests(count: int) -> dict[str, tuple[int, ...]]:
    """The same for so many elements of a result."""
    columns = min(count, 40)
    rows = max(count // 40, 1)
    return {
        **dict.fromkeys(("matmul", "gemm", "qmatmul"), (B, C, C + 8000, rows, columns, 7)),
        "matmult": (B, F, F + 8000, rows, columns, 7), "dense": (B, C, C + 400, C + 4, rows, 33),
        "conv3": (B, C, C + 400, rows, columns),
    }  # fmt: skip


@cache
def module(name: str) -> Module:
    return Module.from_text((GUESTS / f"{name}.wat").read_text())


def cases() -> list[tuple[str, str]]:
    """Each loop of each compiler."""
    names = [f"{compiler}{which}" for compiler in COMPILERS for which in ("", "-reductions", "-nests")]
    names.remove("rust-nests")
    exported = {name: {export.name for export in module(name).exports} for name in names}
    found = [(name, function) for name in names for function in calls(0) if function in exported[name]]
    return found + [(name, function) for name in names for function in nests(0) if function in exported[name]]


def outcome(source: str, name: str, count: int, engine: str) -> tuple[Any, bytes]:
    """What a loop returns, and the memory that it writes."""
    instance = module(source).instantiate(engine=engine)
    memory = instance.exports["memory"]
    random = Random(count)
    data = random.randbytes(12000)
    floats = [random.choice((0.0, -0.0, 300.5, random.uniform(-50, 50))) for _ in range(6000)]
    memory.write(A, data)
    memory.write(D, data[::-1])
    memory.write(C, struct.pack("<6000f", *floats))
    memory.write(F, struct.pack("<6000d", *floats))
    arguments = {**calls(count), **nests(count)}[name]
    return instance.exports[name](*arguments), memory.read(B, 4 * 12000)


@pytest.mark.parametrize(("source", "name"), cases())
def test_a_loop_is_done_with_arrays(source: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[bool] = []

    class Watched(whole.Whole):
        def __call__(self, *arguments: Any) -> Any:
            made = super().__call__(*arguments)
            done.append(made is not None)
            return made

    monkeypatch.setattr(whole, "Whole", Watched)
    assert outcome(source, name, 5000, "compile") == outcome(source, name, 5000, "interpret")
    assert done and all(done)
    done.clear()
    assert outcome(source, name, 11, "compile") == outcome(source, name, 11, "interpret")
    assert not done, "a few elements aren't worth the call"


KERNELS = Path(__file__).parents[2] / "benchmarks" / "kernels" / "kern.wasm"


@pytest.mark.parametrize(("kernel", "n"), [("preproc", 40), ("matmul", 11), ("crc32", 3000), ("sieve", 2000)])
def test_kernels_are_the_same(kernel: str, n: int) -> None:
    results = [
        Module.from_file(KERNELS).instantiate(engine=engine).exports[kernel](n)
        for engine in ("compile", "interpret")
    ]
    assert results[0] == results[1]
