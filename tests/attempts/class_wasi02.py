# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of a second person with WASI 0.2: resources by the hundred thousand, odd orders of dropping, what is
written and never flushed, waits for files and timers, and what numbers of 64 bits ask for."""

from __future__ import annotations

from .class_streams import START
from .harness import Attempt

MORE = """
import gc, random, tempfile, threading
def begin_in(folder, seconds=None, stdin=b"", stdout=None, **more):
    while last:
        last.pop().close()
    guest = Ours(Wasi(stdin=stdin, stdout=stdout or Capture(), dirs={"/": folder}), Limits(seconds=seconds, **more), engine=ENGINE)
    last.append(guest)
    guest("get-stdin"), guest("get-stdout")
    return guest
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
"""


def attempt(
    name: str, source: str, cpu: float = 8.0, engines: tuple[str, ...] = ("compile",), **more: int
) -> Attempt:
    return Attempt(f"WASI 0.2: {name}", START + MORE + source, cpu, engines=engines, **more)


RESOURCES = {
    "standard streams": ('guest("get-stdin"), guest("get-stdout"), guest("get-stderr")', ""),
    "directories": ('guest("get-directories")', ""),
    "descriptors": ('guest.opened(root, "file", READ, CREATE)', ""),
    "streams of a file": (
        'guest.got("descriptor.read-via-stream", fd, 0), guest.got("descriptor.write-via-stream", fd, 0), guest.got("descriptor.append-via-stream", fd)',
        "",
    ),
    "listings": ('guest.got("descriptor.read-directory", root)', ""),
    "timers": ('guest("subscribe-duration", 1 << 60), guest("subscribe-instant", 1 << 60)', ""),
    "errors of streams": (
        'stream = guest.got("descriptor.read-via-stream", root, 0); said = guest("input-stream.blocking-read", stream, 9); assert said[0] == "err", said',
        "",
    ),
    "pollables of streams of files": (
        'guest("input-stream.subscribe", source), guest("output-stream.subscribe", target)',
        'source, target = guest.got("descriptor.read-via-stream", fd, 0), guest.got("descriptor.write-via-stream", fd, 0)',
    ),
}
ATTEMPTS = [
    *[
        attempt(
            f"until there are no more: {name}",
            f"""
guest = begin(seconds=40)
root, fd = file(guest)
{before}
start = resident()
def storm():
    for number in range(400_000):
        {do}
try:
    said = ends(storm, most=60)
except AssertionError as error:  # an answer that isn't ok
    said = error
grown = resident() - start
print(repr(said)[:200], grown >> 20, len(os.listdir("/proc/self/fd")))
assert said is not None and not isinstance(said, DeadlineError), said
assert grown < 512 << 20, grown
guest.close()
last.clear()
gc.collect()
assert len(os.listdir("/proc/self/fd")) < 30
""",
            cpu=60.0,
        )
        for name, (do, before) in RESOURCES.items()
    ],
    attempt(
        "random bytes and lists beyond all memory",
        """
for name in ("get-random-bytes", "get-insecure-random-bytes"):
    for size in ((1 << 64) - 1, 1 << 63, 1 << 32, (1 << 32) - 1, 1 << 31, 1 << 30, 300 << 20):
        guest = begin(seconds=1, memory=64 << 20)
        ends(lambda: guest(name, size), WasmError, most=2.0)
        guest = begin(seconds=1, memory=1 << 30)
        ends(lambda: guest(name, size), most=2.0)
""",
        cpu=40.0,
    ),
    attempt(
        "reads and writes of files at 2^63, of 2^64 bytes and in holes",
        """
for folder in (MemoryDirectory(), "."):
    for size in ((1 << 64) - 1, 1 << 63, 1 << 40, 1 << 32, 1 << 28):
        guest = begin_in(folder, seconds=1, memory=128 << 20)
        root = guest.root()
        fd = guest.opened(root, "file", READ | WRITE, CREATE | TRUNCATE)
        start = resident()
        for at in (0, 1 << 30, 1 << 40, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 4):
            ends(lambda: guest("descriptor.write", fd, b"abc", at), most=2)
            if last[0] is guest:
                ends(lambda: guest("descriptor.read", fd, size, at), most=2)
        assert resident() - start < 256 << 20, (size, resident() - start)
        guest = begin_in(folder, seconds=1, memory=128 << 20)
        fd = guest.opened(guest.root(), "file", READ | WRITE, CREATE)
        print(folder, size, ends(lambda: guest("descriptor.set-size", fd, size), most=2))
        ends(lambda: guest("descriptor.read", fd, size, 0), most=2)
        guest = begin_in(folder, seconds=1, memory=128 << 20)
        fd = guest.opened(guest.root(), "file", READ | WRITE, CREATE)
        ends(lambda: guest("descriptor.advise", fd, size, size, 0), most=2), ends(lambda: guest("descriptor.stat", fd), most=2)
        if folder == ".":
            os.truncate("file", 0)
