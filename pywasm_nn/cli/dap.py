"""`debug --dap`: the debugger for an editor, over the standard streams or a port.

What is here: the connection, and making the program from the arguments of the editor's request `launch`. What
is not: the protocol (`watch.dap`).
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..api import Module
from ..errors import WasmError
from ..watch.dap import Adapter, Channel, Launched, RefusedError
from ..watch.debug.debugger import Debugger
from .failure import Failure
from .terminal import note

Prepare = Callable[[Sequence[str]], tuple[Module, Callable[[Debugger], int]]]
"""Makes a module and what runs it from words as on the command line."""


def serve(port: int | None, prepare: Prepare) -> None:
    """Serve one session: on the standard streams, or on a port of this machine (0: any free one)."""
    if port is None:
        raw = io.FileIO(sys.stdin.fileno(), closefd=False)
        outgoing = sys.stdout.buffer
        sys.stdin = open(os.devnull)  # noqa: SIM115 # the guest's, until the process ends
        Adapter(Channel(raw, outgoing), lambda arguments: launched(arguments, prepare)).main()
        return
    import socket

    with socket.create_server(("127.0.0.1", port)) as server:
        note(f"waiting for an editor on 127.0.0.1:{server.getsockname()[1]}")
        connection, _ = server.accept()
    with connection, connection.makefile("wb") as outgoing:
        incoming = socket.SocketIO(connection, "r")
        Adapter(Channel(incoming, outgoing), lambda arguments: launched(arguments, prepare)).main()


def launched(arguments: Mapping[str, Any], prepare: Prepare) -> Launched:
    """The program that the editor wants: `program`, `args` (the guest's), `options` (ours, as on the command
    line) and `cwd`. Raises RefusedError."""
    words = [*listed(arguments, "options"), str(arguments.get("program", "")), *listed(arguments, "args")]
    if not arguments.get("program"):
        raise RefusedError("launch: no program is given")
    try:
        if arguments.get("cwd"):
            os.chdir(str(arguments["cwd"]))
        module, begin = prepare(words)
    except click.ClickException as error:
        raise RefusedError(error.format_message()) from None
    except (Failure, OSError, WasmError) as error:
        raise RefusedError(str(error)) from None
    folders = Path.cwd(), Path(str(arguments["program"]).partition(".wasm/")[0]).resolve().parent
    return Launched(module, begin, folders)


def listed(arguments: Mapping[str, Any], name: str) -> list[str]:
    """Words of an argument. Raises RefusedError."""
    words = arguments.get(name) or []
    if not isinstance(words, list):
        raise RefusedError(f"launch: {name} is no list of words")
    return list(map(str, words))
