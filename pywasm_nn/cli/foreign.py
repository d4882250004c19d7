"""Options of wasmtime, WasmEdge, wasmer and iwasm that people type from habit: their translations, options
that are ignored, and advice for the rest.

What is not here: `-S` and `--nn-preload`, which are also options of pywasm-nn (`options.py`). Imported when
an option before the module is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import click

from .options import between_colons
from .split import Takes, is_option, recognise

Ours = list[str]


def renamed(name: str) -> Callable[[str, str], Ours]:
    """An option with another name here and the same value."""
    return lambda option, value: [name, value]


def replaced(*ours: str) -> Callable[[str, str], Ours]:
    """An option that these words replace; its own value is dropped."""
    return lambda option, value: list(ours)


def refused(instead: str) -> Callable[[str, str], Ours]:
    """An option that must not be ignored; the error says what to write instead."""

    def refuse(option: str, value: str) -> Ours:
        raise click.UsageError(f"{option} is no option here; {instead}")

    return refuse


def guest_first(option: str, value: str) -> Ours:
    """GUEST:HOST, with one or two colons: the option defines the order, so it is unambiguous."""
    return mapped(option, value, "GUEST:HOST", lambda first, second: (second, first))


def host_first(option: str, value: str) -> Ours:
    return mapped(option, value, "HOST:GUEST", lambda first, second: (first, second))


def mapped(option: str, value: str, form: str, order: Callable[[str, str], tuple[str, str]]) -> Ours:
    parts = [part for part in between_colons(value, windows=True) if part]
    if len(parts) != 2:
        raise click.UsageError(f"{option} {value}: write {option} {form}, or --dir HOST::GUEST")
    return ["--dir", "::".join(order(*parts))]


ALWAYS_ON = frozenset([
    "all", "all-proposals", "bulk-memory", "exceptions", "extended-const", "function-references", "gc",
    "memory64", "multi-memory", "multi-value", "mutable-globals", "reference-types", "relaxed-simd",
    "relaxed-simd-deterministic", "saturating-float-to-int", "sign-extension", "simd", "tail-call",
])  # fmt: skip
"""Features that wasmtime's -W enables. Here they are always enabled."""
SWITCHED = frozenset(["custom-page-sizes", "legacy-exceptions", "threads", "wide-arithmetic"])
"""Features that wasmtime's -W switches, by the names that they have here too."""
LIMITS = {"fuel": "--fuel", "timeout": "--timeout", "max-memory-size": "--max-memory"}
"""Limits that wasmtime sets with -W."""


def wasmtime_features(option: str, value: str) -> Ours:
    """Settings of wasmtime's -W, separated by commas."""
    ours: Ours = []
    for setting in value.split(","):
        key, _, chosen = setting.partition("=")
        if key in LIMITS and chosen:
            ours += [LIMITS[key], chosen]
        elif key == "max-wasm-stack":
            raise click.UsageError(f"{option} {setting}: here the stack is counted in frames: --max-stack N")
        elif key in ("unknown-imports-trap", "unknown-imports-default"):
            ours += ["--unknown-imports", "trap" if key.endswith("trap") else "zero"]
        elif key in SWITCHED:
            ours += ["--features", f"-{key}" if chosen in ("n", "no", "false") else key]
        elif key not in ALWAYS_ON:
            raise click.UsageError(
                f"{option} {setting}: not known here; proposals are switched by --features, limits are "
                "--fuel, --timeout, --max-memory and --max-stack"
            )
    return ours


def milliseconds(option: str, value: str) -> Ours:
    return ["--timeout", f"{value}ms"]


def pages(option: str, value: str) -> Ours:
    """A memory limit of WasmEdge, which counts pages."""
    return ["--max-memory", f"{64 * int(value)}KiB" if value.isdecimal() else value]


