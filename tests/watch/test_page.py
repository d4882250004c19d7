"""Pages of traces without a browser: what they are told, and that nothing in them is more than text.

What the page does with it is `test_page_in_chromium.py`'s.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.errors import WasmError
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.nn import NN
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.page import page
from pywasm_nn.watch.text import listed
from pywasm_nn.watch.trace import Trace

FIB = """(module (func $fib (export "fib") (param $n i32) (result i32)
  (if (result i32) (i32.lt_s (local.get $n) (i32.const 2))
    (then (local.get $n))
    (else (i32.add
      (call $fib (i32.sub (local.get $n) (i32.const 1)))
      (call $fib (i32.sub (local.get $n) (i32.const 2))))))))"""
EVERYTHING = """(module
  (import "host" "again" (func $again (param i32)))
  (memory 1)
  (global $g (mut i64) (i64.const 0))
  (func $leaf (param f64 v128) (result f64) (local $x i32)
    (local.set $x (i32.const 5))
    (f64.div (local.get 0) (f64.const 0)))
  (func $count (param $n i32) (result i32)
    (if (result i32) (i32.eqz (local.get $n))
      (then (i32.const 77))
      (else (return_call $count (i32.sub (local.get $n) (i32.const 1))))))
  (func (export "inner") (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func (export "outer") (result f64)
    (global.set $g (i64.const -1))
    (i32.store8 offset=3 (i32.const 5) (i32.const 200))
    (memory.fill (i32.const 6) (i32.const 9) (i32.const 300))
    (call $again (i32.const 3))
    (drop (call $count (i32.const 2)))
    (call $leaf (f64.const -1.5) (v128.const i64x2 1 2)))
  (func (export "trap") (result i32) (i32.load (i32.const -1))))"""


def traced(
    text: str, call: Callable[[Instance], object], imports: Any = None, **settings: Any
) -> tuple[Module, Trace]:
    module = Module.from_text(text, "test.wat")
    trace = Trace(["host", "nn", "instr"], **settings)
    with module.instantiate(imports=imports, engine="interpret", observer=trace) as app, suppress(WasmError):
        call(app)
    return module, trace


def everything() -> tuple[Module, Trace]:
    module = Module.from_text(EVERYTHING, "test.wat")
    trace = Trace(["host", "instr"])
    apps: list[Instance] = []

    def again(number: int) -> None:
        assert apps[0].exports.inner(number) == 6
        apps[0].memory.write(512, b"host")

    imports = {"host": {"again": again}}
    with module.instantiate(imports=imports, engine="interpret", observer=trace) as app:
        apps.append(app)
        app.exports.outer()
        app.exports.inner(1)
        with suppress(WasmError):
            app.exports.trap()
    return module, trace


def data_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="trace">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


class Played:
    """A second reader of the page's data, written from what steps.py says of them."""

    def __init__(self, data: Any) -> None:
        self.strings = data["strings"]
        self.functions = data["functions"]
        self.frames: list[dict[str, Any]] = []
        self.memory: dict[tuple[int, int], str] = {}

    def words(self, indices: list[int]) -> list[str]:
        return [self.strings[index] for index in indices]

    def apply(self, step: Any) -> dict[str, Any]:
        self.frames = self.frames[: step["d"]]
        while len(self.frames) < step["d"]:
            self.frames.append({"f": None, "stack": [], "locals": []})
        frame = self.frames[-1]
        if "a" in step:
            frame["f"], frame["locals"] = step["f"], list(step["a"])
        for index, value in step.get("v", []):
            frame["locals"][index] = value
        frame["stack"] = frame["stack"][: len(frame["stack"]) - step.get("p", 0)] + step.get("s", [])
        return frame


def test_steps_make_the_states_of_the_events() -> None:
    module, trace = everything()
    instructions = [event for event in trace if isinstance(event, events.Instruction)]
    data = data_of(page(module, trace))
    played = Played(data)
    steps = [step for step in data["steps"] if "k" not in step]
    assert len(steps) == len(instructions) > 40
    for step, event in zip(steps, instructions, strict=True):
        frame = played.apply(step)
        assert played.words(frame["stack"]) == [listed([value]) for value in event.stack]
        assert played.words(frame["locals"]) == [listed([value]) for value in event.locals]
        function = played.functions[frame["f"]]
        assert played.strings[function["name"]] == event.function
        offset, text = function["code"][step["l"]]
        assert (offset, played.strings[text].strip()) == (event.offset, event.text)
        assert len(function["locals"]) == len(event.locals)
    [trap] = [step for step in steps if "e" in step]
    assert trap is steps[-1] and "out of bounds" in played.strings[trap["e"]]


def test_steps_say_what_was_written() -> None:
    module, trace = everything()
    data = data_of(page(module, trace))
    written = [step["m"] for step in data["steps"] if "m" in step]
    assert written == [
        [0, 8, 1, "00", "c8"],
        [0, 6, 300, "0000c8" + "00" * 253, "09" * 256],
        [0, 512, 4, "00000000", b"host".hex()],
    ]
    assert [step.get("k") for step in data["steps"] if "m" in step] == [None, None, "written"]
    [[index, value]] = [step["g"] for step in data["steps"] if "g" in step]
    assert (index, data["strings"][value]) == (0, str(2**64 - 1))


LOADS = """(module (memory 1) (data (i32.const 20) "abcdefghijklmnop")
  (func (export "run") (param $at i32)
    (drop (i32.load16_u offset=2 (local.get $at)))
    (drop (v128.load8_lane offset=3 2 (local.get $at) (v128.const i64x2 0 0)))
    (drop (f64.load (local.get $at)))
    (i32.store8 (local.get $at) (i32.const 65))
    (drop (i32.load8_s (local.get $at)))
    (drop (i32.load (i32.const -1)))))"""


def test_steps_say_what_was_read() -> None:
    module, trace = traced(LOADS, lambda app: app.exports.run(20))
    reads = [step["r"] for step in data_of(page(module, trace))["steps"] if "r" in step]
    texts = [b"cd", b"d", b"abcdefgh", b"A"]
    assert reads == [[0, at, text.hex()] for at, text in zip([22, 23, 20, 20], texts, strict=True)]


def test_what_the_host_did_stands_behind_the_call() -> None:
    module, trace = everything()
    data = data_of(page(module, trace))
    kinds = [step.get("k") for step in data["steps"]]
    host = kinds.index("host")
    call = data["steps"][host - 1]
    lines = data["functions"][0]["code"]
    assert data["strings"][lines[call["l"]][1]].strip() == "call $again"
    assert data["strings"][data["steps"][host]["x"]].startswith("host  again(number 3)")
    assert kinds[-1] == "end"


def test_fib_of_ten_is_small() -> None:
    module, trace = traced(FIB, lambda app: app.exports.fib(10))
    text = page(module, trace)
    assert len(data_of(text)["steps"]) == len(trace) > 1900
    assert len(text.encode()) < 1_000_000 / 5
    assert trace.page() == text


class Tags(HTMLParser):
    """All elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_fetches_nothing_and_runs_only_its_own_script() -> None:
    module, trace = traced(FIB, lambda app: app.exports.fib(3))
    text = page(module, trace)
    tags = Tags(text).tags
    assert not [tag for tag, attributes in tags if {"src", "href", "action", "onclick"} & set(attributes)]
    [policy] = [a["content"] for _, a in tags if a.get("http-equiv") == "Content-Security-Policy"]
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    hashes = {
        name: f"'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'"
        for name, part in (("script-src", script), ("style-src", style))
    }
    rules = dict(rule.split(" ", 1) for rule in html.unescape(policy or "").split("; "))
    assert rules == {
        "default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'", **hashes
    }  # fmt: skip


HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&amp;\u202e\u2028"


def hostile() -> str:
    """A module all of whose names are meant to become markup."""
    name = "".join(f"\\{byte:02x}" for byte in HOSTILE.encode())
    return f"""(module $"{name}"
      (import "{name}" "{name}" (func $"{name}1" (param $"{name}" i32)))
      (func $"{name}2" (export "{name}") (param $"{name}" i32) (call 0 (local.get 0))))"""


def test_names_are_text() -> None:
    imports = {HOSTILE: {HOSTILE: lambda: None}}

    def taking(number: int) -> None: ...

    imports[HOSTILE][HOSTILE] = taking
    module = Module.from_text(hostile(), HOSTILE)
    trace = Trace(["host", "instr"])
    with module.instantiate(imports=imports, engine="interpret", observer=trace) as app:
        app.exports[HOSTILE](7)
    text = page(module, trace)
    harmless = page(*traced(FIB, lambda app: app.exports.fib(1)))
    assert [tag for tag, _ in Tags(text).tags] == [tag for tag, _ in Tags(harmless).tags]
    assert "\u202e" not in text and "\u2028" not in text
    assert any("<script>alert(1)" in string for string in data_of(text)["strings"])
    for shown in (module._repr_html_(), trace._repr_html_()):
        assert "<script" not in shown and "<img" not in shown and "<!--" not in shown


def test_a_long_function_is_shown_where_it_ran() -> None:
    filler = "(drop (i32.const 1))" * 3000
    module, trace = traced(
        f'(module (func $long (export "long") (if (i32.const 0) (then {filler})) (drop (i32.const 9))))',
        lambda app: app.exports.long(),
    )
    [function] = data_of(page(module, trace))["functions"]
    assert 40 < len(function["code"]) < 200
    assert [offset for offset, _ in function["code"]].count(-1) == 1


def test_tensors_that_are_pictures_are_pictures() -> None:
    folder = demo.path()
    module = Module.from_file(folder / "app.wasm")
    trace = Trace(["nn"], keep_bytes=1 << 20)
    wasi = Wasi(args=["app.wasm"], dirs={"models": folder / "models"}, stdout=Capture())
    with module.instantiate(wasi, NN(backends={"onnx": "numpy"}), observer=trace) as app:
        app.exports["_start"]()
    data = data_of(page(module, trace))
    [[tensor]] = [step["t"] for step in data["steps"] if "t" in step]
    assert tensor["src"].startswith("data:image/png;base64,")
    assert data["strings"][tensor["x"]].startswith('"picture" f32[1,1,8,8]  mean 0.337')
    assert tensor["width"] == 128


def test_nothing_was_traced() -> None:
    module = Module.from_text(FIB)
    assert data_of(page(module, []))["steps"] == []
    trace = Trace(["instr"])
    assert trace._repr_html_() == "<p>nothing was traced yet</p>"
    with pytest.raises(ValueError, match="no instance"):
        trace.page()
