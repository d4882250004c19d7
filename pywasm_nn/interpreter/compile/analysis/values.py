"""Values of a round of a loop, as a graph: what a local, an operand or a stored value is, in terms of the
locals before the loop and of the round's number.

Equal values are one node. Integers are sums of multiples of other nodes (`linear`), so that an address that
follows the round's number is recognised however it is computed. What is not here: where the values come from
(`rounds.py`), and what is done with them (`whole.py`).
"""

from __future__ import annotations

from typing import Any

Node = tuple[Any, ...]
"""The kind of value and what it is made of: `("i32.xor", 3, 7)` for an instruction over nodes 3 and 7. The
kinds that are no instructions:
- `("linear", bits, number, ((node, factor), ...))`: number + sum of factor * node, modulo 2^bits
- `("local", local)`: a local before the loop
- `("index", loop)`: the number of the round, 0 the first, of loop 0 or of one inside: those have numbers from
  1 on, in the order in which they begin
- `("scaled", node, loop)`: a node that doesn't change in the loop, times that number
- `("rounds", loop)`: how many rounds a loop inside has
- `("before", loop, local)`: a local at the start of a round, where nothing else is known
- `("left", loop, local, node)`: a local after a loop inside, each round of which sets it to a node
- `("f32.const", bits)`, `("f64.const", bits)`
- `("load", access, type, memidx, address, offset, stores)`: so many stores of the round are before it
- `("select", type, condition, node, node)`
- `("not", condition)`, `("and", conditions)`, `("or", conditions)`
"""
Terms = dict[int, int]
"""Factors by node."""
KINDS = {32: "i32", 64: "i64"}


class Refused(Exception):
    """The loop does something that isn't done with arrays. The message says what."""


