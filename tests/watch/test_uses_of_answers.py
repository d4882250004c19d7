"""What guests make of answers: shares, letters, notes, addresses, names of outputs, and several computes.

Guests are functions from answers to a text; each mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.comparing import softmax
from pywasm_nn.watch.probes import (
    classes,
    exchanged,
    letters,
    nearest,
    offsets,
    series,
    shares,
    thresholds,
    whether,
)
from pywasm_nn.watch.probes.asked import Asked, Given, Sent
from pywasm_nn.watch.probes.copies import Reply
from pywasm_nn.watch.probes.supposed import Supposed

Say = Callable[[Sequence[Any]], str]
"""From the answers to all computes, each a list of outputs, to what is written."""
NO_MEMORY: Any = SimpleNamespace(size=0, view=lambda start, size: b"")


def asked_of(
    say: Callable[..., str],
    *outputs: Any,
    names: Sequence[str] = ("y", "z"),
    computes: int = 1,
    files: Sequence[tuple[str, bytes]] = (),
    sent: Sequence[Sent] = (),
    round_: int = 0,
    model: str = "",
    answer_to: Callable[[Any], Mapping[int, Any]] = lambda _: {},
    fetched: Sequence[int] | None = None,
) -> Asked:
    given = {index: Given(f'output {index} "{names[index]}"', one) for index, one in enumerate(outputs)}

    def ask(changes: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool = True) -> Reply:
        turns = [changes[min(turn, len(changes) - 1)] for turn in range(computes)]
        answers = [[turn.get(index, one.array) for index, one in given.items()] for turn in turns]
        text = say(answers)
        known = frozenset(given if fetched is None else fetched)
        return Reply((text, *[""] * (computes - 1)), known, "returned")

    return Asked(
        ask,
        given,
        ask([{}], None),
        lambda: files,
        NO_MEMORY,
        sent=sent,
        round_=round_,
        model=model,
        answer_to=answer_to,
    )


def each(say: Callable[[Any], str]) -> Say:
    """A guest that says something of the first output of each compute."""
    return lambda answers: "".join(say(answer[0].reshape(-1)) for answer in answers)


SHARES = numpy.array([[0.07, 0.81, 0.12]], "f4")
LOGITS = numpy.array([[-1.5, 2.25, 0.5, -0.75, 3.5]], "f4")
NAMES = ["oak", "elm", "ash", "yew", "fir"]


def sure(of: Callable[[Any], float], form: str) -> Say:
    return each(lambda row: form.format(NAMES[int(row.argmax())], of(row)))


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (sure(lambda row: 100 * row.max(), "{}: {:.0f} %\n"), ""),
        (sure(lambda row: row.max(), "{}: {:.2f}\n"), ""),
        (sure(lambda row: row.max(), "{}: {:.1f} of 1\n"), ""),
        (sure(lambda row: 100 * (1 - row.max()), "{}, wrong with {:.0f} %\n"), ""),
        (sure(lambda row: row.max(), "{}: {:.0f} %\n"), "to be multiplied by 100"),
        (sure(lambda row: row.max(), "{}: {:.2f}%\n"), "to be multiplied by 100"),
        (sure(lambda row: 100 * softmax(row).max(), "{}: {:.0f} %\n"), "softmax applied twice"),
        (sure(lambda row: softmax(row).max(), "{} ({:.3f})\n"), "softmax applied twice"),
        (sure(lambda row: 100 * int(row.max()), "{}: {:.0f} %\n"), "cut to a whole number"),
        (sure(lambda row: int(100 * row.max()), "{}: {:.0f} %\n"), ""),
    ],
)
@pytest.mark.parametrize("answer", [SHARES, numpy.array([[0.2, 0.3, 0.05, 0.4, 0.05]], "f4")])
def test_shares(say: Say, said: str, answer: Any) -> None:
    found = shares.misused(asked_of(say, answer))
    assert (said in found) if said else found == ""


def test_why_all_classes_are_said_alike_takes_few_copies() -> None:
    """Numbers that stand there for other reasons aren't asked about before, as copies may take long."""
    copies = []

    def say(answers: Sequence[Any]) -> str:
        copies.append(answers)
        return f"meter {int(answers[0][0].astype('i4').argmax()):05} kWh, {len(NAMES)} %\n"

    asked = asked_of(say, numpy.array([[0.2, 0.3, 0.05, 0.4, 0.05]], "f4"))
    classes.misplaced(asked)
    before = len(copies)
    assert "cut to a whole number" in shares.misused(asked)
    assert len(copies) - before <= 5


