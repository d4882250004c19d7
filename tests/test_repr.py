"""`repr` of everything that a person can come upon: one short line, at little cost."""

import ast
import gc
import pickle
import time
from collections import Counter, deque
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy
import pytest

import pywasm_nn
from pywasm_nn import (
    NN,
    Capture,
    CodeFolder,
    Dir,
    Global,
    Inference,
    Limits,
    Linker,
    Memory,
    MemoryDirectory,
    Module,
    Result,
    Table,
    Tag,
    Tensor,
    Trace,
    Wasi,
    WasmError,
    brief,
    run,
)
from pywasm_nn.demo import path as demo_path
from pywasm_nn.printable import LONGEST_REPR, is_visible
from pywasm_nn.watch.monitors import BUILT_IN
from pywasm_nn.watch.notebook import Line, play

from .source import parsed

HOSTILE = "\x1b[2J\u202e\n" + "n" * 100_000
MOST_ITEMS = 300
"""So many of one collection are walked."""

TEXT = """(module $big
  (type $s (struct (field i32) (field (mut f64))))
  (import "env" "host" (func $host (param i32)))
  (memory (export "memory") 2 4)
  (table (export "table") 10 funcref)
  (global (export "global") (mut i32) (i32.const 5))
  (global $inner (mut i64) (i64.const 0))
  (global (export "struct") (ref null $s) (struct.new $s (i32.const 1) (f64.const 2)))
  (tag $t (export "tag") (param i32))
  (data "some bytes that are rather many in all")
  (elem func $deep)
  (func $deep (param $n i32) (call $host (local.get $n))
    (if (local.get $n) (then (call $deep (i32.sub (local.get $n) (i32.const 1))))) unreachable)
  (func (export "deep") (param i32) (call $deep (local.get 0)))
  (func (export "throw") (throw $t (i32.const 7)))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1))))"""


def large_module() -> Module:
    """3 MB of functions, a data segment, and a name of 100,000 characters."""
    bodies = "(func (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))" * 2000
    data = '(memory 100) (data (i32.const 0) "' + "x" * 3_000_000 + '")'
    return Module.from_text(f'(module {bodies} {data} (func (export "{"e" * 100_000}")))', HOSTILE)


def things() -> Iterator[Any]:
    """What people hold in their hands, after real runs."""
    models = demo_path() / "models"
    trace = Trace(["host", "nn"], keep_bytes=1 << 20)
    program = demo_path() / "app.wasm"
    arguments = ["models/digit.pgm", "models/digits.onnx"]
    yield run(program, arguments, dirs={"models": models}, nn=NN(backends={"onnx": "numpy"}), observer=trace)
    yield from (trace, list(trace))
    wasi = Wasi(args=[HOSTILE], dirs={"/": MemoryDirectory({"a": b"x" * 10**6})})
    linker = Linker(wasi=wasi)
    yield wasi
    linker.function("env", "host")(host)
    module = Module.from_text(TEXT, HOSTILE)
    for engine in ("compile", "interpret"):
        watching = Trace(["host", "calls", "instr"]) if engine == "interpret" else None
        instance = module.instantiate(
            Wasi(), NN(), {"env": {"host": host}}, engine=engine, observer=watching, limits=Limits(seconds=60)
        )
        instance.exports.add(1, 2)
        for name, given in (("deep", (500,)), ("throw", ())):
            try:
                instance.exports[name](*given)
            except WasmError as error:
                yield error
        yield from (instance, instance.exports, watching, instance.snapshot(), instance.meter)
        yield from (instance.exports[name] for name in instance.exports)
    linker.instantiate(module, HOSTILE)
    yield from (linker, module, pickle.loads(pickle.dumps(module)), Dir(HOSTILE), Limits(seconds=1e300))
    yield from (
        Capture(),
        CodeFolder("/nonexistent/" + HOSTILE),
        MemoryDirectory({"a": "b"}),
    )
    yield from (
        Memory.of(1),
        Table.of("externref", 3),
        Global.of("externref", "x" * 10**6),
        Tag.carrying("i32"),
    )
    yield Tensor.from_numpy(numpy.zeros((3, 1000, 1000), "f4"))
    model = NN(backends={"onnx": "numpy"}).load(models / "digits.onnx")
    yield from (
        model,
        model.graph,
        model.inputs,
        model.compute({model.inputs[0].name: numpy.zeros((1, 1, 8, 8), "f4")}),
    )
    yield NN(models={HOSTILE: str(models / "digits.onnx")})
    for monitor in BUILT_IN.values():
        watched = monitor()
        with module.instantiate(imports={"env": {"host": host}}, observer=watched) as app:
            app.exports.add(1, 2)
        yield watched
    alone = TEXT.replace('(import "env" "host" (func $host (param i32)))', "(func $host (param i32))")
    yield play(Line.of("--trace add 1 2"), Module.from_text(alone))
    yield large_module()
    yield (1 << 100_000, b"x" * 10**7, [b"y"] * 10**6, {n: n for n in range(10**5)})


def host(n: int) -> None:
    """A function of the host's."""


def is_ours(one: object) -> bool:
    return type(one).__module__.startswith("pywasm_nn") and not isinstance(one, type)


