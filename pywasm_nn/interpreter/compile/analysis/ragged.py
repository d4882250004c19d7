"""Loops inside whose rounds are as many as data says, and that add to what is where data says.

What is here: how many rounds these are, and what is added where. What is not: how it is computed
(`interpreter/arrays/ragged.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .comparisons import MIRRORED
from .numbers import BITS
from .rounds import Access, Path
from .values import Refused, Terms, Values

if TYPE_CHECKING:
    from .whole import Maker

Addition = tuple[Path, Access, int]
"""Where it is done, the store, and what is added."""
WAY = 0xFFFFFFFF


def laps(v: Values, test: tuple[str, bool, int, int, int], tests_first: bool) -> int:
    """The node that says how many rounds the loop inside has, which goes on while a comparison holds."""
    symbol, is_signed, bits, x, y = test
    left = v.terms(x)
    right = v.terms(y) if y >= 0 else (0, Terms())
    index = v.index(32, 1)
    if index in right[1] and index not in left[1]:
        left, right, symbol = right, left, MIRRORED[symbol]
    step, other = left[1].pop(index, 0), right[1].pop(index, 0)
    if bits != 32 or step not in (1, WAY) or other:
        raise Refused("has a loop inside that doesn't count by one")
    start, end = v.linear(32, *left), v.linear(32, *right)
    low, high = (start, end) if step == 1 else (end, start)
    count = v.sum(32, high, low, -1)
    if symbol in ("<", ">"):
        if (symbol == "<") is not (step == 1):
            raise Refused("has a loop inside that counts away from its end")
        less = v.over("bool", "i32.lt_s" if is_signed else "i32.lt_u", low, high)
        count = v.node("i32", False, "select", "i32", less, count, v.constant(32, 0))
    elif symbol != "!=":
        raise Refused("has a loop inside that goes on while it may end")
    return count if tests_first else v.sum(32, count, v.constant(32, 1))


def additions(maker: Maker) -> Iterator[Addition]:
    """What the stores of the loop inside add; the loads of what was there aren't done."""
    kinds = set()
    for number, store in enumerate(maker.round.stores):
        path = maker.relevant(store.path)
        if path is None:
            continue
        load, value = added(maker.v, store, number)
        maker.again_loaded.add(load)
        kinds.add((store.access, store.memidx))
        yield path, store, value
    if len(kinds) != 1:
        raise Refused("stores where data says, in several ways")


def added(v: Values, store: Access, number: int) -> tuple[int, int]:
    """The load of what a store replaces, and what it adds to that."""
    form = v.nodes[store.value]
    if store.access[0] == "f":
        for one, other in ((1, 2), (2, 1)):
            if form[0] == f"{store.access}.add" and replaces(v, store, number, form[one]):
                return form[one], form[other]
        if form[0] == f"{store.access}.sub" and replaces(v, store, number, form[1]):
            return form[1], v.over(store.access, f"{store.access}.neg", form[2])
        raise Refused("stores where data says")
    constant, terms = v.terms(store.value)
    for node, factor in terms.items():
        if factor == 1 and replaces(v, store, number, node):
            del terms[node]
            return node, v.linear(BITS[v.types[store.value]], constant, terms)
    raise Refused("stores where data says")


def replaces(v: Values, store: Access, number: int, node: int) -> bool:
    """Whether a node is what is in memory just before it is stored there."""
    form = v.nodes[node]
    return (
        form[0] == "load" and form[1][1:] == store.access[1:]
        and form[3:] == (store.memidx, store.address, store.offset, number)
    )  # fmt: skip
