"""Answers that guests compare with each other. Each mistake has right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.similar import Similar

RNG = numpy.random.default_rng(5)
COMMON = RNG.normal(size=24)
VECTORS = (COMMON + 0.7 * RNG.normal(size=(6, 24))) * numpy.array([2, 2, 2, 2, 9, 2])[:, None]
VECTORS[2] = VECTORS[0] * 1.1 + 0.1 * RNG.normal(size=24)


def hint(answers: Any, text: str, masks: Any = None, graphs: tuple[int, ...] = (0,), sent: Any = None) -> str:
    similar, spec = Similar(), SimpleNamespace(name="embedding")
    more: dict[str, Any] = {"error": None, "context_id": 0, "graph_id": 0, "model": "m", "specs": (spec,)}
    for graph in graphs:
        computed: Any = SimpleNamespace(
            operation="compute", tensors=(), index=None, **more | {"graph_id": graph}
        )
        similar.nn_event(computed)

    def tell(operation: str, index: int, array: Any) -> None:
        tensors = (Tensor.from_numpy(numpy.asarray(array)),)
        similar.nn_event(SimpleNamespace(operation=operation, index=index, tensors=tensors, **more))  # type: ignore[arg-type]

    for number, answer in enumerate(answers):
        if masks is not None:
            tell("set_input", 1, masks[number][None].astype("i8"))
        if sent is not None:
            tell("set_input", 0, sent[number][None])
        tell("get_output", 0, answer[None].astype("f4"))
    arguments = (("fd", 1), ("ciovs", [text.encode()]))
    event: Any = SimpleNamespace(name="fd_write", error=None, arguments=arguments, result=0)
    similar.host_call(event)
    return "; ".join(text for _, text in similar.finish())


def cosine(one: Any, other: Any) -> float:
    return float(one @ other / numpy.linalg.norm(one) / numpy.linalg.norm(other))


def album(values: Any, last: str) -> str:
    return "".join(f"picture{number + 1}.png {value:.3f}\n" for number, value in enumerate(values)) + last


PRODUCTS = [float(VECTORS[0] @ one) for one in VECTORS[1:]]
NEAR = [cosine(VECTORS[0], one) for one in VECTORS[1:]]
APART = [float(numpy.linalg.norm(VECTORS[0] - one)) for one in VECTORS[1:]]


@pytest.mark.parametrize("factor", [1.0, 0.01])
def test_products_of_vectors_of_several_lengths(factor: float) -> None:
    assert "divided by their lengths" in hint(
        VECTORS, album([factor * one for one in PRODUCTS], "best: picture4\n")
    )
    assert hint(VECTORS, album(NEAR, "best: picture2.png\n")) == ""
    same = VECTORS / numpy.linalg.norm(VECTORS, axis=1, keepdims=True)
    assert (
        hint(same, album([factor * float(same[0] @ one) for one in same[1:]], "best: picture2.png\n")) == ""
    )
    assert hint(VECTORS, album([1.5, 2.25, 3.125, 4.75, 5.5], "")) == ""


@pytest.mark.parametrize(
    ("values", "last", "seen"),
    [
        (APART, "most alike: picture2.png", False),
        (APART, "most alike: picture4.png", True),
        (APART, "least alike: picture4.png", False),
        (APART, "picture4.png", False),
        (APART, "query.png is by picture4.png", True),
        (APART, "query.png is by picture1.png", True),
        (APART, "query.png is by picture3.png", True),
        (APART, "query.png is by picture2.png", False),
        (APART, "query.png is by picture5.png", False),
        (NEAR, "query.png -> picture1.png", True),
        (NEAR, "query.png -> picture2.png", False),
        (NEAR, "nearest is picture2.png", False),
        (NEAR, f"nearest is picture{1 + int(numpy.argmin(NEAR))}.png", True),
    ],
)
def test_the_nearest_is_said(values: Any, last: str, seen: bool) -> None:
    assert ("the nearest has" in hint(VECTORS, album(values, last + "\n"))) is seen


COUNTS = (5, 9, 7)
MASKS = [(numpy.arange(16) < count).astype("i8") for count in COUNTS]
PLACES = RNG.normal(size=(3, 16, 24)) + RNG.normal(size=24)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (lambda places, count: places[:count].mean(0), ""),
        (lambda places, count: places[0], ""),
        (lambda places, count: places[:count].max(0), ""),
        (lambda places, count: places.mean(0), "with up to 11 of padding"),
        (lambda places, count: places.reshape(24, 16)[:, :count].sum(1), "it is a row"),
    ],
)
def test_vectors_of_texts(way: Any, said: str) -> None:
    made = [way(places.astype("f4"), count) for places, count in zip(PLACES, COUNTS, strict=True)]
    text = f"1 and 2 {cosine(made[0], made[1]):.3f}, 1 and 3 {cosine(made[0], made[2]):.3f}\n"
    found = hint(PLACES, text, MASKS)
    assert (said in found) if said else found == ""
    assert hint(PLACES, text) == ""


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("pooled", [False, True])
def test_the_least_like_of_several(pooled: bool, sign: int) -> None:
    """Questions, and then what is said of the nearest of the answers."""
    vectors = RNG.normal(size=(9, 5, 24))
    answers = list(vectors) if pooled else list(vectors[:, 0])
    made = vectors.mean(1) if pooled else vectors[:, 0]
    near = numpy.array([[cosine(one, other) for other in made[4:]] for one in made[:4]])

    def said(values: Any) -> str:
        return hint(answers, "".join(f"text -> answer ({value:.2f})\n" for value in values))

    assert "is a similarity taken for a distance?" in said(sign * near.min(1))
    assert said(near.max(1)) == said(1 - near.max(1)) == said(RNG.uniform(-1, 1, 4)) == ""


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("pooled", [False, True])
def test_the_farthest_first_of_several(pooled: bool, last: bool) -> None:
    """A question, before or behind the documents of which the three best are said."""
    vectors = RNG.normal(size=(9, 5, 24))
    answers = list(vectors) if pooled else list(vectors[:, 0])
    made = vectors.mean(1) if pooled else vectors[:, 0]
    question, documents = (made[-1], made[:-1]) if last else (made[0], made[1:])
    near = numpy.sort([cosine(question, one) for one in documents])
    apart = numpy.sort(numpy.linalg.norm(documents - question, axis=1))

    def said(values: Any, words: str = "") -> str:
        return hint(answers, "".join(f"{value:.3f}  a document {words}\n" for value in values[:3]))

    for wrong in (near, 1 - near, apart[::-1]):
        assert "sorted the wrong way round?" in said(wrong)
        assert said(wrong, "that differs") == ""
    for right in (near[::-1], 1 - near[::-1], apart, near[1:], numpy.concatenate([near[:2], near[-1:]])):
        assert said(right) == ""
    every = "".join(f"{value:.3f}\n" for value in near)
    assert hint(answers, every) == "", "all, with the best at the end"


def test_shares_of_classes_are_no_cosines() -> None:
    """A guest warms its model up twice, and then says how sure it is of four pictures: of each quite."""
    shares = numpy.full((6, 10), 1e-5)
    for row, best in enumerate((9, 9, 3, 8, 9, 6)):
        shares[row, best] = 0.9999
    assert hint(list(shares), "".join(f"picture {best} 1.00\n" for best in (3, 8, 9, 6))) == ""


@pytest.mark.parametrize(
    "text", ["precision 1.00\nrecall 1.00\nF1 1.00\n", "1.0 1.0 1.0\n", "loss 0.00 0.00 0.00\n"]
)
def test_numbers_about_all_answers_are_no_comparisons(text: str) -> None:
    """Ten unsure answers are all right. Of vectors in one buffer a guest says all pairs."""
    answers = list(RNG.normal(0, 1.5, (10, 10)))
    assert hint(answers, text) == ""
    assert "do all vectors lie in one buffer" in hint(answers, "1.000\n" * 45)
    assert hint(answers, "accuracy by fold: " + "1.000\n" * 5) == ""


def test_the_best_of_several_texts_in_one_buffer() -> None:
    """Of all texts the best three are said, each with a cosine of 1."""
    answers, texts = (
        list(RNG.normal(0, 1.5, (10, 10))),
        ("soup with garlic", "a late goal", "bake two loaves"),
    )

    def said(number: str, *, lines: tuple[str, ...] = texts, answers: list[Any] = answers) -> str:
        return hint(answers, "a question\n" + "".join(f"  {number}  {text}\n" for text in lines))

    assert "do all vectors lie in one buffer" in said("1.000")
    assert said("1.00") == said("0.998") == said("1.000", lines=texts[:2]) == ""
    assert said("1.000", lines=("precision", "recall", "F1")) == said("1.000", lines=("a fold",) * 3) == ""
    assert said("1.000", answers=[answers[0]] * 3 + answers) == "", "some are the same"
    assert hint(answers, "".join(f"1.000 {one}\n" for one in texts), graphs=(0, 1)) == "", "another model's"


@pytest.mark.parametrize("words", ["lowest similarity to any", "min cosine", "weakest link"])
def test_how_unlike_the_least_like_is_may_be_said(words: str) -> None:
    vectors = RNG.normal(size=(6, 24))
    near = [min(cosine(one, other) for other in vectors if other is not one) for one in vectors]
    assert "is a similarity taken for a distance?" in hint(
        list(vectors), "".join(f"{one:.3f}\n" for one in near)
    )
    assert hint(list(vectors), "".join(f"{words} {one:.3f}\n" for one in near)) == ""


def in_batches(vectors: Any, *, size: int = 4, empty: Any = 0) -> list[Any]:
    """The vectors of texts in batches, whose last rows may stay empty, and then of three questions."""
    rows = numpy.zeros((size, vectors.shape[1])) + empty
    made = []
    for part in [vectors[begin:][:size] for begin in range(0, len(vectors) - 3, size)]:
        made.append(numpy.concatenate([part[: len(vectors) - 3 - size * len(made)], rows])[:size])
    return [*made, *(numpy.concatenate([one[None], rows])[:size] for one in vectors[-3:])]


@pytest.mark.parametrize("empty", [0, 0.25])
def test_long_texts_win_in_batches(empty: float) -> None:
    texts, questions = RNG.normal(size=(10, 24)), RNG.normal(size=(3, 24))
    questions[:2] = texts[:2] + 0.5 * RNG.normal(size=(2, 24))
    long = questions.mean(0)  # of many words, the questions' ones among them
    questions[2] += long

    def said(by: float, *, lengths: bool, words: str = "") -> str:
        own = texts.copy()
        own[6] = by * long / numpy.linalg.norm(long) * numpy.linalg.norm(texts, axis=1).mean()
        values = questions @ own.T
        if lengths:
            values = numpy.array([[cosine(one, other) for other in own] for one in questions])
        text = "".join(f'"question"\n   {value:.3f} note {words}\n' for value in values.max(1))
        return hint(in_batches(numpy.concatenate([own, questions]), empty=empty), text)

    assert "divided by their lengths" in said(9, lengths=False)
    assert said(9, lengths=True) == ""
    assert said(1.1, lengths=False) == "", "a model that is made for products"


def counted_texts() -> Any:
    """Counts of the words of eight short texts, a longer one, and three questions, of which the first has
    more of a short text's words, and the longer text has each of its words."""
    texts = numpy.zeros((12, 40))
    for at in range(8):
        texts[at, 3 * at : 3 * at + 3] = 1
        texts[at, 24 + at] = at % 4
    texts[8, :12] = 1
    texts[8, 0] = 2
    texts[9, [0, 1, 3]] = texts[10, 15:18] = texts[11, 21:24] = 1
    return texts


