"""What a guest says of an answer, compared with the answer: an index off by one, softmax applied twice,
another element type, a search that leaves elements out, the answer before.

What is here: `Sayings`, which keeps the last outputs of a model that chooses one of several classes, and what
the guest then writes to its standard output. What is not: what is wrong with inputs, and names of classes
(`classes.py`).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.quantized import dequantized
from ...records import Frozen, changed
from ..changes.rereadings import TITLES
from ..classes import CALENDAR, WITH_BACKGROUND, lists_for, other_name
from ..feedback import states
from ..follower import Follower
from ..origin.comparing import softmax
from ..regex import regex
from ..spoken import Heard, Spoken, filled_lines
from ..subjects import CLASS_WORDS, counted_things, subjects
from ..surroundings import Files
from .all_said import holds_for_all, names_in
from .from_one import first_class
from .shown import Shown

MOST_CLASSES = 1 << 17
FEWEST = 3
WHOLE = regex(r"(?<![\w.,-])\d{1,6}(?![\w]|[.,]\d)")
OTHERS = regex(r"\b(?:runner-?up|second|2nd|third|3rd|next)\b[^\d\n]{0,20}\d+", re.IGNORECASE)
"""An index that a guest writes as one that isn't the best."""
PLACED = regex(
    r"\b(?:line|row|frame|step|item|sample|record|file|no)\.? *\d+"
    r"|(?<![\w.,])\d+(?:[.,]\d+)? ?(?:s|sec|seconds?|ms|us|min|minutes?|h|Hz|kHz|px|m?V|bits?)\b",
    re.IGNORECASE,
)
"""A number that says which of many, or when."""
FROM_TO = regex(r"(?<![\w.,-])(\d{1,6})(?:[-\u2013]| *\.{2,3} *| +to +)(\d{1,6})(?![\w-]|[.,]\d| ?%)")
"""It matches a range, such as the seconds of a window, if the first number is the smaller one."""
PART = regex(r"(?<![\w.,-])\d{1,3} ?(?:%|per ?cent\b)")
"""A whole number of percents: no class."""
HEAD = regex(r"\d:[ \t]*$")
"""The end of a line that heads others, whose number says of which thing they are."""
SIDES = regex(r"\b(?:left|top|right|bottom|width|height)\b\W{0,3}-?\d+(?:\.\d+)?(?![\w]|\.\d)", re.IGNORECASE)
"""The sides of boxes, which stand together."""
NUMBERED = regex(r"^ *(\d{1,6})[:.)](?=\s)", re.MULTILINE)
"""A number that a line begins with."""
LISTED = regex(r"^ *(\d{1,6})(?:[:.)](?=\s)|[;,|\t])", re.MULTILINE)
"""The same, also as the first of several fields."""
ORDINAL = regex(
    rf"^ *(?!(?:{CLASS_WORDS})\b)[^\W\d_]{{3,}} #?(\d{{1,6}})(?= [^\W\d]{{2}})", re.IGNORECASE | re.MULTILINE
)
"""A number behind the first word of a line, before others: of a thing, of which something is said."""
RANK = regex(r"^ *(?:(?:top|rank|place)[-. #]*|# ?)(?:10|[1-9])\b(?!\.\d)", re.IGNORECASE | re.MULTILINE)
"""A place among the surest."""
FIRSTS, MANY_LINES = (0, 1), 4
"""Lists are numbered from these, and lines of a file that leave some out by numbers that rise so often."""
MOST_TALLIED = 32
DECIMAL = regex(r"(?<![\w.])-?\d{1,6}\.\d{2,9}(?:[eE]-?\d{1,2})?(?!\d)")
LABELLED = regex(rf"\b(?:{CLASS_WORDS})\b[^\d\n]{{0,12}}?(\d{{1,6}})(?![\w]|[.,]\d)", re.IGNORECASE)
"""Whole numbers that are said to be classes."""
WORDED = regex(r"([^\W\d_]+)[\s#:=(]{1,4}(\d{1,6})(?![\w]|[.,]\d| ?%)")
"""A whole number with the word before it."""
LABEL = 32
"""Letters before a number, among which it is said to be a class."""
COUNTED = regex(r"(?<![\w.,-])(\d{1,6}) ?(?:of|/|out of) ?(\d{1,6})\b")
"""A number of things, and how many there are."""
THINGS = regex(r"^\W*\d{1,6} [a-z]+(?:s|\(s\))\W*$", re.IGNORECASE | re.MULTILINE)
"""A line that says how many things there are, below those that say an answer with its value."""
ELEMENTS = r"(?:class(?:es)?|elements?|values|numbers|scores|outputs|logits|entries|floats|labels)"
NEAR = 0.012
"""Values that a guest prints may differ by this part: elements of 8 bits are scaled in several ways."""
ROUNDED = 0.2
"""How far probabilities of 8 bits may be from 1 together: they are rounded."""
EXACT = 0.005
"""How far probabilities of more bits may be from 1 together."""
SKIPPED = 2
"""More first elements than a guest leaves out because they are the background."""
MOST_BEFORE = 8
LARGE = 10
"""A smaller index may be printed for another reason."""
MANY = 32
"""Among fewer elements of another type, the largest one has the index by chance."""


