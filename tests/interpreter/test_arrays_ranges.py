"""How many rounds can be done at once, against counting them one by one."""

from __future__ import annotations

import operator

from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.interpreter.arrays.ranges import ENDLESS, Place, clash, inside, lasting, signed

SYMBOLS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "!=": operator.ne}
BITS = 8
"""Few bits, so that values wrap soon; nothing in `lasting` depends on how many there are."""
NEAR = st.integers(-20, 20).map(lambda n: n % 256) | st.integers(0, 255)
STEP = st.integers(-5, 5)


@given(st.sampled_from(sorted(SYMBOLS)), st.booleans(), NEAR, STEP, NEAR, STEP)
def test_a_comparison_holds_in_all_rounds_that_are_counted(
    symbol: str, is_signed: bool, a: int, a_step: int, b: int, b_step: int
) -> None:
    def value(start: int, step: int, number: int) -> int:
        found = (start + step * number) % 256
        return signed(found, BITS) if is_signed else found

    holds = [SYMBOLS[symbol](value(a, a_step, number), value(b, b_step, number)) for number in range(600)]
    count = lasting(symbol, is_signed, BITS, (a, a_step), (b, b_step))
    assert all(holds[:count])
    wraps = any(
        value(start, step, count) != value(start, 0, 0) + step * count
        for start, step in ((a, a_step), (b, b_step))
    ) if count < 600 else False  # fmt: skip
    if count < 600 and symbol != "!=":
        assert not holds[count] or wraps, "it goes on until the comparison fails or a value wraps"


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 6)), min_size=1, max_size=2),
    st.integers(0, 60), st.integers(0, 30), st.integers(1, 8), st.integers(1, 120),
)  # fmt: skip
def test_rounds_inside_memory(
    loops: list[tuple[int, int]], start: int, least: int, width: int, size: int
) -> None:
    strides, rounds = tuple(stride for stride, _ in loops), tuple(count for _, count in loops)
    place = Place(0, start + least, strides, width, least)
    count = inside(place, size, rounds)
    for number in range(rounds[0]):
        addresses = addresses_of(place, (number + 1, *rounds[1:]))
        fits = all(least <= address and address + width <= size for address in addresses)
        assert fits is (number < count)


def addresses_of(place: Place, rounds: tuple[int, ...]) -> list[int]:
    """The addresses in the order of the rounds."""
    if len(rounds) == 1:
        return [place.start + place.strides[0] * i for i in range(rounds[0])]
    return [
        place.start + place.strides[0] * i + place.strides[1] * j
        for i in range(rounds[0])
        for j in range(rounds[1])
    ]


@given(
    st.lists(st.tuples(st.integers(-9, 9) | st.integers(9, 40), st.integers(1, 7)), min_size=1, max_size=2),
    st.sampled_from(["both", "inner", "outer"]),
    st.integers(-9, 9), st.integers(-20, 20), st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4, 8]),
    st.integers(0, 1),
)  # fmt: skip
def test_a_clash_is_never_missed(
    loops: list[tuple[int, int]], alike: str, stride: int, way: int, width: int, other: int, least: int
) -> None:
    strides, rounds = tuple(stride for stride, _ in loops), tuple(count for _, count in loops)
    first = Place(0, 500, strides, width, 0)
    others = {"both": strides, "inner": (stride, *strides[1:]), "outer": (strides[0], stride)[: len(loops)]}
    second = Place(0, 500 + way, others[alike], other, 0)
    found = clash(first, second, rounds, least)
    ones, theirs = addresses_of(first, rounds), addresses_of(second, rounds)
    for number, one in enumerate(ones):
        for later in range(number + least, len(theirs)):
            if one < theirs[later] + other and theirs[later] < one + width:
                if len(rounds) == 1:
                    assert later - number >= found
                else:
                    assert found != ENDLESS


@given(st.integers(1, 9), st.integers(1, 40), st.integers(0, 40), st.sampled_from([1, 2, 4]))
def test_the_usual_cases_have_no_clash(stride: int, rounds: int, gap: int, width: int) -> None:
    place = Place(0, 100, (stride * width,), width, 0)
    assert clash(place, place, (rounds,), 1) == ENDLESS, "in place"
    behind = place._replace(start=place.extent((rounds,))[1] + gap)
    assert clash(place, behind, (rounds,), 0) == clash(behind, place, (rounds,), 0) == ENDLESS, "apart"
    assert clash(place, place._replace(memory=1), (rounds,), 0) == ENDLESS, "another memory"
    pixels = place._replace(start=100, strides=(3 * width,))
    assert clash(pixels, pixels._replace(start=100 + width), (rounds,), 0) == ENDLESS, "the next channel"


@given(st.integers(1, 9), st.integers(1, 40), st.sampled_from([1, 2, 4, 8]), st.booleans())
def test_channels_two_at_a_time_and_the_last_one_have_no_clash(
    pairs: int, rounds: int, width: int, is_odd: bool
) -> None:
    """Of pixels that stand side by side."""
    row = width * (2 * pairs + is_odd)
    one = Place(0, 100, (row, 2 * width), width, 0)
    two, last = one._replace(start=100 + width), Place(0, 100 + 2 * pairs * width, (row, 0), width, 0)
    counts = rounds, pairs
    assert clash(two, one, counts, 1) == clash(one, two, counts, 0) == clash(one, one, counts, 1) == ENDLESS
    if is_odd:
        assert clash(last, one, counts, 1) == clash(last, two, counts, 1) == ENDLESS
