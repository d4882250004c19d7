# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts on the native engine: limits, deadlines across instances, memories that are closed and grown, stacks,
hosts, hostile bodies and kept code."""

from __future__ import annotations

from .harness import Attempt

START = """
import gc, os, pathlib, resource, sys, tempfile, threading, time
from pywasm_nn import *
from pywasm_nn.errors import *
from pywasm_nn.native import problem
from tests.attempts.kit import *
if problem():
    raise SystemExit(0)
resource.setrlimit(resource.RLIMIT_AS, (64 << 30, 64 << 30))
alarm_after(100)
Module.from_text('(module (func (export "f")))').instantiate(engine="wasmtime").exports.f()
def ends(name, text, *kinds, limits=Limits(seconds=0.5), call="f", most=2.0, arguments=(), **more):
    '''What comes of the call, or the error, which is one of ours, in time.'''
    module = Module.from_text("(module " + text + ")")
    began = time.process_time()
    try:
        with module.instantiate(engine="wasmtime", limits=limits, **more) as guest:
            said = getattr(guest.exports, call)(*arguments)
    except (WasmError, GuestExit) as error:
        said = error
        assert not raw(str(error))
    took = time.process_time() - began
    print(name, repr(said)[:100], f"{took:.2f}", flush=True)
    assert took < most, (name, took)
    assert not kinds or isinstance(said, kinds), (name, said)
    return said
"""


def attempt(name: str, source: str, cpu: float = 5.0) -> Attempt:
    return Attempt(f"native: {name}", START + source, cpu, engines=("compile",))


ATTEMPTS = [
    attempt(
        "loops without end, each way into them",
        """
for name, text in {
    "a loop": '(func (export "f") (loop (br 0)))',
    "a recursion of tails": '(func $f (export "f") (return_call $f))',
    "through a table": '(type $t (func)) (table funcref (elem $f)) (func $f (export "f") (return_call_indirect (type $t) (i32.const 0)))',
    "in the start function": '(func $f (loop (br 0))) (start $f) (func (export "f"))',
    "bulk": '(memory 1000) (func (export "f") (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 65000000)) (br 0)))',
    "copies": '(memory 1000) (func (export "f") (loop (memory.copy (i32.const 1) (i32.const 0) (i32.const 65000000)) (br 0)))',
    "a table that is filled": '(table 900000 funcref) (func (export "f") (loop (table.fill (i32.const 0) (ref.null func) (i32.const 900000)) (br 0)))',
    "memory that fails to grow": '(memory 1) (func (export "f") (loop (drop (memory.grow (i32.const 65535))) (br 0)))',
    "exceptions": '(tag $t) (func (export "f") (loop $l (block $h (try_table (catch_all $h) (throw $t))) (br $l)))',
    "exceptions through calls": '(tag $t) (func $g (param i32) (if (local.get 0) (then (call $g (i32.sub (local.get 0) (i32.const 1)))) (else (throw $t)))) (func (export "f") (loop $l (block $h (try_table (catch_all $h) (call $g (i32.const 100)))) (br $l)))',
    "references": '(tag $t) (func (export "f") (loop $l (block $h (result exnref) (try_table (catch_all_ref $h) (throw $t)) unreachable) drop (br $l)))',
}.items():
    ends(name, text, DeadlineError, LimitError, Trap)
""",
        cpu=12.0,
    ),
    attempt(
        "deadlines and fuel across instances",
        """
A = Module.from_text('(module (table (export "t") 4 funcref) (memory (export "m") 1) (func $loop (export "loop") (loop (br 0))) (func (export "id") (param i32) (result i32) (local.get 0)) (elem (i32.const 0) $loop))')
WAYS = {"import": '(import "a" "loop" (func $l)) (func (export "f") (call $l))', "tail": '(import "a" "loop" (func $l)) (func (export "f") (return_call $l))',
    "table": '(type $v (func)) (import "a" "t" (table 4 funcref)) (func (export "f") (call_indirect (type $v) (i32.const 0)))',
    "start": '(import "a" "loop" (func $l)) (start $l) (func (export "f"))'}
for name, way in WAYS.items():
    for a, b in ((Limits(), Limits(seconds=0.3)), (Limits(seconds=0.3), Limits(seconds=0.3)), (Limits(seconds=60), Limits(seconds=0.3))):
        with A.instantiate(engine="wasmtime", limits=a) as first:
            began = time.process_time()
            try:
                with Module.from_text("(module " + way + ")").instantiate(imports={"a": {"loop": first.exports["loop"], "t": first.exports["t"]}}, engine="wasmtime", limits=b) as second:
                    second.exports.f()
                raise SystemExit(name)
            except (WasmError) as error:
                print(name, a, repr(error), f"{time.process_time() - began:.2f}", flush=True)
                assert time.process_time() - began < 1.5
