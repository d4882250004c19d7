"""The table of operators: each is a plain function on arrays, adapted to nodes.

What is here: `operator` (adds a function to the table), `bind` (turns a node into a callable, with checks at
load) and the checks that functions share, except for sizes (`room`). What is not: the operators themselves;
they are in files by subject, which `execute` imports.

A function's positional parameters are the operator's inputs, in order: those with a default may be missing,
`*xs` takes any number. Its keyword-only parameters are the operator's attributes, named and typed as in the
specification (https://onnx.ai/onnx/operators/); `n_outputs` is set to the number of outputs of the node. A
function that makes arrays has `room` as its first parameter, and must ask it before it makes an array that is
larger than every input and than every array that it already asked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np

from ....brief import summarised
from ...errors import Code, NNError
from .model import Array, Attribute, Ints, Node
from .room import Room

Result = Array | Sequence[Array]
Compute = Callable[..., Result]

FILLED = "n_outputs"
ROOM = "room"

KINDS: dict[str, type | tuple[type, ...]] = {
    "int": int,
    "float": float,
    "str": str,
    "Ints": tuple,
    "Ints | None": tuple,
    "Floats | None": tuple,
    "int | None": int,
    "float | None": float,
    "Array | None": np.ndarray,
}
"""Annotations of attributes, and the Python types of their values."""


@summarised
@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """A row of the table: a function and the facts from its signature.

    `since`, `until`: the first and the last opset for which it is right; until None: right for all later
    opsets. `outputs`: the most outputs, 0 for any number. `widen`: compute float16 in float32, as the
    frameworks do on a CPU. `only`: the supported values of attributes. `inputs`: the fewest and the most
    inputs, None for any number. `attributes`: their annotations; `needed`: those without a default.
    """

    function: Compute
    since: int
    until: int | None
    outputs: int
    widen: bool
    only: Mapping[str, tuple[Attribute, ...]]
    inputs: tuple[int, int | None]
    attributes: Mapping[str, str]
    needed: frozenset[str]
    roomy: bool
    """Whether the function's first parameter is the `Room` of the run."""


TABLE: dict[str, list[Operator]] = {}
"""Name of an operator to its functions, the newest opset first."""


KNOWN = 28
"""The newest opset whose changes this backend considers (ONNX 1.23)."""


def operator(
    *names: str,
    since: int = 1,
    until: int | None = KNOWN,
    outputs: int = 1,
    widen: bool = True,
    **only: tuple[Attribute, ...],
) -> Callable[[Compute], Compute]:
    """Add a function to the table under these names. `until` None is for operators with a fixed mathematical
    meaning."""

    def add(function: Compute) -> Compute:
        parameters = inspect.signature(function).parameters.values()
        inputs = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != ROOM]
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        fewest = sum(p.default is p.empty for p in inputs) + variadic
        named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        row = Operator(
            function,
            since,
            until,
            outputs,
            widen,
            only,
            (fewest, None if variadic else len(inputs)),
            {p.name: p.annotation for p in named},
            frozenset(p.name for p in named if p.default is p.empty and p.name != FILLED),
            any(p.name == ROOM for p in parameters),
        )
        for name in names:
            TABLE.setdefault(name, []).append(row)
            TABLE[name].sort(key=lambda operator: -operator.since)
        return function

    return add


def bind(node: Node, opset: int) -> tuple[Compute, bool]:
    """The function for a node, called with a `Room` and the inputs, and whether to widen float16 for it.

    Raises NNError(UNSUPPORTED_OPERATION) if this backend lacks an operator or attribute of the node.
    """
    rows = TABLE.get(node.op, []) if not node.domain else []
    name = f"{node.domain}.{node.op}" if node.domain else node.op
    if not rows:
        raise lacking(f"operator {name} ({node})")
    row = next((row for row in rows if row.since <= opset), None)
    if row is None:
        raise lacking(f"operator {name} of opset {opset} ({node})")
    if row.until is not None and opset > row.until:
        raise lacking(f"operator {name} of opset {opset}, where it is known up to {row.until}, ({node})")
    given = {key: value for key, value in node.attributes.items() if key not in IGNORED}
    for key, value in given.items():
        kind = KINDS.get(row.attributes.get(key, ""))
        if kind is None or key == FILLED:
            raise lacking(f"attribute {key} of operator {name} ({node})")
        if not isinstance(value, kind):
            raise malformed(node, f"attribute {key} is no {row.attributes[key]}")
        if key in row.only and value not in row.only[key]:
            raise lacking(f"{key}={value} of operator {name} ({node})")
    count = len(node.inputs)
    fewest, most = row.inputs
    if count < fewest or "" in node.inputs[:fewest]:
        raise malformed(node, f"needs {fewest} inputs, has {count}")
    if most is not None and count > most:
        raise lacking(f"operator {name} with {count} inputs ({node})")
    if row.outputs and any(node.outputs[row.outputs :]):
        raise lacking(f"output {row.outputs} of operator {name} ({node})")
    if missing := row.needed - set(given):
        raise malformed(node, f"attribute {min(missing)} is missing")
    if FILLED in row.attributes:
        given[FILLED] = len(node.outputs)
    compute = partial(row.function, **given)
    return (compute if row.roomy else partial(roomless, compute)), row.widen


def roomless(compute: Compute, room: Room, *arrays: Array | None) -> Result:
    """Adapter for a function that makes no large arrays."""
    return compute(*arrays)


IGNORED = frozenset({"consumed_inputs"})
"""Attributes without effect on results: a memory hint of opset 1."""


def lacking(what: str) -> NNError:
    """The error for a feature that a complete ONNX runtime has and this backend lacks. Where that runtime is
    installed, this backend was chosen."""
    remedy = "pip install 'pywasm-nn[onnx]' runs it"
    if find_spec("onnxruntime"):
        remedy = (
            "onnxruntime, which is installed, reads ONNX where numpy isn't chosen (--nn-backend, backends=)"
        )
    return NNError(Code.UNSUPPORTED_OPERATION, f"{what} is not there in the numpy backend; {remedy}")


def malformed(node: Node, what: str) -> NNError:
    return NNError(Code.RUNTIME_ERROR, f"{node}: {what}")


def same_type(*arrays: Array) -> None:
    """ValueError unless all arrays have one element type: ONNX never converts implicitly, numpy would."""
    types = {array.dtype for array in arrays}
    if len(types) > 1:
        raise ValueError(f"inputs of different types: {', '.join(sorted(str(dtype) for dtype in types))}")


def axis_of(axis: int, rank: int) -> int:
    """The axis counted from the front; ValueError if it is out of range."""
    if not -rank <= axis < max(rank, 1):
        raise ValueError(f"axis {axis} of an array of rank {rank}")
    return axis % rank if rank else 0


def axes_of(axes: Sequence[int] | Array, rank: int) -> Ints:
    """The axes counted from the front; ValueError if one occurs twice."""
    found = tuple(axis_of(int(axis), rank) for axis in axes)
    if len(set(found)) < len(found):
        raise ValueError(f"axes {list(found)} name one twice")
    return found
