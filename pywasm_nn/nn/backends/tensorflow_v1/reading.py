"""Reads SavedModels and GraphDefs into sessions, and finds their inputs and outputs.

The inputs and outputs of a SavedModel are those of a signature; of a GraphDef they are its placeholders, and
the nodes that no other node reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....records import Frozen
from ...backend import GraphConfig
from ...errors import Code, NNError
from ...tensor import DType, TensorSpec
from ..options import thread_count
from . import framework

SERVE = "serve"
DEFAULT = "serving_default"
SORTED = "sorted"
PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2"})
NO_OUTPUTS = PLACEHOLDERS | {"Const", "PlaceholderWithDefault"}
"""Types of nodes that are no outputs, even if nobody reads them."""
WRITES = ("Assign", "ResourceApply", "ResourceScatter", "Scatter", "Stack", "Queue", "TensorArrayWrite",
          "LookupTableInsert", "MutableHashTable", "Barrier")  # fmt: skip
"""How the types of operators begin that keep something in the session for the next run."""
TYPES = {
    "half": DType.F16, "float32": DType.F32, "float64": DType.F64, "bfloat16": DType.BF16, "uint8": DType.U8,
    "int8": DType.I8, "int16": DType.I16, "int32": DType.I32, "int64": DType.I64, "uint16": DType.U16,
    "uint32": DType.U32, "uint64": DType.U64, "bool": DType.BOOL, "float16": DType.F16,
}  # fmt: skip
"""Element types by TensorFlow's names."""


class Program(Frozen):
    """A model in a session. `feeds` and `fetches` are names of tensors, in the order of `inputs` and
    `outputs`; `keeps` is whether a run changes the session."""

    session: Any
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    feeds: tuple[str, ...]
    fetches: tuple[str, ...]
    keeps: bool


def read(source: Path | bytes, config: GraphConfig) -> Program:
    """The model in the directory of a SavedModel, or in the bytes of a GraphDef. Raises
    NNError(UNSUPPORTED_OPERATION) for a model without a usable signature or with elements that no tensor has,
    INVALID_ARGUMENT for an unknown signature or order, and TensorFlow's exceptions for broken models."""
    tf = framework.v1()
    order = config.options.get("order")
    if order not in (None, SORTED):
        raise NNError(Code.INVALID_ARGUMENT, f'option "order" is {order!r}; there is "{SORTED}"')
    threads = thread_count(config)
    session = tf.Session(
        graph=tf.Graph(),
        config=tf.ConfigProto(
            intra_op_parallelism_threads=threads,
            inter_op_parallelism_threads=threads,
            device_count={"GPU": 0},
        ),
    )
    try:
        put = read_graph if isinstance(source, bytes) else read_directory
        inputs, outputs = put(session, source, config.options)  # type: ignore[arg-type] # the one for its type
        return program_of(session, inputs, outputs, order == SORTED)
    except BaseException:
        session.close()
        raise


Named = Mapping[str, Any]
"""Tensors of the graph by the names that guests use."""


def read_directory(session: Any, directory: Path, options: Mapping[str, Any]) -> tuple[Named, Named]:
    """Load a SavedModel; returns the inputs and outputs of its signature."""
    with framework.quiet():
        tags = tags_of(directory)
        loaded = framework.v1().saved_model.load(session, tags, str(directory))
    signature = chosen(loaded.signature_def, options.get("signature"))
    graph = session.graph
    inputs, outputs = (
        {name: graph.get_tensor_by_name(info.name) for name, info in side.items()}
        for side in (signature.inputs, signature.outputs)
    )
    return inputs, outputs


def tags_of(directory: Path) -> list[str]:
    """The tags of the graph to load: "serve", or those of the first graph."""
    proto = framework.saved_model()
    proto.ParseFromString((directory / "saved_model.pb").read_bytes())
    found = [sorted(meta.meta_info_def.tags) for meta in proto.meta_graphs]
    return next((tags for tags in found if SERVE in tags), found[0] if found else [SERVE])


