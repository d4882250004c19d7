"""Which imports are whose, for those who only look at a module.

What is not here: the functions (`nn.provider.FACES`).
"""

NAMESPACES = ("wasi_ephemeral_nn", "wasi_nn", "pywasm_nn", "wasi:nn/", "cm32p2|wasi:nn/")
"""How namespaces of inference begin, those of versions that aren't provided here included."""


def is_inference(module: str) -> bool:
    """Whether a namespace that a guest imports from is one of inference."""
    return module.startswith(NAMESPACES)


def provider_of(module: str) -> str:
    """What provides a namespace, as a keyword of `Module.instantiate`; empty for the embedder's own."""
    if module in ("wasi_snapshot_preview1", "wasi_unstable"):
        return "wasi=Wasi()"
    return "nn=NN()" if is_inference(module) else ""
