"""`completion`: the script with which a shell completes commands, options, files, functions and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .failure import Exit
from .terminal import print_lines

VARIABLE = "_PYWASM_NN_COMPLETE"
"""The environment variable through which click's script calls this program."""


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Write the script for SHELL: eval "$(pywasm-nn completion bash)" in ~/.bashrc, the same with zsh in
    ~/.zshrc; for fish, pywasm-nn completion fish > ~/.config/fish/completions/pywasm-nn.fish
    """
    from .root import root

    script = get_completion_class(shell)
    assert script is not None
    print_lines(script(root, {}, "pywasm-nn", VARIABLE).source())
    return Exit.OK
