"""`run`: the main job.

What is here: the command's options, the configuration made from them, the run, and the notes of `-v`. What is
not: separating the guest's arguments (`split.py`), the values of options (`options.py`), calls with
`--invoke` (`invoke.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..errors import GuestExit, LinkError, Trap, WasmError, WasmException
from ..limits import DEFAULTS, Limits
from ..namespaces import is_inference
from ..records import changed
from ..wasi import Wasi
from . import options
from .asked import Asked
from .failure import Exit, Failure, Unlinkable
from .lazy import HELP
from .load import features_in, load, load_component, with_features
from .root import COMMANDS
from .split import Split, Takes, is_option, recognise, split
from .terminal import Notes, note, pipe, print_text

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ..api import Module
    from ..interpreter.compile.cache import CodeFolder
    from ..interpreter.runtime.instance import Func, Instance
    from ..interpreter.runtime.observe import Observer
    from ..nn import NN
    from ..nn.formats import Formats


EXIT_CODES = 256
"""The number of exit codes of a process. Only the low byte of a larger one would arrive, which may be 0."""

BEFORE = dict.fromkeys(("-q", "--quiet"), Takes.NOTHING)
"""Our options that count only before the module: many guests have them too."""
PLAIN_FAILURES = (1, 2)
"""Exit codes that only say that an error happened; other codes have a meaning to the program."""


def offer(what: str) -> Callable[..., list[CompletionItem]]:
    """A completion function for an option's values, by the name of a function in `complete.py`."""

    def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from . import complete

        found: list[CompletionItem] = getattr(complete, what)(ctx, param, incomplete)
        return found

    return offered


class RunCommand(click.Command):
    """A command that shares its arguments with the guest."""

    def takes(self) -> dict[str, Takes]:
        """Names of our options and whether they take a value. `--help` after the module belongs to the
        guest."""
        kinds = {}
        for param in self.params:
            if isinstance(param, click.Option):
                maybe = Takes.NOTHING if param.is_flag else Takes.VALUE
                kind = maybe if param.name != "trace" else Takes.MAYBE
                kinds.update(dict.fromkeys(param.opts, kind))
        return {name: kind for name, kind in kinds.items() if name not in BEFORE}

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return HELP

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes = self.takes()
        shared = split(args, takes, BEFORE)
        if any(is_option(word) and recognise(word, takes | BEFORE)[1] is None for word in shared.ours):
            from .foreign import TAKES, translated

            shared = split(args, takes, TAKES | BEFORE)
            shared = changed(shared, ours=tuple(translated(shared.ours, takes | BEFORE)))
        if shared.module in COMMANDS and not os.path.exists(shared.module):
            what = f"{shared.module} is a command, and its options stand behind it"
            raise click.UsageError(f"{what}: pywasm-nn {shared.module} ...", ctx.parent)
        ctx.obj = shared
        named = ["--", shared.module, *shared.guest] if shared.module is not None else []
        return super().parse_args(ctx, [*shared.ours, *named])


