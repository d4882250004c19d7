"""Times that a guest says of answers that follow each other: is each as far from the next as its input is?

What is here: `misstepped`, of computes on windows that follow each other, and of rows of one answer to a
sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from struct import error
from typing import Any

from ...arrays import numpy
from ..origin.straight import factor_of
from ..origin.waves import RATES, wave_in
from ..regex import regex
from ..spoken import Word
from .asked import NUMBER, Asked, Given, Sent

MOST_STEPS = 64
"""The most steps that are tried."""
FEWEST, FEWEST_ROWS = 64, 16
"""Elements of a window, and rows of an answer."""
NEAR, WRONG = 0.04, 0.06
"""How far a step may be from another, and how far it is if it is another one."""
FIRST, APART, LONG = 3, 8, 2
FEW, ROUNDED = 4, 1.6
"""Fewer steps tell steps apart that differ by so many last places of the times together."""


def misstepped(asked: Asked) -> str:
    """Returns what is wrong with the times that are said, or "" if nothing is."""
    for index, output in asked.fetched():
        wrong = ""
        if output.array.dtype.kind != "f":
            continue
        if output.array.size == 1:
            wrong = of_windows(asked, index, output)
        elif len(output.lengths) == 2 and output.lengths[0] >= FEWEST_ROWS:
            wrong = of_rows(asked, index, output)
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def rates(asked: Asked, window: Sent, steps: Sequence[int]) -> Iterator[int]:
    """The rates of sounds that the guest read and sent a window of, as they are, one channel or the mean of
    all, which begins after so many samples: nothing has changed their rate."""
    for samples, rate in sounds(asked):
        if window.array is None:
            continue
        sent = window.array.reshape(-1).astype("f8")
        ways = [*samples.T, samples.mean(axis=1)] if samples.shape[1] > 1 else [*samples.T]
        starts = [at for at in steps if at >= 0]
        if any(is_at(sent, one, starts) for one in ways):
            yield rate


def sounds(asked: Asked) -> Iterator[tuple[Any, int]]:
    """The samples, [samples, channels], and the rate of the sound that was read last, however long it is, and
    of the files that are kept."""
    last = asked.last_sound()
    if last is not None and last.rate:
        yield last.array.reshape(len(last.array), -1), last.rate
        return
    for _, data in asked.files():
        with suppress(ValueError, error):
            wave = wave_in(data)
            yield wave.samples.reshape(len(wave.samples), -1), wave.rate


def overlap(sent: Sent) -> int:
    """Returns by how many elements a window lies behind the one before, or 0 if they don't overlap."""
    if sent.array is None or sent.before is None or sent.array.size < FEWEST:
        return 0
    now, before = sent.array.reshape(-1), sent.before.reshape(-1)
    if now.shape != before.shape or not now.any():
        return 0
    for step in range(1, now.size - 7):
        if now[0] == before[step] and (now[: now.size - step] == before[step:]).all():
            return step if now[: now.size - step].any() else 0
    return 0


def step_of(sent: Sent, *, is_of_sound: bool) -> int:
    """Returns how many elements behind the one before a window begins, or 0 if it is none. One that doesn't
    overlap may be a sound's."""
    if (step := overlap(sent)) or not is_of_sound or sent.array is None or sent.before is None:
        return step
    size, longest = sent.array.size, max(sent.array.shape, default=0)
    is_next = size == longest >= FEWEST and sent.before.shape == sent.array.shape and sent.array.any()
    return size if is_next and sent.array.dtype.kind == "f" else 0


def may_follow(sent: Sequence[Sent], *, is_of_sound: bool) -> bool:
    """Whether inputs are windows that follow each other."""
    return any(step_of(one, is_of_sound=is_of_sound) for one in sent)


def of_windows(asked: Asked, index: int, output: Given) -> str:
    """Windows that overlap, with times as if they didn't, and such as follow each other, with times by
    another rate."""
    has_sound = any(sounds(asked))
    steps = [(one, step) for one in asked.sent if (step := step_of(one, is_of_sound=has_sound))]
    if not steps:
        return ""
    window, step = steps[0]
    low, high = (numpy.full(output.array.shape, one, output.array.dtype) for one in (0.001, 0.999))

    def said(at: int) -> list[str]:
        series = [*[low] * at, *[high] * LONG, low, low]
        return times_in(asked.series(index, series) or "")

    size = window.array.size
    before, after = said(FIRST), said(FIRST + APART)
    second, rounded, least = moved(before, after, APART), ROUNDED * rounding(before, after) / APART, 0.0
    if not second:  # the sound ends soon
        before, after = said(1), said(1 + FEW)
        second, rounded = moved(before, after, FEW), ROUNDED * rounding(before, after) / FEW
        least = rounded
    begins = [step * at + by for at in range(MOST_STEPS) for by in (0, step - size)]
    for rate in {*rates(asked, window, begins)} & {*RATES}:
        if abs(size - step) / rate < least:
            continue
        if second and near(second, size / rate) and not near(second, step / rate, WRONG):
            return (
                f"the guest says times {second:.4g} s apart, which is the length of a window ({size} samples "
                f"at {rate} Hz); each window begins {step} samples after the one before, {step / rate:.4g} s"
            )
        if wrong := by_another_rate(second, step, rate):
            return wrong
        if abs(size / rate - second) > 2 * rounded and (wrong := no_overlap(asked, window, second, rate)):
            return wrong
    return ""


