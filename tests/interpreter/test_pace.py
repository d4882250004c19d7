"""Decoding, validating and translating a body look at the clock, and end where they would be too much."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from pywasm_nn import Limits, Module
from pywasm_nn.errors import DeadlineError, MalformedError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile import Unsupported, Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.interpret.code import prepare
from pywasm_nn.interpreter.pace import STRIDE, OverworkError, Patience, Work, unhurried
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.meter import Metered
from pywasm_nn.interpreter.validate import validate_func, validate_module
from tests.fuzz import bodies

ADDITIONS = 20_000
ENGINES = ("interpret", "compile")


def additions(count: int = ADDITIONS) -> Module:
    return Module.from_bytes(bodies.module(b"\x41\1" + b"\x41\1\x6a" * count + b"\x1a"))


def decoded(patience: Patience) -> object:
    """A body that nobody has decoded before."""
    return additions().funcs[0].load(patience)


def impatient(looks: int) -> tuple[Patience, list[None]]:
    """A clock that strikes after so many looks, and those that there were."""
    seen: list[None] = []

    def patience() -> float | None:
        seen.append(None)
        if len(seen) > looks:
            raise DeadlineError(1)
        return None

    return patience, seen


def test_each_phase_looks_at_the_clock_in_each_stride() -> None:
    module, variant = additions(), Variant(Flavour.default())
    strides = 2 * ADDITIONS // STRIDE
    facts = validate_func(module, 0)
    for phase in (
        decoded,
        lambda patience: validate_func(module, 0, patience),
        lambda patience: translate(module, 0, facts, variant, patience),
        lambda patience: prepare(module, 0, Metered(), patience),
    ):
        patience, seen = impatient(10**9)
        phase(patience)
        assert len(seen) >= strides
        patience, seen = impatient(strides // 2)
        with pytest.raises(DeadlineError):
            phase(patience)
        assert len(seen) == strides // 2 + 1


def most_calls(phase: Callable[[Patience], object]) -> int:
    """How many functions are called between two looks at the clock, at most; not those that are called when
    what was made goes, as the dictionary of types does for each."""
    since, most = 0, 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal since
        since += event == "call"

    def patience() -> None:
        nonlocal since, most
        since, most = 0, max(most, since)

    sys.setprofile(counted)
    try:
        made = phase(patience)
        patience()
    finally:
        sys.setprofile(None)
    del made
    return most


@pytest.mark.parametrize("count", [1_000, 5_000])
def test_definitions_of_types_look_at_the_clock(count: int) -> None:
    """Each type takes a dozen calls; however many there are, some hundred are between two looks."""
    types = [
        bodies.func_type([0x7F - (number >> bit & 1) for bit in range(16)], ()) for number in range(count)
    ]
    data = bodies.binary(bodies.section(1, bodies.vector(types)))

    def checked(patience: Patience) -> object:
        module = decode(data, patience=patience)
        validate_module(module, patience)
        return module

    assert most_calls(checked) < 5_000


LONG = 20_000
LONG_LISTS = {
    "custom sections": bodies.section(0, b"\1x") * LONG,
    "runs of locals": bodies.body_section(b"", bodies.leb(LONG) + b"\1\x7f" * LONG),
    "parameters": bodies.section(1, b"\1\x60" + bodies.leb(LONG) + b"\x63\x70" * LONG + b"\0"),
}


@pytest.mark.parametrize("name", LONG_LISTS)
def test_long_lists_look_at_the_clock(name: str) -> None:
    data = bodies.binary(LONG_LISTS[name])
    assert most_calls(lambda patience: decode(data, patience=patience)) < 10_000


@pytest.mark.parametrize(
    "instruction",
    [
        b"\x0e" + bodies.leb(1000) + b"\0" * 1001,
        b"\x1c" + bodies.leb(1000) + b"\x7f" * 1000,
        b"\x1f\x40" + bodies.leb(1000) + b"\2\0" * 1000 + b"\x0b",
    ],
    ids=["targets", "types of a selection", "catches"],
)
def test_lists_in_bodies_look_at_the_clock(instruction: bytes) -> None:
    func = decode(bodies.module(instruction * 50)).funcs[0]
    assert most_calls(func.load) < 5_000


@pytest.mark.parametrize("instruction", [b"\x0e", b"\x1c", b"\x1f\x40"])
def test_lists_have_a_limit(instruction: bytes) -> None:
    body = bodies.module(instruction + bodies.leb(1_000_001) + b"\0" * 1_000_002)
    with pytest.raises(MalformedError, match="too many entries: there may be 1000000"):
        decode(body).funcs[0].load(unhurried)


def test_what_would_take_longer_than_is_left_is_interpreted_and_compiled_for_others() -> None:
    module = additions()
    facts = validate_func(module, 0)
    with pytest.raises(Unsupported, match=r"to compile, with .* s left") as caught:
        translate(module, 0, facts, Variant(Flavour.default()), lambda: 0.01)
    assert caught.value.now
    translation = translate(module, 0, facts, Variant(Flavour.default()), lambda: 60.0)
    with pytest.raises(Unsupported, match="left"):
        translation.compile(lambda: 1e-6)
    with module.instantiate() as instance:
        instance.exports.f()
        assert "1 compiled" in instance.engine.summary(instance)


def test_work_ends_where_it_is_too_much() -> None:
    work = Work(unhurried, 3 * STRIDE)
    with pytest.raises(OverworkError):
        for _ in range(5):
            work.spend(STRIDE)
    assert work.done == 4 * STRIDE


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_of_long_lists_is_interpreted(engine: str) -> None:
    module = Module.from_bytes(bodies.defaults(500, 2000))
    with module.instantiate(engine=engine) as instance:
        instance.exports.f()
        if engine == "compile":
            assert "1 interpreted" in instance.engine.summary(instance)


@pytest.mark.parametrize("engine", ENGINES)
def test_instantiating_looks_at_the_clock(engine: str) -> None:
    module = Module.from_bytes(bodies.elements(300_000))
    with pytest.raises(DeadlineError):
        module.instantiate(engine=engine, limits=Limits(seconds=0.001))


@pytest.mark.parametrize("engine", ENGINES)
def test_instructions_in_a_row_look_at_the_clock(engine: str) -> None:
    """Few of them, and no loop."""
    module = Module.from_bytes(bodies.vectors(20_000))
    with module.instantiate(engine=engine, limits=Limits(seconds=30)) as instance:
        instance.exports.f()
        instance.namespace["halted"] = True
        with pytest.raises(DeadlineError):
            instance.funcs[0].callable()


def test_functions_of_a_binary_are_made_when_they_are_asked_for() -> None:
    module = Module.from_bytes(bodies.spread_locals(3))
    assert len(module.funcs) == 3
    assert module.funcs[0] is module.funcs[0]
    assert module.funcs[-1] is module.funcs[-1]
    assert module.funcs[1:] == tuple(module.funcs)[1:]
    assert module.funcs == tuple(module.funcs) == Module.from_bytes(module.data).funcs
    with pytest.raises(IndexError):
        module.funcs[3]


def test_what_browsers_refuse_is_refused() -> None:
    with pytest.raises(MalformedError, match="too many entries"):
        Module.from_bytes(bodies.binary(bodies.section(1, bodies.leb(1_000_001) + bodies.EMPTY * 1_000_001)))
    with pytest.raises(MalformedError, match="function too large"):
        Module.from_bytes(bodies.module(b"\1" * 7_654_321))
