"""`Evidence`: what the level "whatif" adds to a trace: where inputs came from, and whether the model would be
surer of other ones.

What is here: which inputs are looked at, and when. What is not: the search for an origin (`origin`), and the
questions to models (`whatif`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from typing import Any

from ..interpreter.runtime.observe import HostEvent
from ..nn.operation import NNEvent
from ..nn.tensor import Tensor, TensorSpec
from .origin import Origin, Origins
from .whatif import WhatIf

LOOKS = 2
"""So many tensors of each input are traced to a file."""
ORIGIN = "origin"
"""The rule of hints about where an input came from."""
ALSO_SAID_BY = {"the shape says": "layout"}
"""Rules of `hints` that say the same as an origin that begins so."""


class Evidence:
    """Gives lines after operations: (None, where an input came from), or a rule and its hint."""

    def __init__(self) -> None:
        self._origins = Origins()
        self._whatif = WhatIf()
        self._looked: Counter[Any] = Counter()
        self._said: set[str] = set()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned: it may have read a file."""
        self._origins.host_call(event)

    def nn_event(self, event: NNEvent, rules: Container[str]) -> Iterator[tuple[str | None, str]]:
        """Lines after an operation. `rules` are those that gave hints already."""
        if event.error is None:
            given = event.given
            if event.operation.startswith("set_input") and event.index is not None and event.tensors:
                given = ((event.index, event.specs[0], event.tensors[0]),)
            for index, spec, tensor in given:
                yield from self._origin(event, index, spec, tensor, rules)
        yield from self._whatif.nn_event(event)

    def _origin(
        self, event: NNEvent, index: int, spec: TensorSpec, tensor: Tensor, rules: Container[str]
    ) -> Iterator[tuple[str | None, str]]:
        key = event.graph_id, event.model, index
        self._looked[key] += 1
        if self._looked[key] > LOOKS:
            return
        found = self._origins.of(tensor)
        if found is None:
            return
        name = f'input {index} "{spec.name}"'
        said = [(None, f"{name}: {found}"), *self._mistake(name, found, rules)]
        for rule, text in said:
            if text not in self._said:
                self._said.add(text)
                yield rule, text
        if found.wrong:
            self._whatif.leave(event.graph_id)

    def _mistake(self, name: str, found: Origin, rules: Container[str]) -> list[tuple[str | None, str]]:
        known = [rule for beginning, rule in ALSO_SAID_BY.items() if found.wrong.startswith(beginning)]
        if not found.wrong or any(rule in rules for rule in known):
            return []
        return [(ORIGIN, f"{name}: compared with {found.source.name}, {found.wrong}")]
