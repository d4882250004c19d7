"""A single row of classes: does the guest say the class that is the largest, whichever that is?

What is here: `misplaced`. Each of a few classes is made the largest in turn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ..classes import CALENDAR, WITH_BACKGROUND, belongs_at
from ..origin.comparing import are_shares
from ..regex import regex
from ..subjects import CLASS_WORDS, counted_things, subjects
from ..written.shown import Shown
from .asked import Asked, Given
from .maps import NUMBER
from .named import beside, goes_round_alone, varying
from .shares import softened_again
from .thresholds import DECIMAL
from .widths import of_another_width

FEWEST, MOST = 3, 1 << 17
ENOUGH = 3
"""So many classes must be followed to know how the guest counts."""
FEW = 10
"""Fewer classes are often counted from 1: kinds, grades, stars."""
TWO, LISTED = 2, 5
"""Of fewer classes, most are among the first ones that a guest lists."""
PIANO = 88
"""Keys, which are counted from 1, as the A above the middle C is key 49."""
PERCENTS = 100
MANY = 64
BELOW, ABOVE = 120, 250
"""Two bytes, of which the second is less than 0 as a signed one."""
FIRST = regex(
    r"^\s*(?:(?:class|label|best|digit|kind|result|answer|prediction|predicted)\b\W*0\W+|0 ?\()(\d\.\d+)\)?",
    re.IGNORECASE | re.MULTILINE,
)
"""Class 0, and how sure it is."""
DISTANCE = regex(r"dist|(?:^|[^a-z])far", re.IGNORECASE)
NO_CLASS = regex(
    r"^\W*(?:.*back[ _-]?ground.*|unknown\w*|others?|none|nothing|no[ _-]\w+|silence|noise|void|blank|n/?a"
    r"|pad|unlabell?ed|reject\w*|garbage|misc\w*)\W*$",
    re.IGNORECASE,
)
"""Names of a last class that stands for nothing that is looked for."""
AWAY = regex(
    r"\b(?:least|un|dis|odd|out|far|fur|differ|anomal|worst|novel|open|free|clear|direction|way|sector|max|larg|long)",
    re.IGNORECASE,
)
"""Words for the farthest, and for what is free until there."""
KINDS = regex(r"logit|prob|score|class|soft|label|categor|kind|type", re.IGNORECASE)
"""Words for outputs of classes: of amounts the smallest may be meant."""
LEAST = regex(
    r"\b(?:least|less|low|small|min|weak|un|worst|differ|anomal|rare|exclu|elimin|cheap|few|bottom|poor|not?\b|never"
    r"|hardly|without|isn|rul(?:e|es|ed) out)",
    re.IGNORECASE,
)
"""Words for the smallest."""
LOWEST = regex(
    r"energ|cost|loss|regret|penalt|nll|surpris|perplex|risk|err|dist|delay|effort|price|waste|hazard|forecast|temp",
    re.IGNORECASE,
)
"""Names of outputs of which the smallest may be the best, or is one of several steps."""
OF_A_CLASS = regex(rf"\b(?:{CLASS_WORDS})(?:e?s)?\b", re.IGNORECASE)
STEPS = regex(r"\d ?(?:h|hours?|min|minutes?|days?|weeks?|months?|years?|steps?|rounds?)\b")
"""What is said of steps ahead, of which the first is 1."""
LITTLE = regex(
    r"\b(?:cold|cool|dr[iy]|calm|quiet|slow|short|near|clos|young|light|thin|shallow|soft|dark)",
    re.IGNORECASE,
)
"""Words for what has little of something."""
LISTED_RANKS = 3
"""The fewest lines that are a list of the surest classes."""
RANKED = regex(r"^\s*#?(\d{1,2})[.:)]?\s+([^\W\d_][^\d\n]*?)[\s:=(]+\d{1,3}\.\d+\b[ %)]*$", re.MULTILINE)
RANKS = regex(
    r"\b(?:first|second|third|fourth|fifth|best|next|top|last|high|low|mid|max|min|larg|small|runner|gold|silver"
    r"|bronze|peak|score|prob|share|value|conf)",
    re.IGNORECASE,
)
"""Words for places in a list, and for values."""
COUNTED = regex(r"([^\W\d_]*)[\s#:=(\[]*(?<![\w.,])(\d{1,4})(?![\w%]|[.,]\d| ?%)")
NUMBERED = regex(
    r"^(?:(?:class|label|categor|specie|kind|type|sort|genre|breed|digit|letter|token|word|language|sign|tag|key"
    r"|cultivar|variet"
    r"|note|event|sound|object|animal|bird|dog|cat|fish|plant|flower|leaf|tree|food|dish|scene)(?:e?s|y|ies)?"
    r"|id|idx|cls)$",
    re.IGNORECASE,
)
"""A whole number with the word before it, and words for classes."""
FALLING, LOWER = (0.6, 0.3, 0.1), (0.5, 0.25, 0.06)
"""Elements for the first three places of a list, as parts of the range: as they are, and smaller."""
POWERS = 80.0
"""Powers of e beyond this, or below its negative, are no f32."""


def misplaced(asked: Asked) -> str:
    """Returns what is wrong with the class that a guest says, or "" if nothing is."""
    for index, output in asked.fetched():
        lengths = output.lengths
        is_one = len(lengths) == 1 and FEWEST <= lengths[0] <= MOST and not asked.is_batch(output)
        if is_one and (wrong := of_row(asked, index, output)):
            return wrong
    return ""


def shown(asked: Asked) -> Shown:
    """The whole numbers that a guest writes with some of the classes as the largest."""
    found = {}
    for index, output in asked.fetched():
        if len(output.lengths) == 1 and FEWEST <= output.array.size <= MOST:
            said = {place: asked.text(index, output.filled([place])) for place in tried(output.array.size)}
            found[index] = {place: frozenset(asked.numbers(text)) for place, text in said.items() if text}
    return Shown(found)


def tried(count: int) -> list[int]:
    """The classes that are made the largest: the last, the first and others between."""
    places = [count - 1, 0, count // 3, 2 * count // 3, 1, count - 2]
    return list(dict.fromkeys(places))[:5]


def of_row(asked: Asked, index: int, output: Given) -> str:
    count = output.array.size
    texts: dict[int, str] = {}
    for place in tried(count):
        text = asked.text(index, output.filled([place]))
        if text is not None:
            texts[place] = text
    if wrong := signed(asked, index, output):
        return wrong
    if len(set(texts.values())) < 2:
        asked.is_stuck = True
        return stuck(asked, index, output, texts) or of_another_width(asked, index, output)
    if wrong := farthest(asked, index, output, texts):
        return wrong
    asked.later(count, texts)
    said = {place: asked.numbers(text) for place, text in texts.items()}
    shift = followed(said)
    if shift is not None:
        return off_by(output, texts, said, shift) or not_seen(asked, index, said, shift)
    named = varying({place: asked.names(text, count) for place, text in texts.items()})
    is_round = any(goes_round_alone(one, count, texts) for one in asked.lists)
    if not is_round and (wrong := beside(asked.lists, count, texts)):
        return f"{output.what}: {wrong}"
    shift = followed(named)
    if shift is not None:
        return "" if shift else not_seen(asked, index, named, 0)
    if wrong := third_not_seen(asked, index, output, texts):
        return wrong
    return otherwise(asked, index, output, texts)


def farthest(asked: Asked, index: int, output: Given, texts: Mapping[int, str]) -> str:
    """The largest of what are distances by their name; the smallest is that of the nearest."""
    array = output.array
    is_distance = (
        DISTANCE.search(output.what.partition('"')[2]) and array.dtype.kind == "f" and array.min() >= 0
    )
    if not is_distance or len({*texts.values()}) < len(texts) or AWAY.search(asked.control.text):
        return ""
    lowest = {asked.text(index, output.filled([place], lowest=True)) for place in texts}
    if len(lowest) == len(texts):
        return ""
    return (
        f"{output.what}: by its name it has distances, and the guest says the one that is the largest, "
        "whichever that is; the smallest is that of the nearest"
    )


def signed(asked: Asked, index: int, output: Given) -> str:
    """Bytes above 127 are taken for less than 0."""
    if output.array.dtype.str != "|u1" or output.array.size < FEWEST:
        return ""
    said = []
    count = output.array.size
    first, second = (count // 3, count // 2) if count >= MANY else (1, 2)  # ranks are small numbers, too
    for below, above in ((first, second), (second, first)):
        made: Any = numpy.zeros(output.array.shape, "u1")
        made.reshape(-1)[[below, above]] = BELOW, ABOVE
        text = asked.text(index, made) or ""
        said.append((asked.numbers(text) or asked.names(text, made.size), below, above))
    wrong = all(below in numbers and above not in numbers for numbers, below, above in said)
    if not wrong and (any(numbers for numbers, *_ in said) or not follow_smaller(asked, index, output)):
        return ""
    return (
        f"{output.what}: of two elements of {BELOW} and {ABOVE} the guest says the smaller one, wherever "
        "they are: are its bytes, which are u8, read as signed (i8)?"
    )


def follow_smaller(asked: Asked, index: int, output: Given) -> bool:
    """Whether what is said of a small byte alone is also said of it beside a large one, each time."""

    def said(levels: Mapping[int, int]) -> str:
        made: Any = numpy.zeros(output.array.shape, "u1")
        made.reshape(-1)[[*levels]] = [*levels.values()]
        return asked.text(index, made) or ""

    places = (1, 2)
    alone = [said({place: BELOW}) for place in places]
    both = [said({place: BELOW, 3 - place: ABOVE}) for place in places]
    return bool(alone[0]) and alone == both and alone[0] != alone[1]


def stuck(asked: Asked, index: int, output: Given, texts: Mapping[int, str]) -> str:
    """What a guest writes is the same whichever class is the largest; it isn't for other elements, or their
    value alone counts."""
    array = output.array
    if len(texts) < ENOUGH or not output.array.size > ENOUGH:
        return ""
    if wrong := without_names(asked, index, output):
        return wrong
    if array.dtype.kind != "f":
        return ""

    def told(factor: float, shift: float) -> list[str]:
        """Returns what is written for some classes if elements are scaled and moved, without decimals, or []
        if it is the same."""
        said = []
        for place in tried(array.size)[:ENOUGH]:
            made = output.filled([place]).astype("f8") * factor + shift
            said.append(DECIMAL.sub("#", asked.text(index, made.astype(array.dtype)) or ""))
        return said if len({*said}) > 1 and all(said) else []

    own = next(iter(texts.values()))
    if wrong := beyond_powers(output, told):
        return wrong
    if not are_shares(array.reshape(-1)):
        return ""
    whole = 1 / float(array.max())
    if told(PERCENTS * whole, 0) and not told(whole, 0):
        return softened_again(asked, index, output) or (
            f"{output.what}: its elements are shares, and the guest says the same for each class even at 1; "
            f"at {PERCENTS} it doesn't: is a share compared with percents?"
        )
    return of_a_list(asked, index, output, own)


def beyond_powers(output: Given, told: Callable[[float, float], Sequence[str]]) -> str:
    """Elements whose powers of e are all 0, or none is a number, of which softmax is made as they are."""
    low, high = float(output.array.min()), float(output.array.max())
    if not (high < -POWERS or high > POWERS) or not told(1, -1 - high) or told(1, 0):
        return ""
    what = "0" if high < 0 else "beyond all numbers"
    return (
        f"{output.what}: its elements are from {low:.4g} to {high:.4g}, and the guest says the same "
        f"whichever is the largest; it doesn't if the largest is -1: the powers of e of such elements are "
        f"{what}, so softmax has to take the largest away from all of them before"
    )


def of_a_list(asked: Asked, index: int, output: Given, own: str) -> str:
    """Class 0 with the value of the largest, whichever it is."""
    half = (output.filled([0]).astype("f8") / 2).astype(output.array.dtype)
    if wrong := of_names(asked, index, output, own, asked.text(index, half) or ""):
        return wrong
    found, lower = FIRST.search(own), FIRST.search(asked.text(index, half) or "")
    if found is None or lower is None or float(lower[1]) >= float(found[1]):
        return ""
    return (
        f'{output.what}: the guest says "{found[0].strip()}" whichever of its elements is the largest, with '
        "the value of that: is 0 its place in a sorted list, and not its class?"
    )


def without_names(asked: Asked, index: int, output: Given) -> str:
    """The first names of a list with the largest elements, whichever classes have these."""
    count, kind = output.array.size, output.array.dtype
    places = (count - 1, count // 2, count // 2 + 1)
    low = output.filled([]).reshape(-1)[0].item()
    high = numpy.iinfo(kind).max if kind.kind in "iu" else float(output.array.max())

    def said(parts: Sequence[float], places: Sequence[int]) -> str:
        made = output.filled([])
        made.reshape(-1)[[*places]] = [low + part * (high - low) for part in parts]
        return asked.text(index, made) or ""

    texts = [said(FALLING, places), said(FALLING, places[::-1]), said(LOWER, places)]
    names = [sorted({*asked.called(text, count)}) for text in texts]
    several = [[float(one) for one in NUMBER.findall(text)] for text in (texts[0], texts[2])]
    follow = [pair for pair in zip(*several, strict=False) if pair[0] != pair[1]]
    falls = all(before > after for one in zip(*follow, strict=True) for before, after in pairwise(one))
    words = ranked(texts[0])
    if not any(names) and len(words) >= LISTED_RANKS and len(follow) >= min(len(words), len(FALLING)):
        shown = f'says "{words[0]}", "{words[1]}" ... in this order beside'
    elif len(names[0]) >= TWO and names == [[*range(len(names[0]))]] * len(texts):
        shown = f"says the first {len(names[0])} names of the list with"
    elif not any(names) and (lines := counted_up(texts[0], texts[2])):
        shown = f"numbers classes from 0 to {lines - 1} in this order beside"
    else:
        return ""
    if texts[0] != texts[1] or len(follow) < TWO or not falls:
        return ""
    return (
        f"{output.what}: the guest {shown} the largest elements, whichever classes have these: were the "
        "elements sorted, and their classes not with them?"
    )


def ranked(text: str) -> list[str]:
    """The names in lines that are numbered from 1 on, each of which has another name and a value; [] if any
    of them is a word for a rank."""
    found = RANKED.findall(text)
    words = [word for _, word in found]
    is_list = [int(number) for number, _ in found] == [*range(1, len(found) + 1)]
    is_named = len({*words}) == len(words) and not any(RANKS.search(word) for word in words)
    return words if is_list and is_named else []


def counted_up(text: str, other: str) -> int:
    """How many lines that have other values in another text count classes up from 0: behind the word for a
    class, or beside a rank that counts from 1. 0 if none do, or the number may be the rank."""
    pairs = zip(text.splitlines(), other.splitlines(), strict=False)
    lines = [found for one, two in pairs if one != two and (found := COUNTED.findall(one))]
    if len(lines) < LISTED_RANKS or len({*map(len, lines)}) > 1:
        return 0
    columns = [[*zip(*column, strict=True)] for column in zip(*lines, strict=True)]
    from_one = any([*map(int, numbers)] == [*range(1, len(lines) + 1)] for _, numbers in columns)
    for words, numbers in columns:
        is_named = len({*words}) == 1 and not RANKS.search(words[0])
        is_class = is_named and (NUMBERED.search(words[0]) or from_one)
        if is_class and [*map(int, numbers)] == [*range(len(lines))]:
            return len(lines)
    return 0


def of_names(asked: Asked, index: int, output: Given, own: str, half: str) -> str:
    """The first name of a list with the value of the largest class, whichever that is."""
    names = asked.names(own, output.array.size)
    high, low = DECIMAL.findall(own), DECIMAL.findall(half)
    two = asked.text(index, output.filled([1, output.array.size - 1])) or ""
    if (
        names != [0]
        or len(high) != len(low)
        or high == low
        or sorted(asked.names(two, output.array.size)) != [0, 1]
    ):
        return ""
    return (
        f"{output.what}: the guest says the first name with the value of the largest class, whichever that "
        "is, and the first two names of any two: are those that are likely enough counted anew, so that they "
        "get the first names of the list?"
    )


def followed(said: Mapping[int, Sequence[int]]) -> int | None:
    """Returns by how much a number in the texts is higher than the largest class, if it follows it, or None
    if none does."""
    for position in range(min(map(len, said.values()), default=0)):
        shifts = Counter(numbers[position] - place for place, numbers in said.items())
        shift, times = shifts.most_common(1)[0]
        if times >= min(ENOUGH, len(said)):
            return shift
    return None


def off_by(output: Given, texts: Mapping[int, str], said: Mapping[int, Sequence[int]], shift: int) -> str:
    """Each class is said as the one beside it."""
    count = output.array.size
    counted = any(re.search(rf"\d ?(?:of|/) ?{count}\b", text) for text in texts.values())
    counted = counted or any(
        place + 1 in subjects(text) | counted_things(text) or STEPS.search(text)
        for place, text in texts.items()
    )
    if shift == 1 and (count < FEW or count in (*CALENDAR, PIANO) or counted):
        return ""
    if abs(shift) != 1 or (shift < 0 and count in WITH_BACKGROUND):
        return ""
    places = sorted(place for place, numbers in said.items() if place + shift in numbers)
    pairs = ", ".join(f"{place + shift} for {place}" for place in places)
    return (
        f"{output.what}: whichever element is the largest, the guest says the one beside it ({pairs}): is "
        "the index off by one?"
    )


def not_seen(asked: Asked, index: int, said: Mapping[int, Sequence[int]], shift: int) -> str:
    """A guest that follows the other classes does not follow the last, and says the first or the last of
    those that are alike; by how far the last is larger doesn't matter. An answer before may count, too."""
    output = asked.outputs[index]
    if is_left_out(asked, output.array.size):
        return ""
    last, said = output.array.size - 1, varying(said)
    if last not in said or not {shift, last - 1 + shift} & {*said[last]}:
        return ""
    if 0 in said and shift not in said[0]:
        return ""  # a peak, which has neighbours on both sides
    if {str(last), str(last + shift)} & {*asked.arguments}:  # as what a customer has already
        return ""
    text = asked.text(index, output.filled([last], clearly=True))
    again = [] if text is None else asked.numbers(text) or asked.names(text, output.array.size)
    if last + shift in (*said[last], *again):
        return ""
    return (
        f"{output.what}: if its last element, {last}, is the largest, the guest says another one: does the "
        "search end too early?"
    )


