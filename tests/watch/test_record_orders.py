"""Numbers beside their names, sent in the order of the alphabet or of the file; and those that are right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.sent.record_orders import Known, RecordOrders

NAMES = ("weight", "height", "pulse", "iron", "age")
MEANS, WIDTHS = numpy.array([70, 172, 68, 1.1, 44]), numpy.array([11, 8, 7, 0.1, 13])
ROWS = numpy.random.default_rng(4).normal(MEANS, WIDTHS, (3, 5)).round(2)
SORTED = sorted(range(5), key=NAMES.__getitem__)
LIST, SCALER = (
    "\n".join(NAMES),
    "".join(f"{one}: {m} {w}\n" for one, m, w in zip(NAMES, MEANS, WIDTHS, strict=True)),
)
Files = Sequence[tuple[str, str]]


def as_json(order: Sequence[int] = range(5), **more: Any) -> str:
    """Records in a file of JSON that have their names in an order."""
    return json.dumps([more | {NAMES[at]: row[at] for at in order} for row in ROWS.tolist()], indent=1)


def as_lines(order: Sequence[int] = range(5), mark: str = ": ") -> str:
    """One record in lines."""
    return "patient: Ann\n" + "".join(f"{NAMES[at]}{mark}{ROWS[0, at]}\n" for at in order)


def said(
    files: Files, rows: Any, columns: Sequence[Column] = (), known: Sequence[Known] = (), **named: Any
) -> str:
    """The hints about lines, or about numbers of inputs of their own, which have names then."""
    every = [(name, text.encode()) for name, text in files]
    rule = RecordOrders(lambda: every)
    rule.loaded(1, {0: columns}, known)
    found: list[tuple[str, str]] = []
    for row in numpy.asarray(rows, "f4"):
        given = [row] if not named else row[:, None]
        for index, (name, one) in enumerate(zip(named.get("inputs", ["x"]), given, strict=True)):
            tensor = Tensor.from_numpy(one[None])
            spec = TensorSpec(name, tensor.dtype, tensor.shape)
            found += rule.nn_event(
                NNEvent("set_input", "", 0.0, None, None, 1, 1, None, index, (spec,), (tensor,))
            )
        found += rule.nn_event(NNEvent("compute", "", 0.0, None, None, 1, 1, None, None, (), ()))
    return "; ".join(text for _, text in (*found, *rule.finish()))


def scaled(rows: Any) -> Any:
    return (rows - MEANS) / WIDTHS


@pytest.mark.parametrize(
    "file", [as_json(), as_json(SORTED), as_lines(), as_lines(SORTED, "="), as_lines(mark=" ")]
)
@pytest.mark.parametrize("known", [LIST, json.dumps({"features": NAMES}), ",".join(NAMES), SCALER])
def test_in_the_order_of_the_alphabet(file: str, known: str) -> None:
    files = [("people.json", file), ("order.txt", known)]
    wrong = said(files, ROWS[:1, SORTED])
    assert "alphabetical" in wrong and 'element 0 would be "weight", and is "age"' in wrong
    assert said(files, ROWS[:1]) == said([files[0]], ROWS[:1, SORTED]) == ""


EACH = [*zip(NAMES, MEANS.tolist(), WIDTHS.tolist(), strict=True)]
BOTH = {"mean": {name: mean for name, mean, _ in EACH}, "std": {name: width for name, _, width in EACH}}
SCALERS = [
    SCALER, "name,mean,std\n" + SCALER.replace(": ", ",").replace(" ", ","), json.dumps(BOTH),
    json.dumps({name: {"mean": mean, "std": width} for name, mean, width in EACH}),
    json.dumps({"names": NAMES, "mean": MEANS.tolist(), "scale": WIDTHS.tolist()}),
    json.dumps([{"name": name, "mean": mean, "std": width} for name, mean, width in EACH]),
]  # fmt: skip


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("order", [SORTED, [3, 0, 4, 1, 2]])
def test_each_scaled_by_its_name(scaler: str, order: Sequence[int]) -> None:
    table = ",".join(NAMES) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS.tolist())
    for file in (as_json(order), as_lines(), table):
        wrong = said([("people.x", file), ("scaler.x", scaler)], scaled(ROWS)[:1, order])
        assert "each scaled by those of its name" in wrong and 'would be "weight"' in wrong
        assert said([("people.x", file), ("scaler.x", scaler)], scaled(ROWS)[:1]) == ""


def test_names_of_inputs_and_in_the_model() -> None:
    files = [("people.json", as_json(SORTED, id=7))]
    assert "the inputs of the model are called weight" in said(files, ROWS[:1, SORTED], inputs=NAMES)
    assert said(files, ROWS[:1], inputs=NAMES) == said(files, ROWS[:1, SORTED], inputs="abcde") == ""
    known = [Known("the model has", NAMES)]
    assert "the model has weight, height" in said(files, ROWS[:1, SORTED], known=known)
    assert said(files, ROWS[:1], known=known) == ""


@pytest.mark.parametrize("trees", [False, True])
def test_by_what_the_model_knows(trees: bool) -> None:
    columns = [
        Column(tuple(numpy.linspace(m - 2 * w, m + 2 * w, 9))) if trees else Column(centre=(m, w, True))
        for m, w in zip(MEANS.tolist(), WIDTHS.tolist(), strict=True)
    ]
    for order, how in ((SORTED, "the file"), (range(5), "the alphabet")):
        wrong = said([("people.json", as_json(order))], ROWS[:, SORTED], columns)
        assert f"in the order of {how} (age, height, iron ...)" in wrong
        assert '"pulse", is' in wrong and 'which "iron" alone fits' in wrong
    files = [("people.json", as_json(SORTED))]
    assert said(files, ROWS, columns) == said(files, ROWS * 50, columns) == ""
    assert said(files, ROWS[:, SORTED][:, [1, 0, 2, 3, 4]], columns) == ""
    near = [Column(centre=(50, 40, True))] * 5
    assert said(files, ROWS[:, SORTED], near) == said(files, ROWS[:, SORTED], columns[:3]) == ""


def test_lists_that_say_nothing() -> None:
    order = [2, 0, 1, 4, 3]
    files = [("people.json", as_json()), ("columns.txt", LIST)]
    assert said(files, ROWS[:1, order]) == ""  # the list may be that of the file's columns
    by_alphabet = json.dumps({NAMES[at]: [MEANS[at], float(WIDTHS[at])] for at in SORTED})
    assert said([("people.json", as_json()), ("s.json", by_alphabet)], scaled(ROWS)[:1]) == ""
    two = [("people.json", as_json(order)), ("a.txt", LIST), ("b.txt", "\n".join(NAMES[at] for at in SORTED))]
    assert said(two, ROWS[:1, SORTED]) == ""  # it is as one of them has it
    assert said([("people.json", as_json(SORTED)), ("a.txt", LIST)], ROWS[:1, SORTED] * 1.001) == ""
    assert said([("people.json", as_json(SORTED)), ("a.txt", LIST + "\nother")], ROWS[:1, SORTED]) == ""