""",
        cpu=20.0,
        engines=("compile", "interpret"),
    ),
    attempt(
        "megabytes that are written to a thousand streams and never flushed",
        """
for folder in (MemoryDirectory(), "."):
    guest = begin_in(folder, seconds=20)
    root = guest.root()
    fd = guest.opened(root, "file", READ | WRITE, CREATE)
    start = resident()
    allowed = []
    def storm():
        for number in range(1500):
            stream = guest.got("descriptor.write-via-stream", fd, 0)
            allowed.append(guest.got("output-stream.check-write", stream))
            guest.got("output-stream.write-zeroes", stream, allowed[-1])
            guest("output-stream.flush", stream)
            guest("output-stream.check-write", stream)
    said = ends(storm, most=21)
    print(folder, said, max(allowed), len(allowed), (resident() - start) >> 20)
    assert resident() - start < 512 << 20, resident() - start
for _ in range(2):
    guest = begin(seconds=20, output=1000)
    start = resident()
    def many():
        for number in range(1500):
            stream = guest("get-stdout")
            size = guest.got("output-stream.check-write", stream)
            guest("output-stream.write-zeroes", stream, size)
    said = ends(many, most=21)
    assert resident() - start < 512 << 20, resident() - start
""",
        cpu=40.0,
    ),
    attempt(
        "a FIFO that nobody writes or reads, under a deadline",
        """
os.mkfifo("fifo")
for flags in (READ, WRITE, READ | WRITE):
    guest = begin_in(".", seconds=1)
    root = guest.root()
    with within(4):
        said = ends(lambda: guest.open(root, "fifo", flags), most=2)
    print(flags, said)
    if isinstance(said, tuple) and said[0] == "ok":
        fd = said[1]
        for name in ("read-via-stream", "write-via-stream"):
            with within(4):
                got = ends(lambda: guest("descriptor." + name, fd, 0), most=2)
            print(name, got)
            if isinstance(got, tuple) and got[0] == "ok":
                with within(4):
                    if name[0] == "r":
                        print(ends(lambda: guest("input-stream.blocking-read", got[1], 10), most=2))
                    else:
                        def fill():
                            while True:
                                if guest("output-stream.blocking-write-and-flush", got[1], b"x" * 4096)[0] == "err":
                                    return
                        print(ends(fill, most=2))
        with within(4):
            print(ends(lambda: guest("descriptor.read", fd, 10, 0), most=2))
""",
        cpu=15.0,
    ),
    attempt(
        "devices without end: a read, a skip and a splice of /dev/zero",
        """
for name in ("skip", "blocking-skip", "read", "blocking-read"):
    guest = begin(seconds=1, stdin=open("/dev/zero", "rb"))
    stream = guest("get-stdin")
    def forever():
        for _ in range(300):
            assert guest("input-stream." + name, stream, 1 << 62)[0] == "ok"
    with within(5):
        print(name, ends(forever, most=4))
guest = begin(seconds=1, stdin=open("/dev/zero", "rb"), stdout=open("/dev/null", "wb"))
out, stream = guest("get-stdout"), guest("get-stdin")
def one():
    guest("output-stream.blocking-splice", out, stream, 1 << 62)
with within(5):
    print(ends(one, most=2))
guest = begin_in("/dev", seconds=1)
root = guest.root()
for device in ("zero", "null", "urandom", "full", "tty", "stdin", "fd/0", "../etc/passwd", "shm", "ptmx"):
    said = guest.open(root, device, READ)
    print(device, said)
    if said[0] == "ok":
        print(ends(lambda: guest("descriptor.read", said[1], 1 << 62, 0), most=2) if device != "x" else None)
        if last[0] is not guest:
            break
""",
        cpu=20.0,
    ),
    attempt(
        "ten thousand random orders: made, used, dropped, in any order",
        """
