"""Answers that a model gives in deviations from the mean of its training, written as amounts: as euros or
kilograms, or as whole numbers, of which next to nothing is left then; or times the deviation, with no mean.

What is here: `Standardised`. What is not: scales that stand in files (`scaled.py`), answers of
some names times something (`below_nothing.py`), and forecasts of a column (`written/undone.py`).

Three signs are needed. The inputs were scaled, as they are around 0 and a file that was read has others; what
is written is the answer as it is, with a unit of what is never below 0 or as whole numbers; and of usual
scaled rows the model gives numbers around 0, as often below as above (`whatif/usual_rows.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower, inputs_of, only_answer
from ..origin.tables import tables_in
from ..regex import regex
from ..sheets.scaler_files import LARGE_RAW
from ..spoken import Heard, Spoken, Word, fit
from ..surroundings import Files
from ..whatif.between_texts import Asking
from ..whatif.usual_rows import gives_standard
from ..written.brought_back import OF_CHANGES
from .below_nothing import AMOUNT, by_own_factor

MOST_COLUMNS, MOST_ANSWERS, MOST_TEXT = 64, 128, 1 << 18
FARTHEST, FARTHEST_ANSWER = 8.0, 5.0
"""How far scaled inputs and answers are from 0."""
FEWEST, FEWEST_WHOLE, DIGITS = 1, 3, 3
"""Numbers with a unit, and whole ones; and different digits of the former together."""
KEPT = 0.25
"""Answers that are rounded to whole numbers lose at least so much on average."""
MONEY, AMOUNTS = (
    r"euros?|eur|€|\$|usd|dollars?|gbp|£|chf|yen|rupees|k€|k\$",
    (
        r"kwh?|mwh?|gwh|kg|tons?|tonnes|cm|mm|km|m2|m²|m\^2|sqm|km/h|kilomet(?:er|re)s|miles|years?|months?|days?"
        r"|h|hrs?|hours?|min|minutes?|people|persons?|visitors|guests|passengers|patients|customers|riders|bikes|bicycles|cars"
        r"|vehicles|trips|rentals|calls|orders|units|items|pieces|lit(?:er|re)s|bpm|mg/dl|mmhg|mpa|kcal|calories"
    ),
)
WITH_UNIT = regex(
    rf"(?<![\w.])(-?\d{{1,12}}(?:\.\d{{1,9}})?)[ \t]*(?:thousand|million|k|m)?[ \t]*"
    rf"({MONEY}|{AMOUNTS})(?![\w²])",
    re.IGNORECASE,
)
BEFORE = regex(r"([$€£]|\b(?:eur|usd|gbp|chf)\b)[ \t]*(-?\d{1,12}(?:\.\d{1,9})?)(?![\w.])", re.IGNORECASE)
SAID = regex(
    r"scaled|normali[sz]ed|standardi[sz]ed|sigma|z-?score|score|profit|loss|balance|margin|sentiment|class|"
    r"label|vote|rating|stars?\b|index|logit|net\b|yes|no\b|true|false",
    re.IGNORECASE,
)
"""Words for numbers that are around 0 by right, or whole."""
AROUND = regex(
    r"displac|deflect|deform|offset|shift|drift|misalign|delay|late(?:ness)?\b|early|lead\b|lag\b|correct"
    r"|adjust|imbalance|surplus|deficit|velocit|acceler|altitude|elevation|position|translation|error"
    r"|residual|change|delta|diff",
    re.IGNORECASE,
)
"""A name or a text with one of these words is about what has the units of amounts, but is below 0 as often as
above."""


class Standardised(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(
        self, files: Files, ask: Asking[bool], own: Callable[[], Any] = lambda: numpy.array([])
    ) -> None:
        """`own` gives the numbers of the program."""
        self._files, self._ask, self._own = files, ask, own
        self._given: Tensor | None = None
        self._event: NNEvent | None = None
        self._answers: list[float] = []
        self._least = 0.0
        """Of all elements of inputs."""
        self._heard = Heard()
        self._done = False

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if self._done or event.error is not None:
            return
        for index, _, tensor in inputs_of(event):
            self._given = kept(tensor) if not index else None
            self._done = self._given is None
            self._least = min(self._least, float(self._given.numpy().min()) if self._given else 0.0)
        if event.operation == "compute" and not self._done:
            self._computed(event)

    def _computed(self, event: NNEvent) -> None:
        graph = event.graph
        numbers = only_answer(event.tensors)
        is_other = self._event is not None and event.graph_id != self._event.graph_id
        if graph is None or numbers is None or self._given is None or len(graph.inputs) != 1 or is_other:
            self._done = True
            return
        rows = self._given.size // self._given.dtype.size // self._given.shape[-1]
        self._done = numbers.dtype.kind != "f" or numbers.size != rows
        self._answers += numbers.astype("f8").reshape(-1).tolist()
        self._done |= len(self._answers) > MOST_ANSWERS
        self._event = event

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers and not self._done:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        given, event, text = self._given, self._event, self._heard.text
        if (
            self._done
            or given is None
            or event is None
            or not self._least < 0
            or max(map(abs, self._answers)) > FARTHEST_ANSWER
        ):
            return
        called = f"{event.specs[0].name} {event.model or ''}"
        if OF_CHANGES.search(text) or SAID.search(text) or AROUND.search(f"{called} {text}"):
            return
        word, by = by_own_factor(text, self._answers, self._own())
        if word and self._ask(event, lambda twin, *left: gives_standard(twin, [given], *left)):
            yield (
                "answer",
                f'output 0 "{event.specs[0].name}": the guest says {word}, which is the answer times '
                f"{by:.7g}, a number of the program, and nothing is added; of usual scaled inputs the "
                "model's answers are around 0, as often below as above: are they in deviations from a mean, "
                "which is to be added (answer * deviation + mean)?",
            )
            return
        if not self._is_scaled(given):
            return
        said = with_unit(text, self._answers) or whole(text, self._answers)
        named = AMOUNT.search(f"{called} {text}")
        said = said or (as_they_are(text, self._answers, named[0]) if named else "")
        if said and self._ask(event, lambda twin, *left: gives_standard(twin, [given], *left)):
            low, high = min(self._answers), max(self._answers)
            span = f"{low:.3g} to {high:.3g}" if len(self._answers) > 1 else f"{low:.3g}"
            yield (
                "answer",
                f'output 0 "{event.specs[0].name}": the guest says {said}, as the model gives it ({span}); '
                "of usual scaled inputs the model's answers are around 0, as often below as above: are they "
                "in deviations from a mean, and to be brought back (answer * deviation + mean)?",
            )

    def _is_scaled(self, given: Tensor) -> bool:
        """Whether an input isn't as any file has its numbers, which are far larger."""
        own = numpy.median(abs(given.numpy()))
        for _, table in tables_in(self._files(), MOST_TEXT):
            if table.numbers.shape[1] >= 2:
                known = table.numbers[:, numpy.isfinite(table.numbers).any(axis=0)]
                sizes = numpy.nanmax(abs(known), axis=0)
                if (sizes > FARTHEST).any() and numpy.median(sizes) > LARGE_RAW * own:
                    return True
        return False


