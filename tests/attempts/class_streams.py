# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts with streams and pollables of WASI 0.2: by the thousand, beyond what they allow, on themselves, in the
wrong order, and beyond the deadline."""

from __future__ import annotations

from .harness import Attempt

START = """
import os, resource, struct, time
from pywasm_nn import *
from pywasm_nn.errors import *
from tests.attempts.kit import *
from tests.wasi.p2_guest import *
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
alarm_after(100)
last = []
def begin(seconds=None, stdin=b"", stdout=None, **more):
    while last:
        last.pop().close()
    guest = Ours(Wasi(stdin=stdin, stdout=stdout or Capture(), dirs={"/": MemoryDirectory()}), Limits(seconds=seconds, **more), engine=ENGINE)
    last.append(guest)
    guest("get-stdin"), guest("get-stdout")  # compiled before it counts
    return guest
def ends(do, *kinds, most=2.5):
    '''What the call says, or the kind of its error, which is one of ours; within some time.'''
    began = time.process_time()
    try:
        said = do()
    except (WasmError, GuestExit) as error:
        said = error
    assert time.process_time() - began < most, (said, time.process_time() - began)
    if kinds:
        assert isinstance(said, kinds), said
    return said
def file(guest, content=b"content"):
    root = guest.root()
    fd = guest.opened(root, "file", READ | WRITE, CREATE)
    if content:
        guest.got("descriptor.write", fd, content, 0)
    return root, fd
"""


def attempt(
    name: str, source: str, cpu: float = 8.0, engines: tuple[str, ...] = ("compile", "interpret")
) -> Attempt:
    return Attempt(f"streams: {name}", START + source, cpu, engines=engines)


ATTEMPTS = [
    attempt(
        "pollables until there are no more",
        """
guest = begin(seconds=30)
out = guest("get-stdout")
def storm():
    for n in range(1_000_000):
        guest("output-stream.subscribe", out)
print(ends(storm, DeadlineError, LimitError, Trap, MemoryLimitError, most=40))
""",
        cpu=45.0,
        engines=("compile",),
    ),
    attempt(
        "a poll of thousands, of none, of the same one, and of handles that are none",
        """
guest = begin(seconds=5)
out = guest("get-stdout")
one = guest("output-stream.subscribe", out)
assert poll(guest, [one] * 4096) == list(range(4096))
ends(lambda: poll(guest, [one] * 4097), LimitError, Trap)
for handles in ([], [0], [one + 1000], [out], [0xffffffff], [one, one, 0]):
    guest = begin(seconds=5)
    out = guest("get-stdout")
    one = guest("output-stream.subscribe", out)
    ends(lambda: poll(guest, handles), Trap)
""",
    ),
    attempt(
        "more is written than was allowed",
        """
for name, arguments in (("write", (b"x" * ((1 << 20) + 1),)), ("write-zeroes", ((1 << 20) + 1,)), ("write-zeroes", ((1 << 64) - 1,)), ("write-zeroes", (1 << 63,)),
        ("blocking-write-and-flush", (b"x" * 4097,)), ("blocking-write-zeroes-and-flush", (4097,)), ("blocking-write-zeroes-and-flush", ((1 << 64) - 1,))):
    written = Capture()
    guest = begin(seconds=5, stdout=written)
    out = guest("get-stdout")
    guest.got("output-stream.check-write", out)
    ends(lambda: guest("output-stream." + name, out, *arguments), Trap)
    assert not written.value
guest = begin(seconds=5)
out = guest("get-stdout")
ends(lambda: guest("output-stream.write", out, b"x"), Trap)
guest = begin(seconds=5)
out = guest("get-stdout")
guest.got("output-stream.check-write", out)
guest.got("output-stream.write-zeroes", out, 1 << 20)
ends(lambda: guest("output-stream.write", out, b"x"), Trap)
""",
    ),
    attempt(
        "reads of 2^63 bytes, at the end of addresses, and of nothing",
        """
