"""Bulk instructions and other large work in one instruction: under a deadline, and within the memory."""

# ruff: noqa: E501 (guests and programs are lines of their own)

from .harness import Attempt

GUARD = """
import resource, time
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from pywasm_nn import *
from pywasm_nn.errors import *
def timed(text, *arguments, name="f", limits=Limits(seconds=0.2), most=1.2, imports=None):
    '''What ended the call, which may take `most` seconds of processor time.'''
    try:
        b = Module.from_text(text).instantiate(engine=ENGINE, limits=limits, imports=imports)
        begun = time.process_time()
        try:
            getattr(b.exports, name)(*arguments)
            ended = "returned"
        except WasmError as error:
            ended = type(error).__name__
    except LimitError as error:
        return type(error).__name__
    took = time.process_time() - begun
    assert took < most, f"{took:.2f} s, {ended}"
    return ended
"""
G = "(memory 16384)"  # a gigabyte
LOOP = "(loop $l {} (br $l))"
BODIES = {
    "memory.fill": (
        G,
        "(memory.fill (i32.const 0) (i32.const 7) (i32.const 0x40000000))",
    ),
    "memory.fill zeros": (
        G,
        "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0x40000000))",
    ),
    "memory.copy to itself": (G, "(memory.copy (i32.const 0) (i32.const 0) (i32.const 0x40000000))"),
    "memory.copy up": (G, "(memory.copy (i32.const 1) (i32.const 0) (i32.const 0x3fffffff))"),
    "memory.copy down": (G, "(memory.copy (i32.const 0) (i32.const 1) (i32.const 0x3fffffff))"),
    "memory64": (
        "(memory i64 16384)",
        "(memory.fill (i64.const 0) (i32.const 7) (i64.const 0x40000000))",
    ),
    "table.fill": (
        "(table $t 1000000 funcref)",
        "(table.fill $t (i32.const 0) (ref.func $f) (i32.const 1000000))",
    ),
    "table.copy": (
        "(table $t 1000000 funcref)",
        "(table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 999999))",
    ),
    "table.copy between two": (
        "(table $t 1000000 funcref) (table $u 1000000 funcref)",
        "(table.copy $t $u (i32.const 0) (i32.const 0) (i32.const 1000000))",
    ),
    "table.grow and fill of anyref": (
        "(table $t 0 anyref)",
        "(drop (table.grow $t (ref.i31 (i32.const 1)) (i32.const 1000000)))"
        " (loop $m (table.fill $t (i32.const 0) (ref.i31 (i32.const 5)) (i32.const 1000000)) (br $m))",
    ),
    "array.fill": (
        "(type $a (array (mut i8))) (global $g (ref $a) (array.new_default $a (i32.const 100000000)))",
        "(array.fill $a (global.get $g) (i32.const 0) (i32.const 1) (i32.const 100000000))",
    ),
    "array.fill i64": (
        "(type $a (array (mut i64))) (global $g (ref $a) (array.new_default $a (i32.const 10000000)))",
        "(array.fill $a (global.get $g) (i32.const 0) (i64.const 1) (i32.const 10000000))",
    ),
    "array.fill v128": (
        "(type $a (array (mut v128))) (global $g (ref $a) (array.new_default $a (i32.const 5000000)))",
        "(array.fill $a (global.get $g) (i32.const 0) (v128.const i64x2 1 2) (i32.const 5000000))",
    ),
    "array.copy": (
        "(type $a (array (mut f32))) (global $g (ref $a) (array.new_default $a (i32.const 20000000)))",
        "(array.copy $a $a (global.get $g) (i32.const 1) (global.get $g) (i32.const 0) (i32.const 19999999))",
    ),
    "array.copy i16": (
        "(type $a (array (mut i16))) (global $g (ref $a) (array.new_default $a (i32.const 20000000)))",
        "(array.copy $a $a (global.get $g) (i32.const 0) (global.get $g) (i32.const 1) (i32.const 19999999))",
    ),
    "array.fill of references": (
        "(type $a (array (mut anyref))) (global $g (ref $a) (array.new_default $a (i32.const 10000000)))",
        "(array.fill $a (global.get $g) (i32.const 0) (ref.i31 (i32.const 3)) (i32.const 10000000))",
    ),
    "array.new": (
        "(type $a (array (mut i64)))",
        "(drop (array.new $a (i64.const 0x123456789) (i32.const 10000000)))",
    ),
    "array.new_default": (
        "(type $a (array (mut f64)))",
        "(drop (array.new_default $a (i32.const 12000000)))",
    ),
    "array.new of structures": (
        "(type $s (struct (field i32))) (type $a (array (mut (ref null $s))))",
        "(drop (array.new $a (struct.new $s (i32.const 3)) (i32.const 10000000)))",
    ),
    "memory.grow": (
        "(memory $m 1 16384)",
        "(drop (memory.grow $m (i32.const 16000))) (memory.fill (i32.const 0) (i32.const 3) (i32.const 1000000000))",
    ),
}
ATTEMPTS = [
    Attempt(
        f"bulk: {name}",
        GUARD
        + f"""
timed('''(module {fields} (elem declare func $f) (func $f (export "f") (loop $l {body} (br $l))))''')
""",
        cpu=3.0,
        peak=1200 << 20 if "1073741824" in body or "16384" in fields else 1 << 30,
    )
    for name, (fields, body) in BODIES.items()
]
ATTEMPTS += [
    Attempt(
        "bulk: memory.copy between two memories",
        GUARD
        + """
timed('''(module (memory $a 8192) (memory $b 8192) (func (export "f") (loop $l
 (memory.copy $a $b (i32.const 0) (i32.const 0) (i32.const 0x20000000))
 (memory.copy $b $a (i32.const 0) (i32.const 0) (i32.const 0x20000000)) (br $l))))''')
""",
        cpu=3.0,
        peak=1200 << 20,
    ),
    Attempt(
        "bulk: operands that wrap",
        GUARD
        + """
for t, c in (("i32", "0xffffffff"), ("i64", "0xffffffffffffffff"), ("i64", "0x8000000000000000"), ("i64", "0x100000000")):
    m = "" if t == "i32" else "i64"
    for f in ("(memory.fill (%s.const 1) (i32.const 1) (%s.const %s))", "(memory.copy (%s.const 1) (%s.const 1) (%s.const %s))",
        "(memory.copy (%s.const 0) (%s.const %s) (%s.const 1))", "(memory.fill (%s.const %s) (i32.const 1) (%s.const 1))",
        "(memory.fill (%s.const %s) (i32.const 1) (%s.const %s))"):
        parts = f.replace("%s.const %s", f"{t}.const {c}").replace("%s.const", t + ".const")
        assert timed(f'(module (memory {m} 1) (func (export "f") {parts}))', limits=Limits(seconds=5)) == "Trap", parts
""",
    ),
    Attempt(
        "bulk: table64 operands that wrap",
        GUARD
        + """
c = "0xffffffffffffffff"
for body in (f"(table.fill $t (i64.const 1) (ref.null func) (i64.const {c}))", f"(table.copy $t $t (i64.const 0) (i64.const {c}) (i64.const 1))",
    f"(drop (table.get $t (i64.const {c})))", "(table.fill $t (i64.const 0x100000000) (ref.null func) (i64.const 0x100000000))",
    f"(table.init $t $e (i64.const {c}) (i32.const 0) (i32.const 1))"):
    assert timed(f'(module (table $t i64 4 funcref) (elem $e func $f) (func $f (export "f") {body}))', limits=Limits(seconds=5)) == "Trap", body
assert timed(f'(module (table $t i64 4 funcref) (func (export "f") (if (i64.ne (table.grow $t (ref.null func) (i64.const {c})) (i64.const -1)) (then unreachable))))') in ("returned", "DeadlineError")
""",
    ),
    Attempt(
        "bulk: memory.init and data of megabytes in a loop",
        GUARD
        + """
data = "x" * 4000000
timed(f'(module (memory 100) (data $d "{data}") (func (export "f") (loop $l (memory.init $d (i32.const 1) (i32.const 0) (i32.const 4000000)) (br $l))))')
timed(f'(module (type $a (array (mut i8))) (data $d "{data}") (func (export "f") (loop $l (drop (array.new_data $a $d (i32.const 0) (i32.const 4000000))) (br $l))))')
""",
        cpu=4.0,
    ),
    Attempt(
        "bulk: table.fill where many deep types dispatch",
        GUARD
        + """
deep = "(type $t0 (sub (func)))" + "".join(f"(type $t{k} (sub $t{k-1} (func)))" for k in range(1, 60))
uses = "".join(f"(func (export \\"c{k}\\") (call_indirect $t (type $t{k}) (i32.const 999)))" for k in range(0, 60, 3))
b = Module.from_text(f'''(module {deep} (table $t 900000 funcref) (elem declare func $f) (func $g (type $t59))
 (elem declare func $g) {uses} (func $f (export "f") (loop $l (table.fill $t (i32.const 0) (ref.func $g) (i32.const 900000))
 (table.fill $t (i32.const 0) (ref.func $f) (i32.const 900000)) (br $l))))''').instantiate(engine=ENGINE, limits=Limits(seconds=1))
for k in range(0, 60, 3):
    try:
        getattr(b.exports, f"c{k}")()
    except WasmError:
        pass
begun = time.process_time()
try:
    b.exports.f()
except WasmError as error:
    pass
assert time.process_time() - begun < 1.5, time.process_time() - begun
""",
        cpu=8.0,
    ),
    Attempt(
        "bulk: instantiating with huge initial tables and memories",
        GUARD
        + """
for fields in ("(memory 16384)" * 2, "(table 900000 funcref)" * 20, "(table 1000000 (ref func) (ref.func $f))" * 10):
    begun = time.process_time()
    try:
        Module.from_text(f"(module {fields} (func $f) (func (export \\"f\\")))").instantiate(engine=ENGINE, limits=Limits(seconds=0.3, memory=256 << 20))
    except WasmError:
        pass
    assert time.process_time() - begun < 1.5, (fields[:40], time.process_time() - begun)
""",
        cpu=4.0,
    ),
    Attempt(
        "bulk: start and segments",
        GUARD
        + """
segments = '(elem (i32.const 0) func ' + '$f ' * 900000 + ')'
begun = time.process_time()
module = Module.from_text(f"(module (table 1000000 funcref) {segments} (func $f))")
begun = time.process_time()
try:
    module.instantiate(engine=ENGINE, limits=Limits(seconds=0.2))
except WasmError:
    pass
assert time.process_time() - begun < 1.2, time.process_time() - begun
""",
        cpu=9.0,  # the text of a million words
    ),
    Attempt(
        "bulk: a list of objects given back and dropped",
        GUARD
        + """
timed('''(module (type $s (struct (field (mut anyref)))) (global $g (mut anyref) (ref.null any))
 (func (export "f") (loop $l (global.set $g (struct.new $s (global.get $g))) (br $l))))''')
""",
        cpu=3.0,
    ),
    Attempt(
        "bulk: strings of instructions between deadlines",
        GUARD
        + """
fills = "(memory.fill (i32.const 0) (i32.const 7) (i32.const 65536))" * 2000
timed(f'(module (memory 1) (func (export "f") (loop $l {fills} (br $l))))')
""",
        cpu=3.0,
    ),
]
SLOW = [attempt for attempt in ATTEMPTS if attempt.name == "bulk: start and segments"]
ATTEMPTS = [attempt for attempt in ATTEMPTS if attempt not in SLOW]
OPEN: list[Attempt] = []
