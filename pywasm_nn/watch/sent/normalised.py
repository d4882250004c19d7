"""Bytes of a file that became floats by a mean and a deviation in a way that nobody means: without the
division by 255, twice, or multiplied by the deviation.

What is here: `Normalised`, which knows means and deviations of any kind from the floats in the program and
in texts that it read. What is not: pictures that are resized, and means and deviations that are widely known
(`origin.ranges`, `origin.formulas`).

Any scale and shift are those of some mean and deviation applied twice, so that both have to be the guest's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ...nn.tensor import Tensor
from ..budget import Budget
from ..origin import Origin
from ..origin.decoding import white
from ..origin.layouts import layout_of
from ..origin.own_numbers import floats_in, own_floats
from ..origin.ranges import mistaken
from ..surroundings import Files
from .by_white import above_white

Line = tuple[float, float]
"""The factor of a byte, and what is added."""

FEWEST, MOST, MOST_FILES, MOST_PIECES = 48, 1 << 18, 4, 64
"""Elements, files, and parts of a file of the input's size that are looked at."""
LEAST, TOP, HEADER = 64, 255, 4096
"""Bytes below `LEAST` may be any numbers. White is `TOP`, and a header ends within `HEADER` bytes."""
FEWEST_LEVELS = 4
MANY, SOME = 4096, 512
"""Of so many elements, so many are compared first."""
EXACT, SAME = 2e-5, 2e-4
"""How far elements are from what they are made of, in parts of the largest, and means in parts of them."""
LOW, HIGH = 0.02, 0.98
"""Means and deviations of numbers from 0 to 1 lie between these."""
COLOURS = 3
ENOUGH_LEVELS, MOST_APART, OFF_A_STEP = 8, 4, 0.05
"""The fewest levels that show what steps there are, how many steps all of them may be apart, and by which
part of a step they may be off."""
USUAL = numpy.array([0.5, 0.485, 0.456, 0.406, 0.229, 0.224, 0.225])
"""Means and deviations that may be in a program in another form, as those of ImageNet."""


class Normalised:
    """Gives a sentence after an input."""

    def __init__(self, files: Files, budget: Budget) -> None:
        self._files, self._budget = files, budget
        self._module: Module | None = None
        self._own: Any = None

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def wrong(self, tensor: Tensor) -> str:
        """Returns what is wrong with an input of floats that are bytes of a file, or "" if nothing is."""
        numbers = tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f" or not FEWEST <= numbers.size <= MOST:
            return ""
        own = numbers.astype("f8")
        if not numpy.isfinite(own).all():
            return ""
        for name, data in self._files()[-MOST_FILES:]:
            for channels, shown in pieces(data, numbers.reshape(tensor.shape)):
                lines = exact_lines(own, shown, channels)
                if lines is None:
                    continue
                wrong = undivided(lines) or widely_known(lines) if shown.max() >= LEAST else ""
                top = white(data[:HEADER])
                wrong = wrong or (above_white(lines, top) if top < TOP else "") or self._by_own(lines)
                return wrong and f"compared with {name}, {wrong}"
        return self._by_steps(own.reshape(tensor.shape))

    def _by_steps(self, array: Any) -> str:
        """Returns what is wrong with pixels of any file in any order, by the steps between elements, or "" if
        nothing is known to be wrong."""
        if float(array.max()) > 0 or not any(lies_close(*one) for one in channels_of(array)):
            return ""
        known = numpy.concatenate([self.known(), USUAL])
        for parts in channels_of(array):
            found = [divided_before(one, known) for one in parts]
            if all(one is not None for one in found):
                mean, deviation = found[0] or (0, 0)
                return (
                    "elements have at most 256 levels, whose steps are those of pixels that were "
                    f"{TWO_DIVISIONS}, with mean {mean:.4g} and deviation {deviation:.4g}"
                )
        return ""

    def of_picture(self, found: Origin) -> str:
        """Returns what is wrong with the range of a picture that was made smaller, which is known exactly, or
        "" if nothing is."""
        ranges, top = found.ranges, found.source.white
        wrong = undivided(ranges) or self._by_own(ranges) if ranges else ""
        if ranges and top < TOP and not wrong:  # the pixels of such a picture were brought to 0..255
            wrong = above_white([(times * TOP / top, plus) for times, plus in ranges], top)
        return wrong and f"compared with {found.source.name}, {wrong}"

    def _by_own(self, lines: Sequence[Line]) -> str:
        """Returns what was done with a mean and a deviation that the guest has, or "" if that is no
        mistake."""
        known = self.known()
        if not len(known) or has_both(known, lines, rightly):
            return ""
        for said, solve in MISTAKES.items():
            found = solve(*lines[0])
            if is_plain(found) and solve in ONCE:
                continue
            if has_both(known, lines, solve):
                numbers = "" if found is None else f" (mean {found[0]:.4g}, deviation {found[1]:.4g})"
                return f"bytes are {said}, with numbers that the program has{numbers}"
        return ""

    def known(self) -> Any:
        """The sizes of the guest's own floats, and of those in texts that it read."""
        if self._own is None and self._module is not None:
            with self._budget.searching() as left:
                self._own = own_floats(self._module, left)
        texts = [data.decode("utf-8", "replace") for _, data in self._files() if b"\0" not in data[:64]]
        read = [one for text in texts for one in floats_in(text)]
        own = numpy.zeros(0) if self._own is None else self._own
        return numpy.concatenate([own, numpy.array(read)]) if read else own


