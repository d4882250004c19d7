"""Classes that are letters, digits or notes, which a guest counts itself: does it begin at the right one?

What is here: `misspelled`, and for notes, of which there may also be several classes each, `mispitched`, at
once or later. What is not: names in files (`classes.py`, `named.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import log2

from ..regex import regex
from .asked import Asked, Given

LETTERS, WITH_BLANK, DIGITS = 26, 27, 10
AFTER, BEFORE = "Bb1", "@`/"
"""What class 0 is said as, if each is said as the one after or before it."""
KEYS, NOTES = (88, 9), (128, 0)
"""How many classes, and the note of the first: the lowest key of a piano is an A, note 0 of MIDI a C."""
NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
FLATS = {"Db": "C#", "Eb": "D#", "Gb": "F#", "Ab": "G#", "Bb": "A#"}
NOTE = regex(r"(?<![\w#])([A-G](?:#|b|\u266f|\u266d)?)(?=-?\d?(?![\w#]))")
TRIED = (1, 2, 3)
LOWEST_KEY = 21
"""The number of a piano's lowest key in MIDI."""
BESIDE = 1
"""How far a said note may be from the class's number, or from its note, to be a mistake: other shifts are
transpositions."""
MIDI, WHOLE = regex(r"\bmidi\b", re.IGNORECASE), regex(r"(?<![\w.-])\d{1,3}(?![\w]|\.\d)")
OF_MIDI = regex(r"\bmidi\b\W{0,3}(?:(?:note|number|key|pitch)\W{1,3})?(\d{1,3})(?![\w]|\.\d)", re.IGNORECASE)
IN_AN_OCTAVE = regex(r"(?<![\w#])([A-G](?:#|b|\u266f|\u266d)?)(-?\d{1,2})(?![\w#])")
A_KEY = regex(r"\b(?:notes?|keys?|pitch(?:es)?)\W{1,3}(\d{1,3})(?![\w]|\.\d)", re.IGNORECASE)
HERTZ = regex(r"(?<![\w.])(\d{1,15}(?:\.\d+)?) ?Hz\b", re.IGNORECASE)
CONCERT, NEAR = (69, 440.0), 0.2
"""A note and how high it is; the most by which a rounded number may be off, as a part of a semitone."""


def misspelled(asked: Asked) -> str:
    """Returns what is wrong with the first letter or digit, or "" if nothing is."""
    for index, output in asked.fetched():
        count = output.lengths[-1] if output.lengths else 0
        if count in (LETTERS, WITH_BLANK, DIGITS) and (wrong := of_letters(asked, index, output, count)):
            return f"{output.what}: {wrong}"
    return ""


def mispitched_at_once(asked: Asked) -> str:
    """The same as `mispitched`, of a guest that writes notes as it is: models of music are slow, and leave
    time for a few copies alone, which other rules would take."""
    return mispitched(asked) if is_of_notes(asked) else ""


def mispitched_later(asked: Asked) -> str:
    """The same of one that writes no notes yet, but may if the answer is another."""
    return "" if is_of_notes(asked) else mispitched(asked)


def is_of_notes(asked: Asked) -> bool:
    return any(True for _, reading in IN_HEIGHT for _ in reading(asked.control.text))


def mispitched(asked: Asked) -> str:
    """Returns what is wrong with the notes that classes are said as, or "" if nothing is."""
    for index, output in asked.fetched():
        count, wrong = output.lengths[-1] if output.lengths else 0, ""
        if count in (KEYS[0], NOTES[0]):
            wrong = of_notes(asked, index, output, *(KEYS if count == KEYS[0] else NOTES))
        elif count > NOTES[0]:
            wrong = of_bins(asked, index, output, count)
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def said_of(asked: Asked, index: int, output: Given, place: int, *, in_all: bool = False) -> str:
    """Returns what is written if this class is the largest everywhere, also `in_all` other fetched outputs
    that have the same shape."""
    count = output.lengths[-1]
    own = {index: output}
    if in_all:
        own |= {at: one for at, one in asked.fetched() if one.array.shape == output.array.shape}
    filled = {at: one.filled(range(place, one.array.size, count)) for at, one in own.items()}
    return asked.said(filled) or ""


def said_of_notes(asked: Asked, index: int, output: Given) -> list[str]:
    """Returns what is written of classes that are tried. A guest may choose the stronger one of several
    outputs of the same shape, such as notes and their onsets: if the class makes no difference in one, it is
    tried in all."""
    texts = [said_of(asked, index, output, place) for place in TRIED]
    shapes = [one.array.shape for _, one in asked.fetched()]
    if len({*texts}) > 1 or shapes.count(output.array.shape) == 1:
        return texts
    return [said_of(asked, index, output, place, in_all=True) for place in TRIED]


def of_letters(asked: Asked, index: int, output: Given, count: int) -> str:
    """Characters that follow the classes, of which the last is none of the kind, or class 0 isn't."""
    texts = [said_of(asked, index, output, place) for place in (1, 2, count - 1)]
    if len({*map(len, texts)}) > 1 or not texts[0]:
        return ""
    said = [
        (first, last)
        for first, second, last in zip(*texts, strict=True)
        if ord(second) == ord(first) + 1 and ord(last) == ord(first) + count - 2
    ]
    if len({first for first, _ in said}) > 1:
        return ""  # rows of a batch that are read at other places each have another one
    for first, last in said[:1]:
        zero = chr(ord(first) - 1)
        by = 1 if zero in AFTER else -1 if zero in BEFORE else 0
        if count == WITH_BLANK:
            by = 1 if zero in "Aa" and not last.isalpha() else 0
        if by:
            kind, beside = "digit" if count == DIGITS else "letter", "after" if by > 0 else "before"
            return (
                f'class 1 of {count} is said as "{first}", and class {count - 1} as "{last}": is each {kind} '
                f"the one {beside} the right one?"
            )
    return ""


