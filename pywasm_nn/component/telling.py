"""Calls of host functions as text for users: for traces, and for the last call before a trap.

What is here: `short`, the text of a value, `told`, the description of a finished call, and `seen` and
`seen_drop`, functions whose calls are observed. What is not: text that can be parsed (`wave.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from ..brief import brief
from ..frames import CallToHost
from ..interpreter.runtime.observe import HostEvent, Observer
from .canonical.faces import Err, Some, attribute
from .types import Compound, FuncType, Kind, Part

Arguments = tuple[tuple[str, Any], ...]
"""Names of arguments and texts for their values."""
SHORTEST_BLOB = 24
"""The longest byte string (in bytes) that is shown in full."""


class Words(str):
    """A text in place of a value, shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Shown(Words):
    """The text of an argument, with its value. A view of guest memory is valid only during the observer's
    call."""

    __slots__ = ("value",)

    value: Any

    @classmethod
    def of(cls, text: str, value: Any) -> Shown:
        made = cls(text)
        made.value = value
        return made


MOST_PARTS = 4
"""Elements, fields and flags to show of a value."""
DEEPEST = 3
"""Levels to show of a value."""


def short(value: Any, type_: Part, depth: int = DEEPEST) -> str:
    """A short text for a value, in WIT's terms: `ok(descriptor)`, `{read, write}`, `[1, 2, ... 300]`."""
    if type(value) is Words:  # not `isinstance`, which asks a host's object for its class
        return str(value)
    if not isinstance(type_, Compound):
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else brief(value)
    if not depth:
        return "..."
    return SHORT[type_.kind](value, type_, depth - 1)


def parts(texts: Sequence[str], count: int) -> str:
    """Texts of the first parts, and the number of parts."""
    return ", ".join([*texts, *[f"... {count}"] * (count > len(texts))])


def short_list(value: Any, type_: Compound, depth: int) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        return repr(bytes(value)) if len(value) <= SHORTEST_BLOB else f"<{len(value)} bytes>"
    shown = [short(part, type_.parts[0], depth) for part in value[:MOST_PARTS]]
    return f"[{parts(shown, len(value))}]"


def short_map(value: Any, type_: Compound, depth: int) -> str:
    return f"<map of {len(value)}>"


def short_tuple(value: Any, type_: Compound, depth: int) -> str:
    shown = [short(part, inner, depth) for part, inner in zip(value[:MOST_PARTS], type_.parts, strict=False)]
    return f"({parts(shown, len(type_.parts))})"


def short_record(value: Any, type_: Compound, depth: int) -> str:
    shown = [
        f"{label}: {short(getattr(value, attribute(label), None), part, depth)}"
        for label, part in zip(type_.labels[:MOST_PARTS], type_.parts, strict=False)
    ]
    return f"{{{parts(shown, len(type_.labels))}}}"


def short_variant(value: Any, type_: Compound, depth: int) -> str:
    part = type_.parts[type_.labels.index(value.label)] if value.label in type_.labels else None
    label: str = value.label
    return label + ("" if part is None else f"({short(value.value, part, depth)})")


def short_enum(value: Any, type_: Compound, depth: int) -> str:
    return str(value.value)


def short_flags(value: Any, type_: Compound, depth: int) -> str:
    found = [label for bit, label in enumerate(type_.labels) if value.value >> bit & 1]
    return f"{{{parts(found[:MOST_PARTS], len(found))}}}"


def short_option(value: Any, type_: Compound, depth: int) -> str:
    if value is None:
        return "none"
    return f"some({short(value.value if isinstance(value, Some) else value, type_.parts[0], depth)})"


def short_result(value: Any, type_: Compound, depth: int) -> str:
    label, part = ("err", type_.parts[1]) if isinstance(value, Err) else ("ok", type_.parts[0])
    return label if part is None else f"{label}({short(value.value, part, depth)})"


def short_handle(value: Any, type_: Compound, depth: int) -> str:
    return repr(type_.parts[0]) if type_.parts else type_.kind.value


SHORT: Mapping[Kind, Callable[[Any, Compound, int], str]] = {
    **dict.fromkeys(Kind, short_handle),
    Kind.LIST: short_list,
    Kind.MAP: short_map,
    Kind.TUPLE: short_tuple,
    Kind.RECORD: short_record,
    Kind.VARIANT: short_variant,
    Kind.ENUM: short_enum,
    Kind.FLAGS: short_flags,
    Kind.OPTION: short_option,
    Kind.RESULT: short_result,
}


def without_views(value: Any) -> Any:
    """The value; for a view of memory, or a list of them, a text that tells its length."""
    if value.__class__ is memoryview:
        return Words(f"<{len(value)} bytes>")
    if value.__class__ is list and value and value[0].__class__ is memoryview:
        return [*map(without_views, value)]
    return value


def told(name: str, type_: FuncType, result: Any, reason: str, arguments: Sequence[Any]) -> CallToHost:
    """The description of a finished call."""
    texts = tuple(
        (label, short(value, part))
        for label, value, part in zip(type_.labels, arguments, type_.params, strict=True)
    )
    text = None if reason or type_.result is None else short(result, type_.result)
    return CallToHost(name, texts, text, reason)


def seen(
    call: Callable[..., Any], interface: str, name: str, type_: FuncType, observer: Observer
) -> Callable[..., Any]:
    """A host function whose calls are reported to an observer."""

    def texts(arguments: Sequence[Any]) -> Arguments:
        return tuple(
            (label, Shown.of(short(value, part), value))
            for label, value, part in zip(type_.labels, arguments, type_.params, strict=True)
        )

    def text(result: Any) -> str | None:
        return None if type_.result is None else short(result, type_.result)

    return reported(call, partial(HostEvent, interface, name), texts, text, observer)


def seen_drop(drop: Callable[[int], None], where: str, observer: Observer) -> Callable[[int], None]:
    """A function that drops handles of a resource, whose calls are reported to an observer. `where` is the
    resource's interface and name."""
    interface, _, name = where.rpartition(" ")
    dropped = (("self", Words(name)),)
    event = partial(HostEvent, interface, f"{name}.drop")
    return reported(drop, event, lambda arguments: dropped, lambda result: None, observer)


def reported(
    call: Callable[..., Any],
    event: Callable[..., HostEvent],
    texts: Callable[[Sequence[Any]], Arguments],
    text: Callable[[Any], str | None],
    observer: Observer,
) -> Callable[..., Any]:
    """A function whose calls are reported with the texts of its arguments and of its result."""

    def function(*arguments: Any) -> Any:
        began = perf_counter()
        result, error = None, None
        try:
            result = call(*arguments)
            return result
        except BaseException as raised:
            error = raised
            raise
        finally:
            shown = None if error is not None else text(result)
            observer.host_call(event(texts(arguments), shown, error, perf_counter() - began))
            del error  # break the reference cycle of the error, its traceback and this frame

    return function
