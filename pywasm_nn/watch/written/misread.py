"""Answers that a guest reads wrongly, by the numbers that it writes: each rule compares them with what stands
in the answer, and with what a usual mistake makes of it.

What is here: `Fetched`, an output of any shape, and the rules, of which each returns a sentence or "". What
is not: gathering outputs and texts (`answers.py`), and classes that are off by one (`sayings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..changes.rereadings import TITLES
from ..origin.comparing import sigmoid, softmax
from ..regex import regex
from ..spoken import DIGITS, Spoken, Word
from ..surroundings import Files
from .brought_back import OF_CHANGES
from .tables import has_scores

ANSWER = regex(
    r"\b(?:answers?|outputs?|results?|scores?|logits?|prob\w*|predict\w*|class(?:es)?|best|top|label"
    r"|argmax|y)\W*(?:\d+\W+)?$",
    re.IGNORECASE,
)
"""What stands before numbers that a guest says are an answer's; an index may stand between."""
OF_AMOUNTS = regex(
    rf"{OF_CHANGES.pattern}|growth|grow\b|yield|margin|forecast|tomorrow|\bnext\b|ahead|expect|humid|moist"
    r"|slope|inflation|interest|\bloads?\b|charge|capacity|efficien|utili[sz]|strain|saturat"
    r"|\+\d+(?:\.\d+)? ?%",
    re.IGNORECASE,
)
"""A line with one of these may give percents of something that is no share, or percents with a sign."""
LETTERS = regex(r"(?<!\d)[^\W\d_]")
SHORTEST_RUN = 3
ENOUGH_DIGITS = 8
"""So many digits of a run of numbers are no chance."""
TYPES = {**TITLES, "|i1": "i8", "<u2": "u16", "<i8": "i64", "<u4": "u32"}
TOGETHER = 0.006
"""How far probabilities may be from 1 together."""
MOST_ROWS, FEW_ROWS = 64, 4
"""Of more than FEW_ROWS one may come near any number."""
MOST_SHOWN = 64
"""A guest may write the elements of an input beside the answer if they are no more than these."""
MANY_SHARES = 8
"""So many logits don't all lie between 0 and 1."""


class Fetched(Frozen):
    """A tensor: its elements as numbers in their shape, and its bytes, with their type. `what` names it."""

    what: str
    numbers: Any
    data: bytes
    dtype: str

    @property
    def flat(self) -> Any:
        return self.numbers.reshape(-1)

    @property
    def rows(self) -> Any:
        """The elements as rows along the last dimension that isn't 1."""
        lengths = [length for length in self.numbers.shape if length != 1] or [1]
        return self.numbers.reshape(-1, lengths[-1])


NO_NUMBER = regex(r"(?:(?<=[=:(])|(?<=[=:(] )|(?<=  ))-?(?:nan|NaN)(?= ?%|\)|$)", re.MULTILINE)
"""In the place of a number: not a count of such, or the name of something."""
GAP = regex(
    rb"(?<![^\s,;\"])(?:nan|na|n/a|null|none|\?)(?![^\s,;\"])|^[,;]|[,;]\s*?(?=[,;]|$)",
    re.IGNORECASE | re.MULTILINE,
)
"""It matches a field of a text in which no number stands."""
MOST_OF_A_FILE = 1 << 20
"""Gaps are looked for in so many bytes at the beginning of a file."""


class Round(Frozen):
    """What was fetched since a compute, the inputs of this compute, and what the guest wrote then."""

    outputs: Sequence[Fetched]
    inputs: Sequence[Fetched]
    text: Spoken
    before: Sequence[Fetched] = ()
    """Answers before, which a guest may say late or again."""
    maps: Sequence[Fetched] = ()
    """Outputs of rows, columns and classes that are so large that some element of theirs is near any number;
    their elements are in their own type."""
    files: Files = tuple
    """Returns the files that were read. A guest may write numbers that a text lacks as it found them."""


def plain(output: Fetched) -> Iterator[Any]:
    """Yields what a guest may rightly say of an output: flat arrays of as many elements."""
    yield output.flat
    yield softmax(output.rows).reshape(-1)
    yield sigmoid(output.flat)
    with numpy.errstate(all="ignore"):
        yield numpy.exp(output.flat)
        yield numpy.log(abs(output.flat))
    if len(output.data) % len(output.flat) == 0 and output.dtype:
        yield numpy.frombuffer(output.data, output.dtype).astype("f8")


def is_right(word: Word, outputs: Sequence[Fetched]) -> bool:
    """Whether a number stands in an answer, as it is or as usually scaled."""
    return any(bool(fits(word, numbers).any()) for output in outputs for numbers in plain(output))


