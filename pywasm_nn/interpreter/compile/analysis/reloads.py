"""Which loads read again what an earlier load or store of the same body has seen at the same address.

What is here: a forecast from the text of the body alone: where it is wrong, a value is kept that nobody asks
for, or memory is read once more. What is not: whether memory still has the value, which is known where the
body is lowered (`forms/contents.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import compress

from ...instructions import OPS, ByRow, Op
from ...module import Body

KEPT = frozenset({"u8", "s8", "u16", "s16", "u32", "s32", "u64", "f64"})
"""Accesses whose values are kept. An f32 would have to keep a signalling NaN beside it."""
GET, TEE, CONST = OPS["local.get"], OPS["local.tee"], OPS["i32.const"]
STOPS = frozenset(
    {"call", "call_indirect", "call_ref", "loop", "else", "br", "br_table", "return", "unreachable"}
    | {"catch", "catch_all", "try_table", "try"}
)
"""Instructions behind which little is known of memory."""
LOAD, STORE, STOP = 1, 2, 3
RARE = 8
"""A body in which fewer than one of so many loads is a repetition is left alone."""

Way = tuple[int, int]
"""How an address is computed: a local, or ~number of the way of a load, and an offset."""


def kind_of(op: Op) -> int:
    if op.access in KEPT and not op.atomic and op.kind != "v128":
        return STORE if op.stores else LOAD
    return STOP if op.name in STOPS else 0


KINDS = ByRow(kind_of)


class Reloads:
    """The forecast for one body."""

    __slots__ = ("_places", "_stops", "asked", "loads", "repeated", "ways")

    def __init__(self, body: Body) -> None:
        self.asked: set[int] = set()
        """Loads whose value a later load reads again."""
        self.ways: dict[int, int] = {}
        """For each load whose address is understood: the number of its way."""
        self._places: dict[Way, list[int]] = {}
        """For each way the loads that go it, after its number."""
        self._stops: list[int] = []
        ops, imms, stops, ways, places = body.ops, body.imms, self._stops, self.ways, self._places
        kinds = [*map(KINDS.__getitem__, ops)]
        latest: dict[Way, tuple[int, int]] = {}
        stopped = repeated = 0
        for pc in compress(range(len(ops)), kinds):
            kind = kinds[pc]
            if kind == STOP:
                stops.append(pc)
                stopped += 1
                continue
            before = ops[pc - 1]
            if kind == STORE:
                address = ops[pc - 2]
                if (before is GET or before is CONST) and (address is GET or address is TEE):
                    latest[imms[pc - 2], imms[pc].offset] = stopped, -1
                continue
            if before is GET or before is TEE:
                base = imms[pc - 1]
            elif pc - 1 in ways:
                base = ~ways[pc - 1]
            else:
                continue
            way = base, imms[pc].offset
            last = latest.get(way)
            if last is not None and last[0] == stopped:
                repeated += 1
                if last[1] >= 0:
                    self.asked.add(last[1])
            latest[way] = stopped, pc
            loads = places.get(way)
            if loads is None:
                loads = places[way] = [len(places)]
            loads.append(pc)
            ways[pc] = loads[0]
        self.loads, self.repeated = kinds.count(LOAD), repeated
        """The number of loads, and of those that repeat a load or a store of something simple."""

    @property
    def is_rare(self) -> bool:
        """Whether so few loads are repeated that it isn't worth looking for them."""
        return self.repeated * RARE <= self.loads

    def asks(self, way: Way, pc: int) -> bool:
        """Whether a load after the store at `pc` reads what is stored there."""
        places = self._places.get(way)
        if places is None:
            return False
        place = bisect_right(places, pc, 1)
        if place == len(places):
            return False
        stop = bisect_right(self._stops, pc)
        return stop == len(self._stops) or self._stops[stop] > places[place]
