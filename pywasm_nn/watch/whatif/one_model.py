"""Inputs of the only model that a guest computes, which has a single input, and what the guest writes then.

What is here: `OneModel`, for rules that ask such a model when the guest has ended. What is not: what the
rules keep of the inputs (`in_capitals.py`, `letter_orders.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import inputs_of
from ..spoken import Heard
from .sureness import Answer, answer_or_share


class OneModel:
    """Follows the inputs until another model is computed, or one comes that a rule doesn't know."""

    def __init__(self, copied: Callable[[Tensor], Tensor | None], *, are_all_known: bool) -> None:
        """`copied` gives a copy of an input that a rule knows, or None for any other. The first one must be
        known, and if `are_all_known` all must."""
        self._copied, self._are_all_known = copied, are_all_known
        self._given: Tensor | None = None
        self.event: NNEvent | None = None
        """The last compute."""
        self.called = ""
        """The input, as hints call it."""
        self.is_over = False
        """Whether there is nothing to ask the model about."""
        self.heard = Heard()
        """What the guest wrote since the first compute, to rules that pass host calls on."""

    def computed(self, event: NNEvent) -> Tensor | None:
        """Returns the input if an operation was a compute of it, or None."""
        if self.is_over or event.error is not None:
            return None
        for index, _, tensor in inputs_of(event):
            self._given = self._copied(tensor) if not index else None
            self.is_over = self._given is None and (self._are_all_known or self.event is None)
        if event.operation != "compute" or self._given is None or event.graph is None:
            return None
        is_other = self.event is not None and event.graph_id != self.event.graph_id
        self.is_over = len(event.graph.inputs) != 1 or is_other
        self.event, self.called = event, f'input 0 "{event.graph.inputs[0].name}"'
        return None if self.is_over else self._given

    def answered(self, event: NNEvent) -> tuple[Tensor, Answer] | None:
        """Returns the input of a compute and the answer to it, or None, also for other operations. Without an
        answer there is nothing to ask the model about."""
        given = self.computed(event)
        answer = None if given is None else answer_or_share(event.specs, event.tensors)
        if given is None or answer is None:
            self.is_over |= given is not None
            return None
        return given, answer

    @property
    def last(self) -> NNEvent | None:
        """The last compute, if the model may be asked about it."""
        return None if self.is_over else self.event

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self.event is not None and not self.is_over:
            self.heard.add(event)
