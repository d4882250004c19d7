# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts by what a host gives a component for its imports: Python functions and classes that give what isn't of
the type, raise what nobody expects, call back, and resources that are used where they aren't theirs."""

from __future__ import annotations

from .class_components import START
from .harness import Attempt

HOST = """
TEXT = '''(component
  (import "host" (instance $h
    (export "r" (type $r (sub resource)))
    (export "[constructor]r" (func (param "a" u32) (result (own $r))))
    (export "[method]r.get" (func (param "self" (borrow $r)) (result u32)))
    (export "[static]r.take" (func (param "r" (own $r)) (result u32)))
    (export "back" (func (param "n" u32) (result u32)))
    (export "lists" (func (param "a" (list u8)) (result (list u8))))
    (export "owns" (func (result (list (own $r)))))
    (export "fails" (func (result (result u32 (error string)))))))
  (alias export $h "r" (type $r))
  (alias export $h "[constructor]r" (func $new)) (alias export $h "[method]r.get" (func $get)) (alias export $h "[static]r.take" (func $take))
  (alias export $h "back" (func $back)) (alias export $h "lists" (func $lists)) (alias export $h "owns" (func $owns)) (alias export $h "fails" (func $fails))
  (core module $L (memory (export "memory") 2 200) (global $top (mut i32) (i32.const 65536)) (global $grow (export "grow") (mut i32) (i32.const 0))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (drop (memory.grow (global.get $grow)))
      (global.set $top (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -16)))
      (global.get $top) (global.set $top (i32.add (global.get $top) (local.get 3)))))
  (core instance $l (instantiate $L))
  (core func $new (canon lower (func $new))) (core func $get (canon lower (func $get))) (core func $take (canon lower (func $take))) (core func $back (canon lower (func $back)))
  (core func $lists (canon lower (func $lists) (memory $l "memory") (realloc (core func $l "realloc"))))
  (core func $owns (canon lower (func $owns) (memory $l "memory") (realloc (core func $l "realloc"))))
  (core func $fails (canon lower (func $fails) (memory $l "memory") (realloc (core func $l "realloc"))))
  (core func $drop (canon resource.drop $r))
  (core module $M
    (import "h" "new" (func $new (param i32) (result i32))) (import "h" "get" (func $get (param i32) (result i32))) (import "h" "take" (func $take (param i32) (result i32)))
    (import "h" "back" (func $back (param i32) (result i32))) (import "h" "lists" (func $lists (param i32 i32 i32))) (import "h" "owns" (func $owns (param i32)))
    (import "h" "fails" (func $fails (param i32))) (import "h" "drop" (func $drop (param i32))) (import "l" "memory" (memory 2)) (import "l" "grow" (global $grow (mut i32)))
    (func (export "new") (param i32) (result i32) (call $new (local.get 0)))
    (func (export "get") (param i32) (result i32) (call $get (local.get 0)))
    (func (export "take") (param i32) (result i32) (call $take (local.get 0)))
    (func (export "drop") (param i32) (call $drop (local.get 0)))
    (func (export "back") (param i32) (result i32) (call $back (local.get 0)))
    (func (export "lists") (param i32 i32 i32) (result i32) (global.set $grow (local.get 2)) (call $lists (local.get 0) (local.get 1) (i32.const 16)) (i32.load offset=4 (i32.const 16)))
    (func (export "owns") (result i32) (call $owns (i32.const 16)) (i32.load offset=4 (i32.const 16)))
    (func (export "fails") (result i32) (call $fails (i32.const 32)) (i32.load (i32.const 32)))
    (func (export "spin") (loop (br 0))))
  (core instance $m (instantiate $M (with "l" (instance $l)) (with "h" (instance (export "new" (func $new)) (export "get" (func $get)) (export "take" (func $take)) (export "back" (func $back))
    (export "lists" (func $lists)) (export "owns" (func $owns)) (export "fails" (func $fails)) (export "drop" (func $drop))))))
  (func (export "new") (param "a" u32) (result u32) (canon lift (core func $m "new")))
  (func (export "get") (param "a" u32) (result u32) (canon lift (core func $m "get")))
  (func (export "take") (param "a" u32) (result u32) (canon lift (core func $m "take")))
  (func (export "drop") (param "a" u32) (canon lift (core func $m "drop")))
  (func (export "back") (param "a" u32) (result u32) (canon lift (core func $m "back")))
  (func (export "lists") (param "a" u32) (param "b" u32) (param "grow" u32) (result u32) (canon lift (core func $m "lists")))
  (func (export "owns") (result u32) (canon lift (core func $m "owns")))
  (func (export "fails") (result u32) (canon lift (core func $m "fails")))
  (func (export "spin") (canon lift (core func $m "spin"))))'''
HOST = component(TEXT)
closed = []
class R:
    def __init__(self, a=0):
        self.a = a
    def get(self):
        return self.a
    @staticmethod
    def take(r):
        return r.a
    def close(self):
        closed.append(self.a)
def hosts(**given):
    return {"host": {"r": R, "back": lambda n: n, "lists": lambda a: a, "owns": lambda: [], "fails": lambda: 7, **given}}
def opened(limits=LIMITS, **given):
    return HOST.instantiate(hosts(**given), engine=ENGINE, limits=limits)
def ends(name, do, *kinds, most=2.5):
    '''The call ends in time with an error of ours, of these kinds if any are named; or with an answer if none is.'''
    used = time.process_time()
    try:
        ended = do()
        assert not kinds, (name, "answers", ended)
    except (WasmError, *kinds) as error:
        assert not kinds or isinstance(error, kinds), (name, repr(error))
        str(error), repr(error), getattr(error, "__notes__", ())
        ended = f"{type(error).__name__}: {str(error)[:100]}"
    used = time.process_time() - used
    print(name, str(ended)[:120], f"{used:.2f}", flush=True)
    assert used < most, (name, used)
    return ended
"""


