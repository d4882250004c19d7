"""Names that models have for their classes, compared with what guests say of these."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats import class_names
from pywasm_nn.watch.hints.models import classes
from pywasm_nn.watch.probes.asked import Asked
from pywasm_nn.watch.probes.owned import misnamed
from tests.nn.backends.onnx_writer import Model, block, node
from tests.watch.test_uses_of_answers import asked_of, each

NAMES = ("oak", "elm", "ash tree", "yew", "fir")
RNG = numpy.random.default_rng(4)


def with_property(key: str, value: str) -> bytes:
    plain = Model([node("Identity", ["x"], ["y"])], {"x": (1, [1, 5])}, {"y": (1, [1, 5])}).data()
    return plain + block(14, block(1, key) + block(2, value))


@pytest.mark.parametrize(
    "value",
    [
        json.dumps(NAMES), json.dumps(dict(enumerate(NAMES))), str(dict(enumerate(NAMES))), ",".join(NAMES),
        "\n".join(NAMES), json.dumps({name: at for at, name in enumerate(NAMES)}),
    ],
)  # fmt: skip
def test_names_in_properties(value: str) -> None:
    assert classes([with_property("names", value)]) == [NAMES]
    assert not classes([with_property("author", value)])


@pytest.mark.parametrize(
    "value", ["{", "[1, 2, 3]", "{0: 'a', 2: 'b'}", "one", "[" * 5000, '{"a": null}', ""]
)
def test_what_is_no_list_of_names(value: str) -> None:
    assert not classes([with_property("names", value)])


def test_labels_of_a_classifier() -> None:
    zip_map = node("ZipMap", ["x"], ["y"], classlabels_strings=["ham", "spam"])
    model = Model([zip_map], {"x": (1, [1, 2])}, {"y": (1, [1, 2])})
    assert classes([model.data()]) == [("ham", "spam")]


def test_files_behind_a_model() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("labels.txt", "\n".join(NAMES) + "\n")
        made.writestr("notes.bin", b"\1\2\3")
    before = b"\0\0\0\0TFL3" + bytes(2_000_000)
    assert class_names.tflite(memoryview(before + packed.getvalue())) == [NAMES]
    assert class_names.tflite(memoryview(before)) == []
    assert class_names.tflite(memoryview(before + packed.getvalue()[:-30])) == []


def test_notes_of_the_model_api() -> None:
    xml = b'<net><rt_info><model_info><labels value="cat dog" /></model_info></rt_info></net>'
    assert class_names.openvino(memoryview(xml)) == [("cat", "dog")]
    assert class_names.openvino(memoryview(b"<net></net>")) == []


def of(say: Callable[[Sequence[Any]], str], answer: Any, names: Sequence[str] = NAMES) -> str:
    asked: Asked = asked_of(say, answer)
    asked.names_of_model = [names]
    return misnamed(asked)


def saying(names: Sequence[str], form: str = "it is {}\n") -> Callable[[Sequence[Any]], str]:
    return each(lambda row: form.format(names[int(row.argmax())]))


@pytest.mark.parametrize(
    ("names", "seen"),
    [
        (NAMES, ""),
        ([name.upper().replace(" ", "_") for name in NAMES], ""),
        (["Eiche", "Ulme", "Esche", "Eibe", "Tanne"], ""),
        (["oak", "elm", "ash tree", "fir", "beech"], ""),  # a name of its own for some
        (sorted(NAMES), "were the names sorted?"),
        (NAMES[::-1], "is the list of names backwards?"),
        ([*NAMES[1:], NAMES[0]], "has the guest another list of names?"),
    ],
)
def test_names_of_one_of_several(names: Sequence[str], seen: str) -> None:
    found = of(saying(names), RNG.dirichlet(numpy.ones(5), 1).astype("f4"))
    assert seen in found if seen else found == ""


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("shape", [(1, 2), (4, 2), (1, 1)])
def test_names_of_two(shape: tuple[int, int], *, exchanged: bool) -> None:
    """A line for each of a batch, or one number by which both are told apart."""
    names = ["ham", "spam"][:: -1 if exchanged else 1]

    def say(answers: Sequence[Any]) -> str:
        rows = answers[0][0]
        best = rows.argmax(1) if shape[1] == 2 else (rows[:, 0] > 0.5).astype(int)
        return "".join(f"mail {row + 1}: {names[one]}\n" for row, one in enumerate(best))

    found = of(say, RNG.random(shape).astype("f4"), ("ham", "spam"))
    assert ("are the two names exchanged?" in found) is exchanged
    assert exchanged or not found


def test_guests_that_list_all_names() -> None:
    say = each(lambda row: "".join(f"{NAMES[one]} {row[one]:.2f}\n" for one in row.argsort()[::-1]))
    assert of(say, RNG.dirichlet(numpy.ones(5), 1).astype("f4")) == ""
