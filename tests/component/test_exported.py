"""What Python sees of a component: functions with signatures, classes for resources and types, help."""

from __future__ import annotations

import gc
import inspect
import io
import json
import pydoc
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn import Component, Err, HostError, LinkError, Trap
from tests.component.components import component

GUESTS = Path(__file__).parents[1] / "guests" / "components"
CRITICS = {"judge": lambda text: 3}


def section(data: bytes, content: bytes) -> bytes:
    """A component with a custom section `package-docs`."""
    named = b"\x0cpackage-docs" + content
    size, length = b"", len(named)
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return data + b"\0" + size + bytes([length]) + named


@pytest.fixture(scope="module")
def shelf() -> Component:
    return Component.from_file(GUESTS / "shelf.wasm")


@pytest.fixture(scope="module")
def reader() -> Component:
    return Component.from_file(GUESTS / "reader.wasm")


def helped(thing: Any) -> str:
    """What `help` prints."""
    output = io.StringIO()
    pydoc.Helper(output=output).help(thing)
    return pydoc.plain(output.getvalue())


# Functions


def test_functions_have_signatures(shelf: Component, reader: Component) -> None:
    with shelf.instantiate() as one:
        books = one.exports.shelf
        assert str(inspect.signature(books.longest)) == "(books: list[shelf.Book]) -> str | None"
        assert str(inspect.signature(books.Book)) == "(title: str, year: int | None) -> None"
        assert str(inspect.signature(books.Book.add)) == "(self, line: str) -> int"
        assert str(inspect.signature(books.Book.join)) == (
            "(first: shelf.Book, second: shelf.Book) -> shelf.Book"
        )
        assert inspect.get_annotations(books.entries)["return"] == list[books.Entry]
        assert (books.longest.__name__, books.Book.add.__qualname__) == ("longest", "Book.add")
        assert inspect.isfunction(books.longest)
        imports = {"demo:library/shelf": books, "demo:library/critics": CRITICS}
        with reader.instantiate(imports) as other:
            reading = other.exports.reading
            assert str(inspect.signature(reading.doubled)) == "(of: shelf.Book) -> shelf.Book"
            assert str(inspect.signature(reading.review)) == "(of: shelf.Book) -> str"


def test_functions_take_names_and_say_which_are_missing(shelf: Component) -> None:
    with shelf.instantiate() as instance:
        book = instance.exports.shelf.Book(year=None, title="Zoë")
        assert book.add(line="a") == 2
        for call, message in [
            (book.add, "missing 1 required positional argument: 'line'"),
            (lambda: book.add("a", "b"), "takes 2 positional arguments but 3 were given"),
            (lambda: book.add(text="a"), "unexpected keyword argument 'text'"),
            (lambda: instance.exports.shelf.Book("Zoë"), "missing 1 required positional argument: 'year'"),
        ]:
            with pytest.raises(TypeError, match=message):
                call()


def test_help_shows_functions_classes_and_wit(shelf: Component) -> None:
    with shelf.instantiate() as instance:
        books = instance.exports.shelf
        whole = helped(books)
        for text in (
            "longest(books: list[shelf.Book]) -> str | None",
            "longest: func(books: list<borrow<book>>) -> option<string>",
            "class Book(",
            "__init__(_self, /, title: str, year: int | None) -> None",
            "constructor(title: string, year: option<s32>)",
            "enum genre {",
        ):
            assert text in whole
        assert "add(self, line: str) -> int\n    add: func(line: string) -> result<u32, string>" in helped(
            books.Book.add
        )
        assert "year: option<s32>," in helped(books.Entry)
        assert "shelf: the interface demo:library/shelf" in helped(instance.exports)


DOCS = {
    "docs": "A library.",
    "worlds": {"provider": {"docs": "Keeps books."}},
    "interfaces": {
        "shelf": {
            "docs": "Books, which the provider keeps.",
            "funcs": {
                "longest": "The longest text\nof these books.",
                "[method]book.add": {"docs": "Adds a line.", "stability": {}},
                "[constructor]book": "An empty book.",
            },
            "types": {
                "book": {"docs": "What is read."},
                "entry": {"docs": "A book in the catalogue.", "items": {"year": "None if nobody knows."}},
            },
        }
    },
}


