"""Numbers of a text that belong to names which the guest holds: few searches of its memory tell."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.watch.probes.asked import Asked
from pywasm_nn.watch.probes.copies import Reply

COUNT = 40
TEXT = "".join(f"{one}. word {one}: columns {3 * one} to {3 * one + 1}\n" for one in range(COUNT))


@pytest.mark.parametrize(("form", "per_line"), [("", 4), ("word {} ", 3), ("columns {}\0", 3)])
def test_numbers_behind_words(form: str, per_line: int) -> None:
    held = "".join(form.format(one) for one in range(4 * COUNT)).encode()
    searches = []

    def view(start: int, count: int) -> bytes:
        searches.append(count)
        return held

    memory: Any = SimpleNamespace(size=len(held), view=view)
    reply = Reply((TEXT,), frozenset(), "returned")
    asked = Asked(lambda *_: reply, {}, reply, tuple, memory)
    assert len(asked.numbers(TEXT)) == per_line * COUNT
    words = 4 - per_line
    assert len(searches) <= words * COUNT + 3 * 3
