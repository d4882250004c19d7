"""Components that break the canonical ABI's rules while they run: traps with the specification's words."""

from __future__ import annotations

from .harness import BOTH, Hostile, lifted, text

TAKES = '(func (export "f") (param i32 i32))'


def realloc(name: str, body: str, script: str, before: str = "") -> Hostile:
    """An allocator with this body, and a function that takes a string. `before` defines `g_`, which the
    allocator then calls `g`."""
    imported = '(import "h" "g" (func $g))' if before else ""
    given = '(with "h" (instance (export "g" (func $g_))))' if before else ""
    data = text(f"""{before}
      (core module $M {imported} (memory (export "m") 1)
        (func (export "f") (param i32 i32))
        (func (export "r") (param i32 i32 i32 i32) (result i32) {body}))
      (core instance $m (instantiate $M {given}))
      (func (export "f") (param "x" string) (canon lift (core func $m "f") string-encoding=utf16
        (memory (core memory $m "m")) (realloc (core func $m "r"))))""")
    return Hostile(f"realloc {name}", data, script, engines=BOTH)


def returns(name: str, result: str, body: str, script: str, options: str = "") -> Hostile:
    """A function without parameters whose core function has this body."""
    core = f'(func (export "f") (result i32) {body})'
    return Hostile(name, lifted(core, f"(result {result})", options), script, engines=BOTH)


def pair(address: int, length: int, then: str = "") -> str:
    """An address and a length in memory at 16."""
    return f"""(i32.store (i32.const 16) (i32.const {address}))
      (i32.store (i32.const 20) (i32.const {length})) {then} (i32.const 16)"""


def trap(words: str) -> str:
    """The trap, after which nobody gets in any more."""
    return f"""
i = begin()
refused(Trap, {words!r}, i.exports.f)
refused(Trap, 'cannot enter component instance', i.exports.f)
i.close()
"""


