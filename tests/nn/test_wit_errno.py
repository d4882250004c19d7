"""What a guest of `wasi:nn` gets for bad input: the same rows as for WITX, in this dialect's words.

Rows about what the dialect hasn't got say so: the import isn't there, or the type of a function leaves no
place for the mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from struct import pack
from threading import Thread
from time import sleep
from typing import Any

import pytest

from pywasm_nn.errors import BusyError, Trap
from pywasm_nn.limits import Limits
from pywasm_nn.nn import Target
from pywasm_nn.nn.interfaces import VERSIONS

from .conftest import ADD_MUL, FakeBackend, files_that_go, floats
from .table import Rows
from .wit_component import GUESTS
from .wit_guest import AUGUST, NEWEST, WitError, WitGuest, nn_with

ROWS = Rows()
row = ROWS.row
OUTSIDE = 0x20000
INVALID_ARGUMENT, INVALID_ENCODING, TIMEOUT, RUNTIME_ERROR, UNSUPPORTED, TOO_LARGE, NOT_FOUND, SECURITY = (
    range(8)
)
COMPUTE = "inference.[method]graph-execution-context.compute"
Start = Callable[..., WitGuest]


def traps(call: Callable[[], object], words: str = "out of bounds memory access|canonical ABI") -> None:
    with pytest.raises(Trap, match=words):
        call()


def each_traps(
    start: Start, *calls: Callable[[WitGuest], object], words: str = "out of bounds of memory", **options: Any
) -> None:
    """Each call in a guest of its own: a component that has trapped is of no use any more."""
    for call in calls:
        guest = start(**options)
        traps(partial(call, guest), words)


def error(call: Callable[[], object]) -> int:
    with pytest.raises(WitError) as caught:
        call()
    assert caught.value.text
    return caught.value.code


def ready(guest: WitGuest) -> int:
    return guest.context(guest.load(ADD_MUL))


def both(guest: WitGuest, values: Sequence[float] = (1, 2), dims: Sequence[int] = (1, 2)) -> dict[str, int]:
    return {name: guest.tensor(floats(*values), dims) for name in "ab"}


@row("no exported memory")
def _(start: Start) -> None:
    guest = start(memory=False)
    traps(lambda: guest.call("graph.load", 0, 0, 0, 0, 0), "exports no memory")


@row("out pointer OOB")
def _(start: Start) -> None:
    def after(guest: WitGuest, name: str, *arguments: int) -> None:
        made = max(guest.context(guest.load(ADD_MUL)), *both(guest).values())
        traps(partial(guest.call, name, *arguments), "out of bounds of memory")
        if guest.survives_traps:
            assert guest.tensor(floats(1, 2)) == made + 1, "a handle was made before the trap"

    after(start(), "graph.load", 0x100, 1, 1, 0, OUTSIDE - 4)
    after(start(), "graph.[method]graph.init-execution-context", 1, OUTSIDE)
    after(start(), COMPUTE, 2, 0x400, 0, OUTSIDE - 8)


@row("builder array / builder bytes OOB")
def _(start: Start) -> None:

    def beyond(guest: WitGuest) -> None:
        guest.poke(0x100, pack("<II", OUTSIDE - 8, 9))
        guest.call("graph.load", 0x100, 1, 1, 0, guest.AREA)

    each_traps(start, lambda guest: guest.call("graph.load", OUTSIDE - 4, 1, 1, 0, guest.AREA), beyond)
    many = 0xFFFFFFFF
    each_traps(
        start,
        lambda guest: guest.call("graph.load", 0x100, many, 1, 0, guest.AREA),
        words="list content out-of-bounds",
    )


@row("tensor struct OOB")
def _(start: Start) -> None:
    """The records that compute reads: named tensors."""
    each_traps(start, lambda guest: guest.call(COMPUTE, ready(guest), OUTSIDE - 8, 1, guest.AREA))


@row("dims or data OOB")
def _(start: Start) -> None:
    new = "tensor.[constructor]tensor"
    each_traps(
        start,
        lambda guest: guest.call(new, OUTSIDE - 4, 2, 1, 0, 8),
        lambda guest: guest.call(new, 0x200, 2, 1, OUTSIDE - 7, 8),
        lambda guest: guest.call(new, 0x200, 1 << 25, 1, 0, 0),
    )
    each_traps(
        start,
        lambda guest: guest.call(new, 0x200, 1 << 30, 1, 0, 0),
        words="list content out-of-bounds",
    )


@row("dims ptr not 4-aligned")
def _(start: Start) -> None:
    """The canonical ABI demands it."""
    new = "tensor.[constructor]tensor"
    each_traps(start, lambda guest: guest.call(new, 0x201, 2, 1, 0x4000, 8), words="unaligned pointer")


@row("out ptr / tensor ptr not 4-aligned")
def _(start: Start) -> None:
    each_traps(
        start,
        lambda guest: guest.call("graph.load-by-name", 0x1000, 1, 0x13),
        lambda guest: guest.call(COMPUTE, ready(guest), 0x402, 0, guest.AREA),
        words="unaligned pointer",
    )


@row("name OOB")
def _(start: Start) -> None:
    each_traps(start, lambda guest: guest.call("graph.load-by-name", OUTSIDE - 1, 2, guest.AREA))


@row("name not UTF-8")
def _(start: Start) -> None:
    each_traps(start, lambda guest: guest.load_by_name(b"m\xff"), words="invalid utf-8 encoding")


@row("encoding not in enum")
def _(start: Start) -> None:
    for number in (7, 257, 0xFFFFFFFF):
        load = partial(WitGuest.load, encoding=number)
        each_traps(start, lambda guest, load=load: load(guest, ADD_MUL), words=f"discriminant: {number}, ")


@row("encoding known, backend absent")
def _(start: Start) -> None:
    guest = start()
    assert error(lambda: guest.load(b"PK\3\4 and so on", encoding=2)) == SECURITY
    assert error(lambda: guest.load(ADD_MUL, encoding=3)) == INVALID_ENCODING


@row("second load() with another encoding in one instance")
def _(start: Start) -> None:
    guest = start()
    assert len({guest.load(ADD_MUL, encoding=encoding) for encoding in (1, 5, 6)}) == 3


@row("target not in enum (e.g. 3 AUTO)")
def _(start: Start) -> None:
    each_traps(start, lambda guest: guest.load(ADD_MUL, target=3), words="discriminant: 3, there are 3")


@row("target valid but unsupported")
def _(start: Start) -> None:
    backend = FakeBackend()
    guest = start(backend)
    assert guest.load(ADD_MUL, target=2)
    assert backend.configs[-1].target is Target.CPU
    assert guest.reports == ["wasi-nn: fake has no tpu here, the model runs on the cpu"]
    assert error(lambda: start(strict=True).load(ADD_MUL, target=2)) == UNSUPPORTED


@row("wrong number of builders")
def _(start: Start) -> None:
    """A runtime error, as wasmtime has it."""
    guest = start()
    assert error(guest.load) == RUNTIME_ERROR
    with pytest.raises(WitError, match=r"onnx wants 1 part\(s\)"):
        guest.load(ADD_MUL, b"weights")


@row("corrupt model bytes")
def _(start: Start) -> None:
    guest = start()
    for data in (b"", ADD_MUL[:-9], b"\x00" * 100):
        assert error(partial(guest.load, data)) == RUNTIME_ERROR


@row("load_by_name unknown")
def _(start: Start) -> None:
    with files_that_go(gone="gone.onnx", text="gone.gguf") as models:
        guest = start(models=models)
    for name in (b"what", b"gone", b"text"):
        assert error(partial(guest.load_by_name, name)) == NOT_FOUND
    assert 'no model is named "what"; named are: gone, text' in guest.reports[0]


@row("bad config JSON (with_config / set_input index 1)")
def _(start: Start) -> None:
    """There is no function with a configuration; a text model's second input is its options."""
    guest = start()
    ctx = guest.context(guest.load(b"FAKE text", encoding=6))
    prompt, options = guest.tensor(b"word", [4], 4), guest.tensor(b"{bad", [4], 4)
    assert error(lambda: guest.compute(ctx, prompt=prompt, options=options)) == INVALID_ENCODING


