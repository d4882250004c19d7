"""Models that the host gives names to: where their files are, and how a directory of files becomes names.

What is not here: loading (`registry`). Nothing is opened here but directories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path, PurePosixPath

from ..brief import summarised
from ..checks import check_mapping, check_path, refuse
from .backend import GraphConfig
from .detect import GGUF, ONNX, OPENVINO, ORT, TENSORFLOW, TFLITE, TORCH_EXPORT, TORCHSCRIPT

SUFFIXES: dict[str, str] = {
    ".onnx": ONNX,
    ".xml": OPENVINO,
    ".tflite": TFLITE,
    ".ort": ORT,
    ".gguf": GGUF,
    ".pt": TORCHSCRIPT,
    ".pt2": TORCH_EXPORT,
    ".pb": TENSORFLOW,
}
"""What a file is meant to be, by its name; the bytes decide where they say something else. In order of
preference.
"""

FilePath = str | PathLike[str]


@summarised
@dataclass(frozen=True, slots=True)
class NamedModel:
    """The files of a model (OpenVINO IR: XML, then weights) and how to load them. `encoding` None: look
    at the bytes.
    """

    paths: tuple[Path, ...]
    encoding: str | None = None
    config: GraphConfig = field(default_factory=GraphConfig)

    @property
    def size(self) -> int:
        """Bytes of the files that are there."""
        return sum(path.stat().st_size for path in self.paths if path.is_file())


Models = FilePath | Mapping[str, FilePath | Sequence[FilePath] | NamedModel]
"""How a person names models: a directory, or names with a path, the paths of several parts, or a NamedModel.
"""


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
    wanted = "a path, a list of the paths of several parts, or a NamedModel"
    if isinstance(place, str | PathLike | NamedModel):
        return
    if isinstance(place, bytes) or not isinstance(place, Sequence) or not place:
        raise refuse(name, wanted, place)
    for part in place:
        check_path(f"each part of {name}", part)


def model_at(place: FilePath | Sequence[FilePath] | NamedModel) -> NamedModel:
    """The model in a file or in several. An OpenVINO `m.xml` brings the `m.bin` beside it."""
    if isinstance(place, NamedModel):
        return place
    paths = (Path(place),) if isinstance(place, str | PathLike) else tuple(Path(part) for part in place)
    if len(paths) == 1 and paths[0].suffix == ".xml" and paths[0].with_suffix(".bin").is_file():
        paths += (paths[0].with_suffix(".bin"),)
    return NamedModel(paths)


def models_in(
    directory: Path, readable: Callable[[str], bool], detected: Callable[[Path], str | None]
) -> dict[str, NamedModel]:
    """Every model file and IR pair in a directory under its stem; `detected` gives the format of a file whose
    name says none, or None for what is no model.

    Where several files share a stem, the stem is the first whose format is `readable` here, in the order of
    SUFFIXES, and each is also found under its full file name. Raises OSError if the directory can't be read.
    """
    formats: dict[Path, str] = {}
    by_stem: dict[str, list[Path]] = {}
    for path in sorted(directory.iterdir()):
        pair = path.suffix != ".xml" or path.with_suffix(".bin").is_file()
        if not pair or not path.is_file():
            continue
        if format := SUFFIXES.get(path.suffix) or detected(path):
            formats[path] = format
            by_stem.setdefault(path.stem, []).append(path)
    models = {}
    for stem, paths in by_stem.items():
        best = paths[0]
        if len(paths) > 1:
            best = min(paths, key=lambda path: preference(formats[path], readable))
            models.update({path.name: model_at(path) for path in paths})
        models[stem] = model_at(best)
    return models


def preference(format: str, readable: Callable[[str], bool]) -> tuple[bool, int]:
    """The smaller, the sooner a file of this format gets the name that several could have."""
    order = list(SUFFIXES.values())
    return not readable(format), order.index(format) if format in order else len(order)


def named_models(
    models: Models | None, readable: Callable[[str], bool], detected: Callable[[Path], str | None]
) -> dict[str, NamedModel]:
    """What a person wrote, by name. Raises OSError for a directory that can't be read."""
    if models is None:
        return {}
    if isinstance(models, str | PathLike):
        return models_in(Path(models), readable, detected)
    return {name: model_at(place) for name, place in models.items()}


def is_path(name: str) -> bool:
    """Whether a guest that asks for a model by this name means a file."""
    return PurePosixPath(name).suffix.lower() in SUFFIXES and "/" in name


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
