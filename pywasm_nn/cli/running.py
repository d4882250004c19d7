"""Runs a program, as the options of `run` ask for.

What is here: the configuration made from options, the run, and the notes of `-v`. What is not: how options
are declared (`run.py`), the values of options (`options.py`), calls with `--invoke` (`invoke.py`). A plain
command line (`plain.py`) comes here without click, whose import takes longer than all else that hello world
needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import GuestExit, LinkError, Trap, WasmError, WasmException
from ..limits import DEFAULTS, Limits
from ..namespaces import is_inference
from ..records import Frozen
from ..wasi import Wasi
from . import options
from .asked import Asked
from .ending import AtEnd
from .failure import Exit, Failure, Unlinkable
from .load import features_in, load, load_component
from .split import Split, Takes, is_option
from .terminal import Notes, note, pipe, print_text

if TYPE_CHECKING:
    from ..api import Module
    from ..interpreter.compile.cache import CodeFolder
    from ..interpreter.runtime.instance import Func, Instance
    from ..interpreter.runtime.observe import Observer
    from ..nn import NN
    from ..nn.formats import Formats


EXIT_CODES = 256
"""The number of exit codes of a process. Only the low byte of a larger one would arrive, which may be 0."""
LOAD = "load"
"""The import that loads a model from the guest's bytes, in each dialect of core modules."""
PLAIN_FAILURES = (1, 2)
"""Exit codes that only say that an error happened; other codes have a meaning to the program."""


class Line(Frozen):
    """A command line: which words are whose, our options (a function, since few need them), and what closes
    after the last message."""

    shared: Split
    known: Callable[[], Mapping[str, Takes]]
    at_end: AtEnd | None


def run(line: Line, asked: Asked) -> int:
    """Run the program, with a progress line on a terminal; returns the exit code."""
    if asked.quiet or sys.stderr is None or not sys.stderr.isatty():
        return loaded_and_run(line, asked)
    from .progress import Progress

    with Progress(sys.stderr) as progress:
        try:
            return loaded_and_run(line, asked)
        finally:
            if account := progress.account():
                note(account)


def loaded_and_run(line: Line, asked: Asked) -> int:
    """Load the module, attach the observers that the options ask for, and run it."""
    cache, shared = cache_of(asked), line.shared
    from ..interpreter.runtime.deadline import within

    features, seconds = features_in(asked.features), limits_of(asked).seconds
    with within(seconds):
        component = load_component(asked.module, cache, features)
    begin, ended = timed_by(line, asked), Ended()
    if component is not None:
        from .component import run

        begin()
        loads = any(map(is_inference, component.imports))
        with inference(component.imports, loads, asked, shared.guest) as nn:
            wasi, formats, settings = wasi_of(asked, shared), formats_of(nn), {"limits": limits_of(asked)}
            with advising(component.name, component.core_modules, asked, line, ended):
                ended.code = run(asked, component, wasi, nn, shared.guest, formats, ended.notes, settings)
        return ended.code
    with within(seconds):
        module = load(asked.module, cache, features)
    if shared.guest and is_option(shared.guest[0]) and asked.invoke is None:
        from .advice import lost_options

        for text in lost_options(shared, line.known(), module):
            note(text)
    if asked.verbose:
        note(f"options: {' '.join(shared.ours) or 'none'}; module: {shared.module}; "
             f"the guest's: {' '.join(shared.guest) or 'none'}")  # fmt: skip
    loads = any(import_.name == LOAD and is_inference(import_.module) for import_ in module.imports)
    with ExitStack() as stack:
        spaces = [import_.module for import_ in module.imports]
        nn = stack.enter_context(inference(spaces, loads, asked, shared.guest))
        observer = None
        if asked.is_watched:
            from .tracing import observers

            made = observers(asked, module, shared.guest, formats_of(nn), ended.notes)
            observer = stack.enter_context(made)
        engine = options.engine_for(asked.engine, frozenset() if observer is None else observer.wants)
        with advising(module.name, [module], asked, line, ended):
            ended.code = execute(module, asked, shared, nn, engine, observer, begin, ended.notes.note)
        return ended.code


class Ended:
    """The exit code of a guest, and the notes about what it does, which may say why something failed."""

    def __init__(self) -> None:
        self.code = 0
        self.notes = Notes()


@contextmanager
def advising(name: str, modules: Sequence[Module], asked: Asked, line: Line, ended: Ended) -> Iterator[None]:
    """Print advice if the guest that runs inside fails, and add to that about imports."""
    try:
        yield
    except Unlinkable as failure:
        from .advice import PROVIDERS, standing_behind

        failure.help = "\n".join(filter(None, [standing_behind(line.shared, PROVIDERS), failure.help]))
        raise
    except WasmError as error:
        error.engine = asked.engine or ""
        if isinstance(error, Trap | WasmException):
            advise(name, modules, asked, line.shared, line.known(), ended.notes.told)
        raise
    if ended.code not in (Exit.OK, Exit.BROKEN_PIPE):
        known = line.known() if ended.code in PLAIN_FAILURES else {}
        advise(name, modules, asked, line.shared, known, ended.notes.told)


