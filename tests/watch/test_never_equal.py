"""Names of lists and tables that a program compares as they were read, with what is left on them; and twins
that take it away."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Asked
from pywasm_nn.watch.probes.never_equal import are_read, never_equal
from tests.watch import test_uses_of_answers as uses

KINDS = ("oak", "poplar", "yew", "sycamore")
LEFT = {
    "CR": lambda name: name + "\r",
    "blanks": lambda name: name + "  ",
    "quotes": lambda name: f'"{name}"',
    "capitals": str.capitalize,
}
TAKEN: dict[str, Callable[[str], str]] = {
    "CR": lambda name: name.removesuffix("\r"),
    "blanks": str.rstrip,
    "quotes": lambda name: name.strip('"'),
    "capitals": str.lower,
}
COMPUTES = 6


def asked(say: uses.Say, outputs: Any, file: tuple[str, str], words: bytes = b"") -> Asked:
    made = uses.asked_of(say, outputs, computes=COMPUTES, files=[(file[0], file[1].encode())])
    made._memory = SimpleNamespace(size=len(words), view=lambda start, size: words)  # type: ignore[assignment]
    return made


def answer(count: int, *, logits: bool, rows: int = 1) -> Any:
    made = numpy.random.default_rng(count).dirichlet(numpy.ones(count), rows)
    return (numpy.log(made) if logits else made).astype("f4")


@pytest.mark.parametrize("left", [*LEFT])
@pytest.mark.parametrize("logits", [True, False])
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("form", ["{n} of {all} are {name}\n", "{name}: {n}\n", "{n} alarms\n"])
def test_counts_of_a_name_that_is_compared(left: str, count: int, form: str, *, logits: bool) -> None:
    names = KINDS[:count]
    read = [LEFT[left](name) for name in names]

    def guest(lines: list[str]) -> Asked:
        def say(answers: Any) -> str:
            said = [lines[int(row.argmax())] for one in answers for row in one[0]]
            word = names[1]
            return form.format(n=said.count(word), all=len(said), name=word)

        held = (names[1] + "\0").encode()
        return asked(say, answer(count, logits=logits), ("kinds.txt", "\n".join(read) + "\n"), held)

    assert are_read(guest(read).files())
    found = never_equal(guest(read))
    assert "the names in kinds.txt" in found
    assert left in found
    assert never_equal(guest([TAKEN[left](one) for one in read])) == ""


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_answers_that_are_right_by_a_table(end: str) -> None:
    truth = [KINDS[at % 3] for at in range(COMPUTES)]
    table = "height,kind" + end + "".join(f"{at},{one}{end}" for at, one in enumerate(truth))

    def guest(*, strips: bool, form: str) -> str:
        lines = [line.rstrip("\r") if strips else line for line in table.split("\n")[1:]]
        right = [line.split(",")[-1] for line in lines]

        def say(answers: Any) -> str:
            said = [KINDS[int(one[0].argmax())] for one in answers]
            hits = sum(one == other for one, other in zip(said, right, strict=False))
            return form.format(hits, len(said), 100 * hits / len(said))

        return never_equal(asked(say, answer(3, logits=True), ("trees.csv", table)))

    for form in ("{0} of {1} right\n", "accuracy {2:.1f} %\n"):
        assert ("the lines of trees.csv end with CR LF" in guest(strips=False, form=form)) is (end != "\n")
        assert guest(strips=True, form=form) == ""


@pytest.mark.parametrize(
    "say",
    [
        lambda answers: "0 skipped\n" + "".join(f"{KINDS[int(one[0].argmax())]}\n" for one in answers),
        lambda answers: "0 oak, 1 poplar, 2 yew\n" + str(sum(int(one[0].argmax()) for one in answers)),
        lambda answers: f"0 missed\n{sum(float(one[0].max()) for one in answers):.3f}\n",
        lambda answers: f"{len({int(one[0].argmax()) for one in answers}) - 1} changes\n",
        lambda answers: f"oak: {sum(int(one[0].argmax()) == 0 for one in answers)}\n",
    ],
)
def test_other_lines_with_nothing(say: uses.Say) -> None:
    """Compared with nothing, though the list ends with CR LF."""
    file = ("kinds.txt", "".join(one + "\r\n" for one in KINDS[:3]))
    assert never_equal(asked(say, answer(3, logits=True), file, b"oak\0poplar\0")) == ""


@pytest.mark.parametrize(
    "text",
    ["oak\nyew\n", "oak\nyew", "1\r\n2\r\n", "oak,a\nyew,b\noak,a\n", "", "x\r\n", "oak,1\r\nyew,2\r\n"],
)
def test_lists_with_nothing_left_on_them(text: str) -> None:
    assert not are_read([("kinds.txt", text.encode())])
