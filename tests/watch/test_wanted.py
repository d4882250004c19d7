"""What a model knows of the elements of its inputs: splits of trees, scalers, tables that are looked up. Each
mistake has right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.sent.wanted import Wanted
from pywasm_nn.watch.sheets import Sheets
from tests.nn.backends.onnx_writer import Model, block, node

ORDER = numpy.random.default_rng(31)
ML = "ai.onnx.ml"
MEANS, DEVIATIONS = numpy.array([120.0, 40, 7, 0.1]), numpy.array([30.0, 15, 2, 0.02])
ROWS = ORDER.normal(MEANS, DEVIATIONS, (8, 4))
LEVEL = (ROWS - MEANS) / DEVIATIONS
USUAL = MEANS * numpy.linspace(0.9, 1.1, 8)[:, None]


def trees(means: Any = MEANS, deviations: Any = DEVIATIONS) -> bytes:
    """A model of trees that split each of four elements nine times, and have leaves."""
    splits = ORDER.normal(means, deviations, (9, 4))
    values = [float(one) for one in splits.astype("f4").reshape(-1)] + [0.0] * 4
    modes = b"".join(block(9, b"BRANCH_LEQ") for _ in range(36)) + block(9, b"LEAF") * 4
    made = node(
        "TreeEnsembleRegressor",
        ["c"],
        ["y"],
        ML,
        nodes_featureids=[*range(4)] * 9 + [0] * 4,
        nodes_values=values,
    )
    made += block(5, block(1, "nodes_modes") + modes)
    return model([node("Cast", ["x"], ["c"], to=1), made])


def model(nodes: list[bytes], constants: dict[str, Any] | None = None, kind: str = "float32") -> bytes:
    width = 2 if kind == "int64" else 4
    return Model(nodes, {"x": (kind, ["n", width])}, {"y": ("float32", ["n", 1])}, constants or {}).data()


def scaler(kind: str, deviations: Any = DEVIATIONS, means: Any = MEANS) -> bytes:
    numbers = {"m": means.astype("f4"), "d": deviations.astype("f4"), "r": (1 / deviations).astype("f4")}
    if kind == "Scaler":
        given = {"offset": means.tolist(), "scale": (1 / deviations).tolist()}
        return model([node("Scaler", ["x"], ["y"], ML, **given)])
    if kind == "BatchNormalization":
        numbers |= {"v": (deviations**2).astype("f4"), "g": numpy.ones(4, "f4"), "z": numpy.zeros(4, "f4")}
        return model([node("BatchNormalization", ["x", "g", "z", "m", "v"], ["y"])], numbers)
    if kind.startswith("Cast"):
        numbers = {name: one.astype(kind[4:]) for name, one in numbers.items()}
        nodes = [node("Cast", ["x"], ["c"], to=11), node("Sub", ["c", "m"], ["s"])]
        return model([*nodes, node("Div", ["s", "d"], ["y"])], numbers)
    by = node("Div", ["s", "d"], ["y"]) if kind == "Div" else node("Mul", ["s", "r"], ["y"])
    return model([node("Sub", ["x", "m"], ["s"]), by], numbers)


def said(
    data: bytes, rows: Any, files: list[tuple[str, bytes]] | None = None, at_once: bool = False
) -> list[str]:
    wanted = Wanted(lambda: files or [])
    wanted.loaded(1, facts([data]).columns)
    parts = [rows] if at_once else [row[None] for row in rows]
    return [
        text for part in parts for text in wanted.set(1, 0, Tensor.from_numpy(numpy.ascontiguousarray(part)))
    ]


@pytest.mark.parametrize(
    ("shape", "to", "are_known"),
    [
        (["n", 4], [-1, 4], True),
        ([1, 1, 4], [1, 4], True),
        ([1, 4], [-1, 2], False),
        ([1, 3, 4], [-1, 4], False),
    ],
)
def test_a_scaler_behind_another_shape(shape: list[Any], to: list[int], *, are_known: bool) -> None:
    numbers = {
        "to": numpy.array(to),
        "m": MEANS[: to[-1]].astype("f4"),
        "d": DEVIATIONS[: to[-1]].astype("f4"),
    }
    nodes = [
        node("Reshape", ["x", "to"], ["r"]),
        node("Sub", ["r", "m"], ["s"]),
        node("Div", ["s", "d"], ["y"]),
    ]
    data = Model(nodes, {"x": ("float32", shape)}, {"y": ("float32", to)}, numbers).data()
    known = facts([data]).columns
    assert ([one.centre is not None for one in known.get(0, ())] == [True] * 4) is are_known


@pytest.mark.parametrize("at_once", [False, True])
def test_beyond_all_splits(at_once: bool) -> None:
    data = trees()
    known = facts([data]).columns[0]
    assert [len(one.splits) for one in known] == [9] * 4
    (text,) = said(data, LEVEL.astype("f4"), at_once=at_once)
    assert (
        "beyond all numbers at which the model's trees split it" in text and "was it scaled before?" in text
    )
    assert said(data, ROWS.astype("f4"), at_once=at_once) == []
    assert said(data, LEVEL[:4].astype("f4"), at_once=at_once) == [], "too few"
    (text,) = said(trees(0 * MEANS, 1 + 0 * MEANS), ROWS.astype("f4"))
    assert "is it in another unit or range?" in text


def test_one_element_in_another_unit() -> None:
    degrees = ROWS * [1, 1, 57.3, 1]
    (text,) = said(trees(), degrees.astype("f4"))
    assert text.startswith("element 2 is") and "so are 0 more of 4" in text
    counts = ORDER.poisson(0.05, (8, 4)) * [0, 1, 1, 1.0]
    assert said(trees(MEANS * 0 + 4, MEANS * 0 + 3), counts.astype("f4")) == [], "counts that are all 0"


@pytest.mark.parametrize("kind", ["Scaler", "Div", "Mul", "Castf8", "Castf2"])
def test_scaled_though_the_model_scales(kind: str) -> None:
    data = scaler(kind)
    known = [one.centre for one in facts([data]).columns[0]]
    exact = 1e-3 if kind == "Castf2" else 1e-4  # halves have three digits
    assert numpy.allclose([one[:2] for one in known if one], numpy.stack([MEANS, DEVIATIONS], 1), rtol=exact)
    (text,) = said(data, LEVEL.astype("f4"))
    assert "the model scales its inputs itself: it takes 120 away from element 0 and divides by 30" in text
    assert said(data, ROWS.astype("f4")) == []
    assert said(data, (ROWS * 1.3).astype("f4")) == [], "other data"
    (text,) = said(data, (30_000 * ROWS).astype("f4"))
    assert "mean and deviation that the model takes away and divides by are 120 and 30" in text


@pytest.mark.parametrize("kind", ["Scaler", "Div", "BatchNormalization"])
def test_one_line_that_a_file_scaled_though_the_model_scales(kind: str) -> None:
    def again(data: bytes, rows: Any) -> str:
        wanted, files = Wanted(), [("scale.txt", text([MEANS, DEVIATIONS])), ("day.csv", text(ROWS))]
        wanted.loaded(1, facts([data]).columns)
        sheets = Sheets(lambda: files)
        assert not [*sheets.set("x", Tensor.from_numpy(rows[:1].astype("f4")), is_scaled=True)]
        return wanted.scales_again(1, 0) if sheets.is_applied("x") else ""

    def text(rows: Any) -> bytes:
        return "\n".join(" ".join(f"{one:.9g}" for one in row) for row in rows).encode()

    found = again(scaler(kind), (ROWS - MEANS) / DEVIATIONS)
    assert ("are they scaled twice?" in found) == (kind != "BatchNormalization"), (
        "its numbers are of training"
    )
    assert again(scaler(kind), ROWS) == "", "as the model wants them"
    assert again(scaler(kind, 1 + 0 * MEANS, 0 * MEANS), (ROWS - MEANS) / DEVIATIONS) == ""
    assert again(trees(), (ROWS - MEANS) / DEVIATIONS) == ""


@pytest.mark.parametrize("kind", ["Scaler", "Mul", "BatchNormalization"])
@pytest.mark.parametrize("at_once", [False, True])
def test_one_quantity_in_several_places_may_be_small(kind: str, at_once: bool) -> None:
    """Such as the differences of wheels left and right, of a train without a hot one."""
    means, deviations = numpy.array([6.7, 6.9, 6.5, 7.0]), numpy.array([16.2, 16.0, 16.4, 16.3])
    small = ORDER.normal(0, 1, (8, 4)).astype("f4")
    assert said(scaler(kind, deviations, means), small, at_once=at_once) == []


@pytest.mark.parametrize("kind", ["Scaler", "Mul", "BatchNormalization"])
def test_one_element_in_another_unit_than_the_mean(kind: str) -> None:
    data = scaler(kind, MEANS / 8)
    for element, factor, said_by in ((3, 100, "divided by 100"), (0, 1 / 1000, "times 1000")):
        rows = USUAL.copy()
        rows[:, element] *= factor
        (text,) = said(data, rows.astype("f4"))
        assert text.startswith(f"element {element} is") and f"; {said_by} it would be" in text
    rows = USUAL.copy()
    rows[:, 1] = rows[:, 1] * 1.8 + 1500
    assert said(data, rows.astype("f4")) == [], "no unit brings it back"
    rows[:, 1] = 0
    assert said(data, rows.astype("f4")) == [], "it is missing"


def test_elements_in_another_order_than_the_means() -> None:
    data = scaler("Scaler", MEANS / 8)
    (text,) = said(data, USUAL[:2, [2, 1, 0, 3]].astype("f4"))
    assert "two elements are exchanged" in text and "element 0 from 2, 2 from 0" in text
    (text,) = said(data, USUAL[:, [3, 0, 1, 2]].astype("f4"), at_once=True)
    assert "each is as the model has the one before" in text
    (text,) = said(data, USUAL[:, [1, 2, 0, 3]].astype("f4"))
    assert "3 elements are in another order" in text and "element 0 from 2, 1 from 0, 2 from 1" in text
    assert said(data, USUAL[:1, [2, 1, 0, 3]].astype("f4")) == [], "one line may be an odd one"
    assert said(data, USUAL.astype("f4")) == []


def test_what_a_batch_normalisation_saw() -> None:
    data = scaler("BatchNormalization")
    assert said(data, ROWS.astype("f4")) == []
    (text,) = said(data, (30_000 * ROWS).astype("f4"))
    assert "that the model saw in training are 120 and 30" in text


KINDS = ["audi", "bmw", "tesla", "fiat", "seat"]
LINES = [KINDS[one] for one in (1, 3, 0, 2, 2, 0, 3, 1)]
ONE = numpy.array([1, 0])
TABLE = ("cars.csv", "\n".join(["make,years", *(f"{one},4" for one in LINES)]).encode())
LIST = ("makes.txt", "\n".join(KINDS).encode())


def looked_up(rows: int, how: str) -> bytes:
    constants: dict[str, Any] = {"t": numpy.ones((rows, 3), "f4"), "u": numpy.ones((9, 3), "f4")}
    constants |= {name: numpy.array([one]) for name, one in (("zero", 0), ("one", 1), ("two", 2))}
    if how == "Slice":
        nodes = [
            node("Slice", ["x", "zero", "one", "one"], ["a"]),
            node("Slice", ["x", "one", "two", "one"], ["b"]),
        ]
    else:
        nodes = [node("Gather", ["x", "zero"], ["a"], axis=1), node("Gather", ["x", "one"], ["b"], axis=1)]
    nodes += [
        node("Gather", ["t", "a"], ["d"]),
        node("Gather", ["u", "b"], ["e"]),
        node("Add", ["d", "e"], ["y"]),
    ]
    return model(nodes, constants, "int64")


@pytest.mark.parametrize("how", ["Slice", "Gather"])
def test_kinds_that_are_counted_from_one(how: str) -> None:
    data = looked_up(5, how)
    assert [one.rows for one in facts([data]).columns[0]] == [5, 9]
    ids = numpy.array([[KINDS.index(one), 4] for one in LINES])
    (text,) = said(data, ids + ONE, [TABLE, LIST])
    assert "element 0 is the place in makes.txt of a word of each line, counted from 1" in text
    assert said(data, ids, [TABLE, LIST]) == []
    assert said(data, ids + ONE, [TABLE]) == said(data, ids + ONE, [LIST]) == []
    assert said(looked_up(6, how), ids + ONE, [TABLE, LIST]) == [], "0 stands for none"


@pytest.mark.parametrize("count", [3, 4, 8])
@pytest.mark.parametrize("kind", ["Div", "Scaler"])
def test_a_batch_that_was_filled_column_by_column(kind: str, count: int) -> None:
    """Also of a square, of which elements alone say nothing."""
    data, right = scaler(kind), ROWS[:count].astype("f4")
    wrong = numpy.ascontiguousarray(right.T).reshape(right.shape)
    (text,) = said(data, wrong, at_once=True)
    assert f"element (row, column) put at column * {count} + row" in text
    assert said(data, right, at_once=True) == []
    assert said(data, USUAL[:count].astype("f4"), at_once=True) == []
    odd = wrong.copy()
    odd[-1, -1] *= 300
    assert not any("put at column" in one for one in said(data, odd, at_once=True))


@pytest.mark.parametrize("cut", range(0, 400, 23))
def test_broken_models(cut: int) -> None:
    for data in trees(), scaler("Scaler"), looked_up(5, "Slice"):
        facts([data[:cut] + b"\xff" + data[cut + 1 :]])
        facts([data[:cut]])


def table_of(order: Any, lines: int) -> Any:
    """Columns of the usual kinds: measures, amounts, counts, kinds, flags, shares, dates."""
    size = int(order.integers(3, 9))
    draws = [
        lambda: order.normal(order.uniform(-50, 200), order.uniform(0.5, 40), lines),
        lambda: order.lognormal(order.uniform(0, 6), order.uniform(0.3, 1.2), lines),
        lambda: order.poisson(order.uniform(0.1, 6), lines),
        lambda: order.integers(0, order.integers(2, 8), lines),
        lambda: order.random(lines) < order.uniform(0.03, 0.6),
        lambda: order.uniform(0, 1, lines),
        lambda: numpy.sort(order.uniform(1.6e9, 1.7e9, lines)),
    ]
    return numpy.stack([draws[one]() for one in order.integers(0, len(draws), size)], 1).astype("f8")


@pytest.mark.parametrize("block", range(4))
def test_clean_tables(block: int) -> None:
    """Trees that split between lines they were trained on, and scalers with their means and deviations, of
    two hundred tables; sent are other lines, in any order, sorted, and those of one kind."""
    from pywasm_nn.nn.formats.format import Column
    from pywasm_nn.watch.sent.wanted import beyond_splits, far_off, scaled_before

    for seed in range(50 * block, 50 * block + 50):
        order = numpy.random.default_rng(seed)
        lines = table_of(order, 400)
        trained = lines[order.permutation(400)[:300]]
        middles = [numpy.unique(column)[:-1] + numpy.diff(numpy.unique(column)) / 2 for column in trained.T]
        splits = [tuple(sorted({*order.choice(one, min(len(one), 20)).tolist()})) for one in middles]
        centres = [(float(one.mean()), float(one.std()), True) for one in trained.T]
        columns_ = [Column(one, centre) for one, centre in zip(splits, centres, strict=True)]
        by = int(order.integers(0, lines.shape[1]))
        for sent in lines[:9], lines[lines[:, by].argsort()][180:190], lines[lines[:, by] == lines[0, by]]:
            if len(sent) >= 5:
                assert beyond_splits(columns_, sent) == "", seed
                assert far_off(columns_, sent) == scaled_before(columns_, sent) == "", seed


@pytest.mark.parametrize(
    ("column", "seen"),
    [
        (Column(splits=(0.4, 13.5, 702.0)), True),
        (Column(splits=(-1.2, 0.3, 1.9)), False),
        (Column(centre=(13.0, 0.8, True)), True),
        (Column(), False),
    ],
)
def test_models_that_take_numbers_as_they_stand(column: Column, seen: bool) -> None:
    """They scale them, or their trees split them at numbers that aren't scaled."""
    wanted = Wanted()
    wanted.loaded(1, {0: [column]})
    assert wanted.scales(1, 0) == seen


