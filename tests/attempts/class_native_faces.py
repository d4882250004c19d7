# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of a second person on the native engine: what a limit there can't hold must be refused. Types, waits of
threads, bulk instructions and fuel, exceptions that are kept, features that are off, components, and the command."""

from __future__ import annotations

from .class_native import START
from .harness import Attempt

MORE = """
import subprocess
def refused(name, text, *words, call="f", limits=Limits(seconds=1), **more):
    '''An error of ours that says why, before anything runs, or a limit.'''
    said = ends(name, text, WasmError, limits=limits, call=call, **more)
    assert not words or any(word in str(said) for word in words), (name, said)
    return said
def held(name, do, most=2.0, *kinds):
    began = time.process_time()
    try:
        said = do()
    except (WasmError, GuestExit) as error:
        said = error
        assert not raw(str(error))
    took = time.process_time() - began
    print(name, repr(said)[:120], f"{took:.2f}", flush=True)
    assert took < most, (name, took)
    assert not kinds or isinstance(said, kinds), (name, said)
    return said
def command_line(*arguments, text, wall=30, name="a.wat"):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / name).write_text(text) if isinstance(text, str) else (folder / name).write_bytes(text)
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "pywasm_nn", *[str(folder / name) if each == "FILE" else each for each in arguments]], capture_output=True, timeout=wall, env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}, cwd=folder, stdin=subprocess.DEVNULL)
    out, error = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    print(arguments[:6], done.returncode, out[-100:], error[-200:], f"{time.monotonic() - began:.1f}", flush=True)
    assert "Traceback" not in out + error, error
    assert done.returncode >= 0, (arguments, done.returncode)
    return done.returncode, out, error, time.monotonic() - began
"""

COMPILED = """
loop, end, zero = b"\\x03\\x40", b"\\x0b", b"\\x41\\0"
def vector(items):
    return number(len(items)) + b"".join(items)
def wide(count):
    return b"\\x60" + (number(count) + b"\\x7f" * count) * 2
def module(bodies, types=(b"\\x60\\0\\0",), uses=None, before=b"", middle=b""):
    '''A module of these bodies, with their locals; the first is exported.'''
    codes = [number(len(body) + 1) + body + end for body in bodies]
    uses = uses or (0,) * len(bodies)
    return b"\\0asm\\1\\0\\0\\0" + section(1, vector(types)) + section(3, vector([number(use) for use in uses])) + before + section(7, vector([b"\\1f\\0\\0"])) + middle + section(10, vector(codes))
def function(code, locals_=b"\\0", **more):
    return module([locals_ + code], **more)
get, branch = b"\\x20\\0", b"\\x0d"
VALUE, W = b"\\1\\1\\x7f", 1000
WIDE = dict(types=(b"\\x60\\0\\0", wide(W)))
TABLE, MEMORY, TAG = section(4, b"\\1\\x70\\0\\1"), section(5, b"\\1\\0\\1"), section(13, b"\\1\\0\\0")
BODIES = {
    "loops nested": function(loop * 30_000 + end * 30_000),
    "loops that are left from the middle": function(loop * 12_000 + b"".join(get + branch + number(k) for k in range(12_000)) + end * 12_000, VALUE),
    "locals in loops": function(loop * 400 + b"".join(b"\\x20" + number(k) + b"\\x21" + number(3999 - k) for k in range(4000)) * 4 + (b"\\x20\\0\\xa7" + branch + b"\\0" + end) * 400, vector([number(4000) + b"\\x7e"])),
    "loops in a row that keep locals": function(loop + b"".join(loop + b"\\x20" + number(1 + k % 3000) + b"\\x41\\1\\x6a\\x22" + number(1 + k % 3000) + branch + b"\\0" + end for k in range(8000)) + get + branch + b"\\0" + end, vector([number(5000) + b"\\x7f"])),
    "calls of wide functions": module([b"\\0" + zero * W + b"\\x10\\1" * 50_000 + b"\\0", b"\\0\\0"], uses=(0, 1), **WIDE),
    "blocks of wide values": function(zero * W + b"\\2\\1\\x0b" * 30_000 + b"\\0", **WIDE),
    "loops of wide values": function(zero * W + b"\\3\\1\\x41\\0\\x0d\\0\\x0b" * 20_000 + b"\\0", **WIDE),
    "choices of wide values": function(zero * W + b"\\x41\\0\\4\\1\\x0b" * 30_000 + b"\\0", **WIDE),
    "wide functions": module([b"\\0\\0"] * 60_000, uses=(0,) + (1,) * 59_999, **WIDE),
    "empty functions": module([b"\\0"] * 250_000),
    "locals that are claimed": module([b"\\1\\xd0\\x86\\3\\x7e"] * 50_000),
    "calls through a table": function((zero + b"\\x11\\0\\0") * 60_000, before=TABLE),
    "handlers around calls": function(b"\\2\\x40\\x1f\\x40\\1\\2\\0" * 10_000 + b"\\x10\\0" * 50_000 + end * 20_000),
    "clauses around calls": function(b"\\2\\x40\\x1f\\x40" + number(3000) + b"\\0\\0\\0" * 3000 + b"\\x10\\0" * 50_000 + end * 2, before=TAG),
    "bulk instructions": function((zero * 3 + b"\\xfc\\x0b\\0") * 60_000, before=MEMORY),
    "chains of additions": function(get + b"\\x41\\1\\x6a" * 300_000 + b"\\x1a", VALUE),
    "divisions": function(get + b"\\x20\\0\\x6d" * 300_000 + b"\\x1a", VALUE),
    "blocks nested": function(b"\\2\\x40" * 450_000 + end * 450_000),
    "try_tables nested": function(b"\\x1f\\x40\\0" * 250_000 + end * 250_000),
}
"""
"""Shapes that take more than their share of time for their bytes, of sixty that were tried."""


def attempt(name: str, source: str, cpu: float = 8.0, **more: int) -> Attempt:
    return Attempt(f"native faces: {name}", START + MORE + source, cpu, engines=("compile",), **more)


ATTEMPTS = [
    attempt(
        "types that no limit counts, wherever they stand",
        """
