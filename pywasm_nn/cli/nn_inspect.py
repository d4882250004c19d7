"""`nn inspect`: a model's format, inputs and outputs."""

from __future__ import annotations

import json
from typing import Any

import click

from ..printable import printable
from . import options
from .complete import backends, files
from .failure import Exit
from .nn_options import with_plugins
from .terminal import print_text


@click.command(name="inspect")
@click.argument("model", nargs=-1, required=True, metavar="MODEL...", shell_complete=files)
@click.option(
    "--nn-backend",
    multiple=True,
    metavar="FORMAT=BACKEND",
    shell_complete=backends,
    help="The backend that reads a format.",
)
@with_plugins
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(
    model: tuple[str, ...], nn_backend: tuple[str, ...], plugins: tuple[str, ...], as_json: bool
) -> int:
    """Show the format, backend, inputs and outputs of MODEL (of several parts, name each: m.xml m.bin)."""
    from ..nn.models import model_at
    from ..nn.tensor import TensorSpec
    from .nn_model import configured, opened

    nn = configured([options.backend_choice(text) for text in nn_backend], plugins)
    loaded = opened(nn, model)
    format = nn.registry.format_of(model_at(model, nn.registry.formats))
    graph = loaded.graph

    def described(spec: TensorSpec) -> dict[str, Any]:
        return {
            "name": spec.name,
            "aliases": list(spec.aliases),
            "dtype": str(spec.dtype),
            "shape": None if spec.shape is None else list(spec.shape),
            "quantization": spec.quantization,
        }

    if as_json:
        about = {"format": format, "backend": graph.backend, "device": graph.device, "notes": graph.notes}
        sides = {"inputs": loaded.inputs, "outputs": loaded.outputs}
        print_text(json.dumps(about | {side: [described(s) for s in specs] for side, specs in sides.items()}))
        return Exit.OK
    print_text(f"{model[0]}: {format or 'a format of its own'}, {graph.backend}/{graph.device}")
    for side, specs in (("inputs", loaded.inputs), ("outputs", loaded.outputs)):
        print_text(f"{side}:")
        for index, spec in enumerate(specs):
            scale = (
                f"  (element - {spec.quantization[1]}) x {spec.quantization[0]:g}"
                if spec.quantization
                else ""
            )
            print_text(f"  #{index} {printable(spec.name)}  {spec}{scale}")
    return Exit.OK
