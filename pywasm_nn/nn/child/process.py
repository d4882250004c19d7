"""The child process: starting it, asking it questions, ending it.

What is here: `Child`, used in the host, and the memory that one may take (`started_for`). A question is JSON
after its length, followed by pieces of bytes; the answer is JSON after its length. What is not: the questions
(`models`) and answers (`serve`). Few modules are imported here, so that a command can start one early.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, NoReturn

from ...interpreter.runtime.alarm import CLOCK, Alarm, Callback
from ...processes import available, await_answer, ending, inherited, kept_in_hand, stop
from ..errors import BufferTooSmallError, Code, Nature, NNError
from . import Answer, Patience
from .arena import FILE, Arena
from .bounds import OVERDRAWN
from .together import TOGETHER, Share

LEAST = 256 << 20
"""The least tensor memory of a child in bytes, even if the limit on one tensor is small."""
WITHIN = 3
"""A child's memory beyond its frameworks, as a multiple of the tensor memory: tensors, weights and
intermediate values."""
MOST_TOGETHER = 4
"""The memory of all children of the process, frameworks included, as a multiple of the tensor memory of the
guest that may have most."""
SHARED = 2
"""The memory for shared tensors, as a multiple of the tensor memory."""
LONGEST_ANSWER = 16 << 20
"""The most bytes of an answer, which is at most a description of a model."""
PREFIXES = ("OMP_", "OPENBLAS_", "MKL_", "CUDA_", "NVIDIA_", "ROCR_", "HIP_")
"""Of variables that a child inherits: frameworks need them to find libraries and devices."""


class Child:
    """A process for the models of one guest. Questions from several threads are asked one after another."""

    def __init__(self, allowance: int, shared: int, together: int) -> None:
        """Start it. It may take `allowance` bytes beyond its frameworks, of which `shared` bytes are for
        tensors, and all children of this process `together`. Raises OSError."""
        self._pid = os.getpid()
        self._lock = Lock()
        self._ending: str | None = None
        self._prepared: list[Mapping[str, str]] = []
        self._early: Mapping[str, str] | None = None
        """What it was told to import, and has not answered."""
        cell = Path(tempfile.mkdtemp(prefix="pywasm-nn-"))
        process = None
        self._share = Share(together)
        try:
            self.arena = Arena(cell, shared, partial(TOGETHER.admit, self._share))
            process = self._process = started(cell, allowance, self.arena.descriptor)
            self._end = weakref.finalize(self, end, process, self.arena, cell, self._pid, self._share)
            self._share.process = process.pid
            TOGETHER.add(self._share)
        except BaseException:
            if process is not None:
                stop(process)
            shutil.rmtree(cell, ignore_errors=True)
            raise

    @property
    def alive(self) -> bool:
        """Whether it can be asked: it hasn't ended, and this process, not the parent of a fork, started
        it."""
        return self._ending is None and self._pid == os.getpid() and self._end.alive

    def kill(self) -> None:
        """End it at once, from any thread; a thread that waits for an answer gets an error."""
        if self._pid == os.getpid():
            self._process.kill()

    def close(self) -> None:
        """End it and release everything that belongs to it."""
        self._end()

    def prepare(self, kind: Mapping[str, str], patience: Patience) -> None:
        """Let it import a backend's framework. Raises as `ask` does."""
        if kind not in self._prepared:
            self.ask({"op": "prepare", **kind}, (), patience)
            self._prepared.append(kind)

    def prepare_early(self, kind: Mapping[str, str]) -> None:
        """Tell it to import a backend's framework, and don't wait. The next question waits; whether it
        failed, the next `prepare` finds out."""
        with self._lock, suppress(OSError, ValueError):  # it has ended, which the next question finds out
            if self._early is None and kind not in self._prepared:
                self._send({"op": "prepare", **kind}, ())
                self._early = kind

    def ask(
        self,
        question: Mapping[str, Any],
        pieces: Sequence[Any],
        patience: Patience,
        meanwhile: Callable[[], object] = tuple,
    ) -> Answer:
        """The answer; `meanwhile` is called before waiting for it. Raises the NNError in the child's answer,
        RUNTIME_ERROR if the child dies or is dead, DeadlineError when `patience` runs out, which ends the
        child.
        """
        if not self.alive:
            self._raise_ended()
        with self._lock:
            alarm = self._alarm(patience())
            try:
                if self._early is not None:
                    self._await_early(self._early, meanwhile)
                    meanwhile = tuple  # it was called
                with TOGETHER.growing(self._share, question["op"]):
                    answer = self._exchanged(question, pieces, meanwhile)
            except NNError:  # before it was asked
                raise
            except BaseException:  # Ctrl-C: the next question would get this answer
                self.close()
                self._ending = "it was interrupted"
                raise
            finally:
                if alarm is not None:
                    CLOCK.cancel(alarm)
            if answer is None:
                self.close()
                self._ending = self._ending or ended(self._process.returncode)
                patience()
                self._raise_ended()
        if "error" in answer:
            raise told(*answer["error"])
        return answer

    def _alarm(self, seconds: float | None) -> Alarm | None:
        """Sets an alarm that ends the child when the guest's time runs out."""
        if seconds is None or not CLOCK.available():
            return None
        alarm = Callback(monotonic() + seconds, self.kill)
        CLOCK.set(alarm)
        return alarm

    def _exchanged(
        self, question: Mapping[str, Any], pieces: Sequence[Any], meanwhile: Callable[[], object]
    ) -> Answer | None:
        """The answer, or None if the child has ended."""
        try:
            self._send(question, pieces)
        except (OSError, ValueError):  # it died, or was ended from another thread
            return None
        meanwhile()
        return self._received()

    def _await_early(self, kind: Mapping[str, str], meanwhile: Callable[[], object]) -> None:
        """Wait until what was told early is imported."""
        self._early = None
        meanwhile()
        answer = self._received()
        if answer is not None and "error" not in answer:
            self._prepared.append(kind)

    def _send(self, question: Mapping[str, Any], pieces: Sequence[Any]) -> None:
        """Raises OSError or ValueError if the child has ended."""
        stdin = self._process.stdin
        assert stdin is not None
        head = json.dumps({**question, "sizes": [len(piece) for piece in pieces]}).encode()
        stdin.write(len(head).to_bytes(4, "little") + head)
        for piece in pieces:
            stdin.write(piece)
        stdin.flush()

    def _received(self) -> Answer | None:
        """The answer to the oldest question, or None if the child has ended."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            await_answer(stdout.fileno())
            length = int.from_bytes(stdout.read(4), "little")
            if length > LONGEST_ANSWER:
                self._ending = f"it says {length} bytes at once"
                return None
            text = stdout.read(length)
            answer = json.loads(text) if length and len(text) == length else None
        except (OSError, ValueError):  # it died during the exchange, or the answer is broken
            return None
        return answer if isinstance(answer, dict) else None

    def _raise_ended(self) -> NoReturn:
        how = self._ending or "its guest is gone"
        raise NNError(
            Code.RUNTIME_ERROR, f"the process of the guest's own models has ended: {how}", Nature.SECURITY
        )


def started_for(tensor_bytes: int) -> Child:
    """A child for a guest that has a limit of so many bytes on one tensor. Raises NNError with the reason if
    none can be started."""
    room = max(tensor_bytes, LEAST)
    reason = available()
    if reason is None:
        try:
            return Child(WITHIN * room, SHARED * room, MOST_TOGETHER * room)
        except OSError as error:
            reason = str(error)
    raise NNError(
        Code.UNSUPPORTED_OPERATION,
        f"no child process can be started for the guest's own model ({reason}); name the model, or trust"
        " the guest's models",
        Nature.SECURITY,
    )


def started(cell: Path, allowance: int, shared: int) -> subprocess.Popen[bytes]:
    """Start the process in an empty directory, without the host's files, environment or terminal."""
    package = str(Path(__file__).parents[3])
    path = os.pathsep.join(dict.fromkeys([package, *filter(None, sys.path)]))
    windows = sys.platform == "win32"
    where = str(cell / FILE) if windows else str(shared)
    own = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.serve", where, str(allowance), str(os.getpid())],
            cwd=cell,
            # Each arena of glibc reserves 64 MiB of address space, which counts towards the limit.
            env={
                **inherited(PREFIXES),
                **own,
                **dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME"), str(cell)),
                "MALLOC_ARENA_MAX": "2",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=() if windows else (shared,),
            start_new_session=not windows,  # Ctrl-C is for the host
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    return kept_in_hand(start)


def end(process: subprocess.Popen[bytes], arena: Arena, cell: Path, pid: int, share: Share) -> None:
    """End the child and release everything that belongs to it; in a process that the host forked, only
    release."""
    ours = os.getpid() == pid
    TOGETHER.remove(share)
    if ours:
        stop(process)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # unwritten data
                pipe.close()
    arena.close()
    if ours:
        shutil.rmtree(cell, ignore_errors=True)


def ended(code: int | None) -> str:
    """A description of how the process ended."""
    return "it took more memory than it may" if code == OVERDRAWN else ending(code)


def told(code: int, reason: str, needed: int | None = None) -> NNError:
    """The error in a child's answer."""
    if needed is not None:
        return BufferTooSmallError(reason, needed)
    return NNError(Code(code), reason)
