"""Structures that are described by structures, and exact types: what the suite doesn't ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Linker
from pywasm_nn.api import Instance, Module
from pywasm_nn.errors import InvalidError, LimitError, LinkError, MalformedError, Trap, TrapKind
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.summary import features_of
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.types import ExternKind
from pywasm_nn.interpreter.validate import validate_all, validate_module
from pywasm_nn.limits import Limits

ON = ["custom-descriptors"]
GUEST = (Path(__file__).parents[1] / "guests" / "described.wat").read_text()
PAIR = "(rec (type $a (descriptor $b) (struct)) (type $b (describes $a) (struct)))"


def binary(text: str) -> bytes:
    return Module.from_text(text, features=ON).data


@pytest.fixture(params=["interpret", "compile"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def seen() -> list[Any]:
    return []


@pytest.fixture
def guest(engine: str, seen: list[Any]) -> Iterator[Any]:
    with start(engine, seen) as instance:
        yield instance.exports


def start(engine: str, seen: list[Any], **settings: Any) -> Instance:
    module = Module.from_text(GUEST, features=ON)
    return module.instantiate(imports={"host": {"see": seen.append}}, engine=engine, **settings)


def test_methods_are_found_by_the_descriptor(guest: Any) -> None:
    one, pair = guest.object(5), guest.pair(5, 6)
    assert [guest.call(one), guest.call(pair), guest.call(guest["default"]())] == [5, 33, 0]
    assert [guest.name(one), guest.name(pair)] == [7, 8]
    for name in ("call", "name"):
        with pytest.raises(Trap) as caught:
            guest[name](None)
        assert caught.value.kind is TrapKind.NULL_REFERENCE


def test_a_cast_compares_descriptors(guest: Any) -> None:
    one, pair, class_ = guest.object(1), guest.pair(1, 2), guest["class"].value
    assert guest.cast(one, class_) is one
    for other in (pair, class_, None):
        with pytest.raises(Trap) as caught:
            guest.cast(other, class_)
        assert caught.value.kind is TrapKind.DESCRIPTOR_CAST_FAILURE
    for first in (one, None):
        with pytest.raises(Trap) as caught:
            guest.cast(first, None)
        assert caught.value.kind is TrapKind.NULL_DESCRIPTOR
    with pytest.raises(Trap, match="null descriptor reference"):
        guest.undescribed()
    which = [guest.which(value, class_) for value in (one, pair, None, class_)]
    assert which == [1, 2, 3, 0]


def test_an_exact_type_has_no_subtypes(guest: Any, seen: list[Any]) -> None:
    one, pair = guest.object(9), guest.pair(1, 2)
    assert [guest.is_exactly(value) for value in (one, pair, None)] == [1, 0, 0]
    assert guest.exactly(one) == 9
    with pytest.raises((TypeError, ValueError)):
        guest.exactly(pair)  # the host is held to the type, too
    guest.show()
    assert [guest.call(value) for value in seen] == [4]
    assert repr(one) == "<struct of 1 fields>" and repr(pair) == "<struct of 2 fields>"


def test_traps_are_where_they_are_on_either_engine(seen: list[Any]) -> None:
    frames = []
    for engine in ("interpret", "compile"):
        with start(engine, seen) as instance:
            for name, arguments in {"call": [None], "cast": [None, None], "undescribed": []}.items():
                with pytest.raises(Trap) as caught:
                    instance.exports[name](*arguments)
                frames.append([(frame.funcidx, frame.offset) for frame in caught.value.frames])
    assert frames[:3] == frames[3:] and all(frames)


def test_descriptors_count_on_the_heap(engine: str, seen: list[Any]) -> None:
    """A descriptor takes the room of a field, and what isn't alive takes none."""
    with start(engine, seen, limits=Limits(heap=2_000)) as instance:
        instance.exports.many(2_000)
        kept = []
        with pytest.raises(LimitError) as caught:
            while True:
                kept.append(instance.exports.object(1))
        assert caught.value.limit == "heap"
        assert len(kept) <= 2_000 // (128 + 64 + 64)