def chosen(signatures: Mapping[str, Any], name: object) -> Any:
    """The signature of this name; without a name, the default one or the only one with outputs."""
    usable = {key: one for key, one in signatures.items() if not key.startswith("__") and one.outputs}
    if name is None:
        name = DEFAULT if DEFAULT in usable or len(usable) != 1 else next(iter(usable))
    if name in usable:
        return usable[str(name)]
    known = ", ".join(sorted(usable)) or "none"
    raise NNError(Code.INVALID_ARGUMENT, f'the model has no signature "{name}"; option "signature": {known}')


def read_graph(session: Any, data: bytes, _options: Mapping[str, Any]) -> tuple[Named, Named]:
    """Import a GraphDef; returns its placeholders, and the outputs that no node reads."""
    tf = framework.v1()
    definition = tf.GraphDef()
    definition.ParseFromString(data)
    with session.graph.as_default():
        tf.import_graph_def(definition, name="")
    operations = session.graph.get_operations()
    read = {tensor.op for operation in operations for tensor in operation.inputs}
    read = read.union(*(operation.control_inputs for operation in operations))
    inputs = [one.outputs[0] for one in operations if one.type in PLACEHOLDERS]
    ends = [one for one in operations if one not in read and one.type not in NO_OUTPUTS]
    return named(inputs), named(tensor for one in ends for tensor in one.outputs)


def named(tensors: Iterable[Any]) -> Named:
    """Tensors by name; the first tensor of an operation has the operation's name."""
    return {tensor.name.removesuffix(":0"): tensor for tensor in tensors}


def program_of(session: Any, inputs: Named, outputs: Named, is_sorted: bool) -> Program:
    if not outputs:
        raise NNError(Code.UNSUPPORTED_OPERATION, "the model has no outputs")
    places = {operation: at for at, operation in enumerate(session.graph.get_operations())}

    def place(pair: tuple[str, Any]) -> Any:
        return pair[0] if is_sorted else (places[pair[1].op], pair[1].value_index, pair[0])

    given, made = sorted(inputs.items(), key=place), sorted(outputs.items(), key=place)
    types = set(operation_types([tensor.op for _, tensor in made], session.graph))
    return Program(
        session,
        tuple([spec_of(name, tensor) for name, tensor in given]),
        tuple([spec_of(name, tensor) for name, tensor in made]),
        tuple([tensor.name for _, tensor in given]),
        tuple([tensor.name for _, tensor in made]),
        any(type_.startswith(WRITES) for type_ in types),
    )


def operation_types(ends: Sequence[Any], graph: Any) -> Iterator[str]:
    """The types of all operations on which these depend, including those in functions that they name."""
    definition = graph.as_graph_def()
    functions = {one.signature.name: one.node_def for one in definition.library.function}
    work, seen = list(ends), set()
    nodes = []
    while work:
        operation = work.pop()
        if operation.name not in seen:
            seen.add(operation.name)
            nodes.append(operation.node_def)
            work += [*(tensor.op for tensor in operation.inputs), *operation.control_inputs]
    while nodes:
        node = nodes.pop()
        yield node.op
        names = {node.op, *(name for value in node.attr.values() for name in functions_in(value))}
        for name in names & functions.keys():
            nodes += functions.pop(name)


def functions_in(value: Any) -> list[str]:
    """The functions that an attribute names."""
    return [value.func.name, *(each.name for each in value.list.func)]


def spec_of(name: str, tensor: Any) -> TensorSpec:
    """The guest's view of a tensor of the graph."""
    dtype = TYPES.get(tensor.dtype.base_dtype.name)
    if dtype is None:
        what = f'"{name}" of the model is {tensor.dtype.base_dtype.name}, which no wasi-nn tensor supports'
        raise NNError(Code.UNSUPPORTED_OPERATION, what)
    shape = tensor.shape
    dimensions = None if shape.rank is None else tuple(shape.as_list())
    own = tensor.name
    return TensorSpec(name, dtype, dimensions, aliases=() if own == name else (own,))