@pytest.mark.parametrize("begin", [b"", b"\0", b"\1"])
def test_documentation_is_that_of_the_author(shelf: Component, begin: bytes) -> None:
    documented = Component(section(shelf.data, begin + json.dumps(DOCS).encode()), "shelf.wasm")
    with documented.instantiate() as instance:
        books = instance.exports.shelf
        assert instance.exports.__doc__.startswith("Keeps books.\n\nshelf: ")
        assert books.__doc__ == "Books, which the provider keeps."
        assert inspect.getdoc(books.longest) == (
            "The longest text\nof these books.\n\nlongest: func(books: list<borrow<book>>) -> option<string>"
        )
        assert inspect.getdoc(books.Book) == "What is read."
        assert str(inspect.getdoc(books.Book.add)).startswith("Adds a line.\n\nadd: func(")
        assert str(inspect.getdoc(books.Book.__init__)).startswith("An empty book.")
        assert str(inspect.getdoc(books.Entry)).startswith("A book in the catalogue.\n\nrecord entry {")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\1",
        b"\2{}",
        b"\1[1, 2]",
        b"\1{",
        b"\1\xff\xfe",
        b"\1" + b"[" * 100_000,
        b'\1{"interfaces": 5, "worlds": [], "docs": {}}',
        b'\1{"interfaces": {"shelf": {"docs": 7, "funcs": {"longest": {"docs": []}}, "types": []}}}',
    ],
)
def test_documentation_that_is_none_says_nothing(shelf: Component, content: bytes) -> None:
    with Component(section(shelf.data, content)).instantiate() as instance:
        assert str(instance.exports.shelf.longest.__doc__).startswith("longest: func(")
        assert instance.exports.shelf.__doc__ is None


def test_documentation_is_printable_and_bounded(shelf: Component) -> None:
    docs = {"interfaces": {"shelf": {"docs": "\x1b[2J\u202e" + "x" * 100_000 + "\nline" * 10_000}}}
    with Component(section(shelf.data, b"\1" + json.dumps(docs).encode())).instantiate() as instance:
        text = instance.exports.shelf.__doc__
        assert text.replace("\n", "").isprintable()
        assert len(text) < 100_000


def test_exports_show_the_names_that_can_be_written(shelf: Component) -> None:
    with shelf.instantiate() as instance:
        assert repr(instance.exports.shelf) == "<exports Genre, Entry, Book, longest, entries>"


# Resources


def test_a_resource_is_a_class(shelf: Component) -> None:
    with shelf.instantiate() as instance:
        books = instance.exports.shelf
        with books.Book("Zoë", 1999) as book:
            assert isinstance(book, books.Book)
            assert repr(book) == "<resource book>"
            book.add("漢字")
            with pytest.raises(Err, match="forbidden"):
                book.add("forbidden")
            assert book.text() == "漢字\n"
        assert repr(book) == "<closed resource book>"
        with pytest.raises(TypeError, match=r"^self: the resource book was closed or given away$"):
            book.text()
        assert books.entries() == []
        book.close()
        both = books.Book.join(books.Book("a", None), given := books.Book("b", None))
        assert type(both) is books.Book
        with pytest.raises(TypeError, match="the resource book was closed or given away"):
            given.add("x")
        with pytest.raises(TypeError, match=r"^self: str is no resource book$"):
            books.Book.text("no book")


def test_a_resource_ends_with_its_instance(shelf: Component) -> None:
    with shelf.instantiate() as instance:
        book = instance.exports.shelf.Book("Zoë", None)
    with pytest.raises(Trap, match="closed"):
        book.add("x")
    with pytest.raises(Trap, match="closed"):
        instance.exports.shelf.Book("Zoë", None)
    book.close()


def test_a_constructor_that_fails_leaves_a_closed_object(shelf: Component) -> None:
    with shelf.instantiate() as instance:
        class_ = instance.exports.shelf.Book
        book = class_.__new__(class_)
        with pytest.raises(TypeError, match="title"):
            book.__init__(5, None)
        assert repr(book) == "<closed resource Book>"
        book.close()
        with pytest.raises(TypeError, match="was closed or given away"):
            book.text()


