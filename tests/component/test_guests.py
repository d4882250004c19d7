"""Components that toolchains made run as in wasmtime: C with UTF-8 and C with UTF-16 that share a resource,
and JavaScript in QuickJS.

What is here: the components of `tests/guests/components`, each with its source and build line. Every story is
told by both engines, in both flavours of memory, and by wasmtime's package; what each call gave is compared.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn import Component, Err, Limits, Ok
from pywasm_nn.component.canonical.faces import Face, Record
from pywasm_nn.errors import HostError, LinkError, Trap
from pywasm_nn.interpreter.runtime.memory import Flavour

GUESTS = Path(__file__).parents[1] / "guests" / "components"
SHELF, READING, CRITICS = "demo:library/shelf", "demo:library/reading", "demo:library/critics"
COUNTING, NOTES = "demo:words/counting", "demo:words/notes"
UNTAGGED = {"[method]book.add", "count"}
"""Functions whose result wasmtime's package gives without saying whether it is an error: classes differ."""
HOW = [(engine, flavour) for engine in ("compile", "interpret") for flavour in Flavour]
Run = Callable[..., Any]
Drop = Callable[[Any], None]
"""Lets go of a resource."""
Story = Callable[[Run, Drop], list[Any]]


class Order(enum.Enum):
    ALPHABETICAL = "alphabetical"
    FREQUENT = "frequent"


def ours(
    file: str, imports: Mapping[str, Mapping[str, Any]], story: Story, engine: str, flavour: Flavour
) -> list[Any]:
    """What a story gives here."""
    with Component.from_file(GUESTS / file).instantiate(imports, engine=engine, flavour=flavour) as instance:

        def run(interface: str, name: str, *arguments: Any) -> Any:
            got = instance.exports[interface][name].call(*arguments)
            return got.value if name in UNTAGGED else got

        return [plain(each) for each in story(run, close)]


def close(resource: Any) -> None:
    resource.close()


def native(file: str, imports: Mapping[str, Mapping[str, Any]], story: Story) -> list[Any]:
    """What a story gives in wasmtime."""
    wasmtime = pytest.importorskip("wasmtime")
    from wasmtime import component

    store = wasmtime.Store()
    linker = component.Linker(store.engine)
    with linker.root() as root:
        for interface, functions in imports.items():
            with root.add_instance(interface) as added:
                for name, function in functions.items():
                    added.add_func(name, hosted(function))
    instance = linker.instantiate(store, component.Component.from_file(store.engine, str(GUESTS / file)))

    def run(interface: str, name: str, *arguments: Any) -> Any:
        index = instance.get_export_index(store, interface)
        func = instance.get_func(store, instance.get_export_index(store, name, index))
        assert func is not None
        got = func(store, *map(theirs, arguments))
        func.post_return(store)
        return got

    return [plain(each) for each in story(run, lambda resource: resource.drop(store))]


def hosted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A host function as wasmtime's package takes it: errors are values."""

    def call(store: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Err as error:
            return error.value

    return call


def theirs(argument: Any) -> Any:
    """An argument as wasmtime's package takes it: labels of enums, and cases without theirs."""
    return argument.value if isinstance(argument, enum.Enum | SimpleNamespace) else argument


def plain(value: Any) -> Any:
    """A result without classes of either package."""
    if isinstance(value, Ok | Err | Face):
        return {"error": "err"}.get(value.label, value.label), plain(value.value)
    if hasattr(value, "payload"):
        return value.tag, plain(value.payload)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Record):
        return {name: plain(getattr(value, name)) for name in value.__match_args__}
    if isinstance(value, list):
        return list(map(plain, value))
    if type(value).__name__ == "Record":
        return {name: plain(each) for name, each in vars(value).items()}
    return value


def judge(text: str) -> int:
    """A critic, who doesn't like the letter x."""
    if "x" in text:
        raise Err("Ein „x“ 😀")
    return len(text) % 6