with Linker(engine="wasmtime", limits=Limits(seconds=0.3)) as linker:
    linker.instantiate(A, "a")
    try:
        b = linker.instantiate(Module.from_text("(module " + WAYS["table"] + ")"))
        b.exports.f()
        raise SystemExit("linker")
    except WasmError as error:
        print(repr(error))
ends("fuel", '(func (export "f") (loop (br 0)))', FuelError, limits=Limits(fuel=100_000))
ends("fuel in bulk", '(memory 100) (func (export "f") (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 65000)) (br 0)))', FuelError, limits=Limits(fuel=100_000))
said = ends("host calls", '(import "h" "f" (func $h)) (func (export "f") (loop (call $h) (br 0)))', HostCallsError, limits=Limits(host_calls=100, seconds=5), imports={"h": {"f": lambda: None}})
""",
        cpu=15.0,
    ),
    attempt(
        "memories and tables: what they claim, grow to, and count for together",
        """
SIZED = Limits(seconds=2, memory=1 << 20, memory_total=2 << 20, table=1000, table_total=1500)
grow = '(func (export "f") (result i32) (memory.grow (i32.const {})))'
assert ends("beyond", "(memory 1)" + grow.format(16), limits=SIZED) == -1
assert ends("up to", "(memory 1)" + grow.format(15), limits=SIZED) == 1
assert ends("2^32 - 1", "(memory 1)" + grow.format(-1), limits=SIZED) == -1
ends("begins beyond", "(memory 17)" + grow.format(0), LimitError, limits=SIZED)
ends("claims 4 GiB", "(memory 65536)" + grow.format(0), LimitError, limits=SIZED)
ends("many", "(memory 1)" * 40 + grow.format(0), LimitError, limits=SIZED)
said = ends("many that grow", "(memory 0)" * 30 + '(func (export "f") (result i32) (local $n i32) ' + "".join(f"(loop (if (i32.ne (memory.grow {k} (i32.const 1)) (i32.const -1)) (then (local.set $n (i32.add (local.get $n) (i32.const 1))) (br 1))))" for k in range(30)) + " (local.get $n))", int, LimitError, limits=SIZED)
assert not isinstance(said, int) or said <= 32, said
ends("2^48 pages", "(memory i64 0x1000000000000)" + '(func (export "f"))', WasmError, limits=SIZED)
assert ends("a table beyond", '(table 1 funcref) (func (export "f") (result i32) (table.grow (ref.null func) (i32.const 1000)))', limits=SIZED) == -1
ends("a table that begins beyond", '(table 1001 funcref) (func (export "f"))', LimitError, limits=SIZED)
ends("tables together", '(table 800 funcref)' * 2 + '(func (export "f"))', LimitError, limits=SIZED)
ends("2^32 - 1 entries", '(table 0xffffffff funcref) (func (export "f"))', LimitError)
ends("a thousand tables", "(table 1000000 funcref)" * 1000 + '(func (export "f"))', WasmError)
ends("a hundred of 1 GiB", "(memory 16384)" * 100 + '(func (export "f"))', WasmError)

kept = []
module = Module.from_text('(module (memory (export "memory") 16) (func (export "f")))')
try:
    for _ in range(3000):
        kept.append(module.instantiate(engine="wasmtime", limits=SIZED))
except WasmError as error:
    print(len(kept), repr(error))
for each in kept:
    each.close()
""",
        cpu=20.0,
    ),
    attempt(
        "closed, dropped and grown while another thread runs, and after",
        """
OWNER = Module.from_text('(module (memory (export "memory") 1 100) (table (export "t") 4 funcref) (func (export "grow") (result i32) (memory.grow (i32.const 1))) (func $w (export "write") (param i32) (loop (i32.store (i32.and (local.get 0) (i32.const 0xfff0)) (local.get 0)) (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))) (elem (i32.const 0) $w))')
USER = Module.from_text('(module (type $w (func (param i32))) (import "o" "memory" (memory 1)) (import "o" "t" (table 4 funcref)) (func (export "write") (param i32) (call_indirect (type $w) (local.get 0) (i32.const 0))) (func (export "grow") (result i32) (memory.grow (i32.const 1))))')
def quiet(do):
    try:
        return do()
    except (WasmError, ValueError, IndexError, TypeError, RuntimeError, BufferError, AttributeError) as error:
        return error
