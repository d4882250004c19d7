"""Which files are things that a model is asked about, one after the other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.watch.origin.kinds import media_among


@pytest.mark.parametrize(
    ("files", "seen"),
    [
        ({"a.png": b"\x89PNG", "b.pbm": b"P4\n1 1\n\0", "c": b"fLaC"}, [0, 1, 2]),
        ({"a.fen": b"1", "B.FEN": b"2", "c.fen": b"3", "d.npy": b"4"}, [0, 1, 2]),
        ({"a.npy": b"1", "expected.npy": b"2"}, []),
        ({"a.npy": b"1", "b.npy": b"2", "c.npy": b""}, []),
        ({"a.txt": b"1", "b.txt": b"2", "c.txt": b"3"}, []),
        ({"a": b"1", "b": b"2", "c": b"3"}, []),
        ({"a.onnx": b"1", "b.onnx": b"2", "c.onnx": b"3"}, []),
    ],
)
def test_files_of_one_kind(files: dict[str, bytes], seen: list[int]) -> None:
    read: list[Any] = [
        SimpleNamespace(name=name, data=bytearray(data), sum=lambda: 7) for name, data in files.items()
    ]
    assert [number for number, _, _ in media_among(read)] == seen
