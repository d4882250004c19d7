"""The class of model formats: names, files and parts, how to recognise the bytes, and what can be read from
them.

What is here: `Format`, which backends and plugins create, and `Formats`, a searchable list of them.
What is not: the formats themselves (`known`), and which backends read them (`backend`, `registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from ...records import Frozen
from .arguments import CHECKS
from .look import Look

Patience = Callable[[], object]
"""Called from time to time during long work; it may raise."""


Normalisation = tuple[tuple[float, ...], tuple[float, ...]]
"""Means and deviations of (pixel - mean) / deviation: one for all channels, or one for each."""


class First(Frozen):
    """What a model does with an input of three channels, or one, before its first layer: elements times
    `scale` plus `shift`, if it `changes` them at all; and the means and deviations (`trained`) of the inputs
    with which the layer was trained, if it keeps them."""

    scale: tuple[float, ...]
    shift: tuple[float, ...]
    changes: bool
    trained: Normalisation | None = None


class Column(Frozen):
    """What a model knows of one element of an input: the numbers at which its trees split (`splits`); mean
    and deviation (`centre`), and whether the model takes them away and divides itself; and how many `rows`
    the table has in which it is looked up. `is_all`: the same of each element."""

    splits: tuple[float, ...] = ()
    centre: tuple[float, float, bool] | None = None
    rows: int = 0
    is_all: bool = False


class Layer(Frozen):
    """The first dense layer: `weights` [units, elements] and `heights` [units], as f64."""

    weights: Any
    heights: Any


class Filters(Frozen):
    """The filters that take a picture as it is: `weights` [units, channels, height, width] and `heights`
    [units], as f64. `then` is what their results go through, if that is meant only for numbers near 0, such
    as "SiLU", else ""; it cuts them at `top`, unless that is 0.
    """

    weights: Any
    heights: Any
    then: str = ""
    top: float = 0.0


class Facts(Frozen):
    """What a model's graph says: by the index of an input, what the model does with it first (`firsts`), what
    it knows of its first elements (`columns`), and the dense layer or the filters that take it as it is
    (`layers`, `filters`); by the name of an input or output of whole numbers, its scale and zero point
    (`lasts`), where sessions don't say them.
    """

    firsts: Mapping[int, First]
    columns: Mapping[int, Sequence[Column]]
    lasts: Mapping[str, tuple[float, int]]
    layers: Mapping[int, Layer]
    filters: Mapping[int, Filters]


NO_FACTS = Facts({}, {}, {}, {}, {})


def known(find: Callable[..., Mapping[Any, Any]], *read: Any) -> Mapping[Any, Any]:
    """Returns what a rule finds in what was read of a model, or nothing where its bytes are broken for this
    rule: others may find something."""
    try:
        return find(*read)
    except Exception:  # as unforeseen as the bytes
        return {}


def rows_of_tables(columns: Mapping[int, Sequence[Column]]) -> dict[int, int]:
    """By the index of an input, how many rows the table has in which the whole input is looked up."""
    whole = {index: known[0] for index, known in columns.items() if known}
    return {index: one.rows for index, one in whole.items() if one.is_all and one.rows}


class Encoding(Frozen):
    """A guest's declaration of its bytes, named as in wasi-nn. It may mean several formats."""

    name: str
    number: int | None = None
    """The number in the core dialects (`graph_encoding`)."""