for size in (1 << 63, (1 << 64) - 1, 1 << 32, 1 << 31):
    guest = begin(seconds=5, stdin=b"x" * 200_000)
    stream = guest("get-stdin")
    for name in ("read", "blocking-read"):
        assert len(guest.got("input-stream." + name, stream, size)) <= 1 << 16
    for name in ("skip", "blocking-skip"):
        assert guest.got("input-stream." + name, stream, size) <= 1 << 16
    for _ in range(5):
        said = guest("input-stream.blocking-read", stream, size)
    assert said[0] == "err", said
    root, fd = file(guest)
    for at in ((1 << 64) - 1, 1 << 63, (1 << 63) - 1, (1 << 63) - 4):
        got = ends(lambda: guest("descriptor.read-via-stream", fd, at))
        if not isinstance(got, Exception) and got[0] == "ok":
            ends(lambda: guest("input-stream.blocking-read", got[1], size))
            ends(lambda: guest("input-stream.skip", got[1], size))
        got = ends(lambda: guest("descriptor.write-via-stream", fd, at))
        if not isinstance(got, Exception) and got[0] == "ok":
            ends(lambda: guest("output-stream.blocking-write-and-flush", got[1], b"xyz"))
    assert guest.got("input-stream.read", guest.got("descriptor.read-via-stream", fd, 0), 0) == b""
""",
    ),
    attempt(
        "a splice of a file onto itself, for ever and of 2^63 bytes",
        """
for name in ("splice", "blocking-splice"):
    for start, size in ((7, 1 << 63), (0, (1 << 64) - 1), (1, 3)):
        guest = begin(seconds=2)
        root, fd = file(guest, b"x" * 60000)
        source = guest.got("descriptor.read-via-stream", fd, 0)
        target = guest.got("descriptor.write-via-stream", fd, start)
        def forever():
            for _ in range(20):
                guest.got("output-stream.check-write", target)
                if guest("output-stream." + name, target, source, size)[0] == "err":
                    return
        ends(forever, type(None), WasmError)
        appended = guest.got("descriptor.append-via-stream", fd)
        source = guest.got("descriptor.read-via-stream", fd, 0)
        def grow():
            for _ in range(20):
                guest.got("output-stream.check-write", appended)
                if guest("output-stream." + name, appended, source, size)[0] == "err":
                    return
        ends(grow, type(None), WasmError)
""",
        cpu=12.0,
    ),
    attempt(
        "a splice beyond what check-write allowed",
        """
written = Capture()
guest = begin(seconds=5, stdin=b"x" * 60000, stdout=written, output=1000)
out, source = guest("get-stdout"), guest("get-stdin")
said = ends(lambda: guest("output-stream.blocking-splice", out, source, 1 << 63))
assert len(written.value) <= 1000, len(written.value)
guest = begin(seconds=5, stdout=(written := Capture()), output=1000)
out = guest("get-stdout")
guest.got("output-stream.check-write", out)
ends(lambda: guest("output-stream.write", out, b"x" * 5000))
ends(lambda: guest("output-stream.write-zeroes", out, 5000))
ends(lambda: guest("output-stream.blocking-write-and-flush", out, b"x" * 4096))
assert len(written.value) <= 1000, len(written.value)
""",
    ),
    attempt(
        "parents are dropped before their children, and both twice",
        """
for order in ("stream", "pollable", "twice", "used"):
    guest = begin(seconds=5, stdin=b"abc")
    stream = guest("get-stdin")
    one = guest("input-stream.subscribe", stream)
    if order == "stream":
        said = ends(lambda: guest("drop input-stream", stream))
        ends(lambda: guest("pollable.ready", one))
        ends(lambda: guest("pollable.block", one))
    elif order == "pollable":
        guest("drop pollable", one)
        ends(lambda: guest("pollable.ready", one), Trap)
    elif order == "twice":
        guest("drop pollable", one)
        ends(lambda: guest("drop pollable", one), Trap)
    else:
        ends(lambda: guest("drop input-stream", stream))
        ends(lambda: guest("input-stream.read", stream, 1), Trap)
