"""Mistakes of plugins are refused where they are made, and the message names the class, the argument and what
is wanted."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import NN, NNError, cli
from pywasm_nn.nn import Backend, Context, DType, Graph, GraphConfig, Tensor, TensorSpec
from pywasm_nn.nn.backends.onnxruntime import OnnxRuntimeBackend
from pywasm_nn.nn.child.models import GuestModels
from pywasm_nn.nn.formats import Format, Formats, Look
from pywasm_nn.watch.hints import models as hints

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


class Typing(Backend):
    name = "typing"
    formats = (VENDOR, "onnx")
    from_guests = frozenset({"onnx", "vendro"})


class Fewer(OnnxRuntimeBackend):
    formats = ("onnx",)


class Formless(Backend):
    name = "formless"


class Unknown(Backend):
    name = "unknown"
    formats = ("onnx", "vnd")


@pytest.mark.parametrize(
    ("made", "kind", "words"),
    [
        (Unnamed(), TypeError, 'Unnamed.name must be a str, as "vendor", not None'),
        (Typing(), ValueError, "Typing.from_guests has 'vendro'; Typing.formats: vendor, onnx"),
        (Formless(), TypeError, "Formless.formats must be several formats or their names"),
    ],
)
def test_a_backend(made: Backend, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        NN(plugins=[made])


@pytest.mark.parametrize("kind", [OnnxRuntimeBackend, Fewer])
def test_a_class_that_reads_less_than_its_base(kind: type[Backend]) -> None:
    assert kind in [type(one) for one in NN(plugins=[kind()]).registry.backends]


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
    for plugins, told in (([Unknown()], True), ([], False)):
        with pytest.raises(NNError) as caught:
            NN(models=tmp_path, plugins=plugins).load("m")
        assert "m.vnd is there, but of no format that is known here" in str(caught.value)
        assert (
            'known here (unknown names its format "vnd" alone: Format("vnd",' in str(caught.value)
        ) is told


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"magic": b"VND1"}, TypeError, "magic=...) must be a position and the bytes there, as (0, b"),
        (
            {"magic": (0, "VND1")},
            TypeError,
            "magic=...)'s content must be bytes, as b\"VND1\", not str 'VND1'",
        ),
        ({"magic": (-4, b"VND1")}, ValueError, "magic=...)'s position must be at least 0, not -4"),
        ({"magic": (0, b"")}, ValueError, "magic=...) must be a position and the bytes there"),
        ({"suffixes": ".vnd"}, TypeError, 'suffixes=...) must be a tuple of suffixes, as (".vnd",), not str'),
        ({"suffixes": ("vnd",)}, ValueError, "each of Format(suffixes=...) must be a dot and lower-case"),
        ({"suffixes": (".VND",)}, ValueError, "each of Format(suffixes=...) must be a dot and lower-case"),
        ({"suffixes": (".vnd.gz",)}, ValueError, 'must be a dot and lower-case letters, as ".vnd", not'),
        ({"schemes": "http"}, TypeError, "schemes=...) must be a tuple of schemes"),
        ({"looks": True}, TypeError, "looks=...) must be something to call with a Look"),
        ({"parts": 2}, TypeError, "parts=...) must be a range, as range(1, 3), not int 2"),
    ],
)
def test_a_format(arguments: Any, kind: type[Exception], words: str) -> None:
    """Each of them would match nothing, or anything, or fail when a file is looked at."""
    with pytest.raises(kind, match=re.escape(words)):
        Format("vendor", **arguments)


def looking(answer: Any) -> Backend:
    """A backend whose `detect` gives an answer, or raises it."""

    class Looking(Given):
        def detect(self, data: Look) -> str | None:
            if isinstance(answer, Exception):
                raise answer
            found: str | None = answer
            return found

    return Looking(lambda: None)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (IndexError("what is this"), "given: IndexError: what is this"),
        (
            True,
            "given: TypeError: what looking.<locals>.Looking.detect returns must be the name of a format, or",
        ),
    ],
)
def test_a_plugin_that_fails_when_it_looks_at_a_file(answer: Any, words: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("some words")
    with pytest.raises(NNError, match=re.escape(f"{tmp_path / 'notes.txt'}: {words}")):
        NN(models=tmp_path, plugins=[looking(answer)])


@pytest.mark.parametrize("option", ["--models", "--nn-graph"])
def test_the_command_says_which_plugin_failed_on_which_file(
    option: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.py").write_text(
        "from pywasm_nn.nn import Backend\nclass V(Backend):\n    name = 'v'\n    formats = ('vnd',)\n"
        "    def detect(self, data):\n        return {}[data[0]]\n"
    )
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "notes.txt").write_text("some words")
    (tmp_path / "app.wat").write_text('(module (import "wasi_ephemeral_nn" "compute" (func (param i32))))')
    place = str(tmp_path / "models")
    words = [str(tmp_path / "app.wat"), "--nn-plugin", f"{tmp_path / 'own.py'}:V"]
    words += [option, place if option == "--models" else f"autodetect::{place}"]
    assert cli.call(["run", *words]) == 1
    assert "notes.txt: v: KeyError: 115" in capfd.readouterr().err


def test_hints_do_without_a_format_that_fails(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"some bytes")

    def fails(look: Look) -> bool:
        raise KeyError(look)

    odd = Format("vendor", looks=fails)
    assert hints.order([tmp_path / "m"], Formats([odd])) == ""


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


class Loadless(Backend):
    name = "given"
    formats = (VENDOR,)


class Silent(Context):
    pass


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        (Loadless(), "Loadless must define `def load(self, format, parts, config)`, which returns a Graph"),
        (
            Given(lambda: Graph("given", (SPEC,), (SPEC,))),
            "Graph must define `def context(self)`, which returns a Context",
        ),
        (
            Given(lambda: Opening(Silent)),
            "Silent must define `def run(self, inputs)`, which returns a sequence of Tensors",
        ),
    ],
)
def test_a_method_that_is_not_there(backend: Backend, words: str, tmp_path: Path) -> None:
    (tmp_path / "m.vnd").write_bytes(b"VND1")
    with pytest.raises(NNError, match=re.escape(f"given: NotImplementedError: {words}")):
        NN(plugins=[backend]).load(tmp_path / "m.vnd").compute({"x": [1.0]})


FAILING = """
import json
from pywasm_nn.nn import Backend, Format

