"""Buffers of bytes in which the rest of a longer file lies behind a shorter one."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.bytes_behind import BytesBehind

LONG = b"GET /index.html HTTP/1.1 from the browser of a visitor, with many words\n"
SHORT = b"POST /form and a few fields of it\n"
FILES = [("long.txt", LONG), ("short.txt", SHORT)]


def filled(texts: list[bytes], scale: float, *, clears: bool) -> list[Any]:
    """Inputs of 100 elements for one text after the other."""
    buffer, made = numpy.full(100, 256 * scale, "f4"), []
    for text in texts:
        if clears:
            buffer[:] = 256 * scale
        buffer[: len(text)] = numpy.frombuffer(text, "u1") * scale
        made.append(buffer.copy())
    return made


@pytest.mark.parametrize("scale", [1.0, 1 / 255])
@pytest.mark.parametrize("is_stripped", [False, True])
def test_the_rest_of_a_longer_file(scale: float, *, is_stripped: bool) -> None:
    texts = [one.strip() if is_stripped else one for one in (LONG, SHORT)]

    def said(texts: list[bytes], *, clears: bool) -> list[str]:
        kept = BytesBehind(lambda: FILES)
        made = filled(texts, scale, clears=clears)
        return [kept.wrong(0, Tensor.from_numpy(one[None])) for one in made]

    first, second = said(texts, clears=False)
    assert first == "" and "are still those of long.txt" in second
    assert said(texts, clears=True) == ["", ""]
    assert said(texts[::-1], clears=False) == ["", ""]
    assert said([LONG, LONG], clears=False) == ["", ""]


@pytest.mark.parametrize("kind", ["i4", "u1", "f4"])
@pytest.mark.parametrize("times", [1, 4])
def test_rows_of_a_batch(kind: str, times: int) -> None:
    """Of which the first may be the beginning of a file that is longer than a row."""
    long = LONG * times
    files = [("long.txt", long), ("short.txt", SHORT)]

    def said(texts: list[bytes], *, clears: bool) -> str:
        rows = numpy.stack(filled([one[:100] for one in texts], 1.0, clears=clears)).clip(0, 255)
        return BytesBehind(lambda: files).wrong(0, Tensor.from_numpy(rows.astype(kind)))

    found = said([long, SHORT], clears=False)
    assert "its first 34 elements are the bytes of short.txt" in found and "those of long.txt" in found
    assert said([long, SHORT], clears=True) == said([SHORT, long], clears=False) == ""
    assert said([long, long], clears=False) == said([SHORT], clears=False) == ""
