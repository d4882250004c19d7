"""Compiling, validating, decoding and instantiating what is hostile, and showing it."""

# ruff: noqa: E501 (guests and programs are lines of their own)

from .harness import Attempt

GUARD = """
import resource, time
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from wasmtime import wat2wasm
from pywasm_nn import *
from pywasm_nn.errors import *
LIMITS = Limits(seconds=1, memory=256 << 20)
def quick(data, name="f", most=2.0, arguments=(), decode=3.0, limits=LIMITS):
    '''Text or bytes: decoding, instantiating, running: how long each takes.'''
    data = bytes(wat2wasm(data)) if isinstance(data, str) else data
    ended, t = None, [time.process_time()]
    try:
        module = Module.from_bytes(data)
        t.append(time.process_time())
        b = module.instantiate(engine=ENGINE, limits=limits)
        t.append(time.process_time())
        if name:
            getattr(b.exports, name)(*arguments)
        ended = "returned"
    except WasmError as error:
        ended = type(error).__name__
        str(error), repr(error), error.__notes__ if hasattr(error, "__notes__") else ()
    t.append(time.process_time())
    spent = [round(b - a, 2) for a, b in zip(t, t[1:])]
    assert spent[0] < decode and sum(spent[1:]) < most, (ended, spent, len(data))
    return ended
def leb(n):
    out = b""
    while True:
        n, low = n >> 7, n & 127
        out += bytes([low | 128 * bool(n)])
        if not n: return out
def section(id_, body): return bytes([id_]) + leb(len(body)) + body
def vec(items): return leb(len(items)) + b"".join(items)
HEAD = b"\\0asm\\1\\0\\0\\0"
def body_of(code, locals_=b"\\0"):
    inner = locals_ + code + b"\\x0b"
    return HEAD + section(1, vec([b"\\x60\\0\\0"])) + section(3, b"\\1\\0") + section(7, vec([b"\\1f\\0\\0"])) + section(10, vec([leb(len(inner)) + inner]))
"""
BODIES = {
    "nops": 'body_of(b"\\x01" * 1000000)',
    "constants dropped": 'body_of(b"\\x41\\x01\\x1a" * 330000)',
    "constants kept": 'body_of(b"\\x41\\x01" * 300000 + b"\\x1a" * 300000)',
    "blocks one after the other": 'body_of(b"\\x02\\x40\\x0b" * 330000)',
    "loops nested": 'body_of(b"\\x03\\x40" * 250000 + b"\\x0b" * 250000)',
    "blocks nested": 'body_of(b"\\x02\\x40" * 250000 + b"\\x0b" * 250000)',
    "ifs nested": 'body_of(b"\\x41\\1\\x04\\x40" * 150000 + b"\\x0b" * 150000)',
    "ifs with else nested": 'body_of(b"\\x41\\1\\x04\\x40" * 100000 + b"\\x05\\x0b" * 100000)',
    "try_tables nested": 'body_of(b"\\x02\\x40\\x1f\\x40\\1\\2\\0" * 80000 + b"\\x0b\\x0b" * 80000)',
    "loops with branches to each": (
        'body_of(b"\\x03\\x40" * 5000 + b"".join(b"\\x41\\0\\x0d" + leb(k) for k in range(5000)) + b"\\x0b" * 5000)'
    ),
    "a switch to a hundred thousand": (
        'body_of(b"\\x02\\x40" * 1000 + b"\\x41\\0\\x0e" + vec([leb(k % 1000) for k in range(100000)]) + b"\\0" + b"\\x0b" * 1000)'
    ),
    "switches of many": (
        'body_of(b"\\x02\\x40" * 200 + (b"\\x02\\x40\\x41\\0\\x0e" + vec([leb(k % 200) for k in range(1000)]) + b"\\0\\x0b") * 400 + b"\\x0b" * 200)'
    ),
    "locals claimed": 'body_of(b"\\x20\\0\\x1a", vec([leb(50000) + b"\\x7f"]))',
    "locals set and read": (
        'body_of(b"".join(b"\\x20" + leb(k) + b"\\x21" + leb(49999 - k) for k in range(50000)) * 2, vec([leb(50000) + b"\\x7e"]))'
    ),
    "locals in many groups": 'body_of(b"\\x01", vec([b"\\1" + bytes([0x7f - k % 4]) for k in range(49999)]))',
    "drops of the unreachable": 'body_of(b"\\0" + b"\\x1a" * 900000)',
    "additions of the unreachable": 'body_of(b"\\0" + b"\\x6a" * 900000 + b"\\x1a")',
    "blocks of the unreachable": 'body_of(b"\\0" + b"\\x02\\x40\\0\\x0b" * 220000)',
    "additions nested to the left": 'body_of(b"\\x41\\1" + b"\\x41\\1\\x6a" * 300000 + b"\\x1a")',
    "additions nested to the right": 'body_of(b"\\x41\\1" * 300000 + b"\\x6a" * 299999 + b"\\x1a")',
    "selects": 'body_of(b"\\x41\\1" + b"\\x41\\1\\x41\\0\\x1b" * 180000 + b"\\x1a")',
    "tees": 'body_of(b"\\x41\\1" + b"\\x22\\0" * 450000 + b"\\x1a", b"\\1\\1\\x7f")',
    "calls of itself": 'body_of(b"\\x41\\0\\x04\\x40" + b"\\x10\\0" * 480000 + b"\\x0b")',
    "memory.size of none": 'body_of(b"\\x3f\\0\\x1a" * 300000)',
    "vectors": 'body_of((b"\\xfd\\x0c" + b"\\7" * 16 + b"\\x1a") * 50000)',
}
ATTEMPTS = [
    Attempt(f"hostile body: {name}", GUARD + f"quick({data})\n", cpu=5.0) for name, data in BODIES.items()
]
TEXTS = {
    "structures of 500 fields": (
        '"(module (type $s (struct " + "(field (mut i32))" * 500 + ")) (func (export \\"f\\") "'
        ' + "(drop (struct.new_default $s))" * 5000 + "))"'
    ),
    "structures with all fields given": (
        '"(module (type $s (struct " + "(field (mut i64))" * 1000 + ")) (func (export \\"f\\") "'
        ' + ("(i64.const 1) " * 1000 + "(struct.new $s) drop ") * 100 + "))"'
    ),
    "calls with 1,000 parameters": (
        '"(module (type $v (func (param " + "i32 " * 1000 + ") (result " + "i32 " * 1000 + "))) (func $g (type $v) unreachable)'
        ' (func (export \\"f\\") " + "i32.const 0 " * 1000 + "call $g " * 3000 + "drop " * 1000 + "))"'
    ),
    "branches with 1,000 values": (
        '"(module (type $v (func (result " + "i32 " * 1000 + "))) (func (export \\"f\\") (block (type $v) " + "i32.const 0 " * 1000'
        ' + "(br_if 0 (i32.const 0)) " * 3000 + ") " + "drop " * 1000 + "))"'
    ),
    "switches with 1,000 values": (
        '"(module (type $v (func (result " + "i32 " * 1000 + "))) (func (export \\"f\\") (block (type $v) " + "i32.const 0 " * 1000'
        ' + "(block (type $w) (br_table " + "0 " * 3000 + "(i32.const 0)) ) " + ")" + "drop " * 1000 + ")'
        ' (type $w (func (param " + "i32 " * 1000 + ") (result " + "i32 " * 1000 + "))))"'
    ),
    "catches with 1,000 values": (
        '"(module (type $v (func (param " + "i32 " * 1000 + "))) (type $r (func (result " + "i32 " * 1000 + "))) (tag $x (type $v))'
        ' (func (export \\"f\\") (block (type $r) (try_table " + "(catch $x 0) " * 3000 + ") " + "i32.const 0 " * 1000 + ")" + "drop " * 1000 + "))"'
    ),
    "globals with exports": (
        '"(module " + "".join(f"(global (export \\"g{k}\\") (mut i32) (i32.const {k}))" for k in range(30000)) + "(func (export \\"f\\")))"'
    ),
    "globals that read each other": (
        '"(module (global i32 (i32.const 1))" + "".join(f"(global i32 (i32.add (global.get {k}) (global.get {k})))" for k in range(20000)) + "(func (export \\"f\\")))"'
    ),
    "constant expressions that are long": (
        '"(module (global i32 (i32.const 1)" + "(i32.add (i32.const 1))" * 200000 + ") (func (export \\"f\\")))"'
    ),
    "segments by the ten thousand": (
        '"(module (memory 1) (table 1 funcref)" + "(data (i32.const 0) \\"a\\")" * 50000 + "(elem (i32.const 0) func 0)" * 50000 + "(func (export \\"f\\")))"'
    ),
    "chains of types": (
        '"(module (type $t0 (sub (func)))" + "".join(f"(type $t{k} (sub $t{k - 1} (func)))" for k in range(1, 60)) * 1'
        ' + "(func (export \\"f\\")))"'
    ),
    "one group of types that know each other": (
        '"(module (rec " + "".join(f"(type $t{k} (struct (field (ref null $t{(k * 7919 + 1) % 5000})) (field (ref null $t{(k + 1) % 5000}))))" for k in range(5000))'
        ' + ") (rec " + "".join(f"(type $u{k} (struct (field (ref null $u{(k * 7919 + 1) % 5000})) (field (ref null $u{(k + 1) % 5000}))))" for k in range(5000))'
        ' + ") (func (export \\"f\\") (local (ref null $t0)) (local (ref null $u4999)) (local.set 0 (ref.null $u0))))"'
    ),
    "types that repeat 1,000 parameters": (
        '"(module " + ("(type (func (param " + "i64 " * 1000 + ")))") * 400 + "(func (export \\"f\\")))"'
    ),
    "functions by the ten thousand": (
        '"(module " + "(func (result i32) i32.const 1)" * 60000 + "(func (export \\"f\\")))"'
    ),
    "imports by the ten thousand": (
        '"(module " + "".join(f"(import \\"a\\" \\"{k}\\" (func))" for k in range(30000)) + "(func (export \\"f\\")))"'
    ),
    "tables by the thousand": '"(module " + "(table 10 funcref)" * 12000 + "(func (export \\"f\\")))"',
    "memories by the hundred": '"(module " + "(memory 1)" * 100 + "(func (export \\"f\\") (i32.store 99 (i32.const 0) (i32.const 1))))"',
    "tags by the ten thousand": '"(module " + "(tag (param i32))" * 30000 + "(func (export \\"f\\")))"',
    "loads by offsets of their own": (
        '"(module (memory 1) (func (export \\"f\\") " + "".join(f"(drop (i32.load offset={k} (i32.const 0)))" for k in range(40000)) + "))"'
    ),
}
ATTEMPTS += [
    Attempt(f"hostile module: {name}", GUARD + f"quick({text})\n", cpu=6.0) for name, text in TEXTS.items()
]
MANY = """
from itertools import count
function = b"\\x60\\0\\0"
def ref(k):
    out = []
    while True:
        k, low = k >> 7, k & 127
        if not k and low < 64: return b"\\x63" + bytes([*out, low])
        out.append(low | 128)
def megabyte(types):
    taken, size = [], 0
    for one in types:
        taken.append(one)
        size += len(one)
        if size > 1000000: break
    quick(HEAD + section(1, vec(taken)), None)
"""
TYPES = {
    "functions that differ": (
        '(b"\\x60\\6" + bytes(b"\\x7f\\x7e\\x7d\\x7c\\x7b\\x70\\x6f\\x6e"[k >> 3 * i & 7] for i in range(6)) + b"\\0" for k in count())'
    ),
    "each refers to the one before, twice": (
        '(b"\\x5f\\2" + ref(k) + b"\\0" + ref(k) + b"\\0" if k >= 0 else b"\\x5f\\0" for k in count(-1))'
    ),
    "groups of one that refer to the one before": (
        '(b"\\x4e\\1\\x5f\\2" + ref(k) + b"\\0" + ref(k) + b"\\0" if k >= 0 else b"\\x4e\\1\\x5f\\0" for k in count(-1))'
    ),
    "one group of structures": (
        '[b"\\x4e" + vec([b"\\x5f\\2" + ref((k * 7919 + 1) % 80000) + b"\\1" + ref(k) + b"\\0" for k in range(80000)])]'
    ),
    "one group of functions": '[b"\\x4e" + vec([function] * 330000)]',
    "groups that grow": '(b"\\x4e" + vec([function] * k) for k in count())',
    "long lists of parameters that differ": '(b"\\x60" + vec([b"\\x7e"] * 990) + vec([b"\\x7f"] * k) for k in range(990))',
    "chains of subtypes that refer to others": (
        '((b"\\x50\\1" + leb(k - 1) if k % 63 else b"\\x50\\0") + (b"\\x5f\\1" + ref(k - k % 63 - 1) + b"\\0" if k > 62 else b"\\x5f\\0") for k in count())'
    ),
    "chains of long structures": (
        '((b"\\x50\\1" + leb(k - 1) if k % 60 else b"\\x50\\0") + b"\\x5f" + vec([ref(0) + b"\\0"] * 300) for k in count())'
    ),
    "one group of chains of long structures": (
        '[b"\\x4e" + vec([(b"\\x50\\1" + leb(k - 1) if k % 60 else b"\\x50\\0") + b"\\x5f" + vec([ref(0) + b"\\0"] * 300) for k in range(1000)])]'
    ),
}
PATIENT = (
    GUARD
    + MANY
    + """
from itertools import repeat
from pywasm_nn.interpreter import binary
from pywasm_nn.interpreter.validate import validate_module
longest, last = 0.0, 0.0
def look():
    global last, longest
    now = time.process_time()
    longest, last = max(longest, now - last), now
def section_of(types):
    taken, size = [], 0
    for one in types:
        taken.append(one)
        size += len(one)
        if size > 2000000: break
    return section(1, vec(taken))
structure, one = vec([b"\\x5f" + vec([b"\\x7f\\0"] * 10000)]), section(1, vec([function])) + section(3, b"\\1\\0")
def patient(sections):
    '''How long it goes on without a look at the time, and beyond a deadline.'''
    global last
    data, last = HEAD + sections, time.process_time()
    try:
        validate_module(binary.decode(data, patience=look), look)
    except WasmError:
        pass
    look()
    assert longest < 2.0, longest
    began = time.process_time()
    try:
        Module.from_bytes(data, seconds=0.1)
    except WasmError:
        pass
    assert time.process_time() - began < 2.0
"""
)
MEGABYTES = {
    **{name: f"section_of({types})" for name, types in TYPES.items()},
    "structures of many fields": 'section_of(repeat(b"\\x5f" + vec([b"\\x7f\\0"] * 10000), 100))',
    "constants": 'section(1, structure) + section(6, vec([b"\\x63\\0\\0\\x41" + leb(k) + b"\\x1a\\xfb\\1\\0\\x0b" for k in range(3000)]))',
    "a long constant": 'section(6, vec([b"\\x7f\\0\\x41\\0" + b"\\x41\\1\\x6a" * 1000000 + b"\\x0b"]))',
    "functions": 'one[:-3] + section(3, leb(900000) + b"\\0" * 900000) + section(10, leb(900000) + b"\\2\\0\\x0b" * 900000)',
    "functions and an error": 'one + section(10, b"\\1" + leb(3000003) + b"\\0" + b"\\1" * 3000001 + b"\\x0b") + section(11, b"\\1\\7")',
    "locals": 'one + section(10, b"\\1" + leb(2000007) + leb(1000000) + b"\\1\\x7f" * 1000000 + b"\\x0b")',
    "exports": 'one + section(7, vec([leb(4) + b"%04x" % k + b"\\0\\0" for k in range(60000)]))',
    "imports": 'one[:-5] + section(2, vec([b"\\1m" + b"\\1f\\0\\0"] * 600000))',
    "elements": 'one + section(9, b"\\1\\1\\0" + leb(3000000) + b"\\0" * 3000000)',
    "elements by expressions": 'one + section(9, b"\\1\\5\\x70" + leb(900000) + b"\\xd2\\0\\x0b" * 900000)',
    "segments": 'section(5, b"\\1\\0\\1") + section(11, vec([b"\\0\\x41\\0\\x0b\\0"] * 500000))',
    "tables": 'section(4, vec([b"\\x40\\0\\x70\\0\\0\\xd0\\x70\\x0b"] * 300000))',
    "globals": 'section(6, vec([b"\\x7f\\0\\x41" + leb(k % 64) + b"\\x0b" for k in range(900000)]))',
    "memories": 'section(5, vec([b"\\0\\0"] * 900000))',
    "types of parameters": 'section(1, b"\\1\\x60" + leb(3000000) + b"\\x7f" * 3000000 + b"\\0")',
}
ATTEMPTS += [
    Attempt(
        "hostile bytes: counts that only claim",
        GUARD
        + """
for id_ in range(1, 14):
    for count in (1 << 20, 0xffffffff, 0x7fffffff):
        for tail in (b"", b"\\0" * 1000, b"\\x60\\0\\0" * 300):
            quick(HEAD + section(id_, leb(count) + tail), None, most=0.5, decode=0.5)
""",
    ),
    Attempt(
        "hostile bytes: a million functions without bodies, and with",
        GUARD
        + """
n = 1000000
quick(HEAD + section(1, vec([b"\\x60\\0\\0"])) + section(3, leb(n) + b"\\0" * n), None, most=1.0)
n = 300000
quick(HEAD + section(1, vec([b"\\x60\\0\\0"])) + section(3, leb(n) + b"\\0" * n) + section(10, leb(n) + b"\\2\\0\\x0b" * n), None, most=2.5)
""",
        cpu=8.0,
    ),
    Attempt(
        "hostile bytes: a megabyte of types, the same and different ones",
        GUARD
        + """
function, array = b"\\x60\\0\\0", b"\\x5e\\x7f\\1"
for types in (
    [b"\\x50\\0" + function] + [b"\\x50\\1" + leb(k) + function for k in range(60)] + [b"\\x50\\1" + leb(60) + function] * 150000,
    [array] * 330000,
    [b"\\x4e\\0"] * 490000,
    [b"\\x5f" + vec([b"\\x7f\\1"] * (1 + k)) for k in range(1000)],
):
    quick(HEAD + section(1, vec(types)), None, most=0.5, decode=2.0)
""",
        cpu=8.0,
    ),
    *[
        Attempt(f"hostile types by the megabyte: {name}", GUARD + MANY + f"megabyte({types})\n", cpu=6.0)
        for name, types in TYPES.items()
    ],
    *[
        Attempt(
            f"hostile bytes: several megabytes, read under a deadline: {name}",
            PATIENT + f"patient({sections})\n",
            cpu=15.0,
            engines=("compile",),
        )
        for name, sections in MEGABYTES.items()
    ],
    Attempt(
        "hostile constants: each makes a structure of 10,000 fields",
        GUARD
        + """
structure = vec([b"\\x5f" + vec([b"\\x7f\\0"] * 10000)])
for constants in (
    [b"\\x63\\0\\0\\xfb\\1\\0\\x0b"] * 30000,
    [b"\\x63\\0\\0\\x41" + leb(k % 64) + b"\\x1a\\xfb\\1\\0\\x0b" for k in range(3000)],
    [b"\\x6e\\0" + b"\\x23" + leb(k - 1) + b"\\x0b" if k else b"\\x6e\\0\\xfb\\1\\0\\x0b" for k in range(30000)],
):
    quick(HEAD + section(1, structure) + section(6, vec(constants)), None)
""",
        cpu=8.0,
    ),
    Attempt(
        "hostile constants: as many memories as constants",
        GUARD
        + """
constants = [b"\\x6e\\0\\x41" + leb(k % 64) + b"\\xfb\\x1c\\xfb\\x1b\\xfb\\x1a\\x0b" for k in range(40000)]
quick(HEAD + section(5, vec([b"\\0\\0"] * 200000)) + section(6, vec(constants)), None)
""",
        cpu=8.0,
    ),
    Attempt(
        "hostile names: long, many, and mangled",
        GUARD
        + """
code = HEAD + section(1, vec([b"\\x60\\0\\0"])) + section(3, b"\\1\\0") + section(7, vec([b"\\1f\\0\\0"])) + section(10, vec([b"\\3\\0\\0\\x0b"]))
def named(name):
    entry = vec([leb(0) + leb(len(name)) + name])
    return code + section(0, b"\\4name" + bytes([1]) + leb(len(entry)) + entry)
for name in (b"_ZN" + b"1a" * 200000 + b"E", b"_RNv" + b"N" * 200000, b"_RI" * 100000, b"_R" + b"NvB0_" * 50000, b"_ZN" + b"S_" * 100000, b"_Z" + b"I" * 100000, b"_Z1f" + b"P" * 100000 + b"i",
    b"_RNvC" + b"u99999" + b"a" * 99999, b"_RNvCu30000" + b"a" * 15000 + b"_" + b"z" * 14999, b"_ZN17h" + b"0" * 100000, "\\u202e".encode() * 50000, b"_Z1fI" + b"NS_I" * 30000, b"_RMC0" + b"T" * 100000,
    b"$" * 1000000, b"_ZN" + b"99999999999999999999a" * 1000, b"_RNvB" + b"_" * 100, b"_RNvYB0_" * 10000, b"_Z1fIJ" + b"T_" * 50000):
    assert quick(named(name), most=0.5, decode=0.5) == "Trap", name[:10]
""",
        cpu=4.0,
    ),
    Attempt(
        "hostile names: a backtrace of ten thousand frames",
        GUARD
        + """
b = Module.from_text('(module (func $' + 'a' * 60000 + ' (export "f") (param i32) (result i32) (if (i32.eqz (local.get 0)) (then unreachable)) (i32.add (i32.const 1) (call 0 (i32.sub (local.get 0) (i32.const 1))))))').instantiate(engine=ENGINE, limits=Limits(seconds=5))
try:
    b.exports.f(10000)
except Trap as error:
    begun = time.process_time()
    notes = "".join(error.__notes__)
    assert time.process_time() - begun < 1.0 and len(notes) < 100000, len(notes)
""",
        cpu=4.0,
    ),
    Attempt(
        "hostile page: deep calls, long names, many steps and large bodies",
        GUARD
        + """
for text, arguments in (
    ('(module (memory 100) (func $' + 'n' * 50000 + ' (export "f") (param i32) (loop $l (memory.fill (i32.const 0) (local.get 0) (i32.const 6000000)) (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))', (50,)),
    ('(module (func (export "f") (param i32) ' + '(local i64)' * 5000 + '(loop $l (local.set 4000 (i64.const 3)) (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))', (500,)),
    ('(module (func (export "f") (param i32) ' + '(nop)' * 100000 + '(loop $l (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))', (500,)),
    ('(module (func $f (export "f") (param i32) (if (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1)))))))', (3000,)),
    ('(module (func (export "f") (param i32) ' + '(i32.const 1)' * 3000 + '(nop)' * 500 + '(drop)' * 3000 + '))', (1,)),
):
    trace = Trace(["calls", "instr"], budget=5000)
    module = Module.from_text(text)
    try:
        with module.instantiate(engine="interpret", observer=trace, limits=Limits(seconds=1)) as b:
            b.exports.f(*arguments)
    except WasmError:
        pass
    begun = time.process_time()
    page = trace.page()
    took = time.process_time() - begun
    assert took < 3 and len(page) < 40 << 20, (text[:60], took, len(page))
""",
        cpu=12.0,
        engines=("interpret",),
    ),
    Attempt(
        "hostile show: inspect, print and repr of what is large",
        GUARD
        + """
text = "(module " + "".join(f'(func (export "{"x" * 2000}{k}"))' for k in range(2000)) + ")"
module = Module.from_text(text)
begun = time.process_time()
repr(module), [str(given) for given in module.export_types]
b = module.instantiate(engine=ENGINE, limits=LIMITS)
assert len(repr(b)) < 100000 and len(repr(module)) < 100000 and len(repr(b.exports)) < 100000
try:
    b.exports.nothing
except Exception as error:
    assert len(str(error)) + len("".join(getattr(error, "__notes__", ()))) < 100000
module._repr_html_() if hasattr(module, "_repr_html_") else None
assert time.process_time() - begun < 2.5, time.process_time() - begun
""",
        cpu=5.0,
    ),
    Attempt(
        "short memory: nothing but errors of ours",
        GUARD
        + """
used = lambda: int(open("/proc/self/statm").read().split()[0]) * 4096
sources = [body_of(b"\\x02\\x40\\x0b" * 30000), body_of(b"\\x41\\1\\x1a" * 30000), bytes(wat2wasm("(module (memory 1000) (func (export \\"f\\") (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000000))))")),
    bytes(wat2wasm("(module (table 900000 funcref) (type $a (array (mut i64))) (func (export \\"f\\") (drop (array.new $a (i64.const 99999999999) (i32.const 3000000)))))")),
    bytes(wat2wasm("(module (table $t 0 funcref) (memory 0) (func (export \\"f\\") (drop (memory.grow (i32.const 2000))) (drop (table.grow $t (ref.null func) (i32.const 1000000)))))")),
    bytes(wat2wasm("(module (func $f (export \\"f\\") (call $f)))"))]
Module.from_bytes(sources[0][:0] or bytes(wat2wasm('(module (func (export "f")))'))).instantiate(engine=ENGINE, limits=LIMITS).exports.f()
import decimal, traceback, linecache
for megabytes in (3, 10, 30):
    resource.setrlimit(resource.RLIMIT_AS, (used() + (megabytes << 20), 6 << 30))
    for data in sources:
        try:
            b = Module.from_bytes(data).instantiate(engine=ENGINE, limits=LIMITS)
            b.exports.f()
        except WasmError:
            pass
        b = None
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
""",
        cpu=8.0,
    ),
    Attempt(
        "short memory: calls without end, at every size of what is left",
        GUARD
        + """
used = lambda: int(open("/proc/self/statm").read().split()[0]) * 4096
module = Module.from_text('(module (func $f (export "f") (call $f)))')
kept = module.instantiate(engine=ENGINE, limits=LIMITS)
for kilobytes in range(300, 5100, 400):
    resource.setrlimit(resource.RLIMIT_AS, (used() + (kilobytes << 10), 6 << 30))
    for b in (kept, None):
        try:
            b = b or module.instantiate(engine=ENGINE, limits=LIMITS)
            b.exports.f()
        except WasmError:
            pass
        b = None
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
""",
        cpu=12.0,
        engines=("interpret",),  # why not compile: see SECURITY.md, "Memory that the system refuses"
    ),
    Attempt(
        "short memory: text, traces and snapshots",
        GUARD
        + """
used = lambda: int(open("/proc/self/statm").read().split()[0]) * 4096
text = "(module (memory 400) (func (export \\"f\\") " + "(drop (i32.const 5))" * 20000 + "))"
small = Module.from_text('(module (memory 300) (func (export "f") (param i32) (loop $l (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))')
b = small.instantiate(engine=ENGINE, limits=LIMITS)
b.exports.f(3)
for megabytes in (2, 6, 15):
    resource.setrlimit(resource.RLIMIT_AS, (used() + (megabytes << 20), 6 << 30))
    for work in (lambda: Module.from_text(text), lambda: b.snapshot(), lambda: b.memory.read(0, 300 << 16), lambda: b.memory.grow(1000), lambda: Memory.of(2000), lambda: Table.of("funcref", 3000000)):
        try:
            work()
        except (WasmError, ValueError):
            pass
        except MemoryError:
            pass  # the host's own request
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
""",
        cpu=4.0,
    ),
]
SLOW: list[Attempt] = []
OPEN: list[Attempt] = []