chance = random.Random(11)
ended, fds = {}, len(os.listdir("/proc/self/fd"))
for turn in range(60):
    guest = begin_in(MemoryDirectory() if turn % 2 else ".", seconds=5, stdin=b"abc" * 100)
    root, fd = file(guest, b"content" * 100)
    handles = [("descriptor", root), ("descriptor", fd)]
    for step in range(200):
        kind, handle = chance.choice(handles)
        other_kind, other = chance.choice(handles)
        def do():
            which = chance.randrange(14)
            if which == 0:
                handles.append(("input-stream", guest("get-stdin")))
            elif which == 1:
                handles.append(("output-stream", guest("get-stdout")))
            elif which == 2 and kind == "descriptor":
                tag, got = guest("descriptor." + chance.choice(("read-via-stream", "write-via-stream")), handle, chance.choice((0, 3, 1 << 40)))
                if tag == "ok":
                    handles.append((chance.choice(("input-stream", "output-stream")), got))
            elif which == 3 and kind == "descriptor":
                tag, got = guest("descriptor.read-directory", handle)
                if tag == "ok":
                    handles.append(("directory-entry-stream", got))
            elif which == 4 and kind in ("input-stream", "output-stream"):
                handles.append(("pollable", guest(kind + ".subscribe", handle)))
            elif which == 5 and kind == "pollable":
                guest("pollable.ready", handle)
            elif which == 6 and kind == "pollable" and other_kind == "pollable":
                if guest("pollable.ready", handle):
                    poll(guest, [handle, other])
            elif which == 7 and kind == "output-stream" and other_kind == "input-stream":
                guest("output-stream.check-write", handle)
                guest("output-stream.splice", handle, other, chance.choice((0, 5, 1 << 50)))
            elif which == 8 and kind == "directory-entry-stream":
                guest("directory-entry-stream.read-directory-entry", handle)
            elif which == 9 and kind == "output-stream":
                guest("output-stream.check-write", handle), guest("output-stream.write", handle, b"xyz")
            elif which in (10, 11):
                guest("drop " + kind, handle)
                handles.remove((kind, handle))
            elif which == 12 and kind == "input-stream":
                guest("input-stream.read", handle, chance.choice((0, 1, 1 << 63)))
            elif which == 13 and kind == "descriptor" and other_kind == "descriptor":
                guest("descriptor.is-same-object", handle, other), guest("descriptor.link-at", handle, 0, "file", other, "link%d" % step), guest("descriptor.unlink-file-at", handle, "link%d" % step)
        said = ends(do, most=1)
        ended[type(said).__name__] = ended.get(type(said).__name__, 0) + 1
        if isinstance(said, Exception) or not handles:
            break
    guest.close()
    last.clear()
gc.collect()
print(ended)
assert len(os.listdir("/proc/self/fd")) <= fds + 2, (fds, len(os.listdir("/proc/self/fd")))
""",
        cpu=25.0,
    ),
    attempt(
        "a pipe whose reader is gone, a closed input, and a full disk",
        """
for name, arguments in (("blocking-write-and-flush", (b"x" * 4096,)), ("blocking-write-zeroes-and-flush", (4096,)), ("blocking-splice", None)):
    read_end, write_end = os.pipe()
    guest = begin(seconds=2, stdin=b"x" * 100000, stdout=open(write_end, "wb", buffering=0))
    out, source = guest("get-stdout"), guest("get-stdin")
    os.close(read_end)
    said = ends(lambda: [guest("output-stream." + name, out, *(arguments if arguments is not None else (source, 4096))) for _ in range(20)], most=1)
    print(name, said[-1] if isinstance(said, list) else said)
    if isinstance(said, list):
        assert all(each[0] == "err" for each in said), said
for stdout in (open("/dev/full", "wb", buffering=0), open("/dev/full", "wb")):
    guest = begin(seconds=2, stdout=stdout)
    out = guest("get-stdout")
    said = ends(lambda: [guest("output-stream.blocking-write-and-flush", out, b"x" * 4096) for _ in range(10)], most=1)
    print(said)
    failed = [each[1] for each in said if isinstance(each, tuple) and each[0] == "err"] if isinstance(said, list) else []
    for code in failed:
        if isinstance(code, tuple):
            text = guest("error.to-debug-string", code[1])
            assert not raw(text), text
    try:
        guest.close()
    except OSError as error:
        print("closing", error)
    last.clear()
    try:
        stdout.close()
    except OSError:
        pass
""",
    ),
    attempt(
        "polls of four thousand timers, again and again",
        """
