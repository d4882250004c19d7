"""Pages of traces as a person meets them: in a real browser, moved by mouse and keyboard."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.errors import WasmError
from pywasm_nn.nn import NN
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.text import listed
from pywasm_nn.watch.trace import Trace

from . import browser
from .test_page import EVERYTHING, FIB, HOSTILE, LOADS, everything, hostile, traced

pytestmark = pytest.mark.skipif(
    browser.program() is None,
    reason="the package chromium-headless-shell (or chromium) isn't there",
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    with browser.browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def show(chromium: browser.Browser, tmp_path: Path) -> Iterator[Callable[..., browser.Browser]]:
    """Opens a page from a file; afterwards nothing may have gone wrong in it, and nothing been fetched."""
    path = tmp_path / "page.html"

    def opened(text: str, **size: int) -> browser.Browser:
        path.write_text(text, encoding="utf-8")
        chromium.open(path.as_uri(), **size)
        return chromium

    yield opened
    assert chromium.happened("Runtime.exceptionThrown") == []
    assert chromium.happened("Log.entryAdded") == []
    addresses = {event["request"]["url"] for event in chromium.happened("Network.requestWillBeSent")}
    assert {address for address in addresses if not address.startswith("data:")} == {path.as_uri()}


def position(page: browser.Browser) -> int:
    return int(page.text("#position").split("/")[0])


def pixels(png: bytes, box: tuple[float, ...]) -> set[tuple[int, ...]]:
    """The colours in a part of a screenshot."""
    at, compressed, width, channels = 8, b"", 0, 0
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, channels = struct.unpack_from(">I", data)[0], {2: 3, 6: 4}[data[9]]
        compressed += data if kind == b"IDAT" else b""
        at += size + 12
    raw, stride = zlib.decompress(compressed), width * channels
    left, top, wide, high = (int(number) for number in box)
    found, before = set(), bytearray(stride)
    for y in range(top + high):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):  # https://www.w3.org/TR/png/#9Filters
            a, b = (row[i - channels] if i >= channels else 0), before[i]
            c = before[i - channels] if i >= channels else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[i] = row[i] + (0, a, b, (a + b) // 2, nearest)[kind] & 255
        if y >= top:
            found |= {tuple(row[x * channels : x * channels + 3]) for x in range(left, left + wide)}
        before = row
    return found


def test_the_slider_moves_by_mouse_and_keyboard(show: Callable[..., browser.Browser]) -> None:
    _, trace = traced(FIB, lambda app: app.exports.fib(10))
    page = show(trace.page())
    count = len(trace)
    assert page.text("#position") == f"1 / {count}"
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert position(page) == 3
    page.press("ArrowLeft")
    assert position(page) == 2
    page.press("PageDown")
    assert position(page) == 102
    page.press("End")
    assert (position(page), page.text("#stack").split()[0]) == (count, "55")
    page.press("Home")
    assert position(page) == 1
    x, y, width, height = page.box("#slider")
    page.drag((x + 8, y + height / 2), (x + width / 2, y + height / 2))
    assert abs(position(page) - count / 2) < count / 50
    page.click("#forward")
    page.click("#last")
    page.click("#back")
    assert position(page) == count - 1


def test_a_screenshot_shows_code_and_stack(show: Callable[..., browser.Browser]) -> None:
    _, trace = traced(FIB, lambda app: app.exports.fib(10))
    page = show(trace.page(), width=1000, height=600)
    for _ in range(6):
        page.press("ArrowRight")
    assert "call $fib" in page.text("#listing")
    assert page.text("#function") == "Code of $fib"
    assert page.text("#listing .now").endswith("i32.sub")
    assert page.text("#status").split() == ["i32.sub", "10", "-", "1"]
    assert page.text("#stack") == "9"
    picture = page.screenshot()
    for selector in ("#listing .now", "#stack .new"):
        left, top, wide, high = page.box(selector)
        assert left >= 0 and left + wide <= 1000 and top >= 0 and top + high <= 600
        assert len(pixels(picture, page.box(selector))) > 5, f"{selector} is empty"


def test_every_step_forward_and_back_is_the_event(show: Callable[..., browser.Browser]) -> None:
    _, trace = everything()
    told = list(trace)
    page = show(trace.page())
    code = """(() => [...Array(trace.steps.length).keys()].map((i) => (go(i + 1), {
      stack: frames.length ? frames[frames.length - 1].stack.map(word) : [],
      locals: frames.length ? frames[frames.length - 1].locals.map(word) : [],
      bytes: [...memory.entries()].map(([n, m]) => [...m.entries()]), body: document.body.innerText })))()"""
    forward = page.evaluate(code)
    backward = page.evaluate(code.replace("(i) => (go(i + 1)", "(i) => (go(trace.steps.length - i)"))
    assert forward == backward[::-1]
    assert len(forward) == len(told)
    states = [
        ([listed([value]) for value in event.stack], [listed([value]) for value in event.locals])
        for event in told
        if isinstance(event, events.Instruction)
    ]
    kinds = page.evaluate("trace.steps.map((step) => step.k || 'instr')")
    seen = [state for state, kind in zip(forward, kinds, strict=True) if kind == "instr"]
    assert [(state["stack"], state["locals"]) for state in seen] == states
    last = dict(forward[-1]["bytes"][0])
    assert {last[address] for address in range(6, 262)} == {"09"}
    assert bytes.fromhex("".join(last[address] for address in range(512, 516))) == b"host"
    assert any("last written by the host: 4 bytes at 0x200" in state["body"] for state in forward)
    assert "out of bounds" in forward[-1]["body"]


def test_the_current_line_is_always_in_sight(show: Callable[..., browser.Browser]) -> None:
    body = "(drop (i32.const 1))" * 100
    _, trace = traced(f'(module (func (export "f") {body}))', lambda app: app.exports.f())
    page = show(trace.page(), width=1000, height=500)
    _, top, _, high = page.box("#listing")
    for key in ["PageDown", "ArrowLeft", "End", "PageUp", "ArrowRight", "Home"]:
        page.press(key)
        _, line_top, _, line_high = page.box("#listing .now")
        assert top <= line_top and line_top + line_high <= top + high
    assert page.evaluate("scrollY") == 0


def test_memory_is_known_where_it_was_read(show: Callable[..., browser.Browser]) -> None:
    _, trace = traced(LOADS, lambda app: app.exports.run(20))
    page = show(trace.page())
    assert page.text("#memory-note") == "nothing has been read or written yet"
    page.press("ArrowRight")
    assert page.text("#memory-note") == "last read: 2 bytes at 0x16"
    assert page.text("#memory .read") == "63"
    assert page.text("#memory").split() == [
        *("0x0010", "··", "··", "··", "··", "61", "62", "63", "64", "····abcd"),
        *("0x0018", "65", "66", "67", "68", "··", "··", "··", "··", "efgh····"),
    ]
    page.press("End")
    assert "A" in page.text("#memory")
    page.press("Home")
    page.press("ArrowRight")
    assert "abcd" in page.text("#memory")


def test_over_and_out(show: Callable[..., browser.Browser]) -> None:
    _, trace = traced(FIB, lambda app: app.exports.fib(4))
    instructions = [event for event in trace if isinstance(event, events.Instruction)]
    page = show(trace.page())
    call = next(i for i, event in enumerate(instructions) if event.text == "call $fib")
    for _ in range(call):
        page.press("ArrowRight")
    page.press("ArrowDown")
    after = position(page)
    assert instructions[after - 1].depth == 1
    assert all(event.depth > 1 for event in instructions[call + 1 : after - 1])
    page.press("ArrowUp")
    assert position(page) == call + 1
    page.press("ArrowRight")
    page.press("o")
    assert position(page) == after
    assert page.evaluate("document.getElementById('calls').children.length") == 1


def test_hostile_names_are_read_and_not_run(show: Callable[..., browser.Browser]) -> None:
    def taking(number: int) -> None: ...

    module = Module.from_text(hostile(), HOSTILE)
    trace = Trace(["host", "instr"])
    imports = {HOSTILE: {HOSTILE: taking}}
    with module.instantiate(imports=imports, engine="interpret", observer=trace) as app:
        app.exports[HOSTILE](7)
    page = show(trace.page())
    for _ in range(3):
        assert "<img src=x onerror=alert(1)>" in page.text("#function")
        page.press("ArrowRight")
    assert page.evaluate("document.images.length") == 0
    assert page.evaluate("document.scripts.length") == 2
    assert HOSTILE[:9] in page.text("h1")
    assert page.happened("Page.javascriptDialogOpening") == []


def test_tensors_are_pictures(show: Callable[..., browser.Browser]) -> None:
    folder = demo.path()
    module = Module.from_file(folder / "app.wasm")
    trace = Trace(["host", "nn"], keep_bytes=1 << 20)
    wasi = Wasi(args=["app.wasm"], dirs={"models": folder / "models"}, stdout=Capture())
    with module.instantiate(wasi, NN(backends={"onnx": "numpy"}), observer=trace) as app:
        app.exports["_start"]()
    page = show(trace.page())
    assert position(page) == len(trace)
    page.press("ArrowUp")
    page.press("ArrowUp")
    page.press("ArrowDown")
    assert position(page) == len(trace) - 1
    assert page.evaluate("[document.images.length, document.images[0].naturalWidth]") == [1, 8]
    assert "mean 0.337" in page.text("figcaption")
    assert page.box("figure img")[2:] == (128, 128)
    assert "get_output" in page.text("#events")
    assert not page.evaluate("document.getElementById('code').checkVisibility()")


def test_everything_has_a_name_and_can_be_reached_by_keys(show: Callable[..., browser.Browser]) -> None:
    _, trace = traced(EVERYTHING, lambda app: app.exports.inner(1), {"host": {"again": ignore}})
    page = show(trace.page())
    assert page.evaluate("document.activeElement.id") == "slider"
    reached = []
    for _ in range(12):
        reached.append(page.evaluate("document.activeElement.id"))
        page.press("Tab")
    assert {"slider", "first", "back", "forward", "over", "out", "last", "listing"} <= set(reached)
    unnamed = """[...document.querySelectorAll("button, input, section, [role]")]
      .filter((e) => !(e.labels?.length || e.ariaLabel || e.ariaLabelledByElements || e.innerText.trim()))
      .map((e) => e.id)"""
    assert page.evaluate(unnamed) == []
    assert page.evaluate("document.documentElement.lang") == "en"
    said = page.evaluate("document.getElementById('slider').getAttribute('aria-valuetext')")
    assert said.startswith("step 1 of 4: local.get 0")


def ignore(number: int) -> None: ...


def test_an_empty_trace_says_so(show: Callable[..., browser.Browser]) -> None:
    trace = Trace(["instr"])
    with Module.from_text(FIB).instantiate(engine="interpret", observer=trace), suppress(WasmError):
        pass
    page = show(trace.page())
    page.press("ArrowRight")
    page.press("ArrowLeft")
    assert page.text("#status") == "The trace is empty."


def test_a_frame_in_a_notebook_shows_the_page(show: Callable[..., browser.Browser]) -> None:
    _, trace = traced(FIB, lambda app: app.exports.fib(2))
    page = show(f"<!DOCTYPE html><title>t</title>{trace._repr_html_()}")
    left, top, wide, high = page.box("iframe")
    assert wide > 500 and high > 300
    colours: Any = pixels(page.screenshot(), (left, top, 400, 200))
    assert len(colours) > 5
