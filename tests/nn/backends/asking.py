"""Asking stand-ins for servers: in plain Python, and as a guest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, GraphConfig, Model, NamedModel, NNError

from ..conftest import PASSTHROUGH, Guest, floats
from .oip_server import Stand

A, B = np.array([[1, 2], [3, 4]], "f4"), np.array([[5, 6], [7, 8]], "f4")
GIVEN = {"a": A, "b": B}


def at(*stands: Stand, **options: Any) -> NamedModel:
    return NamedModel(addresses=tuple(one.address for one in stands), config=GraphConfig(options=options))


def loaded(*stands: Stand, limits: Limits | None = None, **options: Any) -> Model:
    return NN(limits=limits).load(at(*stands, **options))


def check(model: Model) -> None:
    found = model.compute(GIVEN)
    np.testing.assert_array_equal(found["sum"], A + B)
    np.testing.assert_array_equal(found["prod"], A * B)


def failure(model: Model) -> NNError:
    with pytest.raises(NNError) as caught:
        model.compute(GIVEN)
    return caught.value


def passing(nn: NN, reports: list[str], limits: Limits | None = None) -> Guest:
    instance = PASSTHROUGH.instantiate(nn=nn, report=reports.append, limits=limits)
    return Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)


def guest_of(nn: NN, reports: list[str], name: str = "m", limits: Limits | None = None) -> Guest:
    """A guest with a context of a named model."""
    guest = passing(nn, reports, limits)
    assert guest.call("load_by_name", *guest.poke(0x1000, name.encode()), guest.OUT) == 0, reports
    assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0, reports
    return guest


def added(guest: Guest) -> tuple[int, bytes]:
    """The error of a compute, and the sum."""
    assert guest.set_input(0, 0, floats(1, 2)) == 0, guest.reports
    assert guest.set_input(0, 1, floats(3, 4)) == 0, guest.reports
    error = guest.call("compute", 0)
    return error, guest.output(0, 0)[1] if error == 0 else b""