class Format(Frozen):
    """A model format. A plugin with its own format lists it in `Backend.formats`:
    Format("vendor", suffixes=(".vnd",), magic=(0, b"VND1")).

    Models of two files, c.names with c.numbers beside it, of which `load` gets both:
    Format("pair", suffixes=(".names",), magic=(0, b"NAM1"), parts=range(2, 3), beside=".numbers",
    made_of="the names and the numbers").
    """

    name: str
    """The name in backends, options and messages: "onnx"."""
    what: str = ""
    """A description for users: "an ONNX model"."""
    encoding: Encoding | None = None
    """The encoding that guests declare; None: an encoding with the format's name and no number."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of its files, in lower case. If bytes and suffix disagree, the bytes decide."""
    magic: tuple[int, bytes] | None = None
    """The position and content of the magic number."""
    looks: Callable[[Look], bool] | None = None
    """Whether bytes are such a model, for formats without a magic number, as lambda look: look[:1] == b"#".
    A `Look` is read by slices, and `len` is its size. Must accept any bytes. Without `magic` and `looks` a
    format is known by `suffixes` alone, and not for a guest's own bytes."""
    parts: range = range(1, 2)
    """The numbers of parts (a guest's builders, or files) that a model may have: range(2, 3) is two."""
    made_of: str = "the model"
    """A description of the parts, for messages: "the names and the numbers"."""
    folder: str = ""
    """A file whose presence makes a directory such a model: "saved_model.pb"."""
    schemes: tuple[str, ...] = ()
    """Schemes of addresses of such models, the text before "://"."""
    beside: str = ""
    """The suffix of the second part's file, which has the same stem as the first and is beside it: ".bin". It
    is taken whenever the first is named; without it users name both files."""
    makes_text: bool = False
    """Whether guests use it for text models, whose missing files have their own error number."""
    outside: Callable[[bytes | memoryview, Patience], list[str]] | None = None
    """The files that a framework would open when it reads these bytes in this format, even if they look like
    another format. Raises ValueError for bytes that are no such model."""
    scaled: Callable[[memoryview], frozenset[str]] | None = None
    """Names of values (inputs and results derived from them) whose range the model changes first of all.
    Raises ValueError for broken bytes."""
    normalisation: Callable[[memoryview], Mapping[int, Normalisation]] | None = None
    """By the index of an input, how the model says that guests normalise it. Raises ValueError for broken
    bytes."""
    order: Callable[[memoryview], str] | None = None
    """The order of channels that the model says it wants, "RGB" or "BGR"; "" if it doesn't say. Raises
    ValueError for broken bytes."""
    classes: Callable[[memoryview], Sequence[tuple[str, ...]]] | None = None
    """The lists of names that the model has for its classes. Raises ValueError for broken bytes."""
    facts: Callable[[memoryview], Facts] | None = None
    """What the model's graph says of its inputs and outputs, for hints. Raises ValueError for broken
    bytes."""
    refused: str = ""
    """Why no backend of this package reads it, and what to do instead."""

    def check_field(self, name: str, value: object) -> None:
        """Raises TypeError or ValueError for an unusable value."""
        if check := CHECKS.get(name):
            check(f"Format({name}=...)", value)

    @property
    def word(self) -> str:
        """The encoding's name."""
        return self.encoding.name if self.encoding else self.name

    @property
    def title(self) -> str:
        """ "an ONNX model"."""
        return self.what or f"a model ({self.name})"

    @property
    def advice(self) -> str:
        """Advice for users if no backend reads it."""
        why = f"{self.refused}; " if self.refused else ""
        return f'{why}a backend of your own can: --nn-plugin FILE.py:NAME, with "{self.name}" in `formats`'

    @property
    def tells(self) -> bool:
        """Whether it can be recognised by its bytes."""
        return self.magic is not None or self.looks is not None

    def is_at(self, look: Look) -> bool:
        """Whether the bytes are such a model."""
        if self.magic is not None:
            at, beginning = self.magic
            return look[at : at + len(beginning)] == beginning
        return self.looks is not None and self.looks(look)


ANY_PARTS = range(1, 65)
"""The number of parts of an unknown format."""


class Formats:
    """Formats in order, those of plugins last; these are computed only if no earlier one matches."""

    def __init__(self, first: Iterable[Format], more: Callable[[], Iterable[Format]] = tuple) -> None:
        self._first = tuple(first)
        self._more = more

    def __iter__(self) -> Iterator[Format]:
        yield from self._first
        yield from self._more()

    def detect(self, look: Look) -> Format | None:
        """The format of the bytes. Magic numbers are checked first."""
        found = next((one for one in self if one.magic and one.is_at(look)), None)
        return found or next((one for one in self if one.is_at(look)), None)

    def unlike(self, format: Format, parts: Sequence[bytes | memoryview]) -> str:
        """Returns why the parts of a model are none of a format, or "" if the first one alone is."""
        first, *others = (format.is_at(Look.of(part)) for part in parts)
        wanted = f"wanted are {format.made_of}, in this order" if others else ""
        if first:
            again = others.index(True) + 2 if True in others else 0
            return f"part {again} is {format.title}, as the first part is: {wanted}" if again else ""
        said = f"the bytes are no {format.name} model"
        if not len(parts[0]):
            return f"{said}: there are none (was the file read?)"
        if True in others:
            at = others.index(True) + 2
            return f"the parts of the model are in the wrong order: part {at} has to be the first; {wanted}"
        found = self.detect(Look.of(parts[0]))
        wanted = f"the first part is {found.title}" if found and not others else wanted
        return f"{said}: {wanted}" if wanted else said

    def named(self, name: str) -> Format:
        """The format of this name; for an unknown name, a format without further properties."""
        return next((one for one in self if one.name == name), None) or Format(name, parts=ANY_PARTS)

    def of_file(self, path: str | Path) -> Format | None:
        """The format that a file's suffix suggests."""
        suffix = PurePosixPath(path).suffix.lower()
        return next((one for one in self if suffix in one.suffixes), None)

    def of_address(self, address: str) -> Format | None:
        """The format that an address's scheme means."""
        scheme = address.partition("://")[0].lower()
        return next((one for one in self if scheme in one.schemes), None)

    def meant_by(self, word: str) -> tuple[str, ...]:
        """Names of the formats that an encoding may mean."""
        return tuple([one.name for one in self if one.word == word]) or (word,)

    def word(self, text: str) -> str | None:
        """The encoding's name for a format or encoding that a user names; None for an unknown one."""
        name = text.lower()
        return next((one.word for one in self if name in (one.name.lower(), one.word.lower())), None)

    def numbered(self, number: int) -> Encoding | None:
        """The encoding with this number."""
        return next((e for one in self if (e := one.encoding) and e.number == number), None)

    def is_path(self, name: str) -> bool:
        """Whether a model's name from a guest looks like a file path."""
        return "/" in name and self.of_file(name) is not None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of all formats."""
        return tuple(dict.fromkeys(suffix for one in self for suffix in one.suffixes))


def as_formats(formats: Iterable[Format | str], known: Formats) -> tuple[Format, ...]:
    """A backend's formats as `Format`; it may give some by name."""
    return tuple([known.named(one) if isinstance(one, str) else one for one in formats])
