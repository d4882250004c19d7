# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts with components as the carrier: types, instances, values and destructors that take time or memory, and
host functions at the edge of the stack."""

from __future__ import annotations

from .harness import Attempt

START = """
import gc, os, resource, sys, threading, time
import wasmtime
from pywasm_nn import *
from tests.attempts.kit import *
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
alarm_after(100)
LIMITS = Limits(seconds=1, memory=256 << 20)
os.environ["WAST_STRICT_COMPONENT_INDICES"] = "0"
def component(text):
    return Component.from_bytes(bytes(wasmtime.wat2wasm(text)))
def quick(name, do, most=2.5):
    '''What the call takes of processor time, and that it ends with an answer or an error of ours.'''
    used = time.process_time()
    try:
        ended = do()
    except (WasmError, TypeError if name.startswith("host") else WasmError) as error:
        ended = f"{type(error).__name__}: {error}"[:150]
    used = time.process_time() - used
    print(name, str(ended)[:150], f"{used:.2f} s", flush=True)
    assert used < most, (name, used, str(ended)[:150])
    return ended
def lives(text, call=None, imports=None, limits=LIMITS):
    '''Decode, instantiate and call.'''
    data = bytes(wasmtime.wat2wasm(text))
    def do():
        with Component.from_bytes(data).instantiate(imports, engine=ENGINE, limits=limits) as c:
            return call(c) if call else "instance"
    return do
REALLOC = '''(global $top (mut i32) (i32.const 65536)) (func (export "realloc") (param i32 i32 i32 i32) (result i32)
  (global.set $top (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -16)))
  (global.get $top) (global.set $top (i32.add (global.get $top) (local.get 3))))'''
def lifted(core, type_, options="", more=""):
    '''A component that exports f, of a core module that exports f, memory and perhaps realloc.'''
    return f'''(component {more} (core module $M {core}) (core instance $m (instantiate $M))
      (func (export "f") {type_} (canon lift (core func $m "f") {options})))'''
"""


def attempt(
    name: str, source: str, cpu: float = 6.0, engines: tuple[str, ...] = ("compile", "interpret"), **more: int
) -> Attempt:
    return Attempt(f"component: {name}", START + source, cpu, engines=engines, **more)


ATTEMPTS = [
    attempt(
        "types that double",
        """
for kind in ("(tuple {0} {0})", "(record (field \\"a\\" {0}) (field \\"b\\" {0}))", "(variant (case \\"a\\" {0}) (case \\"b\\" {0}))", "(result {0} (error {0}))", "(tuple (list {0}) (option {0}))"):
    types = '(type $t0 u8)' + "".join(f"(type $t{k + 1} {kind.format(f'$t{k}')})" for k in range(60))
    core = '(memory (export "memory") 1) (func (export "f") (param i32))'
    text = f'''(component {types} (core module $M (memory (export "memory") 1) (func (export "f") (result i32) (i32.const 0))) (core instance $m (instantiate $M))
      (func (export "f") (result $t60) (canon lift (core func $m "f") (memory $m "memory"))))'''
    quick(kind, lives(text, lambda c: c.exports.f()), 1.5)
""",
        engines=("compile",),
    ),
    attempt(
        "types that lie deep",
        """
for depth in (90, 2000, 30000):
    for kind in ("(list {})", "(option {})", "(tuple {})", "(record (field \\"a\\" {}))", "(result {})", "(variant (case \\"a\\" {}))"):
        types = '(type $t0 u8)' + "".join(f"(type $t{k + 1} {kind.format(f'$t{k}')})" for k in range(depth))
        text = f'''(component {types} (core module $M (memory (export "memory") 1) {REALLOC} (func (export "f") (result i32) (i32.const 0)) (func (export "g") (param i32) (result i32) (i32.const 0))) (core instance $m (instantiate $M))
          (func (export "f") (result $t{depth}) (canon lift (core func $m "f") (memory $m "memory") (realloc (core func $m "realloc")))))'''
        quick(f"{kind} {depth}", lives(text, lambda c: c.exports.f()), 2.5)
""",
        cpu=15.0,
        engines=("compile",),
    ),
    attempt(
        "types that are wide: fields, cases, flags, labels and parameters by the ten thousand",
        """
many = 20_000
names = [f"n{k}" for k in range(many)]
kinds = {"record": "(record " + " ".join(f'(field "{n}" u8)' for n in names) + ")", "variant": "(variant " + " ".join(f'(case "{n}" u8)' for n in names) + ")",
         "enum": "(enum " + " ".join(f'"{n}"' for n in names) + ")", "flags": "(flags " + " ".join(f'"{n}"' for n in names) + ")", "tuple": "(tuple " + "u8 " * many + ")"}
