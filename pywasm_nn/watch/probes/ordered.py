"""Names of classes that have an order of their own, such as zero, one, two: does the guest say them in it?

What is here: `disordered`. Models are also trained with sorted names, so that a file's name must tell which
class is right: of "seven.wav" class 7 is the largest. What is not: names in files (`named.py`), names that a
model has (`owned.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from ..regex import regex
from .asked import Asked, Given
from .classes import tried
from .owned import order, said_alone

ALL, MOST = 12, 31
"""So many classes are all tried; of more some."""
SEQUENCES = tuple(
    tuple(names.split())
    for names in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "null eins zwei drei vier f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf",
        "z\u00e9ro un deux trois quatre cinq six sept huit neuf dix onze douze",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "monday tuesday wednesday thursday friday saturday sunday",
        "sunday monday tuesday wednesday thursday friday saturday",
        "january february march april may june july august september october november december",
        "a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike",
        "small medium large",
        "low medium high",
        "airplane automobile bird cat deer dog frog horse ship truck",
    )
)
"""Names in their own order: CIFAR's ten, too."""
NUMBERED = 4
"""The first so many sequences stand for numbers, by which files are named, too."""
TOKEN = regex(r"[^\W\d_]+|\d+")


def disordered(asked: Asked) -> str:
    """Returns a hint about names in another order than their own, where a file's name says which one is
    right, or "" if none are."""
    for index, output in asked.fetched():
        count = output.array.size
        if len(output.lengths) != 1 or not 3 <= count <= MOST:
            continue
        best = int(output.array.argmax())
        for number, names in enumerate(SEQUENCES):
            if len(names) < count:
                continue
            file = file_of(asked, [names[best]])
            if not file and number < NUMBERED:
                file = begun_with(asked, str(best))
            if not file:
                continue
            if wrong := compared(names[:count], texts_of(asked, index, output), best, file):
                return f"{output.what}: {wrong}"
    return ""


def file_of(asked: Asked, words: Sequence[str]) -> str:
    """A file that was read and is named after one of some words."""
    for name, _ in asked.files():
        if {one.lower() for one in TOKEN.findall(name.rpartition("/")[2])} & {*words}:
            return name
    return ""


def begun_with(asked: Asked, number: str) -> str:
    """A file whose name begins with a number and goes on with a word, as with who says it: "clip_5" and "5"
    may be the fifth of any files."""
    for name, _ in asked.files():
        tokens = TOKEN.findall(PurePosixPath(name).stem)
        if tokens[:1] == [number] and "".join(tokens[1:2]).isalpha():
            return name
    return ""


def texts_of(asked: Asked, index: int, output: Given) -> dict[int, str]:
    count = output.array.size
    places = range(count) if count <= ALL else tried(count)
    return {place: asked.text(index, output.filled([place])) or "" for place in places}


def compared(names: Sequence[str], texts: Mapping[int, str], best: int, file: str) -> str:
    """Returns what is wrong with the order of names, or "" if it is right, or not known."""
    named = said_alone(names, texts)
    if len(named) < len(texts) - 1 or len({*named.values()}) < len(named) or named.get(best, best) == best:
        return ""
    if names[named[best]] in {one.lower() for one in TOKEN.findall(file)}:
        return ""
    others = sum(one != place for one, place in named.items())
    return (
        f'class {best} is the largest for {file}, and the guest says "{names[named[best]]}" of it; so it '
        f'says other names of {others} of {len(named)} classes than those in their own order ("{names[0]}", '
        f'"{names[1]}", "{names[2]}" ...): {order(names, named)}'
    )
