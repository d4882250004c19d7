"""Records with floats, one for each input, that are read at another distance than they lie in the file."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.series.drifting import Drifting

RANDOM = numpy.random.default_rng(8)


def stored(layout: str, count: int, records: int, *, turned: bool = False) -> bytes:
    """A file of records, whose floats stand in the place of V, in a layout of `struct`."""
    means = RANDOM.uniform(2, 90, count)
    kind = "d" if "V" not in layout else "f"
    made = b""
    for at in range(records):
        own = RANDOM.normal(means, means / 9).astype("f4" if kind == "f" else "f8").tolist()
        others = [at % 200 for _ in layout.replace("x", "").replace("V", "").replace("W", "")[1:]]
        place = max(layout.replace("x", "").find("V"), layout.replace("x", "").find("W")) - 1
        fields = [*others[:place], *own, *others[place:]]
        form = layout.replace("V", f"{count}{kind}").replace("W", f"{count}{kind}")
        made += struct.pack(">" + form[1:] if turned else form, *fields)
    return made


def read(data: bytes, apart: int, first: int, count: int, kind: str = "<f4") -> list[Any]:
    """The floats that a guest reads at a distance."""
    width = numpy.dtype(kind).itemsize * count
    places = range(first, len(data) - width + 1, apart)
    with numpy.errstate(all="ignore"):
        return [numpy.frombuffer(data, kind, count, at).astype("f4") for at in places]


def said(data: bytes, rows: Sequence[Any]) -> tuple[str, bool]:
    """The hint, and whether it is known at the first inputs why they are unusual."""
    rule, texts, known = Drifting(lambda: [("log.bin", data)]), [], False
    for at, row in enumerate(rows):
        tensor = Tensor.from_numpy(row[None])
        spec = TensorSpec("x", tensor.dtype, tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,))
        known |= at < 2 and rule.explains(event)
        texts += [text for _, text in rule.nn_event(event)]
    return "; ".join(texts), known


@pytest.mark.parametrize(
    ("layout", "count", "apart", "first"),
    [
        ("<BV", 5, 24, 4), ("<BHV", 9, 40, 4), ("<BVH", 6, 32, 4), ("<HV", 4, 20, 4), ("<VB", 4, 20, 0),
        ("<IW", 4, 40, 8), ("<BW", 3, 32, 8),
    ],
)  # fmt: skip
def test_a_struct_has_padding(layout: str, count: int, apart: int, first: int) -> None:
    data = stored(layout, count, 30)
    kind = "<f8" if "W" in layout else "<f4"
    wrong, known = said(data, read(data, apart, first, count, kind))
    size = len(data) // 30
    assert f"read {apart} bytes apart" in wrong and f"; {size} bytes apart all are usual" in wrong and known
    assert f"a struct has {apart - size} byte" in wrong
    begins = struct.calcsize(layout[: layout.find("W" if kind == "<f8" else "V")])
    assert said(data, read(data, size, begins, count, kind)) == ("", False)


def test_the_file_has_padding() -> None:
    data = stored("<BxxxV", 6, 25)
    wrong, known = said(data, read(data, 25, 1, 6))
    assert (
        "read 25 bytes apart" in wrong
        and "; 28 bytes apart all" in wrong
        and "are 3 bytes of padding" in wrong
        and known
    )
    assert said(data, read(data, 28, 4, 6)) == ("", False)


def test_another_order_of_bytes_is_none() -> None:
    for layout in ("<V", "<BV", "<HV"):
        data = stored(layout, 7, 30, turned=True)
        size = len(data) // 30
        assert said(data, read(data, size, size - 28, 7)) == ("", False)


def test_what_says_nothing() -> None:
    data = stored("<BV", 5, 30)
    assert said(data[: 21 * 3], read(data[: 21 * 3], 24, 4, 5)) == ("", False)
    assert said(data, [row[::-1] for row in read(data, 24, 4, 5)]) == ("", False)
    assert said(data, read(data, 42, 1, 5)) == ("", False)  # every other record
    noise = RANDOM.bytes(900)
    assert said(noise, read(noise, 24, 4, 5)) == ("", False)