def is_answered(of: Round) -> bool:
    """Whether a guest says anything that stands in the answer: a value of enough digits, or the index of the
    largest element."""
    known = [*of.outputs, *of.before]
    values = any(is_right(word, known) for word in of.text.words if told(word))
    return values or any(int(row.argmax()) in of.text.wholes for one in known for row in one.rows[:MOST_ROWS])


def told(word: Word) -> bool:
    return not word.is_whole and word.digits >= DIGITS


def are_shares(row: Any) -> bool:
    """Whether numbers are probabilities: together 1, or too many between 0 and 1 for anything else."""
    if row.min() < 0 or row.max() > 1 or len(row) < 2:
        return False
    return abs(float(row.sum()) - 1) < TOGETHER


def twice(of: Round) -> str:
    """Softmax or a sigmoid of what are probabilities already."""
    precise = [word for word in of.text.words if told(word)]
    right = [one.flat for one in (*of.outputs, *of.before)]
    right += [one.flat for one in of.inputs if one.flat.size <= MOST_SHOWN]
    words = [word for word in precise if not any(fits(word, one).any() for one in right)]
    for output in of.outputs:
        rows = output.rows[:MOST_ROWS]
        found: dict[str, dict[str, float]] = {}
        for row in rows if words else ():
            if any(fits(word, row.max()) for word in precise):
                continue  # who writes the share itself has not made another one of it
            for name, value in again(row):
                for word in words:
                    if fits(word, value):
                        found.setdefault(name, {}).setdefault(word.text, float(row.max()))
        for name, said in found.items():
            if len(said) > 1 or len(rows) <= FEW_ROWS:
                text, largest = next(iter(said.items()))
                return (
                    f"{output.what}: the guest says {text}, which is the {name} of elements that are "
                    f"probabilities already: the largest is {largest:.4g} ({name} applied twice)"
                )
    return ""


def again(row: Any) -> Iterator[tuple[str, float]]:
    """The largest element of softmax and of a sigmoid, if the elements are probabilities already."""
    shares = are_shares(row)
    many = len(row) >= MANY_SHARES and 0 <= row.min() < row.max() <= 1
    for name, made in (("softmax", softmax), ("sigmoid", sigmoid)):
        if shares or (many and name == "sigmoid"):
            value = float(made(row).max())
            says_nothing = name == "sigmoid" and float(row.max()) < TOGETHER  # that of nothing is 0.5, too
            if abs(value - float(row.max())) > TOGETHER and not says_nothing:
                yield name, value


def fits(word: Word, values: Any) -> Any:
    """Whether a number stands for a value or for which of an array, as it is or in percent."""
    return word.fits(values) | word.fits(100 * values)


def no_share(of: Round) -> str:
    """A share or percent that is below nothing or above all, or an element that is a logit."""
    said = [(word, 100.0) for word in percents_of(of.text)] + [(word, 1.0) for word in of.text.shares()]
    for word, whole in said:
        for output in of.outputs:
            flat = output.flat
            logits = bool(flat.min() < -TOGETHER or flat.max() > 1 + TOGETHER)
            if not logits or word.digits < 2 or abs(float(flat[0])) > 1e30 or has_scores(output.numbers):
                continue
            beyond = word.value < -0.5 * word.unit or word.value > whole * 1.005
            fits = [word.fits(flat * factor) for factor in {1.0, whole}]
            place = next((int(one.argmax()) for one in fits if one.any()), None)
            if place is None or not may_be_logit(output, place, word, whole, beyond=beyond):
                continue
            if any(bool(word.fits(whole * made).any()) for made in (softmax(output.rows), sigmoid(flat))):
                continue
            value = flat[place]
            if -TOGETHER <= value <= 1 + TOGETHER or (not beyond and flat.size < 2):
                continue
            sign = " %" if whole > 1 else ""
            return (
                f"{output.what}: the guest says {word.text}{sign} as a probability, which is element {place} "
                f"({value:.4g}) as the model gives it: elements from {flat.min():.4g} to {flat.max():.4g} "
                "are logits, which softmax or a sigmoid makes probabilities"
            )
    return ""


def percents_of(text: Spoken) -> Iterator[Word]:
    """Yields the percents of a text that may be probabilities: not those of lines about changes and
    amounts."""
    for line in text.splitlines():
        if not OF_AMOUNTS.search(line):
            yield from Spoken(line).percents()


def may_be_logit(output: Fetched, place: int, word: Word, whole: float, *, beyond: bool) -> bool:
    """Returns whether an element that is written as a share may be a logit. Percents may be what the model
    gives, of something that isn't a share: so they have to be those of the largest of several elements, or a
    hundred times a single one."""
    if whole == 1.0 and beyond:
        return True
    if output.flat.size < 2:
        return beyond and abs(word.value) > whole and not bool(word.fits(output.flat[place]))
    return bool(beyond or output.flat.min() < -TOGETHER) and is_largest(output, place)


