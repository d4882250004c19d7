"""Things that are recommended to somebody who has them already. The mistake has right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.known_items import KnownItems

ORDER = numpy.random.default_rng(18)
TITLES = [f"{one}{two}a" for one in ("Bo", "Ka", "Mi", "Su") for two in ("ren", "lot", "win")]
USERS = 6
SCORES = ORDER.normal(3, 1, (USERS, len(TITLES)))
SEEN = {(user, int(item)) for user in range(USERS) for item in ORDER.permutation(len(TITLES))[:4]}
SEEN |= {(user, int(SCORES[user].argmax())) for user in range(USERS)}


def files(first: int, *, numbered: bool) -> list[tuple[str, bytes]]:
    """A list of books, and who has read which, counted from `first`."""
    lines = [f"{first + row}|{title}" if numbered else title for row, title in enumerate(TITLES)]
    pairs = [f"{first + user},{first + item},{3 + item % 3}" for user, item in sorted(SEEN)]
    table = "\n".join(["reader,book,stars", *pairs])
    return [("books.txt", "\n".join(lines).encode()), ("read.csv", table.encode())]


def hint(
    kept: Any,
    heading: str = "next for reader {}:",
    *,
    read: list[tuple[str, bytes]] | None = None,
    users: range = range(USERS),
    scored: Any = lambda user, item: True,
) -> str:
    """What is said of a guest that writes the best three of the books that it keeps for each reader."""
    rule = KnownItems(lambda: files(1, numbered=True) if read is None else read)

    def tell(operation: str, index: int, name: str, array: Any) -> None:
        event: Any = SimpleNamespace(
            operation=operation, index=index, tensors=(Tensor.from_numpy(array),), error=None, context_id=0,
            specs=(SimpleNamespace(name=name),), given=(),
        )  # fmt: skip
        rule.nn_event(event)

    for user in users:
        items = numpy.array([item for item in range(len(TITLES)) if scored(user, item)], "i8")
        tell("set_input", 0, "reader", numpy.full(len(items), user, "i8"))
        tell("set_input", 1, "item", items)
        tell("get_output", 0, "score", SCORES[user][items].astype("f4"))
        best = [int(item) for item in items[numpy.argsort(-SCORES[user][items])] if kept(user, int(item))]
        text = heading.format(user) + ", ".join(
            f" {TITLES[item]} {SCORES[user][item]:.2f}" for item in best[:3]
        )
        written: Any = SimpleNamespace(
            name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [f"{text}\n".encode()])), result=0
        )
        rule.host_call(written)
    return "".join(text for _, text in rule.finish())


def unread(user: int, item: int) -> bool:
    return (user, item) not in SEEN


def everything(user: int, item: int) -> bool:
    return True


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("first", [0, 1])
def test_books_that_were_read_are_recommended(first: int, numbered: bool) -> None:
    read = files(first, numbered=numbered)
    for users in (range(USERS), range(4, 5)):
        assert "read.csv has a line with that and the same reader already" in hint(
            everything, read=read, users=users
        )
        assert hint(unread, read=read, users=users) == "", "left out behind the answer"
        assert hint(unread, read=read, users=users, scored=unread) == "", "left out before it"


def test_books_that_are_written_for_another_reason() -> None:
    assert hint(everything, "reader {} likes:") == ""
    for words in ("next basket of {}:", "{} might read again:", "predicted ratings, next reader {}:"):
        assert hint(everything, words) == "", "the same may be meant"
    assert hint(lambda user, item: not unread(user, item)) == "", "nothing but what was read"
    assert hint(lambda user, item: item % 2 == user % 2) == "", "not the best of all"
    assert hint(everything, read=files(1, numbered=True)[:1]) == "", "nobody knows who has read what"