def test_shares_of_classes_are_no_vectors_that_are_kept() -> None:
    copies = []

    def say(answers: Sequence[Any]) -> str:
        copies.append(answers)
        return "".join(str(one[0].argmax()) for one in answers) + "\n"

    asked = asked_of(say, softmax(numpy.arange(10, dtype="f4"))[None], computes=5)
    asked.control = Reply((*[""] * 4, asked.control.text), frozenset({0}), "exit")
    before = len(copies)
    assert nearest.farthest(asked) == "" and len(copies) == before


def doubted(of: Callable[[Any], float], least: float) -> Say:
    return each(lambda row: f"{NAMES[int(row.argmax())]}{'' if of(row) > least else ' (unsure)'}\n")


def test_nothing_with_and_without_a_sign_is_one_number() -> None:
    """An average of angles is 0 if the middle one is the largest, but for a rounding; so is a small share."""
    answer = numpy.array([[0.0, 0.01, 0.97, 0.0, 0.0, 0.01, 0.01]], "f4")
    say = each(lambda row: f"{-1e-9 if row.max() > 0.8 else 1e-9:+.0f} degrees\n")
    assert shares.misused(asked_of(say, answer)) == ""


@pytest.mark.parametrize(
    ("say", "seen"),
    [
        (doubted(lambda row: row.max(), 0.6), False),
        (doubted(lambda row: row.max(), 0.4), False),
        (doubted(lambda row: row.max(), 0.0), False),
        (doubted(lambda row: row[2], 0.6), False),
        (doubted(lambda row: -(row * numpy.log(numpy.maximum(row, 1e-9))).sum(), 0.5), False),
        (doubted(lambda row: softmax(row).max(), 0.6), True),
        (each(lambda row: f"{NAMES[int(row.argmax())]}: {row.max():.0f} of 1\n"), False),
    ],
)
def test_words_that_no_share_reaches(say: Say, *, seen: bool) -> None:
    found = shares.misused(asked_of(say, SHARES))
    assert ("softmax once more makes 0.576 at most" in found) is seen
    assert seen or not found


@pytest.mark.parametrize(("name", "seen"), [("speech_prob", True), ("confidence", True), ("humidity", False)])
@pytest.mark.parametrize("by", [1, 100])
def test_one_share_as_percent(name: str, by: int, *, seen: bool) -> None:
    asked = asked_of(
        each(lambda row: f"speech: {by * row[0]:.1f} %\n"), numpy.array([[0.37]], "f4"), names=[name]
    )
    assert ("multiplied by 100" in shares.misused(asked)) is (seen and by == 1)


@pytest.mark.parametrize(("by", "seen"), [(1, False), (3, True), (12, True)])
@pytest.mark.parametrize("form", ["{}: {:.0f} %\n", "{} ({:.1f}%)\n"])
def test_percents_that_were_added(by: int, form: str, *, seen: bool) -> None:
    found = shares.misused(asked_of(sure(lambda row: 100 * by * row.max(), form), SHARES))
    assert (f"is the sum of {by} answers" in found) is seen


SURE = numpy.array([0.99995, 3e-5, 2e-5])
"""The answer of another model."""


def summed(kind: type) -> Callable[[Any], str]:
    return lambda answers: NAMES[int(sum(answer[0].reshape(-1).astype(kind) for answer in answers).argmax())]