@pytest.mark.parametrize(
    ("splits", "seen"),
    [
        ([(0.8, 1.75), (2.45, 4.95), (5.1, 6.3), (2.2, 3.1)], True),  # centimetres of flowers
        ([(-0.8, 1.75), (0.45, 0.95), (0.1, 2.3)], False),
        ([(0.1, 0.75), (0.45, 0.95), (0.2, 0.3)], False),  # shares
        ([(12.5, 70.0), (), ()], True),
    ],
)
def test_trees_that_split_numbers_as_they_are(splits: list[tuple[float, ...]], *, seen: bool) -> None:
    """A file of means and deviations beside them is for something else, such as gaps."""
    wanted = Wanted()
    wanted.loaded(1, {0: [Column(splits=one) for one in splits]})
    assert wanted.scales(1, 0) is seen


@pytest.mark.parametrize("files", [[], [("m.onnx", b"")], [("a.csv", b"1,2")]])
def test_random_numbers_are_sent_to_measure(files: list[tuple[str, bytes]]) -> None:
    wanted, said = Wanted(lambda: files), ""
    wanted.loaded(1, facts([trees()]).columns)
    for row in numpy.random.default_rng(5).uniform(0, 1, (8, 4)).astype("f4"):
        said = said or "".join(wanted.set(1, 0, Tensor.from_numpy(row[None])))
    assert ("beyond all numbers" in said) is (files != [] and files[0][0] == "a.csv")
