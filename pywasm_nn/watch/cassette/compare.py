"""Compares two cassettes: finds the first call that differs, and how far apart their tensors are.

What is here: the comparison as data. What is not: its output (`cli/diff.py`).

Calls are compared in order: for example two runs with different backends, or a run of today with a known good
one. If the cassettes have different builds of a guest, buffers are in different places: then addresses and
the bytes that the host wrote aren't compared, but calls, numbers, sent bytes, answers and tensors are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any, TypeVar

from ...arrays import numpy
from ...checks import check_kind
from ...nn.statistics import distances
from ...nn.tensor import DType, Tensor
from ...records import Frozen
from ..overhearing import same_at_start
from .tape import (
    SHOWN,
    Answer,
    Call,
    Cassette,
    Inference,
    KeptTensor,
    Output,
    Reentered,
    Sent,
    Step,
    Value,
    Written,
    differing_arguments,
    plain,
    same_values,
)

S = TypeVar("S", bound=Step)
WORD = 4
"""Bytes of a guest's address."""


class TensorDifference(Frozen):
    """A tensor in both cassettes, of the `operation` in the call with the number `call` in the first one.

    Of `elements` elements `differing` differ. The largest difference is `largest`, at the flat index `place`;
    `values` are the two values there. These three are None if types or shapes differ, or if elements aren't
    numbers; then `differing` counts bytes.
    """

    call: int
    operation: str
    one: KeptTensor
    other: KeptTensor
    elements: int
    differing: int
    largest: float | None
    place: int | None
    values: tuple[float, float] | None

    @property
    def within(self) -> float:
        """The smallest tolerance for which the tensors are equal; infinite if their shapes differ."""
        if self.largest is not None:
            return self.largest
        return float("inf") if self.differing else 0.0


class Comparison(Frozen):
    """The differences. `first` describes the first call that differs, "" if none does, and `number` is that
    call's number in the first cassette, or 0. `tensors` are all tensors in both cassettes, in the order of
    the calls; `calls` are the numbers of calls in the two."""

    first: str
    number: int
    calls: tuple[int, int]
    tensors: tuple[TensorDifference, ...]
    same_module: bool

    @property
    def differing(self) -> list[TensorDifference]:
        """The tensors that differ, in descending order of the difference."""
        return sorted((each for each in self.tensors if each.differing), key=lambda each: -each.within)


def compared(
    one: str | os.PathLike[str], other: str | os.PathLike[str], *, tolerance: float = 0.0
) -> Comparison:
    """Compare the cassettes in two files. Tensors whose elements differ by at most `tolerance` count as
    equal, as do their bytes in memory.

    Raises OSError, CassetteError, TypeError and ValueError.
    """
    check_kind("tolerance", tolerance, (int, float), "a number")
    if not tolerance >= 0:
        raise ValueError(f"tolerance must be 0 or more, got {tolerance}")
    cassettes = Cassette(one), Cassette(other)
    same_module = cassettes[0].header.digest == cassettes[1].header.digest
    first, number = "", 0
    counts = [0, 0]
    tensors: list[TensorDifference] = []
    for call, counterpart in zip_longest(*cassettes):
        counts[0] += call is not None
        counts[1] += counterpart is not None
        near: list[TensorDifference] = []
        if call is not None and counterpart is not None:
            near = list(tensors_of(call, counterpart))
            tensors += near
        if not first:
            rules = Rules(same_module, are_close(near, tolerance, same_module))
            first = difference(call, counterpart, rules)
            number = call.number if call is not None and first else 0
    return Comparison(first, number, (counts[0], counts[1]), tuple(tensors), same_module)


def are_close(tensors: list[TensorDifference], tolerance: float, same_module: bool) -> bool:
    """Whether a call's tensors say enough about it, so that the bytes that were passed aren't compared. Those
    of equal tensors differ too if another build has its buffers elsewhere; in the same build they are equal.
    """
    if all(each.one.data == each.other.data for each in tensors):
        return bool(tensors) and not same_module
    return tolerance > 0 and all(each.within <= tolerance for each in tensors)


