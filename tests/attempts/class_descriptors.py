# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts to leave descriptors open, or to keep memory by opening, at the edge of the stack or in directories."""

from __future__ import annotations

from .harness import Attempt

START = """
import gc, os, resource, socket, struct, sys, tempfile, time
from pywasm_nn import *
from tests.attempts.kit import *
alarm_after(100)
folder = os.path.abspath("guest")
os.mkdir(folder)
open(folder + "/f", "w").close()
def opened():
    return len(os.listdir("/proc/self/fd"))
with Guest(ENGINE, wasi=Wasi(dirs={"/": folder})) as warm:
    warm.open(b"f")
loose = Limits(seconds=30)
"""
DEEP = """
more = '''(func $deep (export "deep") (param $n i32) (result i32)
  (if (result i32) (i32.eqz (local.get $n))
    (then (call $CALL))
    (else (call $deep (i32.sub (local.get $n) (i32.const 1))))))'''
def deep(call, limits, before=None, steps=40, **provided):
    # the depth at which nothing fits any more is found first, then each of those before it
    before = before or (lambda g: None)
    def at(depth):
        with Guest(ENGINE, limits=limits, more=more.replace("(call $CALL)", call), **provided) as g:
            before(g)
            start = opened()
            try:
                code = g("deep", depth)
            except (ExhaustionError, LimitError) as error:
                return str(error)[:60], opened() - start
            return code, 0
    low, high = 0, limits.call_depth + 5
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if isinstance(at(middle)[0], str) else (middle, high)
    start = opened()
    seen = [at(depth) for depth in range(max(0, low - steps), high + 5)]
    leaked = [each for each in seen if each[1]]
    assert not leaked, leaked
    assert opened() <= start, (opened(), start)
    print(low, seen[0], seen[-1])
"""
PATH_OPEN = (
    "(call $path_open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 1) (i32.const 0) (i64.const 2)"
    " (i64.const 2) (i32.const 0) (i32.const 64))"
)


def attempt(name: str, source: str, cpu: float = 3.0, **more: object) -> Attempt:
    return Attempt(f"descriptors: {name}", START + source, cpu, **more)  # type: ignore[arg-type]


def edge(name: str, call: str, limits: str, before: str = "g.put(1024, b'f')", provided: str = "") -> Attempt:
    return attempt(
        f"at the edge, {name}",
        f"{DEEP}\ndeep({call!r}, {limits}, lambda g: {before}, {provided or 'wasi=Wasi(dirs={chr(47): folder})'})\n",
        cpu=20.0,  # the edge is looked for
    )