GROW = '(func (export "f") (loop $l (global.set $g {}) (br $l)))'
refused("a list of structures", '(type $s (struct (field (ref null $s)))) (global $g (mut (ref null $s)) (ref.null $s))' + GROW.format("(struct.new $s (global.get $g))"))
refused("an array of 2^30", '(type $a (array (mut i64))) (func (export "f") (drop (array.new_default $a (i32.const 0x3fffffff))))')
refused("arrays in each other", '(type $a (array (mut (ref null $a)))) (global $g (mut (ref null $a)) (ref.null $a))' + GROW.format("(array.new $a (global.get $g) (i32.const 1000))"))
refused("an array of data", '(type $a (array (mut i8))) (data $d "abc") (global $g (mut (ref null $a)) (ref.null $a))' + GROW.format("(array.new_data $a $d (i32.const 0) (i32.const 3))"))
refused("an array of elements", '(type $a (array (mut funcref))) (elem $e func 0) (global $g (mut (ref null $a)) (ref.null $a))' + GROW.format("(array.new_elem $a $e (i32.const 0) (i32.const 1))"))
refused("fixed arrays", '(type $a (array (mut anyref))) (global $g (mut anyref) (ref.null any))' + GROW.format("(array.new_fixed $a 2 (global.get $g) (global.get $g))"))
refused("in a constant", '(type $s (struct (field i64))) (global anyref (struct.new $s (i64.const 1))) (func (export "f") unreachable)')
refused("in a segment", '(type $s (struct)) (table 100000 anyref) (elem (i32.const 0) anyref ' + "(item (struct.new $s))" * 1000 + ') (func (export "f") unreachable)')
refused("in a table's filling", '(type $s (struct)) (table 100000 anyref (struct.new $s)) (func (export "f") unreachable)')
ends("only named", '(type $s (struct)) (func (export "f") (local (ref null $s)))')
ends("small integers", '(global $g (mut anyref) (ref.null any)) (func (export "f") (param i32) (loop $l (global.set $g (ref.i31 (local.get 0))) (br $l)))', DeadlineError, WasmError, arguments=(5,))
ends("converted", '(global $g (mut anyref) (ref.null any)) (global $h (mut externref) (ref.null extern)) (func (export "f") (param externref) (loop $l (global.set $g (any.convert_extern (local.get 0))) (global.set $h (extern.convert_any (global.get $g))) (br $l)))', DeadlineError, WasmError, arguments=(object(),))
ends("converted small integers", '(table $t 1 externref) (func (export "f") (param i32) (loop $l (drop (table.grow $t (extern.convert_any (ref.i31 (local.get 0))) (i32.const 100))) (br $l)))', DeadlineError, WasmError, arguments=(5,))
""",
    ),
    attempt(
        "exceptions that are kept: in tables, globals and each other",
        """
