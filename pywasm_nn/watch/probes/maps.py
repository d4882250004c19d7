"""Outputs of rows and columns, or of a picture for each class: are they read in their layout?

What is here: `misread`. Whole columns, rows or pictures are made the largest elements in turn, or one
element, of which a guest says the class by its name. What is not: boxes with their scores in one output
(`transposed.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..regex import regex
from .asked import Asked, Given
from .shares import PERCENT

FEWEST, MOST_CHANNELS = 4, 64
NEARLY = 2
"""Places in rows and columns may be rounded, and moved by what another output says."""
MANY = 64
FEW = 0.02
"""A picture has more pixels."""
LARGE = 1 << 18
"""So many elements are asked about early."""
FRAMED = regex(r"\s*(?:\d+ ?)?[|\[!'\"\u2502](.+)[|\]!'\"\u2502],?")
"""A line of a picture between marks."""
ACROSS, DOWN = 8, 3
"""The least letters of a line, and lines, in which a picture is drawn."""
NUMBER = regex(r"\d+(?:\.\d+)?")
SIZE = regex(r"(?<![\w.])(\d{2,5}) ?(?:x|\u00d7|by) ?(\d{2,5})(?![\w.])")
WORDS = regex(r"[^\W\d_]{3}")
LONG, MOST_KINDS, BEGINNINGS = 4, 128, (3, 2)
"""How many times as many places as classes a map has at least, the most classes, and the parts of the map
after which places are tried (a third, a half)."""
SIDES = regex(
    r"\b(?:left|right|top|bottom|upper|lower|middle|cent(?:er|re)|near|far|front|rear)", re.IGNORECASE
)
"""Names of places, which aren't those of classes."""


def misread(asked: Asked) -> str:
    """Returns what is wrong with the layout in which a guest reads an answer, or "" if nothing is."""
    for index, output in asked.fetched():
        if len(output.lengths) == 2:
            wrong = of_kinds(asked, index, output)
            if not wrong and min(output.lengths) >= FEWEST:
                wrong = of_rows(asked, index, output)
        elif len(output.lengths) == 3:
            wrong = of_pictures(asked, index, output)
        else:
            continue
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def misread_pictures(asked: Asked) -> str:
    """Returns the same of pictures for classes alone, which are so large that copies are few."""
    large = [one for one in asked.fetched() if len(one[1].lengths) == 3 and one[1].array.size >= LARGE]
    found = ((output, of_pictures(asked, index, output)) for index, output in large)
    return next((f"{output.what}: {wrong}" for output, wrong in found if wrong), "")


Places = Callable[[int], Sequence[int]]


def columns(size: int, width: int) -> Places:
    return lambda number: range(number, size, width)


def rows(width: int) -> Places:
    return lambda number: range(number * width, (number + 1) * width)


