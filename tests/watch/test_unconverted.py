"""Windows of columns with gaps, in halves, and in another unit than the scaler's."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.runs_of_columns import run_of
from pywasm_nn.watch.origin.tables import found_in, table_in
from pywasm_nn.watch.series.unconverted import unconverted

LOADS = numpy.round(2.4 + 0.9 * numpy.sin(numpy.arange(40) / 3) + numpy.arange(40) % 3 / 9, 2)
NAN = float("nan")


def csv(numbers: Any, heading: str, name: str = "load.csv") -> list[tuple[str, bytes]]:
    lines = [f"{at},{'' if one != one else one}" for at, one in enumerate(numbers)]
    return [(name, "\n".join([f"hour,{heading}", *lines]).encode())]


@pytest.mark.parametrize(
    ("heading", "window", "said"),
    [
        ("load_kw", (LOADS - 2400) / 800, "is in kw by its heading; less 2.4e+03 and divided by 800"),
        ("load_kw", (LOADS * 1000 - 2400) / 800, ""),
        ("load", (LOADS - 2400) / 800, ""),
        ("load_w", (LOADS - 2.4) / 0.8, ""),
        ("load_kw", LOADS / 1000, ""),  # nothing is taken away, so no scaler is known
        ("room temp_f", (LOADS * 10 + 40 - 15) / 6, "converted to c they would be"),
        ("sugar mmol/l", ((LOADS + 5 - 120) / 60).astype("f2"), "is in mmol/l by its heading"),
    ],
)
def test_units_of_windows(heading: str, window: Any, said: str) -> None:
    numbers = LOADS + 5 if "mmol" in heading else LOADS * 10 + 40 if heading.endswith("_f") else LOADS
    dtype = window.dtype if window.dtype == "f2" else "f4"
    found = unconverted(window[6:22].astype(dtype), csv(numbers, heading))[1]
    assert said in found and bool(said) == bool(found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("roof_fahrenheit.csv", True),
        ("pool-kelvin.csv", False),  # converted, they would be as far away
        ("roof.csv", False),
        ("celsius to fahrenheit.csv", False),
        ("roof_f.csv", False),  # a letter may stand for anything
    ],
)
def test_the_unit_in_a_files_name(name: str, said: bool) -> None:
    warm = LOADS * 10 + 40
    for heading in ("roof", "1"):
        found = unconverted(((warm - 15) / 6)[6:22].astype("f4"), csv(warm, heading, name))[1]
        assert ("is in fahrenheit by the file's name; less 15 and divided by 6" in found) is said
        assert bool(found) is said
    right = (((warm - 32) / 1.8 - 15) / 6)[6:22].astype("f4")
    assert unconverted(right, csv(warm, "roof", name)) == ("", "")
    own = ((warm - 60) / 9)[6:22].astype("f4")
    assert unconverted(own, csv(warm, "roof", name)) == ("", ""), "the scaler is for these"


def test_windows_with_gaps_in_the_opposite_order() -> None:
    missing = LOADS.copy()
    missing[[12, 13, 30]] = NAN
    window = LOADS[6:22].astype("f4")
    found = unconverted(window[::-1], csv(missing, "load"))[1]
    assert "of lines 8 to 23 is in the opposite order, that of line 23 first" in found
    assert unconverted(window, csv(missing, "load")) == ("", "")
    assert run_of(missing, window) == 6
    assert run_of(missing, window[::-1]) == -1


def test_halves_of_a_column() -> None:
    """They are rounded far more than the numbers of the file."""
    table = table_in(csv(LOADS, "load")[0][1])
    window = ((LOADS[6:22] + 40) / 10).astype("f2")
    assert table is not None
    forward, backward = found_in(table, window), found_in(table, window[::-1])
    assert forward is not None and not forward.wrong
    assert backward is not None and backward.wrong == "it is in the reversed order, the last first"


@pytest.mark.parametrize(
    ("heading", "warm", "scaler", "said"),
    [
        ("# pool_degF", LOADS * 4 + 48, (13.0, 11.0), "is in degf by its heading; less 13 and divided by 11"),
        ("pool", LOADS * 4 + 48, (13.0, 11.0), ""),  # its unit is told nowhere
        ("wind_kmh", LOADS * 4 + 48, (13.0, 11.0), ""),  # such a storm there may be
        ("# pool_degF", LOADS * 4 + 93, (60.0, 14.0), ""),  # hot for any thermometer
        ("# pool_degF", LOADS * 12 + 5, (13.0, 11.0), ""),  # some of it is usual as it stands
    ],
)
def test_warmth_that_is_far_from_usual(heading: str, warm: Any, scaler: Any, said: str) -> None:
    files = [("pool.csv", "\n".join([f"{heading},chlorine", *(f"{one:.3f},7.2" for one in warm)]).encode())]
    window = numpy.stack([(warm.round(3) - scaler[0]) / scaler[1], 0 * warm], axis=1)[None, 6:22].astype("f4")
    found = unconverted(window, files)[1]
    assert said in found and bool(said) == bool(found)


@pytest.mark.parametrize(
    ("numbers", "ends", "name", "said"),
    [
        (LOADS * 8 + 55, (-20, 35), "yard_fahrenheit.csv", True),
        (LOADS * 8 + 55, (-20, 35), "yard.csv", False),  # its unit is told nowhere
        (LOADS * 8 + 55, (0, 120), "yard_fahrenheit.csv", False),  # the range is of these
        (LOADS * 8 + 55, (41.3, 71.9), "yard_fahrenheit.csv", False),  # the ends of other numbers of its kind
        (LOADS * 8 + 5, (-20, 35), "yard_fahrenheit.csv", False),  # it may have been a cold year
        (LOADS * 8 + 55, (-20, 0), "yard_fahrenheit.csv", False),  # beyond the range in any unit
    ],
)
def test_warmth_beyond_the_ends_of_a_range(numbers: Any, ends: Any, name: str, *, said: bool) -> None:
    numbers = numbers.round(1)
    files = [(name, "\n".join(map(str, numbers)).encode())]
    low, high = ends
    window = ((numbers[6:30] - low) / (high - low)).astype("f4")
    found = unconverted(window[None, :, None], files)[1]
    assert ("converted to c they would be" in found) is said and bool(found) is said
    right = (((numbers[6:30] - 32) / 1.8 - low) / (high - low)).astype("f4")
    assert unconverted(right[None], files) == ("", "")