def library(run: Run, drop: Drop) -> list[Any]:
    """Books go from one component to the other and back, and to us."""
    old = run(SHELF, "[constructor]book", "Zoë 😀", 1999)
    seen = [run(SHELF, "[method]book.add", old, line) for line in ("漢字 😀", "", "forbidden", "a" * 70_000)]
    seen += [run(READING, "units", old), run(SHELF, "[method]book.text", old), run(READING, "review", old)]
    new = run(READING, "write", "", ["one", "x", "\U0010ffff\0\x7f"])
    seen += [run(READING, "catalogue"), run(SHELF, "entries"), run(READING, "review", new)]
    joined = run(SHELF, "[static]book.join", old, run(READING, "doubled", new))
    seen += [run(READING, "units", joined), run(SHELF, "[method]book.text", joined)]
    more = [run(READING, "write", title, [title] * 3) for title in ("ä", "ß", "ﷺ")]
    seen += [run(SHELF, "longest", books) for books in ([], more, [*more, joined, more[0]])]
    for lines in ([], ["ab", "é", "漢"], ["ab", "forbidden", "never"]):
        seen.append(run(READING, "retold", "told", lines))
    drop(joined)
    return [*seen, run(SHELF, "entries"), run(READING, "catalogue")]


@pytest.mark.parametrize(("engine", "flavour"), HOW)
def test_components_of_c_share_books_as_in_wasmtime(engine: str, flavour: Flavour) -> None:
    imports = {CRITICS: {"judge": judge}}
    told = ours("together.wasm", imports, library, engine, flavour)
    assert told == native("together.wasm", imports, library)
    assert any("“forbidden”" in each for each in told if isinstance(each, str))
    assert ("err", "Ein „x“ 😀") in told


def libraries(engine: str, **limits: Any) -> tuple[Any, Any]:
    """The provider and the reader as two instances of Python's, one of which imports the other."""
    shelf = Component.from_file(GUESTS / "shelf.wasm").instantiate(engine=engine)
    imports = {SHELF: shelf.exports[SHELF], CRITICS: {"judge": judge}}
    reader = Component.from_file(GUESTS / "reader.wasm")
    return shelf, reader.instantiate(imports, engine=engine, limits=Limits(**limits))


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_instances_compose_as_the_component_of_both_does(engine: str) -> None:
    shelf, reader = libraries(engine)
    with shelf, reader:

        def run(interface: str, name: str, *arguments: Any) -> Any:
            got = (shelf if interface == SHELF else reader).exports[interface][name].call(*arguments)
            return got.value if name in UNTAGGED else got

        told = [plain(each) for each in library(run, close)]
    assert told == ours("together.wasm", {CRITICS: {"judge": judge}}, library, engine, Flavour.default())


def test_what_functions_leave_behind_is_given_back() -> None:
    """Each call leaves 100 KB, unless `post-return` frees it: a memory of 2 MiB would be full soon."""
    shelf, reader = libraries("compile", memory=2 << 20)
    with shelf, reader:
        for _ in range(60):
            told = reader.exports[READING].retold("t", ["ä" * 10_000] * 5)
            assert len(told) == 50_005
        assert shelf.exports[SHELF].entries() == []


def test_closed_provider_ends_the_reader() -> None:
    shelf, reader = libraries("compile")
    with reader:
        book = reader.exports[READING].write("t", ["x"])
        shelf.close()
        with pytest.raises(Trap, match="closed"):
            reader.exports[READING].units(book)
        book.close()


class Book:
    """A book of the host's own."""

    def __init__(self, title: str, year: int | None) -> None:
        self.title, self.text = title, ""

    def add(self, line: str) -> int:
        if line == "forbidden":
            raise Err("no")
        self.text += f"{line}\n"
        return len(self.text)


def joined(first: Book, second: Book) -> Book:
    both = Book(first.title, None)
    both.text = first.text + second.text
    return both


HOST = {
    "book": Book,
    "[constructor]book": Book,
    "[method]book.add": Book.add,
    "[method]book.text": lambda book: book.text,
    "[static]book.join": joined,
    "entries": lambda: [SimpleNamespace(title="aé", genre=Genre.VERSE, lines=3, year=-1)],
}


