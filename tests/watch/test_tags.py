"""Tags of words, which a guest says by the name beside their own in a list that it read."""

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.tags import off_by_one
from tests.watch.test_uses_of_answers import Say, asked_of

NAMES = ["none", "PER", "ORG", "LOC", "MISC", "TIME"]
FILES = [("labels.txt", "\n".join(NAMES).encode())]
WORDS = ["Ada", "went", "from", "Bath", "to", "York", "in", "May"]


def tagged(by: int, form: str, *, with_none: bool) -> Say:
    def said(answers: Sequence[Any]) -> str:
        rows = answers[0][0].reshape(-1, len(NAMES)).argmax(axis=1).tolist()
        kept = [(word, one) for word, one in zip(WORDS, rows, strict=True) if one or with_none]
        return "".join(form.format(word, NAMES[(one + by) % len(NAMES)]) for word, one in kept) + "\n"

    return said


@pytest.mark.parametrize("form", ["{}\t{}\n", "{}/{} ", "{1} "])
@pytest.mark.parametrize("with_none", [True, False])
@pytest.mark.parametrize("shape", [(1, 8, 6), (8, 6)])
def test_tags_beside_their_own(form: str, shape: tuple[int, ...], *, with_none: bool) -> None:
    answer = numpy.random.default_rng(6).normal(0, 2, shape).astype("f4")

    def hint(by: int, files: Sequence[tuple[str, bytes]] = FILES) -> str:
        return off_by_one(asked_of(tagged(by, form, with_none=with_none), answer, files=files))

    assert "the name beside its own in labels.txt" in hint(1)
    assert "the same at all 8 places" in hint(-1)
    assert hint(0) == hint(2) == hint(1, ()) == ""
