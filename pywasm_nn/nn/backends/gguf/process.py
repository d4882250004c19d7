"""llama.cpp in a process of its own: starting it, asking it, ending it.

llama.cpp can end its process (instructions that the processor lacks, damaged files) and can't always be
interrupted (a guest's grammar may take it exponential time), so it never runs in the host's process. What is
not here: the work of the process (`serve`), and which graphs share one (`engines`).
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from io import BufferedReader
from itertools import count
from queue import Empty, SimpleQueue
from threading import Lock, Thread, Timer
from time import monotonic
from typing import Any

from ...backend import for_ever
from ...errors import Code, NNError
from .adapter import MARKER, Ending, Piece, Plan, Prompt
from .options import Settings

GRACE = 2.0
"""Seconds that a text with a grammar may take to stop, before its process is ended."""
QUIET, QUIET_TOKEN = 120.0, 0.25
"""Seconds without a token after which the process of texts with grammars is ended: at least, and for each
token of the prompt."""
Patience = Callable[[], float | None]
"""Returns the seconds that the guest has left, None for no limit; raises DeadlineError if none are left."""
Answers = SimpleQueue[Mapping[str, Any] | None]
"""Answers to one question; None wakes who waits."""


Questions = SimpleQueue[bytes]
"""Lines to be written; an empty one is the last."""


class Places:
    """Where answers are put, by the numbers of questions. The thread that puts them there knows nothing else:
    a process that nobody uses any more ends, though nobody closed it."""

    def __init__(self, process: subprocess.Popen[bytes], path: str, remedy: str) -> None:
        self.ended = False
        self._process, self._path, self._remedy = process, path, remedy
        self._numbers = count()
        self._waiting: dict[int, Answers] = {}

    def expect(self) -> tuple[int, Answers]:
        """A new number for a question, and the place for its answers."""
        number, answers = next(self._numbers), Answers()
        self._waiting[number] = answers
        if self.ended:
            answers.put({"error": self._death()})
        return number, answers

    def forget(self, number: int) -> None:
        self._waiting.pop(number, None)

    def fill(self, out: Any) -> None:
        """Distribute answers until the process ends."""
        with BufferedReader(out) as lines, suppress(OSError, ValueError):
            for line in lines:
                answer = json.loads(line)
                if (answers := self._waiting.get(answer["id"])) is not None:
                    answers.put(answer)
        self._process.wait()
        self.ended = True
        for answers in list(self._waiting.values()):
            answers.put({"error": self._death()})

    def _death(self) -> tuple[int, str]:
        code = self._process.returncode
        how = f"exit code {code:#x}" if code is not None else "at the end"
        if code is not None and code < 0:
            with suppress(ValueError):
                how = signal.Signals(-code).name
        advice = f"; {self._remedy}" if how in ("SIGILL", "exit code 0xc000001d") else ""
        return Code.RUNTIME_ERROR, f"the process of llama.cpp for {self._path} has ended: {how}{advice}"


class Process:
    """A process and what was asked of it."""

    def __init__(self, adapter: str, plan: Plan, remedy: str) -> None:
        """Start it and load the model. Raises NNError."""
        self.pid = os.getpid()
        self._questions: Questions = SimpleQueue()
        windows = sys.platform == "win32"
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.serve", adapter, json.dumps(asdict(plan))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # a buffer has a lock, which a fork may find taken for ever
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            | {MARKER: f"<{secrets.token_hex(32)}>"}  # nothing that a guest can write
            | {"MALLOC_ARENA_MAX": "2"},  # each reserves 64 MiB of address space
            start_new_session=not windows,  # Ctrl-C is for the host
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._end = weakref.finalize(self, end, self._process, self._questions, self.pid)
        self.places = Places(self._process, plan.path, remedy)
        number, answers = self.places.expect()
        Thread(target=self.places.fill, args=(self._process.stdout,), daemon=True).start()
        Thread(target=send, args=(self._process.stdin, self._questions), daemon=True).start()
        try:
            self.about = self.answer(answers, for_ever)
        except BaseException:
            self.close()
            raise
        finally:
            self.places.forget(number)

    def ask(self, question: Mapping[str, Any]) -> None:
        """Send a question; nothing happens if the process has ended, as `expect` tells it. The process may
        be busy and read nothing: a thread writes, so that who asks waits for the answer with patience."""
        self._questions.put(json.dumps(question).encode() + b"\n")

    def asked(self, op: str, patience: Patience, **more: Any) -> Any:
        """The answer to a question with one answer."""
        number, answers = self.places.expect()
        try:
            self.ask({"op": op, "id": number, **more})
            return self.answer(answers, patience)
        finally:
            self.places.forget(number)

    def answer(self, answers: Answers, patience: Patience) -> Any:
        """Wait for the value. Raises NNError with the process's reason, or because it has ended."""
        while True:
            with suppress(Empty):
                return value_of(answers.get(timeout=patience()))["value"]

    def close(self) -> None:
        self._end()