for name, kind in kinds.items():
    text = f'''(component (type $t0 {kind}) (core module $M (memory (export "memory") 100) {REALLOC} (func (export "f") (result i32) (i32.const 0))) (core instance $m (instantiate $M))
      (export $t "t" (type $t0)) (func (export "f") (result $t) (canon lift (core func $m "f") (memory $m "memory"))))'''
    quick(name, lives(text, lambda c: c.exports.f()), 2.5)
params = " ".join(f'(param "{n}" u8)' for n in names)
quick("parameters", lives(f'''(component (core module $M (memory (export "memory") 1) {REALLOC} (func (export "f") (param i32))) (core instance $m (instantiate $M))
  (func (export "f") {params} (canon lift (core func $m "f") (memory $m "memory") (realloc (core func $m "realloc")))))''', lambda c: c.exports.f(*[1] * many)))
""",
        cpu=10.0,
        engines=("compile",),
    ),
    attempt(
        "fixed lists whose lengths multiply",
        """
for size in (8, 1 << 16, 1 << 28, (1 << 32) - 1):
    types = '(type $t0 u8)' + "".join(f"(type $t{k + 1} (list $t{k} {size}))" for k in range(8))
    core = '(memory (export "memory") 1) (func (export "f") (result i32) (i32.const 0))'
    try:
        text = wasmtime.wat2wasm(f'''(component {types} (core module $M {core}) (core instance $m (instantiate $M)) (func (export "f") (result $t8) (canon lift (core func $m "f") (memory $m "memory"))))''')
    except wasmtime.WasmtimeError as error:
        print(error)
        continue
    def do():
        with Component.from_bytes(text).instantiate(engine=ENGINE, limits=LIMITS) as c:
            return len(c.exports.f())
    quick(f"{size}", do)
""",
        engines=("compile",),
    ),
    attempt(
        "instances that double, without and with memories",
        """
for module, name in (("", "empty"), ('(memory (export "m") 1)', "memories"), ('(table 100000 funcref)', "tables"), ('(func $s (loop (br 0))) (start $s)', "loops")):
    for width, depth in ((2, 40), (10, 8), (100, 4)):
        text = f'(component $c0 (core module $M {module}) (core instance (instantiate $M)))'
        for k in range(depth):
            text = f'(component $c{k + 1} {text} ' + f"(instance (instantiate $c{k}))" * width + ")"
        quick(f"{name} {width}^{depth}", lives(text), 3.0)
""",
        cpu=25.0,
        engines=("compile",),
    ),
    attempt(
        "bags of exports that double, and imports that are compared with them",
        """
bags = '(core module $M) (instance $i0)' + "".join(f'(instance $i{k + 1} (export "a" (instance $i{k})) (export "b" (instance $i{k})))' for k in range(40))
def deep(c):
    return str(c.exports)[:50] + repr(c)[:50]
print("encoded", time.process_time())
quick("bags", lives(f'(component {bags} (export "x" (instance $i40)))', deep))
def types(prefix):
    return f'(type ${prefix}0 (instance))' + "".join(f'''(type ${prefix}{k + 1} (instance (alias outer 1 ${prefix}{k} (type $u)) (export "a" (instance (type $u))) (export "b" (instance (type $u)))))''' for k in range(40))
text = f'(component {types("t")} (component $C {types("s")} (import "x" (instance (type $s40)))) (import "x" (instance $given (type $t40))) (instance (instantiate $C (with "x" (instance $given)))))'
quick("compared", lives(text, imports={"x": {}}))
quick("printed", lambda: str(component(text).imports)[:60] + str(component(text).exports)[:60] + repr(component(text)))
""",
        engines=("compile",),
    ),
    attempt(
        "components inside of components",
        """
for depth in (50, 500, 5000):
    text = "(component " * depth + ")" * depth
    try:
        data = wasmtime.wat2wasm(text)
    except wasmtime.WasmtimeError:
        data = b"\\0asm\\x0d\\0\\1\\0"
        for _ in range(depth):
            data = b"\\0asm\\x0d\\0\\1\\0" + section(4, data)
    quick(f"{depth}", lambda: Component.from_bytes(data).instantiate(engine=ENGINE, limits=LIMITS).close())
data = b"\\0asm\\x0d\\0\\1\\0"
for _ in range(3000):
    data = b"\\0asm\\x0d\\0\\1\\0" + section(4, data)
quick("3000", lambda: Component.from_bytes(data))
""",
        engines=("compile",),
    ),
    attempt(
        "results that are many times the memory: texts that are all the same text",
        """
