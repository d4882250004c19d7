"""A component in somebody's program: pickled, in a notebook, on two threads, after its end."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import BusyError, Component, Trap
from tests.component.components import component
from tests.component.shop import SHOP

GUESTS = Path(__file__).parents[1] / "guests" / "components"


@pytest.fixture(scope="module")
def shelf() -> Component:
    return Component.from_file(GUESTS / "shelf.wasm")


def test_a_component_is_pickled_as_its_bytes(shelf: Component) -> None:
    with shelf.instantiate() as instance:  # which makes classes
        instance.exports.shelf.Book("a", None)
    packed = pickle.dumps(shelf)
    assert len(packed) < len(shelf.data) + 500
    for again in (pickle.loads(packed), copy.copy(shelf), copy.deepcopy(shelf)):
        assert (again.name, again.data, again.wit()) == (shelf.name, shelf.data, shelf.wit())
        with again.instantiate() as instance:
            assert instance.exports.shelf.Book("Zoë", None).add("a") == 2


class Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def test_a_notebook_shows_exports_and_imports() -> None:
    text = Text()
    text.feed(Component(component(SHOP).data, "<script>alert(1)</script>.wasm")._repr_html_())
    assert text.tags == {"p", "table", "thead", "tbody", "tr", "th", "td", "code"}
    cells = text.cells
    assert "price: func(sku: string) -> money" in cells
    assert "constructor(owner: string)" in cells
    assert "flags options { express, gift-wrap, }" in cells
    assert "price-of: func(sku: string) -> money" in cells
    assert cells.count("shop:orders/stock@1.2.0") == 5
    assert any(cell.startswith("<script>alert(1)</script>.wasm: ") for cell in cells)


def test_a_large_world_makes_a_short_page() -> None:
    functions = "".join(f'(import "f{index}" (func (param "{"x" * 400}" u8)))' for index in range(3000))
    assert len(component(functions)._repr_html_()) < 100_000


@contextmanager
def reviewing(shelf: Component) -> Iterator[tuple[Any, Any, Any, Callable[[], Any]]]:
    """The instances of shelf and reader, while a book is reviewed on another thread; another book; and a
    function that lets the review end and returns its result."""
    asked, may_go_on = threading.Event(), threading.Event()

    def judge(text: str) -> int:
        asked.set()
        assert may_go_on.wait(60)
        return 1

    with shelf.instantiate() as books:
        imports = {"demo:library/shelf": books.exports.shelf, "demo:library/critics": {"judge": judge}}
        with (
            Component.from_file(GUESTS / "reader.wasm").instantiate(imports) as reader,
            ThreadPoolExecutor(1) as threads,
        ):
            book, other = (reader.exports.reading.write(title, ["a"]) for title in "ab")
            running = threads.submit(reader.exports.reading.review, book)
            assert asked.wait(60)

            def end() -> Any:
                may_go_on.set()
                return running.result(60)

            yield books, reader, other, end


def test_two_threads_at_once_are_told(shelf: Component) -> None:
    """Whoever comes second gets a BusyError, also for a method, a constructor and the end of a resource."""
    with reviewing(shelf) as (books, reader, other, end):
        for act in (
            reader.exports.reading.catalogue,
            books.exports.shelf.entries,
            lambda: books.exports.shelf.Book("c", None),
            other.text,
            reader.close,
            books.close,
        ):
            with pytest.raises(BusyError):
                act()
        assert end() == "★"
        assert other.text() == "a\n"
        other.close()


def test_after_its_end_every_use_says_so(shelf: Component) -> None:
    instance = shelf.instantiate()
    books = instance.exports.shelf
    book = books.Book("a", None)
    function, method = books.entries, book.text
    instance.close()
    instance.close()
    for act in (function, method, lambda: books.Book("b", None), lambda: books.longest([book]), instance.run):
        with pytest.raises((Trap, Exception)) as caught:
            act()
        assert "closed" in str(caught.value) or "has no wasi:cli/run" in str(caught.value)
    book.close()
    assert "closed" in repr(instance)
    assert str(function.__doc__).startswith("entries: func()")


def test_a_book_that_is_being_closed_elsewhere_stays_usable(shelf: Component) -> None:
    """Closing while the instance runs on another thread is refused, and can be done later."""
    with reviewing(shelf) as (books, _, other, end):
        with pytest.raises(BusyError):
            other.close()
        end()
        assert other.text() == "a\n"
        other.close()
        assert len(books.exports.shelf.entries()) == 1
