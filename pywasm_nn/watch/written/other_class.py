"""The share of one of two classes, written where that of the other one is meant.

What is here: `OtherClass`, for a guest that writes of risks and alarms beside the first share, though a
column of the table that it read, or what the model is known for, says that the second class is that of the
alarm; or that says itself of the lines with a high risk that all is well, and not of the others.
What is not: shares behind the names of classes (`probes/labelled.py`), and exchanged names (`meanings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.comparing import are_shares
from ..regex import regex
from ..sheets.sheet import Sheet, sheet_of
from ..spoken import NUMBER, PERCENT, Heard, Word, filled_lines
from ..surroundings import Files

CLASSES, MOST_ROWS, MOST_FILE, FEWEST_LINES, FEWEST_OF_ONE = 2, 256, 1 << 18, 5, 2
AGREED = 0.8
"""This part of a table's lines is of the class that the model gives them."""
DIGITS = 2
"""Shares of fewer digits may be other numbers."""
ALARM = regex(
    r"\b(?:risk\w*|tests?(?!\W*\d|\W+(?:row|line|sample|case|customer|client|patient|item|set|data)\b)"
    r"|warn\w*|alarm\w*|alert\w*|danger\w*|refer\w*|doctor|treat\w*|positive|sick|ill|diabet\w*"
    r"|disease|fraud\w*|spam|churn\w*|leav\w+|default\w*|reject\w*|block\w*|unsafe|explicit|nsfw|adult|banned"
    r"|censor\w*|suspicious|attention|watch|urgent|offensive|porn\w*|hidden|removed|flagged)\b",
    re.IGNORECASE,
)
"""Words for the class that is looked for."""
FINE = regex(
    r"\b(?:no|not|non|never|without|ok|okay|safe\w*|sfw|healthy|fine|clean|negative|normal|low|good|ham|legit\w*"
    r"|benign|allowed|passed|stay\w*|retain\w*|remain\w*|keep\w*|loyal|surviv\w*|alive|repa(?:y\w*|id)"
    r"|solvent|genuine|authentic|approv\w*|accept\w*|neutral|class 0|p0)\b",
    re.IGNORECASE,
)
"""Words for the other one."""
RISK = regex(
    r"(?<!\w)(?:risk|danger|hazard|threat|fraud|spam|churn|leav(?:e|es|ing)|default|disease|sick|ill|malignant"
    r"|cancer|anomaly|fault|failure)(?!\w)\W*(?:(?:prob(?:ability)?|chance|score|share|rate)\W*)?$",
    re.IGNORECASE,
)
"""Words directly before a number by which it is that of something bad."""
DENIED = regex(r"\b(?:no|not|non|never|without|low|un\w*)\W*\|", re.IGNORECASE)
"""A denial before the mark in place of a number: to be free of something bad is good."""
CALM = regex(
    r"(?<!\w)(?:ok|okay|safe(?! mode)|healthy|fine(?!\W*(?:of\b|\d))|normal|ham|legit\w*|benign|approved?"
    r"|accept(?:ed)?|allowed|passed|loyal|(?:no|not|without) (?:alarm|risk|danger|fraud|spam|churn|disease))"
    r"(?!\w)",
    re.IGNORECASE,
)
UNLIKE = regex(r"(?<!\w)(?:no|not|never|without|n't|hardly|if|until|un)\W{0,2}(?:\w+ )?$", re.IGNORECASE)
"""Words before one of `CALM` after which it doesn't say that all is well."""
STAYS = regex(r"(?<!\w)(?:stay|remain|keep)(?:s|ing)?(?!\w)", re.IGNORECASE)
CUSTOMERS = regex(r"customer|client|subscri|member|account|churn|(?<!\w)leav", re.IGNORECASE)
"""Words of a text in which to stay is good: a customer is to stay, a patient isn't."""
ALERT = regex(r"(?<!\w)(?:alert|alarm|reject(?:ed)?|refused?|blocked?|urgent)(?!\w)", re.IGNORECASE)
LETTERS = regex(r"[^\W\d_]+")
FEWEST_TOLD = 2
"""A guest must tell so many lines with a high number from those with a low one by its own words."""
A_FILE = regex(r"\S*[\w)]\.[A-Za-z]\w{1,4}\b|\S*/\S*")
YES = frozenset({"yes", "y", "true", "t", "1", "positive", "pos"})
NO = frozenset({"no", "n", "false", "f", "0", "negative", "neg"})
RESULTS = frozenset({
    "type", "class", "label", "target", "y", "outcome", "diagnosis", "result", "answer", "output", "truth",
    "churn", "default", "fraud", "disease", "diabetes", "spam",
})  # fmt: skip
"""Headings of what a model is to find out."""
KNOWN = regex(r"open[_ -]?nsfw|yahoo[_ -]?nsfw", re.IGNORECASE)
"""Models of which the second class is known to be the unsafe one."""


