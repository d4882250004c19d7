"""The children of several guests share what all of them may take together."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Thread

import pytest

from pywasm_nn import Limits
from pywasm_nn.nn import Code, DType, NNError, Tensor
from pywasm_nn.nn.child import together
from pywasm_nn.nn.child.together import Memory, Share, Together

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


def test_a_guest_is_served_while_others_compute(guests: list[Bench]) -> None:
    """Those that compute are given what they take, not what they may."""
    *others, last = guests
    threads = [Thread(target=ends, args=[guest, b"hang"]) for guest in others]
    for thread in threads:
        thread.start()
        assert last.answer(b"abc") == b"cba"
    assert kept(last, 50)
    assert all(thread.is_alive() for thread in threads)
    for guest in others:
        os.kill(guest.child, signal.SIGKILL)
    for thread in threads:
        thread.join()


def test_children_that_take_all_they_can_at_once_stay_within_it(guests: list[Bench]) -> None:
    *others, last = guests
    threads = [Thread(target=ends, args=[guest, b"hoard"]) for guest in others]
    for thread in threads:
        thread.start()
    most = 0
    while any(thread.is_alive() for thread in threads):
        most = max(most, sum(private(guest.child) for guest in guests))
    assert MOST // 2 < most <= MOST
    others[0].session.close()
    assert last.answer(b"abc") == b"cba"


def ends(guest: Bench, word: bytes) -> None:
    with pytest.raises(NNError):
        guest.answer(word)


def test_parts_are_equal_and_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that answer, from the moment when another one is asked."""
    bounds: dict[int, int | None] = {}
    monkeypatch.setattr(together, "memory_of", lambda process: Memory(process << 20, 0, 10 << 20))
    monkeypatch.setattr(together, "limit_data", bounds.__setitem__)
    shares = [Share(MOST) for _ in range(3)]
    all_of_them = Together()
    with ExitStack() as stack:
        for count, share in enumerate(shares, 1):
            share.process = count
            all_of_them.add(share)
            stack.enter_context(all_of_them.growing(share))
            part = (MOST - (sum(range(count + 1)) << 20)) // (count + 1)
            if count > 1:
                assert bounds == dict.fromkeys(range(1, count + 1), (10 << 20) + part)
        with all_of_them.growing(Share(MOST), "targets"):
            assert bounds[1] == (10 << 20) + part, "what a framework takes is bounded by nothing"
    for share in shares[1:]:
        all_of_them.remove(share)
    with all_of_them.growing(shares[0]):
        assert bounds[1] is None, "alone again"
