"""Modules that `bindgen` writes: accepted by type checkers, formatted, the same each time; and their classes
are what an instance gives and takes."""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib.util
import json
import random
import subprocess
import sys
from array import array
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pywasm_nn import Component, Err, InvalidError, MalformedError, Owned
from tests.component.components import assembled, component
from tests.component.echo import echo_text
from tests.component.shapes import NOMINAL, Shape, ours, shape, value
from tests.component.shop import BOOK, SHOP, STOCK
from tests.component.test_exported import section
from tests.conftest import HANGS, Check

ROOT = Path(__file__).parents[2]
GUESTS = ROOT / "tests" / "guests" / "components"


@pytest.fixture(scope="module")
def shop() -> Component:
    return Component(component(SHOP).data, "shop.wasm")


def imported(text: str, name: str = "made") -> ModuleType:
    """A module of this text."""
    module = ModuleType(name)
    sys.modules[name] = module  # where dataclasses look for it
    try:
        exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    finally:
        del sys.modules[name]
    return module


def formatted(folder: Path) -> str:
    """What ruff says of the files in a folder, with its own settings."""
    pytest.importorskip("ruff")
    said = ""
    for words in (["format", "--diff"], ["check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--isolated", "--no-cache", "."],
            cwd=folder, capture_output=True, text=True, timeout=HANGS, check=False,
        )  # fmt: skip
        said += done.stdout * bool(done.returncode)
    return said


def written(folder: Path, components: Iterable[Component]) -> list[str]:
    files = []
    for index, each in enumerate(components):
        files.append(f"m{index}.py")
        (folder / files[-1]).write_text(each.bindings(), "utf-8")
    return files


def guests() -> list[Component]:
    return [Component.from_file(path) for path in sorted(GUESTS.glob("*.wasm"))]


def echoes(seed: int, count: int) -> list[tuple[Shape, Component]]:
    """Components that pass on values of types by chance."""
    chance = random.Random(seed)
    found = []
    while len(found) < count:
        of = shape(chance, 4, extra=True)
        if any(each.kind in NOMINAL for each in of.everything()):
            found.append((of, Component(assembled(echo_text(of, "utf8", "utf16")), f"echo{len(found)}.wasm")))
    return found


# The text


def test_it_is_accepted_by_mypy_and_ruff(tmp_path: Path, shop: Component, checked: Check) -> None:
    components = [*guests(), shop, *(each for _, each in echoes(1, 12))]
    files = written(tmp_path, components)
    assert checked(tmp_path, *files) == (0, "")
    assert formatted(tmp_path) == ""
    for file in files:
        imported((tmp_path / file).read_text("utf-8"))


@pytest.mark.slow
def test_it_is_accepted_for_every_component_of_the_suite(tmp_path: Path, checked: Check) -> None:
    suite = pytest.importorskip("component_suite")
    found: dict[bytes, Component] = {}
    for name in suite.files():
        for command in suite.commands(name):
            if "filename" in command.about and not command.is_text and command.data not in found:
                with suppress(MalformedError, InvalidError):
                    found[command.data] = Component(command.data, "suite.wasm")
    if not found:
        pytest.skip(suite.NO_SUITE)
    assert len(found) > 250
    components = list(found.values())
    files = written(tmp_path, components)
    assert checked(tmp_path, *files) == (0, "")
    assert formatted(tmp_path) == ""
    for each in components:
        imported(each.bindings())


