"""Means and deviations in short files, each with the name of what it is of: JSON, lines of a table, and
settings such as `load_mean = 3`.

What is here: `named_scales`, and `of_output`, the one that an output's name asks for. What is not: scales
without names (`origin.scalers`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from ...records import Frozen
from ..origin.scalers import lists_in
from ..regex import regex
from ..sheets.sheet import Sheet, sheet_of

MOST_BYTES, MOST_SCALES, DEEPEST, PAIR = 1 << 14, 64, 4, 2
CENTRES = frozenset({"mean", "mu", "avg", "average", "center", "centre", "loc"})
WIDTHS = frozenset({"std", "sd", "sigma", "scale", "stdev", "stddev", "dev", "deviation"})
LOWS, HIGHS = frozenset({"min", "minimum", "low"}), frozenset({"max", "maximum", "high"})
NAMES = ("name", "names", "column", "columns", "feature", "features", "field", "fields")
TARGETS = frozenset({"target", "targets", "label", "answer"})
DOUBTFUL = frozenset({"label", "answer"})
"""Files of these names have the scale of the answer only if words in them say so: a label may be two
numbers."""
LETTER = "y"
"""Programs often call a target so. In another place than the last it may be a coordinate or a year."""
GENERAL = frozenset(
    {"next", "out", "output", "pred", "predicted", "prediction", "value", "forecast", "scaled"}
)
"""Words of outputs' names that say nothing of what they are."""
SETTING = regex(r"^\s*([A-Za-z][\w.\- ]*?)\s*[:=]\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*[,;]?\s*$", re.MULTILINE)
NUMBER = regex(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


class Scale(Frozen):
    """What is taken away, and what is divided by."""

    file: str
    name: str
    centre: float
    width: float


def words_of(name: str) -> frozenset[str]:
    return frozenset(one.lower() for one in WORD.findall(name))


def named_scales(files: Sequence[tuple[str, bytes]]) -> list[Scale]:
    found: dict[tuple[str, str], Scale] = {}
    texts = [(file, data) for file, data in files if len(data) <= MOST_BYTES and b"\0" not in data]
    tables = [headings_of(sheet) for file, data in texts if (sheet := sheet_of(file, data)) is not None]
    for file, data in texts:
        for name, centre, width in (*scales_in(file, data), *by_place(data, tables), *of_target(file, data)):
            if width and name and len(found) < MOST_SCALES:
                found.setdefault((file, name), Scale(file, name, centre, width))
    return [*found.values()]


def scales_in(file: str, data: bytes) -> Iterator[tuple[str, float, float]]:
    text = data.decode("utf-8", "replace")
    if text.lstrip().startswith(("{", "[")):
        with suppress(ValueError):
            yield from in_json(json.loads(text), "", DEEPEST)
        return
    yield from in_object(
        {name: float(value) for name, value in SETTING.findall(text) if is_number(value)}, ""
    )
    sheet = sheet_of(file, data)
    if sheet is None:
        return
    texts = [
        at for at in range(len(sheet.rows[0])) if not (sheet.numbers[:, at] == sheet.numbers[:, at]).any()
    ]
    numbers = [at for at in range(len(sheet.rows[0])) if (sheet.numbers[:, at] == sheet.numbers[:, at]).all()]
    if len(texts) != 1 or len(numbers) < 2:
        return
    headings = [sheet.headings[at] if sheet.headings else "" for at in numbers]
    for row, values in zip(sheet.rows, sheet.numbers[:, numbers].tolist(), strict=True):
        named = {
            heading or str(at): value
            for at, (heading, value) in enumerate(zip(headings, values, strict=True))
        }
        yield from in_object(named, row[texts[0]]) or (
            [(row[texts[0]], *values)] if len(values) == 2 and not any(headings) else []
        )


def of_target(file: str, data: bytes) -> Iterator[tuple[str, float, float]]:
    """The scale in a file that is named after what a model says (`y-scaler.json`, `target.txt`) and has a
    mean and a deviation, each with its name or none, and nothing else."""
    text = data.decode("utf-8", "replace")
    words = [word.lower() for word in WORD.findall(NUMBER.sub(" ", text))]
    known = [word for word in words if word in CENTRES | WIDTHS]
    own = words_of(PurePosixPath(file).stem) & (TARGETS | {LETTER}) - (set() if words else DOUBTFUL)
    numbers = [float(one) for one in NUMBER.findall(text)]
    if not own or len(numbers) != PAIR or {*words} - TARGETS - {LETTER, *known}:
        return
    centre, width = numbers[::-1] if known and known[0] in WIDTHS else numbers
    is_one_of_each = len(known) == PAIR and (known[0] in CENTRES) != (known[1] in CENTRES)
    if width > 0 and (is_one_of_each or not known):
        yield min(own), centre, width


def headings_of(sheet: Sheet) -> tuple[str, ...]:
    """The headings of a table's columns of numbers."""
    columns = range(len(sheet.headings))
    return tuple(sheet.headings[at] for at in columns if (sheet.numbers[:, at] == sheet.numbers[:, at]).any())


def by_place(data: bytes, tables: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, float, float]]:
    """The scales of a file with nothing but a list of means and one of deviations, by a table's headings."""
    lists = lists_in(data.decode("utf-8", "replace"))
    rows = [one.tolist() for one in lists] if len(lists) == PAIR else []
    names = next((one for one in tables if rows and len(one) == len(rows[0]) == len(rows[1])), ())
    if names and min(rows[1]) > 0:
        yield from zip(names, *rows, strict=True)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def in_json(value: Any, name: str, deep: int) -> Iterator[tuple[str, float, float]]:
    """The scales in a value of JSON that stands under a name."""
    if isinstance(value, dict):
        own = next((value[key] for key in NAMES if isinstance(value.get(key), str)), name)
        yield from in_object(value, own)
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        if deep and isinstance(one, dict):
            yield from in_json(one, key if isinstance(key, str) else name, deep - 1)
        elif deep and isinstance(one, list) and one and isinstance(one[0], dict):
            yield from in_json(one, name, deep - 1)


