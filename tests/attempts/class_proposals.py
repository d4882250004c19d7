# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts to get around limits by what came after 3.0, or before: custom page sizes, legacy exceptions,
descriptors, wide arithmetic, and memories that threads share."""

from __future__ import annotations

from .harness import Attempt

START = """
import resource, time
from pywasm_nn import *
from pywasm_nn.errors import *
from tests.attempts.kit import *
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
alarm_after(100)
ON = ["custom-page-sizes", "legacy-exceptions", "custom-descriptors", "wide-arithmetic", "threads"]
def ends(name, text, *kinds, limits=Limits(seconds=1), call="f", most=2.0, imports=None):
    '''What comes of the call, or the error, which is one of ours, in time.'''
    try:
        module = Module.from_text("(module " + text + ")", features=ON)
    except WasmError as error:
        raise AssertionError((name, error)) from None
    began = time.process_time()
    try:
        with module.instantiate(imports=imports or {}, engine=ENGINE, limits=limits) as guest:
            said = getattr(guest.exports, call)()
    except (WasmError, GuestExit) as error:
        said = error
        assert not raw(str(error))
    took = time.process_time() - began
    print(name, repr(said)[:100], f"{took:.2f}", flush=True)
    assert took < most, (name, took)
    assert not kinds or isinstance(said, kinds), (name, said)
    return said
LOOP = "(loop (br 0))"
"""


def attempt(name: str, source: str, cpu: float = 8.0) -> Attempt:
    return Attempt(f"proposals: {name}", START + source, cpu)


ATTEMPTS = [
    attempt(
        "memories whose pages have one byte",
        """
SIZED = Limits(seconds=20, memory=100 << 10, memory_total=170 << 10)
grow = '(func (export "f") (result i32) (memory.grow (i32.const {})))'
assert ends("grows beyond", "(memory 1 (pagesize 1))" + grow.format(100 << 10), limits=SIZED) == -1
assert ends("grows up to", "(memory 1 (pagesize 1))" + grow.format((100 << 10) - 1), limits=SIZED) == 1
assert ends("grows by 2^32 - 1", "(memory 1 (pagesize 1))" + grow.format(-1), limits=SIZED) == -1
assert ends("grows by 2^31", "(memory 1 (pagesize 1))" + grow.format(1 << 31), limits=SIZED) == -1
ends("begins beyond", "(memory 102401 (pagesize 1))" + grow.format(0), LimitError, limits=SIZED)
ends("claims 4 GiB", "(memory 0xffffffff (pagesize 1))" + grow.format(0), LimitError, limits=SIZED)
ends("claims 2^64 - 1", '(memory i64 0xffffffffffffffff (pagesize 1)) (func (export "f"))', WasmError, limits=SIZED)
ends("two together", "(memory 100000 (pagesize 1)) (memory 100000 (pagesize 1))" + grow.format(0), LimitError, limits=SIZED)
assert ends("two that grow", '(memory 90000 (pagesize 1)) (memory 1 (pagesize 1)) (func (export "f") (result i32) (memory.grow 1 (i32.const 90000)))', limits=SIZED) == -1
assert ends("with another page size", '(memory 1) (memory 90000 (pagesize 1)) (func (export "f") (result i32) (memory.grow 0 (i32.const 1)))', limits=SIZED) == -1
one = '(func (export "f") (result i32) (local $n i32) (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (memory.size))'
said = ends("byte by byte", "(memory 0 (pagesize 1))" + one, int, DeadlineError, limits=SIZED, most=25)
assert not isinstance(said, int) or said == 100 << 10, said
for offset in (0, 1, 2, 3, 99, 4294967295):
    for what in ("i32.load", "i64.load", "v128.load"):
        ends(f"{what} {offset}", f'(memory 3 (pagesize 1)) (func (export "f") (drop ({what} offset={offset} (i32.const 0))))', Trap)
for at in (0, 1, 3, 4, -1):
    ends(f"fill {at}", f'(memory 3 (pagesize 1)) (func (export "f") (memory.fill (i32.const {at}) (i32.const 7) (i32.const 4)))', Trap)
    ends(f"wait {at}", f'(memory 3 3 (pagesize 1)) (func (export "f") (result i32) (memory.atomic.notify (i32.const {at}) (i32.const 1)))', Trap)