def of_notes(asked: Asked, index: int, output: Given, count: int, lowest: int) -> str:
    """Notes that follow the classes and begin at another one than the keys do, by their names, by their
    numbers in MIDI or by how high they are."""
    texts = said_of_notes(asked, index, output)
    is_piano = count == KEYS[0]
    likely = {KEYS[1], NOTES[1], *((lowest + by) % len(NAMES) for by in (-BESIDE, BESIDE))}
    kinds = "keys of a piano, the lowest of which is" if is_piano else "notes of MIDI, which begin with"
    shift = followed([{*names_in(text)} for text in texts], count, len(NAMES))
    if shift is not None and shift != lowest and shift in likely:
        return (
            f"class 1 of {count} is said as {NAMES[(shift + 1) % len(NAMES)]}, as if class 0 were "
            f"{NAMES[shift]}; {count} classes are the {kinds} {NAMES[lowest]}: do the names of notes begin "
            "at the wrong one?"
        )
    first = LOWEST_KEY if is_piano else 0
    for what, reading in (("note {} of MIDI", numbers_in), ("one as high as note {} of MIDI", pitches_in)):
        shift = followed([{*reading(text)} for text in texts], count)
        if shift is not None and shift != first and min(abs(shift), abs(shift - first)) <= BESIDE:
            said = what.format(shift + 1)
            return (
                f"class 1 of {count} is said as {said}; {count} classes are the {kinds} {NAMES[lowest]}, "
                f"note {first}: is {abs(first - shift)} to be {'added' if first > shift else 'taken away'}?"
            )
    return ""


def of_bins(asked: Asked, index: int, output: Given, count: int) -> str:
    """Classes of which each is said as the note a semitone above the one before, though there are more than
    there are notes: of the last ones nobody could hear them."""
    high = count - 2
    for what, reading in IN_HEIGHT:
        if not any(True for _ in reading(asked.control.text)):
            continue
        said = [{*reading(said_of(asked, index, output, place))} for place in TRIED]
        shift = followed(said, count)
        if shift is None or high + shift < NOTES[0] or (reading is keys_in and shift != LOWEST_KEY):
            continue
        if high + shift in {*reading(said_of(asked, index, output, high))}:
            each, rest = divmod(count, KEYS[0])
            why = f"{count} are {each} for each of {KEYS[0]} keys: is the class to be divided by {each}?"
            return (
                f"class 1 of {count} is said as {what.format(shift + 1)}, and class {high} as "
                f"{what.format(high + shift)}, a semitone for each class; there are {NOTES[0]} notes: "
                f"{'has each note several classes?' if rest else why}"
            )
    return ""


def followed(said: Sequence[set[int]], count: int, round_: int = 0) -> int | None:
    """Returns by how much what is said is above each class, or None if that isn't the same for all. Beside it
    the first or the last class may be said, of many that are equal. Numbers begin again after `round_` of
    them, if they do."""
    always = set.intersection(*said) if max(map(len, said)) > 1 else set()
    own = [one - always for one in said]
    if any(len(one) != 1 for one in own):
        return None
    shifts = {one.pop() - place for one, place in zip(own, TRIED, strict=True)}
    shifts = {shift % round_ for shift in shifts} if round_ else shifts
    shift = shifts.pop()
    equal = {shift, count - 1 + shift}
    equal = {one % round_ for one in equal} if round_ else equal
    return None if shifts or always - equal else shift


def names_in(text: str) -> Iterator[int]:
    """The notes that a text names, without their octaves."""
    for name in NOTE.findall(text):
        if (plain := FLATS.get(name, name)) in NAMES:
            yield NAMES.index(plain)


def numbers_in(text: str) -> Iterator[int]:
    """The whole numbers behind the word MIDI, or if there are none all of a text that has it."""
    found = OF_MIDI.findall(text) or (WHOLE.findall(text) if MIDI.search(text) else ())
    yield from map(int, found)


def keys_in(text: str) -> Iterator[int]:
    """The whole numbers in a text that stand behind a word for notes."""
    yield from map(int, A_KEY.findall(text))


def heights_in(text: str) -> Iterator[int]:
    """The numbers of notes that a text names with their octaves."""
    for name, octave in IN_AN_OCTAVE.findall(text):
        if (plain := FLATS.get(name, name)) in NAMES:
            yield len(NAMES) * (int(octave) + 1) + NAMES.index(plain)


def pitches_in(text: str) -> Iterator[int]:
    """The numbers of notes that are as high as a text says in hertz."""
    for one in HERTZ.findall(text):
        note = CONCERT[0] + len(NAMES) * log2(float(one) / CONCERT[1]) if float(one) > 0 else 0.0
        if note and abs(note - round(note)) < NEAR:
            yield round(note)


IN_HEIGHT: Sequence[tuple[str, Callable[[str], Iterator[int]]]] = (
    ("note {} of MIDI", numbers_in),
    ("note {} of MIDI", keys_in),
    ("one as high as note {} of MIDI", heights_in),
    ("one as high as note {} of MIDI", pitches_in),
)
"""The ways in which a text tells the height of a note: what a hint calls it, and the function that reads
it."""