def test_it_is_the_same_each_time(shop: Component) -> None:
    again = subprocess.run(
        [sys.executable, "-c", "import sys; from pywasm_nn import Component; "
         "sys.stdout.buffer.write(Component(sys.stdin.buffer.read(), 'shop.wasm').bindings().encode())"],
        input=shop.data, capture_output=True, timeout=HANGS, check=True, cwd=ROOT,
        env={"PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert again.stdout.decode() == shop.bindings()


def test_kinds_of_types(shop: Component) -> None:
    made = imported(shop.bindings())
    assert dataclasses.is_dataclass(made.Order)
    assert [field.name for field in dataclasses.fields(made.Order)] == [
        "number", "lines", "options", "payment", "list",
    ]  # fmt: skip
    assert issubclass(made.Currency, enum.Enum) and made.Currency("eur") is made.Currency.EUR
    assert issubclass(made.Options, enum.Flag) and made.Options.GIFT_WRAP.value == 2
    assert made.Payment == made.PaymentCash | made.PaymentCard | made.PaymentNone
    assert made.PaymentCard("4711") == made.PaymentCard("4711") != made.PaymentCard("")
    assert issubclass(made.Ledger, Owned)
    with pytest.raises(TypeError):
        made.Ledger("ada")


NAMES = ("component", "sequence", "owned", "enum", "imports", "instance", "str", "none", "types", "x1", "x-1")


def test_names_that_the_module_needs_itself(tmp_path: Path, checked: Check) -> None:
    """Types, cases, fields and functions are called as what the module uses."""
    fields = " ".join(f'(field "{name}" (list (option string)))' for name in NAMES)
    types = "".join(
        f'(type $r{at} (record {fields})) (export $e{at} "{name}" (type $r{at}))'
        for at, name in enumerate(NAMES)
        if name != "x-1"
    )
    made = component(
        f"""{types} (core module $M (memory (export "m") 1) (func (export "f") (param i32 i32 i32 i32))
          (func (export "r") (param i32 i32 i32 i32) (result i32) i32.const 0))
        (core instance $m (instantiate $M))"""
        + "".join(
            f"""(func $l{at} (param "{name}" (list u32)) (param "self" (list string))
            (canon lift (core func $m "f") (memory (core memory $m "m")) (realloc (core func $m "r"))))
            (export "f-{name}" (func $l{at}))"""
            for at, name in enumerate((*NAMES, "list", "int", "tuple"))
        )
        + "".join(
            f"""(func (export "{name}") (param "x" (tuple u32 u32 u32 u32))
            (canon lift (core func $m "f")))"""
            for name in ("tuple", "list", "int", "pair")
        )
    )
    files = written(tmp_path, [made])
    assert checked(tmp_path, *files) == (0, "")
    assert formatted(tmp_path) == ""
    module = imported(made.bindings())
    assert dataclasses.is_dataclass(module.ExportedComponent) and dataclasses.is_dataclass(module.Str)
    with made.instantiate(types=module) as instance:
        instance.exports.f_list([1], ["a"])


@pytest.mark.parametrize(
    "text",
    [
        '"""',
        'ends with "',
        "ends with \\",
        '\\""" + exit() + """',
        "\0\x1b[2J\u202e",
        "a\n    b\n\n\n  c",
        "'" * 9,
    ],
)
def test_documentation_stays_in_its_literal(shop: Component, tmp_path: Path, text: str) -> None:
    """Whatever an author wrote, the module has the same definitions."""
    plain = shop.bindings()
    name = "book"
    docs: dict[str, Any] = {
        "docs": text,
        "funcs": {"price": text, "[method]ledger.add": text},
        "types": {
            "order": {"docs": text, "items": {"number": text}},
            "payment": {"docs": text, "items": {"card": text}},
        },
    }
    content = {"docs": text, "worlds": {"w": {"docs": text}}, "interfaces": {name: docs}}
    documented = Component(section(shop.data, b"\1" + json.dumps(content).encode()), text)
    module = ast.parse(documented.bindings())
    assert names_in(module) == names_in(ast.parse(plain))
    written(tmp_path, [documented])
    assert formatted(tmp_path) == ""


def names_in(tree: ast.AST) -> list[str]:
    """All that is defined or named."""
    return [
        getattr(node, "name", None) or getattr(node, "id", None) or getattr(node, "attr", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Name | ast.Attribute | ast.Call)
    ]


def test_documentation_is_in_docstrings(shop: Component) -> None:
    docs = {
        "interfaces": {
            "book": {
                "docs": "All that is sold.",
                "funcs": {"price": "What it costs."},
                "types": {
                    "order": {"docs": "What somebody wants.", "items": {"number": "Counted from one."}}
                },
            }
        }
    }
    text = Component(section(shop.data, b"\1" + json.dumps(docs).encode())).bindings()
    made = imported(text)
    assert made.Book.__doc__.startswith("All that is sold.\n")
    assert made.Book.price.__doc__.strip().startswith("What it costs.\n")
    assert made.Order.__doc__.startswith("What somebody wants.\n")
    assert 'number: int\n    """Counted from one."""' in text


# Instances


class Stock:
    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.logged: list[tuple[Any, str]] = []

    def price_of(self, sku: str) -> Any:
        return self.module.Money(self.module.Currency.USD, len(sku))

    def log(self, level: Any, text: str) -> None:
        self.logged.append((level, text))


def test_values_are_of_the_modules_classes(shop: Component) -> None:
    made = imported(shop.bindings())
    stock = Stock(made)
    with made.instantiate(shop, made.Imports(stock=stock)) as instance:
        book = instance.exports.book
        assert book.price("abc") == made.Money(made.Currency.USD, 3)
        assert type(book.price("abc")) is made.Money
        order = made.Order(7, [made.Line("a", 1, None)], made.Options.EXPRESS, made.PaymentCard("1"), b"xy")
        with book.Ledger("ada") as ledger:
            assert isinstance(ledger, made.Ledger)
            assert ledger.add(order) == 4
            with pytest.raises(Err) as caught:
                ledger.add(dataclasses.replace(order, lines=[], list=None))
            assert caught.value.value == made.ProblemTooHeavy(7)
            match caught.value.value:
                case made.ProblemTooHeavy(weight):
                    assert weight == 7
        assert stock.logged == [(made.Level.NONE, "ada")]
        assert stock.logged[0][0] is made.Level.NONE
        for payment in (made.PaymentCash(), made.PaymentCard("4711"), made.PaymentNone()):
            assert book.pay(payment) == payment and type(book.pay(payment)) is type(payment)
        both = made.Options.EXPRESS | made.Options.GIFT_WRAP
        assert book.wrapped(both) is both and book.wrapped(made.Options(0)) == made.Options(0)
        assert book.scale(array("f", [1.5, 2]), 2.0) == [1.5, 2.0]
        assert book.histogram(b"hello") == book.histogram(list(b"hello")) == b"hello"
        assert book.list(["a", "b"]) == ["a", "b"]
        assert isinstance(book.Ledger.merge(book.Ledger("a"), 3), made.Ledger)
        with pytest.raises(TypeError, match=r"payment: .* is no variant"):
            book.pay("cash")


def test_two_ways_to_give_types(shop: Component) -> None:
    made = imported(shop.bindings())
    for types in (made, made.TYPES):
        with shop.instantiate({STOCK: Stock(made)}, types=types) as instance:
            assert type(instance.exports.book.price("a")) is made.Money
            assert instance.exports.book.Order is made.Order
            assert instance.exports.book.Payment.Card is made.PaymentCard
    with shop.instantiate({STOCK: Stock(made)}) as instance:
        assert type(instance.exports.book.price("a")) is not made.Money
        assert instance.exports[BOOK].pay(made.PaymentCard("1")).value == "1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda made: 5, "types must be a module that `pywasm-nn bindgen` wrote, or its TYPES"),
        (lambda made: {"a": 5}, "types must be a module"),
        (lambda made: {BOOK: {"line": made.Money}}, "book@1.2.0 line than the component: its fields are sku"),
        (
            lambda made: {STOCK: {"currency": made.Level}},
            "stock@1.2.0 currency than the component: it is enum",
        ),
        (lambda made: {BOOK: {"payment": (made.PaymentCash,)}}, "its cases are cash, card, none"),
        (lambda made: {BOOK: {"options": made.Currency}}, "it is flags"),
        (lambda made: {BOOK: {"ledger": int}}, "a resource is an Owned"),
    ],
)
def test_types_of_another_component_are_refused(shop: Component, change: Any, message: str) -> None:
    made = imported(shop.bindings())
    with pytest.raises(TypeError, match=message):
        shop.instantiate({STOCK: Stock(made)}, types=change(made))


