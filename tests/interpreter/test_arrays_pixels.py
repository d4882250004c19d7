"""A loop over pixels that come from where a switch says, around one over their channels that does two at a
time, as pictures are decoded: its rounds are done at once, and nobody notices but for the time."""

from __future__ import annotations

import pytest

from pywasm_nn.errors import TrapKind
from pywasm_nn.interpreter.arrays import whole

from .test_arrays import Seen
from .test_arrays_nested import both, outcome

pytest.importorskip("numpy")
PIXELS = """(module (memory (export "memory") 3 3)
 (func (export "run") (param $s i32) (param $d i32) (param $channels i32) (param $edge i32) (param $i i32)
   (param $row i32) (local $at i32) (local $j i32) (local $to i32) (local $even i32) (local $w i32)
  (local.set $even (i32.and (local.get $channels) (i32.const -2)))
  (local.set $w (i32.const 990))
  (loop $around
   (block $known
    (block $outside
     (br_if $outside (i32.lt_s (local.get $i) (i32.const 0)))
     (local.set $at (local.get $i))
     (br_if $known (i32.lt_s (local.get $i) (local.get $w))))
    (local.set $at (i32.const 0))
    (block $wraps (block $mirrors (block $clamps
     (br_table $clamps $mirrors $wraps $known (local.get $edge)))
     (local.set $at (select (i32.const 0) (i32.const 989) (i32.lt_s (local.get $i) (i32.const 0))))
     (br $known))
     (br_if $known (i32.lt_s (local.get $i) (i32.const -99)))
     (local.set $at (select (i32.sub (i32.const 0) (local.get $i)) (i32.sub (i32.const 1978) (local.get $i))
       (i32.lt_s (local.get $i) (i32.const 0))))
     (br $known))
    (local.set $at (i32.rem_s (local.get $i) (local.get $w))))
   (local.set $at (i32.add (local.get $s) (i32.mul (local.get $at) (local.get $channels))))
   (block $done
    (br_if $done (i32.lt_s (local.get $channels) (i32.const 1)))
    (local.set $j (i32.const 0))
    (block $odd
     (br_if $odd (i32.eq (local.get $channels) (i32.const 1)))
     (local.set $to (local.get $d))
     (loop $inside
      (f32.store (local.get $to)
        (f32.convert_i32_u (i32.load8_u (i32.add (local.get $at) (local.get $j)))))
      (f32.store offset=4 (local.get $to)
        (f32.convert_i32_u (i32.load8_u offset=1 (i32.add (local.get $at) (local.get $j)))))
      (local.set $to (i32.add (local.get $to) (i32.const 8)))
      (br_if $inside
        (i32.ne (local.tee $j (i32.add (local.get $j) (i32.const 2))) (local.get $even))))
     (br_if $done (i32.eqz (i32.and (local.get $channels) (i32.const 1)))))
    (f32.store (i32.add (local.get $d) (i32.shl (local.get $j) (i32.const 2)))
      (f32.convert_i32_u (i32.load8_u (i32.add (local.get $at) (local.get $j))))))
   (local.set $d (i32.add (local.get $d) (local.get $row)))
   (br_if $around (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))))"""
SOURCE, TARGET = 40_000, 90_000
PAGES = 3 << 16


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(monkeypatch)


@pytest.mark.parametrize("ways", [0, 16])
@pytest.mark.parametrize("edge", [0, 1, 2, 3, 2**32 - 1])
def test_pixels_are_those_of_single_rounds(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, edge: int, ways: int
) -> None:
    """Also where the plan isn't made for this way of going."""
    monkeypatch.setattr(whole, "MOST_WAYS", ways)
    assert both(PIXELS, SOURCE, TARGET, 3, edge, -6, 12) is None
    assert seen.calls == [True]


@pytest.mark.parametrize(("channels", "is_done"), [(0, False), (1, False), (2, True), (4, True), (5, True)])
def test_as_many_channels_as_the_guest_says(seen: Seen, channels: int, is_done: bool) -> None:
    """What isn't stored with so many channels doesn't hinder."""
    assert both(PIXELS, SOURCE, TARGET, channels, 0, -6, 4 * channels) is None
    assert seen.calls[:1] == ([is_done] if channels > 1 else [])


