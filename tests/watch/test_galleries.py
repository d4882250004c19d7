"""Answers that are compared with vectors of a file."""

from __future__ import annotations

from pathlib import Path
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


@pytest.mark.parametrize("data", [binary(), table()])
def test_the_farthest_first(data: bytes) -> None:
    """Three of the vectors are said, with their cosines or one less these."""

    def said(values: Any, words: str = "") -> str:
        kept = Galleries(lambda: [("gallery.bin", data)])
        kept._answers.append(("output", ANSWER))
        kept._heard.data += "".join(f"name {value:.3f} {words}\n" for value in values[:3]).encode()
        return "".join(text for _, text in kept.finish())

    near = numpy.sort(cosines(VECTORS, ANSWER))
    for wrong in (near, 1 - near):
        assert "gallery.bin: the guest says" in said(wrong) and "the wrong way round?" in said(wrong)
        assert said(wrong[:2]) == said(wrong, "far from it") == "", "two may be those by chance"
    assert said(near[::-1]) == said(1 - near[::-1]) == said(near[1:]) == ""


def test_products_on_purpose() -> None:
    equal = VECTORS / numpy.linalg.norm(VECTORS, axis=1, keepdims=True)
    lines = [",".join(map(repr, row.tolist())) for row in equal]
    assert said(equal @ ANSWER, "\n".join(lines).encode()) == ""


@pytest.mark.parametrize(
    ("model", "read", "beside", "seen"),
    [
        ("embed-v2", "index-v1.f32", "index-v2.f32", True),
        ("clip_large", "large_index.f32", "small_index.f32", False),
        ("clip_large", "small_index.f32", "large_index.f32", True),
        ("embed-v2", "index-v2.f32", "index-v1.f32", False),
        ("embed", "index-v1.f32", "index-v2.f32", False),
        ("embed-v2", "index-v1.f32", "people-v2.f32", True),
        ("embed-v2", "index-v1.f32", "people-all-v2.f32", False),
    ],
)
def test_vectors_of_another_model(model: str, read: str, beside: str, seen: bool, tmp_path: Path) -> None:
    seen = seen and not beside.startswith("people")
    near = numpy.stack([ANSWER, ANSWER[::-1], *VECTORS[:4]]).astype("f4")
    far = RNG.permuted(near, axis=1)

    def told(own: Any, others: Any) -> str:
        (tmp_path / beside).write_bytes(others.tobytes())
        kept = Galleries(lambda: [(read, own.tobytes())], [tmp_path])
        kept._answers += [("output", ANSWER + 0.05), ("output", ANSWER[::-1] + 0.05)]
        kept._model = model
        return "".join(text for _, text in kept.finish())

    assert (f"{beside}, which was not read, has one near to each" in told(far, near)) is seen
    assert told(near, far) == ""
    assert told(near, near) == ""
    assert told(far, far[:, ::-1].copy()) == ""