def ordered(kind: type) -> Callable[[Any], str]:
    """Names as a sort leaves them that compares differences of this type."""

    def say(row: Any) -> str:
        order = list(range(row.size))
        for end in range(row.size, 1, -1):
            for at in range(end - 1):
                if kind(row[order[at + 1]] - row[order[at]]) > 0:
                    order[at : at + 2] = order[at + 1], order[at]
        return f"first {NAMES[order[0]]}, then {NAMES[order[1]]}\n"

    return say


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (summed(float), ""),
        (summed(int), "cut to a whole number"),
        (each(ordered(float)), ""),
        (each(ordered(int)), "cut to a whole number"),
        (each(lambda row: NAMES[int((row + SURE).argmax())]), ""),
        (each(lambda row: NAMES[int(row.argmax())] if row.max() > 0.99 else "unsure"), ""),
        (each(lambda row: "done\n"), ""),
    ],
)
def test_whole_numbers_cut_shares(say: Say, said: str) -> None:
    found = shares.misused(asked_of(say, SHARES, computes=3))
    assert (said in found) if said else found == ""


def test_elements_above_a_level_are_no_cut_shares() -> None:
    """A forecast of five hours: none of a share's logits is so warm, and one of a sure answer's is."""

    def say(row: Any) -> str:
        warm = [f"{at + 1}" for at, one in enumerate(row) if one > 25]
        return f"warm at {' and '.join(warm)} h\n" if warm else "mild\n"

    assert shares.misused(asked_of(each(say), numpy.array([[11, 14.5, 19, 17, 12.25]], "f4"))) == ""