def kept(tensor: Tensor) -> Tensor | None:
    """Returns a copy of rows of scaled numbers, or None for anything else."""
    numbers = tensor.numbers() if tensor.shape and tensor.nbytes <= 1 << 16 else None
    if numbers is None or numbers.dtype.kind != "f" or not 2 <= tensor.shape[-1] <= MOST_COLUMNS:
        return None
    if not numpy.isfinite(numbers).all() or abs(numbers).max() > FARTHEST:
        return None
    return Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))


def with_unit(text: Spoken, answers: Sequence[float]) -> str:
    """Returns the first of the answers with its unit, if all numbers with this unit, but for a last one (a
    sum or mean), are answers as they are, or ""."""
    found = [(match[1], match[2].lower(), match[0]) for match in WITH_UNIT.finditer(text)]
    found += [(match[2], match[1].lower(), match[0]) for match in BEFORE.finditer(text)]
    for unit in dict.fromkeys(unit for _, unit, _ in found):
        words = [Word.of(number) for number, own, _ in found if own == unit]
        for own in (words, words[:-1]):
            digits = sum(word.digits for word in {word.text: word for word in own}.values())
            if len(own) >= FEWEST and digits >= DIGITS and in_order(own, answers):
                return next(whole for _, one, whole in found if one == unit)
    return ""


def in_order(words: Sequence[Word], answers: Sequence[float]) -> bool:
    left = iter(answers)
    return all(any(bool(word.fits(one)) for one in left) for word in words)


def as_they_are(text: Spoken, answers: Sequence[float], name: str) -> str:
    """Returns the first of the answers and the name of what is never below 0, if all are written, or ""."""
    left = iter([word for word in text.words if not word.is_whole])
    found = [next((word for word in left if bool(word.fits(one))), None) for one in answers]
    words = {word.text: word for word in found if word is not None}
    is_all = None not in found and sum(word.digits for word in words.values()) >= DIGITS
    return f'{next(iter(words))} beside "{name}"' if is_all and words else ""


def whole(text: Spoken, answers: Sequence[float]) -> str:
    """Returns the first of the answers, if they are written as whole numbers, one in each line, and lose much
    by that, or ""."""
    lost = numpy.mean([abs(one - round(one)) for one in answers])
    lines = [line for line in text.lines if line]
    if len(answers) < FEWEST_WHOLE or lost < KEPT / 2 or len(lines) != len(answers):
        return ""
    shortest = min(map(len, lines))
    for place in (*range(shortest), *range(-shortest, 0)):
        words: list[Any] = [line[place] for line in lines]
        if all(word.is_whole for word in words) and fit(words, answers):
            return str(words[0].text) + " in a line's place of a whole number"
    return ""
