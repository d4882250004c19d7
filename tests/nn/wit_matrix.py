"""What works of `wasi:nn`, for docs/nn-matrix.md: each version in each way to import it, every operation and
every error. An error passes if code and text are those that all ways give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pywasm_nn.errors import Trap
from pywasm_nn.limits import Limits
from pywasm_nn.nn import Code, Graph, GraphConfig, NNError, Tensor
from pywasm_nn.nn.errors import Nature
from pywasm_nn.nn.interfaces import ErrorCode

from .conftest import ADD_MUL, FakeBackend, FakeGraph, SlowContext, floats
from .wit_component import GUESTS, OWN_ERRORS, RESOURCES
from .wit_component import functions as functions_of
from .wit_guest import AUGUST, JUNE, NEWEST, UNVERSIONED, WitError, WitGuest, nn_with

VERSIONS = (NEWEST, AUGUST, JUNE, UNVERSIONED)
WAYS = ("component", "lowered", "cm32p2")
OUTSIDE = 0x20000


class Failing(SlowContext):
    """Says of itself that its time was over, as the base does of contexts that can be stopped."""

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        raise NNError(Code.RUNTIME_ERROR, "compute was stopped", Nature.TIMEOUT)


class Sick(FakeBackend):
    """Fails in ways that the other one doesn't."""

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        if bytes(parts[0]) == b"FAKE busy":
            raise NNError(Code.BUSY, "somebody else loads")
        found = super().load(format, parts, config)
        if bytes(parts[0]) == b"FAKE slow":
            return FakeGraph(Failing, found.inputs, found.outputs)
        return found


# Operations


def used(version: str, way: str, directory: Path) -> set[str]:
    """Functions that did what they shall."""
    guest = GUESTS[way](version, nn_with(FakeBackend(), models=directory))
    done: set[str] = set()
    to = guest.call

    def call(name: str, *values: int) -> object:
        result = to(name, *values)
        interface, _, function = name.partition(".")
        dropped = function.removeprefix("[resource-drop]").removesuffix("_drop")
        done.add(name if dropped == function else f"{interface}.drop {dropped}")
        return result

    guest.call = call  # type: ignore[method-assign] # to see the calls
    assert told(lambda: guest.load_by_name(b"what")).startswith("not-found: no model is named")
    graph = guest.load_by_name(b"m")
    guest.drop("graph", "graph", graph)
    ctx = guest.context(guest.load(ADD_MUL))
    tensors = {name: guest.tensor(floats(1, 2)) for name in "ab"}
    assert guest.call("tensor.[method]tensor.ty", tensors["a"]) == 1
    made = computed(guest, version, ctx, tensors)
    assert (guest.data(made), guest.dimensions(made)) == (floats(2, 4), (1, 2))
    guest.drop("tensor", "tensor", made)
    guest.drop("inference", "graph-execution-context", ctx)
    if version in OWN_ERRORS:
        own = guest.call("errors.[constructor]error", 0, *guest.poke(0x300, b"x"))
        assert guest.listed("errors.[method]error.data", own) == b"x"
    return done


def computed(guest: WitGuest, version: str, ctx: int, tensors: Mapping[str, int]) -> int:
    """The output "sum" of a compute with these inputs."""
    if version == NEWEST:
        return guest.compute(ctx, **tensors)["sum"]
    for name, tensor in tensors.items():
        guest.set_input(ctx, name, tensor)
    guest.compute_set(ctx)
    return guest.output(ctx, "sum")


def there(version: str) -> set[str]:
    """What a version has, as the WIT of it says."""
    named = {f"{interface}.{name}" for interface, names in functions_of(version).items() for name in names}
    return named | {f"{interface}.drop {resource}" for interface, resource in RESOURCES.items()}


# Errors


def told(call: Callable[[], object]) -> str:
    """What a guest, or its host, learns of a failure."""
    try:
        call()
    except WitError as error:
        return f"{list(ErrorCode)[error.code].value}: {error.text}"
    except Trap as trap:
        return f"trap: {re.sub('0x[0-9a-f]+', 'somewhere', str(trap))}"
    return "no error"


Provoke = Callable[[WitGuest, str], object]
ERRORS: Mapping[str, tuple[str, dict[str, Any], Provoke]] = {}
"""Mistakes: how what is told begins, how `NN` is made, and what a guest does."""


