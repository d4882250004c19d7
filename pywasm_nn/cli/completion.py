"""`completion`: the script with which a shell completes commands, options, files, functions and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .failure import Exit
from .terminal import print_lines
from .words import COMPLETING


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Write the script for SHELL: eval "$(pywasm-nn completion bash)" in ~/.bashrc, the same with zsh in
    ~/.zshrc; for fish, pywasm-nn completion fish > ~/.config/fish/completions/pywasm-nn.fish
    """
    from .root import root

    script = get_completion_class(shell)
    assert script is not None
    print_lines(script(root, {}, "pywasm-nn", COMPLETING).source())
    return Exit.OK
