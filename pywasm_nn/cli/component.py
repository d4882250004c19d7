"""`run` for components: commands of WASI 0.2, and `--invoke` with values in WAVE.

What is here: the run, and finding the function to invoke. What is not: values as text (`component.wave`).
Options that work only for core modules are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..component import wave
from ..component.exported import Exports
from ..component.types import PRIM_BY_NAME, ValType
from ..components import Component, ComponentInstance
from ..errors import LinkError
from ..printable import printable
from ..wasi import Wasi
from . import options
from .asked import Asked
from .failure import Exit, Failure
from .terminal import print_text

if TYPE_CHECKING:
    from ..nn import NN
    from ..nn.formats import Formats
    from .terminal import Notes

MOST_NAMED = 20
"""The number of functions that a message names."""


def run(
    asked: Asked,
    component: Component,
    wasi: Wasi,
    nn: NN | None,
    words: Sequence[str],
    formats: Formats,
    notes: Notes,
    settings: dict[str, Any],
) -> int:
    """Run a command to its end, or call a function with the words; returns the exit code. Raises Failure,
    UsageError, Trap, LimitError, HostError."""
    refuse(refused(asked))
    try:
        with ExitStack() as stack:
            observer = settings.get("observer")
            if asked.is_watched:
                from .tracing import observers

                observer = stack.enter_context(observers(asked, component, words, formats, notes))
            engine = options.engine_for(asked.engine, frozenset() if observer is None else observer.wants)
            settings = {"engine": engine, **settings, "report": notes.note, "observer": observer}
            instance = stack.enter_context(component.instantiate(wasi=wasi, nn=nn, **settings))
            code: int = Exit.OK
            if asked.invoke is None:
                code = run_command(instance)
            else:
                call(instance, asked.invoke, words)
            if asked.verbose or asked.is_traced:
                instance.tell_refused()
            return code
    except LinkError as error:
        first, *rest = str(error).splitlines()
        raise Failure(f"can't link: {first}", "\n".join(rest), in_lines=True) from None


def run_command(instance: ComponentInstance) -> int:
    """Run a command to its end; returns the exit code. Raises Failure if the component is none."""
    try:
        return instance.run()
    except LinkError as error:
        function = next((name for name, _ in functions_of(instance.exports)), None)
        remedy = f"a function alone: `--invoke '{printable(function)}(...)'`" if function else ""
        raise Failure(str(error), remedy) from None


def refuse(options: Sequence[str]) -> None:
    """Raises Failure for the first of the options, if there are any."""
    for option in options:
        raise Failure(f"{option} works only with core modules so far; this is a component", code=Exit.USAGE)


def refused(asked: Asked) -> list[str]:
    """Given options that don't work for components yet."""
    given = {
        "--trace-html": asked.trace_html,
        "--record": asked.record,
        "--replay": asked.replay,
        "--preload": asked.preload,
        "--host": asked.host,
        "--unknown-imports": asked.unknown_imports,
    }
    return [option for option, value in given.items() if value]


def call(instance: ComponentInstance, text: str, words: Sequence[str]) -> None:
    """Call a function and print its result. The arguments are in the text, `scale([1.5, 2], 2.0)`, or one in
    each word."""
    try:
        name = wave.function_name(text)
    except wave.WaveError as error:
        raise options.misused(f"--invoke: {error}") from None
    function = function_named(instance, name)
    type_ = function.type
    try:
        if text == name:
            if len(words) != len(type_.params):
                raise wave.WaveError(f"{len(words)} arguments are given, {len(type_.params)} are wanted")
            arguments = [value_of(word, param) for word, param in zip(words, type_.params, strict=True)]
        else:
            if words:
                raise wave.WaveError("arguments stand in the parentheses, or behind the component")
            arguments = wave.arguments(text, type_.params)
        result = function.call(*arguments)
    except (ValueError, TypeError, OverflowError) as error:  # also a word that is no text
        raise options.misused(f"{printable(name)}: {printable(str(error))}; its type: {type_!r}") from None
    if type_.result is not None:
        print_text(wave.written(result, type_.result))


def value_of(word: str, type_: ValType) -> Any:
    """The value of a word on the command line; a string needs no quotes."""
    if type_ is PRIM_BY_NAME["string"] and not word.startswith('"'):
        return word
    return wave.read(word, type_)


def functions_of(exports: Exports) -> Iterator[tuple[str, Any]]:
    """Exported functions by name; functions of an interface as `demo:words/counting#count`."""
    for name in exports:
        value = exports[name]
        if isinstance(value, FunctionType):
            yield name, value
        elif isinstance(value, Exports):
            for inner in value:
                if isinstance(value[inner], FunctionType):
                    yield f"{name}#{inner}", value[inner]


def function_named(instance: ComponentInstance, name: str) -> Any:
    """The function of this name. The interface, or its version, may be left out if the rest is unambiguous.
    Raises Failure."""
    functions = dict(functions_of(instance.exports))
    if name in functions:
        return functions[name]
    found = [full for full in functions if name in (full.rpartition("#")[2], unversioned(full))]
    if len(found) == 1:
        return functions[found[0]]
    component = printable(instance.component.name)
    what = f"has {printable(name)} more than once" if found else f"exports no function {printable(name)}"
    known = ", ".join(map(printable, list(found or functions)[:MOST_NAMED]))
    told = f"--invoke NAME calls one of: {known}" if known else "it exports no function at all"
    raise Failure(f"{component} {what}", told, code=Exit.USAGE)


def unversioned(name: str) -> str:
    """`demo:words/counting@1.2.0#count` without its version: `demo:words/counting#count`."""
    interface, sign, function = name.rpartition("#")
    return interface.partition("@")[0] + sign + function
