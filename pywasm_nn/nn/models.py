"""Models that the host gives names to: where each is, and how a directory of models becomes names.

A model is in files, in a directory of its own (a SavedModel), or at an address. What is not here: loading
(`registry`). Nothing is opened here but directories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from ..brief import summarised
from ..checks import check_mapping, check_path, refuse
from .backend import GraphConfig
from .formats import KNOWN, Format, Formats

FilePath = str | PathLike[str]


@summarised
@dataclass(frozen=True, slots=True)
class NamedModel:
    """Where a model is and how to load it: `paths` are its files (OpenVINO IR: XML, then weights) or its
    directory, `addresses` servers that all have it. `encoding` None: look at the bytes.

    Raises ValueError unless there is one of the two.
    """

    paths: tuple[Path, ...] = ()
    encoding: str | None = None
    config: GraphConfig = field(default_factory=GraphConfig)
    addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.paths) == bool(self.addresses):
            given = ", ".join([*map(str, self.paths), *self.addresses]) or "nothing"
            raise ValueError(f"a model is in files or at addresses; given was {given}")

    @property
    def size(self) -> int:
        """Bytes of the files that are there, those of a directory included."""
        inside = (file for path in self.paths for file in (path.rglob("*") if path.is_dir() else (path,)))
        return sum(file.stat().st_size for file in inside if file.is_file())

    @property
    def title(self) -> str:
        """What to call it where nobody gave it a name."""
        return self.paths[0].stem if self.paths else self.addresses[0]


Models = FilePath | Mapping[str, FilePath | Sequence[FilePath] | NamedModel]
"""How a person names models: a directory of them, or names with a place each: a path or an address, several
of them, or a NamedModel."""


def check_models(models: object) -> None:
    """Raises TypeError unless this is a directory, or models by name."""
    if models is None or isinstance(models, str | PathLike):
        return
    check_mapping("models", models, 'a directory, or a mapping like {"name": "m.onnx"}')
    assert isinstance(models, Mapping)
    for name, place in models.items():
        check_model(f"models[{name!r}]", place)


def check_model(name: str, place: object) -> None:
    """Raises TypeError unless this says where one model is."""
    wanted = "a path or an address, a list of them, or a NamedModel"
    if isinstance(place, str | PathLike | NamedModel):
        return
    if isinstance(place, bytes) or not isinstance(place, Sequence) or not place:
        raise refuse(name, wanted, place)
    for part in place:
        check_path(f"each part of {name}", part)


def model_at(place: FilePath | Sequence[FilePath] | NamedModel, formats: Formats = KNOWN) -> NamedModel:
    """The model in a file or several, in a directory, or at addresses. An OpenVINO `m.xml` brings the `m.bin`
    beside it. Raises ValueError for files and addresses together.
    """
    if isinstance(place, NamedModel):
        return place
    parts = (place,) if isinstance(place, str | PathLike) else tuple(place)
    paths = tuple(Path(part) for part in parts if not is_address(part))
    if len(paths) < len(parts):
        return NamedModel(paths, addresses=tuple(str(part) for part in parts if is_address(part)))
    if len(paths) == 1 and (second := second_part(paths[0], formats.of_file(paths[0]))) and second.is_file():
        paths += (second,)
    return NamedModel(paths)


def is_address(place: object) -> bool:
    """Whether a person means a server: `scheme://...`. A drive is one letter."""
    if not isinstance(place, str):
        return False
    scheme, colon, _ = place.partition("://")
    return bool(colon) and len(scheme) > 1 and scheme.isascii() and scheme.translate(_MARKS).isalnum()


_MARKS = dict.fromkeys(map(ord, "+.-"))


def second_part(path: Path, format: Format | None) -> Path | None:
    """The file of a model's second part, which lies beside the first; None where one file is enough."""
    return path.with_suffix(format.beside) if format and format.beside else None


def models_in(
    directory: Path,
    formats: Formats = KNOWN,
    readable: Callable[[str], bool] = lambda name: True,
    detected: Callable[[Path], str | None] = lambda path: None,
) -> dict[str, NamedModel]:
    """Every model file and IR pair in a directory under its stem, and every directory that is a model under
    its name; `detected` gives the format of a file whose
    name says none, or None for what is no model.

    Where several files share a stem, the stem is the first whose format is `readable` here, in the order of
    `formats`, and each is also found under its full file name. Raises OSError if the directory can't be read.
    """
    names: dict[Path, str] = {}
    by_stem: dict[str, list[Path]] = {}
    for path in sorted(directory.iterdir()):
        if name := model_file(path, formats, detected):
            names[path] = name
            by_stem.setdefault(path.name if path.is_dir() else path.stem, []).append(path)
    models = {}
    for stem, paths in by_stem.items():
        best = paths[0]
        if len(paths) > 1:
            order = [format.name for format in formats]
            best = min(paths, key=lambda path: preference(names[path], order, readable))
            models.update({path.name: model_at(path, formats) for path in paths})
        models[stem] = model_at(best, formats)
    return models


def model_file(path: Path, formats: Formats, detected: Callable[[Path], str | None]) -> str | None:
    """The format of a file that is a model by itself, or with the second part that lies beside it, or of a
    directory that is one."""
    if not path.is_file():
        folder = folder_format(path, formats)
        return folder.name if folder else None
    format = formats.of_file(path)
    second = second_part(path, format)
    if second is not None and not second.is_file():
        return None
    return format.name if format else detected(path)


def folder_format(path: Path, formats: Formats) -> Format | None:
    """What a directory is that is one model; None for any other path."""
    with suppress(OSError):  # it may not be looked into
        return next((one for one in formats if one.folder and (path / one.folder).is_file()), None)
    return None


def preference(name: str, order: Sequence[str], readable: Callable[[str], bool]) -> tuple[bool, int]:
    """The smaller, the sooner a file of this format gets the name that several could have."""
    return not readable(name), order.index(name) if name in order else len(order)


def named_models(
    models: Models | None,
    formats: Formats,
    readable: Callable[[str], bool],
    detected: Callable[[Path], str | None],
) -> dict[str, NamedModel]:
    """What a person wrote, by name. Raises OSError for a directory that can't be read."""
    if models is None:
        return {}
    if isinstance(models, str | PathLike):
        return models_in(Path(models), formats, readable, detected)
    return {name: model_at(place, formats) for name, place in models.items()}


def naming(name: str, path: str = "") -> str:
    """The option that gives a file this name, which is its path unless there is another."""
    return f"--nn-preload {name}:autodetect:auto:{path or name}"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that somebody probably meant, who wrote another case, a file's name, or mistyped it."""
    from difflib import get_close_matches  # slow to import, and nobody needs it who spells right

    known = {one.casefold(): one for one in names}
    stem = name.casefold().replace("\\", "/").rpartition("/")[2]
    for written in (stem, stem.rpartition(".")[0]):
        if written in known:
            return known[written]
    near = get_close_matches(stem.partition(".")[0] or stem, known, 1)
    return known[near[0]] if near else None