@row("bad graph handle in init")
def _(start: Start) -> None:
    each_traps(start, lambda guest: guest.context(1), words="unknown handle index 1")
    each_traps(
        start, lambda guest: guest.context(ready(guest)), words="handle index 2 used with the wrong type"
    )


@row("bad ctx in set_input / get_output / compute")
def _(start: Start) -> None:
    unknown = "unknown handle index 7"
    each_traps(start, lambda guest: guest.compute(7), words=unknown)
    each_traps(
        start,
        lambda guest: guest.compute_set(7),
        lambda guest: guest.output(7, "sum"),
        lambda guest: guest.set_input(7, "a", guest.tensor(floats(1, 2))),
        words=unknown,
        version=AUGUST,
    )


@row("input index >= n_inputs")
def _(start: Start) -> None:
    guest = start()
    ctx = ready(guest)
    for name in ("2", "c"):
        tensors = both(guest) | {name: guest.tensor(floats(1, 2))}
        with pytest.raises(WitError, match=f'none is named "{name}"') as caught:
            guest.compute(ctx, **tensors)
        assert caught.value.code == INVALID_ARGUMENT


@row("unknown tensor type byte")
def _(start: Start) -> None:
    each_traps(start, lambda guest: guest.tensor(floats(1, 2), type=7), words="discriminant: 7, there are 7")


