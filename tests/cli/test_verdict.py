"""`--trace-fail`, `--expect-output`, and the formats of a trace that a CI reads."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pywasm_nn import demo

APP = demo.path() / "app.wasm"
WORDS = ["digits.onnx", "digit.pgm"]


@pytest.fixture
def classify(pywasm):
    """Runs the demo's guest with options before it."""
    pytest.importorskip("numpy")

    def run(*options: object, words=WORDS):
        return pywasm("run", "--dir", f"{demo.path() / 'models'}::/", *options, APP, *words)

    return run


def saved(name: str, array: object) -> str:
    import numpy

    numpy.save(name, array)
    return name


def answer() -> object:
    """The demo's output, computed without a guest."""
    import numpy

    from pywasm_nn.nn import NN

    picture = (demo.path() / "models" / "digit.pgm").read_bytes()[-64:]
    scaled = numpy.frombuffer(picture, "u1").astype("f4").reshape(1, 1, 8, 8) / 16
    with NN().load(demo.path() / "models" / "digits.onnx") as model:
        return model.compute({"picture": scaled})["probabilities"]


def test_outputs_are_compared_within_the_tolerance(classify) -> None:
    array = answer()
    assert array.argmax() == 5
    right = saved("right.npy", array)
    assert classify("--expect-output", f"0={right}:1e-5").code == 0
    array[0, 3] += 0.1
    wrong = saved("wrong.npy", array)
    outcome = classify("--expect-output", f"0={wrong}:1e-3")
    assert (outcome.code, outcome.out.splitlines()[0][0]) == (1, "5")
    assert 'output 0 "probabilities" f32[1,10] should equal wrong.npy within 0.001: 1 of 10' in outcome.err
    assert "at [0,3]" in outcome.err
    assert classify("--expect-output", f"0={wrong}:0.2").code == 0
    assert classify("--expect-output", f"0={right}:1e-5", "--expect-output", f"0={wrong}").code == 1


def test_other_shapes_and_outputs_that_are_not_there(classify, pywasm) -> None:
    import numpy

    flat = saved("flat.npy", numpy.zeros(10, "f4"))
    assert "which is float32[10]" in classify("--expect-output", f"0={flat}").err
    outcome = classify("--expect-output", f"3={flat}")
    assert (outcome.code, "output 3 should equal flat.npy" in outcome.err) == (1, True)
    outcome = pywasm("run", "--expect-output", f"0={flat}", APP)
    assert outcome.code == 1


@pytest.mark.parametrize("text", ["", "0", "x=a.npy", "=a.npy", "0=", "-1=a.npy", "0=:1"])
def test_values_that_can_not_be_read(classify, text: str) -> None:
    outcome = classify("--expect-output", text)
    assert (outcome.code, outcome.out) == (2, "")


def test_files_that_are_no_arrays(classify, tmp_path: Path) -> None:
    import numpy

    assert classify("--expect-output", "0=nowhere.npy").code == 1
    (tmp_path / "text.npy").write_text("text")
    outcome = classify("--expect-output", "0=text.npy")
    assert (outcome.code, "text.npy is no .npy file" in outcome.err, outcome.out) == (1, True, "")
    saved("words.npy", numpy.array(["a"]))
    assert "no array of numbers" in classify("--expect-output", "0=words.npy").err


def test_a_failed_inference_fails_the_run(classify, pywasm, tmp_path: Path) -> None:
    assert classify("--trace-fail", "hint").code == 0
    assert classify("--trace-fail", "error", "--max-memory", "64MiB").code == 0
    (tmp_path / "careless.wat").write_text("""
    (module
      (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
      (memory (export "memory") 1)
      (data (i32.const 0) "nothing")
      (func (export "_start") (drop (call $load (i32.const 0) (i32.const 7) (i32.const 16)))))
    """)
    assert pywasm("run", "careless.wat").code == 0
    for level in ("error", "hint"):
        outcome = pywasm("run", "--trace-fail", level, "careless.wat")
        assert (outcome.code, 'load_by_name("nothing") -> not_found' in outcome.err) == (1, True)
    outcome = pywasm("run", "--trace", "--trace-format", "github", "careless.wat")
    assert "::error title=careless.wat%3A load_by_name::not_found" in outcome.err
    assert outcome.code == 0
    pywasm("run", "--trace", "--trace-format", "junit", "--trace-file", "report.xml", "careless.wat")
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert suite[0][0].get("type") == "not_found"


