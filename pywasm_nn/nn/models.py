"""Models that the host names: where each is, and how the files of a directory get names.

A model is in files, in a directory (a SavedModel), or at an address. What is not here: loading (`registry`).
This module opens no files, except to list directories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..brief import summarised
from ..checks import check_kind, check_mapping, check_path, refuse
from .backend import GraphConfig
from .formats import KNOWN, Format, Formats

FilePath = str | PathLike[str]


@summarised
@dataclass(frozen=True, slots=True)
class NamedModel:
    """Where a model is and how to load it: `paths` are its files (OpenVINO IR: XML, then weights) or its
    directory, `addresses` are servers, each of which serves it. `encoding` None: the bytes tell it.

    Raises ValueError unless there is exactly one of the two, TypeError for arguments that are something else;
    paths may be given as text, and several in a list.
    """

    paths: tuple[Path, ...] = ()
    encoding: str | None = None
    config: GraphConfig = field(default_factory=GraphConfig)
    addresses: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """The names of the models that the same name could mean, in a directory with several of one stem."""

    def __post_init__(self) -> None:
        name = type(self).__name__
        paths = several(f"{name}(paths=...)", self.paths, 'paths, as ("m.onnx",)')
        addresses = several(f"{name}(addresses=...)", self.addresses, 'addresses, as ("oip+http://...",)')
        for path in paths:
            check_path(f"each of {name}(paths=...)", path)
        for address in addresses:
            check_kind(f"each of {name}(addresses=...)", address, str, "a str")
        check_kind(f"{name}(encoding=...)", self.encoding, (str, type(None)), 'a str, as "onnx", or None')
        hint = "its options are given as GraphConfig(options={...})"
        check_kind(f"{name}(config=...)", self.config, GraphConfig, "a GraphConfig", hint)
        object.__setattr__(self, "paths", tuple(map(Path, paths)))
        object.__setattr__(self, "addresses", addresses)
        if bool(self.paths) == bool(self.addresses):
            given = ", ".join([*map(str, self.paths), *self.addresses]) or "nothing"
            raise ValueError(f"a model is in files or at addresses; given was {given}")

    @property
    def size(self) -> int:
        """Bytes of the existing files, including those in a directory."""
        inside = (file for path in self.paths for file in (path.rglob("*") if path.is_dir() else (path,)))
        return sum(file.stat().st_size for file in inside if file.is_file())

    def absolute(self) -> NamedModel:
        """The same model for processes with another working directory."""
        return replace(self, paths=tuple(path.absolute() for path in self.paths))

    @property
    def title(self) -> str:
        """A title for a model without a name."""
        return self.paths[0].stem if self.paths else self.addresses[0]


def several(name: str, value: object, wanted: str) -> tuple[Any, ...]:
    """The values in an iterable. Raises TypeError for anything else, and for a single text or path."""
    if isinstance(value, str | bytes | PathLike) or not isinstance(value, Iterable):
        raise refuse(name, f"several {wanted}", value)
    return tuple(value)


Models = FilePath | Mapping[str, FilePath | Sequence[FilePath] | NamedModel]
"""Models as users give them: a directory of models, or names with a place each. A place is a path or an
address, several of them, or a NamedModel."""


def check_models(models: object) -> None:
    """Raises TypeError unless this is a directory or a mapping of models."""
    if models is None or isinstance(models, str | PathLike):
        return
    check_mapping("models", models, 'a directory, or a mapping like {"name": "m.onnx"}')
    assert isinstance(models, Mapping)
    for name, place in models.items():
        check_model(f"models[{name!r}]", place)


def check_model(name: str, place: object) -> None:
    """Raises TypeError unless this is the place of one model."""
    wanted = "a path or an address, a list of them, or a NamedModel"
    if isinstance(place, str | PathLike | NamedModel):
        return
    if isinstance(place, bytes) or not isinstance(place, Sequence) or not place:
        raise refuse(name, wanted, place)
    for part in place:
        check_path(f"each part of {name}", part)


def check_there(name: str, model: NamedModel) -> None:
    """Raises FileNotFoundError unless all files of the model are there."""
    for path in model.paths:
        if not path.exists():
            raise FileNotFoundError(f"{name}: there is no file {path}")


def model_at(place: FilePath | Sequence[FilePath] | NamedModel, formats: Formats = KNOWN) -> NamedModel:
    """The model in one or several files, in a directory, or at addresses. For an OpenVINO `m.xml`, the
    `m.bin` beside it is added. Raises ValueError for a mixture of files and addresses.
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
    """Whether this is the address of a server, `scheme://...`. A scheme of one letter is a Windows drive."""
    if not isinstance(place, str):
        return False
    scheme, colon, _ = place.partition("://")
    return bool(colon) and len(scheme) > 1 and scheme.isascii() and scheme.translate(_MARKS).isalnum()


_MARKS = dict.fromkeys(map(ord, "+.-"))


def second_part(path: Path, format: Format | None) -> Path | None:
    """The file of a model's second part, beside the first; None for a format with one file."""
    return path.with_suffix(format.beside) if format and format.beside else None


