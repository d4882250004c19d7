"""A file that a guest was given, and in the place of whose samples another's were sent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.order.replaced import Replaced

GIVEN = "pictures/a.ppm"
SMALL, LARGE = (Tensor.from_numpy(numpy.ones((1, count), "f4")) for count in (2, 64))


def hint(
    read: Sequence[str], sent: Sequence[tuple[Tensor, str | None]], given: Sequence[str] = (GIVEN,)
) -> str:
    replaced = Replaced(given, lambda: [(name, b"x" * (1 if "short" in name else 100)) for name in read])
    for tensor, name in sent:
        replaced.came_from('input 0 "x"', tensor, name)
    return " ".join(text for _, text in replaced.finish())


READ = ["m.onnx", "a.ppm", "mean.ppm"]


@pytest.mark.parametrize("sent", [[(LARGE, "mean.ppm")], [(SMALL, None), (LARGE, "mean.ppm")]])
def test_another_file_is_sent(sent: list[tuple[Tensor, str | None]]) -> None:
    text = hint(READ, sent)
    assert text.startswith('input 0 "x": it is mean.ppm, and a.ppm, which is among') and "dropped" in text


TWINS = {
    "its own": ([*READ], [(LARGE, "a.ppm")], [GIVEN]),
    "both": (READ, [(LARGE, "a.ppm"), (LARGE, "mean.ppm")], [GIVEN]),
    "something of both": (READ, [(LARGE, None), (LARGE, "mean.ppm")], [GIVEN]),
    "both were given": (READ, [(LARGE, "mean.ppm")], [GIVEN, "mean.ppm"]),
    "none was given": (READ, [(LARGE, "mean.ppm")], []),
    "a list of names": (["a.txt", "b.ppm"], [(LARGE, "b.ppm")], ["a.txt"]),
    "a list of pictures": (["a.ppm", "b.ppm"], [(LARGE, "b.ppm")], ["short.ppm"]),
    "limits in a table": (["limits.csv", "data.csv"], [(LARGE, "data.csv")], ["limits.csv"]),
    "settings": (["run.json", "rows.json"], [(LARGE, "rows.json")], ["conf/run.json"]),
    "read before": (["mean.ppm", "a.ppm"], [(LARGE, "mean.ppm")], [GIVEN]),
}


@pytest.mark.parametrize("name", TWINS)
def test_files_that_are_meant(name: str) -> None:
    assert hint(*TWINS[name]) == ""