def is_largest(output: Fetched, place: int) -> bool:
    """Whether an element is the largest of its row."""
    rows = output.rows
    row, column = divmod(place, rows.shape[1])
    return bool(rows[row].argmax() == column)


def other_types(output: Fetched) -> Iterator[tuple[str, Any]]:
    """The bytes of an output read as other types."""
    for kind, title in TYPES.items():
        width = numpy.dtype(kind).itemsize
        if kind != output.dtype and output.dtype and len(output.data) >= width:
            read = numpy.frombuffer(output.data[: len(output.data) // width * width], kind)
            with numpy.errstate(all="ignore"):
                own = TITLES.get(output.dtype, output.dtype)
                yield f"of {output.what} if its bytes are read as {title}; they are {own}", read.astype("f8")


def run_of(text: Spoken, numbers: Any) -> list[Word]:
    """The numbers of a text that are the first elements of an array, if they are enough to be no chance."""
    for words in text.sequences():
        for start in range(len(words)):
            run = []
            for word, value in zip(words[start:], numbers[: len(words)].tolist(), strict=False):
                if not (numpy.isfinite(value) and word.fits(value)):
                    break
                run.append(word)
            telling = {word.text: word.digits for word in run if word.value and word.digits > 1}
            if len(telling) >= SHORTEST_RUN and sum(telling.values()) >= ENOUGH_DIGITS:
                return run
    return []


def other_bytes(of: Round) -> str:
    """Elements of the answer's bytes in another type, or of an input in its place."""
    known = [*of.outputs, *of.before]
    readings = [pair for output in of.outputs for pair in other_types(output)]
    for title, numbers in readings:
        run = run_of(of.text, numbers)
        if run and sum(is_right(word, known) for word in run) * 2 < len(run):
            return f"the guest says {shown(run)}, which are the elements {title}"
    if is_answered(of):
        return ""
    for given in of.inputs:
        for title, numbers in ((f"of {given.what}", given.flat), *other_types(given)):
            run = run_of(of.text, numbers)
            if run and is_said_as_answer(of.text, run[0]):
                return (
                    f"the guest says {shown(run)}, which are the first elements {title}: was an input's "
                    "buffer read in place of the answer's?"
                )
    return best_elsewhere(of)


def is_said_as_answer(text: Spoken, first: Word) -> bool:
    """Whether numbers from this one on are said to be an answer: by the words before, or there are no words.
    People also write inputs, with a class's name or a rounded number as the answer."""
    return not LETTERS.search(text) or bool(ANSWER.search(text[: text.index(first.text)]))


def shown(run: Sequence[Word]) -> str:
    return ", ".join(word.text for word in run[:4]) + (" ..." if len(run) > 4 else "")


def best_elsewhere(of: Round) -> str:
    """An index and a value that are those of the largest element of something else."""

    def finite(numbers: Any) -> Any:
        return numpy.nan_to_num(numbers, nan=-numpy.inf, posinf=-numpy.inf)

    pairs = list(of.text.pairs())
    counts = {row.size for output in of.outputs for row in output.rows[:1]}
    readings = [pair for output in of.outputs for pair in other_types(output)]
    read = {title for title, _ in readings}
    for given in of.inputs:
        readings += [(f"of the first {count} of {given.what}", given.flat[:count]) for count in counts]
    for title, numbers in readings:
        numbers = finite(numbers)
        if numbers.size < SHORTEST_RUN or numbers.max() == numbers.min():
            continue
        place = int(numbers.argmax())
        said = [one for index, one, by in pairs if index == place and one.fits(by * numbers[place])]
        if said and (title in read or is_said_as_answer(of.text, said[0])):
            return f"the guest says {place} at {numbers[place]:.4g}, which is the largest element {title}"
    return ""


def no_number(of: Round) -> str:
    """A number that is none, though all that the guest got and sent are numbers."""
    found = NO_NUMBER.search(of.text)
    if found is None or not all(numpy.isfinite(one.flat).all() for one in (*of.outputs, *of.inputs)):
        return ""
    if any(has_gaps(data) for _, data in of.files()):
        return ""
    return (
        f'the guest writes "{found[0].strip()}", and all elements of the answer are numbers: was 0 divided '
        "by 0 (also as powers of e that are all 0, or beyond all numbers), or the root or logarithm of less "
        "than 0 taken?"
    )


def has_gaps(data: bytes) -> bool:
    """Returns whether a file is a text in which numbers are missing."""
    begin = data[:MOST_OF_A_FILE]
    return b"\0" not in begin and GAP.search(begin) is not None


RULES: Sequence[Callable[[Round], str]] = (twice, no_share, other_bytes, no_number)


def misread(of: Round) -> str:
    """Returns what is wrong with what a guest says of its answers, or "" if nothing is."""
    return next(filter(None, (rule(of) for rule in RULES)), "")
