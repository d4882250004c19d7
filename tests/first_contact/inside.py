"""Run by `embedding` in the fresh environment: a line per check, after a tab what was found if it fails."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy

import pywasm_nn
from pywasm_nn import (
    NN,
    Capture,
    CodeFolder,
    Dir,
    Func,
    Global,
    GuestExit,
    Limits,
    Linker,
    LinkError,
    Memory,
    MemoryDirectory,
    Module,
    Table,
    Tensor,
    Text,
    Trace,
    Wasi,
    WasmError,
    run,
)

ADD = """(module (memory (export "memory") 1 2) (global (export "g") (mut i32) (i32.const 5))
  (table (export "t") 2 funcref)
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "half") (param f64) (result f64) (f64.mul (local.get 0) (f64.const 0.5)))
  (func (export "long") (param i64)))"""
NEEDS = """(module (import "env" "log" (func $log (param i32)))
  (import "env" "add" (func (param i32 i32) (result i32)))
  (import "game" "score" (global i32)) (import "game" "memory" (memory 1))
  (func (export "go") (param i32) (call $log (local.get 0))))"""
EXITS = """(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1) (func (export "_start") (call $exit (i32.const 3))))"""
ONE = """(module (import "env" "f" (func $f (param i32 f64) (result f64)))
  (func (export "go") (param i32 f64) (result f64) (call $f (local.get 0) (local.get 1))))"""

add = Module.from_text(ADD)
needs = Module.from_text(NEEDS)
one = Module.from_text(ONE)
live = add.instantiate()


def show(what: str, good: bool, found: object = "") -> None:
    print(what if good else f"{what}\t{' '.join(str(found).split()) or 'not so'}", flush=True)


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[[], Any]:
    """For calls that the type checker would refuse."""
    return lambda: function(*arguments, **named)


def model() -> Any:
    return NN(backends={"onnx": "numpy"}).load("models/digits.onnx")


PICTURE = numpy.zeros((1, 1, 8, 8), "f4")

MISTAKES: list[tuple[str, Callable[[], Any], str]] = [
    ("instantiate({})", call(add.instantiate, {}), "wasi"),
    ("instantiate({'env': ...})", call(one.instantiate, {"env": {"f": print}}), "imports="),
    ("instantiate(wasi='.')", call(add.instantiate, wasi="."), "wasi"),
    ("instantiate(nn='models')", call(add.instantiate, nn="models"), "nn"),
    ("instantiate(nn={'digits': ...})", call(add.instantiate, nn={"digits": "models/digits.onnx"}), "nn"),
    ("instantiate(imports=[])", call(add.instantiate, imports=[]), "imports"),
    ("instantiate(imports={'env': print})", call(one.instantiate, imports={"env": print}), "env"),
    ("imports without namespace", call(one.instantiate, imports={"f": print}), "f"),
    ("imports of a number", call(one.instantiate, imports={"env": {"f": 5}}), "f"),
    ("imports of None", call(one.instantiate, imports={"env": {"f": None}}), "f"),
    ("imports with a number for a name", call(one.instantiate, imports={1: {"f": print}}), "imports"),
    ("instantiate(engine='jit')", call(add.instantiate, engine="jit"), "engine"),
    ("instantiate(engine=None)", call(add.instantiate, engine=None), "engine"),
    ("instantiate(limits=5)", call(add.instantiate, limits=5), "limits"),
    ("instantiate(limits={'seconds': 2})", call(add.instantiate, limits={"seconds": 2}), "limits"),
    ("instantiate(observer=print)", call(add.instantiate, observer=print), "observer"),
    ("instantiate(flavour='fast')", call(add.instantiate, flavour="fast"), "flavour"),
    ("instantiate(report='stderr')", call(add.instantiate, report="stderr"), "report"),
    ("Limits(seconds='2s')", call(Limits, seconds="2s"), "seconds"),
    ("Limits(seconds=-1)", call(Limits, seconds=-1), "seconds"),
    ("Limits(seconds=nan)", call(Limits, seconds=float("nan")), "seconds"),
    ("Limits(memory='64MiB')", call(Limits, memory="64MiB"), "memory"),
    ("Limits(memory=1.5)", call(Limits, memory=1.5), "memory"),
    ("Limits(fuel=True)", call(Limits, fuel=True), "fuel"),
    ("Limits(fuel='all')", call(Limits, fuel="all"), "fuel"),
    ("Limits(timeout=2)", call(Limits, timeout=2), "timeout"),
    ("run(5)", call(run, 5), "path"),
    ("run(None)", call(run, None), "path"),
    ("run(args='one two')", call(run, "app.wasm", args="one two"), "args"),
    ("run(args=[1])", call(run, "app.wasm", args=[1]), "args"),
    ("run(dirs=['x'])", call(run, "app.wasm", dirs=["x"]), "dirs"),
    ("run(dirs='models')", call(run, "app.wasm", dirs="models"), "dirs"),
    ("run(dirs={'/': 5})", call(run, "app.wasm", dirs={"/": 5}), "dirs"),
    ("run(env=['A=1'])", call(run, "app.wasm", env=["A=1"]), "env"),
    ("run(env={'A': 1})", call(run, "app.wasm", env={"A": 1}), "env"),
    ("run(stdin='x')", call(run, "app.wasm", stdin="x"), "stdin"),
    ("run(stdin=5)", call(run, "app.wasm", stdin=5), "stdin"),
    ("run(models=5)", call(run, "app.wasm", models=5), "models"),
    ("run(nn='models')", call(run, "app.wasm", nn="models"), "nn"),
    ("run(limits='2s')", call(run, "app.wasm", limits="2s"), "limits"),
    ("run(engine='wasmer')", call(run, "app.wasm", engine="wasmer"), "engine"),
    ("run(cache='folder')", call(run, "app.wasm", cache="folder"), "cache"),
    ("run(report=5)", call(run, "app.wasm", report=5), "report"),
    ("run(timeout=2)", call(run, "app.wasm", timeout=2), "timeout"),
    ("Wasi(args='app')", call(Wasi, args="app"), "args"),
    ("Wasi(args=[1])", call(Wasi, args=[1]), "args"),
    ("Wasi(env=['A=1'])", call(Wasi, env=["A=1"]), "env"),
    ("Wasi(dirs=['x'])", call(Wasi, dirs=["x"]), "dirs"),
    ("Wasi(stdin='x')", call(Wasi, stdin="x"), "stdin"),
    ("Wasi(stdout='out.txt')", call(Wasi, stdout="out.txt"), "stdout"),
    ("Wasi(stdout=b'')", call(Wasi, stdout=b""), "stdout"),
    ("Wasi(seed='x')", call(Wasi, seed="x"), "seed"),
    ("Wasi(random=5)", call(Wasi, random=5), "random"),
    ("Wasi(clocks=time)", call(Wasi, clocks=5), "clocks"),
    ("Wasi(listen='127.0.0.1:80')", call(Wasi, listen=5), "listen"),
    ("NN(models=['x'])", call(NN, models=["x"]), "models"),
    ("NN(models={'a': 5})", call(NN, models={"a": 5}), "models"),
    ("NN(backends='numpy')", call(NN, backends="numpy"), "backends"),
    ("NN(backends={'onnx': 'tensorrt'})", call(NN, backends={"onnx": "tensorrt"}), "tensorrt"),
    ("NN(plugins='plain.py:Plain')", call(NN, plugins="plain.py:Plain"), "plugins"),
    ("NN(plugins=['nothing.py:Plain'])", call(NN, plugins=["nothing.py:Plain"]), "nothing.py"),
    ("NN(limits=5)", call(NN, limits=5), "limits"),
    ("NN().load(5)", call(NN().load, 5), "model"),
    ("compute([x])", lambda: model().compute([PICTURE]), "inputs"),
    ("compute(x)", lambda: model().compute(PICTURE), "inputs"),
    ("compute({0: x})", lambda: model().compute({0: PICTURE}), "0"),
    ("Module.from_bytes('text')", call(Module.from_bytes, "text"), "data|bytes"),
    ("Module.from_bytes(None)", call(Module.from_bytes, None), "data|bytes"),
    ("Module.from_file(5.5)", call(Module.from_file, 5.5), "path"),
    ("Module.from_text(b'')", call(Module.from_text, b"(module)"), "text"),
    ("Module.from_file(cache='folder')", call(Module.from_file, "app.wasm", cache="folder"), "cache"),
    ("add(1)", call(live.exports.add, 1), "2|argument"),
    ("add(1, 2, 3)", call(live.exports.add, 1, 2, 3), "2|argument"),
    ("add('1', 2)", call(live.exports.add, "1", 2), "i32"),
    ("add(1.5, 2)", call(live.exports.add, 1.5, 2), "i32"),
    ("add(None, 2)", call(live.exports.add, None, 2), "i32"),
    ("add(1 << 40, 2)", call(live.exports.add, 1 << 40, 2), "i32"),
    ("half('x')", call(live.exports.half, "x"), "f64"),
    ("long(1 << 70)", call(live.exports.long, 1 << 70), "i64"),
    ("memory.write(0, 'x')", call(live.memory.write, 0, "x"), "bytes|data"),
    ("memory.read('0', 1)", call(live.memory.read, "0", 1), "address"),
    ("memory.read(0, None)", call(live.memory.read, 0, None), "count"),
    ("memory.array(0, (3,), 'q9')", call(live.memory.array, 0, (3,), "q9"), "q9|dtype"),
    ("memory.load('x9', 0)", call(live.memory.load, "x9", 0), "x9|access"),
    ("memory.store('i32', 0, 'x')", call(live.memory.store, "u32", 0, "x"), "value|int|u32"),
    ("memory.grow('1')", call(live.memory.grow, "1"), "delta"),
    ("exports.g.value = 'x'", lambda: setattr(live.exports.g, "value", "x"), "i32"),
    ("Func.of('i32', [], f)", call(Func.of, "i32", [], print), "params"),
    ("Func.of(['int'], [], f)", call(Func.of, ["int"], [], print), "int"),
    ("Func.of([], [], 5)", call(Func.of, [], [], 5), "callable|function"),
    ("Linker().define('env', 'x', 5)", call(Linker().define, "env", "x", 5), "x|5|value"),
    ("Linker().define('env', 'x')", call(Linker().define, "env", "x"), "value|argument"),
    ("Linker().instantiate('a.wasm')", call(Linker().instantiate, "a.wasm"), "module"),
    ("Memory.of('1')", call(Memory.of, "1"), "minimum|pages|int"),
    ("Global.of('i31', 1)", call(Global.of, "i31", 1), "i31"),
    ("Table.of(-1)", call(Table.of, -1), "minimum|size|-1"),
    ("Trace('nn')", call(Trace, "nn"), "levels"),
    ("Trace(['all'])", call(Trace, ["all"]), "all"),
    ("Trace(budget='x')", call(Trace, budget="x"), "budget"),
    ("Trace(ring=0)", call(Trace, ring=0), "ring"),
    ("Capture('x')", call(Capture, "x"), "limit"),
    ("CodeFolder(5)", call(CodeFolder, 5), "folder|path"),
    ("MemoryDirectory(['x'])", call(MemoryDirectory, ["x"]), "files|entries"),
    ("MemoryDirectory({'a': 5})", call(MemoryDirectory, {"a": 5}), "bytes|a"),
    ("Dir(5)", call(Dir, 5, "x"), "host|path|guest"),
    ("Tensor.from_numpy([1])", call(Tensor.from_numpy, [1]), "array"),
]  # fmt: skip
"""What is done, the call, and a regular expression for the argument's name in the message of its error."""