def channels_of(array: Any) -> Iterator[list[Any]]:
    """An input as a whole, and its three channels."""
    yield [array]
    for axis in (-1, -COLOURS):
        if array.ndim >= COLOURS and array.shape[axis] == COLOURS:
            yield [*numpy.moveaxis(array, axis, 0)]


def lies_close(*parts: Any) -> bool:
    """Whether the elements of each part lie so near to each other as no deviation leaves pixels."""
    return all(0 < float(numpy.ptp(one)) <= 1 / (TOP * LOW) for one in parts)


def divided_before(part: Any, known: Any) -> Line | None:
    """Returns the mean and the deviation among known numbers by which elements are levels that were divided
    by 255 twice before, or None if there are none: all are whole steps apart, which are 255 times as small
    as those of pixels."""
    levels = numpy.unique(part) if lies_close(part) else numpy.zeros(0)
    if not ENOUGH_LEVELS <= len(levels) <= TOP + 1:
        return None
    usual = numpy.unique(known[(known >= LOW) & (known <= HIGH)])
    for deviation in usual.tolist():
        steps = (levels - levels[0]) * deviation * TOP * TOP
        places = numpy.rint(steps).astype("i4")
        if (
            places[-1] > TOP
            or abs(steps - places).max() > OFF_A_STEP
            or numpy.gcd.reduce(places) > MOST_APART
        ):
            continue
        first = (usual + float(levels[0]) * deviation) * TOP * TOP
        is_inside = (first > -OFF_A_STEP) & (first + int(places[-1]) <= TOP + OFF_A_STEP)
        fits = is_inside & (abs(first - numpy.rint(first)) <= OFF_A_STEP)
        if fits.any():
            return float(usual[fits][0]), deviation
    return None


def pieces(data: bytes, array: Any) -> Iterator[tuple[int, Any]]:
    """How many channels lie in turns, and as many bytes of a file as an input has elements, in its order."""
    count, layout = array.size, layout_of(data[:4096])
    first = 0 if layout is None else layout.first
    starts = range(first, len(data) - count + 1, count)[:MOST_PIECES]
    octets = numpy.frombuffer(data, "u1")
    for start in dict.fromkeys((*starts, len(data) - count)) if len(data) >= count else ():
        shown = octets[start : start + count]
        yield 1, shown
        if array.ndim < COLOURS or count % COLOURS:
            continue
        yield COLOURS, shown
        if array.shape[-3] == COLOURS:
            pixels = shown.reshape(-1, array.shape[-2] * array.shape[-1], COLOURS)
            yield -COLOURS, numpy.moveaxis(pixels, 2, 1).reshape(-1)


