"""Which files are things that a model is asked about, one after the other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.watch.origin.kinds import media_among

LONG = b"x" * 80


@pytest.mark.parametrize(
    ("files", "seen"),
    [
        ({"a.png": b"\x89PNG", "b.pbm": b"P4\n1 1\n\0", "c": b"fLaC"}, [0, 1, 2]),
        ({"a.fen": LONG, "B.FEN": LONG, "c.fen": 2 * LONG, "d.npy": LONG}, [0, 1, 2]),
        ({"a.bin": 9 * LONG, "mean.bin": LONG, "std.bin": LONG}, []),
        ({"a.bin": b"1", "mean.bin": b"1", "std.bin": b"1"}, []),
        ({"a.npy": LONG, "expected.npy": LONG}, []),
        ({"a.npy": LONG, "b.npy": LONG, "c.npy": b""}, []),
        ({"a.txt": LONG, "b.txt": LONG, "c.txt": LONG}, []),
        ({"a": LONG, "b": LONG, "c": LONG}, []),
        ({"a.onnx": LONG, "b.onnx": LONG, "c.onnx": LONG}, []),
    ],
)
def test_files_of_one_kind(files: dict[str, bytes], seen: list[int]) -> None:
    read: list[Any] = [
        SimpleNamespace(name=name, data=bytearray(data), sum=lambda: 7) for name, data in files.items()
    ]
    assert [number for number, _, _ in media_among(read)] == seen
