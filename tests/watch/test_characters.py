"""Capitals that are not in the alphabet of a model of characters: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.following import Origins
from tests.watch.test_false_alarms import reads

SMALL = " abcdefghijklmnopqrstuvwxyzäöüß'-.,?"
CAPITALS = SMALL.replace("ß", "").upper()
TEXT = "Wählen Sie einen Wert aus, oder LÖSCHEN SIE DAS FELD.\n"


def sent(
    text: str, alphabet: str, *, first: int = 1, unknown: int | None = 0, before: Sequence[int] = ()
) -> Tensor:
    """The numbers of a text's characters, unknown ones as one number or left out, and padding."""
    ids = [first + alphabet.index(one) if one in alphabet else unknown for one in text.strip()]
    row = [*before, *(one for one in ids if one is not None), *[0] * 80][:80]
    return Tensor.from_numpy(numpy.array([row], "i8"))


def wrong(tensor: Tensor, alphabet: str = SMALL, text: str = TEXT) -> str:
    origins = Origins()
    for number, (name, data) in enumerate((("alphabet.txt", alphabet), ("a.txt", text))):
        for event in reads(data.encode(), name, 5 + number):
            origins.host_call(event)
    found = origins.of(tensor)
    return found.wrong if found is not None else ""


@pytest.mark.parametrize("first", [0, 1, 4])
@pytest.mark.parametrize("unknown", [None, 0, 1, 70])
@pytest.mark.parametrize("before", [(), (2,)])
@pytest.mark.parametrize("alphabet", [SMALL, "\n".join(SMALL[1:]) + "\n"])
def test_capitals_that_are_in_no_alphabet(
    first: int, unknown: int | None, before: Sequence[int], alphabet: str
) -> None:
    kept = SMALL if alphabet is SMALL else alphabet[::2]
    said = wrong(sent(TEXT, kept, first=first, unknown=unknown, before=before), alphabet)
    assert "made lower case" in said and f"became {'nothing' if unknown is None else 'one number'}" in said
    right = sent(TEXT.lower(), kept, first=first, unknown=unknown, before=before)
    assert "case" not in wrong(right, alphabet)


def test_small_letters_that_are_in_no_alphabet() -> None:
    assert "made upper case" in wrong(sent(TEXT, CAPITALS), CAPITALS)
    assert wrong(sent(TEXT.upper(), CAPITALS), CAPITALS) == ""


def test_a_single_capital_that_was_made_lower_case() -> None:
    text = "Sie kommen morgen wieder"
    assert wrong(sent(text.lower(), SMALL), text=text) == ""
    assert "1 of the 24 characters" in wrong(sent(text, SMALL), text=text)


def test_other_characters_and_masks() -> None:
    text = TEXT.lower() + "3 + 4"
    assert wrong(sent(text, SMALL), text=text) == "", "digits are in no alphabet by design"
    mask = numpy.array([[1] * len(TEXT) + [0] * 20], "i8")
    assert wrong(Tensor.from_numpy(mask)) == ""
    both = SMALL + CAPITALS[1:30]
    assert wrong(sent(TEXT, both), both) == ""