@pytest.mark.parametrize("size", [40, 48])
def test_vectors_that_are_as_long_as_their_texts(size: int) -> None:
    texts = counted_texts()
    turned = numpy.linalg.qr(RNG.normal(size=(size, size)))[0][:40]

    def said(sent: Any, *, vectors: Any = None, by_cosine: bool = False, words: str = "") -> str:
        own = texts @ turned if vectors is None else vectors
        lengths = numpy.linalg.norm(own, axis=1)
        values = own[-3:] @ own[:-3].T / (lengths[-3:, None] * lengths[:-3] if by_cosine else 1)
        text = "".join(f"where?\n    note {words} ({value:.2f})\n" for value in values.max(1))
        return hint(own, text, sent=sent)

    numbers = [numpy.pad(numpy.arange(1, 1 + int(one.sum())), (0, 30))[:30] for one in texts]
    for sent in (texts.astype("f4"), numpy.stack(numbers).astype("i8")):
        assert "divided by their lengths" in said(sent)
        assert said(sent, by_cosine=True) == ""
        assert said(sent, words="inner product") == "", "it is meant so"
        assert said(sent[::-1].copy()) == "", "lengths don't follow the texts"
    shares = (texts / texts.sum(1, keepdims=True)).astype("f4")
    assert said(shares) == "", "nothing says how long texts are"
    other = texts @ turned
    other[9] *= 2  # so that no product is larger than that with itself
    assert said(texts.astype("f4"), vectors=other) == ""
