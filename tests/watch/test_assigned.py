"""Files of the arguments in the inputs of one model."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.assigned import Assigned

numpy: Any = pytest.importorskip("numpy")


def event(operation: str) -> NNEvent:
    return NNEvent(operation, "", 0.0, None, None, 1, 1, None, 0, (), ())


def opens(name: str) -> HostEvent:
    return HostEvent("wasi_snapshot_preview1", "path_open", (("fd", 3), ("path", name)), 0, None, 0.0)


def says(text: str) -> Any:
    arguments = (("fd", 1), ("ciovs", [text.encode()]), ("nwritten", len(text)))
    return SimpleNamespace(name="fd_write", arguments=arguments, error=None, result=0)


def said(
    folder: Path,
    names: tuple[str, str],
    files: tuple[str, str],
    text: str = "",
    *,
    rounds: int = 1,
    arguments: tuple[str, ...] = ("app", "data/three.pgm", "data/eight.pgm"),
    opened: tuple[str, ...] = (),
    read: tuple[str, ...] = (),
) -> str:
    """What is said if each input of a model was made of a file."""
    for name in ("three.pgm", "eight.pgm", "notes.txt", "left.pgm", "right.pgm"):
        (folder / name).write_bytes(name.encode() * 9)
    assigned = Assigned(arguments, [folder], lambda: [(name, b"P5" * 50) for name in read])
    for name in opened:
        assigned.host_call(opens(name))
    for _ in range(rounds):
        for index, (name, file) in enumerate(zip(names, files, strict=True)):
            if file:
                assigned.host_call(opens(file))
            data = (folder / (file or "notes.txt")).read_bytes()[:64]
            tensor = Tensor.from_numpy(numpy.frombuffer(data, "u1").astype("f4"))
            assigned.came_from(event("set_input"), index, name, tensor, file)
        assigned.nn_event(event("compute"))
    assigned.host_call(says(text))
    return "".join(text for _, text in assigned.finish())


SAME, OTHERS = ("three.pgm", "three.pgm"), ("three.pgm", "eight.pgm")
BACK = OTHERS[::-1]
TEXT = "three.pgm against eight.pgm: 0.3"


def test_one_file_twice(tmp_path: Path) -> None:
    text = said(tmp_path, ("x", "y"), SAME)
    assert 'input 1 "y": it is three.pgm, as input 0 "x" is, and eight.pgm, which is among' in text
    assert said(tmp_path, ("x", "y"), OTHERS) == said(tmp_path, ("x", "y"), BACK, TEXT) == ""
    assert said(tmp_path, ("x", "y"), SAME, rounds=2) == "", "others may follow"
    assert said(tmp_path, ("x", "y"), SAME, arguments=("app", "data/three.pgm", "data/new.pgm")) == ""
    assert said(tmp_path, ("x", "y"), SAME, arguments=("app", "three.pgm", "data/notes.txt")) == ""
    assert said(tmp_path, ("x", "y"), SAME, opened=("eight.pgm",)) == "", "to be written"
    text = said(tmp_path, ("x", "y"), SAME, opened=("eight.pgm",), read=("three.pgm", "eight.pgm"))
    assert "eight.pgm, which is among the guest's arguments, was read, too, and not sent" in text
    assert said(tmp_path, ("x", "y"), ("three.pgm", "")) == "", "what isn't known may be anything"


@pytest.mark.parametrize(
    "names", [("left", "right"), ("img_before", "img_after"), ("inputA", "inputB"), ("First:0", "Second:0")]
)
def test_files_the_other_way_round(names: tuple[str, str], tmp_path: Path) -> None:
    lower = (names[0].replace("A", "_a"), names[1].replace("B", "_b"))
    assert "are the two inputs exchanged?" in said(tmp_path, lower, BACK, TEXT)
    assert said(tmp_path, lower, OTHERS, TEXT) == said(tmp_path, lower, BACK) == ""
    assert said(tmp_path, lower, BACK, "eight.pgm against three.pgm") == ""
    assert said(tmp_path, ("content", "style"), BACK, TEXT) == said(tmp_path, ("x1", "x2"), BACK, TEXT) == ""


def test_files_that_say_themselves_which_they_are(tmp_path: Path) -> None:
    given = ("app", "right.pgm", "left.pgm")
    text = "right.pgm, left.pgm"
    assert said(tmp_path, ("left", "right"), ("left.pgm", "right.pgm"), text, arguments=given) == ""
    named = ("app", "right", "three.pgm", "left", "eight.pgm")
    assert said(tmp_path, ("left", "right"), BACK, TEXT, arguments=named) == ""


def test_one_buffer_for_two_files(tmp_path: Path) -> None:
    alone, both = ("app",), ("three.pgm", "eight.pgm")
    text = said(tmp_path, ("x", "y"), SAME, arguments=alone, read=both)
    assert "eight.pgm, which is of its kind and size and was read, too, is in none" in text
    assert said(tmp_path, ("x", "y"), OTHERS, arguments=alone, read=both) == ""
    assert said(tmp_path, ("x", "y"), SAME, arguments=alone, read=("three.pgm", "notes.txt")) == ""
    assert said(tmp_path, ("x", "y"), SAME, arguments=alone, read=(*both, "left.pgm")) == "", "which one?"
    assert said(tmp_path, ("x", "y"), SAME, arguments=alone, read=both, rounds=2) == "", "others may follow"


def paired(pairs: list[tuple[int, int]], files: int) -> str:
    """What is said of computes on pairs of numbered pictures, of which so many were read."""
    pictures = [(f"{one:02}.raw", bytes([one]) * 99) for one in range(files)]
    assigned = Assigned((), [], lambda: pictures)
    for pair in pairs:
        for index, number in enumerate(pair):
            tensor = Tensor.from_numpy(numpy.full(64, number, "u1"))
            assigned.came_from(event("set_input"), index, "xy"[index], tensor, "")
        assigned.nn_event(event("compute"))
    return "".join(text for _, text in assigned.finish())


@pytest.mark.parametrize("count", [2, 3, 9])
def test_one_buffer_in_all_rounds(count: int) -> None:
    same = [(2 * one + 1, 2 * one + 1) for one in range(count)]
    assert f"in all {count} computes, and {2 * count} different files" in paired(same, 2 * count)
    assert paired([(one, one) for one in range(count)], count) == "", "each with itself"
    assert paired([(2 * one, 2 * one + 1) for one in range(count)], 2 * count) == ""
    assert paired([*same, (0, 1)], 2 * count) == paired([(0, 0)] * count, 2) == ""