core = '''(memory (export "memory") 4096) (func (export "f") (result i32) (local $at i32)
  (memory.fill (i32.const 1048576) (i32.const 97) (i32.const 1048576))
  (i32.store (i32.const 0) (i32.const 8388608)) (i32.store (i32.const 4) (i32.const %d)) (local.set $at (i32.const 8388608))
  (loop (i32.store (local.get $at) (i32.const 1048576)) (i32.store offset=4 (local.get $at) (i32.const %d))
    (br_if 0 (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const %d)))) (i32.const 0))'''
for inner, length in (("string", 1 << 20), ("(list u8)", 1 << 20), ("(list bool)", 1 << 20), ("(list u64)", 1 << 17), ("(list char)", 1 << 18)):
    for count in (1000, 100_000, 20_000_000):
        quick(f"{inner} {count}", lives(lifted(core % (count, length, 8388608 + 8 * min(count, 100_000)), f"(result (list {inner}))", '(memory $m "memory")'), lambda c: len(c.exports.f())), 4.0)
""",
        cpu=45.0,
        engines=("compile",),
    ),
    attempt(
        "a result of the whole memory, of every element",
        """
for inner, size in (("u8", 1), ("bool", 1), ("s8", 1), ("u16", 2), ("char", 4), ("f32", 4), ("u64", 8), ("(tuple u8 u8)", 2), ("(option u8)", 2), ("(list u8)", 8), ("string", 8), ("(result)", 1), ("(enum \\"a\\")", 1), ("(flags \\"a\\" \\"b\\")", 1)):
    named = f'(type $e {inner})' if "enum" in inner or "flags" in inner else ""
    more = named + ('(export $x "x" (type $e))' if named else "")
    core = f'''(memory (export "memory") 4096) (func (export "f") (result i32) (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const {(4096 * 65536 - 64) // size})) (i32.const 0))'''
    quick(inner, lives(lifted(core, f"(result (list {'$x' if named else inner}))", '(memory $m "memory")', more), lambda c: len(c.exports.f())), 4.0)
for encoding in ("utf8", "utf16", "latin1+utf16"):
    for length in ((1 << 28) - 64, (1 << 27) - 64, (1 << 31) | (1 << 27) - 64, 0xFFFFFFFF):
        core = f'''(memory (export "memory") 4096) (func (export "f") (result i32) (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const {length})) (i32.const 0))'''
        quick(f"{encoding} {length}", lives(lifted(core, "(result string)", f'(memory $m "memory") string-encoding={encoding}'), lambda c: len(c.exports.f())), 4.0)
""",
        cpu=45.0,
        engines=("compile",),
    ),
    *[
        attempt(
            f"values that take more in Python than in memory: a list of {element}",
            f"""
text = '''(component (import "f" (func $f (param "a" (list {element})))) (core module $L (memory (export "memory") 4000)
  (func (export "fill") (param i32) (memory.fill (i32.const 0) (local.get 0) (i32.const 262144000))))
  (core instance $l (instantiate $L)) (core func $low (canon lower (func $f) (memory $l "memory")))
  (core module $M (import "" "f" (func $f (param i32 i32))) (import "" "fill" (func $fill (param i32)))
    (func (export "f") (param i32 i32) (call $fill (local.get 1)) (call $f (i32.const 0) (local.get 0))))
  (core instance $m (instantiate $M (with "" (instance (export "f" (func $low)) (export "fill" (func $l "fill"))))))
  (func (export "f") (param "n" u32) (param "with" u32) (canon lift (core func $m "f"))))'''
made = component(text)
for count in (5_000_000, 12_000_000, 30_000_000, 120_000_000):
    for filled in (1, 2, 200):
        with made.instantiate({{"f": lambda a: None}}, engine=ENGINE, limits=Limits(memory=256 << 20)) as c:
            quick(f"{{count}} {{filled}}", lambda: c.exports.f(count, filled), 20.0)
""",
            cpu=60.0,
            engines=("compile",),
        )
        for element in ("u32", "string", "(tuple u8 u8)", "(option u16)", "(list u8)", "char", "bool")
    ],
    attempt(
        "loops without end in every function that a host calls unasked",
        """