class V(Backend):
    name = "v"
    formats = (Format("vendor", suffixes=(".vnd",), magic=(0, b"VND1")),)
    from_guests = frozenset(formats)

    def load(self, format, parts, config):
        return json.loads(bytes(parts[0]))
"""


@pytest.mark.parametrize("native", [False, True])
def test_a_mistake_in_a_plugins_file_is_told_with_its_line(native: bool, tmp_path: Path) -> None:
    """The last line of the file, not of what it calls; also from the process of a guest's own models."""
    (tmp_path / "own.py").write_text(FAILING.replace("formats)\n", f"formats)\n    native = {native}\n"))
    nn = NN(plugins=[f"{tmp_path / 'own.py'}:V"])
    with closing(GuestModels(1 << 30)) as models, pytest.raises(NNError) as caught:
        nn.registry.load([b"VND1"], None, GraphConfig(), print, models)
    assert caught.value.reason.startswith("v: JSONDecodeError: Expecting value")
    assert caught.value.reason.endswith("(own.py:12)")


def test_a_mistake_beside_a_plugins_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "reading.py").write_text("\n\ndef read(data):\n    raise ValueError('a short line')\n")
    split = FAILING.replace("json.loads", "reading.read").replace("import json", "import json, reading")
    (tmp_path / "own.py").write_text(split)
    nn = NN(plugins=[f"{tmp_path / 'own.py'}:V"])
    with closing(GuestModels(1 << 30)) as models, pytest.raises(NNError) as caught:
        nn.registry.load([b"VND1"], None, GraphConfig(), print, models)
    assert "ValueError: a short line" in caught.value.reason
    assert caught.value.reason.endswith("(reading.py:4)")