ends("data that doesn't fit", '(memory 3 (pagesize 1)) (data (i32.const 1) "abc") (func (export "f"))', WasmError)
host = Module.from_text('(module (memory (export "m") 5 9 (pagesize 1)))', features=ON).instantiate(engine=ENGINE)
for wanted in ("5 9", "0", "5 9 (pagesize 65536)", "1 (pagesize 2)"):
    try:
        Module.from_text(f'(module (import "a" "m" (memory {wanted})) (func (export "f") (drop (i32.load (i32.const 60000)))))', features=ON).instantiate(imports={"a": {"m": host.exports["m"]}}, engine=ENGINE).exports.f()
        raise SystemExit(f"linked {wanted}")
    except WasmError:
        pass
for exponent in (1, 15, 17, 31, 32, 62, 63, 64, 127):
    try:
        Module.from_bytes(b"\\0asm\\1\\0\\0\\0" + section(5, b"\\1\\x08\\1" + number(exponent)), features=ON).instantiate(engine=ENGINE)
        raise SystemExit(f"2^{exponent}")
    except WasmError:
        pass
with Module.from_text('(module (memory (export "memory") 3 (pagesize 1)) (func (export "f")))', features=ON).instantiate(engine=ENGINE, limits=SIZED) as guest:
    for address, count in ((0, 4), (3, 1), (2, 2), (-1, 1), (1 << 32, 0), (1 << 70, 1), (0, 1 << 70)):
        try:
            guest.memory.read(address, count)
            raise SystemExit((address, count))
        except (WasmError, IndexError, ValueError, OverflowError):
            pass
""",
    ),
    attempt(
        "legacy exceptions that begin again, for ever",
        """
LIMITS = Limits(seconds=1, heap=4 << 20)
TAG = '(tag $t) (tag $v (param i32 i64 f64))'
for name, body in {
    "caught for ever": "(loop (try (do (throw $t)) (catch $t (br 1))))",
    "all caught for ever": "(loop (try (do (throw $t)) (catch_all (br 1))))",
    "thrown on for ever": "(loop (try (do (try (do (throw $t)) (catch_all (rethrow 0)))) (catch_all (br 1))))",
    "delegated for ever": "(loop (try (do (try (do (throw $t)) (delegate 0))) (catch_all (br 1))))",
    "a loop in a handler": "(try (do (throw $t)) (catch $t (loop (br 0))))",
    "a loop in a handler of all": "(try (do (throw $t)) (catch_all (loop (br 0))))",
    "a loop in a try": "(try (do (loop (br 0))) (catch_all))",
    "a loop in a try that delegates": "(try (do (loop (br 0))) (delegate 0))",
    "the trap of the deadline is not caught": "(loop (try (do (loop (br 0))) (catch_all)) (br 0))",
    "handlers in handlers": "(try (do (throw $t)) (catch_all " * 50 + "(loop (br 0))" + "))" * 50,
    "a payload each": "(loop (try (do (throw $v (i32.const 1) (i64.const 2) (f64.const 3))) (catch $v drop drop drop (br 1))))",
}.items():
    ends(name, f'{TAG} (func $f (export "f") {body})', DeadlineError, limits=LIMITS)
for name, body in {
    "through itself": "(try (do (call $f)) (catch_all (rethrow 0)))",
    "in the handler": "(try (do (throw $t)) (catch_all (call $f)))",
    "in the try, and again after it": "(try (do (call $f)) (catch_all)) (call $f)",
    "by a delegate": "(try (do (call $f)) (delegate 0))",
    "and then for ever": "(loop (try (do (call $f)) (catch_all)) (br 0))",
}.items():
    ends("exhausted " + name, f'{TAG} (func $f (export "f") {body})', ExhaustionError, DeadlineError, limits=Limits(seconds=1, call_depth=2000))
ends("unwinds a deep stack again and again", f'{TAG} (func $g (param i32) (if (local.get 0) (then (call $g (i32.sub (local.get 0) (i32.const 1)))) (else (throw $t)))) (func (export "f") (loop (try (do (call $g (i32.const 900))) (catch_all)) (br 0)))', DeadlineError)
ends("kept in globals", '(tag $t) (global $g (mut exnref) (ref.null exn)) (type $a (array (mut exnref))) (func (export "f") (local $a (ref null $a)) (local $n i32) (local.set $a (array.new_default $a (i32.const 900000))) (loop (block $h (result exnref) (try_table (catch_all_ref $h) (throw $t)) unreachable) (global.set $g) (array.set $a (local.get $a) (local.get $n) (global.get $g)) (local.set $n (i32.add (local.get $n) (i32.const 1))) (br 0)))', LimitError, Trap, DeadlineError, limits=Limits(seconds=1, heap=1 << 20))
ends("fuel", f'{TAG} (func (export "f") (loop (try (do (throw $t)) (catch $t (br 1)))))', FuelError, limits=Limits(fuel=100_000))
ends("a host's error is not caught as another", f'(import "h" "f" (func $h)) {TAG} (func (export "f") (try (do (call $h)) (catch $t)))', HostError, imports={"h": {"f": lambda: 1 / 0}})
ends("fuel in what is caught", f'(import "h" "f" (func $h)) {TAG} (func (export "f") (loop (try (do (call $h)) (catch_all)) (br 0)))', HostCallsError, imports={"h": {"f": lambda: None}}, limits=Limits(host_calls=50, seconds=5))
""",
        cpu=25.0,
    ),
    attempt(
        "descriptors: structures that describe each other, without end",
        """
