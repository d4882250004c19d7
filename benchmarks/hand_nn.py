"""A host of wasi-nn for wasmtime's package, as a person would write one for one model.

What is here: its functions, and a run of a guest with them, `python hand_nn.py GUEST WORD...`, in the working
directory. It imports nothing of this package. What is not: what it is compared with (`programs.py`,
`end_to_end.py`).
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from typing import Any


def define_nn(linker: Any) -> None:
    """The functions of wasi-nn for one model and one context, by hand: as little as `classify` needs."""
    import numpy as np
    import onnxruntime
    import wasmtime

    state: dict[str, Any] = {}

    def numbers(memory: Any, caller: Any, pointer: int, count: int) -> list[int]:
        return list(struct.unpack(f"<{count}I", memory.read(caller, pointer, pointer + 4 * count)))

    def load(
        caller: Any, memory: Any, builders: int, _count: int, _kind: int, _target: int, out: int
    ) -> None:
        start, size = numbers(memory, caller, builders, 2)
        model = bytes(memory.read(caller, start, start + size))
        state["session"] = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        memory.write(caller, bytes(4), out)

    def init_execution_context(caller: Any, memory: Any, _graph: int, out: int) -> None:
        memory.write(caller, bytes(4), out)

    def set_input(caller: Any, memory: Any, _context: int, _index: int, tensor: int) -> None:
        dimensions, rank, _kind, start, size = numbers(memory, caller, tensor, 5)
        shape = numbers(memory, caller, dimensions, rank)
        state["input"] = np.frombuffer(memory.read(caller, start, start + size), "<f4").reshape(shape)

    def compute(caller: Any, memory: Any, _context: int) -> None:
        (state["output"],) = state["session"].run(None, {"picture": state["input"]})

    def get_output(
        caller: Any, memory: Any, _context: int, _index: int, out: int, _size: int, used: int
    ) -> None:
        data = state["output"].tobytes()
        memory.write(caller, data, out)
        memory.write(caller, struct.pack("<I", len(data)), used)

    def answering(function: Callable[..., None]) -> Callable[..., int]:
        def answer(caller: Any, *arguments: int) -> int:
            function(caller, caller["memory"], *(argument & 0xFFFFFFFF for argument in arguments))
            return 0

        return answer

    word = wasmtime.ValType.i32()
    for function, count in (
        (load, 5),
        (init_execution_context, 2),
        (set_input, 3),
        (compute, 1),
        (get_output, 5),
    ):
        type_ = wasmtime.FuncType([word] * count, [word])
        name = function.__name__
        linker.define_func("wasi_ephemeral_nn", name, type_, answering(function), access_caller=True)


def run(path: str, words: Sequence[str]) -> int:
    """Run a guest, whose compiled code is kept; returns its exit code."""
    import wasmtime

    config = wasmtime.Config()
    config.cache = True
    linker = wasmtime.Linker(wasmtime.Engine(config))
    linker.define_wasi()
    define_nn(linker)
    module = wasmtime.Module.from_file(linker.engine, path)
    wasi = wasmtime.WasiConfig()
    wasi.argv = [path, *words]
    wasi.inherit_stdout()
    wasi.preopen_dir(".", ".")
    store = wasmtime.Store(linker.engine)
    store.set_wasi(wasi)
    start = linker.instantiate(store, module).exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)
    try:
        start(store)
    except wasmtime.ExitTrap as end:
        return end.code
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
