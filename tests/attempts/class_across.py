"""A limit of one instance is escaped into another: every way that leads there, every limit, both engines."""

# ruff: noqa: E501 (guests and programs are lines of their own)

from .harness import Attempt

SHARED = """
import asyncio
from pywasm_nn import *
from pywasm_nn.errors import *
T = Module.from_text
ACTS = {
    "seconds": "(loop (br 0))",
    "fuel": "(loop (br 0))",
    "call_depth": "(global.set $n (i32.add (global.get $n) (i32.const 1))) (call $act)",
    "memory": "(local $i i32) (loop $l (drop (memory.grow $m (i32.const 16))) (br_if $l (i32.lt_u"
        " (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 40))))",
    "table": "(drop (table.grow $big (ref.null func) (i32.const 900000)))",
    "heap": "(local $i i32) (loop $l (table.set $any (local.get $i) (array.new_default $arr (i32.const 100000)))"
        " (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 60))))",
    "host_calls": "(local $i i32) (loop $l (call $host) (br_if $l (i32.lt_u"
        " (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))",
}
def library(act):
    return T(f'''(module (type $v (func)) (type $box (struct (field (ref $v)))) (type $list (array (ref $v)))
 (type $arr (array (mut i64))) (import "env" "host" (func $host))
 (memory $m 1) (table $big 0 funcref) (table $any 100 anyref) (global $n (export "n") (mut i32) (i32.const 0))
 (table (export "t") 4 funcref) (global (export "g") funcref (ref.func $act))
 (global (export "gt") (ref $v) (ref.func $act)) (tag $x (export "x") (param (ref $v)))
 (tag $y (export "y") (param funcref))
 (elem (table 2) (i32.const 1) func $act)
 (func $act (export "act") (type $v) {ACTS[act]})
 (func (export "throw") (throw $x (ref.func $act)))
 (func (export "get") (result (ref $v)) (ref.func $act))
 (func (export "boxed") (result anyref) (struct.new $box (ref.func $act)))
 (func (export "listed") (result anyref) (array.new_fixed $list 1 (ref.func $act)))
 (func (export "outer") (result externref) (extern.convert_any (struct.new $box (ref.func $act))))
 (func (export "size") (result i32) (memory.size $m))
 (func (export "tsize") (result i32) (table.size $big)))''')
def app(body):
    return T('(module (type $v (func)) (type $box (struct (field (ref $v)))) (type $list (array (ref $v)))' + body + ')')
WAYS = {
    "import": '(import "a" "act" (func $a)) (func (export "go") (call $a))',
    "tail call": '(import "a" "act" (func $a)) (func (export "go") (return_call $a))',
    "table": '(import "a" "t" (table 4 funcref)) (func (export "go") (call_indirect (type $v) (i32.const 1)))',
    "tail table": '(import "a" "t" (table 4 funcref))'
        ' (func (export "go") (return_call_indirect (type $v) (i32.const 1)))',
    "global": '(import "a" "g" (global $g funcref))'
        ' (func (export "go") (call_ref $v (ref.cast (ref $v) (global.get $g))))',
    "typed global": '(import "a" "gt" (global $g (ref $v))) (func (export "go") (return_call_ref $v (global.get $g)))',
    "result": '(import "a" "get" (func $a (result (ref $v)))) (func (export "go") (call_ref $v (call $a)))',
    "exception": '(import "a" "throw" (func $a)) (import "a" "x" (tag $x (param (ref $v)))) (func (export "go")'
        ' (call_ref $v (block (result (ref $v)) (try_table (catch $x 0) (call $a)) (unreachable))))',
    "object": '(import "a" "get" (func $a (result (ref $v)))) (func (export "go") (local (ref null $box))'
        ' (local.set 0 (struct.new $box (call $a))) (call_ref $v (struct.get $box 0 (local.get 0))))',
    "start": '(import "a" "act" (func $a)) (func $go (export "go") (call $a)) (start $go)',
    "own table": '(import "a" "get" (func $a (result (ref $v)))) (table $t 1 funcref) (func (export "go")'
        ' (table.set $t (i32.const 0) (call $a)) (call_indirect (type $v) (i32.const 0)))',
    "segment": '(import "a" "act" (func $a)) (table $t 1 funcref) (elem (i32.const 0) func $a)'
        ' (func (export "go") (return_call_indirect (type $v) (i32.const 0)))',
    "catch_all": '(import "a" "act" (func $a)) (func (export "go") (block (try_table (catch_all 0) (call $a))))',
    "catch_all_ref": '(import "a" "act" (func $a)) (func (export "go") (loop $l (drop (block (result exnref)'
        ' (try_table (catch_all_ref 0) (call $a)) (return))) (br $l)))',
    "callback": '(import "env" "back" (func $a)) (func (export "go") (call $a))',
    "host table": '(import "env" "table" (table 1 funcref)) (func (export "go") (call_indirect (type $v) (i32.const 0)))',
    "parameter": '(func (export "go") (param funcref) (call_ref $v (ref.cast (ref $v) (local.get 0))))',
}
def attempt(act, way, limits, linker, theirs=Limits(call_depth=20000), engines=None):
    made, count = {}, [0]
    def host(): count[0] += 1
    def back(): made["a"].exports.act()
    table = Table.of("funcref", 1)
    env = {"host": host, "back": back, "table": table}
    try:
        return reach(act, way, limits, linker, theirs, engines or (ENGINE, ENGINE), made, count, env)
    except DeadlineError:  # on a busy machine already while it is instantiated
        return "seconds", count[0], made.get("a")
def reach(act, way, limits, linker, theirs, engines, made, count, env):
    table = env["table"]
    if linker:
        keep = Linker(engine=ENGINE, limits=limits)
        for name, value in env.items():
            keep.define("env", name, value)
        a = made["a"] = keep.instantiate(library(act), "a")
        table[0] = a.exports.act
        start = lambda: keep.instantiate(app(WAYS[way]))
    else:
        first, second = engines
        a = made["a"] = library(act).instantiate(imports={"env": env}, engine=first, limits=theirs)
        table[0] = a.exports.act
        given = {name: getattr(a.exports, name) for name in ("act", "t", "g", "gt", "x", "throw", "get")}
        start = lambda: app(WAYS[way]).instantiate(imports={"env": env, "a": given}, engine=second, limits=limits)
    try:
        b = start()
        b.exports.go(*[a.exports.act] * (way == "parameter"))
    except LimitError as error:
        return error.limit, count[0], a
    except ExhaustionError:
        return "call_depth", a.exports.n.value, a
    return None, count[0], a
"""