def test_a_field_of_the_host_is_no_descriptor(engine: str) -> None:
    """Objects of the host aren't asked whether they are equal, nor is a last field taken for a descriptor."""

    class Equal:
        def __eq__(self, other: object) -> bool:
            raise AssertionError("nobody may ask")

        __hash__ = None  # type: ignore[assignment] # as it has __eq__

    text = f"""(module {PAIR} (type $held (struct (field anyref)))
      (global $b (ref (exact $b)) (struct.new $b))
      (func (export "is") (param externref) (result i32)
        (block $yes (result (ref $a))
          (br_on_cast_desc_eq $yes (ref any) (ref $a)
            (struct.new $held (any.convert_extern (local.get 0))) (global.get $b))
          (drop) (return (i32.const 0)))
        (drop) (i32.const 1))
      (func (export "holds") (result i32)
        (block $yes (result (ref $a))
          (br_on_cast_desc_eq $yes (ref any) (ref $a) (struct.new $held (global.get $b)) (global.get $b))
          (drop) (return (i32.const 0)))
        (drop) (i32.const 1)))"""
    with Module.from_text(text, features=ON).instantiate(engine=engine) as app:
        assert app.exports["is"](Equal()) == 0
        assert app.exports.holds() == 0


# Text and bytes


def test_everything_comes_back_from_text_and_bytes() -> None:
    module = parse(GUEST, features=ON)
    validate_all(module)
    data = encode(module)
    decoded = decode(data, features=ON)
    validate_all(decoded)
    assert encode(decoded) == data
    assert parse(print_module(decoded)) == decoded
    (wanted,) = decoded.import_types
    assert wanted.exact and "(exact [(ref null " in str(wanted)
    assert "(exact (type " in print_module(decoded)


def test_a_summary_tells() -> None:
    guests = (OFF["a pair"], OFF["an exact import"], GUEST)
    for text in guests:
        assert features_of(parse(text, features=ON)).count("custom descriptors") == 1
    plain = parse("(module (type (struct)) (func (drop (ref.null 0))))")
    assert "custom descriptors" not in features_of(plain)


OFF = {
    "an exact parameter": f"(module {PAIR} (func (param (ref (exact $a)))))",
    "an exact field": "(module (type $s (struct)) (type (struct (field (ref null (exact $s))))))",
    "an exact local": "(module (type $s (struct)) (func (local (ref null (exact $s)))))",
    "an exact global": "(module (type $s (struct)) (global (ref null (exact $s)) (ref.null none)))",
    "an exact table": "(module (type $s (struct)) (table 1 (ref null (exact $s))))",
    "an exact null": "(module (type $s (struct)) (func (drop (ref.null (exact $s)))))",
    "an exact null in a constant": "(module (type $s (struct)) (global anyref (ref.null (exact $s))))",
    "an exact test": "(module (type $s (struct)) (func (drop (ref.test (ref (exact $s)) (ref.null any)))))",
    "an exact branch": """(module (type $s (struct)) (func (result anyref)
      (br_on_cast 0 anyref (ref (exact $s)) (ref.null any))))""",
    "an exact block": """(module (type $s (struct))
      (func (drop (block (result (ref (exact $s))) unreachable))))""",
    "an exact select": """(module (type $s (struct)) (func
      (drop (select (result (ref null (exact $s))) (ref.null none) (ref.null none) (i32.const 1)))))""",
    "an exact import": '(module (type $f (func)) (import "a" "b" (func (exact (type $f)))))',
    "a pair": f"(module {PAIR})",
    "a pair that is open": """(module (rec (type $a (sub (descriptor $b) (struct)))
      (type $b (sub (describes $a) (struct)))))""",
}


@pytest.mark.parametrize("what", OFF)
def test_each_form_is_refused_by_name(what: str) -> None:
    data = binary(OFF[what])
    for features in ([], ["none"], ["all", "-custom-descriptors"]):
        with pytest.raises(MalformedError) as caught:
            Module.from_bytes(data, features=features).validate()
        assert caught.value.feature == "custom-descriptors"
    Module.from_bytes(data, features=ON).validate()


def test_other_features_dont_bring_it() -> None:
    with pytest.raises(MalformedError, match="custom-descriptors"):
        Module.from_bytes(binary(OFF["a pair"]), features=["custom-page-sizes"])


# Types


def types_of(text: str) -> tuple[Any, ...]:
    module = parse(f"(module {text})", features=ON)
    validate_module(module)
    return module.deftypes


