"""The text of generated functions: docs/components.md shows some, and it is what is made."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from types import CodeType

import pytest

from pywasm_nn import Component
from pywasm_nn.component.canonical import context
from pywasm_nn.errors import InvalidError
from tests.component.components import LIBC, component
from tests.component.hostile.binaries import types
from tests.component.mutations import unsigned

PAGE = Path(__file__).resolve().parents[2] / "docs" / "components.md"
ORDER = f"""
  {LIBC}
  (type $Order (record (field "sku" string) (field "count" u32)))
  (import "order" (type $order (eq $Order)))
  (core module $M (func (export "price") (param i32 i32 i32) (result i64) (i64.extend_i32_u (local.get 2))))
  (core instance $m (instantiate $M))
  (func (export "price") (param "order" $order) (result s64)
    (canon lift (core func $m "price") (memory $memory) (realloc $realloc)))
"""


def test_page_shows_what_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    original = context.code_of

    def recorded(text: str) -> CodeType:
        texts.append(text)
        return original(text)

    monkeypatch.setattr(context, "code_of", recorded)
    with component(ORDER).instantiate() as instance:
        order = type("Order", (), {"sku": "A-1", "count": 3})
        assert instance.exports.price(order()) == 3
    shown = [text for text in texts if "waiting" not in text]
    assert len(shown) == 2
    for text in shown:
        print(text)
        assert text in PAGE.read_text("utf-8")


def test_code_for_components_that_are_gone_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may load components without end, each of other types."""
    made: list[weakref.ref[CodeType]] = []
    original = context.code_of

    def recorded(text: str) -> CodeType:
        code = original(text)
        made.append(weakref.ref(code))
        return code

    monkeypatch.setattr(context, "code_of", recorded)
    for number in range(200, 240):
        params = " ".join(f'(param "n{k}" u32)' for k in range(number))
        body = f"""{LIBC} (core module $M (func (export "f") (param i32)))
          (core instance $m (instantiate $M))
          (func (export "f") {params} (canon lift (core func $m "f") (memory $memory) (realloc $realloc)))"""
        with component(body).instantiate() as instance:
            instance.exports.f(*range(number))
        del instance
    gc.collect()
    assert len(made) > 100
    assert not any(each() for each in made[-40:])


NO_WORDS = (
    "a;import os", "a\n", "a=1", "a b", "__class__", "_self", "a--b", "-a", "a-", "1a", "a.b", "\uff41", "é",
    "None", "a\u200bb", "", "\0", "a)", "a\\",
)  # fmt: skip
DEFINED = {
    "record": lambda label: b"\x72\x01" + label + b"\x7d",
    "variant": lambda label: b"\x71\x01" + label + b"\x00\x00",
    "flags": lambda label: b"\x6e\x01" + label,
    "enum": lambda label: b"\x6d\x01" + label,
    "parameter": lambda label: b"\x40\x01" + label + b"\x7d\x01\x00",
}


@pytest.mark.parametrize("kind", DEFINED)
def test_label_that_is_no_word_never_gets_into_generated_text(kind: str) -> None:
    def of(label: str) -> bytes:
        encoded = label.encode()
        return types(DEFINED[kind](unsigned(len(encoded)) + encoded))

    for label in NO_WORDS:
        with pytest.raises(InvalidError):
            Component(of(label))
    for label in ("a", "lambda", "self", "a-1", "A-b"):
        Component(of(label))