def provoke(mistake: str, begins: str, **options: Any) -> Callable[[Provoke], Provoke]:
    def keep(function: Provoke) -> Provoke:
        ERRORS[mistake] = begins, options, function  # type: ignore[index] # which only this may write
        return function

    return keep


def ready(guest: WitGuest, model: bytes = ADD_MUL, encoding: int = 1) -> int:
    return guest.context(guest.load(model, encoding=encoding))


@provoke("an input that the model doesn't have", "invalid-argument: ")
def _(guest: WitGuest, version: str) -> None:
    computed(guest, version, ready(guest), {"c": guest.tensor(floats(1, 2))})


@provoke("an input of another type", "invalid-argument: ")
def _(guest: WitGuest, version: str) -> None:
    computed(guest, version, ready(guest), {"a": guest.tensor(bytes(16), type=6)})


@provoke("a tensor whose data are too short", "invalid-argument: ")
def _(guest: WitGuest, version: str) -> None:
    computed(guest, version, ready(guest), {"a": guest.tensor(bytes(7))})


@provoke("an encoding that no backend reads", "invalid-encoding: ")
def _(guest: WitGuest, version: str) -> None:
    guest.load(ADD_MUL, encoding=3)


@provoke("a compute that is stopped", "timeout: ")
def _(guest: WitGuest, version: str) -> None:
    tensors = {name: guest.tensor(floats(1, 2)) for name in "ab"}
    computed(guest, version, ready(guest, b"FAKE slow", 6), tensors)


@provoke("bytes that are no model", "runtime-error: ")
def _(guest: WitGuest, version: str) -> None:
    guest.load(ADD_MUL[:-9])


@provoke("a wrong number of builders", "runtime-error: ")
def _(guest: WitGuest, version: str) -> None:
    guest.load(ADD_MUL, b"weights")


@provoke("a framework that fails", "runtime-error: ")
def _(guest: WitGuest, version: str) -> None:
    tensors = {name: guest.tensor(floats(1, 2)) for name in "ab"}
    computed(guest, version, ready(guest, b"FAKE broken", 6), tensors)


@provoke("a device that isn't there, with `strict`", "unsupported-operation: ", strict=True)
def _(guest: WitGuest, version: str) -> None:
    guest.load(ADD_MUL, target=2)


@provoke("more graphs than the limit", "too-large: ", limits=Limits(graphs=1))
def _(guest: WitGuest, version: str) -> None:
    guest.load(ADD_MUL)
    guest.load(ADD_MUL)


@provoke("a name that no model has", "not-found: ")
def _(guest: WitGuest, version: str) -> None:
    guest.load_by_name(b"what")


@provoke("a model that opens a file of the host's", "security: ")
def _(guest: WitGuest, version: str) -> None:
    guest.load(b"preload:/etc/passwd", encoding=6)


@provoke("an error that wasi:nn has no code for", "unknown: ")
def _(guest: WitGuest, version: str) -> None:
    guest.load(b"FAKE busy", encoding=6)


@provoke("a handle of nothing", "trap: canonical ABI violation: unknown handle index 9")
def _(guest: WitGuest, version: str) -> None:
    guest.dimensions(9)


@provoke(
    "a handle of something else", "trap: canonical ABI violation: handle index 1 used with the wrong type"
)
def _(guest: WitGuest, version: str) -> None:
    guest.context(guest.tensor(floats(1, 2)))


@provoke("a tensor that was given away", "trap: canonical ABI violation: unknown handle index 1")
def _(guest: WitGuest, version: str) -> None:
    tensors = {"a": guest.tensor(floats(1, 2)), "b": guest.tensor(floats(1, 2))}
    computed(guest, version, ready(guest), tensors)
    if version == NEWEST:  # its outputs have taken the places
        guest.drop("tensor", "tensor", 1)
        guest.drop("tensor", "tensor", 2)
    else:
        guest.drop("tensor", "tensor", 2)
    guest.data(1)


@provoke("a resource that is dropped twice", "trap: canonical ABI violation: unknown handle index 1")
def _(guest: WitGuest, version: str) -> None:
    graph = guest.load(ADD_MUL)
    guest.drop("graph", "graph", graph)
    guest.drop("graph", "graph", graph)


