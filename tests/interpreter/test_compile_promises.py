"""What the intermediate form promises: the checker sees each promise broken, and operands keep them, whatever
they are made of. What is not here: that generated code does what the guest's means (`test_compile_random.py`
and its neighbours, in which every tree is checked)."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn import Module
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.forms import check as checking
from pywasm_nn.interpreter.compile.forms.check import BrokenPromise, check, check_text, evaluated
from pywasm_nn.interpreter.compile.forms.integers import (
    MASK,
    canonical,
    condition,
    fits_signed,
    narrowed,
    signed,
)
from pywasm_nn.interpreter.compile.forms.operands import (
    BINARY,
    LOW,
    NEAR,
    NO_FACTS,
    RAW,
    STATE,
    TRAP,
    VAR,
    Operand,
    added,
    arithmetic,
    binary,
    bounded,
    called,
    chain,
    choice,
    compared,
    constant,
    item,
    joined,
    let,
    literal,
    minus,
    named,
    number,
    stacked,
    total,
    unary,
    variable,
    word,
)
from pywasm_nn.interpreter.compile.forms.tree import (
    Assign,
    Block,
    Br,
    Do,
    For,
    If,
    Label,
    Leave,
    Line,
    Loop,
    Seq,
    Switch,
    Try,
    When,
)
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

from ..conftest import examples

GUESTS = Path(__file__).parents[1] / "guests"
L0, L1, V0, V1 = named(0, 0, 9), named(1, 0, 9), stacked(0, 0, 99), stacked(1, 0, 99)
GIVEN = L0.reads | L1.reads
"""The locals are set when the trees below begin."""


def trapping(operand: Operand) -> Operand:
    return bounded(operand, operand.lo, operand.hi, operand.flags | TRAP)


def call_of(name: str, *parts: Operand) -> Operand:
    return trapping(called(word(name), parts, 0, 9))


def load_of(index: Operand) -> Operand:
    return trapping(item("u8", index, 0, 9))


GLOBAL = variable("g0", 0, 9, flags=STATE)


def choice_of(then: Seq, orelse: Seq) -> If:
    node = If(L0)
    node.then, node.orelse = then, orelse
    return node


def loop_of(body: Seq, counts: For | None = None) -> Loop:
    node = Loop(counts)
    node.body = body
    return node


def block_of(label: Label, *body: object) -> Block:
    return Block(label, list(body))  # type: ignore[arg-type]  # nodes, as the tests write them


def switch_of(*arms: Seq) -> Switch:
    node = Switch(L0, range(len(arms)))
    node.arms = list(arms)
    return node


def try_of(body: Seq) -> Try:
    node = Try(())
    node.body = body
    return node


def hiding(flags: int = 0, reads: int = 0) -> Operand:
    """An operand that doesn't say what is in it."""
    operand = binary("+", call_of("func1", L0) if flags else L1, number(1))
    operand.flags &= ~flags
    operand.reads &= ~reads
    return operand


