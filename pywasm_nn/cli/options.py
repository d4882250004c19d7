"""Parses the values of options. Pure functions; each raises click.UsageError that says how to write the
value.

What is not here: whether a directory or a model exists (`running.py` and its callees), and the model formats
(`models.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..printable import printable
from ..records import Frozen
from ..wasi import Dir

if TYPE_CHECKING:
    from click import UsageError

SIZES = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
TIMES = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
AUTODETECT = "autodetect"
"""In place of a format: the format is detected from the bytes."""
ALWAYS = frozenset({"nn", "cli", "common", "preview0", "preview1", "preview2", "threads"})
"""Settings of wasmtime's -S that are always enabled here."""
INSTEAD = {
    "inherit-env": "--env NAME, for each variable",
    "tcplisten": "--tcplisten HOST:PORT",
    "listenfd": "--tcplisten HOST:PORT",
    "inherit-network": "--tcplisten HOST:PORT, for each address",
    "http": "missing: a component's imports of wasi:http are there without it, and trap when they are called",
    "p3": "missing: WASI 0.3 isn't here yet",
}
"""Settings of wasmtime's -S, with their equivalents here."""
USUAL = "compile"
"""The engine unless another is chosen or needed."""


class Preload(Frozen):
    """A named model, as the user wrote it. `target` is a word such as "cpu"."""

    name: str
    paths: tuple[str, ...]
    format: str
    target: str = "auto"


class GraphDirectory(Frozen):
    """A directory with one model, which gets the directory's name, as the user wrote it after `option`."""

    format: str
    path: str
    option: str = "--nn-graph"


class NamedPlace(Frozen):
    """A model that the guest may load by name, and its place: a file, a directory, or addresses."""

    name: str
    places: tuple[str, ...]


def misused(message: str) -> UsageError:
    """An option that can't be read."""
    from click import UsageError  # many command lines have no options

    return UsageError(message)


def directory(text: str, compat: str | None = None, windows: bool = os.name == "nt") -> Dir:
    """Read HOST or HOST::GUEST[:readonly]; with `compat` "wasmedge" GUEST:HOST[:readonly]. A single colon is
    accepted if both sides are the same directory, as in `.:.`; the colon of a drive is no separator.

    Between two different directories a single colon is refused: Docker and WasmEdge read it in opposite
    orders, and a wrong guess could hand out `/`.
    """
    parts = between_colons(text, windows)
    readonly = len(parts) > 2 and parts[-1] == "readonly"
    match parts[:-1] if readonly else parts:
        case [host] if host:
            return Dir(host, host)
        case [guest, host] if guest and host and compat == "wasmedge":
            return Dir(host, guest, readonly)
        case [first, second] if first and second and is_same(first, second):
            return Dir(first, first, readonly)
        case [host, "", guest] if host and guest and compat is None:
            return Dir(host, guest, readonly)
        case [first, second] if first and second and compat is None:
            from .usage import UsageLines

            raise UsageLines(both_readings(text, first, second, ":readonly" if readonly else ""))
    if compat == "wasmedge":
        raise misused(f"--dir {text}: WasmEdge writes GUEST:HOST or GUEST:HOST:readonly")
    raise misused(
        f"--dir {text}: write HOST::GUEST or HOST::GUEST:readonly" if text else "--dir wants a directory"
    )


def between_colons(text: str, windows: bool) -> list[str]:
    """The parts between colons; the colon after a drive letter, as in `C:\\data`, doesn't separate."""
    parts = text.split(":")
    found: list[str] = []
    while parts:
        part = parts.pop(0)
        is_letter = len(part) == 1 and part.isascii() and part.isalpha()
        if is_letter and parts and parts[0].startswith(("\\", "/") if windows else "\\"):
            part = f"{part}:{parts.pop(0)}"
        found.append(part)
    return found


def is_same(first: str, second: str) -> bool:
    """Whether two directories are the same, apart from `./` and a `/` at the end."""
    return os.path.normpath(first) == os.path.normpath(second)


def both_readings(text: str, first: str, second: str, flag: str) -> str:
    text, first, second = printable(text), printable(first), printable(second)
    return (
        f"--dir {text} can be read in two ways; write the one that you mean:\n"
        f"  --dir {first}::{second}{flag}    the host's {first} is {second} in the guest (Docker's order)\n"
        f"  --dir {second}::{first}{flag}    the host's {second} is {first} in the guest (WasmEdge's order, "
        "which --compat wasmedge keeps)"
    )


