"""Processes that each apply one function to inputs, as `pywasm-nn batch` needs them.

What is here: answers in the order of inputs, and an answer for the input at which a process died, whose place
another process takes. What is not: what a function does.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

Given = TypeVar("Given")
Answer = TypeVar("Answer")

AHEAD = 1000
"""Inputs that are answered before an earlier one is."""
PATIENCE = 5.0
"""Seconds that a process gets to end by itself."""


def processors() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def serve(pipe: Connection, pickled: bytes) -> None:
    """The work of a process: answer inputs until the pipe is closed. Ctrl-C ends its parent, which ends
    it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    function = pickle.loads(pickled)
    while True:
        try:
            pipe.send(function(pipe.recv()))
        except (EOFError, BrokenPipeError):
            return


class Worker:
    """A process, and the input on which it works."""

    def __init__(self, pickled: bytes) -> None:
        context = get_context("spawn")  # threads of frameworks don't survive a fork
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=serve, args=(theirs, pickled), daemon=True)
        self.process.start()
        theirs.close()
        self.index = -1
        self.given: Any = None

    def begin(self, index: int, given: Any) -> None:
        self.index, self.given = index, given
        with suppress(BrokenPipeError):  # it has died already; `_answer` finds out
            self.pipe.send(given)

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self.process.terminate()
        self.process.join(PATIENCE)

    def death(self) -> str:
        """How the process died, as a sentence."""
        self.process.join(PATIENCE)
        code = self.process.exitcode
        if code is not None and code < 0:
            return f"the process that ran it died of signal {-code}"
        return f"the process that ran it ended with {code}"


class Workers(Generic[Given, Answer]):
    """Applies a function in processes. `died` answers for an input at which a process died, from the input
    and a sentence."""

    def __init__(
        self, function: Callable[[Given], Answer], died: Callable[[Given, str], Answer], count: int
    ) -> None:
        self._pickled = pickle.dumps(function)
        self._died = died
        self._count = count
        self._idle: list[Worker] = []
        self._busy: dict[Connection, Worker] = {}

    def answers(self, inputs: Iterable[Given]) -> Iterator[Answer]:
        """The answers in the order of the inputs. All processes end with the iterator."""
        todo, ready, turn = enumerate(inputs), dict[int, Answer](), 0
        try:
            while True:
                while len(self._busy) < self._count and len(ready) < AHEAD:
                    following = next(todo, None)
                    if following is None:
                        break
                    self._begin(*following)
                if not self._busy:
                    return
                ended = connection.wait(list(self._busy))
                for worker in [self._busy.pop(pipe) for pipe in list(self._busy) if pipe in ended]:
                    ready[worker.index] = self._answer(worker)
                while turn in ready:
                    yield ready.pop(turn)
                    turn += 1
        finally:
            for worker in (*self._idle, *self._busy.values()):
                worker.end()

    def _begin(self, index: int, given: Given) -> None:
        worker = self._idle.pop() if self._idle else Worker(self._pickled)
        worker.begin(index, given)
        self._busy[worker.pipe] = worker

    def _answer(self, worker: Worker) -> Answer:
        try:
            answer: Answer = worker.pipe.recv()
        except (EOFError, OSError):
            reason = worker.death()
            worker.end()
            return self._died(worker.given, reason)
        self._idle.append(worker)
        return answer