class Genre(enum.Enum):
    VERSE = "verse"


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_resources_may_be_the_hosts(engine: str) -> None:
    reader = Component.from_file(GUESTS / "reader.wasm")
    with reader.instantiate({SHELF: HOST, CRITICS: {"judge": judge}}, engine=engine) as instance:
        reading = instance.exports[READING]
        book = reading.write("Zoë", ["漢 😀", "b"])
        assert isinstance(book, Book)
        assert (book.title, book.text, reading.units(book)) == ("Zoë", "漢 😀\nb\n", 7)
        twice = reading.doubled(book)
        assert (type(twice), twice.text) == (Book, "漢 😀\nb\n" * 2)
        assert reading.catalogue()[0].title == "Aé"
        with pytest.raises(Err, match="no"):
            reading.retold("t", ["a", "forbidden"])
        for wrong in (5, None, "book", object(), Book):
            with pytest.raises(TypeError, match=r"^of: .* is no resource Book$"):
                reading.units(wrong)
        assert reading.units(book) == 7


def test_host_that_gives_what_is_no_resource_is_told() -> None:
    broken = HOST | {"[constructor]book": lambda title, year: title}
    reader = Component.from_file(GUESTS / "reader.wasm")
    with (
        reader.instantiate({SHELF: broken, CRITICS: {"judge": judge}}) as instance,
        pytest.raises(HostError, match="the result: str is no resource Book"),
    ):
        instance.exports[READING].write("Zoë", [])


def test_imports_that_lack_something_are_all_named() -> None:
    partly = {name: function for name, function in HOST.items() if name not in ("book", "entries")}
    with pytest.raises(LinkError) as caught:
        Component.from_file(GUESTS / "reader.wasm").instantiate({SHELF: partly})
    for missing in (f"{SHELF} book", f"{SHELF} entries", f"{CRITICS} judge (func(text: string) -> result"):
        assert missing in str(caught.value)
    assert "[method]book.add" not in str(caught.value)


PAGE = (GUESTS.parents[2] / "docs" / "components.md").read_text("utf-8")
EXAMPLES = [
    example
    for example in re.findall(r"```python\n([^`]*)```\n```text\n([^`]*)```", PAGE)
    if "shelf.wasm" in example[0] or "reader.wasm" in example[0]
]


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_page_shows_what_its_examples_print(
    code: str, printed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(GUESTS)
    exec(code, {})
    assert capsys.readouterr().out == printed


def test_page_has_examples() -> None:
    assert len(EXAMPLES) == 4


# JavaScript


def words(run: Run, drop: Drop) -> list[Any]:
    """Values of all kinds go into JavaScript and come back."""
    text = "the cat and the hat and the\nmat 漢字 😀 Zoë Zoë"
    every = SimpleNamespace(label="all", value=None)
    seen = [run(COUNTING, "count", text, every, order) for order in (None, *Order)]
    seen.append(run(COUNTING, "count", text, SimpleNamespace(label="longer-than", value=2), Order.FREQUENT))
    seen.append(run(COUNTING, "count", text, SimpleNamespace(label="starting-with", value="Zo"), None))
    seen.append(run(COUNTING, "count", " \n ", every, None))
    counters = [run(COUNTING, "[constructor]counter") for _ in range(2)]
    for counter in (*counters, counters[0]):
        run(COUNTING, "[method]counter.add", counter, text)
    seen += [run(COUNTING, "[method]counter.total", counter) for counter in counters]
    drop(counters[0])
    sources = "[0.1 + 0.2, {a: 2n ** 70n + ''}]", "[...'漢😀'].map(c => c.codePointAt(0))", "nothing.at", "{"
    return seen + [run(COUNTING, "evaluate", source) for source in sources]


@pytest.mark.skipif(
    not (GUESTS / "words.wasm").exists(),
    reason="words.wasm is made by `python examples/build.py words` where npm has componentize-qjs",
)
def test_javascript_counts_as_in_wasmtime() -> None:
    logged: list[str] = []
    imports = {NOTES: {"log": logged.append}}
    expected = native("words.wasm", imports, words)
    noted, logged[:] = logged[:], []
    assert len(noted) == 6
    for engine in ("compile", "interpret"):
        assert ours("words.wasm", imports, words, engine, Flavour.default()) == expected
        assert logged == noted
        logged.clear()
    assert [{"word": "Zoë", "times": 2}] in expected
    assert ("ok", '[0.30000000000000004,{"a":"1180591620717411303424"}]') in expected
