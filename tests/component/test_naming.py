"""Frames of a trap name the core module that they are in."""

from __future__ import annotations

import pytest

from pywasm_nn import Component, Module
from pywasm_nn.errors import Trap
from tests.component.components import assembled
from tests.component.mutations import component as of_sections
from tests.component.mutations import sections

CALLS = """(component
  (core module $inner (func $fail (export "f") unreachable))
  (component $part
    (core module $deep (func $dig (export "f") unreachable))
    (core instance $d (instantiate $deep))
    (func (export "f") (canon lift (core func $d "f"))))
  (core module (func (export "g")))
  (core module $main (import "i" "f" (func $f)) (func $run (export "f") (call $f)))
  (core instance $i (instantiate $inner))
  (core instance $m (instantiate $main (with "i" (instance $i))))
  (func (export "f") (canon lift (core func $m "f")))
  (instance $p (instantiate $part))
  (func (export "deep") (canon lift (core func $m "f")))
  (export "dug" (func $p "f")))"""
NAMES = 0
"""The section that holds names, as any custom one."""


@pytest.fixture(params=["compile", "interpret"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def data() -> bytes:
    return assembled(CALLS)


def places(data: bytes, engine: str, function: str = "f", name: str = "app.wasm") -> list[str]:
    """Module and function of each frame when the function traps."""
    with Component(data, name).instantiate(engine=engine) as instance, pytest.raises(Trap) as caught:
        instance.exports[function]()
    return [frame.place.split(maxsplit=1)[1] for frame in caught.value.frames]


def without_names(data: bytes) -> bytes:
    """The component without custom sections of its own."""
    return of_sections([each for each in sections(data) if each.id != NAMES])


def with_names(data: bytes, content: bytes) -> bytes:
    """The component with this content in place of its names."""
    section = bytes([len(b"component-name")]) + b"component-name" + content
    return without_names(data) + bytes([NAMES, len(section)]) + section


def names(*pairs: tuple[int, bytes], sort: bytes = b"\x00\x11") -> bytes:
    """A subsection with names of modules."""
    listed = b"".join(bytes([index, len(name)]) + name for index, name in pairs)
    body = sort + bytes([len(pairs)]) + listed
    return bytes([1, len(body)]) + body


def test_frames_name_core_modules(data: bytes, engine: str) -> None:
    assert places(data, engine) == ["app.wasm/inner!fail", "app.wasm/main!run"]
    assert places(data, engine, "dug") == ["app.wasm/part/deep!dig"]


def test_component_without_a_name_has_names_of_modules(data: bytes, engine: str) -> None:
    assert places(data, engine, name="") == ["inner!fail", "main!run"]


def test_modules_without_names_are_counted_as_in_their_index_space(data: bytes, engine: str) -> None:
    """A module in between that isn't instantiated counts, a nested component doesn't."""
    assert places(without_names(data), engine) == ["app.wasm/0!fail", "app.wasm/2!run"]
    assert places(without_names(data), engine, "dug") == ["app.wasm/0/deep!dig"]


def test_aliased_and_exported_modules_count() -> None:
    text = """(component
      (import "given" (core module $given))
      (component $c (core module $first (func)) (export "first" (core module $first)))
      (instance $c (instantiate $c))
      (alias export $c "first" (core module $aliased))
      (core module $named (func $f (export "f") unreachable))
      (export $again "again" (core module $named))
      (core module $last (import "m" "f" (func $f)) (func $g (export "f") (call $f)))
      (core instance $m (instantiate $named))
      (core instance $l (instantiate $last (with "m" (instance $m))))
      (func (export "f") (canon lift (core func $l "f"))))"""
    for bytes_, expected in [
        (assembled(text), ["app.wasm/named!f", "app.wasm/last!g"]),
        (without_names(assembled(text)), ["app.wasm/2!f", "app.wasm/4!g"]),
    ]:
        given = Module.from_text("(module)")
        with (
            Component(bytes_, "app.wasm").instantiate({"given": given}) as instance,
            pytest.raises(Trap) as caught,
        ):
            instance.exports.f()
        assert [frame.place.split()[1] for frame in caught.value.frames] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "app.wasm/0!fail"),
        (names((0, b"ok"))[:-1], "app.wasm/0!fail"),
        (names((0, b"ok")) + b"\x01\xff", "app.wasm/ok!fail"),
        (names((0, b"ok")) + b"\x01\xff\xff\xff\xff\xff\xff", "app.wasm/ok!fail"),
        (names((0, b"first"), (0, b"second")), "app.wasm/first!fail"),
        (names((0, b"ok"), (99, b"nobody")), "app.wasm/ok!fail"),
        (names((0, b"other"), sort=b"\x01") + names((0, b"ok")), "app.wasm/ok!fail"),
        (names((0, b"")), "app.wasm/0!fail"),
        (names((0, b"\x1b[31m")), r"app.wasm/\x1b[31m!fail"),
        (names((0, b"\xff\xfe")), "app.wasm/\ufffd\ufffd!fail"),
        (names((0, b"x" * 100)), f"app.wasm/{'x' * 37}...!fail"),
    ],
)
def test_names_are_hints(data: bytes, content: bytes, expected: str) -> None:
    assert places(with_names(data, content), "compile")[0] == expected


def test_names_of_deep_components_are_short() -> None:
    """A hundred levels with names of thousands of characters, and a module in each."""
    text = ""
    for level in range(90):
        text = f"(component ${'n' * 4000}{level} (core module ${'m' * 4000} (func)) {text})"
    component = Component(assembled(text.replace("$" + "n" * 4000 + "89", "", 1)), "app.wasm")
    found, inner = [], component._syntax
    while True:
        contents = [definition.content for definition in inner.definitions]
        found += [content.module.name for content in contents if hasattr(content, "module")]
        nested = [content.component for content in contents if hasattr(content, "component")]
        if not nested:
            break
        [inner] = nested
    assert len(found) == 90
    assert max(map(len, found)) <= 101