for drop in ("file first", "stream first"):
    guest = begin(seconds=5)
    root, fd = file(guest)
    source, target = guest.got("descriptor.read-via-stream", fd, 0), guest.got("descriptor.write-via-stream", fd, 0)
    before = descriptors()
    if drop == "file first":
        ends(lambda: guest("drop descriptor", fd))
    ends(lambda: guest("input-stream.read", source, 10))
    ends(lambda: guest("drop input-stream", source))
    ends(lambda: guest("drop output-stream", target))
""",
    ),
    attempt(
        "handles of another kind where streams are wanted",
        """
kinds = ("get-stdout", "get-stdin")
for name, arguments in (("input-stream.read", (1,)), ("output-stream.check-write", ()), ("output-stream.flush", ()), ("pollable.block", ()), ("pollable.ready", ()), ("output-stream.splice", (0, 5)), ("descriptor.sync", ())):
    for handle in (0, 1, 2, 3, 4, 0x7fffffff, 0x80000000, 0xffffffff):
        guest = begin(seconds=5)
        guest("get-stdout"), guest("get-stdin")
        said = ends(lambda: guest(name, handle, *arguments))
""",
        cpu=20.0,
    ),
    attempt(
        "waits for what never comes, past the deadline",
        """
ends_, other = os.pipe()
for name in ("input-stream.blocking-read", "input-stream.blocking-skip"):
    guest = begin(seconds=1, stdin=open(ends_, "rb", closefd=False))
    stream = guest("get-stdin")
    with within(5):
        ends(lambda: guest(name, stream, 1 << 63), DeadlineError, most=1)
for name in ("pollable.block", "poll"):
    guest = begin(seconds=1, stdin=open(ends_, "rb", closefd=False))
    stream = guest("get-stdin")
    one = guest("input-stream.subscribe", stream)
    with within(5):
        ends(lambda: poll(guest, [one] * 100) if name == "poll" else guest(name, one), DeadlineError, most=1)
for name in ("subscribe-duration", "subscribe-instant"):
    for moment in ((1 << 64) - 1, 1 << 63, 10**18):
        guest = begin(seconds=1)
        def wait():
            one = guest(name, moment)
            guest("pollable.block", one)
        with within(5):
            ends(wait, DeadlineError, most=1)
guest = begin(seconds=1, stdin=open(ends_, "rb", closefd=False))
with within(5):
    ends(lambda: guest.got("output-stream.blocking-splice", guest("get-stdout"), guest("get-stdin"), 1 << 40), DeadlineError, most=1)
""",
        cpu=12.0,
    ),
    attempt(
        "a reader that never reads",
        """
got, out = os.pipe()
for name in ("blocking-write-and-flush", "blocking-write-zeroes-and-flush", "blocking-splice"):
    guest = begin(seconds=1, stdin=b"x" * 60_000_000, stdout=open(out, "wb", buffering=0, closefd=False))
    stream, source = guest("get-stdout"), guest("get-stdin")
    def fill():
        for _ in range(10000):
            guest("output-stream." + name, stream, *((b"x" * 4096,) if name.endswith("write-and-flush") else (4096,) if name.startswith("blocking-write") else (source, 1 << 16)))
    with within(6):
        ends(fill, DeadlineError, most=2)
""",
        cpu=8.0,
    ),
    attempt(
        "timers and streams polled together, a thousand at once",
        """
read_end, other = os.pipe()
guest = begin(seconds=1, stdin=open(read_end, "rb", closefd=False))
stream = guest("get-stdin")
handles = [guest("subscribe-duration", 10**15 + n) for n in range(500)] + [guest("input-stream.subscribe", stream) for _ in range(500)]
with within(6):
    ends(lambda: poll(guest, handles), DeadlineError, most=2)
""",
    ),
]