class Rules(Frozen):
    """The rules for comparing two calls: whether addresses are comparable, and whether tensors (and so their
    bytes) may differ within the tolerance."""

    addresses: bool
    tensors_are_close: bool


def difference(one: Call | None, other: Call | None, rules: Rules) -> str:
    """The difference of two calls, or ""."""
    if one is None or other is None:
        ended, goes_on = ("first", other) if one is None else ("second", one)
        assert goes_on is not None  # of two, of which one is None
        return f"the {ended} ends, the other goes on with {goes_on.title}"
    if (one.module, one.name) != (other.module, other.name):
        return f"{one.title} in the first, {other.title} in the second"
    found = (
        arguments_differ(one, other, rules)
        or steps_differ(one, other, rules)
        or answers_differ(one.answer, other.answer)
    )
    return f"{one.title}: {found}" if found else ""


def arguments_differ(one: Call, other: Call, rules: Rules) -> str:
    pointers = addresses(one), addresses(other)
    for name, then, now in differing_arguments(one, other.arguments):
        if rules.addresses or then not in pointers[0] or now not in pointers[1]:
            return f"{name} is {then} in the first, {now} in the second"
    return ""


def addresses(call: Call) -> set[Value]:
    """The addresses of the guest's memory that the host read or wrote."""
    sent = {step.address for step in of_kind(call.steps, Sent)}
    return sent | {step.begin for step in of_kind(call.steps, Written)}


def of_kind(steps: Iterable[Step], kind: type[S]) -> Iterator[S]:
    return (step for step in steps if isinstance(step, kind))


def steps_differ(one: Call, other: Call, rules: Rules) -> str:
    """The difference between the steps of two calls, or ""."""
    inferences = [list(of_kind(call.steps, Inference)) for call in (one, other)]
    for first, second in zip_longest(*inferences):
        if found := inferences_differ(first, second, rules):
            return found
    outputs = [b"".join(step.data for step in of_kind(call.steps, Output)) for call in (one, other)]
    if outputs[0] != outputs[1]:
        return f"the output differs {bytes_differ(*outputs)}"
    reentered = [list(of_kind(call.steps, Reentered)) for call in (one, other)]
    for called, counterpart in zip_longest(*reentered):
        if found := reentered_differ(called, counterpart, rules):
            return found
    if rules.tensors_are_close:
        return ""
    return pieces_differ(one, other, rules)


def pieces_differ(one: Call, other: Call, rules: Rules) -> str:
    """The difference in the bytes that were passed, or ""."""
    masks: list[Callable[[bytes], bytes]] = [
        (lambda data: data) if rules.addresses else masked(call) for call in (one, other)
    ]
    for first, second in zip_longest(of_kind(one.steps, Sent), of_kind(other.steps, Sent)):
        if first is None or second is None:
            return f"only the {'second' if first is None else 'first'} sends more bytes"
        if masks[0](first.data) != masks[1](second.data):
            return f"the guest sends other bytes {bytes_differ(masks[0](first.data), masks[1](second.data))}"
    if rules.addresses:
        for wrote, counterpart in zip_longest(of_kind(one.steps, Written), of_kind(other.steps, Written)):
            if wrote is None or counterpart is None or wrote.address != counterpart.address:
                return "the host writes in other places"
            if wrote.data != counterpart.data:
                return f"the host answers other bytes {bytes_differ(wrote.data, counterpart.data)}"
    return ""


def masked(call: Call) -> Callable[[bytes], bytes]:
    """A function that replaces addresses in data, such as lists of buffers, by zeros."""
    values = (value for value in addresses(call) if isinstance(value, int))
    places = {value.to_bytes(WORD, "little") for value in values if 0 < value < 1 << 8 * WORD}

    def mask(data: bytes) -> bytes:
        if len(data) % WORD:
            return data
        words = (data[start : start + WORD] for start in range(0, len(data), WORD))
        return b"".join(bytes(WORD) if word in places else word for word in words)

    return mask