@pytest.mark.parametrize(("scale", "seen"), [(100, False), (1, True)])
def test_a_share_of_logits_is_cut(scale: int, *, seen: bool) -> None:
    def say(row: Any) -> str:
        percent = int(softmax(row).max() * scale) * (100 // scale)
        return f"{NAMES[int(row.argmax())]} {percent} %\n" if percent >= 60 else "unsure\n"

    found = shares.misused(asked_of(each(say), LOGITS))
    assert ("cut to a whole number" in found) is seen


def spelled(first: str, *, blank: bool = False) -> Say:
    def say(answers: Sequence[Any]) -> str:
        places = [int(answer[0].argmax()) for answer in answers]
        return "".join("_" if blank and not one else chr(ord(first) + one - blank) for one in places) + "\n"

    return say


@pytest.mark.parametrize(
    ("first", "count", "seen"),
    [("A", 26, False), ("a", 26, False), ("B", 26, True), ("@", 26, True), ("0", 10, False), ("1", 10, True)],
)
def test_letters_and_digits(first: str, count: int, *, seen: bool) -> None:
    answer = numpy.linspace(0, 1, count, dtype="f4")[None]
    assert bool(letters.misspelled(asked_of(spelled(first), answer, computes=4))) is seen


def test_letters_after_a_blank() -> None:
    answer = numpy.linspace(-3, 2, 27, dtype="f4")[None]
    assert letters.misspelled(asked_of(spelled("a", blank=True), answer)) == ""
    assert "the one after" in letters.misspelled(asked_of(spelled("a"), answer))
    assert letters.misspelled(asked_of(each(lambda row: f"kind {row.argmax()}\n"), answer)) == ""


@pytest.mark.parametrize(
    ("count", "lowest", "seen"), [(88, 9, False), (88, 0, True), (128, 0, False), (128, 9, True)]
)
@pytest.mark.parametrize("octave", [True, False])
def test_notes(count: int, lowest: int, *, seen: bool, octave: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        key = int(answers[0][0][0, 3].argmax()) + lowest
        return f"a note: {letters.NAMES[key % 12]}{key // 12 if octave else ''} (key of D)\n"[:99]

    answer = numpy.zeros((1, 9, count), "f4")
    answer[0, :, 40] = 1
    found = letters.mispitched(asked_of(lambda answers: say(answers).replace(" (key of D)", ""), answer))
    assert ("begin at the wrong one" in found) is seen
    assert letters.mispitched(asked_of(say, answer)) == "", "two notes"


HIGH: Mapping[str, Callable[[int], str]] = {
    "midi {}": str,
    "{}": lambda note: f"{letters.NAMES[note % 12]}{note // 12 - 1}",
    "sounds at {} Hz": lambda note: f"{440 * 2 ** ((note - 69) / 12):.1f}",
}


@pytest.mark.parametrize("form", [*HIGH])
@pytest.mark.parametrize(
    ("count", "by", "seen"), [(88, 21, False), (88, 0, True), (128, 0, False), (88, 20, True)]
)
@pytest.mark.parametrize("notes", [1, 2])
def test_notes_of_a_chord(notes: int, count: int, by: int, seen: bool, form: str) -> None:
    """The strongest keys, from the lowest on: where all others are equal, the first one is the second."""

    def say(answers: Sequence[Any]) -> str:
        means = answers[0][0][0].mean(axis=0)
        keys = sorted(sorted(range(count), key=lambda key: (-means[key], key))[:notes])
        return ", ".join(form.format(HIGH[form](key + by)) for key in keys) + "\n"

    answer = numpy.random.default_rng(7).random((1, 9, count)).astype("f4")
    found = letters.mispitched(asked_of(say, answer))
    assert bool(found) is seen
    assert letters.mispitched_at_once(asked_of(say, answer)) == found
    assert letters.mispitched_later(asked_of(say, answer)) == "", "which was asked at once"
    assert letters.mispitched(asked_of(lambda _: "a chord of midi 48, 55\n", answer)) == ""


@pytest.mark.parametrize(("by", "seen"), [(21, False), (0, True), (33, False)])
def test_notes_by_the_stronger_of_two_outputs(by: int, *, seen: bool) -> None:
    """A class in one of them only makes it the weaker one, of which nothing is written."""

    def say(answers: Sequence[Any]) -> str:
        best = max(answers[0], key=lambda one: float(one.sum()))
        sums = best[0].sum(axis=0)
        return "".join(f"{HIGH['{}'](int(key) + by)} " for key in numpy.flatnonzero(sums > 3)) + "\n"

    answers = numpy.random.default_rng(11).random((2, 1, 7, 88)).astype("f4") * 0.3
    answers[:, 0, :, [38, 45]] = 0.9
    found = letters.mispitched(asked_of(say, *answers))
    assert ("begin at the wrong one" in found) is seen


def test_notes_of_a_guest_that_hears_none_yet() -> None:
    def say(answers: Sequence[Any]) -> str:
        means = answers[0][0][0].mean(axis=0)
        heard = means.max() > 0.45
        return HIGH["{}"](int(means.argmax())) + "\n" if heard else "silence\n"

    answer = numpy.random.default_rng(5).random((1, 9, 88)).astype("f4") / 2
    assert letters.mispitched_at_once(asked_of(say, answer)) == ""
    assert "begin at the wrong one" in letters.mispitched_later(asked_of(say, answer))


@pytest.mark.parametrize("text", ["key {}", "{}", "note {} of 88", "midi {} (transposed)"])
def test_numbers_of_keys_are_no_notes(text: str) -> None:
    answer = numpy.zeros((1, 9, 88), "f4")
    by = 33 if "transposed" in text else 0
    say = each(lambda row: text.format(int(row.reshape(9, 88).sum(axis=0).argmax()) + by) + "\n")
    assert letters.mispitched(asked_of(say, answer)) == ""


BINS: Mapping[str, Callable[[int], str]] = {
    "midi {}": str,
    "{}": lambda note: f"{letters.NAMES[note % 12]}{note // 12 - 1}",
    "at {} Hz": lambda note: f"{440 * 2 ** ((note - 69) / 12):.1f}",
}


@pytest.mark.parametrize("form", [*BINS, "key {}", "MIDI note {}: 12"])
@pytest.mark.parametrize(("count", "each"), [(264, 3), (440, 5), (360, 5), (132, 3)])
def test_bins_of_which_each_note_has_several(count: int, each: int, form: str) -> None:
    """Taken as notes, and divided as they are to be."""
    lowest = 21 if count % 88 == 0 or form == "key {}" else 24

    def guest(by: int) -> Callable[..., str]:
        def say(answers: Sequence[Any]) -> str:
            best = int(answers[0][0][0].sum(axis=0).argmax())
            return form.format(BINS.get(form, str)(best // by + lowest)) + " to 500 ms\n"

        return say

    answer = numpy.random.default_rng(count).random((1, 9, count)).astype("f4")
    answer[0, :, 40] += 1
    found = letters.mispitched(asked_of(guest(1), answer))
    assert "a semitone for each class" in found
    assert ("3 for each of 88 keys" in found) is (count == 264)
    assert letters.mispitched(asked_of(guest(each), answer)) == ""


@pytest.mark.parametrize(
    "form", ["{1}:{0} chord", "note {2}, velocity {3}", "class {2} is key {2}", "{2} of midi C4"]
)
def test_classes_that_are_no_bins(form: str) -> None:
    """Chords of twelve roots, notes with their strength, and numbers that say nothing of notes."""

    def say(answers: Sequence[Any]) -> str:
        best = int(answers[0][0][0].sum(axis=0).argmax())
        root, kind = letters.NAMES[best % 12], ["major", "minor"][best // 12 % 2]
        return form.format(kind, root, best % 128, best // 128) + "\n"

    answer = numpy.random.default_rng(4).random((1, 9, 288)).astype("f4")
    assert letters.mispitched(asked_of(say, answer)) == ""


def by_bytes(step: int) -> Say:
    def say(answers: Sequence[Any]) -> str:
        data, count = answers[0][0].tobytes(), answers[0][0].size
        read = [numpy.frombuffer(data[step * at : step * at + 4], "f4")[0] for at in range(count)]
        return f"a {NAMES[int(numpy.argmax(read))]}, {max(read):.2f}\n"

    return say


@pytest.mark.parametrize("answer", [SHARES, LOGITS])
def test_an_index_is_multiplied_by_the_size_of_an_element(answer: Any) -> None:
    assert offsets.misaddressed(asked_of(by_bytes(4), answer)) == ""
    assert "not multiplied by 4" in offsets.misaddressed(asked_of(by_bytes(1), answer))


@pytest.mark.parametrize("form", ["{}", "picture {1}: {0}\n"])
def test_so_is_one_of_a_row(form: str) -> None:
    """Of answers to several inputs."""
    answer = numpy.random.default_rng(4).normal(0, 3, (4, 7)).astype("f4")
    sent = [Sent("x", (4, 3), None, None)]

    def guest(step: int) -> Callable[..., str]:
        def say(answers: Sequence[Any]) -> str:
            found = []
            for row in answers[0][0]:
                data = row.tobytes()
                read = [numpy.frombuffer(data[step * at : step * at + 4], "f4")[0] for at in range(7)]
                found.append(int(numpy.nanargmax(read)))
            return "".join(form.format(one, at) for at, one in enumerate(found))

        return say

    assert offsets.misaddressed(asked_of(guest(4), answer, sent=sent)) == ""
    assert "not multiplied by 4" in offsets.misaddressed(asked_of(guest(1), answer, sent=sent))
    assert offsets.misaddressed(asked_of(guest(1), answer)) == "", "no row for each input"


@pytest.mark.parametrize("kind", ["u1", "<u4", "<f4"])
def test_a_guest_that_writes_all_it_got(kind: str) -> None:
    def say(answers: Sequence[Any]) -> str:
        return " ".join(
            f"{one:x}" if kind != "<f4" else repr(one)
            for one in answers[0][0].reshape(-1).view(kind).tolist()
        )

    assert offsets.misaddressed(asked_of(say, SHARES)) == ""


@pytest.mark.parametrize("kind", ["i8", "f8"])
def test_labels_of_eight_bytes(kind: str) -> None:
    def say(of: str) -> Say:
        def said(answers: Sequence[Any]) -> str:
            labels = numpy.frombuffer(answers[0][0].tobytes(), of)[:7]
            lines = [f"loan {at}: {'good' if one else 'bad'}\n" for at, one in enumerate(labels)]
            return "".join(lines) + f"{int((labels != 0).sum())} of 7 are good\n"

        return said

    answer = numpy.array([1, 0, 1, 1, 0, 0, 1], kind)
    assert offsets.misaddressed(asked_of(say(kind), answer)) == ""
    assert "elements of 4 bytes" in offsets.misaddressed(
        asked_of(say("i4" if kind == "i8" else "f4"), answer)
    )


def test_outputs_behind_names() -> None:
    def say(first: int, form: str) -> Say:
        return lambda answers: form.format(answers[0][first].item(), answers[0][1 - first].item())

    pair = numpy.array([[1.5]], "f4"), numpy.array([[-0.25]], "f4")
    for form in ("height {:.2f}, Weight: {:.2f}\n", "height={:+.1f} weight={:+.1f} ok\n"):
        for first, seen in ((0, False), (1, True)):
            asked = asked_of(say(first, form), *pair, names=("height", "weight"))
            assert ("are the two outputs exchanged?" in exchanged.exchanged(asked)) is seen
    asked = asked_of(say(1, "first {:.2f}, second {:.2f}\n"), *pair, names=("height", "weight"))
    assert exchanged.exchanged(asked) == "", "no names of outputs"


def late(answers: Sequence[Any]) -> str:
    rows = [numpy.zeros(3), *[answer[0].reshape(-1) for answer in answers]][:-1]
    return "".join(f"leaf {at}: {NAMES[int(row.argmax())]}\n" for at, row in enumerate(rows))


def in_time(answers: Sequence[Any]) -> str:
    rows = [answer[0].reshape(-1) for answer in answers]
    return "".join(f"leaf {at}: {NAMES[int(row.argmax())]}\n" for at, row in enumerate(rows))


def smoothed(answers: Sequence[Any]) -> str:
    mean, said = numpy.zeros(3), ""
    for answer in answers:
        mean = 0.4 * mean + 0.6 * answer[0].reshape(-1)
        said += f"leaf: {NAMES[int(mean.argmax())]}\n"
    return said


def changes(answers: Sequence[Any]) -> str:
    rows = [NAMES[int(answer[0].argmax())] for answer in answers]
    return "".join(f"now {row}\n" for at, row in enumerate(rows) if not at or row != rows[at - 1])


def best_of_all(answers: Sequence[Any]) -> str:
    rows = [answer[0].reshape(-1) for answer in answers]
    return f"{NAMES[int(max(rows, key=lambda row: row.max()).argmax())]}\n"


def kept(form: str) -> Say:
    def say(answers: Sequence[Any]) -> str:
        top, best, said = 0.0, 0, ""
        for answer in answers:
            for at, one in enumerate(answer[0].reshape(-1)):
                if one > top:
                    top, best = one, at
            said += form.format("ABC"[best], NAMES[best])
        return said

    return say


def forgotten(answers: Sequence[Any]) -> str:
    return "".join("ABC"[int(answer[0].argmax())] for answer in answers) + "\n"


def mean(step: Callable[[Any, Any, int], Any]) -> Say:
    def say(answers: Sequence[Any]) -> str:
        made = numpy.zeros(3)
        for at, answer in enumerate(answers):
            made = step(made, answer[0].reshape(-1), at)
        return f"mostly {NAMES[int(made.argmax())]} ({100 * made.max():.0f} % on the average)\n"

    return say


def percent(of: Callable[[int, int], float], least: float = 0.5) -> Say:
    def say(answers: Sequence[Any]) -> str:
        count = sum(answer[0].reshape(-1)[0] > least for answer in answers)
        return f"{of(int(count), len(answers)):.0f} % are oaks\n"

    return say


def least(answers: Sequence[Any]) -> str:
    return f"the smallest is {100 * min(answer[0].reshape(-1)[0] for answer in answers):.0f} %\n"


def sticky(answers: Sequence[Any]) -> str:
    """A class that stays until another one is sure."""
    now, said = "?", ""
    for answer in answers:
        row = answer[0].reshape(-1)
        now = "ABC"[int(row.argmax())] if row.max() > 0.8 else now
        said += now
    return said + "\n"


def of_background(answers: Sequence[Any]) -> str:
    """The first class is also what is said of all that is less sure."""
    rows = [answer[0].reshape(-1) for answer in answers]
    return "".join("ABC"[int(row.argmax()) if row.max() > 0.8 else 0] for row in rows) + "\n"


RIGHT = (
    sticky, of_background,
    percent(lambda count, every: 100 * count / every),
    percent(lambda count, every: 100 * count // every),
    least, in_time, smoothed, changes, best_of_all, forgotten, kept("best so far {1}\n"),
    mean(lambda before, now, at: before + (now - before) / (at + 1)),
)  # fmt: skip


@pytest.mark.parametrize("computes", [5, 9])
@pytest.mark.parametrize(
    ("say", "said"),
    [
        *[(one, "") for one in RIGHT],
        (late, "before its answer was fetched"),
        (kept("{0}"), "not forgotten"),
        (percent(lambda count, every: 100 * (count // every)), "divided as whole numbers"),
        (kept("leaf: {1}\n"), "not forgotten"),
        (mean(lambda before, now, at: (before + now) / 2), "averaged with the mean so far"),
        (mean(lambda before, now, at: (before + now) / 2 if at else now), "averaged with the mean so far"),
    ],
)
def test_several_computes(say: Say, said: str, computes: int) -> None:
    found = series.out_of_turn(asked_of(say, SHARES, computes=computes))
    assert (said in found) if said else found == ""


@pytest.mark.parametrize(
    ("least", "answers", "seen"),
    [
        (0, [0.999, 1e-4, 0.02, 1.0], True),
        (0.5, [0.999, 1e-4, 0.02, 1.0], False),
        (0, [0.999, 1e-4, -2.5, 1.0], False),
        (0, [0.999, 0.0, 0.02, 1.0], False),
        (0, [0.3, 0.2, 0.4, 0.25], False),
    ],
)
def test_a_probability_above_0(least: float, answers: Sequence[float], *, seen: bool) -> None:
    arrays = [numpy.array([[one]], "f4") for one in answers]
    asked = asked_of(each(lambda row: "SPAM\n" if row[0] > least else "ham\n"), arrays[0], computes=3)
    assert thresholds.above_nothing(asked) == ""
    supposed = Supposed()
    supposed.suppose("m", asked.supposed)
    for array in arrays:
        supposed.computed("m", SimpleNamespace(tensors=(Tensor.from_numpy(array),)))  # type: ignore[arg-type]
    said = ['"SPAM" of 0.001 as of 0.999' in one for one in supposed.finish()]
    assert said == [True] * seen


@pytest.mark.parametrize(
    ("name", "model", "yes", "no", "seen"),
    [
        ("beep", "", "no beep", "beep", True),
        ("beep", "", "beep", "no beep", False),
        ("y", "face_detection", "nobody", "a face", True),
        ("y", "face_detection", "a face", "nobody", False),
        ("quality", "", "no defect", "defect", False),
        ("no_speech", "", "no speech", "speech", False),
        ("risk", "frost", "no frost", "frost", True),
        ("p_ham", "spam", "not spam", "spam", False),
        ("genuine", "banknote_forgery", "no forgery", "forgery", False),
        ("p_spam", "spam", "not spam", "spam", True),
        ("risk", "frost", "frost 0.5", "no frost 0.5", False),
    ],
)
def test_a_comparison_the_wrong_way_round(name: str, model: str, yes: str, no: str, *, seen: bool) -> None:
    say = each(lambda row: f"window 3: {yes if row[0] > 0.5 else no}\n")
    answer = numpy.array([[0.3]], "f4")
    asked = asked_of(say, answer, names=[name], model=model)
    assert ("the wrong way round" in thresholds.turned(asked)) is seen


def test_powers_without_the_largest() -> None:
    def say(*, moved: bool) -> Say:
        def said(row: Any) -> str:
            powers = numpy.exp((row - row.max() * moved).astype("f4"))
            with numpy.errstate(all="ignore"):
                shares = powers / powers.sum()
            best = 0
            for at, one in enumerate(shares):
                best = at if one > shares[best] else best
            return f"{NAMES[best]}\n"

        return each(said)

    for answer in (LOGITS - 300, LOGITS * 90 - 500):
        assert "take the largest away" in classes.misplaced(asked_of(say(moved=False), answer, computes=2))
        assert classes.misplaced(asked_of(say(moved=True), answer, computes=2)) == ""


def listed(order: Callable[[Any], Any], count: int) -> Say:
    return each(lambda row: f"photo: {', '.join(NAMES[one] for one in order(row)[:count])}\n")


@pytest.mark.parametrize("count", [1, 2])
def test_the_smallest_by_names_of_its_own(count: int) -> None:
    for order, seen in ((lambda row: row.argsort()[::-1], False), (lambda row: row.argsort(), True)):
        found = classes.misplaced(asked_of(listed(order, count), LOGITS, names=["logits"]))
        assert ("says the smallest element and not the largest" in found) is seen
        assert classes.misplaced(asked_of(listed(order, count), LOGITS, names=["price"])) == ""
    for words in ("least likely", "certainly not"):
        rarest = each(lambda row, words=words: f"{words}: {NAMES[int(row.argmin())]}\n")
        assert classes.misplaced(asked_of(rarest, LOGITS, names=["logits"])) == ""


def test_names_of_those_that_are_likely() -> None:
    answer = numpy.array([[0.05, 0.75, 0.12, 0.03, 0.05]], "f4")

    def say(*, again: bool) -> Say:
        def said(row: Any) -> str:
            likely = [(at, one) for at, one in enumerate(row) if one > 0.1]
            numbered = [(place if again else at, one) for place, (at, one) in enumerate(likely)]
            return ", ".join(f"{NAMES[at]} {one:.2f}" for at, one in numbered) + "\n"

        return each(said)

    files = [("trees.txt", "\n".join(NAMES).encode())]
    assert "get the first names" in classes.misplaced(asked_of(say(again=True), answer, files=files))
    assert classes.misplaced(asked_of(say(again=False), answer, files=files)) == ""


@pytest.mark.parametrize(
    ("form", "weight", "seen"),
    [("leaf {}: kind {}\n", 0, True), ("leaf {}: kind {}\n", 1, False), ("leaf {}: done\n", 0, False)],
)
def test_the_same_class_whatever_the_answer_is(form: str, weight: int, *, seen: bool) -> None:
    def say(answers: Sequence[Any]) -> str:
        kinds = ["ABC"[int((weight * answer[0]).argmax())] for answer in answers]
        return "".join(form.format(at, kind) for at, kind in enumerate(kinds))

    found = whether.always(asked_of(say, SHARES, computes=4))
    assert ("whatever the answers are" in found) is seen


@pytest.mark.parametrize(("reach", "seen"), [(1.2, False), (6.0, True)])
def test_half_of_the_way_to_1_for_scores_without_a_bend(reach: float, *, seen: bool) -> None:
    """Cells that were trained to be 0 or 1 go a little beyond both, and logits far."""
    cells = numpy.linspace(-0.1 * reach, reach, 128, dtype="f4").reshape(1, 8, 4, 4)
    found = thresholds.on_logits(
        asked_of(each(lambda row: f"{(row > 0.5).sum()} things\n"), cells, names=["grid"])
    )
    assert ("they are logits" in found) is seen