ATTEMPTS = [
    Attempt(
        f"across: seconds by {way}",
        SHARED
        + f"""
for linker in (True, False):
    limit, *_ = attempt("seconds", {way!r}, Limits(seconds=0.2), linker)
    assert limit == "seconds", (limit, linker)
""",
        cpu=3.0,
    )
    for way in (
        "import",
        "tail call",
        "table",
        "tail table",
        "global",
        "typed global",
        "result",
        "exception",
        "object",
        "start",
        "own table",
        "segment",
        "catch_all",
        "catch_all_ref",
        "callback",
        "host table",
        "parameter",
    )
]

EACH = {
    "fuel": ("fuel=100000", 'assert limit == "fuel", (way, limit)'),
    "call_depth": ("call_depth=100", 'assert limit == "call_depth" and count <= 101, (way, limit, count)'),
    "memory": ("memory=1 << 20", "assert closed or a.exports.size() <= 16, way"),
    "memory_total": ("memory_total=1 << 20", "assert closed or a.exports.size() <= 16, way"),
    "table": ("table=1000", "assert closed or a.exports.tsize() <= 1000, way"),
    "table_total": ("table_total=2000", "assert closed or a.exports.tsize() <= 2000, way"),
    "heap": ("heap=1 << 20", 'assert limit == "heap", (way, limit)'),
    "host_calls": ("host_calls=50", 'assert limit == "host_calls" and count <= 50, (way, limit, count)'),
}
ATTEMPTS += [
    Attempt(
        f"across: {limit} by every way",
        SHARED
        + f"""
for way in WAYS:
    limit, count, a = attempt({limit.removesuffix("_total")!r}, way, Limits({said}), True)
    closed = limit in ("fuel", "host_calls", "seconds")
    {check}
""",
        cpu=5.0,
    )
    for limit, (said, check) in EACH.items()
]
ATTEMPTS += [
    Attempt(
        f"across: {limit} of the one that was reached, by every way",
        SHARED
        + f"""
for way in WAYS:
    limit, count, a = attempt({limit!r}, way, Limits(), False, Limits({said}))
    assert limit == {limit!r}, (way, limit)
""",
        cpu=5.0,
    )
    for limit, said in (("fuel", "fuel=100000"), ("heap", "heap=1<<20"), ("host_calls", "host_calls=50"))
]
ATTEMPTS += [
    Attempt(
        "across: seconds between the two engines",
        SHARED
        + """
other = {"compile": "interpret", "interpret": "compile"}[ENGINE]
for way in ("import", "tail table", "exception", "callback"):
    limit, *_ = attempt("seconds", way, Limits(seconds=0.2), False, engines=(other, ENGINE))
    assert limit == "seconds", way
""",
        cpu=3.0,
    ),
    Attempt(
        "across: a longer deadline inside does not lengthen",
        SHARED
        + """
for way in ("import", "callback", "host table"):
    limit, *_ = attempt("seconds", way, Limits(seconds=0.2), False, Limits(seconds=100))
    assert limit == "seconds", way
""",
        cpu=3.0,
    ),
]


