"""The name section, real and hostile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.interpreter.module import Custom, Export, Module
from pywasm_nn.interpreter.names import Names
from pywasm_nn.interpreter.types import ExternKind

from ..conftest import examples


def uleb(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def text(name: str) -> bytes:
    return uleb(len(name.encode())) + name.encode()


def name_map(names: dict[int, str]) -> bytes:
    return uleb(len(names)) + b"".join(uleb(i) + text(n) for i, n in names.items())


def subsection(number: int, content: bytes) -> bytes:
    return bytes([number]) + uleb(len(content)) + content


def names_of(data: bytes) -> Names:
    return Names(Module(customs=(Custom("producers", b"\0"), Custom("name", data))))


printable_names = st.dictionaries(
    st.integers(0, 2**32 - 1),
    st.text(st.characters(categories=["L", "N", "P"])),
    max_size=5,
)


@given(printable_names, st.dictionaries(st.integers(0, 9), printable_names, max_size=3))
def test_what_was_written_is_read(functions: dict[int, str], local_names: dict[int, dict[int, str]]) -> None:
    indirect = uleb(len(local_names)) + b"".join(uleb(i) + name_map(m) for i, m in local_names.items())
    section = subsection(0, text("app")) + subsection(1, name_map(functions)) + subsection(2, indirect)
    names = names_of(section)
    assert names.module == "app"
    assert names.functions == functions
    assert names.locals == local_names


@given(st.binary(max_size=64))
@examples(300)
def test_a_hostile_section_is_ignored(data: bytes) -> None:
    names = names_of(data)
    assert all(n.isprintable() for n in [names.module or "", *names.functions.values()])
    assert isinstance(names.locals, dict)


def test_a_claimed_count_costs_nothing() -> None:
    names = names_of(subsection(1, uleb(2**32 - 1) + uleb(7) + text("seven")))
    assert names.functions == {7: "seven"}


def test_a_name_cant_write_to_the_terminal() -> None:
    names = names_of(subsection(1, name_map({0: "a\x1b[31mb"})))
    assert names.function(0) == r"a\x1b[31mb"


def test_no_section_no_names() -> None:
    names = Names(Module())
    assert (names.module, names.functions, names.locals, names.function(0)) == (None, {}, {}, None)


def test_symbols_of_a_module_take_some_time_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that come later stay as they are."""
    from pywasm_nn.interpreter import names

    monkeypatch.setattr(names, "MOST_DEMANGLING", 1e-9)
    module = Module(exports=tuple(Export("_RNvC1a1" + "fg"[n], ExternKind.FUNC, n) for n in range(2)))
    found = names.Names(module)
    assert [found.function(n) for n in (0, 1, 0)] == ["a::f", "_RNvC1a1g", "a::f"]
