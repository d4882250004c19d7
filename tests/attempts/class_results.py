"""Wrong results: differences between this engine and wasmtime."""

# ruff: noqa: E501 (guests and programs are lines of their own)

from .harness import Attempt

SHARED = '''
import random, wasmtime
from pywasm_nn import Module
from pywasm_nn.errors import *
config = wasmtime.Config()
for name in ("memory64", "multi_memory", "exceptions", "gc", "function_references", "tail_call"):
    setattr(config, "wasm_" + name, True)
ENG = wasmtime.Engine(config)
def norm(v): return tuple(v) if isinstance(v, (list, tuple)) else () if v is None else (v,)
def check(text, calls):
    data = bytes(wasmtime.wat2wasm(text))
    store = wasmtime.Store(ENG)
    theirs = wasmtime.Instance(store, wasmtime.Module(ENG, data), []).exports(store)
    with Module.from_bytes(data).instantiate(engine=ENGINE) as ours:
        for name, *arguments in calls:
            try: want = norm(theirs[name](store, *arguments))
            except (wasmtime.Trap, wasmtime.WasmtimeError): want = "trap"
            try: got = norm(getattr(ours.exports, name)(*arguments))
            except (Trap, WasmException): got = "trap"
            assert want == got, (name, arguments, "wasmtime", want, "ours", got, text[:3000])
EDGES = [0, 1, 5, 8, 65535, 65528, -1, -8, 0x7fffffff, -0x80000000, 0x40000000, -0x40000000, -65536]
def signed(n): return (n + (1 << 31)) % (1 << 32) - (1 << 31)
def reads(*addresses, load="i32.load8_u", offset="", local="", memory="1"):
    """Address expressions of one parameter, with parameters so that they land where there is something."""
    for a in addresses:
        text = f\'\'\'(module (memory {memory}) (data (i32.const 0) "abcdefghijklmnopq") (data (i32.const 65520) "ABCDEFGHIJKLMNOP")
 (func (export "a") (param i32) (result i32) {local} {a}) (func (export "f") (param i32) (result i64) {local} ({load} {offset} {a}))
 (func (export "l") (param i32) (result i64) {local} (local $n i32) (local $s i64) (loop $l (local.set $s (i64.add (i64.mul (local.get $s) (i64.const 31))
 ({load} {offset} {a}))) (local.set 0 (i32.add (local.get 0) (i32.const 1))) (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 5)))) (local.get $s)))\'\'\'
        module = wasmtime.Module(ENG, wasmtime.wat2wasm(text)); store = wasmtime.Store(ENG)
        base = wasmtime.Instance(store, module, []).exports(store)["a"](store, 0)
        calls = [(f, signed(sign * (t - base))) for t in EDGES for sign in (1, -1) for f in "fl"]
        check(text, calls)
'''
R = "(local.get 0)"


def add(address: str, *constants: str) -> str:
    for constant in constants:
        address = f"(i32.add {address} (i32.const {constant}))"
    return address


def reads(name: str, *addresses: str, **more: str) -> Attempt:
    settings = "".join(f", {key}={value!r}" for key, value in more.items())
    listed = ", ".join(map(repr, addresses))
    return Attempt(f"results: {name}", SHARED + f"reads({listed}{settings})\n", cpu=3.0)


def nest(name: str, text: str, calls: str, cpu: float = 3.0) -> Attempt:
    return Attempt(f"results: {name}", SHARED + f"check({text}, {calls})\n", cpu)