@row("dtype mismatch")
def _(start: Start) -> None:
    guest = start()
    ctx = ready(guest)
    tensors = both(guest) | {"a": guest.tensor(bytes(16), type=6)}
    with pytest.raises(WitError, match=r'input 0 "a" wants f32\[.*; the guest gave i64\[1,2\]') as caught:
        guest.compute(ctx, **tensors)
    assert caught.value.code == INVALID_ARGUMENT
    traps(
        lambda: guest.call("tensor.[method]tensor.ty", tensors["a"]), "unknown handle"
    )  # given away all the same


@row("shape mismatch")
def _(start: Start) -> None:
    guest = start()
    ctx = ready(guest)
    assert error(lambda: guest.compute(ctx, **both(guest, (1, 2, 3), (1, 3)))) == INVALID_ARGUMENT
    outputs = guest.compute(ctx, **both(guest, range(6), (3, 2)))
    assert guest.data(outputs["prod"]) == floats(*(i * i for i in range(6)))


@row("data.len != product*size")
def _(start: Start) -> None:
    """The constructor can't fail, so compute says it."""
    guest = start()
    ctx = ready(guest)
    for length in (0, 7, 9):
        tensors = both(guest) | {"b": guest.tensor(bytes(length))}
        with pytest.raises(WitError, match=f"is 8 bytes, given were {length}") as caught:
            guest.compute(ctx, **tensors)
        assert caught.value.code == INVALID_ARGUMENT


@row("compute, an input missing")
def _(start: Start) -> None:
    guest = start()
    ctx = ready(guest)
    guest.compute(ctx, **both(guest))
    assert error(lambda: guest.compute(ctx, a=guest.tensor(floats(1, 2)))) == INVALID_ARGUMENT


@row("compute again, same ctx")
def _(start: Start) -> None:
    guest = start(version=AUGUST)
    ctx = ready(guest)
    for name, handle in both(guest).items():
        guest.set_input(ctx, name, handle)
    guest.compute_set(ctx)
    guest.set_input(ctx, "b", guest.tensor(floats(5, 6)))
    guest.compute_set(ctx)
    assert guest.data(guest.output(ctx, "sum")) == floats(6, 8)


@row("get_output before compute")
def _(start: Start) -> None:
    guest = start(version=AUGUST)
    ctx = ready(guest)
    assert error(lambda: guest.output(ctx, "sum")) == RUNTIME_ERROR