def advise(
    name: str, modules: Sequence[Module], asked: Asked, shared: Split, known: Mapping[str, Takes], told: bool
) -> None:
    """Print advice after a guest's failure. `name` is the guest's name, `modules` are its core modules,
    `known` are our options, which the guest may have got by mistake, and `told`: a note has said a reason."""
    from ..unseen import COMMAND, unseen_files
    from .advice import misplaced_options
    from .terminal import say

    lines = misplaced_options(shared, known) if known and asked.invoke is None else []
    if not asked.is_traced:  # a trace looks for files itself
        given = [one.guest for one in asked.directories]
        lines += unseen_files(shared.guest, given, COMMAND, name, modules, guess=not told)
    for line in lines:
        say("help", line)


def timed_by(line: Line, asked: Asked) -> Callable[[], None]:
    """A function to call when the guest's time begins: with `--timeout`, the command ends soon after that
    time, even if its output is not read."""
    seconds = limits_of(asked).seconds
    if seconds is None or line.at_end is None:
        return lambda: None
    from .unread import Unread

    unread = line.at_end.enter_context(Unread(seconds))
    return unread.begin


def execute(
    module: Module,
    asked: Asked,
    shared: Split,
    nn: NN | None,
    engine: str,
    observer: Observer | None,
    begin: Callable[[], None] = lambda: None,
    report: Callable[[str], None] = note,
) -> int:
    """Make the instance and run it to its end; returns the exit code. `begin` is called each time the guest's
    time starts again, `report` with each note about what the guest does."""
    providers = wasi_of(asked, shared), nn
    settings: dict[str, Any] = {"engine": engine, "limits": limits_of(asked), "report": report}
    with ExitStack() as stack:
        begin()
        try:
            if asked.record or asked.replay:
                from .cassette import taped

                given = stack.enter_context(taped(module, asked, *providers))
                made = module.instantiate(**given, observer=observer, **settings)
                instance = stack.enter_context(made)
            elif wants_more(module, asked):
                from .imports import instance_of

                instance = instance_of(module, providers, asked, stack, observer, settings)
            else:
                made = module.instantiate(*providers, observer=observer, **settings)
                instance = stack.enter_context(made)
        except LinkError as error:
            from .provided import unlinkable

            raise unlinkable(module, error) from None
        except GuestExit as exit_:  # during instantiation
            return exit_code(exit_)
        begin()
        try:
            return start(instance, asked, shared.guest)
        except GuestExit as exit_:
            return exit_code(exit_)
        finally:
            if asked.verbose or asked.is_traced:
                instance.group.tell_refused()
            if asked.verbose:
                note(instance.engine.summary(instance))


def wants_more(module: Module, asked: Asked) -> bool:
    """Whether the module imports more than WASI and inference."""
    more = asked.preload or asked.host or asked.unknown_imports
    return bool(more) or any(import_.module == "env" for import_ in module.imports)


def exit_code(end: GuestExit) -> int:
    """The exit code of the process for the guest's exit code."""
    return end.code if end.code < EXIT_CODES else Exit.FAILED


def start(instance: Instance, asked: Asked, words: Sequence[str]) -> int:
    """Call the function of `--invoke`, or a command's `_start`."""
    exports = instance.exports
    if asked.invoke is not None:
        call(instance, asked.invoke, words, typed=asked.verbose)
    elif "_start" in exports:
        exports["_start"]()
    elif "_initialize" not in exports and instance.module.start is None:
        raise Failure(f"{instance.module.name} has no _start to run", functions_help(instance))
    return Exit.OK


def call(instance: Instance, name: str, words: Sequence[str], typed: bool) -> None:
    """Call a function and write a line for each result."""
    from .invoke import arguments_for, results_of, written

    function = function_named(instance, name)
    results = function(*arguments_for(name, function.type, words))
    for type_, value in results_of(function.type, results):
        print_text(written(type_, value) if typed else written(type_, value).partition(":")[2])


def function_named(instance: Instance, name: str) -> Func:
    from ..interpreter.types import ExternKind

    if not any(e.name == name and e.kind is ExternKind.FUNC for e in instance.module.exports):
        message = f"{instance.module.name} exports no function {name}"
        raise Failure(message, functions_help(instance), code=Exit.USAGE)
    function: Func = instance.exports[name]
    return function


def functions_help(instance: Instance) -> str:
    """Help that lists the exported functions."""
    from ..interpreter.types import ExternKind

    names = [e.name for e in instance.module.exports if e.kind is ExternKind.FUNC]
    return (
        f"--invoke NAME calls one of: {', '.join(names[:20])}" if names else "it exports no function at all"
    )


