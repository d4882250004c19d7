"""Cassettes: a guest recorded on one engine replays on the other without hosts; other guests, other answers
and damaged files are told.

What is not here: the options of the command (`tests/cli/test_cassettes.py`) and the fixture of pytest
(`tests/test_pytest_plugin.py`).
"""

from __future__ import annotations

import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.errors import CassetteError, GuestExit, HostError, LimitError, LinkError, Trap, TrapKind
from pywasm_nn.host import U32, Caller, Span
from pywasm_nn.interpreter.runtime.instance import Func
from pywasm_nn.interpreter.runtime.memory import Memory
from pywasm_nn.interpreter.types import I32, FuncType
from pywasm_nn.nn import NN
from pywasm_nn.program import run
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch.cassette import Cassette, Recording, Replay, compared
from pywasm_nn.watch.cassette.tape import Reentered

GUESTS = Path(__file__).parents[1] / "guests"
DEMO = demo.path()
ENGINES = ["compile", "interpret"]
OTHER = {"compile": "interpret", "interpret": "compile", "wasmtime": "compile"}
engines = pytest.mark.parametrize("engine", ENGINES)

PROGRAMS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "hello_c": ([], {}),
    "hello_rust": ([], {}),
    "args_env": (["plain", "two words"], {"env": {"CODE": "7"}}),
    "cat": ([], {"stdin": bytes(range(256)) * 300}),
    "clocks": ([], {}),
}


@engines
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_replays_on_the_other_engine_without_what_it_was_given(
    name: str, engine: str, tmp_path: Path
) -> None:
    words, settings = PROGRAMS[name]
    path = GUESTS / f"{name}.wasm"
    recorded = run(path, words, engine=engine, cassette=Recording(tmp_path / "x"), **settings)
    replayed = run(path, engine=OTHER[engine], cassette=Replay(tmp_path / "x"))
    assert replayed == recorded


def classify(directory: Path, model: str = "digits.onnx", **settings: Any) -> Any:
    return run(
        DEMO / "app.wasm", [f"models/{model}", "models/digit.pgm"], dirs={"models": directory}, **settings
    )