spin = "(loop (br 0))"
quick("f", lives(lifted(f'(func (export "f") {spin})', ""), lambda c: c.exports.f()))
quick("start", lives(f'(component (core module $M (func $s {spin}) (start $s)) (core instance (instantiate $M)))'))
quick("realloc", lives(lifted(f'(memory (export "memory") 1) (func (export "realloc") (param i32 i32 i32 i32) (result i32) {spin} (unreachable)) (func (export "f") (param i32 i32))', '(param "a" string)', '(memory $m "memory") (realloc (core func $m "realloc"))'), lambda c: c.exports.f("hello")))
quick("post-return", lives(lifted(f'(memory (export "memory") 1) (func (export "f") (result i32) (i32.const 0)) (func (export "p") (param i32) {spin})', "(result string)", '(memory $m "memory") (post-return (func $m "p"))'), lambda c: c.exports.f()))
dtor = f'''(component (core module $M (func (export "d") (param i32) {spin})) (core instance $m (instantiate $M)) (type $r (resource (rep i32) (dtor (func $m "d"))))
  (core func $new (canon resource.new $r)) (core func $drop (canon resource.drop $r)) (export $x "r" (type $r))
  (core module $N (import "" "new" (func $new (param i32) (result i32))) (import "" "drop" (func $drop (param i32))) (func (export "make") (result i32) (call $new (i32.const 7))) (func (export "f") (call $drop (call $new (i32.const 7)))))
  (core instance $n (instantiate $N (with "" (instance (export "new" (func $new)) (export "drop" (func $drop))))))
  (func (export "f") (canon lift (core func $n "f"))) (func (export "make") (result (own $x)) (canon lift (core func $n "make"))))'''
quick("drop", lives(dtor, lambda c: c.exports.f()))
def held(how):
    def call(c):
        r = c.exports.make()
        if how == "close" and hasattr(r, "close"):
            r.close()
        if how == "drop" and hasattr(r, "drop"):
            r.drop()
        if how == "with" and hasattr(r, "__enter__"):
            with r:
                pass
        del r
        gc.collect()
        return how
    return call
for how in ("close", "drop", "with", "dropped by Python", "kept"):
    quick(f"dtor: {how}", lives(dtor, held(how)))
kept = []
quick("dtor: kept beyond", lives(dtor, lambda c: kept.append(c.exports.make())))
quick("dtor: kept beyond", lambda: (kept.clear(), gc.collect()))
""",
        cpu=20.0,
    ),
    attempt(
        "resources that are made, lent and dropped without end",
        """
text = '''(component (core module $M (func (export "d") (param i32))) (core instance $m (instantiate $M)) (type $r (resource (rep i32) (dtor (func $m "d"))))
  (core func $new (canon resource.new $r)) (core func $drop (canon resource.drop $r)) (core func $rep (canon resource.rep $r)) (export $x "r" (type $r))
  (core module $N (import "" "new" (func $new (param i32) (result i32))) (import "" "drop" (func $drop (param i32))) (import "" "rep" (func $rep (param i32) (result i32))) (memory (export "memory") 1)
    (func (export "make") (param $n i32) (loop (drop (call $new (i32.const 7))) (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "turn") (param $n i32) (loop (call $drop (call $new (i32.const 7))) (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "wild") (param $n i32) (call $drop (local.get $n))) (func (export "same") (param $n i32) (i32.store (i32.const 0) (i32.const 64)))
    (func (export "list") (result i32) (local $at i32) (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 5)) (i32.store (i32.const 64) (call $new (i32.const 7))) (i32.store (i32.const 68) (i32.load (i32.const 64))) (i32.const 0)))
  (core instance $n (instantiate $N (with "" (instance (export "new" (func $new)) (export "drop" (func $drop)) (export "rep" (func $rep))))))
  (func (export "make") (param "n" u32) (canon lift (core func $n "make"))) (func (export "turn") (param "n" u32) (canon lift (core func $n "turn"))) (func (export "wild") (param "n" u32) (canon lift (core func $n "wild")))
  (func (export "list") (result (list (own $x))) (canon lift (core func $n "list") (memory $n "memory"))))'''
quick("make", lives(text, lambda c: c.exports.make(50_000_000)), 3.0)
quick("make, no time", lives(text, lambda c: c.exports.make(2_000_000), limits=Limits(handles=1000)), 3.0)
quick("turn", lives(text, lambda c: c.exports.turn(50_000_000)), 3.0)
for wild in (0, 1, 5, (1 << 31), (1 << 32) - 1, 1 << 28):
    quick(f"wild {wild}", lives(text, lambda c: c.exports.wild(wild)))
quick("the same handle twice", lives(text, lambda c: c.exports.list()))
""",
        cpu=12.0,
    ),
    attempt(
        "hostile bodies in a component's core modules",
        """
many = 40_000
bodies = {"nested blocks": "(block " * 900 + ")" * 900, "loops": "(loop " * 900 + "(br_if 0 (local.get 0))" * 20 + ")" * 900, "constants": "(drop (i32.const 1))" * many, "locals": "(local i64) " * 40_000,
          "switch": "(block (br_table " + "0 " * 100_000 + "(local.get 0)))", "calls": "(call $f (local.get 0))" * 20_000}
