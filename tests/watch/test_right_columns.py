"""Right inputs made of a table's columns once got a hint. Each has its mistaken twin here."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from tests.watch.test_windows_of_tables import csv, hints

ORDER = numpy.random.default_rng(811)
MEAN, DEVIATION = numpy.array([60.0, 0.8, 2900, 7.1, 410]), numpy.array([14.0, 0.21, 420, 1.1, 77])


def headed(names: str, numbers: Any, decimals: str = "") -> bytes:
    lines = [
        ",".join(f"{one:{decimals or '.10g'}}" for one in row) for row in numpy.asarray(numbers).tolist()
    ]
    return "\n".join([names, *lines]).encode() + b"\n"


def said(rows: Any, data: bytes) -> list[str]:
    return hints([row[None] for row in numpy.asarray(rows)], data)


@pytest.mark.parametrize("seed", range(4))
def test_a_machine_that_hardly_changes(seed: int) -> None:
    """The lines of an hour are alike, and the scaler is that of a year; or it is another machine's."""
    order = numpy.random.default_rng(seed)
    hour = (MEAN + DEVIATION * (order.uniform(-1.4, 1.4, 5) + order.normal(0, 0.05, (12, 5)))).round(3)
    assert said((hour - MEAN) / DEVIATION, csv(hour)) == []
    other = MEAN + order.choice([-9, 9], 5) * DEVIATION
    assert any("belong to other data" in one for one in said((hour - other) / (0.05 * DEVIATION), csv(hour)))


def test_columns_in_other_units_beside_one_that_stays() -> None:
    """Centimetres made metres are no scaled columns beside which one was forgotten; and Fahrenheit made
    Celsius are none."""
    tall, waist, hip = (ORDER.normal(*one, 20).round(1) for one in ((171, 9), (84, 11), (99, 8)))
    age, smokes = ORDER.integers(21, 79, 20), ORDER.integers(0, 2, 20)
    people = numpy.column_stack([tall, waist, hip, age])
    assert said(people[:8] / [100, 100, 100, 1], headed("height,waist,hip,age", people)) == []
    few = numpy.column_stack([tall, age, smokes])
    assert said(few[:8] / [100, 1, 1], headed("height,age,smokes", few)) == []
    warm, wind, air = ORDER.uniform(31, 46, 20).round(1), ORDER.uniform(2, 30, 20).round(1), 1000 + tall / 10
    days = numpy.column_stack([warm, wind, air, smokes])
    made = numpy.column_stack([(warm - 32) / 1.8, wind / 3.6, air, smokes])
    assert said(made[:8], headed("warm,wind,air,rain", days)) == []
    scaled = numpy.column_stack([(tall - 170) / 10, (waist - 80) / 12, (hip - 100) / 9, age])
    assert any("age" in one for one in said(scaled[:8], headed("height,waist,hip,age", people)))


@pytest.mark.parametrize("flag", [1.0, 0.0])
def test_flags_are_no_sines_of_small_columns(flag: float) -> None:
    """The cosine of a small part of a turn is 1, and the sine 0."""
    share = ORDER.uniform(0, 0.3, 14).round(3)
    lines = numpy.column_stack([numpy.arange(1, 15), share, ORDER.normal(20, 4, 14).round(1)])
    data = headed("id,share,warm", lines)
    sent = numpy.column_stack([numpy.full(14, flag), lines[:, 1], (lines[:, 2] - 20) / 4])
    assert said(sent[:8], data) == []
    hours = numpy.column_stack([ORDER.permutation(14), lines[:, 1:]])
    turned = numpy.column_stack([numpy.cos(hours[:, 0] / 24), lines[:, 1], (lines[:, 2] - 20) / 4])
    assert any("goes round once" in one for one in said(turned[:8], headed("hour,share,warm", hours)))


@pytest.mark.parametrize("seed", range(3))
def test_windows_channel_by_channel(seed: int) -> None:
    """A few elements are near some column by chance."""
    order = numpy.random.default_rng(seed)
    at = numpy.arange(68)
    signals = [numpy.sin(at / 8) + order.normal(0, 0.004, 68), 5 + numpy.cos(at / 9)]
    numbers = numpy.column_stack([*signals, order.normal(0, 1, (68, 4))]).round(3)
    windows = [(numbers[begin : begin + 16] - numbers[begin + 15]).T[None] for begin in (0, 16, 32, 48)]
    assert hints(windows, csv(numbers)) == []


def test_powers_of_bands_scaled_in_each_line() -> None:
    """They are all of one kind, written alike; numbers of different things aren't."""
    powers = (ORDER.lognormal(0, 0.5, (20, 5)) * [40, 21, 12, 6, 2.5]).round(3)
    own = (powers - powers.mean(1, keepdims=True)) / powers.std(1, keepdims=True)
    assert said(own[:8], headed("delta,theta,alpha,beta,gamma", powers, ".3f")) == []
    people = (MEAN + DEVIATION * ORDER.normal(0, 1, (20, 5))).round(1)
    people[:, [0, 2]] = people[:, [0, 2]].round()
    own = (people - people.mean(1, keepdims=True)) / people.std(1, keepdims=True)
    found = said(own[:8], headed("weight,ratio,income,size,distance", people))
    assert any("each line was scaled by its own" in one for one in found)


