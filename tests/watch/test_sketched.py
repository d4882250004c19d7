"""Pictures in black and white that guests draw of an answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.sketched import Sketched

HEIGHT, WIDTH = 22, 36
ROWS, COLUMNS = numpy.mgrid[:HEIGHT, :WIDTH]
INK = (abs(COLUMNS - ROWS - 4) < 2) | ((COLUMNS - 25) ** 2 + (ROWS - 8) ** 2 < 20)
LOWEST = numpy.pad(INK, ((0, 0), (0, 4))).reshape(HEIGHT, 5, 8)[..., ::-1].reshape(HEIGHT, 40)
FLAT = numpy.pad(INK.reshape(-1), (0, 88)).reshape(HEIGHT, 40)


def hint(pixels: Any, *, as_bits: bool, name: str = "ink", file: int = 1, logits: bool = False) -> str:
    """What is said of a map and a drawing of it, or of some of its rows."""
    rule, spec = Sketched(), SimpleNamespace(name=name)
    answer = numpy.where(INK, 0.5, -1.0) if logits else numpy.where(INK, 0.9, 0.2)
    event: Any = SimpleNamespace(
        operation="get_output", index=0, error=None, specs=(spec,),
        tensors=(Tensor.from_numpy(answer[None, None].astype("f4")),),
    )  # fmt: skip
    rows = numpy.packbits(pixels, axis=1).tobytes()
    text = "\n".join("".join(".#"[one] for one in row[:34]) for row in pixels[5:17].astype(int))
    data = b"P4\n%d %d\n" % (WIDTH, HEIGHT) + rows if as_bits else f"a page:\n{text}\n".encode()
    opened = (("path", "out.pbm"), ("opened_fd", 7))
    calls = (("path_open", opened), ("fd_write", (("fd", file), ("ciovs", [data]))))
    for at, (call, arguments) in enumerate(calls):
        rule.host_call(SimpleNamespace(name=call, error=None, arguments=arguments, result=0))
        if not at:
            rule.nn_event(event)
    return "; ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("as_bits", [True, False])
@pytest.mark.parametrize(
    "pixels, words",
    [
        (LOWEST, "from its lowest bit on: PBM has the leftmost in the highest"),
        (FLAT, "rows of 36 bits without a gap"),
        (INK.reshape(WIDTH, HEIGHT).T, "column by column (c * 22 + r)"),
        (~INK, "are black and white exchanged?"),
        (INK, ""),
    ],
)
def test_drawings(pixels: Any, words: str, as_bits: bool) -> None:
    for logits in (False, True):
        found = hint(pixels, as_bits=as_bits, logits=logits)
        assert words in found and bool(words) == bool(found)


def test_what_may_be_meant() -> None:
    for name in ("mask", "edges", "lines", "context", "texture", "link_map"):
        assert hint(~INK, as_bits=True, name=name) == "", "a thing may be white"
    for name in ("text_mask", "textMask", "ink"):
        assert "exchanged" in hint(~INK, as_bits=True, name=name)
    assert hint(INK[::-1], as_bits=False) == ""  # charts go up
    assert hint(numpy.roll(INK, 3, axis=1), as_bits=False) == ""
    assert "in out.pbm" in hint(LOWEST, as_bits=True, file=7)
