"""Modules made by hand to do harm, and what comes of each: `python -m tests.fuzz.hostile [NAME ...]`.

Each is decoded, validated, instantiated within limits, and its first export is called, on both engines, in
processes that may map 2 GiB.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context

from pywasm_nn.api import Module
from pywasm_nn.errors import (
    DeadlineError,
    ExhaustionError,
    InvalidError,
    LimitError,
    LinkError,
    MalformedError,
    WasmError,
)
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.runtime.instance import Global
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.types import I64, NumType
from pywasm_nn.limits import Limits

from . import bodies
from .bodies import binary, leb, section

LIMITS = Limits(seconds=60, heap=1 << 26)
SHORT = replace(LIMITS, seconds=0.3)
"""For what would run on."""
SECONDS, MEGABYTES = 5, 512
MANY = 1_000_000
SPITEFUL = """a'b"c\n{0}{name}%s%(x)d\\'\'\'\"\"\"#\r\u2028\t{{}}; import os; func0 = None"""
"""A name that would break out of any literal, comment or format."""


def quoted(name: str) -> str:
    """A name as the text format writes it."""
    return '"' + "".join(f"\\{byte:02x}" for byte in name.encode()) + '"'


def text(source: str) -> bytes:
    return encode(parse(source))


def function(body: bytes, locals_: bytes = b"\0") -> bytes:
    """A module that exports one function without type as "f"."""
    code = locals_ + body + b"\x0b"
    return binary(
        section(1, b"\1\x60\0\0"), section(3, b"\1\0"), section(7, b"\1\1f\0\0"),
        section(10, b"\1" + leb(len(code)) + code),
    )  # fmt: skip


def with_locals(count: int, type_: NumType) -> bytes:
    return function(b"", b"\1" + leb(count) + bytes([type_.code]))


def spiteful_names() -> bytes:
    """The name wherever there may be one."""
    name = SPITEFUL.encode()
    source = f"""(module
      (import {quoted(SPITEFUL)} {quoted(SPITEFUL)} (global $g i32))
      (func (export {quoted(SPITEFUL)}) (param $l i32) (result i32) (local.set $l (i32.add (local.get $l)
        (i32.load (global.get $g)))) (local.get $l))
      (memory (export {quoted(SPITEFUL + "m")}) 1) (table (export {quoted(SPITEFUL + "t")}) 1 funcref))"""
    text = leb(len(name)) + name
    of_module, of_function = b"\0" + leb(len(text)) + text, b"\1" + leb(len(text) + 2) + b"\1\0" + text
    of_local = b"\2" + leb(len(text) + 4) + b"\1\0\1\0" + text
    return encode(parse(source)) + section(0, b"\4name" + of_module + of_function + of_local)


FUNCTION_TYPE = section(1, b"\1\x60\0\0")


def functions(count: int) -> bytes:
    """A module of functions that do nothing."""
    bodies = section(10, leb(count) + b"\2\0\x0b" * count)
    return binary(FUNCTION_TYPE, section(3, leb(count) + b"\0" * count), bodies)


def exports(count: int) -> bytes:
    """A module that exports one function under many names."""
    names = b"".join(b"\5" + b"%05d" % n + b"\0\0" for n in range(count))
    code = section(10, b"\1\2\0\x0b")
    return binary(FUNCTION_TYPE, section(3, b"\1\0"), section(7, leb(count) + names), code)


def growing(memories: int) -> bytes:
    """A module of many memories, each of which grows by almost a GiB."""
    grow = "".join(f"(drop (memory.grow {n} (i32.const 16000)))" for n in range(memories))
    return text(f'(module {"(memory 0)" * memories} (func (export "f") {grow}))')


