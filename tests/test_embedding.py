"""What an embedder gives: arguments that are checked where they are given, functions that take an import's
type, and what can be known before and without an instance."""

from __future__ import annotations

import asyncio
import functools
import inspect
import io
import pickle
import threading
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import pywasm_nn
import pywasm_nn.nn
import pywasm_nn.wasi
from pywasm_nn import (
    NN,
    Capture,
    CodeFolder,
    DeadlineError,
    Dir,
    Func,
    HostError,
    Instance,
    Limits,
    Linker,
    LinkError,
    Memory,
    MemoryDirectory,
    Module,
    Table,
    Tensor,
    Trace,
    Trap,
    Wasi,
    demo,
    run,
)
from pywasm_nn.batch import BatchRunner
from pywasm_nn.host import U64, Caller, Text
from pywasm_nn.interpreter.types import I32, ExternKind, FuncType, GlobalType, MemType, TableType
from pywasm_nn.nn import DType, GraphConfig, NamedModel, TensorSpec

from .component.components import component
from .conftest import in_time

Start = Callable[..., Instance]
HELLO = Path(__file__).parent / "guests" / "hello_c.wasm"
DIGITS = demo.path() / "models" / "digits.onnx"
EMPTY = Module.from_text("(module)")


class Mistake(typing.NamedTuple):
    """A call that is wrong, and the name that the message must have."""

    name: str
    call: Callable[[], object]
    kind: type[Exception] = TypeError


