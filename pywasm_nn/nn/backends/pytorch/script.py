"""TorchScript models as programs: the inputs and outputs of `forward`.

TorchScript declares no shapes and element types, so inputs and outputs accept any. Inputs are named after the
arguments of `forward`; arguments with a default keep it. An int, a float or a bool is an input with one
element, a tuple of tensors is one input for each. Outputs are a tensor, or tuples, lists and dicts of
tensors, if the graph shows how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import torch

from ...errors import Code, NNError
from ...tensor import DType, TensorSpec
from .aliases import INPUT, OWN, changed_by_script
from .running import Program, Scalar
from .values import Device

SCALARS: dict[str, Scalar] = {"IntType": int, "FloatType": float, "BoolType": bool}
"""Types of numbers, by kind."""
LEAVES = frozenset({"TensorType", "NumberType", *SCALARS})
OUTPUT = "output"

Tree = int | list["Tree"] | dict[str, "Tree"]
"""The structure of arguments or results: an index for each tensor."""


def read(source: BytesIO | str, device: Device) -> Program:
    """The model in a file, or in its bytes. Raises NNError(UNSUPPORTED_OPERATION) if arguments or results
    can't be tensors, and PyTorch's exceptions for broken models.
    """
    module = torch.jit.load(source, map_location=device.name).eval()
    schema, graph = module.forward.schema, module.inlined_graph
    names: list[str] = []
    scalars: dict[int, Scalar] = {}
    arguments = [
        taken(argument.name, argument.type, names, scalars)
        for argument in schema.arguments[1:]
        if not argument.has_default_value()
    ]
    outputs: list[str] = []
    (value,) = list(graph.outputs()) or [None]
    results = given(OUTPUT, value, outputs)
    changed = changed_by_script(graph)
    return Program(
        module,
        [TensorSpec(name, DType.ANY, () if i in scalars else None) for i, name in enumerate(names)],
        [TensorSpec(name, DType.ANY, None) for name in outputs],
        scalars,
        lambda values: (filled(arguments, values), {}),
        lambda result: list(leaves(result, results, OUTPUT)),
        bool(changed & INPUT),
        bool(changed & OWN),
    )


def taken(name: str, type_: Any, names: list[str], scalars: dict[int, Scalar]) -> Tree:
    """The inputs of an argument; adds their names, and those that are numbers."""
    kind = type_.kind()
    if kind == "TupleType":
        elements = type_.elements()
        return [taken(f"{name}_{at}", element, names, scalars) for at, element in enumerate(elements)]
    if kind == "OptionalType":
        return taken(name, type_.getElementType(), names, scalars)
    if kind not in LEAVES:
        what = f'argument "{name}" of the model is {type_}, which no tensor can represent'
        raise NNError(Code.UNSUPPORTED_OPERATION, what)
    if kind in SCALARS:
        scalars[len(names)] = SCALARS[kind]
    names.append(name)
    return len(names) - 1


def filled(tree: Any, values: Sequence[Any]) -> Any:
    """The arguments, filled with values."""
    if isinstance(tree, int):
        return values[tree]
    return tuple([filled(part, values) for part in tree])


def given(name: str, value: Any, names: list[str]) -> Tree:
    """The outputs in a value of the graph; adds their names."""
    type_ = value.type() if value is not None else None
    kind = type_.kind() if type_ else "NoneType"
    if kind in LEAVES:
        names.append(name)
        return len(names) - 1
    parts = parts_of(value, kind) if value is not None else None
    if parts is None:
        what = f'"{name}" of the model is {type_ or "nothing"}, and nothing tells which tensors that will be'
        raise NNError(Code.UNSUPPORTED_OPERATION, what)
    if isinstance(parts, dict):
        prefix = "" if name == OUTPUT else f"{name}."
        return {key: given(f"{prefix}{key}", part, names) for key, part in parts.items()}
    return [given(f"{name}_{at}", part, names) for at, part in enumerate(parts)]


def parts_of(value: Any, kind: str) -> list[Any] | dict[str, Any] | None:
    """The values in a tuple, a list or a dict; None if the graph doesn't show them."""
    node = value.node()
    uses = [use.user for use in value.uses()]
    if kind == "TupleType" and node.kind() == "prim::TupleConstruct":
        return list(node.inputs())
    if kind == "ListType" and node.kind() == "prim::ListConstruct" and len(uses) == 1:
        return list(node.inputs())
    if kind != "DictType" or node.kind() != "prim::DictConstruct":
        return None
    pairs = list(node.inputs())
    found = dict(zip(map(constant, pairs[::2]), pairs[1::2], strict=True))
    for user in uses:
        if user.kind() == "aten::_set_item":
            _, key, part = user.inputs()
            found[constant(key)] = part
        elif user.kind() != "prim::Return":
            return None
    return None if None in found else {str(key): part for key, part in found.items()}


def constant(value: Any) -> str | None:
    """The text of a constant; None for any other value."""
    found = value.toIValue() if value.node().kind() == "prim::Constant" else None
    return found if isinstance(found, str) else None


def leaves(result: Any, tree: Any, name: str) -> Iterator[Any]:
    """The tensors in a result, in order. Raises NNError(RUNTIME_ERROR) if its structure differs from that in
    the graph."""
    if isinstance(tree, int):
        yield result
        return
    pairs = tree.items() if isinstance(tree, Mapping) else list(enumerate(tree))
    if len(result) != len(pairs) or not all(key in result for key in tree if isinstance(key, str)):
        raise NNError(Code.RUNTIME_ERROR, f'"{name}" has other parts than the model says')
    for key, part in pairs:
        yield from leaves(result[key], part, f"{name} {key}")
