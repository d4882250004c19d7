"""Classes whose meaning people know: does a guest say each of what it means?

What is here: `Meanings`, which compares the words that a guest writes of each line of a table or a text with
what the line itself says, by a column (malignant growths are the larger ones) or by words (awful, excellent;
those of languages). What is not: names that a model or a file has for its classes (`probes/owned.py`,
`probes/named.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower
from ..regex import regex
from ..sheets.sheet import Sheet, sheet_of
from ..spoken import Heard, filled_lines
from ..surroundings import Files
from .told_kinds import exchanged_names

MOST_FILE, MOST_LINES = 1 << 16, 200
FEWEST_LINES, FEWEST_OF_ONE = 4, 2
CONTRARY = 0.15
"""Of pairs of lines of both kinds at most so many lie as they should."""
FEWEST_COLUMNS, FEWEST_OTHERS = 2, 4
"""A single line of a kind says something if it lies apart from so many others, in so many columns."""
MOSTLY = 0.6
ROUND, FILLED = (0.95, 1.3), (0.7, 1.1)
"""How many times as long the perimeter of what is nearly round is as that of a circle, and its area as
large."""
WORD = regex(r"[^\W\d_]+")
LOW = 0.25
"""A chance up to which something is unlikely."""
CHANCE = r"\d{1,3}(?:\.\d{1,6})? ?(?:%|per ?cent)|[01]\.\d{1,9}(?![\d.])"
BETWEEN = r"\W{1,4}(?:(?:probability|chance|risk|likelihood|with)\W{1,4})?"
DIGIT = regex(r"\d")
DECIMALS = regex(r"[^\d.]")
OF = r" {0,2}(?:(?:chance|probability|risk|likelihood) of |likely |sure )?"
"""A chance, and what stands between it and the word before, or behind, it."""
SHOWN = 8
"""So many letters of a line are looked for in what is written of it."""
ALONE = r"(?! ?-?[^\W\d_])"
"""It matches where no other word follows. To cool down, or warm clothes, are for the opposite case."""
FAULTS = (
    "risk|err|defect|anomal|fault|penal|loss|pain|stress|sever|fraud|wear|hazard|rough|noise|demerit|damage"
)
"""A score with one of these in its name is worse if it is larger."""
DENIAL = r"(?:no|not|non|never|without|un)[ -]?"


class Kind(Frozen):
    """Two words for classes, of which the first has more in the columns of these names."""

    column: str
    more: str
    less: str


TABLES = tuple(
    Kind(*one)
    for one in (
        (r"radius|perimeter|concav|area|clump|cell_?size", r"malignant|cancer(?:ous)?", r"benign|healthy"),
        (r"petal[_ .]?(?:length|width)", "virginica", "setosa"),
        (r"petal[_ .]?(?:length|width)", "versicolou?r", "setosa"),
        (r"petal[_ .]?(?:length|width)", "virginica", "versicolou?r"),
        (r"flipper|body_?mass", "gentoo", "adelie"),
        (r"flipper|body_?mass", "gentoo", "chinstrap"),
        (r"glucose|hba1c", r"diabet\w*", r"healthy|normal"),
        (r"total_?sulfur|residual_?sugar", "white", "red"),
        (r"\bco2\b", "occupied", r"empty|vacant|free"),
        (r"^light(?:_?(?:level|intensity))?$|lux|illuminance|brightness", "day", "night"),
        (r"\bbmi\b|weight", "obese|overweight", "underweight|thin"),
        (r"humidity|precipitation", r"rain\w*|wet", r"dry|sun\w*"),
        (r"temperature|temp\b|celsius", rf"(?:hot|warm){ALONE}", rf"(?:cold|cool){ALONE}"),
        (r"temperature|temp\b|celsius", "fever", "healthy|normal"),
        (rf"^(?!.*(?:{FAULTS})).*(?:score|points|marks)", r"pass(?:ed)?", r"fail(?:ed)?"),
        (r"char_freq|capital_run", "spam", "ham"),
        (r"complain|support_?calls|tickets", r"churn\w*|leav(?:e|es|ing)", r"stay\w*|loyal|retained"),
        (
            r"^late$|late_?payments|overdue|missed|arrears|delinq",
            r"default\w*|refused?|reject\w*|declin\w*|den(?:y|ied)",
            r"repa(?:y|ys|id)|approved?|grant\w*|accept\w*",
        ),
        (r"oldpeak|st_?depression|troponin", r"disease|sick|ill", r"healthy|normal"),
        (r"\bvariance", "genuine|authentic", "forged|fake|counterfeit"),
    )
)
GOOD, BAD, TEMPTING = (
    frozenset(WORD.findall(words))
    for words in (
        """excellent wonderful great amazing fantastic perfect friendly delicious lovely superb brilliant
        awesome enjoyed love loved best beautiful recommend charming helpful comfortable pleasant delightful
        happy nice good clean tasty""",
        """awful terrible horrible boring worst dirty rude disgusting bad poor disappointing disappointed
        waste hate hated noisy broken cold slow dull useless annoying ugly nasty sad unfriendly stale bland
        overpriced""",
        """free win winner won prize cash click urgent claim congratulations offer bonus lottery viagra
        guaranteed credit deal txt subscribe unsubscribe money discount""",
    )
)
"""Words of praise, of blame, and of advertisements that nobody asked for."""
TEXTS: tuple[tuple[str, str, Callable[[Sequence[str]], float]], ...] = (
    (
        r"positive|good|happy|pos|like",
        r"negative|bad|unhappy|sad|neg|dislike",
        lambda words: sum(one in GOOD for one in words) - sum(one in BAD for one in words),
    ),
    (
        r"spam|junk",
        r"ham|ok|okay|legitimate|genuine",
        lambda words: sum(one in TEMPTING for one in words) - 0.5,
    ),
)
"""Two words, and how much a text is of the first; 0 if that isn't known."""
LANGUAGES: Mapping[str, frozenset[str]] = {
    name: frozenset(WORD.findall(words))
    for name, words in {
        "english": "the and of is to it was not are with this that they have so from",
        "german": "der die das und nicht ich ist sie ein eine mit den dem auf wir habe zu es",
        "french": "le la les et je ne pas dans une des est pour que sur vous nous il du au",
        "spanish": "el los las y que no para pero una es con por del se como muy lo",
        "italian": "il della non sono che di ma gli una per con del questo anche piu alla idea",
        "dutch": "het een niet van en dat ik de is zijn met voor op maar ook naar",
        "portuguese": "os nao uma que para com por mas isso ele ela muito tambem um do da em",
    }.items()
}
ALSO = {
    "english": "english|en|eng",
    "german": "german|deutsch|de|deu|ger",
    "french": "french|fran.ais|fr|fra|fre",
    "spanish": "spanish|espa.ol|es|spa",
    "italian": "italian|italiano|it|ita",
    "dutch": "dutch|nederlands|nl|nld",
    "portuguese": "portuguese|portugu.s|pt|por",
}
"""How languages are named."""
FEWEST_WORDS, MARGIN = 3, 2


