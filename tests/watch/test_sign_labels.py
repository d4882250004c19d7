"""Labels -1 and 1 that a guest takes for 0 and 1, and right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.probes.sign_labels import Labels, as_truth
from tests.watch.test_uses_of_answers import asked_of

BOTH = [1, 1, -1, 1, -1, 1, 1]


def found(say: Callable[[Any], str], labels: Sequence[int], kind: str = "<i8", batch: int = 0) -> str:
    """The hint about a guest that writes a line about each label, of answers to so many inputs, or to all."""
    kept = Labels()
    step = batch or len(labels)
    for start in range(0, len(labels), step):
        answer = numpy.array(labels[start : start + step], kind)
        event: Any = SimpleNamespace(tensors=[Tensor.from_numpy(answer)])
        kept.computed(1, event)
        if not start:
            asked = asked_of(lambda answers: "".join(f"{say(one)}\n" for one in answers[0][0]), answer)
            assert as_truth(asked) == ""
            kept.suppose(1, asked.of_signs)
    return "; ".join(kept.finish())


@pytest.mark.parametrize(
    "say",
    [
        lambda label: "ok" if label else "OUTLIER",
        lambda label: "strange" if label == 0 else "",
        lambda label: ["strange", "usual"][min(1, int(label) & 1)],
    ],
)
@pytest.mark.parametrize("kind", ["<i8", "<i4", "|i1", "<f4"])
@pytest.mark.parametrize("batch", [0, 1])
def test_labels_that_are_compared_with_0(say: Callable[[Any], str], kind: str, batch: int) -> None:
    assert "the same of the labels -1 and 1, and another thing of 0" in found(say, BOTH, kind, batch)
    assert found(say, [1] * 7, kind, batch) == "", "which may be labels 0 and 1"
    assert found(say, [1, 0, 1, 1], kind, batch) == ""
    assert found(say, [1, 1, -1, 2], kind, batch) == ""
    assert found(say, [1, -1], kind, batch) == "", "few labels"


@pytest.mark.parametrize(
    "say",
    [
        lambda label: "ok" if label > 0 else "OUTLIER",
        lambda label: "OUTLIER" if label == -1 else "ok",
        lambda label: f"{label}",
        lambda label: "server",
        lambda label: "known" if label in (-1, 0, 1) else "unknown",
    ],
)
@pytest.mark.parametrize("batch", [0, 1])
def test_labels_that_are_read_as_they_are(say: Callable[[Any], str], batch: int) -> None:
    assert found(say, BOTH, batch=batch) == ""
