"""Texts with escapes that were sent as they stand, and right twins."""

from html import unescape
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sent.escaped import escaped

TEXT = "the cat &amp; the dog don&#39;t see it &amp; sleep"
FORM = "name=J%C3%BCrgen M%C3%BCller and town=K%C3%B6ln am Rhein"
KNOWN = "& ; a amp and cat dog don it of old on see sleep t the there they to we who # 39 '"
VOCABULARY = ("vocab.txt", "\n".join(["<pad>", "<unk>", *KNOWN.split()]).encode())


def letters(text: str, size: int = 0, first: int | None = None) -> Any:
    order = numpy.random.default_rng(3).permutation(300) + 1
    row = [*([first] if first is not None else []), *(int(order[ord(one)]) for one in text)]
    return numpy.array([[*row, *[0] * (size - len(row))]], "i8")


@pytest.mark.parametrize(("size", "first"), [(0, None), (80, None), (80, 301)])
@pytest.mark.parametrize(
    ("text", "said"), [(TEXT, '"&amp;", which stands for "&"'), (FORM, 'stands for "ü"')]
)
def test_letters(text: str, said: str, size: int, first: int | None) -> None:
    files = [("a.txt", f"a line\n{text}\n".encode())]
    assert said in escaped(letters(text, size, first), files)
    right = unescape(text).replace("%C3%BC", "ü").replace("%C3%B6", "ö")
    assert escaped(letters(right, size, first), files) == ""
    assert (
        escaped(
            letters("an address: /a%20b?c%27d and so on", size),
            [("a", b"an address: /a%20b?c%27d and so on")],
        )
        == ""
    )


def test_words() -> None:
    files = [("a.txt", TEXT.encode()), VOCABULARY]
    known = {word: at + 2 for at, word in enumerate(KNOWN.split())}
    words = TEXT.replace("&", " & ").replace(";", " ; ").replace("#", " # ").split()
    row = [known.get(one, 1) for one in words]
    assert "word by word" in escaped(numpy.array([row + [0] * 4]), files)
    row = [known.get(one, 1) for one in unescape(TEXT).replace("'", " ' ").split()]
    assert escaped(numpy.array([row + [0] * 4]), files) == ""
