"""Whole programs, as their compilers made them, through `run`: stock hello worlds, files, clocks, traps.

What is here: `tests/guests`, each program with its source and build line. What is not: digits
(`test_examples.py`).
"""

from __future__ import annotations

import struct
import threading
from pathlib import Path

import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.errors import ExhaustionError, Trap, TrapKind
from pywasm_nn.limits import Limits
from pywasm_nn.program import run

GUESTS = Path(__file__).parent / "guests"
SHARED_MODELS = Path(__file__).parents[1] / ".." / "shared" / "models"
ENGINES = ["compile", "interpret"]
engines = pytest.mark.parametrize("engine", ENGINES)


@engines
@pytest.mark.parametrize("language", ["c", "cpp", "zig", "rust", "go", "assemblyscript"])
def test_stock_hello_worlds(language: str, engine: str) -> None:
    result = run(GUESTS / f"hello_{language}.wasm", engine=engine)
    assert (result.exit_code, result.stdout, result.stderr) == (0, b"Hello, world!\n", b"")


@engines
def test_arguments_variables_and_exit_code(engine: str) -> None:
    result = run(
        GUESTS / "args_env.wasm", ["plain", "two words", "ä"], env={"CODE": "7", "EMPTY": ""}, engine=engine
    )
    assert result.exit_code == 7
    assert result.stdout.decode().splitlines() == [
        "argument 0: args_env.wasm",
        "argument 1: plain",
        "argument 2: two words",
        "argument 3: ä",
        "variable: CODE=7",
        "variable: EMPTY=",
    ]


@engines
def test_standard_streams(engine: str) -> None:
    given = bytes(range(256)) * 40
    result = run(GUESTS / "cat.wasm", stdin=given, engine=engine)
    assert (result.exit_code, result.stdout, result.stderr) == (0, given, b"10240 bytes\n")


def test_clocks_sleep_and_randomness() -> None:
    result = run(GUESTS / "clocks.wasm")
    assert result.exit_code == 0
    assert result.stdout.decode().splitlines() == [
        "the wall clock is past 2023",
        "20 ms of sleep take 20 ms",
        "random bytes differ",
    ]


@engines
def test_files(engine: str, tmp_path: Path) -> None:
    result = run(GUESTS / "files.wasm", ["/work"], dirs={"/work": tmp_path}, engine=engine)
    assert result.stdout.decode().splitlines() == [
        'a.txt holds "0123456789"',
        'a.txt holds "0123456789end"',
        "the byte at 10 is 'e', the position is 11",
        "the byte at 5 is 'Y', the position is 11",
        'a.txt holds "0123XY"',
        "a.txt: 6 bytes, a file",
        "sub: a directory",
        ". has 1: sub",
        "sub has 1: b.txt",
        'sub/b.txt holds "0123XY"',
        "opening what is not there: refused as it should be",
        "creating what is there: refused as it should be",
        "removing a directory that is not empty: refused as it should be",
        "leaving the directory: refused as it should be",
        ". has 0:",
    ]
    assert result.exit_code == 0
    assert list(tmp_path.iterdir()) == []


@engines
@pytest.mark.parametrize("program", ["exceptions", "jumps"])
def test_exceptions_of_stock_compilers(program: str, engine: str) -> None:
    """In the encoding of before 3.0, with the output that wasmtime gives for the newer one."""
    pytest.importorskip("wasmtime")
    expected = run(GUESTS / f"{program}_new.wasm", engine="wasmtime")
    assert (expected.exit_code, expected.stderr) == (0, b"") and len(expected.stdout.splitlines()) > 9
    result = run(GUESTS / f"{program}.wasm", engine=engine)
    assert (result.exit_code, result.stdout, result.stderr) == (0, expected.stdout, b"")


TRAPS = {
    "unreachable": TrapKind.UNREACHABLE,
    "divide": TrapKind.DIVIDE_BY_ZERO,
    "overflow": TrapKind.INTEGER_OVERFLOW,
    "load": TrapKind.OUT_OF_BOUNDS_MEMORY,
    "store": TrapKind.OUT_OF_BOUNDS_MEMORY,
    "null_call": TrapKind.UNINITIALIZED_ELEMENT,
    "wrong_type": TrapKind.INDIRECT_CALL_TYPE,
    "recurse": TrapKind.CALL_STACK_EXHAUSTED,
}


@engines
@pytest.mark.parametrize("deed", TRAPS)
def test_traps_name_kind_and_functions(deed: str, engine: str) -> None:
    with pytest.raises(Trap) as caught:
        run(GUESTS / "traps.wasm", [deed], engine=engine)
    assert caught.value.kind is TRAPS[deed]
    names = [frame.name for frame in caught.value.frames]
    innermost = [deed] if deed != "unreachable" else []
    assert names[: len(innermost)] == innermost
    assert names[-2:] == ["perform", "_start"]


@engines
@pytest.mark.parametrize(("way", "frames"), [("direct", 50_000), ("mutual", 5_000), ("indirect", 5_000)])
def test_recursion_has_exactly_its_frames_on_every_thread(way: str, frames: int, engine: str) -> None:
    module = Module.from_file(GUESTS / "recurse.wat")
    answers: list[tuple[int, TrapKind]] = []
    compiled = threading.Barrier(2)

    def recurse() -> None:
        with module.instantiate(engine=engine, limits=Limits(call_depth=frames)) as instance:
            # A function that is compiled on its way is excused one frame, in all threads meanwhile.
            instance.exports[way](3)
            compiled.wait()
            depth = instance.exports[way](frames - 1)
            with pytest.raises(ExhaustionError) as caught:
                instance.exports[way](frames)
            answers.append((depth, caught.value.kind))

    threads = [threading.Thread(target=recurse) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(frames - 1, TrapKind.CALL_STACK_EXHAUSTED)] * 2


def test_a_quantised_model_of_others_gives_the_documented_answer() -> None:
    pytest.importorskip("ai_edge_litert")
    if not SHARED_MODELS.is_dir():
        pytest.skip("needs ../shared/models")
    arguments = ["/models/birds_v1.tflite", "/models/bird-224x224x3.u8", "1x224x224x3"]
    result = run(GUESTS / "raw_tensor.wasm", arguments, dirs={"/models": SHARED_MODELS})
    assert result.stderr == b""
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    assert [index for index, _ in lines] == ["166", "158", "34", "778", "819"]
    # Older kernels say 198.
    assert [value for _, value in lines] in (["199", "2", "1", "1", "1"], ["198", "2", "1", "1", "1"])


@engines
def test_floats_go_in_and_come_out(engine: str, tmp_path: Path) -> None:
    shades = (demo.path() / "models" / "digit.pgm").read_bytes()[-64:]
    (tmp_path / "digit.f32").write_bytes(struct.pack("<64f", *(shade / 16 for shade in shades)))
    dirs = {"/models": demo.path() / "models", "/new": tmp_path}
    arguments = ["/models/digits.onnx", "/new/digit.f32", "1x1x8x8"]
    result = run(GUESTS / "raw_tensor.wasm", arguments, dirs=dirs, engine=engine)
    assert result.stderr == b""
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    [inference] = result.nn_calls
    seen = inference.outputs[0][0]
    assert [int(index) for index, _ in lines] == sorted(range(10), key=lambda i: -seen[i])[:5]
    assert lines[0][0] == "5"
    # %g prints six digits.
    assert [float(value) for _, value in lines] == [pytest.approx(seen[int(i)], rel=1e-5) for i, _ in lines]
