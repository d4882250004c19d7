"""Pictures of classes that guests write to files, read in the answer's layout or in the other one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.argmaxed import Argmaxed

RNG = numpy.random.default_rng(12)


def answer(classes: int, height: int, width: int, *, planar: bool) -> Any:
    """Scores of classes in stripes and a disc."""
    rows, columns = numpy.indices((height, width))
    labels = (rows * classes // height + columns // 9) % classes
    labels[(rows - height // 2) ** 2 + (columns - width // 2) ** 2 < 40] = classes - 1
    scores = (labels == numpy.arange(classes)[:, None, None]) * 4 + RNG.normal(
        0, 0.5, (classes, *labels.shape)
    )
    return (scores if planar else scores.transpose(1, 2, 0))[None].astype("f4")


def labels_of(scores: Any, *, planar: bool) -> Any:
    """The classes, read in one of both layouts."""
    lengths = scores.shape[1:]
    classes = min(lengths)
    height, width = (one for one in lengths if one != classes)
    if planar:
        return scores.reshape(classes, height, width).argmax(0)
    return scores.reshape(height, width, classes).argmax(2)


def hint(scores: Any, *files: tuple[str, bytes]) -> str:
    rule, spec = Argmaxed(), SimpleNamespace(name="seg")
    event: Any = SimpleNamespace(
        operation="get_output", index=0, tensors=(Tensor.from_numpy(scores),), error=None, specs=(spec,)
    )
    rule.nn_event(event)
    for number, (path, data) in enumerate(files, 5):
        for name, arguments in (
            ("path_open", (("path", path), ("opened_fd", number))),
            ("fd_write", (("fd", number), ("ciovs", [data]))),
        ):
            call: Any = SimpleNamespace(name=name, error=None, arguments=arguments, result=0)
            rule.host_call(call)
    return "; ".join(text for _, text in rule.finish())


def grey(labels: Any) -> bytes:
    height, width = labels.shape
    return f"P5\n{width} {height}\n255\n".encode() + (labels * 60).astype("u1").tobytes()


def coloured(labels: Any) -> bytes:
    height, width = labels.shape
    colours = numpy.array([[0, 0, 0], [255, 0, 0], [0, 255, 0], [90, 80, 70], [0, 0, 255]], "u1")
    return f"P6\n{width} {height}\n255\n".encode() + colours[labels].tobytes()


def raw(labels: Any) -> bytes:
    return bytes(labels.astype("u1").tobytes())


def one_class(labels: Any) -> bytes:
    return raw(255 * (labels == 1))


def sampled(labels: Any) -> bytes:
    return grey(labels[1::2, 1::2])


FORMS = [grey, coloured, raw, one_class, sampled]


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("classes", "height", "width"), [(4, 48, 60), (2, 40, 40), (5, 30, 52)])
def test_classes_of_the_other_layout(form: Any, planar: bool, classes: int, height: int, width: int) -> None:
    scores = answer(classes, height, width, planar=planar)
    for reads_planar in (True, False):
        found = hint(scores, ("out", form(labels_of(scores, planar=reads_planar))))
        assert ("is the largest of" in found) is (reads_planar is not planar), found
        assert ("as if it were NHWC; it is NCHW" if planar else "as if it were NCHW") in found or not found


def test_other_files() -> None:
    scores = answer(4, 48, 60, planar=True)
    noise = RNG.integers(0, 4, (48, 60))
    flat = numpy.zeros((48, 60), "i8")
    blended = labels_of(scores, planar=True) * 20 + RNG.integers(0, 200, (48, 60))
    for data in (grey(noise), raw(flat), grey(blended), b"", b"P5\n60 48\n255\n", b"x" * 2880):
        assert hint(scores, ("out.pgm", data)) == ""
    assert hint(answer(4, 4, 4, planar=True), ("out", grey(noise))) == ""