LIMIT, INVALID, MALFORMED = "limit", "invalid", "malformed"
DONE, DEADLINE, EXHAUSTED, LINK = "done", "deadline", "exhausted", "link"
MODULES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "4 GiB of memory": (LIMIT, lambda: text("(module (memory 65536))")),
    "2^48 pages of memory": (LIMIT, lambda: text("(module (memory i64 0x1000000000000))")),
    "100 memories of 1 GiB": (LIMIT, lambda: text("(module " + "(memory 16384)" * 100 + ")")),
    "100 memories that grow": (LIMIT, lambda: growing(100)),
    "2^32 - 1 elements of table": (LIMIT, lambda: text("(module (table 0xffffffff funcref))")),
    "2^64 - 1 elements of table": (LIMIT, lambda: text("(module (table i64 0xffffffffffffffff funcref))")),
    "1000 tables of a million": (LIMIT, lambda: text("(module " + "(table 1000000 funcref)" * 1000 + ")")),
    "2^32 - 1 locals": (INVALID, lambda: with_locals(0xFFFFFFFF, I64)),
    "50,000 locals": (DONE, lambda: with_locals(50_000, I64)),
    "a million runs of locals": (
        MALFORMED, lambda: function(b"", leb(MANY) + b"\xff\xff\xff\xff\x0f\x7f" * MANY),
    ),
    "a million nested blocks": (INVALID, lambda: function(b"\2\x40" * MANY + b"\x0b" * MANY)),
    "a million nested loops": (INVALID, lambda: function(b"\3\x40" * MANY + b"\x0b" * MANY)),
    "a million nested ifs": (INVALID, lambda: function(b"\x41\1\4\x40" * MANY + b"\x0b" * MANY)),
    "20,000 nested blocks": (DONE, lambda: function(b"\2\x40" * 20_000 + b"\x0c\0" + b"\x0b" * 20_000)),
    "100,000 blocks in a row": (DONE, lambda: function(b"\2\x40\x0b" * 100_000)),
    "50,000 operands that wait": (DONE, lambda: function(b"\x41\1" * 50_000 + b"\x1a" * 50_000)),
    "100,000 additions": (DONE, lambda: function(b"\x41\1" + b"\x41\1\x6a" * 100_000 + b"\x1a")),
    "a million targets": (DONE, lambda: function(b"\x41\0\x0e" + leb(MANY) + b"\0" * (MANY + 1))),
    "2^32 - 1 targets": (MALFORMED, lambda: function(b"\x41\0\x0e\xff\xff\xff\xff\x0f")),
    "2^32 - 1 functions": (MALFORMED, lambda: binary(section(3, b"\xff\xff\xff\xff\x0f"))),
    "4 GiB of data": (MALFORMED, lambda: binary(section(11, b"\1\1\xff\xff\xff\xff\x0f"))),
    "100,000 types": (DONE, lambda: binary(section(1, leb(100_000) + b"\x60\0\0" * 100_000))),
    "330,000 types": (DONE, lambda: binary(section(1, leb(330_000) + b"\x60\0\0" * 330_000))),
    "100,000 types in groups": (DONE, lambda: binary(section(1, leb(100_000) + b"\x4e\1\x60\0\0" * 100_000))),
    "100,000 sums in globals": (
        DONE, lambda: binary(section(6, leb(100_000) + b"\x7f\1\x41\0\x41\1\x6a\x0b" * 100_000)),
    ),
    "100,000 functions": (DONE, lambda: functions(100_000)),
    "100,000 exports": (DONE, lambda: exports(100_000)),
    "100,000 globals": (DONE, lambda: binary(section(6, leb(100_000) + b"\x7f\1\x41\0\x0b" * 100_000))),
    "100,000 elements written out": (
        DONE, lambda: binary(section(9, b"\1\5\x70" + leb(100_000) + b"\xd0\x70\x0b" * 100_000)),
    ),
    "a million data segments": (DONE, lambda: binary(section(11, leb(MANY) + b"\1\0" * MANY))),
    "a million custom sections": (DONE, lambda: binary(section(0, b"\1x") * MANY)),
    "a million imports": (
        LINK, lambda: binary(FUNCTION_TYPE, section(2, leb(MANY) + b"\1a\1b\0\0" * MANY)),
    ),
    "an array of 2^32 - 1": (LIMIT, lambda: text(
        '(module (type (array i64)) (func (export "f") (drop (array.new_default 0 (i32.const -1)))))'
    )),
    "arrays in each other": (LIMIT, lambda: text(
        """(module (type $a (array (mut (ref null $a)))) (global (mut (ref null $a)) (ref.null $a))
        (func (export "f") (loop (global.set 0 (array.new 0 (global.get 0) (i32.const 10000))) (br 0))))"""
    )),
    "a loop": (DEADLINE, lambda: text('(module (func (export "f") (loop (br 0))))')),
    "a loop in the start": (DEADLINE, lambda: text("(module (func (loop (br 0))) (start 0))")),
    "a loop that fills": (DEADLINE, lambda: text(
        """(module (memory 1024) (func (export "f")
        (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x4000000)) (br 0))))"""
    )),
    "tail calls": (DEADLINE, lambda: text('(module (func $f (export "f") (return_call $f)))')),
    "exceptions": (DEADLINE, lambda: text(
        '(module (tag) (func (export "f") (loop (block (try_table (catch_all 0) (throw 0))) (br 0))))'
    )),
    "recursion": (EXHAUSTED, lambda: text('(module (func (export "f") (call 0)))')),
    "recursion in the start": (EXHAUSTED, lambda: text("(module (func (call 0)) (start 0))")),
    "recursion by table and reference": (EXHAUSTED, lambda: text(
        """(module (type (func (param i64) (result i64))) (table funcref (elem $a $b))
        (func $a (type 0) (i64.add (i64.const 1) (call_indirect (type 0) (local.get 0) (i32.const 1))))
        (func $b (type 0) (i64.add (i64.const 1) (call_ref 0 (local.get 0) (ref.func $a))))
        (func (export "f") (drop (call $a (i64.const 5)))))"""
    )),
    "recursion in handlers": (EXHAUSTED, lambda: text(
        """(module (tag) (func $f (export "f")
        (block (try_table (catch_all 0) (call $f) (throw 0))) (call $f)))"""
    )),
    "spiteful names": (DONE, spiteful_names),
    "500 fields, 5,000 times": (DONE, lambda: bodies.defaults(500, 5000)),
    "10,001 fields": (INVALID, lambda: bodies.defaults(10_001, 1)),
    "1,000 values, 200,000 times": (INVALID, lambda: bodies.lists(200_000, bodies.I32, bodies.I32)),
    "1,000 values of subtypes, 200,000 times": (
        INVALID, lambda: bodies.lists(200_000, bodies.I31REF, bodies.ANYREF),
    ),
    "1,000 values of blocks, 200,000 times": (INVALID, lambda: bodies.block_lists(200_000)),
    "4,000 nested loops and branches to each": (DONE, lambda: bodies.nested_loops(4000)),
    "1,000 loops that set a local each": (DONE, lambda: bodies.loops_that_set(1000)),
    "10,000 clauses": (DONE, lambda: bodies.clauses(10_000)),
    "40,000 locals that are read": (DONE, lambda: bodies.locals_read(40_000)),
    "20,000 choices": (DONE, lambda: bodies.choices(20_000)),
    "12,000 globals and tables": (DONE, lambda: bodies.globals_and_tables(12_000)),
    "50,000 locals of 20,000 functions": (INVALID, lambda: bodies.spread_locals(20_000)),
    "500,000 elements": (DONE, lambda: bodies.elements(500_000)),
    "150,000 instructions on vectors": (DEADLINE, lambda: bodies.vectors(150_000)),
    "300,000 additions": (
        DEADLINE, lambda: function(b"\x41\1" + b"\x41\1\x6a" * 300_000 + b"\x1a"),
    ),
    "a million instructions": (DEADLINE, lambda: function(b"\1" * MANY)),
    "more than a million types": (
        MALFORMED, lambda: binary(section(1, leb(MANY + 1) + b"\x60\0\0" * (MANY + 1))),
    ),
}  # fmt: skip
"""What is done, and what comes of it on both engines."""
ERRORS = {
    LimitError: LIMIT, InvalidError: INVALID, MalformedError: MALFORMED, LinkError: LINK,
    ExhaustionError: EXHAUSTED, DeadlineError: DEADLINE,
}  # fmt: skip


