"""Short files in an input of both of their ends, with padding on either side."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.sent.short_ends import ShortEnds

FILES = {
    "a.py": b"  import sys\n\ndef main(path):\n    print(open(path).read())\n\n",
    "b.bin": bytes(range(200, 256)) + b"\0\0\0\x07" + bytes(range(9, 60)),
}
CONFIG = b'{"beg_size": 128, "mid_size": 0, "end_size": 128, "padding_token": 256}'


def sent(data: bytes, *, half: int, pad: int, first: str = "left", last: str = "right") -> Any:
    whole = numpy.full(2 * half, pad, "i4")
    begins, ends = [*data.lstrip()][:half], [*data.rstrip()][-half:]
    at = 0 if first == "left" else half - len(begins)
    whole[at : at + len(begins)] = begins
    at = half if last == "left" else 2 * half - len(ends)
    whole[at : at + len(ends)] = ends
    return whole[None]


def said(row: Any, model: str = "magika_v3", config: bytes = b"", kind: str = "i4") -> list[str]:
    files = [*FILES.items(), ("config.json", config)]
    origins: Any = SimpleNamespace(files=lambda: files, names_of=lambda named, _: [named, ""])
    rule = ShortEnds(origins)
    tensor = Tensor.from_numpy(row.astype(kind))
    spec = TensorSpec("bytes", tensor.dtype, tensor.shape)
    for operation, tensors in (("load", ()), ("set_input", (tensor,))):
        event: Any = SimpleNamespace(
            error=None, operation=operation, graph_id=0, model=model, parts=(), index=0, specs=(spec,),
            tensors=tensors, given=(),
        )  # fmt: skip
        rule.nn_event(event)
    return [text for _, text in rule.finish()]


@pytest.mark.parametrize("half", [128, 512, 1024])
@pytest.mark.parametrize("kind", ["i4", "i8", "f4"])
@pytest.mark.parametrize("file", FILES)
def test_the_padding_of_both_ends(file: str, kind: str, half: int) -> None:
    for pad in (256, 0):
        given = {"half": half, "pad": pad}
        left = sent(FILES[file], last="left", **given)
        for named in (said(left, kind=kind), said(left, "files", CONFIG, kind)):
            assert len(named) == 1
            assert f"compared with {file}, its end, " in named[0]
        right = sent(FILES[file], first="right", **given)
        assert "the padding behind it" in said(right, kind=kind)[0]
        assert said(sent(FILES[file], **given), kind=kind) == []
        assert said(left, "files", kind=kind) == [], "another model may be trained so"


def test_files_that_fill_a_half() -> None:
    for half in (30, 40, 57):
        assert said(sent(FILES["a.py"], half=half, pad=256, last="left")) == []
    other = sent(FILES["a.py"][::-1], half=128, pad=256, last="left")
    assert said(other) == [], "no file that was read"
    assert said(sent(FILES["a.py"], half=128, pad=256, last="left"), "files", b"{") == []
