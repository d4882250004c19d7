"""Models of windows of a recording of raw numbers: the converter's zero left in, counts as they are, twice
the rate, and windows that begin at the event. Mistakes, and twins without one."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.raw_places import is_raw
from pywasm_nn.watch.whatif import recordings
from pywasm_nn.watch.whatif.recordings import Recordings, are_due, heard_in_few, heard_otherwise
from pywasm_nn.watch.whatif.sureness import Answer, answer_of_any
from tests.watch.oracles import StandIn

SHAPES = ("n", 1, 100), (1, 1, 100)
GRAPHS: Any = [SimpleNamespace(inputs=[SimpleNamespace(name="beat", shape=one)]) for one in SHAPES]
LENGTH, GAP, GAIN, BEFORE = 100, 150, 200.0, 45
WIDTHS = (2.0, 6.0, 14.0)
KINDS = (0, 1, 2, 0, 1, 2, 1, 0)


class Recording:
    """Peaks of three kinds, as a converter counts them."""

    def __init__(self, zero: int, seed: int, kinds: Sequence[int] = KINDS, rate: int = 1) -> None:
        numbers = numpy.random.default_rng(seed)
        self.zero, self.kinds = zero, kinds
        self.peaks = [rate * (GAP * (at + 1) + int(numbers.integers(0, 20))) for at in range(len(kinds))]
        time = numpy.arange(rate * GAP * (len(kinds) + 2))
        made = numbers.normal(0, 0.01, len(time))
        for peak, kind in zip(self.peaks, kinds, strict=True):
            away = (time - peak) / (rate * WIDTHS[kind])
            made += 1.1 * numpy.exp(-(away**2)) - 0.3 * numpy.exp(-((away - 3) ** 2))
        self.counts = numpy.rint(made * GAIN) + zero
        self.data = self.counts.astype("<u2" if zero >= 1 << 15 else "<i2").tobytes()

    def windows(self, zero: int, before: int) -> list[Any]:
        starts = [peak - before for peak in self.peaks]
        return [((self.counts[at : at + LENGTH] - zero) / GAIN).astype("f4")[None, None] for at in starts]

    @property
    def listed(self) -> bytes:
        return b"sample,kind\n" + b"".join(b"%d,N\n" % one for one in self.peaks)


class Nearest(StandIn):
    """Stands for the runs of a model that knows kinds of peaks anywhere in the middle of a window (or in a
    window of its own kind), and takes all that is far from them for the last one."""

    def __init__(self, known: Sequence[tuple[int, Any]]) -> None:
        self._kinds, self._known = [kind for kind, _ in known], numpy.stack([one[0, 0] for _, one in known])

    def changed(self, _: int, array: Any) -> Answer:
        apart = numpy.square(self._known - array[0]).mean(axis=1)
        off, kind = float(apart.min()), self._kinds[int(apart.argmin())]
        return Answer(kind, 0.97, 3, 4.0) if off < 0.004 else Answer(2, 1.0, 3, 80.0)

    def rows(self, _: int, batch: Any) -> list[Answer]:
        return [self.changed(0, one[None]) for one in batch]


def model(zero: int, places: Sequence[int], form: type[Nearest] = Nearest) -> Nearest:
    """A model that was trained with peaks at these places of windows, and a zero taken away from 1,024."""
    known = []
    for seed in (90, 91):
        made = Recording(1024, seed)
        for before in places:
            known += [*zip(made.kinds, made.windows(1024 - zero, before), strict=True)]
    return form(known)


MIDDLE = range(36, 56)


def said(
    own: Nearest,
    sent: Sequence[Any],
    files: Sequence[tuple[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
    *,
    by_turns: bool = False,
) -> str:
    """`by_turns`: a file is read before each window."""
    monkeypatch.setattr(recordings, "Runs", own)
    read = [] if by_turns else [*files]
    kept = Recordings(lambda: read)
    for at, array in enumerate(sent):
        read += files[at : at + by_turns]
        taken = kept.take(0, Tensor.from_numpy(array), own.changed(0, array))
        changes = [*kept.changes(taken)] if taken else []
        if are_due(taken, changes) and (text := heard_otherwise(GRAPHS[0], taken, changes, 0.01)):
            assert heard_otherwise(GRAPHS[1], taken, changes, 0.01) == text, "one by one"
            return text
        assert not kept.take(0, Tensor.from_numpy(array), own.changed(0, array)), "the same window"
    return ""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("zero", [512, 1024, 2048, 32768])
def test_a_converters_zero(zero: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, own = Recording(zero, seed), model(0, MIDDLE)
    files = [("lead.dat", made.data), ("lead.txt", made.listed)]
    text = said(own, made.windows(0, BEFORE), files, monkeypatch)
    assert f"lie around {zero:,}" in text and "with" in text and f"is {zero:,} the converter's zero?" in text
    assert said(own, made.windows(zero, BEFORE), files, monkeypatch) == "", "it was taken away"
    assert said(model(1024, MIDDLE), Recording(1024, seed).windows(0, BEFORE), files, monkeypatch) == "", (
        "the model learned it so"
    )
    alike = Recording(1024, seed, (0,) * len(KINDS))
    of_one = [("lead.dat", alike.data)]
    assert said(model(1024, MIDDLE), alike.windows(0, BEFORE), of_one, monkeypatch) == ""
    assert said(own, alike.windows(0, BEFORE), of_one, monkeypatch) == "", "there is one answer in any way"
    as_text = "\n".join(["time;lead", *(f"{at};{one:.0f}" for at, one in enumerate(made.counts))]).encode()
    assert said(own, made.windows(0, BEFORE)[:4], [("lead.csv", as_text)], monkeypatch)
    other = Recording(700, seed)
    assert said(own, other.windows(0, BEFORE), [("lead.dat", other.data)], monkeypatch) == "", "no power of 2"


class StandingOut(Nearest):
    """A model to which one kind of peak stands out though a converter's zero was left in."""

    def changed(self, _: int, array: Any) -> Answer:
        is_left, kind = array.mean() > 1, super().changed(0, array - numpy.median(array)).place
        return Answer(0 if kind == 0 else 2, 0.9, 3, 9.0) if is_left else super().changed(0, array)


