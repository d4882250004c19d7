"""Answers that are compared with vectors of a file."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.written.galleries import Galleries, cosines

RNG = numpy.random.default_rng(3)
SIZE, ROWS = 16, 9
ANSWER = RNG.normal(0, 1, SIZE)
VECTORS = RNG.normal(0, 1, (ROWS, SIZE))
VECTORS[2] = ANSWER + RNG.normal(0, 0.3, SIZE)
VECTORS[5] = 6 * (ANSWER + RNG.normal(0, 1.2, SIZE))
VECTORS = VECTORS.astype("f4").astype("f8")


def binary() -> bytes:
    kind = numpy.dtype([("name", "S10"), ("pad", "S2"), ("count", "<u4"), ("vector", "<f4", SIZE)])
    made = numpy.zeros(ROWS, kind)
    made["name"] = [f"name {at}" for at in range(ROWS)]
    made["count"], made["vector"] = numpy.arange(ROWS) + 3, VECTORS
    return made.tobytes()


def table() -> bytes:
    lines = [f"{at + 3},{','.join(map(repr, row.tolist()))}" for at, row in enumerate(VECTORS)]
    return "\n".join(lines).encode()


def said(values: Any, data: bytes) -> str:
    best = sorted(values.tolist(), reverse=True)[:2]
    kept = Galleries(lambda: [("gallery.bin", data)])
    kept._answers.append(("output", ANSWER))
    kept._heard.data += f"name {best[0]:.3f}, then {best[1]:.3f}\n".encode()
    assert kept._heard.text.words
    return "".join(text for _, text in kept.finish())


def shifted(data: bytes) -> Any:
    """The vectors from the count on."""
    if data == table():
        return numpy.concatenate([numpy.arange(ROWS)[:, None] + 3.0, VECTORS[:, :-1]], 1)
    return numpy.concatenate([numpy.zeros((ROWS, 1)), VECTORS[:, :-1]], 1)


@pytest.mark.parametrize("data", [binary(), table()])
def test_vectors_of_a_file(data: bytes) -> None:
    assert said(cosines(VECTORS, ANSWER), data) == ""
    assert "vector 3 is the nearest" in said(VECTORS @ ANSWER, data)
    assert "do vectors begin at" in said(cosines(shifted(data), ANSWER), data)


def test_products_on_purpose() -> None:
    equal = VECTORS / numpy.linalg.norm(VECTORS, axis=1, keepdims=True)
    lines = [",".join(map(repr, row.tolist())) for row in equal]
    assert said(equal @ ANSWER, "\n".join(lines).encode()) == ""
