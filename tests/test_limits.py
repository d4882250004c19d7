"""Every limit holds against a guest that attacks it: the right error each time, and no memory kept."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from pywasm_nn import NN, Component, DeadlineError, Limits, Module, Trap, run
from pywasm_nn.nn import Context, Graph, GraphConfig, Tensor

from .attacks import ATTACKS, INIT, LOAD, LOADED, MODEL, Attack, EchoBackend, EchoGraph
from .conftest import ROOT, in_time
from .fuzz import bodies

ROUNDS = 5
KEPT = 4 << 10
"""KiB that a thousand rounds of one attack may leave: what an allocator rounds up, and no leak of 4 bytes."""


OF_COMPONENTS = {"instances", "lifted"}
"""Attacked in tests/component/test_calls.py."""


def test_every_limit_is_attacked() -> None:
    known = set(Limits.__match_args__) - OF_COMPONENTS
    assert {field for attack in ATTACKS for field in known if differs(attack, field)} == known


def test_limits_can_be_copied_with_other_values() -> None:
    assert replace(Limits(fuel=5), seconds=2) == Limits(fuel=5, seconds=2)


def differs(attack: Attack, field: str) -> bool:
    return bool(getattr(attack.limits, field) != getattr(Limits(), field) or attack.limit == field)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_holds(engine: str, attack: Attack, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    module, nn = attack.module(), NN(plugins=[EchoBackend()], trust_guest_models=True)
    for _ in range(ROUNDS):
        attack.run(module, engine, tmp_path, nn)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells how much memory a process has")
def test_a_thousand_times_in_one_process() -> None:
    command = [sys.executable, str(ROOT / "tests" / "attacks.py"), "1000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3000, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [name for name, *_ in lines] == [attack.name for attack in ATTACKS]
    assert {name: int(kept) for name, _, kept, _ in lines if int(kept) > KEPT} == {}


class Slow(Context):
    """A framework that would compute without end, and can be stopped."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.stopped = Event()

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        self.stopped.wait()
        raise RuntimeError("stopped")

    def interrupt(self) -> bool:
        self.stopped.set()
        return True


class SlowGraph(EchoGraph):
    def context(self) -> Context:
        return Slow(self)


class SlowBackend(EchoBackend):
    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        return SlowGraph("slow", (), ())


def test_a_deadline_stops_what_a_framework_computes(engine: str) -> None:
    compute = '(import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))'
    text = f"""(module {LOAD} {INIT} {compute} {MODEL} (func (export "run") {LOADED} (drop)
      (drop (call $init (i32.load (i32.const 8)) (i32.const 12)))
      (loop (drop (call $compute (i32.load (i32.const 12)))) (br 0))))"""
    nn = NN(plugins=[SlowBackend()], trust_guest_models=True)
    module, limits = Module.from_text(text), Limits(seconds=0.2)
    with (
        in_time(lambda: module.instantiate(nn=nn, engine=engine, limits=limits)) as instance,
        pytest.raises(DeadlineError),
    ):
        instance.exports.run()


LARGE = bodies.binary(
    bodies.section(6, bodies.vector([b"\x7f\0\x41\0\x41\1\x6a\x0b"] * 200_000)),
)
"""Takes several tenths of a second to read."""


def test_reading_a_module_ends_in_time(tmp_path: Path) -> None:
    (tmp_path / "large.wasm").write_bytes(LARGE)
    (tmp_path / "large.component.wasm").write_bytes(b"\0asm\x0d\0\1\0" + bodies.section(1, LARGE))
    for read in (
        lambda: Module.from_bytes(LARGE, seconds=0.001),
        lambda: Module.from_file(tmp_path / "large.wasm", seconds=0.001),
        lambda: Component.from_file(tmp_path / "large.component.wasm", seconds=0.001),
        lambda: run(tmp_path / "large.wasm", limits=Limits(seconds=0.001)),
    ):
        with pytest.raises(DeadlineError, match=r"reading the module took longer than 0\.001 s"):
            read()
    with pytest.raises(ValueError, match="seconds must be 0 or more"):
        Module.from_bytes(LARGE, seconds=-1)
    command = [sys.executable, "-m", "pywasm_nn", "run", "--no-cache", "--timeout", "1ms"]
    for name in "large.wasm", "large.component.wasm":
        done = subprocess.run([*command, str(tmp_path / name)], capture_output=True, text=True, check=False)
        assert "reading the module took longer" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_host_function_reads_a_module_within_the_guests_time(engine: str) -> None:
    text = '(module (import "h" "f" (func $f)) (func (export "run") (call $f)))'
    imports = {"h": {"f": lambda: Module.from_bytes(LARGE) and None}}
    module = Module.from_text(text)
    guest = in_time(lambda: module.instantiate(imports=imports, engine=engine, limits=Limits(seconds=0.05)))
    with pytest.raises(DeadlineError):
        guest.exports.run()
    with pytest.raises(Trap):
        guest.exports.run()
