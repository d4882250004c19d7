"""Samples of 8 bits that a program takes as signed, and of 16 bits in the other byte order or as unsigned."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.watch import budget
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


def hint(body: str, sound: Any = SOUND, files: Any = FILES, said: Any = (), given: Any = None) -> str:
    rule = SignedBytes(lambda: sound, lambda *_: files, given or Budget(), said)
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


def test_when_comparisons_have_taken_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of features that the guest made itself."""
    now = [0.0]
    monkeypatch.setattr(budget, "thread_time", lambda: now[0])
    given = Budget()
    with given.comparing() as left:
        now[0] += budget.FLOOR
        assert not left()
    assert "a.wav has samples of 8 bits" in hint(FLOAT.format(SIGNED), given=given)


def test_what_is_left_alone() -> None:
    signed = FLOAT.format(SIGNED)
    assert hint(LETTER) == hint(signed, None) == ""
    assert hint(signed, Source("a.wav", SOUND.array, "", rate=8000, width=2)) == ""
    assert hint(signed, files=(*FILES, ("weights.bin", b"\0\1\2"))) == ""  # which may have signed bytes
    assert hint(signed, said={'input 0 "x": a.wav (9 samples), from -1 to 1'}) == ""


AU = Source("a.au", SOUND.array, "9 samples", rate=8000, width=2)
AUS = (("names.txt", b"one\ntwo\n"), ("a.au", b".snd\0\0\0\x20"))
NATIVE = FLOAT.format("(i32.load16_s (local.get $p))")
UPPER, LOWER = UNSIGNED, "(i32.load8_u offset=1 (local.get $p))"
SHIFTED = f"(i32.or (i32.shl {{}} (i32.const 8)) {LOWER})"
TURNS = [
    FLOAT.format(f"(i32.extend16_s {SHIFTED.format(UPPER)})"),
    FLOAT.format(SHIFTED.format(SIGNED)),
    FLOAT.format(f"(i32.shr_s (i32.shl {SHIFTED.format(UPPER)} (i32.const 16)) (i32.const 16))"),
    f"(i32.store16 (local.get $p) {SHIFTED.format(UPPER)})" + NATIVE,
    f"(local.set $v {UPPER}) (i32.store8 (local.get $p) {LOWER}) "
    f"(i32.store8 offset=1 (local.get $p) (local.get $v)) {NATIVE}",
    "(v128.store (i32.const 0) (i8x16.shuffle 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 "
    f"(v128.load (local.get $p)) (v128.load (local.get $p)))) {NATIVE}",
]


def test_words_with_the_lower_byte_first() -> None:
    found = hint(NATIVE, AU, AUS)
    assert "a.au has samples of 16 bits whose upper byte is the first" in found
    assert "a.au has" in hint(NATIVE, AU, (("a.au", b"FORM\0\0\0\x20AIFF"),))
    wave = Source("a.wav", SOUND.array, "", rate=8000, width=2)
    assert hint(NATIVE, wave, FILES) == hint(NATIVE, AU, (("a.au", b"FORM\0\0\0\x20AIFC"),)) == ""
    assert hint(NATIVE, Source("a.au", SOUND.array, "", width=2, is_float=True), AUS) == ""
    assert hint(NATIVE, AU, AUS, {"a.au (9 samples)"}) == hint(FLOAT.format(SIGNED), AU, AUS) == ""


@pytest.mark.parametrize("turned", range(len(TURNS)))
def test_bytes_that_are_exchanged_somewhere(turned: int) -> None:
    assert hint(TURNS[turned], AU, AUS) == ""
    assert hint(TURNS[turned] + NATIVE, AU, AUS) == "", "a program that reads files of both orders"


WAVE = Source("a.wav", SOUND.array, "9 samples", rate=8000, width=2)
FLOATS = (*FILES, ("norm.f32", numpy.linspace(-3, 3, 96, dtype="<f4").tobytes()), ("m.onnx", b"\x08\0\1"))
SCALE = ["(f32.mul {} (f32.const 3.0517578125e-5))", "(f32.div {} (f32.const 32768))"]


def words(load: str, scale: str, sign: str = "u") -> str:
    made = scale.format(f"(f32.convert_i32_{sign} {load})")
    return f"(local.set $s (f32.add (local.get $s) {made}))"


@pytest.mark.parametrize("scale", SCALE)
@pytest.mark.parametrize("sign", ["u", "s"])
def test_words_as_unsigned(scale: str, sign: str) -> None:
    loaded = "(i32.load16_u (local.get $p))"
    assert "loads them as unsigned" in hint(words(loaded, scale, sign), WAVE)
    assert hint(words(loaded, scale, sign), WAVE, FLOATS) != ""
    assert hint(words(loaded, scale, sign), WAVE, (*FILES, ("w.bin", b"\0\1\2\3"))) == "", "of other words"
    for right in (
        words("(i32.load16_s (local.get $p))", scale, "s"),
        words(f"(i32.extend16_s {loaded})", scale, "s"),
        words(f"(i32.shr_s (i32.shl {loaded} (i32.const 16)) (i32.const 16))", scale, "s"),
        words(f"(i32.sub {loaded} (i32.const 32768))", scale, "s"),
        words(loaded, "(f32.mul (f32.sub {} (f32.const 32768)) (f32.const 3.0517578125e-5))"),
        words(loaded, "(f32.mul {} (f32.const 1.525e-5))"),
        words(loaded, "{}"),
    ):
        assert hint(right, WAVE) == ""
    both = words(loaded, scale, sign) + words("(i32.load16_s (local.get $p))", scale, "s")
    assert hint(both, WAVE) == "", "a field of the header, too"
    assert hint(words(loaded, scale, sign), AU, AUS) == hint(words(loaded, scale, sign)) == ""