def reachable(roots: list[Any]) -> list[Any]:
    """Objects of ours that can be reached by attributes and items."""
    found, waiting, seen = [], deque(roots), set()
    kept = [roots]
    while waiting:
        one = waiting.popleft()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType | BuiltinFunctionType):
            continue
        seen.add(id(one))
        kept.append(one)
        if isinstance(one, MethodType):
            waiting.append(one.__self__)
        elif isinstance(one, dict | MappingProxyType):
            waiting += [*list(one.keys())[:MOST_ITEMS], *list(one.values())[:MOST_ITEMS]]
        elif isinstance(one, list | tuple | set | frozenset | deque):
            waiting += list(one)[:MOST_ITEMS]
        if is_ours(one):
            found.append(one)
            waiting += getattr(one, "__dict__", {}).values()
            for class_ in type(one).__mro__:
                slots = class_.__dict__.get("__slots__", ())
                waiting += [getattr(one, n, None) for n in ([slots] if isinstance(slots, str) else slots)]
    return found


@pytest.fixture(scope="module")
def found() -> Iterator[list[Any]]:
    roots = list(things())
    yield reachable([*roots, *(getattr(pywasm_nn, name) for name in pywasm_nn.__all__)])
    gc.collect()


def test_everything_is_one_short_line(found: list[Any]) -> None:
    kinds: Counter[str] = Counter()
    wrong: dict[str, str] = {}
    for one in found:
        kinds[type(one).__qualname__] += 1
        text = repr(one)
        if len(text) > LONGEST_REPR or not is_visible(text):
            wrong.setdefault(f"{type(one).__module__}.{type(one).__qualname__}", text[:400])
    assert not wrong
    for name in (
        "Module", "Instance", "Exports", "Func", "Memory", "Result", "Inference", "Tensor", "TensorSpec",
        "NN", "Trace", "Limits", "GuestFrame", "GuestLocal", "CallToHost", "Trap", "WasmException", "Linker",
        "Wasi", "Dir", "MemoryDirectory", "Node", "Ran", "InstanceState", "Model", "Instruction", "HostCall",
        "Table", "Global", "NamedGlobal", "Tag", "Struct", "CodeFolder", "NamedModel", "Hotness", "Graph",
    ):  # fmt: skip
        assert any(kind.endswith(name) for kind in kinds), f"no {name} was found: walk on"


def test_it_costs_little(found: list[Any]) -> None:
    began = time.process_time()
    for one in found:
        repr(one)
    assert (time.process_time() - began) / len(found) < 0.002


def test_what_a_person_wants_to_know_is_said() -> None:
    module = Module.from_text(
        '(module (import "a" "b" (func)) (func (export "_start")) (func (export "go")))', "app.wasm"
    )
    size = len(module.data)
    assert repr(module) == f"<Module app.wasm: {size} bytes, 2 functions, 1 import, exports _start, go>"
    with module.instantiate(imports={"a": {"b": lambda: None}}) as app:
        assert repr(app) == "<Instance of app.wasm: engine compile, exports _start, go>"
        assert repr(app.exports) == "<Exports _start, go>"
    assert "closed" in repr(app)
    assert repr(module.import_types[0]).endswith("type=<FuncType [] -> []>, exact=False)")
    assert repr(Table.of("externref", 3).type) == "<TableType 3 externref>"
    assert repr(Tensor.from_numpy(numpy.zeros((1, 3), "f4"))) == "<Tensor f32[1,3], 12 bytes>"
    assert repr(Limits(seconds=2)) == "Limits(seconds=2)"
    assert "hunter2" not in repr(Wasi(env={"PASSWORD": "hunter2"}))


def test_a_result_says_first_why_it_failed() -> None:
    why = 'wasi-nn load_by_name("digits") -> not_found: no model is named "digits"; named are: digit, cats'
    call = Inference("digits", (Tensor.from_numpy(numpy.zeros((1, 3), "f4")),), 0.5)
    result = Result(8, b"x" * 1000, b"y" * 1000, (call,) * 9, (why, *("n" * 1000 for _ in range(8))))
    said = repr(result)
    assert said.startswith(f"Result(exit_code=8, notes=({why!r}, 'nnn")
    assert len(said) <= LONGEST_REPR
    assert (
        repr(Result(0, b"5\n", b""))
        == "Result(exit_code=0, notes=(), stdout=b'5\\n', stderr=b'', nn_calls=())"
    )
    assert repr(Result(1, b"", b"", notes=("a", "b", "c", "d"))) == (
        "Result(exit_code=1, notes=('a', 'b', 'c', ... 4 in all), stdout=b'', stderr=b'', nn_calls=())"
    )
    assert repr(Result(1, b"", b"", notes=("w" * 1000,))).startswith("Result(exit_code=1, notes=('www")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"short", "b'short'"),
        (b"x" * 75_000, "b'xxxxxxxxxxxxxxxxxxxxxxxx'... 75000 bytes"),
        ((1, 2, 3, 4, 5), "(1, 2, 3, 4, ... 5 in all)"),
        ((1,), "(1,)"),
        ([[[[[1]]]]], "[[[[1 items]]]]"),
        ({"a": 1}, "{'a': 1}"),
        (1 << 1000, "<integer of 1001 bits>"),
        ("s" * 100, "'" + "s" * 57 + "...'"),
        (memoryview(b"12"), "<2 bytes>"),
    ],
)
def test_values_in_fields_are_summarised(value: object, said: str) -> None:
    assert brief.brief(value) == said


def test_no_dataclass_shows_all_that_is_in_it() -> None:
    """A new one is decorated with `summarised` too."""
    for file, tree in parsed("dataclass"):
        if file.startswith("cli/"):
            continue  # nobody holds those
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                decorators = [ast.unparse(one) for one in node.decorator_list]
                own = any(isinstance(one, ast.FunctionDef) and one.name == "__repr__" for one in node.body)
                if any(one.partition("(")[0] == "dataclass" for one in decorators) and not own:
                    assert decorators[0] == "summarised", f"{file}: {node.name}"