L64 = "i64.load8_u"
ATTEMPTS = [
    reads("two constants that wrap", add(R, "0x7fffffff", "0x7fffffff"), add(R, "0x7fffffff", "2"), load=L64),
    reads("four constants", add(R, *["0x7fffffff"] * 4), add(R, *["-0x80000000"] * 3), load=L64),
    reads(
        "constants and an offset",
        add(R, "0x7fffffff"),
        add(R, "-1"),
        add(R, "-8", "-8"),
        load="i64.load16_u",
        offset="offset=9",
    ),
    reads(
        "constants and a huge offset",
        add(R, "-1"),
        add(R, "0x7fffffff", "3"),
        load=L64,
        offset="offset=0xffffffff",
    ),
    reads(
        "half the space as offset",
        add(R, "-0x80000000"),
        add(R, "0x7fffffff", "1"),
        load=L64,
        offset="offset=0x80000000",
    ),
    reads(
        "a constant from which is taken",
        f"(i32.sub (i32.const 0x7fffffff) {R})",
        f"(i32.sub (i32.const -5) {add(R, '-1')})",
        load=L64,
    ),
    reads(
        "taken and added",
        f"(i32.sub {add(R, '0x7fffffff')} (i32.const -0x7fffffff))",
        f"(i32.sub {add(R, '5')} (i32.const -0x80000000))",
        load=L64,
    ),
    reads(
        "shifted sums",
        f"(i32.shl {add(R, '0x40000000')} (i32.const 2))",
        f"(i32.shr_u {add(R, '-4')} (i32.const 1))",
        load="i64.load32_s",
    ),
    reads(
        "masked sums",
        f"(i32.and {add(R, '-1', '-1')} (i32.const 0xffff))",
        f"(i32.or {add(R, '-16')} (i32.const 3))",
        load=L64,
    ),
    reads(
        "exclusive or",
        f"(i32.xor {add(R, '0x7fffffff')} (i32.const -1))",
        f"(i32.add (i32.xor {R} (i32.const -1)) (i32.const 1))",
        load="i64.load8_s",
    ),
    reads(
        "the constant first",
        f"(i32.add (i32.const 0x7fffffff) (i32.add (i32.const 0x7fffffff) {R}))",
        load="i64.load",
    ),
    reads(
        "a tee between",
        f"(i32.add (local.tee $x {add(R, '0x7fffffff')}) (i32.const 0x7fffffff))",
        f"(i32.add (local.tee $x {add(R, '-3')}) (i32.sub (local.get $x) (local.get $x)))",
        load=L64,
        local="(local $x i32)",
    ),
    reads(
        "a select between",
        f"(i32.add (select {add(R, '-1')} {add(R, '1')} (i32.and {R} (i32.const 1))) (i32.const 0x7fffffff))",
        load=L64,
    ),
    reads(
        "a block between",
        f"(i32.add (block (result i32) {add(R, '0x7fffffff')}) (i32.const 0x7fffffff))",
        load="i64.load32_u",
    ),
    reads(
        "multiplied",
        f"(i32.mul {add(R, '0x7fffffff')} (i32.const -1))",
        f"(i32.add (i32.mul {R} (i32.const 1)) (i32.const -0x80000000))",
        load=L64,
    ),
    reads(
        "two parameters that wrap together",
        f"(i32.add {add(R, '-1')} {add(R, '1')})",
        f"(i32.add {R} {add(R, '-0x80000000')})",
        load=L64,
    ),
    reads(
        "a wrap of 64 bits",
        f"(i32.wrap_i64 (i64.add (i64.extend_i32_u {R}) (i64.const 0x1ffffffff)))",
        f"(i32.wrap_i64 (i64.mul (i64.extend_i32_s {R}) (i64.const 0x100000001)))",
        load=L64,
    ),
    reads(
        "the memory grows between",
        f"(i32.add (i32.mul (memory.grow (i32.const 1)) (i32.const 0)) {add(R, '-1')})",
        load="i64.load16_s",
        memory="1 40",
    ),
]
ATTEMPTS += [
    nest(f"nested {name}", text.replace("N", "600"), '[("f", k) for k in (0, 1, 2, 599, -1)]')
    for name, text in {
        "blocks and try_tables": """'(module (tag $t (param i32)) (func (export "f") (param i32) (result i32) ' + "(block (result i32) (try_table (result i32) (catch $t 0) " * N + "(if (i32.eqz (local.get 0)) (then (throw $t (i32.const 5)))) (local.get 0)" + "))" * N + "))" """,
        "ifs": """'(module (func (export "f") (param i32) (result i32) ' + "(if (result i32) (i32.and (local.get 0) (i32.const 1)) (then " * N + "(i32.const 7)" + ") (else (i32.const 3)))" * N + "))" """,
        "elses": """'(module (func (export "f") (param i32) (result i32) ' + "(if (result i32) (i32.and (local.get 0) (i32.const 1)) (then (i32.const 3)) (else " * N + "(i32.const 7)" + "))" * N + "))" """,
        "loops that leave at once": """'(module (func (export "f") (param i32) (result i32) ' + "(loop " * N + "(local.set 0 (i32.add (local.get 0) (i32.const 1))) (br_if 599 (i32.lt_u (local.get 0) (i32.const 10)))" + ")" * N + "(local.get 0)))" """,
        "switches": """'(module (func (export "f") (param i32) (result i32) (local i32) ' + "(block " * N + "(br_table " + " ".join(map(str, range(N))) + " (local.get 0))" + ") (local.set 1 (i32.add (local.get 1) (i32.const 1)))" * N + " (local.get 1)))" """,
        "additions": """'(module (func (export "f") (param i32) (result i32) ' + "(i32.add (i32.const 0x7fffffff) " * N + "(local.get 0)" + ")" * N + "))" """,
        "loads": """'(module (memory 1) (data (i32.const 0) "abcdefghij") (func (export "f") (param i32) (result i32) ' + "(i32.load8_u offset=3" * N + "(local.get 0)" + ")" * N + "))" """,
        "tees and selects": """'(module (func (export "f") (param i32) (result i32) (local i32) ' + "(select (local.tee 1 (i32.add (local.get 1) (i32.const 1))) " * N + "(local.get 0)" + " (i32.and (local.get 1) (local.get 0)))" * N + "))" """,
        "calls": """'(module (func $g (param i32) (result i32) (i32.mul (i32.const 3) (local.get 0))) (func (export "f") (param i32) (result i32) ' + "(call $g " * N + "(local.get 0)" + ")" * N + "))" """,
        "loops that count, each in each": """'(module (func (export "f") (param i32) (result i32) (local i32) ' + "(loop (block (br_if 0 (i32.gt_u (local.get 1) (i32.const 3000))) (local.set 1 (i32.add (local.get 1) (i32.const 1))) " * 60 + "(br_if 1 (i32.and (local.get 1) (i32.const 7)))" + "))" * 60 + " (local.get 1)))" """,
        "catches that throw again": """'(module (tag $t (param i32)) (func (export "f") (param i32) (result i32) ' + "(throw $t (i32.add (i32.const 1) (block (result i32) (try_table (catch $t 0) " * 200 + "(throw $t (local.get 0))" + ") (unreachable))))" * 200 + "))" """,
    }.items()
]
ATTEMPTS += [
    Attempt(
        "results: memory64 and addresses beyond",
        SHARED
        + """
text = '(module (memory i64 1 3) (data (i64.const 0) "abcdefgh") (func (export "f") (param i64) (result i64) (i64.load8_u offset=3 (i64.add (local.get 0) (i64.const 0x7fffffffffffffff)))) (func (export "g") (param i64) (result i64) (i64.load offset=0xfffffffffffffff0 (local.get 0))) (func (export "h") (param i64) (result i64) (i64.load8_u offset=0x100000000 (i64.sub (local.get 0) (i64.const 0x100000000)))) (func (export "k") (param i64) (result i64) (memory.grow (local.get 0))))'
edges = [0, 1, 16, 15, 65533, -1, -16, 1 << 32, -(1 << 32), -(1 << 63), (1 << 63) - 1, 0x100000003, -(1 << 63) + 4]
check(text, [(n, e) for e in edges for n in "fgh"] + [("k", e) for e in (-1, 1 << 48, 1, 0, 1 << 32, 5)] + [("f", e) for e in edges])
""",
        cpu=3.0,
    ),
    Attempt(
        "results: bulk between two memories and edges",
        SHARED
        + """
text = '''(module (memory $a 1) (memory $b 2) (data $d "0123456789") (func (export "f") (param i32 i32 i32) (memory.copy $a $b (local.get 0) (local.get 1) (local.get 2)))
 (func (export "g") (param i32 i32 i32) (memory.copy $b $b (local.get 0) (local.get 1) (local.get 2))) (func (export "h") (param i32 i32 i32) (memory.fill $b (local.get 0) (local.get 1) (local.get 2)))
 (func (export "i") (param i32 i32 i32) (memory.init $b $d (local.get 0) (local.get 1) (local.get 2))) (func (export "drop") (data.drop $d))
 (func (export "s") (result i64) (local i32 i64) (loop $l (local.set 1 (i64.add (i64.mul (local.get 1) (i64.const 31)) (i64.add (i64.load8_u $b (local.get 0)) (i64.load8_u $b offset=65536 (local.get 0))))) (local.set 0 (i32.add (local.get 0) (i32.const 7))) (br_if $l (i32.lt_u (local.get 0) (i32.const 65536)))) (local.get 1)))'''
r = random.Random(3)
edges = [0, 1, 5, 10, 11, 65535, 65536, 131071, 131072, -1, 0x7fffffff, 300, -0x80000000]
calls = []
for _ in range(150):
    calls.append((r.choice("fghi"), r.choice(edges), r.choice(edges), r.choice([0, 1, 10, 1000, 65536, -1, r.choice(edges)])))
    if r.random() < 0.1: calls.append(("s",))
check(text, calls + [("drop",), ("i", 0, 0, 0), ("i", 0, 0, 1), ("i", 0, 1, 0), ("i", 131072, 0, 0), ("s",)])
""",
        cpu=3.0,
    ),
    Attempt(
        "results: loops that count at the edges",
        SHARED
        + """
for start, step, compare, end in (("0", "1", "lt_u", "-1"), ("-3", "1", "lt_s", "3"), ("5", "-1", "gt_s", "-5"), ("0x7ffffff0", "7", "gt_s", "0"), ("-5", "2", "ne", "3"), ("-2", "1", "lt_u", "5"), ("-2", "1", "ge_u", "5"), ("0", "0x40000001", "ne", "4"), ("3", "-1", "ge_s", "0"), ("10", "-3", "gt_u", "0")):
    for memory in ("", "(i32.store8 (local.get $i) (i32.const 1))"):
        text = f'(module (memory 1) (func (export "f") (result i32 i32) (local $i i32) (local $n i32) (local.set $i (i32.const {start})) (loop $l (local.set $n (i32.add (local.get $n) (i32.const 1))) {memory} (local.set $i (i32.add (local.get $i) (i32.const {step}))) (br_if $l (i32.and (i32.lt_u (local.get $n) (i32.const 5000)) (i32.{compare} (local.get $i) (i32.const {end}))))) (local.get $i) (local.get $n)) (func (export "g") (result i32) (local $i i32) (local.set $i (i32.const {start})) (block $b (loop $l (br_if $b (i32.eqz (i32.{compare} (local.get $i) (i32.const {end})))) {memory} (local.set $i (i32.add (local.get $i) (i32.const {step}))) (br_if $b (i32.and (local.get $i) (i32.const 4096))) (br $l))) (local.get $i)))'
        check(text, [("f",), ("g",)])
""",
        cpu=4.0,
    ),
    Attempt(
        "results: switches of every shape",
        SHARED
        + """
r = random.Random(5)
for n in (1, 2, 3, 7, 64, 300):
    targets = [r.randrange(4) for _ in range(n)]
    text = '(module (func (export "f") (param i32) (result i32 i32) (local i32) (loop $l (local.set 1 (i32.add (local.get 1) (i32.const 1))) (block $c (block $b (block $a (br_table ' + " ".join(("$a $b $c $a").split()[t] for t in targets) + ' (i32.sub (local.get 0) (i32.const 3)))) (local.set 1 (i32.add (local.get 1) (i32.const 1)))) (local.set 1 (i32.mul (i32.add (local.get 1) (i32.const 3)) (i32.const 5)))) (local.set 0 (i32.add (local.get 0) (i32.const 1))) (br_if $l (i32.lt_u (local.get 1) (i32.const 300)))) (local.get 0) (local.get 1)))'
    check(text, [("f", k) for k in (0, 1, 2, 3, 4, n, n + 2, n + 3, n + 4, -1, -0x80000000, 0x7fffffff)])
""",
        cpu=4.0,
    ),
    Attempt(
        "results: random addresses",
        SHARED
        + """
r = random.Random(21)
def constant(): return signed(r.choice(EDGES + [0x3fffffff, r.randrange(1 << 32)]))
def address(depth):
    if not depth: return "(local.get 0)"
    kind, inner = r.randrange(7), address(depth - 1)
    if kind < 3: return f"(i32.add {inner} (i32.const {constant()}))"
    if kind == 3: return f"(i32.add (i32.const {constant()}) {inner})"
    if kind == 4: return f"(i32.sub {inner} (i32.const {constant()}))"
    if kind == 5: return f"(i32.sub (i32.const {constant()}) {inner})"
    return f"(i32.xor {inner} (i32.const {r.choice([-1, -0x80000000, 1])}))"
for _ in range(25):
    reads(address(r.randrange(2, 7)), load=r.choice(["i64.load8_u", "i64.load16_s", "i64.load", "i64.load32_u"]), offset=r.choice(["", "offset=1", "offset=65528", "offset=0x7fffffff", "offset=0xfffffffb"]))
""",
        cpu=4.0,
    ),
]
SLOW: list[Attempt] = []
OPEN: list[Attempt] = []