@pytest.mark.parametrize("kinds", [(0, 1, 2, 1), (1, 2, 1, 1)])
def test_a_converters_zero_in_files_of_one_window_each(
    kinds: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Recording(512, 5, kinds)
    starts = [peak - BEFORE for peak in made.peaks]
    each = [made.counts[at : at + LENGTH].astype("<u2").tobytes() for at in starts]
    files = [(f"{at}.adc", data) for at, data in enumerate(each)]
    for own in (model(0, MIDDLE), model(0, MIDDLE, StandingOut)):
        text = said(own, made.windows(0, BEFORE), files, monkeypatch, by_turns=True)
        assert "0.adc and 3 more lie around 512" in text and "is 512 the converter's zero?" in text
        assert said(own, made.windows(512, BEFORE), files, monkeypatch, by_turns=True) == "", (
            "it was taken away"
        )
    learned, other = model(1024, MIDDLE), Recording(1024, 5, kinds)
    files = [(one, other.counts[at : at + LENGTH].astype("<u2").tobytes())
             for (one, _), at in zip(files, starts, strict=True)]  # fmt: skip
    assert said(learned, other.windows(0, BEFORE), files, monkeypatch, by_turns=True) == "", (
        "the model learned it so"
    )


@pytest.mark.parametrize("seed", range(3))
def test_windows_that_begin_at_the_event(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, own = Recording(1024, seed), model(0, MIDDLE)
    files = [("lead.dat", made.data), ("lead.txt", made.listed)]
    text = said(own, made.windows(1024, 0), files, monkeypatch)
    assert "begin just at the places that lead.txt lists" in text and "to begin before the event" in text
    assert said(own, made.windows(1024, BEFORE), files, monkeypatch) == ""
    text = said(own, made.windows(1024, 0), files[:1], monkeypatch)
    assert "its windows begin just at peaks of lead.dat; 4 windows" in text, "nothing lists them"
    volts = ((made.counts - 1024) / GAIN).astype("<f4").tobytes()
    assert "begin just at peaks" in said(own, made.windows(1024, 0), [("lead.f32", volts)], monkeypatch)
    assert said(own, made.windows(1024, 25), files[:1], monkeypatch) == "", "they begin at no peaks"
    assert said(model(0, [0]), made.windows(1024, 0), files[:1], monkeypatch) == "", "it learned such windows"
    alike = Recording(1024, seed, (0,) * len(KINDS))
    of_one = [("lead.dat", alike.data)]
    assert said(own, alike.windows(1024, 0), of_one, monkeypatch) == "", "there is one answer in any way"
    assert said(model(0, [0]), made.windows(1024, 0), files, monkeypatch) == "", "it learned such windows"
    counted = b"".join(b"%d\n" % at for at in range(len(made.counts)))
    text = said(own, made.windows(1024, 0), [files[0], ("times.txt", counted)], monkeypatch)
    assert "times.txt" not in text, "all places"


@pytest.mark.parametrize("seed", range(3))
def test_lists_of_where_windows_begin(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is higher than around, a text lists windows, and no events."""
    made, own = Recording(1024, seed), model(0, MIDDLE)
    made.peaks = [one + 60 for one in made.peaks]
    files = [("lead.dat", made.data), ("lead.txt", made.listed)]
    assert said(own, made.windows(1024, 0), files, monkeypatch) == ""


class Doubting(Nearest):
    """Says of any other window what is nearest, and doubts it."""

    def changed(self, _: int, array: Any) -> Answer:
        apart = numpy.square(self._known - array[0]).mean(axis=1)
        kind = self._kinds[int(apart.argmin())]
        return Answer(kind, 0.97, 3, 4.0) if float(apart.min()) < 0.004 else Answer(kind, 0.6, 3, 0.5)


@pytest.mark.parametrize("seed", range(3))
def test_a_model_that_doubts_windows_which_begin_at_the_event(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It knows events at one place of a window alone, and says several things of windows that begin there."""
    made, trained = Recording(1024, seed), Recording(1024, 90)
    own = Doubting([*zip(trained.kinds, trained.windows(1024, 40), strict=True)])
    files = [("lead.dat", made.data), ("lead.txt", made.listed)]
    text = said(own, made.windows(1024, 0), files, monkeypatch)
    assert "get" in text and "begun 40 samples before them 3, at 0.97: are windows to begin before" in text
    assert said(own, made.windows(1024, 40), files, monkeypatch) == ""
    late = Doubting([*zip(trained.kinds, trained.windows(1024, 75), strict=True)])
    assert said(late, made.windows(1024, 0), files, monkeypatch) == "", "at none of the usual places"


class Seeing(Nearest):
    """Knows peaks in their place, and nothing else; where a converter's zero is left in, it sees nothing."""

    def changed(self, _: int, array: Any) -> Answer:
        apart = numpy.square(self._known - array[0]).mean(axis=1)
        kind, peak = self._kinds[int(apart.argmin())], float(array.max())
        if float(apart.min()) < 0.02 * peak:
            return Answer(kind, 0.97, 3, 4.0)
        return Answer(2, 1.0, 3, 80.0) if peak > 2 else Answer(2, 0.8, 3, 2.0)


def few(own: Nearest, sent: Sequence[Any], data: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns what is said of fewer windows than are compared with one another."""
    monkeypatch.setattr(recordings, "Runs", own)
    kept, taken = Recordings(lambda: [("beat.adc", data)]), list[Any]()
    for array in sent:
        taken = kept.take(0, Tensor.from_numpy(array), own.changed(0, array)) or taken
        assert not are_due(taken, [*kept.changes(taken)])
    assert len(taken) == len(sent)
    texts = {heard_in_few(graph, taken, 0.01) for graph in GRAPHS}
    assert len(texts) == 1
    return texts.pop()


@pytest.mark.parametrize("zero", [512, 2048])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_converters_zero_in_few_windows(zero: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, own = Recording(zero, 4, (0, 1, 1)), model(0, [BEFORE], Seeing)
    text = few(own, made.windows(0, BEFORE)[:count], made.data, monkeypatch)
    assert f"lie around {zero:,}" in text and f"is {zero:,} the converter's zero?" in text
    assert few(own, made.windows(zero, BEFORE)[:count], made.data, monkeypatch) == "", "it was taken away"
    learned = model(zero, [BEFORE], Seeing)
    assert few(learned, made.windows(0, BEFORE)[:count], made.data, monkeypatch) == "", "it was trained so"
    alike = Recording(zero, 4, (2, 2, 2))
    assert few(own, alike.windows(0, BEFORE)[:count], alike.data, monkeypatch) == "", "the answer is the same"


def test_a_model_that_knows_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says the same of numbers in any order may tell them by their level alone."""
    made, own = Recording(1024, 4, (0, 1, 1)), model(0, [BEFORE], Seeing)

    def level(_model: Seeing, _index: int, array: Any) -> Answer:
        return Answer(2 if array.mean() > 1 else 0, 0.97, 3, 4.0)

    monkeypatch.setattr(Seeing, "changed", level)
    assert few(own, made.windows(0, BEFORE)[:1], made.data, monkeypatch) == ""


def standard(windows: Sequence[Any]) -> list[Any]:
    return [((one - one.mean()) / one.std()).astype("f4") for one in windows]


class Shaped(Nearest):
    """Knows the shapes of standardised windows, whether these are somewhat smaller or not, doubts others, and
    takes what is far larger for the last kind."""

    def changed(self, _: int, array: Any) -> Answer:
        if abs(array).max() > 50:
            return Answer(2, 1.0, 3, 80.0)
        likeness = self._known @ array[0, 0] / (self._known.shape[1] * max(float(array.std()), 1e-9))
        kind = self._kinds[int(likeness.argmax())]
        return Answer(kind, 0.97, 3, 4.0) if likeness.max() > 0.97 else Answer(2, 0.6, 3, 0.5)


def shapes() -> Shaped:
    made = Recording(0, 90)
    return Shaped([*zip(made.kinds, standard(made.windows(0, BEFORE)), strict=True)])


@pytest.mark.parametrize("seed", range(3))
def test_counts_as_they_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, own = Recording(1300, seed), shapes()
    raw, files = [one * GAIN for one in made.windows(0, BEFORE)], [("lead.i16", made.data)]
    text = said(own, raw, files, monkeypatch)
    assert "its elements are numbers of lead.i16 as they are" in text and "to be standardised?" in text
    assert said(own, standard(raw), files, monkeypatch) == ""
    alike = Recording(1300, seed, (1,) * len(KINDS))
    of_one = [one * GAIN for one in alike.windows(0, BEFORE)]
    assert said(own, of_one, [("lead.i16", alike.data)], monkeypatch) == "", "there is one answer in any way"
    known = Nearest([*zip(made.kinds, raw, strict=True)])
    assert said(known, raw, files, monkeypatch) == "", "the model learned counts"
    sure = Nearest([(1, one) for one in raw])
    assert said(sure, raw, files, monkeypatch) == "", "it is as sure as training makes it"


@pytest.mark.parametrize("seed", range(3))
def test_twice_the_rate(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, own = Recording(1300, seed, rate=2), shapes()
    files = [("lead.i16", fast.data), ("lead.txt", fast.listed)]
    sent = standard(fast.windows(0, BEFORE))
    text = said(own, sent, files, monkeypatch)
    assert "does lead.i16 have twice the rate" in text and "that to windows at twice the rate" in text
    assert said(own, sent, files[:1], monkeypatch) == "", "nothing lists the peaks"
    slow = Recording(1300, seed)
    files = [("lead.i16", slow.data), ("lead.txt", slow.listed)]
    assert said(own, standard(slow.windows(0, BEFORE)), files, monkeypatch) == ""
    for kind in range(3):
        alike = Recording(1300, seed, (kind,) * len(KINDS))
        files = [("lead.i16", alike.data), ("lead.txt", alike.listed)]
        assert said(own, standard(alike.windows(0, BEFORE)), files, monkeypatch) == "", kind


def test_counts_without_a_byte_of_0() -> None:
    """Counts around 1,100 have many bytes that are 4, which no text has."""
    assert is_raw(numpy.arange(1030, 1270).astype("<i2").tobytes())
    assert not is_raw(b"time\tlead\r\n0\t1.5\n") and not is_raw("größe;12,5\n".encode("latin-1"))


def test_a_single_logit() -> None:
    """A model of two classes may have one output, whose name says that it is a logit."""
    outputs = [Tensor.from_numpy(numpy.array([[one]], "f4")) for one in (-3.0, 3.0)]
    specs: Any = [SimpleNamespace(name="logit_late", shape=(1, 1), quantization=None)]
    found = [answer_of_any(specs, [one]) for one in outputs]
    assert [one and one.place for one in found] == [0, 1]
    assert all(one and one.margin == pytest.approx(3) and 0.95 < one.sure < 0.96 for one in found)
    other: Any = [SimpleNamespace(name="degrees", shape=(1, 1), quantization=None)]
    assert answer_of_any(other, outputs[1:]) is None


class Volts(Nearest):
    """Knows the shapes of windows of any size, the larger they are the surer, and sees nothing in those that
    are far from 0 as a whole."""

    is_blind = True

    def changed(self, _: int, array: Any) -> Answer:
        size = float(array.std())
        if self.is_blind and abs(float(numpy.median(array))) > 4 * size:
            return Answer(2, 1.0, 3, 4000.0)
        own = (array[0, 0] - array.mean()) / max(size, 1e-9)
        likeness = self._known @ own / self._known.shape[1]
        kind = self._kinds[int(likeness.argmax())]
        return Answer(kind, 0.97, 3, 4 * size) if likeness.max() > 0.9 else Answer(2, 0.6, 3, 0.5)


@pytest.mark.parametrize("zero", [512, 2048])
@pytest.mark.parametrize("count", [1, 3])
def test_counts_as_they_are_in_few_windows(zero: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are far too large for a model of volts, also without their zero."""
    made, trained = Recording(zero, 4, (0, 1, 1)), Recording(0, 90)
    own = Volts([*zip(trained.kinds, standard(trained.windows(0, BEFORE)), strict=True)])
    counts = [(GAIN * one).astype("f4") for one in made.windows(0, BEFORE)[:count]]
    text = few(own, counts, made.data, monkeypatch)
    assert f"and with {zero:,} taken away and divided by the deviation another class, at 0.97" in text
    assert few(own, made.windows(zero, BEFORE)[:count], made.data, monkeypatch) == "", "they are volts"
    alike = Recording(zero, 4, (2, 2, 2))
    same = [(GAIN * one).astype("f4") for one in alike.windows(0, BEFORE)[:count]]
    assert few(own, same, alike.data, monkeypatch) == "", "the answer is the same"
    own.is_blind = False
    assert few(own, counts, made.data, monkeypatch) == "", "it sees them as they are"