LIMITS = Limits.__match_args__
MISTAKES = [
    Mistake("wasi", lambda: EMPTY.instantiate({"env": {"f": len}})),
    Mistake("imports", lambda: EMPTY.instantiate({"env": {"f": len}})),
    Mistake("wasi", lambda: EMPTY.instantiate(Wasi)),
    Mistake("nn", lambda: EMPTY.instantiate(nn="models")),
    Mistake("nn", lambda: EMPTY.instantiate(nn=DIGITS)),
    Mistake("imports", lambda: EMPTY.instantiate(imports=["env"])),
    Mistake("env", lambda: EMPTY.instantiate(imports={"env": len})),
    Mistake("env::f", lambda: EMPTY.instantiate(imports={"env": {"f": 3}})),
    Mistake("env::f", lambda: EMPTY.instantiate(imports={"env": {"f": None}})),
    Mistake("engine", lambda: EMPTY.instantiate(engine="jit"), ValueError),
    Mistake("engine", lambda: EMPTY.instantiate(engine=None)),
    Mistake("limits", lambda: EMPTY.instantiate(limits={"seconds": 2})),
    Mistake("limits", lambda: EMPTY.instantiate(limits=Limits)),
    Mistake("observer", lambda: EMPTY.instantiate(observer=print)),
    Mistake("observer", lambda: EMPTY.instantiate(observer=Trace)),
    Mistake("flavour", lambda: EMPTY.instantiate(flavour="view")),
    Mistake("report", lambda: EMPTY.instantiate(report="stderr")),
    Mistake("path", lambda: Module.from_file(b"\0asm")),
    Mistake("path", lambda: Module.from_file(3)),
    Mistake("cache", lambda: Module.from_file(HELLO, cache="folder")),
    Mistake("data", lambda: Module.from_bytes("(module)")),
    Mistake("data", lambda: Module.from_bytes(8)),
    Mistake("text", lambda: Module.from_text(b"(module)")),
    *(Mistake(f"{name}=", lambda name=name: Limits(**{name: "2s"})) for name in LIMITS),
    *(Mistake(f"{name}=", lambda name=name: Limits(**{name: -1}), ValueError) for name in LIMITS),
    *(Mistake(f"{name}=", lambda name=name: Limits(**{name: True})) for name in LIMITS),
    Mistake("seconds=", lambda: Limits(seconds=float("nan")), ValueError),
    Mistake("seconds=", lambda: Limits(seconds=float("inf")), ValueError),
    Mistake("call_depth=", lambda: Limits(call_depth=1 << 40), ValueError),
    Mistake("memory=", lambda: Limits(memory=None)),
    Mistake("dirs", lambda: run(HELLO, dirs=["x"])),
    Mistake("dirs", lambda: run(HELLO, dirs="x")),
    Mistake("dirs", lambda: run(HELLO, dirs=[Dir("x")])),
    Mistake("dirs", lambda: run(HELLO, dirs={"/": 3})),
    Mistake("report", lambda: run(HELLO, report=3)),
    Mistake("limits", lambda: run(HELLO, limits="2s")),
    Mistake("limits", lambda: run(HELLO, limits=Limits)),
    Mistake("listen", lambda: Wasi(listen=3)),
    Mistake("folder", lambda: CodeFolder(3)),
    Mistake("most", lambda: CodeFolder(most="1GiB")),
    Mistake("params", lambda: Func.of("i32", [], print)),
    Mistake("results", lambda: Func.of([], 3, print)),
    Mistake("ring", lambda: Trace(ring=0), ValueError),
    Mistake("array", lambda: Tensor.from_numpy([1])),
    Mistake("address", lambda: Memory.of(1).read("0", 1)),
    Mistake("count", lambda: Memory.of(1).read(0, None)),
    Mistake("access", lambda: Memory.of(1).load("i32", 0), ValueError),
    Mistake("value", lambda: Memory.of(1).store("u32", 0, "x"), ValueError),
    Mistake("delta", lambda: Memory.of(1).grow("1")),
    Mistake("delta", lambda: Memory.of(1).grow(-1), ValueError),
    Mistake("stdin", lambda: run(HELLO, stdin="x")),
    Mistake("args", lambda: run(HELLO, "cat.f32")),
    Mistake("args", lambda: run(HELLO, [1])),
    Mistake("env", lambda: run(HELLO, env=["A=1"])),
    Mistake("A", lambda: run(HELLO, env={"A": 1})),
    Mistake("path", lambda: run(HELLO.read_bytes())),
    Mistake("models", lambda: run(HELLO, models=["m.onnx"])),
    Mistake("nn", lambda: run(HELLO, nn={"m": "m.onnx"})),
    Mistake("models and nn can't both", lambda: run(HELLO, models="m", nn=NN()), ValueError),
    Mistake("models and nn can't both", lambda: BatchRunner(HELLO, models={}, nn=NN()), ValueError),
    Mistake("engine", lambda: run(HELLO, engine="fast"), ValueError),
    Mistake("args", lambda: Wasi("name")),
    Mistake("args", lambda: Wasi(args=None)),
    Mistake("env", lambda: Wasi(env="A=1")),
    Mistake("env", lambda: Wasi(env={1: "x"})),
    Mistake("dirs", lambda: Wasi(dirs="data")),
    Mistake("dirs", lambda: Wasi(dirs=["data"])),
    Mistake("stdin", lambda: Wasi(stdin="text")),
    Mistake("stdin", lambda: Wasi(stdin=io.StringIO("text"))),
    Mistake("stdout", lambda: Wasi(stdout=Capture)),
    Mistake("stdout", lambda: Wasi(stdout="out.txt")),
    Mistake("stderr", lambda: Wasi(stderr=io.StringIO())),
    Mistake("clocks", lambda: Wasi(clocks=3)),
    Mistake("random", lambda: Wasi(random=b"1234")),
    Mistake("seed", lambda: Wasi(seed="x")),
    Mistake("listen", lambda: Wasi(listen="127.0.0.1:0")),
    Mistake("host", lambda: Dir(3)),
    Mistake("guest", lambda: Dir("x", Path("/"))),
    Mistake("limit", lambda: Capture("1MiB")),
    Mistake("files", lambda: MemoryDirectory(["a"])),
    Mistake("a.txt", lambda: MemoryDirectory({"a.txt": 3})),
    Mistake("models", lambda: NN(models=["m.onnx"])),
    Mistake("m", lambda: NN(models={"m": 3})),
    Mistake("m", lambda: NN(models={"m": []})),
    Mistake("backends", lambda: NN(backends="numpy")),
    Mistake("no backend", lambda: NN(backends={"onnx": "nobody"}), ValueError),
    Mistake("backends['onnx']", lambda: NN(backends={"onnx": 3})),
    Mistake("backends['onnx']", lambda: NN(backends={"onnx": ["numpy", 3]})),
    Mistake("strict", lambda: NN(strict="x")),
    Mistake("trust_guest_models", lambda: NN(trust_guest_models=3)),
    Mistake("copy_inputs", lambda: NN(copy_inputs=None)),
    Mistake("GraphConfig(target=...) must be a Target, as Target.GPU", lambda: GraphConfig(target="gpu")),
    Mistake("options", lambda: GraphConfig(options="x")),
    Mistake("tensor_bytes", lambda: GraphConfig(tensor_bytes="1MiB")),
    Mistake("several paths", lambda: NamedModel("wine.onnx")),
    Mistake("several paths", lambda: NamedModel(Path("wine.onnx"))),
    Mistake("each of NamedModel(paths=...)", lambda: NamedModel((3,))),
    Mistake("several addresses", lambda: NamedModel(addresses="oip+http://host/m")),
    Mistake("each of NamedModel(addresses=...)", lambda: NamedModel(addresses=(Path("m"),))),
    Mistake("encoding", lambda: NamedModel((DIGITS,), 3)),
    Mistake("GraphConfig(options={...})", lambda: NamedModel((DIGITS,), config={"threads": 2})),
    Mistake("each of TensorSpec(shape=...)", lambda: TensorSpec("x", DType.F32, (1, 2.0))),
    Mistake("each of TensorSpec(shape=...)", lambda: TensorSpec("x", DType.F32, (True,))),
    Mistake("a length that varies is None", lambda: TensorSpec("x", DType.F32, (-1, 4)), ValueError),
    Mistake("Tensor.from_numpy", lambda: Tensor(DType.F32, (2,), [1, 2])),
    Mistake("plugins", lambda: NN(plugins="file.py:Name")),
    Mistake("plugins", lambda: NN(plugins=[3])),
    Mistake("kept_bytes", lambda: NN(kept_bytes="1GiB")),
    Mistake("limits", lambda: NN(limits=3)),
    Mistake("observer", lambda: NN(observer=3)),
    Mistake("model", lambda: NN().load(3)),
    Mistake("model", lambda: NN().register("m", None)),
    Mistake("name", lambda: NN().register(3, "m.onnx")),
    Mistake("inputs", lambda: NN(backends={"onnx": "numpy"}).load(DIGITS).compute([numpy.zeros(64)])),
    Mistake("picture", lambda: NN(backends={"onnx": "numpy"}).load(DIGITS).compute(numpy.zeros(64))),
    Mistake("engine", lambda: Linker(engine="jit"), ValueError),
    Mistake("wasi", lambda: Linker({"env": {}})),
    Mistake("env::f", lambda: Linker().define("env", "f", 3)),
    Mistake("name", lambda: Linker().define("env", 3, len)),
    Mistake("things", lambda: Linker().define("env", "f", takes_a_list)),
    Mistake("instance", lambda: Linker().define_instance("env", EMPTY)),
    Mistake("module", lambda: Linker().instantiate("app.wasm")),
    Mistake("levels", lambda: Trace("host")),
    Mistake("budget", lambda: Trace(budget="many")),
    Mistake("ring", lambda: Trace(ring=-1), ValueError),
    Mistake("fuel", lambda: setattr(EMPTY.instantiate(limits=Limits(fuel=1)), "fuel", "2")),
]  # fmt: skip


