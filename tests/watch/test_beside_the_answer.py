"""Answers of which the guest reads what is beside them: the name of the next class or letter, boxes in place
of scores, elements beyond the last one. Each mistake has right twins."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.probes import classes, counted, sequences
from pywasm_nn.watch.probes.asked import Asked, Given
from pywasm_nn.watch.probes.copies import Reply
from pywasm_nn.watch.probes.named import misnamed
from pywasm_nn.watch.probes.stand_in import TOLD
from pywasm_nn.watch.written.unscored import Unscored
from tests.watch.apart import apart
from tests.watch.test_probes import hints
from tests.watch.test_uses_of_answers import NO_MEMORY, asked_of, each

RNG = numpy.random.default_rng(21)
SCENES = ["astronaut", "cat", "coffee", "rocket", "tissue", "retina", "grass", "motorcycle"]
FILES = [("scenes.txt", "\n".join(SCENES).encode()), ("rocket.ppm", b"P6 1 1 255\n")]


@pytest.mark.parametrize(("by", "seen"), [(0, False), (1, True)])
def test_the_name_of_a_picture_is_none_that_is_said_of_it(by: int, seen: bool) -> None:
    def say(row: Any) -> str:
        best = row.argsort(kind="stable")[::-1][:2]
        said = [f"{[*SCENES, '?'][one + by]} {100 * row[one]:.1f} %  " for one in best]
        return f"data/rocket.ppm: {''.join(said)}\n"

    shares = RNG.dirichlet(numpy.ones(8))[None].astype("f4")
    asked = asked_of(each(say), shares, files=FILES)
    assert ("the name beside its own in scenes.txt" in classes.misplaced(asked)) is seen


@pytest.mark.parametrize("first", ["background", "???", "__background__", "bg"])
@pytest.mark.parametrize(("by", "seen"), [(1, False), (0, True), (2, True)])
def test_a_list_that_begins_with_the_background(first: str, by: int, seen: bool) -> None:
    """Of a model that has no class for it, each name is that of the class before."""
    names = [first, *SCENES]
    files = [("scenes.txt", "\n".join(names).encode())]

    def say(row: Any) -> str:
        return f"it is a {[*names, 'thing', 'place'][int(row.argmax()) + by]}\n"

    for count in (len(SCENES), len(names)):
        shares = RNG.dirichlet(numpy.ones(count))[None].astype("f4")
        asked = asked_of(each(say), shares, files=files)
        is_named = "is none of the 8 classes of this model" in classes.misplaced(asked)
        assert is_named is (seen and count == len(SCENES))


@pytest.mark.parametrize("surest", [1, 3])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(("first", "by", "seen"), [(1, 1, False), (1, 0, True), (0, 0, False), (0, 1, True)])
def test_so_are_the_surest_of_a_list_that_is_read_late(
    first: int, by: int, seen: bool, late: bool, surest: int
) -> None:
    """After the answer, by a guest that says three names, of which one was another class's before."""
    names = ["background", *SCENES][1 - first :]
    files = [("scenes.txt", "\n".join(names).encode())]

    def say(row: Any) -> str:
        best = [*range(len(row))]
        for place in range(surest):  # as exchanging does, which leaves equal ones in no order
            for other in range(place + 1, len(row)):
                if row[best[other]] > row[best[place]]:
                    best[place], best[other] = best[other], best[place]
        lines = [f"{[*names, '?'][one + by]} {100 * row[one]:.1f} %" for one in best[:surest]]
        return "data/rocket.ppm\n" + "\n".join(lines) + "\n"

    asked = asked_of(each(say), RNG.dirichlet(numpy.ones(8))[None].astype("f4"), files=[] if late else files)
    found = classes.misplaced(asked)
    if late:
        assert not found
        found = misnamed(files, *asked.kept[0])
    assert ("the name beside its own in scenes.txt" in found) is seen
    assert ("is none of the 8 classes" in found) is (seen and bool(first))


KEYS = [chr(0x4E00 + one) for one in range(50)]


