"""Inputs are lent to a plugin's `run`: it can't change them, and what it returns of them stays."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn import NN
from pywasm_nn.nn import Code, DType, NNError, Target, Tensor
from pywasm_nn.nn.session import Session

from .backends.onnx_writer import Model, node
from .conftest import floats

PLUGIN = """
from pywasm_nn.nn import Backend, Context, DType, Format, Graph, Tensor, TensorSpec

FORMAT = Format("vendor", suffixes=(".vnd",), magic=(0, b"VND1"))
SPEC = TensorSpec("x", DType.F32, (2,))

class C(Context):
    def run(self, inputs):
{run}

class G(Graph):
    def context(self):
        return C(self)

class V(Backend):
    name = "v"
    formats = (FORMAT,)
    from_guests = frozenset(formats)
    native = {native}

    def load(self, format, parts, config):
        return G("v", [SPEC], [SPEC])
"""
DOUBLED = "x = inputs[0].numpy(); x *= 2\n        return [Tensor.from_numpy(x)]"
RETURNED = {
    "itself": "return inputs",
    "its bytes": "return [Tensor(DType.F32, (2,), inputs[0].view())]",
    "its array": "return [Tensor.from_numpy(inputs[0].numpy())]",
    "an array of it": "return [Tensor.from_numpy(inputs[0].numpy().reshape(1, 2)[0])]",
}
HOSTS = pytest.mark.parametrize("native", [False, True], ids=["here", "apart"])


def plugin(folder: Path, run: str, native: bool = False) -> NN:
    (folder / "own.py").write_text(PLUGIN.format(run=f"        {run}", native=native))
    (folder / "m.vnd").write_bytes(b"VND1")
    return NN(plugins=[f"{folder / 'own.py'}:V"])


def pair(*values: float) -> Tensor:
    return Tensor(DType.F32, (2,), floats(*values))


def guest(nn: NN) -> tuple[Session, int]:
    """A guest's session, and a context of a model of its own."""
    session = nn.open(lambda text: None).session
    return session, session.init_execution_context(session.load([b"VND1"], None, Target.CPU))


def test_an_array_of_the_caller_stays(tmp_path: Path) -> None:
    model = plugin(tmp_path, DOUBLED).load(tmp_path / "m.vnd")
    given = numpy.array([1, 2], "f4")
    with pytest.raises(NNError, match=r"v: ValueError: output array is read-only \(own\.py:9\)$"):
        model.compute({"x": given})
    assert given.tolist() == [1, 2]


@HOSTS
def test_an_input_of_a_guest_stays(native: bool, tmp_path: Path) -> None:
    session, ctx = guest(plugin(tmp_path, DOUBLED, native))
    with closing(session):
        session.set_input(ctx, 0, pair(1, 2))
        for _ in range(2):
            with pytest.raises(NNError, match=r"read-only \(own\.py:9\)") as caught:
                session.compute(ctx)
            assert caught.value.code is Code.RUNTIME_ERROR


@pytest.mark.parametrize("run", RETURNED.values(), ids=RETURNED)
@HOSTS
def test_an_output_outlives_the_input_that_it_is(native: bool, run: str, tmp_path: Path) -> None:
    session, ctx = guest(plugin(tmp_path, run, native))
    with closing(session):
        session.set_input(ctx, 0, pair(1, 2))
        session.compute(ctx)
        session.set_input(ctx, 0, pair(3, 4))
        assert bytes(session.get_output(ctx, 0).view()) == floats(1, 2)
        session.compute(ctx)
        assert bytes(session.get_output(ctx, 0).view()) == floats(3, 4)


@pytest.mark.parametrize("run", RETURNED.values(), ids=RETURNED)
def test_an_answer_is_no_array_of_the_callers(run: str, tmp_path: Path) -> None:
    given = numpy.array([1, 2], "f4")
    answer = plugin(tmp_path, run).load(tmp_path / "m.vnd").compute({"x": given})["x"]
    answer += 1
    assert (given.tolist(), answer.tolist()) == ([1, 2], [2, 3])


def test_what_a_backend_made_itself_is_not_copied(tmp_path: Path) -> None:
    run = "self.made = Tensor.from_numpy(inputs[0].numpy() * 2); return [self.made]"
    model = plugin(tmp_path, run).load(tmp_path / "m.vnd")
    context: Any = model._context
    model.compute({"x": [1, 2]})
    assert context.output(0) is context.made


def test_an_input_is_the_same_while_it_is_the_same_snapshot(tmp_path: Path) -> None:
    """So that a backend may keep what it made of it (`Context.array`)."""
    run = "self.seen = [*getattr(self, 'seen', []), self.array(0, inputs[0])]"
    run += "; return [Tensor(DType.F32, (2,), bytes(8))]"
    session, ctx = guest(plugin(tmp_path, run))
    context: Any = session.contexts[ctx].context
    for values in (1, 2), (3, 4):
        session.set_input(ctx, 0, pair(*values))
        session.compute(ctx)
    first, second = context.seen
    assert first is second
    assert first.tolist() == [3, 4]


IDENTITY = Model([node("Identity", ["a"], ["y"])], {"a": ("float32", [2])}, {"y": ("float32", [2])}).data()


@pytest.mark.parametrize("backend", ["numpy", "onnxruntime", "openvino"])
def test_our_own_backends_give_no_input(backend: str, tmp_path: Path) -> None:
    """They aren't asked: it would cost."""
    (tmp_path / "m.onnx").write_bytes(IDENTITY)
    nn = NN(backends={"onnx": backend})
    if reason := nn.registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    given = numpy.array([1, 2], "f4")
    answer = nn.load(tmp_path / "m.onnx").compute({"a": given})["y"]
    assert not numpy.may_share_memory(answer, given)
    assert given.flags.writeable
