"""Names of files that are sent where their content is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.sent.file_names import FileNames

FILES = [
    ("in/report-03.pdf", b"%PDF-1.7" * 40),
    ("in/setup.exe", b"MZ\x90" * 99),
    ("labels.txt", b"pdf\nexe\n"),
]
PATHS = [name for name, _ in FILES[:2]]


def row(text: str, length: int = 96, padding: int = 0, *, behind: bool = True) -> Any:
    codes = [ord(one) for one in text]
    rest = [padding] * (length - len(codes))
    return numpy.array([codes + rest if behind else rest + codes])


def said(inputs: Sequence[Any], name: str = "x", model: str = "kinds", files: Any = FILES) -> list[str]:
    rule = FileNames(lambda: files)
    for array in inputs:
        tensor = Tensor.from_numpy(array)
        specs = (TensorSpec(name, tensor.dtype, tensor.shape),)
        rule.nn_event(NNEvent("set_input", "", 0.0, None, model, 0, 0, None, 0, specs, (tensor,)))
    return [text for _, text in rule.finish()]


@pytest.mark.parametrize("padding", [0, 32, 256])
@pytest.mark.parametrize("dtype", ["i4", "i8", "f4"])
@pytest.mark.parametrize("is_short", [True, False])
def test_names_of_files_that_were_read(padding: int, dtype: str, *, is_short: bool) -> None:
    names = [one.partition("/")[2] if is_short else one for one in PATHS]
    rows = [row(one, padding=padding, behind=at == 0).astype(dtype) for at, one in enumerate(names)]
    (found,) = said(rows)
    assert f'letters of "{names[0]}"' in found and "of which 320 bytes were read" in found
    assert said([numpy.concatenate(rows)]) == [found]
    assert said(rows[:1], "raw_bytes") and not said(rows[:1])
    if padding == 0 and dtype == "f4":
        assert said([(one / 255).astype("f4") for one in rows])


def test_others() -> None:
    rows = [row(one).astype("i4") for one in PATHS]
    assert not said(rows, "file_name") and not said(rows, model="phishing-urls")
    contents = [numpy.frombuffer(data[:96], "u1").astype("i4")[None] for _, data in FILES[:2]]
    assert not said(contents) and not said([*rows, contents[0]])
    assert not said(rows, files=FILES[2:]), "no such file was read"
    listed = [("in/report-03.pdf", b"in/report-03.pdf\\n" * 9), ("in/setup.exe", b"in/setup.exe\\n" * 9)]
    assert not said(rows, files=listed)
    assert not said([row("one text with a dot.").astype("i4"), row("and e.g. another").astype("i4")])
    assert not said(
        [numpy.arange(96, dtype="f4")[None], numpy.zeros((1, 96), "f4"), numpy.zeros((0, 9), "f4")]
    )
