"""Texts whose words go to another of several models than the one that knows them.

What is here: `OtherVocabulary`, for guests that read several vocabularies, as those of two languages. It says
that nearly all words of the texts that a model gets are unknown, where another vocabulary has them; and that
a model gets the numbers of a vocabulary that is named after another one. What is not: words of one vocabulary
that are looked up wrongly (`origin.vocabulary`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations, product
from pathlib import Path

from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, Said, inputs_of
from ..origin import Origins
from ..origin.unknown_words import readings
from ..origin.vocabulary import OTHERS, UNKNOWN, words_in
from ..origin.wordings import pieces
from ..regex import regex
from ..surroundings import text_in

FEWEST_WORDS, FEWEST_TEXTS, MOST_TEXTS = 3, 2, 64
"""Words of a text, and texts that a model gets, of which fewer are by chance, and how many are kept."""
MOST_ELEMENTS, MOST_LISTS, MOST_LINES, MOST_TEXT = 512, 6, 512, 1 << 16
LACKS, HAS, MORE = 0.7, 0.8, 0.3
"""At most this part of a text's words are in a vocabulary that is not the text's; at least this part are in
the right one, and by so much more: two vocabularies of one language share small words."""
MOST_BEFORE = 1
"""Entries that may stand before the first word, such as [CLS]."""
PART = regex(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


class Words(Frozen):
    """A vocabulary that was read: the numbers of its words, and the one of unknown words."""

    file: str
    numbers: Mapping[str, int]
    unknown: int | None


class Looked(Frozen):
    """A text whose words an input has by the numbers of a vocabulary, and which part of them are known."""

    text: str
    list: Words
    known: float


Looks = Sequence[Looked]
"""All texts, in all vocabularies, whose numbers an input may be."""


class OtherVocabulary(Follower):
    """Keeps the numbers that models get, and compares them when the guest has ended."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._names: dict[int, str] = {}
        """By graph, what its model is called."""
        self._rows: dict[int, list[tuple[int, ...]]] = {}
        """By graph, the different inputs of whole numbers."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        graph = event.graph_id
        if event.error is not None or graph is None:
            return
        if event.operation.startswith("load"):
            self._names[graph] = " ".join(self._origins.names_of(event.model, event.parts))
        for _, spec, tensor in inputs_of(event):
            if any(one in spec.name.lower() for one in OTHERS):
                continue
            numbers = tensor.numbers() if tensor.size <= 8 * MOST_ELEMENTS else None
            if numbers is None or numbers.dtype.kind not in "iu" or not numbers.size >= FEWEST_WORDS:
                continue
            row, kept = tuple(numbers.reshape(-1).tolist()), self._rows.setdefault(graph, [])
            if row not in kept and len(kept) < MOST_TEXTS and len({*row}) > 1:
                kept.append(row)

    def finish(self) -> Iterator[Said]:
        """Returns hints."""
        if len(self._names) < 2 or not self._rows:
            return
        files = self._origins.files()
        lists = [*islice(vocabularies(files), MOST_LISTS)]
        if len(lists) < 2:
            return
        known = {one.file for one in lists}
        texts = [
            text for name, data in files if name not in known and (text := text_in(data, MOST_LINES << 7))
        ]
        lines = [*islice(dict.fromkeys(pieces([*texts, *self._origins.arguments])), MOST_LINES)]
        looked = {
            graph: found
            for graph, rows in self._rows.items()
            if len(found := [every_look(row, lists, lines) for row in rows]) >= FEWEST_TEXTS and all(found)
        }
        said = named_after_other(looked, lists, self._names) or unknown_here(looked, lists)
        if said:
            yield "origin", said


def vocabularies(files: Sequence[tuple[str, bytes]]) -> Iterator[Words]:
    """The vocabularies among the files that were read."""
    for name, data in files:
        if (found := words_in(data)) is not None:
            unknown = next((found.numbers[one] for one in UNKNOWN if one in found.numbers), None)
            yield Words(name, found.numbers, unknown)


def every_look(row: Sequence[int], lists: Sequence[Words], lines: Sequence[str]) -> Looks:
    """Returns of which texts an input may have the numbers, in which vocabularies."""
    return [one for words in lists for line in lines if (one := looked_up(row, words, line)) is not None]


def looked_up(row: Sequence[int], words: Words, text: str) -> Looked | None:
    """Returns which part of a text's words are known, if an input has their numbers in a vocabulary and
    nothing else but padding, or None if it hasn't."""
    for reading in readings(text):
        wanted = [words.numbers.get(one, words.unknown) for one in reading]
        if len(wanted) < FEWEST_WORDS or None in wanted:
            continue
        for begins in range(MOST_BEFORE + 1):
            own = [*row[begins : begins + len(wanted)]]
            behind = row[begins + len(wanted) :]
            if own == wanted[: len(own)] and len(own) >= FEWEST_WORDS and len({*behind[1:]}) <= 1:
                known = sum(one in words.numbers for one in reading) / len(reading)
                return Looked(text.strip(), words, known)
    return None


