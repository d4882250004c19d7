"""The host seam: plain typed functions as imports, and whose fault an exception is."""

from __future__ import annotations

import time
from collections.abc import Callable
from struct import pack, unpack
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import DeadlineError, GuestExit, HostError, LimitError, LinkError, Trap, TrapKind
from pywasm_nn.host import (
    S64,
    U8,
    U16,
    U32,
    U64,
    Caller,
    Face,
    Float32,
    Out,
    Pointer,
    Span,
    Text,
    host_function,
)
from pywasm_nn.interpreter.runtime.instance import Func, Instance
from pywasm_nn.interpreter.runtime.observe import HostEvent, Observer
from pywasm_nn.interpreter.types import F64, I32, I64, FuncType
from pywasm_nn.limits import Limits

Start = Callable[..., Instance]


def guest(signature: str, arguments: str, result: str = "") -> str:
    """A module whose `main` calls the import host::f with constants; its memory holds text at 16."""
    return f"""(module
      (import "host" "f" (func $f {signature}))
      (memory (export "memory") 1)
      (data (i32.const 16) "h\\c3\\a9llo\\ff")
      (func (export "main") {result} (call $f {arguments})))"""


def test_annotations_give_the_core_type() -> None:
    def f(a: int, b: float, c: bool, d: U64, e: Text, caller: Caller, g: Span, h: Out[U32]) -> S64:
        return 0

    assert host_function(f).type == FuncType((I32, F64, I32, I64, I32, I32, I32, I32, I32), (I64,))


def test_plain_functions_see_signed_ints(start: Start) -> None:
    seen: list[Any] = []

    def f(a: int, b: float, c: S64) -> int:
        seen.extend([a, b, c])
        return -7

    text = guest(
        "(param i32 f64 i64) (result i32)", "(i32.const -1) (f64.const 2.5) (i64.const -3)", "(result i32)"
    )
    assert start(text, imports={"host": {"f": f}}).exports.main() == -7
    assert seen == [-1, 2.5, -3]


@pytest.mark.parametrize(("type_", "given", "fits"), [(U8, 255, True), (U8, 256, False), (U16, -1, False)])
def test_a_number_too_large_for_its_type_is_a_trap(start: Start, type_: Any, given: int, fits: bool) -> None:
    seen: list[int] = []

    def f(a: int) -> None:
        seen.append(a)

    f.__annotations__["a"] = type_
    instance = start(guest("(param i32)", f"(i32.const {given})"), imports={"host": {"f": f}})
    if fits:
        instance.exports.main()
    else:
        with pytest.raises(Trap, match="no such value") as caught:
            instance.exports.main()
        assert caught.value.kind is TrapKind.NO_SUCH_VALUE
    assert seen == [given] * fits


def test_a_float32_is_rounded_on_its_way_to_the_guest(start: Start) -> None:
    def tenth(whole: Float32) -> Float32:
        return whole / 10

    instance = start(
        guest("(param f32) (result f32)", "(f32.const 1)", "(result f32)"), imports={"host": {"f": tenth}}
    )
    assert instance.exports.main() == unpack("<f", pack("<f", 0.1))[0] != 0.1


