"""WIT of components: what their authors wrote comes out again."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import NN, Component, Wasi
from pywasm_nn.component.names import extern_name

from .components import component

GUESTS = Path(__file__).parents[1] / "guests" / "components"


def interface(wit: str, name: str) -> set[str]:
    """The definitions in an interface, without comments and layout."""
    wit = re.sub(r"//[^\n]*", "", wit)
    body = wit.split(f"interface {name} {{", 1)[1]
    depth, end = 1, 0
    while depth:
        depth += {"{": 1, "}": -1}.get(body[end], 0)
        end += 1
    return definitions(body[: end - 1])


def definitions(text: str) -> set[str]:
    """What ends with a semicolon or a brace, outside of braces."""
    found, depth, begin = set(), 0, 0
    for at, sign in enumerate(text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        is_use = text[begin:at].lstrip().startswith("use ")
        if depth == 0 and (sign == ";" or (sign == "}" and not is_use)):
            found.add("".join(text[begin : at + 1].split()).replace(",}", "}"))
            begin = at + 1
    return found


@pytest.mark.parametrize(
    ("file", "name"), [("shelf", "shelf"), ("reader", "reading"), ("reader", "critics"), ("reader", "shelf")]
)
def test_interfaces_are_those_of_the_author(file: str, name: str) -> None:
    written = interface((GUESTS / "library.wit").read_text(encoding="utf-8"), name)
    ours = interface(Component.from_file(GUESTS / f"{file}.wasm").wit(), name)
    if (file, name) == ("reader", "shelf"):  # tools leave out what a component doesn't import
        assert ours < written
    else:
        assert ours == written


def test_what_a_world_names_itself() -> None:
    made = component(
        """
        (type $kind (enum "a" "type"))
        (import "kind" (type $k (eq $kind)))
        (import "list" (func (param "interface" $k) (param "of" (list u8 4)) (result (tuple u8 (own 0)))))
        """.replace("(own 0)", "char")
        + """
        (import "log" (instance (export "say" (func (param "text" string) (result (result (error string)))))))
        (import "code" (core module))
        """
    )
    assert made.wit() == (
        "package root:component;\n\nworld root {\n"
        "  enum kind {\n    a,\n    %type,\n  }\n"
        "  import %list: func(%interface: kind, of: list<u8, 4>) -> tuple<u8, char>;\n"
        "  // import code: core module\n"
        "  import log: interface {\n    say: func(text: string) -> result<_, string>;\n  }\n}\n"
    )


def test_a_type_that_grows_with_every_level_is_not_written_whole() -> None:
    """Sixteen levels of pairs are 131,072 numbers, and the function takes four of them."""
    levels = "".join(f"(type $t{i + 1} (tuple $t{i} $t{i}))" for i in range(16))
    params = " ".join(f'(param "p{i}" $t16)' for i in range(4))
    made = component(f'(type $t0 (tuple u8 u8)) {levels} (import "f" (func {params}))')
    began = time.process_time()
    text = made.wit()
    assert "..." in text
    assert len(text) < 2 << 20
    assert time.process_time() - began < 60


def test_what_is_missing() -> None:
    reader = Component.from_file(GUESTS / "reader.wasm")
    assert len(reader.missing(Wasi(), NN())) == 7
    assert Component.from_file(GUESTS / "cat.wasm").missing(Wasi()) == []
    assert "wasi:cli/exit@0.2" in Component.from_file(GUESTS / "cat.wasm").missing(NN())[0]


def test_each_function_of_many_resources_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    many, calls = 300, 0
    made = component(
        '(import "a:b/c" (instance '
        + "".join(
            f'(export "r{k}" (type $r{k} (sub resource)))'
            f'(export "[method]r{k}.m" (func (param "self" (borrow $r{k}))))'
            for k in range(many)
        )
        + "))"
    )

    def counted(text: str) -> Any:
        nonlocal calls
        calls += 1
        return extern_name(text)

    monkeypatch.setattr("pywasm_nn.component.wit.extern_name", counted)
    wit = made.wit()
    assert wit.count("m: func();") == many
    assert calls < 10 * many
