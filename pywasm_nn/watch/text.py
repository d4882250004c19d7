"""Events as lines of text, in fixed columns.

What is here: `Lines`, which writes events one after another. What is not: choosing the events (`trace.py`),
and other formats (`records.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..nn.statistics import Statistics, brief
from ..printable import is_visible, printable, visible
from . import events
from .values import shown

MOST_VALUES = 6
"""The number of stack values that are shown, from the top."""
MOST_WRITTEN = 16
"""The number of bytes that are shown of a host function's write."""
LONGEST_TEXT = 40
"""Longer strings are cut."""
LARGE = 1 << 16
"""Numbers from here on are shown in hexadecimal: they are addresses and rights rather than counts."""
MOST_INDENTED = 30
"""Deeper calls are indented no further."""

UNSAID = frozenset({"dirflags", "fs_rights_base", "fs_rights_inheriting", "stat"})
"""Parameters of WASI that are left out: they are long and rarely tell anything."""
UNSAID_ZERO = frozenset({"oflags", "fdflags"})
"""Parameters that are left out when they are 0."""
SHORT = 1e-4
"""The time of a host call is left out below so many seconds."""


class Lines:
    """Writes events as lines. Host calls that only repeat the one before them share its line."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._put = write
        self._funcidx = -1
        self._repeated: list[events.HostCall] = []
        self._thread = 0

    def __call__(self, event: events.Event) -> None:
        if self._repeated and (event.kind != events.HostCall.kind or event.thread != self._thread):
            self.flush()
        if event.thread != self._thread:
            self._thread, self._funcidx = event.thread, -1
        WRITERS[event.kind](self, event)

    def _write(self, line: str) -> None:
        """Write a line with control characters made visible: a module chooses the names in it. A further
        thread of the guest is named before it."""
        self._put(visible(f"[{self._thread}] {line}" if self._thread else line))

    def flush(self) -> None:
        """Write the host calls that are held back to be counted together."""
        if self._repeated:
            self._write(host_line(self._repeated))
            self._repeated = []

    catch_up = flush
    """Call this before something else is written to the same place."""

    def folded(self, computes: int) -> None:
        """Say that so many computes were left out."""
        self._write(f"...   {computes} more compute{'s' * (computes != 1)} like those before")

    def host_call(self, event: events.HostCall) -> None:
        if self._repeated and not repeats(event, self._repeated[-1]):
            self.flush()
        self._repeated.append(event)

    def host_write(self, event: events.HostWrite) -> None:
        change = event.memory
        more = " ..." if change.count > MOST_WRITTEN else ""
        bytes_ = f"{change.count} byte{'s' * (change.count != 1)}"
        self._write(
            f"host  wrote {bytes_} at 0x{change.address:x}: {change.after[:MOST_WRITTEN].hex(' ')}{more}"
        )

    def inference(self, event: events.Inference) -> None:
        self._write(inference_line(event))

    def hint(self, event: events.Hint) -> None:
        self._write(f"hint  {event.text}")

    def origin(self, event: events.Origin) -> None:
        self._write(f"from  {event.text}")

    def call(self, event: events.Call) -> None:
        self._funcidx = -1
        self._write(call_line(event.depth, f"{event.function}({listed(event.arguments)})"))

    def return_(self, event: events.Return) -> None:
        self._funcidx = -1
        what = "left" if event.left else f"returns {listed(event.results)}".rstrip()
        self._write(call_line(event.depth, f"{event.function} {what}"))

    def instruction(self, event: events.Instruction) -> None:
        label = event.function if event.funcidx != self._funcidx else ""
        self._funcidx = -1 if event.explained.startswith("returns") else event.funcidx
        self._write(instruction_line(event, label))

    def end(self, event: events.End) -> None:
        if event.outcome != "exit" or event.code:
            outcome = "" if event.outcome == "exit" else f"{event.outcome}: "
            self._write(f"end   {outcome}{event.text}")

    def omitted(self, event: events.Omitted) -> None:
        self._write(f"...   {event.count} more: the budget is used up")


WRITERS: Mapping[str, Callable[[Lines, Any], None]] = {
    events.HostCall.kind: Lines.host_call,
    events.HostWrite.kind: Lines.host_write,
    events.Inference.kind: Lines.inference,
    events.Hint.kind: Lines.hint,
    events.Origin.kind: Lines.origin,
    events.Call.kind: Lines.call,
    events.Return.kind: Lines.return_,
    events.Instruction.kind: Lines.instruction,
    events.End.kind: Lines.end,
    events.Omitted.kind: Lines.omitted,
}
"""The method that writes each kind of event."""


def lines(trace: Iterable[events.Event]) -> list[str]:
    """All events as lines."""
    written: list[str] = []
    put = Lines(written.append)
    for event in trace:
        put(event)
    put.flush()
    return written


def listed(values: Sequence[Any]) -> str:
    """Values with commas between them: "3, -1, 2.5"."""
    return ", ".join(value if isinstance(value, str) else shown(value) for value in values)


def instruction_line(event: events.Instruction, label: str) -> str:
    """ "   14  0x0045  $square  i32.mul   | 9    3 x 3"; `label` is the function's name, "" if unchanged."""
    values = [value if isinstance(value, str) else shown(value) for value in event.stack[-MOST_VALUES:]]
    stack = " ".join(["..."] * (len(event.stack) > MOST_VALUES) + values)
    where = f"{event.number:5}  0x{event.offset:04x}  {label:<12}"
    return f"{where}  {event.text:<22} | {stack:<14} {event.explained}".rstrip()


