"""Samples of 8 bits that a program takes as signed."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.sent.signed_bytes import SignedBytes

LOOP = """(module (memory 1) (func (export "f") (param $p i32) (result f32) (local $v i32) (local $s f32)
  (loop $next {}
    (br_if $next (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 1))) (i32.const 64))))
  (local.get $s)))"""
FLOAT = "(local.set $s (f32.add (local.get $s) (f32.convert_i32_s {})))"
SIZE = """(local.set $v (i32.shr_s (local.tee $v {}) (i32.const 31)))"""
SQUARE = "(i32.store (i32.const 0) (i32.mul (local.tee $v {}) (local.get $v)))"
SIGNED, UNSIGNED = "(i32.load8_s (local.get $p))", "(i32.load8_u (local.get $p))"
CENTRED = f"(i32.add {UNSIGNED} (i32.const -128))"
TURNED = f"(i32.extend8_s (i32.xor {UNSIGNED} (i32.const 128)))"
LETTER = f"(br_if $next (i32.eq {SIGNED} (i32.const 32)))"
SOUND = Source("a.wav", numpy.zeros(9, "f4"), "9 samples", rate=8000, width=1)
FILES = (("names.txt", b"one\ntwo\n"), ("a.wav", b"RIFF\0\0\0\0WAVE"))


def hint(body: str, sound: Any = SOUND, files: Any = FILES, said: Any = ()) -> str:
    rule = SignedBytes(lambda: sound, lambda *_: files, Budget(), said)
    rule.attach(Module.from_text(LOOP.format(body)))
    return "".join(text for _, text in rule.finish())


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (FLOAT, "makes floats of them"),
        (SIZE, "takes them without their sign"),
        (SQUARE, "the square of each"),
    ],
)
def test_what_is_made_of_signed_bytes(form: str, words: str) -> None:
    found = hint(form.format(SIGNED))
    assert "a.wav has samples of 8 bits" in found and words in found
    assert hint(form.format(UNSIGNED)) == hint(form.format(CENTRED)) == hint(form.format(TURNED)) == ""
    assert hint(form.format(SIGNED) + FLOAT.format(CENTRED)) == ""


def test_what_is_left_alone() -> None:
    signed = FLOAT.format(SIGNED)
    assert hint(LETTER) == hint(signed, None) == ""
    assert hint(signed, Source("a.wav", SOUND.array, "", rate=8000, width=2)) == ""
    assert hint(signed, files=(*FILES, ("weights.bin", b"\0\1\2"))) == ""  # which may have signed bytes
    assert hint(signed, said={'input 0 "x": a.wav (9 samples), from -1 to 1'}) == ""
