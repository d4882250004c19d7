"""Characters of a text that a file was made, which is none, sent in place of its bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy
import pytest

from pywasm_nn.watch.origin.bytewise import bytes_in
from pywasm_nn.watch.origin.through_text import unlooked

Codes = Callable[[bytes], list[int]]
FILES = {
    "program": b"\x7fELF\0" + numpy.random.default_rng(3).bytes(900),
    "packed": bytes(one or 7 for one in b"\x1f\x8b\x08" + numpy.random.default_rng(4).bytes(900)),
}
CYRILLIC = "\u041f\u0440\u0438\u0432\u0435\u0442, \u043a\u0430\u043a \u0434\u0435\u043b\u0430? " * 12


def points(file: bytes) -> list[int]:
    return [*map(ord, file.decode("utf-8", "replace"))]


def units(file: bytes) -> list[int]:
    return numpy.frombuffer(file.decode("utf-8", "replace").encode("utf-16-le"), "<u2").tolist()


def coarse(file: bytes) -> list[int]:
    """A decoder that makes one character of several bytes that are none."""
    made: list[int] = []
    for one in file:
        if one < 128:
            made.append(one)
        elif made[-1:] != [0xFFFD] or len(made) % 3 == 0:
            made.append(0xFFFD)
    return made


def sent(codes: list[int], *, kind: str, half: bool) -> numpy.ndarray:
    made = numpy.full(512, 256, kind)
    made[: len(codes[: 256 if half else 512])] = codes[: 256 if half else 512]
    if half:
        made[-256:] = codes[-256:]
    return made.reshape(1, -1)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("kind", ["i4", "i8", "f4"])
@pytest.mark.parametrize("way", [points, units, coarse, lambda file: [*unlooked(file)]])
@pytest.mark.parametrize("file", FILES)
def test_characters_of_what_is_no_text(file: str, way: Codes, kind: str, *, half: bool) -> None:
    data = FILES[file]
    found = bytes_in(data, sent(way(data), kind=kind, half=half))
    assert found is not None
    assert "the numbers of its characters were sent" in found.wrong
    right = bytes_in(data, sent([*data], kind=kind, half=half))
    assert right is not None
    assert right.wrong == ""
    assert bytes_in(data[::-1], sent(way(data), kind=kind, half=half)) is None, "another file"


@pytest.mark.parametrize("file", FILES)
def test_their_lowest_bytes(file: str) -> None:
    data = FILES[file]
    for way in (points, units):
        found = bytes_in(data, sent([one & 255 for one in way(data)], kind="i4", half=False))
        assert found is not None
        assert "the lowest bytes of its characters' numbers" in found.wrong


@pytest.mark.parametrize("code", ["utf-8", "cp1251", "koi8-r", "utf-16"])
def test_texts_that_were_decoded_rightly(code: str) -> None:
    data = CYRILLIC.encode(code)
    found = bytes_in(data, sent([*map(ord, CYRILLIC)], kind="i4", half=False))
    assert found is None or not found.wrong


def test_a_text_that_is_cut_within_a_letter() -> None:
    for end in range(300, 306):
        data = CYRILLIC.encode()[:end]
        found = bytes_in(data, sent(points(data), kind="i4", half=False))
        assert found is None or not found.wrong


def test_a_decoder_that_looks_at_no_byte() -> None:
    text = "a\u00e9\u20ac\U0001f600z"
    assert [*unlooked(text.encode() + b"   ")] == units(text.encode())
