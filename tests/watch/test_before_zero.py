"""Guests send the bytes of binary files up to the first 0 of each, and padding."""

from __future__ import annotations

from typing import Any

import numpy

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.before_zero import BeforeZero

BODY = bytes(numpy.random.default_rng(4).integers(1, 256, 400, "u1").tobytes())
FILES = [("a.gz", b"\x1f\x8b\x08\x07\x60" + b"\0" + BODY), ("b.elf", b"\x7fELF\2\1\1" + b"\0\0\0" + BODY)]
SIZE = 256


def filled(data: bytes, *, padding: int = 300, at_ends: bool = False) -> Any:
    made = numpy.full((1, SIZE), padding, "i4")
    own = [*data[:SIZE]]
    made[0, : len(own)] = own
    if at_ends:
        made[0, SIZE - len(own) :] = own
    return made


def said(inputs: list[Any], files: list[tuple[str, bytes]] = FILES) -> str:
    rule = BeforeZero(lambda: files)
    for one in inputs:
        rule.set("key", 'input 0 "octets"', Tensor.from_numpy(one))
    return " ".join(rule.finish())


def up_to_0(data: bytes) -> bytes:
    return data[: data.index(b"\0")]


def test_bytes_before_the_first_0() -> None:
    for padding, at_ends in ((300, False), (0, False), (-1, True)):
        text = said([filled(up_to_0(one), padding=padding, at_ends=at_ends) for _, one in FILES])
        assert "only the 7 bytes of b.elf before its first byte 0 are there, and 403 follow" in text
    assert "5 bytes of a.gz" in said([filled(up_to_0(FILES[0][1]))])
    kept = [filled(up_to_0(b"%PNG" + FILES[1][1][1:])[:4]), filled(b"a text of many letters, no 0 " * 4)]
    assert said(kept, [("x", b"%PNG\0\0" + BODY), ("y", b"a text of many letters, no 0 " * 4)])


def test_one_file_whose_beginning_is_its_end_too() -> None:
    data = b"RIFFWAVE" + b"\0\0\0\4" + BODY
    text = said([filled(b"RIFFWAVE", padding=256, at_ends=True)], [("d.riff", data)])
    assert "only the 8 bytes of d.riff before its first byte 0 are there, and 404 follow" in text
    assert said([filled(b"RIFFWAVE", padding=256)], [("d.riff", data)]) == "", "its mark alone"
    whole = filled(data[:64])
    whole[0, -64:] = [*data[-64:]]
    assert said([whole], [("d.riff", data)]) == "", "both ends of the whole file"
    short = b"RIFFWAVE\0\0\1"
    assert said([filled(b"RIFFWAVE", at_ends=True)], [("e.riff", short)]) == "", "nothing follows"


def test_programs_that_are_right() -> None:
    assert said([filled(one) for _, one in FILES]) == "", "all bytes"
    assert said([filled(one[:4]) for _, one in FILES]) == "", "the first ones alone, of each as many"
    assert said([filled(b"\x89PNG")], [("c.png", b"\x89PNG\0\0\0\r" + BODY)]) == "", "perhaps its mark"
    assert said([filled(b"short"), filled(b"longer")], [("t", b"short"), ("u", b"longer")]) == ""
    assert (
        said([filled(b"short"), filled(b"longer")], [("t", b"short\0\0\0"), ("u", b"longer" + bytes(99))])
        == ""
    )
    names = [one.encode() for one in ("Okafor", "Nguyen Thi", "Brown", "Kowalczyk", "Rossi")]
    records = [("people.rec", b"".join(one.ljust(32, b"\0") for one in names))]
    assert said([filled(one) for one in names], records) == "", "texts of one file"
    inputs = [filled(up_to_0(FILES[0][1])), filled(FILES[1][1])]
    assert said(inputs) == "", "one goes on behind a 0"


def test_a_file_whose_first_0_is_behind_all_that_is_sent() -> None:
    assert said([filled(b"short")], [("c.gz", b"\x1f\x8b" + BODY + b"\0\1\2" + BODY)]) == ""
