"""Writes `tiny.gguf`, a language model of random weights that llama.cpp loads: `python gguf_writer.py FILE`.

Llama's architecture: two layers of 32 numbers, F32, a vocabulary of 256 bytes and three special tokens, a
context of 256 tokens. Its texts are printable ASCII. Source:
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import sys
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np

CONTEXT, WIDTH, LAYERS, HEADS, INNER, VOCABULARY = 256, 32, 2, 4, 64, 259
SPECIAL = ("<unk>", "<s>", "</s>")
UNKNOWN, CONTROL, BYTE = 2, 3, 6
"""Kinds of tokens."""
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
"""Types of values in the header."""
ALIGNMENT = 32


def text(value: str) -> bytes:
    return pack("<Q", len(value.encode())) + value.encode()


def array(kind: int, values: list[bytes]) -> bytes:
    return pack("<IQ", kind, len(values)) + b"".join(values)


def header() -> dict[str, tuple[int, bytes]]:
    numbers = {
        "llama.context_length": CONTEXT, "llama.embedding_length": WIDTH, "llama.block_count": LAYERS,
        "llama.feed_forward_length": INNER, "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": HEADS, "llama.rope.dimension_count": WIDTH // HEADS,
        "llama.vocab_size": VOCABULARY, "general.file_type": 0,
    }  # fmt: skip
    special = {
        "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    }  # fmt: skip
    tokens = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256
    return {
        "general.architecture": (STRING, text("llama")),
        "general.name": (STRING, text("tiny random")),
        **{name: (U32, pack("<I", value)) for name, value in numbers.items()},
        "llama.attention.layer_norm_rms_epsilon": (F32, pack("<f", 1e-5)),
        "tokenizer.ggml.model": (STRING, text("llama")),
        "tokenizer.ggml.tokens": (ARRAY, array(STRING, [text(token) for token in tokens])),
        "tokenizer.ggml.scores": (ARRAY, array(F32, [pack("<f", 0)] * VOCABULARY)),
        "tokenizer.ggml.token_type": (ARRAY, array(I32, [pack("<i", kind) for kind in kinds])),
        **{name: (U32, pack("<I", value)) for name, value in special.items()},
        "tokenizer.ggml.add_bos_token": (BOOL, b"\1"),
        "tokenizer.ggml.add_space_prefix": (BOOL, b"\0"),
    }


def weights(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)

    def matrix(*shape: int, scale: float = 0.0) -> Any:
        drawn = random.standard_normal(shape) * (scale or 1 / np.sqrt(shape[-1]))
        return drawn.astype("<f4")

    output = matrix(VOCABULARY, WIDTH, scale=0.8)
    output[len(SPECIAL) + ord("\x7f") :] = output[: len(SPECIAL) + ord(" ")] = 0
    output[2] = matrix(WIDTH, scale=1.1)
    ones = np.ones(WIDTH, "<f4")
    made = {"token_embd.weight": matrix(VOCABULARY, WIDTH, scale=1.0), "output_norm.weight": ones}
    made["output.weight"] = output
    for layer in range(LAYERS):
        block = {f"attn_{name}": matrix(WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
        block |= {f"ffn_{name}": matrix(INNER, WIDTH) for name in ("gate", "up")}
        block |= {"ffn_down": matrix(WIDTH, INNER), "attn_norm": ones, "ffn_norm": ones}
        made |= {f"blk.{layer}.{name}.weight": value for name, value in block.items()}
    return made


def tiny_gguf(seed: int = 9) -> bytes:
    """The file's bytes."""
    values, tensors = header(), weights(seed)
    head = b"GGUF" + pack("<IQQ", 3, len(tensors), len(values))
    for name, (kind, value) in values.items():
        head += text(name) + pack("<I", kind) + value
    at = 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        head += text(name) + pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)
        at += tensor.nbytes  # each is a multiple of the alignment
    return head + bytes(-len(head) % ALIGNMENT) + b"".join(tensor.tobytes() for tensor in tensors.values())


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(tiny_gguf())