def third_not_seen(asked: Asked, index: int, output: Given, texts: Mapping[int, str]) -> str:
    """Of three classes only the first two are compared, whatever the third is: too few to see how a guest
    counts, unless a word before the number, or a list of three names, says that it is one of a class."""
    count = output.array.size
    if count != FEWEST or {*texts} != {*range(count)} or is_left_out(asked, count):
        return ""
    array = output.filled([count - 1])
    half = (array.min() + array.max()) / 2

    def above(place: int) -> str:
        """Returns what is written if the third is the largest, and this one is above the other."""
        made = array.copy()
        made.reshape(-1)[place] = half
        return asked.text(index, made) or ""

    pairs = [(0, texts[0]), (1, texts[1]), (0, above(0)), (1, above(1))]
    by_number = any(
        all(place + start in numbers_of_classes(text) for place, text in pairs)
        and count - 1 + start not in numbers_of_classes(texts[count - 1])
        and not {str(count - 1), str(count - 1 + start)} & {*asked.arguments}
        for start in (0, 1)
    )
    by_name = all(asked.called(text, count) == [place] for place, text in pairs)
    if not by_number and (not by_name or count - 1 in asked.called(texts[count - 1], count)):
        return ""
    return (
        f"{output.what}: of its {count} elements the guest says the larger one of the first two, however "
        "large the last one is: does the search end too early?"
    )


