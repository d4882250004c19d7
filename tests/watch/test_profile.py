"""Profiles: time goes to the function that takes it, on either engine, and all samples are the whole time."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from struct import pack

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.watch.profile import FORMATS, Place, Sampler, summary
from tests.component.components import component

engines = pytest.mark.parametrize("engine", ["compile", "interpret"])
SPIN = """
(module
  (import "env" "wait" (func $wait))
  (func $busy (param i32)
    (loop $again
      (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
      (br_if $again (local.get 0))))
  (func $nested (param i32) (if (local.get 0)
    (then (call $nested (i32.sub (local.get 0) (i32.const 1)))) (else (call $busy (i32.const 1000)))))
  (func (export "spin") (param i32) (call $busy (local.get 0)))
  (func (export "sleep") (call $wait))
  (func (export "deep") (param i32) (call $nested (local.get 0)))
  (func (export "fail") (call $wait) unreachable))
"""


@pytest.fixture(scope="module")
def module() -> Module:
    return Module.from_text(SPIN, "spin.wat")


def busy(module: Module, engine: str) -> Sampler:
    """A sampler of at least fifty looks at a guest that is busy, however fast the machine is: those before it
    began are few, however busy the machine is."""
    rounds = 2_000
    with module.instantiate(imports={"env": {"wait": lambda: None}}, engine=engine) as instance:
        instance.exports.spin(1)  # compiled before it is looked at
        while True:
            with Sampler(0.002) as sampler:
                instance.exports.spin(rounds)
            if len(sampler.samples) >= 50:
                return sampler
            rounds *= 2


@engines
def test_time_goes_to_the_function_that_takes_it(module: Module, engine: str) -> None:
    sampler = busy(module, engine)
    total = sum(sample.seconds for sample in sampler.samples)
    assert total == pytest.approx(sampler.seconds)
    stacks = [[place.name for place in sample.stack if place.kind == "guest"] for sample in sampler.samples]
    assert sum(stack == ["spin", "busy"] for stack in stacks) >= 0.8 * len(stacks)


@engines
def test_a_host_function_that_waits_is_seen_below_its_caller(module: Module, engine: str) -> None:
    def wait() -> None:
        time.sleep(0.2)

    imports = {"env": {"wait": wait}}
    with module.instantiate(imports=imports, engine=engine) as instance, Sampler(0.005) as sampler:
        instance.exports.sleep()
    names = [[(place.kind, place.name) for place in sample.stack] for sample in sampler.samples]
    waiting = [("guest", "sleep"), ("host", "env.wait")]
    assert waiting in names
    taken = sum(
        sample.seconds for sample, stack in zip(sampler.samples, names, strict=True) if stack == waiting
    )
    assert taken >= 0.15


def test_a_host_function_of_a_component_is_seen_where_it_waits() -> None:
    waiting = component("""
      (import "wait" (func $wait))
      (core func $lowered (canon lower (func $wait)))
      (core module $M (import "" "wait" (func $wait)) (func (export "f") (call $wait)))
      (core instance $m (instantiate $M (with "" (instance (export "wait" (func $lowered))))))
      (func (export "f") (canon lift (core func $m "f")))
    """)
    with waiting.instantiate({"wait": lambda: time.sleep(0.2)}) as instance, Sampler(0.005) as sampler:
        instance.exports.f()
    taken = sum(
        sample.seconds
        for sample in sampler.samples
        if ("host", "wait") in [(place.kind, place.name) for place in sample.stack]
    )
    assert taken >= 0.15


def test_a_stack_as_deep_as_guests_may_go_costs_its_share(module: Module) -> None:
    imports = {"env": {"wait": lambda: None}}
    deepest: tuple[Place, ...] = ()
    while len(deepest) < 100:  # on a busy machine, the sampler may not come to look while the guest is deep
        deep = module.instantiate(imports=imports, engine="compile")  # a native stack is no stack of Python
        with deep as instance, Sampler(0.0001) as sampler:
            for _ in range(5):
                instance.exports.deep(20_000)
        deepest = max((sample.stack for sample in sampler.samples), key=len, default=())
    assert len(deepest) <= 1000
    assert {place.name for place in deepest} <= {
        "deep",
        "nested",
        "busy",
        "decoding",
        "compiling",
        "validating",
    }


def test_files_are_what_their_readers_expect(module: Module) -> None:
    sampler = busy(module, "compile")
    scope = json.loads(FORMATS["speedscope"](sampler))
    assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    (profile,) = scope["profiles"]
    frames = scope["shared"]["frames"]
    assert (profile["type"], profile["unit"]) == ("sampled", "seconds")
    assert len(profile["samples"]) == len(profile["weights"])
    assert all(0 <= number < len(frames) for stack in profile["samples"] for number in stack)
    assert profile["endValue"] == pytest.approx(sampler.seconds)
    assert {"name": "busy", "file": "spin.wat"} in frames

    trace = json.loads(FORMATS["perfetto"](sampler))
    assert list(trace) == [
        "traceEvents"
    ]  # a displayTimeUnit made Perfetto 20 take microseconds for another unit
    events = trace["traceEvents"]
    opened: list[str] = []
    at = 0.0
    for event in events:
        if event["ph"] == "M":
            continue
        assert event["ts"] >= at
        at = event["ts"]
        if event["ph"] == "B":
            opened.append(event["name"])
        else:
            assert opened.pop() == event["name"]
    assert not opened
    assert at == pytest.approx(sampler.seconds * 1e6)

    lines = FORMATS["collapsed"](sampler).splitlines()
    weights = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in lines}
    assert max(weights, key=weights.__getitem__) == "spin;busy"
    assert next(summary(sampler)).endswith("%")


def test_time_before_the_guest_runs_is_in_every_file() -> None:
    with Sampler(0.002) as sampler:
        time.sleep(0.02)
    assert {sample.stack for sample in sampler.samples} == {(Place("engine", "starting"),)}
    scope = json.loads(FORMATS["speedscope"](sampler))
    (profile,) = scope["profiles"]
    shown = sum(weight for stack, weight in zip(profile["samples"], profile["weights"], strict=True) if stack)
    assert shown == pytest.approx(sampler.seconds)
    begin, end = json.loads(FORMATS["perfetto"](sampler))["traceEvents"][2:]
    assert (begin["ph"], begin["name"], end["ph"]) == ("B", "engine: starting", "E")
    assert end["ts"] - begin["ts"] == pytest.approx(sampler.seconds * 1e6)
    assert FORMATS["collapsed"](sampler).startswith("engine: starting ")


def test_what_comes_before_and_after_is_in_every_file_by_its_name() -> None:
    sampler = Sampler(0.002, before={"Python starts": 0.5})
    with sampler:
        time.sleep(0.02)
    block = sampler.seconds - 0.5
    time.sleep(0.02)
    sampler.conclude()
    assert sampler.seconds >= 0.5 + block + 0.02
    first, *_, last = sampler.samples
    assert (first.seconds, first.stack) == (0.5, (Place("process", "Python starts"),))
    assert last.stack == (Place("process", "the profile is made"),)
    assert last.at == pytest.approx(sampler.seconds)
    (profile,) = json.loads(FORMATS["speedscope"](sampler))["profiles"]
    assert sum(profile["weights"]) == pytest.approx(sampler.seconds)
    slices = [event for event in json.loads(FORMATS["perfetto"](sampler))["traceEvents"] if "ts" in event]
    assert [event["name"] for event in slices[::2]] == [
        "process: Python starts",
        "engine: starting",
        "process: the profile is made",
    ]
    assert slices[-1]["ts"] - slices[0]["ts"] == pytest.approx(sampler.seconds * 1e6)
    assert all(
        one["ts"] == pytest.approx(other["ts"])
        for one, other in zip(slices[1::2], slices[2::2], strict=False)
    )
    assert next(summary(sampler)).startswith(f"{sampler.seconds:.2f} s, ")


def test_a_block_without_samples_counts_where_more_is_told() -> None:
    with Sampler(10, before={"Python starts": 0.5}) as sampler:
        time.sleep(0.01)
    assert sum(sample.seconds for sample in sampler.samples) == pytest.approx(sampler.seconds)
    assert sampler.seconds > 0.51


def test_a_block_that_is_over_at_once_has_a_profile_too(module: Module) -> None:
    with Sampler(10) as sampler:
        pass
    assert sampler.samples == []
    for write in FORMATS.values():
        write(sampler)
    assert list(summary(sampler))
    with pytest.raises(ValueError, match="interval"):
        Sampler(0)


def test_a_guest_that_traps_is_sampled_up_to_the_trap(module: Module) -> None:
    def wait() -> None:
        time.sleep(0.1)

    imports = {"env": {"wait": wait}}
    with module.instantiate(imports=imports) as instance, pytest.raises(Trap), Sampler(0.005) as sampler:
        instance.exports.fail()
    assert any(place.name == "env.wait" for sample in sampler.samples for place in sample.stack)


def test_functions_have_their_source_lines() -> None:
    module = Module.from_file(Path(__file__).parents[1] / "guests" / "source.wasm")
    found: dict[str, str] = {}
    while "sum" not in found:
        with module.instantiate() as instance, Sampler(0.0005) as sampler:
            data = bytes(instance.memory.read(0, instance.memory.size))
            # Nearer, and there is memory: two million elements take their time.
            instance.memory.grow(256)
            instance.memory.write(data.index(pack("<I", 0x3FFFFFF0)), pack("<I", 2_000_000))
            instance.exports._start()
        places = {place for sample in sampler.samples for place in sample.stack}
        assert Place("engine", "native code") not in places  # which shows no functions, however often
        found |= {place.name: str(place.source) for place in places if place.kind == "guest"}
    assert re.fullmatch(r"(.*/)?source\.c:\d+", found["sum"])