class Values:
    """The nodes of one loop."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.types: list[str] = []
        """The type of each node: "i32", "i64", "f32", "f64" or "bool"."""
        self.still: list[bool] = []
        """Whether a node has the same value in all rounds."""
        self._indices: dict[Node, int] = {}

    def node(self, type_: str, still: bool, *node: Any) -> int:
        """The index of a node."""
        found = self._indices.get(node)
        if found is None:
            found = self._indices[node] = len(self.nodes)
            self.nodes.append(node)
            self.types.append(type_)
            self.still.append(still)
        return found

    def over(self, type_: str, kind: str, *parts: int) -> int:
        """An instruction over nodes."""
        return self.node(type_, all(map(self.still.__getitem__, parts)), kind, *parts)

    def local(self, type_: str, local: int) -> int:
        return self.node(type_, True, "local", local)

    def index(self, bits: int, loop: int) -> int:
        return self.node(f"i{bits}", False, "index", loop)

    # Sums

    def constant(self, bits: int, number: int) -> int:
        return self.node(KINDS[bits], True, "linear", bits, number & (1 << bits) - 1, ())

    def linear(self, bits: int, number: int, terms: Terms) -> int:
        """number + sum of factor * node, modulo 2^bits."""
        mask = (1 << bits) - 1
        kept = tuple([(node, factor & mask) for node, factor in sorted(terms.items()) if factor & mask])
        number &= mask
        if len(kept) == 1 and not number and kept[0][1] == 1:
            return kept[0][0]
        still = all(self.still[node] for node, _ in kept)
        return self.node(KINDS[bits], still, "linear", bits, number, kept)

    def terms(self, node: int) -> tuple[int, Terms]:
        """An integer as a number and terms."""
        form = self.nodes[node]
        if form[0] == "linear":
            return form[2], dict(form[3])
        return 0, {node: 1}

    def number(self, node: int) -> int | None:
        """The value of a constant integer."""
        form = self.nodes[node]
        return form[2] if form[0] == "linear" and not form[3] else None

    def sum(self, bits: int, a: int, b: int, factor: int = 1) -> int:
        """a + factor * b."""
        number_b = self.number(b)
        if number_b is not None:  # as most are: addresses with an offset, and steps
            return self.moved(bits, a, factor * number_b)
        number, terms = self.terms(a)
        number_b, terms_b = self.terms(b)
        for node, by in terms_b.items():
            terms[node] = terms.get(node, 0) + factor * by
        return self.linear(bits, number + factor * number_b, terms)

    def moved(self, bits: int, a: int, by: int) -> int:
        """a + by, for a number."""
        form = self.nodes[a]
        number, kept = (form[2] + by, form[3]) if form[0] == "linear" else (by, ((a, 1),))
        number &= (1 << bits) - 1
        if not number and len(kept) == 1 and kept[0][1] == 1:
            return int(kept[0][0])
        return self.node(KINDS[bits], self.still[a], "linear", bits, number, kept)

    def product(self, bits: int, a: int, b: int) -> int:
        """a * b."""
        if self.number(a) is not None:
            a, b = b, a
        by = self.number(b)
        if by is not None:
            return self.sum(bits, self.constant(bits, 0), a, by)
        if self.still[a] and not self.still[b]:
            a, b = b, a
        if self.still[b] and not self.still[a]:
            for distributed in (self.scaled, self.carried):
                made = distributed(bits, a, b)
                if made is not None:
                    return made
        return self.over(f"i{bits}", f"i{bits}.mul", min(a, b), max(a, b))

    def scaled(self, bits: int, a: int, by: int) -> int | None:
        """a * by, for a sum `a` of the round's number and what doesn't change, and a `by` that doesn't."""
        number, terms = self.terms(a)
        made: Terms = {by: number} if number else {}
        for node, factor in terms.items():
            form = self.nodes[node]
            if form[0] == "index":
                term = self.node(f"i{bits}", False, "scaled", by, form[1])
            elif self.still[node]:
                term = self.over(f"i{bits}", f"i{bits}.mul", min(node, by), max(node, by))
            else:
                return None
            made[term] = made.get(term, 0) + factor
        return self.linear(bits, 0, made)

    def carried(self, bits: int, a: int, by: int) -> int | None:
        """a * by, for a sum `a` of a local before the round, maybe multiplied, and of other values: the local
        stays apart from them, so that several updates are one."""
        number, terms = self.terms(a)
        for node, factor in terms.items():
            found = self.multiplied(node)
            if found is not None:
                del terms[node]
                rest = self.product(bits, self.linear(bits, number, terms), by)
                local, by_now = found
                by_all = by if by_now is None else self.product(bits, by_now, by)
                made = self.over(f"i{bits}", f"i{bits}.mul", min(local, by_all), max(local, by_all))
                return self.sum(bits, rest, made, factor)
        return None

    def multiplied(self, node: int) -> tuple[int, int | None] | None:
        """A local before the round and by what it is multiplied, if anything; None if the node is no such
        product."""
        kind, *parts = self.nodes[node]
        if kind == "before":
            return node, None
        if kind in ("i32.mul", "i64.mul"):
            for local, by in (parts, parts[::-1]):
                if self.nodes[local][0] == "before" and self.still[by]:
                    return local, by
        return None

    def parts(self, node: int) -> tuple[int, ...]:
        """The nodes that a node is made of."""
        form = self.nodes[node]
        kind = form[0]
        if kind == "linear":
            return tuple([term for term, _ in form[3]])
        if kind in LEAVES:
            return ()
        if kind == "scaled":
            return (form[1],)
        if kind == "load":
            return (form[4],)
        if kind == "select":
            return form[2:]
        if kind == "left":
            return form[3:]
        return form[1:]

    def is_load(self, node: int) -> bool:
        """Whether a node is what was loaded, as it stands."""
        return bool(self.nodes[node][0] == "load")

    def is_data(self, node: int, known: int = 0) -> bool:
        """Whether a node depends on memory, or on what a loop inside computes; but for the first nodes, of
        which so many are known."""
        return any(self.nodes[part][0] in DATA for part in self.made_of([node]) if part >= known)

    def made_of(self, roots: list[int]) -> set[int]:
        """The nodes that these are made of, themselves included."""
        seen: set[int] = set()
        waiting = list(roots)
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += self.parts(node)
        return seen


LEAVES = frozenset({"local", "index", "rounds", "before", "f32.const", "f64.const"})
DATA = frozenset({"load", "left"})
"""What isn't known before it is computed."""