def test_a_hint_fails_a_run_that_asks_for_it(pywasm, tmp_path: Path) -> None:
    """A black picture is computed, and the exit code is 0 without the option."""
    pytest.importorskip("numpy")
    models = shutil.copytree(demo.path() / "models", tmp_path / "models")
    picture = (models / "digit.pgm").read_bytes()
    (models / "digit.pgm").write_bytes(picture[:-64] + bytes(64))
    command = ["--dir", "models::/", APP, *WORDS]
    assert pywasm("run", *command).code == 0
    assert pywasm("run", "--trace-fail", "error", *command).code == 0
    outcome = pywasm("run", "--trace-fail", "hint", *command)
    assert (outcome.code, "hint zeros:" in outcome.err) == (1, True)


def test_reports_are_well_formed_whatever_a_guest_is_called(pywasm, tmp_path: Path) -> None:
    name = "a<b>&\"'\x01é.wat"
    (tmp_path / name).write_text('(module (func (export "_start") unreachable))')
    outcome = pywasm("run", "--trace", "--trace-format", "junit", "--trace-file", "r.xml", name)
    assert outcome.code == 134
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()[0]
    assert suite.get("failures") == "1"
    outcome = pywasm("run", "--trace", "--trace-format", "github", name)
    (line,) = [line for line in outcome.err.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=a<b>&\"'")
    assert "\x01" not in line


# --expect


def picture(name: str, turn: int = 1) -> str:
    """The demo's picture as an array as the guest sends it, its rows in either order."""
    import numpy

    pixels = numpy.frombuffer((demo.path() / "models" / "digit.pgm").read_bytes()[-64:], "u1")
    return saved(name, (pixels.reshape(1, 1, 8, 8)[:, :, ::turn] / 16).astype("f4"))


def test_inputs_are_compared_with_arrays(classify) -> None:
    import numpy

    right = picture("right.npy")
    outcome = classify("--expect", f"0={right}")
    assert (outcome.code, "equals right.npy" in outcome.err) == (0, True)
    assert classify("--expect", f"picture={right}").code == 0
    outcome = classify("--expect", f"0={picture('down.npy', -1)}")
    assert (outcome.code, "it is down.npy upside down" in outcome.err) == (1, True)
    raw = saved("raw.npy", numpy.load(right) * 255)
    assert "it is raw.npy times 0.003922" in classify("--expect", f"0={raw}").err
    other = saved("other.npy", numpy.random.default_rng(0).random((1, 1, 8, 8)))
    assert "another one, by no usual change" in classify("--expect", f"0={other}").err
    assert classify("--expect", f"0={right}", "--expect", f"0={other}").code == 1


def test_inputs_that_are_not_there_and_files_that_are_nothing(classify, tmp_path: Path) -> None:
    outcome = classify("--expect", f"7={picture('right.npy')}")
    assert (outcome.code, "input 7 was not set; set were picture" in outcome.err) == (1, True)
    (tmp_path / "words.txt").write_text("words")
    assert "no picture, WAV or .npy" in classify("--expect", "0=words.txt").err
    assert classify("--expect", "0=nowhere.npy").code == 1
    for text in ("", "0", "0=", "=a.npy"):
        assert classify("--expect", text).code == 2


def test_outputs_tell_their_usual_change(classify) -> None:
    array = answer()
    shifted = saved("shifted.npy", numpy_shifted(array))
    assert (
        "it is the expected one shifted by -1 places" in classify("--expect-output", f"0={shifted}:1e-4").err
    )
    percent = saved("percent.npy", array * 100)
    assert "it is the expected one times 0.01" in classify("--expect-output", f"0={percent}").err


def numpy_shifted(array):
    """Each class one place further, as with a label for the background."""
    import numpy

    return numpy.roll(array, 1)
