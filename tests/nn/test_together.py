"""The children of several guests share what all of them may take together."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Thread

import pytest

from pywasm_nn import Limits
from pywasm_nn.nn import Code, DType, NNError, Tensor
from pywasm_nn.nn.child.together import Share, Together

from .test_child import Bench

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what another process takes"),
    pytest.mark.usefixtures("real_children"),
]
LIMITS = Limits(memory=256 << 20, tensor_bytes=256 << 20, model_bytes=1 << 30)
MOST = 1 << 30
MEGABYTES = 200


@pytest.fixture
def guests() -> Iterator[list[Bench]]:
    with ExitStack() as stack:
        benches = []
        for _ in range(7):
            benches.append(Bench(limits=LIMITS))
            stack.callback(benches[-1].session.close)
        yield benches


def private(process: int) -> int:
    with open(f"/proc/{process}/statm") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")


def kept(guest: Bench, megabytes: int = MEGABYTES) -> bool:
    """Whether the guest's model may keep so much more; a refusal says why."""
    try:
        word = b"keep %d" % (megabytes << 20)
        return guest.answer(word) == word[::-1]
    except NNError as error:
        assert error.code is Code.TOO_LARGE and "take" in error.reason
        return False


def test_all_children_stay_within_what_they_may_take_together(guests: list[Bench]) -> None:
    answers = [kept(guest) for _ in range(3) for guest in guests]
    assert any(answers)
    assert not all(answers)
    assert sum(private(guest.child) for guest in guests) <= MOST


def test_refused_guests_go_on(guests: list[Bench]) -> None:
    while any(kept(guest, 50) for guest in guests):
        pass
    for guest in guests[4:]:
        guest.session.finalize_execution_context(guest.ctx)
        guest.session.unload(guest.graph)
    for guest in guests[:4]:
        guest.session.close()
    for guest in guests[4:]:
        guest.graph = guest.load()
        guest.ctx = guest.session.init_execution_context(guest.graph)
    assert all(guest.answer(b"abc") == b"cba" for guest in guests[4:])
    assert kept(guests[4], 50)


def test_one_guest_alone_takes_what_its_own_limit_allows() -> None:
    guest = Bench(limits=LIMITS)
    try:
        assert kept(guest, 600)
        assert not kept(guest, 600)
        assert guest.answer(b"abc") == b"cba"
    finally:
        guest.session.close()


def test_the_bytes_of_a_model_count_before_they_are_read(guests: list[Bench]) -> None:
    first, second, *_ = guests
    assert kept(first, 400)
    with pytest.raises(NNError) as caught:
        second.load(bytes(300 << 20))
    assert caught.value.code is Code.TOO_LARGE
    assert second.answer(b"abc") == b"cba", "its other models go on"
    second.load(bytes(30 << 20))


def test_tensors_that_children_share_with_the_host_count(guests: list[Bench]) -> None:
    tensor = Tensor(DType.U8, (MEGABYTES << 20,), bytes(MEGABYTES << 20))
    given = 0
    for guest in guests:
        try:
            guest.session.set_input(guest.ctx, 0, tensor)
            given += tensor.size
        except NNError as error:
            assert error.code is Code.TOO_LARGE and "together" in error.reason
    assert 0 < given <= MOST


def test_a_child_that_ends_its_answer_leaves_others_their_part() -> None:
    """A child asked just then took all that was left, and the other was refused its next question."""
    together = Together()
    asked: list[int | None] = []

    class Ending(Share):
        def end(self) -> None:
            self.ceiling = 0
            other = Thread(target=ask, args=[second])
            other.start()
            other.join(0.2)  # asked now, or after the end
            self.answers = False
            ending.append(other)

    def ask(share: Share) -> None:
        with together.growing(share) as growth:
            asked.append(growth)

    ending: list[Thread] = []
    first, second = Ending(MOST, MOST), Share(MOST, MOST)
    together.add(first)
    together.add(second)
    ask(first)
    ending[0].join()
    assert asked[0] == asked[1]
