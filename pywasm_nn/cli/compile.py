"""`compile`: the Python that the compiler generates for functions, beside the Wasm."""

from __future__ import annotations

import click

from ..interpreter.module import Module
from .complete import files
from .failure import Exit, Failure
from .load import features_in, load
from .terminal import print_text
from .usage import with_features


@click.command(name="compile")
@click.argument("module", shell_complete=files)
@click.option("--function", metavar="N|NAME", help="Only this function: by index, name or export.")
@click.option(
    "--stage",
    type=click.Choice(["analysis", "tree", "python"]),
    help="Show the result of this stage of the compiler (docs/compiler.md).",
)
@with_features
def command(module: str, function: str | None, stage: str | None, features: tuple[str, ...]) -> int:
    """Show the Python code of the functions in MODULE, beside their instructions.

    `l0` is local 0, `v0` the value at height 0 of the operand stack; all names are listed in
    pywasm_nn/interpreter/compile/__init__.py. A line stands beside the instruction in it that may trap or
    call.
    """
    from ..interpreter.compile import Variant
    from ..interpreter.compile.stages import stage as made_of
    from ..interpreter.runtime.memory import Flavour
    from ..watch.listing import listing

    loaded = load(module, features=features_in(features))
    indices = range(len(loaded.funcs)) if function is None else [index_of(loaded, function)]
    for number, index in enumerate(indices):
        if number:
            print_text("")
        variant = Variant(Flavour.default())
        made = made_of(loaded, index, variant, stage) if stage else listing(loaded, index, variant)
        for line in made:
            print_text(line)
    return Exit.OK


def index_of(module: Module, wanted: str) -> int:
    """The index of a defined function given by index, name or export. Raises Failure."""
    from ..interpreter.names import Names
    from ..interpreter.types import ExternKind

    names = Names.of(module)
    total = len(module.func_types)
    if wanted.isdecimal():
        found = [int(wanted)] if int(wanted) < total else []
    else:
        found = [funcidx for funcidx in range(total) if names.function(funcidx) == wanted]
        found += [e.index for e in module.exports if e.kind is ExternKind.FUNC and e.name == wanted]
    if not found:
        raise Failure(f"{module.name} has no function {wanted}", f"it has {total}, from 0 on")
    index = found[0] - module.imported_funcs
    if index < 0:
        raise Failure(f"function {found[0]} of {module.name} is imported: there is no body to compile")
    return index