@row("output index >= n")
def _(start: Start) -> None:
    guest = start(version=AUGUST)
    ctx = ready(guest)
    assert error(lambda: guest.output(ctx, "2")) == INVALID_ARGUMENT


@row("buffer too small")
def _(start: Start) -> None:
    """The host asks the guest's allocator for what it needs; one that gives less is out of bounds."""
    guest = start()
    outputs = guest.compute(ready(guest), **both(guest))
    guest.skew(OUTSIDE * 2)
    traps(lambda: guest.data(outputs["sum"]), "realloc return: beyond end of memory")


@row("unload / finalize unknown or twice")
def _(start: Start) -> None:

    def dropped_twice(guest: WitGuest, interface: str, resource: str, handle: int, other: int) -> None:
        assert ready(guest) == 2
        guest.drop(interface, resource, handle)
        traps(partial(guest.drop, interface, resource, other), f"unknown handle index {other}")

    for other in (2, 99):
        dropped_twice(start(), "inference", "graph-execution-context", 2, other)
    for other in (1, 99):
        dropped_twice(start(), "graph", "graph", 1, other)


@row("compute_single etc. on non-LLM backend")
def _(start: Start) -> None:
    named = [name for version in VERSIONS.values() for face in version.values() for name in face.functions]
    assert named
    assert not any("single" in name for name in named)


@row("end of tokens in compute_single / ctx full / prompt too long")
def _(start: Start) -> None:
    guest = start(version=AUGUST)
    ctx = guest.context(guest.load(b"FAKE text", encoding=6))
    assert error(lambda: guest.set_input(ctx, "prompt", guest.tensor(b"word " * 5, [25], 4))) == TOO_LARGE


@row("two threads, one instance")
def _(start: Start) -> None:
    guest = start(version=AUGUST)
    graph = guest.load(b"FAKE slow", encoding=6)
    contexts = [guest.context(graph) for _ in range(2)]
    for ctx in contexts:
        for name, handle in both(guest).items():
            guest.set_input(ctx, name, handle)
    done: list[int] = []

    def compute(ctx: int, area: int) -> None:
        while True:
            try:
                guest.call(COMPUTE, ctx, area)
                return done.append(ctx)
            except BusyError:  # as the instance says to all threads but one
                sleep(0.001)

    threads = [Thread(target=compute, args=(contexts[i % 2], 0x500 + 8 * i)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 6
    assert guest.words(12, 0x500)[::2] == (0,) * 6, guest.reports


@row("too many graphs/contexts")
def _(start: Start) -> None:
    guest = start(limits=Limits(graphs=2, contexts=2))
    graphs = [guest.load(ADD_MUL) for _ in range(2)]
    assert error(lambda: guest.load(ADD_MUL)) == TOO_LARGE
    assert [guest.context(graphs[0]) for _ in range(2)]
    assert error(lambda: guest.context(graphs[0])) == TOO_LARGE
    guest.drop("graph", "graph", graphs[1])
    assert guest.load(ADD_MUL) == graphs[1], "freed handles are used again"


OF_CORE_MODULES = ("no exported memory",)
"""A component can't be without what its functions need."""


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        (title, kind)
        for title in ROWS
        for kind in GUESTS
        if kind != "component" or title not in OF_CORE_MODULES
    ],
)
def test_row(title: str, kind: str, tmp_path: Path) -> None:
    def start(backend: FakeBackend | None = None, *, version: str = NEWEST, **options: Any) -> WitGuest:
        given = {"memory": options.pop("memory")} if "memory" in options else {}
        return GUESTS[kind](version, nn_with(backend or FakeBackend(), **options), **given)

    ROWS.run(title, start, tmp_path)


def test_rows_are_those_of_the_reference() -> None:
    ROWS.check_titles()


def test_what_policy_refuses_is_security() -> None:
    guest = WitGuest(NEWEST, nn_with(FakeBackend()))
    assert error(lambda: guest.load(b"preload:/etc/passwd", encoding=6)) == SECURITY
