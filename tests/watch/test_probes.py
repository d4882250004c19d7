"""What guests make of answers, seen in copies of the process that get other answers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any
from unittest import mock

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import NN
from pywasm_nn.wasi import Wasi
from pywasm_nn.watch import events, failing
from pywasm_nn.watch import evidence as evidences
from pywasm_nn.watch import trace as traces
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.feedback import Feedback
from pywasm_nn.watch.loops import Loops
from pywasm_nn.watch.order.early import Early
from pywasm_nn.watch.probes.classes import varying
from pywasm_nn.watch.probes.sequences import addition
from pywasm_nn.watch.sent.inputs import Inputs
from pywasm_nn.watch.trace import Trace
from pywasm_nn.watch.whatif import WhatIf
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.apart import apart

FAILURE = failing.failure
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of the process are made on Linux")

GUEST = Template("""(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "get_output" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (data (i32.const 0) "m")
  (data (i32.const 1024) "$record")
  (data (i32.const 4096) "$elements")
  (data (i32.const 512) "$letters")
  (data (i32.const 65616) "\\01\\02\\03\\04")
  (func $byte (param $byte i32)
    (i32.store8 (i32.const 40) (local.get $byte))
    (i32.store (i32.const 44) (i32.const 40))
    (i32.store (i32.const 48) (i32.const 1))
    (drop (call $write (i32.const 1) (i32.const 44) (i32.const 1) (i32.const 52))))
  (func $decimal (param $number i32)
    (if (i32.ge_u (local.get $number) (i32.const 10))
      (then (call $decimal (i32.div_u (local.get $number) (i32.const 10)))))
    (call $byte (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10)))))
  (func $best (param $at i32) (param $count i32) (result i32)
    (local $i i32) (local $best i32)
    (loop $next
      (if ($greater
          ($load_one (i32.add (local.get $at) (i32.mul (local.get $i) (i32.const $step))))
          ($load_one (i32.add (local.get $at) (i32.mul (local.get $best) (i32.const $step)))))
        (then (local.set $best (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (local.get $count))))
    (local.get $best))
  (func (export "_start") (local $i i32) (local $one i32) (local $last i32) (local $k i32)
    (drop (call $load (i32.const 0) (i32.const 1) (i32.const 8)))
    (drop (call $init (i32.load (i32.const 8)) (i32.const 8)))
    (drop (call $set (i32.load (i32.const 8)) (i32.const 0) (i32.const 1024)))
    (drop (call $compute (i32.load (i32.const 8))))
    (drop (call $get (i32.load (i32.const 8)) (i32.const 0) (i32.const 65536) (i32.const 65536)
      (i32.const 12)))
    $after
    (call $byte (i32.const 10))))""")
CLASS = "(call $decimal (i32.add (call $best (i32.const {at}) (i32.const {count})) (i32.const {by})))"
READING = {"load_one": "f32.load", "greater": "f32.gt", "step": 4}
SHARES = numpy.array([[0.1, 0.02, 0.05, 0.6, 0.03, 0.08, 0.02, 0.06, 0.03, 0.01]], "<f4")


def text_of(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


def guest_of(folder: Path, array: Any, after: str, letters: bytes = b"", **how: Any) -> str:
    """A guest's text; the answer of its model, which is written into the folder, is this array."""
    shape = list(array.shape)
    model = Model([node("Identity", ["x"], ["y"])], {"x": (1, shape)}, {"y": (1, shape)})
    (folder / "m.onnx").write_bytes(model.data())
    record = numpy.array([1088, len(shape), 1, 4096, array.nbytes], "<u4")
    dimensions = numpy.array(shape, "<u4").tobytes()
    parts = {
        "record": text_of(record.tobytes().ljust(64, b"\0") + dimensions),
        "elements": text_of(array.tobytes()),
        "letters": text_of(letters),
        **READING,
    } | how
    guest = GUEST.safe_substitute(parts | {"after": after})
    for name in ("load_one", "greater"):
        guest = guest.replace(f"${name}", str(parts[name]))
    return guest


def hints(folder: Path, array: Any, after: str, letters: bytes = b"", **how: Any) -> tuple[str, str]:
    """What a guest writes, and the hints about it, if the model's answer is this array."""
    guest = guest_of(folder, array, after, letters, **how)
    trace, out = Trace(["nn", "whatif"]), folder / "out.txt"
    with out.open("wb") as sink:
        nn, wasi = NN(models=folder, backends={"onnx": "numpy"}), Wasi(stdout=sink)
        with Module.from_text(guest).instantiate(nn=nn, wasi=wasi, observer=trace) as app:
            app.exports._start()
    trace.flush()
    return out.read_text(), "; ".join(event.text for event in trace if isinstance(event, events.Hint))


def test_a_mistake_in_the_search_for_hints_ends_no_guest(tmp_path: Path) -> None:
    after = CLASS.format(at=65536, count=10, by=0)
    with (
        mock.patch.object(Evidence, "nn_event", side_effect=OverflowError),
        mock.patch.object(traces, "failure", FAILURE),
    ):
        text, found = hints(tmp_path, SHARES, after)
    assert text == "3\n"
    said = r"the search for hints failed and ended \(OverflowError at \w+.py:\d+\); the guest goes on"
    assert re.fullmatch(said, found)


@pytest.mark.parametrize("method", ["host_call", "nn_event", "finish"])
def test_a_mistake_in_a_rule_ends_that_rule(method: str, tmp_path: Path) -> None:
    after = CLASS.format(at=65536, count=10, by=1)
    with (
        mock.patch.object(Early, method, side_effect=OverflowError),
        mock.patch.object(evidences, "failure", FAILURE),
    ):
        text, found = hints(tmp_path, SHARES, after)
    assert text == "4\n"
    said = r"a search for hints failed and ended \(OverflowError at \w+.py:\d+\); the guest goes on"
    assert len(re.findall(said, found)) == 1
    assert "is the index off by one?" in found


def broken(*_: object) -> Iterator[tuple[str, str]]:
    """A part of the search that fails when it has said something."""
    yield "origin", "said before the mistake"
    raise OverflowError


@pytest.mark.parametrize(
    ("part", "method"),
    [(part, "nn_event") for part in (Inputs, WhatIf, Feedback, Loops)]
    + [(part, "finish") for part in (Inputs, WhatIf, Feedback)],
)
def test_a_mistake_in_a_part_of_the_search_ends_no_other(part: type, method: str, tmp_path: Path) -> None:
    after = CLASS.format(at=65536, count=10, by=1)
    with mock.patch.object(part, method, broken), mock.patch.object(evidences, "failure", FAILURE):
        text, found = hints(tmp_path, SHARES, after)
    assert text == "4\n"
    assert len(re.findall(r"a search for hints failed and ended \(OverflowError", found)) == 1
    assert "said before the mistake" in found
    assert "is the index off by one?" in found


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, ""),
        ({"by": 1}, "is the index off by one?"),
        ({"by": 21}, ""),
        ({"count": 9}, "does the search end too early?"),
        ({"at": 4096 + 8}, "whatever the answer is"),
        ({"greater": "f32.lt"}, "the smallest element"),
        ({"load_one": "f64.load", "greater": "f64.gt", "step": 8}, "elements of 8 bytes"),
        ({"load_one": "i32.load8_u", "greater": "i32.gt_u", "step": 1}, "as if they were bytes"),
    ],
)
@apart
def test_a_class_alone(how: dict[str, Any], said: str, tmp_path: Path) -> None:
    after = CLASS.format(**{"at": 65536, "count": 10, "by": 0} | how)
    array = numpy.roll(SHARES, 6) if "count" in how else SHARES
    text, found = hints(tmp_path, array, after, **{key: how[key] for key in how.keys() & READING})
    assert text.strip().isdecimal(), "the guest itself gets the model's answer"
    assert (said in found) if said else (found == "")


