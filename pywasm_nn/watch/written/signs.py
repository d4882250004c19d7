"""Signs that a model reads at several places, as of number plates and captchas, whose files are often named
after what they show: are the letters and digits counted in the order of the model?

What is here: `Signs`. The name of a file says which order is right. What is not: alphabets in files
(`recognised.py`), and the first letter of classes (`probes/letters.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from string import ascii_lowercase, ascii_uppercase, digits

from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower
from ..regex import regex
from ..spoken import Heard
from ..surroundings import Files
from .at_steps import outputs_of_steps

MOST_ANSWERS = 16
PLACES, CLASSES = range(3, 65), range(2, 65)
FEWEST, DIFFERENT = 4, 3
"""Signs of a name, and different ones among them, which are those of an answer by no chance."""
PARTS = regex(r"[A-Za-z0-9]+")
KINDS = {"0 to 9": digits, "A to Z": ascii_uppercase, "a to z": ascii_lowercase}


class Order(Frozen):
    """Signs in the order in which classes are counted, and that order in words."""

    said: str
    signs: str


def orders() -> Iterator[Order]:
    """The usual orders."""
    for several in (
        ("0 to 9", "A to Z"), ("A to Z", "0 to 9"), ("0 to 9", "a to z"), ("a to z", "0 to 9"), ("A to Z",),
        ("a to z",), ("0 to 9", "A to Z", "a to z"), ("0 to 9", "a to z", "A to Z"),
        ("A to Z", "a to z", "0 to 9"), ("a to z", "A to Z", "0 to 9"), ("A to Z", "a to z"),
    ):  # fmt: skip
        yield Order(", then ".join(several), "".join(KINDS[one] for one in several))


ORDERS = tuple(orders())


class Steps(Frozen):
    """An output, how many classes it has, and the best class at each place."""

    what: str
    classes: int
    best: tuple[int, ...]

    def texts(self) -> Iterator[tuple[Order, int, str]]:
        """Yields what the classes spell in each order, from which class on: as they are, or without repeats
        and the blank, which is the first or the last class (CTC)."""
        merged = [one for one, _ in groupby(self.best)]
        for order in ORDERS:
            count = len(order.signs)
            if self.classes == count:
                yield order, 0, "".join(order.signs[one] for one in self.best)
            for first in (0, 1) if self.classes == count + 1 else ():
                kept = [one - first for one in merged if 0 <= one - first < count]
                yield order, first, "".join(order.signs[one] for one in kept)


class Signs(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files = tuple, arguments: Sequence[str] = ()) -> None:
        self._files, self._arguments = files, arguments
        self._answers: list[Steps] = []
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        left = MOST_ANSWERS - len(self._answers)
        for what, numbers in islice(outputs_of_steps(event, PLACES, CLASSES), left):
            best = tuple(numbers.argmax(axis=1).tolist())
            self._answers.append(Steps(what, numbers.shape[1], best))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._answers:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if the guest wrote what another order makes of an answer."""
        text = "".join(self._heard.text.split())
        names = dict.fromkeys([*(name for name, _ in self._files()), *self._arguments[1:]])
        for steps in self._answers if text else ():
            texts = [*steps.texts()]
            for name in names:
                if said := misread(texts, name, text):
                    yield "answer", f"{steps.what}: {said}"
                    return


def misread(texts: Sequence[tuple[Order, int, str]], name: str, text: str) -> str:
    """Returns what is wrong with a text, if a file is named after what the answer spells in another order, or
    "" if nothing is."""
    parts = {one.lower() for one in PARTS.findall(name) if len({*one.lower()}) >= DIFFERENT}
    right = [one for one in texts if len(one[2]) >= FEWEST and one[2].lower() in parts]
    if not right or any(one[2].lower() in text.replace(name, "").lower() for one in right):
        return ""
    for order, first, read in texts:
        meant, at, own = right[0]
        if read.lower() == own.lower() or read not in text:
            continue
        if order.said == meant.said:
            return (
                f'the guest says "{read}", which counts the signs from class {first} on; from class {at} on '
                f'it is "{own}", as {name} is named'
            )
        return (
            f'the guest says "{read}", which counts classes {order.said}; counted {meant.said} it is '
            f'"{own}", as {name} is named'
        )
    return ""