@pytest.mark.parametrize(
    ("keys", "by", "seen"),
    [(KEYS, -1, False), (KEYS, 0, True), (KEYS, -2, True), (["blank", *KEYS], 0, False)],
)
def test_letters_beside_those_of_classes(keys: Sequence[str], by: int, seen: bool) -> None:
    """The blank is class 0, and a blank after the last letter is added."""

    def say(answers: Any) -> str:
        best = answers[0][0].reshape(12, 52).argmax(axis=1)
        new = [one for one, last in pairwise([0, *best][::-1]) if one and one != last][::-1]
        return "".join([*keys, " ", "?"][one + by] for one in new)

    answer = numpy.zeros((1, 12, 52), "f4")
    answer[0, :, 0] = 0.5
    answer[0, [3, 7], [9, 30]] = 0.9
    found = sequences.shifted(asked_of(say, answer, files=[("keys.txt", "\n".join(keys).encode())]))
    assert ("is the alphabet shifted by one?" in found) is seen


@pytest.mark.parametrize(
    ("way", "seen"),
    [("left out", False), ("kept", True), ("as _", True), ("spaced", False), ("all apart", False)],
)
def test_a_blank_between_letters(way: str, seen: bool) -> None:
    """The blank is class 0, and what is written is a letter for each run, or letters with spaces."""

    def say(answers: Any) -> str:
        best = answers[0][0].reshape(12, 52).argmax(axis=1)
        runs = [one for one, last in pairwise([0, *best][::-1]) if one != last][::-1]
        if way == "all apart":
            return " ".join("" if not one else KEYS[one - 1] for one in best if one)
        blank = {"kept": " ", "as _": "_"}.get(way, "")
        letters = [KEYS[one - 1] if one else blank for one in runs]
        return (" " if way == "spaced" else "").join(one for one in letters if one)

    answer = numpy.zeros((1, 12, 52), "f4")
    answer[0, :, 0] = 0.5
    answer[0, [3, 7], [9, 30]] = 0.9
    files = [("keys.txt", "\n".join(KEYS).encode())]
    found = sequences.shifted(asked_of(say, answer, files=files))
    assert ("has to be left out" in found) is seen is bool(found)


def unscored(
    fetched: Sequence[int], text: str, shapes: Sequence[tuple[int, ...]], names: Sequence[str]
) -> str:
    rule, about = Unscored(), {"error": None, "context_id": 1, "delivered": False}
    tensors = [Tensor.from_numpy(numpy.zeros(shape, "f4")) for shape in shapes]
    specs = [TensorSpec(name, one.dtype, one.shape) for name, one in zip(names, tensors, strict=True)]
    computed: Any = SimpleNamespace(operation="compute", tensors=tensors, specs=specs, index=None, **about)
    rule.nn_event(computed)
    for index in fetched:
        event: Any = SimpleNamespace(operation="get_output", tensors=(), specs=(), index=index, **about)
        rule.nn_event(event)
    written: Any = SimpleNamespace(
        name="fd_write", error=None, arguments={"fd": 1, "ciovs": [text.encode()]}.items()
    )
    rule.host_call(written)
    return "".join(said for _, said in rule.finish())


ROWS = ((1, 896, 16), (1, 896, 1))
NAMED = ("regressors", "classificators")


@pytest.mark.parametrize(
    ("fetched", "text", "shapes", "names", "seen"),
    [
        ((0, 0), "face 1.000 at 68,68\n", ROWS, NAMED, True),
        ((1,), "face 97 %\n", ROWS[::-1], NAMED[::-1], True),
        ((0,), "face 0.91\n", ((1, 4420, 4), (1, 4420, 2)), ("boxes", "scores"), True),
        ((0, 1), "face 1.000 at 68,68\n", ROWS, NAMED, False),
        ((1,), "there is a face, 0.97\n", ROWS, NAMED, False),
        ((0,), "mean 0.52\n", ROWS, NAMED, False),
        ((0,), "face at 68,68\n", ROWS, NAMED, False),
        ((0,), "note 0.9\n", ((1, 172, 88), (1, 172, 264)), ("note", "contour"), False),
        ((0,), "state 0.9\n", ((1, 64), (1, 64, 16)), ("state", "cells"), False),
        ((0,), "pitch 0.91\n", ((1, 100, 60), (1, 100)), ("bins", "voiced"), False),
        ((0,), "first 0.52\n", ((1, 64, 32), (1, 64)), ("embeddings", "mask"), False),
        ((0,), "speaker 2, 81 %\n", ((1, 293, 7), (1, 293)), ("speakers", "y"), False),
        ((0,), "face 0.91\n", ((1, 4420, 4), (1, 4420)), ("Identity", "Identity_1"), True),
    ],
)
def test_scores_of_boxes_that_are_never_fetched(
    fetched: Sequence[int], text: str, shapes: Sequence[tuple[int, ...]], names: Sequence[str], seen: bool
) -> None:
    assert ("are scores taken from output" in unscored(fetched, text, shapes, names)) is seen