FLAGS = dict.fromkeys(
    [
    "--allow-precompiled", "--allow-command-all", "--enable-all", "--force-interpreter", "--enable-jit",
    "--interp", "--singlepass", "--cranelift", "--llvm", "--llvm-jit", "--fast-jit", "--multi-tier-jit",
    "--wasm-backtrace", "-g", "--enable-threads", "--enable-simd", "--enable-multi-value",
    "--enable-bulk-memory", "--enable-reference-types", "--enable-tail-call", "--enable-multi-memory",
    "--enable-relaxed-simd", "--enable-extended-const", "--enable-gc", "--enable-memory64",
    "--enable-exception-handling", "--enable-function-reference", "--enable-pre-exception", "--wasm-1",
    "--wasm-2", "--wasm-3", "--enable-verifier",
    ],
    replaced(),
) | {
    "--trap-unknown-imports": replaced("--unknown-imports", "trap"),
    "--default-values-unknown-imports": replaced("--unknown-imports", "zero"),
    "--disable-cache": replaced("--no-cache"),
    "--enable-all-statistics": replaced("--monitor", "calls"),
    "--enable-instruction-count": refused("write --monitor hotness"),
    "--enable-gas-measuring": refused("write --fuel N for a limit, --monitor hotness to count"),
    "--enable-time-measuring": refused("write --monitor hotness, or -v"),
    "--reactor": refused("write --invoke NAME after the module: run MODULE --invoke NAME ARGUMENTS"),
    "--net": refused("write --tcplisten HOST:PORT for each address where the guest may listen"),
    "--forward-host-env": refused("write --env NAME for each variable that the guest shall see"),
    "--http-client": refused("a guest can't ask for addresses of the network here"),
    "--gdb": refused("pywasm-nn debug MODULE runs it step by step"),
    "--repl": refused("write --invoke NAME, or pywasm-nn debug MODULE"),
    "--epoch-interruption": refused("write --timeout TIME"),
    "--consume-fuel": refused("write --fuel N"),
}  # fmt: skip
VALUES = {
    "--mapdir": guest_first, "--map-dir": guest_first, "--volume": host_first,
    "-W": wasmtime_features, "--wasm": wasmtime_features,
    "--entrypoint": renamed("--invoke"), "--function": renamed("--invoke"), "--func": renamed("--invoke"),
    "-e": renamed("--invoke"), "-f": renamed("--invoke"), "-i": renamed("--invoke"),
    "--gas-limit": renamed("--fuel"), "--time-limit": milliseconds, "--memory-page-limit": pages,
    "--wasi-nn-graph": renamed("--nn-graph"), "--wasm-timeout": renamed("--timeout"),
    "-O": replaced(), "-C": replaced(), "-D": replaced(), "--optimize": replaced(), "--codegen": replaced(),
    "--debug": replaced(), "--wasm-features": replaced(), "--wasi-modules": replaced(),
    "--run-mode": replaced(), "--log-level": replaced(), "--forbidden-plugin": replaced(),
    "--config": replaced(), "--target": replaced(),
    "--profile": refused("write --monitor hotness, or --trace-file"),
    "--stack-size": refused("here the stack is counted in frames: --max-stack N"),
    "--max-wasm-stack": refused("here the stack is counted in frames: --max-stack N"),
    "--heap-size": refused("write --max-memory SIZE"),
    "--addr-pool": refused("write --tcplisten HOST:PORT for each address where the guest may listen"),
    "--listenfd": refused("write --tcplisten HOST:PORT"),
    "--native-lib": refused("host functions in Python come with --host FILE.py"),
    "--use": refused("modules that others import from come with --preload NAME=MODULE"),
    "--nn-rpc-uri": refused("models run in this process: --nn-preload, --models"),
}  # fmt: skip
MEANING: Mapping[str, Callable[[str, str], Ours]] = {**FLAGS, **VALUES}
TAKES = {**dict.fromkeys(FLAGS, Takes.NOTHING), **dict.fromkeys(VALUES, Takes.VALUE)}


def translated(words: Sequence[str], ours: Mapping[str, Takes]) -> Ours:
    """The options before the module, with options of other tools translated. Raises UsageError."""
    found: Ours = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, takes = recognise(word, {**TAKES, **ours}) if is_option(word) else (word, None)
        if name in MEANING and name not in ours:
            value = word[len(name) :].removeprefix("=")
            if takes is Takes.VALUE and word == name:
                value = rest.pop(0) if rest else ""
            found += MEANING[name](name, value)
        else:
            found.append(word)
            if takes is Takes.VALUE and word == name and rest:
                found.append(rest.pop(0))
    return found
