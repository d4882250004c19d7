"""Scores of one byte that are read with another sign than the model's; and right programs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.as_signed import AsSigned

ROUNDS, KINDS = 16, 5
NAMES = ("quiet", "smoke alarm", "dog", "glass", "rain")
RNG = numpy.random.default_rng(4)


def scores(kind: str) -> Any:
    """Scores of one byte, of which some rounds are sure."""
    shares = RNG.dirichlet(numpy.full(KINDS, 0.5), ROUNDS)
    made = numpy.rint(shares * 255)
    return made.astype("u1") if kind == "u1" else (made - 128).astype("i1")


def hint(rows: Any, read: str, form: str = "{0}: {1} {2}\n", level: float = -999.0) -> str:
    """What is said of a guest that reads bytes as this type, and writes the name of the best one."""
    rule = AsSigned()
    for number, row in enumerate(rows):
        spec = SimpleNamespace(name="scores")
        event = SimpleNamespace(
            operation="get_output",
            error=None,
            tensors=(Tensor.from_numpy(row[None]),),
            specs=(spec,),
            index=0,
        )
        rule.nn_event(cast(Any, event))
        own = row.view(read)
        best = int(own.argmax())
        said = NAMES[best] if own[best] > level else "nothing"
        arguments = (("fd", 1), ("ciovs", [form.format(number, said, own[best]).encode()]))
        rule.host_call(cast(Any, SimpleNamespace(name="fd_write", error=None, arguments=arguments)))
    return "".join(text for _, text in rule.finish())


@pytest.mark.parametrize(("kind", "other"), [("u1", "i1"), ("i1", "u1")])
@pytest.mark.parametrize("form", ["{0}: {1} {2}\n", "{1}\n"])
def test_the_other_sign(kind: str, other: str, form: str) -> None:
    rows = scores(kind)
    found = hint(rows, other, form)
    assert 'output 0 "scores": what the guest writes goes by the largest' in found
    assert f"bytes as {other[0]}8, in round" in found and f"the model's are {kind[0]}8" in found
    assert hint(rows, kind, form) == ""


def test_what_is_left_alone() -> None:
    rows = scores("u1")
    assert hint(rows, "u1", level=150) == "", "some of the model's answers are too weak"
    assert hint(rows[:4], "i1") == "", "few rounds"
    assert hint(rows // 2, "i1") == "", "no byte has the highest bit"
    assert hint(rows, "i1", "{0}: {2}\n") == "", "nothing is named"
