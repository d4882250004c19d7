"""Guests that read a picture and don't send it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import partialmethod
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.order.rounds import Rounds

SPEC = TensorSpec("x", DType.F32, (1, 4))


def played(
    *steps: str, said: str = "", data: Mapping[str, bytes] | None = None, is_explained: bool = False
) -> list[str]:
    """Returns the hints at rounds: "+a" reads file a, "a" sends what came from it, "2a" sends it to input 2,
    "!" computes, "?" fetches the answer. `said` is what the guest writes, `data` are the bytes of files."""
    rounds = Rounds(lambda: [*(data or {}).items()], lambda: is_explained)
    files: list[tuple[int, str, int]] = []
    for step in steps:
        if step.startswith("+"):
            files.append((len(files), step[1:], ord(step[1])))
        tensor = Tensor(DType.F32, (1, 4), step[-1].encode() * 16)
        is_set = step not in "!?" and not step.startswith("+")
        does = {"!": "compute", "?": "get_output"}.get(step, "load")
        event: Any = SimpleNamespace(
            error=None,
            operation="set_input" if is_set else does,
            delivered=False,
            index=int(step[0]) if step[0].isdigit() else 0,
            specs=(None,),
            tensors=(tensor,),
            given=(),
            graph_id=0,
            model="m",
            context_id=0,
        )
        rounds.read(files)
        rounds.nn_event(event)
        if is_set and step != "0":
            rounds.came_from(step[-1])
    written: Any = SimpleNamespace(
        error=None, name="fd_write", arguments=[("fd", 1), ("ciovs", [said.encode()])]
    )
    rounds.host_call(written)
    return [text for _, text in rounds.finish()]


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        ("+a a ! +b b !", False),
        ("+a a ! +b a !", True),
        ("+a a ! +b ! !", True),
        ("+a +b a ! b !", False),
        ("+a a ! ! !", False),
        ("+a a +b !", False),
        ("+a a ! +a a !", False),
        ("+a a ! +b +c 1a 2b ! 1a 2c !", False),
        ("+a 0 ! +b a ! +c b !", True),
        ("+a +b a ! +c b ! c !", False),
        ("+a +m a ! +b +n b !", False),
        ("+a a ! +b", False),
        ("+a a ! c ! +b c ! a !", False),  # b is a, turned
        ("+a a ! c ! +b a ! c !", True),
        ("+a a ! c ! d ! +b c ! d !", True),
        ("+a a ! ? +b ! ?", True),
        ("+a a ! ? +b a ! ?", True),
        ("+a a ! +b ! ?", False),  # a warm-up, and what the answer should be
        ("+a a ! ? +b ! !", False),  # the time that it takes is measured
    ],
)
def test_what_was_read_is_sent(steps: str, seen: bool) -> None:
    found = played(*steps.split())
    assert bool(found) == seen, found


@pytest.mark.parametrize("form", ["{}: upright\n", "the picture in data/{} shows a cat (0.93)\n"])
def test_one_input_for_two_files_of_which_the_same_is_said(form: str) -> None:
    """Two runs on one input, such as one to warm up, are none of two files unless the guest says so."""
    both = "".join(map(form.format, ("a.ppm", "b.ppm")))
    for steps, said, seen in (
        ("+a.ppm +b.ppm 1 ! 1 !", both, True),
        ("+a.ppm +b.ppm 1 ! 2 !", both, False),
        ("+a.ppm +b.ppm 1 ! 1 !", form.format("b.ppm"), False),
        ("+a.ppm +b.ppm 1 ! 1 !", "", False),
        ("+a.ppm +b.ppm 1 ! 1 !", "reading a.ppm\n" + both, False),
    ):
        found = played(*steps.split(), said=said)
        assert any("2 files with other contents were read (a.ppm, b.ppm)" in one for one in found) is seen


@pytest.mark.parametrize(
    ("steps", "said", "seen"),
    [
        ("+a +b b ! ? b ! ?", "first: cat, second: cat\n", True),
        ("+1 +2 2 ! ? 2 ! ?", "both show a cat\n", True),
        ("+a +b b ! ? b ! ?", "cat\n", False),
        ("+a +b b ! ? b ! ?", "the same in 31 ms and 12 ms\n", False),
        ("+a +b b ! ? b ! ?", "deterministic: the same again\n", False),
        ("+a +b a ! ? a ! ?", "first: cat, second: cat\n", False),
        ("+a +b b ! b ! ?", "first: cat, second: cat\n", False),
        ("+m +b b ! ? b ! ?", "first: cat, second: cat\n", False),
        ("+a +b a ! ? b ! ?", "first: cat, second: cat\n", False),
    ],
)
def test_one_input_for_two_files_that_are_compared(steps: str, said: str, seen: bool) -> None:
    found = played(*steps.split(), said=said)
    assert any("2 files with other contents were read" in one for one in found) is seen


@pytest.mark.parametrize("names", ["aba", "abb", "aab", "abcc", "abca", "aaaa"])
def test_files_of_a_kind_that_is_known_late_may_be_read_twice(names: str) -> None:
    """Files of a format of their own are known as such once there are three."""
    rounds = Rounds()
    for count, name in enumerate(names, 1):
        known = [(at, one, ord(one)) for at, one in enumerate(names[:count])] if count > 2 else []
        tensor = Tensor(DType.F32, (1, 4), name.encode() * 16)
        for operation in ("set_input", "compute"):
            event = SimpleNamespace(
                error=None, operation=operation, index=0, specs=(SPEC,), tensors=(tensor,), given=(),
                delivered=False, graph_id=0, model="m", context_id=0,
            )  # fmt: skip
            rounds.read(known)
            rounds.nn_event(cast(Any, event))
    assert not [*rounds.finish()]


INK = bytes(range(0, 250, 10))


@pytest.mark.parametrize(
    ("other", "seen"),
    [(bytes(255 - one for one in INK), False), (INK, False), (INK[::-1], True), (INK[1:] + b"\0", True)],
)
def test_one_picture_in_two_files(other: bytes, seen: bool) -> None:
    data = {"a": b"P5 5 5 255\n" + INK, "b": b"P5\n# of paper\n5 5\n255\n" + other}
    assert bool(played("+a", "a", "!", "?", "+b", "a", "!", "?", data=data)) is seen


def test_inputs_of_which_it_is_known_why_they_are_the_same() -> None:
    steps = ["+a", "x", "!", "?", "+b", "x", "!", "?", "+c", "x", "!", "?"]
    assert "inputs, which are all the same" in played(*steps)[0]
    assert played(*steps, is_explained=True) == []


@pytest.mark.parametrize(("number", "wanted"), [(float("nan"), 0), (float("-inf"), 0), (3.0, 1)])
def test_inputs_that_are_no_numbers_are_the_same(
    number: float, wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why they are none is another mistake."""
    data = struct.pack("<4f", *[number] * 4)
    monkeypatch.setattr(Rounds, "_sum", partialmethod(sum_of, Rounds._sum, data))
    steps = ["+a", "x", "!", "?", "+b", "x", "!", "?", "+c", "x", "!", "?"]
    assert len(played(*steps)) == wanted


def sum_of(self: Rounds, own: Callable[[Rounds, Tensor], int], data: bytes, _: Tensor) -> int:
    return own(self, Tensor(DType.F32, (1, 4), data))