def mistakes() -> None:
    for what, do, name in MISTAKES:
        try:
            made = do()
        except (TypeError, ValueError) as error:
            show(f"embedding: {what}", re.search(name, str(error)) is not None, repr(error))
        except Exception as error:
            show(f"embedding: {what}", False, f"no TypeError or ValueError: {error!r}")
        else:
            show(f"embedding: {what}", False, f"no error: {made!r:.100}")


def reachable(start: object, depth: int) -> Iterable[tuple[str, object]]:
    """Public attributes of an object, and theirs."""
    seen: set[int] = set()
    todo = [(type(start).__name__, start, depth)]
    while todo:
        name, thing, left = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield name, thing
        if not left or isinstance(thing, (str, bytes, int, float, tuple, list, dict, memoryview, type)):
            continue
        for key in dir(thing):
            if key.startswith("_") or inspect.isroutine(getattr(type(thing), key, None)):
                continue
            try:
                todo.append((f"{name}.{key}", getattr(thing, key), left - 1))
            except Exception:  # a property may refuse
                continue


def reprs() -> None:
    body = "".join(
        f'(func (export "function_number_{n}") (param i32) (result i32) (i32.const {n}))' for n in range(2000)
    )
    big = Module.from_text(f'(module (memory 1) (data "{"x" * 60000}") {body})', "big.wat")
    app = big.instantiate()
    trace = Trace(["host", "nn"])
    result = run("app.wasm", dirs={"models": "models"}, observer=trace)
    error = None
    try:
        Module.from_text('(module (func (export "go") unreachable))').instantiate().exports.go()
    except WasmError as caught:
        error = caught
    things = [
        big, app, app.exports, result, trace, error, Wasi(env={"A": "x" * 5000}, args=["x" * 5000]), Limits(),
        NN(models="models"), model(), live.memory, live.exports.t, live.exports.add, Linker(), Capture(),
        Tensor.from_numpy(numpy.zeros((64, 64), "f4")), Dir("x" * 1000, "."),
        MemoryDirectory({"a" * 900: b"x" * 9000}),
    ]  # fmt: skip
    long = []
    for thing in things:
        for name, part in reachable(thing, 2):
            module = type(part).__module__
            if module.startswith("pywasm_nn") and len(repr(part)) > 300:
                long.append(f"{name}: {len(repr(part))}")
    show("repr: nothing reachable is longer than 300 characters", not long, long[:20])
    show(
        "repr: a module says its name and size",
        "big.wat" in repr(big) and "2000 functions" in repr(big).replace(",", ""),
        repr(big),
    )
    show("repr: one line", not any("\n" in repr(thing) for thing in things), things)
    show("repr: no value of a variable", "xxxxx" not in repr(Wasi(env={"SECRET": "xxxxx"})))


