"""Host functions that wait, ask, raise, return nonsense, and what memory that is short does."""

# ruff: noqa: E501 (guests and programs are lines of their own)

from .harness import Attempt

START = """
import time, asyncio, threading
from pywasm_nn import *
from pywasm_nn.errors import *
T = Module.from_text
def app(function, body="(call $h)", type_="", seconds=1, **more):
    return T(f'(module (import "h" "f" (func $h {type_})) (memory (export "memory") 1) (func (export "f") {body}) (func (export "g")))').instantiate(
        imports={"h": {"f": function}}, engine=ENGINE, limits=Limits(seconds=seconds, **more))
def fails(call, *classes):
    try:
        call()
    except WasmError as error:
        assert isinstance(error, classes or WasmError), repr(error)
        return error
    raise AssertionError("it returned")
"""


def one(name: str, body: str, cpu: float = 1.5) -> Attempt:
    return Attempt(f"waits: {name}", START + body, cpu)


ATTEMPTS = [
    one(
        "remaining counts down and ends",
        """
seen = []
def wait(caller: Caller) -> None:
    while True:
        seen.append(caller.remaining)
        time.sleep(min(0.02, seen[-1]))
fails(app(wait, seconds=4).exports.f, DeadlineError)
assert seen and all(0 < s <= 4 for s in seen) and seen == sorted(seen, reverse=True), seen
""",
    ),
    one(
        "remaining without a limit",
        """
seen = []
def wait(caller: Caller) -> None: seen.append(caller.remaining)
app(wait, seconds=None).exports.f()
assert seen == [None]
""",
    ),
    one(
        "remaining never is infinite, negative or not a number",
        """
seen = []
def wait(caller: Caller) -> None: seen.append(caller.remaining)
for seconds in (1e-6, 1e308, 1e18, 5):
    try:
        app(wait, seconds=seconds).exports.f()
    except DeadlineError:
        pass
assert all(s is None or 0 < s for s in seen), seen
""",
    ),
    one(
        "a nested call has the outer deadline",
        """
seen = []
def inner(caller: Caller) -> None: seen.append(caller.remaining)
b = app(inner, seconds=100)
def outer(caller: Caller) -> None: b.exports.f()
app(outer, seconds=20).exports.f()
assert 0 < seen[0] <= 20, seen
""",
    ),
    one(
        "an inner deadline that is shorter",
        """
def inner(caller: Caller) -> None:
    while True: time.sleep(min(0.02, caller.remaining))
b = app(inner, seconds=0.2)
def outer(caller: Caller) -> None: b.exports.f()
begun = time.monotonic()
fails(app(outer, seconds=50).exports.f)
assert time.monotonic() - begun < 10
""",
    ),
    one(
        "a caller that is kept asks after the call",
        """
kept = []
def keep(caller: Caller) -> None: kept.append(caller)
b = app(keep, seconds=20)
b.exports.f()
try:
    assert kept[0].remaining is None or kept[0].remaining <= 20
except WasmError:
    pass
b.close()
try:
    kept[0].remaining
except WasmError:
    pass
try:
    kept[0].memory.read(0, 1)
    raise AssertionError("memory of what is closed")
except WasmError:
    pass
""",
    ),
    one(
        "a caller that is used from another thread",
        """
def wait(caller: Caller) -> None:
    out = []
    def ask():
        try: out.append(caller.remaining)
        except WasmError as error: out.append(error)
        except BaseException as error: out.append("bad"); raise
    thread = threading.Thread(target=ask); thread.start(); thread.join(5)
    assert not thread.is_alive() and out and out[0] != "bad", out
app(wait, seconds=5).exports.f()
""",
    ),
    one(
        "a coroutine that sleeps for ever",
        """
async def wait(): await asyncio.sleep(1000)
begun = time.monotonic()
fails(app(wait).exports.f, DeadlineError)
assert time.monotonic() - begun < 10
""",
    ),
    one(
        "a coroutine that swallows what cancels it",
        """
async def wait():
    for _ in range(5):
        try: await asyncio.sleep(0.3)
        except asyncio.CancelledError: pass
begun = time.monotonic()
fails(app(wait, "(call $h) (loop (br 0))").exports.f, WasmError)
assert time.monotonic() - begun < 10
""",
    ),
    one(
        "a coroutine on the loop of call_async",
        """
async def wait(): await asyncio.sleep(1000)
async def main():
    try: await asyncio.wait_for(app(wait).exports.f.call_async(), 20)
    except DeadlineError: return True
assert asyncio.run(main())
""",
    ),
    one(
        "a guest called on the loop's own thread",
        """
async def wait(): await asyncio.sleep(0)
async def main():
    fails(app(wait, seconds=20).exports.f, HostError)
asyncio.run(main())
""",
    ),
    one(
        "a task that is cancelled leaves a busy guest that ends",
        """
b = None
async def main():
    global b
    b = T('(module (func (export "f") (loop (br 0))))').instantiate(engine=ENGINE, limits=Limits(seconds=0.5))
    task = asyncio.create_task(b.exports.f.call_async())
    await asyncio.sleep(0.05)
    task.cancel()
    try: await task
    except (asyncio.CancelledError, LimitError): pass
asyncio.run(main())
fails(b.exports.f)
""",
    ),
    one(
        "what a host function raises is a HostError, whatever it is",
        """
for error in (RecursionError("x"), MemoryError(), SystemError(), KeyError("k"), StopIteration(), AssertionError(), OSError(5, "x"), TimeoutError()):
    def bad(): raise error
    try:
        app(bad).exports.f()
        raise SystemExit("returned")
    except WasmError as caught:
        str(caught), repr(caught), caught.__notes__
""",
    ),
    one(
        "exit and interrupts pass through",
        """
for error in (KeyboardInterrupt, SystemExit, GeneratorExit):
    def bad(): raise error()
    b = app(bad, seconds=5)
    try:
        b.exports.f()
        raise AssertionError("it returned")
    except (error, WasmError):
        pass
""",
    ),
    one(
        "numbers that do not fit",
        """
for type_, values in (("i32", (1 << 40, -(1 << 40), 1.5, "1", None, (1, 2), b"")), ("i64", (1 << 70, 0.1, [])), ("f32", ("x", None, 1j)), ("f64", ("nan", 10 ** 400)), ("i32 i32", (1, (1,), (1, 2, 3), "ab", None, {1: 2}))):
    for value in values:
        drops = "(drop)" * len(type_.split())
        b = T(f'(module (import "h" "f" (func $h (result {type_}))) (func (export "f") (call $h) {drops}))').instantiate(
            imports={"h": {"f": Func.of([], type_.split(), lambda: value)}}, engine=ENGINE)
        fails(b.exports.f, HostError, Trap)
""",
    ),
    one(
        "closing while a host function waits",
        """
def wait():
    try: b.close()
    except BusyError: return
    raise AssertionError("closed while it runs")
b = app(wait, seconds=5)
b.exports.f()
""",
    ),
    one(
        "another thread calls while a host function waits",
        """
out = []
def wait():
    def call():
        try: b.exports.g(); out.append("ran")
        except WasmError as error: out.append(type(error).__name__)
    thread = threading.Thread(target=call); thread.start(); thread.join(10)
    assert out == ["BusyError"], out
b = app(wait, seconds=20)
b.exports.f()
""",
    ),
    one(
        "memory grown, and views kept, in a host function",
        """
kept = []
def grow(caller: Caller) -> None:
    kept.append(caller.memory.view(0, 10)); kept.append(caller.memory.array(0, (100,), "u1"))
    caller.memory.grow(3)
    caller.memory.write(3 * 65536, b"x")
b = app(grow, "(call $h) (if (i32.ne (memory.size) (i32.const 4)) (then unreachable)) (if (i32.eqz (i32.load8_u (i32.const 196608))) (then unreachable))", seconds=5)
b.exports.f(); b.close(); kept[1][:] = 5; kept[0][0:1] = b"a"
""",
    ),
    one(
        "spans and texts that lie outside",
        """
def take(text: Text) -> None: raise AssertionError("called")
def span(data: Span) -> None: raise AssertionError("called")
for function in (take, span):
    for pointer, length in ((65530, 10), (-1, 1), (0, -1), (-1, -1), (65537, 0), (0x7fffffff, 0x7fffffff)):
        b = app(function, f"(call $h (i32.const {pointer}) (i32.const {length}))", "(param i32 i32)", seconds=5)
        fails(b.exports.f, Trap)
b = app(take, "(call $h (i32.const 0) (i32.const 2))", "(param i32 i32)", seconds=5)
b.memory.write(0, b"\\xff\\xfe")
fails(b.exports.f)
""",
    ),
    one(
        "a deadline that ends in a host function's own wait",
        """
def wait(): time.sleep(1.1)
b = app(wait, "(call $h) (loop (br 0))")
begun = time.monotonic()
fails(b.exports.f, DeadlineError)
assert time.monotonic() - begun < 5
fails(b.exports.g)
""",
    ),
    one(
        "a host function in a chain of tail calls",
        """
count = [0]
def wait(caller: Caller) -> None: count[0] += 1; caller.remaining
b = T('(module (import "h" "f" (func $h)) (func $t (export "f") (call $h) (return_call $t)))').instantiate(imports={"h": {"f": wait}}, engine=ENGINE, limits=Limits(seconds=1))
fails(b.exports.f, DeadlineError)
assert count[0]
""",
    ),
    one(
        "a generator and a class as host functions",
        """
def generates(): yield 1
class Made:
    def __call__(self): return None
for function in (Made(), Made, generates):
    try: app(function, seconds=5).exports.f()
    except (WasmError, TypeError): pass
""",
    ),
    one(
        "an exception whose text cannot be had",
        """
class Odd(Exception):
    def __str__(self): raise ValueError("no text")
    __repr__ = __str__
def bad(): raise Odd()
fails(app(bad, seconds=20).exports.f, HostError)
""",
    ),
]