@apart
def test_a_peak_has_neighbours_on_both_sides(tmp_path: Path) -> None:
    after = CLASS.format(at=65536 + 4, count=8, by=1)
    assert hints(tmp_path, SHARES, after) == ("3\n", "")


@pytest.mark.parametrize(("by", "said"), [(0, ""), (1, ""), (-1, "is the index off by one?")])
@apart
def test_few_classes_may_be_counted_from_1(by: int, said: str, tmp_path: Path) -> None:
    after = CLASS.format(at=65536, count=4, by=by)
    text, found = hints(tmp_path, SHARES[:, 1:5], after)
    assert text == f"{2 + by}\n"
    assert (said in found) if said else (found == "")


@apart
def test_rows_of_a_batch_may_be_counted_from_1(tmp_path: Path) -> None:
    after = CLASS.format(at=65536, count=10, by=1)
    assert hints(tmp_path, SHARES.reshape(10, 1), after) == ("4\n", "")


LETTERS = b"-abcdefghijklmnopqrstuvwxyz "
DECODE = """(loop $next
  (local.set $one
    (call $best (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const 112))) (i32.const 28)))
  (if {condition}
    (then (call $byte (i32.load8_u offset={table} (local.get $one)))))
  {last}
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $next (i32.lt_u (local.get $i) (i32.const 16))))"""
NO_BLANK, NEW = "(i32.ne (local.get $one) (i32.const 0))", "(i32.ne (local.get $one) (local.get $last))"
BOTH, KEEP = f"(i32.and {NO_BLANK} {NEW})", "(local.set $last (local.get $one))"