class Output(Frozen):
    """The last output of a model: its elements as numbers, its bytes, and their type."""

    index: int
    name: str
    numbers: Any
    data: bytes
    dtype: str

    @property
    def best(self) -> int:
        """The index of the largest element."""
        return int(self.numbers.argmax())

    def best_as(self, kind: str) -> int:
        """The index of the largest element of the same bytes read as another type."""
        width = numpy.dtype(kind).itemsize
        read = numpy.frombuffer(self.data[: len(self.data) // width * width], kind).astype("f8")
        return int(numpy.nan_to_num(read, nan=-numpy.inf, posinf=-numpy.inf).argmax())

    def __str__(self) -> str:
        return f'output {self.index} "{self.name}"'


"""The files that the guest read, with their bytes."""


class Sayings(Follower):
    """Follows outputs and what is written; gives a hint at the end."""

    def __init__(self, files: Files = tuple, shown: Callable[[], Shown] = lambda: Shown({})) -> None:
        """`shown` gives what copies of the guest write of other answers."""
        self._files = files
        self._shown = shown
        self._output: Output | None = None
        self._before: deque[Output] = deque(maxlen=MOST_BEFORE)
        """Answers before the last one, each of which something was said of."""
        self._unsaid: deque[Output] = deque(maxlen=MOST_BEFORE)
        """Answers before the last one behind which nothing was written: all may be written at the end."""
        self._from_one = False
        """Whether the last of few classes was said before as people count it."""
        self._beaten = False
        """Whether an answer before was said in place of a surer one."""
        self._stale = ""
        """What is wrong with the last answers, if those before were said in their place."""
        self._heard = Heard()
        self._count = 0
        """Answers."""
        self._lines: list[int] = []
        """How many lines were written behind each answer but the last one."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output") or not event.tensors:
            return
        graph = event.graph
        if graph is not None and any(event.index == one for _, one in states(graph.inputs, graph.outputs)):
            return  # a state answers nothing
        self._compare()
        if self._heard.data and self._output is not None:
            self._before.append(self._output)
            self._lines.append(len(filled_lines(self._heard.text)))
            self._from_one = self._from_one or is_counted(self._output, self._heard.text)
            self._unsaid.clear()
        elif self._output is not None:
            self._unsaid.append(self._output)
        self._heard.data.clear()
        self._output = output_of(event)
        self._count += 1

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._output is not None:
            self._heard.add(event)

    def _compare(self) -> None:
        """Compare what was said since the last answer with those before. A guest that says each answer late
        says the last one in its place at the end; one that says the best of all says no less sure one."""
        output = self._output
        if output is None or not self._heard.data:
            return
        said = Said.of(self._heard.text)
        others = [one for one in self._before if one.index == output.index and one.best != output.best]
        found = [one for one in others if says_before(output, one, said)]
        if others:
            self._stale = stale(output, found[-1]) if found else ""
        self._beaten = self._beaten or any(one.numbers.max() < output.numbers.max() for one in found)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint at the last answer, as a rule's name and its sentence."""
        self._compare()
        output, self._output = self._output, None
        if output is None or not self._heard.data:
            return
        text = self._heard.text
        shown = self._shown()
        said = Said.of(text, self._count, shown.fixed | in_summary(text, self._lines) | names_in(text))
        before = tuple([one for one in self._unsaid if one.index == output.index])
        said = changed(said, before=before, shown=shown)
        first = first_class(self._files(), len(output.numbers))
        said = changed(said, from_zero=first == 0)
        if self._from_one or first == 1:
            said = changed(said, fixed=said.fixed | {output.best + 1})
        wrong = (self._stale if self._beaten else "") or mistake(output, said)
        if not wrong:
            lists = lists_for(self._files(), len(output.numbers))
            ways = (other_name(one, output.numbers, text, said.value) for one in lists)
            wrong = next(filter(None, ways), "")
        if wrong:
            yield "answer", f"{output}: {wrong}"


def output_of(event: NNEvent) -> Output | None:
    """The output that was fetched, if it has a number for each of several classes."""
    tensor, spec = event.tensors[0], event.specs[0]
    numbers = dequantized(tensor, spec).numbers()
    lengths = [length for length in tensor.shape if length != 1]
    if numbers is None or len(lengths) != 1 or not FEWEST <= numbers.size <= MOST_CLASSES:
        return None
    if len(tensor.shape) > 1 and tensor.shape[0] != 1:
        return None  # a number for each of several inputs
    raw = tensor.numbers()
    dtype = "" if raw is None else raw.dtype.str
    flat = numbers.astype("f8").reshape(-1)
    return Output(event.index or 0, spec.name, flat, bytes(tensor.view()), dtype)


def says_before(output: Output, before: Output, said: Said) -> bool:
    """Whether a guest says index and value of an answer before, and neither of this one."""
    if output.best in said.whole or before.best not in said.whole or said.value(float(output.numbers.max())):
        return False
    return len(said.value(float(before.numbers.max())).strip("-0.")) >= 2


def is_counted(output: Output, text: str) -> bool:
    """Whether an answer that is the last of few classes is said as people count it, from 1."""
    count = len(output.numbers)
    return output.best + 1 == count < LARGE and count in Said.of(text).whole


def stale(output: Output, before: Output) -> str:
    return (
        f"the guest says {before.best} at {before.numbers.max():.4g}, which is the answer to inputs before "
        f"(stale); this answer is {output.best} ({output.numbers.max():.4g})"
    )


def in_summary(text: Spoken, before: Sequence[int]) -> frozenset[int]:
    """Whole numbers that stand only in the lines behind those of the last answer, if each answer before had
    equally many lines: what follows then is about all answers."""
    lines = filled_lines(text)
    if len(before) + 1 < FEWEST or len({*before}) > 1:
        return frozenset()
    own, rest = ("\n".join(part) for part in (lines[: before[0]], lines[before[0] :]))
    return Spoken(rest).wholes - Spoken(own).wholes


class Said(Frozen):
    """Whole numbers and decimals that a guest wrote."""

    whole: frozenset[int]
    decimals: tuple[str, ...]
    text: str = ""
    fixed: frozenset[int] = frozenset()
    """Whole numbers that don't follow the answer, as copies of the guest show, or where they stand."""
    from_zero: bool = False
    """Whether a file that was read counts the classes from 0."""
    before: tuple[Output, ...] = ()
    """Answers that may be said in the same text."""
    shown: Shown = Shown({})
    """The numbers that copies of the guest wrote for other answers."""

    def classes(self) -> frozenset[int]:
        """Whole numbers that are said to be classes, or stand alone, or in a line with a decimal; other ones
        may count anything, and so may that of a line that heads others ("viewer 12:")."""
        found = {int(word) for word in LABELLED.findall(self.text)}
        lines = [(line, WHOLE.findall(line)) for line in COUNTED.sub("", self.text).splitlines()]
        alone = [
            int(words[0])
            for line, words in lines
            if len(words) == 1
            and not PART.search(line)
            and not HEAD.search(line)
            and (DECIMAL.search(line) or sum(len(one) for _, one in lines) == 1)
        ]
        return frozenset(found) | {*alone} - rising(alone)

    @staticmethod
    def of(text: str, count: int = 0, fixed: frozenset[int] = frozenset()) -> Said:
        """The numbers in a text, without indices that aren't said to be those of the best, and others that
        aren't said to be classes: times, so many of all, and the number of the last of `count` answers."""
        text = FROM_TO.sub(lambda found: "" if int(found[1]) < int(found[2]) else found[0], text)
        text = PLACED.sub("", OTHERS.sub("", text))
        text = SIDES.sub("", text) if len(SIDES.findall(text)) > 1 else text
        rest = THINGS.sub("", text)
        text = rest if DECIMAL.search(rest) else text
        places = (count, count - 1) if count >= FEWEST else ()
        for numbered in (NUMBERED, ORDINAL):
            text = numbered.sub(lambda found: "" if int(found[1]) in places else found[0], text)
        text = unranked(text)
        text = COUNTED.sub(
            lambda found: found[0] if LABELLED.search(text[: found.end(1)][-LABEL:]) else "", text
        )
        whole = frozenset(int(word) for word in WHOLE.findall(text)) - subjects(text)
        return Said(whole, tuple(DECIMAL.findall(text)), text, fixed)

    def tallies(self, classes: int) -> bool:
        """Whether a line has a whole number for each of few classes: how often each was the answer."""
        return 2 < classes <= MOST_TALLIED and any(
            len(WHOLE.findall(line)) >= classes for line in self.text.splitlines()
        )

    def counted(self, classes: int) -> frozenset[int]:
        """Whole numbers that are said to be one of so many: people count such from 1."""
        found = re.findall(rf"(?<![\w.,-])(\d{{1,6}}) ?(?:of|/) ?{classes}\b", self.text)
        return frozenset(int(word) for word in found)

    def counts(self, size: int) -> bool:
        """Whether a text says that there are so many elements."""
        return bool(re.search(rf"\b(?:of|/) ?{size}\b|\b{size} (?:[a-z]+ )?{ELEMENTS}\b", self.text))

    def ends_with(self, number: int) -> bool:
        """Whether a number is the last thing in each of its lines, and isn't called a class: of few things
        people say so which one it is, and count from 1."""
        lines = [line for line in self.text.splitlines() if str(number) in WHOLE.findall(line)]
        return not any(LABELLED.search(line) for line in lines) and all(
            re.search(rf"\b{number}\W*$", line) for line in lines
        )

    def counts_kinds(self, number: int, classes: int) -> bool:
        """Whether a number, one behind a class of few, may be right: it stands behind a word for a kind
        ("cultivar 2"), and no file has such from 0; or one word stands before it and before the number of
        classes, which is no index. People count few kinds from 1."""
        behind: dict[str, set[int]] = {}
        for word, digits in WORDED.findall(self.text):
            behind.setdefault(word.lower(), set()).add(int(digits))
        own = [(word, numbers) for word, numbers in behind.items() if number in numbers]
        if any({number, classes} <= numbers and 0 not in numbers and number < classes for _, numbers in own):
            return True
        is_class = str(number) in LABELLED.findall(self.text)
        return bool(own) and not is_class and not self.from_zero and number < classes

    def of_all(self, wrong: Callable[[Output], int]) -> bool:
        """Whether what is said in place of the largest element is so of the answers before, too."""
        return holds_for_all(self.before, wrong, self.whole, self.value)

    def value(self, wanted: float) -> str:
        """Returns the decimal that stands for a value, as a share or in percent, or "" if none does."""
        for word in self.decimals:
            for factor in (1.0, 100.0):
                unit = 0.51 * 10 ** -len(word.partition(".")[2].lower().partition("e")[0])
                if "e" not in word.lower() and abs(float(word) - factor * wanted) <= unit:
                    return word
        return ""


def unranked(text: str) -> str:
    """A text without the numbers of its lines: of a list of the surest classes, or of all answers, of which
    the first may have been written before."""
    text = RANK.sub("", text)
    found = [int(one) for one in LISTED.findall(text)]
    is_list = len(found) > 2 or (len(found) > 1 and found[0] in FIRSTS)
    is_list = is_list and found == [*range(found[0], found[0] + len(found))]
    skips = len(found) >= MANY_LINES and all(one < other for one, other in pairwise(found))
    return LISTED.sub("", text) if is_list or skips else text


def rising(numbers: Sequence[int]) -> frozenset[int]:
    """Returns the numbers that count up one by one: they number the lines of a list."""
    counts = [
        at for at in range(2, len(numbers)) if numbers[at] - 1 == numbers[at - 1] == numbers[at - 2] + 1
    ]
    return frozenset(number for at in counts for number in numbers[at - 2 : at + 1])


def mistake(output: Output, said: Said) -> str:
    """Returns what is wrong with what a guest says of an answer, or "" if nothing is."""
    wrong = twice(output, said)
    if wrong or output.best in said.whole | said.classes() or said.tallies(len(output.numbers)):
        return wrong
    return other_place(output, said) or "; or ".join(
        filter(None, [other_type(output, said), not_all(output, said)])
    )


def twice(output: Output, said: Said) -> str:
    """Softmax of what are probabilities already."""

    numbers = output.numbers
    if len(said.decimals) > len(numbers) + FEWEST:
        return ""  # of that many some is near anything
    rounded = ROUNDED if len(output.data) == len(numbers) else EXACT
    if numbers.min() < 0 or numbers.max() > 1 or abs(float(numbers.sum()) - 1) > rounded:
        return ""
    again, best = float(softmax(numbers).max()), float(numbers.max())
    word = said.value(again)
    if not word or said.value(best) or abs(again - best) < 0.01 or len(word.strip("-0.")) < 2:
        return ""
    if float(word) > 2 * again and not re.search(rf"(?<![\d.]){re.escape(word)} ?(?:%|per ?cent)", said.text):
        return ""  # a hundred times that, and not in percent
    return (
        f"the guest says {word}, which is the softmax of elements that are probabilities already: the "
        f"largest is {best:.4g} (softmax applied twice)"
    )


def other_place(output: Output, said: Said) -> str:
    """The index of a neighbour of the largest element, with the value of one of the two. Of few classes a
    neighbour with its own value may be the second best, which the guest names rightly."""
    numbers, best = output.numbers, output.best
    for place in (best + 1, best - 1):
        if (
            place not in said.whole - said.fixed
            or place < 0
            or (place < best and len(numbers) in WITH_BACKGROUND)
        ):
            continue
        if place > best and (len(numbers) in CALENDAR or place in said.counted(len(numbers))):
            continue
        if place > best and len(numbers) < LARGE and said.counts_kinds(place, len(numbers)):
            continue
        if place > best and place in counted_things(said.text):
            continue
        if is_refuted(output, place - best, said):
            continue
        near = [best, place] if LARGE <= place < len(numbers) else [best]
        values = [float(numbers[one]) for one in near]
        if is_said_of_others(place, values, said):
            continue
        is_behind_all = place >= len(numbers) and not (len(numbers) < LARGE and said.ends_with(place))
        if any(said.value(value) or close(value, said) for value in values) or is_behind_all:
            return (
                f"the guest says {place}, but the largest element is {best} ({numbers[best]:.4g}): is the "
                "index off by one?"
            )
    worst = int(numbers.argmin())
    if worst in said.whole and worst >= LARGE and said.value(float(numbers[worst])):
        return f"the guest says {worst}, which is the smallest element; the largest is {best}"
    return ""


def is_refuted(output: Output, shift: int, said: Said) -> bool:
    """Whether other answers are said otherwise than by a class that is `shift` places off."""
    return said.shown.refutes(output.index, shift) or not said.of_all(lambda one: one.best + shift)


def is_said_of_others(place: int, values: Sequence[float], said: Said) -> bool:
    """Whether all lines with a number have values of something else, and none of these: a guest that answers
    for several models writes a line for each."""
    lines = [line for line in said.text.splitlines() if str(place) in WHOLE.findall(line)]
    own = [changed(said, decimals=tuple(DECIMAL.findall(line))) for line in lines]
    return bool(own) and not any(
        not one.decimals or one.value(value) or close(value, one) for one in own for value in values
    )


def close(value: float, said: Said) -> bool:
    """Whether a decimal is nearly a value that isn't small."""
    return abs(value) > 0.1 and any(abs(float(word) - value) <= NEAR * abs(value) for word in said.decimals)


def other_type(output: Output, said: Said) -> str:
    """The index of the largest element of the same bytes read as another type."""
    best, classes = output.best, said.classes() - said.fixed
    if not output.dtype:
        return ""
    for kind, title in {**TITLES, "|i1": "i8", "<u2": "u16"}.items():
        width = numpy.dtype(kind).itemsize
        if kind == output.dtype or len(output.data) < 2 * width:
            continue
        place, size = output.best_as(kind), len(output.data) // width
        is_chance = (size < MANY or place < LARGE) and not said.counts(size)
        if (
            place in classes
            and place != best
            and not is_chance
            and said.of_all(partial(Output.best_as, kind=kind))
        ):
            own = TITLES.get(output.dtype, output.dtype)
            return (
                f"the guest says {place}, which is the largest element if the bytes are read as {title}; "
                f"they are {own}, and the largest is {best} ({output.numbers[best]:.4g})"
            )
    return ""


def not_all(output: Output, said: Said) -> str:
    """The index of the largest of the first or of the last elements: of those that a search looked at which
    ends too early or begins too late."""
    numbers, best = output.numbers, output.best
    for place in sorted(said.classes() - said.fixed):
        if not LARGE <= place < len(numbers) or (said.decimals and not said.value(float(numbers[place]))):
            continue
        mine = f"the guest says {place}, which is the largest of the"
        others = f"the largest of all {len(numbers)} is {best} ({numbers[best]:.4g})"
        if place < best and numbers[:place].max() < numbers[place]:
            larger = int((numbers > numbers[place]).argmax())
            return f"{mine} first {larger} elements at most; {others}: does the search end too early?"
        is_larger = numbers[place] > numbers[place + 1 :].max(initial=-float("inf"))
        if place > best >= SKIPPED and is_larger and numbers[place] < numbers[best]:
            larger = int((numbers > numbers[place]).nonzero()[0][-1])
            return f"{mine} elements after element {larger}; {others}: does the search begin too late?"
    return ""