def cache_of(asked: Asked) -> CodeFolder | None:
    """The cache of compiled code, or None."""
    if asked.no_cache:
        return None
    from ..interpreter.compile.cache import CodeFolder

    cache = CodeFolder(asked.cache_dir)
    if asked.verbose or (asked.cache_dir and cache.refusal):
        note(f"code cache {cache.folder}: {f'off, {cache.refusal}' if cache.refusal else 'in use'}")
    return cache


def wasi_of(asked: Asked, shared: Split) -> Wasi:
    """The guest's WASI configuration."""
    directories = asked.directories
    for directory in directories:
        if not os.path.isdir(str(directory.host)):
            raise Failure(f"--dir: {directory.host} is no directory", code=Exit.USAGE)
    environment, missing = options.environment(asked.env, os.environ)
    if asked.verbose:
        for directory in directories:
            how = ", read-only" if directory.readonly else ""
            note(f"directory {directory.host} is {directory.guest} in the guest{how}")
        for name in missing:
            note(f"--env {name}: not set here, so not in the guest either")
    return Wasi(
        args=(asked.argv0 or os.path.basename(shared.module or ""), *(() if asked.invoke else shared.guest)),
        env=environment,
        dirs=directories,
        stdin=asked.stdin,
        stdout=pipe("stdout"),
        stderr=pipe("stderr"),
        listen=[options.address(text) for text in asked.tcplisten],
        seed=0 if asked.deterministic else None,
    )


def nn_of(imports: Iterable[str], asked: Asked) -> NN | None:
    """The guest's inference, or None for a guest that doesn't import it. The options are checked in either
    case.
    """
    graphs = [options.graph_directory(text) for text in asked.nn_graph if not options.names_place(text)]
    places = tuple([options.named_place(text) for text in asked.nn_graph if options.names_place(text)])
    graphs += [graph for text in asked.settings for graph in options.wasmtime_settings(text)]
    preloads = [options.preload(text) for text in asked.nn_preload]
    backends = [options.backend_choice(text) for text in asked.nn_backend]
    configs = tuple([options.model_config(text) for text in asked.nn_config])
    wanted = any(map(is_inference, imports))
    if not wanted and not (asked.models or graphs or places or preloads or backends or asked.nn_plugin):
        return None
    from .interrupts import watch
    from .models import Inference, configured

    watch()
    nn = configured(
        Inference(
            asked.models, tuple(graphs), places, tuple(preloads), tuple(backends), configs,
            asked.nn_plugin, asked.nn_strict, asked.trust_models,
        )
    )  # fmt: skip
    if asked.verbose:
        from ..nn.answers import missing

        note(f"named models: {', '.join(nn.registry.models) or 'none'}")
        for backend in nn.registry.backends:
            formats = ", ".join(backend.format_names)
            note(f"backend {backend.name} ({formats}): {missing(backend) or 'ready'}")
    return nn if wanted else None


@contextmanager
def inference(imports: Iterable[str], loads: bool, asked: Asked, words: Sequence[str]) -> Iterator[NN | None]:
    """The guest's inference, as `nn_of`. If the guest may load a model from its own bytes, the process for
    it starts first, and imports its framework while this one goes on. `words` are the guest's arguments."""
    if not loads:
        yield nn_of(imports, asked)
        return
    from .expected import early_child, expect_model

    child = early_child(asked, limits_of(asked))
    try:
        nn = nn_of(imports, asked)
        if child is not None and nn is not None:
            expect_model(nn.registry, child, words, asked.directories)
        yield nn
    finally:
        if child is not None:  # a guest that can't be linked has no session, which would end it
            child.close()


def formats_of(nn: NN | None) -> Formats:
    """The model formats that this run knows."""
    if nn is not None:
        return nn.registry.formats
    from ..nn.formats import KNOWN

    return KNOWN


def limits_of(asked: Asked) -> Limits:
    chosen: dict[str, Any] = {} if asked.fuel is None else {"fuel": asked.fuel}
    if asked.timeout:
        chosen["seconds"] = options.seconds(asked.timeout, "--timeout")
    if asked.max_memory:
        chosen["memory"] = options.size(asked.max_memory, "--max-memory")
        chosen["memory_total"] = max(chosen["memory"], DEFAULTS.memory_total)
    if asked.max_heap:
        chosen["heap"] = options.size(asked.max_heap, "--max-heap")
    if asked.max_output:
        chosen["output"] = options.size(asked.max_output, "--max-output")
    if asked.max_host_calls is not None:
        chosen["host_calls"] = asked.max_host_calls
    if asked.max_stack:
        chosen["call_depth"] = asked.max_stack
    return Limits(**chosen) if chosen else DEFAULTS