class OtherClass(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._rows: dict[int, list[Any]] = {}
        """By an output's index, the shares of two classes."""
        self._names: dict[str, None] = {}
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is None:
            self._names[event.model or event.wanted or ""] = None
        if event.error is None and event.operation.startswith("get_output") and event.tensors:
            tensor = event.tensors[0]
            numbers = tensor.numbers() if tensor.nbytes <= MOST_FILE else None
            kept = self._rows.setdefault(event.index or 0, [])
            if (
                numbers is None
                or numbers.dtype.kind != "f"
                or not tensor.shape
                or tensor.shape[-1] != CLASSES
            ):
                return
            rows = numbers.reshape(-1, CLASSES).astype("f8")
            if len(kept) + len(rows) <= MOST_ROWS and all(are_shares(row) for row in rows):
                kept.extend(rows)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rows:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        lines = filled_lines(self._heard.text)
        for index, rows in self._rows.items():
            for own, other in ((0, 1), (1, 0)):
                shares = [row[[own, other]] for row in rows]
                said = lines_of(shares, lines)
                why = by_itself(shares, said) if said else ""
                if not why and own == 0 and said and is_of_alarm(rows, said):
                    why = self._known() or self._by_table(rows)
                if why:
                    yield (
                        "answer",
                        f'output {index}: the guest writes "{said[0].strip()[-60:]}" with the share of class '
                        f"{own} (that of class {other} is {shares[0][1]:.3g}), and {why}: is element {other} "
                        "meant?",
                    )
                    return

    def _known(self) -> str:
        names = [*self._names, *(name for name, _ in self._files())]
        found = next((one for one in names if KNOWN.search(one)), "")
        return f"of {found} class 0 is the safe one, and class 1 the unsafe one" if found else ""

    def _by_table(self, rows: Sequence[Any]) -> str:
        for name, data in self._files():
            sheet = sheet_of(name, data) if len(data) <= MOST_FILE else None
            if sheet is not None and len(sheet.rows) >= len(rows) and (why := by_column(sheet, rows)):
                return why
        return ""


def lines_of(rows: Sequence[Any], lines: Sequence[str]) -> list[str]:
    """The lines, one for each row and in their order, with the share of the first class and not that of the
    second; [] if there are others."""
    found = []
    left = iter(lines)
    for row in rows:
        for line in left:
            first, second = (bool(place_of(line, share)) for share in row)
            if second and not first:
                return []
            if first and not second:
                found.append(line)
                break
        else:
            return []
    return found


def place_of(line: str, share: float) -> re.Match[str] | None:
    """Where a line has a share, or that in percent, which may have a single digit if no other number is
    one."""
    percents = [*PERCENT.finditer(line)]
    if len(percents) == 1:
        return percents[0] if Word.of(percents[0][1]).fits(100 * share) else None
    return next((one for one in NUMBER.finditer(line) if is_share(Word.of(one[0]), share)), None)


def is_share(word: Word, share: float) -> bool:
    """Whether a number is a share, or that in percent."""
    return word.digits >= DIGITS and any(bool(word.fits(by * share)) for by in (1.0, 100.0))


def by_itself(shares: Sequence[Any], said: Sequence[str]) -> str:
    """Returns how lines, one for each row of shares, contradict themselves, or "" if they don't: all that
    have the first share as a high risk say that all is well, and none of the others; or all others are marked
    by a word of alarm, and they by none."""
    bare: list[str] = []
    for share, line in zip(shares, said, strict=True):
        found = place_of(line, share[0])
        before = line[: found.start()] if found else ""
        risk = RISK.search(before)
        if found is None or risk is None:
            return ""
        bare.append(A_FILE.sub("", before[: risk.start()] + "|" + line[found.end() :]))
    high, low = (
        [at for at, share in enumerate(shares) if bool(share[0] > share[1]) is kind] for kind in (True, False)
    )
    if min(len(high), len(low)) < FEWEST_TOLD or len(said) < FEWEST_LINES:
        return ""
    are_calm = [is_calm(one, line) for one, line in zip(bare, said, strict=True)]
    words = [{*LETTERS.findall(one.lower())} for one in bare]
    is_contrary = all(are_calm[at] == (at in high) for at in range(len(said)))
    is_contrary = is_contrary or (
        all(ALERT.search(bare[at]) and not are_calm[at] for at in low)
        and all(not ALERT.search(bare[at]) and words[at] <= words[low[0]] for at in high)
    )
    if not is_contrary or any(DENIED.search(one) for one in bare):
        return ""
    one, other = (said[kind[0]].strip()[-60:] for kind in (high, low))
    return f'it says "{one}" and "{other}", high where it says that all is well'


def is_calm(text: str, line: str) -> bool:
    """Whether a part of a line says that all is well."""
    found = [*CALM.finditer(text), *(STAYS.finditer(text) if CUSTOMERS.search(line) else ())]
    return any(not UNLIKE.search(text[: one.start()]) for one in found)


def is_of_alarm(rows: Sequence[Any], said: Sequence[str]) -> bool:
    """Whether lines of which the first share is the larger one sound an alarm, and none of them says the
    opposite, and no others sound one, unless all do."""
    bare = [A_FILE.sub("", line) for line in said]
    high = [line for row, line in zip(rows, bare, strict=True) if row[0] > row[1]]
    low = [line for row, line in zip(rows, bare, strict=True) if row[0] <= row[1]]
    if not high or any(FINE.search(line) or not ALARM.search(line) for line in high):
        return False
    return not any(ALARM.search(line) for line in low) or all(ALARM.search(line) for line in low)


def by_column(sheet: Sheet, rows: Sequence[Any]) -> str:
    """Returns what a column of a table says of the second class, or "" if there is none that does."""
    for column in range(len(sheet.headings)):
        heading = sheet.headings[column].strip('" ').lower()
        truth = [line[column].strip('" ').lower() for line in sheet.rows[: len(rows)]]
        if heading not in RESULTS or {*truth} - YES - NO or len(truth) < FEWEST_LINES:
            continue
        is_yes = [one in YES for one in truth]
        agreed = sum(one == bool(row[1] > row[0]) for one, row in zip(is_yes, rows, strict=True))
        if min(sum(is_yes), len(truth) - sum(is_yes)) < FEWEST_OF_ONE or agreed < AGREED * len(truth):
            continue
        yes = next(line[column] for line, one in zip(sheet.rows, is_yes, strict=False) if one)
        return (
            f'{agreed} of {len(truth)} lines of {sheet.name} have "{yes}" in {sheet.named(column)} just '
            "where class 1 is the larger one"
        )
    return ""
