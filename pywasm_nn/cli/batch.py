"""`batch`: runs a program once for each of many files.

What is here: the command, the files that it names, and a line of JSON for each. What is not: running guests
and processes (`pywasm_nn.batch`).
"""

from __future__ import annotations

import glob
import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from posixpath import join
from typing import TYPE_CHECKING, Any

import click

from ..batch import BatchRunner
from ..batch.workers import Workers, processors
from ..records import Frozen
from .asked import Asked
from .failure import Exit
from .limit_options import with_options
from .load import features_in, load, load_component
from .run import RunCommand, offer
from .run import command as run
from .running import cache_of, limits_of, nn_of, wasi_of
from .split import Split
from .terminal import note, print_text, show_status

if TYPE_CHECKING:
    from ..api import Module
    from ..components import Component

OVER = "--over"
FILE = "{}"
"""In an argument of the guest: the file's path in the guest."""
BESIDE = "/over"
"""Where the file is for a guest that has a directory as its root already: a second root would hide it."""
SHARED = frozenset({
    "module", "arguments", "dir", "env", "deterministic", "models", "nn_graph", "nn_preload", "nn_backend",
    "nn_plugin", "nn_config", "nn_strict", "trust_models", "settings", "max_memory", "fuel", "timeout",
    "max_host_calls", "max_heap", "max_output", "max_stack", "engine", "features", "no_cache", "cache_dir",
    "compat", "quiet", "verbose",
})  # fmt: skip
"""Options of `run` that `batch` has too; it has no terminal for its guests, and watches none of them."""
UPDATE = 0.2
"""Seconds between two updates of the status line."""


class BatchCommand(RunCommand):
    """A command whose option --over takes all arguments up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(repeated(args)))


def repeated(arguments: Iterable[str]) -> Iterator[str]:
    """`--over a b` as `--over=a --over=b`, up to `--`."""
    inside = ended = False
    for argument in arguments:
        ended = ended or argument == "--"
        if ended or argument.startswith("-"):
            inside = not ended and argument == OVER
            if not inside:
                yield argument
        else:
            yield f"{OVER}={argument}" if inside else argument


@click.pass_context
def batch(ctx: click.Context, /, **given: Any) -> int:
    """Run a program once for each of many files.

    Each guest's standard input is a file; or {} in its arguments, which follow --, is the path of the only
    file that it sees beside --dir. A line of JSON for each file, in their order, has exit code and output.

    The exit code is 1 if a guest failed.
    """
    over, workers = given.pop("over"), given.pop("workers") or processors()
    asked = Asked(**given)
    paths = [path for text in over for path in files_at(text)]
    shared: Split = ctx.obj
    if not paths:
        is_behind = any(word.startswith(OVER) for word in shared.guest)
        where = f", and stands before the guest's {shared.guest[0]}" if is_behind else ""
        raise click.UsageError(f"{OVER} FILES says for which files to run the program{where}")
    place = BESIDE if any(one.is_root for one in asked.directories) else "/"
    job = FileJob(runner_of(asked, shared, place), shared.guest, place)
    watched = not asked.quiet and sys.stderr.isatty() and not sys.stdout.isatty()
    failed = 0
    status = Status(len(paths)) if watched else None
    try:
        for answer in answers(job, paths, min(workers, len(paths))):
            failed += answer["exit_code"] != 0
            print_text(json.dumps(answer))
            if status is not None:
                status.advance(failed)
    finally:
        if watched:
            show_status("")
    if failed:
        note(f"{failed} of {len(paths)} failed")
    return Exit.FAILED if failed else Exit.OK


def runner_of(asked: Asked, shared: Split, files_at: str) -> BatchRunner:
    program: Component | Module
    features = features_in(asked.features)
    if (component := load_component(asked.module, features=features)) is not None:
        program, names = component, list(component.imports)
    else:
        program = module = load(asked.module, features=features)
        names = [import_.module for import_ in module.imports]
    wasi = wasi_of(asked, shared)
    return BatchRunner(
        program,
        env=wasi.env,
        dirs=wasi.directories(),
        nn=nn_of(names, asked),
        limits=limits_of(asked),
        engine=asked.engine or "compile",
        seed=wasi.seed,
        cache=cache_of(asked),
        files_at=files_at,
    )


def answers(job: FileJob, paths: Sequence[str], workers: int) -> Iterator[dict[str, Any]]:
    """The answers for files, from this process if one is enough."""
    if workers == 1:
        return map(job, paths)
    return Workers(job, died, workers).answers(paths)


class FileJob(Frozen):
    """Runs the program for a file. `words` are the guest's arguments, `files_at` is the guest's directory
    with the file."""

    runner: BatchRunner
    words: tuple[str, ...]
    files_at: str

    def __call__(self, path: str) -> dict[str, Any]:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            return failed(path, f"{type(error).__name__}: {error.strerror}")
        row: dict[str, Any] = {"args": self.words, "stdin": data}
        if any(FILE in word for word in self.words):
            name = os.path.basename(path)
            row = {
                "args": [word.replace(FILE, join(self.files_at, name)) for word in self.words],
                "files": {name: data},
            }
        answer = self.runner.row(row)
        texts = [pair for name in ("stdout", "stderr") for pair in text_of(name, answer[name]).items()]
        return {"file": path, "exit_code": answer["exit_code"], **dict(texts),
                "error": answer["error"], "notes": with_options(answer["notes"])}  # fmt: skip


def text_of(name: str, data: bytes) -> dict[str, str]:
    """Output in JSON: text, or in base64 under another name if it isn't UTF-8."""
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        from base64 import b64encode

        return {f"{name}_base64": b64encode(data).decode()}


