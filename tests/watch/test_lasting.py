"""Times of the rows of an answer to features of a recording, and how long what they say lasts."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.lasting import durations, too_long, too_short, unheard
from tests.watch.test_origin import samples_of, wav
from tests.watch.test_uses_of_answers import Say, asked_of

RNG = numpy.random.default_rng(9)
ROWS, BANDS = 48, 40
EDF = b"0       ".ljust(236) + b"12".ljust(8) + b"2".ljust(8) + b"1".ljust(4) + bytes(512)
SOUND = wav(samples_of(16000), 2000)
FEATURES = Sent("x", (1, BANDS, ROWS), numpy.zeros((1, BANDS, ROWS), "f4"), None)


def events(second: float, column: int) -> Say:
    """A guest that says from when to when a class is likely."""

    def said(answers: Sequence[Any]) -> str:
        likely = numpy.flatnonzero(answers[0][0].reshape(ROWS, -1)[:, column] > 0.5)
        if not len(likely):
            return "nothing\n"
        return f"from {likely[0] * second:.2f} s to {likely[-1] * second:.2f} s\n"

    return said


@pytest.mark.parametrize(("file", "data", "seconds"), [("a.edf", EDF, 24.0), ("a.wav", SOUND, 8.0)])
@pytest.mark.parametrize("column", [0, 3])
def test_rows_that_last_longer_than_the_recording(
    file: str, data: bytes, seconds: float, column: int
) -> None:
    answer = numpy.random.default_rng(1).random((ROWS, 1, 4)).astype("f4")

    def hint(second: float, sent: Sequence[Sent] = (FEATURES,), *more: tuple[str, bytes]) -> str:
        say = events(second, column)
        return too_long(asked_of(say, answer, files=[(file, data), *more], sent=sent))

    own = seconds / ROWS
    assert f"its 48 rows last {2 * seconds:.4g} s; {file} lasts" in hint(2 * own)
    assert hint(own) == hint(own / 2) == hint(1.3 * own) == ""
    assert hint(2 * own, ()) == "", "no features"
    assert hint(2 * own, (FEATURES,), ("b.edf", EDF)) == "", "several recordings"


def of_notes(shape: tuple[int, int], *, turned: bool) -> tuple[Any, Any]:
    """Where notes begin, and where they sound."""
    frames, keys = shape
    begins, sounds = RNG.random((2, frames, keys)).astype("f4") / 5
    for key, start in zip(RNG.permutation(keys)[:5], range(3, frames - 20, 11), strict=False):
        begins[start : start + 3, key] = 0.9
        sounds[start + 1 : start + 18, key] = 0.8
    return (begins.T[None], sounds.T[None]) if turned else (begins[None], sounds[None])


FORMS = [
    "seconds of key {0}: {3}\n",
    "key {0} at {1} ms for {3} ms\n",
    "{0}: {1} to {2} frames\n",
    "{0}, {1:.0f} s, length {3}\n",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("by", "seen"), [((0, 0), True), ((1, 1), False), ((0, 1), False), ((1, 0), True), ((0, None), False)]
)
def test_how_long_what_begins_lasts(by: tuple[int, int | None], seen: bool, turned: bool, form: str) -> None:
    """By the output that says where notes begin, where they sound, one after the other, or not at all."""

    def say(answers: Sequence[Any]) -> str:
        maps = [one[0].T if turned else one[0] for one in answers[0]]
        first, second = by
        lines = []
        for key in numpy.flatnonzero((maps[first] > 0.5).any(axis=0)):
            start = int((maps[first][:, key] > 0.5).argmax())
            length = 0 if second is None else int((maps[second][:, key] > 0.5).sum())
            said = form if second is not None else "key {0} at {1} ms\n"
            lines.append(said.format(key, 11 * start, 11 * (start + length), 11 * length))
        return "".join(lines) or "nothing\n"

    asked = asked_of(say, *of_notes((160, 24), turned=turned), names=("onset", "note"))
    found = too_short(asked)
    assert ("is that one meant?" in found) is seen
    assert not seen or 'output 1 "note" is as long as they last' in found


@pytest.mark.parametrize("gap", [1, 2, 3])
@pytest.mark.parametrize("turned", [False, True])
def test_what_lasts_with_gaps(gap: int, turned: bool) -> None:
    """A share that is low for a moment is no end, and what follows it has no beginning of its own."""
    begins, sounds = of_notes((160, 24), turned=turned)
    long = sounds[0].T if turned else sounds[0]
    for key in numpy.flatnonzero((long > 0.5).any(axis=0)):
        start = int((long[:, key] > 0.5).argmax())
        long[start : start + 30, key] = 0.8
        long[start + 13 : start + 13 + gap, key] = 0.1

    def say(answers: Sequence[Any]) -> str:
        map_ = (answers[0][0][0].T if turned else answers[0][0][0]) > 0.5
        lines = [f"key {key} for {map_[:, key].sum()} ms\n" for key in numpy.flatnonzero(map_.any(axis=0))]
        return "".join(lines) or "nothing\n"

    assert "is that one meant?" in too_short(asked_of(say, begins, sounds))
    assert too_short(asked_of(say, sounds, begins)) == ""


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("the longest lasts {:.1f} s\n", True),  # 0.1, 0.3, 0.5 and 1.0
        ("the longest lasts {:.2f} s\n", True),
        ("key 3 of 5 begins, after 0.2 s\n", False),
        ("the longest lasts 0.4 s\n", False),
    ],
)
def test_how_long_in_few_digits(form: str, seen: bool, turned: bool) -> None:
    """Of 0.1 s that is 0.13 twice as much may be 0.3."""

    def say(answers: Sequence[Any]) -> str:
        map_ = answers[0][0][0].T if turned else answers[0][0][0]
        return form.format(map_.sum(axis=0).max() * 0.0101)

    begins, sounds = of_notes((160, 24), turned=turned)
    assert ("is that one meant?" in too_short(asked_of(say, begins, sounds))) is seen
    assert too_short(asked_of(say, sounds, begins)) == ""


def test_outputs_of_which_none_is_a_beginning() -> None:
    """Two that last as long, two that have nothing to do with each other, and the attack of each note."""
    begins, sounds = of_notes((160, 24), turned=False)

    def say(answers: Sequence[Any], form: str = "key {} for {} ms\n") -> str:
        map_ = answers[0][0][0] > 0.5
        return "".join(form.format(key, map_[:, key].sum()) for key in numpy.flatnonzero(map_.any(axis=0)))

    def attack(answers: Sequence[Any]) -> str:
        return say(answers, "key {}: an attack of {} ms\n")

    assert too_short(asked_of(say, begins, sounds))
    assert too_short(asked_of(say, sounds, sounds[:, :, ::-1])) == ""
    assert too_short(asked_of(say, begins, sounds[:, ::-1])) == ""
    assert too_short(asked_of(say, sounds, begins)) == ""
    assert too_short(asked_of(attack, begins, sounds)) == ""


def by_mean(map_: Any) -> str:
    """The two keys that are the loudest on average."""
    return " ".join(f"key {key}" for key in numpy.argsort(-map_.mean(axis=0))[:2])


def by_threshold(map_: Any) -> str:
    return " ".join(f"key {key}" for key in numpy.flatnonzero((map_ > 0.5).any(axis=0)))


def times_of(map_: Any) -> str:
    return " ".join(f"{frame} ms" for frame in numpy.flatnonzero((map_ > 0.5).any(axis=1)))


def held(map_: Any) -> str:
    """The keys that sound for some time."""
    return f"{((map_ > 0.3).sum(axis=0) >= 8).sum()} notes"


def loud(map_: Any) -> str:
    """The keys that are struck harder than any is here."""
    return f"{(map_ > 0.99).any(axis=0).sum()} accents"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("use", "seen"), [(by_mean, True), (held, True), (by_threshold, False), (times_of, False), (loud, False)]
)
def test_what_sounds_by_where_it_begins(use: Callable[[Any], str], seen: bool, turned: bool) -> None:
    """Noise of a key says on average more than a few frames."""
    begins, sounds = of_notes((160, 24), turned=turned)
    keys = begins[0].T if turned else begins[0]
    quiet = ~(keys > 0.5).any(axis=0)
    keys[:, numpy.flatnonzero(quiet)[:2]] += 0.15

    def say(answers: Sequence[Any]) -> str:
        return use(answers[0][0][0].T if turned else answers[0][0][0]) + "\n"

    assert ("is that one meant?" in unheard(asked_of(say, begins, sounds, fetched=[0]))) is seen
    assert unheard(asked_of(say, begins, sounds)) == "", "it fetches the other one, too"
    assert unheard(asked_of(say, sounds, begins, fetched=[0])) == ""
    assert unheard(asked_of(say, begins, sounds[:, ::-1], fetched=[0])) == "", "of something else"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seen", [False, True])
def test_notes_that_are_the_same_by_both_outputs(seen: bool, turned: bool) -> None:
    """A guest that names the keys with the largest means, which a weak output of beginnings has, too."""
    begins, sounds = of_notes((160, 24), turned=turned)
    frames, lasting = (one[0].T if turned else one[0] for one in (begins, sounds))
    strong = numpy.argsort(-lasting.mean(axis=0))[:2]
    frames[:, strong] = numpy.maximum(frames[:, strong], [0.3, 0.28])
    if seen:
        frames[:, numpy.argsort(lasting.mean(axis=0))[:2]] += 0.25

    def say(answers: Sequence[Any]) -> str:
        means = (answers[0][0][0].T if turned else answers[0][0][0]).mean(axis=0)
        best = numpy.argsort(-means)[:2]
        return "".join(f"{'abcdefghijklmnopqrstuvwxyz'[key]} ({means[key]:.2f})\n" for key in best)

    assert ("is that one meant?" in unheard(asked_of(say, begins, sounds, fetched=[0]))) is seen


def test_a_sound_without_a_rate_lasts_no_time() -> None:
    without = SOUND[:24] + bytes(4) + SOUND[28:]
    assert [*durations([("a.wav", without), ("b.wav", SOUND)])] == [("b.wav", 8.0)]
