"""What a model format is: its names, files and parts, how it looks, and what its bytes tell.

What is here: `Format`, which backends and plugins register alike, and `Formats`, a list of them to ask.
What is not: the formats themselves (`known`), and who reads them (`backend`, `registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from ...records import record
from .look import Look

Patience = Callable[[], object]
"""Called now and then by what takes long; it may raise."""


@record
class Encoding:
    """What a guest declares for its bytes, as wasi-nn calls it. Several formats may be meant by it."""

    name: str
    number: int | None = None
    """In the core dialects (`graph_encoding`)."""


@record
class Format:
    """A model format. A plugin that has one of its own names it in `Backend.formats`:
    Format("vendor", suffixes=(".vnd",), magic=(0, b"VND1")).
    """

    name: str
    """As backends, options and messages say it: "onnx"."""
    what: str = ""
    """For a person: "an ONNX model"."""
    encoding: Encoding | None = None
    """What a guest declares for it; its name without a number, if that is None."""
    suffixes: tuple[str, ...] = ()
    """How names of its files end, in lower case. The bytes decide where they say something else."""
    magic: tuple[int, bytes] | None = None
    """Where in a file certain bytes are, and which."""
    looks: Callable[[Look], bool] | None = None
    """Whether bytes are such a model, where no magic number tells. Any bytes give an answer."""
    parts: range = range(1, 2)
    """How many parts (a guest's builders, or files) make a model."""
    made_of: str = "the model"
    """What the parts are."""
    folder: str = ""
    """The file by which a directory is such a model: "saved_model.pb"."""
    schemes: tuple[str, ...] = ()
    """How addresses begin at which such a model is, before "://"."""
    beside: str = ""
    """How the file of the second part ends, which lies beside the first under the same name: ".bin"."""
    makes_text: bool = False
    """Whether guests take it for a text model: a missing file has an error number of its own then."""
    outside: Callable[[bytes | memoryview, Patience], list[str]] | None = None
    """The files that a framework would open which reads these bytes, whatever else they look like. Raises
    ValueError for bytes that are no such model."""
    scaled: Callable[[memoryview], frozenset[str]] | None = None
    """Names of values, inputs among them, whose range a model changes before it does anything else. Raises
    ValueError for broken bytes."""
    refused: str = ""
    """Why no backend of this package reads it, and what there is to do."""

    @property
    def word(self) -> str:
        """What a guest declares for it."""
        return self.encoding.name if self.encoding else self.name

    @property
    def title(self) -> str:
        """ "an ONNX model"."""
        return self.what or f"a model ({self.name})"

    @property
    def advice(self) -> str:
        """What there is to do where no backend reads it."""
        why = f"{self.refused}; " if self.refused else ""
        return f'{why}a backend of your own can: --nn-plugin FILE.py:NAME, with "{self.name}" in `formats`'

    @property
    def tells(self) -> bool:
        """Whether it says how its bytes look."""
        return self.magic is not None or self.looks is not None

    def is_at(self, look: Look) -> bool:
        """Whether the bytes are such a model."""
        if self.magic is not None:
            at, beginning = self.magic
            return look[at : at + len(beginning)] == beginning
        return self.looks is not None and self.looks(look)


ANY_PARTS = range(1, 65)
"""Parts of a format of which nothing but its name is known."""


class Formats:
    """Formats to ask, in order; those of plugins come last, and are made only when the others don't know."""

    def __init__(self, first: Iterable[Format], more: Callable[[], Iterable[Format]] = tuple) -> None:
        self._first = tuple(first)
        self._more = more

    def __iter__(self) -> Iterator[Format]:
        yield from self._first
        yield from self._more()

    def detect(self, look: Look) -> Format | None:
        """The format of the bytes. A magic number decides before anything else does."""
        found = next((one for one in self if one.magic and one.is_at(look)), None)
        return found or next((one for one in self if one.is_at(look)), None)

    def named(self, name: str) -> Format:
        """The format of this name; if nobody has it, one of which nothing else is known."""
        return next((one for one in self if one.name == name), None) or Format(name, parts=ANY_PARTS)

    def of_file(self, path: str | Path) -> Format | None:
        """What a file is meant to be, by its name."""
        suffix = PurePosixPath(path).suffix.lower()
        return next((one for one in self if suffix in one.suffixes), None)

    def of_address(self, address: str) -> Format | None:
        """What is at an address, by its scheme."""
        scheme = address.partition("://")[0].lower()
        return next((one for one in self if scheme in one.schemes), None)

    def meant_by(self, word: str) -> tuple[str, ...]:
        """Names of the formats that a guest means by what it declares."""
        return tuple([one.name for one in self if one.word == word]) or (word,)

    def word(self, text: str) -> str | None:
        """What guests call a format that a person names, by either of its names; None for an unknown one."""
        name = text.lower()
        return next((one.word for one in self if name in (one.name.lower(), one.word.lower())), None)

    def numbered(self, number: int) -> Encoding | None:
        """What a number of a guest's declares."""
        return next((e for one in self if (e := one.encoding) and e.number == number), None)

    def is_path(self, name: str) -> bool:
        """Whether a guest that asks for a model by this name means a file."""
        return "/" in name and self.of_file(name) is not None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How files of all of them end."""
        return tuple(dict.fromkeys(suffix for one in self for suffix in one.suffixes))


def as_formats(formats: Iterable[Format | str], known: Formats) -> tuple[Format, ...]:
    """What a backend names, some of them by name alone."""
    return tuple([known.named(one) if isinstance(one, str) else one for one in formats])