def takes_a_list(things: list[int]) -> None: ...


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_wrong_argument_is_named_where_it_is_given(mistake: Mistake) -> None:
    with pytest.raises(mistake.kind) as caught:
        mistake.call()
    assert type(caught.value) is mistake.kind
    assert mistake.name in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_argument_of_a_guests_function_is_shown_with_the_functions_type() -> None:
    with Module.from_text('(module (func (export "f") (param i32 i64)))').instantiate() as app:
        with pytest.raises(TypeError, match=r"\[i32 i64\] -> \[\].*'1'"):
            app.exports.f("1", 2)
        with pytest.raises(ValueError, match=r"\[i32 i64\] -> \[\].*doesn't fit i32"):
            app.exports.f(1 << 33, 2)
        assert app.exports.f(numpy.int32(-1), numpy.uint8(3)) is None


def test_what_is_gone_through_once_serves_every_instance() -> None:
    wasi = Wasi(args=(word for word in ["program", "x"]), dirs=iter([Dir(MemoryDirectory(), "/")]))
    for _ in range(2):
        host = wasi.open(print)
        assert list(host.system.arguments) == [b"program", b"x"]
        host.close()


# Functions that take the import's type

ALL_TYPES = """
(module
  (import "host" "f" (func $f (param i32 i64 f32 f64 externref) (result i64 f32)))
  (func (export "main") (param externref) (result i64 f32)
    (call $f (i32.const -1) (i64.const -2) (f32.const 0.5) (f64.const 0.25) (local.get 0))))
"""


