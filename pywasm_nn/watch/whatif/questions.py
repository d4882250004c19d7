"""The questions about one compute of a model, each with what it has to know.

What is here: `Asked`, a compute that the model is asked about, and `first_answered`, which puts the questions
one after the other while there is time. What is not: the questions themselves (a module each), those about
several computes, and following a guest (`following.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from ...nn.backend import Graph
from ...nn.formats.format import Facts, rows_of_tables
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..surroundings import Files
from .asking import Change, ask
from .backwards import backwards
from .converting import in_another_unit
from .counting import counted_otherwise
from .detections import detection_of
from .finding import found_otherwise
from .folded import folded
from .gram_shares import as_gram_shares
from .grounds import over_another
from .masks import hidden_words
from .of_inputs import OfInputs
from .paper import all_on_paper, on_paper
from .rebuilding import rebuilt_otherwise
from .recipes import retimed
from .scaling import unscaled
from .shares import as_shares
from .standardised import standardised
from .sureness import Answer, answers_of
from .too_large import too_large


class Asked(Frozen):
    """A compute that its model is asked about."""

    twin: Graph
    event: NNEvent
    inputs: Sequence[Tensor]
    answer: Answer | None
    until: float
    """When the time for questions ends, by `perf_counter`."""
    facts: Facts
    """What is known of the model."""
    of_inputs: OfInputs
    files: Files

    @property
    def context(self) -> int | None:
        return self.event.context_id

    @property
    def seconds(self) -> float:
        """The duration of one run."""
        return self.event.seconds or 0.0

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.until - perf_counter()

    def rows(self, index: int) -> int:
        """Returns how many rows the table has that the numbers of an input choose from, or 0 if that isn't
        known."""
        return rows_of_tables(self.facts.columns).get(index, 0)


def first_answered(asked: Asked) -> str | None:
    """Returns the sentence of the first question that has one, or None. Raises NNError."""
    return next(filter(None, (question(asked) for question in QUESTIONS)), None)


def reencoded(asked: Asked) -> str | None:
    """Other ranges, orders and recipes."""
    index, otherwise = asked.of_inputs.otherwise.get(asked.context, (0, None))
    outcome = ask(
        asked.twin,
        asked.inputs,
        answer=asked.answer,
        seconds=asked.seconds,
        more=[] if otherwise is None else changes(asked.inputs, index, otherwise),
        known=asked.of_inputs.as_in_file.get(asked.context, set[int]()),
        most=asked.left,
    )
    return outcome.sentence(asked.twin.inputs)


def changes(inputs: Sequence[Tensor], index: int, otherwise: Any) -> list[Change]:
    """Features of a sound by other recipes, as changes of an input."""
    kind = inputs[index].numpy().dtype
    return [Change(said, index, array.astype(kind)) for said, array in otherwise.changes()]


def of_a_detector(asked: Asked) -> str | None:
    found = detection_of(asked.event.specs, asked.event.tensors)
    if found is None:
        return None
    return found_otherwise(asked.twin, asked.inputs, found, asked.seconds, asked.left)


def rebuilt(asked: Asked) -> str | None:
    lines = asked.of_inputs.lines.get(asked.context, (0, None))[1]
    tensors, files = asked.event.tensors, asked.files
    return rebuilt_otherwise(asked.twin, asked.inputs, tensors, files, asked.seconds, asked.left, lines)


def on_another_ground(asked: Asked) -> str | None:
    grounds = asked.of_inputs.grounds.pop(asked.context, None)
    if grounds is None:
        return None
    return over_another(asked.twin, asked.inputs, grounds, asked.answer, asked.seconds, asked.left)


def of_shares(asked: Asked) -> str | None:
    return as_shares(asked.twin, asked.inputs, asked.answer, asked.seconds, asked.left)


def of_shares_of_grams(asked: Asked) -> str | None:
    return as_gram_shares(asked.twin, asked.inputs, asked.answer, asked.files, asked.seconds, asked.left)


def at_other_times(asked: Asked) -> str | None:
    index, otherwise = asked.of_inputs.otherwise.pop(asked.context, (0, None))
    if otherwise is None:
        return None
    return retimed(asked.twin, asked.inputs, index, otherwise, asked.answer, asked.seconds, asked.left)


def of_lines(asked: Asked) -> str | None:
    if asked.context not in asked.of_inputs.lines:
        return None
    index, lines = asked.of_inputs.lines[asked.context]
    layer = asked.facts.layers.get(index)
    return unscaled(asked.twin, asked.inputs, index, lines, asked.seconds, asked.left, layer)


def of_units(asked: Asked) -> str | None:
    if asked.context not in asked.of_inputs.units:
        return None
    index, unit, others = asked.of_inputs.units[asked.context]
    return in_another_unit(asked.twin, asked.inputs, index, unit, others, asked.seconds, asked.left)


def of_counts(asked: Asked) -> str | None:
    if asked.context not in asked.of_inputs.counted:
        return None
    index, how = asked.of_inputs.counted[asked.context]
    rows = asked.rows(index)
    return counted_otherwise(asked.twin, asked.inputs, index, how, rows, asked.seconds, asked.left)


def of_paper(asked: Asked) -> str | None:
    if asked.answer is not None:
        return on_paper(asked.twin, asked.inputs, asked.answer, asked.seconds, asked.left)
    each = answers_of(asked.event.specs, asked.event.tensors)
    return all_on_paper(asked.twin, asked.inputs, each, asked.seconds, asked.left)


def of_large_pixels(asked: Asked) -> str | None:
    return too_large(asked.twin, asked.inputs, asked.event.tensors, asked.seconds, asked.left)


def of_small_pixels(asked: Asked) -> str | None:
    known = asked.of_inputs.as_in_file.get(asked.context, set[int]())
    tensors = asked.event.tensors
    return standardised(asked.twin, asked.inputs, tensors, known, asked.seconds, asked.left)


def of_masks(asked: Asked) -> str | None:
    return hidden_words(asked.twin, asked.inputs, asked.seconds, asked.left)


def of_letters(asked: Asked) -> str | None:
    files = asked.files()
    said = backwards(asked.twin, asked.inputs, files, asked.seconds, asked.left)
    return said or folded(asked.twin, asked.inputs, files, asked.seconds, asked.left)


QUESTIONS: Sequence[Callable[[Asked], str | None]] = (
    reencoded, of_a_detector, rebuilt, on_another_ground, of_shares, of_shares_of_grams, at_other_times,
    of_lines, of_units, of_counts, of_paper, of_large_pixels, of_small_pixels, of_masks, of_letters,
)  # fmt: skip
"""The surest first."""
