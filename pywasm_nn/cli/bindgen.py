"""`bindgen`: a typed Python module for a component.

What is not here: the contents of the module (`component.bindgen`).
"""

from __future__ import annotations

import os

import click

from .complete import files
from .failure import Exit, Failure
from .load import load_component, read
from .terminal import print_lines


@click.command(name="bindgen")
@click.argument("component", shell_complete=files)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, for example app.py, instead of stdout.")
def command(component: str, output: str | None) -> int:
    """Write a Python module for COMPONENT: dataclasses, enums and flags for its types, protocols for its
    imports and exports, and a function that instantiates it with these types.

    The same component always gives the same text, formatted like ruff's; it passes strict type checks.

        pywasm-nn bindgen shop.wasm -o shop.py
    """
    found = load_component(component)
    if found is None:
        read(component)  # raises if there is no such file
        raise Failure(
            f"{component} is no component", "bindgen takes components; modules have no types to write"
        )
    text = found.bindings()
    if output is None:
        print_lines(text.removesuffix("\n"))
        return Exit.OK
    if os.path.exists(output) and os.path.samefile(output, component):
        raise click.UsageError(f"{component} would be overwritten; name another file with --output")
    try:
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise Failure(f"{output}: {error.strerror}") from None
    return Exit.OK
