"""Answers with a row for each of several inputs, of which guests say a class and a share in one line: read
wrongly, and twins that read them rightly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.comparing import softmax
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.batches import unaligned
from pywasm_nn.watch.probes.formulas import miscalculated
from pywasm_nn.watch.probes.maps import misread
from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written.misread import Fetched, Round
from pywasm_nn.watch.written.misscaled import misscaled
from tests.watch.test_formulas import asked

ROWS, CLASSES = 6, 9
LOGITS = numpy.random.default_rng(9).normal(-2, 3, (ROWS, CLASSES)).astype("<f4")


def says(
    length: int = CLASSES, looked: int = CLASSES, times: int = 1, *, decimals: int = 2
) -> Callable[[Any], str]:
    """A guest that makes shares of each row where it lies, and takes rows of a length for granted."""

    def said(given: Any) -> str:
        flat = numpy.concatenate([given.reshape(-1).astype("f8"), numpy.zeros(CLASSES)])
        words = []
        for row in range(ROWS):
            own = flat[row * length : row * length + CLASSES]
            for _ in range(times):
                own[:] = softmax(own)
            best = int(own[:looked].argmax())
            words.append(f"{best}({own[best]:.{decimals}f})")
        return " ".join(words) + "\n"

    return said


@pytest.mark.parametrize("decimals", [0, 2, 4])
@pytest.mark.parametrize(
    ("how", "rule", "said"),
    [
        ({"length": CLASSES - 1}, unaligned, "as if its rows had 8 elements; they have 9"),
        ({"length": CLASSES - 2}, unaligned, "as if its rows had 7 elements; they have 9"),
        ({"length": CLASSES + 1}, unaligned, "as if its rows had 10 elements; they have 9"),
        ({"looked": CLASSES - 1}, unaligned, "if the last element, 8, of all 6 rows"),
        ({"times": 2}, miscalculated, "softmax of softmax"),
    ],
)
def test_rows_with_shares(how: dict[str, int], rule: Any, said: str, decimals: int) -> None:
    guest = asked(says(**how, decimals=decimals), LOGITS)  # type: ignore[arg-type]
    assert said in rule(guest) or (decimals == 0 and "times" in how)
    assert misread(guest) == ""
    right = asked(says(decimals=decimals), LOGITS)
    assert [one(right) for one in (unaligned, misread, miscalculated)] == [""] * 3


@pytest.mark.parametrize("classes", [3, 4])
def test_rows_as_long_as_those_of_the_input(classes: int) -> None:
    """What lies behind the answer changes with nothing."""
    given = numpy.random.default_rng(3).uniform(0.1, 1, (5, classes)).astype("<f4")

    def said(length: int) -> Callable[[Any], str]:
        def say(answer: Any) -> str:
            flat = numpy.concatenate([answer.reshape(-1), numpy.zeros(40)])
            rows = [flat[row * length : row * length + classes] for row in range(5)]
            return "".join(f"q{row} {int(own.argmax())} {own.max():.2f}\n" for row, own in enumerate(rows))

        return say

    assert f"as if its rows had {classes + 1} elements" in unaligned(asked(said(classes + 1), given))
    assert unaligned(asked(said(classes), given)) == ""


def test_shares_of_labels_that_come_from_elsewhere() -> None:
    """Lines that follow another output's labels change here and there, and none lies behind the answer."""
    given = numpy.random.default_rng(4).uniform(0.1, 1, (6, 3)).astype("<f4")

    def say(answer: Any) -> str:
        rows = zip((2, 0, 2, 0, 2, 0), answer.reshape(6, 3), strict=True)
        return "".join(f"{label} {row[label]:.2f}\n" for label, row in rows)

    assert unaligned(asked(say, given)) == ""


def test_shares_of_several_rows_are_no_sigmoids() -> None:
    """Of rounded shares one alone has three digits, and it is 1.00, as many a sigmoid is."""
    logits = numpy.array([[-0.5, 6.2, 1.5, 2.5, 3.0, 5.0], [9.0, 1.0, 2.0, 0.5, 1.0, -1.0]])
    output = Fetched('output 0 "y"', logits, b"", "")
    text = "".join(f"{row.argmax()}({softmax(row).max():.2f}) " for row in logits)
    assert text == "1(0.73) 0(1.00) "
    assert misscaled(Round([output], [], Spoken(text))) == ""
    alone = Fetched('output 0 "y"', logits[:1], b"", "")
    assert "which is its sigmoid" in misscaled(Round([alone], [], Spoken("1 at 0.998")))


@pytest.mark.parametrize("form", ["input {}: {} ({:.3f})\n", "{1} {2:6.1%}; ", "row {}: {} {:.0%}\n"])
@pytest.mark.parametrize(("rows", "classes"), [(8, 10), (3, 4), (5, 2)])
def test_softmax_of_a_whole_batch(rows: int, classes: int, form: str) -> None:
    def guest(*, whole: bool, is_batch: bool = True) -> str:
        def said(given: Any) -> str:
            table = given.reshape(rows, classes)
            shares = softmax(given).reshape(rows, classes) if whole else numpy.stack([*map(softmax, table)])
            return "".join(
                form.format(at, int(row.argmax()), float(row.max())) for at, row in enumerate(shares)
            )

        logits = numpy.random.default_rng(rows).normal(0, 3, (rows, classes)).astype("<f4")
        found = asked(said, logits)
        shape = (rows, 64) if is_batch else (1, 64)
        found.sent = [Sent("x", shape, None, None)]
        return miscalculated(found)

    assert f"of all {rows} rows together, as of softmax over the whole batch" in guest(whole=True)
    assert guest(whole=False) == guest(whole=False, is_batch=False) == ""
    assert guest(whole=True, is_batch=False) == "", "the places of one picture share what there is"