for turn in range(12):
    owner = OWNER.instantiate(engine="wasmtime", limits=Limits(seconds=5))
    user = USER.instantiate(imports={"o": {"memory": owner.exports["memory"], "t": owner.exports["t"]}}, engine="wasmtime", limits=Limits(seconds=5))
    view = quiet(lambda: owner.memory.array("u8", 0, 65536))
    threads = [threading.Thread(target=lambda: quiet(lambda: user.exports.write(300_000))), threading.Thread(target=lambda: [quiet(user.exports.grow) for _ in range(10)]), threading.Thread(target=lambda: quiet(owner.close))]
    for each in threads[turn % 3:] + threads[:turn % 3]:
        each.start()
    for each in threads:
        each.join()
    quiet(lambda: view[0]), quiet(lambda: view[65535]), quiet(lambda: view.__setitem__(0, 1))
    memory = quiet(lambda: owner.memory)
    quiet(user.close), quiet(owner.close), quiet(owner.exports.grow), quiet(user.exports.grow)
    quiet(lambda: memory.read(0, 4)), quiet(lambda: memory.write(0, b"abcd")), quiet(lambda: memory.read(1 << 40, 4)), quiet(lambda: memory.read(-4, 4))
    del owner, user, memory
    gc.collect()
    quiet(lambda: view[0]), quiet(lambda: view[65535])
function = OWNER.instantiate(engine="wasmtime").exports.write
gc.collect()
quiet(lambda: function(5))
""",
        cpu=20.0,
    ),
    attempt(
        "stacks: deep, in threads, through the host and back",
        """
DEEP = '(func $f (export "f") (param i32) (result i32) (if (result i32) (local.get 0) (then (i32.add (i32.const 1) (call $f (i32.sub (local.get 0) (i32.const 1))))) (else (i32.const 0))))'
ends("without end", '(func $f (export "f") (result i32) (i32.add (i32.const 1) (call $f)))', ExhaustionError)
for depth in (100, 1000, 50_000, 10_000_000):
    ends(f"call_depth {depth}", '(func $f (export "f") (result i32) (i32.add (i32.const 1) (call $f)))', ExhaustionError, limits=Limits(seconds=2, call_depth=depth))
wide = "(local i64)" * 3000
ends("wide frames", f'(func $f (export "f") (result i64) {wide} (local.set 5 (i64.const 3)) (i64.add (call $f) (local.get 5)))', ExhaustionError)
module = Module.from_text("(module " + DEEP + ")")
errors = []
def in_thread():
    with module.instantiate(engine="wasmtime", limits=Limits(seconds=5, call_depth=10_000_000)) as guest:
        try:
            guest.exports.f(100_000_000)
        except WasmError as error:
            errors.append(error)
for size in (64 << 10, 128 << 10, 256 << 10, 1 << 20, 16 << 20):
    threading.stack_size(size)
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
threading.stack_size(0)
assert len(errors) == 5 and all(isinstance(error, (ExhaustionError, DeadlineError)) for error in errors), errors
guest = None
back = Module.from_text('(module (import "h" "f" (func $h)) (func (export "f") (call $h)))').instantiate(imports={"h": {"f": lambda: back.exports.f()}}, engine="wasmtime", limits=Limits(seconds=5))
try:
    back.exports.f()
    raise SystemExit("host")
except WasmError as error:
    print(repr(error)[:200])
def down(n):
    return down(n - 1) if n else back.exports.f()
for room in (5, 20, 60, 200):
    sys.setrecursionlimit(len(__import__("inspect").stack()) + room + 50)
    try:
        down(room)
    except (WasmError, RecursionError) as error:
        print(type(error).__name__)
    finally:
        sys.setrecursionlimit(1000)
""",
        cpu=12.0,
    ),
    attempt(
        "hosts that raise, exit, interrupt, misreturn and close",
        """
class Odd(BaseException):
    pass
def closing():
    guest.close()