def test_a_function_without_annotations_takes_the_imports_type(start: Start) -> None:
    seen: list[tuple[Any, ...]] = []

    def f(a, b, c, d, e):  # type: ignore[no-untyped-def] # what is tested
        seen.append((a, b, c, d, e))
        return -3, 0.1

    def optional(a, b, c, d, e, g=7):  # type: ignore[no-untyped-def] # what is tested
        return f(a, b, c, d, e)

    for function in (
        f,
        functools.partial(f),
        Callee(f),
        optional,
    ):
        with start(ALL_TYPES, imports={"host": {"f": function}}) as instance:
            whole, part = instance.exports.main("a reference")
        assert (whole, type(whole), part) == (-3, int, pytest.approx(0.1))
        assert part != 0.1  # it was rounded to an f32
        assert seen.pop() == (-1, -2, 0.5, 0.25, "a reference")


class Callee:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *values: Any) -> Any:
        return self.function(*values)


def one_call(params: str, arguments: str, results: str = "") -> str:
    return f"""(module (import "host" "f" (func $f (param {params}) (result {results})))
      (memory (export "memory") 1) (data (i32.const 8) "text")
      (func (export "main") (result {results}) (call $f {arguments})))"""


def test_what_is_annotated_stays_so(start: Start) -> None:
    seen: list[object] = []

    def f(caller: Caller, text: Text, number, wide: U64 = 0):  # type: ignore[no-untyped-def] # what is tested
        seen.extend([caller.memory.read(8, 1), text, number, wide])
        return 7

    text = one_call("i32 i32 i64 i64", "(i32.const 8) (i32.const 4) (i64.const -1) (i64.const -1)", "i32")
    with start(text, imports={"host": {"f": f}}) as instance:
        assert instance.exports.main() == 7
    assert seen == [b"t", "text", -1, (1 << 64) - 1]


def test_each_import_of_a_function_gives_it_a_type(start: Start) -> None:
    text = """(module
      (import "host" "f" (func $i (param i32) (result i32)))
      (import "host" "f" (func $f (param f64 f64) (result f64)))
      (func (export "main") (result i32 f64)
        (call $i (i32.const 3)) (call $f (f64.const 1) (f64.const 2))))"""
    with start(text, imports={"host": {"f": lambda *values: sum(values) * 2}}) as instance:
        assert instance.exports.main() == (6, 6.0)
    with Linker() as linker:
        linker.define("host", "f", max)
        with pytest.raises(HostError):  # max(3): one number has no largest
            linker.instantiate(Module.from_text(text)).exports.main()


@pytest.mark.parametrize(
    ("function", "params", "said"),
    [
        (lambda: 0, "i32", r"\[i32\] -> \[i32\].*\[\] -> \[i32\]"),
        (lambda a, b: 0, "i32", r"\[i32 i32\] -> \[i32\]"),
        (lambda a, b, *rest: 0, "", r"\[i32 i32\] -> \[i32\]"),
    ],
)
def test_a_function_that_takes_another_number_of_values_is_no_import(
    function: Callable[..., int], params: str, said: str
) -> None:
    module = Module.from_text(f'(module (import "host" "f" (func (param {params}) (result i32))))')
    with pytest.raises(LinkError, match=f"incompatible import type for host::f.*{said}"):
        module.instantiate(imports={"host": {"f": function}})


def test_a_function_with_a_parameter_that_has_a_name_only_is_refused() -> None:
    with pytest.raises(TypeError, match="'level'"):
        Linker().define("env", "log", lambda *, level: None)


@pytest.mark.parametrize("answer", [None, "5", 1.5, 1 << 40, (1, 2)])
def test_an_answer_that_does_not_fit_the_imports_type_is_the_hosts_fault(
    start: Start, answer: object
) -> None:
    with (
        start(one_call("", "", "i32"), imports={"host": {"f": lambda: answer}}) as instance,
        pytest.raises(HostError, match=r"host\.f") as caught,
    ):
        instance.exports.main()
    assert type(caught.value.__cause__) in (TypeError, ValueError)