@pytest.mark.parametrize("seed", range(3))
def test_values_of_any_type_come_back_as_given(seed: int) -> None:
    chance = random.Random(seed)
    for of, each in echoes(100 + seed, 4):
        made = imported(each.bindings())
        seen: list[Any] = []

        def echo(given: Any, seen: list[Any] = seen) -> Any:
            seen.append(given)
            return given

        with each.instantiate({"echo": echo}, types=made) as typed, each.instantiate({"echo": echo}) as plain:
            for _ in range(5):
                wanted = plain.exports.near.call(ours(of, value(chance, of)))
                got = typed.exports.near.call(wanted)
                assert repr_of(typed.exports.far.call(got)) == repr_of(got) == repr_of(wanted)
                assert {type(each).__module__ for each in inside(got)} <= {"made"}
                assert {type(each).__module__ for each in inside(seen[-1])} <= {"made"}


def inside(value: Any) -> list[Any]:
    """Records, cases, members and flags in a value."""
    if isinstance(value, enum.Enum):
        return [value]
    if isinstance(value, dict):
        return [each for pair in value.items() for part in pair for each in inside(part)]
    if isinstance(value, list | tuple):
        return [each for part in value for each in inside(part)]
    if type(value).__module__ == "made" and hasattr(value, "__match_args__"):
        return [value, *(each for name in value.__match_args__ for each in inside(getattr(value, name)))]
    return inside(value.value) if hasattr(value, "label") and hasattr(value, "value") else []


def repr_of(value: Any) -> Any:
    """A value without its classes."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {repr_of(key): repr_of(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [repr_of(part) for part in value]
    if isinstance(value, float):
        return repr(value)
    label = getattr(type(value), "label", None)
    if isinstance(label, str):
        return label, repr_of(getattr(value, "value", None))
    if hasattr(value, "__match_args__"):
        return {name: repr_of(getattr(value, name)) for name in value.__match_args__}
    return value


# A program

PROGRAM = '''"""A program that uses a generated module."""

from __future__ import annotations

from array import array

import shop
from pywasm_nn import Component, Err, Limits


class Stock:
    """What the component imports."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def price_of(self, sku: str) -> shop.Money:
        return shop.Money(shop.Currency.EUR, 250 * len(sku))

    def log(self, level: shop.Level, text: str) -> None:
        self.lines.append(f"{level.value}: {text}")


