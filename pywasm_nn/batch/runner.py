"""`BatchRunner`: runs one program for each row, and keeps module and models in each process.

What is here: the runner, and what a process keeps of it. What is not: rows (`rows`) and tables (`tables`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..api import Cache, Module, StrPath, code_folder, is_text
from ..brief import named, sized, summarised
from ..checks import check_kind, check_mapping, check_path, checked_words
from ..components import Component
from ..engines import check_engine
from ..errors import DeadlineError
from ..interpreter.binary.sections import COMPONENT_PREAMBLE
from ..interpreter.compile.cache import CodeFolder
from ..limits import Limits
from ..nn import NN
from ..nn.models import Models
from ..program import Outcome, inference_with
from ..records import Frozen, changed
from ..wasi import Dir, MemoryDirectory, Wasi
from .rows import Job, Row, answer_of, job_of
from .tables import over

Program = Module | Component
MOST_KEPT = 8
"""The number of runners that a process keeps."""


class Source(Frozen):
    """A program before it is decoded. `folder` is that of its compiled code, None for no folder."""

    data: bytes
    name: str
    folder: CodeFolder | None
    features: tuple[str, ...]

    def read(self) -> Program:
        """The program. Raises what `Module.from_bytes` raises."""
        kind: type[Program] = Component if self.data.startswith(COMPONENT_PREAMBLE) else Module
        return kind.from_bytes(self.data, self.name, cache=self.folder, features=self.features)


class Setup(Frozen):
    """Everything that processes need to know of a runner; pickled with it."""

    key: str
    source: Source
    args: tuple[str | bytes, ...]
    env: Mapping[str, str]
    dirs: tuple[Dir, ...]
    nn: NN
    limits: Limits | None
    engine: str
    seed: int | None
    keeps_outputs: bool
    files_at: str


class BatchRunner:
    """Runs a program of WASI once for each row; call it with a row or with a table of rows.

    A row is bytes or str, the guest's standard input, or a mapping with `stdin` (bytes, str or an array),
    `args`, `env` and `files` (contents by path: the guest's directory `files_at`). Its answer is a dict with
    `exit_code`, `stdout`, `stderr`, `error` ("" or what ended the guest, then the exit code is 134, or 1 if
    the guest couldn't start) and `notes` (the last notes for the user), `files` (those that the guest made or
    changed) if the row has files, and all other values of the row. No row raises an exception.

    A table is a list or iterator of rows, a mapping of names to numpy arrays (Ray), or a DataFrame of pandas;
    the answers come as the same kind of table.

    The runner can be pickled. Each process decodes the program and loads its models once, and a folder of
    compiled code (`cache`; True: the user's own) makes that fast. Files of models and `dirs` must exist
    wherever the runner is used; relative paths are resolved when it is made.
    """

    def __init__(
        self,
        program: StrPath | bytes | Program,
        *,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        dirs: Mapping[str, StrPath] | Iterable[Dir] = (),
        models: Models | None = None,
        nn: NN | None = None,
        limits: Limits | None = None,
        engine: str = "compile",
        seed: int | None = None,
        cache: Cache = True,
        features: Sequence[str] = (),
        keep_outputs: bool = False,
        files_at: str = "/",
    ) -> None:
        """`args` come before the arguments of each row; `nn`, `models`, `limits`, `engine` and `features`
        are as in `run`, `seed` as in `Wasi`. `keep_outputs` adds `outputs` to answers: the arrays of the
        guest's last compute. `files_at` is the guest's directory with a row's files; "/" hides a directory
        "." of `dirs`, since C libraries take both for the root. Raises what `Module.from_file` raises,
        TypeError and ValueError."""
        check_mapping("env", env or {}, 'a mapping like {"HOME": "/"}')
        check_engine(engine)
        inference = inference_with(nn, models)
        if limits is not None:
            check_kind("limits", limits, Limits, "a Limits")
        check_kind("files_at", files_at, str, "a str")
        self._setup = Setup(
            os.urandom(16).hex(), source_of(program, cache, checked_words("features", features)),
            checked_words("args", args), dict(env or {}),
            tuple([absolute(directory) for directory in Wasi(dirs=dirs).directories()]),
            inference, limits, engine, seed, keep_outputs, files_at,
        )  # fmt: skip
        kept_for(self._setup)

    def __reduce__(self) -> tuple[Any, ...]:
        return revived, (type(self), self._setup)

    def __repr__(self) -> str:
        source = self._setup.source
        return named("BatchRunner", f"of {source.name}: {sized(len(source.data))}")

    def __call__(self, rows: Any) -> Any:
        """The answer of a row, or the answers of a table."""
        return over(rows, self.row)

    def row(self, row: Row) -> dict[str, Any]:
        """Run the program for one row."""
        kept = kept_for(self._setup)
        try:
            job = job_of(row)
        except Exception as reason:  # whatever is wrong with one row, the others go on
            return answer_of(row, Outcome(), error=reason)
        answer, error = self._attempt(kept, row, job)
        if isinstance(error, DeadlineError) and not kept.is_warm:
            answer, _ = self._attempt(kept, row, job)
        kept.is_warm = True
        return answer

    def _attempt(self, kept: Kept, row: Row, job: Job) -> tuple[dict[str, Any], Exception | None]:
        """The answer of a row, and the error that ended the guest."""
        setup, outcome = self._setup, Outcome()
        directory, code, error = None, 0, None
        try:
            dirs = setup.dirs
            if job.files is not None:
                directory = MemoryDirectory(job.files)
                dirs = (
                    *[one for one in dirs if one.guest != setup.files_at],
                    Dir(directory, setup.files_at),
                )
            wasi = outcome.wasi(
                args=(setup.source.name, *setup.args, *job.args), env={**setup.env, **job.env},
                dirs=dirs, stdin=job.stdin, seed=setup.seed,
            )  # fmt: skip
            nn = kept.nn.watched_by(outcome.infer) if setup.keeps_outputs else kept.nn
            settings = {"engine": setup.engine, "limits": setup.limits}
            code = outcome.run(kept.program, settings, wasi=wasi, nn=nn)
        except Exception as reason:
            error = reason
        return answer_of(row, outcome, code, error, directory, setup.keeps_outputs), error


def source_of(program: StrPath | bytes | Program, cache: Cache, features: tuple[str, ...]) -> Source:
    """A program's bytes. Raises OSError, TypeError, and MalformedError for a text that is no module."""
    folder = code_folder(cache)
    if isinstance(program, Module | Component):
        return Source(program.data, program.name, folder, features or tuple(program.features))
    if isinstance(program, bytes):
        return Source(program, "program.wasm", folder, features)
    check_path("program", program, "or a module's bytes, a Module, a Component")
    data, name = Path(program).read_bytes(), os.path.basename(program)
    if is_text(data):
        data = Module.from_text(data.decode("utf-8", "replace"), name, features=features).data
    return Source(data, name, folder, features)


@summarised
@dataclass(slots=True)
class Kept:
    """A runner's program with its compiled code, and its loaded models, kept in a process between rows."""

    program: Program
    nn: NN
    is_warm: bool = False
    """Whether a row was answered. Until then a guest's time also goes into importing frameworks, loading
    models and compiling, so a guest that has too little of it is run again."""


KEPT: dict[tuple[int, str], Kept] = {}
"""By process and key: a forked process must not use the models of its parent, whose threads it lacks."""


def absolute(directory: Dir) -> Dir:
    """The same directory for processes with another working directory. Raises TypeError for one in memory."""
    host: Any = directory.host
    check_path(f"the directory {directory.guest}", host, "each row has files of its own")
    return changed(directory, host=os.path.abspath(host))


def kept_for(setup: Setup) -> Kept:
    """The kept program and models of a runner, made by its first row here. Raises as `Module.from_bytes`
    does."""
    key = os.getpid(), setup.key
    kept = KEPT.get(key)
    if kept is None:
        make, arguments = setup.nn.__reduce__()
        kept = KEPT.setdefault(key, Kept(setup.source.read(), make(*arguments)))
        for old in [known for known in list(KEPT) if known[0] == key[0]][:-MOST_KEPT]:
            KEPT.pop(old, None)  # another thread may have been faster
    return kept


def revived(kind: type[BatchRunner], setup: Setup) -> BatchRunner:
    """A runner that was pickled."""
    runner = kind.__new__(kind)
    runner._setup = setup
    return runner