for name, host in {"an error": lambda: 1 / 0, "an exit": lambda: sys.exit(3), "an interrupt": lambda: (_ for _ in ()).throw(KeyboardInterrupt()), "a base": lambda: (_ for _ in ()).throw(Odd()), "a text": lambda: "x", "a tuple": lambda: (1, 2), "too much": lambda: 1 << 70, "a negative": lambda: -(1 << 70), "nan": lambda: float("nan"), "nothing": lambda: None, "itself": lambda: guest, "a close": closing, "recursion": lambda: (lambda f: f(f))(lambda f: f(f)), "memory": lambda: bytes(1 << 62)}.items():
    module = Module.from_text('(module (import "h" "f" (func $h (result i32))) (memory 1) (func (export "f") (result i32) (call $h)) (func (export "g") (result i32) (i32.const 7)))')
    guest = module.instantiate(imports={"h": {"f": host}}, engine="wasmtime", limits=Limits(seconds=2))
    try:
        said = guest.exports.f()
    except BaseException as error:
        said = error
        assert isinstance(error, (WasmError, SystemExit, KeyboardInterrupt, Odd, TypeError, GuestExit)), (name, error)
    print(name, repr(said)[:120], flush=True)
    assert not isinstance(said, int) or 0 <= said < 1 << 32, said
    try:
        print(guest.exports.g())
    except WasmError as error:
        print(repr(error)[:100])
    guest.close()
""",
    ),
    attempt(
        "hostile bodies, names and results",
        """
WIDE = Limits(seconds=2)
ends("nested blocks", '(func (export "f") ' + "(block " * 3000 + ")" * 3000 + ")", most=6.0, limits=WIDE)
ends("locals", '(func (export "f") ' + "(local i64) " * 40_000 + ")", most=6.0, limits=WIDE)
ends("a switch", '(func (export "f") (block (br_table ' + "0 " * 50_000 + "(i32.const 0))))", most=6.0, limits=WIDE)
ends("results", '(func (export "f") (result ' + "i32 " * 900 + ") " + "i32.const 1 " * 900 + ")", most=6.0, limits=WIDE)
ends("hostile names", '(func (export "\\\\1b[31m\\\\e2\\\\80\\\\ae") unreachable) (func $x (export "f") (call 0))', Trap)
ends("structures", '(type $s (struct)) (func (export "f") (drop (struct.new $s)))', LimitError, WasmError)
ends("nan bits", '(func (export "f") (result i64) (i64.reinterpret_f64 (f64.const nan:0x4000000000001)))', int)
for arguments in ((), (1, 2), ("x",), (1.5,), (None,), (1 << 70,), (-(1 << 70),), (float("inf"),), ([],), (True,)):
    try:
        ends(f"arguments {arguments!r:.30}", '(func (export "f") (param i32) (result i32) (local.get 0))', arguments=arguments)
    except (TypeError, ValueError, OverflowError) as error:
        print(type(error).__name__)
for data in (b"", b"\\0asm", b"\\0asm\\1\\0\\0\\0" + b"\\xff" * 50, b"\\0asm\\1\\0\\0\\0" + section(3, b"\\xff\\xff\\xff\\xff\\x0f")):
    try:
        Module.from_bytes(data).instantiate(engine="wasmtime")
        raise SystemExit(data)
    except WasmError as error:
        print(repr(error)[:80])
""",
        cpu=20.0,
    ),
    attempt(
        "kept code that somebody changed",
        """
import stat
folder = pathlib.Path(tempfile.mkdtemp())
module = Module.from_text('(module (func (export "f") (result i32) (i32.const 41)))')
data = module.data
def run():
    with Module.from_bytes(data, cache=CodeFolder(folder)).instantiate(engine="wasmtime", limits=Limits(seconds=5)) as guest:
        return guest.exports.f()
assert run() == 41
files = [path for path in folder.rglob("*") if path.is_file()]
print(files)
for path in files:
    good = path.read_bytes()
    for bad in (b"", good[:10], good[:-1], good[: len(good) // 2] + b"\\0" + good[len(good) // 2 + 1 :], good[:-40] + bytes(40), bytes(len(good)), good + b"x", b"x" * 5_000_000, good[::-1]):
        path.unlink(missing_ok=True)
        path.write_bytes(bad)
        assert run() == 41, bad[:20]
    path.unlink(missing_ok=True)
    path.symlink_to("/etc/passwd")
    assert run() == 41
    path.unlink(missing_ok=True)
    path.write_bytes(good)
    path.chmod(0o666)
    assert run() == 41
    path.unlink(missing_ok=True)
    path.mkdir()
    assert run() == 41
    path.rmdir()
    os.mkfifo(path)
    assert run() == 41
    path.unlink()
folder.chmod(0o777)
assert run() == 41
""",
        cpu=8.0,
    ),
]
