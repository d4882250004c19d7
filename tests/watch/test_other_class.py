"""The share of the other one of two classes, beside words of alarm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.other_class import OtherClass

SHARES = [0.91, 0.12, 0.77, 0.345, 0.08, 0.666]
"""Of the second class."""
TRUTH = ["yes", "no", "yes", "no", "no", "yes"]
TABLE = "\n".join(["calls,{},sum", *(f"{at},{{}},3.5" for at in range(6))])


def hint(say: Callable[[int, float], str], heading: str = "churn", model: str = "m", batch: int = 1) -> str:
    """What is said if this is written of each line, and the first class's share."""
    data = TABLE.format(heading, *TRUTH).encode()
    rule = OtherClass(lambda: [("a.csv", data)])
    rows = numpy.array([[1 - one, one] for one in SHARES], "f4")
    text = "\n".join(say(at, float(row[0])) for at, row in enumerate(rows)) + "\n"
    for first in range(0, 6, batch):
        tensors = (Tensor.from_numpy(rows[first : first + batch]),)
        event: Any = type("E", (), {"error": None, "model": model, "wanted": None, "index": 0})
        event.operation, event.tensors = "get_output", tensors
        rule.nn_event(event)
    call: Any = type("E", (), {"error": None, "name": "fd_write", "result": 0})
    call.arguments = (("fd", 1), ("ciovs", [text.encode()]))
    rule.host_call(call)
    return "; ".join(said for _, said in rule.finish())


def verdict(at: int, share: float, high: str = "will leave", low: str = "") -> str:
    return f"line {at} {100 * share:.1f} % {high if share > 0.5 else low}"


@pytest.mark.parametrize("batch", [1, 3, 6])
def test_the_first_share_with_an_alarm(batch: int) -> None:
    found = hint(verdict, batch=batch)
    assert '6 of 6 lines of a.csv have "yes" in column 2 ("churn") just where class 1 is' in found
    assert "is element 1 meant?" in hint(lambda at, share: f"churn risk {share:.3f}")
    assert "class 1 the unsafe one" in hint(verdict, "region", "open_nsfw")


@pytest.mark.parametrize(
    "say",
    [
        lambda at, share: verdict(at, 1 - share),
        lambda at, share: f"{share:.3f} {1 - share:.3f} risk",
        lambda at, share: verdict(at, share, "stays", "will leave"),
        lambda at, share: verdict(at, share, "no risk", ""),
        lambda at, share: verdict(at, share, "", "block"),
        lambda at, share: f"tests/leave.csv {share:.3f}",
        lambda at, share: f"{share:.3f}",
        lambda at, share: f"test {at}: {share:.3f}",
        lambda at, share: f"Test line {at}: {share:.3f}",
        lambda at, share: f"watch list, client {at}: retained {share:.3f}",
        lambda at, share: f"risk desk: {100 * share:.1f} % repay",
        lambda at, share: f"patient {at} under treatment survives: {share:.3f}",
    ],
)
def test_right_ones(say: Callable[[int, float], str]) -> None:
    assert hint(say, model="open_nsfw") == ""


def test_other_tables_and_models() -> None:
    assert hint(verdict, "region") == ""
    TRUTH.reverse()
    try:
        assert hint(verdict) == ""
    finally:
        TRUTH.reverse()


def of_risk(form: str, high: str, low: str) -> Callable[[int, float], str]:
    """Writes a share as a risk, and a word beside those below a half and the others."""
    return lambda at, share: form.format(
        at=at, word=high if share < 0.5 else low, percent=100 * share, share=share
    )


RISKS = [
    "customer {at}: {word}, risk {percent:3.0f} %",
    "{at}\t{word}\tchurn probability: {share:.3f}",
    "client {at} risk={share:.3f} -> {word}",
]


@pytest.mark.parametrize("form", RISKS)
@pytest.mark.parametrize(
    ("high", "low", "seen"),
    [
        ("call back", "stays", True),
        ("ALERT", "-", True),
        ("stays", "call back", False),
        ("-", "ALERT", False),
        ("yes", "yes", False),
        ("ok", "ok", False),
        ("urgent", "urgent", False),
        ("approve", "not approved", False),
        ("pay", "not approved", False),
        ("-", "do not accept", False),
        ("watch", "hospital", False),
        ("alarm off", "shut down", False),
        ("", "fine of 90", False),
        ("alarm", "no alarm", True),
        ("refuse", "approve", True),
    ],
)
def test_lines_that_contradict_themselves(form: str, high: str, low: str, *, seen: bool) -> None:
    said = hint(of_risk(form, high, low), "region")
    assert ("high where it says that all is well: is element 1 meant?" in said) is seen is bool(said)
    other = hint(lambda at, share: of_risk(form, high, low)(at, 1 - share), "region")
    assert ("is element 0 meant?" in other) is seen is bool(other)


@pytest.mark.parametrize(
    "form",
    [
        "patient {at}: {word}, risk {share:.3f}",
        "{at}: {word} {percent:.1f} %",
        "{at}: {word}, no risk {share:.3f}",
        "{at}: {word}, staying {share:.3f}",
    ],
)
def test_numbers_of_no_risk(form: str) -> None:
    assert hint(of_risk(form, "call back", "stays"), "region") == ""
