"""Events of wasi-nn sessions as fields of `events.Inference`.

What is not here: numbers about tensors (`tensors.py`), and hints (`hints`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from ..nn.operation import NNEvent
from . import few
from .events import Tensor
from .tensors import described

ANSWERS = frozenset({"get_output", "get_output_by_name", "compute"})
"""Operations that return outputs, whose largest elements are shown."""


def inferences(event: NNEvent, keep: int = 0) -> Iterator[dict[str, Any]]:
    """Fields of the trace events of one operation: one for each input that came with a compute, then its
    own."""
    for index, spec, tensor in event.given:
        yield {
            **shared(event),
            "operation": "set_input",
            "arguments": f"ctx {event.context_id}",
            "seconds": 0.0,
            "error": None,
            "reason": None,
            "index": index,
            "tensors": (described(spec, tensor, keep=keep),),
        }
    tensors: tuple[Tensor, ...] = ()
    # The outputs of a compute are shown when the guest fetches them.
    if event.operation != "compute" or event.delivered:
        answers = event.operation in ANSWERS
        pairs = zip(event.specs, event.tensors, strict=False)
        tensors = tuple([described(spec, tensor, top=answers, keep=keep) for spec, tensor in pairs])
    yield {
        **shared(event),
        "operation": event.operation,
        "arguments": event.arguments,
        "seconds": event.seconds,
        "error": event.error.code.label if event.error else None,
        "reason": event.error.reason if event.error else None,
        "index": event.index,
        "tensors": tensors,
    }


def shared(event: NNEvent) -> dict[str, Any]:
    """The fields that all events of an operation share."""
    return {
        "model": event.model,
        "graph": event.graph_id,
        "context": event.context_id,
        "asked": event.asked.value if event.asked else None,
        "backend": event.graph.backend if event.graph else None,
        "device": event.graph.device if event.graph else None,
    }


def unwarned(event: NNEvent, *, always: bool) -> AbstractContextManager[object]:
    """No warning of numpy reaches the trace of an operation; numpy is imported `always`, or only if the
    operation needs it."""
    return few.unwarned(always or few.needs_numpy(event))
