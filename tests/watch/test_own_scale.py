"""Windows of a column that were scaled by their own mean and deviation, and twins for which nothing else is
known."""

from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.own_scale import OwnScale

LOADS = numpy.random.default_rng(8).normal(310, 40, 40).round(1)
TABLE = ("hour;load;wind\n" + "".join(f"{at};{one};{at % 7}\n" for at, one in enumerate(LOADS))).encode()
PLACE = Path("models/scale.txt")


def by_itself(tensor: Tensor, files: Any, unread: Any, *, at_once: bool = True) -> str:
    """What is said of an input, or of lines that are sent one by one."""
    rule, array = OwnScale(), tensor.numpy()
    parts = [array] if at_once else [*array[:, None]]
    found = [rule.wrong(0, Tensor.from_numpy(one.copy()), files, lambda: unread) for one in parts]
    assert not any(found[:-1])
    return found[-1]


def window(mean: float | None = None, deviation: float | None = None, ddof: int = 0) -> Any:
    part = LOADS[12:36]
    mean = part.mean() if mean is None else mean
    return ((part - mean) / (deviation or part.std(ddof=ddof))).astype("f4")


def said(array: Any, text: str, *, is_read: bool) -> str:
    files = [("load.csv", TABLE), *([(PLACE.name, text.encode())] if is_read else [])]
    return by_itself(Tensor.from_numpy(array[None, :, None]), files, [] if is_read else [(PLACE, text)])


@pytest.mark.parametrize(
    "text", ["load_mean = 250.5\nload_std = 61.25\n", '{"load": {"mean": 250.5, "std": 61.25}}']
)
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("is_read", [True, False])
def test_a_window_by_itself(text: str, ddof: int, *, is_read: bool) -> None:
    found = said(window(ddof=ddof), text, is_read=is_read)
    assert '"load" was scaled by its own mean' in found and "250.5" in found
    assert ("never read" in found) is not is_read


def test_right_twins() -> None:
    text = "load_mean = 250.5\nload_std = 61.25\n"
    assert said(window(250.5, 61.25), text, is_read=True) == ""
    assert said(window(), "wind_mean = 250.5\nwind_std = 61.25\n", is_read=False) == ""
    same = f"load_mean = {LOADS[12:36].mean()}\nload_std = {LOADS[12:36].std()}\n"
    assert said(window(), same, is_read=True) == ""
    assert said(numpy.sort(window()), text, is_read=True) == "", "of no window"


def test_a_window_of_several_columns() -> None:
    """Each of them by itself, laid out either way."""
    files = [("load.csv", TABLE), (PLACE.name, b"load_mean = 250.5\nload_std = 61.25\n")]
    wind = numpy.arange(12, 36) % 7
    both = numpy.stack([window(), (wind - wind.mean()) / wind.std()], 1).astype("f4")
    for array in (both[None], both.T[None]):
        assert '"load" was scaled by its own mean' in by_itself(Tensor.from_numpy(array.copy()), files, [])
    one = numpy.stack([window(), wind], 1).astype("f4")
    assert by_itself(Tensor.from_numpy(one[None]), files, []) == "", "one of them as it stands"


COLUMNS = numpy.random.default_rng(5).normal([310, 4, 0.5], [40, 2, 0.1], (9, 3)).round(3)
LINES = (
    "id,load,wind,sun\n" + "".join(f"d{at},{a},{b},{c}\n" for at, (a, b, c) in enumerate(COLUMNS))
).encode()
SCALER = b"load 250.5 61.25\nwind 5.5 2.5\nsun 0.4 0.2\nrain 3 1\nsnow 1 1\n"


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("count", [6, 7])
def test_a_batch_of_lines_by_itself(ddof: int, count: int) -> None:
    part = COLUMNS[:count]
    own = (part - part.mean(0)) / part.std(0, ddof=ddof)
    right = (part - [250.5, 5.5, 0.4]) / [61.25, 2.5, 0.2]

    def told(rows: Any, scaler: bytes = SCALER) -> str:
        files = [("days.csv", LINES), ("scaler.txt", scaler)]
        return by_itself(Tensor.from_numpy(rows.astype("f4")), files, [])

    assert '"load"' in told(own) and "was scaled by its own mean and deviation" in told(own)
    assert told(right) == ""
    assert told(own[:, ::-1].copy()) == "", "of no table in its order"
    assert told(own, SCALER.replace(b"load", b"heat")) == "", "of other columns"
    assert told(own[:4]) == ""