def public() -> None:
    show("__version__", re.fullmatch(r"\d+\.\d+.*", pywasm_nn.__version__) is not None)
    strange = {"annotations", "TYPE_CHECKING", "import_module"} & set(dir(pywasm_nn))
    show("dir(pywasm_nn) has public names only", not strange, strange)
    undocumented = [name for name in pywasm_nn.__all__ if not inspect.getdoc(getattr(pywasm_nn, name))]
    show("every public name has a docstring", not undocumented, undocumented)


def linking() -> None:
    try:
        needs.instantiate(imports={"env": {"log": print}})
        show("LinkError lists all that is missing", False, "no error")
    except LinkError as error:
        said = str(error) + str(error.missing) + "".join(getattr(error, "__notes__", ()))
        wanted = ("add", "score", "memory")
        show("LinkError lists all that is missing", all(word in said for word in wanted), said)
        show("LinkError doesn't list what is there", "log" not in str(error.missing), error.missing)
        show("LinkError can be pickled", len(pickle.loads(pickle.dumps(error)).missing) == 3)
    types = [
        (wanted.module, wanted.name, wanted.kind.keyword, str(wanted.type)) for wanted in needs.import_types
    ]
    show("types of imports before there is an instance", types[:3] == [
        ("env", "log", "func", "[i32] -> []"), ("env", "add", "func", "[i32 i32] -> [i32]"),
        ("game", "score", "global", "i32")], types)  # fmt: skip
    names = [given.name for given in add.export_types]
    show(
        "types of exports before there is an instance",
        names == ["memory", "g", "t", "add", "half", "long"],
        names,
    )