def test_headings_of_answers_that_are_none() -> None:
    """A passenger's class, and the target of a controller, are inputs; a kind of flower is an answer."""
    grade, sex, alive = (ORDER.integers(*ends, 20) for ends in ((1, 4), (0, 2), (0, 2)))
    age, fare = ORDER.integers(2, 70, 20), ORDER.uniform(7, 90, 20).round(2)
    people = numpy.column_stack([grade, sex, age, fare, alive])
    assert said(people[:6, :4], headed("class,sex,age,fare,survived", people)) == []
    numbered = numpy.column_stack([numpy.arange(20), people])
    assert said(numbered[:6, 1:5], headed("id,class,sex,age,fare,survived", numbered)) == []
    room = numpy.column_stack([numpy.arange(20) * 5, age, fare, fare.round() + 1, ORDER.uniform(0, 1, 20)])
    assert said(room[:6, 1:4], headed("time,target,actual,outside,valve", room)) == []
    kinds = numpy.column_stack([fare, age, sex + fare / 7, grade])
    assert any("which is the answer" in one for one in said(kinds[:6, 1:], headed("a,b,c,class", kinds)))
    first = kinds[:, [3, 1, 2, 0]]
    assert any("which is the answer" in one for one in said(first[:6, :3], headed("class,a,b,c", first)))


def test_headings_of_numbers_that_number_nothing() -> None:
    """The rows of a grid, and an index of the air, are inputs; those that count the lines up are none."""
    row, column = numpy.divmod(numpy.arange(20), 5)
    warm, wet = ORDER.normal(20, 4, 20).round(2), ORDER.uniform(1, 9, 20).round(2)
    grid = numpy.column_stack([row, column, warm, wet])
    assert said(grid[:6, :3], headed("row,column,warm,wet", grid)) == []
    air = numpy.column_stack([ORDER.permutation(90)[:20], warm, wet, warm + wet])
    assert said(air[:6, :3], headed("index,warm,wet,ozone", air)) == []
    lines = numpy.column_stack([numpy.arange(20), warm, wet, warm + wet])
    assert any(
        "number of the line" in one for one in said(lines[:6, :3], headed("row,warm,wet,ozone", lines))
    )


def test_a_column_left_out_to_see_what_it_does() -> None:
    """A guest that also sends the line as it is puts 0 there on purpose."""
    lines = numpy.column_stack([ORDER.uniform(1, 60, (20, 5)).round(2)])
    data = headed("a,b,c,d,e", lines)
    without = [numpy.where(numpy.arange(5) == at, 0, lines[7]) for at in range(5)]
    assert said([lines[7], *without], data) == []
    assert any("the last is 0" in one for one in said(without[4:], data))
    assert any("is 0, but in line" in one for one in said([lines[3], without[2]], data))
    scaled = (lines - lines.mean(0)) / lines.std(0)
    assert said(numpy.where(numpy.arange(5) == 2, 0, scaled[7:8]), data) == []


def test_kinds_of_a_column_of_words() -> None:
    """What is zeros and a one may be another thing than the numbered kind of the line, or than the answer."""
    rows = ORDER.uniform(1, 60, (12, 4)).round(2)
    islands, kinds = ORDER.integers(0, 3, 12), ORDER.integers(0, 3, 12)
    kinds[5], islands[5] = 1, 2
    words = [["Biscoe", "Dream", "Torgersen"][one] for one in islands]
    sent = [numpy.concatenate([rows[5], numpy.eye(3)[islands[5]]])]
    named = [",".join([f"{one:g}" for one in row] + [word, str(kind)])
             for row, word, kind in zip(rows, words, kinds, strict=True)]  # fmt: skip
    assert said(sent, "\n".join(["a,b,c,d,island,region", *named]).encode()) == []
    plain = numpy.column_stack([rows, kinds])
    assert said(sent, headed("a,b,c,d,species", plain)) == []
    assert any("as zeros and a one (one-hot)" in one for one in said(sent, headed("a,b,c,d,region", plain)))


@pytest.mark.parametrize("name", ["lags", "x_lag"])
def test_lags_begin_with_the_newest(name: str) -> None:
    load = (300 + 90 * numpy.sin(numpy.arange(60) / 4) + ORDER.normal(0, 9, 60)).round(1)
    column = b"".join(b"%g\n" % one for one in load)
    windows = [load[None, at : at + 12][:, ::-1] / 400 for at in (0, 17, 30, 48)]
    assert hints(windows, column, name=name) == []
    days = [numpy.datetime64("2025-06-01") - at for at in range(60)]
    back = "\n".join(["day,load", *(f"{day},{one:g}" for day, one in zip(days, load, strict=True))]).encode()
    assert not [one for one in hints([load[None, :12]], back, name=name) if "go back in time" in one]
    assert any("go back in time" in one for one in hints([load[None, :12]], back, name="window"))