guest = begin(seconds=1)
def storm():
    handles = [guest("subscribe-duration", 10**15 + n) for n in range(4000)] + [guest("subscribe-instant", 0)]
    for _ in range(20):
        assert poll(guest, handles[-4096:])
with within(6):
    print(ends(storm, most=3))
guest = begin(seconds=1)
def short():
    for _ in range(1000):
        guest("pollable.block", guest("subscribe-duration", 1))
with within(6):
    print(ends(short, most=3))
guest = begin(seconds=1)
def ready():
    one = guest("subscribe-duration", 10**15)
    for _ in range(1000):
        assert not guest("pollable.ready", one)
with within(6):
    print(ends(ready, most=3))
for when in (0, 1, (1 << 64) - 1, (1 << 64) - 2, (1 << 63) - 1):
    guest = begin(seconds=0.3)
    def wait():
        one, two = guest("subscribe-duration", when), guest("subscribe-instant", when)
        return poll(guest, [one, two])
    with within(5):
        print(when, ends(wait, most=2))
""",
        cpu=12.0,
        engines=("compile", "interpret"),
    ),
    attempt(
        "ten thousand names: listed, hashed and removed under a deadline",
        """
folder = MemoryDirectory()
guest = begin_in(folder, seconds=60)
root = guest.root()
for number in range(10_000):
    guest("drop descriptor", guest.opened(root, "%0200d" % number, READ | WRITE, CREATE))
guest = begin_in(folder, seconds=1, memory=256 << 20)
root = guest.root()
def entries():
    stream = guest.got("descriptor.read-directory", root)
    for _ in range(2000):
        assert guest.got("directory-entry-stream.read-directory-entry", stream) is not None
with within(20):
    print(ends(entries, most=10))
guest = begin_in(folder, seconds=1, memory=256 << 20, listings=1 << 20)
root = guest.root()
print(ends(lambda: guest("descriptor.read-directory", root), most=2))
guest = begin_in(folder, seconds=1, memory=256 << 20)
root = guest.root()
start = resident()
with within(20):
    print(ends(lambda: [guest("descriptor.read-directory", root) for _ in range(300)], most=10))
assert resident() - start < 300 << 20, (resident() - start) >> 20
""",
        cpu=40.0,
    ),
    attempt(
        "paths that are long, deep, hostile, and go out",
        """
os.mkdir("in"), open("secret", "w").write("SECRET"), os.symlink("../secret", "in/link"), os.symlink("/etc/passwd", "in/abs"), os.symlink("loop", "in/loop"), os.symlink("..", "in/up")
guest = begin_in("in", seconds=5)
root = guest.root()
PATHS = ("../secret", "/etc/passwd", "link", "abs", "loop", "up/secret", "./../secret", "a/../../secret", "in/../../secret", "", ".", "..", "/", "//", "x" * 5000, "a/" * 2000, "../" * 2000, "a\\0b", "\\0", HOSTILE.encode("utf-8", "replace").decode(), "..\\\\secret", "C:\\\\x", ".//..//secret", "up/../secret", "link/", "link/.", "/proc/self/fd/0", "/proc/self/root/etc/passwd", "up/up/etc/passwd")
for path in PATHS:
    for follow in (0, 1):
        for call in (lambda: guest.open(root, path, READ, 0, follow), lambda: guest.open(root, path, READ | WRITE, CREATE, follow), lambda: guest.open(root, path, READ, DIRECTORY, follow), lambda: guest("descriptor.stat-at", root, follow, path), lambda: guest("descriptor.metadata-hash-at", root, follow, path), lambda: guest("descriptor.readlink-at", root, path), lambda: guest("descriptor.link-at", root, follow, path, root, "made"), lambda: guest("descriptor.rename-at", root, path, root, "moved"), lambda: guest("descriptor.symlink-at", root, path, "sym"), lambda: guest("descriptor.create-directory-at", root, path), lambda: guest("descriptor.set-times-at", root, follow, path, 1, 0, 0, 1, 0, 0), lambda: guest("descriptor.unlink-file-at", root, path), lambda: guest("descriptor.remove-directory-at", root, path)):
            said = ends(call, tuple, most=1)
            if said[0] == "ok" and isinstance(said[1], int):
                got = guest("descriptor.read", said[1], 100, 0)
                assert b"SECRET" not in str(got).encode() and "root:" not in str(got), (path, got)
