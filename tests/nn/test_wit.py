"""wasi:nn as lowered imports: prebuilt guests, every version and mangling, chaining, lifetimes."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import LinkError, Trap
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN

from ..component.components import component
from .conftest import ADD_MUL, FIXTURES, FakeBackend, floats
from .wit_component import ERRORS, GUESTS, OWN_ERROR
from .wit_guest import AUGUST, JUNE, MANGLINGS, NEWEST, UNVERSIONED, Starter, WitError, WitGuest, nn_with

WAYS = [("compile", Flavour.default()), ("interpret", Flavour.STRUCT)]


def identity() -> bytes:
    """ONNX: y = x, f32[1,4], with the names that the guest expects."""
    from .backends.onnx_writer import Model, node

    shape = ("float32", [1, 4])
    return Model([node("Identity", ["0"], ["1"])], {"0": shape}, {"1": shape}).data()


@pytest.mark.parametrize(("engine", "flavour"), WAYS)
@pytest.mark.parametrize("backend", ["onnxruntime", "openvino", "numpy"])
def test_the_prebuilt_guest(engine: str, flavour: Flavour, backend: str, tmp_path: Path) -> None:
    path = tmp_path / "id.onnx"
    path.write_bytes(identity())
    nn = NN(models={"id": path}, backends={"onnx": backend})
    if reason := nn.registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    module = Module.from_file(FIXTURES / "guest_wit.core.wasm")
    with module.instantiate(nn=nn, engine=engine, flavour=flavour) as guest:
        assert [guest.exports.run(mode) for mode in (0, 1, 2, 0)] == [10, 106, 103, 10]


def test_the_standard_mangling_links() -> None:
    """A module that wit-component made: all fourteen imports and their types."""
    module = Module.from_file(FIXTURES / "dummy_cm32p2.wasm")
    assert len(module.imports) == 14
    module.instantiate(nn=NN()).close()


@pytest.fixture(params=GUESTS)
def start(request: pytest.FixtureRequest) -> Starter:
    """Each way to start a guest."""
    return GUESTS[request.param]


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0]}-{way[1].value}")
def way(request: pytest.FixtureRequest) -> dict[str, object]:
    engine, flavour = request.param
    return {"engine": engine, "flavour": flavour}


def test_all_at_once(start: Starter, way: dict[str, object]) -> None:
    guest = start(NEWEST, nn_with(FakeBackend()), **way)
    ctx = guest.context(guest.load(ADD_MUL))
    for batch in (1, 3):
        values = floats(*range(2 * batch))
        outputs = guest.compute(ctx, b=guest.tensor(values, (batch, 2)), a=guest.tensor(values, (batch, 2)))
        assert list(outputs) == ["sum", "prod"]
        assert guest.data(outputs["sum"]) == floats(*(2 * x for x in range(2 * batch)))
        assert guest.dimensions(outputs["prod"]) == (batch, 2)
        assert guest.call("tensor.[method]tensor.ty", outputs["prod"]) == 1
        for handle in outputs.values():
            guest.drop("tensor", "tensor", handle)


@pytest.mark.parametrize("version", [AUGUST, JUNE, UNVERSIONED])
def test_step_by_step(version: str, start: Starter, way: dict[str, object]) -> None:
    guest = start(version, nn_with(FakeBackend()), **way)
    ctx = guest.context(guest.load(ADD_MUL))
    for name, values in ("a", (1, 2)), ("1", (3, 4)):  # by name, and by index
        guest.set_input(ctx, name, guest.tensor(floats(*values)))
    guest.compute_set(ctx)
    assert guest.data(guest.output(ctx, "prod")) == floats(3, 8)
    guest.set_input(ctx, "b", guest.tensor(floats(5, 6)))
    guest.compute_set(ctx)
    assert guest.data(guest.output(ctx, "0")) == floats(6, 8), "an input did not stay"
    with pytest.raises(WitError) as caught:
        guest.output(ctx, "what")
    assert caught.value.code == 0


def test_errors_of_the_guests_own(start: Starter) -> None:
    for version in (JUNE, UNVERSIONED):
        guest = start(version, nn_with(FakeBackend()))
        handle = guest.call("errors.[constructor]error", 7, *guest.poke(0x300, "zu spät".encode()))
        assert guest.call("errors.[method]error.code", handle) == 7
        assert guest.listed("errors.[method]error.data", handle).decode() == "zu spät"


@pytest.mark.parametrize("version", [NEWEST, AUGUST])
def test_later_versions_have_no_errors_of_the_guests_own(version: str) -> None:
    host = NN().open(print)
    for mangling in MANGLINGS:
        errors = f"{mangling.prefix}wasi:nn/errors{version}"
        assert host.lookup(errors, "[method]error.code")
        assert host.lookup(errors, "[constructor]error") is None
    with pytest.raises(LinkError, match=r"\[constructor\]error"):
        component(ERRORS.format(version, OWN_ERROR)).instantiate(nn=NN())


def test_two_chained_graphs_move_nothing_through_the_guest(start: Starter) -> None:
    guest = start(NEWEST, nn_with(FakeBackend()))
    session = guest.session
    first, second = (guest.context(guest.load(ADD_MUL)) for _ in range(2))
    made = guest.compute(first, a=guest.tensor(floats(1, 2)), b=guest.tensor(floats(3, 4)))
    before = (session.traffic.taken, session.traffic.given)
    assert before == (16, 0)
    chained = guest.compute(second, a=made["sum"], b=made["prod"])
    assert (session.traffic.taken, session.traffic.given) == before
    assert guest.data(chained["sum"]) == floats(4 + 3, 6 + 8)
    assert session.traffic.given == 8


def test_contexts_outlive_their_graph_and_tensors_their_context(start: Starter) -> None:
    backend = FakeBackend()
    guest = start(NEWEST, nn_with(backend))
    graph = guest.load(ADD_MUL)
    ctx = guest.context(graph)
    guest.drop("graph", "graph", graph)
    outputs = guest.compute(ctx, a=guest.tensor(floats(1, 2)), b=guest.tensor(floats(3, 4)))
    assert backend.graphs[0].closed == 0
    guest.drop("inference", "graph-execution-context", ctx)
    assert backend.graphs[0].closed == 1
    assert guest.data(outputs["sum"]) == floats(4, 6)


def test_a_name_gives_a_graph_of_ones_own_each_time(tmp_path: Path, start: Starter) -> None:
    (tmp_path / "m.onnx").write_bytes(ADD_MUL)
    backend = FakeBackend()
    guest = start(NEWEST, nn_with(backend, models=tmp_path))
    one, two = guest.load_by_name(b"m"), guest.load_by_name(b"m")
    guest.drop("graph", "graph", one)
    assert guest.context(two)
    assert len(backend.graphs) == 1


def test_handles_are_used_again_the_last_one_first(start: Starter) -> None:
    guest = start(NEWEST, nn_with(FakeBackend()))
    assert [guest.tensor(floats(1, 2)) for _ in range(3)] == [1, 2, 3]
    for handle in (1, 3):
        guest.drop("tensor", "tensor", handle)
    assert [guest.tensor(floats(1, 2)) for _ in range(3)] == [3, 1, 4]


@pytest.mark.parametrize(
    "call",
    [
        ("tensor.[method]tensor.ty", 0),
        ("tensor.[method]tensor.ty", 9),
        ("errors.[method]error.code", 1),  # a tensor
        ("tensor.[resource-drop]tensor", 2),
        ("tensor.[method]tensor.data", 1, 0x11),
        ("tensor.[constructor]tensor", 0x200, 2, 7, 0x4000, 8),
        ("tensor.[constructor]tensor", 0x202, 2, 1, 0x4000, 8),
        ("tensor.[constructor]tensor", 0x200, 33, 1, 0x4000, 8),
        ("graph.load", 0x100, 1, 7, 0, 0x10),
        ("graph.load", 0x102, 0, 1, 0, 0x10),
        ("inference.[method]graph-execution-context.compute", 1, 0x400, 0, 0x10),
    ],
)
def test_what_breaks_the_canonical_abi_is_a_trap(call: tuple[object, ...]) -> None:
    guest = WitGuest(NEWEST, nn_with(FakeBackend()))
    assert guest.tensor(floats(1, 2)) == 1
    with pytest.raises(Trap, match="canonical ABI"):
        guest.call(*call)  # type: ignore[arg-type] # a name, then numbers


def test_realloc_must_answer_well() -> None:
    guest = WitGuest(NEWEST, nn_with(FakeBackend()))
    tensor = guest.tensor(floats(1, 2))
    guest.skew(2)
    with pytest.raises(Trap, match="result not aligned"):
        guest.dimensions(tensor)
    guest.skew(1 << 30)
    with pytest.raises(Trap, match="beyond end of memory"):
        guest.data(tensor)


def test_a_guest_without_realloc() -> None:
    text = """(module
      (import "wasi:nn/tensor" "[constructor]tensor" (func $new (param i32 i32 i32 i32 i32) (result i32)))
      (import "wasi:nn/tensor" "[method]tensor.data" (func $data (param i32 i32)))
      (memory (export "memory") 1)
      (func (export "main")
        (call $data
          (call $new (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 4))
          (i32.const 0))))"""
    with Module.from_text(text).instantiate(nn=NN()) as guest, pytest.raises(Trap, match="no function"):
        guest.exports.main()


def test_too_many_handles() -> None:
    guest = WitGuest(NEWEST, nn_with(FakeBackend(), limits=Limits(handles=3)))
    for _ in range(3):
        guest.tensor(floats(1, 2))
    with pytest.raises(Trap, match="too many handles: the limit is 3"):
        guest.tensor(floats(1, 2))


def test_large_outputs_make_the_guest_grow(start: Starter) -> None:
    """realloc grows memory while the result is being written: nothing may be written to where it was."""
    for flavour in Flavour:
        guest = start(NEWEST, nn_with(FakeBackend()), flavour=flavour)
        ctx = guest.context(guest.load(b"FAKE types", encoding=6))
        inputs = {
            "f16": guest.tensor(bytes(2 * 6000), (6000,), 0),
            "f32": guest.tensor(bytes(4000), (1000,), 1),
        }
        inputs |= {"f64": guest.tensor(bytes(8), (1,), 2), "u8": guest.tensor(b"7" * 9000, (9000,), 4)}
        inputs |= {"i32": guest.tensor(pack("<i", 5), (1,), 5), "i64": guest.tensor(pack("<q", 6), (1,), 6)}
        outputs = guest.compute(ctx, **inputs)
        for _ in range(12):
            assert guest.data(outputs["u8"]) == b"7" * 9000
        assert guest.data(outputs["i64"]) == pack("<q", 6)
        assert guest.memory.size > 2 << 16
