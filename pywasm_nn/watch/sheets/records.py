"""Numbers that stand beside their names in a file: a flat object of JSON, or lines such as `ph: 6.4`. And
lists of names in an order of their own, with a mean and a deviation for each, or without.

What is here: `records_in`, and `scalers_in`, which finds the two numbers of each name. What is not: tables
with headings (`sheet.py`), lists of names alone (`named.orders`), and the order in which a guest sends them
(`sent/record_orders.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from ..surroundings import text_in
from .sheet import sheet_of

MOST_BYTES, MOST_RECORDS, FEWEST, MOST, DEEPEST = 1 << 18, 256, 4, 64, 6
"""Bytes of a file, records in it, the numbers of a record, and how deep objects lie in objects."""
PAIR = 2
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
NAMED = regex(
    rf"""\s*["']?(?P<name>[A-Za-z_][^:=;,\t"'\n]*?)["']?(?:\s*[:=;,\t]\s*|\s+)(?P<number>{NUMBER})(?P<rest>.*)"""
)
"""A line with a name and a number."""
NEXT = regex(rf"[\s:;,/]*(?:[A-Za-z_]+\s*[:=]\s*)?({NUMBER})(?![\w.])")
"""The number behind another one."""
COMMENT = regex(r"\s*(?:#|//|%|\[)")


class Records(Frozen):
    """Names in the order of a file, and numbers, [records, names], of one record or of several."""

    names: tuple[str, ...]
    numbers: Any


class Scales(Frozen):
    """Names in the order of a file, and two numbers of each. `is_object`: they are the keys of an object of
    JSON, whose order says nothing where it is the alphabet's."""

    names: tuple[str, ...]
    one: Any
    other: Any
    is_object: bool = False


@lru_cache(64)
def records_in(data: bytes) -> tuple[Records, ...]:
    """The records of a file, none of a table or of anything else. Those that have the same names in the same
    order are together."""
    text = text_in(data, MOST_BYTES)
    together: dict[tuple[str, ...], list[list[float]]] = {}
    for own in islice(objects_in(json_of(text)) if is_json(text) else blocks_in(text), MOST_RECORDS):
        together.setdefault(tuple(own), []).append([*own.values()])
    return tuple(Records(names, numpy.array(own, "f8")) for names, own in together.items())


@lru_cache(64)
def records_of_lines(data: bytes) -> tuple[Records, ...]:
    """The lines of a table with headings, as records of their numbers."""
    sheet = sheet_of("", data)
    if sheet is None or len({*sheet.headings}) < max(FEWEST, len(sheet.headings)):
        return ()
    columns = numpy.isfinite(sheet.numbers).all(axis=0)
    names = tuple(name for name, is_one in zip(sheet.headings, columns, strict=True) if is_one)
    return (Records(names, sheet.numbers[:MOST_RECORDS, columns]),)


@lru_cache(64)
def scalers_in(data: bytes) -> tuple[Scales, ...]:
    """The lists of names with two numbers each in a file."""
    text = text_in(data, MOST_BYTES)
    found = scales_of_json(json_of(text)) if is_json(text) else scales_of_lines(text)
    return tuple(one for one in found if FEWEST <= len({*one.names}) == len(one.names) <= MOST)


def is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def json_of(text: str) -> Any:
    """The value of a JSON text, a list of those of its lines, or None of a text that is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def inside(value: Any) -> list[Any]:
    """The values in an object or a list of JSON, or none of any other value."""
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def objects_in(value: Any, deep: int = DEEPEST) -> Iterator[dict[str, float]]:
    """The objects with numbers in a value of JSON, and lists of objects of a name and a number each."""
    if isinstance(value, dict):
        own = {name: one for name, one in value.items() if is_number(one)}
        if FEWEST <= len(own) <= MOST:
            yield own
    elif isinstance(value, list) and FEWEST <= len(value) <= MOST:
        pairs = [pair for one in value if (pair := name_and_numbers(one)) and len(pair[1]) == 1]
        if len({name for name, _ in pairs}) == len(value):
            yield {name: one for name, (one,) in pairs}
    for one in inside(value) if deep else ():
        yield from objects_in(one, deep - 1)


def name_and_numbers(value: Any) -> tuple[str, list[float]] | None:
    """The only text of an object, and its numbers, or None if there is none, or several."""
    own = inside(value) if isinstance(value, dict) else []
    texts = [one for one in own if isinstance(one, str)]
    return (texts[0], [one for one in own if is_number(one)]) if len(texts) == 1 else None


def blocks_in(text: str) -> Iterator[dict[str, float]]:
    """The names and numbers of lines, up to a blank line."""
    own: dict[str, float] = {}
    for line in [*text.splitlines(), ""]:
        found = NAMED.fullmatch(line)
        if found is not None and found["name"] not in own and not NEXT.match(found["rest"]):
            own[found["name"].strip()] = float(found["number"])
        elif not line.strip() or found is not None:
            if FEWEST <= len(own) <= MOST:
                yield own
            own = {}
            if found is not None and line.strip():
                return  # a table, or a scaler


def scales_of_lines(text: str) -> list[Scales]:
    """The names and the first two numbers of lines, all of which have these but for headings."""
    found = []
    for line in text.splitlines():
        if line.strip() and not COMMENT.match(line):
            one = NAMED.fullmatch(line)
            two = NEXT.match(one["rest"]) if one is not None else None
            if one is not None and two is not None:
                found.append((one["name"].strip(), float(one["number"]), float(two[1])))
            elif found:
                return []
    return [scales([name for name, *_ in found], [both for _, *both in found])] if found else []


def scales(names: Sequence[str], pairs: Sequence[Sequence[float]], *, is_object: bool = False) -> Scales:
    one, other = numpy.array(pairs, "f8").reshape(len(names), PAIR).T
    return Scales(tuple(names), one, other, is_object)


def scales_of_json(value: Any, deep: int = DEEPEST) -> list[Scales]:
    """Two numbers for each name: in an object or list of each, in two objects with the same names, or in two
    lists beside one of names."""
    own, found = inside(value), []
    if isinstance(value, dict):
        pairs = [[number for number in inside(one) if is_number(number)][:PAIR] for one in own]
        if own and all(len(pair) == PAIR for pair in pairs) and len(own) >= FEWEST:
            found.append(scales([*value], pairs, is_object=True))
        both = [one for one in own if isinstance(one, dict) and one and all(map(is_number, one.values()))]
        if len(both) >= PAIR and {*both[0]} == {*both[1]}:
            found.append(scales([*both[0]], [[one[name] for one in both[:PAIR]] for name in both[0]],
                                is_object=True))  # fmt: skip
        lists = [one for one in own if isinstance(one, list) and one]
        names = next((one for one in lists if all(isinstance(name, str) for name in one)), [])
        columns = [one for one in lists if len(one) == len(names) and all(map(is_number, one))]
        if names and len(columns) >= PAIR:
            found.append(scales(names, [*zip(*columns[:PAIR], strict=True)]))
    elif own:
        named = [name_and_numbers(one) for one in own]
        if all(one is not None and len(one[1]) >= PAIR for one in named):
            found.append(scales([one[0] for one in named if one], [one[1][:PAIR] for one in named if one]))
    for one in own if deep else ():
        found += scales_of_json(one, deep - 1)
    return found