def test_a_function_in_place_of_something_else_is_a_link_error() -> None:
    with pytest.raises(LinkError, match="wants a global i32"):
        Module.from_text('(module (import "host" "f" (global i32)))').instantiate(
            imports={"host": {"f": lambda: 1}}
        )


def test_an_import_whose_type_is_open_to_others_is_met(start: Start) -> None:
    text = """(module (type $t (sub (func (param i32) (result i32)))) (import "host" "f" (func $f (type $t)))
                      (func (export "main") (result i32) (call $f (i32.const 4))))"""
    with start(text, imports={"host": {"f": lambda a: a + 1}}) as instance:
        assert instance.exports.main() == 5


# Coroutine functions


@pytest.mark.parametrize("way", ["table", "import"])
def test_a_coroutine_function_whose_type_is_said_is_awaited(engine: str, way: str) -> None:
    given = Module.from_text('(module (func (export "f") (result i32) (i32.const 42)))').instantiate()

    async def give() -> Func:
        await asyncio.sleep(0)
        return given.exports.f

    func = Func.of([], ["funcref"], give)
    from_ = Table.of("funcref", 1)
    from_[0] = func
    text = """(module (type $f (func (result i32))) (type $g (func (result funcref)))
      (import "host" "f" (func $give (type $g))) (import "host" "t" (table 1 funcref))
      (func (export "import") (result i32) (call_ref $f (ref.cast (ref $f) (call $give))))
      (func (export "table") (result i32)
        (call_ref $f (ref.cast (ref $f) (call_indirect (type $g) (i32.const 0))))))"""
    imports = {"host": {"f": func, "t": from_}}
    with given, Module.from_text(text).instantiate(engine=engine, imports=imports) as instance:
        assert instance.exports[way]() == 42


@pytest.mark.parametrize("awaited", [False, True])
def test_a_guest_that_a_coroutine_awaits_ends_with_the_deadline(start: Start, awaited: bool) -> None:
    endless = in_time(lambda: start('(module (func (export "main") (loop (br 0))))'))

    async def f(value: int) -> int:
        await endless.exports.main.call_async()
        return value

    limits = Limits(seconds=0.2)
    with endless, in_time(lambda: start(DOUBLE, imports={"host": {"f": f}}, limits=limits)) as instance:
        main = instance.exports.main
        with pytest.raises(DeadlineError, match=r"0\.2 s"):
            asyncio.run(main.call_async()) if awaited else main()
        with pytest.raises(Trap, match="interrupted"):
            endless.exports.main()


async def doubled(value):  # type: ignore[no-untyped-def] # it takes the import's type
    await asyncio.sleep(0)
    return 2 * value


async def typed_doubled(value: int) -> int:
    await asyncio.sleep(0)
    return 2 * value


DOUBLE = one_call("i32", "(i32.const 21)", "i32")


@pytest.mark.parametrize("function", [doubled, typed_doubled, functools.partial(doubled)])
def test_a_guest_waits_for_a_coroutine_function(start: Start, function: Callable[..., Any]) -> None:
    with start(DOUBLE, imports={"host": {"f": function}}) as instance:
        assert instance.exports.main() == 42
        assert instance.exports.main() == 42


def test_a_coroutine_function_runs_on_the_loop_that_awaits_the_guest(start: Start) -> None:
    """It waits for what another task of that loop does, on the loop's own thread."""
    places: list[object] = []

    async def main() -> int:
        ready = asyncio.Event()

        async def f(value: int) -> int:
            await ready.wait()
            places.extend([asyncio.get_running_loop(), threading.current_thread()])
            return value

        async def other() -> None:
            ready.set()

        with start(DOUBLE, imports={"host": {"f": f}}) as instance:
            result, _ = await asyncio.gather(instance.exports.main.call_async(), other())
        assert places == [asyncio.get_running_loop(), threading.current_thread()]
        return int(result)

    assert asyncio.run(main()) == 21


