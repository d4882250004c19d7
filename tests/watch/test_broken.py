"""Parts of a text that a guest cuts out by offsets of characters, where bytes are meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.watch.written.broken import Broken

TEXT = "Gestern saß Jürgen Müller in Köln und wartete auf Frau Übermut aus Lüneburg.\n"
DATA = TEXT.encode()


def hint(said: bytes, data: bytes = DATA) -> str:
    broken = Broken(lambda: [("m.onnx", b"\xff\x00"), ("text.txt", data)])
    arguments = (("fd", 1), ("ciovs", [said]))
    event: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments)
    broken.host_call(event)
    return "; ".join(text for _, text in broken.finish())


def cut(words: str, by_bytes: bool) -> bytes:
    start = TEXT.index(words)
    return DATA[start : start + len(words)] if by_bytes else words.encode()


@pytest.mark.parametrize("form", [b"%s\n", b'name: "%s"\n', b"PER: %s\n", b"%s (0.98)\n"])
@pytest.mark.parametrize("words", ["Jürgen Müller", "Lüneburg", "Übermut"])
def test_offsets_of_characters(words: str, form: bytes) -> None:
    said = form % cut(words, by_bytes=False)
    assert hint(said) == ""
    wrong = hint(form % cut(words, by_bytes=True))
    if form != b"%s (0.98)\n":
        assert words in wrong and "offsets in characters" in wrong


@pytest.mark.parametrize(
    "said", [b"good 0.98\n", b"Gestern\n", TEXT.encode(), "Jürgen\nMüll\n".encode(), b"", b"in K\xc3\n"]
)
def test_other_texts_are_left_alone(said: bytes) -> None:
    assert hint(said) == ""


def test_only_letters_of_one_byte() -> None:
    data = b"Yesterday John Miller sat in Cologne.\n"
    assert hint(b"ohn Mille\n", data) == ""