for name, body in bodies.items():
    quick(name, lives(lifted(f'(func $f (export "f") (param i32) {body})', '(param "n" u32)'), lambda c: c.exports.f(0)), 4.0)
""",
        cpu=25.0,
    ),
    attempt(
        "functions, lifts, lowers, aliases and exports by the ten thousand",
        """
many = 10_000
core = '(core module $M (func (export "f"))) (core instance $m (instantiate $M))'
quick("lifts", lives(f'(component {core}' + "".join(f'(func (export "f{k}") (canon lift (core func $m "f")))' for k in range(many)) + ")"), 4.0)
quick("lowers", lives(f'(component {core} (func $f (canon lift (core func $m "f")))' + "(core func (canon lower (func $f)))" * many + ")"), 4.0)
quick("instances", lives(f'(component {core}' + "(core instance (instantiate $M))" * many + ")"), 4.0)
quick("aliases", lives(f'(component {core}' + '(alias core export $m "f" (core func))' * many * 3 + ")"), 4.0)
quick("modules", lives("(component " + "(core module)" * many * 3 + ")"), 4.0)
quick("components", lives("(component " + "(component)" * many * 3 + ")"), 4.0)
quick("imports", lives("(component " + "".join(f'(import "f{k}" (func))' for k in range(many)) + ")", imports={f"f{k}": lambda: None for k in range(many)}), 4.0)
quick("types", lives("(component " + "(type (func (param \\"a\\" (list (tuple u8 u8 u8 u8))) (result string)))" * many * 2 + ")"), 4.0)
""",
        cpu=30.0,
        engines=("compile",),
    ),
    attempt(
        "memories and tables of many core instances together",
        """
for name, what in (("memories", "(memory 2000)"), ("tables", "(table 900000 funcref)"), ("filled", '(memory 2000) (func $s (memory.fill (i32.const 0) (i32.const 1) (i32.const 131072000))) (start $s)')):
    for many in (10, 200):
        quick(f"{name} {many}", lives(f'(component (core module $M {what})' + "(core instance (instantiate $M))" * many + ")", limits=Limits(seconds=2, memory=256 << 20, memory_total=512 << 20, table_total=2_000_000)), 4.0)
""",
        cpu=20.0,
        engines=("compile",),
    ),
    attempt(
        "a deadline in what another component runs",
        """
text = '''(component
  (component $A (core module $M (memory (export "memory") 1) (func (export "f") (param i32 i32) (loop (br 0))) (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64)))
    (core instance $m (instantiate $M)) (func (export "f") (param "a" string) (canon lift (core func $m "f") (memory $m "memory") (realloc (core func $m "realloc")))))
  (component $B (import "f" (func $f (param "a" string))) (core module $L (memory (export "memory") 1) (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))) (core instance $l (instantiate $L))
    (core func $low (canon lower (func $f) (memory $l "memory") (realloc (core func $l "realloc"))))
    (core module $M (import "" "f" (func $f (param i32 i32))) (table 1 funcref) (elem (i32.const 0) $f) (type $t (func (param i32 i32)))
      (func (export "direct") (call $f (i32.const 0) (i32.const 5))) (func (export "tail") (return_call $f (i32.const 0) (i32.const 5))) (func (export "table") (call_indirect (type $t) (i32.const 0) (i32.const 5) (i32.const 0)))
      (func (export "again") (loop (call $f (i32.const 0) (i32.const 5)) (br 0))))
    (core instance $m (instantiate $M (with "" (instance (export "f" (func $low)))))) (func (export "direct") (canon lift (core func $m "direct"))) (func (export "tail") (canon lift (core func $m "tail"))) (func (export "table") (canon lift (core func $m "table"))))
  (instance $a (instantiate $A)) (instance $b (instantiate $B (with "f" (func $a "f"))))
  (export "direct" (func $b "direct")) (export "tail" (func $b "tail")) (export "table" (func $b "table")))'''
for way in ("direct", "tail", "table"):
    ended = quick(way, lives(text, lambda c: getattr(c.exports, way)()))
    assert "DeadlineError" in str(ended), ended
""",
    ),
    attempt(
        "two instances of Python's: the deadline of the outer, through an import",
        """
inner = component(lifted('(func (export "f") (loop (br 0)))', ""))
outer_text = '''(component (import "f" (func $f)) (core func $low (canon lower (func $f))) (core module $M (import "" "f" (func $f)) (func (export "f") (call $f)))
  (core instance $m (instantiate $M (with "" (instance (export "f" (func $low)))))) (func (export "f") (canon lift (core func $m "f"))))'''
for how in ("function", "callback"):
    with inner.instantiate(engine=ENGINE) as a:
        given = a.exports.f if how == "function" else lambda: a.exports.f()
        ended = quick(how, lives(outer_text, lambda c: c.exports.f(), imports={"f": given}))
        assert "DeadlineError" in str(ended) or "HostError" in str(ended), ended