@click.command(cls=RunCommand, name="run")
@click.argument("module", shell_complete=offer("files"))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--dir",
    multiple=True,
    shell_complete=offer("directories"),
    metavar="HOST[::GUEST[:readonly]]",
    help="Give the guest a directory, under the same path or under GUEST.",
)
@click.option(
    "--env", multiple=True, metavar="NAME[=VALUE]", help="Set a variable of the guest, or pass the host's."
)
@click.option(
    "--tcplisten", multiple=True, metavar="HOST:PORT", help="Let the guest accept connections at an address."
)
@click.option("--deterministic", is_flag=True, help="Clocks and random numbers are the same in every run.")
@click.option("--argv0", metavar="NAME", help="The guest's own name in its arguments.")
@click.option(
    "--invoke",
    metavar="NAME",
    shell_complete=offer("functions"),
    help="Call this exported function; arguments are read by its type.",
)
@click.option("--preload", multiple=True, metavar="NAME=MODULE", help="Another module to import from.")
@click.option(
    "--host",
    multiple=True,
    metavar="FILE.py",
    shell_complete=offer("files"),
    help="A file with Python functions to import.",
)
@click.option(
    "--unknown-imports",
    type=click.Choice(["trap", "zero"]),
    help="Let missing functions trap when they are called, or return zeros.",
)
@click.option(
    "--models",
    metavar="DIR",
    shell_complete=offer("directories"),
    help="Every model in DIR can be loaded by its file's stem; if several share it, also by the whole name.",
)
@click.option(
    "--nn-graph",
    multiple=True,
    metavar="NAME=PLACE",
    help="A named model: a file, a directory or an address. FORMAT::DIR: named after its directory, as in "
    "wasmtime.",
)
@click.option(
    "--nn-preload",
    multiple=True,
    metavar="NAME:FORMAT:TARGET:PATH[:PATH]",
    help="A named model, as in WasmEdge.",
)
@click.option(
    "--nn-backend",
    multiple=True,
    metavar="FORMAT=BACKEND",
    shell_complete=offer("backends"),
    help="The backend that runs models of a format.",
)
@click.option("--nn-plugin", multiple=True, metavar="FILE.py:NAME", help="A backend in a Python file.")
@click.option(
    "--nn-config", multiple=True, metavar="NAME=JSON", help="How to load a named model: target, threads ..."
)
@click.option("--nn-strict", is_flag=True, help="Fail if a device is missing, instead of using another.")
@click.option(
    "--trust-models", is_flag=True, help="Load the guest's own models into this process, whatever they are."
)
@click.option(
    "-S",
    "--wasi",
    "settings",
    multiple=True,
    metavar="nn-graph=FORMAT::DIR",
    help="The same as --nn-graph, in wasmtime's form.",
)
@click.option(
    "--max-memory", metavar="SIZE", help="Maximum size of a linear memory, as 64MiB (default 1GiB)."
)
@click.option("--fuel", type=options.Count(min=0), help="Maximum number of instructions.")
@click.option("--timeout", metavar="TIME", help="Maximum time for the guest, as 2s or 500ms.")
@click.option("--max-host-calls", type=options.Count(min=0), help="Maximum number of calls of the host.")
@click.option("--max-heap", metavar="SIZE", help="Maximum size of structures and arrays (default 1GiB).")
@click.option("--max-output", metavar="SIZE", help="Maximum number of bytes of output.")
@click.option(
    "--max-stack", type=options.Count(min=1), help="Maximum number of guest frames (default 50000)."
)
@with_features
@click.option(
    "--engine",
    type=click.Choice(["compile", "interpret", "wasmtime"]),
    default=None,
    help="compile (default) is fast; interpret can show every instruction; wasmtime is native (extra "
    "[wasmtime]).",
)
@click.option(
    "--trace",
    is_flag=False,
    flag_value="host,nn",
    metavar="[=LEVELS]",
    help="Write what happens to stderr: host, nn (both without a value), whatif, calls, instr; with "
    "ring:N the last N events if the guest traps. hints: only what is probably wrong.",
)
@click.option(
    "--monitor",
    multiple=True,
    shell_complete=offer("monitors"),
    metavar="NAME",
    help="Count while the guest runs, and show a table: calls, host, blocks, branches, coverage, hotness, or "
    "your own as file.py:Name.",
)
@click.option(
    "--monitor-format",
    type=click.Choice(["text", "csv", "json"]),
    default="text",
    help="The format of tables.",
)
@click.option("--monitor-file", metavar="FILE", help="Write tables to a file instead of stderr.")
@click.option("--no-cache", is_flag=True, help="Compile again, and store nothing for later runs.")
@click.option("--cache-dir", metavar="DIR", help="The folder for compiled code (default: the user's cache).")
@click.option(
    "--trace-only",
    multiple=True,
    metavar="WHICH",
    help="Show only these functions (name, index or glob) or offsets (0x41-0x60).",
)
@click.option(
    "--trace-budget",
    type=options.Count(min=1),
    metavar="N",
    help="Maximum number of events (default 100000).",
)
@click.option(
    "--trace-format",
    type=click.Choice(["text", "json", "csv", "github", "junit"]),
    default="text",
    help="Lines for people, JSON lines, CSV, or only problems: GitHub annotations, or JUnit.",
)
@click.option("--trace-file", metavar="FILE", help="Write the trace to a file instead of stderr.")
@click.option(
    "--trace-html",
    metavar="FILE",
    help="Write an HTML page with a slider over the steps (default levels: host,nn,instr).",
)
@click.option("--record", metavar="FILE", help="Keep in a cassette what hosts and models answer.")
@click.option(
    "--replay",
    metavar="FILE",
    shell_complete=offer("files"),
    help="Answer from a cassette, without files and models; stop where the guest does something else.",
)
@click.option(
    "--trace-fail",
    type=click.Choice(["hint", "error"]),
    help="Exit with 1 if an inference fails (error), or also for hints (hint).",
)
@click.option(
    "--expect-output",
    multiple=True,
    metavar="INDEX=FILE.npy[:TOLERANCE]",
    help="Exit with 1 unless this output of the last compute equals the array in FILE.",
)
@click.option(
    "--expect",
    multiple=True,
    metavar="INPUT=FILE",
    help="Say how this input (name or index) comes from a picture, WAV or .npy; exit with 1 if it doesn't.",
)
@click.option("--compat", type=click.Choice(["wasmedge"]), help="Read --dir in the order of another tool.")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Show no progress line on a terminal. Only before MODULE.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show how options were understood and what was used.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Run a WebAssembly program.

    Options count before MODULE and directly after it. They end at the first argument that is no option, at
    the first unknown option, or at --; everything after that is passed to the guest.
    """
    asked = Asked(**given)
    if asked.quiet or sys.stderr is None or not sys.stderr.isatty():
        return loaded_and_run(ctx, asked)
    from .progress import Progress

    with Progress(sys.stderr) as progress:
        try:
            return loaded_and_run(ctx, asked)
        finally:
            if account := progress.account():
                note(account)


def loaded_and_run(ctx: click.Context, asked: Asked) -> int:
    """Load the module, attach the observers that the options ask for, and run it."""
    cache = cache_of(asked)
    shared: Split = ctx.obj
    known = ctx.command.takes() if isinstance(ctx.command, RunCommand) else {}
    from ..interpreter.runtime.deadline import within

    features, seconds = features_in(asked.features), limits_of(asked).seconds
    with within(seconds):
        component = load_component(asked.module, cache, features)
    begin, ended = timed_by(ctx, asked), Ended()
    if component is not None:
        from .component import run

        begin()
        nn = nn_of(component.imports, asked)
        wasi, formats, settings = wasi_of(asked, shared), formats_of(nn), {"limits": limits_of(asked)}
        with advising(component.name, component.core_modules, asked, shared, known, ended):
            ended.code = run(asked, component, wasi, nn, shared.guest, formats, ended.notes, settings)
        return ended.code
    with within(seconds):
        module = load(asked.module, cache, features)
    if shared.guest and is_option(shared.guest[0]) and asked.invoke is None:
        from .advice import lost_options

        for line in lost_options(shared, known, module):
            note(line)
    if asked.verbose:
        note(f"options: {' '.join(shared.ours) or 'none'}; module: {shared.module}; "
             f"the guest's: {' '.join(shared.guest) or 'none'}")  # fmt: skip
    nn = nn_of([import_.module for import_ in module.imports], asked)
    with ExitStack() as watching:
        observer = None
        if asked.is_watched:
            from .tracing import observers

            made = observers(asked, module, shared.guest, formats_of(nn), ended.notes)
            observer = watching.enter_context(made)
        engine = options.engine_for(asked.engine, frozenset() if observer is None else observer.wants)
        with advising(module.name, [module], asked, shared, known, ended):
            ended.code = execute(module, asked, shared, nn, engine, observer, begin, ended.notes.note)
        return ended.code


class Ended:
    """The exit code of a guest, and the notes about what it does, which may say why something failed."""

    def __init__(self) -> None:
        self.code = 0
        self.notes = Notes()


@contextmanager
def advising(
    name: str,
    modules: Sequence[Module],
    asked: Asked,
    shared: Split,
    known: dict[str, Takes],
    ended: Ended,
) -> Iterator[None]:
    """Print advice if the guest that runs inside fails, and add to that about imports."""
    try:
        yield
    except Unlinkable as failure:
        from .advice import PROVIDERS, standing_behind

        failure.help = "\n".join(filter(None, [standing_behind(shared, PROVIDERS), failure.help]))
        raise
    except WasmError as error:
        error.engine = asked.engine or ""
        if isinstance(error, Trap | WasmException):
            advise(name, modules, asked, shared, known, ended.notes.told)
        raise
    if ended.code not in (Exit.OK, Exit.BROKEN_PIPE):
        advise(name, modules, asked, shared, known if ended.code in PLAIN_FAILURES else {}, ended.notes.told)


def advise(
    name: str, modules: Sequence[Module], asked: Asked, shared: Split, known: dict[str, Takes], told: bool
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


def timed_by(ctx: click.Context, asked: Asked) -> Callable[[], None]:
    """A function to call when the guest's time begins: with `--timeout`, the command ends soon after that
    time, even if its output is not read."""
    seconds = limits_of(asked).seconds
    at_end = ctx.find_root().obj
    if seconds is None or at_end is None:
        return lambda: None
    from .unread import Unread

    unread: Unread = at_end.enter_context(Unread(seconds))
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