def steps() -> Any:
    array = numpy.full((1, 16, 28), 0.01, "<f4")
    for step, letter in enumerate([0, 8, 8, 0, 5, 0, 0, 11, 0, 11, 11, 0, 4, 0, 0, 0]):
        array[0, step, letter] = 0.8
    return array


@pytest.mark.parametrize(
    ("condition", "last", "table", "text", "said"),
    [
        (BOTH, KEEP, 512, "hekkd", ""),
        (NO_BLANK, KEEP, 512, "hhekkkd", "written twice"),
        (NEW, KEEP, 512, "h-e-k-k-d-", "it has to be left out"),
        (BOTH, f"(if {NO_BLANK} (then {KEEP}))", 512, "hekd", "blanks have to be taken away after"),
    ],
)
@apart
def test_letters(condition: str, last: str, table: int, text: str, said: str, tmp_path: Path) -> None:
    after = DECODE.format(condition=condition, last=last, table=table)
    written, found = hints(tmp_path, steps(), after, LETTERS)
    assert written.strip() == text
    assert (said in found) if said else (found == "")


@apart
def test_windows_that_see_the_same_letter_are_no_steps_of_ctc(tmp_path: Path) -> None:
    """A letter is written again as soon as it lies farther away."""
    far = "(i32.gt_s (i32.sub (local.get $i) (local.get $k)) (i32.const 5))"
    condition = f"(i32.and {NO_BLANK} (i32.or {NEW} {far}))"
    last = f"(if {NO_BLANK} (then {KEEP} (local.set $k (local.get $i))))"
    after = DECODE.format(condition=condition, last=last, table=512)
    assert hints(tmp_path, steps(), after, LETTERS) == ("hekd\n", "")


ANY = """(loop $next
  (if (i32.ne (i32.const 0)
      (call $best (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const 112))) (i32.const 28)))
    (then (local.set $last (i32.const 16))))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $next (i32.lt_u (local.get $i) (i32.const 16))))
  (if (local.get $last) (then (call $decimal (local.get $last))))"""


@apart
def test_what_is_the_same_for_every_letter_is_none(tmp_path: Path) -> None:
    assert hints(tmp_path, steps(), ANY, LETTERS) == ("16\n", "")


@apart
def test_a_map_has_no_letters(tmp_path: Path) -> None:
    after = DECODE.format(condition=NO_BLANK, last=KEEP, table=512)
    assert hints(tmp_path, steps().reshape(1, 1, 16, 28), after, LETTERS)[1] == ""


@apart
def test_an_alphabet_without_its_last_letter(tmp_path: Path) -> None:
    after = DECODE.format(condition=BOTH, last=KEEP, table=512)
    with_blank = steps()
    with_blank[0, 13] = numpy.roll(with_blank[0, 13], -1)
    assert "the last letter, is written as nothing" in hints(tmp_path, with_blank, after, LETTERS[:-1])[1]
    assert hints(tmp_path, steps(), after, LETTERS[:-1])[1] == "", "the answer has no such letter"


