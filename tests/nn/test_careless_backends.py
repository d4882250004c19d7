"""Mistakes of plugins are refused where they are made, and the message names the class, the argument and what
is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import NN, NNError, cli
from pywasm_nn.nn import Backend, Context, DType, Graph, Tensor, TensorSpec
from pywasm_nn.nn.formats import Format

VENDOR = Format("vendor", suffixes=(".vnd",), magic=(0, b"VND1"))
SPEC = TensorSpec("x", DType.F32, (1,))
WORD: Any = "f32"


class Given(Backend):
    """A backend whose graph is whatever `make` returns."""

    name = "given"
    formats = (VENDOR,)

    def __init__(self, make: Any) -> None:
        self.make = make

    def load(self, format: str, parts: Any, config: Any) -> Graph:
        graph: Graph = self.make()
        return graph


class Unnamed(Backend):
    formats = (VENDOR,)


class Formless(Backend):
    name = "formless"


class Unknown(Backend):
    name = "unknown"
    formats = ("onnx", "vnd")


@pytest.mark.parametrize(
    ("made", "kind", "words"),
    [
        (Unnamed(), TypeError, 'Unnamed.name must be a str, as "vendor", not None'),
        (Formless(), TypeError, "Formless.formats must be several formats or their names"),
    ],
)
def test_a_backend(made: Backend, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        NN(plugins=[made])


def test_the_command_names_the_option(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = 'from pywasm_nn.nn import Backend\nclass Unnamed(Backend):\n    formats = ("onnx",)\n'
    (tmp_path / "own.py").write_text(text)
    assert cli.call(["doctor", "--nn-plugin", f"{tmp_path / 'own.py'}:Unnamed"]) == 2
    assert "own.py:Unnamed: Unnamed.name must be a str" in capfd.readouterr().err


def test_a_format_of_which_only_the_name_is_known(tmp_path: Path) -> None:
    """It can be declared, and that is the only way."""
    (tmp_path / "m.vnd").write_bytes(b"VND1")
    with pytest.raises(NNError) as caught:
        NN(plugins=[Unknown()]).load(tmp_path / "m.vnd")
    assert 'unknown names its format "vnd" alone: Format("vnd", suffixes=..., magic=...)' in str(caught.value)
    with pytest.raises(NNError) as caught:
        NN(plugins=[Given(lambda: None)]).load(__file__)
    assert "alone" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("x", WORD, (1,)), r"TensorSpec\(dtype=\.\.\.\) must be a DType, as DType.F32, not str 'f32'"),
        ((1, DType.F32, (1,)), r"TensorSpec\(name=\.\.\.\) must be a str, not int 1"),
        (("x", DType.F32, "1"), r"TensorSpec\(shape=\.\.\.\) must be a tuple, or None"),
    ],
)
def test_a_spec(arguments: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        TensorSpec(*arguments)


class Bare(Graph):
    def __init__(self) -> None:
        self.own = 1


class BareContext(Context):
    def __init__(self, graph: Graph) -> None:
        self.own = 1


class Computing(Context):
    def run(self, inputs: Any) -> Any:
        return [Tensor(WORD, (1,), bytes(4))]


class Opening(Graph):
    """A graph whose contexts are whatever this makes of it."""

    def __init__(self, make: Any, inputs: Any = (SPEC,)) -> None:
        super().__init__("given", inputs, (SPEC,))
        self.make = make

    def context(self) -> Context:
        context: Context = self.make(self)
        return context


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (Bare, r"Bare.__init__ must call super\(\).__init__\(backend, inputs, outputs\), as Bare is a Graph"),
        (lambda: None, "what Given loads must be a Graph, not None"),
        (
            lambda: Opening(BareContext),
            r"BareContext.__init__ must call super\(\).__init__\(graph\), as BareContext is a Context",
        ),
        (lambda: Opening(lambda graph: 1), "what Opening.context returns must be a Context, not int 1"),
        (
            lambda: Opening(Computing, ("x",)),
            "each of Opening's inputs must be a TensorSpec, not str 'x'",
        ),
        (
            lambda: Opening(Computing),
            "Computing.run returned a Tensor whose dtype must be a DType, as DType.F32, not str 'f32'",
        ),
    ],
)
def test_a_graph_or_context(make: Any, words: str, tmp_path: Path) -> None:
    (tmp_path / "m.vnd").write_bytes(b"VND1")
    with pytest.raises(NNError, match=f"given: TypeError: {words}"):
        NN(plugins=[Given(make)]).load(tmp_path / "m.vnd").compute({"x": [1.0]})