""",
    ),
    attempt(
        "a host function at the edge of the stack opens what nobody closes",
        """
core = '''(import "" "open" (func $open (param i32 i32) (result i32))) (import "" "mem" (memory 1)) (global $got (mut i32) (i32.const 0))
  (func $down (export "f") (param $n i32) (result i32) (if (i32.eqz (local.get $n)) (then (drop (call $open (i32.const 0) (i32.const 5))) (global.set $got (i32.add (global.get $got) (i32.const 1))) (return (i32.const 1))))
    (call $down (i32.sub (local.get $n) (i32.const 1))))'''
text = f'''(component (import "open" (func $open (param "name" string) (result u32))) (core module $L (memory (export "memory") 1) {REALLOC}) (core instance $l (instantiate $L))
  (core func $low (canon lower (func $open) (memory $l "memory") (realloc (core func $l "realloc")))) (core module $M {core})
  (core instance $m (instantiate $M (with "" (instance (export "open" (func $low)) (export "mem" (memory $l "memory")))))) (func (export "f") (param "n" u32) (result u32) (canon lift (core func $m "f"))))'''
made = component(text)
folder = os.open("/", os.O_RDONLY)
for depth in (200, 3000):
    begun, ended, answered = [], [], 0
    def opens(name):
        begun.append(name)
        file = os.dup(folder)
        for k in range(3):  # some frames of Python's own
            (lambda: (lambda: sorted([2, 1], key=lambda each: each))())()
        ended.append(file)
        return 5
    for n in range(depth - 90, depth + 10, 2):
        with made.instantiate({"open": opens}, engine=ENGINE, limits=Limits(call_depth=depth, seconds=20)) as c:
            try:
                c.exports.f(n)
                answered += 1
            except (Trap, LimitError) as error:
                assert "exhausted" in str(error), error
    print(depth, len(begun), len(ended), answered)
    assert 0 < answered < 50 and len(begun) == len(ended) == answered, (len(begun), len(ended), answered)
""",
        cpu=20.0,
    ),
    attempt(
        "resources at the edge of the stack: every one that was made is known, and its destructor runs once",
        """
text = '''(component (core module $D (global $made (mut i32) (i32.const 0)) (func (export "d") (param i32) (global.set $made (i32.add (global.get $made) (i32.const 1)))) (func (export "count") (result i32) (global.get $made)))
  (core instance $d (instantiate $D)) (type $r (resource (rep i32) (dtor (func $d "d")))) (core func $new (canon resource.new $r)) (core func $drop (canon resource.drop $r))
  (core module $N (import "" "new" (func $new (param i32) (result i32))) (import "" "drop" (func $drop (param i32)))
    (func $down (export "f") (param $n i32) (result i32) (if (i32.eqz (local.get $n)) (then (call $drop (call $new (i32.const 7))) (return (i32.const 1)))) (call $down (i32.sub (local.get $n) (i32.const 1)))))
  (core instance $n (instantiate $N (with "" (instance (export "new" (func $new)) (export "drop" (func $drop))))))
  (func (export "f") (param "n" u32) (result u32) (canon lift (core func $n "f"))) (func (export "count") (result u32) (canon lift (core func $d "count"))))'''
made = component(text)
good = bad = 0
for n in range(150, 210):
    with made.instantiate(engine=ENGINE, limits=Limits(call_depth=200, seconds=20)) as c:
        try:
            c.exports.f(n)
            assert c.exports.count() == 1
            good += 1
        except (Trap, LimitError) as error:
            assert "exhausted" in str(error), error
            bad += 1
print(good, bad)
assert good and bad
""",
        cpu=8.0,
    ),
    attempt(
        "Python's own stack: components that call each other through the host, deep and in threads with small stacks",
        """
text = '''(component (import "f" (func $f (param "n" u32) (result u32))) (core func $low (canon lower (func $f))) (core module $M (import "" "f" (func $f (param i32) (result i32)))
    (func (export "f") (param i32) (result i32) (if (result i32) (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 9)))))
  (core instance $m (instantiate $M (with "" (instance (export "f" (func $low)))))) (func (export "f") (param "n" u32) (result u32) (canon lift (core func $m "f"))))'''
made = component(text)
def tower(height, reentry=10_000):
    calls = []
    instances = []
    def call(n):
        following = next(iterator, None)
        return following.exports.f(n) if following else 9
    instances = [made.instantiate({"f": call}, engine=ENGINE, limits=Limits(seconds=10, host_reentry=reentry)) for _ in range(height)]
    iterator = iter(instances)
    try:
        return call(height * 2)
    finally:
        for each in instances:
            each.close()