SUMS = """(loop $row
  (local.set $k (i32.const 0))
  (loop $column
    (f32.store (i32.add (i32.const 131072) (i32.mul (local.get $k) (i32.const 4)))
      (f32.add
        (f32.load (i32.add (i32.const 131072) (i32.mul (local.get $k) (i32.const 4))))
        (f32.load (i32.add (i32.const 65536) (i32.mul (i32.const 4) {place})))))
    (local.set $k (i32.add (local.get $k) (i32.const 1)))
    (br_if $column (i32.lt_u (local.get $k) (i32.const 12))))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $row (i32.lt_u (local.get $i) (i32.const 20))))
  (call $decimal (i32.add (call $best (i32.const 131072) (i32.const 12)) (i32.const 21)))"""
RIGHT = "(i32.add (i32.mul (local.get $i) (i32.const 12)) (local.get $k))"
WRONG = "(i32.add (i32.mul (local.get $k) (i32.const 20)) (local.get $i))"


@pytest.mark.parametrize(("place", "said"), [(RIGHT, ""), (WRONG, "are rows and columns exchanged?")])
@apart
def test_columns_of_a_map(place: str, said: str, tmp_path: Path) -> None:
    array = numpy.random.default_rng(3).random((1, 20, 12), "f4")
    text, found = hints(tmp_path, array, SUMS.format(place=place))
    assert 21 <= int(text) < 33
    assert (said in found) if said else (found == "")


COUNTS = """(loop $pixel
  (local.set $one (i32.const 0)) (local.set $k (i32.const 0))
  (loop $class
    (if (f32.gt (f32.load (i32.add (i32.const 65536) (i32.mul (i32.const 4) {place_k})))
                (f32.load (i32.add (i32.const 65536) (i32.mul (i32.const 4) {place_one}))))
      (then (local.set $one (local.get $k))))
    (local.set $k (i32.add (local.get $k) (i32.const 1)))
    (br_if $class (i32.lt_u (local.get $k) (i32.const 3))))
  (local.set $last (i32.add (i32.const 131072) (i32.mul (i32.const 4) (local.get $one))))
  (i32.store (local.get $last) (i32.add (i32.load (local.get $last)) (i32.const 1)))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $pixel (i32.lt_u (local.get $i) (i32.const 316))))
  (call $decimal (i32.load (i32.const 131072))) (call $byte (i32.const 32))
  (call $decimal (i32.load (i32.const 131076))) (call $byte (i32.const 32))
  (call $decimal (i32.load (i32.const 131080)))"""
PLANAR = "(i32.add (i32.mul (local.get ${0}) (i32.const 320)) (local.get $i))"
INTERLEAVED = "(i32.add (i32.mul (local.get $i) (i32.const 3)) (local.get ${0}))"


@pytest.mark.parametrize(("place", "said"), [(PLANAR, ""), (INTERLEAVED, "NHWC; it is NCHW")])
@apart
def test_classes_of_pixels(place: str, said: str, tmp_path: Path) -> None:
    array = numpy.random.default_rng(3).random((1, 3, 16, 20), "f4")
    after = COUNTS.format(place_k=place.format("k"), place_one=place.format("one"))
    text, found = hints(tmp_path, array, after)
    assert sum(map(int, text.split())) == 316, "so that they are not all pixels"
    assert (said in found) if said else (found == "")


def test_what_was_put_into_a_text() -> None:
    assert addition("ab\n", "axxb\n") == "xx"
    assert addition("aa\n", "aaa\n") == "a"
    assert addition("ab", "cab") == "c"
    assert addition("ab", "ab") == ""
    assert addition("ab", "xb") is None


@pytest.mark.parametrize(("at", "said"), [(65536, ""), (4096, "whatever the answer is")])
@apart
def test_a_number_alone(at: int, said: str, tmp_path: Path) -> None:
    after = f"(call $decimal (i32.trunc_sat_f32_u (f32.load (i32.const {at}))))"
    text, found = hints(tmp_path, numpy.array([[37]], "<f4"), after)
    assert text == "37\n"
    assert (said in found) if said else (found == "")


ANSWERED = """(if (f32.gt (f32.load (i32.const 65536)) (f32.const {threshold}))
  (then (call $byte (i32.const 121))) (else (call $byte (i32.const 110))))"""