def in_object(value: Mapping[str, Any], name: str) -> list[tuple[str, float, float]]:
    """The scales among the values of one object: by their names' ends, one number or a list of them."""
    ends: dict[tuple[str, str], Any] = {}
    for key, one in value.items():
        words = [word.lower() for word in WORD.findall(key)]
        for kind, known in (("centre", CENTRES), ("width", WIDTHS), ("low", LOWS), ("high", HIGHS)):
            if words and words[-1].rstrip("s") in known | {word.rstrip("s") for word in known}:
                ends["_".join(words[:-1]), kind] = one
            elif words and words[0] in known:
                ends["_".join(words[1:]), kind] = one
    named: list[list[Any]] = [value[key] for key in NAMES if isinstance(value.get(key), list)]
    found: list[tuple[str, float, float]] = []
    for stem in dict.fromkeys(stem for stem, _ in ends):
        centre, width, low, high = (ends.get((stem, kind)) for kind in ("centre", "width", "low", "high"))
        if centre is None and width is None and low is not None and high is not None:
            centre, width = low, minus(high, low)
        found += pairs(stem or name, centre, width, named[0] if named else ())
    return found


def minus(one: Any, other: Any) -> Any:
    if isinstance(one, list) and isinstance(other, list):
        return [minus(*pair) for pair in zip(one, other, strict=False)]
    return one - other if is_plain(one) and is_plain(other) else None


def is_plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def pairs(name: str, centre: Any, width: Any, names: Sequence[Any]) -> list[tuple[str, float, float]]:
    if is_plain(centre) and is_plain(width):
        return [(name, float(centre), float(width))]
    if (
        not isinstance(centre, list)
        or not isinstance(width, list)
        or not len(centre) == len(width) == len(names)
    ):
        return []
    many = zip(names, centre, width, strict=True)
    return [(str(one), float(mean), float(by)) for one, mean, by in many if is_plain(mean) and is_plain(by)]


def of_output(output: str, model: str, scales: Sequence[Scale]) -> Scale | None:
    """Returns the only scale of which an output's name says that it is its own, or else the model's name, or
    None if there is none, or several."""
    last = {one.file: one for one in scales}.values()
    ways = (
        [one for one in scales if words_of(output) & words_of(one.name) - GENERAL],
        [one for one in scales if words_of(model) & words_of(one.name) - GENERAL],
        [one for one in scales if words_of(one.name) & TARGETS],
        [one for one in last if LETTER in words_of(one.name)],
    )
    found: Sequence[Scale] = next(filter(None, ways), [])
    return found[0] if len({(one.centre, one.width) for one in found}) == 1 else None
