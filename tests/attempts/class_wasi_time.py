# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts to make a call of WASI last beyond the deadline."""

from __future__ import annotations

from .harness import Attempt

START = """
import os, socket, struct, tempfile, threading, time
from pywasm_nn import Capture, DeadlineError, Dir, LimitError, Limits, MemoryDirectory, Trap, Wasi, WasmError
from tests.attempts.kit import *
alarm_after(60)
"""


def attempt(name: str, source: str, **more: object) -> Attempt:
    return Attempt(f"wasi time: {name}", START + source, **more)  # type: ignore[arg-type]


GIB = """
limits = Limits(seconds=0.3, memory=1 << 30)
def guest(**more):
    return Guest(ENGINE, limits=limits, pages=16384, wasi=Wasi(**more))
def tried(g, name, *arguments):
    with within(8):
        try:
            return g(name, *arguments)
        except DeadlineError:
            return "deadline"
"""

ATTEMPTS = [
    attempt(
        "fd_write of 1,024 buffers of a gibibyte to /dev/null",
        GIB
        + """
with guest(dirs={"/": "/dev"}) as g:
    fd = g.open(b"null")
    assert fd > 0, fd
    g.vectors(8192, 1024, 0, 1 << 30)
    print(tried(g, "fd_write", fd, 8192, 1024, 0))
""",
    ),
    attempt(
        "fd_pwrite of overlapping buffers to a sparse place of a file in memory",
        GIB
        + """
with guest(dirs={"/": MemoryDirectory()}) as g:
    fd = g.open(b"f", CREATE)
    g.vectors(8192, 1024, 0, 1 << 30)
    print(tried(g, "fd_pwrite", fd, 8192, 1024, 1 << 40, 0))
""",
    ),
    attempt(
        "fd_read of /dev/zero into 1,024 buffers of a gibibyte",
        GIB
        + """
with guest(dirs={"/": "/dev"}) as g:
    fd = g.open(b"zero")
    g.vectors(8192, 1024, 65536, (1 << 30) - 65536)
    print(tried(g, "fd_read", fd, 8192, 1024, 0))
""",
        peak=1600 << 20,
    ),
    attempt(
        "fd_read of /dev/urandom into one buffer of a gibibyte",
        GIB
        + """
with guest(dirs={"/": "/dev"}) as g:
    fd = g.open(b"urandom")
    g.vectors(8192, 1, 65536, (1 << 30) - 65536)
    print(tried(g, "fd_read", fd, 8192, 1, 0))
""",
        peak=1600 << 20,
    ),
    attempt(
        "fd_pread of a sparse host file of a tebibyte",
        GIB
        + """
with tempfile.TemporaryDirectory() as folder, guest(dirs={"/": folder}) as g:
    fd = g.open(b"f", CREATE)
    g("fd_filestat_set_size", fd, 1 << 40)
    g.vectors(8192, 1024, 65536, (1 << 30) - 65536)
    print(tried(g, "fd_pread", fd, 8192, 1024, 5, 0))
""",
        peak=1600 << 20,
    ),
    attempt(
        "random_get of a gibibyte, seeded",
        GIB
        + """
with guest(seed=1) as g:
    print(tried(g, "random_get", 0, 1 << 30))
""",
    ),
    attempt(
        "random_get of a gibibyte from a function of the host's",
        GIB
        + """
with guest(random=os.urandom) as g:
    print(tried(g, "random_get", 0, 1 << 30))
""",
    ),
    attempt(
        "a path of a gibibyte",
        GIB
        + """
for call, before, rest in [
    ("path_create_directory", (), ()), ("path_unlink_file", (), ()), ("path_filestat_get", (1,), (0,)),
    ("path_readlink", (), (0, 8, 16)), ("path_open", (1,), (1, ALL_RIGHTS, ALL_RIGHTS, 0, 16)),
]:
    with guest(dirs={"/": MemoryDirectory()}) as g:
        print(call, tried(g, call, 3, *before, 0, 1 << 30, *rest))
""",
        cpu=4.0,
        peak=1600 << 20,
    ),
    attempt(
        "a path of four million steps in memory",
        GIB
        + """
with guest(dirs={"/": MemoryDirectory({"a/": b""})}) as g:
    step = b"a/../" * 4_000_000
    g.put(65536, step)
    print(tried(g, "path_filestat_get", 3, 1, 65536, len(step), 0))
""",
    ),
    attempt(
        "links in memory that lead on to long ways",
        GIB
        + """
with guest(dirs={"/": MemoryDirectory({"a/": b""})}) as g:
    way = b"a/../" * 200_000
    for number in range(30):
        target = way + b"l%d" % (number + 1)
        g.put(65536, target)
        name = b"l%d" % number
        print(g("path_symlink", 65536, len(target), 3, g.put(1024, name), len(name)))
    print(tried(g, "path_filestat_get", 3, 1, g.put(1024, b"l0"), 2, 0))
""",
    ),
    attempt(
        "links that double at each step",
        GIB
        + """
for place in (MemoryDirectory(), tempfile.mkdtemp()):
    with guest(dirs={"/": place}) as g:
        for number in range(38):
            target, name = b"l%d/../l%d/.." % (number + 1, number + 1), b"l%d" % number
            g.put(65536, target)
            g("path_symlink", 65536, len(target), 3, g.put(1024, name), len(name))
        g.path("path_create_directory", b"l38")
        print(tried(g, "path_filestat_get", 3, 1, g.put(1024, b"l0/../l0"), 8, 0))
""",
    ),
    attempt(
        "opening, reading and writing a FIFO without a peer",
        """
folder = tempfile.mkdtemp()
os.mkfifo(folder + "/pipe")
for rights in (ALL_RIGHTS, 2, 64, 1 << 21):
    for oflags in (0, CREATE, TRUNCATE, CREATE | TRUNCATE):
        with Guest(ENGINE, wasi=Wasi(dirs={"/": folder})) as g, within(8):
            try:
                fd = g.open(b"pipe", oflags, rights=rights)
                if fd > 0:
                    g.vectors(8192, 1, 65536, 60000)
                    for call in ("fd_read", "fd_write"):
                        for _ in range(5):
                            g(call, fd, 8192, 1, 0)
            except DeadlineError:
                pass
            except Trap as error:
                assert "interrupted" in str(error), error
""",
        cpu=6.0,
    ),
    attempt(
        "a FIFO under every other call",
        """
folder = tempfile.mkdtemp()
os.mkfifo(folder + "/pipe")
calls = [("fd_filestat_set_size", 1 << 30), ("fd_allocate", 0, 1 << 30), ("fd_sync",), ("fd_datasync",),
         ("fd_seek", 5, 1, 0), ("fd_tell", 0), ("fd_advise", 0, 100, 3), ("fd_readdir", 0, 4096, 0, 8),
         ("fd_pread", 8192, 1, 0, 0), ("fd_pwrite", 8192, 1, 0, 0), ("fd_fdstat_set_flags", 4),
         ("fd_fdstat_set_flags", 0), ("fd_filestat_get", 512), ("fd_filestat_set_times", 1, 1, 5),
         ("fd_write", 8192, 3, 0), ("fd_read", 8192, 1, 0), ("sock_recv", 8192, 1, 2, 0, 4),
         ("sock_send", 8192, 1, 0, 0), ("sock_shutdown", 3), ("sock_accept", 0, 0)]
for call, *rest in calls:
    with Guest(ENGINE, wasi=Wasi(dirs={"/": folder})) as g, within(8):
        try:
            fd = g.open(b"pipe", rights=ALL_RIGHTS)
            g.vectors(8192, 3, 65536, 65536)
            if fd > 0:
                g(call, fd, *rest)
        except DeadlineError:
            pass
""",
        cpu=6.0,
    ),
    attempt(
        "standard input that nobody writes",
        """
def pipe():
    read, write = os.pipe()
    keep.append(write)
    return os.fdopen(read, "rb"), write
def buffered():
    read, write = os.pipe()
    keep.append(write)
    return os.fdopen(read, "rb", 0), write
def pair():
    a, b = socket.socketpair()
    keep.extend([a, b])
    return a.makefile("rb"), b
def terminal():
    master, slave = os.openpty()
    keep.append(master)
    return os.fdopen(slave, "rb", 0), master
keep = []
for make in (pipe, buffered, pair, terminal):
    stdin, _ = make()
    keep.append(stdin)
    with Guest(ENGINE, wasi=Wasi(stdin=stdin)) as g, within(8):
        g.vectors(8192, 3, 65536, 65536)
        try:
            g("fd_read", 0, 8192, 3, 0)
        except DeadlineError:
            print(make.__name__, "ended")
        else:
            print(make.__name__, "answered")
os._exit(0)
""".replace("os._exit(0)", ""),
        cpu=4.0,
    ),
    attempt(
        "standard input that gives one byte and then nothing",
        """
read, write = os.pipe()
os.write(write, b"x")
for kind in (0, -1):
    stdin = os.fdopen(os.dup(read), "rb", kind)
    with Guest(ENGINE, wasi=Wasi(stdin=stdin)) as g, within(8):
        g.vectors(8192, 1, 65536, 65536)
        try:
            for _ in range(3):
                g("fd_read", 0, 8192, 1, 0)
        except DeadlineError:
            pass
    os.write(write, b"x")
""",
        cpu=4.0,
    ),
    attempt(
        "standard output that nobody reads",
        """
keep = []
for buffering in (0, -1):
    for which in (1, 2):
        read, write = os.pipe()
        sink = os.fdopen(write, "wb", buffering)
        keep.append(sink)
        with Guest(ENGINE, wasi=Wasi(**{("stdout", "stderr")[which - 1]: sink})) as g, within(8):
            g.vectors(8192, 100, 65536, 65536)
            try:
                for _ in range(50):
                    g("fd_write", which, 8192, 100, 0)
            except DeadlineError:
                pass
            else:
                raise AssertionError("where did it go?")
        os.close(read)
""",
        cpu=4.0,
    ),
    attempt(
        "the command's own streams: nobody writes, nobody reads",
        """
import subprocess, sys
open("in.wat", "w").write('''(module (import "wasi_snapshot_preview1" "fd_read" (func $r (param i32 i32 i32 i32)
 (result i32))) (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
 (memory (export "memory") 40) (data (i32.const 0) "\\\\00\\\\01\\\\00\\\\00\\\\00\\\\00\\\\20\\\\00")
 (func (export "_start") (drop (call $r (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16))))
 (func (export "out") (loop (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16))) (br 0)))
 (func (export "err") (loop (drop (call $w (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 16))) (br 0))))''')
for arguments in ([], ["--invoke", "out"]):
    read, write = os.pipe()
    other_read, other_write = os.pipe()
    with within(25):
        run = subprocess.Popen(
            [sys.executable, "-m", "pywasm_nn", "run", "--engine", ENGINE, "--timeout", "300ms", *arguments,
             "in.wat"], stdin=read, stdout=other_write)
        try:
            run.wait(20)
        except subprocess.TimeoutExpired:
            run.kill()
            raise AssertionError(f"{arguments}: it hangs") from None
""",
        cpu=8.0,
    ),
    attempt(
        "poll_oneoff for ever, on clocks and on what never comes",
        """
read, write = os.pipe()
folder = tempfile.mkdtemp()
os.mkfifo(folder + "/pipe")
def clock(which, nanoseconds, flags):
    return struct.pack("<QB7xI4xQQH6x", 1, 0, which, nanoseconds, 0, flags)
def readable(fd, kind=1):
    return struct.pack("<QB7xI28x", 1, kind, fd)
last = (1 << 64) - 1
for subscriptions in (
    [clock(1, last, 0)], [clock(0, last, 1)], [clock(1, 1 << 63, 1)], [clock(2, 10**12, 0)], [clock(3, 10**12, 0)],
    [readable(0)], [readable(0)] * 1000, [readable(4)], [readable(4), clock(1, last, 0)], [readable(4, 2)] * 3,
    [clock(0, last, 0), readable(0)] * 500,
):
    with Guest(ENGINE, wasi=Wasi(stdin=os.fdopen(os.dup(read), "rb"), dirs={"/": folder})) as g, within(8):
        try:
            g.open(b"pipe", rights=2)
            data = b"".join(subscriptions)
            g.put(8192, data)
            g("poll_oneoff", 8192, 65536 + 8192, len(subscriptions), 0)
        except DeadlineError:
            pass
""",
        cpu=6.0,
    ),
    attempt(
        "poll_oneoff of two thousand million subscriptions",
        GIB
        + """
with guest() as g:
    for count in (4095, 4097, 20_000_000, 1 << 31, (1 << 32) - 1):
        try:
            print(tried(g, "poll_oneoff", 0, 0, count, 16))
        except (Trap, LimitError) as error:
            print(error)
            break
""",
        peak=1600 << 20,
    ),
    attempt(
        "a socket whose peer keeps silent",
        """
import contextlib
def listening():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
calls = [("sock_recv", 8192, 1, 0, 0, 4), ("sock_recv", 8192, 3, 1, 0, 4), ("sock_recv", 8192, 3, 2, 0, 4),
         ("sock_recv", 8192, 3, 3, 0, 4), ("fd_read", 8192, 3, 0), ("sock_send", 16384, 1000, 0, 0),
         ("fd_write", 16384, 1000, 0)]
for call, *rest in calls:
    for flags in (0, 4):
        port = listening()
        with Guest(ENGINE, wasi=Wasi(listen=[f"127.0.0.1:{port}"]), pages=4,
                   functions=WASI, limits=Limits(seconds=0.3)) as g:
            peer = socket.create_connection(("127.0.0.1", port))
            peer.send(b"x")
            g.vectors(8192, 3, 65536, 65536)
            g.vectors(16384, 1000, 65536, 131072)
            with within(8):
                try:
                    assert g("sock_accept", 3, flags, 0) == 0
                    for _ in range(100):
                        g(call, g.word(0), *rest)
                        if not flags:
                            continue
                except (DeadlineError, Trap):
                    pass
            peer.close()
""",
        cpu=8.0,
    ),
    attempt(
        "sock_accept where nobody connects, with a thousand other listeners",
        """
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
with Guest(ENGINE, wasi=Wasi(listen=[f"127.0.0.1:{port}"])) as g, within(8):
    try:
        g("sock_accept", 3, 0, 0)
    except DeadlineError:
        pass
    else:
        raise AssertionError("whom did it accept?")
""",
    ),
    attempt(
        "fd_readdir of a directory with 200,000 names, in memory",
        GIB
        + """
place = MemoryDirectory({f"{number:060}": b"" for number in range(200_000)})
with guest(dirs={"/": place}) as g:
    start = time.process_time()
    for cookie in (0, 1, 199_999, 1 << 40, (1 << 64) - 1):
        answer = tried(g, "fd_readdir", 3, 65536, 1 << 29, cookie, 8)
        if answer == "deadline":
            break
    assert time.process_time() - start < 2, time.process_time() - start
""",
        cpu=12.0,  # making the directory is the host's
    ),
    attempt(
        "writing where memory is short of the limit of a directory, byte by byte at both ends",
        """
with Guest(ENGINE, limits=Limits(seconds=0.3), wasi=Wasi(dirs={"/": MemoryDirectory()})) as g:
    fd = g.open(b"f", CREATE)
    g.vectors(8192, 1, 65536, 1)
    with within(8):
        try:
            for number in range(6):
                g("fd_pwrite", fd, 8192, 1, (200 << 20) if number % 2 else number, 0)
                g("fd_filestat_set_size", fd, 0)
        except DeadlineError:
            pass
""",
    ),
    attempt(
        "a loop of the guest's own over calls that copy 200 MiB each",
        """
more = '''(func (export "again") (param $fd i32) (param $big i64) (result i32)
  (loop $on
    (drop (call $fd_filestat_set_size (local.get $fd) (local.get $big)))
    (drop (call $fd_filestat_set_size (local.get $fd) (i64.const 0)))
    (br $on)) (i32.const 0))'''
with Guest(ENGINE, wasi=Wasi(dirs={"/": MemoryDirectory()}), more=more) as g, within(8):
    fd = g.open(b"f", CREATE)
    try:
        g("again", fd, 200 << 20)
    except DeadlineError:
        pass
""",
    ),
    attempt(
        "fd_allocate and sizes beyond all bounds on a host file",
        """
folder = tempfile.mkdtemp()
with Guest(ENGINE, wasi=Wasi(dirs={"/": folder}), limits=Limits(seconds=3)) as g, within(20):
    fd = g.open(b"f", CREATE)
    for offset, size in ((0, 1 << 63), ((1 << 63) - 1, (1 << 63) - 1), (1 << 62, 1 << 40), ((1 << 64) - 1, 2)):
        assert g("fd_allocate", fd, offset, size), "it was given"
        g("fd_advise", fd, offset, size, 3)
        g("fd_seek", fd, size, 2, 0)
        g("fd_filestat_set_times", fd, offset, size, 5)
        g("fd_pread", fd, g.vectors(8192, 1, 65536, 1), 1, offset, 0)
        g("fd_pwrite", fd, g.vectors(8192, 1, 65536, 1), 1, offset, 0)
""",
    ),
]