def numbers_of_classes(text: str) -> list[int]:
    """The numbers behind a word for a class, if each such word stands there once."""
    found = [(word, int(number)) for word, number in COUNTED.findall(text) if NUMBERED.match(word)]
    return [number for _, number in found] if len({word for word, _ in found}) == len(found) else []


def is_left_out(asked: Asked, count: int) -> bool:
    """Whether the last class is none that is looked for, by a list of names, or elements are places of a
    text, of which the last ones are padding: guests leave these out."""
    if any(
        one.array is not None and one.array.dtype.kind in "iu" and count in one.shape for one in asked.sent
    ):
        return True
    read = [one.names for one in asked.lists if belongs_at(one, count) == 0 and not one.is_numbered]
    lists: Sequence[Sequence[str]] = [*read, *asked.names_of_model, *asked.own_names(count)]
    return any(len(names) == count and NO_CLASS.match(names[-1]) for names in lists)


def otherwise(asked: Asked, index: int, output: Given, texts: Mapping[int, str]) -> str:
    """The bytes are read as another type, or the smallest element is said: then nothing says which of all
    others, that are equal, is not the largest."""
    wrong = smallest(asked, index, output) if len({*texts.values()}) < len(texts) else ""
    count = output.array.size
    if not wrong and any(asked.named(text, count) for text in texts.values()):
        wrong = of_another_width(asked, index, output)
    return wrong


