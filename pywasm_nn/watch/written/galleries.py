"""Answers that are compared with vectors of a file (a gallery, an index): are both divided by their lengths,
do the vectors begin where they should, and are they of this model?

What is here: `Galleries`, for files of records of floats, and tables of numbers. What is not: answers that
are compared with each other (`similar.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.formats import KNOWN
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower
from ..origin.tables import table_in
from ..regex import regex
from ..spoken import Heard, Word, fit
from ..surroundings import Files, files_in
from .likeness import UNLIKE, in_order

FEWEST, MOST, MOST_ANSWERS = 8, 2048, 8
"""Elements of a vector, and so many answers are kept."""
FEWEST_ROWS, MOST_BESIDE = 3, 64
"""Vectors of a file, and the bytes of a record that are no vector."""
DIGITS, FEWEST_WORDS = 3, 2
"""So many digits behind the point, and so many such numbers, are needed."""
FEWEST_RANKED = 3
"""Fewer numbers may be those of the least like vectors by chance: a file may be read in many ways."""
HUGE, SMALLEST_FLOAT = 1e6, 1e-30
"""Larger elements are none of a vector, and smaller ones are whole numbers that were taken for floats."""
NEAR, NEARER, LONGER = 0.8, 0.1, 1.2
"""The least cosine of the nearest vector, by how much it is larger than that of the largest product, and how
much longer the longest vector is than the shortest one."""
FEWEST_ASKED, BETTER = 2, 0.2
"""Answers that show whose vectors are nearer, and by how much their largest cosines are larger."""
MOST_FILE, MOST_FILES = 1 << 22, 200
WORD = regex(r"[a-z]+\d*|\d+")
"""A part of a file's or model's name: `index-v2` has two."""
ON_PURPOSE = regex(r"product|\bdot\b|inner|recommend|score", re.IGNORECASE)


class Gallery(Frozen):
    """Vectors [rows, size] of a file; `said` is where each begins, and `counted` says that it begins with a
    whole number, and that another vector begins behind that."""

    name: str
    said: str
    vectors: Any
    counted: str = ""


class Galleries(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple, directories: Sequence[Path] = ()) -> None:
        """`directories` are those of the guest, where the host has them."""
        self._files, self._directories = files, directories
        self._model = ""
        self._answers: list[tuple[str, Any]] = []
        """Names of outputs, and vectors."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.tensors or not event.operation.startswith("get_output"):
            return
        numbers, lengths = event.tensors[0].numbers(), [one for one in event.tensors[0].shape if one != 1]
        if numbers is None or numbers.dtype.kind != "f" or len(lengths) != 1:
            return
        if FEWEST <= lengths[0] <= MOST and len(self._answers) < MOST_ANSWERS:
            name = f'output {event.index or 0} "{event.specs[0].name}"'
            self._answers.append((name, numbers.astype("f8").reshape(-1)))
            self._model = event.model or ""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if wrong := self._of_another_model():
            yield "answer", wrong
            return
        yield from self._of_one_answer()

    def _of_another_model(self) -> str:
        """Returns a hint about vectors that were read and are far from all answers, while those in a file
        with the model's name in place of another one are near, or "" if there are none."""
        answers, files = [answer for _, answer in self._answers], self._files()
        if len(answers) < FEWEST_ASKED or len({len(one) for one in answers}) > 1:
            return ""
        read = [name for name, _ in files]
        loaded = [Path(one).stem for one in read if KNOWN.of_file(one) is not None]
        model = self._model or (loaded[0] if len(loaded) == 1 else "")
        for name, data in files if model else ():
            for path in siblings(name, len(data), self._directories, read):
                if is_named_after(path.stem, Path(name).stem, model) and (
                    said := nearer_in(path, name, data, answers)
                ):
                    return f'{self._answers[0][0]}: the answers of "{model}" are compared with {said}'
        return ""

    def _of_one_answer(self) -> Iterator[tuple[str, str]]:
        text = self._heard.text
        words = [word for word in text.words if word.digits >= DIGITS and not word.is_whole]
        if len(self._answers) != 1 or len(words) < FEWEST_WORDS:
            return
        what, answer = self._answers[0]
        files, size = self._files(), len(answer)
        found = [one for name, data in files for one in galleries(name, data, size)]
        plain = [one for one in found if not one.counted]
        if any(is_said(words, cosines(one.vectors, answer)) for one in plain):
            return
        for one in found:
            if one.counted and is_said(words, cosines(one.vectors, answer)):
                said = f"the guest says {words[0].text}, which is the cosine with numbers of {one.name}"
                yield "answer", f"{what}: {said} from {one.said} on; {one.counted}"
                return
        farthest = [in_order(one.vectors, answer, words) for one in plain]
        if len(words) >= FEWEST_RANKED and not UNLIKE.search(text) and not any(one for one, _ in farthest):
            for one, (_, wrong) in zip(plain, farthest, strict=True):
                if wrong:
                    yield "answer", f"{what}, and {one.name}: {wrong}"
                    return
        for one in plain:
            if not ON_PURPOSE.search(text) and (said := undivided(words, one, answer)):
                yield "answer", f"{what}: {said}"
                return


def words_of(name: str) -> list[str]:
    """The parts of a name, in their order."""
    return WORD.findall(name.lower())