def test_equal_groups_are_one_and_clauses_make_a_difference() -> None:
    a, b = types_of(PAIR)
    assert types_of(f"(type (func)) {PAIR}")[1:] == (a, b)
    assert a.subtype.descriptor is b and b.subtype.describes is a
    others = {
        "no clauses": "(rec (type (struct)) (type (struct)))",
        "three": """(rec (type (descriptor 1) (struct)) (type (describes 0) (descriptor 2) (struct))
          (type (describes 1) (struct)))""",
        "the other way": """(rec (type $c (struct)) (type $a (descriptor $b) (struct))
          (type $b (describes $a) (struct)))""",
        "open": "(rec (type (sub (descriptor 1) (struct))) (type (sub (describes 0) (struct))))",
    }
    for text in others.values():
        assert not {a, b} & {*types_of(text)}
    exact, plain, null = types_of("""(type $s (struct)) (type (struct (field (ref (exact $s)))))
      (type (struct (field (ref $s)))) (type (struct (field (ref null (exact $s)))))""")[1:]
    assert len({exact, plain, null}) == 3


def test_a_clause_may_name_no_type_at_all() -> None:
    for clause in ("descriptor", "describes"):
        module = parse(f"(module (type ({clause} 4000000000) (struct)))", features=ON)
        with pytest.raises(InvalidError, match="is outside rec group"):
            validate_module(module)
        with pytest.raises(InvalidError, match="is outside rec group"):
            validate_module(parse(print_module(module)))  # text isn't asked for its features


@pytest.mark.parametrize("clauses", ["(describes $a) (struct)", "(describes $a) (descriptor $a) (struct)"])
def test_no_type_describes_itself(clauses: str) -> None:
    with pytest.raises(InvalidError, match="forward use of described type 0"):
        validate_module(parse(f"(module (type $a {clauses}))", features=ON))


OPEN = """(rec (type $a (sub (descriptor $b) (struct))) (type $b (sub (describes $a) (struct))))
  (rec (type $c {} (descriptor $d) (struct))) (type $d {} (describes $c) (struct))))"""
ABOVE = {
    "neither": ("(sub", "(sub", ""),
    "both": ("(sub $a", "(sub $b", ""),
    "the described one": ("(sub $a", "(sub", "descriptor type .* does not match"),
    "the descriptor": ("(sub", "(sub $b", "described type .* does not match"),
}


@pytest.mark.parametrize("what", ABOVE)
def test_a_pair_has_a_pair_of_super_types(what: str) -> None:
    """https://github.com/WebAssembly/custom-descriptors: the descriptor of a subtype is a subtype of the
    descriptor, and what it describes is a subtype of what that describes."""
    described, descriptor, message = ABOVE[what]
    module = parse(f"(module {OPEN.format(described, descriptor)})", features=ON)
    if message:
        with pytest.raises(InvalidError, match=message):
            validate_module(module)
    else:
        validate_module(module)


def test_long_chains_of_descriptors() -> None:
    """Each describes the one before; a chain isn't walked where one step is enough."""
    count = 5_000
    types = [f"(type (describes {n - 1}) (descriptor {n + 1}) (struct))" for n in range(1, count)]
    group = f"(rec (type (descriptor 1) (struct)) {' '.join(types)} (type (describes {count - 1}) (struct)))"
    body = f"""(func (result anyref) (ref.get_desc 0 (ref.null none)))
      (func (result (ref (exact {count}))) unreachable)"""
    Module.from_text(f"(module {group} {body})", features=ON).validate()


def test_linking_wants_the_exact_type(engine: str) -> None:
    types = "(rec (type $above (sub (func))) (type $below (sub $above (func))))"
    module = Module.from_text(
        f'(module {types} (func (export "above") (type $above)) (func (export "below") (type $below)))'
    )
    with Linker(engine=engine) as linker:
        linker.instantiate(module, "m")
        for name, wanted, fits in (
            ("above", "$above", True), ("below", "$below", True),
            ("below", "$above", False), ("above", "$below", False),
        ):  # fmt: skip
            text = f'(module {types} (import "m" "{name}" (func (exact (type {wanted})))))'
            user = Module.from_text(text, features=ON)
            assert user.imports[0].exact and user.imports[0].kind is ExternKind.FUNC
            if fits:
                linker.instantiate(user)
            else:
                with pytest.raises(LinkError, match="incompatible import type"):
                    linker.instantiate(user)
