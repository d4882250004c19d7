"""The child's side: `python -m pywasm_nn.nn.child.serve FILE BYTES HOST`, started by `process`.

What is here: answering questions one after another until the host closes the pipe. What is not: the host's
side (`process`), and limits (`bounds`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, BinaryIO

from ..answers import targets_of
from ..backend import Backend, Context, Graph, GraphConfig, Target, check_loaded
from ..blame import blaming
from ..errors import BufferTooSmallError, Code, NNError
from ..tensor import DType, Tensor, TensorSpec
from .arena import Mapped
from .bounds import Bounds

Question = Mapping[str, Any]
Parts = Sequence[bytes]


class Server:
    """Backends, graphs and contexts of one guest, by numbers that the host knows."""

    def __init__(self, mapped: Mapped, bounds: Bounds) -> None:
        self._mapped = mapped
        self._bounds = bounds
        self._backends: dict[str, Backend] = {}
        self._graphs: dict[int, Graph] = {}
        self._contexts: dict[int, Context] = {}
        self._limits: dict[int, int] = {}
        """The limit on the bytes of one tensor, by graph."""
        self._tensors: dict[tuple[int, int], tuple[Any, Tensor]] = {}
        """Inputs by context and index, with the host's description of each."""
        self._count = 0
        self._answers: dict[str, Callable[..., Mapping[str, Any] | None]] = {
            "prepare": self.prepare, "targets": self.targets, "load": self.load, "close": self.close,
            "context": self.context, "accept": self.accept, "compute": self.compute, "fetch": self.fetch,
            "finalize": self.finalize, "compute_single": self.compute_single,
            "output_single": self.output_single, "finish_single": self.finish_single,
        }  # fmt: skip

    def answer(self, question: Question, parts: Parts | None) -> Mapping[str, Any]:
        """The answer for the host; an error is under `error`. `parts` None: there is no memory for them."""
        op = question["op"]
        try:
            if parts is None:
                raise MemoryError
            with blaming(self._blamed(question)):
                found = self._answers[op](question, parts) if op == "load" else self._answers[op](question)
        except BufferTooSmallError as error:
            return {"error": [int(error.code), error.reason, error.needed]}
        except NNError as error:
            return {"error": [int(error.code), error.reason]}
        except MemoryError:
            return {"error": [int(Code.TOO_LARGE), "the guest's own models take more memory than they may"]}
        return found or {}

    def _blamed(self, question: Question) -> str:
        graph = self._graphs.get(question.get("graph", -1))
        return graph.backend if graph else str(question.get("class", "the child"))

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _backend(self, question: Question) -> Backend:
        """The backend, created by its class; the framework's own memory isn't counted."""
        key = question["file"] + question["module"] + question["class"]
        if key not in self._backends:
            with self._bounds.preparing():
                made = backend_of(question)
                if not made.blas:
                    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
                made.prepare()
            self._backends[key] = made
        return self._backends[key]

    def prepare(self, question: Question) -> None:
        """Import the framework. Of a question of its own the host knows that this memory isn't counted."""
        self._backend(question)

    def targets(self, question: Question) -> Mapping[str, Any]:
        return {"targets": sorted(target.value for target in targets_of(self._backend(question)))}

    def load(self, question: Question, parts: Parts) -> Mapping[str, Any]:
        backend, limit = self._backend(question), question["tensor_bytes"]
        config = GraphConfig(Target(question["target"]), question["options"], limit)
        with blaming(backend.name):
            graph = check_loaded(backend.load(question["format"], parts, config), backend)
        number = self._next()
        self._graphs[number], self._limits[number] = graph, limit
        return {
            "graph": number,
            "backend": graph.backend,
            "device": graph.device,
            "notes": graph.notes,
            "inputs": [told(spec) for spec in graph.inputs],
            "outputs": [told(spec) for spec in graph.outputs],
            "worked": process_time(),
        }

    def close(self, question: Question) -> None:
        del self._limits[question["graph"]]
        self._graphs.pop(question["graph"]).close()

    def context(self, question: Question) -> Mapping[str, Any]:
        graph = self._graphs[question["graph"]]
        config = None
        if "target" in question:
            config = GraphConfig(
                Target(question["target"]), question["options"], self._limits[question["graph"]]
            )
        made = graph.opened(config)
        number = self._next()
        self._contexts[number] = made
        return {"context": number, "looks": type(made).accept_input is not Context.accept_input}

    def accept(self, question: Question) -> None:
        self._accept(question["context"], question["index"], question["input"])

    def _accept(self, context: int, index: int, said: Sequence[Any]) -> None:
        """Use an input in place. While the host's description is the same, it is the same tensor."""
        known = self._tensors.get((context, index))
        if known is None or known[0] != said:
            dtype, shape, place, size = said
            tensor = Tensor(DType(dtype), tuple(shape), self._mapped.view(tuple(place), size))
            known = self._tensors[context, index] = said, tensor
        self._contexts[context].accept_input(index, known[1])

    def compute(self, question: Question) -> Mapping[str, Any]:
        """Run. Outputs of known size are written to their places, others are copied there if they fit."""
        number, wanted = question["context"], question["wanted"]
        context, limit = self._contexts[number], self._limits[question["graph"]]
        for index, said in enumerate(question["inputs"]):
            if said is not None:
                self._accept(number, index, said)
        places = {index: self._mapped.view(tuple(place), size) for index, place, size in question["places"]}
        fixed = len(places) == len(wanted) and all(is_fixed(context.graph.outputs[i]) for i in wanted)
        context.targets = places if fixed else {}
        context.compute()
        said_outputs = []
        for index in wanted:
            tensor = context.output(index)
            place = places.get(index)
            if place is not None and tensor.passes and not fixed and tensor.size <= min(len(place), limit):
                place[: tensor.size] = tensor.view()
            elif not fixed:
                place = None
            said_outputs.append([tensor.dtype.value, tensor.shape, place is not None])
        return {"outputs": said_outputs}

    def fetch(self, question: Question) -> None:
        """Copy an output of the last run to a place."""
        source = self._contexts[question["context"]].output(question["index"]).view()
        self._mapped.view(tuple(question["place"]), question["size"])[:] = source

    def finalize(self, question: Question) -> None:
        number = question["context"]
        self._tensors = {key: kept for key, kept in self._tensors.items() if key[0] != number}
        self._contexts.pop(number).close()

    def compute_single(self, question: Question) -> None:
        self._contexts[question["context"]].compute_single()

    def output_single(self, question: Question) -> Mapping[str, Any]:
        tensor = self._contexts[question["context"]].output_single(question["index"])
        return {"dtype": tensor.dtype.value, "shape": tensor.shape, "data": tensor.view().hex()}

    def finish_single(self, question: Question) -> None:
        self._contexts[question["context"]].finish_single()


