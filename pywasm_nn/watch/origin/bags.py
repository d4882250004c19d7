"""How an input came from the counts of a text's words: a number for each word of a list that the guest read.

What is here: `lexicon_in`, which reads words, perhaps with a weight each (idf), and `counted_in`. What is
not: numbers of words one after the other (`vocabulary.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..regex import regex
from .tables import Part
from .vocabulary import SPECIAL, UNKNOWN
from .wordings import pieces

MOST_TEXT = 4 << 20
FEWEST, MOST = 20, 1 << 16
"""Words of a list."""
FEWEST_COUNTED = 3
"""Fewer words of a text may be counted by chance."""
MOST_TEXTS = 40
WORD = regex(r"[^\W_]+(?:'[^\W_]+)?")
ENTRY = regex(r"(\S+)[ \t,;:]+(-?\d+(?:\.\d+)?(?:[eE]-?\d+)?)\s*")
TURNED = regex(r"(?P<number>-?\d+(?:\.\d+)?(?:[eE]-?\d+)?)[ \t,;:]+(?P<word>[^\W\d]\S*)\s*")
"""A word's line with its number, behind it or in front."""
NEAR = 1e-4
NEARLY_ALL = 0.75
CAPITALS = "words with capitals are not counted: were they not made lower case?"
SHOWN = 3
FEWEST_OTHERWISE = 3
"""So many words of a list with capitals, or with marks, say that texts are to keep theirs."""


class Lexicon(Frozen):
    """Words in the order of their elements, and the weight of each as an array; None if there are none."""

    words: dict[str, int]
    weights: Any

    def keeps(self, left: Callable[[str], str]) -> bool:
        """Whether several words have what is taken off others: the texts that were counted for the list kept
        it, too."""
        words = (one for one in self.words if not SPECIAL.fullmatch(one))
        return sum(one != left(one) for one in words) >= FEWEST_OTHERWISE

    def __str__(self) -> str:
        return f"{len(self.words)} words"


def lexicon_in(data: bytes) -> Lexicon | None:
    """A list of words in the bytes of a file, one in each line, perhaps with a number behind or before it."""
    if not 0 < len(data) <= MOST_TEXT or b"\0" in data[:4096]:
        return None
    lines = data.decode("utf-8", "replace").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if not FEWEST <= len(lines) <= MOST:
        return None
    turned = [TURNED.fullmatch(line.strip()) for line in lines]
    if all(turned):
        lines = [f"{one['word']} {one['number']}" for one in turned if one is not None]
    found = [ENTRY.fullmatch(line.strip()) for line in lines]
    words = [match[1] if match else line.strip() for match, line in zip(found, lines, strict=True)]
    if len({*words}) < len(words) or any(" " in word for word in words):
        return None
    numbers = [float(match[2]) for match in found if match]
    weights = numpy.array(numbers) if len(numbers) == len(words) else None
    if numbers and (weights is None or (weights == numpy.round(weights)).all() or weights.min() <= 0):
        return None  # numbers of the words, or their counts in another text
    return Lexicon({word: number for number, word in enumerate(words)}, weights)


def counted_in(lexicon: Lexicon, texts: Sequence[str], array: Any) -> Part | None:
    """Returns which text's words an input counts, and what is wrong with that, or None if it counts
    none's."""
    flat = array.reshape(-1)[: len(lexicon.words)].astype("f8")
    if array.shape[-1:] != (len(lexicon.words),) or not numpy.isfinite(flat).all():
        return None
    if (flat != 0).sum() < FEWEST_COUNTED:
        return None
    before = numpy.zeros(len(flat))
    for text in list(pieces(texts))[:MOST_TEXTS]:
        counts = count(lexicon, WORD.findall(text.lower()))
        if (counts > 0).sum() < FEWEST_COUNTED:
            continue
        others = [*unknown_ones(lexicon, text, flat)]
        for wrong, by, made in readings(lexicon, text, counts, before):
            ways = (scaled(one, flat, made + more) for one in weighted(lexicon, by) for more in others)
            said = next((one for one in ways if one is not None), None)
            if said is not None:
                start = " ".join(text.split()[:4])
                return Part(f'counts of the words of "{start} ..."', wrong or said)
        if wrong := capitals_left(lexicon, text, flat):
            return Part(f'counts of the words of "{" ".join(text.split()[:4])} ..."', wrong)
        if text not in texts:
            before = before + counts
    return None


def capitals_left(lexicon: Lexicon, text: str, flat: Any) -> str:
    """Returns a hint if words that are written with capitals alone are not counted, and nearly all others
    are, whatever ends words, or "" if that is not so."""
    if lexicon.keeps(str.lower):
        return ""
    words = {*WORD.findall(text)}
    plain = {lexicon.words[one] for one in words if one in lexicon.words}
    lower = {one.lower() for one in words}
    missed = {lexicon.words[one] for one in lower if one in lexicon.words} - plain
    counted = {*flat.nonzero()[0].tolist()} - {unknown_place(lexicon)}
    if len(missed) < FEWEST_COUNTED or len(counted) < FEWEST_COUNTED or not counted <= plain:
        return ""
    return CAPITALS if len(counted) >= NEARLY_ALL * len(plain) else ""