for height in (10, 90, 300, 1500):
    quick(f"host tower {height}", lambda: tower(height), 10.0)
for size in (1 << 19, 1 << 18):  # the documents say 256 KiB for the 100 of the default
    threading.stack_size(size)
    for height in (10, 90, 300):
        failed = []
        def run():
            try:
                quick(f"host tower {height} on {size}", lambda: tower(height, 100), 10.0)
            except BaseException as error:
                failed.append(error)
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert not failed, failed
""",
        cpu=20.0,
    ),
    attempt(
        "what a host function gives that isn't of the type",
        """
text = f'''(component (import "f" (func $f (param "a" (list u8)) (result (list (tuple string u8))))) (core module $L (memory (export "memory") 1) {REALLOC}) (core instance $l (instantiate $L))
  (core func $low (canon lower (func $f) (memory $l "memory") (realloc (core func $l "realloc")))) (core module $M (import "" "f" (func $f (param i32 i32 i32))) (func (export "f") (param i32 i32) (call $f (local.get 0) (local.get 1) (i32.const 64))))
  (core instance $m (instantiate $M (with "" (instance (export "f" (func $low)))))) (func (export "f") (param "at" u32) (param "n" u32) (canon lift (core func $m "f"))))'''
made = component(text)
class Odd:
    def __iter__(self):
        return self
    def __next__(self):
        return ("a", 1)
    def __len__(self):
        return 5
class Endless(list):
    def __iter__(self):
        while True:
            yield ("a", 1)
circle = []
circle.append(circle)
for given in (None, 5, "text", [("a", 300)], [("a", -1)], [("\\ud800", 1)], [("a",)], [("a", 1, 2)], {"a": 1}, [("x" * (1 << 20), 1)] * 2000, Odd(), Endless(), circle, [b"ab"], (("a", True),), [("a", 1.0)], float("nan"), iter([("a", 1)])):
    ended = quick(f"gives {type(given).__name__}", lambda: made.instantiate({"f": lambda a: given}, engine=ENGINE, limits=Limits(seconds=2, memory=64 << 20)).exports.f(0, 5), 4.0)
for at, n in ((0, 0xFFFFFFFF), (0xFFFFFFFF, 1), (65530, 10), (0, 65536)):
    quick(f"wild {at} {n}", lambda: made.instantiate({"f": lambda a: []}, engine=ENGINE, limits=LIMITS).exports.f(at, n))
""",
        cpu=15.0,
    ),
    attempt(
        "damaged components",
        """
import random
chance = random.Random(6)
good = bytes(wasmtime.wat2wasm(lifted('(memory (export "memory") 1) (func (export "f") (param i32 i32) (result i32) (i32.const 0))' + REALLOC, '(param "a" (list (tuple u8 string))) (result (option (list string)))', '(memory $m "memory") (realloc (core func $m "realloc"))')))
used = time.process_time()
ends = {}
for k in range(1500):
    data = bytearray(good)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(8, len(data))
        data[at] = chance.choice((0, 1, 127, 128, 255, data[at] ^ 1 << chance.randrange(8), chance.randrange(256)))
    if k % 5 == 0:
        del data[chance.randrange(8, len(data)):]
    try:
        with Component.from_bytes(bytes(data)).instantiate(engine=ENGINE, limits=Limits(seconds=0.5, memory=64 << 20)) as c:
            c.exports.f([(1, "a")])
        end = "good"
    except WasmError as error:
        end = type(error).__name__
    except (AttributeError, TypeError, ValueError) as error:  # of the host's call: the type was changed
        assert "f" in str(error) or "a" in str(error), repr(error)
        end = "call"
        import traceback
        frames = traceback.extract_tb(error.__traceback__)
        assert len(frames) < 8, "".join(traceback.format_exception(error))
    ends[end] = ends.get(end, 0) + 1
print(ends, time.process_time() - used)
""",
        cpu=12.0,
    ),
    attempt(
        "dropped, closed while it runs, closed twice, called after",
        """
spinning = component(lifted('(memory (export "memory") 1000) (func (export "f") (loop (br 0)))', ""))
c = spinning.instantiate(engine=ENGINE, limits=Limits(seconds=2, memory=256 << 20))
errors = []
def run():
    try:
        c.exports.f()
    except WasmError as error:
        errors.append(type(error).__name__)
threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads:
    thread.start()
time.sleep(0.2)
try:
    c.close()
except WasmError as error:
    print("closing:", type(error).__name__, error)
for thread in threads:
    thread.join(30)
    assert not thread.is_alive()
