"""Values of options: what is read, and what is refused with which help."""

import click
import pytest

from pywasm_nn.cli import options
from pywasm_nn.cli.options import GraphDirectory, Preload
from pywasm_nn.wasi import Dir

S = "-S nn-graph"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("models", Dir("models", "models")),
        ("a::b", Dir("a", "b")),
        ("a::b:readonly", Dir("a", "b", True)),
        (".::/", Dir(".", "/")),
        ("/", Dir("/", "/")),
        (".:.", Dir(".", ".")),
        ("models:models", Dir("models", "models")),
        ("./a:a/", Dir("./a", "./a")),
        ("/m:/m:readonly", Dir("/m", "/m", True)),
        ("C:\\m", Dir("C:\\m", "C:\\m")),
        ("C:\\m::/m:readonly", Dir("C:\\m", "/m", True)),
        ("C:\\m:C:\\m", Dir("C:\\m", "C:\\m")),
    ],
)
def test_directories(text: str, expected: Dir) -> None:
    assert options.directory(text) == expected


@pytest.mark.parametrize("text", ["", "::b", "a::", "a::b:", "a::b:rw", "a::b:readonly:"])
def test_directories_that_say_nothing(text: str) -> None:
    with pytest.raises(click.UsageError):
        options.directory(text)


@pytest.mark.parametrize(
    ("text", "compat", "expected"),
    [
        ("C:/m", None, Dir("C:/m", "C:/m")),
        ("c:/m::m", None, Dir("c:/m", "m")),
        ("m:C:/m", "wasmedge", Dir("C:/m", "m")),
        ("C:/m:C:/m:readonly", "wasmedge", Dir("C:/m", "C:/m", True)),
    ],
)
def test_drives_have_colons_on_windows(text: str, compat: str | None, expected: Dir) -> None:
    assert options.directory(text, compat, windows=True) == expected


def test_elsewhere_a_letter_is_a_directory() -> None:
    with pytest.raises(click.UsageError, match="two ways"):
        options.directory("C:/m", windows=False)


@pytest.mark.parametrize("text", ["/:models", "a:a/b", "..:.", "/:/home"])
def test_a_single_colon_never_guesses(text: str) -> None:
    with pytest.raises(click.UsageError, match="two ways"):
        options.directory(text)


def test_a_single_colon_shows_both_readings() -> None:
    with pytest.raises(click.UsageError) as caught:
        options.directory("/:models")
    assert "--dir /::models" in caught.value.message
    assert "--dir models::/" in caught.value.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("models", Dir("models", "models")),
        ("/:models", Dir("models", "/")),
        ("/m:models:readonly", Dir("models", "/m", True)),
    ],
)
def test_the_order_of_wasmedge(text: str, expected: Dir) -> None:
    assert options.directory(text, "wasmedge") == expected


@pytest.mark.parametrize("text", ["", "a:b:rw", "a:", ":b", "a:b:readonly:c"])
def test_what_wasmedge_would_not_read(text: str) -> None:
    with pytest.raises(click.UsageError):
        options.directory(text, "wasmedge")


def test_environment() -> None:
    found, missing = options.environment(["A=1", "B=", "HOME", "NOT_SET", "C=x=y"], {"HOME": "/h", "A": "0"})
    assert found == {"A": "1", "B": "", "HOME": "/h", "C": "x=y"}
    assert missing == ["NOT_SET"]
    with pytest.raises(click.UsageError):
        options.environment(["=1"], {})


@pytest.mark.parametrize(("text", "bytes_"), [("65536", 65536), ("64MiB", 64 << 20), ("1 gib", 1 << 30)])
def test_sizes(text: str, bytes_: int) -> None:
    assert options.size(text, "--max-memory") == bytes_


@pytest.mark.parametrize("text", ["", "MiB", "-1", "64MB", "1.5GiB", "0x10"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(click.UsageError, match="--max-memory"):
        options.size(text, "--max-memory")


def test_trace_levels() -> None:
    assert options.tracing("host, nn") == options.Tracing(frozenset({"host", "nn"}))
    assert options.tracing("calls,ring:20") == options.Tracing(frozenset({"calls"}), 20)
    assert options.tracing("ring:2000") == options.Tracing(frozenset({"instr"}), 2000)
    assert options.tracing("hints") == options.Tracing(frozenset({"whatif"}), hints_only=True)
    for wrong in ("hots", "hints,host", "ring", "ring:0", "ring:x", ""):
        with pytest.raises(click.UsageError, match="--trace="):
            options.tracing(wrong)


def test_models_of_wasmtime() -> None:
    assert options.graph_directory("openvino::m/net") == GraphDirectory("openvino", "m/net")
    assert options.graph_directory("tensorflowlite::m") == GraphDirectory("tensorflowlite", "m")
    assert options.wasmtime_settings("nn-graph=onnx::m") == [GraphDirectory("onnx", "m", S)]
    assert options.wasmtime_settings("nn") == options.wasmtime_settings("nn=y,cli,threads,preview2") == []
    assert options.wasmtime_settings("nn,nn-graph=onnx::m,nn-graph=openvino::n") == [
        GraphDirectory("onnx", "m", S),
        GraphDirectory("openvino", "n", S),
    ]
    for text in ["onnx", "onnx:m", "onnx::", "::m"]:
        with pytest.raises(click.UsageError):
            options.graph_directory(text)
    for text in ["http", "p3=y", "threads=n", "nn=n", "inherit-env", "nonsense", "nn,nonsense"]:
        with pytest.raises(click.UsageError, match=text.rpartition(",")[2]):
            options.wasmtime_settings(text)


def test_models_of_wasmedge() -> None:
    assert options.preload("m:ONNX:CPU:a.onnx") == Preload("m", ("a.onnx",), "ONNX", "cpu")
    assert options.preload("m:openvino:auto:a.xml:a.bin").paths == ("a.xml", "a.bin")
    assert options.preload("m:autodetect:gpu:a").format == "autodetect"
    for text in ["m:onnx:cpu", "m:onnx:cpu:", "m:onnx:dsp:a", "m::cpu:a"]:
        with pytest.raises(click.UsageError):
            options.preload(text)


def test_choice_of_a_backend() -> None:
    assert options.backend_choice("onnx=numpy") == ("onnx", "numpy")
    for text in ["onnx", "onnx=", "=numpy", "autodetect=numpy"]:
        with pytest.raises(click.UsageError):
            options.backend_choice(text)