LOWERED = '(import "g" (func $g)) (core func $g_ (canon lower (func $g)))'
GIVEN = '(with "h" (instance (export "g" (func $g_))))'
RESOURCE = """
  (core module $D (func (export "d") (param i32)))
  (core instance $d (instantiate $D))
  (type $r (resource (rep i32) (dtor (core func $d "d"))))
  (type $s (resource (rep i32)))
  (core func $new (canon resource.new $r)) (core func $drop (canon resource.drop $r))
  (core func $drop-s (canon resource.drop $s)) (core func $rep (canon resource.rep $r))
  (core module $M
    (import "h" "new" (func $new (param i32) (result i32))) (import "h" "drop" (func $drop (param i32)))
    (import "h" "drop-s" (func $drop-s (param i32))) (import "h" "rep" (func $rep (param i32) (result i32)))
    (func (export "twice") (local $h i32)
      (local.set $h (call $new (i32.const 7))) (call $drop (local.get $h)) (call $drop (local.get $h)))
    (func (export "other") (call $drop-s (call $new (i32.const 7))))
    (func (export "unknown") (drop (call $rep (i32.const 0x7fffffff))))
    (func (export "forever") (loop (drop (call $new (i32.const 7))) (br 0)))
    (func (export "make") (result i32) (call $new (i32.const 7)))
    (func (export "take") (param i32 i32) (call $drop (local.get 0)))
    (func (export "both") (param i32 i32) (call $drop (local.get 0)) (call $drop (local.get 1))))
  (core instance $m (instantiate $M (with "h" (instance (export "new" (func $new))
    (export "drop" (func $drop))
    (export "drop-s" (func $drop-s)) (export "rep" (func $rep))))))
  (func (export "twice") (canon lift (core func $m "twice")))
  (func (export "other") (canon lift (core func $m "other")))
  (func (export "unknown") (canon lift (core func $m "unknown")))
  (func (export "forever") (canon lift (core func $m "forever")))
  (export $er "r" (type $r))
  (func (export "make") (result (own $er)) (canon lift (core func $m "make")))
  (func (export "take") (param "a" (own $er)) (param "b" (borrow $er)) (canon lift (core func $m "take")))
  (func (export "both") (param "a" (own $er)) (param "b" (own $er)) (canon lift (core func $m "both")))
"""
CALLS = [
    realloc(
        "beyond memory",
        "(i32.const -4)",
        "refused(Trap, 'realloc return: beyond end', begin().exports.f, 'abc')",
    ),
    realloc(
        "unaligned",
        "(i32.const 33)",
        "refused(Trap, 'realloc return: result not aligned', begin().exports.f, 'abc')",
    ),
    realloc("that traps", "unreachable", "refused(Trap, 'unreachable', begin().exports.f, 'abc')"),
    realloc(
        "that doesn't end",
        "(loop (br 0)) unreachable",
        "refused(DeadlineError, '', begin(seconds=0.5).exports.f, 'abc')",
    ),
    realloc(
        "that calls out",
        "(call $g) (i32.const 32)",
        "refused(Trap, 'cannot leave component instance', begin({'g': lambda: None}).exports.f, 'abc')",
        LOWERED,
    ),
    realloc(
        "that grows memory",
        "(drop (memory.grow (i32.const 1))) (i32.const 65534)",
        "i = begin(); i.exports.f('abc')\nrefused(Trap, 'beyond end', i.exports.f, 'a' * (1 << 24))",
    ),
    returns("string beyond memory", "string", pair(65530, 100), trap("string pointer/length out of bounds")),
    returns("string of 2^32 - 1 bytes", "string", pair(0, -1), trap("string content out-of-bounds")),
    returns(
        "string with half a character",
        "string",
        pair(64, 2, "(i32.store16 (i32.const 64) (i32.const 0x41c3))"),
        trap("invalid utf-8"),
    ),
    returns(
        "UTF-16 with half a pair",
        "string",
        pair(64, 1, "(i32.store16 (i32.const 64) (i32.const 0xd800))"),
        trap("invalid utf-16"),
        "string-encoding=utf16",
    ),
    returns(
        "UTF-16 at an odd address", "string", pair(65, 1), trap("unaligned pointer"), "string-encoding=utf16"
    ),
    returns("list beyond memory", "(list u64)", pair(64, 1 << 20), trap("list pointer/length out of bounds")),
    returns("list of 2^31 numbers", "(list u64)", pair(0, 1 << 31), trap("list content out-of-bounds")),
    returns("results beyond memory", "string", "(i32.const 65532)", trap("out of bounds")),
    returns("results at an odd address", "string", "(i32.const 17)", trap("unaligned pointer")),
    returns(
        "discriminant out of range",
        "(option (tuple u8))",
        "(i32.store8 (i32.const 16) (i32.const 2)) (i32.const 16)",
        trap("invalid variant discriminant"),
    ),
    returns("char out of range", "char", "(i32.const 0x110000)", trap("out of range for `char`")),
    returns("char that is a surrogate", "char", "(i32.const 0xdfff)", trap("out of range for `char`")),
    Hostile(
        "2^24 strings that are one",
        lifted(
            """(func (export "f") (result i32) (local $n i32)
              (drop (memory.grow (i32.const 2100)))
              (i32.store (i32.const 1048576) (i32.const 0))
              (i32.store (i32.const 1048580) (i32.const 1000000))
              (local.set $n (i32.const 8))
              (loop
                (memory.copy (i32.add (i32.const 1048576) (local.get $n)) (i32.const 1048576) (local.get $n))
                (local.set $n (i32.shl (local.get $n) (i32.const 1)))
                (br_if 0 (i32.lt_u (local.get $n) (i32.const 134217728))))
              (i32.store (i32.const 16) (i32.const 1048576)) (i32.store (i32.const 20) (i32.const 16777216))
              (i32.const 16))""",
            "(result (list string))",
        ),
        "assert refused(LimitError, '', begin(lifted=1 << 28).exports.f).limit == 'lifted'",
        peak=900 << 20,
        engines=BOTH,
    ),
    Hostile(
        "post-return that calls out",
        text(f"""{LOWERED}
          (core module $M (import "h" "g" (func $g)) (func (export "f")) (func (export "p") (call $g)))
          (core instance $m (instantiate $M {GIVEN}))
          (func (export "f") (canon lift (core func $m "f") (post-return (core func $m "p"))))"""),
        "refused(Trap, 'cannot leave component instance', begin({'g': lambda: None}).exports.f)",
        engines=BOTH,
    ),
    Hostile(
        "host that calls back in, closes, fails",
        lifted('(import "h" "g" (func $g)) (func (export "f") (call $g))', "", "", LOWERED, GIVEN),
        """
for act, error, words in [
    (lambda i: i.exports.f(), Trap, 'cannot enter component instance'),
    (lambda i: i.close(), BusyError, ''),
    (lambda i: 1 / 0, HostError, 'ZeroDivisionError'),
    (lambda i: (_ for _ in ()).throw(MemoryError()), Exception, ''),
    (lambda i: (_ for _ in ()).throw(RecursionError('deep')), Exception, ''),
]:
    i = begin({'g': lambda: act(i)})
    refused(error, words, i.exports.f)
    i.close()
    refused(Trap, 'closed', i.exports.f)
""",
        engines=BOTH,
    ),
    Hostile(
        "two components that call each other without end",
        lifted('(import "h" "g" (func $g)) (func (export "f") (call $g))', "", "", LOWERED, GIVEN),
        """
def deeper():
    other = begin({'g': deeper}, memory=1 << 16)
    other.exports.f()
refused((ExhaustionError, Trap), 'call stack exhausted', deeper)
""",
        cpu=20.0,
        peak=500 << 20,
        engines=BOTH,
    ),
    Hostile(
        "recursion without end",
        lifted('(func $f (export "f") (result i32) (i32.add (call $f) (i32.const 1)))', "(result u32)"),
        "refused(ExhaustionError, 'call stack exhausted', begin().exports.f)",
        engines=BOTH,
        peak=600 << 20,
    ),
    Hostile(
        "loop without end",
        lifted('(func (export "f") (loop (br 0)))', ""),
        "refused(FuelError, '', begin(fuel=100_000).exports.f)\n"
        "refused(DeadlineError, '', begin(seconds=0.5).exports.f)",
        engines=BOTH,
    ),
    Hostile(
        "handles that are wrong",
        text(RESOURCE),
        """
for name, words in [
    ('twice', 'unknown handle index'),
    ('other', 'used with the wrong type'),
    ('unknown', 'unknown handle index'),
    ('forever', 'too many handles'),
]:
    refused(Trap, words, begin(handles=10_000).exports[name])
""",
        engines=BOTH,
    ),
    Hostile(
        "one resource given twice",
        text(RESOURCE),
        """
i = begin()
for name in ('take', 'both'):
    r = i.exports.make()
    refused(TypeError, 'given away', i.exports[name], r, r)
    i.exports.both(r, i.exports.make())
    refused(TypeError, 'closed or given away', i.exports.both, r, i.exports.make())
r = i.exports.make()
r.close(); r.close()
refused(TypeError, 'b: int is no resource', i.exports.take, i.exports.make(), 7)
i.close()
r.close()
""",
        engines=BOTH,
    ),
    Hostile(
        "a borrow that is kept",
        text("""
          (import "r" (type $r (sub resource)))
          (core module $M (func (export "f") (param i32)))
          (core instance $m (instantiate $M))
          (func (export "f") (param "x" (borrow $r)) (canon lift (core func $m "f")))"""),
        "R = type('R', (), {})\n"
        "refused(TypeError, 'x: int is no resource R', begin({'r': R}).exports.f, 5)\n"
        "refused(Trap, 'borrow handles still remain', begin({'r': R}).exports.f, R())",
        engines=BOTH,
    ),
    Hostile(
        "values of Python's that don't fit",
        lifted(
            TAKES + '(func (export "r") (param i32 i32 i32 i32) (result i32) (i32.const 32))',
            '(param "x" (list (tuple u8 string)))',
            "(realloc $realloc)",
        ),
        """
i = begin()
for value, error, words in [
    ([(1, 'a'), (256, 'b')], OverflowError, 'x[1][0]: 256 is no u8'),
    ([(1, 'a'), (1, None)], TypeError, 'x[1][1]: None is no string'),
    ([(1, chr(0xd800))], ValueError, 'surrogate'),
    ([(1,)], TypeError, 'x[0]: tuple is no tuple'),
    (7, TypeError, 'x: 7 is no list'),
    ([(chr(27), 'a')], TypeError, 'x[0][0]'),
    ('ab', TypeError, 'is no list'),
]:
    refused(error, words, i.exports.f, value)
    i.exports.f([(1, 'a')])
""",
        engines=BOTH,
    ),
]