def hosts() -> None:
    arguments = (3, 0.5)
    plain = one.instantiate(imports={"env": {"f": lambda a, b: a + b}}).exports.go(*arguments)
    show("an untyped host function takes its import's type", plain == 3.5, plain)

    async def later(a, b):  # type: ignore[no-untyped-def]  # untyped on purpose
        await asyncio.sleep(0)
        return a + b

    waited = one.instantiate(imports={"env": {"f": later}}).exports.go(*arguments)
    show("an async host function too", waited == 3.5, waited)
    typed = Func.of(["i32", "f64"], ["f64"], lambda a, b: a * b)
    made = one.instantiate(imports={"env": {"f": typed}}).exports.go(*arguments)
    show("Func.of", made == 1.5, made)
    wrong = Func.of(["i32"], [], print)
    try:
        one.instantiate(imports={"env": {"f": wrong}})
        show("Func.of another type is refused", False, "no error")
    except LinkError as error:
        show("Func.of another type is refused", "i32" in str(error), error)
    heard: list[str] = []

    def log(text: Text) -> None:
        heard.append(text)

    source = """(module (import "env" "f" (func $f (param i32 i32))) (memory (export "memory") 1)
      (data (i32.const 8) "hi") (func (export "go") (call $f (i32.const 8) (i32.const 2))))"""
    Module.from_text(source).instantiate(imports={"env": {"f": log}}).exports.go()
    show("Text is a string", heard == ["hi"], heard)


def reactor() -> None:
    text = """(module (global $g (mut i32) (i32.const 0))
      (func (export "_initialize") (global.set $g (i32.const 9)))
      (func (export "get") (result i32) (global.get $g)))"""
    got = Module.from_text(text).instantiate().exports.get()
    show("instantiate calls _initialize", got == 9, got)


def result() -> None:
    ended = run("app.wasm", dirs={"models": "."})
    noted = " ".join(ended.notes)
    show(
        "Result.notes say why a file wasn't found",
        ended.exit_code != 0 and "models/digit" in noted,
        ended.notes,
    )
    heard: list[str] = []
    run("app.wasm", dirs={"models": "."}, report=heard.append)
    show("report gets the same", list(ended.notes) == heard, heard)
    good = run(Path("app.wasm"), dirs={"models": Path("models")})
    show("a stock guest runs", good.exit_code == 0 and b"%" in good.stdout, good)
    try:
        model().compute({"foto": PICTURE})
        show("an inference that fails says what is wanted", False, "no error")
    except Exception as error:
        show(
            "an inference that fails says what is wanted",
            "picture" in str(error) and "foto" in str(error),
            error,
        )
    try:
        Module.from_text(EXITS).instantiate(Wasi()).exports._start()
    except GuestExit as end:
        show("GuestExit carries the code", end.code == 3, end)


for part in (mistakes, reprs, public, linking, hosts, reactor, result):
    part()