def attack(data: bytes, engine: str, limits: Limits) -> str:
    """What comes of a module; "trap" or "error" is what should come of none."""
    try:
        module = Module.from_bytes(data)
        module.validate()
        imports = {i.module: {i.name: Global.of("i32", 4)} for i in module.imports[:1]}
        with module.instantiate(imports=imports, engine=engine, limits=limits) as instance:
            for name in list(instance.exports)[:1]:
                exported = instance.exports[name]
                exported(*[0] * len(exported.type.params))
    except WasmError as error:
        return next((word for kind, word in reversed(ERRORS.items()) if isinstance(error, kind)), repr(error))
    return DONE


def judge(name: str, engine: str) -> None:
    """Attack, and tell. Ends the process: with 1 if something else came of it than should."""
    expected, make = MODULES[name]
    data = make()
    start, process = time.perf_counter(), time.process_time()
    outcome = attack(data, engine, SHORT if expected == DEADLINE else LIMITS)
    seconds, busy = time.perf_counter() - start, time.process_time() - process
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    wrong = outcome != expected or busy >= SECONDS or peak >= MEGABYTES
    mark = "  WRONG" if wrong else ""
    print(f"{name}, {engine}: {outcome}, {seconds:.2f} s ({busy:.2f} busy), {peak} MB{mark}", flush=True)
    sys.exit(wrong)


def main() -> None:
    """Attack under an address space of 2 GiB, each time in a process of its own, whose peak is told; exit
    code 1 if something else came of it than should."""
    limit = 2 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    wrong = 0
    for name in sys.argv[1:] or MODULES:
        refused = MODULES[name][0] in (MALFORMED, INVALID)  # before there is an engine
        for engine in ("compile",) if refused else ("interpret", "compile"):
            child = get_context("fork").Process(target=judge, args=(name, engine))
            child.start()
            child.join()
            if child.exitcode not in (0, 1):
                print(f"{name}, {engine}: exit code {child.exitcode}  WRONG", flush=True)
            wrong += child.exitcode != 0
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