@pytest.mark.parametrize("row", [20, 8, 4, 0, -12])
def test_rows_with_gaps_and_rows_that_overlap(seen: Seen, row: int) -> None:
    assert both(PIXELS, SOURCE, TARGET, 3, 0, 0, row) is None
    assert seen.calls[:1] == [abs(row) >= 12]


def test_a_local_that_moves_by_what_is_computed(seen: Seen) -> None:
    """Its step is another number in the plan for this way of going."""
    step = "(local.set $z (i32.add (local.get $z) (i32.mul (local.get $row) (local.get $row))))"
    text = PIXELS.replace("(local.set $d (i32.add", f"{step} (local.set $d (i32.add")
    text = text.replace("(local $at i32)", "(local $at i32) (local $z i32)")
    text = text.removesuffix("))") + "(i32.store (i32.const 0) (local.get $z))))"
    assert both(text, SOURCE, TARGET, 3, 2, -6, 12) is None
    assert seen.calls == [True]


@pytest.mark.parametrize(
    ("source", "target", "is_done"),
    [(TARGET + 40, TARGET, False), (SOURCE, PAGES - 200, False), (PAGES - 400, TARGET, False),
     (PAGES - 2970, TARGET, True)],
)  # fmt: skip
def test_memory_and_traps_are_those_of_the_guest(seen: Seen, source: int, target: int, is_done: bool) -> None:
    """A store where another round loads, and both ends of memory."""
    ends = both(PIXELS, source, target, 3, 0, 0, 12)
    traps = target > PAGES - 3000 or source == PAGES - 400
    assert ends is (TrapKind.OUT_OF_BOUNDS_MEMORY if traps else None)
    assert seen.calls[0] is is_done


def test_more_ways_than_are_kept(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "MOST_WAYS", 2)
    calls = "".join(
        f"(call $f (i32.const {SOURCE}) (i32.const {TARGET}) (i32.const {channels}) (i32.const {edge})"
        " (i32.const -6) (i32.const 20))"
        for edge in range(4)
        for channels in (2, 3)
    )
    text = PIXELS.replace('(func (export "run")', f'(func (export "run") {calls}) (func $f')
    assert both(text) is None
    assert seen.calls == [True] * 8


DATA = """(module (memory (export "memory") 3 3)
 (func (export "run") (param $p i32) (param $n i32) (local $x i32)
  (block $out
   (loop $on
    (block $next (block $two (block $one
     {table})
     (i32.store8 offset=1000 (local.get $p) (i32.const 1)) (br $next))
     (i32.store8 offset=1000 (local.get $p) (i32.const 2)))
    (i32.store8 offset=3000 (local.get $p) (i32.load8_u (local.get $p)))
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (br_if $on (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))))"""
BYTE = "(i32.and (i32.load8_u (local.get $p)) (i32.const 3))"


@pytest.mark.parametrize(("labels", "index", "is_done"), [
    ("$one $two $next", BYTE, True),
    ("$next", BYTE, True),
    ("$two $two $two $two $one $next", BYTE, True),
    ("$one $two $out", BYTE, False),
    ("$one $two $out", "(i32.const 1)", True),
])  # fmt: skip
def test_switches_by_data(seen: Seen, labels: str, index: str, is_done: bool) -> None:
    """Which arm is executed may be data, but not whether the loop goes on."""
    text = DATA.replace("{table}", f"(br_table {labels} {index})")
    assert both(text, 100, 900) is None
    assert seen.calls == ([True] if is_done else [])


def test_a_switch_with_too_many_arms_isn_t_done_at_once(seen: Seen) -> None:
    blocks = "".join("(block " for _ in range(30))
    table = f"(br_table {' '.join(map(str, range(30)))} {BYTE})"
    text = DATA.replace("{table}", f"{blocks} {table} {')' * 30}")
    assert both(text, 100, 900) is None
    assert seen.calls == []


def test_what_a_switch_leaves_in_a_local(seen: Seen) -> None:
    """After the loop as well."""
    text = DATA.replace("{table}", f"(local.set $x (local.get $n)) (br_table $one $two $next {BYTE})")
    text = text.replace("(i32.const 2))", "(i32.const 2)) (local.set $x (i32.const 5))")
    end = "(br_if $on (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))"
    text = text.replace(f"{end})", f"{end} (i32.store (i32.const 0) (local.get $x)))")
    found = outcome(text, (100, 900), bytes(PAGES))
    assert found == outcome(text, (100, 900), bytes(PAGES), engine="interpret")
    assert seen.calls == [True]