def environment(texts: Iterable[str], host: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Read NAME=VALUE, or NAME for the host's value. Returns the guest's environment, and the names that the
    host doesn't set.
    """
    found: dict[str, str] = {}
    missing: list[str] = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not name:
            raise misused(f"--env {text}: write NAME=VALUE, or NAME for the host's value")
        if equals:
            found[name] = value
        elif name in host:
            found[name] = host[name]
        else:
            missing.append(name)
    return found, missing


def address(text: str) -> str:
    """Check HOST:PORT."""
    from ..wasi.sockets import address as parsed

    try:
        parsed(text)
    except ValueError as error:
        raise misused(f"--tcplisten {text}: {error}") from None
    return text


def size(text: str, option: str) -> int:
    """Read bytes, KiB, MiB or GiB: "65536", "64MiB"."""
    match = re.fullmatch(r"(\d+)\s*([A-Za-z]*)", text)
    if match is None or match[2].lower() not in SIZES:
        raise misused(f"{option} {text}: write bytes or a size such as 64MiB (KiB, MiB, GiB)")
    return int(match[1]) * SIZES[match[2].lower()]


def seconds(text: str, option: str) -> float:
    """Read a time: "2s", "500ms", "1.5m", "2"."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text)
    if match is None or match[2] not in TIMES:
        raise misused(f"{option} {text}: write seconds or a time such as 2s (ms, s, m, h)")
    return float(match[1]) * TIMES[match[2]]


class Tracing(Frozen):
    """The value of --trace: levels, how many events to keep until the guest traps (None: write all), and
    whether only hints are written."""

    levels: frozenset[str]
    ring: int | None = None
    hints_only: bool = False


def tracing(text: str) -> Tracing:
    """Read levels and an optional ring:N, separated by commas, or `hints`. A ring without levels records
    instructions."""
    from ..watch.trace import LEVELS

    if text.strip() == "hints":
        return Tracing(frozenset({"whatif"}), hints_only=True)
    levels, ring = set(), None
    for word in (word.strip() for word in text.split(",")):
        name, colon, count = word.partition(":")
        if name == "ring" and colon:
            if not (count.isascii() and count.isdigit() and int(count)):
                raise misused(f"--trace={text}: write ring:N with a number from 1, as in ring:2000")
            ring = int(count)
        elif word in LEVELS:
            levels.add(word)
        else:
            known = f"{', '.join(LEVELS)}, and ring:N, or hints alone"
            raise misused(f"--trace={text}: no level {word!r}; there are {known}")
    return Tracing(frozenset(levels or {"instr"}), ring)


def graph_directory(text: str, option: str = "--nn-graph") -> GraphDirectory:
    """Read FORMAT::DIR (wasmtime)."""
    name, double, path = text.partition("::")
    if not double or not path or not name:
        ours = ", or NAME=PLACE" if option == "--nn-graph" else ""
        raise misused(f"{option} {text}: write FORMAT::DIR, as in onnx::models/mobilenet{ours}")
    return GraphDirectory(name, path, option)


def names_place(text: str) -> bool:
    """Whether the text is NAME=PLACE rather than FORMAT::DIR."""
    name, equals, _ = text.partition("=")
    return bool(equals) and "::" not in name


def named_place(text: str) -> NamedPlace:
    """Read NAME=PLACE; several addresses of one model are separated by commas."""
    name, _, places = text.partition("=")
    if not name or not places:
        raise misused(f"--nn-graph {text}: write NAME=PLACE, as in m=models/m.onnx")
    return NamedPlace(name, tuple(re.split(r",(?=[A-Za-z][A-Za-z0-9+.-]+://)", places)))


def wasmtime_settings(text: str) -> list[GraphDirectory]:
    """Read a value of wasmtime's -S, settings separated by commas: the models of `nn-graph`, as
    `graph_directory` returns them. Settings that are always enabled here are ignored.
    """
    found = []
    for setting in text.split(","):
        key, _, value = setting.partition("=")
        if key == "nn-graph":
            found.append(graph_directory(value, "-S nn-graph"))
        elif key in INSTEAD:
            raise misused(f"-S {setting}: here that is {INSTEAD[key]}")
        elif key not in ALWAYS or value.lower() not in ("", "y", "yes", "true", "on"):
            raise misused(f"-S {setting}: of wasmtime's settings nn and nn-graph=FORMAT::DIR are known here")
    return found


def preload(text: str) -> Preload:
    """Read NAME:ENCODING:TARGET:PATH[:PATH] (WasmEdge)."""
    words = text.split(":")
    if len(words) < 4 or not all(words):
        raise misused(f"--nn-preload {text}: write NAME:ENCODING:TARGET:PATH[:PATH]")
    name, format_, target, *paths = words
    if target.lower() not in ("cpu", "gpu", "tpu", "auto"):
        raise misused(f"--nn-preload {text}: no target {target!r}; there are cpu, gpu, tpu, auto")
    return Preload(name, tuple(paths), format_, target.lower())


def model_config(text: str) -> tuple[str, dict[str, Any]]:
    """Read NAME=JSON."""
    import json

    name, equals, written = text.partition("=")
    try:
        options = json.loads(written) if name and equals else None
    except ValueError as error:
        written_as = f"""write NAME=JSON, as in {name}={{"threads": 2}}"""
        raise misused(f"--nn-config {text}: {written_as} ({error})") from None
    if not isinstance(options, dict):
        raise misused(f"""--nn-config {text}: write NAME=JSON, as in m={{"threads": 2}}""")
    return name, options


def backend_choice(text: str) -> tuple[str, str]:
    """Read FORMAT=BACKEND."""
    name, _, backend = text.partition("=")
    if not name or not backend or name.lower() == AUTODETECT:
        raise misused(f"--nn-backend {text}: write FORMAT=BACKEND, as in onnx=numpy")
    return name, backend


def engine_for(chosen: str | None, wanted: frozenset[str]) -> str:
    """The name of the engine: only `interpret` can show instructions, and a native one shows what reaches the
    host."""
    if "instr" in wanted and chosen in ("compile", "wasmtime"):
        raise misused("only --engine interpret can show instructions")
    if chosen == "wasmtime" and (inside := sorted(wanted - {"host", "nn"})):
        raise misused(f"--engine wasmtime can't show {', '.join(inside)}, only host and nn")
    if chosen == "wasmtime":
        from .interrupts import watch

        watch()  # a native guest may keep the main thread from handling Ctrl-C
    return chosen or ("interpret" if "instr" in wanted else USUAL)
