"""`demo`: the bundled guest classifies the bundled picture, and every step is shown.

What is here: the picture as terminal blocks, one line per wasi-nn call, the answer, and the equivalent `run`
command. What is not: the guest, its models and the picture (`pywasm_nn.demo`, made in `examples/digits`).
"""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from .failure import Exit, Failure
from .terminal import note, print_text

MODELS = {
    "onnxruntime": "models/digits.onnx",
    "numpy": "models/digits.onnx",
    "openvino": "models/digits.xml",
    "litert": "models/digits.tflite",
}
"""The bundled model for each backend."""
SHADES = " ░▒▓█"


@click.command(name="demo")
@click.option(
    "--backend",
    type=click.Choice(list(MODELS)),
    help="The backend that runs the model (default: the fastest).",
)
def command(backend: str | None) -> int:
    """Classify a handwritten digit with a WebAssembly guest and a small neural network."""
    from ..api import Module
    from ..demo import path
    from ..errors import GuestExit
    from ..nn import NN
    from ..wasi import Wasi
    from ..watch.events import Event, Inference
    from ..watch.text import Lines, where
    from ..watch.trace import Trace

    folder = path()
    picture, model_path = "models/digit.pgm", MODELS[backend or "onnxruntime"]
    used: list[str] = []

    lines = Lines(print_text)

    def show(event: Event) -> None:
        lines(event)
        if isinstance(event, Inference) and event.operation == "compute" and not event.error:
            used.append(where(event))

    for row in blocks((folder / picture).read_bytes()):
        print_text("  " + row)
    nn = NN(backends={} if backend is None else dict.fromkeys(formats_of(backend), backend))
    arguments = ["app.wasm", picture, model_path]
    wasi = Wasi(args=arguments, dirs={"models": str(folder / "models")})
    module = Module.from_file(folder / "app.wasm")
    trace = Trace(["nn"], show)
    with module.instantiate(wasi, nn, observer=trace, report=note) as app:
        try:
            app.exports["_start"]()
        except GuestExit as exit_:
            if exit_.code:
                raise Failure(f"the guest ended with exit code {exit_.code}", "pywasm-nn doctor") from None
    print_text(f"answered by {used[-1] if used else 'nobody'}; the same without the show:")
    print_text(f"  {plain_command(folder, arguments[1:], backend)}")
    return Exit.OK


def formats_of(backend: str) -> tuple[str, ...]:
    """Formats that a backend reads, given its name."""
    from ..nn import NN

    return NN().registry.backend(backend, "here").format_names


def plain_command(folder: Path, arguments: list[str], backend: str | None) -> str:
    """The `run` command line that is equivalent to the demo."""
    here = Path.cwd()
    shown = folder.relative_to(here) if folder.is_relative_to(here) else folder
    words = ["pywasm-nn", "run", str(shown / "app.wasm"), "--dir", f"{shown / 'models'}::models"]
    if backend is not None:
        words += ["--nn-backend", f"{formats_of(backend)[0]}={backend}"]
    return shlex.join([*words, *arguments])


def blocks(pgm: bytes) -> list[str]:
    """A PGM picture (binary, up to 255 shades) as rows of blocks, two characters for each pixel."""
    words = pgm.split(maxsplit=4)
    width, height, lightest = (int(word) for word in words[1:4])
    pixels = pgm[len(pgm) - width * height :]
    rows = [pixels[y * width : (y + 1) * width] for y in range(height)]
    return ["".join(SHADES[p * (len(SHADES) - 1) // lightest] * 2 for p in row) for row in rows]
