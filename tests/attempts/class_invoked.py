# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts with what `--invoke` reads of a component's values (WAVE), and with what `inspect` and `Component.wit()`
write of a component's types."""

from __future__ import annotations

from .harness import Attempt

START = """
import os, resource, subprocess, sys, time
import wasmtime
from pywasm_nn import *
from tests.attempts.kit import raw
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
os.environ["WAST_STRICT_COMPONENT_INDICES"] = "0"
CORE = '''(core module $M (memory (export "memory") 1) (global $top (mut i32) (i32.const 1024))
  (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -16)))
    (global.set $top (i32.add (local.get $at) (local.get 3)))
    (if (i32.gt_u (global.get $top) (i32.mul (memory.size) (i32.const 65536)))
      (then (drop (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get 3) (i32.const 16)))))))
    (local.get $at))
  (func (export "i") (param i32)) (func (export "l") (param i64)) (func (export "d") (param f64)) (func (export "ii") (param i32 i32)) (func (export "n")))
  (core instance $m (instantiate $M))'''
def taking(type_, core, more=""):
    '''A component whose `f` takes a value of this type.'''
    return bytes(wasmtime.wat2wasm(f'''(component {CORE} {more} (func (export "f") (param "a" {type_})
      (canon lift (core func $m "{core}") (memory $m "memory") (realloc (core func $m "realloc")))))'''))
def command(*words, seconds=3.0):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-m", "pywasm_nn", *words], capture_output=True, timeout=100)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    print(words[-1][:60], done.returncode, f"{used:.2f} s", len(said), said[-200:], flush=True)
    assert "Traceback" not in said and done.returncode in (0, 1, 2), said[-1500:]
    assert not raw(said), raw(said)
    assert used < seconds and len(said) < 2_000_000, (used, len(said))
    return done.returncode, said
def invoked(data, *calls, right=False):
    '''Whether each call is answered, or refused with an error of ours.'''
    open("c.wasm", "wb").write(data)
    for call in calls:
        code, said = command("run", "--invoke", call, "c.wasm")
        assert (code == 0) == right, (call[:80], code, said[:300])
def shown(text, *, inspects=False):
    '''The type's text is made in time, and so are its repr and what inspect says.'''
    data = bytes(wasmtime.wat2wasm(text)) if isinstance(text, str) else text
    try:
        made = Component.from_bytes(data)
    except WasmError as error:
        print("refused", str(error)[:200])
        return ""
    used = time.process_time()
    wit = ""
    try:
        wit = made.wit()
    except WasmError as error:
        print("wit", type(error).__name__, str(error)[:200])
    repr(made), repr(made.exports), str(made), made.missing(Wasi(), NN())
    used = time.process_time() - used
    print(len(data), len(wit), f"{used:.2f} s", flush=True)
    assert used < 3.0, used
    assert len(wit) < 100 * len(data) + 100_000 and not raw(wit), (len(wit), raw(wit))
    if inspects:
        open("c.wasm", "wb").write(data)
        command("inspect", "c.wasm", seconds=6.0)
    return wit
"""
WAVES = {
    "lists nested without end": """invoked(taking("(list u8)", "ii"), "f(" + "[" * 60000, "f(" + "[" * 40000 + "]" * 40000 + ")")""",
    "options nested without end": """invoked(taking("(option u8)", "ii"), "f(" + "some(" * 20000 + "1" + ")" * 20000 + ")")""",
    "a deep type, and a value as deep": """
deep = '(type $t0 u8)' + "".join(f"(type $t{k + 1} (list $t{k}))" for k in range(90))
invoked(taking("$t90", "ii", deep), "f(" + "[" * 90 + "]" * 90 + ")", right=True)
invoked(taking("$t90", "ii", deep), "f(" + "[" * 91 + "]" * 91 + ")")""",
    "numbers of a hundred thousand digits": """invoked(taking("u64", "l"), "f(" + "9" * 100000 + ")", "f(-" + "9" * 100000 + ")", "f(0x" + "f" * 100000 + ")", "f(1" + "_0" * 50000 + ")")""",
    "floats that are none, or large": """
invoked(taking("f64", "d"), "f(1e)", "f(--1)", "f(0x1p4)", "f(1_0.0)", "f(infinity)", "f(NaN)", "f(.)", "f(1.0.0)")
invoked(taking("f64", "d"), "f(inf)", "f(-inf)", "f(nan)", "f(-0.0)", right=True)""",
    "digits of other alphabets": """invoked(taking("u8", "i"), "f(\\u0663)", "f(\\uff11)", "f(\\u0967)"); invoked(taking("f64", "d"), "f(\\uff11.5)", "f(\\u0663)")""",
    "integers out of range, and signs": """invoked(taking("u8", "i"), "f(256)", "f(-1)", "f(+1)", "f(1.0)", "f(1e2)", "f( )", "f(1,2)", "f(1 2)"); invoked(taking("s64", "l"), "f(9223372036854775808)", "f(-9223372036854775809)")""",
    "escapes of characters that there aren't": r"""invoked(taking("string", "ii"), 'f("\\u{110000}")', 'f("\\u{d800}")', 'f("\\u{}")', 'f("\\u{ffffffffffffffffffffffff}")', 'f("\\u{-1}")', 'f("\\u{ 41}")', 'f("\\x41")', 'f("\\u{4_1}")', 'f("\\u0041")')""",
    "strings that don't end": r"""invoked(taking("string", "ii"), 'f("', 'f("' + "a" * 100000, 'f("\\', 'f("\\u{', "f('a')")""",
    "a long string, and a long list": r"""
invoked(taking("string", "ii"), 'f("' + "a" * 100000 + '")', right=True)
invoked(taking("(list u8)", "ii"), "f([" + "1," * 60000 + "1])", right=True)""",
    "controls in what is wrong": """invoked(taking("u8", "i"), "f(\\x1b[31m)", "f(\\u202e1)", "\\x1b[31m(1)", "f\\x07(1)", 'f("\\x1b[31m")', "f(\\u2028)", "f(1)\\x9b31m")""",
    "bytes that are no text": """
open("c.wasm", "wb").write(taking("string", "ii"))
for word in (b"f(\\"\\xff\\")", b"\\xff(1)", b"f(\\xed\\xa0\\x80)"):
    done = subprocess.run([sys.executable.encode(), b"-m", b"pywasm_nn", b"run", b"--invoke", word, b"c.wasm"], capture_output=True, timeout=60)
    assert done.returncode in (1, 2) and b"Traceback" not in done.stderr, done""",
    "characters of none or of two": """invoked(taking("char", "i"), "f('')", "f('ab')", "f('", "f(')", "f('\\\\u{d800}')", "f(a)", 'f("a")', "f(65)")""",
    "records with fields twice, too many, none": """invoked(taking('(record (field "a" u8) (field "b" u8))', "ii"), "f({a: 1, a: 2})", "f({a: 1})", "f({a: 1, b: 2, c: 3})", "f({})", "f({:})", "f({a})", "f({a: {a: {a: " + "{a: " * 10000)""",
    "variants and enumerations of other cases": """
invoked(taking('(variant (case "a" u8) (case "b"))', "ii"), "f(a)", "f(b(1))", "f(c)", "f(a(1, 2))", "f(a())", "f(%a)", "f(a(a(1)))")
invoked(taking('(enum "a" "b")', "i"), "f(c)", "f(0)", "f(a(1))", "f(A)")
invoked(taking('(flags "a" "b")', "i"), "f({c})", "f({a, a})", "f({a: 1})", "f(a)")""",
    "results and options of other things": """invoked(taking("(result u8 (error u8))", "ii"), "f(ok(300))", "f(300)", "f(some(1))", "f(ok(1)", "f(ok 1)"); invoked(taking("(option u8)", "ii"), "f(some)", "f(none(1))", "f(some())", "f(null)")""",
    "tuples of another length": """invoked(taking("(tuple u8 u8)", "ii"), "f((1))", "f((1, 2, 3))", "f(())", "f(1, 2)", "f([1, 2])", "f((1, (2)))")""",
    "calls that are none": """invoked(taking("u8", "i"), "f(", ")", "(", "()", "(1)", "f(1)(1)", "f(1) f(1)", "f(1);", "f(1", "f 1", "#f(1)", "f#f(1)", "a:b/c#f(1)", "f.f(1)", "//", "\\n", "f[1]", "f" * 100000, "#" * 100000)""",
    "exports that are no functions": """
text = '''(component (type $r (resource (rep i32))) (export $x "r" (type $r)) (core module $M (func (export "f") (param i32))) (core instance $m (instantiate $M))
  (func $take (param "a" (own $x)) (canon lift (core func $m "f"))) (export "take" (func $take)) (instance $i (export "r" (type $x))) (export "i" (instance $i)))'''
invoked(bytes(wasmtime.wat2wasm(text)), "r(1)", "i(1)", "i#r(1)", "take(1)", "take(r(1))", "take({})", "take(0)")""",
    "a module's functions called as a component's": """invoked(bytes(wasmtime.wat2wasm('(module (func (export "f") (param i32)) (func (export "g(1)")))')), "f(1)", "f([1])")""",
    "a type that doubles, in the message": """
for kind in ("(tuple {0} {0})", '(record (field "a" {0}) (field "b" {0}))', "(result {0} (error {0}))"):
    types = '(type $t0 u8)' + "".join(f"(type $t{k + 1} {kind.format(f'$t{k}')})" for k in range(50))
    try:
        data = taking("(list $t50)", "ii", types)
    except Exception as error:
        print(error)
        continue
    try:
        Component.from_bytes(data)
    except WasmError as error:
        print(str(error)[:100])
    else:
        invoked(data, "f(1)", "f([1])")""",
}
WITS = {
    "types that double, by themselves": """
for kind in ("(tuple {0} {0})", "(result {0} (error {0}))", "(tuple (list {0}) (option {0}))"):
    for deep in (12, 18, 30, 60):
        types = "(type $t0 u8)" + "".join(f"(type $t{k + 1} {kind.format(f'$t{k}')})" for k in range(deep))
        shown(f'''(component {types} (import "f" (func (param "a" $t{deep}))))''')""",
    "named types that double": """
for kind in ('(record (field "a" {0}) (field "b" {0}))', '(variant (case "a" {0}) (case "b" {0}))'):
    for deep in (18, 60):
        types = "(type $t0 u8)" + "".join(f'(type $t{k + 1} {kind.format(f"$n{k}" if k else "$t0")}) (export "t{k + 1}" (type $n{k + 1} (eq $t{k + 1})))' for k in range(deep))
        shown(f'''(component (import "i" (instance {types} (export "f" (func (param "a" $n{deep}))))))''')""",
    "types that lie deep": """
for deep in (90, 2000):
    types = "(type $t0 u8)" + "".join(f"(type $t{k + 1} (list $t{k}))" for k in range(deep))
    shown(f'''(component {types} (import "f" (func (param "a" $t{deep}))))''')""",
    "functions by the ten thousand": """shown("(component " + "".join(f'(import "f{k}" (func (param "a" (list (tuple u8 string))) (result string)))' for k in range(10000)) + ")")""",
    "instances by the thousand": """shown("(component " + "".join(f'(import "a:b/c{k}" (instance (export "f" (func)) (export "r" (type (sub resource)))))' for k in range(5000)) + ")")""",
    "instances in instances": """shown("(component (import \\"a\\" " + '(instance (export "a" ' * 40 + "(func)" + "))" * 40 + "))")""",
    "component types in component types": """shown("(component (import \\"a\\" " + '(component (import "a" ' * 40 + "(func)" + "))" * 40 + "))")""",
    "wide types": """
shown('(component (import "i" (instance (type $r (record ' + " ".join(f'(field "f{k}" u8)' for k in range(900)) + ')) (export "r" (type (eq $r))))))')
shown('(component (import "i" (instance (type $r (variant ' + " ".join(f'(case "f{k}" (list u8))' for k in range(900)) + ')) (export "r" (type (eq $r))))))')
shown('(component (import "i" (instance (type $r (enum ' + " ".join(f'"f{k}"' for k in range(900)) + ')) (export "r" (type (eq $r))))))')""",
    "wide types without names, again and again": """
wide = "(type $w (tuple " + "u8 " * 900 + "))"
shown("(component " + wide + "".join(f'(import "f{k}" (func (param "a" $w) (param "b" $w)))' for k in range(900)) + ")")""",
    "parameters by the hundred": """shown('(component (import "f" (func ' + " ".join(f'(param "p{k}" (list u8))' for k in range(900)) + ")))")""",
    "labels of a hundred thousand letters": """shown('(component (import "' + "a" * 100000 + '" (func (param "' + "b" * 100000 + '" u8))))'); shown('(component (import "a:b/' + "c-" * 50000 + 'd" (instance (export "' + "e" * 100000 + '" (func)))))')""",
    "labels that are keywords": """
for word in "func record variant world interface use type resource own borrow list string u8 static import export include package with from as constructor async stream future bool char enum flags option result tuple".split():
    wit = shown(f'''(component (import "a:{word}/{word}" (instance (type $t (record (field "{word}" u8))) (export "{word}" (type $x (eq $t))) (export "{word}-f" (func (param "{word}" $x))))) (import "{word}" (func)))''', inspects=False)
    assert f"%{word}" in wit, (word, wit)""",
    "names that no label may be": """
for name in ("a b", "A_b", "1a", "a--b", "-a", "", "a\\\\1b[31m", "\\\\e2\\\\80\\\\ae", "a;b", "a{", "a/b", "a:b", "a:b/c@", "a:b/c@1", "a:b/c@1.2.3\\\\0a", "[constructor]", "[method]a.b", "[static]a", "[method]a", "a#b", "漢"):
    try:
        shown(f'(component (import "{name}" (func)))', inspects=False)
    except wasmtime.WasmtimeError as error:
        print(str(error)[:80])""",
    "damaged names of interfaces": r"""
good = bytes(wasmtime.wat2wasm('(component (import "aaaa:bbbb/cccc@1.2.3" (instance (export "ffff" (func (param "pppp" u8))))))'))
for what in (b"aaaa", b"bbbb", b"cccc", b"ffff", b"pppp", b"2.3"):
    for by in (b"\x1b[3m", "\u202ea".encode(), b"\n\n\n\n", b"a}*/", b"\"'{}", b"\x00\x00\x00\x00", "\u2028a".encode(), b"\xff\xff\xff\xff"):
        shown(good.replace(what, by[: len(what)].ljust(len(what), b"x")), inspects=False)""",
    "names of core modules": r"""
good = bytes(wasmtime.wat2wasm('(component (core module $aaaaaaaa (func $bbbbbbbb (export "cccccccc"))) (core instance (instantiate $aaaaaaaa)))'))
for what in (b"aaaaaaaa", b"bbbbbbbb", b"cccccccc"):
    for by in (b"\x1b[31mxxx", "\u202exxxxx".encode(), b"\nxxxxxxx", "\u0085xxxxxx".encode(), b"\x07xxxxxxx"):
        shown(good.replace(what, by))""",
    "a section of docs and sections of their own": r"""
good = bytes(wasmtime.wat2wasm('(component (import "f" (func)))'))
def leb(n): return bytes([n & 127 | 128 * (n > 127)]) + (leb(n >> 7) if n > 127 else b"")
def custom(name, body): content = leb(len(name)) + name + body; return b"\0" + leb(len(content)) + content
for name, body in ((b"package-docs", b"\x01{\"worlds\": {\"root\": {\"docs\": \"\x1b[31m */ }\"}}}"), (b"package-docs", b"\x01" + b"[" * 500000), (b"component-type", b"\0" * 1000), (b"component-name", b"\0" * 100), (b"component-name", b"\x01" + b"\xff" * 50), (b"\x1b[31m" * 100, b""), (b"producers", b"\xff" * 100), (b"name" , b"\x01" * 100)):
    shown(good + custom(name, body))""",
    "resources by the thousand": """shown('(component (import "a:b/c" (instance ' + "".join(f'(export "r{k}" (type $r{k} (sub resource))) (export "[method]r{k}.m" (func (param "self" (borrow $r{k})) (result (own $r{k}))))' for k in range(3000)) + ')))')""",
    "uses of uses": """
one = '(import "a:b/c0" (instance $i0 (type $t (record (field "a" u8))) (export "t" (type (eq $t)))))'
for k in range(1, 800):
    one += f'(alias export $i{k - 1} "t" (type $t{k})) (import "a:b/c{k}" (instance $i{k} (alias outer 1 $t{k} (type $o)) (export "t" (type (eq $o)))))'
shown("(component " + one + ")")""",
    "the same interface of many versions": """shown("(component " + "".join(f'(import "a:b/c@0.{k}.0" (instance (export "f" (func))))' for k in range(2000)) + ")"); shown("(component " + "".join(f'(import "a{k}:b/c" (instance (export "f" (func))))' for k in range(3000)) + ")")""",
    "imports of WASI that aren't WASI's": """shown('(component (import "wasi:io/streams@0.2.0" (instance (export "input-stream" (func)))) (import "wasi:cli/run@0.2.99999999999999999999" (instance (export "run" (func)))) (import "wasi:nn/tensor@0.2.0-rc-2024-10-28" (instance (export "tensor" (func)))))')""",
}
ATTEMPTS = [
    Attempt(f"wit: {name}", START + source, cpu=15.0, engines=("compile",)) for name, source in WITS.items()
]
SLOW = [  # each call is a process
    Attempt(f"wave: {name}", START + source, cpu=60.0, engines=("compile",)) for name, source in WAVES.items()
]
OPEN: list[Attempt] = []