HELD = Limits(seconds=8, memory=64 << 20, table=1_000_000)
values = "i64 " * 900
text = f'''(tag $t (param {values})) (tag $e (param exnref)) (table $k 1000000 exnref) (func $make (result exnref) (block $h (result {values} exnref) (try_table (catch_ref $t $h) {"(i64.const 5)" * 900} (throw $t)) unreachable) (local.set 0) {"drop " * 900} (local.get 0))'''.replace("(func $make (result exnref)", "(func $make (result exnref) (local exnref)") + '''
(func (export "f") (param i32) (result i32) (local i32) (loop $l (table.set $k (local.get 1) (call $make)) (local.set 1 (i32.add (local.get 1) (i32.const 1))) (br_if $l (i32.lt_u (local.get 1) (local.get 0)))) (local.get 1))'''
said = ends("in a table", text, WasmError, limits=HELD, arguments=(900_000,), most=10)
chain = '''(tag $e (param exnref)) (global $g (mut exnref) (ref.null exn)) (func (export "f") (loop $l (global.set $g (block $h (result exnref) (block $i (result exnref exnref) (try_table (catch_ref $e $i) (throw $e (global.get $g))) unreachable) (br $h) )) (br $l)))'''
said = ends("a chain", chain, WasmError, limits=HELD, most=10)
thrown = '''(tag $e (param externref)) (import "h" "make" (func $m (result externref))) (table $k 100000 exnref)'''
import resource as r
print(r.getrusage(r.RUSAGE_SELF).ru_maxrss >> 10)
""",
        cpu=30.0,
    ),
    attempt(
        "a wait of atomics for ever, by the first thread and by others, and by notifying",
        """
import faulthandler
for name, text in {
    "a shared memory of its own": '(memory 1 1 shared) (func (export "f") (result i32) (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))',
    "of 64 bits": '(memory 1 1 shared) (func (export "f") (result i32) (memory.atomic.wait64 (i32.const 0) (i64.const 0) (i64.const -1)))',
    "for a day": '(memory 1 1 shared) (func (export "f") (result i32) (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const 86400000000000)))',
    "again and again": '(memory 1 1 shared) (func (export "f") (result i32) (loop (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const 1000000))) (br 0)) unreachable)',
    "in the start function": '(memory 1 1 shared) (func $s (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))) (start $s) (func (export "f"))',
    "not shared": '(memory 1) (func (export "f") (result i32) (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))',
}.items():
    with within(4):
        ends(name, text, WasmError, limits=Limits(seconds=0.5))
THREAD = '''(module (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32))) (import "env" "memory" (memory 1 1 shared)) (export "memory" (memory 0))
  (func (export "wasi_thread_start") (param i32 i32) {}) (func (export "f") (result i32) (drop (call $spawn (i32.const 0))) {}))'''
for name, (other, first) in {"others wait": ("(drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))", "(loop (br 0)) unreachable"), "others loop": ("(loop (br 0))", "(memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1))"), "others trap": ("unreachable", "(memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1))"), "first ends": ("(loop (br 0))", "(i32.const 1)"), "a storm": ("", "(loop (br_if 0 (i32.ne (call $spawn (i32.const 0)) (i32.const -1)))) (loop (drop (call $spawn (i32.const 0))) (br 0)) unreachable")}.items():
    module = Module.from_text(THREAD.format(other, first))
    def run():
        with module.instantiate(engine="wasmtime", wasi=Wasi(), limits=Limits(seconds=0.5, threads=8)) as guest:
            return guest.exports.f()
    with within(8):
        held(name, run, 3.0)
assert threading.active_count() <= 2, threading.enumerate()
""",
        cpu=15.0,
    ),
    attempt(
        "fuel and time in bulk instructions: a gigabyte, again and again",
        """
BIG = dict(memory=1 << 30, memory_total=2 << 30)
ONCE = {"fill": "(memory.fill (i32.const 0) (i32.const 1) (i32.const 0x3fff0000))", "copy": "(memory.copy (i32.const 1) (i32.const 0) (i32.const 0x3ffe0000))", "copy down": "(memory.copy (i32.const 0) (i32.const 1) (i32.const 0x3ffe0000))"}
for name, do in ONCE.items():
    ends(name + " under seconds", f'(memory 0x4000) (func (export "f") (loop $l {do} (br $l)))', DeadlineError, limits=Limits(seconds=0.5, **BIG), most=2.0)
    ends(name + " under fuel", f'(memory 0x4000) (func (export "f") (loop $l {do} (br $l)))', FuelError, limits=Limits(fuel=10_000, **BIG), most=4.0)
