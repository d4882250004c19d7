"""The trial of a guest's model: loaded and run once in a child process, which may die of it.

What is here: `try_out`, the verdicts by hash, and the child's side (`python -m pywasm_nn.nn.trial`).
Frameworks in native code crash on some models, and no check of ours knows which. One child serves many
trials; when it dies or takes too long, the next trial gets another.
What is not: which bytes may be tried at all (`registry.admit`).
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Event, Lock, Timer
from typing import Any, BinaryIO

from .backend import Backend, GraphConfig, Target, blaming
from .errors import Code, Nature, NNError
from .tensor import Tensor, TensorSpec, byte_size

SECONDS = 60.0
"""How long one trial may take."""
REMEMBERED = 4096
"""Verdicts that are kept."""
ASSUMED = 1
"""Length of a dimension that is only known at run time, when the model is tried."""
MOST_INPUT = 1 << 30
"""Bytes of inputs; a model with larger ones is only loaded."""

Verdict = NNError | None
"""Why a model is refused, or None."""


class Jury:
    """Tries models, one at a time, and remembers verdicts. `deaths` counts children that models killed."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.deaths = 0
        self._lock = Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._cell: tempfile.TemporaryDirectory[str] | None = None
        self._verdicts: OrderedDict[bytes, Verdict] = OrderedDict()

    def verdict(
        self, backend: Backend, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig
    ) -> Verdict:
        """Whether the backend survives this model."""
        question = {
            "module": type(backend).__module__,
            "name": type(backend).__qualname__,
            "format": format,
            "target": config.target.value,
            "options": {key: value for key, value in config.options.items() if plain(value)},
            "sizes": [len(part) for part in parts],
        }
        head = json.dumps(question, sort_keys=True).encode()
        digest = hashlib.sha256(head)
        for part in parts:
            digest.update(part)
        key = digest.digest()
        with self._lock:
            if key not in self._verdicts:
                self._verdicts[key] = self._ask(backend.name, head, parts)
                if len(self._verdicts) > REMEMBERED:
                    self._verdicts.popitem(last=False)
            self._verdicts.move_to_end(key)
            return self._verdicts[key]

    def _ask(self, name: str, head: bytes, parts: Sequence[bytes | memoryview]) -> Verdict:
        try:
            child = self._running()
        except OSError as error:
            return NNError(
                Code.UNSUPPORTED_OPERATION,
                f"no child process can be started to try the guest's model in ({error}); name the model, or"
                " trust the guest's models",
                Nature.SECURITY,
            )
        late = Event()

        def give_up() -> None:
            late.set()
            child.kill()

        timer = Timer(self.seconds, give_up)
        timer.daemon = True
        timer.start()
        answer = b""
        assert child.stdin is not None and child.stdout is not None
        with suppress(OSError):  # it dies while it is being told
            for piece in (len(head).to_bytes(4, "little"), head, *parts):
                child.stdin.write(piece)
            child.stdin.flush()
            answer = child.stdout.readline()
        timer.cancel()
        if answer.endswith(b"\n"):
            code, reason = json.loads(answer)
            return NNError(Code(code), reason) if code else None
        self.deaths += 1
        self.close()
        if late.is_set():
            how = f"took longer than {self.seconds:g} s"
        else:
            how = f"killed the process it was tried in ({ending(child.returncode)})"
        return NNError(Code.RUNTIME_ERROR, f"{name}: the model {how}", Nature.SECURITY)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._cell = tempfile.TemporaryDirectory()
            package = str(Path(__file__).parents[2])
            path = os.pathsep.join(dict.fromkeys([package, *filter(None, sys.path)]))
            self._child = subprocess.Popen(
                [sys.executable, "-m", __name__],
                cwd=self._cell.name,
                env={**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._child

    def close(self) -> None:
        """End the child; the next trial starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        cell, self._cell = self._cell, None
        if cell is not None:
            cell.cleanup()


JURY = Jury()
"""The one of this process: its child is expensive to start."""


def try_out(
    backend: Backend, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig, jury: Jury = JURY
) -> None:
    """Load and run a model once in a child process. Raises NNError with the framework's reason if it fails
    there, RUNTIME_ERROR if the child dies. The same bytes are tried once.
    """
    verdict = jury.verdict(backend, format, parts, config)
    if verdict is not None:
        raise NNError(verdict.code, verdict.reason, verdict.nature)


def plain(value: Any) -> bool:
    """Whether a value can be told to the child."""
    return value is None or isinstance(value, bool | int | float | str | list | dict)


def ending(code: int | None) -> str:
    """How a process ended, in words."""
    if code is not None and code < 0:
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"


# The child


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer one line of JSON, [code, reason], for each model until nobody asks any more."""
    while len(head := questions.read(4)) == 4:
        question = json.loads(questions.read(int.from_bytes(head, "little")))
        parts = [questions.read(size) for size in question["sizes"]]
        code, reason = outcome(question, parts)
        answers.write(json.dumps([code, reason]).encode() + b"\n")
        answers.flush()


def outcome(question: Mapping[str, Any], parts: Sequence[bytes]) -> tuple[int, str]:
    """What came of loading and running: 0, or a code and the reason."""
    backend: Backend = getattr(import_module(question["module"]), question["name"])()
    config = GraphConfig(Target(question["target"]), question["options"])
    try:
        with blaming(backend.name):
            graph = backend.load(question["format"], parts, config)
    except NNError as error:
        return int(error.code), error.reason
    try:
        with blaming(backend.name):
            context = graph.context()
            for index, spec in enumerate(graph.inputs):
                context.accept_input(index, zeros(spec))
            context.compute()
    except NNError:
        pass  # zeros, and lengths of one, needn't suit the model: that the process lives was the question
    finally:
        graph.close()
    return 0, ""


def zeros(spec: TensorSpec) -> Tensor:
    """A tensor that fits. Raises NNError if it would be too large to try."""
    shape = tuple(length if isinstance(length, int) else ASSUMED for length in spec.shape or ())
    size = byte_size(spec.dtype, shape)
    if size > MOST_INPUT:
        raise NNError(Code.TOO_LARGE, f'input "{spec.name}" is {size} bytes')
    return Tensor(spec.dtype, shape, bytearray(size))


def main() -> None:
    """Serve on the process's own streams, and let no framework write there."""
    with suppress(ImportError):  # Windows has none, and writes no core files either
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