def test_a_loop_is_not_asked_to_wait_for_itself(start: Start) -> None:
    async def main() -> None:
        instance.exports.main()

    with (
        start(DOUBLE, imports={"host": {"f": doubled}}) as instance,
        pytest.raises(HostError, match="call_async"),
    ):
        asyncio.run(main())


@pytest.mark.parametrize("awaited", [False, True])
def test_what_a_coroutine_raises_is_a_host_error_and_a_deadline_ends_it(start: Start, awaited: bool) -> None:
    async def broken(value: int) -> int:
        raise OSError("no network")

    async def endless(value: int) -> int:
        await asyncio.Event().wait()
        return value

    def call(instance: Instance) -> None:
        asyncio.run(instance.exports.main.call_async()) if awaited else instance.exports.main()

    with (
        start(DOUBLE, imports={"host": {"f": broken}}) as instance,
        pytest.raises(HostError, match="network"),
    ):
        call(instance)
    limits = Limits(seconds=0.1)
    with (
        in_time(lambda: start(DOUBLE, imports={"host": {"f": endless}}, limits=limits)) as instance,
        pytest.raises(DeadlineError),
    ):
        call(instance)


# Imports that nobody gave

WANTING = """(module
  (import "env" "log" (func (param i32 i32))) (import "env" "log" (func (param i32 i32)))
  (import "env" "memory" (memory 1))
  (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func (param i32) (result i32)))
  (import "odd\\0a" "n" (global i32)))"""


def test_all_missing_imports_are_named_at_once_with_what_would_provide_them() -> None:
    with pytest.raises(LinkError) as caught:
        Module.from_text(WANTING).instantiate(imports={"env": {"lok": len}})
    error = caught.value
    assert error.missing == (
        ("env", "log"), ("env", "memory"), ("wasi_snapshot_preview1", "fd_write"),
        ("wasi_ephemeral_nn", "compute"), ("odd\n", "n"),
    )  # fmt: skip
    first, *rest = str(error).splitlines()
    assert first.startswith("unknown import env::log and ")
    assert [line.split(":")[0] for line in rest] == [
        "  env", "    log", "    memory", "  wasi_snapshot_preview1", "    fd_write", "  wasi_ephemeral_nn",
        "    compute", r"  odd\n", "    n",
    ]  # fmt: skip
    assert "    log: func [i32 i32] -> []" in rest
    notes = "\n".join(error.__notes__)
    assert all(text in notes for text in ("mean lok", "wasi=Wasi()", "nn=NN()", r'imports={"odd\n"'))
    same = pickle.loads(pickle.dumps(error))
    assert (same.missing, same.__notes__, str(same)) == (error.missing, error.__notes__, str(error))


def test_a_message_about_very_many_imports_is_not_endless() -> None:
    wanted = "".join(f'(import "env" "{"n" * 1000}{n}" (func))' for n in range(1000))
    with pytest.raises(LinkError) as caught:
        Module.from_text(f"(module {wanted})").instantiate()
    assert len(caught.value.missing) == 1000
    assert "960 more" in str(caught.value)
    assert len(str(caught.value)) < 20_000


# Before and without an instance


def test_types_of_imports_and_exports_are_known_before_there_is_an_instance() -> None:
    module = Module.from_text("""(module
      (type $f (func (param i32) (result i64)))
      (import "env" "f" (func (type $f))) (import "env" "g" (global (mut i32)))
      (import "env" "t" (tag (param i32)))
      (memory (export "memory") 1 4) (table (export "table") 2 funcref)
      (export "again" (func 0)) (export "g" (global 0)))""")
    f, g, t = module.import_types
    assert (f.module, f.name, f.kind, str(f.type)) == ("env", "f", ExternKind.FUNC, "[i32] -> [i64]")
    assert isinstance(f.type, FuncType)
    assert f.type.params == (I32,)
    assert isinstance(g.type, GlobalType)
    assert g.type.mutable
    assert (str(f), str(g), str(t)) == (
        "func env::f [i32] -> [i64]", "global env::g (mut i32)", "tag env::t [i32] -> []",
    )  # fmt: skip
    by_name = {export.name: export for export in module.export_types}
    assert list(by_name) == ["memory", "table", "again", "g"]
    assert isinstance(by_name["memory"].type, MemType)
    assert isinstance(by_name["table"].type, TableType)
    assert by_name["again"].type == f.type
    assert str(by_name["memory"]) == "memory memory 1 4"