ends("table.fill under fuel", '(table 900000 funcref) (func (export "f") (loop $l (table.fill (i32.const 0) (ref.null func) (i32.const 900000)) (br $l)))', FuelError, limits=Limits(fuel=10_000), most=4.0)
ends("table.copy under fuel", '(table 900000 funcref) (func (export "f") (loop $l (table.copy (i32.const 0) (i32.const 1) (i32.const 800000)) (br $l)))', FuelError, limits=Limits(fuel=10_000), most=4.0)
ends("table.init under fuel", '(table 100000 funcref) (elem $e func ' + "0 " * 100000 + ') (func (export "f") (loop $l (table.init $e (i32.const 0) (i32.const 0) (i32.const 100000)) (br $l)))', FuelError, limits=Limits(fuel=10_000), most=4.0)
ends("memory.init under fuel", '(memory 20) (data $d "' + "a" * 1_000_000 + '") (func (export "f") (loop $l (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1000000)) (br $l)))', FuelError, limits=Limits(fuel=100_000), most=4.0)
ends("growth under fuel", '(memory 0) (func (export "f") (loop $l (drop (memory.grow (i32.const 1))) (br $l)))', FuelError, limits=Limits(fuel=100_000, memory=1 << 28), most=4.0)
""",
        cpu=60.0,
        peak=3 << 30,
    ),
    attempt(
        "features that are off stay off",
        """
OFF = {"threads": '(memory 1 1 shared) (func (export "f") (drop (i32.atomic.load (i32.const 0))))', "memory64": '(memory i64 1) (func (export "f") (drop (i64.load (i64.const 0))))', "multi-memory": '(memory 1) (memory 1) (func (export "f") (drop (i32.load 1 (i32.const 0))))', "multi-table": '(table 1 funcref) (table 1 funcref) (func (export "f") (drop (table.get 1 (i32.const 0))))', "wide-arithmetic": '(func (export "f") (i64.add128 (i64.const 1) (i64.const 1) (i64.const 1) (i64.const 1)) drop drop)'}
for name, text in OFF.items():
    try:
        with Module.from_text("(module " + text + ")", features=[f"-{name}"]).instantiate(engine="wasmtime") as guest:
            guest.exports.f()
        raise SystemExit(f"{name} is on")
    except WasmError as error:
        print(name, repr(error)[:150])
    try:
        with Module.from_text("(module " + text + ")").instantiate(engine="wasmtime") as guest:
            guest.exports.f()
    except WasmError as error:
        print(name, "on:", repr(error)[:150])
for name, text in {"custom-page-sizes": '(memory 1 (pagesize 1)) (func (export "f") (drop (i32.load8_u (i32.const 0))))', "custom-descriptors": '(rec (type $a (descriptor $b) (struct)) (type $b (describes $a) (struct))) (func (export "f"))', "legacy-exceptions": '(tag $t) (func (export "f") try (throw $t) catch_all end)'}.items():
    for features in ((), (name,)):
        try:
            with Module.from_text("(module " + text + ")", features=features).instantiate(engine="wasmtime", limits=Limits(seconds=1)) as guest:
                guest.exports.f()
            print(name, features, "ran")
            assert name != "custom-descriptors"
        except WasmError as error:
            print(name, features, repr(error)[:150])
""",
    ),
    attempt(
        "observers, snapshots and everything else that needs frames",
        """
module = Module.from_text('(module (memory (export "memory") 1) (global (export "g") (mut i32) (i32.const 5)) (func $d (param i32) (if (local.get 0) (then (call $d (i32.sub (local.get 0) (i32.const 1)))) (else unreachable))) (func (export "f") (call $d (i32.const 30))) (func (export "spin") (loop (br 0))))')
for levels in (["calls"], ["instr"], ["host"], ["nn"], ["host", "calls"], ["whatif"]):
    try:
        trace = Trace(levels)
        with module.instantiate(engine="wasmtime", observer=trace, limits=Limits(seconds=0.5)) as guest:
            held(str(levels), guest.exports.f, 2.0, Trap)
            assert "calls" not in levels and "instr" not in levels, levels
    except (WasmError, ValueError, TypeError) as error:
        print(levels, repr(error)[:150])
guest = module.instantiate(engine="wasmtime", limits=Limits(seconds=0.5))
for name in ("snapshot", "fuel", "frames", "step", "pause", "restore"):
    try:
        found = getattr(guest, name)
        print(name, repr(found() if callable(found) else found)[:100])
    except (WasmError, AttributeError, TypeError, ValueError) as error:
        print(name, repr(error)[:150])