def count(lexicon: Lexicon, words: Sequence[str]) -> Any:
    counts = numpy.zeros(len(lexicon.words))
    for word in words:
        if (place := lexicon.words.get(word)) is not None:
            counts[place] += 1
    return counts


def unknown_place(lexicon: Lexicon) -> int:
    """The element of words that the list lacks, -1 if there is none."""
    return next((lexicon.words[one] for one in UNKNOWN if one in lexicon.words), -1)


def unknown_ones(lexicon: Lexicon, text: str, flat: Any) -> Iterator[Any]:
    """What may be added to the counts of words: nothing, and how many the list lacks, of which guests count
    more or fewer as they take words apart."""
    yield numpy.zeros(len(flat))
    place = unknown_place(lexicon)
    if place >= 0 and flat[place] > 0:
        lacking = sum(one not in lexicon.words for one in WORD.findall(text.lower()))
        own = float(flat[place])
        for number in {float(lacking), own if own == int(own) else float(lacking)}:
            more = numpy.zeros(len(flat))
            more[place] = number
            yield more


def moves(lexicon: Lexicon) -> dict[int, str]:
    """By how many places all counts may be moved, and what is said of it: one, or as many as the list has
    entries before its words. Weights may have been multiplied before that or behind it."""
    entries = [*takewhile(SPECIAL.fullmatch, lexicon.words)]
    found = {
        1: "each word is counted at the place behind its own",
        -1: "each word is counted at the place before its own",
    }
    if len(entries) not in (0, 1, len(lexicon.words)):
        before = f"the {len(entries)} entries before the words ({', '.join(entries[:SHOWN])})"
        places = f"each word is counted {len(entries)} places"
        found[len(entries)] = f"{places} behind its own: are {before} counted twice?"
        found[-len(entries)] = f"{places} before its own: are {before} not counted?"
    return found


def weighted(lexicon: Lexicon, by: int) -> Iterator[Lexicon]:
    """A list of words, and with its weights moved by so many places if these aren't 0."""
    yield lexicon
    if by and lexicon.weights is not None:
        yield changed(lexicon, weights=numpy.roll(lexicon.weights, by))


def readings(lexicon: Lexicon, text: str, counts: Any, before: Any) -> Iterator[tuple[str, int, Any]]:
    """Counts as they should be, and as mistakes make them; and by how many places they are moved."""
    yield "", 0, counts
    has_capitals, has_marks = lexicon.keeps(str.lower), lexicon.keeps(without_marks)
    marks = "words with marks are not counted: were marks left on words?"
    both = "words with capitals or marks are not counted: were they left on?"
    made = [
        (CAPITALS * (not has_capitals), 0, count(lexicon, WORD.findall(text))),
        (marks * (not has_marks), 0, count(lexicon, text.lower().split())),
        (both * (not has_capitals and not has_marks), 0, count(lexicon, text.split())),
        *((wrong, by, numpy.roll(counts, by)) for by, wrong in moves(lexicon).items()),
    ]
    if before.any():
        made.append(("the counts of the texts before are still in it", 0, counts + before))
    for wrong, by, other in made:
        if (other > 0).sum() >= FEWEST_COUNTED and (other != counts).any():
            yield wrong, by, other


def without_marks(word: str) -> str:
    """The first part of a word that has no marks."""
    found = WORD.search(word)
    return word if found is None else found[0]


def scaled(lexicon: Lexicon, flat: Any, counts: Any) -> str | None:
    """Returns what is wrong with the scale of counts, "" if nothing is wrong, or None if an input isn't made
    of them."""

    def is_like(other: Any) -> bool:
        return bool(numpy.allclose(flat, other, rtol=NEAR, atol=NEAR * float(abs(other).max())))

    def unit(vector: Any) -> Any:
        return vector / float(numpy.sqrt((vector * vector).sum()))

    plain = [counts, counts / counts.sum(), unit(counts), counts / counts.max(), numpy.minimum(counts, 1)]
    plain.append(numpy.log1p(counts))
    weights = lexicon.weights
    if weights is None:
        return "" if any(map(is_like, plain)) else None
    for way in plain:
        weighted = way * weights
        if is_like(unit(weighted)):
            return ""
        if is_like(weighted):
            return ""
        if is_like(weighted * weights) or is_like(unit(weighted * weights)):
            return "the weight of each word was multiplied twice"
    if any(map(is_like, plain)):
        if (numpy.diff(weights) <= 0).all():
            return ""  # how frequent words are, by which they are sorted
        return "the list has a weight for each word (as idf), and counts were sent without it"
    return None
