"""Classes that are letters, digits or notes, which a guest counts itself: does it begin at the right one?

What is here: `misspelled`. What is not: names in files (`classes.py`, `named.py`).
"""

from __future__ import annotations

import re
from itertools import pairwise

from .asked import Asked, Given

LETTERS, WITH_BLANK, DIGITS = 26, 27, 10
AFTER, BEFORE = "Bb1", "@`/"
"""What class 0 is said as, if each is said as the one after or before it."""
KEYS, NOTES = (88, 9), (128, 0)
"""How many classes, and the note of the first: the lowest key of a piano is an A, note 0 of MIDI a C."""
NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
FLATS = {"Db": "C#", "Eb": "D#", "Gb": "F#", "Ab": "G#", "Bb": "A#"}
NOTE = re.compile(r"(?<![\w#])([A-G](?:#|b|\u266f|\u266d)?)(?=-?\d?(?![\w#]))")
TRIED = (1, 2, 3)


def misspelled(asked: Asked) -> str:
    """Returns what is wrong with the first letter, digit or note, or "" if nothing is."""
    for index, output in asked.fetched():
        if not output.lengths:
            continue
        count = output.lengths[-1]
        wrong = ""
        if count in (LETTERS, WITH_BLANK, DIGITS):
            wrong = of_letters(asked, index, output, count)
        elif count in (KEYS[0], NOTES[0]):
            wrong = of_notes(asked, index, output, *(KEYS if count == KEYS[0] else NOTES))
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def said_of(asked: Asked, index: int, output: Given, place: int) -> str:
    """Returns what is written if this class is the largest everywhere."""
    count = output.lengths[-1]
    return asked.text(index, output.filled(range(place, output.array.size, count))) or ""


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
    """Names of notes that follow the classes and begin at another note than the keys do."""
    shifts = []
    for place in TRIED:
        notes = {FLATS.get(one, one) for one in NOTE.findall(said_of(asked, index, output, place))}
        known = [NAMES.index(one) for one in notes if one in NAMES]
        if len(known) != 1:
            return ""
        shifts.append((known[0] - place) % len(NAMES))
    if any(one != other for one, other in pairwise(shifts)) or shifts[0] == lowest:
        return ""
    kinds = (
        "keys of a piano, the lowest of which is" if count == KEYS[0] else "notes of MIDI, which begin with"
    )
    return (
        f"class 1 of {count} is said as {NAMES[(shifts[0] + 1) % len(NAMES)]}, as if class 0 were "
        f"{NAMES[shifts[0]]}; {count} classes are the {kinds} {NAMES[lowest]}: do the names of notes begin "
        "at the wrong one?"
    )