def follows(asked: Asked, index: int, output: Given, places: Places, count: int, nearly: int = 0) -> bool:
    """Whether a number in what the guest writes follows the column or row that is the largest; `nearly`: but
    for so much, as where another output says by how much a place is beside it."""
    tried = (count // 4, count // 2 + 1, count - 1)
    shifts: list[list[int]] = []
    for number in tried:
        text = asked.text(index, output.filled(places(number)))
        if text is None:
            return False
        shifts.append([said - number for said in asked.numbers(text)])
        if not any(max(found) - min(found) <= nearly for found in zip(*shifts, strict=False)):
            return False
    return True


def of_rows(asked: Asked, index: int, output: Given) -> str:
    height, width = output.lengths
    size = output.array.size
    if follows(asked, index, output, columns(size, width), width, NEARLY):
        return ""
    for length in widths_within(asked, height, width):
        if follows(asked, index, output, columns(size, length), length):
            return (
                f"what the guest says follows it as if its rows had {length} elements, as the picture has; "
                f"they have {width}, as the input, of which the picture is only a part: are rows {width} "
                "elements apart?"
            )
    if follows(asked, index, output, columns(size, width), width - 1):
        return ""  # the search ends too early, which is no other layout (`batches.py`)
    if follows(asked, index, output, rows(width), height, NEARLY):
        return ""
    others = {
        one.lengths[-1]: one.what for number, one in asked.outputs.items() if number != index and one.lengths
    }
    if height != width:
        for places, count in ((rows(height), width), (columns(size, height), height)):
            if follows(asked, index, output, places, count):
                return (
                    f"what the guest says follows it as if its rows had {height} elements; they have {width} "
                    f"({height} rows of {width}): are rows and columns exchanged?"
                )
    for length, what in others.items():
        if length in (height, width) or not FEWEST <= length < size:
            continue
        if follows(asked, index, output, columns(size, length), length):
            return (
                f"what the guest says follows it as if its rows had {length} elements, as those of {what} "
                f"have; they have {width}: is it the wrong output?"
            )
    return ""


def widths_within(asked: Asked, height: int, width: int) -> list[int]:
    """The widths of pictures that may fill most of an input which is as large as a map: of those that lie in
    it, and of sizes that are written."""
    if not any((one.height, one.width) == (height, width) for one in asked.pictures):
        return []
    sizes = [one.placed.lies[2:] for one in asked.sent if one.placed is not None]
    sizes += [(int(tall), int(wide)) for wide, tall in SIZE.findall(asked.control.text)]
    known = [wide for tall, wide in sizes if width < 2 * wide < 2 * width and height < 2 * tall <= 2 * height]
    return [*dict.fromkeys(known)]


def of_kinds(asked: Asked, index: int, output: Given) -> str:
    """Scores of all classes for each place, read as those of all places for each class, or the other way
    round: the class that is said of one element alone is that of the other layout."""
    count, kinds = max(output.lengths), min(output.lengths)
    if kinds > MOST_KINDS or count < LONG * kinds:
        return ""
    is_by_place = output.lengths[0] == count
    tried = sorted({0, kinds // 2, kinds - 1})
    for begins in BEGINNINGS:
        said: list[list[str]] = [[] for _ in tried]
        """By the class in the other layout, and in its own."""
        for own in tried:
            for row, other in zip(said, tried, strict=True):
                major, minor = (other, own) if is_by_place else (own, other)
                first = major * count + count // begins // kinds * kinds
                place = first + (minor - first) % kinds
                row.append(asked.text(index, output.filled([place])) or "")
                alike = [one for one in said if one and is_same_kind(asked, one[0], row[-1], kinds)]
                if alike != [row]:
                    return ""
        if not are_kinds(asked, said, tried, kinds):
            return ""
    ways = (f"class * {count} + place", f"place * {kinds} + class")
    read, right = ways if is_by_place else ways[::-1]
    height, width = output.lengths
    return (
        f"what the guest says of one element alone is read at {read}; the answer has {height} rows of "
        f"{width}, {'a place' if is_by_place else 'a class'} each, so that it is at {right}: are rows and "
        "columns exchanged?"
    )


def is_same_kind(asked: Asked, one: str, other: str, kinds: int) -> bool:
    """Whether two texts say the same class, perhaps at two places."""
    words = NUMBER.sub("#", one)
    return (
        WORDS.search(one) is not None
        and words == NUMBER.sub("#", other)
        and kind_said(asked, one, kinds) == kind_said(asked, other, kinds)
    )


def are_kinds(asked: Asked, said: Sequence[Sequence[str]], tried: Sequence[int], kinds: int) -> bool:
    """Whether each row of texts says its own class: a known one, or any, and places that differ, which are
    one place or neighbours if the class is that of the answer's layout."""
    words = {NUMBER.sub("#", row[0]) for row in said}
    if any(SIDES.search(one) for one in words):
        return False
    is_known = [kind_said(asked, row[0], kinds) for row in said] == [*tried]
    return is_known or (len(words) == len(said) and all(len({*row}) == len(row) for row in said))


def kind_said(asked: Asked, text: str, kinds: int) -> int | None:
    """The only class that a text says: by its name, or by the only number that isn't 0 of as many as there
    are classes."""
    said, numbers = {*asked.called(text, kinds)}, asked.numbers(text)
    if not said and len(numbers) == kinds:
        said = {at for at, number in enumerate(numbers) if number}
    return said.pop() if len(said) == 1 else None


def layouts(output: Given) -> tuple[str, str, int] | None:
    """The layout of a picture for each class, the other one, and the number of classes."""
    lengths = output.lengths
    channels = min(lengths)
    if not 2 <= channels <= MOST_CHANNELS or lengths.count(channels) > 1:
        return None
    if lengths[0] == channels:
        return "NCHW", "NHWC", channels
    return ("NHWC", "NCHW", channels) if lengths[2] == channels else None


def of_class(output: Given, layout: str, channels: int) -> Iterator[Any]:
    """Answers in which all pixels are of one class, for some classes: two if the answer is large."""
    size = output.array.size
    for number in range(min(channels, 2 if size >= LARGE else 3)):
        area = size // channels
        planar = layout == "NCHW"
        places = range(number * area, (number + 1) * area) if planar else range(number, size, channels)
        yield output.filled(places)


def are_alike(counts: Sequence[Sequence[float]]) -> bool:
    """Whether numbers are the same but for few pixels."""
    most = max((abs(one) for numbers in counts for one in numbers), default=0)
    same = all(max(ones) - min(ones) <= FEW * most for ones in zip(*counts, strict=False))
    return same and len({*map(len, counts)}) == 1


def numbers_of(asked: Asked, text: str) -> list[float]:
    """The percents of a text, or its whole numbers."""
    return [float(one) for one in PERCENT.findall(text)] or [float(one) for one in asked.numbers(text)]


def are_told_apart(asked: Asked, texts: Sequence[str]) -> bool:
    """Whether all pixels are said to be of one class each time, of another for each text."""
    counts = [numbers_of(asked, text) for text in texts]
    if len(counts) < 2 or len({*map(len, counts)}) > 1:
        return False
    moved = [column for column in zip(*counts, strict=True) if len({*column}) > 1]
    filled = [[place for place, one in enumerate(numbers) if one] for numbers in zip(*moved, strict=True)]
    if not moved or any(len(places) != 1 for places in filled):
        return False
    totals = {max(numbers) for numbers in zip(*moved, strict=True)}
    return len(totals) == 1 and max(totals) >= MANY and len({one for [one] in filled}) == len(filled)


def are_one_share(texts: Sequence[str], pixels: int) -> bool:
    """Whether only one number changes, and says that none of the pixels or all are of some classes: in
    percent, as a share, or as how many they are."""
    said = [NUMBER.findall(text) for text in texts]
    if len({NUMBER.sub("#", text) for text in texts}) > 1:
        return False
    moved = [column for column in zip(*said, strict=True) if len({*map(float, column)}) > 1]
    if len(moved) != 1:
        return False
    numbers = {float(one) for one in moved[0]}
    if PERCENT.search(texts[0]):
        return numbers == {0.0, 100.0}
    return numbers == {0.0, float(pixels)} or (numbers == {0.0, 1.0} and all("." in one for one in moved[0]))


def are_named_apart(unmoved: Sequence[str | None], texts: Sequence[str]) -> bool:
    """Whether a class is said by its name, another for each text, and the same one for all of those that are
    to be alike. Numbers may be places."""
    alike, differ = ({NUMBER.sub("#", one or "") for one in said} for said in (unmoved, texts))
    return len(alike) == 1 and len(differ) == len(texts) > 1 and all(map(WORDS.search, differ))


def are_drawn_apart(unmoved: Sequence[str | None], texts: Sequence[str]) -> bool:
    """Whether classes are drawn, each pixel or some of them a letter: a text for each class, with lines of
    one letter, another one for each, and nearly the same drawing for all of those that are to be alike."""
    drawings = [unframed(text) for text in texts]
    rows = [at for at, line in enumerate(drawings[0]) if len(line) >= ACROSS and len({*line}) == 1]
    if len(rows) < DOWN or len({*map(len, drawings)}) > 1:
        return False
    drawn = ["".join(lines[at] for at in rows) for lines in drawings]
    if len({*drawn}) != len(drawn) > 1 or any(len({*one}) > 1 for one in drawn):
        return False
    lines_of = [unframed(one or "") for one in unmoved]
    if any(len(lines) != len(drawings[0]) for lines in lines_of):
        return False
    alike = ["".join(lines[at] for at in rows) for lines in lines_of]
    if any(len(one) != len(drawn[0]) for one in alike):
        return False
    return sum(len({*at}) > 1 for at in zip(*alike, strict=True)) <= FEW * len(drawn[0])


def unframed(text: str) -> list[str]:
    """The lines of a text without the same marks that many of them have at both ends."""
    lines = text.splitlines()
    framed = [found[1] if (found := FRAMED.fullmatch(line)) else line for line in lines]
    return framed if sum(map(str.__ne__, framed, lines)) >= DOWN else lines


def of_pictures(asked: Asked, index: int, output: Given) -> str:
    read = layouts(output)
    if read is None:
        return ""
    own, other, channels = read
    texts = [asked.text(index, array) for array in of_class(output, own, channels)]
    unmoved = [numbers_of(asked, text) for text in texts if text is not None]
    if len(unmoved) < len(texts) or not are_alike(unmoved):
        return ""
    others = [asked.text(index, array) or "" for array in of_class(output, other, channels)]
    area = output.array.size // channels
    is_apart = are_told_apart(asked, others) or are_one_share(others, area)
    if not is_apart and not are_named_apart(texts, others) and not are_drawn_apart(texts, others):
        return ""
    shape = ",".join(map(str, output.array.shape))
    return f"the guest reads the answer [{shape}] as if it were {other}; it is {own}"