PAIR = "(rec (type $a (descriptor $b) (struct (field (mut i32)))) (type $b (describes $a) (struct (field (mut i32)))))"
HEAP = Limits(seconds=1, heap=2 << 20)
new = "(struct.new_desc $a (i32.const 1) (struct.new $b (i32.const 2)))"
MEMBER = "(type $l (struct (field (ref null $l)) (field (ref null $a))))"
ends("made for ever and dropped", f'{PAIR} (func (export "f") (loop (drop {new}) (br 0)))', DeadlineError, limits=HEAP)
ends("made for ever and kept", f'{PAIR} {MEMBER} (global $g (mut (ref null $l)) (ref.null $l)) (func (export "f") (loop (global.set $g (struct.new $l (global.get $g) {new})) (br 0)))', HeapLimitError, limits=HEAP)
ends("descriptors that are asked for, for ever", f'{PAIR} (func (export "f") (local $x (ref null $a)) (local.set $x {new}) (loop (drop (ref.get_desc $a (local.get $x))) (br 0)))', DeadlineError, limits=HEAP)
ends("casts for ever", f'{PAIR} (func (export "f") (local $x anyref) (local $d (ref null (exact $b))) (local.set $d (struct.new $b (i32.const 2))) (local.set $x {new}) (loop (drop (ref.test (ref $a) (local.get $x))) (br 0)))', DeadlineError, limits=HEAP)
ends("no descriptor", f'{PAIR} (func (export "f") (drop (struct.new_desc $a (i32.const 1) (ref.null $b))))', Trap)
ends("the descriptor of nothing", f'{PAIR} (func (export "f") (drop (ref.get_desc $a (ref.null $a))))', Trap)
ends("a default without a descriptor", f'{PAIR} (func (export "f") (drop (struct.new_default_desc $a (ref.null $b))))', Trap)
ends("fuel", f'{PAIR} (func (export "f") (loop (drop {new}) (br 0)))', FuelError, limits=Limits(fuel=50_000))
many = 3000
chain = "(rec " + "(type $t0 (descriptor $t1) (struct))" + "".join(f"(type $t{k} (describes $t{k - 1}) (descriptor $t{k + 1}) (struct))" for k in range(1, many)) + f"(type $t{many} (describes $t{many - 1}) (struct)))"
ends("a chain of descriptors", chain + f'(func (export "f") (local anyref) (local.set 0 (struct.new $t{many})))', most=3.0)
made = f"(struct.new $t{many})"
for k in range(many - 1, many - 400, -1):
    made = f"(struct.new_desc $t{k} {made})"
ends("a chain of descriptors that is made", chain + f'(func (export "f") (drop {made}))', most=3.0)
ends("a chain for ever", chain.replace("3000", "3000") + f'(func (export "f") (loop (drop {made}) (br 0)))', DeadlineError, most=3.0)
for wrong in ("(type $a (descriptor 0) (struct))", "(type $a (describes 0) (struct))", "(rec (type $a (descriptor $b) (struct)) (type $b (struct)))", "(rec (type $a (descriptor $b) (array i8)) (type $b (describes $a) (struct)))", "(rec (type $a (descriptor $b) (struct)) (type $b (describes $a) (func)))", "(rec (type $a (descriptor 4294967295) (struct)) (type $b (describes $a) (struct)))", "(rec (type $a (descriptor $b) (struct)) (type $b (describes $a) (descriptor $a) (struct)))"):
    try:
        Module.from_text(f"(module {wrong})", features=ON).instantiate(engine=ENGINE)
        raise SystemExit(wrong)
    except WasmError as error:
        print(error)
""",
        cpu=15.0,
    ),
    attempt(
        "wide arithmetic: loops, and numbers that would grow",
        """
