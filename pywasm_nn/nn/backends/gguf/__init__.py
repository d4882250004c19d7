"""Texts of GGUF models that the host named, with llama.cpp, for guests that use WasmEdge's text protocol.

What is here: the backends, one for each package that contains llama.cpp. `protocol` has what guests set and
get, `options` their options, `media` pictures in prompts, `header` reads a file's header. llama.cpp runs in
processes of its own (`process`, `engines`, and their work, `serve`): `adapter` says what it does there,
`server` does it with xllamacpp, `library` with llama-cpp-python. Models from a guest's bytes are refused
unless the host trusts its guests' models: llama.cpp's reader of files has had errors that let a file write
where it likes (SECURITY.md).
"""

from __future__ import annotations

from .base import LlamaBackend


class XllamacppBackend(LlamaBackend):
    name = "xllamacpp"
    packages = ("xllamacpp",)
    extra = "gguf"
    rank = 6
    takes_media = True
    remedy = "install another version of xllamacpp, or build llama-cpp-python for this processor"


class LlamaCppBackend(LlamaBackend):
    name = "llama_cpp"
    packages = ("llama_cpp",)
    rank = 7
    takes_media = False
    remedy = (
        'llama-cpp-python was built for another processor: CMAKE_ARGS="-DGGML_NATIVE=OFF" pip install'
        " --force-reinstall --no-cache-dir llama-cpp-python, or pip install 'pywasm-nn[gguf]'"
    )