assert open("secret").read() == "SECRET" and sorted(os.listdir(".")) == ["in", "secret"], os.listdir(".")
for note in guest.notes:
    assert not raw(note, "\\n"), note
""",
        cpu=12.0,
    ),
    attempt(
        "one guest's handles in another's hands, through a linker that closes the first",
        """
TEXT = '''(module (import "wasi:cli/stdout@0.2.0" "get-stdout" (func $out (result i32))) (import "wasi:io/streams@0.2.0" "[method]output-stream.check-write" (func $check (param i32 i32)))
  (import "wasi:io/streams@0.2.0" "[method]output-stream.subscribe" (func $sub (param i32) (result i32))) (import "wasi:io/streams@0.2.0" "[resource-drop]output-stream" (func $drop (param i32))) (import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32))) (import "wasi:io/poll@0.2.0" "[method]pollable.ready" (func $ready (param i32) (result i32)))
  (import "wasi:io/poll@0.2.0" "poll" (func $poll (param i32 i32 i32))) (import "wasi:io/poll@0.2.0" "[resource-drop]pollable" (func $dropp (param i32)))
  (memory (export "memory") 2) (global $top (mut i32) (i32.const 65536)) (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (global.get $top))
  (func (export "out") (result i32) (call $out)) (func (export "check") (param i32) (call $check (local.get 0) (i32.const 64))) (func (export "sub") (param i32) (result i32) (call $sub (local.get 0))) (func (export "drop") (param i32) (call $drop (local.get 0))) (func (export "block") (param i32) (call $block (local.get 0))) (func (export "ready") (param i32) (result i32) (call $ready (local.get 0)))
  (func (export "poll") (param i32 i32 i32) (call $poll (local.get 0) (local.get 1) (local.get 2))) (func (export "dropp") (param i32) (call $dropp (local.get 0))))'''
module = Module.from_text(TEXT)
for close in (False, True):
    with Linker(wasi=Wasi(stdout=Capture()), engine=ENGINE, limits=Limits(seconds=1)) as linker:
        a, b = linker.instantiate(module, "a"), linker.instantiate(module, "b")
        out = a.exports.out()
        one = a.exports.sub(out)
        if close:
            a.close()
        for call in (lambda: b.exports.check(out), lambda: b.exports.ready(one), lambda: b.exports.block(one), lambda: b.exports.drop(one), lambda: b.exports.dropp(out), lambda: b.exports.drop(out), lambda: b.exports.drop(out), lambda: b.exports.ready(one), lambda: b.exports.dropp(one), lambda: b.exports.dropp(one)):
            ends(call, most=1)
for at, count, answer in ((0, 0, 64), (0, 1, 64), (0xfffffffc, 1, 64), (0, 0x40000000, 64), (0, 0x40000001, 64), (0, 0xffffffff, 64), (2, 1, 64), (0, 1, 0xfffffffe), (0, 1, 131070), (131068, 2, 64), (0, 4096, 64), (0, 4097, 64), (0, 16384, 64)):
    with module.instantiate(wasi=Wasi(stdout=Capture()), engine=ENGINE, limits=Limits(seconds=1)) as a:
        one = a.exports.sub(a.exports.out())
        a.memory.write(0, struct.pack("<I", one) * 16000)
        print(at, count, repr(ends(lambda: a.exports.poll(at, count, answer), most=1))[:120])
""",
        cpu=10.0,
        engines=("compile", "interpret"),
    ),
    attempt(
        "an allocator that answers wildly, traps, never ends, and calls back",
        """
def guest_of(body, pages=2, grow=""):
    return Module.from_text(f'''(module (import "wasi:random/random@0.2.0" "get-random-bytes" (func $random (param i64 i32))) (import "wasi:cli/environment@0.2.0" "get-arguments" (func $args (param i32)))
      (memory (export "memory") {pages}) (global $n (mut i32) (i32.const 0)) (func (export "cabi_realloc") (param $old i32) (param $was i32) (param $align i32) (param $size i32) (result i32) (global.set $n (i32.add (global.get $n) (i32.const 1))) {body})
      (func (export "random") (param i64) (param i32) (call $random (local.get 0) (local.get 1))) (func (export "args") (param i32) (call $args (local.get 0))) (func (export "n") (result i32) (global.get $n)))''')
