"""A loop around one whose rounds are as many as data says, and add to what is where data says, as pictures
are made smaller: its rounds are done at once, and nobody notices but for the time."""

from __future__ import annotations

import struct
from random import Random

import pytest

from .test_arrays import Seen
from .test_arrays_nested import both

pytest.importorskip("numpy")
SHRINK = """(module (memory (export "memory") 3 3)
 (func (export "run") (param $s i32) (param $d i32) (param $table i32) (param $n i32) (param $taps i32)
   (param $most i32) (local $p i32) (local $w i32) (local $k i32) (local $x f32)
  (loop $around
   (block $next
    (br_if $next (i32.gt_s (i32.load (local.get $table)) (i32.load offset=4 (local.get $table))))
    (local.set $p (i32.add (local.get $d) (i32.mul (i32.load (local.get $table)) (i32.const 8))))
    (local.set $k (i32.add (i32.sub (i32.load offset=4 (local.get $table)) (i32.load (local.get $table)))
      (i32.const 1)))
    (local.set $w (local.get $taps))
    (loop $inside
     (local.set $x (f32.load (local.get $w)))
     (f32.store (local.get $p) (f32.add (f32.load (local.get $p))
       (f32.mul (local.get $x) (f32.load (local.get $s)))))
     (f32.store offset=4 (local.get $p) (f32.add (f32.load offset=4 (local.get $p))
       (f32.mul (local.get $x) (f32.load offset=4 (local.get $s)))))
     (local.set $p (i32.add (local.get $p) (i32.const 8)))
     (local.set $w (i32.add (local.get $w) (i32.const 4)))
     (br_if $inside (local.tee $k (i32.sub (local.get $k) (i32.const 1))))))
   (local.set $s (i32.add (local.get $s) (i32.const 8)))
   (local.set $table (i32.add (local.get $table) (i32.const 8)))
   (local.set $taps (i32.add (local.get $taps) (i32.const 16)))
   (br_if $around (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
SOURCE, TARGET, TABLE, TAPS = 1000, 90_000, 20_000, 40_000
COUNT = 300


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(monkeypatch)


def memory(source: int = SOURCE) -> bytearray:
    """Pixels, which of five columns each is added to, and by how much."""
    random = Random(1)
    data = bytearray(3 << 16)
    for number in range(COUNT):
        first = number // 5
        struct.pack_into("<2f", data, source + 8 * number, random.random(), random.random())
        struct.pack_into("<2i", data, TABLE + 8 * number, first, first + random.randrange(-1, 4))
        struct.pack_into("<4f", data, TAPS + 16 * number, *[random.uniform(-1, 1) for _ in range(4)])
    return data


def shrunk(data: bytearray, source: int = SOURCE) -> object:
    return both(SHRINK, source, TARGET, TABLE, COUNT, TAPS, 0, data=data)


def test_pixels_are_added_in_the_order_of_the_guest(seen: Seen) -> None:
    """Sums in any other order differ in the last bit."""
    assert shrunk(memory()) is None
    assert seen.calls == [True]


def test_what_is_added_to_isn_t_loaded_otherwise(seen: Seen) -> None:
    assert shrunk(memory(TARGET + 40), TARGET + 40) is None
    assert {*seen.calls} == {False}, "it was tried, and not done"


@pytest.mark.parametrize("column", [40_000, -40_000])
def test_a_column_outside_memory_traps_where_it_did(seen: Seen, column: int) -> None:
    data = memory()
    struct.pack_into("<2i", data, TABLE + 8 * 200, column, column)
    assert shrunk(data) is not None
    assert {*seen.calls} == {False}, "it was tried, and not done"


def test_a_nan_is_what_the_guest_makes_of_it(seen: Seen) -> None:
    data = memory()
    struct.pack_into("<I", data, SOURCE + 8 * 100, 0x7FA00001)
    assert shrunk(data) is None
    assert {*seen.calls} == {False}, "it was tried, and not done"


def test_what_the_loop_around_adds_is_added_once(seen: Seen) -> None:
    count = "(f32.store (local.get $most) (f32.add (f32.load (local.get $most)) (f32.const 1)))"
    place = "(local.set $s (i32.add"
    text = SHRINK.replace(place, f"{count} {place}")
    assert both(text, SOURCE, TARGET, TABLE, COUNT, TAPS, TARGET + 2000, data=memory()) is None