ROW_BY_ROW = """(loop $row
  (call $decimal
    (call $best (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const 16))) (i32.const 4)))
  (call $byte (i32.const 32))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $row (i32.lt_u (local.get $i) (i32.div_u (i32.load (i32.const 12)) (i32.const {per_row})))))"""


@pytest.mark.skipif(sys.platform != "linux", reason="copies of the process are made on Linux")
@pytest.mark.parametrize(("per_row", "text", "seen"), [(16, "2 0 3 1", False), (4, "2 0 3 1 0 0", True)])
@apart
def test_bytes_that_are_taken_as_the_number_of_elements(
    per_row: int, text: str, seen: bool, tmp_path: Path
) -> None:
    array = numpy.eye(4, dtype="<f4")[[2, 0, 3, 1]]
    written, found = hints(tmp_path, array, ROW_BY_ROW.format(per_row=per_row))
    assert written.startswith(text)
    assert ("is the number of bytes taken for that of the elements" in found) is seen


BEYOND = RNG.permutation(24).astype("f4")


def overread(say: Callable[[Any, int], str]) -> str:
    """The hint at a guest that says this of the memory at an answer of 8 elements, and of the bytes told."""
    answer = numpy.arange(8, dtype="f4")[None] / 8

    def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        told = int(series[-1].get(TOLD, [1])[0])
        memory = numpy.concatenate([series[-1].get(0, answer)[0], BEYOND])
        return Reply((say(memory, answer.nbytes // told),), frozenset({0}), "exit")

    asked = Asked(ask, {0: Given('output 0 "y"', answer)}, ask([{}], None), tuple, NO_MEMORY)
    return counted.overread(asked)


def test_another_model_that_votes_gets_the_answer_too() -> None:
    answers = {0: numpy.arange(8, dtype="f4")[None] / 8}
    other = answers[0][:, ::-1]

    def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        own = series[-1].get(0, answers[0])
        mean = (own + (own if series[-1] else other)) / 2  # as `Answering` does with contexts that are alike
        return Reply((f"mean {mean.max():.3f}\n",), frozenset({0}), "exit")

    asked = Asked(ask, {0: Given('output 0 "y"', answers[0])}, ask([{}], None), tuple, NO_MEMORY)
    assert counted.overread(asked) == ""


@pytest.mark.parametrize(
    ("say", "seen"),
    [
        (lambda memory, told: f"class {memory[:told].argmax()}\n", True),
        (lambda memory, told: f"class {memory[: told // 4].argmax()}\n", False),
        (lambda memory, told: f"{told} bytes, class {memory[:8].argmax()}\n", False),
        (lambda memory, told: f"{told / 1024:.3f} KB, class {memory[:8].argmax()}\n", False),
        (lambda memory, told: f"{'ok' if told == 32 else 'short'}: {memory[:8].argmax()}\n", False),
        (lambda memory, told: "wrong size\n" if told != 32 else f"class {memory[:8].argmax()}\n", False),
        (lambda memory, told: "".join(f"{one:.2f}\n" for one in memory[:told]), True),
        (lambda memory, told: "".join(f"{one:.2f}\n" for one in memory[: told // 4]), False),
    ],
)
def test_what_is_told_of_a_part_of_an_answer(say: Callable[[Any, int], str], seen: bool) -> None:
    assert ("reads beyond its 8 elements" in overread(say)) is seen
