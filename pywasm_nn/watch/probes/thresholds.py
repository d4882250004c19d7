"""Where a guest says yes: at which logit, or share, does what it writes change?

What is here: `on_logits`, `passed_by_one` for other levels than 0.5, `of_shares` and `below_all` for a map,
`never_passed` for many answers. All elements are made the same, such as a little below and above 0.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..origin.comparing import sigmoid
from ..regex import regex
from ..spoken import NUMBER, PERCENT, Word, filled_lines
from ..written.unscored import SCORES
from .asked import Asked, Given
from .raw import CLEAR_UNITS
from .suppression import Boxes, boxes_of

BELOW, ABOVE = 0.47, 0.53
"""By a sigmoid these are 0.615 and 0.629, between which nobody decides."""
JUST_BELOW, JUST_ABOVE = 0.499, 0.501
"""Between these is 0.5, and hardly a number with which the answer is compared, such as the last one sent."""
FAR = 6.0
LEVELS = [round(0.05 * count, 2) for count in range(1, 20)]
"""Usual thresholds of shares. The logit of none of them is within `CLOSE` of another."""
BETWEEN, CLOSE = 0.025, 0.0005
LOGITS = -2.0, -4.0, 1.5
"""The largest least element of logits; and for outputs that are named scores, the largest least and the
smallest largest one."""
DIGITS = 2
ROUND = 256.0
"""Round numbers are multiples of 1 / `ROUND`."""
MANY = 64
"""So many elements from 0 to 1 are shares."""
LITTLE, HALF, NEARLY, BEYOND = 0.004, 0.5, 0.97, 200.0
"""Shares between which everybody decides, and what is none."""
UNLIKE, SURE, PERCENTS = 4.0, 0.3, 100.0
"""How many times as large as the smallest share of a map the largest is at least, the least that this
is, and what all of it is in percent."""
BYTES, WHOLE = (0, 2, 250), (0.9, 1.1)
BELOW_NOTHING = -0.05
"""Logits are less than probabilities can be. An amount that passes 0.5, such as rain, is not."""
AROUND = (-0.25, 1.5)
"""The range of scores that a model was trained to have from 0 to 1, without a sigmoid that keeps them
there."""
SHARES = 0.001, 0.999, 1.0, 100.0
PROBABLE = regex(
    r"prob|score|conf|speech|voice|(?:^|[^a-z])vad(?:[^a-z]|$)|wake|keyword|sigmoid|silero|detect",
    re.IGNORECASE,
)
"""By such a name of an output or a model its number is a probability."""
DENIALS = frozenset({"no", "not", "nobody", "nothing", "none", "never", "without", "isn", "doesn", "t"})
FOLDERS = frozenset({"no", "not", "without"})
"""Denials by which folders of examples are named, beside those of a thing."""
UNNAMED = regex(
    r"^(?:[xyp]|out(?:put)?s?|dense|sigmoid|activation|predictions?|result|identity|statefulpartitionedcall)?"
    r"[\W\d_]*$",
    re.IGNORECASE,
)
"""Names of outputs that say nothing of what they have."""
ABSENCE = regex(
    r"(?:^|[^a-z])(?:no|not|non|un\w*|absen\w*|silen\w*|background|miss\w*|empty|free|error|negative"
    r"|ham|ok|normal|good|benign|healthy|clean|real|genuine|legit\w*|safe|intact|pass(?:ed)?)(?:[^a-z]|$)"
)
"""An output with such a name is the probability that there is nothing, or nothing wrong."""
AMOUNT = regex(
    r"(?:^|[^a-z])(?:delta|diff(?:erence)?|changes?|trend|rise|height|elevation|depth|levels?|speed|velocity|angles?"
    r"|offsets?|returns?|anomal(?:y|ies)|temp(?:erature)?|flow|displacements?|residuals?|errors?"
    r"|gains?|profits?|rain|demand|margins?|hyperplane|decision(?:_function)?|balance|force|torque|pressure)(?:[^a-z]|$)"
)
"""An output with such a name is an amount, which may be less than 0."""
INVALID = regex(
    r"error|invalid|fail|broken|empty|missing|impossible|out of range|\?"
    r"|\bno(?:t a)? (?:answer|output|result|number|probability)",
    re.IGNORECASE,
)
"""Words of a guest that makes sure that it got an answer at all."""
BOTH_SIGNS = regex(
    r"simil|cosin|(?:^|[^a-z])cos(?:[^a-z]|$)|\bsame\b|alike|match|verif|siam|embed|duplicat|polarit|sentiment|valence"
    r"|arousal|opinion|mood|stance|steer|tanh|correl|ndvi|index|advantage|reward|(?:^|[^a-z])(?:value|eval)(?:[^a-z]|$)",
    re.IGNORECASE,
)
"""Words for what is from -1 to 1, as likenesses are and what tanh makes."""
WITH_UNIT = regex(r"([-+]?\d+\.\d+)\s?([A-Za-z°]{1,12})")
WORD = regex(r"[a-z]+")
LONGEST, FEWEST_LETTERS = 40, 4
DECIMAL = regex(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")


def on_logits(asked: Asked) -> str:
    """Returns a hint about a threshold of 0.5 on elements that are no probabilities, or "" if there is
    none."""
    for index, output in asked.fetched():
        array = output.array
        is_named = "logit" in output.what.lower()
        if array.dtype.kind != "f" or not numpy.isfinite(array).all():
            continue
        if not is_named and (array.min() > BELOW_NOTHING or are_around(array)):
            continue
        if not is_named and (is_amount(output, asked.control.text) or are_of_a_filter(array)):
            continue
        if "logit" in asked.control.text.lower():  # the guest knows what it compares
            continue
        near = [decided(asked, index, output, one) for one in (BELOW, ABOVE)]
        if None in near or near[0] == near[1]:
            continue
        names = f"{output.what} {asked.model} {near[0]} {near[1]}"
        if not is_named and abs(array).max() <= 1 and BOTH_SIGNS.search(names):
            continue
        if all(
            near == [decided(asked, index, output, one) for one in pair]
            for pair in ((-FAR, FAR), (JUST_BELOW, JUST_ABOVE))
        ):
            return (
                f"{output.what}: what the guest writes changes where its elements pass 0.5; they are logits, "
                f"here from {array.min():.4g} to {array.max():.4g}: a sigmoid or softmax makes probabilities "
                "of them, and 0.5 is logit 0"
            )
    return ""


def passed_by_one(asked: Asked) -> str:
    """Returns a hint about another usual share that is compared with logits, by one element that alone isn't
    far below 0, or "" if there is none."""
    boxes = boxes_of(asked)
    for index, output in asked.fetched():
        array = output.array
        is_place = boxes is not None and boxes.index != index
        if is_place or array.dtype.kind != "f" or array.min() > LOGITS[0]:
            continue
        say = with_one(asked, index, boxes)
        level, texts = passed(say)
        if level is None or level == 0.5:
            continue
        is_named = bool(SCORES.search(output.what)) and array.min() <= LOGITS[1] and array.max() >= LOGITS[2]
        is_squashed = len(texts) > 1 and all(has_sigmoid(text, value) for value, text in texts.items())
        if is_named or is_squashed:
            return (
                f"{output.what}: what the guest writes changes where one element passes {level:g}, a usual "
                f"share; its elements are logits, here from {array.min():.4g} to {array.max():.4g}, of which "
                f"a sigmoid makes {sigmoid(level):.3g} there: is the sigmoid to be compared with {level:g}?"
            )
    return ""


def with_one(asked: Asked, index: int, boxes: Boxes | None) -> Callable[[float], str | None]:
    """Returns what is written if one element alone is a number, the largest one or that of the surest box."""
    array, best = asked.outputs[index].array, boxes.best if boxes is not None else None

    def say(value: float) -> str | None:
        if boxes is None or best is None:
            made = numpy.full(array.shape, array.min(), array.dtype)
            made.reshape(-1)[array.argmax()] = value
            return asked.text(index, made)
        answers = boxes.made(best, {best: 1.0})
        scores = boxes.rows(answers[index])[best, boxes.columns]
        scores[scores.argmax()] = value
        return asked.said(answers)

    return say


def passed(say: Callable[[float], str | None]) -> tuple[float | None, dict[float, str]]:
    """Returns the usual share at which alone what is written changes, or None, and the texts above it, by
    number."""
    values = [LEVELS[0] - BETWEEN, *(level + BETWEEN for level in LEVELS)]
    texts: dict[float, str] = {}

    def without_shares(value: float) -> str | None:
        if (text := say(value)) is None:
            return None
        texts[value] = text
        return DECIMAL.sub("#", PERCENT.sub("#", text))

    low, high = 0, len(values) - 1
    below, above = (without_shares(values[at]) for at in (low, high))
    if None in (below, above) or below == above:
        return None, {}
    while high - low > 1:
        middle = (low + high) // 2
        found = without_shares(values[middle])
        if found not in (below, above):
            return None, {}
        low, high = (middle, high) if found == below else (low, middle)
    level = LEVELS[low]
    if without_shares(level - CLOSE) != below or without_shares(level + CLOSE) != above:
        return None, {}
    return level, {value: text for value, text in texts.items() if value > level}


def has_sigmoid(text: str, value: float) -> bool:
    """Whether the sigmoid of a number stands in a text, also in percent."""
    words = [Word.of(one) for one in NUMBER.findall(text)]
    return any(
        word.digits >= DIGITS and bool(word.fits(by * sigmoid(value)))
        for word in words
        for by in (1.0, 100.0)
    )


def is_amount(output: Given, text: str) -> bool:
    """Whether elements are amounts by the output's name, or by a unit that is written behind one of them:
    half of a unit is a threshold like any other."""
    title = output.what.partition('"')[2].lower()
    if AMOUNT.search(title) or {*WORD.findall(title)[1:]} & CLEAR_UNITS:
        return True
    flat = output.array.reshape(-1).astype("f8")
    return any(
        unit.lower() in CLEAR_UNITS and bool(Word.of(number).fits(flat).any())
        for number, unit in WITH_UNIT.findall(text)
    )


def are_of_a_filter(array: Any) -> bool:
    """Whether elements are what a filter with whole numbers makes of round ones, as no training leaves them:
    all of them are round themselves."""
    steps = array.astype("f8") * ROUND
    return bool(array.size > 1 and (steps == numpy.rint(steps)).all() and array.any())


def are_around(array: Any) -> bool:
    """Whether many elements are from 0 to 1, or nearly: scores to which a model was trained without a
    sigmoid, of which half of the way is 0.5. As many logits reach farther."""
    return bool(array.size >= MANY and array.min() >= AROUND[0] and array.max() <= AROUND[1])


def of_shares(asked: Asked) -> str:
    """Returns a hint about a threshold below all shares that there are, or "" if there is none."""
    for index, output in asked.fetched():
        array = output.array
        is_map = array.dtype.kind == "f" and len(output.lengths) > 1 and array.size >= MANY
        if not is_map or not 0 <= array.min() <= LITTLE or not NEARLY <= array.max() <= 1:
            continue
        if not ((array > LITTLE) & (array < HALF)).any():  # none of them is taken for what it isn't
            continue
        few, most = (alike(asked, index, output, one) for one in (LITTLE, NEARLY))
        if few is None or few != most:
            continue
        none, beyond = (alike(asked, index, output, one) for one in (0.0, BEYOND))
        is_same = none is not None and none != few == beyond == asked.text(index, uneven(array))
        if (
            is_same and asked.text(index, uneven(array, 0.0)) != few
        ):  # more than that there is something at all
            return (
                f"{output.what}: its elements are shares, from {array.min():.3g} to {array.max():.3g}; what "
                f"the guest writes is the same if all are {LITTLE} or {NEARLY}, and another if all are 0: "
                "does everything above 0 count, however small?"
            )
    return ""


def below_all(asked: Asked) -> str:
    """Returns a hint about a threshold below the smallest of many shares that differ, by which everything is
    said to be there, or "" if there is none."""
    for index, output in asked.fetched():
        array, own = output.array, asked.control.text
        is_map = array.dtype.kind == "f" and len(output.lengths) > 1 and array.size >= MANY
        if not is_map or not 0 < array.min() <= array.max() <= 1 or not says_all(own, output):
            continue
        low, high = float(array.min()), float(array.max())
        if high < max(SURE, UNLIKE * low):
            continue
        answers = (array * 0 + array.min(), uneven(array, low, high), array * 0)
        texts = [DECIMAL.sub("#", asked.text(index, one) or "") for one in answers]
        if DECIMAL.sub("#", own) == texts[0] == texts[1] != texts[2] != "":
            return (
                f"{output.what}: its elements are shares from {low:.2g} to {high:.2g}, and what the guest "
                "writes is the same if all are the smallest one, and another if all are 0: its threshold is "
                f"below {low:.2g}, so that each element counts, and everything is said to be there: is it "
                "too low?"
            )
    return ""


def says_all(text: str, output: Given) -> bool:
    """Whether a text may say that everything is there: it has a line for each row or column of an answer, or
    says how many there are, or elements, or all percents."""
    lengths, lines = output.lengths, len(filled_lines(text))
    said = {float(word) for word in NUMBER.findall(text)}
    is_whole = any(float(word) == PERCENTS for word in PERCENT.findall(text))
    return is_whole or lines >= min(lengths) or bool(said & {*lengths, output.array.size})


def uneven(array: Any, low: float = LITTLE, high: float = NEARLY) -> Any:
    """Shares above 0 of different size, which count alike if all above 0 do; the largest may be looked for,
    too."""
    made = numpy.full(array.shape, low, array.dtype)
    made.reshape(-1)[1::3] = high
    return made


def of_bytes(asked: Asked) -> str:
    """Returns a hint about bytes that stand for shares, of which all above 0 count, or "" if it isn't so."""
    for index, output in asked.fetched():
        is_map = len(output.lengths) > 1 and output.array.size >= MANY
        if output.array.dtype.str != "|u1" or output.affine is None or not (is_map or output.array.size == 1):
            continue
        scale, zero = output.affine
        if zero or not WHOLE[0] <= scale * 255 <= WHOLE[1]:
            continue
        none, few, most = (decided(asked, index, output, one) for one in BYTES)
        if few and few == most and none and none != few:
            return (
                f"{output.what}: its bytes stand for shares from 0 to 1 (times {scale:.4g}), and what the "
                f"guest writes is the same if all are {BYTES[1]} or {BYTES[2]}, and another if all are 0: "
                "are bytes compared with a share, such as 0.5?"
            )
    return ""


