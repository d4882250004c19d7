"""`validate`: checks whole modules and components, without running them."""

from __future__ import annotations

import click

from ..errors import WasmError
from .complete import files
from .failure import Exit, Failure
from .load import features_in, load_any
from .show import show
from .terminal import print_text, say
from .usage import with_features


@click.command(name="validate")
@click.argument("modules", nargs=-1, required=True, shell_complete=files)
@with_features
def command(modules: tuple[str, ...], features: tuple[str, ...]) -> int:
    """Check MODULES (binary or text), or components, without running them.

    Prints "ok" for each that is valid; the exit code is 1 if any is not.
    """
    chosen = features_in(features)
    worst: int = Exit.OK
    for path in modules:
        try:
            load_any(path, chosen).validate()
        except Failure as error:
            worst = max(worst, show(error))
        except WasmError as error:
            say("error", f"{path}: {error}")
            worst = Exit.FAILED
        else:
            print_text(f"{path}: ok")
    return worst
