"""Forecasts from the oldest lines of a table, and those that know the lines behind their window."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.oldest import Oldest

LEVELS = numpy.random.default_rng(2).normal(20, 4, 24).round(1)


def table(form: str, heading: str = "day") -> bytes:
    days = [form.format(day=at + 3, month=4 + (at > 20), year=2015) for at in range(24)]
    return "\n".join(
        [f"{heading},low,high", *(f"{d},{one - 9:.1f},{one}" for d, one in zip(days, LEVELS, strict=True))]
    ).encode()


def call(name: str, *arguments: tuple[str, Any]) -> Any:
    """A host call that succeeded."""
    return SimpleNamespace(name=name, error=None, arguments=arguments, result=0)


OPENED = call("path_open", ("fd", 3), ("path", "a.csv"), ("opened_fd", 4))
SOME = call("fd_read", ("fd", 4), ("nread", 400))
AT_THE_END = call("fd_read", ("fd", 4), ("nread", 0))
ASKED_FOR_ITS_LENGTH = call("fd_filestat_get", ("fd", 4), ("buf", None))
OF_ANOTHER = call("fd_read", ("fd", 5), ("nread", 0))


def said(
    data: bytes,
    start: int,
    text: str,
    arguments: tuple[str, ...] = ("m", "a.csv"),
    computes: int = 1,
    calls: Sequence[Any] = (OPENED, SOME, AT_THE_END),
) -> str:
    oldest = Oldest(lambda: [("a.csv", data)], arguments)
    for one in calls:
        oldest.host_call(one)
    window = ((LEVELS[start : start + 14] - 12) / 5).astype("f4")[None]
    more: dict[str, Any] = {"error": None, "context_id": 0, "index": 0, "specs": (SimpleNamespace(name="x"),)}
    given: Any = SimpleNamespace(operation="set_input", tensors=(Tensor.from_numpy(window),), **more)
    computed: Any = SimpleNamespace(operation="compute", tensors=(), **more)
    oldest.nn_event(given)
    for _ in range(computes):
        oldest.nn_event(computed)
    arguments_ = (("fd", 1), ("ciovs", [text.encode()]))
    event: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments_, result=0)
    oldest.host_call(event)
    return "; ".join(one for _, one in oldest.finish())


DATES = ["{day:02}.{month:02}.{year}", "{year}-{month:02}-{day:02}", "{month}/{day}/{year}", "{day}"]


@pytest.mark.parametrize("form", DATES)
@pytest.mark.parametrize(
    "text",
    [
        "in 1 days: 18.0 degrees\n",
        "after 24 days: 18.0\n",
        "Tomorrow 18.0\n",
        "forecast: 18.0\n",
        "t+1 18.0\n",
    ],
)
def test_the_first_lines(form: str, text: str) -> None:
    assert "lines 1 to 14 were sent, and the newest 10 never" in said(table(form), 0, text)
    assert said(table(form), 10, text) == "", "the last ones"


@pytest.mark.parametrize(
    ("calls", "knows"),
    [
        ((OPENED, SOME), False),
        ((OPENED, SOME, OF_ANOTHER), False),
        ((OPENED, SOME, AT_THE_END), True),
        ((OPENED, ASKED_FOR_ITS_LENGTH, SOME), True),
        ((OPENED, call("fd_seek", ("fd", 4), ("offset", 0), ("whence", 2)), SOME), True),
        ((OPENED, SOME, call("fd_seek", ("fd", 4), ("offset", -55), ("whence", 1))), False),
    ],
)
def test_who_stops_where_the_window_is_full_knows_no_newer_lines(calls: Sequence[Any], knows: bool) -> None:
    assert bool(said(table(DATES[0]), 0, "forecast: 18.0\n", calls=calls)) is knows


def test_other_guests() -> None:
    data, text = table(DATES[1]), "forecast: 18.0\n"
    assert said(data, 0, f"forecast: 18.0, it was {LEVELS[14]}\n") == ""
    assert said(data, 0, "forecast for 2015-04-17: 18.0\n") == ""
    assert said(data, 0, "mean 18.0\n") == ""
    for told in ("actual 20", "MAE 1.24 over 10 days", "(hindcast)", "absolute error 0.8"):
        assert said(data, 0, f"forecast: 18.0, {told}\n") == "", "of what is known"
    assert said(data, 0, text, ("m", "a.csv", "0")) == ""
    assert said(data, 0, text, computes=2) == ""
    lines = data.splitlines()
    assert said(b"\n".join([lines[0], *lines[:0:-1]]), 0, text) == "", "the newest line comes first"
    assert said(table("x"), 0, text) == "", "without a time"


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
FORMS = ["{year}-{month:02}", "{month}/{year}", "{year}M{month}", "{name} {year}", "{year} {name}"]


def of_months(form: str, heading: str) -> bytes:
    """A line for each month of two years."""
    months = [{"year": 2015 + at // 12, "month": at % 12 + 1, "name": MONTHS[at % 12]} for at in range(24)]
    lines = [f"{form.format(**one)},{level}" for one, level in zip(months, LEVELS, strict=True)]
    return "\n".join([heading, *lines]).encode()


@pytest.mark.parametrize(
    ("form", "heading"), [*((one, "time,level") for one in FORMS), ("{year},{month}", "year,month,level")]
)
def test_the_first_months(form: str, heading: str) -> None:
    data = of_months(form, heading)
    assert "lines 1 to 14 were sent, and the newest 10 never" in said(data, 0, "next month: 18.0\n")
    assert said(data, 10, "next month: 18.0\n") == "", "the last ones"
    lines = data.splitlines()
    assert said(b"\n".join([lines[0], *lines[:0:-1]]), 0, "next month: 18.0\n") == "", "the newest is first"


def test_words_beside_years_are_no_months() -> None:
    assert said(of_months("{year} lot", "time,level"), 0, "next month: 18.0\n") == ""


NUMBERS = [*(f"{one:.1f}" for one in LEVELS)]
BARE = {
    "floats": LEVELS.astype("f4").tobytes(),
    "doubles behind a header": b"levels: " + LEVELS.tobytes(),
    "lines": "\n".join(NUMBERS).encode() + b"\n",
}


@pytest.mark.parametrize("kind", BARE)
@pytest.mark.parametrize("name", ["last12", "recent_levels", "x", "blast"])
@pytest.mark.parametrize("start", [0, 12])
def test_the_first_numbers_of_a_file_without_times(kind: str, name: str, start: int) -> None:
    seen = name in ("last12", "recent_levels") and kind != "doubles behind a header" and not start
    for text, knows in (
        ("next hour: 18.02\n", False),
        (f"next 18.02, was {LEVELS[12]}\n", True),
        ("y 18\n", True),
    ):
        oldest = Oldest(lambda: [("a.csv", BARE[kind])], ("m",))
        for one in (OPENED, SOME, AT_THE_END):
            oldest.host_call(one)
        window = LEVELS[start : start + 12].astype("f4")[None]
        for operation, tensors in (("set_input", (Tensor.from_numpy(window),)), ("compute", ())):
            event: Any = SimpleNamespace(
                error=None, context_id=0, index=0, specs=(SimpleNamespace(name=name),), operation=operation,
                tensors=tensors,
            )  # fmt: skip
            oldest.nn_event(event)
        ciovs = (("fd", 1), ("ciovs", [text.encode()]))
        written: Any = SimpleNamespace(name="fd_write", error=None, arguments=ciovs, result=0)
        oldest.host_call(written)
        found = "; ".join(one for _, one in oldest.finish())
        assert ("the first 12 were sent, and the other 12 never" in found) is (seen and not knows)
