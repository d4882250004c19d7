"""The namespaces of imports that this package provides, for code that only inspects a module.

What is not here: the functions (`nn.provider.FACES`, `component.lowered`).
"""

NAMESPACES = ("wasi_ephemeral_nn", "wasi_nn", "pywasm_nn", "wasi:nn/", "cm32p2|wasi:nn/")
"""Prefixes of the namespaces of inference, including versions that aren't provided here."""
THREAD_SPAWN = "wasi", "thread-spawn"
"""Namespace and name of the one import of wasi-threads."""


def is_inference(module: str) -> bool:
    """Whether a namespace of imports belongs to inference."""
    return module.startswith(NAMESPACES)


def provider_of(module: str) -> str:
    """The argument of `Module.instantiate` that provides a namespace; "" for an embedder's own."""
    if module in ("wasi_snapshot_preview1", "wasi_unstable", THREAD_SPAWN[0]):
        return "wasi=Wasi()"
    if is_inference(module):
        return "nn=NN()"
    return "wasi=Wasi()" if module.removeprefix("cm32p2|").startswith("wasi:") else ""