def send(into: Any, questions: Questions) -> None:
    """Write questions until there are no more, or until the process has ended."""
    with into, suppress(OSError, ValueError):
        while question := questions.get():
            while question:
                question = question[into.write(question) :]


def end(process: subprocess.Popen[bytes], questions: Questions, pid: int) -> None:
    """End the process, unless this is a fork of its host, which has none of its threads either."""
    if os.getpid() == pid:
        process.kill()
        process.wait()
        questions.put(b"")
    elif process.stdin is not None:
        process.stdin.close()


def value_of(answer: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The answer. Raises the NNError that it is instead."""
    if answer is None:
        raise NNError(Code.RUNTIME_ERROR, "the generation was stopped")
    if "error" in answer:
        code, reason = answer["error"]
        raise NNError(Code(code), reason)
    return answer


class Engine:
    """A model in a process, which is started anew when it has ended."""

    def __init__(self, adapter: str, plan: Plan, remedy: str) -> None:
        """Load the model. Raises NNError."""
        self._make = adapter, plan, remedy
        self._lock = Lock()
        self._process: Process | None = None
        about = self._running().about
        self.build: int = about["build"]
        self.commit: str = about["commit"]

    def _running(self) -> Process:
        with self._lock:
            if self._process is None or self._process.places.ended or self._process.pid != os.getpid():
                self._process = Process(*self._make)
            return self._process

    def tokens(self, text: bytes, patience: Patience) -> Sequence[int]:
        found: list[int] = self._running().asked("tokens", patience, text=text.decode("latin-1"))
        return found

    def embedding(self, tokens: Sequence[int], patience: Patience) -> Sequence[float]:
        found: list[float] = self._running().asked("embedding", patience, tokens=list(tokens))
        return found

    def begin(self, prompt: Prompt, settings: Settings, most: int) -> Stream:
        return Stream(self._running(), prompt, settings, most)

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()


class Stream:
    """A text that the process generates."""

    def __init__(self, process: Process, prompt: Prompt, settings: Settings, most: int) -> None:
        self._process = process
        self._number, self._answers = process.places.expect()
        self._done = self._stopped = False
        self._quiet = QUIET + QUIET_TOKEN * len(prompt.tokens) if settings.constrained else None
        parts = [part.decode("latin-1") for part in prompt.parts]
        said = {"tokens": list(prompt.tokens), "parts": parts, "media": list(prompt.media)}
        asked = {"op": "begin", "id": self._number, "settings": asdict(settings), "most": most}
        process.ask({**asked, **said})

    def next(self, patience: Patience) -> Piece:
        began = monotonic()
        while True:
            left = patience()
            if self._quiet is not None:
                rest = began + self._quiet - monotonic()
                if rest <= 0:
                    self._process.close()
                    what = f"llama.cpp found no token for the grammar in {self._quiet:g} s"
                    raise NNError(Code.RUNTIME_ERROR, what)
                left = rest if left is None else min(left, rest)
            with suppress(Empty):
                answer = self._answers.get(timeout=left)
                break
        if self._stopped:
            answer = None
        try:
            said = value_of(answer)
        except NNError:
            self._over()
            raise
        ending = Ending(said["ending"]) if said["ending"] else None
        if ending:
            self._over()
        return Piece(said["text"].encode("latin-1"), said["count"], ending, said["prompt"])

    def _over(self) -> None:
        self._done = True
        self._process.places.forget(self._number)

    def stop(self) -> None:
        """End it, from any thread: `next` raises NNError(RUNTIME_ERROR) at once."""
        if self._done or self._stopped:
            return
        self._stopped = True
        self._process.ask({"op": "stop", "id": self._number})
        if self._quiet is None:
            self._process.places.forget(self._number)
        else:
            timer = Timer(GRACE, self._end)
            timer.daemon = True
            timer.start()
        self._answers.put(None)

    def _end(self) -> None:
        """End the process if the text has not stopped."""
        with suppress(Empty):
            while (answer := self._answers.get_nowait()) is None or "text" in answer:
                pass
            return self._process.places.forget(self._number)
        self._process.close()
