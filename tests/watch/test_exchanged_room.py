"""The address and the size of an answer's buffer, exchanged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.order.exchanged_room import ExchangedRoom

MEMORY = memoryview(bytearray(1 << 16))


def hint(answer: Any, address: int, room: int) -> str:
    """What is said of one answer that is fetched."""
    rule = ExchangedRoom()
    fetched: Any = SimpleNamespace(
        operation="get_output", error=None, index=0, specs=(SimpleNamespace(name="y"),),
        tensors=(Tensor.from_numpy(answer),),
    )  # fmt: skip
    call: Any = SimpleNamespace(
        module="wasi_ephemeral_nn", arguments=(("buffer", MEMORY[address : address + room]),)
    )
    rule.nn_event(fetched)
    rule.host_call(call)
    return "".join(said for _, said in rule.finish())


@pytest.mark.parametrize(
    ("kind", "address", "room", "is_wrong"),
    [("f4", 40, 5120, True), ("f4", 10, 5120, True), ("u1", 10, 128, True), ("f4", 5120, 40, False),
     ("f4", 40, 64, False), ("f4", 0, 5120, False), ("f4", 1024, 4096, False)],
)  # fmt: skip
def test_an_answer_of_ten_elements(kind: str, address: int, room: int, is_wrong: bool) -> None:
    found = hint(numpy.zeros((1, 10), kind), address, room)
    wanted = f"get_output was given {address} as the buffer's address and {room} as its size: are the two"
    assert (wanted in found) is is_wrong and bool(found) is is_wrong
