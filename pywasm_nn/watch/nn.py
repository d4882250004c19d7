"""Operations of wasi-nn as lines of text: names, element types, shapes, statistics, the largest outputs.

What is not here: hints about what may be wrong with them, and the operations (`nn.session`).
"""

from __future__ import annotations

from typing import Any

from ..interpreter.names import printable
from ..nn.operation import NNEvent
from ..nn.tensor import DType, Tensor, TensorSpec

TOP = 3
"""So many of an output's largest elements are named."""
FEWEST = 4
"""Outputs with fewer elements are written out."""


def line(event: NNEvent) -> str:
    """ "nn  set_input(ctx 0, #0 "data" f32[1,3,224,224]  mean .41 std .27 min -2.1 max 2.6)   0.4 ms" """
    outcome = f" -> {printable(str(event.error))}" if event.error else ""
    return f"nn    {event.operation}({subject(event)}){outcome}{found(event)}   {event.seconds * 1e3:.2f} ms"


def subject(event: NNEvent) -> str:
    """What the operation was about."""
    if event.operation in ("set_input", "get_output") and event.specs and event.tensors:
        about = f"ctx {event.context_id}, #{event.index} {described(event.specs[0], event.tensors[0])}"
        return about + (f"  {statistics(event.tensors[0])}" if event.operation == "set_input" else "")
    return printable(event.arguments)


def described(spec: TensorSpec, tensor: Tensor) -> str:
    return f'"{printable(spec.name)}" {tensor}'


def found(event: NNEvent) -> str:
    """What came of it."""
    if event.error:
        return ""
    if event.operation.startswith("load"):
        return f" -> graph {event.graph_id}  {where(event)}"
    if event.operation == "init_execution_context":
        return f" -> ctx {event.context_id}"
    if event.operation == "compute":
        return f"  {where(event)}"
    if event.operation == "get_output" and event.tensors:
        return f"  {top(event.tensors[0])}"
    return ""


def where(event: NNEvent) -> str:
    """The backend and the device that really run the graph: "onnxruntime/CPU"."""
    return f"{event.graph.backend}/{event.graph.device}" if event.graph else ""


def numbers(tensor: Tensor) -> Any:
    """The elements as float64, or None for those that aren't numbers (bf16 is bits in numpy)."""
    if tensor.dtype in (DType.STRING, DType.BF16) or not tensor.view().nbytes:
        return None
    return tensor.numpy().astype("f8").reshape(-1)


def statistics(tensor: Tensor) -> str:
    """ "mean 0.41 std 0.27 min -2.1 max 2.6", and how many elements are no finite numbers."""
    import numpy

    values = numbers(tensor)
    if values is None:
        return "" if tensor.view().nbytes else "empty"
    finite = values[numpy.isfinite(values)]
    lost = len(values) - len(finite)
    broken = f" {lost} of {len(values)} not finite" if lost else ""
    if not len(finite):
        return broken.strip()
    return (
        f"mean {brief(finite.mean())} std {brief(finite.std())} "
        f"min {brief(finite.min())} max {brief(finite.max())}{broken}"
    )


def top(tensor: Tensor) -> str:
    """The largest elements with their places in the flat tensor: "top: 281 0.62, 285 0.21, 282 0.09"."""
    import numpy

    values = numbers(tensor)
    if values is None:
        return ""
    if len(values) < FEWEST:
        return "= " + ", ".join(map(brief, values))
    order = numpy.argsort(-numpy.nan_to_num(values, nan=-numpy.inf), kind="stable")[:TOP]
    return "top: " + ", ".join(f"{i} {brief(values[i])}" for i in order)


def brief(value: float) -> str:
    return f"{value:.3g}"
