"""What passes `HintsOnly`."""

from __future__ import annotations

from pywasm_nn.watch import events
from pywasm_nn.watch.hints_only import MOST_HELD, HintsOnly


def returned(number: int) -> events.Event:
    return events.Return(
        number=number, at=0.0, thread=0, funcidx=0, function="f", depth=1, results=(), left=False
    )


def hint(number: int, about: int) -> events.Hint:
    return events.Hint(number=number, at=0.0, thread=0, rule="layout", text="odd", about=about)


def origin(number: int, about: int, text: str) -> events.Origin:
    return events.Origin(number=number, at=0.0, thread=0, text=text, about=about)


def numbers(given: list[events.Event]) -> list[int]:
    shown: list[int] = []
    sink = HintsOnly(lambda event: shown.append(event.number))
    for event in given:
        sink(event)
    return shown


def test_a_hint_comes_with_its_subject() -> None:
    assert numbers([returned(1), returned(2), returned(3), hint(4, 2), hint(5, 2), returned(6)]) == [2, 4, 5]


def test_a_hint_whose_subject_is_long_ago_comes_alone() -> None:
    many = [returned(number) for number in range(1, MOST_HELD + 2)]
    assert numbers([*many, hint(9000, 1)]) == [9000]


def test_origins_are_told_once_for_each_input() -> None:
    given = [
        returned(1), origin(2, 1, 'input 0 "x": a.png, RGB'),
        returned(3), origin(4, 3, 'input 0 "x": b.png, RGB'),
        returned(5), origin(6, 5, 'input 1 "y": b.png, RGB'),
    ]  # fmt: skip
    assert numbers(given) == [1, 2, 5, 6]
