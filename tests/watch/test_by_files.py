"""Classes of one file after the other: sums that are kept, and a list of names in another order. Each mistake
has right twins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.by_files import ByFiles

NAMES = ["owl", "jay", "kite", "teal", "swift"]
ORDER = sorted(NAMES)


def hint(parts: Sequence[tuple[str, Any]], text: str, read: Sequence[str], beside: Sequence[str] = ()) -> str:
    """The hint of a guest that reads a list, then one file after the other with some answers to each."""
    files = [("names.txt", "\n".join(read).encode() + b"\n")]
    texts = [(Path("birds.txt"), "\n".join(beside) + "\n")] if beside else []
    follower = ByFiles(lambda: files, lambda _: texts)
    for file, answers in parts:
        files.append((file, b"\x01\x02"))
        for one in answers:
            specs, tensors = (SimpleNamespace(name="y"),), (Tensor.from_numpy(one.astype("f4")[None]),)
            event: Any = SimpleNamespace(
                operation="get_output", index=0, error=None, specs=specs, tensors=tensors
            )
            follower.nn_event(event)
    wrote: Any = SimpleNamespace(
        name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [text.encode()])), result=0
    )
    follower.host_call(wrote)
    return "; ".join(said for _, said in follower.finish())


GERMAN = ("Kreis", "Kreuz", "Herz", "Ring", "Quadrat", "Stern", "Streifen", "Dreieck")
ENGLISH = ("circle", "cross", "heart", "ring", "square", "star", "stripe", "triangle")


@pytest.mark.parametrize(
    ("own", "seen"),
    [
        (GERMAN, False),
        (sorted(GERMAN), True),
        (ENGLISH, False),
        (ENGLISH[::-1], True),
        ([*ENGLISH[:6], "triangle", "stripe"], False),
        ([f"form{one}" for one in "abcdefgh"], False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_beside", [True, False])
@pytest.mark.parametrize("is_read", [True, False])
def test_own_names_in_another_order(
    own: Sequence[str], seen: bool, tmp_path: Path, *, is_beside: bool, is_read: bool
) -> None:
    """By the names that both lists have: a translation keeps some of them."""
    (tmp_path / ("shapes.onnx" if is_beside else "other.onnx")).write_bytes(b"model")
    names = "".join(name + "\\00" * (12 - len(name)) for name in own)
    files = [("labels.txt", "\n".join(ENGLISH).encode())] if is_read else []
    follower = ByFiles(lambda: files, lambda _: [(tmp_path / "shapes.txt", "\n".join(ENGLISH) + "\n")])
    follower.attach(Module.from_text(f'(module (memory 1) (data (i32.const 64) "{names}"))'))
    for at, place in enumerate((5, 0, 7)):
        files.append((f"shape{at}.ppm", b"P6\n2 2\n255\n\n\x80\xff\n"))
        shares: Any = numpy.full((1, 8), 0.01, "f4")
        shares[0, place] = 0.93
        event: Any = SimpleNamespace(
            operation="get_output", index=0, error=None, tensors=(Tensor.from_numpy(shares),)
        )
        follower.nn_event(event)
    said = "".join(f"{own[place]} 93 %\n" for place in (5, 0, 7)).encode()
    wrote: Any = SimpleNamespace(
        name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [said])), result=0
    )
    follower.host_call(wrote)
    found = "".join(text for _, text in follower.finish())
    assert ("shapes.txt, which is named after the model and was never read" in found) is bool(found)
    assert bool(found) is (seen and is_beside and not is_read)


def answers(seed: int, each: int = 3, *, sure: float = 5.0) -> list[tuple[str, Any]]:
    """Files named after their classes, the surest first, and answers to each."""
    numbers = numpy.random.default_rng(seed)
    found = []
    for place in numbers.permutation(len(NAMES))[:4].tolist():
        logits = numbers.normal(0, 0.5, (each, len(NAMES)))
        logits[:, place] += sure
        made = numpy.exp(logits)
        found.append((f"{NAMES[place]}.wav", made / made.sum(axis=1, keepdims=True)))
    return found


def lines(parts: Sequence[tuple[str, Any]], sums: Sequence[Any], names: Sequence[str] = NAMES) -> str:
    return "".join(
        f"{file} is a {names[int(one.argmax())]}\n" for (file, _), one in zip(parts, sums, strict=True)
    )


@pytest.mark.parametrize("each", [1, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_sums_of_the_files_before(seed: int, each: int) -> None:
    parts = answers(seed, each)
    parts[0] = parts[0][0], numpy.concatenate([parts[0][1]] * 3)
    own = [part.sum(axis=0) for _, part in parts]
    found = hint(parts, lines(parts, numpy.cumsum(own, axis=0)), NAMES)
    assert "set back to 0 for each?" in found and f'"{parts[0][0][:-4]}" of {parts[1][0]}' in found
    late = [own[0], *own[:-1]]
    for right in (own, late):
        assert "set back" not in hint(parts, lines(parts, right), NAMES)
    so_far = lines(parts, numpy.cumsum(own, axis=0)).replace(" is a", " so far a")
    assert hint(parts, so_far, NAMES) == ""
    unnamed = [(f"rec{at}.wav", part) for at, (_, part) in enumerate(parts)]
    found = hint(unnamed, lines(unnamed, numpy.cumsum(own, axis=0)), NAMES)
    assert ("set back" in found) == (each > 1), "of one answer each other mistakes say the same"


@pytest.mark.parametrize("seed", range(4))
def test_a_list_in_another_order(seed: int) -> None:
    parts = answers(seed, 1)
    own = [part[0] for _, part in parts]
    wrong = lines(parts, own, ORDER)
    found = hint(parts, wrong, ORDER, NAMES)
    assert "birds.txt has the same names in another order" in found and "of 4 files" in found
    assert hint(parts, lines(parts, own), NAMES, ORDER) == "", "the right list was read"
    assert hint(parts, wrong, ORDER) == "", "no other list is known"
    assert hint(parts, wrong, ORDER, [*NAMES[1:], NAMES[0]]) == "", "by which files aren't named either"
    assert hint(parts, lines(parts, own), ORDER, NAMES) == "", "the guest says others"
    unnamed = [(f"rec{at}.wav", part) for at, (_, part) in enumerate(parts)]
    assert hint(unnamed, wrong, ORDER, NAMES) == "", "nothing says what is right"
    assert hint(parts[:2], lines(parts[:2], own[:2], ORDER), ORDER, NAMES) == ""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [1, 4])
def test_a_list_of_more_names(seed: int, count: int) -> None:
    parts = [(f"rec{at}.wav", part) for at, (_, part) in enumerate(answers(seed, 1))][:count]
    own = [part[0] for _, part in parts]
    longer = ["crane", "heron", *ORDER]
    wrong = lines(parts, own, longer)
    found = hint(parts, wrong, longer, ORDER)
    first = int(own[0].argmax())
    if count == 1:
        assert f'says "{longer[first]}" of rec0.wav, the name of class {first} in names.txt' in found
        assert f'and there it is "{ORDER[first]}"' in found
    assert "names for 5 classes; birds.txt has as many as there are classes" in found
    assert hint(parts, wrong, longer) == "", "no other list is known"
    assert hint(parts, wrong, longer, [*ORDER[:-1], "rail"]) == "", "of other names"
    assert hint(parts, lines(parts, own, ORDER), longer, ORDER) == "", "the guest passes over the first"
    behind = [*ORDER, "crane", "heron"]
    assert hint(parts, lines(parts, own, behind), behind, ORDER) == "", "more behind all classes"
    both = lines(parts, own, longer) + lines(parts, own, ORDER)
    assert hint(parts, both, longer, ORDER) == ""


@pytest.mark.parametrize(
    ("order", "seen"),
    [
        (sorted, "were the names sorted?"),
        (lambda names: names[::-1], "is the list of names backwards?"),
        (list, ""),
        (lambda names: [names[0], names[2], names[1], *names[3:]], ""),  # of no usual order little is known
    ],
)
def test_names_that_are_written_in_another_order(order: Any, seen: str) -> None:
    """Of short names, too, and where all is written at the end."""
    speeds = ["5", "30", "100", "120", "1000"]
    answers = [numpy.eye(5)[place] * 0.9 + 0.02 for place in (1, 2, 4, 0)]
    parts = [(f"sign{at}.raw", [one]) for at, one in enumerate(answers)]
    said = [order(speeds)[int(one.argmax())] for one in answers]
    text = "".join(f"sign{at}.raw: at most {one} km/h\n" for at, one in enumerate(said))
    found = hint(parts, text, speeds)
    assert (seen in found) if seen else (found == "")
    once = "".join(f"sign{at}.raw: at most {one} km/h\n" for at, one in enumerate(said[:2]))
    assert hint(parts[:2], once, speeds) == "", "of two files little is known"
