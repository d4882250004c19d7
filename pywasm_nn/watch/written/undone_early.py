"""Answers that are logarithms in a scale of their own, of which a guest takes the power before it undoes the
scale: exp(y) x deviation + mean, or + exp(mean), and not exp(y x deviation + mean).

What is here: `UndoneEarly`, which finds the two numbers among the program's own, or those of a short text.
What is not: answers that are written as the model gives them (`undone.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..budget import Budget
from ..follower import Follower, only_answer
from ..origin.own_numbers import floats_in, own_floats
from ..spoken import Heard, Word
from ..surroundings import Files

FEWEST, MOST_ROUNDS, PLACES = 3, 64, 6
"""Answers that are written, the most that are kept, and the places in a line where one may stand."""
DIGITS, LARGEST, LEAST, MOST_FLOATS = 4, 40.0, 0.02, 512
"""Digits of a number that is written, the largest mean of logarithms, and the least deviation; and floats
that are tried at most."""
SPREAD, SCALED = 0.2, 6.0
"""By how much answers differ at least, and how far they are from 0: those of training have a mean of 0."""
MOST_FILE, WRITTEN, IN_F32 = 1 << 12, 9, 6
"""Bytes of a short text, and the most digits that people write of an f64 and of an f32."""
LOGARITHMS = (numpy.log, numpy.log1p, numpy.log10)


class Way(Frozen):
    """A power, and whether the mean is added as it is, and not as such a power."""

    name: str
    power: Callable[[Any], Any]
    is_plain: bool

    def made(self, answer: float, by: Any, more: Any) -> Any:
        return self.power(answer) * by + (more if self.is_plain else self.power(more))

    def meant(self, answer: float, by: Any, more: Any) -> Any:
        return self.power(answer * by + more)

    def said(self, by: str, more: float) -> str:
        end = f"{more:g}" if self.is_plain else f"{self.name}({more:g})"
        return f"{self.name}(y) x {by} + {end}"

    def right(self, by: str, more: float) -> str:
        return f"{self.name}(y x {by} + {more:g})"


def ten(value: Any) -> Any:
    return numpy.power(10.0, value)


POWERS: dict[str, Callable[[Any], Any]] = {"exp": numpy.exp, "expm1": numpy.expm1, "pow10": ten}
WAYS = [Way(name, power, plain) for name, power in POWERS.items() for plain in (False, True)]


class UndoneEarly(Follower):
    """Gives a hint when the guest has ended, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, budget: Budget) -> None:
        self._files, self._budget = files, budget
        self._module: Module | None = None
        self._answers: list[float] = []
        self._name = ""
        self._heard = Heard()

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        answer = only_answer(event.tensors) if event.operation == "compute" and not event.error else None
        if answer is not None and answer.size == 1 and len(self._answers) < MOST_ROUNDS:
            self._answers.append(float(answer[0]))
            self._name = f'output 0 "{event.specs[0].name}"'

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint."""
        answers = numpy.array(self._answers)
        if len(answers) < FEWEST or self._module is None or not numpy.isfinite(answers).all():
            return
        if abs(answers).max() > SCALED or numpy.ptp(answers) < SPREAD:
            return
        columns = [*columns_of(self._heard.text.lines, len(answers))]
        if not columns:
            return
        with self._budget.reading() as left:
            known = own_floats(self._module, left)
        known = numpy.array([*floats_of(self._files()), *with_folded(known.tolist())][:MOST_FLOATS])
        for words in columns:
            if (said := early(words, answers, known)) is not None:
                yield "answer", f"{self._name}: {said}"
                return


def floats_of(files: Sequence[tuple[str, bytes]]) -> Iterator[float]:
    """The numbers with a fraction in short texts."""
    for _, data in files:
        if len(data) <= MOST_FILE and b"\0" not in data:
            yield from floats_in(data.decode("utf-8", "replace"))


def with_folded(known: Sequence[float]) -> list[float]:
    """Floats of a program, and the logarithms of those that nobody wrote, as they have too many digits: a
    compiler has worked out the power of a mean."""
    powers = [one for one in known if one > LARGEST and not is_written(one)]
    return [*(float(log(one)) for one in powers for log in LOGARITHMS), *known]


def is_written(one: float) -> bool:
    """Whether a float has few digits, as f64 or f32."""
    return float(f"{one:.{WRITTEN}g}") == one or float(numpy.float32(f"{one:.{IN_F32}g}")) == one


def columns_of(lines: Sequence[Sequence[Word]], count: int) -> Iterator[list[Word]]:
    """Numbers of as many lines as there are answers, each from the same place in its line: of the first, or
    of the last ones."""
    for own in (lines[:count], lines[-count:]) if len(lines) >= count else ():
        for place in range(min(PLACES, *map(len, own))):
            words = [line[place] for line in own]
            if all(one.digits >= DIGITS for one in words):
                yield words


def early(words: Sequence[Word], answers: Any, known: Any) -> str | None:
    """Returns what is said of numbers that are answers by a wrong formula, or None if they aren't."""
    known = known[(known >= LEAST) & (known <= LARGEST)]
    by, more = (one.reshape(-1) for one in numpy.meshgrid(known, known, indexing="ij"))
    for way in WAYS:
        widths, ends = fitting(way.made, words, answers, by, more)
        if not widths or fitting(way.meant, words, answers, by, more)[0]:
            continue
        width = f"{widths[0]:g}" if len(widths) == 1 else "deviation"
        other = f", which is {way.meant(answers[0], widths[0], ends[0]):.6g}" * (len(widths) == 1)
        return (
            f"the guest says {words[0].text} of {answers[0]:.4g}, which is {way.said(width, ends[0])}; is "
            f"the scale to be undone first, {way.right(width, ends[0])}{other}?"
        )
    return None


def fitting(
    made: Callable[[float, Any, Any], Any], words: Sequence[Word], answers: Any, by: Any, more: Any
) -> tuple[list[float], list[float]]:
    """The different deviations, and the means, by which all answers are what is written."""
    with numpy.errstate(all="ignore"):
        for word, answer in zip(words, answers, strict=True):
            fits = word.fits(made(float(answer), by, more))
            by, more = by[fits], more[fits]
    return [*dict.fromkeys(by.tolist())], [*dict.fromkeys(more.tolist())]