held("spin", guest.exports.spin, 2.0, DeadlineError)
held("after", guest.exports.f, 1.0, Trap)
import pickle, copy
for way in (pickle.dumps, copy.copy, copy.deepcopy):
    try:
        way(guest)
    except (TypeError, ValueError, WasmError) as error:
        print(way, repr(error)[:100])
pickle.loads(pickle.dumps(module)).instantiate(engine="wasmtime", limits=Limits(seconds=1)).close()
""",
    ),
    attempt(
        "components: deadlines, memories, instances and lists",
        """
import wasmtime
os.environ["WAST_STRICT_COMPONENT_INDICES"] = "0"
def lives(text, call=None, imports=None, limits=Limits(seconds=0.5, memory=64 << 20), **more):
    data = bytes(wasmtime.wat2wasm(text))
    def do():
        with Component.from_bytes(data).instantiate(imports, engine="wasmtime", limits=limits, **more) as c:
            return call(c) if call else "instance"
    return do
def lifted(core, type_, options="", more=""):
    return f'''(component {more} (core module $M {core}) (core instance $m (instantiate $M)) (func (export "f") {type_} (canon lift (core func $m "f") {options})))'''
run = lambda c: c.exports.f()
held("a loop", lives(lifted('(func (export "f") (loop (br 0)))', ""), run), 2.0, DeadlineError)
held("a loop in the start", lives('(component (core module $M (func $f (loop (br 0))) (start $f)) (core instance (instantiate $M)))'), 2.0, DeadlineError)
held("a loop in post-return", lives(lifted('(func (export "f") (result i32) (i32.const 1)) (func (export "p") (param i32) (loop (br 0)))', "(result u32)", '(post-return (core func $m "p"))'), run), 2.0, DeadlineError)
held("a loop in an allocator", lives(lifted('(memory (export "memory") 1) (func (export "r") (param i32 i32 i32 i32) (result i32) (loop (br 0)) unreachable) (func (export "f") (param i32 i32))', '(param "a" string)', '(memory $m "memory") (realloc (core func $m "r"))'), lambda c: c.exports.f("x")), 2.0, DeadlineError)
held("memories together", lives('(component (core module $m (memory 900) (func))' + "(core instance (instantiate $m))" * 64 + ")", limits=Limits(seconds=5, memory=64 << 20, memory_total=128 << 20)), 3.0, LimitError)
held("instances", lives('(component (core module $m)' + "(core instance (instantiate $m))" * 3000 + ")", limits=Limits(seconds=5, instances=100)), 3.0, LimitError)
held("tables", lives('(component (core module $m (table 900000 funcref) (func))' + "(core instance (instantiate $m))" * 64 + ")", limits=Limits(seconds=5, table_total=2_000_000)), 3.0, LimitError)
held("fuel", lives(lifted('(func (export "f") (loop (br 0)))', ""), run, limits=Limits(fuel=10_000)), 2.0, FuelError)
held("structures", lives(lifted('(type $s (struct)) (func (export "f") (drop (struct.new $s)))', ""), run), 2.0, WasmError)
core = '''(memory (export "memory") 1000) (func (export "f") (result i32) (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 8000000)) (i32.const 0))'''
held("a list", lives(lifted(core, "(result (list u64))", '(memory $m "memory")'), lambda c: len(c.exports.f()), limits=Limits(seconds=1, memory=64 << 20, lifted=1 << 20)), 3.0, LimitError)
held("recursion", lives(lifted('(func $f (export "f") (result i32) (i32.add (call $f) (i32.const 1)))', "(result u32)"), run), 2.0, ExhaustionError)
c = Component.from_bytes(bytes(wasmtime.wat2wasm(lifted('(func (export "f") (loop (br 0)))', "")))).instantiate(engine="wasmtime", limits=Limits(seconds=2))
said = []
threads = [threading.Thread(target=lambda: said.append(held("thread", c.exports.f, 8.0))) for _ in range(3)]
for each in threads:
    each.start()
time.sleep(0.1)
held("close", c.close, 3.0)
for each in threads:
    each.join(10)
    assert not each.is_alive()
""",
        cpu=25.0,
    ),
    attempt(
        "hosts that call other guests, with and without a deadline, on other threads",
        """
spin = Module.from_text('(module (memory (export "memory") 1) (func (export "f") (loop (br 0))) (func (export "g") (result i32) (i32.const 7)))')
caller = Module.from_text('(module (import "h" "f" (func $h)) (func (export "f") (loop (call $h) (br 0))))')
def nested(engine, own):
    inner = spin.instantiate(engine=engine, limits=own)
    def do():
        with caller.instantiate(engine="wasmtime", limits=Limits(seconds=0.4), imports={"h": {"f": lambda: inner.exports.f()}}) as outer:
            outer.exports.f()
    return do
