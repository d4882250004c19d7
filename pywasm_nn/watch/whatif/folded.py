"""Letters that were made other ones before they were sent (final letters of Hebrew and Greek), though they
have numbers of their own.

What is here: `folded`. Where letters are numbered as in Unicode, one that was folded leaves a number free;
and the model is surer of the letters as they stand. What is not: capitals (`origin.characters`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..origin.wordings import pieces
from .asking import MOST
from .backwards import LONG, MOST_TEXTS, begin_at, is_one_for_each, letters_of, surenesses

FOLDED = {chr(one): chr(one + 1) for one in (0x05DA, 0x05DD, 0x05DF, 0x05E3, 0x05E5, 0x03C2)}
"""Letters at the end of a word (kaf, mem, nun, pe, tsadi, sigma), and those elsewhere, which come next."""
FEWEST, MOSTLY = 4, 0.7
"""So many letters have numbers as in Unicode, and such a part of all."""
SURER, LESS_DOUBT = 0.002, 0.8
"""By how much a model is surer of the letters as they stand than as sent, and how much of the doubt is left.
It is also surer of them than of other letters there: programs that fold letters on purpose leave numbers
free, of which a model knows nothing."""
SHOWN = 24


def folded(
    graph: Graph,
    inputs: Sequence[Tensor],
    files: Sequence[tuple[str, bytes]],
    seconds: float,
    most: float = MOST,
) -> str | None:
    """A sentence if an input has the numbers of other letters for some, and the model is surer of their own.
    Raises NNError."""
    texts = [data.decode("utf-8", "replace") for _, data in files if b"\0" not in data]
    likely = [one for one in texts if {*one} & {*FOLDED}]
    for index, given in enumerate(inputs if likely else ()):
        row = letters_of(given)
        for text in islice(pieces(likely), MOST_TEXTS) if row else ():
            made, letters = unfolded(text, row)
            if not letters:
                continue
            other = [one if one == two else one - 1 for one, two in zip(made, row, strict=True)]
            sent, own, control = surenesses(graph, inputs, index, [made, other], seconds, most)
            if own >= max(sent, control) + SURER and 1 - own <= LESS_DOUBT * (1 - sent):
                first = letters[0]
                return (
                    f'input {index} "{graph.inputs[index].name}": "{first}" of "{text[:SHOWN]}" was sent as '
                    f'"{FOLDED[first]}", and all letters have numbers as in Unicode, with one left free for '
                    f'"{first}"; the model is surer of the letters as they stand ({own:.3f} against '
                    f"{sent:.3f} on average)"
                )
            return None
    return None


def unfolded(text: str, row: Sequence[int]) -> tuple[list[int], list[str]]:
    """Returns the numbers of a text with those of its own letters, and the letters that were folded, or [] if
    none were, or if the numbers are those of another text."""
    for begins in begin_at(text, len(row)) if len(text) >= LONG else ():
        own = row[begins : begins + len(text)]
        if not is_one_for_each(text, own):
            continue
        known = {
            one: number for one, number in zip(text, own, strict=True) if one.isalpha() and not one.isascii()
        }
        shifts = Counter(number - ord(one) for one, number in known.items())
        shift, count = shifts.most_common(1)[0] if shifts else (0, 0)
        letters = [one for one in known if one in FOLDED and known[one] - shift == ord(FOLDED[one])]
        if not letters or count < FEWEST or count < MOSTLY * len(known):
            continue
        made = [*row]
        for place, one in enumerate(text):
            if one in letters:
                made[begins + place] = ord(one) + shift
        return made, letters
    return [], []