HERE, OUT = Label(), Label()
BROKEN: dict[str, tuple[str, Seq]] = {
    "effect": ("hides an effect", [Assign(V0, hiding(flags=TRAP), 1)]),
    "reads": ("hides what it reads", [Assign(V0, hiding(reads=L1.reads))]),
    "value": ("has another value", [Assign(V0, bounded(constant(5), 6, 6))]),
    "too large": ("is too large", [Assign(named(1, 0, 9), named(0, 0, 10))]),
    "negative": ("is too large", [Assign(named(1, 0, 9), named(0, -1, 9))]),
    "truth": ("is a truth value", [Assign(V0, compared("<", L0, L1))]),
    "raw": ("nobody may see|anybody may see", [Assign(V0, variable("f", flags=VAR | RAW))]),
    "returned raw": ("anybody may see", [Leave([variable("f", flags=VAR | RAW)])]),
    "returned truth": ("anybody may see", [Leave([compared("<", L0, L1)])]),
    "two traps": ("several ways", [Assign(V0, binary("+", load_of(L0), load_of(L1)), 1)]),
    "where": ("doesn't know where", [Assign(V0, load_of(L0))]),
    "condition's trap": ("doesn't know where", [If(load_of(L0))]),
    "order": ("after what may change it", [Assign(V0, binary("+", call_of("func1", L0), GLOBAL), 1)]),
    "order of a choice": (
        "after what may change it",
        [Assign(V0, choice(call_of("func1", L0), GLOBAL, L0), 1)],
    ),
    "unset": ("before it is set", [Assign(L0, V0)]),
    "unset index": ("before it is set", [Assign(item("u8", V0), L0, 1)]),
    "unset condition": ("before it is set", [If(V0)]),
    "unset switch": ("before it is set", [Switch(V0, (0, 1))]),
    "returned unset": ("before it is set", [Leave([V0])]),
    "one arm": (
        "before it is set",
        [block_of(HERE, choice_of([Assign(V0, L0)], [])), Leave([V0])],
    ),
    "one branch": (
        "before it is set",
        [block_of(HERE, choice_of([Br(HERE)], [Assign(V0, L0)])), Leave([V0])],
    ),
    "one case": (
        "before it is set",
        [block_of(HERE, switch_of([Assign(V0, L0)], [Br(HERE)])), Leave([V0])],
    ),
    "when": ("before it is set", [When(L0, [Assign(V0, L1)]), Leave([V0])]),
    "try": ("before it is set", [try_of([Assign(V0, L0)]), Leave([V0])]),
    "behind": ("is followed", [choice_of([], []), Assign(V0, L0)]),
    "bound": ("before it is set", [loop_of([], For(L0, number(0), V0, None, Assign(L0, L0)))]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_promise_is_seen(name: str) -> None:
    what, tree = BROKEN[name]
    with pytest.raises(BrokenPromise, match=what):
        check(tree, GIVEN)


KEPT: dict[str, Seq] = {
    "statement": [Do(call_of("func1", L0), 1)],
    "line": [Assign(V0, load_of(L0), 1), Assign(V1, V0), Leave([V1])],
    "effects of the same": [Assign(V0, binary("+", GLOBAL, call_of("func1", L0)), 1)],
    "a load changes nothing": [Assign(V0, binary("+", load_of(L0), GLOBAL), 1)],
    "both arms": [
        block_of(HERE, choice_of([Assign(V0, L0), Br(HERE)], [Assign(V0, L1)])),
        Leave([V0]),
    ],
    "left loop": [_loop := loop_of([choice_of([Assign(V0, L0), Br(OUT)], [])]), Leave([V0])],
    "counted": [
        loop_of([Assign(V0, named(2, 0, 9))], For(named(2, 0, 9), number(0), L0, None, Assign(L1, L1))),
        Leave([named(2, 0, 9)]),
    ],
}
_loop.end = OUT


@pytest.mark.parametrize("name", KEPT)
def test_kept_promises_pass(name: str) -> None:
    check(KEPT[name], GIVEN)


# Operands

Values = dict[str, int]
EDGES = [0, 1, -1, 1 << 30, 1 << 31, -(1 << 31), 1 << 32, -(1 << 32), 1 << 63, -(1 << 63), 1 << 64]


@st.composite
def leaves(draw: st.DrawFn) -> Operand:
    """A constant, or one of two locals in a range of up to four numbers, some of which are at an edge."""
    base = draw(st.sampled_from(EDGES)) + draw(st.integers(-2, 1))
    if draw(st.booleans()):
        return number(base)
    flags = VAR | draw(st.sampled_from([0, NEAR, LOW, NEAR | LOW]))
    return named(draw(st.integers(0, 1)), base, base + draw(st.integers(0, 3)), flags)


def operations(inner: st.SearchStrategy[Operand]) -> st.SearchStrategy[Operand]:
    return st.one_of(
        st.builds(applied, st.sampled_from(sorted(BINARY)), inner, inner),
        st.builds(lambda x, y: choice(compared("<", x, y), x, y), inner, inner),
        st.builds(canonical, inner, st.sampled_from([32, 64])),
        st.builds(signed, inner, st.sampled_from([32, 64])),
        st.builds(lambda x, bits: narrowed(x, (1 << bits) - 1), inner, st.sampled_from([8, 16, 31])),
        st.builds(minus, inner),
        st.builds(lambda x, y: total([x, y, number(3)]), inner, inner),
    )


def applied(symbol: str, x: Operand, y: Operand) -> Operand:
    """An operation on operands for which it is defined."""
    if symbol in ("//", "%", "<<", ">>", "&"):
        y = binary("&", y, number(7 if symbol in ("<<", ">>") else 0xFFFF)) if y.lo < 0 or y.hi > 7 else y
    if symbol in ("//", "%"):
        x = canonical(x, 64)
        y = y if y.lo > 0 else added(y, number(1))
    return binary(symbol, x, y)


operands = st.recursive(leaves(), operations, max_leaves=6)


def states(operand: Operand) -> list[Values]:
    """All values of the locals in an operand that all of its ranges allow."""
    ranges: dict[int, tuple[int, int]] = {}
    for part in evaluated(operand):
        if part.local >= 0:
            lo, hi = ranges.get(part.local, (part.lo, part.hi))
            ranges[part.local] = max(lo, part.lo), min(hi, part.hi)
    values = [[(f"l{local}", value) for value in range(lo, hi + 1)] for local, (lo, hi) in ranges.items()]
    return [dict(state) for state in product(*values)]


def value_of(operand: Operand, state: Values) -> int:
    return int(eval(operand.text, {}, dict(state)))


@examples(400)
@given(operands)
def test_operand_is_within_its_range(operand: Operand) -> None:
    for state in states(operand):
        assert operand.lo <= value_of(operand, state) <= operand.hi


@examples(400)
@given(operands)
def test_text_means_what_parts_say(operand: Operand) -> None:
    for part in evaluated(operand):
        check_text(part)


@examples(300)
@given(operands, st.sampled_from([32, 64]))
def test_integers_of_a_width_are_what_they_are_modulo_it(operand: Operand, bits: int) -> None:
    forms = canonical(operand, bits), signed(operand, bits), narrowed(operand, 0xFF)
    truth = condition(operand, bits)
    for state in states(operand):
        value = value_of(operand, state)
        unsigned, as_signed, low = (value_of(form, state) for form in forms)
        assert unsigned == value & MASK[bits]
        assert as_signed == unsigned - (unsigned >> bits - 1 << bits)
        assert low == value & 0xFF
        assert bool(eval(truth.text, {}, dict(state))) == (unsigned != 0)
    assert fits_signed(forms[1], bits)


KINDS = [
    L0, number(-3), constant(70000), literal(1.5), literal(-0.5), minus(L0), unary("not", L0),
    chain(L0, ("<", L1), ("<=", number(7))), compared("is not", variable("f"), literal(None)),
    choice(L0, L1, L0), joined("and", [L0, L1]), joined("or", [L0, L1]), let("x", L0), item("u8", L0),
    arithmetic("/", variable("f"), literal(1.5)), *(binary(symbol, L0, L1) for symbol in BINARY),
]  # fmt: skip
"""Each kind of expression."""


def of_numbers(x: Operand, y: Operand) -> list[Operand]:
    """The operations on integers that are defined for these operands."""
    symbols = [symbol for symbol in BINARY if y.lo >= 0 or symbol not in ("<<", ">>")]
    return [binary(symbol, x, y) for symbol in symbols] if x.lo <= x.hi and y.lo <= y.hi else []


def test_precedence_of_every_pair_of_operations() -> None:
    """Each kind of expression as a part of each other kind."""
    for x, y in product(KINDS, KINDS):
        for made in (
            *of_numbers(x, y), added(x, y), compared("<", x, y), compared("is", x, y), choice(x, y, x),
            unary("not", x), joined("and", [x, y]), joined("or", [x, y]), arithmetic("/", x, y), minus(x),
        ):  # fmt: skip
            check_text(made)


def test_no_more_parentheses_than_python_needs() -> None:
    """Python's compiler takes long for each pair. Not of what always has them: negative numbers, floats and
    assignments."""
    plain = [x for x in KINDS if not x.text.startswith("-") and x.form not in (":=", "/")]
    for x, y in product(plain, plain):
        for made in (*of_numbers(x, y), compared("<", x, y), joined("and", [x, y]), joined("or", [x, y])):
            assert made.text.count("(") <= ast.unparse(ast.parse(made.text)).count("("), made


def test_sums_are_the_same_however_they_are_made() -> None:
    for x, y in product([L0, minus(L0), choice(L0, L1, L0)], [number(3), number(-3), binary("&", L0, L1)]):
        one, other = added(x, y), binary("+", x, y)
        assert (one.text, one.level, one.lo, one.hi, one.flags, one.reads, one.depth) == (
            other.text, other.level, other.lo, other.hi, other.flags, other.reads, other.depth,
        )  # fmt: skip
        assert one.facts is NO_FACTS


@pytest.mark.parametrize("name", ["hello_c", "hello_rust"])
def test_operands_of_guests_keep_their_promises(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Besides: the text of a tenth of a guest's functions."""
    seen: set[str] = set()

    class Reader(checking.Checker):
        def operand(self, operand: Operand) -> None:
            super().operand(operand)
            for part in evaluated(operand):
                if part.text not in seen:
                    seen.add(part.text)
                    check_text(part)

        def line(self, line: Line, given: int) -> int:
            ast.parse(line.text)
            return super().line(line, given)

    monkeypatch.setattr(checking, "Checker", Reader)
    module = Module.from_file(GUESTS / f"{name}.wasm")
    for index in range(0, len(module.funcs), 10):
        for flavour in Flavour:
            translate(module, index, validate_func(module, index), Variant(flavour))
    assert len(seen) > 30