class Meanings(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._heard = Heard()
        self._answered = False

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        self._answered = self._answered or (event.operation == "compute" and event.error is None)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answered:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        said = filled_lines(self._heard.text)
        if not FEWEST_LINES <= len(said) <= MOST_LINES:
            return
        for name, data in self._files():
            if len(data) > MOST_FILE or b"\0" in data:
                continue
            sheet = sheet_of(name, data)
            wrong = of_table(sheet, said) if sheet is not None else ""
            wrong = wrong or (exchanged_names(sheet, said) if sheet is not None else "")
            if wrong := wrong or of_texts(name, filled_lines(data.decode("utf-8", "replace")), said):
                yield "answer", wrong
                return


def words_of(more: str, less: str, said: Sequence[str]) -> list[bool | None]:
    """Returns for each line that says one of two words, whether it is the first, or None if it says both."""
    first = re.compile(rf"(?<!\w)(?:{more})(?!\w)", re.IGNORECASE)
    second = re.compile(rf"(?<!\w)(?:{less}|{DENIAL}(?:{more}))(?!\w)", re.IGNORECASE)
    found: list[bool | None] = []
    for line in said:
        is_less = second.search(line) is not None
        is_more = first.search(second.sub("", line)) is not None
        if is_more or is_less:
            found.append(None if is_more and is_less else is_more)
    return found


def is_contrary(pairs: Sequence[tuple[bool, float]]) -> bool:
    """Whether lines that are said to be more have less, nearly all."""
    more, less = ([value for is_more, value in pairs if is_more is kind] for kind in (True, False))
    if min(len(more), len(less)) < FEWEST_OF_ONE or len(pairs) < FEWEST_LINES:
        return False
    right = sum((one > other) + 0.5 * (one == other) for one in more for other in less)
    return right <= CONTRARY * len(more) * len(less)


def is_far_apart(kinds: Sequence[bool | None], columns: Any) -> bool:
    """Whether the only line that is said to be more has far less than all others, or the only one that is
    less far more: in each of several columns it lies as far from them as they do from each other."""
    single = next((one for one in (True, False) if kinds.count(one) == 1), None)
    if single is None or None in kinds or columns.shape[1] < FEWEST_COLUMNS:
        return False
    at = kinds.index(single)
    others = numpy.delete(columns, at, axis=0)
    if len(others) < FEWEST_OTHERS:
        return False
    low, high = others.min(axis=0), others.max(axis=0)
    away = low - columns[at] if single else columns[at] - high
    return bool(((high > low) & (away >= high - low)).all())


def of_table(sheet: Sheet, said: Sequence[str]) -> str:
    """Returns what is wrong with words that are said of a table's lines, or "" if nothing is."""
    headings = [one.strip('" ').lower() for one in sheet.headings] or circles_in(sheet)
    for kind in TABLES:
        columns = [at for at, one in enumerate(headings) if re.search(kind.column, one)]
        if not columns:
            continue
        about = without_names(kind, said)
        telling = [line for line in about if words_of(kind.more, kind.less, [line])]
        about = about_each(telling, len(sheet.rows))
        denied = f"{DENIAL}(?:{kind.more})"
        for kinds, names in (
            (words_of(kind.more, kind.less, about), (kind.more, f"{denied}|{kind.less}")),
            chances_of(kind, said),
        ):
            if len(kinds) != len(sheet.rows) or words_of(kind.more, kind.less, sheet.raw):
                continue
            if are_contrary(kinds, sheet.numbers[:, columns]):
                more, less = (word_in(one, about) for one in names)
                return exchanged(sheet, columns[0], headings[columns[0]], kinds, more, less)
    return ""


def are_contrary(kinds: Sequence[bool | None], columns: Any) -> bool:
    """Whether lines that are said to be more have less, by these columns."""
    amounts = together(columns)
    pairs = [
        (one, amount)
        for one, amount in zip(kinds, amounts, strict=True)
        if one is not None and amount == amount
    ]
    return is_far_apart(kinds, columns) or is_contrary(pairs)


def exchanged(
    sheet: Sheet, column: int, heading: str, kinds: Sequence[bool | None], more: str, less: str
) -> str:
    """The hint about a table's lines that are said to be more, and have less in a column."""
    values = sheet.numbers[:, column]
    named = sheet.named(column) + ("" if sheet.headings else f" (a {heading})")
    first, second = (
        values[[at for at, one in enumerate(kinds) if one is which and values[at] == values[at]]].mean()
        for which in (True, False)
    )
    return (
        f'the lines of {sheet.name} that are said to be "{more}" have {first:.4g} in '
        f'{named} on average, and those said to be "{less}" {second:.4g}; it is '
        "the other way round: are the two names exchanged?"
    )


def chances_of(kind: Kind, said: Sequence[str]) -> tuple[list[bool | None], tuple[str, str]]:
    """Returns for each line that says how likely one of two words is, always the same one, whether it is
    likely to be the first, or None if it may well be either; and what is said then."""
    for word, is_more in ((kind.more, True), (kind.less, False)):
        before, behind = (
            re.compile(rf"(?<!\w){one}(?!\w)", re.IGNORECASE)
            for one in (
                rf"(?P<word>{word}){BETWEEN}(?P<chance>{CHANCE})",
                rf"(?P<chance>{CHANCE}){OF}(?P<word>{word})",
            )
        )
        told = before if any(map(before.search, said)) else behind
        found = [(line, one) for line in said if (one := told.search(line))]
        if not found or words_of(kind.more, kind.less, [line for line, _ in found]) != [is_more] * len(found):
            continue  # both are said, or what isn't so
        if len({one["word"].lower() for _, one in found}) > 1:
            continue
        name, chances = found[0][1]["word"], [one["chance"] for _, one in found]
        shares = [float(DECIMALS.split(one)[0]) / (1 if one[-1].isdecimal() else 100) for one in chances]
        kinds = [None if LOW < one < 1 - LOW else (one > 0.5) is is_more for one in shares]
        likely, unlikely = f"{name} by a high number", f"{name} by a low one"
        return kinds, (likely, unlikely) if is_more else (unlikely, likely)
    return [], ("", "")


def about_each(said: Sequence[str], count: int) -> Sequence[str]:
    """The lines that are about one thing each, of so many, without those above and below that count
    them: just as many begin alike, up to a number. Where no such lines are known it is all of them."""
    begun = [DIGIT.split(one)[0].strip() if DIGIT.search(one) else "" for one in said]
    found = Counter(begun)
    ways = [one for one, times in found.items() if one and times == count]
    if len(said) <= count or len(ways) != 1:
        return said
    return [one for one, way in zip(said, begun, strict=True) if way == ways[0]]


def without_names(kind: Kind, said: Sequence[str]) -> Sequence[str]:
    """Lines without the word that stands before a number in all of them that say one of two words: that names
    the number, and not the class."""
    word = re.compile(rf"(?<!\w)({kind.more}|{kind.less})\W{{0,3}}(?=\d)", re.IGNORECASE)
    telling = [line for line in said if words_of(kind.more, kind.less, [line])]
    found = [{one.lower() for one in word.findall(line)} for line in telling]
    if not found or len(found[0]) != 1 or any(one != found[0] for one in found):
        return said
    return [word.sub("", line) for line in said]


def circles_in(sheet: Sheet) -> Sequence[str]:
    """Headings for the columns of a table that has none, of things that are nearly round: a radius, and a
    perimeter and an area to which it belongs in all lines; () if there are no such columns."""
    numbers = sheet.numbers
    headings = [""] * numbers.shape[1]
    for radius in range(numbers.shape[1]):
        with numpy.errstate(all="ignore"):
            round_ = numbers / (2 * numpy.pi * numbers[:, [radius]])
            filled = numbers / (numpy.pi * numbers[:, [radius]] ** 2)
        for ratio, (low, high), name in ((round_, ROUND, "perimeter"), (filled, FILLED, "area")):
            fitting = ((ratio > low) & (ratio < high)).all(axis=0)
            if fitting.sum() == 1:
                headings[int(fitting.argmax())] = name
        if {"perimeter", "area"} <= {*headings} and len({*numbers[:, radius]}) >= FEWEST_LINES:
            headings[radius] = "radius"
            return headings
        headings = [""] * numbers.shape[1]
    return ()


def together(columns: Any) -> list[float]:
    """One amount for each line: its mean over columns that are each scaled."""
    spread = columns.std(axis=0)
    scaled = (columns - columns.mean(axis=0)) / (spread + (spread == 0))
    found: list[float] = scaled.mean(axis=1).tolist()
    return found


def word_in(pattern: str, said: Sequence[str]) -> str:
    """How a word is written."""
    found = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", "\n".join(said), re.IGNORECASE)
    return found[0] if found else pattern


def of_texts(file: str, texts: Sequence[str], said: Sequence[str]) -> str:
    """Returns what is wrong with words that are said of a file's lines, or "" if nothing is."""
    texts = [one.strip() for one in texts]
    if not FEWEST_LINES <= len(texts) <= MOST_LINES or sum(" " in one for one in texts) < len(texts) / 2:
        return ""
    about = said_of(texts, about_each(said, len(texts)))
    if not about:
        return ""
    words = [[one.lower() for one in WORD.findall(text)] for text in texts]
    for more, less, much in TEXTS:
        kinds = [words_of(more, less, [one]) for one in about]
        if not all(kinds):
            continue
        amounts = [*zip((one[0] for one in kinds), map(much, words), strict=True)]
        if is_contrary([(one, value) for one, value in amounts if one is not None and value]):
            at = next(at for at, (one, value) in enumerate(amounts) if one is not None and one != (value > 0))
            return (
                f'the guest says "{about[at].strip()[:20]}" of the line "{texts[at][:40]}" in {file}, and '
                "of the others, too, the contrary of what they say: are the two names exchanged?"
            )
    return in_languages(file, texts, words, about)


def said_of(texts: Sequence[str], said: Sequence[str]) -> list[str]:
    """Returns what is written of each text, without what is written of the text itself, or [] if that isn't
    known."""
    if len(said) == len(texts):
        own = [
            next((at for at in range(len(one), SHOWN - 1, -1) if one[:at] in line), 0)
            for one, line in zip(texts, said, strict=True)
        ]
        return [
            line.replace(one[:at], " ") if at else line
            for one, line, at in zip(texts, said, own, strict=True)
        ]
    return []


def in_languages(
    file: str, texts: Sequence[str], words: Sequence[Sequence[str]], about: Sequence[str]
) -> str:
    """Lines in one language of which another one is said, always the same."""
    pairs = [(language_of(one), said_language(line)) for one, line in zip(words, about, strict=True)]
    known = [(at, own, said) for at, (own, said) in enumerate(pairs) if own and said]
    wrong = [one for one in known if one[1] != one[2]]
    names = {said for _, said in pairs if said}
    ways = {(own, said) for _, own, said in known}
    if len(known) < FEWEST_LINES or len(wrong) < MOSTLY * len(known):
        return ""
    is_order = len({own for own, _ in ways}) == len(ways) == len({said for _, said in ways})
    if not is_order or not {own for _, own, _ in wrong} & names:
        return ""
    at, own, said = wrong[0]
    return (
        f'the line "{texts[at][:30]}" in {file} is {own.capitalize()} by its words, and the guest says '
        f"{said}; so {len(wrong)} of {len(known)} lines: has it the names of languages in another order than "
        "the model?"
    )


def language_of(words: Sequence[str]) -> str:
    """Returns the language of a text, or "" if it isn't plain."""
    counts = Counter({name: sum(one in known for one in words) for name, known in LANGUAGES.items()})
    (best, most), (_, next_) = counts.most_common(2)
    return best if most >= FEWEST_WORDS and most >= next_ + MARGIN else ""


def said_language(line: str) -> str:
    found = [
        name for name, ways in ALSO.items() if re.search(rf"(?<!\w)(?:{ways})(?!\w)", line, re.IGNORECASE)
    ]
    return found[0] if len(found) == 1 else ""