def failed(path: str, error: str) -> dict[str, Any]:
    """The answer for a file for which no guest ran to an end."""
    return {"file": path, "exit_code": 1, "stdout": "", "stderr": "", "error": error, "notes": ""}


def died(path: str, sentence: str) -> dict[str, Any]:
    """The answer for a file at which a process died."""
    return failed(path, sentence)


def files_at(text: str) -> list[str]:
    """The files that a value of --over names: a file, the files in a directory, or those of a pattern. A pipe
    is read only if it is named itself, since reading one may never end. Raises click.UsageError if there is
    no file."""
    if os.path.isdir(text):
        found = [entry.path for entry in os.scandir(text) if entry.is_file()]
    elif os.path.exists(text):
        found = [text]
    else:
        found = [path for path in glob.glob(text, recursive=True) if not may_never_end(path)]
    if not found and text == FILE:
        raise click.UsageError(
            f"{FILE} is an argument of the guest, which follows --: {OVER} FILES -- {FILE}"
        )
    if not found:
        raise click.UsageError(f"{OVER} {text}: there is no such file")
    return sorted(found)


def may_never_end(path: str) -> bool:
    """Whether it is a pipe, a socket or a device."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


class Status:
    """The number of finished files, on a terminal."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0
        self._shown = 0.0

    def advance(self, failed: int) -> None:
        """One more is finished."""
        self._done += 1
        if time.monotonic() - self._shown >= UPDATE:
            self._shown = time.monotonic()
            show_status(f"{self._done} of {self._count}" + (f", {failed} failed" if failed else ""))


command = BatchCommand(
    "batch",
    callback=batch,
    params=[
        *(param for param in run.params if param.name in SHARED),
        click.Option([OVER], multiple=True, metavar="FILES...", shell_complete=offer("files"),
                     help="Files, directories or patterns: all arguments up to the next option."),
        click.Option(["--workers"], type=click.IntRange(min=1), metavar="N",
                     help="The number of processes (default: one for each processor)."),
    ],
    help=batch.__doc__,
    context_settings=run.context_settings,
)  # fmt: skip
