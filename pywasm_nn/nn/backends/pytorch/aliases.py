"""Finds out whether a model writes to its inputs or to its own values, from the schemas of operators.

A schema says which arguments an operator writes to and which results share memory with an argument
("Tensor(a!)": aten/src/ATen/native/README.md of PyTorch). The origin of a written value is traced back; if
that is impossible, it may be an input or the model's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from operator import getitem
from typing import Any

import torch

Origin = frozenset[str]
INPUT: Origin = frozenset({"input"})
OWN: Origin = frozenset({"own"})
EITHER = INPUT | OWN
NEW: Origin = frozenset()
"""A value in new memory."""

CALLS = frozenset({"prim::CallMethod", "prim::CallFunction", "prim::fork", "prim::PythonOp"})
"""Nodes with unknown effects."""
PASSING = frozenset({
    "prim::TupleConstruct", "prim::ListConstruct", "prim::DictConstruct", "prim::TupleUnpack",
    "prim::ListUnpack", "prim::TupleIndex", "prim::TupleSlice", "prim::unchecked_cast",
    "prim::unchecked_unwrap_optional", "prim::data",
})  # fmt: skip
"""Nodes without a schema whose results are or contain their arguments."""
NO_SCHEMA = "(no schema)"
ANYTHING = "*"
"""In a schema: shares memory with any element of a container."""


def changed_by_script(graph: Any) -> Origin:
    """The origins of the values that a TorchScript graph with inlined calls writes to."""
    given = {value.debugName(): INPUT for value in graph.inputs()}
    given[next(graph.inputs()).debugName()] = OWN
    found = NEW
    for node in nodes_of(graph):
        kind = node.kind()
        if kind == "prim::SetAttr":
            found |= OWN
        elif kind in CALLS:
            found |= EITHER
        elif (schema := schema_of(node)) is not None:
            for argument, value in zip(schema.arguments, node.inputs(), strict=False):
                if argument.alias_info is not None and argument.alias_info.is_write:
                    found |= script_origin(value, given)
    return found


def nodes_of(block: Any) -> Iterator[Any]:
    """All nodes of a graph, including those in blocks, except blocks that run only in training."""
    work = [block]
    while work:
        for node in work.pop().nodes():
            yield node
            work += taken_blocks(node)


def taken_blocks(node: Any) -> list[Any]:
    """The blocks of a node that may run: only one if the condition of an If is known."""
    blocks = list(node.blocks())
    if node.kind() != "prim::If" or (truth := known(next(node.inputs()))) is None:
        return blocks
    return [blocks[0 if truth else 1]]


def known(value: Any) -> bool | None:
    """The truth value of a constant, or of an expression of `training`, which is false; None for other
    values."""
    node = value.node()
    kind = node.kind()
    if kind == "prim::Constant":
        found = value.toIValue()
        return found if isinstance(found, bool) else None
    if kind == "prim::GetAttr":
        return False if node.s("name") == "training" else None
    if kind == "aten::__not__":
        inner = known(next(node.inputs()))
        return None if inner is None else not inner
    taken = taken_blocks(node) if kind == "prim::If" else []
    return known(result_of(taken[0], value)) if len(taken) == 1 else None


def result_of(block: Any, value: Any) -> Any:
    """The value in a block that becomes this output of the block's node."""
    names = [output.debugName() for output in value.node().outputs()]
    return list(block.outputs())[names.index(value.debugName())]


def schema_of(node: Any) -> Any:
    """The schema of a node's operator; None if it has none."""
    text = node.schema()
    return None if text == NO_SCHEMA else parsed(text)


@lru_cache(1024)
def parsed(text: str) -> Any:
    return torch._C.parse_schema(text)


def script_origin(value: Any, given: Mapping[str, Origin]) -> Origin:
    """The origin of a value in TorchScript."""
    found, seen, work = NEW, set[str](), [value]
    while work:
        value = work.pop()
        name = value.debugName()
        if name in seen:
            continue
        seen.add(name)
        node = value.node()
        kind, schema = node.kind(), schema_of(node)
        if name in given:
            found |= given[name]
        elif kind == "prim::GetAttr":
            found |= OWN
        elif kind in PASSING:
            work += node.inputs()
        elif kind == "prim::If":
            work += [result_of(block, value) for block in taken_blocks(node)]
        elif schema is None:
            found |= NEW if kind == "prim::Constant" else EITHER
        else:
            infos = [one.alias_info for one in schema.returns if one.alias_info is not None]
            if any(ANYTHING in info.after_set for info in infos):
                found |= EITHER
            elif infos:
                pairs = zip(schema.arguments, node.inputs(), strict=False)
                work += [value for argument, value in pairs if argument.alias_info is not None]
    return found


def changed_by_export(graph: Any, given: frozenset[str]) -> Origin:
    """The origins of the values that a torch.export graph writes to; `given` are the names of its inputs."""
    found = NEW
    for node in graph.nodes:
        if node.op != "call_function" or node.target is getitem:
            continue
        schema = getattr(node.target, "_schema", None)
        if schema is not None:
            for argument, values in arguments_of(node, schema):
                if argument.alias_info is not None and argument.alias_info.is_write:
                    found |= export_origin(values, given)
        elif node.target.__module__ not in ("_operator", "math", "builtins"):
            found |= EITHER
    return found


def arguments_of(node: Any, schema: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Each argument of a schema with the nodes that are passed for it."""
    for index, argument in enumerate(schema.arguments):
        value = node.args[index] if index < len(node.args) else node.kwargs.get(argument.name)
        leaves = torch.utils._pytree.tree_leaves(value)
        yield argument, [leaf for leaf in leaves if isinstance(leaf, torch.fx.Node)]


def export_origin(values: list[Any], given: frozenset[str]) -> Origin:
    """The origin of nodes in torch.export."""
    found, seen, work = NEW, set[str](), list(values)
    while work:
        node = work.pop()
        if node.name in seen:
            continue
        seen.add(node.name)
        schema = getattr(node.target, "_schema", None)
        if node.op == "placeholder":
            found |= INPUT if node.name in given else OWN
        elif node.op == "get_attr":
            found |= OWN
        elif node.target is getitem:
            work.append(node.args[0])
        elif schema is None:
            found |= EITHER
        elif any(one.alias_info is not None for one in schema.returns):
            for argument, nodes in arguments_of(node, schema):
                if argument.alias_info is not None:
                    work += nodes
    return found