def above_nothing(asked: Asked) -> str:
    """A word that is said of the smallest share as of the largest, and not of 0: supposed to be wrong, until
    more answers show that they are shares."""
    for index, output in asked.fetched():
        array = output.array
        if array.size != 1 or array.dtype.kind != "f" or not 0 < array.min() <= 1:
            continue
        ways = (decided(asked, index, output, one) for one in (SHARES[0], SHARES[1], 0.0, -SHARES[0]))
        little, much, none, less = ways
        if little and little == much and none and none == less != little and not INVALID.search(none):
            line = little.strip().splitlines()[0][:LONGEST]
            asked.supposed = (
                f'{output.what}: the guest says "{line}" of {SHARES[0]} as of {SHARES[1]}, and another '
                "thing of 0: does everything above 0 count? That is half of the way for logits; "
                "for probabilities it is 0.5"
            )
    return ""


def turned(asked: Asked) -> str:
    """What is said of a small share denies what is said of a large one, the wrong way round."""
    for index, output in asked.fetched():
        array = output.array
        if array.size != 1 or array.dtype.kind != "f" or not 0 <= array.min() <= array.max() <= 1:
            continue
        name = f"{output.what} {asked.model}".lower()
        texts = [decided(asked, index, output, value) for value in SHARES[:2]]
        if None in texts or ABSENCE.search(name):
            continue
        small, large = ({*WORD.findall((text or "").lower())} for text in texts)
        denied, named = (
            large - small,
            [word for word in small if len(word) >= FEWEST_LETTERS and word in name],
        )
        if denied and denied <= DENIALS and named and not are_sorted_first(output, named, denied):
            first, second = ((text or "").strip()[:LONGEST] for text in texts)
            return (
                f'{output.what}: the guest says "{second}" of a share of {SHARES[1]} and "{first}" of '
                f"{SHARES[0]}: is the comparison the wrong way round?"
            )
    return ""


