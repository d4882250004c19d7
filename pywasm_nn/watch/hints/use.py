"""Rules about how the guest uses inference: numbers of types, devices, the order of operations.

Each is a pure function of facts that returns a sentence, or None.
"""

from __future__ import annotations

from ...nn.numbers import LEGACY_TYPES, TYPES
from ..facts import Answer, Compute, Fit, Input, Load


def legacy_type(given: Input, number: int | None) -> str | None:
    """Tells of a tensor type that the guest gives by its number from before August 2023, by the length of the
    data. This is no mistake here, though it is one on hosts that don't look at the length."""
    if number not in TYPES or number not in LEGACY_TYPES or TYPES[number] is LEGACY_TYPES[number]:
        return None
    if LEGACY_TYPES[number].value != given.tensor.dtype:
        return None
    then, now = LEGACY_TYPES[number], TYPES[number]
    return (
        f"{given}: tensor type {number} counts as {then}, which had that number before August 2023 (legacy "
        f"numbering), as the {given.tensor.size} bytes fit it; today it is {now}"
    )


def other_device(load: Load) -> str | None:
    """A model that runs on another device than the guest asked for."""
    if load.error or load.asked not in ("gpu", "tpu") or not (load.device or "").upper().startswith("CPU"):
        return None
    return f"{load.asked} was asked for, the model runs on {load.backend}/{load.device}"


def failed_before(compute: Compute) -> str | None:
    """A compute on earlier input, because the last set_input failed."""
    if not compute.failed:
        return None
    given = next((one for one in compute.inputs if one.index == compute.failed[0]), None)
    return f"{given}: the last set_input failed, so compute used what was set before it" if given else None


def changed_since(compute: Compute) -> str | None:
    """A buffer that the guest refilled after set_input had copied it, and never set again."""
    if not compute.unsent:
        return None
    given = next((one for one in compute.inputs if one.index == compute.unsent[0]), None)
    if given is None:
        return None
    return f"{given}: its buffer changed after set_input copied it: compute used the old elements (stale)"


def fetched_again(answer: Answer) -> str | None:
    """An output fetched again after new inputs were set, but without a compute."""
    if not answer.stale:
        return None
    return (
        f"output {answer.index} was fetched again after set_input but without compute: "
        "it is the answer to the inputs before (stale)"
    )


def meant_another(fit: Fit) -> str:
    """An output fetched into a buffer that another output would fill."""
    return (
        f"{fit.output} was fetched into a buffer of {fit.room} bytes; {fit.other} would fill it and was not "
        "fetched: is that meant?"
    )
