"""Pictures whose files are named after what they show, and a model that says something else."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.depicted import Depicted, Names
from pywasm_nn.watch.sent.named_after import NamedAfter
from pywasm_nn.watch.whatif import several
from pywasm_nn.watch.whatif.several import Several
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.test_several import GRAPH, KNOWN, Oracle
from tests.watch.whatif_models import planar

CLASSES = ["dog", "cat", "tabby cat", "boat"]
LIST = ("labels.txt", "\n".join(CLASSES).encode())
PICTURE = ("cat.jpg", b"\xff\xd8\xff")


def names(*files: tuple[str, bytes], data: bytes = b"") -> Names:
    made = Names(lambda: files)
    text = "".join(f"\\{byte:02x}" for byte in data)
    made.attach(Module.from_text(f'(module (memory 1) (data (i32.const 1024) "{text}"))'))
    return made


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("cat.jpg", 1),
        ("photos/Boat_02.png", 3),
        ("dog.cat.ppm", None),
        ("catalogue.ppm", None),
        ("a.ppm", None),
    ],
)
def test_names_of_a_list(file: str, place: int | None) -> None:
    found = names(LIST, PICTURE).depicted(file, 4)
    assert (None if found is None else found.places) == (None if place is None else (place,))
    assert names(LIST, PICTURE).depicted(file, 5) is None, "a list of other classes"


def test_files_that_are_read_one_by_one_are_what_inputs_come_from() -> None:
    """Also inputs that nobody looks for in them; of several that were read nobody knows which one it is."""
    known = NamedAfter(names(LIST, PICTURE, ("boat.ppm", b"P6")), Budget())
    media: list[tuple[int, str, int]] = []

    def shown(*read: str) -> Depicted | None:
        media.extend((number, name, 0) for number, name in enumerate(read, len(media)))
        known.read(7, media)
        return known.shows(7, 4)()

    assert shown("boat.ppm") == Depicted("boat.ppm", (3,))
    assert shown("cat.jpg") == Depicted("cat.jpg", (1,))
    assert shown() is shown("boat.ppm", "cat.jpg") is None
    assert shown("dog.ppm") == Depicted("dog.ppm", (0,))


KINDS = (
    "imagenet.txt",
    "\n".join([*(f"thing {n}" for n in range(60)), "tabby, tabby cat", "tiger cat", "cat flap"]).encode(),
)


def test_kinds_of_the_same() -> None:
    assert names(KINDS, PICTURE).depicted("my_cat.jpg", 63) == Depicted("my_cat.jpg", (60, 61))
    assert names(KINDS, PICTURE).depicted("tiger.jpg", 63) is None
    assert names(LIST, PICTURE).depicted("tabby.jpg", 4) is None
    many = ("kinds.txt", "\n".join(f"{kind} cat" for kind in ("tabby", "tiger", "siamese", "black")).encode())
    assert names(many, PICTURE).depicted("cat.jpg", 4) is None, "a model of cats"


def test_the_only_file_that_says_it() -> None:
    assert names(LIST, PICTURE).depicted("", 4) == Depicted("cat.jpg", (1,))
    assert names(LIST, PICTURE, ("boat.jpg", b"\xff")).depicted("", 4) is None
    assert names(LIST, ("boat.onnx", b"\xff")).depicted("", 4) is None, "a model"


def table(step: int) -> bytes:
    """Names in a program's data, and a table of their addresses, also with their lengths."""
    texts = [name.encode() + b"\0" * (step == 1) for name in CLASSES]
    at = [1024 + 4 * step * len(texts) + sum(map(len, texts[:number])) for number in range(len(texts))]
    words = [(one,) if step == 1 else (one, len(text)) for one, text in zip(at, texts, strict=True)]
    return b"".join(pack(f"<{step}I", *one) for one in words) + b"".join(texts)


