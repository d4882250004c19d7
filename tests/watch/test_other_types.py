"""Lines of tables whose numbers are sent in another type than the tensor's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.watch.changes.rereadings import halves_of_floats
from pywasm_nn.watch.facts import Input
from pywasm_nn.watch.hints.cut_halves import CutRows, cut_halves
from pywasm_nn.watch.origin.other_types import in_another_type, in_upper_halves
from pywasm_nn.watch.origin.tables import table_in

TEXT = b"a,b,c,d,e,f\n" + b"".join(
    b",".join(b"%.2f" % (3.7 * row + 1.31 * column + 0.25) for column in range(6)) + b"\n" for row in range(9)
)
TABLE = table_in(TEXT)
assert TABLE is not None


@pytest.mark.parametrize("kind", ["<f4", "<f8", "<f2"])
@pytest.mark.parametrize("own", ["<f4", "<f8", "<i4", "<i8"])
def test_a_line_in_another_type(kind: str, own: str) -> None:
    assert TABLE is not None
    line = TABLE.numbers[4].astype(kind)
    size = 6 * numpy.dtype(own).itemsize
    sent = numpy.frombuffer((line.tobytes() + bytes(size))[:size], own).reshape(1, 6)
    found = in_another_type([("table.csv", TABLE)], sent)
    told = own != kind and line.itemsize <= 4 and len(line.tobytes()) <= size
    if told and kind != "<f2":  # which rounds the numbers
        assert found is not None
        assert "line 6, columns 1 to 6" in found[1].wrong
    elif own == kind:
        assert found is None


def test_half_a_line_of_doubles() -> None:
    assert TABLE is not None
    line = numpy.concatenate([TABLE.numbers[2], TABLE.numbers[3]])
    wide = table_in(b"".join(b",".join(b"%.3f" % (one + row) for one in line) + b"\n" for row in range(4)))
    assert wide is not None
    sent = numpy.frombuffer(wide.numbers[1].tobytes()[:48], "<f4").reshape(1, 12)
    found = in_another_type([("wide.csv", wide)], sent)
    assert found is not None
    assert "room for 6 of the 12 elements" in found[1].wrong


@pytest.mark.parametrize("own", ["<f4", "<f8"])
def test_numbers_of_no_line(own: str) -> None:
    assert TABLE is not None
    random = numpy.random.default_rng(3)
    for _ in range(50):
        assert in_another_type([("table.csv", TABLE)], random.normal(9, 5, (1, 6)).astype(own)) is None
        assert in_another_type([("table.csv", TABLE)], random.integers(0, 9, (1, 6)).astype(own)) is None


MEASURED = st.lists(st.floats(0.1, 900).map(lambda one: round(one, 2)), min_size=3, max_size=24, unique=True)


def halves(numbers: Any, *, rounds: bool) -> Any:
    """Upper halves of floats, as f16."""
    return halves_of_floats(numpy.array(numbers, "<f4").view("<u4"))[rounds].view("<f2")


def told(sent: Any, memory: bytes = bytes(4096)) -> bool:
    """Whether it is said of elements that they are upper halves, by what lies in memory."""
    tensor: Any = SimpleNamespace(size=sent.nbytes, elements=sent.size, dtype="f16", shape=(1, sent.size))
    spec: Any = SimpleNamespace(name="x")
    held: Any = SimpleNamespace(size=len(memory), view=lambda at, count: memory[at : at + count])
    said = cut_halves(Input(0, spec, tensor, values=sent), held)
    return bool(said and "upper halves of f32" in said)


@given(MEASURED, st.booleans(), st.integers(0, 40))
def test_floats_that_were_cut(numbers: list[float], rounds: bool, before: int) -> None:
    """Of numbers of a text, or of floats in memory; right halves of the same numbers are none."""
    text = [("list.txt", f"# 12 lines, 7.25\n{' '.join(map(str, numbers))} 3.5\n")]
    cut, right = halves(numbers, rounds=rounds), numpy.array(numbers, "<f2")
    memory = bytes(4 * before) + numpy.array(numbers, "<f4").tobytes() + bytes(64)
    several = len({*cut.tolist()}) >= 3
    assert (in_upper_halves(text, cut.reshape(1, -1)) is not None) >= several
    assert told(cut, memory) >= several
    assert in_upper_halves(text, right.reshape(1, -1)) is None and not told(right, memory)
    assert in_upper_halves(text, cut[::-1].reshape(1, -1)) is None or [*cut[::-1]] == [*cut]


@pytest.mark.parametrize("count", [16, 40, 300])
def test_floats_around_0_that_were_cut(count: int) -> None:
    numbers = numpy.random.default_rng(count).normal(size=count)
    assert told(halves(numbers, rounds=False)) and told(halves(numbers, rounds=True))
    for right in (numbers, abs(numbers) + 0.75, numbers.clip(0.75, 3), numpy.sign(numbers)):
        assert not told(right.astype("<f2"))
    assert not told(halves(abs(numbers), rounds=False)), "elements without a sign may be from 1 to 4"


def told_of_rows(rows: Any) -> bool:
    """Whether it is said of rows that are sent one by one, of which memory has nothing."""
    kept = CutRows()
    spec: Any = SimpleNamespace(name="x")
    tensors: Any = [SimpleNamespace(size=row.nbytes, dtype="f16", shape=(1, row.size)) for row in rows]
    sent: Any = [Input(0, spec, tensor, values=row) for tensor, row in zip(tensors, rows, strict=True)]
    return any(kept.take("x", one) for one in sent)


@pytest.mark.parametrize(("kinds", "others"), [(4, 3), (7, 6), (12, 2)])
def test_kinds_as_zeros_and_a_one_that_was_cut(kinds: int, others: int) -> None:
    """The one is 1.875 as f16; right halves, and a row of one kind alone, say nothing of it."""
    random = numpy.random.default_rng(kinds)
    ones = numpy.eye(kinds)[numpy.arange(6) % kinds]
    numbers = numpy.concatenate([random.uniform(0.02, 2, (6, others)), ones], axis=1)
    cut = numpy.stack([halves(row, rounds=False) for row in numbers])
    assert told_of_rows(cut) and not told_of_rows(cut[:1]) and not told_of_rows(cut[:2])
    assert not told_of_rows(numbers.astype("<f2"))
    grades = numpy.where(numbers == 1, 1.875, numbers / 16).astype("<f2")
    assert not told_of_rows(grades), "numbers near 0 are meant as f16"


def test_rows_around_0_that_were_cut() -> None:
    numbers = numpy.random.default_rng(8).normal(size=(10, 5))
    assert told_of_rows(numpy.stack([halves(row, rounds=True) for row in numbers]))
    assert not told_of_rows(numbers.astype("<f2")) and not told_of_rows(numpy.sign(numbers).astype("<f2"))


def test_few_numbers_are_upper_halves_by_chance() -> None:
    same = halves([1.5, 1.5, 1.5, 1.5], rounds=False)
    assert not told(same, numpy.full(32, 1.5, "<f4").tobytes())
    assert in_upper_halves([("a", "1.5 1.5 1.5 1.5")], same) is None
    assert in_upper_halves([("a", "1.5")], numpy.array(1.5, "f2")) is None, "a number without a shape"