ATTEMPTS = [
    edge("path_open, call_depth 300", PATH_OPEN, "Limits(call_depth=300, seconds=30)"),
    edge("path_open, call_depth 5,000", PATH_OPEN, "Limits(call_depth=5000, seconds=30)"),
    edge(
        "making a directory and a file",
        PATH_OPEN.replace("(i32.const 0) (i64.const 2)", "(i32.const 1) (i64.const 2)"),
        "Limits(call_depth=200, seconds=30)",
        "g.put(1024, b'n')",
    ),
    edge(
        "path_open in memory",
        PATH_OPEN.replace("(i32.const 0) (i64.const 2)", "(i32.const 1) (i64.const 2)"),
        "Limits(call_depth=200, seconds=30)",
        provided="wasi=Wasi(dirs={'/': MemoryDirectory()})",
    ),
    edge(
        "fd_readdir",
        "(call $fd_readdir (i32.const 3) (i32.const 4096) (i32.const 4096) (i64.const 0) (i32.const 64))",
        "Limits(call_depth=300, seconds=30)",
    ),
    attempt(
        "at the edge, by recursion of Python's own",
        """
module = forwarding("wasi_snapshot_preview1", WASI)
def down(levels, act):
    return act() if not levels else down(levels - 1, act)
with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": folder})) as g:
    g.put(1024, b"f")
    start, counted = opened(), 0
    for levels in range(sys.getrecursionlimit() - 250, sys.getrecursionlimit()):
        try:
            down(levels, lambda: g("path_open", 3, 0, 1024, 1, 0, 2, 2, 0, 64))
        except (RecursionError, ExhaustionError):
            continue
        except Trap as error:
            raise AssertionError(error)
        counted += 1
    assert opened() - start <= counted, (opened() - start, counted)
assert opened() < start + 3
""",
    ),
    attempt(
        "all that a process has, with the default limits",
        """
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
with Guest(ENGINE, limits=Limits(), wasi=Wasi(dirs={"/": folder})) as g:
    codes = [g.open(b"f") for _ in range(1000)]
    assert codes[-1] < 0, codes[-1]
    open("of the host", "w").close()
    keep = [socket.socket() for _ in range(5)]
    import subprocess
    subprocess.run(["true"], check=True)
    with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": folder})) as other:
        assert other.open(b"f") > 0, "another guest has none"
""",
    ),
    attempt(
        "all that a process has, by several guests",
        """
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
guests = []
for _ in range(6):
    try:
        g = Guest(ENGINE, limits=Limits(), wasi=Wasi(dirs={"/": folder}))
    except OSError as error:
        raise AssertionError(f"no guest can begin: {error}")
    guests.append(g)
    codes = [g.open(b"f") for _ in range(300)]
    assert codes[0] > 0 and codes[-1] == -41, (len(guests), codes)
open("of the host", "w").close()
for g in guests:
    g.instance.close()
with Guest(ENGINE, limits=Limits(), wasi=Wasi(dirs={"/": folder})) as g:
    taken = sum(g.open(b"f") > 0 for _ in range(300))
    assert taken > 80, taken
    for fd in range(4, 4 + taken):
        assert g("fd_close", fd) == 0
    assert sum(g.open(b"f") > 0 for _ in range(300)) == taken
""",
    ),
    attempt(
        "directories and connections of one guest that leave others none",
        """
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
os.mkdir(folder + "/d")
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": folder}, listen=[f"127.0.0.1:{port}"])) as g:
    fd = 4
    while True:  # each in the one before
        fd = g.open(b"." if fd > 4 else b"d", DIRECTORY, fd=fd)
        if fd < 0:
            break
    assert fd == -41, fd
    with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": folder})) as other:
        assert other.open(b"f") > 0
        peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        codes = [g("sock_accept", 3, 4, 0) for _ in range(20)]
        assert codes == [41] * 20, codes
        assert other.open(b"f") > 0
""",
    ),
    attempt(
        "paths that are deeper than there are descriptors",
        """
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
with Guest(ENGINE, limits=loose, pages=4, wasi=Wasi(dirs={"/": folder})) as g:
    path = b""
    for _ in range(300):
        path += b"d/"
        g.put(70000, path)
        if g("path_create_directory", 3, 70000, len(path) - 1):
            break
    start = opened()
    for ending in (b"", b"../" * 50, b"x", b"../" * 400):
        g.put(70000, path + ending)
        g("path_filestat_get", 3, 1, 70000, len(path + ending), 0)
        g("path_unlink_file", 3, 70000, len(path + ending))
    assert opened() == start
""",
    ),
    attempt(
        "calls of path_open that fail late",
        """
os.mkdir(folder + "/d")
os.mkfifo(folder + "/p")
os.symlink("f", folder + "/l")
with Guest(ENGINE, limits=Limits(seconds=30, descriptors=8), wasi=Wasi(dirs={"/": folder})) as g:
    start = opened()
    for name in (b"f", b"d", b"l", b"p", b"none", b"d/..", b".", b"f/x"):
        for oflags in range(16):
            for flags in (0, 1, 2, 4, 8, 16):
                if name == b"p" and not flags & 4:
                    continue
                try:
                    fd = g.open(name, oflags, flags=flags)
                except Trap:
                    continue
                if fd > 0:
                    assert g("fd_close", fd) == 0
    assert opened() <= start, (opened(), start)
    g.put(1024, b"f")
    for _ in range(50):
        g("path_open", 3, 1, 1024, 1, 0, 2, 2, 0, 64)
    held = opened()
    assert held - start <= 8, held - start
    for pointer in (1 << 31, (1 << 32) - 1, 131072 - 2):
        for _ in range(20):
            try:
                g("path_open", 3, 1, 1024, 1, 0, 2, 2, 0, pointer)
            except Trap:
                pass
    assert opened() == held
""",
        cpu=6.0,
    ),
    attempt(
        "fd_renumber to and from everywhere",
        """
with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": folder})) as g:
    start = opened()
    for target in (0, 1, 2, 3, 4, 5, 100, 1 << 20, 1 << 31, (1 << 32) - 1):
        for _ in range(30):
            fd = g.open(b"f")
            if fd < 0:
                break
            g("fd_renumber", fd, target)
            g("fd_renumber", target, fd)
            g("fd_renumber", target, target)
            g("fd_close", fd)
    print(opened() - start)
    assert opened() - start < 12
assert opened() <= start
""",
    ),
    attempt(
        "a guest that is stopped while it opens: fuel, time, calls of the host",
        """
import random
more = '''(func (export "again") (loop $on (drop OPEN) (br $on)))'''.replace("OPEN", CALL)
start = opened()
for limits in (Limits(fuel=1), Limits(fuel=12), Limits(fuel=13), Limits(fuel=14), Limits(host_calls=7),
               *(Limits(seconds=each / 200) for each in range(1, 25)), Limits(descriptors=5, fuel=2000)):
    try:
        g = Guest(ENGINE, limits=limits, more=more, wasi=Wasi(dirs={"/": folder}))
    except LimitError:
        continue
    g.put(1024, b"f")
    try:
        g.instance.exports.again()
    except LimitError:
        pass
    g.instance.close()
    assert opened() <= start, (limits, opened(), start)
""".replace("CALL", repr(PATH_OPEN)),
        cpu=8.0,
    ),
    attempt(
        "instances that never come to life",
        """
module = Module.from_text('''(module (import "wasi_snapshot_preview1" "fd_close" (func (param i32) (result i32)))
  (import "x" "y" (func)))''')
traps = Module.from_text('''(module (import "wasi_snapshot_preview1" "fd_close" (func (param i32) (result i32)))
  (func $s unreachable) (start $s))''')
start = opened()
for _ in range(30):
    for each in (module, traps):
        try:
            each.instantiate(engine=ENGINE, wasi=Wasi(dirs={"/": folder, "/b": folder}))
        except WasmError:
            pass
    for _ in range(2):
        try:
            traps.instantiate(engine=ENGINE, wasi=Wasi(dirs={"/": folder, "/none": folder + "/none"}))
        except (WasmError, OSError):
            pass
gc.collect()
assert opened() <= start, (opened(), start)
""",
    ),
    attempt(
        "guests that are dropped without being closed",
        """
start = opened()
for _ in range(50):
    g = Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": folder}))
    for _ in range(5):
        g.open(b"f")
    del g
gc.collect()
assert opened() <= start + 2, (opened(), start)
""",
        cpu=4.0,
    ),
    attempt(
        "open, remove and keep, in memory",
        """
place = MemoryDirectory(limit=16 << 20)
with Guest(ENGINE, limits=loose, pages=4, wasi=Wasi(dirs={"/": place})) as g:
    written = 0
    for number in range(100):
        fd = g.open(b"f", CREATE)
        if fd < 0:
            break
        g("fd_filestat_set_size", fd, 8 << 20)
        g.vectors(8192, 1, 65536, 65536)
        if not g("fd_pwrite", fd, 8192, 1, (8 << 20) - 65536, 0):
            written += 8 << 20
        g.path("path_unlink_file", b"f")
    print(number, written)
    assert written <= 16 << 20, written
""",
        peak=200 << 20,
    ),
    attempt(
        "open, rename over and keep, in memory",
        """
place = MemoryDirectory(limit=16 << 20)
with Guest(ENGINE, limits=loose, pages=4, wasi=Wasi(dirs={"/": place})) as g:
    g.vectors(8192, 1, 65536, 65536)
    kept = 0
    for number in range(60):
        fd = g.open(b"a", CREATE)
        if fd < 0 or g("fd_pwrite", fd, 8192, 1, 4 << 20, 0):
            break
        kept += 4 << 20
        g.put(2048, b"b")
        g.path("path_rename", b"a", 3, 2048, 1)
    assert kept <= 16 << 20, kept
""",
        peak=200 << 20,
    ),
    attempt(
        "sparse files in memory",
        """
for size in (1 << 28, 1 << 29, 1 << 40, (1 << 62) + 5, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
    with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": MemoryDirectory()})) as g:
        fd = g.open(b"f", CREATE)
        g("fd_filestat_set_size", fd, size)
        g("fd_allocate", fd, 0, size)
        g("fd_allocate", fd, size, 1)
        g("fd_seek", fd, size, 0, 0)
        g.vectors(8192, 1, 65536, 1)
        g("fd_write", fd, 8192, 1, 0)
        g("fd_pwrite", fd, 8192, 1, size, 0)
""",
        cpu=4.0,
        peak=700 << 20,
    ),
    attempt(
        "two hundred thousand names in memory",
        """
more = '''(func (export "names") (param $n i32) (loop $on
  (i32.store (i32.const 1024) (i32.add (i32.and (local.get $n) (i32.const 0x3f3f3f3f)) (i32.const 0x40404040)))
  (i32.store (i32.const 1028) (i32.add (i32.and (i32.shr_u (local.get $n) (i32.const 6)) (i32.const 0x3f3f3f)) (i32.const 0x404040)))
  (drop (call $path_create_directory (i32.const 3) (i32.const 1024) (i32.const 7)))
  (br_if $on (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))'''
place = MemoryDirectory(limit=10 << 20)
with Guest(ENGINE, limits=loose, more=more, wasi=Wasi(dirs={"/": place})) as g:
    g.instance.exports.names(60_000)
    before = g.open(b"new", CREATE)
    print(before)
    assert before == -51, "more names than its limit"
""",
        cpu=12.0,
        peak=150 << 20,
    ),
    attempt(
        "a tree in memory that is deeper than Python's recursion",
        """
place = MemoryDirectory()
g = Guest(ENGINE, limits=Limits(seconds=60), wasi=Wasi(dirs={"/": place}))
fd = 3
for _ in range(3000):
    assert g.path("path_create_directory", b"d", fd=fd) == 0
    inner = g.open(b"d", DIRECTORY, fd=fd)
    assert inner > 0, inner
    if fd > 3:
        g("fd_close", fd)
    fd = inner
g.open(b"f", CREATE, fd=fd)
for look in (lambda: list(place), lambda: len(place), lambda: repr(place), lambda: dict(place), lambda: "x" in place,
             lambda: place["d/" * 5000 + "f"], lambda: place.get("d/" * 6000), lambda: place == place):
    try:
        look()
    except KeyError:
        pass
g.put(2048, b"d")
print(g("path_rename", 3, 2048, 1, fd, 2048, 1))
g.instance.close()
del g, place
gc.collect()
""",
        cpu=20.0,
    ),
    attempt(
        "a directory that is moved into itself, in memory",
        """
place = MemoryDirectory({"a/b/c/": b""})
with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": place})) as g, within(30):
    inner = g.open(b"a/b/c", DIRECTORY)
    assert inner > 0, inner
    for new in (b"a/b/c/a", b"a/a", b"a/b/../a", b"a/b/c/../../x", b"a/."):
        g.put(2048, new)
        assert g.path("path_rename", b"a", 3, 2048, len(new)) != 0, new
    g.put(2048, b"me")
    assert g.path("path_rename", b"a", inner, 2048, 2) != 0
    assert list(place) == []
""",
    ),
    attempt(
        "listings that are kept",
        """
place = MemoryDirectory({f"{number:0200}": b"" for number in range(5000)})
with Guest(ENGINE, limits=loose, wasi=Wasi(dirs={"/": place})) as g:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(520):
        fd = g.open(b".", DIRECTORY)
        if fd < 0:
            break
        g("fd_readdir", fd, 65536, 300, 0, 8)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert number > 500, (number, fd)
    assert grown < 300_000, f"{grown} KiB"
""",
        cpu=15.0,
        peak=600 << 20,
    ),
    attempt(
        "links without end, and long names, in memory",
        """
place = MemoryDirectory(limit=4 << 20)
with Guest(ENGINE, limits=loose, pages=600, wasi=Wasi(dirs={"/": place})) as g:
    kept = 0
    for number in range(400):
        g.put(1024, b"l%d" % number)
        if g("path_symlink", 65536, 1 << 20, 3, 1024, len(b"l%d" % number)) == 0:
            kept += 1 << 20
    assert kept <= 4 << 20, kept
    g.open(b"f", CREATE)
    for number in range(30_000):
        new = b"h%d" % number
        g.put(1024, b"f")
        g.put(2048, new)
        if g("path_link", 3, 0, 1024, 1, 3, 2048, len(new)):
            break
    assert number < 20_000, "links cost nothing"
""",
        cpu=15.0,
        peak=200 << 20,
    ),
    attempt(
        "a hundred accepted connections whose guest is gone",
        """
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
start = opened()
g = Guest(ENGINE, limits=Limits(seconds=30, descriptors=20), wasi=Wasi(listen=[f"127.0.0.1:{port}"]))
peers = []
for _ in range(40):
    peers.append(socket.create_connection(("127.0.0.1", port)))
    g("sock_accept", 3, 4, 0)
assert opened() - start <= 40 + 21, opened() - start
g.instance.close()
for peer in peers:
    peer.close()
assert opened() <= start, (opened(), start)
""",
    ),
]

SLOW: list[Attempt] = []
OPEN: list[Attempt] = []
