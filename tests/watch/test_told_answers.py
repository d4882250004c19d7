"""What guests write of answers: bytes that stand for other numbers, points in pixels, shares beside labels,
rows of tokens, errors of what was restored, one buffer for several answers. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats import onnx_facts
from pywasm_nn.watch.loops.round import Kept, Round
from pywasm_nn.watch.loops.tokens import wrong_token
from pywasm_nn.watch.order.early import Early
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.probes import (
    classes,
    flipped,
    labelled,
    nearest,
    points,
    pooled,
    quantised,
    restored,
    series,
    thresholds,
    times,
    whether,
)
from pywasm_nn.watch.probes.asked import Given, Sent
from pywasm_nn.watch.probes.copies import Reply
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_uses_of_answers import LOGITS, NAMES, asked_of, each

RNG = numpy.random.default_rng(8)
BYTES = numpy.array([[180, 30, 212, 171, 99]], "u1")


def stand_for(scale: float, zero: float, by: Callable[[Any], Any], form: str = "{}: {:.2f}\n") -> str:
    asked = asked_of(each(lambda row: form.format(NAMES[int(row.argmax())], by(float(row.max())))), BYTES)
    output = asked.outputs[0]
    asked.outputs = {0: Given(output.what, output.array, (scale, zero))}
    return quantised.misquantised(asked)


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (lambda q: 0.21 * (q - 171), ""),
        (lambda q: q, ""),
        (lambda q: 21 * (q - 171), ""),
        (lambda q: 0.21 * q, "times the scale 0.21, without the zero point"),
        (lambda q: q / 255, "divided by 255"),
        (lambda q: 100 * q / 256, "divided by 256 in percent"),
    ],
)
def test_bytes_that_stand_for_logits(by: Callable[[Any], Any], said: str) -> None:
    found = stand_for(0.21, 171, by)
    assert (said in found) if said else found == ""


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("{} {:.1f} ppb\n", True),
        ("{}: {:.0f} °C\n", True),
        ("{}: raw {:.0f} %\n", False),
        ("{} {:.1f}\n", False),
        ("{} {:.0f} of 255\n", False),
        ("{} {:.0f} steps\n", False),
    ],
)
def test_bytes_with_a_unit_behind_them(form: str, seen: bool) -> None:
    found = stand_for(0.21, 171, lambda q: q, form)
    assert ("which is the byte itself; by the model's scale 0.21 and zero point 171" in found) is seen
    assert bool(found) is seen
    assert stand_for(0.21, 171, lambda q: 0.21 * (q - 171), form.replace(":.0f", ":.2f")) == ""
    assert stand_for(1.0, 0, lambda q: q, form) == "", "a byte stands for itself"


def test_bytes_that_stand_for_shares() -> None:
    for by in (255, 256):
        assert stand_for(1 / 256, 0, lambda q, by=by: q / by) == ""
    assert "divided by 128" in stand_for(1 / 256, 0, lambda q: q / 128, "{}: {:.4f}\n")


@pytest.mark.parametrize(
    ("by", "said"),
    [(0.21, ""), (1 / 255, "bytes divided by 255"), (1.0, "bytes taken as they are"), (0.6, "")],
)
@pytest.mark.parametrize("kind", ["u1", "i1"])
@pytest.mark.filterwarnings("error")
def test_softmax_of_bytes(kind: str, by: float, said: str) -> None:
    def share(row: Any) -> float:
        powers = numpy.exp(by * (row.astype("f8") - float(row.max())))
        return float(powers.max() / powers.sum())

    asked = asked_of(each(lambda row: f"{row.argmax()} {share(row):.2f}\n"), BYTES.view(kind))
    asked.outputs = {0: Given("y", BYTES.view(kind), (0.21, 3))}
    found = quantised.misquantised(asked)
    assert (said in found) if said else found == ""


@pytest.mark.parametrize(("kind", "zero"), [("u1", 171), ("i1", -7)])
def test_scale_and_zero_point_of_an_onnx_model(kind: str, zero: int) -> None:
    constants = {"s": numpy.array(0.21, "f4"), "z": numpy.array(zero, kind)}
    model = Model(
        [node("QuantizeLinear", ["x", "s", "z"], ["y"])], {"x": (1, [1, 5])}, {"y": (2, [1, 5])}, constants
    )
    found = onnx_facts.facts(memoryview(model.data())).lasts
    assert found == {"y": (pytest.approx(0.21), zero)}


# Points

TURN = numpy.linspace(0, 6, 60)
ROUND = [95 + 60 * numpy.sin(TURN), 105 + 60 * numpy.cos(TURN), 12 * numpy.sin(2 * TURN)]
MESH = (numpy.stack(ROUND, axis=1) + RNG.normal(size=(60, 3))).astype("f4")
FACE = Sent("face", (1, 192, 192, 3), None, None)


DEEP = MESH * numpy.array([1, 1, 9], "f4") - numpy.array([0, 0, 250], "f4")
"""With depths that are beyond any picture."""


def pointed(of: Callable[[Any], str], mesh: Any = MESH) -> str:
    return points.mispointed(asked_of(each(of), mesh.reshape(1, 180), sent=[FACE]))


def at_step(step: int, by: float, *, of: Sequence[int] = (1, 51, 13)) -> Callable[[Any], str]:
    def say(row: Any) -> str:
        pairs = [by * row[step * one : step * one + 2] for one in of]
        return "nose {:.1f} {:.1f}, chin {:.1f} {:.1f}, mouth {:.1f} {:.1f}\n".format(
            *numpy.concatenate(pairs)
        )

    return say


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (at_step(3, 1.0), ""),
        (at_step(3, 2 / 3), ""),
        (at_step(3, 1 / 192), ""),
        (at_step(3, 10.0), ""),
        (at_step(3, 100.0), ""),
        (lambda row: f"{row[0]:.1f} {row[1]:.1f}, {row[2]:.1f}; {row[1:180:3].mean():.2f}\n", ""),
        (at_step(3, 192.0), "192 times element 3"),
        (at_step(3, 640.0), "640 times element 3"),
        (at_step(2, 1.0), "60 points of 3 numbers: are points taken to be 2 elements apart?"),
        (at_step(2, 2 / 3), "begin at 2, 102, 26"),
        (at_step(4, 1.0, of=(1, 32, 13)), "to be 4 elements apart?"),
    ],
)
@pytest.mark.parametrize("mesh", [MESH, DEEP])
def test_points(mesh: Any, say: Callable[[Any], str], said: str) -> None:
    found = pointed(say, mesh)
    assert (said in found) if said else found == ""


# Shares beside labels

LABELS, CHANCES = numpy.array([0, 1, 1], "i8"), numpy.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]], "f4")
ILL = ("malignant", "benign")


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (lambda label, row: f"{ILL[label]}, malignant with {100 * row[0]:.1f} %", False),
        (lambda label, row: f"{ILL[label]}, malignant with {100 * row[1]:.1f} %", True),
        (lambda label, row: f"{ILL[label]}, not malignant with {100 * row[1]:.1f} %", False),
        (lambda label, row: f"{ILL[label]} ({row[label]:.2f})", False),
        (lambda label, row: f"{ILL[label]} ({row[1 - label]:.2f})", True),
        (lambda label, row: f"{ILL[label]} (p = {row[1]:.2f})", False),
        (lambda label, row: f"{ILL[label]} {row[0]:.2f} {row[1]:.2f}", False),
        (lambda label, row: f"class {label} {row[1 - label]:.2f}", False),
    ],
)
def test_a_share_behind_a_name(line: Callable[[int, Any], str], seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        labels, shares = answers[0]
        return "".join(line(int(one), row) + "\n" for one, row in zip(labels, shares, strict=True))

    found = labelled.mislabelled(asked_of(say, LABELS, CHANCES, names=("label", "probabilities")))
    assert ("is it the share of class" in found) is seen
    assert seen or not found


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (lambda best, row: f"{NAMES[best]} ({100 * row[best]:.1f} %)", False),
        (lambda best, row: f"{NAMES[best]} ({100 * row[0]:.1f} %)", True),
        (lambda best, row: f"{NAMES[best]} {row[2]:.3f}", True),
        (lambda best, row: f"{NAMES[best]}, oak with {row[0]:.3f}, elm with {row[1]:.3f}", False),
        (lambda best, row: f"oak with {row[0]:.3f}", False),
        (lambda best, row: f"{NAMES[best]}; chance of oaks: {row[0]:.3f}", False),
        (lambda best, row: f"{NAMES[best]} by {row[best] - numpy.sort(row)[-2]:.3f}", False),
    ],
)
def test_a_share_behind_the_largest_class(line: Callable[[int, Any], str], seen: bool) -> None:
    answer = RNG.dirichlet(numpy.ones(5))[None].astype("f4")
    found = labelled.of_another(asked_of(each(lambda row: line(int(row.argmax()), row) + "\n"), answer))
    assert ("the number is the share of class" in found) is seen


# Rows of tokens

WORDS = b"[PAD]\n[UNK]\nwake\nme\nat\nsix\n"
TOKENS = Sent("ids", (1, 8), numpy.array([2, 3, 4, 5, 0, 0, 0, 0]), None)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (slice(0, 4), ""),
        (slice(3, 4), ""),
        (slice(0, 8), "follows rows 4 to 7 of it, which belong to the 4 tokens 0"),
        (slice(0, 1), 'row 0 of it alone, that of "wake"'),
    ],
)
def test_means_of_rows(rows: slice, said: str) -> None:
    def say(answers: Sequence[Any]) -> str:
        one, other = (answer[0][0, rows].mean(0) for answer in answers[:2])
        return f"{one @ other / numpy.sqrt((one @ one) * (other @ other)):.4f}\n"

    answer = RNG.normal(size=(1, 8, 6)).astype("f4")
    asked = asked_of(say, answer, computes=2, sent=[TOKENS], files=[("words.txt", WORDS)])
    found = pooled.mispooled(asked)
    assert (said in found) if said else found == ""
    counts = Sent("counts", TOKENS.shape, TOKENS.array, None)
    asked = asked_of(say, answer, computes=2, sent=[counts], files=[("counts.txt", b"1\n2\n3\n4\n5\n6\n")])
    assert pooled.mispooled(asked) == "", "no words"
    special = WORDS.replace(b"wake", b"[CLS]")
    asked = asked_of(say, answer, computes=2, sent=[TOKENS], files=[("words.txt", special)])
    assert rows != slice(0, 1) or pooled.mispooled(asked) == "", "a token for the whole text"


FIVE = ["how early", "too bright", "which song", "boil eggs", "is it cold"]


def likest(measure: Callable[[Any, Any], float], form: str) -> Callable[..., str]:
    """A guest that keeps five vectors and says which is nearest to each of two others."""

    def say(answers: Sequence[Any]) -> str:
        rows = [answer[0].reshape(-1, 8)[0] for answer in answers]
        best = [max(range(5), key=lambda at: measure(rows[at], row)) for row in rows[5:]]
        return "".join(form.format(FIVE[one]) for one in best)

    return say


def cosine(one: Any, other: Any) -> float:
    return float(one @ other / numpy.sqrt((one @ one) * (other @ other)))


@pytest.mark.parametrize(
    ("measure", "form", "seen"),
    [
        (cosine, "-> {}\n", False),
        (lambda one, other: -float(((one - other) ** 2).sum()), "-> {}\n", False),
        (lambda one, other: -cosine(one, other), "-> {}\n", True),
        (lambda one, other: float(((one - other) ** 2).sum()), "-> {}\n", True),
        (lambda one, other: -cosine(one, other), "least like: {}\n", False),
        (lambda one, other: 0.0, "-> {}\n", False),
    ],
)
@pytest.mark.parametrize("shape", [(1, 8), (1, 4, 8)])
def test_the_least_like(
    measure: Callable[[Any, Any], float], form: str, seen: bool, shape: tuple[int, ...]
) -> None:
    asked = asked_of(likest(measure, form), RNG.normal(size=shape).astype("f4"), computes=7)
    asked.control = Reply((*[""] * 5, "-> x\n" if "least" not in form else form, ""), frozenset({0}), "exit")
    assert ("is the least like taken for the nearest" in nearest.farthest(asked)) is seen


def distance(one: Any, other: Any) -> float:
    return float(numpy.linalg.norm(one - other))


def alike(one: Any, other: Any) -> str:
    return f"similarity {cosine(one, other):.3f}\n"


def far_apart(one: Any, other: Any) -> str:
    return f"distance {distance(one, other):.2f}\n"


@pytest.mark.parametrize("in_one_buffer", [True, False])
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize(
    "of",
    [
        alike, far_apart, lambda one, other: "the same\n" if cosine(one, other) > 0.8 else "others\n",
        lambda one, other: "a match\n" if distance(one, other) < 4 else "nobody\n",
    ],
)  # fmt: skip
def test_vectors_in_one_buffer(of: Callable[[Any, Any], str], count: int, in_one_buffer: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        rows = [answer[0].reshape(-1) for answer in answers]
        last = [rows[-1] if in_one_buffer else row for row in rows]
        return "".join(of(one, last[-1]) for one in last[:-1])

    for shape in ((1, 32), (32, 1), (32,)):
        assert ("do all lie in one buffer" in itself_of(say, count, shape)) is in_one_buffer


@pytest.mark.parametrize("in_one_buffer", [True, False])
def test_shares_in_one_buffer(in_one_buffer: bool) -> None:
    """Softmax of an answer is never quite sure of it, and is of those that are tried."""

    def say(answers: Sequence[Any]) -> str:
        rows = [answers[-1 if in_one_buffer else turn][0].reshape(-1) for turn in range(len(answers))]
        one, other = (numpy.exp(row - row.max()) / numpy.exp(row - row.max()).sum() for row in rows)
        return f"{'the same' if one @ other > 0.05 else 'another'} sign ({one @ other:.1%})\n"

    assert ("do all lie in one buffer" in itself_of(say, 2)) is in_one_buffer


@pytest.mark.parametrize(
    "say",
    [
        lambda rows: "saved 2 vectors in 1.00 s\n",
        lambda rows: f"the same model for both: {cosine(rows[0], rows[0]):.1f}\n",
        lambda rows: f"length 1.00, best {rows[-1].argmax()}, the same\n",
        lambda rows: f"best {rows[-1].max() / numpy.linalg.norm(rows[-1]):.2f}\n",
        lambda rows: f"not the same: {numpy.linalg.norm(rows[-1]):.1f}\n",
    ],
)
def test_guests_that_compare_no_vectors(say: Callable[[Sequence[Any]], str]) -> None:
    with numpy.errstate(invalid="ignore"):
        assert itself_of(lambda answers: say([one[0].reshape(-1) for one in answers]), 2) == ""


def itself_of(say: Callable[[Sequence[Any]], str], count: int, shape: Sequence[int] = (1, 32)) -> str:
    asked = asked_of(say, abs(RNG.normal(size=shape)).astype("f4"), computes=count)
    asked.control = Reply((*[""] * (count - 1), asked.control.text, ""), frozenset({0}), "exit")
    return nearest.itself(asked)


@pytest.mark.parametrize(("of", "seen"), [((lambda q: q > 127), False), ((lambda q: q > 0.5), True)])
def test_bytes_compared_with_a_share(of: Callable[[Any], Any], seen: bool) -> None:
    asked = asked_of(
        each(lambda row: f"road on {of(row).sum()} pixels\n"), BYTES.repeat(20).reshape(1, 10, 10)
    )
    output = asked.outputs[0]
    asked.outputs = {0: Given(output.what, output.array, (1 / 256, 0))}
    assert ("are bytes compared with a share" in thresholds.of_bytes(asked)) is seen
    asked.outputs = {0: output}
    assert thresholds.of_bytes(asked) == "", "a map of classes, of which 0 is none"


def continued(rows: Callable[[int], int]) -> str:
    """Six tokens, each of the answer's row that is given by the number of tokens."""
    ids, rounds = [2, 1, 14], []
    for _ in range(6):
        answer = numpy.zeros((1, len(ids), 28), "f4")
        answer[0, numpy.arange(len(ids)), [(7 * place + len(ids)) % 28 for place in range(len(ids))]] = 1
        now = Kept('input 0 "ids"', numpy.array([ids]))
        if found := wrong_token(rounds[-5:], 0, now):
            return found
        rounds.append(Round({0: now}, {0: Kept('output 0 "logits"', answer)}))
        ids = [*ids, int(answer[0, rows(len(ids))].argmax())]
    return ""