@pytest.mark.parametrize(
    ("threshold", "logit", "said"),
    [("0.5", -2.5, "0.5 is logit 0"), ("0", -2.5, ""), ("0.5", 0.3, ""), ("0.5", 12.5, "")],
)
@apart
def test_a_threshold(threshold: str, logit: float, said: str, tmp_path: Path) -> None:
    text, found = hints(tmp_path, numpy.array([[logit]], "<f4"), ANSWERED.format(threshold=threshold))
    assert text == ("y\n" if logit > 0.5 else "n\n")
    assert (said in found) if said else (found == ""), "an amount may be compared with 0.5"


SUM = """(loop $next
  (local.set $one (i32.add (local.get $one)
    (i32.trunc_sat_f32_u (f32.load (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const 4)))))))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $next (i32.lt_u (local.get $i) (i32.const {count}))))
  (call $decimal (local.get $one))"""


@pytest.mark.parametrize(("count", "said"), [(20, ""), (30, "more of its buffer than get_output wrote")])
@apart
def test_elements_behind_the_answer(count: int, said: str, tmp_path: Path) -> None:
    array = numpy.arange(20, dtype="<f4").reshape(1, 20)
    text, found = hints(tmp_path, array, SUM.format(count=count))
    assert text == "190\n", "what is behind is small"
    assert (said in found) if said else (found == "")


MEAN = """(loop $next
  (local.set $k (i32.mul (local.get $i) (i32.const 4)))
  (f32.store offset=131072 (local.get $k)
    (f32.add (f32.load offset=65536 (local.get $k)) (f32.load offset=4096 (local.get $k))))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $next (i32.lt_u (local.get $i) (i32.const 10))))
  (call $decimal (call $best (i32.const 131072) (i32.const 10)))"""


@pytest.mark.parametrize("best", [0, 3])
@apart
def test_two_models_that_are_both_heard(best: int, tmp_path: Path) -> None:
    """The last class is said only if it is sure enough."""
    array = numpy.array([[0.1, 0.02, 0.05, 0.1, 0.03, 0.08, 0.02, 0.05, 0.03, 0]], "<f4")
    array[0, best] = 0.62
    assert hints(tmp_path, array, MEAN) == (f"{best}\n", "")


TAGS = """(loop $next
  (local.set $one
    (call $best (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const 36))) (i32.const 9)))
  (if {condition} (then (call $byte (i32.load8_u offset=512 (local.get $one)))))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $next (i32.lt_u (local.get $i) (i32.const 16))))"""


@pytest.mark.parametrize(("condition", "text"), [("(i32.const 1)", "OOPPOOLOOOOOOOOO"), (NO_BLANK, "PPL")])
@apart
def test_kinds_at_each_time_are_no_letters(condition: str, text: str, tmp_path: Path) -> None:
    """Of words, or of sleep: the first one is the most frequent, and repeats count."""
    array = numpy.full((1, 16, 9), 0.01, "<f4")
    for step, kind in enumerate([0, 0, 1, 1, 0, 0, 2] + [0] * 9):
        array[0, step, kind] = 0.8
    after = TAGS.format(condition=condition)
    assert hints(tmp_path, array, after, b"OPLMNQRST") == (text + "\n", "")


@apart
def test_the_nearest_is_the_smallest(tmp_path: Path) -> None:
    distances = (numpy.array([[3, 9, 4, 1, 7, 8, 5, 6, 2.5, 10]]) / 2).astype("<f4")
    after = CLASS.format(at=65536, count=10, by=0)
    assert hints(tmp_path, distances, after, greater="f32.lt") == ("3\n", "")


@apart
def test_a_count_of_nothing(tmp_path: Path) -> None:
    """Nothing is found in answers that make no sense."""
    after = "(call $decimal (i32.const 0))"
    assert hints(tmp_path, SHARES, after) == ("0\n", "")


def test_a_name_in_every_text_is_none_that_is_said() -> None:
    assert varying({0: [0, 4], 1: [1, 4], 4: [4], 5: [4]}) == {0: [0], 1: [1], 4: [], 5: []}
    assert varying({0: [0], 1: [1]}) == {0: [0], 1: [1]}
    assert varying({}) == {}