def attempt(name: str, source: str, cpu: float = 6.0, **more: int) -> Attempt:
    return Attempt(f"interface: {name}", START + HOST + source, cpu, **more)


ATTEMPTS = [
    attempt(
        "functions that raise what nobody expects",
        """
class NoText(Exception):
    def __str__(self): raise ValueError("no text")
    __repr__ = __str__
class Long(Exception):
    def __str__(self): return "\\x1b[31m" * 1000000
class Base(BaseException): pass
def raising(error):
    def back(n): raise error
    return back
deep = ValueError("deep")
deep.__cause__ = deep
for error in (NoText(), Long(), StopIteration(1), StopAsyncIteration(), RecursionError(), MemoryError(), AssertionError(), OSError(5, "x"), UnicodeDecodeError("utf-8", b"x", 0, 1, "y"),
              ExceptionGroup("g", [ValueError()]), deep, Trap("own"), LimitError("fuel", "x"), LookupError, TimeoutError(), BrokenPipeError(), EOFError(), ReferenceError(), BufferError("x"), BlockingIOError()):
    with opened(back=raising(error)) as c:
        ended = ends(f"raises {type(error).__name__}", lambda: c.exports.back(1), WasmError)
        assert "\\x1b" not in str(ended)
        ends("and after", lambda: c.exports.get(99))
for error in (KeyboardInterrupt, SystemExit, GeneratorExit, Base):
    with opened(back=raising(error())) as c:
        try:
            c.exports.back(1)
            raise AssertionError(error)
        except error:
            pass
        except HostError:
            assert error is Base
""",
    ),
    attempt(
        "functions that give what isn't of the type",
        """
class Whole:
    def __index__(self): return 1 << 40
class Bad:
    def __index__(self): raise ZeroDivisionError
class Sly(int):
    def __index__(self): return -5
    def __le__(self, other): return True
    def __ge__(self, other): return True
async def coroutine(n): return n
def generator(n): yield n
for give in (None, -1, 1 << 32, 1.0, True, "1", b"1", [1], Whole(), Bad(), Sly(1 << 70), float("nan"), 1j, type, ..., R(1), memoryview(b"1"), lambda: 1):
    with opened(back=lambda n: give) as c:
        ends(f"gives {type(give).__name__}", lambda: c.exports.back(1))
for function in (generator, R, int, print, len, lambda n, *more: more, lambda n, m=1: n):
    with opened(back=function) as c:
        ends(f"is {function}", lambda: c.exports.back(1))
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    with opened(back=coroutine) as c:
        ends("is async", lambda: c.exports.back(1))
for function in (lambda: 1, lambda n, m: 1, 5, None, "x"):
    ends(f"can't be called with one: {function}", lambda: opened(back=function), WasmError)
""",
    ),
    attempt(
        "lists that are views of memory, kept, and given back while memory grows",
        """
kept = []
def keep(a):
    kept.append(a)
    return a
def taken(a):
    return memoryview(a)
for portable in (False, True):
    for function in (keep, taken, lambda a: bytes(a), lambda a: bytearray(a) * 2, lambda a: [*a][::-1], lambda a: (a[0],) * 5):
        for grow in (0, 1, 60, 1000):
            with HOST.instantiate(hosts(lists=function), engine=ENGINE, limits=Limits(seconds=2, memory=16 << 20)) as c:
                ends(f"list, grows {grow}", lambda: c.exports.lists(0, 50, grow))
                ends("of all memory", lambda: c.exports.lists(0, 65536, 0))
                ends("wild", lambda: c.exports.lists(0xFFFFFF00, 0xFFFFFF00, 0), WasmError)
for each in kept:
    try:
        bytes(each)[:10]
    except ValueError:
        pass
""",
    ),
    attempt(
        "the same on portable memory",
        """
import subprocess
code = '''
from tests.attempts.class_interfaces import START, HOST
ENGINE = %r
exec(START + HOST)
kept = []
def keep(a):
    kept.append(memoryview(a))
    return a
with HOST.instantiate(hosts(lists=keep), engine=ENGINE, limits=Limits(seconds=2, memory=16 << 20)) as c:
    for grow in (0, 1, 60):
        ends(f"list, grows {grow}", lambda: c.exports.lists(0, 50, grow))
print("well")
''' % ENGINE
end = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYWASM_NN_PORTABLE": "1"}, capture_output=True, text=True, timeout=60)
assert end.stdout.endswith("well\\n"), end.stdout + end.stderr
""",
    ),
    attempt(
        "lists that are huge, endless, or change while they are read",
        """
class Grows(list):
    def __len__(self): return 3
    def __iter__(self):
        while True: yield 1
class Shrinks(list):
    def __getitem__(self, at): raise IndexError
changing = [1] * 10
class Clears:
    def __index__(self):
        changing.clear()
        return 1
for give in (Grows([1, 2]), Shrinks([1, 2, 3]), b"x" * (1 << 20), [1] * (1 << 22), range(5), iter([1]), {1: 2}, "text", [256], [-1], [None], changing, memoryview(b"abcd").cast("H"), memoryview(bytearray(16))[::2], type):
    if give is changing:
        changing[3] = Clears()
    with opened(lists=lambda a: give, limits=Limits(seconds=2, memory=64 << 20)) as c:
        ends(f"gives {type(give).__name__} {len(give) if hasattr(give, '__len__') and not isinstance(give, type) else ''}", lambda: c.exports.lists(0, 5, 0))
import array
with opened(lists=lambda a: bytes(1 << 31), limits=Limits(seconds=1, memory=64 << 20)) as c:
    ends("2 GiB", lambda: c.exports.lists(0, 5, 0), WasmError)
""",
        cpu=12.0,
    ),
    attempt(
        "calls back into the instance that calls",
        """
for way in ("same", "new", "close", "spin", "thread", "other", "again"):
    def back(n):
        if way == "same": return c.exports.back(n)
        if way == "new": return c.exports.new(n)
        if way == "close": c.close(); return 1
        if way == "spin": c.exports.spin(); return 1
        if way == "other": return other.exports.back(n)
        if way == "again": return again.exports.back(n - 1) if n else 0
        if way == "thread":
            found = []
            def inner():
                try: found.append(c.exports.new(1))
                except Exception as error: found.append(error)
            thread = threading.Thread(target=inner); thread.start(); thread.join()
            assert isinstance(found[0], WasmError), found
            return 1
    other = opened(back=lambda n: other.exports.spin())
    again = opened(back=back)
    c = opened(back=back)
    ends(way, lambda: c.exports.back(500), most=3.0)
    ends("after " + way, lambda: c.exports.new(3))
    for each in (c, other, again):
        each.close()
""",
        cpu=12.0,
    ),
    attempt(
        "resources of the host: dropped twice, used after, taken while borrowed, guessed",
        """
with opened() as c:
    first = c.exports.new(5)
    assert c.exports.get(first) == 5 and c.exports.take(first) == 5
    for name in ("get", "take", "drop"):
        c = opened()
        handle = c.exports.new(6)
        c.exports.drop(handle)
        ends(f"{name} after drop", lambda: getattr(c.exports, name)(handle), Trap)
        c.close()
    for wild in (0, 1, 99, (1 << 28) - 1, 1 << 28, (1 << 32) - 1):
        c = opened()
        ends(f"wild {wild}", lambda: c.exports.get(wild), Trap)
        ends(f"wild {wild}", lambda: c.exports.drop(wild), Trap)
assert closed.count(6) == 3, closed
class Taking(R):
    def get(self):
        c.exports.drop(handle)
        return 1
c = HOST.instantiate(hosts(r=Taking), engine=ENGINE, limits=LIMITS)
handle = c.exports.new(7)
ends("dropped while borrowed", lambda: c.exports.get(handle), Trap)
assert 7 not in closed
c.close()
""",
    ),
    attempt(
        "classes whose constructor, method and close misbehave",
        """
class Other: pass
def made(**members):
    return type("R", (R,), members)
for name, class_ in {
    "constructor raises": made(__init__=lambda self, a: 1 / 0), "gives another": made(__new__=lambda cls, a: Other()), "gives a number": made(__new__=lambda cls, a: 5), "gives None": made(__new__=lambda cls, a: None),
    "method raises": made(get=lambda self: 1 / 0), "method gives text": made(get=lambda self: "x"), "method is none": made(get=None), "method gives itself": made(get=lambda self: self),
    "close raises": made(close=lambda self: 1 / 0), "close exits": made(close=lambda self: (_ for _ in ()).throw(ValueError())), "close closes the instance": made(close=lambda self: c.close()),
    "close calls back": made(close=lambda self: c.exports.new(1)), "close spins": made(close=lambda self: c.exports.spin()), "take gives own": made(take=staticmethod(lambda r: r)),
    "hash raises": made(__hash__=lambda self: 1 / 0), "equal to all": made(__eq__=lambda self, other: True), "attributes raise": made(__getattribute__=lambda self, name: 1 / 0), "slots": type("R", (), {"__slots__": (), "__init__": lambda self, a: None, "get": lambda self: 1, "take": staticmethod(lambda r: 1)}),
    "bool raises": made(__bool__=lambda self: 1 / 0), "class lies": made(__class__=property(lambda self: int)),
}.items():
    for use in ("get", "take", "drop"):
        def all_of():
            global c
            c = HOST.instantiate(hosts(r=class_), engine=ENGINE, limits=LIMITS)
            handle = c.exports.new(1)
            getattr(c.exports, use)(handle)
            c.close()
        ends(f"{name}: {use}", all_of)
""",
        cpu=15.0,
    ),
    attempt(
        "owned resources: the same twice, another class's, a class, numbers, a hundred thousand",
        """
one = R(1)
class Sub(R): pass
class Other: pass
for give in ([one], [one, one], [Sub(2)], [Other()], [R], [1], [None], one, [one] * 70000, [R(k) for k in range(1000)], [[one]], "R"):
    with opened(owns=lambda: give, limits=Limits(seconds=2, memory=64 << 20)) as c:
        ends(f"owns {str(give)[:30]}", lambda: c.exports.owns())
del one, give, c
gc.collect()
import weakref
made = []
def fresh():
    found = [R(k) for k in range(10)]
    made.extend(map(weakref.ref, found))
    return found
closed.clear()
with opened(owns=fresh) as c:
    c.exports.owns()
del c
gc.collect()
assert not any(each() for each in made), "the host's objects stay"
""",
        cpu=12.0,
    ),
    attempt(
        "errors that are no errors: Err of the wrong value, of a subclass, given and raised",
        """
from pywasm_nn import Err, Ok
class Mine(Err): pass
def raised(error):
    def fails(): raise error
    return fails
for make in (lambda: Err("text"), lambda: Err(5), lambda: Err(), lambda: Err(None), lambda: Mine("x"), lambda: Err("\\ud800"), lambda: Err("x" * (1 << 24)), lambda: Err(Err("x"))):
    for function in (lambda: make(), lambda: raised(make())()):
        with opened(fails=function, limits=Limits(seconds=2, memory=64 << 20)) as c:
            ends(f"{str(make())[:20]!r}", lambda: c.exports.fails())
for give in (Ok(5), Ok("x"), Ok(1 << 40), Ok(), Ok, Err, None, 5, "x"):
    with opened(fails=lambda: give) as c:
        ends(f"gives {str(give)[:20]}", lambda: c.exports.fails())
with opened(back=lambda n: raised(Err("x"))()) as c:
    ends("where no error is", lambda: c.exports.back(1))
""",
    ),
    attempt(
        "a deadline in what the host's functions do and call",
        """
class Slow(R):
    def get(self):
        other.exports.spin()
    def close(self):
        other.exports.spin()
other = opened(limits=Limits())
for use in ("get", "drop", "take"):
    with HOST.instantiate(hosts(r=Slow), engine=ENGINE, limits=Limits(seconds=0.5)) as c:
        handle = c.exports.new(1)
        if use != "take":
            ends(f"deadline in {use}", lambda: getattr(c.exports, use)(handle), DeadlineError, HostError)
    other = opened(limits=Limits())
""",
    ),
    attempt(
        "calls from many threads at once, and a close amid them",
        """
import random
def back(n):
    time.sleep(random.random() / 1000)
    return n
c = opened(back=back, limits=Limits(seconds=5))
wrong = []
def calls():
    for k in range(100):
        try:
            if c.exports.back(k) != k: wrong.append(k)
            handle = c.exports.new(k)
            c.exports.drop(handle)
        except WasmError:
            pass
        except BaseException as error:
            wrong.append(error)
threads = [threading.Thread(target=calls) for _ in range(6)]
for thread in threads: thread.start()
time.sleep(0.2)
try:
    c.close()
except WasmError:
    pass
for thread in threads: thread.join()
assert not wrong, wrong[:3]
""",
    ),
]
