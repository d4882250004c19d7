"""Labels in a file beside the pictures of an IDX file."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.origin import Origin
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.sent.labels_beside import label_beside
from pywasm_nn.watch.whatif.several import Asked, Several
from pywasm_nn.watch.whatif.sureness import Answer


def found(step: str = "picture 2", wrong: str = "") -> Origin:
    return Origin(Source("a", None, "14 pictures"), ("pixels from 0 to 1", step), wrong)


def labels(folder: Path, values: list[int], name: str = "t10k-labels-idx1-ubyte") -> Path:
    (folder / name).write_bytes(b"\0\0\x08\x01" + struct.pack(">I", len(values)) + bytes(values))
    return folder / name.replace("labels", "images").replace("idx1", "idx3")


@pytest.mark.parametrize(
    ("values", "count", "places"),
    [([7, 0, 9], 10, (0,)), ([7, 2, 9], 10, (2, 1)), ([23, 1, 26], 26, (0,)), ([23, 1, 27], 26, ())],
)
def test_labels(tmp_path: Path, values: list[int], count: int, places: tuple[int, ...]) -> None:
    label = label_beside(found(), labels(tmp_path, values))
    assert label is not None
    shown = label.depicted(count)
    assert (() if shown is None else shown.places) == places
    assert shown is None or str(shown) == "t10k-labels-idx1-ubyte says of picture 2"


def test_what_has_no_label(tmp_path: Path) -> None:
    place = labels(tmp_path, [1, 2])
    for other in (found("picture 3"), found("rows 1 to 4"), found(wrong="upside down")):
        assert label_beside(other, place) is None
    assert label_beside(found(), None) is None
    assert label_beside(found(), tmp_path / "images.ppm") is None
    assert label_beside(found(), tmp_path / "pictures.bin") is None


def test_an_unsure_answer_that_is_the_label() -> None:
    picture = Tensor.from_numpy(numpy.arange(400, dtype="f4").reshape(1, 1, 20, 20))
    answer: Any = Answer(3, 0.9, 0)
    shown = Depicted("x says of picture 1", (5,), is_label=True)
    asked = Asked((picture,), answer, lambda: shown, shown)
    assert asked.is_misnamed and asked.is_labelled(Answer(5, 0.4, 0)) and not asked.is_labelled(answer)
    assert Several().take((picture,), answer, lambda: shown)
