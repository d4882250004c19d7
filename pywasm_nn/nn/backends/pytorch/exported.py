"""torch.export models as programs: the file has names, types, shapes and the dynamic dimensions."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument
from torch.utils import _pytree as pytree

from ...errors import Code, NNError
from ...tensor import Dimension, DType, TensorSpec
from .aliases import INPUT, NEW, OWN, Origin, changed_by_export
from .running import Program, Scalar
from .values import CPU, DTYPES, Device

CHANGES = {
    OutputKind.BUFFER_MUTATION: OWN,
    OutputKind.PARAMETER_MUTATION: OWN,
    OutputKind.USER_INPUT_MUTATION: INPUT,
}
"""Outputs that are no results: new values of inputs or of the model's own values."""


def read(source: BytesIO | str, device: Device) -> Program:
    """The model in a file, or in its bytes. Raises NNError(UNSUPPORTED_OPERATION) for element types that no
    tensor has, and PyTorch's exceptions for broken models.
    """
    exported = torch.export.load(source)
    if device.name != CPU:
        from torch.export.passes import move_to_device_pass

        exported = move_to_device_pass(exported, device.name)
    return program_of(exported)


def program_of(exported: Any) -> Program:
    signature, call = exported.graph_signature, exported.call_spec
    values = {node.name: node.meta.get("val") for node in exported.graph.nodes}
    inputs: list[TensorSpec] = []
    scalars: dict[int, Scalar] = {}
    fixed: list[Any] = []
    """For each leaf of the arguments: the index of its input, or its constant value."""
    for one in signature.input_specs:
        if one.kind is not InputKind.USER_INPUT:
            continue
        if isinstance(one.arg, ConstantArgument):
            fixed.append((None, one.arg.value))
            continue
        if isinstance(one.arg, SymIntArgument):
            scalars[len(inputs)] = int
        fixed.append((len(inputs), None))
        inputs.append(spec_of(one.arg.name, values[one.arg.name]))
    user = [one for one in signature.output_specs if one.kind is OutputKind.USER_OUTPUT]
    wanted = [at for at, one in enumerate(user) if not isinstance(one.arg, ConstantArgument)]
    names = names_of(call.out_spec, [one.arg.name for one in user])
    return Program(
        exported.module(),
        inputs,
        [spec_of(names[at], values[user[at].arg.name]) for at in wanted],
        scalars,
        lambda given: pytree.tree_unflatten(
            [v if at is None else given[at] for at, v in fixed], call.in_spec
        ),
        lambda result: [leaf for at, leaf in enumerate(pytree.tree_leaves(result)) if at in wanted],
        *changes(exported, frozenset(spec.name for spec in inputs)),
    )


def changes(exported: Any, given: frozenset[str]) -> tuple[bool, bool]:
    """Whether the model writes to its inputs, and whether it keeps state."""
    found: Origin = changed_by_export(exported.graph, given)
    found = found.union(*(CHANGES.get(one.kind, NEW) for one in exported.graph_signature.output_specs))
    return bool(found & INPUT), bool(found & OWN)


def names_of(spec: Any, nodes: list[str]) -> list[str]:
    """Names of outputs: the keys of a dict, else the names in the graph."""
    paths, _ = pytree.tree_flatten_with_path(pytree.tree_unflatten(list(range(len(nodes))), spec))
    keyed = [any(isinstance(step, pytree.MappingKey) for step in path) for path, _ in paths]
    steps = [
        ".".join(str(getattr(step, "key", getattr(step, "idx", step))) for step in path) for path, _ in paths
    ]
    return [step if named else node for named, step, node in zip(keyed, steps, nodes, strict=True)]


def spec_of(name: str, value: Any) -> TensorSpec:
    """The guest's view of a value in the graph; a number is a tensor with one element."""
    if not isinstance(value, torch.Tensor):
        return TensorSpec(name, DType.ANY if isinstance(value, torch.SymInt) else DType.F64, ())
    if value.dtype not in DTYPES:
        what = f'"{name}" of the model is {value.dtype}, which no wasi-nn tensor supports'
        raise NNError(Code.UNSUPPORTED_OPERATION, what)
    shape: list[Dimension] = [length if type(length) is int else str(length) for length in value.shape]
    return TensorSpec(name, DTYPES[value.dtype], tuple(shape))