REACTOR = """(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (global $ready (export "ready") (mut i32) (i32.const 0))
  (func (export "_initialize") {body} (global.set $ready (i32.add (global.get $ready) (i32.const 1)))))"""


def test_a_reactor_is_initialised_once(start: Start) -> None:
    with start(REACTOR.format(body=""), wasi=Wasi()) as instance:
        assert instance.exports.ready.value == 1
    with Linker(Wasi()) as linker:
        instance = linker.instantiate(Module.from_text(REACTOR.format(body="")))
        assert instance.exports.ready.value == 1


def test_a_reactor_that_fails_to_begin_is_closed(start: Start) -> None:
    closed = []

    class Provider:
        def open(self, report: object, limits: object) -> Provider:
            return self

        def lookup(self, module: str, name: str) -> None:
            return None

        def close(self) -> None:
            closed.append(True)

    for body, kind in (("(unreachable)", Trap), ("(call $exit (i32.const 3))", pywasm_nn.GuestExit)):
        with pytest.raises(kind):
            start(REACTOR.format(body=body), wasi=Wasi(), nn=Provider())
        assert closed.pop()


GIVES_UP = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1) (data (i32.const 0) "iris")
  (func (export "_start")
    (call $exit (i32.and (call $load (i32.const 0) (i32.const 4) (i32.const 16)) (i32.const {kept})))))"""


def test_a_failing_exit_says_what_failed(start: Start) -> None:
    with pytest.raises(pywasm_nn.GuestExit) as caught:
        start(GIVES_UP.format(kept=-1), wasi=Wasi(), nn=NN()).exports["_start"]()
    for end in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert end.code != 0
        assert [note for note in end.__notes__ if 'no model is named "iris"' in note]
    with pytest.raises(pywasm_nn.GuestExit) as caught:
        start(GIVES_UP.format(kept=0), wasi=Wasi(), nn=NN()).exports["_start"]()
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize("level", ["instr", "steps"])
def test_an_observer_of_instructions_wants_the_engine_that_has_them(level: str) -> None:
    observer = Trace(["instr"])
    observer.wants = frozenset({level})
    with pytest.raises(LinkError, match=f'engine compile can\'t observe {level}: say engine="interpret"'):
        Module.from_text("(module)").instantiate(observer=observer)
    with pytest.raises(LinkError, match=f"can't observe {level}"):
        component("").instantiate(observer=observer)


@pytest.mark.parametrize(
    "text",
    [
        '(module (func (export "_start")) (func (export "_initialize") unreachable))',
        '(module (func (export "_initialize") (param i32) unreachable))',
        '(module (global (export "_initialize") i32 (i32.const 0)))',
    ],
)
def test_what_is_no_reactor_is_not_initialised(start: Start, text: str) -> None:
    start(text).close()


def test_the_version_is_that_of_the_distribution() -> None:
    from importlib.metadata import version

    assert pywasm_nn.__version__ == version("pywasm-nn")


# Types


@functools.cache
def public() -> dict[str, Any]:
    """Everything public: what modules offer, and methods and properties of it that have a plain name."""
    found: dict[str, Any] = {}
    for module in (pywasm_nn, pywasm_nn.nn, pywasm_nn.wasi):
        for name in module.__all__:
            thing = getattr(module, name)
            found[name] = thing
            if not inspect.isclass(thing):
                continue
            for member, value in inspect.getmembers(thing):
                function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                if inspect.isfunction(function) and (member[0] != "_" or member in ("__init__", "__call__")):
                    found[f"{name}.{member}"] = function
    return {
        name: thing for name, thing in found.items() if inspect.isclass(thing) or inspect.isfunction(thing)
    }


@pytest.mark.parametrize("name", public())
def test_public_annotations_mean_something_at_run_time(name: str) -> None:
    assert isinstance(typing.get_type_hints(public()[name]), dict)


@pytest.mark.parametrize(
    "name", ["run", "Module.from_file", "Module.instantiate", "NN.load", "Linker.__init__"]
)
def test_no_parameter_is_of_any_type(name: str) -> None:
    hints = typing.get_type_hints(public()[name])
    assert hints
    assert Any not in hints.values()