def siblings(name: str, size: int, directories: Sequence[Path], read: Sequence[str]) -> Iterator[Path]:
    """Files of the same size that were not read, and whose names differ in one part."""
    own, known = words_of(Path(name).stem), {Path(one).name for one in read}
    for path in islice((one for folder in directories for one in files_in(folder)), MOST_FILES):
        parts = words_of(path.stem)
        if path.name in known or path.suffix != Path(name).suffix or len(parts) != len(own):
            continue
        differ = sum(one != other for one, other in zip(own, parts, strict=True))
        if differ == 1 and path.stat().st_size == size <= MOST_FILE:
            yield path


def is_named_after(name: str, other: str, model: str) -> bool:
    """Whether a name has a part of a model's name where another one has something else."""
    own, its = {*words_of(name)}, {*words_of(other)}
    parts = {*words_of(model)}
    return bool(own - its) and own - its <= parts and not (its - own) & parts


def nearer_in(path: Path, name: str, data: bytes, answers: Sequence[Any]) -> str:
    """Says that vectors of a file aren't near to answers, and that those of another one are, or "" if that is
    not so."""
    size = len(answers[0])
    own = [one for one in galleries(name, data, size) if not one.counted]
    others = [*galleries(path.name, path.read_bytes(), size)] if own else []
    if not others:
        return ""
    near, nearer = nearest(own, answers), nearest(others, answers)
    if nearer.min() < NEAR or numpy.median(nearer) < BETTER + near.max():
        return ""
    return (
        f"{name}, of which no vector is near (cosines up to {near.max():.2f}); {path.name}, which was not "
        f"read, has one near to each ({nearer.min():.2f} and more): is that the one of this model?"
    )


def nearest(found: Sequence[Gallery], answers: Sequence[Any]) -> Any:
    """The cosine of each answer with the vector that is nearest to it, in any of the ways to read a file."""
    return numpy.array(
        [max(float(cosines(one.vectors, answer).max()) for one in found) for answer in answers]
    )


def galleries(name: str, data: bytes, size: int) -> Iterator[Gallery]:
    """The vectors of so many elements that a file may have."""
    if KNOWN.of_file(name) is not None:
        return
    if b"\0" in data:
        yield from in_records(name, data, size)
    elif (table := table_in(data)) is not None:
        yield from in_columns(name, table.numbers, size)


def in_records(name: str, data: bytes, size: int) -> Iterator[Gallery]:
    """The same of records of one length, with a vector of floats (f32) in each."""
    for length in range(4 * size, 4 * size + MOST_BESIDE + 1, 4):
        rows, rest = divmod(len(data), length)
        if rest or rows < FEWEST_ROWS:
            continue
        records = numpy.frombuffer(data, "u1").reshape(rows, length)
        for start in range(0, length - 4 * size + 1, 4):
            part = numpy.ascontiguousarray(records[:, start : start + 4 * size]).view("<f4")
            first = numpy.ascontiguousarray(records[:, start : start + 4]).view("<u4")
            if not numpy.isfinite(part).all() or abs(part).max() > HUGE:
                continue
            is_count = bool((abs(part[:, 0]) < SMALLEST_FLOAT).all() and first.any())
            counted = (
                f"these begin with a whole number ({first[0, 0]} in the first record), which is no element: "
                f"do vectors begin at byte {start + 4}?"
            )
            is_room = start + 4 + 4 * size <= length
            if not is_count or is_room:
                said = f"byte {start} of each record of {length}"
                yield Gallery(name, said, part.astype("f8"), counted if is_count else "")


def in_columns(name: str, numbers: Any, size: int) -> Iterator[Gallery]:
    """The same of the lines of a table."""
    rows, count = numbers.shape
    for start in range(max(0, count - size + 1)) if rows >= FEWEST_ROWS else ():
        part = numbers[:, start : start + size]
        if start > MOST_BESIDE or not numpy.isfinite(part).all():
            continue
        first = part[:, 0]
        is_count = bool((first == numpy.rint(first)).all() and first.any()) and start + size < count
        counted = (
            f"these begin with whole numbers ({first[0]:g} in the first line), which are no elements: do "
            f"vectors begin at column {start + 2}?"
        )
        yield Gallery(name, f"column {start + 1}", part.astype("f8"), counted if is_count else "")


def cosines(vectors: Any, answer: Any) -> Any:
    lengths = numpy.linalg.norm(vectors, axis=1) * numpy.linalg.norm(answer)
    return vectors @ answer / numpy.maximum(lengths, SMALLEST_FLOAT)


def is_said(words: Sequence[Word], values: Any) -> bool:
    """Whether the first numbers that are written are the largest values, in their order."""
    largest = sorted(values.tolist(), reverse=True)[: min(len(words), FEWEST_WORDS)]
    return fit(words[: len(largest)], largest)


def undivided(words: Sequence[Word], gallery: Gallery, answer: Any) -> str:
    """Returns what is wrong with products whose largest is not that with the nearest vector, or "" if nothing
    is."""
    products, near = gallery.vectors @ answer, cosines(gallery.vectors, answer)
    lengths = numpy.linalg.norm(gallery.vectors, axis=1)
    best, nearest = int(products.argmax()), int(near.argmax())
    is_nearer = near[nearest] >= max(NEAR, near[best] + NEARER)
    if not is_said(words, products) or not is_nearer or lengths.max() < LONGER * lengths.min():
        return ""
    return (
        f"the guest says {words[0].text}, its product with vector {best + 1} of {gallery.name}; divided by "
        f"their lengths ({lengths.min():.3g} to {lengths.max():.3g}) vector {nearest + 1} is the nearest "
        f"({near[nearest]:.3f}, and {near[best]:.3f} for that one): are lengths not taken into account?"
    )