def call_line(depth: int, text: str) -> str:
    """A call or a return, indented by its depth."""
    return f"call  {'  ' * min(depth, MOST_INDENTED)}{text}"


def repeats(event: events.HostCall, before: events.HostCall) -> bool:
    """Whether a call repeats the one before: same function, same first argument, both without error."""
    same = (event.module, event.name, event.arguments[:1]) == (
        before.module,
        before.name,
        before.arguments[:1],
    )
    return same and event.error is None and before.error is None


def host_line(calls: Sequence[events.HostCall]) -> str:
    """ "host  fd_write(fd 1, ciovs ['5'], nwritten 1) -> 0  0.2 ms": the first of several calls that repeat
    each other, with the number of the others."""
    event = calls[0]
    said = [(name, value) for name, value in event.arguments if tells(name, value)]
    arguments = ", ".join(f"{name} {argument(value)}" for name, value in said)
    outcome = "" if event.result is None else f" -> {shown(event.result)}"
    if event.error is not None:
        outcome = f" -> {'' if event.result is None else f'{event.result}, '}{printable(event.error)}"
    more = f"  and {len(calls) - 1} more" if len(calls) > 1 else ""
    seconds = sum(call.seconds for call in calls)
    took = f"  {duration(seconds)}" if seconds >= SHORT else ""
    interface = f"{event.module.partition('@')[0]} " if ":" in event.module else ""
    return f"host  {printable(interface)}{event.name}({arguments}){outcome}{more}{took}"


def tells(name: str, value: Any) -> bool:
    """Whether an argument is worth showing."""
    return value is not None and name not in UNSAID and not (name in UNSAID_ZERO and value == 0)


def argument(value: Any) -> str:
    """An argument of a host function."""
    match value:
        case str():
            return repr(value) if is_visible(value) and len(value) <= LONGEST_TEXT else quoted(value)
        case events.Blob(bytes=count):
            return f"<{count} bytes>"
        case tuple():
            return f"[{', '.join(map(argument, value))}]"
        case int() if value >= LARGE:
            return f"0x{value:x}"
    return str(value)


def quoted(text: str) -> str:
    return f"'{printable(text, LONGEST_TEXT)}'"


def duration(seconds: float) -> str:
    milliseconds = seconds * 1e3
    return f"{milliseconds:.0f} ms" if milliseconds >= 99.5 else f"{milliseconds:.2g} ms"


# Inference


def inference_line(event: events.Inference) -> str:
    """ "nn    set_input(ctx 0, #0 "data" f32[1,3,224,224]  mean .41 std .27 min -2.1 max 2.6)  0.4 ms" """
    outcome = f" -> {event.error}: {printable(event.reason or '')}" if event.error else came_of(event)
    return f"nn    {event.operation}({subject(event)}){outcome}  {duration(event.seconds)}"


def subject(event: events.Inference) -> str:
    """The object of the operation: handles, or the input or output with its tensor."""
    if event.index is None or not event.tensors:
        return printable(event.arguments)
    [tensor] = event.tensors
    about = f'ctx {event.context}, #{event.index} "{printable(tensor.name)}" {typed(tensor)}'
    numbers = told(tensor) if event.operation.startswith("set_") else ""
    return f"{about}  {numbers}".rstrip()


def told(tensor: events.Tensor) -> str:
    """The content of an input: its text, or its statistics."""
    return statistics(tensor) if tensor.text is None else on_a_line(tensor.text)


def on_a_line(text: str) -> str:
    """A text on one line."""
    return f'"{printable(text)}"'


def came_of(event: events.Inference) -> str:
    """The result of an operation that succeeded."""
    if event.operation.startswith("load"):
        return f" -> graph {event.graph}  {where(event)}"
    if event.operation.startswith("init_execution_context"):
        return f" -> ctx {event.context}"
    answers = [tensor for tensor in event.tensors if tensor.top]
    texts = "".join(f"  {on_a_line(t.text)}" for t in event.tensors if t.text is not None)
    if texts and event.operation.startswith("get_"):
        return texts
    if event.operation == "compute":
        found = [f'  #{i} "{printable(t.name)}" {typed(t)}  {top(t)}' for i, t in enumerate(answers)]
        return f"  {where(event)}" + "".join(found)
    return f"  {top(answers[0])}" if answers else ""


def where(event: events.Inference) -> str:
    """The backend and the device that really run the graph: "onnxruntime/CPU"."""
    return f"{event.backend}/{event.device}" if event.backend else ""


def typed(tensor: events.Tensor) -> str:
    """ "f32[1,10]", followed by the model's own declaration if that differs; the size of a text."""
    if tensor.text is not None:
        return f"{tensor.size} bytes"
    given = f"{tensor.dtype}[{','.join(map(str, tensor.shape))}]"
    return given if given == tensor.wants else f"{given} for {tensor.wants}"


def statistics(tensor: events.Tensor) -> str:
    """ "mean 0.41 std 0.27 min -2.1 max 2.6", and the number of elements that aren't finite."""
    if not tensor.size:
        return "empty"
    numbers = (tensor.mean, tensor.std, tensor.minimum, tensor.maximum)
    return str(Statistics(tensor.elements, *numbers, tensor.not_finite))


def top(tensor: events.Tensor) -> str:
    """The largest elements with their places in the flat tensor: "top: 281 0.62, 285 0.21, 282 0.09"."""
    if len(tensor.top) == tensor.elements:
        return "= " + ", ".join(brief(value) for _, value in sorted(tensor.top))
    return "top: " + ", ".join(f"{place} {brief(value)}" for place, value in tensor.top)
