"""Notebooks: `%load_ext pywasm_nn` gives the cell magic `%%wat`, which assembles a cell, runs it and shows
it.

What is here: the magic. What is not: the HTML of modules, tensors and traces (their `_repr_html_`).
IPython is imported only when it loads the extension.
"""

from __future__ import annotations

import os
import shlex
from keyword import iskeyword
from typing import Any

from ..api import Module
from ..brief import brief, listed, reasons
from ..errors import GuestExit, InvalidError, MalformedError, WasmError
from ..interpreter.runtime.instance import Func
from ..interpreter.words import arguments_of
from ..markup import preformatted
from ..nn import NN
from ..nn.registry import COMMAND, PYTHON
from ..printable import LONGEST_REPR, printable, visible_lines
from ..records import Frozen, changed
from ..wasi import Capture, Wasi
from .trace import Trace, checked_levels

USAGE = "%%wat [--name NAME] [--models DIR] [--trace[=LEVELS]] [FUNCTION [ARGUMENT ...]]"
WHOLE = ("host", "nn", "instr")
"""The trace levels of a traced cell unless it names others."""
MOST_NAMED = 20
"""The number of functions that a message names."""
PICTURE_BYTES = 1 << 20
"""Larger tensors are not shown as pictures in a traced cell."""


class Ran(Frozen):
    """The outcome of a cell: its module, the function's result, the output on stdout and stderr, the trace if
    one was asked for, the error or exit that ended the call, and what the host tells the person (`notes`).
    """

    module: Module
    result: Any = None
    output: str = ""
    trace: Trace | None = None
    error: WasmError | GuestExit | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """What a person wants to know comes first."""
        told = f"result={brief(self.result)}, notes={reasons(self.notes)}, error={brief(self.error)}"
        more = f"output={brief(self.output)}, trace={brief(self.trace)}, module={brief(self.module)}"
        return printable(f"{type(self).__name__}({told}, {more})", LONGEST_REPR)

    def _repr_html_(self) -> str:
        said = self.output + ("" if self.result is None else f"{self.result!r}\n")
        said += "".join(f"note: {note}\n" for note in self.notes)
        shown = preformatted(said) if said else ""
        return shown + (self.trace or self.module)._repr_html_()


class Line(Frozen):
    """The words of a `%%wat` line."""

    name: str
    models: str | None
    levels: tuple[str, ...]
    function: str | None
    arguments: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Line:
        """Read a line. Raises ValueError with the reason."""
        given: dict[str, str] = {}
        plain = []
        words = iter(shlex.split(text))
        for word in words:
            option, equals, value = word.partition("=")
            if not word.startswith("--"):
                plain.append(word)
            elif option == "--trace":
                given[option] = value if equals else ",".join(WHOLE)
            elif option not in ("--name", "--models"):
                raise ValueError(f"{option} isn't understood: {USAGE}")
            elif not (value := value if equals else next(words, "")):
                raise ValueError(f"{option} wants a value: {USAGE}")
            else:
                given[option] = value
        name = given.get("--name", "module")
        if not name.isidentifier() or iskeyword(name):
            raise ValueError(f"--name {name}: {name!r} is no name of a variable")
        levels = tuple(given["--trace"].split(",")) if "--trace" in given else ()
        checked_levels(levels)
        function, arguments = (plain[0], plain[1:]) if plain else (None, [])
        return cls(name, given.get("--models"), levels, function, tuple(arguments))


class CellNN(NN):
    """An NN whose messages name the option of a cell."""

    ways = changed(PYTHON, models=COMMAND.models)


def assembled(line: Line, text: str) -> Module:
    """The module of a cell, whole checked. Raises MalformedError and InvalidError."""
    module = Module.from_text(text, f"{line.name}.wat")
    module.validate()
    return module


def play(line: Line, module: Module) -> Ran:
    """Call the function that the line names, or else `_start` if there is one.

    Raises what `Module.instantiate` raises; ValueError if there is no such function, or if it doesn't take
    the arguments.
    """
    function = line.function or ("_start" if "_start" in {export.name for export in module.exports} else None)
    if function is None:
        return Ran(module)
    if line.models is not None and not os.path.isdir(line.models):
        folder, file = os.path.split(line.models)
        meant = f"; {file} is in --models {folder or '.'}" if os.path.isfile(line.models) else ""
        raise ValueError(f"--models: {line.models} is no directory{meant}")
    output, notes = Capture(), list[str]()
    trace = Trace(line.levels, keep_bytes=PICTURE_BYTES) if line.levels else None
    engine = "interpret" if "instr" in line.levels else "compile"
    result: Any = None
    error: WasmError | GuestExit | None = None
    wasi = Wasi(args=(module.name,), stdout=output, stderr=output)
    nn = CellNN(models=line.models)
    with module.instantiate(wasi, nn, engine=engine, observer=trace, report=notes.append) as app:
        if function not in app.exports or not isinstance(app.exports[function], Func):
            known = [name for name in app.exports if isinstance(app.exports[name], Func)]
            exported = listed(known, MOST_NAMED) or "none"
            raise ValueError(f"the module exports no function {function!r}; its functions are {exported}")
        called = app.exports[function]
        arguments = arguments_of(function, called.type, line.arguments)
        try:
            result = called(*arguments)
        except GuestExit as exit_:
            error = exit_ if exit_.code else None
        except WasmError as trap:
            error = trap
    said = tuple(notes) if error is None else ()  # an error carries them
    return Ran(module, result, printable_lines(output.value), trace, error, said)


def printable_lines(data: bytes) -> str:
    """Output as text; bytes that can't be printed are escaped."""
    text = data.decode("utf-8", "replace").removesuffix("\n")
    return f"{visible_lines(text)}\n" if data else ""


def load_ipython_extension(shell: Any) -> None:
    """Called by IPython for `%load_ext pywasm_nn`."""
    from IPython.core.error import UsageError

    def wat(line: str, cell: str) -> Ran:
        """Assemble the cell, call a function with the arguments, and show the result; with --trace, every
        step, or what LEVELS have, as in --trace=nn.

        %%wat [--name NAME] [--models DIR] [--trace[=LEVELS]] [FUNCTION [ARGUMENT ...]]

        The module is bound to NAME (module), also if the call fails. It may load the models in DIR by their
        names. Without FUNCTION, _start is called if there is one.
        """
        try:
            words = Line.of(line)
            module = shell.user_ns[words.name] = assembled(words, cell)
            ran = play(words, module)
        except ValueError as error:
            raise UsageError(str(error)) from None
        except (MalformedError, InvalidError) as error:
            if error.line:
                error.line += 1  # the editor's lines begin with the magic's own
            raise
        if ran.error is not None:
            shell.display_pub.publish({"text/html": ran._repr_html_(), "text/plain": ran.output})
            raise ran.error
        return ran

    shell.register_magic_function(wat, "cell")
