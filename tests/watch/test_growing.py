"""Guests that load a model, or make a context, for each compute, and those that mean several of them."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.watch.order.growing import Growing

Step = tuple[str, int, int | None]
"""An operation, its graph and its context."""
MANY = 40


def said(steps: Iterator[Step], *, by_name: str | None = None) -> list[str]:
    """Returns the hints that a guest gets that takes these steps."""
    rule, found = Growing(), list[str]()
    for operation, graph, context in steps:
        event: Any = SimpleNamespace(
            operation=operation,
            graph_id=graph,
            context_id=context,
            error=None,
            wanted=by_name,
            parts=() if by_name or operation != "load" else (b"same model",),
        )
        found += [text for _, text in rule.nn_event(event)]
    return found


def loads(count: int, *, computes: int = 1, release: str = "") -> Iterator[Step]:
    """A model and a context for each round."""
    for at in range(count):
        yield "load", at, None
        yield "init_execution_context", at, at
        for _ in range(computes):
            yield from (("set_input", at, at), ("compute", at, at), ("get_output", at, at))
        if release:
            yield release, at, at


def contexts(count: int, *, computes: int = 1, at_once: bool = False) -> Iterator[Step]:
    """A context for each round, or all before the first."""
    yield "load", 0, None
    made = [("init_execution_context", 0, at) for at in range(count)]
    runs = [(("set_input", 0, at), ("compute", 0, at), ("get_output", 0, at)) for at in range(count)]
    if at_once:
        yield from made
    for one, run in zip(made, runs, strict=True):
        yield from (*([] if at_once else [one]), *run * computes)


@pytest.mark.parametrize("by_name", [None, "digits"])
def test_a_model_that_is_loaded_for_each_compute(by_name: str | None) -> None:
    (text,) = said(loads(MANY), by_name=by_name)
    assert "the same model was loaded" in text and "before the loop" in text


def test_a_context_that_is_made_for_each_compute() -> None:
    (text,) = said(contexts(MANY))
    assert "contexts of graph 0 were made" in text and "before the loop" in text


def test_what_somebody_means() -> None:
    assert said(loads(8)) == said(contexts(8)) == [], "a few pictures"
    assert said(loads(MANY, release="unload")) == [], "a measurement of how long loading takes"
    assert said(loads(MANY, release="finalize_execution_context")) == []
    assert said(loads(MANY, computes=0)) == []
    assert said(contexts(MANY, at_once=True)) == [], "a stream each"
    assert said(contexts(MANY, computes=3)) == [], "each for a file of several windows"


def test_several_models() -> None:
    def events() -> Iterator[Any]:
        for at in range(MANY):
            for operation in ("load", "init_execution_context", "compute"):
                yield SimpleNamespace(
                    operation=operation,
                    graph_id=at,
                    context_id=at,
                    error=None,
                    wanted=None,
                    parts=(b"%d" % at,),
                )

    rule = Growing()
    assert [text for event in events() for _, text in rule.nn_event(event)] == []
