"""Angles that guests make of a sine and a cosine, as functions from an answer to a text; right ones, too."""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, degrees, pi
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.angled import exchanged
from pywasm_nn.watch.probes.asked import Asked, Given
from pywasm_nn.watch.probes.copies import Reply

Guest = Callable[[float, float], str]
"""Gets the sine and the cosine."""


def asked(guest: Guest, names: tuple[str, ...] = ("sincos",), rows: int = 1) -> Asked:
    own = numpy.tile(numpy.array([[0.6, 0.8]], "<f4"), (rows, 1))
    arrays = [own] if len(names) == 1 else [own[:, :1], own[:, 1:]]
    outputs = {
        at: Given(f'output {at} "{name}"', one)
        for at, (name, one) in enumerate(zip(names, arrays, strict=True))
    }

    def reply(series: Any, fill: int | None = None, to_the_end: bool = True) -> Reply:
        made = numpy.concatenate([series[-1].get(at, one.array) for at, one in outputs.items()], axis=1)
        text = "".join(guest(*map(float, row)) for row in made)
        return Reply((text,), frozenset(outputs), "returned")

    memory: Any = SimpleNamespace(size=0, view=lambda start, size: b"")
    return Asked(reply, outputs, reply([{}]), tuple, memory)


def right(sine: float, cosine: float) -> str:
    return f"page 3 is turned by {degrees(atan2(sine, cosine)) % 360:.0f} degrees\n"


def wrong(sine: float, cosine: float) -> str:
    return right(cosine, sine)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("names", [("sincos",), ("rot_sin_cos",), ("yaw_sine", "yaw_cosine")])
def test_arguments_exchanged(names: tuple[str, ...], rows: int) -> None:
    if len(names) > 1 and rows > 1:
        return
    assert "are the arguments of atan2 exchanged?" in exchanged(asked(wrong, names, rows))
    assert exchanged(asked(right, names, rows)) == ""


def test_the_names_say_the_order() -> None:
    """The first element is named the cosine: what is right of the other order is wrong here."""
    assert exchanged(asked(wrong, ("cos_sin",))) == ""
    assert "exchanged?" in exchanged(asked(right, ("cos_sin",)))


def test_radians() -> None:
    assert "in radians" in exchanged(asked(lambda one, other: f"phi {atan2(other, one):.3f}\n"))
    assert exchanged(asked(lambda one, other: f"phi {atan2(one, other):.3f}\n")) == ""


@pytest.mark.parametrize(
    "guest",
    [
        lambda sine, cosine: f"bearing {degrees(atan2(cosine, sine)) % 360:.1f}\n",  # from north
        lambda sine, cosine: f"pose {90 - degrees(atan2(sine, cosine)):.1f}\n",  # on purpose: 90 of nothing
        lambda sine, cosine: f"pose {(450 - degrees(atan2(sine, cosine))) % 360:.1f}\n",
        lambda sine, cosine: f"phi {pi / 2 - atan2(sine, cosine):.3f}\n",
        lambda sine, cosine: f"sine {sine:.3f}, cosine {cosine:.3f}\n",
        lambda sine, cosine: f"turned by {-degrees(atan2(sine, cosine)):.1f}\n",
        lambda sine, cosine: (
            f"{degrees(atan2(cosine, sine)):.1f} to the side, angle {degrees(atan2(sine, cosine)):.1f}\n"
        ),
        lambda sine, cosine: "seen\n",
    ],
)
def test_right_guests(guest: Guest) -> None:
    assert exchanged(asked(guest)) == ""


@pytest.mark.parametrize("names", [("xy",), ("output",), ("basin_cost",), ("sin_sin",)])
def test_other_names_say_nothing(names: tuple[str, ...]) -> None:
    assert exchanged(asked(wrong, names)) == ""