BODIES = {"zero": "(i32.const 0)", "the end": "(i32.const -1)", "just beyond": "(i32.const 131072)", "unaligned": "(i32.const 65537)", "the answer": "(i32.const 64)", "a trap": "(unreachable)", "a loop": "(loop (br 0)) (unreachable)", "itself": "(call $random (i64.const 10) (i32.const 64)) (i32.const 1024)", "arguments": "(call $args (i32.const 64)) (i32.const 1024)", "shrinks to nothing": "(drop (memory.grow (i32.const 1000))) (i32.const 200000)", "grows until refused": "(loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (i32.const 1024)"}
for name, body in BODIES.items():
    module = guest_of(body)
    for size in (0, 1, 10, 70_000, 1 << 20, 1 << 32, (1 << 64) - 1):
        for answer in (64, 0xfffffffc, 131070, 3):
            with module.instantiate(wasi=Wasi(args=["x" * 100] * 100), engine=ENGINE, limits=Limits(seconds=0.3, memory=64 << 20)) as guest:
                ends(lambda: guest.exports.random(size, answer), most=1)
    with module.instantiate(wasi=Wasi(args=["x" * 100] * 20_000), engine=ENGINE, limits=Limits(seconds=0.5, memory=64 << 20)) as guest:
        print(name, repr(ends(lambda: guest.exports.args(64), most=1.5))[:100])
""",
        cpu=40.0,
    ),
    attempt(
        "limits of output and calls, by every way of writing",
        """
WAYS = {"write": lambda g, o, s: (g("output-stream.check-write", o), g("output-stream.write", o, b"x" * 900)), "zeroes": lambda g, o, s: (g("output-stream.check-write", o), g("output-stream.write-zeroes", o, 900)), "flush": lambda g, o, s: g("output-stream.blocking-write-and-flush", o, b"x" * 900), "zeroes and flush": lambda g, o, s: g("output-stream.blocking-write-zeroes-and-flush", o, 900), "splice": lambda g, o, s: (g("output-stream.check-write", o), g("output-stream.splice", o, s, 900)), "blocking splice": lambda g, o, s: g("output-stream.blocking-splice", o, s, 900)}
for name, way in WAYS.items():
    out, err = Capture(), Capture()
    while last:
        last.pop().close()
    guest = Ours(Wasi(stdin=b"y" * 90_000, stdout=out, stderr=err), Limits(seconds=5, output=1000), engine=ENGINE)
    last.append(guest)
    streams, source = (guest("get-stdout"), guest("get-stderr"), guest("get-stdout")), guest("get-stdin")
    def storm():
        for number in range(30):
            way(guest, streams[number % 3], source)
    print(name, repr(ends(storm, most=2))[:100], len(out.value) + len(err.value))
    assert len(out.value) + len(err.value) <= 1000
    guest.close()
    guest = Ours(Wasi(stdin=b"y" * 90_000, stdout=Capture()), Limits(seconds=5, host_calls=50), engine=ENGINE)
    last.append(guest)
    def calls():
        o, s = guest("get-stdout"), guest("get-stdin")
        for _ in range(60):
            way(guest, o, s)
    ends(calls, HostCallsError, most=2)
""",
        cpu=10.0,
        engines=("compile", "interpret"),
    ),
    attempt(
        "a host's thread closes the guest amid every kind of wait",
        """
read_end, write_end = os.pipe()
KINDS = {"read": lambda g: g("input-stream.blocking-read", g("get-stdin"), 10), "skip": lambda g: g("input-stream.blocking-skip", g("get-stdin"), 10), "poll": lambda g: poll(g, [g("input-stream.subscribe", g("get-stdin")), g("subscribe-duration", 10**15)]), "timer": lambda g: g("pollable.block", g("subscribe-duration", 10**15)), "splice": lambda g: g("output-stream.blocking-splice", g("get-stdout"), g("get-stdin"), 10)}
for name, kind in KINDS.items():
    for seconds in (2.0,):
        guest = Ours(Wasi(stdin=open(read_end, "rb", closefd=False), stdout=Capture()), Limits(seconds=seconds), engine=ENGINE)
        said = []
        thread = threading.Thread(target=lambda: said.append(ends(lambda: kind(guest), most=2)))
        thread.start()
        time.sleep(0.2)
        closer = threading.Thread(target=lambda: ends(guest.close, most=2))
        closer.start()
        thread.join(6), closer.join(6)
        assert not thread.is_alive() and not closer.is_alive(), name
        print(name, repr(said)[:150])
        guest.close()
""",
        cpu=15.0,
        engines=("compile", "interpret"),
    ),
]