def is_fixed(spec: TensorSpec) -> bool:
    """Whether the shape is fully known before a run. An empty shape may mean an unknown rank."""
    return bool(spec.shape and spec.dtype.size) and all(
        isinstance(length, int) for length in spec.shape or ()
    )


def told(spec: TensorSpec) -> Mapping[str, Any]:
    """The description of an input or output for the host."""
    return {
        "name": spec.name,
        "dtype": spec.dtype.value,
        "shape": spec.shape,
        "aliases": spec.aliases,
        "quantization": spec.quantization,
        "takes_bytes": spec.takes_bytes,
    }


def backend_of(question: Question) -> Backend:
    """The backend that the class creates when called without arguments. Raises NNError."""
    if question["file"]:
        from ...plugin import made

        return made(f"{question['file']}:{question['class']}", Backend)
    kind: Any = import_module(question["module"])
    for name in question["class"].split("."):
        kind = getattr(kind, name)
    made_backend: Backend = kind()
    return made_backend


def serve(questions: BinaryIO, answers: BinaryIO, server: Server) -> None:
    """Answer until the host closes the pipe."""
    while len(head := questions.read(4)) == 4:
        question = json.loads(questions.read(int.from_bytes(head, "little")))
        parts = read_parts(questions, question["sizes"])
        text = json.dumps(server.answer(question, parts)).encode()
        del parts
        answers.write(len(text).to_bytes(4, "little") + text)
        answers.flush()


def read_parts(questions: BinaryIO, sizes: Sequence[int]) -> Parts | None:
    """The pieces of bytes of a question. None if there is no memory for them: they are read and dropped."""
    parts: list[bytes] = []
    try:
        parts.extend(map(questions.read, sizes))
        return parts
    except MemoryError:
        left = sum(sizes) - sum(map(len, parts))
        parts.clear()
    while left > 0 and (dropped := questions.read(min(left, 1 << 16))):
        left -= len(dropped)
    return None


def main() -> None:
    """Serve on the process's standard streams, but let no framework write there."""
    where, allowance, host = sys.argv[1:]
    with suppress(ImportError):  # Windows has neither this module nor core files
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    descriptor = int(where) if where.isdecimal() else os.open(where, os.O_RDWR | getattr(os, "O_BINARY", 0))
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # standard error is the null device
    bounds = Bounds(int(allowance), int(host), Path.cwd())
    serve(questions, answers, Server(Mapped(descriptor), bounds))
    bounds.leave()


if __name__ == "__main__":
    main()
