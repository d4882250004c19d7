"""Guests that say of each of some files what the others are named after, and right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.crosswise import Crosswise

KINDS = [("cat", "dog"), ("hot", "cold"), ("up", "down"), ("speech", "music")]
SAID = {"up": "upright", "down": "upside down, please turn"}


def hint(names: list[str], lines: list[str], shares: list[Any]) -> str:
    files = [(f"data/{name}", b"P5") for name in names] + [("models/kinds.onnx", b"")]
    crosswise = Crosswise(lambda: files)
    for share, line in zip(shares, lines, strict=True):
        tensor = Tensor.from_numpy(numpy.atleast_1d(numpy.asarray(share, "f4")))
        event: Any = SimpleNamespace(error=None, operation="get_output", tensors=(tensor,))
        crosswise.nn_event(event)
        written: Any = SimpleNamespace(
            error=None, name="fd_write", arguments=[("fd", 1), ("ciovs", [line.encode() + b"\n"])]
        )
        crosswise.host_call(written)
    return "".join(text for _, text in crosswise.finish())


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("form", ["data/{}: {}", "{} -> {} (97 %)", "I see a {1} in {0}"])
@pytest.mark.parametrize("each", [1, 3])
@pytest.mark.parametrize("shape", [1, 2])
def test_two_kinds(kinds: tuple[str, str], form: str, each: int, shape: int) -> None:
    of = [kind for number in range(each) for kind in (0, 1)]
    names = [f"small-{kinds[kind]}{at // 2}.pgm" for at, kind in enumerate(of)]
    shares = [kind * 0.94 + 0.03 if shape == 1 else (0.97 - kind * 0.94, kind * 0.94 + 0.03) for kind in of]

    def found(said: Any, given: Any = shares) -> str:
        words = [said(kind) for kind in of]
        return hint(names, [form.format(*one) for one in zip(names, words, strict=True)], given)

    def word(kind: int) -> str:
        return SAID.get(kinds[kind], kinds[kind])

    wrong = found(lambda kind: word(1 - kind))
    assert "are the two classes exchanged?" in wrong and f"so of all {len(of)} files" in wrong
    assert found(word) == found(lambda _: word(0)) == ""
    assert found(lambda kind: f"{word(1 - kind)} and {word(kind)}") == ""
    assert found(lambda kind: f"not {word(1 - kind)}") == "", "it says the right thing"
    unsure = [numpy.array(one) * 0.2 + 0.4 for one in shares]
    assert found(lambda kind: word(1 - kind), unsure) == ""
    same = [shares[0] for _ in of]
    assert found(lambda kind: word(1 - kind), same) == ""


def test_files_that_are_named_after_something_else() -> None:
    shares = [0.02, 0.97, 0.96]
    for names, said, seen in (
        (["left.pgm", "right.pgm", "middle.pgm"], ["turn right", "turn left", "go on"], False),
        (["left.pgm", "right.pgm", "right2.pgm"], ["steer right", "go left", "keep on the left"], False),
        (["left.pgm", "right.pgm", "right2.pgm"], ["right", "left (turned)", "left"], True),
        (["in.pgm", "out.pgm", "out2.pgm"], ["out of 2: 1", "in it is 0", "in it is 0"], False),
        (["a.pgm", "b.pgm", "c.pgm"], ["b", "a", "a"], False),
        (["cat.pgm", "dog.pgm", "dogs.pgm"], ["dog", "cat", "cat"], False),
        (["cat.pgm", "dog.pgm", "dog2.pgm"], ["dog", "cat", "cat"], True),
        (["cat.pgm", "dog.pgm", "cat.pgm"], ["dog", "cat", "cat"], False),
    ):
        lines = [f"{name}: {one}" for name, one in zip(names, said, strict=True)]
        assert bool(hint(names, lines, shares)) is seen, names