def exact_lines(own: Any, shown: Any, channels: int, exact: float = EXACT) -> list[Line] | None:
    """Returns by which factor, and what is added, bytes became elements, of each channel, or None if they
    didn't. Channels lie in turns, or plane after plane (below 0). `exact` is how far they may be from that,
    in parts of the largest."""
    count = abs(channels)
    if channels < 0:
        planes = [one.reshape(-1, count, own.size // count) for one in (own, shown)]
        if planes[0].shape[0] != 1:
            return None
        pairs = list(zip(planes[0][0], planes[1][0], strict=True))
    else:
        pairs = [(own[at::count], shown[at::count]) for at in range(count)]
    found = [exact_line(*pair, exact) for pair in pairs]
    return None if None in found else [one for one in found if one is not None]


def exact_line(own: Any, shown: Any, exact: float) -> Line | None:
    """Returns the line through the elements of the smallest and the largest byte, or None if others
    are farther from it. Few are compared first."""
    if own.size > MANY and len(numpy.unique(shown[:: own.size // SOME])) >= FEWEST_LEVELS:
        some = slice(None, None, own.size // SOME)
        if exact_line(own[some], shown[some], exact) is None:
            return None
    high, low = int(shown.argmax()), int(shown.argmin())
    apart = int(shown[high]) - int(shown[low])
    if apart < FEWEST_LEVELS or len(numpy.unique(shown)) < FEWEST_LEVELS:
        return None
    times = float(own[high] - own[low]) / apart
    plus = float(own[low]) - times * int(shown[low])
    off = abs(shown * times + plus - own).max()
    return (times, plus) if times > 0 and off <= exact * max(abs(own[high]), abs(own[low])) else None


def undivided(lines: Sequence[Line]) -> str:
    """Whether a mean and a deviation of numbers from 0 to 1 were applied to bytes."""
    means, deviations = [-plus / times for times, plus in lines], [1 / times for times, _ in lines]
    if not all(LOW <= mean <= HIGH and LOW <= by <= HIGH for mean, by in zip(means, deviations, strict=True)):
        return ""
    return (
        f"bytes from 0 to 255 were normalised by mean {means[0]:.4g} and deviation {deviations[0]:.4g}, "
        "which are those of numbers from 0 to 1: divide by 255 first"
    )


def widely_known(lines: Sequence[Line]) -> str:
    """Whether steps that everybody takes were taken twice, or one too many."""
    for known in mistaken():
        (mean, *others), by = known.mean, known.deviation[0]
        if not others and all(
            abs(times * by - 1) <= SAME and abs(-plus / times - mean) <= SAME * max(1.0, mean)
            for times, plus in lines
        ):
            return f"bytes are {known.said}"
    return ""


def has_both(known: Any, lines: Sequence[Line], solve: Callable[[float, float], Line | None]) -> bool:
    """Whether the mean and the deviation of each channel are among known numbers."""
    for times, plus in lines:
        found = solve(times, plus)
        if found is None or not all(LOW <= one <= HIGH for one in found):
            return False
        if any(not (abs(known - one) <= SAME * one).any() for one in found):
            return False
    return True


def is_plain(found: Line | None) -> bool:
    """Whether a mean and a deviation are such as 0.5 and 0.25, with which one also calculates otherwise."""
    return found is not None and all(abs(4 * one - round(4 * one)) < SAME for one in found)


def rightly(times: float, plus: float) -> Line | None:
    deviation = 1 / (TOP * times)
    return -plus * deviation, deviation


def twice(times: float, plus: float) -> Line | None:
    deviation = 1 / sqrt(TOP * times)
    return -plus * deviation**2 / (1 + deviation), deviation


def twice_divided(times: float, plus: float) -> Line | None:
    deviation = 1 / (TOP * sqrt(times))
    return -plus / (1 / (TOP * deviation**2) + 1 / deviation), deviation


def after_two_divisions(times: float, plus: float) -> Line | None:
    deviation = 1 / (TOP * TOP * times)
    return -plus * deviation, deviation


def divided_again(times: float, plus: float) -> Line | None:
    deviation = 1 / (TOP * TOP * times)
    return -plus * deviation * TOP, deviation


def mean_undivided(times: float, plus: float) -> Line | None:
    """The mean of numbers from 0 to 1 was taken away from bytes, which were divided only then."""
    return -plus / times, 1 / (TOP * times)


def multiplied(times: float, plus: float) -> Line | None:
    deviation = TOP * times
    return -plus / deviation, deviation


def only_lower(times: float, plus: float) -> Line | None:
    """The mean / deviation was taken away: v / deviation - mean, without brackets."""
    deviation = 1 / (TOP * times)
    return -plus, deviation


TWO_DIVISIONS = "divided by 255 twice before the mean was taken away and divided by the deviation"
MISTAKES: Mapping[str, Callable[[float, float], Line | None]] = {
    "normalised twice: the mean was taken away, and divided by the deviation, a second time": twice,
    "normalised twice by a mean and a deviation, each time after a division by 255": twice_divided,
    TWO_DIVISIONS: after_two_divisions,
    "normalised by a mean and a deviation, and then divided by 255 again": divided_again,
    "divided by 255 only after the mean, one of numbers from 0 to 1, was taken away": mean_undivided,
    "multiplied by the deviation after the mean was taken away, and not divided": multiplied,
    "divided by the deviation before the mean was taken away (are brackets missing?)": only_lower,
}
ONCE = (multiplied, only_lower)
"""Of these both numbers are used only once."""
