"""A component of WASI 0.2 run by wasmtime's package, to compare with.

What is here: programs that export `wasi:cli/run`. What is not: single functions, and core modules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

MINORS = range(13)
"""The last parts of the versions of `wasi:cli/run`, 0.2.0 on."""


def under_wasmtime(
    program: Path,
    place: Path,
    *,
    args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    dirs: Mapping[str, Path] | None = None,
) -> tuple[int, bytes, bytes]:
    """Exit code and output. `place` is a directory for what goes in and comes out."""
    wasmtime = pytest.importorskip("wasmtime")
    from wasmtime import component as components

    engine = wasmtime.Engine()
    linker = components.Linker(engine)
    linker.add_wasip2()
    linker.add_wasi_http()
    store = wasmtime.Store(engine)
    store.set_wasi(configured(wasmtime, place, [program.name, *args], env or {}, stdin, dirs or {}))
    store.set_wasi_http()
    instance = linker.instantiate(store, components.Component.from_file(engine, str(program)))
    interface = next(
        index
        for minor in MINORS
        if (index := instance.get_export_index(store, f"wasi:cli/run@0.2.{minor}")) is not None
    )
    function = instance.get_func(store, instance.get_export_index(store, "run", interface))
    assert function is not None
    try:
        code = 0 if function(store).tag == "ok" else 1
    except wasmtime.ExitTrap as exit_:
        code = exit_.code
    except wasmtime.WasmtimeError as error:
        if "Exited with i32 exit status" not in str(error):
            raise
        code = int(str(error).split("exit status ")[1].split()[0])
    return code, *written(place)


def written(place: Path) -> tuple[bytes, bytes]:
    """What the program wrote, also one that trapped."""
    return (place / "stdout").read_bytes(), (place / "stderr").read_bytes()


def configured(
    wasmtime: Any,
    place: Path,
    argv: Sequence[str],
    env: Mapping[str, str],
    stdin: bytes,
    dirs: Mapping[str, Path],
) -> Any:
    """What wasmtime gives the program of WASI."""
    config = wasmtime.WasiConfig()
    config.argv = list(argv)
    config.env = list(env.items())
    for name, directory in dirs.items():
        config.preopen_dir(str(directory), name)
    (place / "stdin").write_bytes(stdin)
    config.stdin_file = str(place / "stdin")
    config.stdout_file = str(place / "stdout")
    config.stderr_file = str(place / "stderr")
    return config