def test_the_next_token() -> None:
    assert continued(lambda count: count - 1) == ""
    assert continued(lambda count: 1) == ""
    assert "the largest of row 0 of each answer" in continued(lambda count: 0)
    assert "the row before the last" in continued(lambda count: count - 2)


# Boxes in rows or columns, the first names of a list, signed bytes


CELLS = numpy.concatenate([RNG.uniform(8, 90, (40, 4)), numpy.full((40, 1), 0.03)], axis=1).astype("f4")
CELLS[[7, 22], 4] = 0.9, 0.8


@pytest.mark.parametrize("by_number", [True, False])
@pytest.mark.parametrize("right", [True, False])
def test_rows_of_boxes(by_number: bool, right: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        rows = flat.reshape(5, 40).T if by_number is right else flat.reshape(40, 5)
        found = [row for row in rows if row[4] > 0.5]
        return f"{len(found)} cells\n" + "".join(
            "{:.1f} {:.1f} {:.1f} {:.1f} {:.2f}\n".format(*row) for row in found
        )

    answer = CELLS.T[None] if by_number else CELLS[None]
    found = flipped.flipped(asked_of(say, numpy.ascontiguousarray(answer)))
    assert ("are rows and columns exchanged?" in found) is not right


@pytest.mark.parametrize("sorts", [True, False])
def test_the_first_names_of_a_list(sorts: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        orders = [answer[0][0].argsort() if sorts else range(3) for answer in answers]
        said = [", ".join(NAMES[one] for one in order[:3]) for order in orders]
        return "north: {}\neast: {}\nwest: {}\n".format(*said)

    files = [("trees.txt", "\n".join(NAMES).encode())]
    found = whether.always(asked_of(say, LOGITS, computes=3, files=files))
    assert ('says "oak, elm, ash" of each of 3 inputs' in found) is not sorts
    assert ("these are the first names of its list" in found) is not sorts


@pytest.mark.parametrize(("kind", "seen"), [("u1", False), ("i1", True)])
def test_signed_bytes_by_letters_of_its_own(kind: str, seen: bool) -> None:
    asked = asked_of(each(lambda row: "ORGAB"[int(row.view(kind).argmax())]), BYTES)
    assert ("read as signed (i8)?" in classes.misplaced(asked)) is seen


# Errors, buffers, turns


@pytest.mark.parametrize(
    ("error", "form", "seen"),
    [
        (lambda x, y: (y - x) ** 2, "{} {:.3f}\n", False),
        (lambda x, y: y**2, "{} {:.3f}\n", True),
        (lambda x, y: y**2, "level {1:.3f}\n", False),
    ],
)
def test_an_error_without_the_input(error: Callable[[Any, Any], Any], form: str, seen: bool) -> None:
    sent = numpy.array([0.8, -1.2, 0.4, 0.3], "f4")

    def say(row: Any) -> str:
        much = float(error(sent, row).mean())
        return form.format("ALARM" if much > 0.15 else "ok", much)

    asked = asked_of(each(say), sent[None] * 0.9, sent=[Sent("x", (1, 4), sent[None], None)])
    assert ("is the input not taken away" in restored.uncompared(asked)) is seen


@pytest.mark.parametrize(
    ("which", "form", "seen"),
    [
        (lambda turn: turn, "{0}.png = {1}\n", False),
        (lambda turn: -1, "{0}.png = {1}\n", True),
        (lambda turn: 0, "{0}.png = {1}\n", False),
        (lambda turn: -1, "{1}\n", False),
    ],
)
def test_one_buffer_for_all_answers(which: Callable[[int], int], form: str, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        rows = [answers[which(turn)][0] for turn in range(len(answers))]
        return "".join(form.format("abc"[turn], NAMES[int(row.argmax())]) for turn, row in enumerate(rows))

    answer = numpy.array([[0.1, 0.2, 0.5, 0.1, 0.1]], "f4")
    assert (
        "over the one before, in one buffer" in series.last_alone(asked_of(say, answer, computes=3))
    ) is seen


FILES = [("in/ink7.pgm", b"P5"), ("in/rain.pgm", b"P5"), ("in/tea.pgm", b"P5")]


@pytest.mark.parametrize("computes", [2, 3])
@pytest.mark.parametrize("is_in_one_buffer", [True, False])
@pytest.mark.parametrize(
    "form",
    [
        "{file} shows {best}\n", "{file}: {best} | ", "picture {next}: {best}\n", "#{next} is {best}, ",
        "{which} = {best}\n",
    ],
)  # fmt: skip
def test_what_is_said_of_each_input_follows_the_last_answer(
    form: str, computes: int, is_in_one_buffer: bool
) -> None:
    """All are written at the end, with a comparison behind them."""

    def say(answers: Sequence[Any]) -> str:
        rows = [answers[-1 if is_in_one_buffer else turn][0][0] for turn in range(len(answers))]
        powers = [numpy.exp(row - row.max()) for row in rows]
        same = sum(float(one @ powers[-1] / one.sum() / powers[-1].sum()) for one in powers[:1])
        lines = [
            form.format(
                file=FILES[at][0], best=row.argmax(), next=at + 1, which=("first", "second", "third")[at]
            )
            for at, row in enumerate(rows)
        ]
        return "".join(lines) + f"{'the same' if same > 0.5 else 'others'} ({same:.1%})\n"

    answer = numpy.array([[-1.0, 2.0, 7.5, 0.5, 1.5, 1.0]], "f4")
    hint = series.last_alone(asked_of(say, answer, computes=computes, files=FILES))
    assert bool(hint) is is_in_one_buffer and ("one buffer" in hint) is is_in_one_buffer


@pytest.mark.parametrize(
    "form", ["best {0}, class {0}\n", "rain.pgm: {0}\n", "{0} of {0}\n", "1st {0}\n2nd {1}\n", "{0}\n{0}\n"]
)
def test_a_guest_that_says_only_its_last_answer(form: str) -> None:
    """The first one was to warm up."""

    def say(answers: Sequence[Any]) -> str:
        order = (-answers[-1][0][0]).argsort(kind="stable")
        return form.format(*order)

    answer = numpy.array([[-1.0, 2.0, 7.5, 0.5, 1.5, 1.0]], "f4")
    assert series.last_alone(asked_of(say, answer, computes=2, files=FILES)) == ""


@pytest.mark.parametrize("computes", [2, 3])
@pytest.mark.parametrize(
    ("which", "form", "seen"),
    [
        (lambda turn: turn, "{:.2f}", False),
        (lambda turn: -1, "{:.2f}", True),
        (lambda turn: -1, "{:6.1f} %", True),
        (lambda turn: 0, "{:.2f}", False),
    ],
)
@pytest.mark.parametrize("is_warmed", [True, False])
def test_answers_beside_each_other(
    which: Callable[[int], int], form: str, computes: int, is_warmed: bool, *, seen: bool
) -> None:
    def say(answers: Sequence[Any]) -> str:
        rows = [answers[which(turn)][0][0] for turn in range(len(answers))]
        if is_warmed:  # only the last answer is of interest
            rows = [answers[-1][0][0]]
        lines = [" ".join(form.format(row[at] * 100) for row in rows) for at in range(5)]
        return "".join(f"{name}: {line}\n" for name, line in zip(NAMES, lines, strict=True))

    answer = numpy.array([[0.1, 0.2, 0.5, 0.15, 0.05]], "f4")
    hint = series.last_alone(asked_of(say, answer, computes=computes))
    assert ("do all" in hint and "lie in one buffer" in hint) is (seen and not is_warmed)


@pytest.mark.parametrize(
    ("order", "seen"),
    [
        ("sc" + "sgc" * 4, True),
        ("scg" * 5, False),
        ("sc" + "sgc" * 4 + "g", False),
        ("sc" + "sgc" * 4 + "sg", False),
        ("sc" * 5, False),
    ],
)
def test_answers_before_compute(order: str, seen: bool) -> None:
    early = Early()
    words = {"s": "set_input", "c": "compute", "g": "get_output"}
    for one in order:
        early.nn_event(
            SimpleNamespace(error=None, context_id=1, operation=words[one], delivered=False, given=())  # type: ignore[arg-type]
        )
    assert ("has get_output to follow compute?" in "".join(text for _, text in early.finish())) is seen


@pytest.mark.parametrize(("by", "seen"), [(0, False), (1, True), (-1, True)])
def test_names_beside_classes(by: int, seen: bool) -> None:
    names = [f"bird{place:02}" for place in range(30)]
    files = [("birds.txt", "\n".join(names).encode())]

    def say(row: Any) -> str:
        best = row.argsort(kind="stable")[::-1][:3]
        return "".join(f"{(['', *names, ''])[one + 1 + by]} {row[one]:.3f}\n" for one in best)

    least = each(
        lambda row: f"certainly not {', '.join(names[one] for one in row.argsort(kind='stable')[:3])}\n"
    )
    few = RNG.dirichlet(numpy.ones(8))[None].astype("f4")
    files_of_few = [("birds.txt", "\n".join(names[:8]).encode())]
    assert classes.misplaced(asked_of(least, few, files=files_of_few)) == ""
    found = classes.misplaced(
        asked_of(each(say), RNG.dirichlet(numpy.ones(30))[None].astype("f4"), files=files)
    )
    assert ("has a name for each of 30 classes: is the line off by one?" in found) is seen
    assert seen or not found


@pytest.mark.parametrize(("by", "seen"), [(0.05, False), (0.1, True)])
def test_times_of_few_windows(by: float, seen: bool) -> None:
    samples = (9000 * numpy.sin(numpy.arange(16000) ** 1.3)).astype("<i2").tobytes()
    head = b"RIFF" + bytes(4) + b"WAVEfmt " + (16).to_bytes(4, "little") + b"\1\0\1\0"
    head += (16000).to_bytes(4, "little") + (32000).to_bytes(4, "little") + b"\2\0\20\0data"
    waves = numpy.frombuffer(samples, "<i2").astype("f4") / 32768
    sent = Sent("wave", (1, 1600), waves[None, 2400:4000], waves[None, 1600:3200])

    def say(answers: Sequence[Any]) -> str:
        found = [turn + 3 for turn, one in enumerate(answers) if one[0][0] > 0.5]
        return "".join(f"beep at {by * turn:.1f} s (0.99)\n" for turn in found)

    files = [("beeps.wav", head + len(samples).to_bytes(4, "little") + samples)]
    asked = asked_of(say, numpy.array([0.9], "f4"), computes=7, sent=[sent], files=files)
    assert ("the length of a window" in times.misstepped(asked)) is seen


@pytest.mark.parametrize("way", ["one channel", "the other", "mean", "neither"])
@pytest.mark.parametrize("wrong", [True, False])
def test_times_of_windows_of_a_long_sound_of_two_channels(way: str, *, wrong: bool) -> None:
    window, step, rate = 576, 512, 16000
    sound = RNG.uniform(-1, 1, (1 << 17, 2)).astype("f4")
    ways = {"one channel": sound[:, 0], "the other": sound[:, 1], "mean": sound.mean(axis=1)}
    own = ways.get(way, sound[::-1, 0])
    sent = [Sent("wave", (1, window), own[None, step : step + window], own[None, :window])]
    each_step = (window if wrong else step) / rate

    def say(answers: Sequence[Any]) -> str:
        loud = [turn for turn, one in enumerate(answers) if one[0][0] > 0.5]
        places = (loud[0], loud[-1] + 1) if loud else ()
        return "".join(f"speech or silence from {place * each_step:.2f} s on\n" for place in places)

    source = Source("talk.wav", sound, "", rate=rate)
    asked = asked_of(say, numpy.array([0.1], "f4"), computes=17, sent=sent)
    asked.last_sound = lambda: source
    assert ("the length of a window" in times.misstepped(asked)) is (wrong and way != "neither")