def bytes_differ(one: bytes, other: bytes) -> str:
    """ "from byte 12 on: 00 01 in the first, 00 02 in the second"."""
    first = same_at_start(one, other)
    shown = [piece[first : first + SHOWN].hex(" ") or "nothing" for piece in (one, other)]
    return f"from byte {first} on: {shown[0]} in the first, {shown[1]} in the second"


def inferences_differ(one: Inference | None, other: Inference | None, rules: Rules) -> str:
    if one is None or other is None:
        there = one or other
        assert there is not None  # of two, of which one is None
        return f"only the {'second' if one is None else 'first'} does {there.operation}"
    for what in ("operation", "model", "index", "error"):
        then, now = getattr(one, what), getattr(other, what)
        if then != now:
            return f"{what} is {then} in the first, {now} in the second"
    for first, second in zip_longest(one.tensors, other.tensors):
        if first is None or second is None:
            counts = len(one.tensors), len(other.tensors)
            return f"{one.operation} has {counts[0]} tensors in the first, {counts[1]} in the second"
        if (first.dtype, first.shape) != (second.dtype, second.shape):
            return f'tensor "{first.name}" is {first.type} in the first, {second.type} in the second'
        if first.data != second.data and not rules.tensors_are_close:
            return f'tensor "{first.name}" of {one.operation} differs'
    return ""


def reentered_differ(one: Reentered | None, other: Reentered | None, rules: Rules) -> str:
    if one is None or other is None or one.export != other.export:
        called = [each.export if each else "nothing" for each in (one, other)]
        return f"the host calls {called[0]} of the guest in the first, {called[1]} in the second"
    given = [(each.arguments, each.results or ()) for each in (one, other)]
    if rules.addresses and [list(map(plain, v)) for v in given[0]] != [list(map(plain, v)) for v in given[1]]:
        return f"{one.export} of the guest got or returned other numbers"
    for first, second in zip_longest(one.calls, other.calls):
        if found := difference(first, second, rules):
            return f"in {one.export}: {found}"
    return ""


def answers_differ(one: Answer, other: Answer) -> str:
    if (one.kind, one.words) == (other.kind, other.words) and same_values(one.values, other.values):
        return ""
    return f"{answered(one)} in the first, {answered(other)} in the second"


def answered(answer: Answer) -> str:
    """ "returned 0", "trap: out of bounds memory access"."""
    told = [*map(str, answer.values), *(word for word in answer.words if word)]
    return f"{answer.kind} {', '.join(told)}".rstrip()


def tensors_of(one: Call, other: Call) -> Iterator[TensorDifference]:
    """The tensors in both calls."""
    for first, second in zip(one.inferences, other.inferences, strict=False):
        for tensor, counterpart in zip(first.tensors, second.tensors, strict=False):
            yield tensor_difference(one.number, first.operation, tensor, counterpart)


def tensor_difference(call: int, operation: str, one: KeptTensor, other: KeptTensor) -> TensorDifference:
    """Compare two tensors."""
    first, second = numbers(one), numbers(other)
    if (one.dtype, one.shape) != (other.dtype, other.shape) or first is None or second is None:
        count = sum(a != b for a, b in zip(one.data, other.data, strict=False))
        count += abs(len(one.data) - len(other.data))
        count = max(count, (one.dtype, one.shape) != (other.dtype, other.shape))
        return TensorDifference(call, operation, one, other, len(one.data), count, None, None, None)
    apart = distances(first, second)
    apart[numpy.isnan(apart)] = numpy.inf
    place = int(apart.argmax())  # there is one: without elements there are no numbers
    return TensorDifference(
        call,
        operation,
        one,
        other,
        apart.size,
        int(numpy.count_nonzero(apart)),
        float(apart[place]),
        place,
        (float(first[place]), float(second[place])),
    )


def numbers(tensor: KeptTensor) -> Any:
    """Returns the elements as a numpy array, or None if they aren't numbers or some are missing. Raises no
    exception."""
    try:
        return Tensor(DType(tensor.dtype), tensor.shape, tensor.data).numbers()
    except (ValueError, TypeError, OverflowError):
        return None