print(errors)
assert len(errors) == 3
c.close(); c.close()
quick("after", lambda: c.exports.f())
before = len(descriptors_now()) if False else 0
for _ in range(30):
    spinning.instantiate(engine=ENGINE, limits=LIMITS)
gc.collect()
""",
        cpu=12.0,
    ),
    attempt(
        "a file at the edge of the stack that a guest opens from another's function, and by a tail call",
        """
more = '''(type $open (func (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (table 1 funcref) (elem (i32.const 0) $path_open)
(func $down (export "down") (param $n i32) (result i32) (if (i32.eqz (local.get $n)) (then (return (call $path_open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 1) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64))))) (call $down (i32.sub (local.get $n) (i32.const 1))))
(func $table (export "table") (param $n i32) (result i32) (if (i32.eqz (local.get $n)) (then (return_call_indirect (type $open) (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 1) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64) (i32.const 0)))) (call $table (i32.sub (local.get $n) (i32.const 1))))
(func $caught (export "caught") (param $n i32) (result i32) (block (try_table (catch_all 0) (return (call $down (local.get $n))))) (i32.const -1))'''
module = forwarding("wasi_snapshot_preview1", WASI, 2, more)
open("f", "w").close()
def count():
    return len(os.listdir("/proc/self/fd"))
for way in ("down", "table", "caught"):
    exhausted = opened = 0
    with module.instantiate(engine=ENGINE, limits=Limits(call_depth=250, seconds=20), wasi=Wasi(dirs={"/": "."})) as g:
        g.memory.write(1024, b"f")
        g.exports.down(1)
        for n in range(60, 260, 3):
            before = count()
            try:
                code = getattr(g.exports, way)(n)
                assert code == 0, code
                opened += 1
                assert count() == before + 1
            except (Trap, LimitError):
                exhausted += 1
                assert count() == before, f"a descriptor stayed open, {way} {n}"
        print(way, opened, exhausted)
        assert opened and exhausted
    b = Module.from_text('''(module (import "a" "down" (func $f (param i32) (result i32))) (func $up (export "up") (param i32) (result i32) (if (i32.eqz (local.get 0)) (then (return (call $f (i32.const 100))))) (call $up (i32.sub (local.get 0) (i32.const 1)))))''')
    with module.instantiate(engine=ENGINE, limits=Limits(call_depth=250, seconds=20), wasi=Wasi(dirs={"/": "."})) as g:
        g.memory.write(1024, b"f")
        other = b.instantiate(engine=ENGINE, limits=Limits(call_depth=250, seconds=20), imports={"a": {"down": g.exports.down}})
        for n in range(100, 260, 3):
            before = count()
            try:
                assert other.exports.up(n) == 0
                assert count() == before + 1
            except (Trap, LimitError):
                assert count() == before, f"a descriptor stayed open, through another, {n}"
""",
        cpu=12.0,
    ),
    attempt(
        "a model at the edge of the stack: no child, graph or context is left that isn't counted",
        """
import pywasm_nn
from tests.attempts.kit_models import children
more = '''(func $down (export "down") (param $n i32) (result i32) (if (i32.eqz (local.get $n)) (then (return (call $load (i32.const 0) (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 512))))) (call $down (i32.sub (local.get $n) (i32.const 1))))
(func $make (export "make") (param $n i32) (result i32) (if (i32.eqz (local.get $n)) (then (return (call $init_execution_context (i32.load (i32.const 512)) (i32.const 516))))) (call $make (i32.sub (local.get $n) (i32.const 1))))'''
from tests.attempts.kit_models import model, node
data = model([node("Add", "x x")])
module = forwarding("wasi_ephemeral_nn", NN, 2, more)
for n in range(236, 252, 2):
    with module.instantiate(engine=ENGINE, limits=Limits(call_depth=250, seconds=20, graphs=2, contexts=2), nn=pywasm_nn.NN(backends={"onnx": "numpy"})) as g:
        g.memory.write(65536, data); g.memory.write(0, struct.pack("<II", 65536, len(data)))
        answers = []
        for way in ("down", "down", "make", "make"):
            try:
                answers.append(getattr(g.exports, way)(n if way == "down" else n))
            except (Trap, LimitError) as error:
                answers.append(type(error).__name__)
        print(n, answers, len(children()))
        exhausted = [each for each in answers[:2] if each != 0]
        if len(exhausted) == 2:  # none was loaded: the two that may be loaded still can be
            assert [g.exports.down(3), g.exports.down(3)] == [0, 0], "a graph that nobody has counts"
    started = time.monotonic()
    while children() and time.monotonic() - started < 5:
        time.sleep(0.05)
    assert not children()
""",
        cpu=15.0,
        engines=("compile",),
    ),
]