def no_overlap(asked: Asked, window: Sent, second: float, rate: int) -> str:
    """Returns a hint about windows that follow each other in the sound without an overlap, where the times
    that are said are those of windows that overlap, or "" if they aren't."""
    if window.array is None or window.before is None:
        return ""
    size, fresh = window.array.size, round(second * rate)
    if not size / 2 <= fresh < (1 - WRONG) * size:
        return ""
    both = numpy.concatenate([window.before.reshape(-1), window.array.reshape(-1)]).astype("f8")
    starts = range(0, MOST_STEPS * size, size)
    if not any(is_at(both, one, starts) for samples, _ in sounds(asked) for one in samples.T):
        return ""
    return (
        f"the guest says times {second:.4g} s apart, about {fresh} samples at {rate} Hz; its windows have "
        f"{size} samples and follow each other, {size / rate:.4g} s apart: is each to begin with the last "
        f"samples (about {size - fresh}) of the one before?"
    )


def is_at(sent: Any, sound: Any, starts: Sequence[int]) -> bool:
    """Whether samples are those of a sound from one of these on, but for a factor."""
    return any(factor_of(sent, sound[at : at + sent.size], NEAR) for at in starts)


def by_another_rate(second: float, step: int, rate: int) -> str:
    """Returns a hint about times so far apart of windows that begin so many samples apart, if those are of
    another usual rate than the sound's, or "" if they aren't."""
    if not second or near(second, step / rate, WRONG):
        return ""
    other = min(RATES, key=lambda one: abs(step / one - second))
    if other == rate or not near(second, step / other):
        return ""
    return (
        f"the guest says times {second:.3g} s apart, as if the sound had {other} Hz; it has {rate} Hz, and "
        f"each window begins {step} samples after the one before, {step / rate:.4g} s"
    )


def of_rows(asked: Asked, index: int, output: Given) -> str:
    """Rows of an answer to one sound, with times as if the sound were longer or shorter."""
    rows, columns = output.lengths
    waves = [one for one in asked.sent if max(one.shape, default=0) > FEWEST * rows]
    if len(waves) != 1:
        return ""
    column, long = columns // 2, rows // 4

    def said(at: int) -> list[str]:
        places = [row * columns + column for row in range(at, at + long)]
        return times_in(asked.text(index, output.filled(places)) or "")

    first, apart = rows // 8, rows // 4
    second = moved(said(first), said(first + apart), apart)
    if THOUSANDTHS.search(asked.control.text):
        second /= 1000
    for rate in {*rates(asked, waves[0], [0])} & {*RATES}:
        own = max(waves[0].shape) / rate / rows
        for by in (2.0, 0.5, 4.0, 0.25):
            if second and near(second, by * own):
                return (
                    f"the guest says times {second:.4g} s a row; {rows} rows for the "
                    f"{max(waves[0].shape) / rate:.3g} s of the sound are {own:.4g} s each: is the hop "
                    f"{by:g} times the right one?"
                )
        if not second and (wrong := of_lengths(asked, index, output, own)):
            whole = max(waves[0].shape) / rate
            return f"{wrong}; {rows} rows for the {whole:.3g} s of the sound are {own:.4g} s each"
    return ""


def times_in(text: str) -> list[str]:
    """The numbers of a text that may be times."""
    return NUMBER.findall(NOTES.sub(" ", text))


def of_lengths(asked: Asked, index: int, output: Given, own: float) -> str:
    """Returns a hint about seconds that something lasts, by another length of a row, or "" if none are
    said."""
    rows, columns = output.lengths
    column, first, long = columns // 2, rows // 8, rows // 4

    def said(count: int) -> list[str]:
        places = [row * columns + column for row in range(first, first + count)]
        return SECONDS.findall(asked.text(index, output.filled(places)) or "")

    one, other = said(long), said(2 * long)
    each = moved(one, other, long)
    least = rounding(one, other) / long
    if not each or abs(each - own) <= least or near(each, own, FAR_OFF) or not own / MOST < each < MOST * own:
        return ""
    return f"the guest says that something lasts {each:.4g} s for each row"


NOTES = regex(r"(?<![^\W_])[A-G][#b\u266f\u266d]?-?\d(?![\w.])")
"""Names of notes, whose octave is no time."""
THOUSANDTHS = regex(r"\d ?(?:ms|msec|milliseconds)\b")
SECONDS = regex(r"(?<![\w.])(\d+\.\d+) ?(?:s|sec|seconds)\b")
FAR_OFF, MOST = 0.12, 8.0
"""How far a row's length may be off, and how many times as long or short it may be."""


def moved(one: Sequence[str], other: Sequence[str], apart: int) -> float:
    """Returns by how much the numbers that differ are later, for each of so many steps, or 0 if they
    aren't."""
    found = [(float(first), float(second)) for first, second in zip(one, other, strict=False)]
    pairs = [pair for pair in found if pair[0] != pair[1]]
    if len(one) != len(other) or not pairs:
        return 0.0
    steps = [(after - before) / apart for before, after in pairs]
    return steps[0] if steps[0] > 0 and max(steps) - min(steps) <= NEAR * max(steps) else 0.0


def rounding(one: Sequence[str], other: Sequence[str]) -> float:
    """The last place of the numbers that differ."""
    pairs = zip(one, other, strict=False)
    return max((Word.of(first).unit for first, second in pairs if first != second), default=0.0)


def near(value: float, wanted: float, part: float = NEAR) -> bool:
    return abs(value - wanted) <= part * wanted
