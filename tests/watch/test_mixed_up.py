"""Contexts, buffers and rounds that were mixed up. Each mistake has right twins."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.order.contexts import Contexts
from pywasm_nn.watch.order.leftover import Leftover
from pywasm_nn.watch.order.streams import Streams
from pywasm_nn.watch.origin import Origin, Source
from pywasm_nn.watch.origin.following import Origins
from pywasm_nn.watch.sent.borders import Borders
from tests.watch.test_origin import scene
from tests.watch.test_rounds import played as rounds

ORDER = numpy.random.default_rng(3)


def done(operation: str, context: int = 0, array: Any = None) -> Any:
    tensor = None if array is None else Tensor.from_numpy(numpy.ascontiguousarray(array))
    specs = () if tensor is None else (TensorSpec("x", tensor.dtype, tensor.shape),)
    return SimpleNamespace(
        error=None, operation=operation, index=0, tensors=() if tensor is None else (tensor,), specs=specs,
        given=(), graph_id=0, model="m", context_id=context, delivered=False,
    )  # fmt: skip


def played(steps: str) -> str:
    """Returns the hints at steps: "0a" sends "a" to context 0, "0_" zeros, "0!" computes there, "0?" fetches
    its answer."""
    found = Contexts()
    for step in steps.split():
        number, what = int(step[0]), step[1]
        name = {"!": "compute", "?": "get_output"}.get(what, "set_input")
        level = 0 if what == "_" else ord(what)
        found.nn_event(done(name, number, None if what in "!?" else numpy.full(4, level, "f4")))
    return " ".join(text for _, text in found.finish())


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("0a 1b 0! 1! 1? 1?", "does get_output name the context"),
        ("0a 0! 1b 1! 1? 1? 0c 0! 1d 1! 1? 1?", "context 0 was computed 2 times, and its answer never"),
        ("0a 0! 0? 1b 0! 0?", "does compute name the context"),
        ("0a 1b 0! 1! 0? 1?", ""),
        ("0a 0! 1b 1! 1?", ""),
        ("0a 0! 1a 1! 1? 1?", ""),
        ("0a 0! 0? 0! 0? 0?", ""),
        ("0a 1b 1! 1?", ""),
        ("0_ 0! 1b 1! 1? 1?", ""),  # a context is warmed up, another one's answer looked at twice
        ("0a 1b 1! 1? 1! 1? 1! 1?", ""),  # two models, of which one is chosen and measured
    ],
)
def test_contexts(steps: str, words: str) -> None:
    said = played(steps)
    assert words in said and bool(words) == bool(said)


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        ("+a +b +c c ! c ! c !", True),
        ("+a +b +c a ! b ! c !", False),
        ("+a +b +c c ! c !", False),
        ("+a +b b ! b !", False),
    ],
)
def test_each_of_several_files_is_sent(steps: str, seen: bool) -> None:
    assert any("all the same" in text for text in rounds(*steps.split())) is seen


def streamed(order: list[int], data: bytes, place: Path | None = None, again: int = 0, text: str = "") -> str:
    """Returns the hints of a guest that sends pieces of 300 numbers, and writes a text."""
    found = Streams(lambda: [("a.rgb", data)], lambda _: (place, again))
    for number in order:
        found.nn_event(done("set_input", 0, PIECES[number].astype("f4")))
    found.host_call(HostEvent("w", "fd_write", (("fd", 1), ("ciovs", [text.encode()])), 0, None, 0.0))
    return " ".join(text for _, text in found.finish())


PIECES = ORDER.integers(0, 255, (6, 300)).astype("u1")


@pytest.mark.parametrize(
    ("order", "header", "seen"),
    [
        ([0, 1, 2, 3, 4, 5, 5], 0, True), ([0, 1, 2, 3, 4, 5, 5], 16, True), ([0, 1, 2, 3, 4, 5], 0, False),
        ([0, 1, 2, 3, 4, 5, 0], 0, False), ([0, 0, 1, 2, 3, 4, 4], 0, False), ([0, 1, 2, 2], 0, False),
    ],
)  # fmt: skip
def test_the_last_piece_again(order: list[int], header: int, seen: bool) -> None:
    assert ("while not feof" in streamed(order, bytes(header) + PIECES.tobytes())) is seen


def test_a_file_that_is_read_from_its_beginning(tmp_path: Path) -> None:
    place = tmp_path / "a.rgb"
    place.write_bytes(PIECES.tobytes())
    begun = PIECES.tobytes()[:512]
    assert "go back to the file's beginning" in streamed([0] * 4, begun, place, 3)
    assert streamed([0] * 4, begun, place, 0) == "", "it is measured"
    assert "does each round read its own" in streamed([0] * 6, begun, place, 0)
    assert streamed([0] * 4, PIECES.tobytes(), place, 3) == "", "all was read"
    assert streamed([0, 1, 2, 3], begun, place, 3) == ""
    for text in ("run 3: 4.1 ms\n", "latency over 6 repeats: 12 ms\n", "bench: reading and inference\n"):
        assert streamed([0] * 6, begun, place, 6, text) == streamed([0] * 6, begun, place, 0, text) == ""
        assert streamed([0] * 6, PIECES.tobytes(), text=text) == "", "as often as there are pieces, by chance"
        assert "of which only 5 differ" in streamed([0, 1, 1, 3, 4, 5], PIECES.tobytes(), text=text)
    assert streamed([0] * 4, begun, tmp_path / "gone", 3) == ""


def test_where_the_host_has_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(4096))
    origins = Origins(directories={"d": tmp_path})
    origins.host_call(
        HostEvent("w", "path_open", (("fd", 3), ("path", "a.bin"), ("opened_fd", 5)), 0, None, 0.0)
    )
    for _ in range(3):
        origins.host_call(
            HostEvent("w", "fd_read", (("fd", 5), ("iovs", [bytes(64)]), ("nread", 64)), 0, None, 0.0)
        )
        origins.host_call(HostEvent("w", "fd_seek", (("fd", 5), ("newoffset", 0)), 0, None, 0.0))
    assert origins.about("a.bin") == (tmp_path / "a.bin", 2)
    assert origins.about("b.bin") == (None, 0)


def batches(lines: int, last: Any, form: str = "card {number} is fine\n") -> str:
    """The hints of a guest that sends a file of five items, two at a time, and writes so many lines."""
    items = ORDER.normal(size=(6, 20)).astype("f4")
    found = Leftover(lambda: [("deck.f32", items[:5].tobytes())])
    stale = {"left": items[3], "zeros": 0 * items[3], "another": items[5]}[last]
    for pair in (items[:2], items[2:4], numpy.stack([items[4], stale])):
        found.nn_event(done("set_input", 0, pair))
    text = "".join(form.format(number=number) for number in range(7, 7 + lines)).encode()
    found.host_call(
        HostEvent("w", "fd_write", (("fd", 1), ("ciovs", [text]), ("nwritten", len(text))), 0, None, 0.0)
    )
    return " ".join(said for _, said in found.finish())


@pytest.mark.parametrize(
    ("lines", "last", "seen"),
    [(6, "left", True), (6, "zeros", True), (5, "left", False), (6, "another", False), (7, "left", False)],
)
def test_rows_of_the_batch_before(lines: int, last: str, seen: bool) -> None:
    said = batches(lines, last)
    assert ("has 5 items, which were sent in 3 batches of 2" in said) is seen
    assert bool(said) is seen


@pytest.mark.parametrize("form", ["card {number:2}: 5\n", "card {number:<3} 4.5\n", "{number:3} 5\n"])
@pytest.mark.parametrize(("lines", "seen"), [(6, True), (5, False)])
def test_lines_with_aligned_numbers(form: str, lines: int, seen: bool) -> None:
    assert ("the guest writes 6 lines" in batches(lines, "left", form)) is seen


@pytest.mark.parametrize("colours", [1, 3])
@pytest.mark.parametrize(("count", "seen"), [(12, True), (11, False), (10, False)])
def test_parts_of_a_picture(colours: int, count: int, seen: bool) -> None:
    """A strip of eleven letters of 6 x 6 pixels, in batches of four."""
    strip = ORDER.integers(0, 255, (6, 66, colours), "u1")
    head = f"P{'5' if colours == 1 else '6'}\n# cut\n66 6\n255\n".encode()
    parts = strip.reshape(6, 11, 6, colours).transpose(1, 3, 0, 2).astype("f4")
    parts = numpy.concatenate([parts, parts[7:8] if count != 10 else parts[:1]])
    found = Leftover(lambda: [("strip.pnm", head + strip.tobytes())])
    for at in range(0, 12, 4):
        found.nn_event(done("set_input", 0, parts[at : at + 4]))
    text = f"{count} letters\n".encode()
    found.host_call(
        HostEvent("w", "fd_write", (("fd", 1), ("ciovs", [text]), ("nwritten", len(text))), 0, None, 0.0)
    )
    said = " ".join(one for _, one in found.finish())
    assert ("has 11 items, which were sent in 3 batches of 4" in said) is seen is bool(said)


SAYINGS = {
    "how many": lambda rows: f"{len(rows)} bottles\n",
    "counts of classes": lambda rows: " / ".join(map(str, numpy.bincount(rows.argmax(1), minlength=3))),
    "a line for each class": lambda rows: "".join(
        f"class {at}: {(rows.argmax(1) == at).sum()}\n" for at in range(3)
    ),
    "a mean": lambda rows: f"on average {rows.mean():.3f}",
    "a sum": lambda rows: f"together {rows.sum():.4f} units",
    "the surest": lambda rows: f"{rows.max():.3f}",
}


@pytest.mark.parametrize("left", ["left", "zeros", "another"])
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("kind", SAYINGS)
def test_what_is_said_of_all_rows(kind: str, number: int, left: str) -> None:
    """Twelve items in three batches of five: what is said of fifteen rows, and of twelve."""
    random = numpy.random.default_rng(number)
    table = random.normal(size=(12, 4)).round(3)
    data = "\n".join(["a,b,c,d", *(",".join(map(str, row)) for row in table)]).encode()
    rows = numpy.concatenate(
        [table, {"left": table[7:10], "zeros": 0 * table[:3], "another": -table[:3]}[left]]
    )
    answers = random.random(size=(15, 1 if kind in ("a mean", "a sum") else 3)).astype("f4")
    answers[12:] = answers[7:10]
    for count in (15, 12):
        found = Leftover(lambda: [("wine.csv", data)])
        for at in range(0, 15, 5):
            found.nn_event(done("set_input", 0, rows[at : at + 5].astype("f4")))
            found.nn_event(done("get_output", 0, answers[at : at + 5]))
        text = SAYINGS[kind](answers[:count]).encode()
        found.host_call(
            HostEvent("w", "fd_write", (("fd", 1), ("ciovs", [text]), ("nwritten", len(text))), 0, None, 0.0)
        )
        said = " ".join(one for _, one in found.finish())
        is_wrong = count == 15 and left != "another" and kind != "the surest"
        assert ("has 12 items, which were sent in 3 batches of 5" in said) is is_wrong, (said, text)


def bordered(shown: Any, inner: int) -> Any:
    """A picture with another one in its middle."""
    made, small = shown.copy(), scene(9, inner, inner)[..., :1]
    begin = (len(shown) - inner) // 2
    made[begin : begin + inner, begin : begin + inner] = small
    return made


LARGE = scene(4, 24, 24)[..., :1]
WHOLE = Origin(Source("a.pgm", None, ""), (), part=(0, 0, 24, 24), lies=(0, 0, 24, 24))
INSIDE = Origin(Source("b.pgm", None, ""), (), part=(0, 0, 16, 16), lies=(4, 4, 16, 16))
OTHER = Origin(Source("b.pgm", None, ""), (), part=(0, 0, 24, 24), lies=(0, 0, 24, 24))


@pytest.mark.parametrize(
    ("second", "found", "seen"),
    [
        (bordered(LARGE, 16), None, True), (bordered(LARGE, 16), INSIDE, True),
        (bordered(LARGE, 16), OTHER, False), (bordered(0 * LARGE, 16), INSIDE, False),
        (bordered(LARGE, 24), None, False), (LARGE, None, False),
        (bordered(LARGE, 16)[:, ::-1], None, False),
    ],
)  # fmt: skip
def test_the_border_of_the_picture_before(second: Any, found: Origin | None, seen: bool) -> None:
    borders = Borders()
    assert borders.wrong(0, (LARGE / 255).astype("f4")[None], WHOLE) == ""
    assert (
        "is still the picture before" in borders.wrong(0, (second / 255).astype("f4")[None], found)
    ) is seen


def blurred(part: Any) -> Any:
    """Each pixel as the mean of those around it."""
    around = [numpy.roll(part, (down, across), (0, 1)) for down in (-1, 0, 1) for across in (-1, 0, 1)]
    return numpy.mean(around, axis=0)


HIDDEN = {
    "grey": lambda part: 0 * part + 128,
    "blurred": blurred,
    "noise": lambda part: ORDER.integers(0, 255, part.shape),
}


@pytest.mark.parametrize("way", HIDDEN)
def test_a_middle_that_is_hidden(way: str) -> None:
    """Somebody asks how much the middle counts, or hides a face."""
    second = LARGE.astype("f8")
    second[4:20, 4:20] = HIDDEN[way](second[4:20, 4:20])
    borders = Borders()
    borders.wrong(0, (LARGE / 255).astype("f4")[None], WHOLE)
    assert borders.wrong(0, (second / 255).astype("f4")[None], None) == ""


def test_a_moving_thing_before_a_ground() -> None:
    """The frames of a camera that stands still have the same ground."""
    borders = Borders()
    borders.wrong(0, (LARGE / 255).astype("f4")[None], None)
    assert borders.wrong(0, (bordered(LARGE, 16) / 255).astype("f4")[None], None) == ""


def test_evidence_tells_of_contexts() -> None:
    evidence = Evidence()
    for step in ("set_input", "compute"):
        for context in (0, 1):
            array = numpy.full((1, 8), context + 1, "f4") if step == "set_input" else None
            [*evidence.nn_event(event_of(step, context, array), ())]
    for _ in range(2):
        [*evidence.nn_event(event_of("get_output", 1, numpy.ones((1, 8), "f4")), ())]
    assert any("never fetched" in text for _, text in evidence.finish())


def event_of(operation: str, context: int, array: Any) -> Any:
    from pywasm_nn.nn.operation import NNEvent

    tensor = None if array is None else Tensor.from_numpy(array)
    specs = () if tensor is None else (TensorSpec("x", tensor.dtype, tensor.shape),)
    tensors = () if tensor is None else (tensor,)
    return NNEvent(operation, "", 0.0, None, None, 1, context, None, 0, specs, tensors)