def are_sorted_first(output: Given, named: Sequence[str], denied: Collection[str]) -> bool:
    """Whether a model that is named after a thing may give the share of its absence: where classes are
    folders, the second one by the alphabet is meant, and "mask" stands before "no mask". An output with a
    name of its own says what its share is of."""
    is_plain = UNNAMED.search(output.what.partition('"')[2].rstrip('"')) is not None
    folders = [word for word in denied if word in FOLDERS]
    return is_plain and bool(folders) and all(word < min(folders) for word in named)


def has_share(event: NNEvent) -> bool:
    """Whether an answer has an output of one number, which is a probability by its name and value."""
    for spec, tensor in zip(event.specs, event.tensors, strict=False):
        numbers = tensor.numbers()
        if numbers is not None and numbers.size == 1 and numbers.dtype.kind == "f":
            return 0 <= numbers[0] <= 1 and bool(PROBABLE.search(f"{spec.name} {event.model}"))
    return False


def never_passed(asked: Asked) -> str:
    """What a guest says of many answers, at its end, is the same for the smallest and the largest share."""
    for index, output in asked.fetched():
        if output.array.size != 1 or output.array.dtype.kind != "f":
            continue
        small, large, one, many = (decided(asked, index, output, value) for value in SHARES)
        if None in (small, large, one, many) or small != large:
            continue
        if one != large:
            return (
                f"{output.what}: what the guest writes at its end is the same if all answers are {SHARES[0]} "
                f"or {SHARES[1]}, and another if all are 1: is a share made a whole number, which cuts it?"
            )
        if many != large:
            return (
                f"{output.what}: what the guest writes at its end is the same if all answers are {SHARES[0]} "
                f"or 1, and another if all are {SHARES[3]:.0f}: is a share compared with percents?"
            )
    return ""


def alike(asked: Asked, index: int, output: Given, value: float) -> str | None:
    """Returns what a guest writes if all elements are this one."""
    return asked.text(index, numpy.full(output.array.shape, value, output.array.dtype))


def decided(asked: Asked, index: int, output: Given, value: float) -> str | None:
    """Returns what a guest writes if all elements are this one, without decimals, which may follow them."""
    text = alike(asked, index, output, value)
    return None if text is None else DECIMAL.sub("#", text)