for engine in ("wasmtime", "compile", "interpret"):
    for own in (Limits(seconds=30), Limits(seconds=0.2), Limits(fuel=10**12, seconds=30)):
        with within(5):
            held(f"{engine} {own}", nested(engine, own), 2.5, WasmError)
for engine in ("compile", "interpret"):
    inner = spin.instantiate(engine="wasmtime", limits=Limits(seconds=30))
    def do():
        with caller.instantiate(engine=engine, limits=Limits(seconds=0.4), imports={"h": {"f": lambda: inner.exports.f()}}) as outer:
            outer.exports.f()
    with within(5):
        held(f"wasmtime in {engine}", do, 2.5, WasmError)
for engine in ("compile", "interpret"):
    for given, wanted in ((engine, "wasmtime"), ("wasmtime", engine)):
        a = spin.instantiate(engine=given, limits=Limits(seconds=5))
        try:
            b = Module.from_text('(module (import "a" "f" (func $f)) (import "a" "memory" (memory 1)) (func (export "f") (call $f)))').instantiate(imports={"a": {"f": a.exports["f"], "memory": a.exports["memory"]}}, engine=wanted, limits=Limits(seconds=0.4))
        except WasmError as error:
            print(given, wanted, repr(error)[:150])
            continue
        with within(5):
            held(f"{given} given to {wanted}", b.exports.f, 2.5, WasmError)
slept = Module.from_text('(module (import "h" "f" (func $h)) (func (export "f") (call $h) (loop (br 0))))')
with slept.instantiate(engine="wasmtime", limits=Limits(seconds=0.3), imports={"h": {"f": lambda: time.sleep(0.6)}}) as guest:
    held("a host that sleeps", guest.exports.f, 1.0, DeadlineError)
async def waits():
    import asyncio
    await asyncio.sleep(30)
with slept.instantiate(engine="wasmtime", limits=Limits(seconds=0.3), imports={"h": {"f": waits}}) as guest, within(4):
    held("a coroutine that waits", guest.exports.f, 1.0, DeadlineError)
import asyncio
async def main():
    with spin.instantiate(engine="wasmtime", limits=Limits(seconds=0.3)) as guest:
        try:
            await guest.exports.f.call_async()
        except DeadlineError as error:
            return error
with within(4):
    held("awaited", lambda: asyncio.run(main()), 2.0, DeadlineError)
""",
        cpu=25.0,
    ),
    attempt(
        "WASI's waits and floods under a deadline",
        """
def native(**more):
    return Guest("wasmtime", **more)
read_end, write_end = os.pipe()
import struct
for seconds in (0.4,):
    for name, do in {
        "fd_read of a pipe": lambda g: g("fd_read", 0, g.vectors(0, 1, 4096, 100), 1, 64),
        "poll_oneoff of a year": lambda g: g("poll_oneoff", g.put(0, struct.pack("<QB7xIIQQHxxxxxx", 1, 0, 1, 0, 31_536_000_000_000_000, 0, 0)), 256, 1, 64),
        "random_get of the memory": lambda g: [g("random_get", 0, 131072) for _ in range(1_000_000)],
        "fd_write without end": lambda g: [g("fd_write", 1, g.vectors(0, 1024, 4096, 60000), 1024, 64) for _ in range(1_000_000)],
        "clock_time_get without end": lambda g: [g("clock_time_get", 0, 1, 0) for _ in range(100_000_000)],
    }.items():
        g = None if "end" in name or "random" in name else native(limits=Limits(seconds=seconds, output=10 << 20), wasi=Wasi(stdin=open(read_end, "rb", closefd=False), stdout=Capture(), dirs={"/": MemoryDirectory()}))
        if g is None:
            loop = Module.from_text({"random_get of the memory": '(module (import "wasi_snapshot_preview1" "random_get" (func $r (param i32 i32) (result i32))) (memory (export "memory") 1000) (func (export "f") (loop (drop (call $r (i32.const 0) (i32.const 60000000))) (br 0))))', "fd_write without end": '(module (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1000) (func (export "f") (i32.store (i32.const 4) (i32.const 60000000)) (loop (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br 0))))', "clock_time_get without end": '(module (import "wasi_snapshot_preview1" "clock_time_get" (func $c (param i32 i64 i32) (result i32))) (memory (export "memory") 1) (func (export "f") (loop (drop (call $c (i32.const 0) (i64.const 1) (i32.const 0))) (br 0))))'}[name])
            do = lambda _: loop.instantiate(engine="wasmtime", limits=Limits(seconds=seconds, output=10 << 20), wasi=Wasi(stdout=Capture())).exports.f()
        with within(4):
            held(name, lambda: do(g), 2.0, DeadlineError)
        if g is not None:
            g.instance.close()
