"""Backtraces: the same text from both engines, whatever stopped the guest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import wasmtime

from pywasm_nn.api import Module
from pywasm_nn.backtrace import written
from pywasm_nn.errors import ExhaustionError, Trap, TrapKind, WasmError
from pywasm_nn.host import AlignmentError
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.observe import Observer
from pywasm_nn.interpreter.text import parse
from pywasm_nn.limits import Limits
from pywasm_nn.wasi import Wasi

Program = tuple[str, tuple[int | float, ...]]


def programs(text: str) -> Iterator[tuple[str, Program]]:
    """Each program with the arguments of its `main`, by name: `;; name: arguments` stands before it."""
    for heads, module in re.findall(r"((?:^;; [^:\n]+:.*\n)+)((?:(?!;;).*\n)+)", text, re.MULTILINE):
        for name, arguments in re.findall(r"^;; (.+): (.*)$", heads, re.MULTILINE):
            yield name, (module, tuple(number(word) for word in arguments.split()))


def number(word: str) -> int | float:
    return int(word) if re.fullmatch(r"-?\d+", word) else float(word)


PROGRAMS = dict(programs((Path(__file__).parent / "trapping.wat").read_text()))
LIMITS = Limits(call_depth=300)


def fail(a: int, b: int) -> int:
    raise OSError(f"disk {a} is full")


def misaligned(a: int) -> int:
    raise AlignmentError(a, 4)


def violated(a: int) -> int:
    raise Trap([TrapKind.CANONICAL_ABI, TrapKind.NO_SUCH_VALUE][a], "no string")


class Calls(Observer):
    """Watches calls, and does nothing."""

    wants = frozenset({"calls"})


def stopped(
    text: str,
    arguments: tuple[int | float, ...],
    engine: str,
    flavour: Flavour,
    limits: Limits = LIMITS,
    observer: Observer | None = None,
) -> list[WasmError]:
    """What `main` of a program raises, the first time (when functions are made ready) and the second."""
    running: list[Instance] = []

    def back(a: int) -> int:
        result: int = running[0].exports.again(a)
        return result

    host = {"fail": fail, "back": back, "misaligned": misaligned, "violated": violated}
    module = Module.from_text(text, "test.wat", features=["all"])
    errors = []
    with module.instantiate(
        engine=engine, flavour=flavour, imports={"host": host}, limits=LIMITS
    ) as instance:
        running.append(instance)
        for _ in range(2):
            with pytest.raises(WasmError) as caught:
                instance.exports.main(*arguments)
            errors.append(caught.value)
    return errors


def told(error: WasmError) -> list[str]:
    """All that a person is told."""
    return [
        f"{type(error).__name__}: {error}",
        *written(error),
        *([str(error.host_call)] if error.host_call else []),
    ]


def ways() -> Iterator[tuple[str, Flavour]]:
    flavours = list(Flavour) if Flavour.default() is Flavour.VIEW else [Flavour.STRUCT]
    return product(["interpret", "compile"], flavours)


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_engines_tell_the_same(name: str) -> None:
    texts = [told(error) for engine, flavour in ways() for error in stopped(*PROGRAMS[name], engine, flavour)]
    assert all(text == texts[0] for text in texts[1:])
    assert len(texts[0]) > 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_limited_or_watched_tells_the_same(name: str, engine: str) -> None:
    text, arguments = PROGRAMS[name]
    plain, again = stopped(text, arguments, engine, Flavour.STRUCT)
    limited = replace(LIMITS, fuel=10**9, seconds=1000.0)
    watched = stopped(text, arguments, engine, Flavour.STRUCT, limited, Calls())
    assert list(map(told, watched)) == [told(plain), told(again)]


def test_there_are_fifty_of_every_kind() -> None:
    assert len(PROGRAMS) >= 50
    errors = [stopped(*program, "interpret", Flavour.STRUCT)[0] for program in PROGRAMS.values()]
    before_the_guest_runs = {TrapKind.POISONED, TrapKind.CLOSED}
    assert {error.kind for error in errors if isinstance(error, Trap)} == set(
        TrapKind
    ) - before_the_guest_runs


ELSEWHERE = {"unreachable", "a long chain of tail calls", "stack", "array beyond the limit"}
"""Where native code has one place for several instructions that only stop, and where it has other limits."""
NATIVE = [
    name
    for name, (text, _) in PROGRAMS.items()
    if name not in ELSEWHERE and '"host"' not in text and "$bad" not in text and "(descriptor" not in text
]


@pytest.mark.parametrize("name", NATIVE)
def test_frames_are_those_of_native_code(name: str) -> None:
    text, arguments = PROGRAMS[name]
    config = wasmtime.Config()
    config.wasm_gc = config.wasm_exceptions = config.wasm_function_references = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    main = wasmtime.Instance(store, wasmtime.Module(engine, encode(parse(text))), []).exports(store)["main"]
    assert isinstance(main, wasmtime.Func)
    error = stopped(text, arguments, "compile", Flavour.STRUCT)[0]
    with pytest.raises(wasmtime.Trap) as caught:
        main(store, *arguments)
    theirs = [(frame.func_name, frame.module_offset) for frame in caught.value.frames]
    assert [(frame.name, frame.offset) for frame in error.frames] == theirs


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "loop that counts",
            [
                "Trap: out of bounds memory access: i32.load of 4 bytes at 0x10000, memory is 0x10000 bytes "
                "(1 pages)",
                "  0: 0x0036  test.wat!main   $n=50 $i=9 $sum=0 $q=0x10000",
            ],
        ),
        (
            "exception",
            [
                "WasmException: exception of tag [i32] with -2",
                "  0: 0x0030  test.wat!throws   $n=-2",
                "  1: 0x0045  test.wat!tries    $n=-2 $state=3",
                "  2: 0x0052  test.wat!main     $n=-2",
            ],
        ),
        (
            "host function that calls back",
            [
                "Trap: integer divide by zero",
                "  0: 0x0081  test.wat!again   $p=0",
                "  1: 0x008d  test.wat!main    $p=0 $l=5",
                "host.back(a=0)",
            ],
        ),
    ],
)
def test_what_is_told(name: str, text: list[str], engine: str, flavour: Flavour) -> None:
    assert told(stopped(*PROGRAMS[name], engine, flavour)[0]) == text


def test_of_a_deep_stack_both_ends_are_told(engine: str) -> None:
    error = stopped(*PROGRAMS["stack"], engine, Flavour.STRUCT)[0]
    assert isinstance(error, ExhaustionError)
    assert len(error.frames) == LIMITS.call_depth
    lines = written(error)
    assert len(lines) == 13
    assert lines[0].endswith("test.wat!deep   $n=298 $x=1.9636373861190906e-90")
    assert lines[6] == "  ... 288 more ..."
    assert lines[-1].endswith("299: 0x004e  test.wat!main   $n=0")


VALUES = """(module (func $main (export "main")
    (param $a i32) (param i64) (param $f f32) (param $d f64) (param $v v128)
    (local $g f32) (local $e externref) (local i32) (local $s (ref null $s)) (local $h i64)
  (local.set $g (f32.const 3.4028234e38))
  (local.set $h (i64.const 0x8000000000000000))
  (local.set $s (struct.new $s (i32.const 1)))
  unreachable)
  (type $s (struct (field i32))))"""


def test_values(engine: str, flavour: Flavour) -> None:
    error = stopped(VALUES, (-65536, -65535, 0.1, float("-inf"), 1 << 127), engine, flavour)[0]
    values = {local.name: (local.type, local.value) for local in error.frames[0].locals}
    assert values["d"] == ("f64", float("-inf"))
    assert values["a"] == ("i32", -65536)
    assert error.frames[0].values.split() == [
        "$a=0xffff0000",
        "$1=-65535",
        "$f=0.1",
        "$d=-inf",
        "$v=0x80000000000000000000000000000000",
        "$g=3.4028235e+38",
        "$e=null",
        "$s=struct(1)",
        "...",
    ]


LIBRARY = """(func $cut (export "cut") (param $by i32) (drop (i32.rem_u (i32.const 1) (local.get $by))))"""
USER = """(import "inner" "cut" (func $cut (param i32)))
  (func $main (export "main") (call $cut (i32.const 0)))"""


def test_two_instances_and_their_modules(engine: str) -> None:
    library = Module.from_text(LIBRARY, "inner.wat").instantiate(engine=engine)
    user = Module.from_text(USER, "outer.wat").instantiate(imports={"inner": library}, engine=engine)
    with library, user, pytest.raises(Trap) as caught:
        user.exports.main()
    frames = [str(frame) for frame in caught.value.frames]
    assert frames == ["0x0025  inner.wat!cut   $by=0", "0x0036  outer.wat!main"]


def test_a_kept_error_keeps_no_instance(engine: str) -> None:
    import gc
    import weakref

    with Module.from_text(VALUES).instantiate(engine=engine) as instance:
        with pytest.raises(Trap) as caught:
            instance.exports.main(1, 2, 3.0, 4.0, 5)
        kept, gone = caught.value.with_traceback(None), weakref.ref(instance)
    del instance, caught
    gc.collect()
    assert gone() is None
    assert kept.frames


WRITE = """(import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $main (export "main")
    (drop (call $fd_write (i32.const 9) (i32.const 0x10000) (i32.const 0) (i32.const 8)))
    unreachable)"""


def test_the_last_host_call_and_its_reason(engine: str) -> None:
    """Of one that the guest got a number for, and went on."""
    instance = Module.from_text(WRITE).instantiate(Wasi(), engine=engine)
    with instance, pytest.raises(Trap) as caught:
        instance.exports.main()
    assert str(caught.value.host_call).splitlines() == [
        "wasi_snapshot_preview1.fd_write(fd=9, ciovs=0x10000, ciovs_len=0, nwritten=8) -> 8",
        "  BADF: descriptor 9 is not open",
    ]


def test_a_host_call_that_calls_back_is_told_from_inside(engine: str) -> None:
    error = stopped(*PROGRAMS["host function that calls back"], engine, Flavour.STRUCT)[0]
    assert str(error.host_call) == "host.back(a=0)"
