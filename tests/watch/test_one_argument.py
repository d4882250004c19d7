"""One file in place of all that the arguments name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.one_argument import OneArgument

NAMES = ("a.pgm", "b.pgm", "c.pgm")


def said(folder: Path, opened: Sequence[str], arguments: Sequence[str] = NAMES, sent: str = "") -> str:
    """What is said of a guest that opens files, and sends what these letters (else their names) stand for."""
    for name in NAMES:
        (folder / name).write_bytes(b"P5")
    rule = OneArgument(["app", *(f"data/{name}" for name in arguments)], [folder])
    for name, content in zip(opened, sent or opened, strict=True):
        call: Any = (("fd", 3), ("path", name))
        rule.host_call(HostEvent("wasi_snapshot_preview1", "path_open", call, 0, None, 0.0))
        tensor = Tensor.from_numpy(numpy.full((1, 8), ord(content[0]), "f4"))
        rule.nn_event(NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (), (tensor,)))
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize(
    ("opened", "arguments", "sent", "seen"),
    [
        (["a.pgm"] * 3, NAMES, "", True),
        (["a.pgm"] * 2, NAMES, "", True),
        (["a.pgm"], NAMES, "", False),
        ([*NAMES], NAMES, "", False),
        (["a.pgm"] * 2, ("a.pgm", "a.pgm", "b.pgm"), "", False),
        (["a.pgm"] * 3, ("a.pgm", "3", "gone.pgm"), "", False),
        (["a.pgm"] * 5, NAMES, "", False),
        (["a.pgm"] * 3, NAMES, "xyz", False),
    ],
)
def test_one_file_for_all(
    tmp_path: Path, opened: Sequence[str], arguments: Sequence[str], sent: str, seen: bool
) -> None:
    assert ("the same argument in each round" in said(tmp_path, opened, arguments, sent)) is seen
