"""Words that a vocabulary lacks, sent as padding or as another entry than that of unknown words."""

import numpy
import pytest

from pywasm_nn.watch.origin.vocabulary import looked_up, words_in

KNOWN = "a can cup i is it my of old pay road sea send tea the there to where you your"
WORDS = ["<pad>", "<unk>", "<s>", *KNOWN.split()]
TEXTS = ["Where is the harbour road?\nCan I pay (gladly) there, and send it to you?\n", "a.txt"]


def said(sent: int, *, first: int | None = None, texts: list[str] = TEXTS) -> str:
    vocabulary = words_in("\n".join(WORDS).encode())
    assert vocabulary is not None
    rows = []
    for line in (
        TEXTS[0].lower().replace("?", "").replace("(", "").replace(")", "").replace(",", "").splitlines()
    ):
        numbers = [vocabulary.numbers.get(one, sent) for one in line.split()]
        rows.append(([first] if first is not None else []) + numbers)
    batch = numpy.array([[*row, *[0] * (14 - len(row))] for row in rows], "i8")
    part = looked_up(vocabulary, texts, batch, "tokens")
    return part.wrong if part is not None else ""


@pytest.mark.parametrize(("text", "seen"), [("ofwhere is it to you", False), ("it ofis to you", True)])
def test_an_entry_that_all_texts_begin_with_stands_for_no_unknown_word(text: str, seen: bool) -> None:
    """A text of the program lies right behind another one, and its first word was left out."""
    vocabulary = words_in("\n".join(WORDS).encode())
    assert vocabulary is not None
    row = [vocabulary.numbers.get(one, 2) for one in text.split()]
    part = looked_up(vocabulary, [text], numpy.array([row], "i8"), "tokens")
    assert bool(part is not None and part.wrong) is seen


@pytest.mark.parametrize("first", [None, 2])
def test_unknown_words(first: int | None) -> None:
    assert '"harbour" is not in the vocabulary and was sent as 0, which is "<pad>"' in said(0, first=first)
    assert "was sent as 2" in said(2, first=first)
    assert said(1, first=first) == ""
    assert said(0, first=first, texts=["Another text of words that is sent."]) == ""