@provoke(
    "more handles than the limit", "trap: canonical ABI violation: too many handles", limits=Limits(handles=2)
)
def _(guest: WitGuest, version: str) -> None:
    for _ in range(3):
        guest.tensor(floats(1, 2))


@provoke(
    "a case that the enum doesn't have", "trap: canonical ABI violation: invalid variant discriminant: 7"
)
def _(guest: WitGuest, version: str) -> None:
    guest.tensor(floats(1, 2), type=7)


@provoke("a list beyond the memory", "trap: canonical ABI violation: list pointer/length out of bounds")
def _(guest: WitGuest, version: str) -> None:
    guest.call("tensor.[constructor]tensor", OUTSIDE - 4, 2, 1, 0, 8)


@provoke("a result area beyond the memory", "trap: canonical ABI violation: pointer out of bounds")
def _(guest: WitGuest, version: str) -> None:
    guest.call("graph.load-by-name", 0x1000, 1, OUTSIDE - 4)


@provoke("a pointer that isn't aligned", "trap: canonical ABI violation: unaligned pointer")
def _(guest: WitGuest, version: str) -> None:
    guest.call("graph.load-by-name", 0x1000, 1, 0x13)


@provoke("a name that isn't UTF-8", "trap: canonical ABI violation: invalid utf-8 encoding")
def _(guest: WitGuest, version: str) -> None:
    guest.load_by_name(b"m\xff")


@provoke("an allocator that answers nonsense", "trap: canonical ABI violation: realloc return: beyond end")
def _(guest: WitGuest, version: str) -> None:
    tensor = guest.tensor(floats(1, 2))
    guest.skew(OUTSIDE * 2)
    guest.data(tensor)


@provoke("a tensor of too many dimensions", "trap: canonical ABI violation: a tensor of 33 dimensions")
def _(guest: WitGuest, version: str) -> None:
    guest.tensor(b"", [1] * 33)


def failures(mistake: str) -> dict[tuple[str, str], str]:
    """By version and way "pass", or what is told instead of what it should be."""
    begins, options, function = ERRORS[mistake]
    found = {}
    for version in VERSIONS:
        for way in WAYS:
            limits = options.get("limits")
            guest = GUESTS[way](version, nn_with(Sick(), **options), limits=limits)
            found[version, way] = told(lambda guest=guest, version=version: function(guest, version))  # type: ignore[misc] # bound now
    first = found[NEWEST, WAYS[0]]
    return {
        where: "pass" if text == first and text.startswith(begins) else f"FAIL: {text}"
        for where, text in found.items()
    }


# Tables


def table(title: str, rows: Mapping[str, Mapping[tuple[str, str], str]]) -> Iterator[str]:
    columns = [(version, way) for version in VERSIONS for way in WAYS]
    heads = [f"{version.removeprefix('@0.2.0-rc-') or 'no version'} {way}" for version, way in columns]
    yield f"| {title} | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|"
    for name, cells in rows.items():
        yield f"| {name} | {' | '.join(cells[where] for where in columns)} |"


def operations(directory: Path) -> dict[str, dict[tuple[str, str], str]]:
    done = {(version, way): used(version, way, directory) for version in VERSIONS for way in WAYS}
    has = {version: there(version) for version in VERSIONS}
    names = dict.fromkeys(name for version in VERSIONS for name in sorted(has[version]))
    return {
        name: {
            (version, way): "-" if name not in has[version] else "pass" if name in functions else "FAIL"
            for (version, way), functions in done.items()
        }
        for name in names
    }


def matrix(directory: Path) -> Iterator[str]:
    """The lines of the document."""
    yield "## wasi:nn: version x way to import it"
    yield "In a component, or lowered in a core module under either mangling of names.\n"
    yield from table("function", operations(directory))
    yield ""
    codes = ", ".join(code.value for code in ErrorCode)
    yield "Errors, with the code that the guest gets, and what the canonical ABI refuses with a trap. Pass:"
    yield f"code and text are alike in all ways. All codes are there: {codes}.\n"
    begins = {mistake: entry[0].split(":")[0] for mistake, entry in ERRORS.items()}
    assert set(begins.values()) == {code.value for code in ErrorCode} | {"trap"}
    yield from table("mistake", {f"{mistake}: {begins[mistake]}": failures(mistake) for mistake in ERRORS})
