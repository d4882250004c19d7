"""Guests that set, compute and fetch in another order, or fetch the same output twice."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.order.behind import Behind
from pywasm_nn.watch.order.refetched import Refetched

MEMORY = memoryview(bytearray(64))


def spec(name: str) -> TensorSpec:
    return TensorSpec(name, DType.I32 if name == "label" else DType.U8, (1, 4))


def played(
    steps: str, outputs: int = 2, names: Sequence[str] = ("boxes", "scores", "count"), apart: int = 8
) -> list[str]:
    """The hints at calls of one context: "r" reads, "w" writes, "a" to "f" are inputs that are set, "A" to
    "F" the same as input 1, "0" an input that is cleared, "!" computes (the answer of the n-th compute is n),
    "1" to "9" set an answer, "." and "," fetch outputs 0 and 1, into buffers so many bytes apart."""
    rules: list[Any] = [Behind(), Refetched()]
    graph = SimpleNamespace(outputs=tuple(map(spec, names[:outputs])))
    computes = 0
    for number, step in enumerate(steps.replace(" ", "")):
        computes += step == "!"
        letter = step.lower() if step.isalpha() else step
        data = (
            bytes([0, computes, 7, 9])
            if step == "!"
            else b"\0" * 4
            if step == "0"
            else letter.encode() * 3 + b"9"
        )
        if step.isdigit() and step != "0":
            data = bytes([0, int(step), 7, 9])
        name = {"!": "compute", ".": "get_output", ",": "get_output", "r": "fd_read", "w": "fd_write"}.get(
            step, "set_input"
        )
        index = {",": 1}.get(step, int(step.isupper()))
        event: Any = SimpleNamespace(
            error=None, operation=name, index=index, context_id=0, graph=graph,
            specs=(spec("x"),), tensors=(Tensor(DType.U8, (4,), data),), given=(),
        )  # fmt: skip
        call: Any = SimpleNamespace(
            module="wasi_ephemeral_nn" if name[0] != "f" else "wasi",
            name=name,
            error=None,
            arguments=(("buffer", MEMORY[number * apart % 32 :][:4]),),
        )
        for rule in rules:
            if name[0] != "f":
                rule.nn_event(event)
            if hasattr(rule, "host_call"):
                rule.host_call(call)
    return [text for rule in rules for _, text in rule.finish()]


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        ("ra!.w rb!.w rc!.w", ""),
        ("ra!.aw r!.bw r!.cw", "the first is computed twice"),
        ("a!.a !.b !.c", "the first is computed twice"),
        ("r!.aw r!.bw", "the first compute has none"),
        ("ra r!.bw r!.cw r!.dw", "the last one was never computed"),
        ("ra!.w", ""),
        ("a!.a !.a", ""),  # the same input again and again
        ("a!.b !.c !.d", ""),  # a forecast that is put into the next window
        ("ra rb!.wrb !.wrc !.w", ""),  # the next one is read ahead
        ("rA ra!.,1 ra!.,2 rb!.,3", ""),  # a state
        ("0!.0!. ra!.0w rb!.0w", ""),  # a warm-up, and a buffer that is cleared
        ("raB!. rb!. rc!.", ""),  # one of two inputs stays
        ("0! !a. !b. !c.", "the first is computed with an empty one"),
        ("0!. !a. !b. !c. !d.", "the first is computed with an empty one"),
        ("0! a. !b. !c. !d.", ""),  # the next one is set ahead, and what begins is black
        ("0!! a!. b!. c!. d", ""),
        ("0!! a!b. !c. !d.", ""),
        ("0!! a!. b!c. !d. !e.", ""),
        ("a! !b. !c. !d.", ""),  # computed twice to warm up, and set ahead
    ],
)
def test_an_input_behind_compute(steps: str, seen: str) -> None:
    found = [one for one in played(steps) if "set_input has to come" in one]
    assert bool(found) == bool(seen)
    assert not found or seen in found[0]


@pytest.mark.parametrize(
    ("steps", "outputs", "seen"),
    [
        ("a!..w", 2, True),
        ("a!.,w", 2, False),
        ("a!..w b!..w", 2, True),
        ("a!.,.,w", 3, False),
        ("a!.w.w", 2, False),  # printed, and looked at again
        ("a!.w b!..w", 2, False),
        ("a!.,,w", 3, True),
        ("a!..w", 1, False),
        ("a!..w", 3, False),  # which of two others was meant isn't known
    ],
)
def test_the_same_output_twice(steps: str, outputs: int, *, seen: bool) -> None:
    found = [one for one in played(steps, outputs) if "twice in a row" in one]
    assert bool(found) is seen
    assert not found or f'output {outputs - 1} "' in found[0]


@pytest.mark.parametrize(
    ("names", "apart", "seen"),
    [
        (("boxes", "scores"), 8, True),
        (("boxes", "scores"), 0, False),  # into the same buffer: once for the class, once for its share
        (("probabilities", "label"), 8, False),  # whose classes are whole numbers
    ],
)
def test_what_two_functions_fetch(names: tuple[str, str], apart: int, *, seen: bool) -> None:
    assert any("twice in a row" in one for one in played("a!..w b!..w", 2, names, apart)) is seen