def test_inference_replays_without_files_and_frameworks(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    models = shutil.copytree(DEMO / "models", tmp_path / "models")
    plain = classify(models)
    assert plain.exit_code == 0
    recorded = classify(models, cassette=Recording(tmp_path / "x"))
    assert (recorded.stdout, len(recorded.nn_calls)) == (plain.stdout, 1)
    shutil.rmtree(models)
    for engine in ENGINES:
        replayed = run(DEMO / "app.wasm", engine=engine, cassette=Replay(tmp_path / "x"))
        assert (replayed.exit_code, replayed.stdout, replayed.stderr) == (0, plain.stdout, plain.stderr)
    operations = [each.operation for call in Cassette(tmp_path / "x") for each in call.inferences]
    assert operations == ["load", "init_execution_context", "set_input", "compute", "get_output"]


# What the guest does otherwise

TWO_CALLS = """
(module
  (import "env" "next" (func $next (param i32) (result i32)))
  (import "env" "tell" (func $tell (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{data}")
  (func (export "go") (result i32)
    (call {first} {arguments})
    (call $tell (i32.const 8) (i32.const 4))
    (call $next (i32.const 2)) i32.add))
"""


def two_calls(data: str = "abcd", first: str = "$next", arguments: str = "(i32.const 1)") -> Module:
    return Module.from_text(TWO_CALLS.format(data=data, first=first, arguments=arguments))


def record_two_calls(path: Path, module: Module, answer: int = 40) -> int:
    def next_(number: int) -> int:
        return answer + number

    def tell(text: Span) -> None:
        bytes(text)

    with Recording(path) as recording:
        given = recording.through(imports={"env": {"next": next_, "tell": tell}})
        with module.instantiate(**given) as instance:
            result: int = instance.exports.go()
    return result


@engines
def test_another_argument_other_bytes_another_call_and_another_end_are_told(
    engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "x"
    assert record_two_calls(path, two_calls()) == 83

    def replayed(module: Module) -> int:
        replay = Replay(path)
        with module.instantiate(**replay.through(), engine=engine) as instance:
            result: int = instance.exports.go()
        replay.finish()
        return result

    assert replayed(two_calls()) == 83
    with pytest.raises(CassetteError, match=r"call 1, env::next: number is 7, in the recording it is 1"):
        replayed(two_calls(arguments="(i32.const 7)"))
    with pytest.raises(CassetteError, match=r"call 2, env::tell: the guest sends other bytes from 0xa on "):
        replayed(two_calls(data="abXd"))
    shorter = TWO_CALLS.replace("(call $next (i32.const 2)) i32.add", "")
    with pytest.raises(CassetteError, match=r"ended after call 2 of the cassette.* env::next"):
        replayed(Module.from_text(shorter.format(data="abcd", first="$next", arguments="(i32.const 1)")))
    longer = TWO_CALLS.replace("i32.add))", "i32.add (drop (call $next (i32.const 3)))))")
    with pytest.raises(CassetteError, match=r"call 4: the guest calls env::next, and the cassette ends"):
        replayed(Module.from_text(longer.format(data="abcd", first="$next", arguments="(i32.const 1)")))


def error_of(module: Module, settings: dict[str, Any], engine: str) -> BaseException:
    with module.instantiate(**settings, engine=engine) as instance:
        with pytest.raises((HostError, Trap, GuestExit, LimitError)) as caught:
            instance.exports.go()
        return caught.value


@engines
def test_exits_traps_and_failures_of_the_host_are_raised_again(engine: str, tmp_path: Path) -> None:
    module = Module.from_text(
        '(module (import "env" "f" (func $f (result i32))) (func (export "go") (drop (call $f))))'
    )

    def failing() -> int:
        raise ValueError("no such thing")

    def trapping() -> int:
        raise Trap(TrapKind.UNREACHABLE, "said the host")

    def exiting() -> int:
        raise GuestExit(9)

    def limited() -> int:
        raise LimitError("handles", "too many")

    for function in (failing, trapping, exiting, limited):
        path = tmp_path / function.__name__
        errors: list[BaseException] = []
        with Recording(path) as recording:
            given = recording.through(imports={"env": {"f": function}})
            errors.append(error_of(module, given, engine))
        errors.append(error_of(module, Replay(path).through(), engine))
        assert type(errors[0]) is type(errors[1])
        if function is failing:
            assert "ValueError: no such thing" in str(errors[1])
        else:
            assert str(errors[0]) == str(errors[1])


@engines
def test_a_guest_that_the_host_calls_back_is_called_back(engine: str, tmp_path: Path) -> None:
    """The host asks the guest for memory, as lowered interfaces do, and writes there."""
    module = Module.from_text("""
    (module
      (import "env" "fill" (func $fill (param i32) (result i32)))
      (import "env" "log" (func $log (param i32)))
      (memory (export "memory") 1)
      (global $next (mut i32) (i32.const 64))
      (func (export "more") (param i32) (result i32)
        (call $log (local.get 0))
        (global.get $next)
        (global.set $next (i32.add (global.get $next) (local.get 0))))
      (func (export "go") (result i32) (local i32)
        (local.set 0 (call $fill (i32.const 5)))
        (i32.add (i32.load8_u (local.get 0)) (i32.mul (global.get $next) (i32.const 256)))))
    """)
    logged: list[int] = []

    def fill(caller: Caller, count: U32) -> U32:
        address: int = caller.call(["more"], FuncType((I32,), (I32,)), count)
        caller.memory.write(address, bytes([7]) * count)
        return address

    def log(count: int) -> None:
        logged.append(count)

    with Recording(tmp_path / "x") as recording:
        given = recording.through(imports={"env": {"fill": fill, "log": log}})
        with module.instantiate(**given, engine=engine) as instance:
            expected = instance.exports.go()
    assert (expected, logged) == (69 * 256 + 7, [5])
    (call,) = Cassette(tmp_path / "x")
    (reentered,) = [step for step in call.steps if isinstance(step, Reentered)]
    assert (reentered.export, [(each.number, each.name) for each in reentered.calls]) == (
        "more",
        [(2, "log")],
    )
    replay = Replay(tmp_path / "x")
    with module.instantiate(**replay.through(), engine=OTHER[engine]) as instance:
        assert instance.exports.go() == expected
    replay.finish()
    assert logged == [5]


@engines
def test_numbers_keep_every_bit(engine: str, tmp_path: Path) -> None:
    module = Module.from_text("""
    (module
      (import "env" "f" (func $f (param f32 f64 i64) (result f64)))
      (func (export "go") (param f32 f64 i64) (result i64)
        (i64.reinterpret_f64 (call $f (local.get 0) (local.get 1) (local.get 2)))))
    """)

    def f(one: float, two: float, three: int) -> float:
        return two

    function = Func.of(["f32", "f64", "i64"], ["f64"], f)
    given = [(0.1, -0.0, -1), (float("inf"), 5e-324, 1 << 62), (-1.5, 1e308, 0)]
    with Recording(tmp_path / "x") as recording:
        settings = recording.through(imports={"env": {"f": function}})
        with module.instantiate(**settings, engine=engine) as instance:
            expected = [instance.exports.go(*one) for one in given]
    replay = Replay(tmp_path / "x")
    with module.instantiate(**replay.through(), engine=OTHER[engine]) as instance:
        assert [instance.exports.go(*one) for one in given] == expected


def test_what_no_cassette_can_hold_is_refused(tmp_path: Path) -> None:
    plain = Module.from_text('(module (func (export "f")))')
    with Recording(tmp_path / "x") as recording:
        with pytest.raises(LinkError, match="references"):
            recording.through(imports={"env": {"f": Func.of(["externref"], [], print)}})
        with pytest.raises(LinkError, match="env::m"):
            recording.through(imports={"env": {"m": Memory.of(1)}})
        with plain.instantiate() as library:
            with pytest.raises(LinkError, match="env::f"):
                recording.through(imports={"env": {"f": library.exports.f}})
            with pytest.raises(LinkError, match="env"):
                recording.through(imports={"env": library})


def test_a_recording_changes_nothing_and_holds_one_instance(tmp_path: Path) -> None:
    module = Module.from_file(GUESTS / "hello_c.wasm")
    with Recording(tmp_path / "x") as recording:
        given = recording.through(Wasi(stdout=Capture()))
        with module.instantiate(**given), pytest.raises(LinkError, match="second"):
            module.instantiate(**given)


# Damaged files


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("tape") / "x"
    run(GUESTS / "cat.wasm", stdin=b"some text", cassette=Recording(path))
    return path.read_bytes()


def outcome_of(data: bytes, path: Path) -> None:
    """A damaged cassette is a CassetteError, or answers a guest that ends as guests do."""
    path.write_bytes(data)
    with suppress(CassetteError, Trap, HostError):
        run(GUESTS / "cat.wasm", cassette=Replay(path))
    with suppress(CassetteError):
        compared(path, path)


def test_files_that_are_cut_anywhere(tape: bytes, tmp_path: Path) -> None:
    for length in range(0, len(tape), len(tape) // 30):
        outcome_of(tape[:length], tmp_path / "x")


@given(st.integers(0, 2**32))
def test_files_with_changed_bytes(tape: bytes, tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(tape)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                data[place:place] = bytes(chance.choices(b'[]{},"0123456789-.eE\n', k=chance.randint(1, 9)))
            case 2:
                del data[place : place + chance.randint(1, 30)]
    outcome_of(bytes(data), tmp_path_factory.getbasetemp() / "damaged")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\0asm\1\0\0\0",
        b"[" * 100_000,
        b'{"format":"pywasm-nn cassette"}',
        b'{"format":"pywasm-nn cassette","schema":1,"module":3,"sha256":"","imports":[]}',
        b'{"format":"pywasm-nn cassette","schema":1,"module":"","sha256":"","imports":[[1]]}',
        b'{"format":"pywasm-nn cassette","schema":2}',
        b'{"format":"pywasm-nn cassette","schema":1e999}',
    ],
)
def test_files_of_another_kind(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(line)
    with pytest.raises(CassetteError):
        Replay(tmp_path / "x")


def test_a_length_that_a_file_only_claims_takes_no_memory(tape: bytes, tmp_path: Path) -> None:
    header = tape.partition(b"\n")[0]
    for size in (1 << 40, -1, 10**30, True, 1.5):
        entry = f'[1,"m","f",[],[["sent","memory",0,{size}]],["returned",[],[]],[],""]'
        (tmp_path / "x").write_bytes(header + b"\n" + entry.encode() + b"\n\n")
        with pytest.raises(CassetteError, match="entry 1"):
            list(Cassette(tmp_path / "x"))


# Two beside each other


def test_the_same_run_twice_differs_in_nothing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        record_two_calls(tmp_path / name, two_calls())
    found = compared(tmp_path / "a", tmp_path / "b")
    assert (found.first, found.calls, found.same_module) == ("", (3, 3), True)


def test_the_first_call_that_differs_is_named(tmp_path: Path) -> None:
    record_two_calls(tmp_path / "a", two_calls())
    record_two_calls(tmp_path / "b", two_calls(), answer=41)
    found = compared(tmp_path / "a", tmp_path / "b")
    assert found.number == 1
    assert found.first == "env::next: returned 41 in the first, returned 42 in the second"


def test_two_builds_are_compared_without_their_addresses(tmp_path: Path) -> None:
    moved = TWO_CALLS.replace("i32.const 8", "i32.const 4096")
    other = Module.from_text(moved.format(data="abcd", first="$next", arguments="(i32.const 1)"))
    record_two_calls(tmp_path / "a", two_calls())
    record_two_calls(tmp_path / "b", other)
    found = compared(tmp_path / "a", tmp_path / "b")
    assert (found.first, found.same_module) == ("", False)
    changed = Module.from_text(moved.format(data="abXd", first="$next", arguments="(i32.const 1)"), "changed")
    record_two_calls(tmp_path / "c", changed)
    found = compared(tmp_path / "a", tmp_path / "c")
    assert found.number == 2
    assert found.first.startswith("env::tell: the guest sends other bytes from byte 2 on")


def test_a_flipped_byte_of_a_tensor_is_found_and_named(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    path = tmp_path / "a"
    classify(DEMO / "models", cassette=Recording(path))
    (output,) = [
        tensor
        for call in Cassette(path)
        for each in call.inferences
        if each.operation == "get_output"
        for tensor in each.tensors
    ]
    data = bytearray(path.read_bytes())
    place = data.index(output.data) + 4 * 5 + 3
    data[place] ^= 0x40
    (tmp_path / "b").write_bytes(data)
    found = compared(path, tmp_path / "b")
    (different,) = found.differing
    assert (different.one.name, different.place, different.differing) == (output.name, 5, 1)
    assert f'"{output.name}"' in found.first


def test_a_flipped_byte_of_what_the_guest_got_or_sent_is_found_too(tmp_path: Path) -> None:
    """A tensor lies in a cassette as the model had it and as it lay in the guest's memory."""
    pytest.importorskip("numpy")
    path, other = tmp_path / "a", tmp_path / "b"
    classify(DEMO / "models", cassette=Recording(path))
    tensors = [
        (call.number, tensor)
        for call in Cassette(path)
        for each in call.inferences
        for tensor in each.tensors
    ]
    assert len(tensors) == 2
    whole = path.read_bytes()
    for number, tensor in tensors:
        first = whole.index(tensor.data)
        data = bytearray(whole)
        data[whole.index(tensor.data, first + 1) + 7] ^= 0x40
        other.write_bytes(data)
        found = compared(path, other)
        assert (found.number, found.differing) == (number, [])
        assert "other bytes from byte 7 on" in found.first
        assert compared(path, other, tolerance=1e-3).number == number


def test_zeros_of_the_other_sign_differ_but_for_a_tolerance(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    path, other = tmp_path / "a", tmp_path / "b"
    classify(DEMO / "models", cassette=Recording(path))
    (sent, _) = (tensor for call in Cassette(path) for each in call.inferences for tensor in each.tensors)
    assert sent.data[:4] == bytes(4)
    data = bytearray(path.read_bytes())
    data[data.index(sent.data) + 3] = 0x80
    other.write_bytes(data)
    assert compared(path, other).number
    assert not compared(path, other, tolerance=1e-6).number


def test_backends_differ_within_a_tolerance(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    paths = [tmp_path / "onnxruntime", tmp_path / "numpy"]
    for path in paths:
        classify(DEMO / "models", nn=NN(backends={"onnx": path.name}), cassette=Recording(path))
    found = compared(*paths, tolerance=1e-6)
    assert (found.first, [each for each in found.differing if each.within > 1e-6]) == ("", [])
    assert len(found.tensors) == 2


def test_a_guest_of_lowered_interfaces_is_refused_and_not_recorded_in_part(tmp_path: Path) -> None:
    """Generated code writes to its memory, which a recording doesn't see."""
    module = Module.from_file(Path(__file__).parents[1] / "nn" / "fixtures" / "guest_wit.wat")
    with Recording(tmp_path / "x") as recording:
        hosts = recording.through(Wasi(), NN())
        with module.instantiate(**hosts) as app, pytest.raises(CassetteError, match="lowered"):
            app.exports.run(0)
