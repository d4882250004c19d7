"""Windows of a column that a short file's mean and deviation scale, rightly and wrongly."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.by_named_scale import by_named_scale

MEAN, WIDE = 61.5, 8.25
HEART = numpy.round(MEAN + 9 * numpy.sin(numpy.arange(40) / 4) + numpy.arange(40) % 5, 1)
FORMS = {
    "blanks": "mean 61.5\nstd 8.25\n",
    "settings": "sigma = 8.25\nmu = 61.5\n",
    "json": '{"pulse": {"mean": 61.5, "std": 8.25}}',
    "of several": "pulse_mean=61.5\npulse_std=8.25\nfever_mean=37.1\nfever_std=0.6\n",
    "one line": "# of the training: mean=61.5, sd=8.25",
}
Pair = tuple[str, str]


def compared(window: Any, scaler: str, heading: str = "minute,pulse") -> Pair:
    table = "\n".join([heading, *(f"{at},{one}" for at, one in enumerate(HEART))])
    files = [("pulse.csv", table.encode()), ("scaler.txt", scaler.encode())]
    return by_named_scale(window.astype("f4"), files)


def beside(window: Any, *, is_first: bool = False) -> Any:
    """An input with other elements beside a window."""
    others = [0.25, 1.0, -0.5]
    return numpy.array([[*others, *window] if is_first else [*window, *others]])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_first", [False, True])
def test_mean_and_deviation_exchanged(form: str, is_first: bool) -> None:
    part = HEART[7:27]
    name, said = compared(beside((part - WIDE) / MEAN, is_first=is_first), FORMS[form])
    assert name == "pulse.csv" and '("pulse") was lessened by the deviation and divided by the mean' in said
    assert "names 61.5 the mean and 8.25 the deviation" in said
    assert compared(beside((part - MEAN) / WIDE, is_first=is_first), FORMS[form]) == ("", "")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((HEART + MEAN) / WIDE, "made larger by the mean, not less"),
        ((HEART - MEAN) * WIDE, "multiplied by the deviation, not divided"),
        (HEART - MEAN / WIDE, "brackets are missing"),
    ],
)
def test_other_formulas(wrong: Any, said: str) -> None:
    assert said in compared(wrong[None, 3:30, None], FORMS["blanks"])[1]


@pytest.mark.parametrize(
    ("window", "scaler"),
    [
        ((HEART - WIDE) / MEAN, "61.5 8.25\n"),  # nothing says which is which
        ((HEART - WIDE) / MEAN, "mean 8.25\nstd 61.5\n"),  # this is what the file says
        ((HEART - 60) / 10, FORMS["blanks"]),  # by numbers of its own
        (HEART, FORMS["blanks"]),  # the model may scale it itself
        ((HEART - 900) / 20, "mean 20\nstd 900\n"),  # by neither way it would be usual
        ((HEART - WIDE) / MEAN, "mean 61.5\nmean 70\nstd 8.25\n"),  # of several things
    ],
)
def test_windows_of_which_nothing_is_known(window: Any, scaler: str) -> None:
    assert compared(beside(window[5:25]), scaler) == ("", "")