def test_a_function_may_give_back_several_numbers(start: Start) -> None:
    def divide(a: int, b: int) -> tuple[int, U64, float]:
        return a // b, a % b, a / b

    instance = start(
        """(module (import "host" "divide" (func $divide (param i32 i32) (result i32 i64 f64)))
                   (func (export "main") (param i32 i32) (result i32 i64 f64)
                     (call $divide (local.get 0) (local.get 1))))""",
        imports={"host": {"divide": divide}},
    )
    assert instance.exports.main(-7, 2) == (-4, 1, -3.5)
    with pytest.raises(HostError) as caught:
        instance.exports.main(1, 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_as_many_numbers_as_the_annotation_says(start: Start) -> None:
    def pair() -> tuple[int, int]:
        return (1, 2, 3)  # type: ignore[return-value] # the mistake that is tested

    instance = start(
        """(module (import "host" "pair" (func $pair (result i32 i32)))
                   (func (export "main") (result i32 i32) (call $pair)))""",
        imports={"host": {"pair": pair}},
    )
    with pytest.raises(HostError, match="pair"):
        instance.exports.main()


def test_a_result_that_is_no_number_is_the_hosts_fault(start: Start) -> None:
    def wrong() -> int:
        result: Any = "three"
        return result  # type: ignore[no-any-return] # the mistake that is tested

    instance = start(guest("(result i32)", "", "(result i32)"), imports={"host": {"f": wrong}})
    with pytest.raises(HostError, match=r"host\.f: TypeError: 'three' was returned, i32 is wanted"):
        instance.exports.main()


def test_text_spans_and_outs(start: Start) -> None:
    def f(text: Text, span: Span, out: Out[U64]) -> None:
        span[:] = text.upper().encode()
        out.set(1 << 40)

    text = guest(
        "(param i32 i32 i32 i32 i32)",
        "(i32.const 16) (i32.const 6) (i32.const 32) (i32.const 6) (i32.const 64)",
    )
    instance = start(text, imports={"host": {"f": f}})
    instance.exports.main()
    assert instance.memory.read(32, 6).decode() == "HÉLLO"
    assert instance.memory.load("u64", 64) == 1 << 40


def test_a_bad_pointer_traps_before_the_function_runs(start: Start) -> None:
    ran: list[int] = []

    def f(pointer: Out[U64]) -> None:
        ran.append(1)

    instance = start(guest("(param i32)", "(i32.const 65529)"), imports={"host": {"f": f}})
    with pytest.raises(Trap) as caught:
        instance.exports.main()
    assert caught.value.kind is TrapKind.OUT_OF_BOUNDS_MEMORY
    assert not ran


@pytest.mark.parametrize(
    "error",
    [
        IndexError("list"),
        ZeroDivisionError("by zero"),
        ValueError("v"),
        KeyError("k"),
        RecursionError("deep"),
    ],
)
def test_what_a_host_function_raises_is_never_a_trap(start: Start, error: Exception) -> None:
    def f() -> None:
        def deeper(levels: int) -> None:
            if levels:
                deeper(levels - 1)
            raise error

        deeper(600)

    instance = start(guest("", ""), imports={"host": {"f": f}})
    for _ in range(2):
        with pytest.raises(HostError, match=f"host.f: {type(error).__name__}") as caught:
            instance.exports.main()
        assert caught.value.__cause__ is error


def test_an_interruption_in_a_host_function_poisons_the_instance(start: Start) -> None:
    def f() -> None:
        raise KeyboardInterrupt

    instance = start(guest("", ""), imports={"host": {"f": f}})
    with pytest.raises(KeyboardInterrupt):
        instance.exports.main()
    with pytest.raises(Trap) as caught:
        instance.exports.main()
    assert caught.value.kind is TrapKind.POISONED and not caught.value.detail


@pytest.mark.parametrize("limit", ["fuel", "host_calls"])
def test_a_later_call_is_told_which_limit_stopped_the_instance(start: Start, limit: str) -> None:
    limits = Limits(**{limit: 0})
    instance = start(guest("", ""), imports={"host": {"f": lambda: None}}, limits=limits)
    with pytest.raises(LimitError):
        instance.exports.main()
    with pytest.raises(Trap, match=f'any more: its limit "{limit}" was reached$'):
        instance.exports.main()
    instance.close()
    with pytest.raises(Trap, match="instance is closed"):
        instance.exports.main()


def test_exit_and_traps_of_host_functions_pass_as_they_are(start: Start) -> None:
    for error in (GuestExit(3), Trap(TrapKind.UNREACHABLE, "asked for")):
        instance = start(guest("", ""), imports={"host": {"f": raiser(error)}})
        with pytest.raises(type(error)) as caught:
            instance.exports.main()
        assert caught.value is error


def raiser(error: Exception) -> Callable[[], None]:
    def f() -> None:
        raise error

    return f


def test_a_function_without_a_crossing_is_refused_by_name() -> None:
    def f(things: list[int]) -> None: ...

    with pytest.raises(TypeError, match="f, parameter 'things'"):
        host_function(f)


def test_a_result_that_cannot_be_given_back_is_refused_by_name() -> None:
    def text() -> Text: ...  # type: ignore[empty-body] # only its annotation is read
    def mixed() -> tuple[int, Text]: ...  # type: ignore[empty-body] # only its annotation is read

    for function in (text, mixed):
        with pytest.raises(TypeError, match=f"{function.__name__}, result: only numbers"):
            host_function(function)


def test_a_mistyped_import_is_a_link_error(start: Start) -> None:
    def f(a: float) -> None: ...

    with pytest.raises(LinkError, match="incompatible import type for host::f"):
        start(guest("(param i32)", "(i32.const 1)"), imports={"host": {"f": f}})
    with pytest.raises(LinkError, match="unknown import host::f"):
        start(guest("", ""), imports={"host": {}})


class Model:
    def __init__(self) -> None:
        self.calls: list[Any] = []


FACE = Face("host", lambda error: 8 if isinstance(error, LookupError) else None)


@FACE.function
def f(model: Model, address: Pointer, out: Out[U32]) -> None:
    model.calls.append(address)
    if address == 13:
        raise LookupError("no such thing")
    if address == 14:
        raise ArithmeticError("broken")
    out.set(address * 2)


def calling(face_argument: int) -> str:
    return guest(
        "(param i32 i32) (result i32)", f"(i32.const {face_argument}) (i32.const 128)", "(result i32)"
    )


def test_a_face_answers_numbers_for_the_errors_it_knows(start: Start) -> None:
    model = Model()
    with_face = {"host": {"f": FACE.lookup("f", model)}}
    instance = start(calling(21), imports=with_face)
    assert instance.exports.main() == 0
    assert instance.memory.load("u32", 128) == 42
    assert start(calling(13), imports=with_face).exports.main() == 8
    with pytest.raises(HostError, match=r"host\.f: ArithmeticError: broken"):
        start(calling(14), imports=with_face).exports.main()
    assert model.calls == [21, 13, 14]
    assert FACE.lookup("g", model) is None


class Watcher(Observer):
    wants = frozenset({"host"})

    def __init__(self) -> None:
        self.events: list[HostEvent] = []

    def host_call(self, event: HostEvent) -> None:
        self.events.append(event)


def test_every_host_call_can_be_watched_with_its_lifted_arguments_and_reason(start: Start) -> None:
    watcher = Watcher()
    with_face = {"host": {"f": FACE.lookup("f", Model())}}
    start(calling(21), imports=with_face, observer=watcher).exports.main()
    start(calling(13), imports=with_face, observer=watcher).exports.main()
    with pytest.raises(HostError):
        start(calling(14), imports=with_face, observer=watcher).exports.main()
    good, refused, broken = watcher.events
    assert (good.module, good.name, good.arguments, good.result) == (
        "host",
        "f",
        (("address", 21), ("out", 42)),
        0,
    )
    assert (refused.result, type(refused.error)) == (8, LookupError)
    assert (broken.result, type(broken.error)) == (None, HostError)


def test_a_function_whose_type_is_said() -> None:
    seen: list[tuple[object, ...]] = []

    def mixed(*given: object) -> tuple[int, float]:
        seen.append(given)
        return -1, 0.1

    module = Module.from_text(
        """(module (import "h" "mixed" (func $mixed (param i32 i64 f32) (result i64 f32)))
        (import "h" "none" (func $none)) (import "h" "bad" (func $bad (result i32)))
        (func (export "mixed") (param i32 i64 f32) (result i64 f32)
          (call $none) (call $mixed (local.get 0) (local.get 1) (local.get 2)))
        (func (export "bad") (result i32) (call $bad)))"""
    )
    imports = {
        "mixed": Func.of(["i32", "i64", "f32"], ["i64", "f32"], mixed),
        "none": Func.of([], [], lambda: None),
        "bad": Func.of([], ["i32"], lambda: "text"),
    }
    for engine in ("compile", "interpret"):
        with module.instantiate(imports={"h": imports}, engine=engine) as app:
            assert app.exports.mixed(-5, 1 << 63, 0.5) == (-1, 0.10000000149011612)
            with pytest.raises(HostError, match="i32 wants an int"):
                app.exports.bad()
    assert seen == [(-5, -(1 << 63), 0.5)] * 2
    assert imports["none"]() is None
    with pytest.raises(ValueError, match="i33"):
        Func.of(["i33"], [], mixed)
    with pytest.raises(TypeError, match="must be callable"):
        Func.of([], [], 5)
    with pytest.raises(LinkError, match="incompatible import type"):
        module.instantiate(imports={"h": imports | {"none": Func.of(["i32"], [], print)}})


def nothing() -> None:
    """What a guest may import that needs something."""


WAITING = """(module (import "host" "wait" (func $wait)) (import "host" "pass" (func $pass))
  (func (export "wait") (call $wait)) (func (export "pass") (call $pass)))"""


def test_a_function_that_waits_is_told_how_long_it_may(start: Start) -> None:
    """It counts down to the deadline, and ends whoever asks after it, with the guest's error."""
    told: list[float | None] = []

    def wait(caller: Caller) -> None:
        while True:
            told.append(caller.remaining)
            time.sleep(caller.remaining or 0)

    instance = start(WAITING, imports={"host": {"wait": wait, "pass": nothing}}, limits=Limits(seconds=2))
    with pytest.raises(DeadlineError, match="2 s"):
        instance.exports.wait()
    seconds = [each for each in told if each is not None]
    assert len(seconds) == len(told)
    assert seconds == sorted(seconds, reverse=True)
    assert 0 < seconds[-1] <= seconds[0] <= 2


def test_a_function_may_wait_for_ever_where_nobody_set_a_deadline(start: Start) -> None:
    told: list[float | None] = []

    def wait(caller: Caller) -> None:
        told.append(caller.remaining)

    start(WAITING, imports={"host": {"wait": wait, "pass": nothing}}, limits=Limits()).exports.wait()
    assert told == [None]


def test_a_function_is_told_the_time_of_whoever_was_entered(start: Start) -> None:
    """Not of the instance that calls it."""
    told: list[float | None] = []

    def wait(caller: Caller) -> None:
        told.append(caller.remaining)

    def onward() -> None:
        inner.exports.wait()

    imports: dict[str, Any] = {"host": {"wait": wait, "pass": nothing}}
    inner = start(WAITING, imports=imports, limits=Limits(seconds=1000))
    outer = start(WAITING, imports={"host": {"wait": wait, "pass": onward}}, limits=Limits(seconds=50))
    outer.exports["pass"]()
    inner.exports.wait()
    assert told[0] is not None and told[1] is not None
    assert told[0] <= 50 < told[1] <= 1000


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_a_host_function_reads_and_calls_its_guest(engine: str) -> None:
    module = Module.from_text(
        """(module (import "env" "ask" (func $ask (param i32) (result i32)))
             (memory (export "memory") 1) (data (i32.const 8) "hello") (global $n (mut i32) (i32.const 0))
             (func (export "length") (param i32) (result i32)
               (global.set $n (i32.const 37)) (i32.const 5))
             (func (export "go") (result i32) (i32.add (call $ask (i32.const 8)) (global.get $n))))"""
    )

    def ask(caller: Caller, at: int) -> int:
        return len(caller.memory.read(at, caller.exports.length(at)).rstrip(b"o"))

    app = module.instantiate(imports={"env": {"ask": ask}}, engine=engine)
    assert app.exports.go() == 41
    assert "caller.exports.malloc" in (Caller.__doc__ or "")


def annotated() -> int:
    return None  # type: ignore[return-value] # the mistake


@pytest.mark.parametrize("engine", ["compile", "interpret"])
@pytest.mark.parametrize("limits", [None, Limits(host_calls=9)])
def test_a_result_of_another_type(engine: str, limits: Limits | None) -> None:
    module = Module.from_text(
        """(module (import "env" "next" (func $next (result i32)))
             (func (export "go") (result i32) (call $next)))"""
    )
    line = annotated.__code__.co_firstlineno
    for function in (annotated, lambda: None, lambda: "text"):
        app = module.instantiate(imports={"env": {"next": function}}, engine=engine, limits=limits)
        with pytest.raises(HostError, match=r"was returned, i32 is wanted \(test_host\.py:\d+\)") as caught:
            app.exports.go()
        assert isinstance(caught.value.__cause__, TypeError)
        assert function is not annotated or f"None was returned, i32 is wanted (test_host.py:{line})" in str(
            caught.value
        )


def test_a_type_error_of_the_function_itself_stays() -> None:
    module = Module.from_text('(module (import "e" "f" (func $f (result i32))) (export "f" (func $f)))')

    def wrong() -> int:
        return len(3)  # type: ignore[arg-type] # the mistake

    with pytest.raises(HostError, match=r"e\.f: TypeError: object of type 'int' has no len"):
        module.instantiate(imports={"e": {"f": wrong}}).exports.f()


def test_a_coroutine_of_another_type() -> None:
    async def late() -> int:
        return None  # type: ignore[return-value] # the mistake

    module = Module.from_text('(module (import "e" "f" (func $f (result i32))) (export "f" (func $f)))')
    with pytest.raises(HostError, match=r"None was returned, i32 is wanted \(test_host\.py:"):
        module.instantiate(imports={"e": {"f": late}}).exports.f()


UNFIT = [
    (int, 1.5, "1.5 was returned, i32 is wanted"),
    (int, "5", "'5' was returned, i32 is wanted"),
    (int, b"5", "b'5' was returned, i32 is wanted"),
    (int, "x", "'x' was returned, i32 is wanted"),
    (int, 1 << 32, "4294967296 was returned, which doesn't fit i32"),
    (int, -(1 << 31) - 1, "-2147483649 was returned, which doesn't fit i32"),
    (U64, 1 << 64, "18446744073709551616 was returned, which doesn't fit i64"),
    (U32, 7.0, "7.0 was returned, i32 is wanted"),
    (bool, "yes", "'yes' was returned, i32 is wanted"),
    (float, "1.5", "'1.5' was returned, f64 is wanted"),
    pytest.param(float, 10**400, "was returned, which doesn't fit f64", id="huge"),
    (tuple[int, float], (1, 2.0, 3), "(1, 2.0, 3) was returned, which doesn't fit i32 f64"),
    (tuple[int, int], (1, 1.5), "(1, 1.5) was returned, i32 i32 is wanted"),
]  # fmt: skip


def returning(annotation: Any, value: Any) -> tuple[Module, Callable[[], Any]]:
    """A function with an annotated result, and a module that gives back what it imports."""

    def give() -> Any:
        return value

    give.__annotations__["return"] = annotation
    results = " ".join(map(str, host_function(give).type.results))  # type: ignore[union-attr] # typed
    return Module.from_text(
        f"""(module (import "e" "f" (func $f (result {results})))
              (func (export "go") (result {results}) (call $f)))"""
    ), give


@pytest.mark.parametrize(("annotation", "value", "said"), UNFIT)
@pytest.mark.parametrize("is_observed", [False, True])
def test_an_annotated_result_must_be_exact(annotation: Any, value: Any, said: str, is_observed: bool) -> None:
    module, give = returning(annotation, value)
    observer = Calls() if is_observed else None
    app = module.instantiate(imports={"e": {"f": give}}, observer=observer)
    with pytest.raises(HostError) as caught:
        app.exports.go()
    assert f"{said} (test_host.py:{give.__code__.co_firstlineno})" in str(caught.value)


class Calls(Observer):
    wants = frozenset({"host"})


class Whole:
    """An integer of another library, as numpy's."""

    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("annotation", "value", "given"),
    [
        (int, -1, -1),
        (int, (1 << 32) - 1, -1),
        (int, -(1 << 31), -(1 << 31)),
        (int, True, 1),
        (int, Whole(), 7),
        (U64, (1 << 64) - 1, -1),
        (bool, True, 1),
        (bool, 5, 5),
        (float, 3, 3.0),
        (Float32, 0.1, unpack("f", pack("f", 0.1))[0]),
        (tuple[int, float], [1, 2], (1, 2.0)),
    ],
)
def test_exact_results(annotation: Any, value: Any, given: Any) -> None:
    module, give = returning(annotation, value)
    assert module.instantiate(imports={"e": {"f": give}}).exports.go() == given


def test_results_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    for annotation, value, given in (
        (int, numpy.int64(5), 5), (bool, numpy.bool_(True), 1), (float, numpy.float32(0.5), 0.5)
    ):  # fmt: skip
        module, give = returning(annotation, value)
        assert module.instantiate(imports={"e": {"f": give}}).exports.go() == given
    module, give = returning(int, numpy.float32(7.5))
    with pytest.raises(HostError, match="was returned, i32 is wanted"):
        module.instantiate(imports={"e": {"f": give}}).exports.go()