ANSWERS = """
from pywasm_nn.nn import Backend, Context, DType, Format, Graph, Target, Tensor, TensorSpec

class Same(Context):
    def run(self, inputs):
        return [Tensor.from_numpy(inputs[0].numpy())]

class Echo(Graph):
    def context(self):
        return Same(self)

class V(Backend):
    name = "v"
    formats = (Format("vendor", suffixes=(".vnd",), magic=(0, b"VND1")),)

    def load(self, format, parts, config):
        spec = TensorSpec("x", DType.F32, (None, 2))
        return Echo("v", [spec], [spec])

    def METHOD(self):
        return ANSWER
"""
TARGETS = "TypeError: the answer must be several Targets, as frozenset({Target.CPU}), not "


@pytest.fixture
def answering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Writes a plugin with one method more, beside a model and its input; returns the plugin's name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.vnd").write_bytes(b"VND1")
    (tmp_path / "x.csv").write_text("1,2\n")

    def write(method: str, answer: str) -> str:
        (tmp_path / "own.py").write_text(ANSWERS.replace("METHOD", method).replace("ANSWER", answer))
        return "own.py:V"

    return write


@pytest.mark.parametrize(
    ("method", "answer", "words"),
    [
        ("targets", "'cpu'", TARGETS + "str 'cpu'"),
        ("targets", "None", TARGETS + "None"),
        (
            "targets",
            "['cpu']",
            "TypeError: each of the answer must be a Target, as Target.CPU, not str 'cpu'",
        ),
        ("targets", "1 / 0", "ZeroDivisionError: division by zero (own.py:21)"),
        ("missing", "True", "TypeError: the answer must be the reason as a str, or None, not bool True"),
        ("missing", "1 / 0", "ZeroDivisionError: division by zero (own.py:21)"),
    ],
)
def test_what_a_plugin_says_of_itself_is_checked(
    answering: Callable[[str, str], str],
    method: str,
    answer: str,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plugin = answering(method, answer)
    said = f"v: V.{method}: {words}"
    assert cli.call(["nn", "run", "m.vnd", "x.csv", "--nn-plugin", plugin]) == 1
    assert capsys.readouterr().err == f"error: m.vnd: {said}\n"
    assert cli.call(["nn", "backends", "--nn-plugin", plugin]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(said)
    assert cli.call(["doctor", "--nn-plugin", plugin]) in (0, 1)
    assert (said in capsys.readouterr().out) is (method == "missing")
    with pytest.raises(NNError) as caught:
        NN(plugins=[plugin]).load("m.vnd")
    assert caught.value.reason == said


OPTIONS = 'the answer must be a mapping of names to tuples of types, as {"threads": (int,)}'


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("['warmth']", f"v: V.host_options: TypeError: {OPTIONS}, not list"),
        (
            "{'warmth': int}",
            "v: V.host_options: TypeError: the types of 'warmth' must be a tuple of types, as (int, float),"
            " not the class int",
        ),
        ("{'warmth': (int, float)}", '--nn-config m: there is no option "warmht"; did you mean "warmth"?'),
        ("1 / 0", "v: V.host_options: ZeroDivisionError: division by zero (own.py:21)"),
    ],
)
def test_options_that_a_plugin_declares(
    answering: Callable[[str, str], str], answer: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = answering("host_options", answer)
    import_ = '(import "wasi_ephemeral_nn" "compute" (func (param i32) (result i32)))'
    Path("g.wat").write_text(f'(module {import_} (func (export "_start")))')
    words_of = ["run", "g.wat", "--models", ".", "--nn-plugin", plugin, "--nn-config"]
    assert cli.call([*words_of, 'm={"warmht": 5}']) != 0
    assert capsys.readouterr().err.splitlines()[0] == f"error: {words}"


def test_the_names_of_the_package_complete() -> None:
    """Before any of them was used."""
    code = "import pywasm_nn.nn as nn; print(set(nn.__all__) <= set(dir(nn)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "True\n"
