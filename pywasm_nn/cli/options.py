"""What the values of options mean. Pure functions; each raises click.UsageError with the way to say it right.

What is not here: whether a directory or a model is there (`run.py` and what it calls).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import click

from ..records import record
from ..wasi import Dir

SIZES = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
TIMES = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
ENCODINGS = {
    "onnx": "onnx",
    "openvino": "openvino",
    "tensorflowlite": "tensorflowlite",
    "tflite": "tensorflowlite",
    "pytorch": "pytorch",
    "tensorflow": "tensorflow",
    "ggml": "ggml",
    "autodetect": None,
}
"""Names of model formats on the command lines of wasmtime and WasmEdge, and ours, as wasi-nn has them. None:
told from the bytes.
"""
FORMATS = {
    "onnx": ("onnx",),
    "openvino": ("openvino",),
    "tensorflowlite": ("tflite",),
    "pytorch": ("torchscript", "torch-export"),
    "tensorflow": ("tensorflow",),
    "ggml": ("gguf",),
}
"""What files of an encoding are, in the words of `nn.models.SUFFIXES`."""


@record
class NamedModel:
    """A model that the guest may load by name. `encoding` None: told from the bytes; `target` as in "cpu"."""

    name: str
    paths: tuple[str, ...]
    encoding: str | None = None
    target: str = "auto"


def directory(text: str, compat: str | None = None) -> Dir:
    """Read HOST or HOST::GUEST[:readonly]; with `compat` "wasmedge" GUEST:HOST[:readonly].

    A single colon says two things in two tools, and guessing could hand out `/`: it stops.
    """
    if compat == "wasmedge":
        guest, *rest = text.split(":")
        readonly = rest[1:] == ["readonly"]
        if not guest or (len(rest) > 1 and not readonly) or rest[:1] == [""]:
            raise click.UsageError(f"--dir {text}: WasmEdge writes GUEST:HOST or GUEST:HOST:readonly")
        return Dir(rest[0] if rest else guest, guest, readonly)
    host, double, guest = text.partition("::")
    if double:
        guest, _, flag = guest.partition(":")
        if not host or not guest or flag not in ("", "readonly") or text.endswith(":"):
            raise click.UsageError(f"--dir {text}: write HOST::GUEST or HOST::GUEST:readonly")
        return Dir(host, guest, flag == "readonly")
    if ":" in host:
        first, second = host.split(":", 1)
        raise click.UsageError(
            f"--dir {text} can be read in two ways; write the one that you mean:\n"
            f"  --dir {first}::{second}    the host's {first} is {second} in the guest (Docker's order)\n"
            f"  --dir {second}::{first}    the host's {second} is {first} in the guest (WasmEdge's order, "
            "which --compat wasmedge keeps)"
        )
    if not host:
        raise click.UsageError("--dir wants a directory")
    return Dir(host, host)


def environment(texts: Iterable[str], host: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Read K=V and K (the host's value): the guest's environment, and the names K that the host doesn't
    set.
    """
    found: dict[str, str] = {}
    missing: list[str] = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not name:
            raise click.UsageError(f"--env {text}: write NAME=VALUE, or NAME for the host's value")
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
        raise click.UsageError(f"--tcplisten {text}: {error}") from None
    return text


def size(text: str, option: str) -> int:
    """Read bytes, KiB, MiB or GiB: "65536", "64MiB"."""
    match = re.fullmatch(r"(\d+)\s*([A-Za-z]*)", text)
    if match is None or match[2].lower() not in SIZES:
        raise click.UsageError(f"{option} {text}: write bytes or a size such as 64MiB (KiB, MiB, GiB)")
    return int(match[1]) * SIZES[match[2].lower()]


def seconds(text: str, option: str) -> float:
    """Read a time: "2s", "500ms", "1.5m", "2"."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text)
    if match is None or match[2] not in TIMES:
        raise click.UsageError(f"{option} {text}: write seconds or a time such as 2s (ms, s, m, h)")
    return float(match[1]) * TIMES[match[2]]


@record
class Tracing:
    """What --trace asks for: levels, and how many events to keep until the guest traps (None: write all)."""

    levels: frozenset[str]
    ring: int | None = None


def tracing(text: str) -> Tracing:
    """Read levels and perhaps ring:N with commas between them. A ring without levels is of instructions."""
    from ..watch.trace import LEVELS

    levels, ring = set(), None
    for word in (word.strip() for word in text.split(",")):
        name, colon, count = word.partition(":")
        if name == "ring" and colon:
            if not (count.isascii() and count.isdigit() and int(count)):
                raise click.UsageError(f"--trace={text}: write ring:N with a number from 1, as in ring:2000")
            ring = int(count)
        elif word in LEVELS:
            levels.add(word)
        else:
            known = f"{', '.join(LEVELS)}, and ring:N"
            raise click.UsageError(f"--trace={text}: no level {word!r}; there are {known}")
    return Tracing(frozenset(levels or {"instr"}), ring)


def encoding(text: str, option: str) -> str | None:
    """A format by any of its names; None for autodetect."""
    if text.lower() not in ENCODINGS:
        known = ", ".join(sorted(ENCODINGS))
        raise click.UsageError(f"{option}: no model format {text!r}; there are {known}")
    return ENCODINGS[text.lower()]


def graph_directory(text: str, option: str = "--nn-graph") -> tuple[str | None, str]:
    """Read FORMAT::DIR (wasmtime): the format and the directory, whose name will be the model's."""
    name, double, path = text.partition("::")
    if not double or not path:
        raise click.UsageError(f"{option} {text}: write FORMAT::DIR, as in onnx::models/mobilenet")
    return encoding(name, option), path


def wasmtime_setting(text: str) -> str | None:
    """Read a value of wasmtime's -S: the FORMAT::DIR of nn-graph, or None for `nn`, which is always on
    here.
    """
    key, _, value = text.partition("=")
    if key == "nn-graph":
        return value
    if key == "nn" and value in ("", "y", "yes", "true"):
        return None
    raise click.UsageError(f"-S {text}: of wasmtime's settings only nn-graph=FORMAT::DIR is known here")


def preload(text: str) -> NamedModel:
    """Read NAME:ENCODING:TARGET:PATH[:PATH] (WasmEdge)."""
    words = text.split(":")
    if len(words) < 4 or not all(words):
        raise click.UsageError(f"--nn-preload {text}: write NAME:ENCODING:TARGET:PATH[:PATH]")
    name, format_, target, *paths = words
    if target.lower() not in ("cpu", "gpu", "tpu", "auto"):
        raise click.UsageError(f"--nn-preload {text}: no target {target!r}; there are cpu, gpu, tpu, auto")
    return NamedModel(name, tuple(paths), encoding(format_, f"--nn-preload {text}"), target.lower())


def model_config(text: str) -> tuple[str, dict[str, Any]]:
    """Read NAME=JSON."""
    import json

    name, equals, written = text.partition("=")
    try:
        options = json.loads(written) if name and equals else None
    except ValueError as error:
        raise click.UsageError(f"--nn-config {text}: {error}") from None
    if not isinstance(options, dict):
        raise click.UsageError(f"""--nn-config {text}: write NAME=JSON, as in m={{"threads": 2}}""")
    return name, options


def backend_choice(text: str) -> tuple[str, str]:
    """Read FORMAT=BACKEND."""
    name, equals, backend = text.partition("=")
    format_ = encoding(name, f"--nn-backend {text}") if equals else None
    if format_ is None or not backend:
        raise click.UsageError(f"--nn-backend {text}: write FORMAT=BACKEND, as in onnx=numpy")
    return format_, backend