def share_of(words: Words, text: str) -> float:
    """The largest part of a text's words that a vocabulary has."""
    return max(sum(one in words.numbers for one in found) / max(1, len(found)) for found in readings(text))


def is_of_other(text: str, own: Words, other: Words) -> bool:
    """Whether far more words of a text are in another vocabulary than in its own."""
    return share_of(other, text) >= max(HAS, share_of(own, text) + MORE)


def unknown_here(looked: Mapping[int, Sequence[Looks]], lists: Sequence[Words]) -> str:
    """Returns a hint about a model whose texts have hardly a word that its vocabulary knows, where another
    one has them, or "" if there is none. A text that the other one's model gets, too, is asked of both."""
    for graph, looks in looked.items():
        if any(one.known > LACKS for found in looks for one in found):
            continue
        elsewhere = {
            one.text for other, more in looked.items() if other != graph for found in more for one in found
            if one.known >= HAS
        }  # fmt: skip
        for own, other in permutations(lists, 2):
            texts = [[one.text for one in found if one.list is own] for found in looks]
            suiting = [next((one for one in each if is_of_other(one, own, other)), "") for each in texts]
            if not all(suiting) or elsewhere & {*suiting}:
                continue
            return (
                f'{own.file} has {share_of(own, suiting[0]):.0%} of the words of "{suiting[0]}", and '
                f"{other.file} {share_of(other, suiting[0]):.0%}; so it is with all {len(looks)} texts that "
                f"graph {graph} got: is a text given to the model and the vocabulary of another language or "
                "subject?"
            )
    return ""


def named_after_other(
    looked: Mapping[int, Sequence[Looks]], lists: Sequence[Words], names: Mapping[int, str]
) -> str:
    """Returns a hint about a model that gets the numbers of a vocabulary that has another model's name, where
    one with its own was read, too, or "" if there is none."""
    parts = {graph: parts_of(name) for graph, name in names.items()}
    for (graph, looks), (own, other) in product(looked.items(), permutations(lists, 2)):
        known = [[one for one in found if one.known >= HAS] for found in looks]
        if not all(known) or any(one.list is not other for found in known for one in found):
            continue
        rival = next((one for one in parts if is_pair(parts[graph], parts[one], own, other)), None)
        if rival is not None:
            return (
                f'the words of "{known[0][0].text}" are sent to "{names[graph].strip()}" by the numbers of '
                f'{other.file}, and there are {own.file} and a model "{names[rival].strip()}": are the '
                "models, or their vocabularies, exchanged?"
            )
    return ""


def is_pair(model: set[str], rival: set[str], own: Words, other: Words) -> bool:
    """Whether a vocabulary is named after a model and another one after its rival, by parts of names that
    only one of the two models has."""
    mine, theirs = model - rival, rival - model
    of_own, of_other = parts_of(Path(own.file).stem), parts_of(Path(other.file).stem)
    return bool(mine & of_own and theirs & of_other) and not (mine & of_other or theirs & of_own)


def parts_of(name: str) -> set[str]:
    """The words and numbers of a name, in small letters."""
    return {one.lower() for one in PART.findall(name)}
