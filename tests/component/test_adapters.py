"""The text of generated functions: docs/components.md shows some, and it is what is made."""

from __future__ import annotations

from pathlib import Path
from types import CodeType

import pytest

from pywasm_nn.component.canonical import context
from tests.component.components import LIBC, component

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