@pytest.mark.parametrize("step", [1, 2])
def test_names_in_the_program(step: int) -> None:
    own = names(PICTURE, data=table(step))
    assert own.depicted("boat.png", 4) == Depicted("boat.png", (3,))
    assert own.depicted("boat.png", 3) is None


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("three3-17.pgm", 3),
        ("7.png", 7),
        ("d4-2.raw", 4),
        ("img_3.png", None),
        ("frame3.png", None),
        ("x12.png", None),
        ("Nine-mirrored.idx", 9),
        ("digit_zero.png", 0),
        ("someone.png", None),
        ("one_of_two.png", None),
        ("img2_four.png", None),
        ("six2.png", 2),
    ],
)
def test_digits(file: str, place: int | None) -> None:
    found = names((file, b"\1")).depicted(file, 10)
    assert found == (None if place is None else Depicted(file, (place,), True))
    assert names((file, b"\1")).depicted(file, 12) is None


def test_a_digit_that_may_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one picture, an answer that is far surer is no chance; of several, such numbers say nothing."""
    shown = names(("scan1.pgm", b"\1")).depicted("scan1.pgm", 10, may_count=True)
    assert shown == Depicted("scan1.pgm", (1,), True, is_counted=True)
    for margin, seen in ((9.0, True), (7.0, False)):
        found = hint(monkeypatch, [shown], NOTHING, margin=margin)
        assert bool(found) is seen and (not seen or "which is what scan1.pgm is named after" in found)
    assert hint(monkeypatch, [shown, Depicted("scan3.pgm", (2,), True, is_counted=True)], NOTHING) == ""


def hint(
    monkeypatch: pytest.MonkeyPatch,
    shown: Sequence[Depicted | None],
    otherwise: Answer,
    scale: float = 2.0,
    margin: float = 4.0,
) -> str:
    """What is said of pictures from 0 to 1 for a model that knows them from -1 to 1, as 1, 2 ..."""
    known = [planar(scale * one / 255 - (scale - 1)) for one in KNOWN]
    monkeypatch.setattr(several, "Runs", oracle := Oracle(known, otherwise, margin))
    asked, said = Several(), ""
    for one, by_name in zip(KNOWN, shown, strict=False):
        tensor = Tensor.from_numpy(planar(one / 255.0))
        if asked.take([tensor], oracle.changed(0, tensor.numpy()), lambda by_name=by_name: by_name):
            said = said or asked.ask(GRAPH, 0.1, 1.0, ())
    return said


SIGNED = (
    "with pixels from -1 to 1 (they look as if sent from 0 to 1) the answer is 1 at 0.97, which is what a is"
)
NOTHING = Answer(0, 0.99)
"""What the model says of any elements in a random order: the same as of pictures from 0 to 1."""


def test_one_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SIGNED in hint(monkeypatch, [Depicted("a", (1,))], NOTHING)
    assert hint(monkeypatch, [Depicted("a", (1,))], Answer(1, 0.99)) == "", "it comes from the values"
    assert hint(monkeypatch, [Depicted("a", (1,))], Answer(2, 0.99)) == "", (
        "the answer as sent comes from the picture"
    )
    for other in None, Depicted("a", (2,)), Depicted("a", (0,)), Depicted("a", (1,), True):
        assert hint(monkeypatch, [other], NOTHING) == ""
    assert hint(monkeypatch, [Depicted("a", (1,))], NOTHING, scale=1.0) == "", (
        "they are as the model wants them"
    )


def test_several_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    sure = Answer(2, 1.0)  # of elements in random orders, so that sureness says nothing
    assert SIGNED in hint(monkeypatch, [Depicted("a", (1,)), Depicted("b", (2,))], sure)
    assert hint(monkeypatch, [Depicted("a", (1,)), Depicted("b", (3,))], sure) == ""
    assert hint(monkeypatch, [Depicted("a", (1,)), None], sure) == ""
    assert hint(monkeypatch, [Depicted("a", (0,)), Depicted("b", (0,))], sure) == ""
    counted = [Depicted(f"p{number}", (number,), True) for number in (1, 2)]
    assert hint(monkeypatch, counted, sure) == "", "numbers may count"


def test_names_that_are_known_later(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [planar(2.0 * one / 255 - 1) for one in KNOWN]
    monkeypatch.setattr(several, "Runs", oracle := Oracle(known, NOTHING))
    files: list[Any] = []
    asked, tensor = Several(), Tensor.from_numpy(planar(KNOWN[0] / 255.0))
    shows = lambda: files[0] if files else None  # noqa: E731
    assert not asked.take([tensor], oracle.changed(0, tensor.numpy()), shows)
    assert not asked.are_misnamed() and not asked.is_due_at_the_end()
    files.append(Depicted("a", (1,)))
    assert asked.are_misnamed() and SIGNED in asked.ask(GRAPH, 0.1, 1.0, ())
    assert not asked.is_due_at_the_end()


def test_few_runs_are_enough_for_a_square_picture() -> None:
    """Which may be from 0 to 1 as well as from -1 to 1."""
    array = planar(KNOWN[0] / 255.0)
    asked = Several()
    asked.take([Tensor.from_numpy(array)], Answer(0, 0.5))
    changes = [*asked._changes(asked._kept[0])]
    assert len(changes) <= 11 and len({numpy.asarray(one.array).tobytes() for one in changes}) == len(changes)


@pytest.mark.parametrize("end", [b"", b"\0" * 7, b"\0" * 7 + b"usage: %s\0"])
def test_names_in_rooms_of_one_size(end: bytes) -> None:
    """As in an array of arrays of letters; the last room may be cut off, or zeros follow it."""
    rooms = b"".join(name.encode().ljust(12, b"\0") for name in CLASSES[:-1]) + CLASSES[-1].encode() + b"\0"
    found = names(data=b"%d\0" + rooms + end).depicted("cat.jpg", 4)
    assert found is not None and found.places == (1,)
    assert names(data=b"%d\0" + rooms + end).depicted("cat.jpg", 7) is None


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("around", [(b"", b""), (b"%d\0", b"\0usage: %s\0"), (b"\1\2", b"\0\0")])
def test_names_in_lines(around: tuple[bytes, bytes], line_end: str) -> None:
    """A list that was put into the program whole, with an end to its last line, or without one."""
    for text in (line_end.join(CLASSES), line_end.join([*CLASSES, ""])):
        own = names(data=around[0] + text.encode() + around[1])
        found = own.depicted("cat.jpg", 4)
        assert found is not None and found.places == (1,)
        assert own.depicted("cat.jpg", 3) is own.depicted("cat.jpg", 5) is None
    gap = line_end.join([CLASSES[0], "", *CLASSES[1:]])
    assert names(data=gap.encode()).depicted("cat.jpg", 4) is None, "two texts"


@pytest.mark.parametrize("start", [1021, 1022, 1023, 1024])
def test_data_that_are_shorter_than_an_address(start: int) -> None:
    for length in range(5):
        made = Names(lambda: [PICTURE])
        text = "\\61" * length
        made.attach(Module.from_text(f'(module (memory 1) (data (i32.const {start}) "{text}"))'))
        assert made.depicted("cat.jpg", 4) is None


def test_names_of_assemblyscript() -> None:
    texts, pointers, address = "", b"", 1020
    for name in CLASSES:
        body = pack("<6I", 0, 0, 0, 0, 2, 2 * len(name)) + name.encode("utf-16-le")
        texts += f'(data (i32.const {address}) "{escaped(body.rstrip(bytes(1)))}")'
        pointers += pack("<I", address + 24)
        address += (len(body) + 19) // 16 * 16
    kept = pack("<5I", 0, 0, 0, 5, 4 * len(CLASSES)) + pointers
    texts += f'(data (i32.const {address}) "{escaped(kept.rstrip(bytes(1)))}")'
    made = Names(lambda: [PICTURE])
    made.attach(Module.from_text(f"(module (memory 1) {texts})"))
    found = made.depicted("boat.png", 4)
    assert found is not None and found.places == (3,)


def escaped(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"dog   cat   mouse boat  ", 3),
        (b"see\ndog    cat    mouse  boat\0", 3),
        (b"see the big boat", None),
        (b"dogs  cats  boats", None),
        (b"boats go by the river", None),
    ],
)
def test_names_in_columns(data: bytes, place: int | None) -> None:
    found = names(PICTURE, data=data).depicted("boat.png", 4)
    assert (None if found is None else found.places[0]) == place