def smallest(asked: Asked, index: int, output: Given) -> str:
    """The smallest of what are no distances, of which it would be meant: those aren't negative, and not 1
    together."""
    array = output.array.astype("f8")
    if array.min() >= 0 and not are_shares(array.reshape(-1)):
        return ""
    own = asked.control.text
    if LEAST.search(own) or LITTLE.search(own) or LOWEST.search(output.what.partition('"')[2]):
        return ""  # it is looked for
    if not are_shares(array.reshape(-1)) and not are_classes(asked, output):
        return ""  # such as of a signal, whose least is looked for
    said = {}
    for place in tried(output.array.size)[:ENOUGH]:
        text = asked.text(index, output.filled([place], lowest=True))
        said[place] = [] if text is None else asked.numbers(text) or asked.names(text, output.array.size)
    if followed(said) is None and not follows_smallest(asked, index, output):
        return ""
    return f"{output.what}: the guest says the smallest element and not the largest, whichever that is"


def are_classes(asked: Asked, output: Given) -> bool:
    """Whether elements are those of classes, by the output's name, the program's words, or a list."""
    text, count = asked.control.text, output.array.size
    is_alone = any(line.strip().isdecimal() for line in text.splitlines())
    is_said = is_alone or OF_A_CLASS.search(text) is not None or KINDS.search(output.what) is not None
    return is_said or is_listed(asked, count)


def is_listed(asked: Asked, count: int) -> bool:
    """Whether a list that was read has a name for each of so many classes."""
    return any(belongs_at(one, count) is not None for one in asked.lists)


def follows_smallest(asked: Asked, index: int, output: Given) -> bool:
    """Whether what is written, without decimals, differs with the class that is the smallest, and not with
    the one that is the largest, of those that aren't among the first of equal ones."""
    count = output.array.size
    if count < LISTED or not (KINDS.search(output.what) or is_listed(asked, count)):
        return False
    places = sorted(tried(output.array.size))[-ENOUGH:]

    def said(places: Sequence[int], *, lowest: bool) -> set[str]:
        texts = [asked.text(index, output.filled([place], lowest=lowest)) or "" for place in places]
        return {DECIMAL.sub("#", text) for text in texts}

    smallest = said(places, lowest=True)
    return len(smallest - {""}) == len(places) and len(said(places[1:], lowest=False)) == 1
