"""Writes `tiny.gguf`, a language model of random weights that llama.cpp loads: `python gguf_writer.py FILE`.
Writes projectors for it too: random encoders of pictures and of speech.

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
    return file_of(header(), weights(seed))


def encoder(prefix: str, random: Any, width: int, inner: int) -> dict[str, Any]:
    """The tensors of a layer of a projector's encoder."""

    def matrix(*shape: int) -> Any:
        return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype("<f4")

    made: dict[str, Any] = {}
    for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
        made |= {f"{name}.weight": matrix(width, width), f"{name}.bias": np.zeros(width, "<f4")}
    for name in ("ln1", "ln2"):
        made |= {f"{name}.weight": np.ones(width, "<f4"), f"{name}.bias": np.zeros(width, "<f4")}
    made |= {"ffn_up.weight": matrix(inner, width), "ffn_up.bias": np.zeros(inner, "<f4")}
    made |= {"ffn_down.weight": matrix(width, inner), "ffn_down.bias": np.zeros(width, "<f4")}
    return {f"{prefix}.{name}": value for name, value in made.items()}


def projector_header(kind: str, what: str, numbers: dict[str, int]) -> dict[str, tuple[int, bytes]]:
    return {
        "general.architecture": (STRING, text("clip")),
        f"clip.has_{what}_encoder": (BOOL, b"\1"),
        "clip.projector_type": (STRING, text(kind)),
        "clip.use_gelu": (BOOL, b"\1"),
        "general.file_type": (U32, pack("<I", 0)),
        **{f"clip.{what}.{name}": (U32, pack("<I", value)) for name, value in numbers.items()},
        f"clip.{what}.attention.layer_norm_epsilon": (F32, pack("<f", 1e-5)),
    }


def tiny_projector(seed: int = 5) -> bytes:
    """LLaVA's kind: a picture of 32 x 32 becomes 16 vectors of the width of `tiny_gguf`."""
    width, inner, layers, side, patch = 16, 32, 3, 32, 8
    numbers = {
        "image_size": side, "patch_size": patch, "embedding_length": width, "feed_forward_length": inner,
        "block_count": layers, "projection_dim": WIDTH, "attention.head_count": 2,
    }  # fmt: skip
    halves = (ARRAY, array(F32, [pack("<f", 0.5)] * 3))
    values = projector_header("mlp", "vision", numbers)
    values |= {"clip.vision.image_mean": halves, "clip.vision.image_std": halves}
    random = np.random.default_rng(seed)
    ones, zeros = np.ones(width, "<f4"), np.zeros(width, "<f4")
    made = {
        "v.patch_embd.weight": random.standard_normal((width, 3, patch, patch)).astype("<f4") / 8,
        "v.position_embd.weight": random.standard_normal(((side // patch) ** 2 + 1, width)).astype("<f4"),
        "v.class_embd": ones, "v.pre_ln.weight": ones, "v.pre_ln.bias": zeros,
        "mm.0.weight": random.standard_normal((WIDTH, width)).astype("<f4"),
        "mm.0.bias": np.zeros(WIDTH, "<f4"),
        "mm.2.weight": random.standard_normal((WIDTH, WIDTH)).astype("<f4") / 5,
        "mm.2.bias": np.zeros(WIDTH, "<f4"),
    }  # fmt: skip
    for layer in range(layers):
        made |= encoder(f"v.blk.{layer}", random, width, inner)
    return file_of(values, made)


def file_of(values: dict[str, tuple[int, bytes]], tensors: dict[str, Any]) -> bytes:
    head = b"GGUF" + pack("<IQQ", 3, len(tensors), len(values))
    for name, (kind, value) in values.items():
        head += text(name) + pack("<I", kind) + value
    at = 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        head += text(name) + pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)
        at += tensor.nbytes + -tensor.nbytes % ALIGNMENT
    data = [tensor.tobytes() + bytes(-tensor.nbytes % ALIGNMENT) for tensor in tensors.values()]
    return head + bytes(-len(head) % ALIGNMENT) + b"".join(data)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(tiny_gguf())
