"""Numbers and names that guests make of answers, as functions from an answer to a text; correct ones, too."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.comparing import sigmoid, softmax
from pywasm_nn.watch.probes.asked import Asked, Given, Sent
from pywasm_nn.watch.probes.classes import misplaced
from pywasm_nn.watch.probes.copies import Reply
from pywasm_nn.watch.probes.formulas import miscalculated
from pywasm_nn.watch.probes.maps import misread
from pywasm_nn.watch.probes.named import misnamed

Guest = Callable[[Any], str]
LOGITS = numpy.array([[-1.2, 0.4, 3.1, -0.3, 0.9, -2.2]], "<f4")
SHARES = numpy.array([[0.05, 0.02, 0.78, 0.04, 0.1, 0.01]], "<f4")
LOGS = numpy.log(SHARES)


def asked(guest: Guest, array: Any, name: str = "y") -> Asked:
    def reply(series: Any, fill: int | None = None, to_the_end: bool = True) -> Reply:
        changes = series[-1]
        made = numpy.frombuffer(changes[0].tobytes(), array.dtype) if changes else array.reshape(-1)
        return Reply((guest(made.astype("f8")),), frozenset({0}), "returned")

    memory: Any = SimpleNamespace(size=0, view=lambda start, size: b"")
    return Asked(reply, {0: Given(f'output 0 "{name}"', array)}, reply([{}]), tuple, memory)


def says(number: Callable[[Any], float], form: str = "class {} at {:.2f}\n") -> Guest:
    return lambda row: form.format(int(row.argmax()), number(row))


@pytest.mark.parametrize(("name", "seen"), [("prob", True), ("y", False)])
def test_the_sigmoid_of_one_share(name: str, *, seen: bool) -> None:
    share = numpy.array([[0.62]], "<f4")
    twice = miscalculated(asked(lambda row: f"spam: {sigmoid(row[0]):.3f}\n", share, name))
    assert ("sigmoid applied twice" in twice) is seen
    assert miscalculated(asked(lambda row: f"spam: {row[0]:.3f}\n", share, name)) == ""


@pytest.mark.parametrize("rows", [1, 6])
@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (lambda times: sigmoid(0.7 * times - 0.3), True),  # a share, for any input
        (lambda times: 0.4 * times, False),  # an amount that is from 0 to 1 as sent
        (lambda times: 0.5 + 0 * times, False),  # of which nothing is known
    ],
)
def test_the_sigmoid_of_what_the_model_never_leaves_0_to_1_with(
    rows: int, answer: Callable[[float], float], *, seen: bool
) -> None:
    own = numpy.full((rows, 1), 0.41, "<f4")
    guest = asked(lambda flat: "\n".join(f"{sigmoid(one):.4f}" for one in flat), own, "risk")
    guest.sent = [Sent("patients", (rows, 5), None, None)]
    guest.answer_to = lambda by: {0: numpy.full((rows, 1), answer(1 / by.divided), "<f4")}
    assert ("sigmoid applied twice" in miscalculated(guest)) is seen
    right = asked(lambda flat: "\n".join(f"{one:.4f}" for one in flat), own, "risk")
    right.sent, right.answer_to = guest.sent, guest.answer_to
    assert miscalculated(right) == ""


@pytest.mark.parametrize("undo", [numpy.exp, numpy.expm1, float])
@pytest.mark.parametrize("rows", [2, 5, 24])
def test_logarithms_of_a_batch(rows: int, undo: Callable[[float], float]) -> None:
    own = numpy.linspace(2, 6, rows).reshape(rows, 1).astype("<f4")
    text = lambda flat: "\n".join(f"{hour} h: {undo(one):.0f}" for hour, one in enumerate(flat))  # noqa: E731
    assert ("it is a logarithm" in miscalculated(asked(text, own, "ln_visitors"))) is (undo is float)


@pytest.mark.parametrize(
    ("guest", "said"),
    [
        (says(lambda row: softmax(row).max()), ""),
        (says(lambda row: 100 * softmax(row).max(), "{} {:.1f} %"), ""),
        (says(lambda row: row.max()), ""),
        (says(lambda row: sigmoid(row.max())), ""),
        (says(lambda row: row.max() - row.min()), ""),
        (lambda row: f"class {row.argmax()}", ""),
        (says(lambda row: row.max() / row.sum()), "divided by the sum of all"),
        (says(lambda row: row.max() / abs(row).sum()), "without their signs"),
        (says(lambda row: softmax(row * numpy.log(2)).max()), "powers of 2"),
        (says(lambda row: 100 * softmax(softmax(row)).max(), "{} {:.1f} %"), "softmax of softmax"),
    ],
)
def test_shares_of_logits(guest: Guest, said: str) -> None:
    found = miscalculated(asked(guest, LOGITS))
    assert (said in found) if said else (found == "")


def histogram(flat: Any) -> str:
    counts, edges = numpy.histogram(flat, numpy.arange(-2, 6))
    return "".join(f"{edge:.1f} {'#' * count} {count}\n" for edge, count in zip(edges, counts, strict=False))


@pytest.mark.parametrize("count", [6, 20, 60])
@pytest.mark.parametrize("guest", [histogram, lambda flat: f"{int((flat > 0.5).sum())} are high"])
def test_one_number_of_each_input_is_no_row_of_logits(count: int, guest: Guest) -> None:
    rows = numpy.random.default_rng(count).normal(1, 1, (count, 1)).astype("<f4")
    assert miscalculated(asked(guest, rows)) == ""


@pytest.mark.parametrize("limit", numpy.linspace(-1, 4, 11))
def test_counts_are_no_shares(limit: float) -> None:
    """A number of 0 or 1 is any share to the nearest whole number."""
    assert miscalculated(asked(lambda row: f"{int((row > limit).sum())} of 6", LOGITS)) == ""


@pytest.mark.parametrize(
    ("guest", "said"),
    [
        (lambda flat: f"person {100 * (flat > 0.5).mean():.1f} %, mean {flat.mean():.3f}", ""),
        (lambda flat: f"mean {sigmoid(flat).mean():.3f}", "sigmoid applied twice"),
        (lambda flat: f"{int((flat > 0.5).sum())} pixels", ""),
    ],
)
def test_a_map_of_shares(guest: Guest, said: str) -> None:
    array = numpy.random.default_rng(1).random((1, 16, 16, 1), "f4")
    found = miscalculated(asked(guest, array))
    assert (said in found) if said else (found == "")
    assert miscalculated(asked(guest, 8 * array - 4)) == "", "of logits it may be right"


@pytest.mark.parametrize(
    ("guest", "name", "seen"),
    [
        (lambda row: f"10 h: {row[0]:.0f} bikes\n23 h: {row[0]:.0f} bikes", "log_count", True),
        (lambda row: f"10 h: {numpy.expm1(row[0]):.0f} bikes", "log_count", False),
        (lambda row: f"10 h: {10 ** row[0]:.1f} bikes", "log10_count", False),
        (lambda row: f"log of the count: {row[0]:.2f}", "log_count", False),
        (lambda row: f"10 h: {row[0]:.0f} bikes", "count", False),
        (lambda row: f"sure: {row[0]:.2f}", "log_prob", False),
        (lambda row: f"{row[0]:.0f} thousand", "logprice", True),
        (lambda row: f"{numpy.exp(row[0]):.0f} thousand", "logprice", False),
        (lambda row: f"{row[0]:.0f} pixels", "logo_width", False),
    ],
)
def test_a_logarithm(guest: Guest, name: str, seen: bool) -> None:
    found = miscalculated(asked(guest, numpy.array([[4.4]], "<f4"), name))
    assert ("by its name it is a logarithm" in found) is seen


@pytest.mark.parametrize(
    ("guest", "seen"),
    [
        (lambda row: f"class {row.argmax()}, {row.max():.0f} %", True),
        (lambda row: f"class {row.argmax()}, {row.max() / 2.55:.0f} %", False),
        (lambda row: f"class {row.argmax()}, {row.max():.0f} of 255", False),
    ],
)
def test_bytes_as_percents(guest: Guest, seen: bool) -> None:
    found = miscalculated(asked(guest, (250 * SHARES).astype("u1")))
    assert ("as it is with a sign of percent" in found) is seen


@pytest.mark.parametrize(
    ("guest", "array", "said"),
    [
        (lambda row: f"{row.argmax()} ({numpy.exp(row.max()):.2f})", LOGS, ""),
        (lambda row: f"class {row.argmax()}" if row.max() > 0 else "none", LOGITS - 4, ""),
        (lambda row: f"{row.argmax()} ({row.max():.2f})" if row.max() > 50 else "?", SHARES, "with percents"),
        (lambda row: f"{row.argmax()} ({row.max():.2f})" if row.max() > 5 else "?", SHARES, "with percents"),
        (lambda row: f"class {row.argmax()}" if softmax(row).max() > 0.7 else "?", SHARES, "once more"),
        (
            lambda row: f"{row.argmax()}" if softmax(row).max() > 0.7 else f"? {softmax(row).max():.0%}",
            SHARES,
            "softmax applied twice",
        ),
        (lambda row: f"{row.argmax()} ({row.max():.2f})" if row.max() > 0.9 else "?", SHARES, ""),
        (lambda row: f"0 ({row.max():.2f})", SHARES, "its place in a sorted list"),
        (lambda row: f"best 0 {row.max():.2f}", SHARES, "its place in a sorted list"),
        (lambda row: f"picture 0: {row.max():.2f}", SHARES, ""),
        (lambda row: f"0: {row.max():.2f}", SHARES, ""),
        (lambda row: f"sure by {row.max():.2f}", SHARES, ""),
    ],
)
def test_a_class_that_never_changes(guest: Guest, array: Any, said: str) -> None:
    found = misplaced(asked(guest, array))
    assert (said in found) if said else (found == "")


NAMES = ["stop", "yield", "keep left", "go", "no entry", "bend"]
LIST = "\n".join(NAMES).encode()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (NAMES, ""),
        (sorted(NAMES), "were the names sorted?"),
        (NAMES[::-1], "is the list of names backwards?"),
        (" ".join(NAMES).split(), "were names split at their blanks?"),
        ([*NAMES[1:], NAMES[0]], ""),
        ([name.upper() for name in NAMES], ""),
    ],
)
def test_names(names: list[str], said: str) -> None:
    texts = {place: f"{names[place]} 0.98\n" for place in (5, 0, 2, 4, 1)}
    found = misnamed([("a.png", b"\x89PNG\0"), ("signs.txt", LIST)], 6, texts)
    assert (said in found) if said else (found == "")
    assert misnamed([("signs.txt", LIST)], 7, texts) == ""
    numbered = b"\n".join(b"%d %s" % (at + 1, name.encode()) for at, name in enumerate(NAMES))
    assert misnamed([("signs.txt", numbered)], 6, texts) == ""


def test_a_line_of_the_list_that_is_written_anyway_says_no_names() -> None:
    lines = ["he was not there then", "sie war nicht da", "il etait la", "no estaba", "non era qui"]
    texts = {place: f"{'ABCDE'[place]}: {lines[0][:16]}\n" for place in (3, 0, 2, 1)}
    assert misnamed([("lines.txt", "\n".join(lines).encode())], 5, texts) == ""


@pytest.mark.parametrize(("length", "said"), [(80, ""), (48, "are rows and columns exchanged?")])
def test_places_that_are_moved_within_their_cell(length: int, said: str) -> None:
    """Another output says by how much, here that the last one begins a cell before."""

    def guest(flat: Any) -> str:
        row, column = divmod(int(flat.argmax()), length)
        return f"best at x {column - (column == 79)} y {row + (row == 25)}"

    found = misread(asked(guest, numpy.random.default_rng(2).random((1, 1, 48, 80), "f4")))
    assert (said in found) if said else (found == "")
