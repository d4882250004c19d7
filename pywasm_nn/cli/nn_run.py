"""`nn run`: a model on arrays (.npy), numbers or a picture, without a guest.

What is here: assigning inputs, and showing outputs. What is not: reading numbers (`rows.py`) and pictures
(`picture.py`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..printable import printable
from . import options
from .failure import Exit, Failure
from .nn_options import about_a_model
from .terminal import note, print_text

if TYPE_CHECKING:
    from ..nn import Model
    from ..nn.tensor import TensorSpec


@click.command(name="run")
@about_a_model
@click.option("--top", default=5, show_default=True, help="The number of largest elements to show.")
@click.option("--save", metavar="DIR", help="Write each output as DIR/NAME.npy.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON: each output with all its elements.")
def command(
    model: str,
    inputs: tuple[str, ...],
    nn_backend: tuple[str, ...],
    plugins: tuple[str, ...],
    top: int,
    save: str | None,
    scale: float | None,
    as_json: bool,
) -> int:
    """Run MODEL once on INPUTs: .npy arrays, numbers (.csv, .tsv, .txt), or pictures (PNG, PGM, PPM; others
    with Pillow).

    A row of numbers is an item of a batch. A picture is resized and laid out for the model's input; a note
    says what was done.
    """
    from ..nn import NNError
    from ..nn.models import model_at
    from .nn_model import configured, opened

    nn = configured([options.backend_choice(text) for text in nn_backend], plugins)
    loaded = opened(nn, [model])
    arrays = given(loaded, model_at(model, nn.registry.formats).paths, inputs, scale)
    began = time.perf_counter()
    try:
        outputs = loaded.compute(arrays)
    except NNError as error:
        raise Failure(error.reason) from None
    graph = loaded.graph
    note(f"{graph.backend}/{graph.device}, {1e3 * (time.perf_counter() - began):.1f} ms")
    if as_json:
        print_text(json.dumps({name: described(array) for name, array in outputs.items()}))
    else:
        for index, spec in enumerate(loaded.outputs):
            show(index, spec, outputs[spec.name], top)
    if save is not None:
        save_all(Path(save), outputs)
    return Exit.OK


def given(model: Model, paths: Sequence[Path], texts: Sequence[str], scale: float | None) -> dict[str, Any]:
    """An array for each input of the model in files at `paths`. Raises Failure; click.UsageError for a wrong
    number of inputs."""
    specs = {spec.name: spec for spec in model.inputs}
    if len(texts) != len(specs):
        if parts := [text for text in texts if Path(text) in paths]:
            raise click.UsageError(f"{parts[0]} is no input: it goes with {paths[0]} by itself")
        wants = ", ".join(f"{printable(name)} {spec}" for name, spec in specs.items())
        raise click.UsageError(f"the model has {len(specs)} input(s): {wants}; given were {len(texts)}")
    places: dict[str, str] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if equals and name not in specs and not Path(text).is_file():
            wants = ", ".join(printable(one) for one in specs)
            raise click.UsageError(f"{text}: the model has no input {name}; there are {wants}")
        if not equals or name not in specs:
            name, path = next(name for name in specs if name not in places), text
        places[name] = path
    return {name: array_of(path, specs[name], scale) for name, path in places.items()}


def array_of(path: str, spec: TensorSpec, scale: float | None) -> Any:
    """The array of a file for an input. Raises Failure."""
    if not Path(path).is_file():
        raise Failure(f"there is no file {path}")
    if path.endswith(".npy"):
        from ..npy import stored_in

        try:
            return stored_in(Path(path).read_bytes()).array
        except ValueError as error:
            raise Failure(f"{path}: {error}") from None
    from . import rows

    suffix = Path(path).suffix.lower()
    if suffix in rows.SEPARATORS and not spec.takes_bytes:
        array, done = rows.read(path, rows.SEPARATORS[suffix], spec)
        note(f"{path}: {done}")
        return array
    from .picture import laid_out, read

    array, done = laid_out(read(path), spec, scale)
    note(f"{path}: {done}")
    return array


def described(array: Any) -> dict[str, Any]:
    """An output as data."""
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": array.tolist()}


def show(index: int, spec: TensorSpec, array: Any, top: int) -> None:
    """Print one output: name, type, shape and its largest elements, or its first texts, with their
    indices."""
    import numpy

    from ..nn.tensor import DType, shape_text

    dtype = DType.of_numpy(array.dtype) if spec.dtype is DType.ANY else spec.dtype
    print_text(f"#{index} {printable(spec.name)}  {dtype}{shape_text(array.shape)}")
    flat = array.reshape(-1)
    if dtype is DType.STRING:
        places, shown = numpy.arange(len(flat)), printable
    elif flat.dtype.kind in "fiub":
        places, shown = numpy.argsort(-flat.astype("f8"), kind="stable"), "{:g}".format
    else:
        return
    for place in places[:top]:
        at = ",".join(str(int(i)) for i in numpy.unravel_index(place, array.shape)) if array.shape else ""
        print_text(f"  [{at}] {shown(flat[place])}")


def save_all(directory: Path, outputs: Mapping[str, Any]) -> None:
    """Write outputs as files named after them; characters that a file name can't have become underscores."""
    import numpy

    directory.mkdir(parents=True, exist_ok=True)
    for name, array in outputs.items():
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name).lstrip(".") or "_"
        numpy.save(directory / f"{safe}.npy", array)
        note(f"written: {directory / safe}.npy")