def test_a_resource_without_a_constructor_says_so() -> None:
    made = component(
        """
        (type $r (resource (rep i32)))
        (core func $new (canon resource.new $r))
        (export $e "item" (type $r))
        (func (export "make") (param "n" u32) (result (own $e)) (canon lift (core func $new)))
        """
    )
    with made.instantiate() as instance:
        item = instance.exports.make(1)
        assert type(item) is instance.exports.Item
        with pytest.raises(TypeError, match="Item has no constructor"):
            instance.exports.Item()


def test_instances_are_freed_with_their_classes(shelf: Component) -> None:
    """Classes refer to themselves, so the collector takes them, and nothing else holds them."""
    with shelf.instantiate() as instance:
        class_ = weakref.ref(instance.exports.shelf.Book)
        instance.exports.shelf.Book("a", None)
    del instance
    gc.collect()
    assert class_() is None


class Book:
    """A book of the host's own, a plain class."""

    def __init__(self, title: str, year: int | None) -> None:
        self.title, self.lines, self.closed = title, "", False

    def add(self, line: str) -> int:
        if line == "forbidden":
            raise Err("no")
        self.lines += f"{line}\n"
        return len(self.lines)

    def text(self) -> str:
        return self.lines

    @staticmethod
    def join(first: Book, second: Book) -> Book:
        both = Book(first.title, None)
        both.lines = first.lines + second.lines
        return both

    def close(self) -> None:
        self.closed = True


class Loud(Book):
    def text(self) -> str:
        return super().text().upper()


class Shelf:
    """The interface as an object, with the class of its resource."""

    Book = Book

    def entries(self) -> list[Any]:
        return [SimpleNamespace(title="aé", genre=SimpleNamespace(value="verse"), lines=3, year=-1)]

    def longest(self, books: list[Book]) -> str | None:
        return max((book.text() for book in books), default=None, key=len)


class Critics:
    def judge(self, text: str) -> int:
        return len(text)


def test_a_host_gives_resources_as_plain_classes(reader: Component) -> None:
    imports = {"demo:library/shelf": Shelf(), "demo:library/critics": Critics()}
    with reader.instantiate(imports) as instance:
        reading = instance.exports.reading
        book = reading.write("Zoë", ["漢 😀", "b"])
        assert isinstance(book, Book)
        assert reading.units(book) == 7
        assert reading.doubled(book).lines == "漢 😀\nb\n" * 2
        loud = Loud("x", None)
        loud.add("abc")
        assert reading.retold("t", ["a"]) == "a\n"
        with pytest.raises(Err, match="no"):
            reading.retold("t", ["forbidden"])
        assert reading.units(loud) == 4


def test_a_hosts_resource_is_closed_when_the_last_handle_goes(reader: Component) -> None:
    made: list[Book] = []

    class Noted(Book):
        def __init__(self, title: str, year: int | None) -> None:
            super().__init__(title, year)
            made.append(self)

    class Noting(Shelf):
        Book = Noted

    imports = {"demo:library/shelf": Noting(), "demo:library/critics": Critics()}
    with reader.instantiate(imports) as instance:
        instance.exports.reading.retold("t", ["a"])
        instance.exports.reading.write("t", ["a"])
    assert [book.closed for book in made] == [True, False]


def test_a_subclass_answers_for_itself(reader: Component) -> None:
    said: list[str] = []

    class Telling(Critics):
        def judge(self, text: str) -> int:
            said.append(text)
            return 1

    class Louder(Shelf):
        Book = Loud

    imports = {"demo:library/shelf": Louder(), "demo:library/critics": Telling()}
    with reader.instantiate(imports) as instance:
        instance.exports.reading.review(instance.exports.reading.write("t", ["abc"]))
    assert said == ["ABC\n"]


def refused(reader: Component, shelf: Any, critics: Any) -> str:
    with pytest.raises(LinkError) as caught:
        reader.instantiate({"demo:library/shelf": shelf, "demo:library/critics": critics})
    return str(caught.value)


def test_what_an_object_lacks_is_named_when_it_is_given(reader: Component) -> None:
    class Short:
        """A class without one method."""

        def __init__(self, title: str) -> None: ...
        def add(self, line: str, more: int) -> int:
            return 0

        join = staticmethod(lambda first, second: first)

    text = refused(reader, SimpleNamespace(Book=Short, entries=list), SimpleNamespace(judge=5))
    assert "[method]book.text (func(self: borrow<book>) -> string)" in text
    assert "[constructor]book (func(title: string, year: option<s32>) -> own<book> is wanted, " in text
    assert "Short(title: " in text
    assert "missing a required argument: 'more'" in text
    assert "judge (func(text: string) -> result<u8, string> is wanted, int given)" in text
    assert "[static]book.join" not in text