said = ends("stays 128 bits", '(func (export "f") (result i64) (local $a i64) (local $b i64) (local $n i32) (local.set $a (i64.const -1)) (local.set $b (i64.const -1)) (loop (i64.mul_wide_u (local.get $a) (local.get $b)) (local.set $b) (local.set $a) (i64.add128 (local.get $a) (local.get $b) (local.get $b) (local.get $a)) (local.set $b) (local.set $a) (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 3000)))) (local.get $a))', int)
assert -(1 << 63) <= said < 1 << 63, said
for op in ("i64.mul_wide_s", "i64.mul_wide_u"):
    ends(op, f'(func (export "f") (local i64) (loop ({op} (i64.const -1) (local.get 0)) (local.set 0) drop (br 0)))', DeadlineError)
ends("fuel", '(func (export "f") (loop (i64.sub128 (i64.const 0) (i64.const 0) (i64.const 1) (i64.const 0)) drop drop (br 0)))', FuelError, limits=Limits(fuel=50_000))
many = "(i64.mul_wide_s (i64.const -1) (i64.const 3)) drop drop " * 20_000
ends("twenty thousand in a row", f'(func (export "f") {many})', most=3.0)
""",
    ),
    attempt(
        "memories that are shared: what they count for, and waiting",
        """
SIZED = Limits(seconds=20, memory=1 << 20, memory_total=2 << 20)
grow = '(func (export "f") (result i32) (memory.grow (i32.const {})))'
assert ends("grows beyond", "(memory 1 1000 shared)" + grow.format(16), limits=SIZED) == -1
assert ends("grows up to", "(memory 1 1000 shared)" + grow.format(15), limits=SIZED) == 1
ends("begins beyond", "(memory 17 1000 shared)" + grow.format(0), LimitError, limits=SIZED)
ends("three together", "(memory 16 16 shared)" * 3 + grow.format(0), LimitError, limits=SIZED)
claimed = ends("claims its most", "(memory 1 65536 shared)" + grow.format(0), limits=Limits(seconds=1, memory=1 << 20))
ends("a hundred that claim their most", "(memory 1 65536 shared)" * 100 + grow.format(0), int, WasmError, limits=Limits(seconds=1, memory=1 << 20))
for wait, value in (("memory.atomic.wait32", "i32.const 0"), ("memory.atomic.wait64", "i64.const 0")):
    ends(wait, f'(memory 1 1 shared) (func (export "f") (drop ({wait} (i32.const 0) ({value}) (i64.const -1))))', DeadlineError)
    ends(wait + " 2^63 - 1", f'(memory 1 1 shared) (func (export "f") (drop ({wait} (i32.const 0) ({value}) (i64.const 0x7fffffffffffffff))))', DeadlineError)
    ends(wait + " for nothing", f'(memory 1 1 shared) (func (export "f") (loop (drop ({wait} (i32.const 0) ({value}) (i64.const 0))) (br 0)))', DeadlineError)
    ends(wait + " unshared", f'(memory 1 1) (func (export "f") (drop ({wait} (i32.const 0) ({value}) (i64.const -1))))', Trap)
    ends(wait + " unaligned", f'(memory 1 1 shared) (func (export "f") (drop ({wait} (i32.const 1) ({value}) (i64.const -1))))', Trap)
    ends(wait + " in the start function", f'(memory 1 1 shared) (func $s (drop ({wait} (i32.const 0) ({value}) (i64.const -1)))) (start $s) (func (export "f"))', DeadlineError)
    ends(wait + " with fuel", f'(memory 1 1 shared) (func (export "f") (loop (drop ({wait} (i32.const 0) ({value}) (i64.const 0))) (br 0)))', FuelError, limits=Limits(fuel=10_000))
for op in ("i32.atomic.rmw.add", "i64.atomic.rmw.xchg", "i32.atomic.rmw8.sub_u"):
    kind = op[:3]
    for at in (-1, 65535, 65536, -8):
        said = ends(f"{op} at {at}", f'(memory 1 1 shared) (func (export "f") (drop ({op} (i32.const {at}) ({kind}.const 1))))')
        assert isinstance(said, Trap) or (at == 65535 and "8" in op), (op, at, said)
host = Module.from_text('(module (memory (export "m") 1 4 shared))').instantiate(engine=ENGINE)
with Module.from_text('(module (import "a" "m" (memory 1 4 shared)) (func (export "f") (result i32) (memory.grow (i32.const 3))) (func (export "g") (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))))').instantiate(imports={"a": {"m": host.exports["m"]}}, engine=ENGINE, limits=Limits(seconds=1)) as guest:
    try:
        guest.exports.g()
        raise SystemExit("waited")
    except DeadlineError:
        pass
""",
        cpu=12.0,
    ),
]