def part_beside(paths: Sequence[Path], format: Format) -> str:
    """What to do about the second file of a model, if only the first was named; "" if that can't be told."""
    if len(paths) != 1 or 2 not in format.parts:
        return ""
    (first,) = paths
    if second := second_part(first, format):
        return f"; {second.name} {'goes with it' if second.is_file() else 'is not beside it'}"
    with suppress(OSError):
        others = [one for one in sorted(first.parent.iterdir()) if one.stem == first.stem and one != first]
        suffix, name = next(((one.suffix, f", {one.name}") for one in others if one.suffix), (".bin", ""))
        said = f'Format("{format.name}", ..., beside="{suffix}")'
        return f"; {said} takes the second from beside the first{name}"
    return ""


def models_in(
    directory: Path,
    formats: Formats = KNOWN,
    readable: Callable[[str], bool] = lambda name: True,
    detected: Callable[[Path], str | None] = lambda path: None,
) -> dict[str, NamedModel]:
    """The models in a directory: every model file and IR pair by its stem, and every model directory by its
    name. `detected` returns the format of a file whose name doesn't tell it, or None if the file is no model.

    If several share a stem, the stem means the first one whose format is `readable` here: one without a
    suffix, as a directory, then in the order of `formats`. Each is also named by its whole name; the stem's
    model has the names of its `others`. Raises OSError if the directory can't be read.
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
            best = min(paths, key=lambda path: preference(names[path], path.name == stem, order, readable))
            models.update({path.name: model_at(path, formats) for path in paths})
        others = tuple(path.name for path in paths if path.name not in (best.name, stem))
        models[stem] = replace(model_at(best, formats), others=others)
    return models


def meaning(name: str, model: NamedModel) -> str:
    """Says which of several models a name means, and the names of the others; "" if there is one only."""
    if not model.others:
        return ""
    others = ", ".join(f'"{other}"' for other in model.others)
    named = "names the other" if len(model.others) == 1 else "name the others"
    return f'"{name}" names {model.paths[0].name}; {others} {named}'


def passed_over(directory: Path, name: str, formats: Formats, taken: Iterable[Path], remedy: str = "") -> str:
    """A file in a directory of models that a name means and that is no model, with the reason; "" if there is
    none. `remedy` says how its format could be known."""
    with suppress(OSError):
        for path in sorted(set(directory.iterdir()).difference(taken), reverse=True):
            if name.casefold() in (path.name.casefold(), path.stem.casefold()) and path.is_file():
                second = second_part(path, formats.of_file(path))
                why = f"{second.name} isn't" if second else "of no format that is known here"
                return f"{path.name} is there, but {why}{f' ({remedy})' if remedy and not second else ''}"
    return ""


def model_file(path: Path, formats: Formats, detected: Callable[[Path], str | None]) -> str | None:
    """The format of a file that is a model, alone or with its second part beside it, or of a directory that
    is a model."""
    if not path.is_file():
        folder = folder_format(path, formats)
        return folder.name if folder else None
    format = formats.of_file(path)
    second = second_part(path, format)
    if second is not None and not second.is_file():
        return None
    return format.name if format else detected(path)


def folder_format(path: Path, formats: Formats) -> Format | None:
    """The format of a directory that is a model; None for any other path."""
    with suppress(OSError):  # no permission to read the directory
        return next((one for one in formats if one.folder and (path / one.folder).is_file()), None)
    return None


def preference(
    name: str, is_whole: bool, order: Sequence[str], readable: Callable[[str], bool]
) -> tuple[bool, bool, int]:
    """The sort key of a model by its format: the one with the smallest key gets a stem that several share.
    `is_whole`: the stem is the model's whole name, so that it has no other."""
    return not readable(name), not is_whole, order.index(name) if name in order else len(order)


def named_models(
    models: Models | None,
    formats: Formats,
    readable: Callable[[str], bool],
    detected: Callable[[Path], str | None],
) -> dict[str, NamedModel]:
    """A user's models by name. Raises OSError, in words, for a directory that can't be read."""
    if models is None:
        return {}
    if isinstance(models, str | PathLike):
        try:
            return models_in(Path(models), formats, readable, detected)
        except FileNotFoundError:
            raise FileNotFoundError(f"models: {absent(Path(models))}") from None
        except OSError as error:
            one = Path(models)
            meant = f'; one model is named by {{"{one.stem}": "{one}"}}' if one.is_file() else ""
            raise type(error)(f"models: {models} can't be listed: {error.strerror}{meant}") from None
    return {name: model_at(place, formats) for name, place in models.items()}


def naming(name: str, path: str = "") -> str:
    """The option that names a file; by default the name is its path."""
    return f"--nn-preload {name}:autodetect:auto:{path or name}"


def absent(path: Path) -> str:
    """Says that there is no such path, and what is there under a similar name."""
    beside: list[str] = []
    with suppress(OSError):
        beside = [one.name for one in path.parent.iterdir()]
    near = nearest(path.name, beside)
    meant = f'; did you mean "{path.parent / near}"?' if near else ""
    return f"there is no folder or file {path}{meant}"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant by one with other case, a file suffix or a typing error."""
    from difflib import get_close_matches  # slow to import, needed only for unknown names

    known = {one.casefold(): one for one in names}
    stem = name.casefold().replace("\\", "/").rpartition("/")[2]
    for written in (stem, stem.rpartition(".")[0]):
        if written in known:
            return known[written]
    near = get_close_matches(stem.partition(".")[0] or stem, known, 1)
    return known[near[0]] if near else None