def one(name: str, body: str, cpu: float = 2.0) -> Attempt:
    """An app B with a deadline and a library A without, whose `act` loops."""
    return Attempt(
        f"across: {name}",
        SHARED
        + """
a = library("seconds").instantiate(imports={"env": {"host": lambda: None}}, engine=ENGINE)
def start(body, **imports):
    return app(body).instantiate(imports=imports, engine=ENGINE, limits=Limits(seconds=0.3))
def ends(function, *arguments):
    try:
        function(*arguments)
    except DeadlineError:
        return
    raise AssertionError("it returned")
"""
        + body,
        cpu,
    )


ATTEMPTS += [
    one(
        "a structure as parameter",
        """
b = start('(func (export "go") (param anyref) (call_ref $v (struct.get $box 0 (ref.cast (ref $box) (local.get 0)))))')
ends(b.exports.go, a.exports.boxed())
""",
    ),
    one(
        "an array as parameter",
        """
b = start('(func (export "go") (param anyref)'
    ' (call_ref $v (array.get $list (ref.cast (ref $list) (local.get 0)) (i32.const 0))))')
ends(b.exports.go, a.exports.listed())
""",
    ),
    one(
        "a structure as externref",
        """
b = start('(func (export "go") (param externref) (call_ref $v (struct.get $box 0'
    ' (ref.cast (ref $box) (any.convert_extern (local.get 0))))))')
ends(b.exports.go, a.exports.outer())
""",
    ),
    one(
        "a global that the host sets later",
        """
b = start('(global $g (export "g") (mut funcref) (ref.null func))'
    '(func (export "go") (call_ref $v (ref.cast (ref $v) (global.get $g))))')
b.exports.g.value = a.exports.act
ends(b.exports.go)
""",
    ),
    one(
        "a global that the host sets meanwhile",
        """
g = Global.of("funcref", None, mutable=True)
b = start('(import "h" "g" (global $g (mut funcref))) (import "h" "set" (func $set))'
    '(func (export "go") (call $set) (call_ref $v (ref.cast (ref $v) (global.get $g))))',
    h={"g": g, "set": lambda: setattr(g, "value", a.exports.act)})
ends(b.exports.go)
""",
    ),
    one(
        "a table that the host sets meanwhile",
        """
t = Table.of("anyref", 1)
def put(): t[0] = a.exports.boxed()
b = start('(import "h" "t" (table $t 1 anyref)) (import "h" "set" (func $set)) (func (export "go") (call $set)'
    ' (call_ref $v (struct.get $box 0 (ref.cast (ref $box) (table.get $t (i32.const 0))))))',
    h={"t": t, "set": put})
ends(b.exports.go)
""",
    ),
    one(
        "an exception that the host throws",
        """
tag = Tag.carrying("funcref")
def throw(): raise WasmException(tag, (a.exports.act,))
b = start('(import "h" "x" (tag $x (param funcref))) (import "h" "throw" (func $th)) (func (export "go")'
    ' (call_ref $v (ref.cast (ref $v) (block (result funcref) (try_table (catch $x 0) (call $th)) (unreachable)))))',
    h={"x": tag, "throw": throw})
ends(b.exports.go)
""",
    ),
    one(
        "an instance that a host function makes",
        """
starts = T('(module (func $f (loop (br 0))) (start $f))')
reactor = T('(module (func (export "_initialize") (loop (br 0))))')
for module in (starts, reactor):
    def make(): module.instantiate(engine=ENGINE)
    ends(start('(import "h" "i" (func $i)) (func (export "go") (call $i))', h={"i": make}).exports.go)
""",
    ),
    one(
        "a coroutine that calls back",
        """
async def back():
    await asyncio.sleep(0)
    a.exports.act()
ends(start('(import "h" "i" (func $i)) (func (export "go") (call $i))', h={"i": back}).exports.go)
""",
    ),
    one(
        "a host function that calls guests in a loop",
        """
c = T('(module (func (export "f")))').instantiate(engine=ENGINE)
def back():
    while True:
        c.exports.f()
ends(start('(import "h" "i" (func $i)) (func (export "go") (call $i))', h={"i": back}).exports.go)
""",
    ),
    one(
        "a host function that swallows the deadline",
        """
count = [0]
def back():
    count[0] += 1
    try:
        a.exports.act()
    except LimitError:
        pass
ends(start('(import "h" "i" (func $i)) (func (export "go") (loop (call $i) (br 0)))', h={"i": back}).exports.go)
assert count[0] == 1
try:
    a.exports.get()
    raise AssertionError("what was stopped runs again")
except Trap:
    pass
""",
    ),
    one(
        "tail calls in turns, and depth in turns",
        """
for call, limit in (("return_call_indirect", Limits(seconds=0.2)), ("call_indirect", Limits(call_depth=100))):
    t = Table.of("funcref", 2)
    text = '(module (import "h" "t" (table 2 funcref)) (global $n (export "n") (mut i32) (i32.const 0)) (func (export "f") (global.set $n (i32.add (global.get $n) (i32.const 1))) (%s (i32.const %d))))'
    pair = [T(text % (call, k)).instantiate(imports={"h": {"t": t}}, engine=ENGINE, limits=limit) for k in (1, 0)]
    for k in (0, 1):
        t[k] = pair[k].exports.f
    try:
        pair[0].exports.f()
        raise AssertionError("it returned")
    except (DeadlineError, ExhaustionError):
        pass
    if call == "call_indirect":
        assert sum(each.exports.n.value for each in pair) <= 101
""",
    ),
    one(
        "call back through twenty instances",
        """
count, made = [0], []
m = T('(module (import "h" "f" (func $f)) (func (export "go") (call $f)))')
def back():
    count[0] += 1
    made[count[0] % 20].exports.go()
for _ in range(20):
    made.append(m.instantiate(imports={"h": {"f": back}}, engine=ENGINE, limits=Limits(host_reentry=10)))
try:
    made[0].exports.go()
    raise AssertionError("it returned")
except Trap:
    assert count[0] <= 12, count
""",
    ),
    one(
        "fuel that a host function gives while the deadline runs",
        """
made = {}
def give(): made["b"].fuel = 1000
m = T('(module (import "h" "f" (func $f)) (func (export "go") (loop (call $f) (br 0))))')
b = made["b"] = m.instantiate(imports={"h": {"f": give}}, engine=ENGINE, limits=Limits(fuel=1000, seconds=0.3))
try:
    b.exports.go()
    raise AssertionError("it returned")
except LimitError:
    pass
""",
    ),
]

