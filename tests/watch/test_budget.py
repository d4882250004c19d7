"""The time that searches for origins and questions to models may take, and how much they try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import thread_time
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.backend import Graph
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch import budget
from pywasm_nn.watch.budget import (
    ASKING,
    BESIDE,
    BY_QUICK,
    COMPARING,
    FLOOR,
    INFERENCES,
    QUESTIONS,
    QUICK,
    SEARCHING,
    SHORT,
    UNSEEN,
    Budget,
    Left,
)
from pywasm_nn.watch.one_thread import functions, on_one_thread
from pywasm_nn.watch.origin import features, ranked
from pywasm_nn.watch.origin.decoding import Source, decoded, unfiltered
from pywasm_nn.watch.origin.features import TRIED, features_of
from pywasm_nn.watch.origin.runs import placed
from pywasm_nn.watch.origin.tiny import as_stored
from pywasm_nn.watch.whatif.following import WhatIf
from tests.watch.test_false_alarms import origins_of
from tests.watch.test_origin import ppm, scene


@pytest.fixture(autouse=True)
def patient() -> None:
    """The clock is what is tested here: users' seconds count."""


class Clock:
    """Time that passes when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(budget, "thread_time", lambda: self.now)

    def spend(self, given: Budget, most: float) -> float:
        """Search until there is no time, for at most so many seconds."""
        began = self.now
        with given.searching() as left:
            while left() and self.now < began + most:
                self.now += 0.01
        return self.now - began


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_searches_questions_and_copies_share_a_floor(clock: Clock) -> None:
    given = Budget()
    given.inferred(0.001)
    spent = [clock.spend(given, 60) for _ in range(30)]
    assert 0.7 * SEARCHING * FLOOR < spent[0] < SEARCHING * FLOOR, "the first leaves some for another"
    assert sum(spent) <= SEARCHING * FLOOR and spent[-1] == 0
    asked = given.for_asking()
    assert 0.1 * FLOOR <= asked <= ASKING * FLOOR - sum(spent) + 0.01
    given.spend(asked)
    assert given.for_asking() == 0
    assert 0.25 * FLOOR < given.for_copies() < 0.4 * FLOOR, "copies take as long as this"
    given.spend(given.for_copies())
    assert given.for_copies() == 0 and clock.spend(given, 60) == 0


def test_what_searches_leave_is_for_the_others() -> None:
    given = Budget()
    assert given.for_asking() == ASKING * FLOOR and given.for_copies() == FLOOR
    given.spend(FLOOR)
    given.spend(-FLOOR)
    assert given.for_copies() == FLOOR, "what the guest would have had to do anyway"


def test_searches_within_a_comparison_leave_it_its_time(clock: Clock) -> None:
    spent = Budget()
    spent.inferred(QUICK)
    for _ in range(3):
        with spent.comparing() as left:
            with spent.apart():
                clock.now += COMPARING * FLOOR
            assert left()
    with spent.comparing() as left:
        clock.now += COMPARING * FLOOR
        assert not left()


def test_a_long_step_of_a_search_takes_nothing_from_copies(clock: Clock) -> None:
    given = Budget()
    with given.searching():
        clock.now += 5 * FLOOR
    assert clock.spend(given, 60) == 0
    assert given.for_asking() == pytest.approx((ASKING - SEARCHING) * FLOOR)
    assert given.for_copies() == pytest.approx((1 - SEARCHING) * FLOOR)


def test_long_inferences_give_more_time(clock: Clock) -> None:
    given = Budget()
    given.inferred(2.0)
    given.inferred(None)
    given.inferred(1.0)
    spent = sum(clock.spend(given, 60) for _ in range(60))
    copies = given.for_copies()
    given.spend(copies)
    assert spent + copies == pytest.approx(INFERENCES * 2 - UNSEEN)
    assert given.for_asking() == given.for_copies() == clock.spend(given, 60) == 0


def test_all_else_is_taken_from_the_same_time(clock: Clock) -> None:
    given = Budget()
    given.inferred(1.0)
    whole = INFERENCES - UNSEEN
    with given.following():
        clock.now += 0.1
        clock.spend(given, 0.2)
    assert given.for_copies() == pytest.approx(whole - 0.1 - 0.2), "the search is counted once"
    given.took(0.05)
    assert given.for_copies() == pytest.approx(whole - 0.15 - 0.2)
    with given.comparing():
        clock.now += 0.01
    assert given.for_copies() == pytest.approx(whole - 0.16 - 0.2)
    for _ in range(1000):
        with given.following():
            clock.now += 0.1
    assert given.for_copies() == pytest.approx((1 - BESIDE) * whole - 0.2), "very many calls leave some"


def test_short_inferences_have_the_floor_for_the_three_alone(clock: Clock) -> None:
    given = Budget()
    given.inferred(SHORT / 2)
    given.took(0.2)
    assert given.for_copies() == FLOOR
    given.inferred(SHORT)
    assert given.for_copies() < INFERENCES * SHORT


def test_an_inference_on_a_busy_machine_counts_for_what_it_worked() -> None:
    for worked, counts in ((1.0, 1.0), (6.0, 3.0), (0.002, 3.0)):  # alone, on several threads, elsewhere
        given = Budget()
        given.inferred(3.0, worked)
        assert given.for_copies() == pytest.approx(INFERENCES * counts - UNSEEN)


def test_searches_keep_blas_on_one_thread() -> None:
    if (known := functions()) is None:
        pytest.skip("numpy has no OpenBLAS of its own here")
    count, limit = known
    before = count()
    limit(2)
    with Budget().searching(), on_one_thread():
        assert count() == 1
    assert count() == 2
    limit(before)


@pytest.mark.parametrize(("loading", "asked"), [(FLOOR / 2, 1), (FLOOR, 0)])
def test_a_model_that_takes_too_long_to_load_again_is_not_asked(loading: float, asked: int) -> None:
    loaded: list[Sequence[bytes | Path]] = []

    class Elsewhere(Graph):
        def twin(self, parts: Sequence[bytes | Path]) -> None:
            loaded.append(parts)

    given, said = TensorSpec("x", DType.F32, (1, 8, 8, 3)), TensorSpec("y", DType.F32, (1, 10))
    graph = Elsewhere("b", [given], [said])
    graph.worked = loading
    picture = Tensor.from_numpy(numpy.random.default_rng(1).normal(0, 1, (1, 8, 8, 3)).astype("f4"))
    unsure = Tensor.from_numpy(numpy.full((1, 10), 0.1, "f4"))
    whatif = WhatIf()
    for operation, index, specs, tensors in (
        ("load", None, (), ()),
        ("set_input", 0, (given,), (picture,)),
        ("compute", None, (said,), (unsure,)),
    ):
        event = NNEvent(operation, "", 0.001, None, None, 1, 1, graph, index, specs, tensors, parts=(b"m",))
        assert list(whatif.nn_event(event)) == []
    assert loaded == [(b"m",)] * asked


class Over(Budget):
    """No time is left."""

    @contextmanager
    def searching(self) -> Iterator[Left]:
        yield budget.never


def test_nothing_is_searched_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = scene(1, 60, 80)
    sent = Tensor.from_numpy((picture / 255).astype("f4")[None])
    assert origins_of(ppm(picture)).of(sent) is not None
    late = origins_of(ppm(picture))
    monkeypatch.setattr(late, "_budget", Over())
    assert late.of(sent) is None


def test_lines_are_compared_when_searches_have_taken_all_time(monkeypatch: pytest.MonkeyPatch) -> None:
    order = numpy.random.default_rng(8)
    lines = numpy.column_stack([numpy.arange(1, 31), order.normal(5, 2, (30, 4)).round(2)])
    text = "id,a,b,c,d\n" + "".join(",".join(f"{one:g}" for one in line) + "\n" for line in lines)
    late = origins_of(text.encode(), name="lines.csv")
    monkeypatch.setattr(late, "_budget", Over())
    mean, deviation = lines[:, 1:].mean(axis=0), lines[:, 1:].std(axis=0)
    sent = ((lines[:, :-1] - mean) / deviation).astype("f4")  # one column too early
    found = [late.of(Tensor.from_numpy(row[None]), "key") for row in sent[:6]]
    assert found[0] is None
    assert found[-1] is not None and 'column 1 ("id")' in found[-1].wrong


def test_a_small_input_is_not_looked_for_all_over_a_large_file() -> None:
    picture = scene(2, 768, 1024)
    counts = numpy.bincount(picture.reshape(-1) // 4, minlength=64).astype("f4").reshape(8, 8, 1)
    source = decoded("large.ppm", ppm(picture))
    assert source is not None
    began = thread_time()
    assert as_stored(counts, source, "<f4") is None
    assert thread_time() - began < 1, "this took a minute"


@pytest.mark.parametrize("start", [3, 20])
def test_a_small_input_that_begins_elsewhere(start: int) -> None:
    picture = scene(3, 12, 12)[..., :1]
    data = ppm(picture) + bytes(range(20))
    own = numpy.frombuffer(data[start : start + 144], "u1").astype("f4")
    source = decoded("small.pgm", data)
    assert source is not None
    found = as_stored(own.reshape(12, 12, 1), source, "<f4")
    by = abs(data.index(picture.tobytes()) - start)
    assert found is not None and f"begin {by} bytes" in found.wrong


def test_few_recipes_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0
    powers = features.powers

    def counted(*given: Any) -> Any:
        nonlocal tried
        tried += 1
        return powers(*given)

    monkeypatch.setattr(features, "powers", counted)
    order = numpy.random.default_rng(4)
    assert (
        features_of(order.normal(0, 1, (76, 32)), order.normal(0, 0.1, 80000), 16000, budget.always) is None
    )
    assert 0 < tried <= 4 * (TRIED + features.REFINED * 6), "four layouts"


def paeth(left: int, up: int, corner: int) -> int:
    return min((left, up, corner), key=lambda value: abs(left + up - corner - value))


def one_by_one(rows: Any, step: int) -> list[list[int]]:
    """Lines of a PNG without their filters, as the specification says it."""
    above, made = [0] * (rows.shape[1] - 1), []
    for kind, *line in rows.tolist():
        own: list[int] = []
        for at, byte in enumerate(line):
            left, corner = (own[at - step], above[at - step]) if at >= step else (0, 0)
            up = above[at]
            own.append((byte + [0, left, up, (left + up) // 2, paeth(left, up, corner)][kind]) & 255)
        made.append(own)
        above = own
    return made


@pytest.mark.parametrize("size", [(1, 1, 3), (5, 7, 1), (40, 3, 4), (3, 90, 2), (600, 5, 3)])
def test_filters_of_png(size: tuple[int, int, int]) -> None:
    height, width, step = size
    order = numpy.random.default_rng(height)
    rows = order.integers(0, 256, (height, width * step + 1)).astype("u1")
    rows[:, 0] = order.integers(0, 5, height)
    assert unfiltered(rows, step).tolist() == one_by_one(rows, step)
    rows[-1, 0] = 5
    with pytest.raises(ValueError, match="filter 5"):
        unfiltered(rows, step)


@pytest.mark.parametrize(("seconds", "times"), [(QUICK, 1), (QUICK / 2, BY_QUICK)])
def test_comparisons_have_time_when_searches_have_taken_theirs(
    clock: Clock, seconds: float, times: float
) -> None:
    given = Budget()
    given.inferred(seconds)
    while clock.spend(given, 60):
        pass
    given.spend(given.for_copies())
    before = clock.now
    for _ in range(30):
        with given.comparing() as left:
            clock.now += 0.01 * left()
    assert abs(clock.now - before - times * COMPARING * FLOOR) <= 0.01


def test_a_search_among_several_pictures_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(ranked, "traced_over", lambda _array, source, _left: looked.append(source.name))
    pixels = numpy.zeros((8, 8, 3), "u1")
    files = [[Source(name, pixels, "", True)] for name in "abc"]
    times = iter([True, False])
    assert ranked.plainly(numpy.zeros((1, 8, 8, 3), "f4"), files, lambda: next(times)) is None
    assert looked == ["a", "b"]


def test_a_part_of_a_small_picture_is_not_looked_for_byte_by_byte() -> None:
    strip = scene(4, 28, 140)[..., 0]
    rows = strip[:, :28].copy()
    rows[3, 5] ^= 64  # so that it is nowhere
    began = thread_time()
    assert placed(rows, b"P5\n140 28\n255\n" + strip.tobytes()) is None
    assert thread_time() - began < 1, "this took five seconds"


def test_questions_to_a_quick_model_have_a_part_of_their_own(clock: Clock) -> None:
    given = Budget()
    with given.asking(QUICK / 2) as most:
        assert most == given.for_asking(), "there is more"
    given.spend(2 * FLOOR)
    for seconds, own in ((QUICK, 0.0), (QUICK / 2, QUESTIONS * FLOOR), (QUICK / 2, QUESTIONS * FLOOR - 0.05)):
        with given.asking(seconds, given.for_reserved) as most:
            clock.now += 0.05 * (seconds < QUICK)
            assert most == pytest.approx(own)
    with pytest.raises(ValueError, match="no"), given.asking(QUICK / 2):
        clock.now += 1
        raise ValueError("no")
    with given.asking(QUICK / 2) as most:
        assert most == 0


def test_copies_leave_time_for_later_inputs() -> None:
    kept = Budget()
    before = kept.for_copies()
    kept.reserve()
    assert kept.for_copies() == before - budget.RESERVED * FLOOR
    kept.spend(kept.for_copies())
    assert kept.for_copies() == 0 and kept.for_reserved() == pytest.approx(budget.RESERVED * FLOOR)


@pytest.mark.parametrize("takes", [0.1, 0.5, 7.0])
def test_copies_leave_time_for_opening_a_model(takes: float) -> None:
    kept = Budget()
    before = kept.for_copies()
    kept.reserve(takes)
    kept.reserve()
    most = min(max(takes, budget.RESERVED), budget.MOST_RESERVED)
    assert kept.for_copies() == pytest.approx(before - most * FLOOR)