def test_a_function_that_takes_something_else_is_named_when_it_is_given(reader: Component) -> None:
    for critics in ({"judge": lambda: 1}, {"judge": lambda text, more: 1}, Critics):
        assert "judge (func(text: string) -> result<u8, string> is wanted, " in refused(
            reader, Shelf(), critics
        )
    for critics in ({"judge": len}, {"judge": lambda *any: 1}, {"judge": lambda text, more=2: 1}):
        imports = {"demo:library/shelf": Shelf(), "demo:library/critics": critics}
        reader.instantiate(imports).close()


def test_a_host_function_that_answers_something_else_is_named(reader: Component) -> None:
    imports = {"demo:library/shelf": Shelf(), "demo:library/critics": {"judge": lambda text: "good"}}
    with reader.instantiate(imports) as instance:
        reading = instance.exports.reading
        with pytest.raises(HostError, match="demo:library/critics judge: TypeError: the result"):
            reading.review(reading.write("t", ["abc"]))


# Names


def exporting(*names: str) -> str:
    """Definitions that export an instance with functions of these names, each of which gives its place."""
    functions = "".join(
        f'(func (export "f{at}") (result i32) (i32.const {at}))' for at, name in enumerate(names)
    )
    lifted = "".join(
        f'(func $l{at} (result u32) (canon lift (core func $m "f{at}")))' for at, name in enumerate(names)
    )
    exports = "".join(f'(export "{name}" (func $l{at}))' for at, name in enumerate(names))
    return (
        f"(core module $M {functions}) (core instance $m (instantiate $M)) {lifted} (instance $i {exports})"
    )


def test_names_that_python_has_already() -> None:
    names = ("get", "items", "keys", "values", "class", "lambda", "is-XML", "none", "name", "dir")
    made = component(exporting(*names) + '(export "a:b/c@1.2.3" (instance $i))')
    with made.instantiate() as instance:
        space = instance.exports.c
        spelled = ("get", "items", "keys", "values", "class_", "lambda_", "is_xml", "none", "name", "dir")
        assert [getattr(space, name)() for name in spelled] == list(range(len(names)))
        assert [space[name]() for name in names] == list(range(len(names)))
        assert sorted(dir(space)) == sorted(spelled)
        assert isinstance(space, Mapping) and list(space) == list(names) and len(space) == len(names)
        assert "get" in space and "other" not in space
        with pytest.raises(AttributeError, match="there is no export 'other'; there are get, items"):
            space.other  # noqa: B018 - the access is the test
        with pytest.raises(KeyError):
            space["other"]
        assert instance.exports["a:b/c"] is space and instance.exports["a:b/c@1.2.3"] is space


def test_interfaces_that_are_called_alike_have_longer_names() -> None:
    names = ("a:b/types@1.0.0", "a:c/types@1.0.0", "a:c/types@2.0.0", "x:y/z", "types")
    exports = "".join(f'(export "{name}" (instance $i))' for name in names)
    with component(exporting("f") + exports).instantiate() as instance:
        assert set(dir(instance.exports)) == {
            "b_types", "a_c_types_1_0_0", "a_c_types_2_0_0", "z", "types",
        }  # fmt: skip
        assert instance.exports.a_c_types_2_0_0.f() == 0


def test_a_type_that_grows_with_every_level_has_a_short_signature() -> None:
    levels = "".join(f"(type $t{i + 1} (tuple $t{i} $t{i}))" for i in range(16))
    body = (
        '(core module $M (func (export "f") (param i32) (result i32) unreachable) (memory (export "m") 1)'
        '(func (export "r") (param i32 i32 i32 i32) (result i32) unreachable))'
    )
    made = component(
        f"(type $t0 (tuple u8 u8)) {levels} {body} (core instance $m (instantiate $M))"
        '(func (export "f") (param "p" $t16) (result $t16) (canon lift (core func $m "f")'
        ' (memory (core memory $m "m")) (realloc (core func $m "r"))))'
    )
    with made.instantiate() as instance:
        assert len(str(inspect.signature(instance.exports.f))) < 1 << 20
