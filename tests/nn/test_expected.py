"""A guest's child process that begins to import a framework before the guest loads a model."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pywasm_nn import DeadlineError
from pywasm_nn.limits import DEFAULTS
from pywasm_nn.nn import Code, DType, NNError, Target, Tensor
from pywasm_nn.nn.child.models import identity
from pywasm_nn.nn.child.process import Child, started_for
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session

from .odd import Odd

pytestmark = pytest.mark.usefixtures("real_children")


class Slow(Odd):
    def prepare(self) -> None:
        time.sleep(60)


class Lacking(Odd):
    def prepare(self) -> None:
        raise NNError(Code.INVALID_ENCODING, "the framework is broken")


class Threadless(Odd):
    blas = False


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that children are sent."""
    questions: list[str] = []
    send = Child._send

    def noted(child: Child, question: Mapping[str, Any], pieces: Sequence[Any]) -> None:
        questions.append(question["op"])
        send(child, question, pieces)

    monkeypatch.setattr(Child, "_send", noted)
    return questions


def session_of(backend: Odd, expected: bool = True) -> Session:
    registry = Registry(plugins=[backend])
    if expected:
        registry.early = importing(backend)
    return Session(registry, lambda text: None)


def importing(backend: Odd) -> Child:
    """A process that was started early, and told to import."""
    child = started_for(DEFAULTS.tensor_bytes)
    child.prepare_early(identity(backend))
    return child


def child_of(session: Session) -> Child:
    assert session.own._child is not None
    return session.own._child


def answer(session: Session, word: bytes) -> bytes:
    graph = session.load([b"ODD "], "odd", Target.CPU)
    ctx = session.init_execution_context(graph)
    session.set_input(ctx, 0, Tensor(DType.U8, (len(word),), word))
    session.compute(ctx)
    return bytes(session.get_output(ctx, 0).view())


def test_the_child_of_an_expected_model_is_there_before_it_and_asked_once_to_prepare(
    asked: list[str],
) -> None:
    session = session_of(Odd())
    assert asked == ["prepare"]
    pid = child_of(session)._process.pid
    assert answer(session, b"abc") == b"cba"
    assert asked.count("prepare") == 1
    assert answer(session, b"again") == b"niaga"
    assert child_of(session)._process.pid == pid
    session.close()


def test_without_expectation_no_process_starts_before_a_load(asked: list[str]) -> None:
    session = session_of(Odd(), expected=False)
    assert session.own._child is None
    assert asked == []
    session.close()


@pytest.mark.parametrize("expected", [True, False])
def test_a_framework_that_cannot_be_imported_is_told_by_the_load(expected: bool) -> None:
    session = session_of(Lacking(), expected)
    for _ in range(2):
        with pytest.raises(NNError, match="the framework is broken") as caught:
            session.load([b"ODD "], "odd", Target.CPU)
        assert caught.value.code is Code.INVALID_ENCODING
    session.close()


def test_another_model_than_the_expected_one() -> None:
    registry = Registry(plugins=[Odd()])
    registry.early = importing(Lacking())
    session = Session(registry, lambda text: None)
    assert answer(session, b"abc") == b"cba"
    session.close()


def test_a_child_that_dies_while_it_imports() -> None:
    session = session_of(Slow())
    os.kill(child_of(session)._process.pid, signal.SIGKILL)
    with pytest.raises(NNError, match="process of the guest's own models has ended"):
        session.load([b"ODD "], "odd", Target.CPU)
    session.close()


def test_a_guest_that_ends_while_its_child_imports_leaves_none() -> None:
    session = session_of(Slow())
    process, before = child_of(session)._process, time.monotonic()
    session.close()
    assert process.poll() is not None
    assert time.monotonic() - before < 30


def test_a_deadline_ends_a_child_that_imports() -> None:
    end = time.monotonic() + 0.5

    def patience() -> float:
        if (left := end - time.monotonic()) <= 0:
            raise DeadlineError(0.5)
        return left

    session = session_of(Slow())
    session.own.patience = patience
    process = child_of(session)._process
    with pytest.raises(DeadlineError):
        session.load([b"ODD "], "odd", Target.CPU)
    assert process.wait(10) is not None
    session.close()


def test_without_processes_the_load_tells_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pywasm_nn.nn.child.process.available", lambda: "no processes today")
    session = session_of(Odd(), expected=False)
    with pytest.raises(NNError, match="no processes today"):
        session.load([b"ODD "], "odd", Target.CPU)


@pytest.mark.parametrize(("backend", "given"), [(Threadless(), True), (Odd(), False)])
def test_numpy_starts_no_threads_where_the_framework_has_its_own(
    backend: Odd, given: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    session = session_of(backend, expected=False)
    environment = answer(session, b"where").decode().splitlines()[0]
    assert ("'OPENBLAS_NUM_THREADS'" in environment) is given
    session.close()


def test_the_number_of_threads_that_a_person_sets_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    session = session_of(Threadless())
    assert answer(session, b"threads") == b"3"
    session.close()