GIVEN = {
    "function": ("funcref", "act", "(ref.cast (ref $v) (call $g))"),
    "structure": ("anyref", "boxed()", "(struct.get $box 0 (ref.cast (ref $box) (call $g)))"),
    "array": ("anyref", "listed()", "(array.get $list (ref.cast (ref $list) (call $g)) (i32.const 0))"),
    "externref": (
        "externref",
        "outer()",
        "(struct.get $box 0 (ref.cast (ref $box) (any.convert_extern (call $g))))",
    ),
}
ATTEMPTS += [
    one(
        f"reference given by a host function: {name}",
        f"""
b = start('(import "h" "g" (func $g (result {type_}))) (func (export "go") (call_ref $v {get}))',
    h={{"g": Func.of([], [{type_!r}], lambda: a.exports.{given})}})
import signal
signal.alarm(20)  # loops for ever
ends(b.exports.go)
""",
    )
    for name, (type_, given, get) in GIVEN.items()
]
ATTEMPTS += [
    one(
        "reference given by a host function: second of two",
        """
b = start('(import "h" "g" (func $g (result i32 funcref))) (func (export "go") (local funcref)'
    ' (local.set 0 (call $g)) (drop) (call_ref $v (ref.cast (ref $v) (local.get 0))))',
    h={"g": Func.of([], ["i32", "funcref"], lambda: (1, a.exports.act))})
import signal
signal.alarm(20)  # loops for ever
ends(b.exports.go)
""",
    ),
    one(
        "reference given by a host function: coroutine",
        """
async def give():
    return a.exports.act
b = start('(import "h" "g" (func $g (result funcref)))'
    '(func (export "go") (call_ref $v (ref.cast (ref $v) (call $g))))', h={"g": Func.of([], ["funcref"], give)})
ends(b.exports.go)
""",
    ),
    one(
        "a coroutine that awaits call_async",
        """
async def back():
    await a.exports.act.call_async()
import signal
signal.alarm(20)  # the event loop waits for its thread for ever
ends(start('(import "h" "i" (func $i)) (func (export "go") (call $i))', h={"i": back}).exports.go)
""",
    ),
    one(
        "a coroutine that awaits call_async, by way of a table",
        """
async def back():
    await a.exports.act.call_async()
t = Table.of("funcref", 1)
t[0] = Func.of([], [], back)
import signal
signal.alarm(20)
b = start('(import "h" "t" (table 1 funcref)) (func (export "go") (call_indirect (type $v) (i32.const 0)))',
    h={"t": t})
ends(b.exports.go)
""",
    ),
    one(
        "coroutines of a loop that awaits the guest: call_async, to_thread, a plain call",
        """
import signal
signal.alarm(30)
async def awaits(act): await act.call_async()
async def elsewhere(act): await asyncio.to_thread(act)
async def here(act): act()
async def tasks(act): await asyncio.create_task(act.call_async())
for way in (awaits, elsewhere, here, tasks):
    made = library("seconds").instantiate(imports={"env": {"host": lambda: None}}, engine=ENGINE)
    async def back(): await way(made.exports.act)
    b = start('(import "h" "i" (func $i)) (func (export "go") (call $i))', h={"i": back})
    ends(lambda: asyncio.run(b.exports.go.call_async()))
""",
        cpu=6.0,
    ),
    one(
        "a chain of instances, each awaited by the one before",
        """
import signal
signal.alarm(20)
act = a.exports.act
text = '(import "h" "i" (func $i)) (func (export "go") (call $i))'
def link(act):
    async def back(): await act.call_async()
    return app(text).instantiate(imports={"h": {"i": back}}, engine=ENGINE)
chain = []
for _ in range(5):
    chain.append(link(act))
    act = chain[-1].exports.go
async def back(): await act.call_async()
ends(start(text, h={"i": back}).exports.go)
""",
    ),
    one(
        "a coroutine that goes on after it was cancelled",
        """
import signal, time
signal.alarm(30)
acts = [library("seconds").instantiate(imports={"env": {"host": lambda: None}}, engine=ENGINE).exports.act
        for _ in range(4)]
async def back():
    try:
        await acts.pop().call_async()
    finally:
        await acts.pop().call_async()
ends(start('(import "h" "i" (func $i)) (func (export "go") (call $i))', h={"i": back}).exports.go)
async def main():
    b = start('(import "h" "i" (func $i)) (func (export "go") (call $i))', h={"i": back})
    await b.exports.go.call_async()
ends(lambda: asyncio.run(main()))
""",
        cpu=3.0,
    ),
]

SLOW: list[Attempt] = []
OPEN: list[Attempt] = []
