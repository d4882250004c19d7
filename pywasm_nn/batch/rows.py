"""Rows: the input of one guest, and its answer, both as plain values.

What is here: reading a row, and making its answer. What is not: running guests (`runner`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checks import check_kind, check_mapping, checked_words, refuse
from ..errors import LimitError, Trap, WasmError, WasmException
from ..program import Outcome
from ..records import Frozen
from ..wasi import MemoryDirectory

Row = Any
"""bytes or str (the standard input), or a mapping with some of FIELDS, whose other values the answer
repeats."""
FIELDS = ("stdin", "args", "env", "files")
RESULTS = ("exit_code", "stdout", "stderr", "error", "notes")
"""Fields of every answer; "files" and "outputs" are added where they are asked for."""
FAILED, STOPPED = 1, 134
"""Exit codes for guests that could not start, and for guests that were stopped: those of `pywasm-nn run`."""


class Job(Frozen):
    """The input of one guest. `files` is the directory that it sees as "/", None without files."""

    stdin: bytes
    args: tuple[str | bytes, ...]
    env: Mapping[str, str]
    files: Mapping[str, bytes | str] | None


def job_of(row: Row) -> Job:
    """The job in a row. Raises TypeError."""
    if not isinstance(row, Mapping):
        return Job(data_of(row), (), {}, None)
    given = {name: row[name] for name in FIELDS if name in row and not is_missing(row[name])}
    if row and not any(name in row for name in FIELDS):
        raise refuse("a row", f"bytes, str, or a mapping with some of {', '.join(FIELDS)}", row,
                     f"it has {', '.join(map(str, row))}")  # fmt: skip
    job = Job(
        data_of(given.get("stdin", b"")), checked_words("args", given.get("args", ())),
        given.get("env", {}), given.get("files"),
    )  # fmt: skip
    check_mapping("env", job.env, 'a mapping like {"LANG": "C"}')
    if job.files is not None:
        check_mapping("files", job.files, 'a mapping like {"in.txt": b"..."}')
    return job


def is_missing(value: object) -> bool:
    """Whether this stands for no value in a table: None, or NaN in pandas."""
    return value is None or (isinstance(value, float) and value != value)


def data_of(value: Any) -> bytes:
    """The bytes of standard input: of bytes, a string, or an array. Raises TypeError."""
    if isinstance(value, str):
        return value.encode()
    if getattr(value, "ndim", 0):  # an array, or a memoryview
        data: bytes = value.tobytes()
        return data
    check_kind("stdin", value, (bytes, bytearray), "bytes, a str or an array")
    return bytes(value)


def answer_of(
    row: Row,
    outcome: Outcome,
    code: int = 0,
    error: BaseException | None = None,
    directory: MemoryDirectory | None = None,
    keeps_outputs: bool = False,
) -> dict[str, Any]:
    """The answer as plain values, with the same names for every row of one kind."""
    answer = {name: value for name, value in row.items() if name not in FIELDS} if is_table(row) else {}
    answer |= {
        "exit_code": code if error is None else code_of(error),
        "stdout": outcome.stdout.value,
        "stderr": outcome.stderr.value,
        "error": "" if error is None else f"{type(error).__name__}: {error}",
        "notes": "\n".join([*outcome.notes, *reasons_of(error)]),
    }
    if is_table(row) and "files" in row:
        answer["files"] = changed_files(row["files"], directory)
    if keeps_outputs:
        answer["outputs"] = list(outcome.inferences[-1].outputs) if outcome.inferences else []
    return answer


def is_table(row: Row) -> bool:
    return isinstance(row, Mapping)


def code_of(error: BaseException) -> int:
    """The exit code for a guest that ended with an error."""
    return STOPPED if isinstance(error, Trap | LimitError | WasmException) else FAILED


def reasons_of(error: BaseException | None) -> list[str]:
    """Where a guest was when it ended, innermost function first."""
    return error.reasons() if isinstance(error, WasmError) else []


def changed_files(given: Any, directory: MemoryDirectory | None) -> dict[str, bytes]:
    """The files that a guest made or changed."""
    if directory is None:
        return {}
    before = MemoryDirectory(given)
    return {path: data for path, data in directory.items() if path not in before or before[path] != data}
