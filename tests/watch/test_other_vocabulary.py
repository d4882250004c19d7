"""Texts that go to one of two models by their words: to the one that knows them, and to the other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.order.other_vocabulary import OtherVocabulary

OTHERS = [f"{one}{two}" for one in ("ba", "ko", "mi") for two in ("lo", "ru", "ten")]
COMMON = ["[PAD]", "[UNK]", "the", "was", "in", "a"]
FISH = [*COMMON, *(f"x{one}" for one in OTHERS), "boat", "net", "salt", "wave", "harbour", "storm", "shoal"]
BREAD = [*COMMON, *OTHERS, "oven", "dough", "loaf", "crumb", "rye", "starter", "warm"]
TEXTS = {
    "fish": ("the boat was in a storm", "salt and wave in the harbour", "a shoal in the net"),
    "bread": ("the loaf was in the oven", "a crumb was in the dough", "the rye starter was warm"),
}
LISTS = {"fish": FISH, "bread": BREAD}
TEXT = "\n".join(text for both in zip(*TEXTS.values(), strict=True) for text in both)
LENGTH = 12


def ids(text: str, words: Sequence[str]) -> Any:
    row = numpy.zeros((1, LENGTH), "i8")
    found = [words.index(one) if one in words else words.index("[UNK]") for one in text.split()]
    row[0, : len(found)] = found
    return row


def hints(
    models: Sequence[str],
    sent: Sequence[tuple[int, str, str]],
    *,
    files: Mapping[str, Sequence[str]] = LISTS,
    name: str = "input_ids",
    has_masks: bool = True,
) -> list[str]:
    """What is said of texts that graphs get by lists of words."""
    given = [(f"models/{kind}.vocab", "\n".join(words).encode()) for kind, words in files.items()]
    origins: Any = SimpleNamespace(
        files=lambda: [*given, ("texts.txt", TEXT.encode())], arguments=(), names_of=lambda named, _: [named]
    )
    rule = OtherVocabulary(origins)
    for graph, model in enumerate(models):
        rule.nn_event(event("load", graph, model))
    for graph, text, words in sent:
        row = ids(text, LISTS[words])
        rule.nn_event(event("set_input", graph, None, name, row))
        if has_masks:
            rule.nn_event(event("set_input", graph, None, "attention_mask", (row > 0).astype("i8")))
    return [text for _, text in rule.finish()]


def event(operation: str, graph: int, model: str | None, name: str = "", array: Any = None) -> Any:
    given = () if array is None else (Tensor.from_numpy(array),)
    specs = tuple([TensorSpec(name, one.dtype, one.shape) for one in given])
    return SimpleNamespace(
        operation=operation, graph_id=graph, model=model, parts=(), error=None, index=0 if given else None,
        specs=specs, tensors=given, given=(),
    )  # fmt: skip


MODELS = ("subject", "opinion_fish", "opinion_bread")
RIGHT = [(1 + (kind == "bread"), text, kind) for kind, texts in TEXTS.items() for text in texts]


def test_texts_that_go_to_the_model_that_knows_their_words() -> None:
    assert hints(MODELS, RIGHT) == []
    assert hints(MODELS, RIGHT, name="tokens") == []


@pytest.mark.parametrize("has_masks", [True, False])
def test_texts_of_which_the_vocabulary_knows_no_word(has_masks: bool) -> None:
    sent = [(1, text, "fish") for text in TEXTS["bread"]] + [(2, text, "bread") for text in TEXTS["fish"]]
    (text,) = hints(MODELS, sent, has_masks=has_masks)
    assert "fish.vocab has" in text and "bread.vocab" in text and "all 3 texts that graph 1 got" in text


@pytest.mark.parametrize("models", [("opinion_bread", "opinion_fish"), ("bread", "fish")])
def test_models_that_are_exchanged(models: Sequence[str]) -> None:
    sent = [(kind == "bread", text, kind) for kind, texts in TEXTS.items() for text in texts]
    (text,) = hints(models, sent)
    assert f'sent to "{models[0]}" by the numbers of models/fish.vocab' in text
    assert f'a model "{models[1]}"' in text


def test_models_whose_names_say_nothing() -> None:
    sent = [(kind == "bread", text, kind) for kind, texts in TEXTS.items() for text in texts]
    assert hints(("first", "second"), sent) == []
    assert hints(("fish_and_bread", "second"), sent) == []


def test_texts_that_both_models_get() -> None:
    sent = [
        (1 + (kind == "bread"), text, kind) for kind in LISTS for texts in TEXTS.values() for text in texts
    ]
    assert hints(MODELS, sent) == []
    only_fish = [(1 + (kind == "bread"), text, kind) for kind in LISTS for text in TEXTS["fish"]]
    assert hints(MODELS, only_fish) == []


def test_one_text_and_one_vocabulary() -> None:
    assert hints(MODELS, [(1, TEXTS["bread"][0], "fish")]) == []
    sent = [(1, text, "fish") for text in TEXTS["bread"]]
    assert hints(MODELS, sent, files={"fish": FISH}) == []
