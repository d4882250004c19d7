"""Lines of a table whose columns go over several powers of ten, sent as they stand to a model that was
trained on their logarithms; and models that were trained on them as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn import NN
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.whatif.scaling import unscaled
from tests.watch.test_written import flowers, trained

LOGS: dict[str, Callable[[Any], Any]] = {"log10": numpy.log10, "natural logarithms": numpy.log}
BEHIND = numpy.array([2.0, 0.5, 1.0, -1.0])


def said(data: bytes, lines: Any, folder: Path) -> str | None:
    (folder / "m.onnx").write_bytes(data)
    layer = facts([data]).layers[0]
    with NN(backends={"onnx": "numpy"}).load(folder / "m.onnx") as model:
        tensors = model.tensors({"x": lines[:1].astype("f4")})
        return unscaled(model.graph, tensors, 0, lines, 0.0005, layer=layer)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LOGS)
def test_logarithms_that_were_forgotten(name: str, seed: int, tmp_path: Path) -> None:
    many = [*range(3)] * 50
    sizes = 10 ** (2 * flowers(many, seed) - 5 + BEHIND)
    lines = 10 ** (2 * flowers([0, 1, 2, 0, 1, 2, 2, 1, 0], seed + 20) - 5 + BEHIND)
    text = said(trained(LOGS[name](sizes), many, "Gemm"), lines, tmp_path)
    assert text is not None
    assert "were the logarithms forgotten?" in text
    assert said(trained(LOGS[name](sizes), many, "Gemm"), lines[:, ::-1] * 0 + 7.0, tmp_path) is None
    assert said(trained(sizes / sizes.std(0), many, "Gemm"), lines / sizes.std(0), tmp_path) is None
    even = flowers([0, 1, 2, 0, 1, 2, 2, 1, 0], seed + 20)
    assert said(trained(flowers(many, seed), many, "Gemm"), even, tmp_path) is None


def test_weights_that_are_no_numbers_say_nothing() -> None:
    many = [*range(3)] * 9
    data = trained(flowers(many, 0), many, "Gemm")
    weight, broken = (numpy.float32(one).tobytes() for one in (facts([data]).layers[0].weights[0, 0], "nan"))
    assert not facts([data.replace(weight, broken)]).layers