@pytest.mark.parametrize("text", ["{}\n{}\n", '{{"mean": [{}], "std": [{}]}}', "# norm\n{}\n{}\n"])
@pytest.mark.parametrize("seed", range(3))
def test_a_batch_of_lines_and_lists_without_names(text: str, seed: int) -> None:
    """One number for each column that was sent, and none for the first column, an id."""
    random = numpy.random.default_rng(seed)
    means, deviations = random.uniform(5, 300, 5), random.uniform(2, 40, 5)
    rows = random.normal(means + deviations / 2, deviations, (7, 5)).round(2)
    table = "id,a,b,c,d,e\n" + "".join(f"{at},{','.join(map(str, row))}\n" for at, row in enumerate(rows))
    lists = [",".join(f"{one:.4f}" for one in numbers) for numbers in (means, deviations)]

    def told(lines: Any, scaler: str, name: str = "norm.csv") -> str:
        files = [(name, scaler.encode()), ("lines.csv", table.encode())]
        said = {
            by_itself(Tensor.from_numpy(lines.astype("f4")), files, [], at_once=one) for one in (True, False)
        }
        assert len(said) == 1
        return said.pop()

    own = (rows - rows.mean(0)) / rows.std(0)
    found = told(own, text.format(*lists))
    assert "in the 7 lines was scaled by its own mean and deviation" in found and "norm.csv has" in found
    assert told((rows - means) / deviations, text.format(*lists)) == ""
    same = [",".join(map(str, numbers)) for numbers in (rows.mean(0), rows.std(0))]
    assert told(own, text.format(*same)) == "", "they are the file's"
    far = [",".join(f"{one:.4f}" for one in numbers) for numbers in (means * 50, deviations)]
    assert told(own, text.format(*far)) == "", "of something else"
    assert told(own, f"{lists[0]}\n{lists[1]}\n", "more.csv") == "", "lines of data"


@pytest.mark.parametrize(
    ("name", "text"), [("minmax.csv", "{}\n{}\n"), ("s.json", '{{"min": [{}], "max": [{}]}}')]
)
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("headings", ["a,b,c,d\n", ""])
def test_lines_by_their_own_ends(name: str, text: str, at_once: bool, headings: str) -> None:
    random = numpy.random.default_rng(len(name))
    lows, highs = random.uniform(0, 5, 4), random.uniform(20, 300, 4)
    rows = random.uniform(lows + 0.1 * (highs - lows), highs - 0.2 * (highs - lows), (6, 4)).round(2)
    table = (headings + "".join(",".join(map(str, row)) + "\n" for row in rows)).encode()
    lists = [",".join(f"{one:.4f}" for one in numbers) for numbers in (lows, highs)]

    def told(lines: Any, *both: str) -> str:
        files = [("lines.csv", table), (name, text.format(*both).encode())]
        return by_itself(Tensor.from_numpy(lines.astype("f4")), files, [], at_once=at_once)

    own = (rows - rows.min(0)) / numpy.ptp(rows, axis=0)
    assert "in the 6 lines was scaled by its own smallest number and range" in told(own, *lists)
    assert told((rows - lows) / (highs - lows), *lists) == ""
    same = [",".join(map(str, numbers)) for numbers in (rows.min(0), rows.max(0))]
    assert told(own, *same) == ""


@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("at_once", [True, False])
def test_so_few_lines_that_each_is_far_from_their_mean(count: int, *, at_once: bool) -> None:
    """All lines of a short table, in which a deviation is hardly known."""
    random = numpy.random.default_rng(count)
    rows = random.normal([310, 4, 0.5, 90, 7], [50, 2, 0.15, 20, 1], (count, 5)).round(3)
    text = "load,wind,sun,heat,rain\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    scaler = "load 280.5 61.25\nwind 5.5 2.5\nsun 0.4 0.2\nheat 81 24\nrain 7.5 1.2\n"

    def told(lines: Any) -> str:
        given = Tensor.from_numpy(lines.astype("f4"))
        return by_itself(given, [("days.csv", text.encode())], [(PLACE, scaler)], at_once=at_once)

    own = (rows - rows.mean(0)) / rows.std(0)
    found = told(own)
    assert f'"load" in the {count} lines was scaled by its own mean' in found and "never read" in found
    assert told((rows - [280.5, 5.5, 0.4, 81, 7.5]) / [61.25, 2.5, 0.2, 24, 1.2]) == ""
    assert told(own[:, ::-1].copy()) == ""
    assert told(own[::-1].copy()) == "", "lines that go backwards come from somewhere else"


@pytest.mark.parametrize("front", [False, True])
def test_kinds_and_switches_beside_the_columns(front: bool) -> None:
    """Nobody scales these: the file has numbers for the others alone."""
    part = COLUMNS[:5]
    kinds = numpy.array([[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 0]])
    files = [("days.csv", LINES), ("scaler.txt", b"250.5 5.5 0.4\n61.25 2.5 0.2\n")]
    own = (part - part.mean(0)) / part.std(0)
    right = (part - [250.5, 5.5, 0.4]) / [61.25, 2.5, 0.2]

    def told(rows: Any) -> str:
        whole = numpy.hstack([kinds, rows] if front else [rows, kinds]).astype("f4")
        return by_itself(Tensor.from_numpy(whole), files, [])

    assert "was scaled by its own mean and deviation" in told(own)
    assert told(right) == ""