def order(number: int, *skus: str) -> shop.Order:
    lines = [shop.Line(sku, 1, class_=None) for sku in skus]
    paid = shop.PaymentCard("4711")
    return shop.Order(number, lines, shop.Options.EXPRESS, paid, None)


def told(problem: shop.Problem) -> str:
    match problem:
        case shop.ProblemTooHeavy(weight):
            return f"{weight} kg are too heavy"
        case shop.ProblemUnknown(sku):
            return f"there is no {sku}"


def sold(book: shop.Book, orders: list[shop.Order]) -> int:
    with book.Ledger("ada") as ledger:
        for each in orders:
            try:
                ledger.add(each)
            except Err as error:
                print(told(error.value))
        return ledger.total()


def main() -> None:
    stock = Stock()
    component = Component.from_file("shop.wasm")
    limits = Limits(seconds=60)
    with shop.instantiate(component, shop.Imports(stock=stock), limits=limits) as app:
        book = app.exports.book
        print(sold(book, [order(1, "a", "b"), order(2)]), stock.lines)
        scaled: list[float] = book.scale(array("f", [1.5, 2]), 2.0)
        print(sum(scaled), book.histogram(b"hello"), book.price("abc").cents)


if __name__ == "__main__":
    main()
'''
MISTAKES = [
    ('shop.Line(sku, 1, class_=None)', 'shop.Line(sku, "1", class_=None)', "arg-type"),
    ("shop.PaymentCard(\"4711\")", "shop.PaymentCard()", "call-arg"),
    ("def price_of(self, sku: str) -> shop.Money:", "def prize_of(self, sku: str) -> shop.Money:",
     "arg-type"),
    ("case shop.ProblemUnknown(sku):\n            return f\"there is no {sku}\"",
     "case shop.ProblemUnknown(sku):\n            print(sku)", "return"),
    ("ledger.add(each)", "ledger.add(each.number)", "arg-type"),
    ("book.scale(array(\"f\", [1.5, 2]), 2.0)", "book.scale(array(\"f\", [1.5, 2]), \"2.0\")", "arg-type"),
    ("shop.Imports(stock=stock)", "shop.Imports()", "call-arg"),
    ('book.Ledger("ada")', "book.Ledger()", "call-arg"),
    ('book.Ledger("ada")', 'shop.Ledger("ada")', "abstract"),
    ("shop.Options.EXPRESS", "1", "arg-type"),
    ("limits=limits", "limits=60", "arg-type"),
    ('book.price("abc").cents', 'book.price("abc").cent', "attr-defined"),
    ("        case shop.ProblemUnknown(sku):\n            return f\"there is no {sku}\"\n", "", "return"),
]  # fmt: skip
"""What a program says, a mistake, and mypy's word for it."""


def test_a_program_is_accepted_and_runs(shop: Component, tmp_path: Path, checked: Check) -> None:
    assert 55 <= len(PROGRAM.splitlines()) <= 70
    (tmp_path / "shop.wasm").write_bytes(shop.data)
    (tmp_path / "shop.py").write_text(shop.bindings(), "utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    assert checked(tmp_path, "program.py") == (0, "")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, timeout=HANGS, check=False,
    )  # fmt: skip
    assert done.stdout == "2 kg are too heavy\n3 ['none: ada']\n3.5 b'hello' 750\n", done.stderr


def test_mistakes_in_a_program_are_found(shop: Component, tmp_path: Path, checked: Check) -> None:
    """Each of them by itself, in a program that is right otherwise."""
    (tmp_path / "shop.py").write_text(shop.bindings(), "utf-8")
    files = []
    for index, (right, wrong, _) in enumerate(MISTAKES):
        assert PROGRAM.count(right) == 1, right
        files.append(f"mistake{index}.py")
        (tmp_path / files[-1]).write_text(PROGRAM.replace(right, wrong), "utf-8")
    code, said = checked(tmp_path, *files)
    assert code == 1
    for file, (right, wrong, word) in zip(files, MISTAKES, strict=True):
        lines = [line for line in said.splitlines() if line.startswith(file) and ": error:" in line]
        assert len(lines) == 1 and lines[0].endswith(f"[{word}]"), (right, wrong, lines)


def test_a_spec_finds_the_module(shop: Component, tmp_path: Path) -> None:
    """Imported as any module is."""
    (tmp_path / "shop_types.py").write_text(shop.bindings(), "utf-8")
    spec = importlib.util.spec_from_file_location("shop_types", tmp_path / "shop_types.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    del sys.modules[spec.name]
    assert module.Money(module.Currency.EUR, 1).cents == 1