""",
        cpu=12.0,
    ),
    attempt(
        "ten thousand instances, and what they reserve of the address space",
        """
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)) if resource.getrlimit(resource.RLIMIT_AS)[1] == resource.RLIM_INFINITY else None
module = Module.from_text('(module (memory (export "memory") 1) (table 100 funcref) (func (export "f") (result i32) (i32.const 5)))')
kept, began = [], time.process_time()
try:
    for number in range(4000):
        kept.append(module.instantiate(engine="wasmtime", limits=Limits(seconds=1, memory=1 << 20)))
        assert number % 500 or kept[-1].exports.f() == 5
except WasmError as error:
    print(repr(error)[:200])
print(len(kept), time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
for each in kept[::2]:
    each.close()
del kept, each
gc.collect()
for number in range(300):
    with module.instantiate(engine="wasmtime", limits=Limits(seconds=1)) as guest:
        assert guest.exports.f() == 5
print(threading.active_count(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")))
assert len(os.listdir("/proc/self/task")) < 12 and len(os.listdir("/proc/self/fd")) < 40
""",
        cpu=40.0,
    ),
    attempt(
        "traps at the edge of memory, from many threads at once",
        """
module = Module.from_text('(module (memory (export "memory") 1 2) (memory $two 1) (func (export "f") (param i32) (result i32) (i32.load offset=0xfffffff0 (local.get 0))) (func (export "g") (param i64) (result i64) (i64.load $two (i32.wrap_i64 (local.get 0)))) (func (export "d") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1))) (func (export "c") (param f64) (result i32) (i32.trunc_f64_s (local.get 0))) (func (export "t") (param i32) (call_indirect (local.get 0))) (table 1 funcref))')
wrong = []
def storm():
    with module.instantiate(engine="wasmtime", limits=Limits(seconds=20)) as guest:
        for number in range(300):
            for call in (lambda: guest.exports.f(number), lambda: guest.exports.f(-16), lambda: guest.exports.g(65529), lambda: guest.exports.d(1, 0), lambda: guest.exports.d(-1 << 31, -1), lambda: guest.exports.c(float("nan")), lambda: guest.exports.c(1e300), lambda: guest.exports.t(0), lambda: guest.exports.t(-1)):
                try:
                    wrong.append(call())
                except Trap as error:
                    str(error)
threads = [threading.Thread(target=storm) for _ in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not wrong, wrong[:5]
""",
        cpu=20.0,
    ),
    attempt(
        "the command with this engine: limits, traces, records and what it refuses",
        """
SPIN = '(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))) (memory (export "memory") 1) (func (export "_start") (loop (br 0))))'
DEEP = '(module (memory (export "memory") 1) (func $f (export "_start") (call $f) (call $f)))'
GROW = '(module (memory (export "memory") 1) (func (export "_start") (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (unreachable)))'
for arguments, text, codes in (
    (("run", "--engine", "wasmtime", "--timeout", "1s", "FILE"), SPIN, (134,)), (("run", "--engine", "wasmtime", "--fuel", "100000", "FILE"), SPIN, (134,)), (("--engine", "wasmtime", "--timeout", "1s", "FILE"), SPIN, (134, 2)),
    (("run", "--engine", "wasmtime", "--timeout", "5s", "FILE"), DEEP, (134,)), (("run", "--engine", "wasmtime", "--timeout", "5s", "--max-memory", "1MiB", "FILE"), GROW, (134, 2)), (("run", "--engine", "wasmtime", "--timeout", "5s", "--max-stack", "100", "FILE"), DEEP, (134, 2)),
    (("run", "--engine", "wasmtime", "--timeout", "1s", "--trace=calls", "FILE"), SPIN, (1, 2, 134)), (("run", "--engine", "wasmtime", "--timeout", "1s", "--trace=instr", "FILE"), SPIN, (1, 2, 134)), (("run", "--engine", "wasmtime", "--timeout", "1s", "--trace=host", "FILE"), SPIN, (134,)),
    (("run", "--engine", "wasmtime", "--timeout", "1s", "--trace-html", "x.html", "FILE"), SPIN, (1, 2, 134)), (("run", "--engine", "wasmtime", "--timeout", "1s", "--record", "x.tape", "FILE"), SPIN, (1, 2, 134)), (("run", "--engine", "wasmtime", "--timeout", "1s", "--monitor", "counts", "FILE"), SPIN, (1, 2, 134)),
    (("debug", "--engine", "wasmtime", "--timeout", "1s", "FILE"), SPIN, (0, 1, 2, 134)), (("batch", "--engine", "wasmtime", "--timeout", "1s", "FILE", "--over", "FILE"), SPIN, (0, 1, 2, 134)), (("run", "--engine", "wasmtime", "--timeout", "1s", "--invoke", "_start", "FILE"), SPIN, (134,)),
    (("run", "--engine", "wasmtime", "--timeout", "1s", "FILE"), '(module (type $s (struct)) (memory (export "memory") 1) (func (export "_start") (drop (struct.new $s))))', (1, 134)),
    (("run", "--engine", "wasmtime", "--timeout", "1s", "FILE"), '(module (memory (export "memory") 1 1 shared) (func (export "_start") (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))))', (1, 134)),
    (("compile", "--engine", "wasmtime", "FILE"), SPIN, (0, 1, 2)), (("run", "--engine", "wasmtime", "--features", "-threads", "--timeout", "1s", "FILE"), '(module (memory (export "memory") 1 1 shared) (func (export "_start")))', (1,)),
):
    code, out, error, took = command_line(*arguments, text=text)
    assert code in codes, (arguments, code, error[-300:])
    assert took < 12, (arguments, took)
    assert not raw(error, "\\n\\t") and not raw(out, "\\n\\t"), (arguments, raw(error))
""",
        cpu=60.0,
    ),
    attempt(
        "names that are hostile, in every error of this engine",
        """
for imported in (False, True):
    data = hostile_module(imported=imported)
    try:
        with Module.from_bytes(data).instantiate(engine="wasmtime", limits=Limits(seconds=1)) as guest:
            guest.exports["_start"]()
    except WasmError as error:
        text = str(error) + repr(error) + "".join(getattr(error, "__notes__", ()))
        assert not raw(text), raw(text)
for imported in (False, True):
    code, out, error, _ = command_line("run", "--engine", "wasmtime", "--timeout", "1s", "FILE", text=hostile_module(imported=imported), name="a.wasm")
    assert not raw(error, "\\n\\t") and not raw(out, "\\n\\t"), (raw(error), error)
code, out, error, _ = command_line("run", "--engine", "wasmtime", "FILE", text=hostile_module(body=b"\\x41\\0\\xff"), name="a.wasm")
assert not raw(error, "\\n\\t"), raw(error)
""",
        cpu=12.0,
    ),
    attempt(
        "bodies and types that wasmtime's compiler takes long for, or much memory",
        COMPILED
        + """
HALF = Limits(seconds=0.5, memory=256 << 20)
for name, data in BODIES.items():
    def run():
        with Module.from_bytes(data, seconds=0.5).instantiate(engine="wasmtime", limits=HALF) as guest:
            return guest.exports.f()
    with within(10):
        said = held(name, run, 1.0)
    assert said is None or isinstance(said, (LimitError, Trap)), said
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1_100_000
""",
        cpu=40.0,
    ),
    attempt(
        "small modules, which are compiled in the host's process",
        COMPILED
        + """
SMALL = {
    "loops": function(loop * 320 + end * 320),
    "locals": module([b"\\1\\xd0\\x86\\3\\x7e"] * 90),
    "calls of wide functions": module([b"\\0" + zero * 250 + b"\\x10\\1" * 80 + b"\\0", b"\\0\\0"], types=(b"\\x60\\0\\0", wide(100)), uses=(0, 1)),
    "loops of wide values": function(zero * 100 + b"\\3\\1\\x41\\0\\x0d\\0\\x0b" * 75 + b"\\0", types=(b"\\x60\\0\\0", wide(100))),
    "wide functions": module([b"\\0\\0"] * 100, types=(b"\\x60\\0\\0", wide(200)), uses=(0,) + (1,) * 99),
    "locals in loops": function(b"".join(loop + b"\\x20" + number(k) + b"\\x41\\1\\x6a\\x22" + number(k) + b"\\x0d\\0" for k in range(70)) + end * 70, b"\\1\\xd0\\x86\\3\\x7f"),
}
for name, data in SMALL.items():
    assert len(data) <= 1024, (name, len(data))
    def run():
        with Module.from_bytes(data).instantiate(engine="wasmtime", limits=Limits(seconds=0.5)) as guest:
            return guest.exports.f()
    said = held(name, run, 1.5)
    assert not isinstance(said, InvalidError), said
""",
        cpu=10.0,
    ),
]
