"""A backend that does as its model and its input say, also what ends a process. Imported in the child too."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from pywasm_nn.nn import Backend, Code, Context, DType, Graph, GraphConfig, NNError, Tensor, TensorSpec
from pywasm_nn.nn.formats import Encoding, Format

LINUX = sys.platform == "linux"


def opened() -> str:
    """What this process has open."""
    links = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the listing itself
            links.append(os.readlink(f"/proc/self/fd/{name}").removesuffix(" (deleted)"))
    return " ".join(links)


def boast() -> None:
    """Announce an answer of 2 GB wherever this process may write."""
    import fcntl

    for descriptor in range(1, 64):
        with suppress(OSError):
            if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                os.write(descriptor, (1 << 31).to_bytes(4, "little"))


kept: list[bytes] = []
"""What this process was told to keep."""
X = TensorSpec("x", DType.U8, (None,))


class OddContext(Context):
    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        word = bytes(inputs[0].view())
        if word == b"die":
            os.kill(os.getpid(), signal.SIGSEGV)
        if word == b"exit":
            os._exit(0)
        if word == b"hang":
            time.sleep(60)
        if word == b"write":
            os.write(1, b"what nobody asked for")
        if word == b"boast":
            boast()
        if word == b"where":
            found = f"{sorted(os.environ)}\n{os.getcwd()}\n{os.listdir()}\n{opened() if LINUX else ''}"
            return [Tensor(DType.U8, (len(found),), found.encode())]
        if word == b"threads":
            said = os.environ["OPENBLAS_NUM_THREADS"].encode()
            return [Tensor(DType.U8, (len(said),), said)]
        if word.startswith(b"keep "):
            kept.append(b"\1" * int(word[5:]))
        if word == b"hoard":
            while True:  # until there is no memory
                kept.append(b"\1" * (4 << 20))
        if word == b"large":
            return [Tensor(DType.U8, (2_000_000,), bytes(2_000_000))]
        return [Tensor(DType.U8, inputs[0].shape, word[::-1])]


class LookingContext(OddContext):
    """Looks at inputs when they are set, and makes text."""

    def accept_input(self, index: int, tensor: Tensor) -> None:
        if bytes(tensor.view()) == b"too long":
            raise NNError(Code.PROMPT_TOO_LONG, "eight are too many")
        super().accept_input(index, tensor)
        self.left = list(bytes(tensor.view()).split())

    def compute_single(self) -> None:
        if not self.left:
            raise NNError(Code.END_OF_SEQUENCE, "that was all")
        self.made = self.left.pop(0)

    def output_single(self, index: int) -> Tensor:
        return Tensor(DType.U8, (len(self.made),), self.made)

    def finish_single(self) -> None:
        self.left = []


class OddGraph(Graph):
    looks = False

    def context(self) -> Context:
        return (LookingContext if self.looks else OddContext)(self)


class Odd(Backend):
    """Does as its model and its input say."""

    name = "odd"
    formats = (Format("odd", encoding=Encoding("odd", 77), magic=(0, b"ODD ")),)
    from_guests = frozenset(formats)
    native = True

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        word = bytes(parts[0])[4:]
        if word == b"abort":
            os.abort()
        if word == b"hang":
            time.sleep(60)
        if word == b"broken":
            raise ValueError("no such model")
        graph = OddGraph(self.name, [X], [X], notes=["odd"])
        graph.looks = word == b"looks"
        return graph
