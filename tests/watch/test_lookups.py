"""Numbers of rows that a model looks up: inputs that are exchanged, and numbers counted from 1. Each mistake
has a right twin."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.sent.lookups import Lookups

ROWS = {0: 50, 1: 12}
NAMES = ("reader_id", "book")


def hints(
    rounds: Sequence[tuple[int, int]], files: dict[str, bytes] | None = None, arguments: Sequence[str] = (),
    names: tuple[str, str] = NAMES,
) -> str:  # fmt: skip
    """What is said of a guest that sends a reader and a book in each round."""
    lookups = Lookups(lambda: [*(files or {}).items()], arguments)
    lookups.loaded(1, {index: (Column(rows=rows, is_all=True),) for index, rows in ROWS.items()})
    graph = SimpleNamespace(inputs=[TensorSpec(name, DType.I64, (1,)) for name in names])
    said: list[tuple[str, str]] = []

    def event(operation: str, index: int | None = None, *tensors: Tensor) -> Any:
        return SimpleNamespace(
            operation=operation, index=index, tensors=tensors, graph=graph, graph_id=1, context_id=2,
            given=(), error=None,
        )  # fmt: skip

    for pair in rounds:
        for index, number in enumerate(pair):
            tensor = Tensor.from_numpy(numpy.array([number], "i8"))
            said += lookups.nn_event(event("set_input", index, tensor))
        said += lookups.nn_event(event("compute"))
    return "; ".join(text for _, text in said)


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ((4, 31), "are the two inputs exchanged"),
        (
            (31, 12),
            'input 1 "book" is 12, and the model\'s table for it has 12 rows, 0 to 11: are they counted',
        ),
        ((-1, 3), "was 1 taken away"),
        ((31, 4), ""),
        ((49, 11), ""),
        ((0, 0), ""),
        ((60, 70), ""),
    ],
)
def test_rows_that_a_table_lacks(pair: tuple[int, int], words: str) -> None:
    found = hints([pair])
    assert words in found
    assert bool(found) is bool(words)


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        ({"asked.csv": b"reader,book,day\n7,3,1\n2,9,1\n5,4,2\n"}, []),
        ({"asked.json": b'[{"readerId": 7, "bookId": 3}, {"readerId": 2, "bookId": 9}]'}, []),
        ({}, ["--reader=7", "--book", "3"]),
    ],
)
def test_inputs_that_get_each_others_numbers(files: dict[str, bytes], arguments: list[str]) -> None:
    rounds = [(7, 3), (2, 9)] if files else [(7, 3)]
    turned = [(book, reader) for reader, book in rounds]
    assert "are the two inputs exchanged" in hints(turned, files, arguments)
    assert hints(rounds, files, arguments) == ""
    assert hints(turned, files, arguments, ("a", "b")) == "", "names that stand nowhere"
    assert hints([*turned, (1, 1)], {}, []) == ""


@pytest.mark.parametrize("less", [0, 1])
@pytest.mark.parametrize("columns", ["book,member", "member,book"])
def test_a_column_that_only_one_input_is_named_after(columns: str, less: int) -> None:
    asked = [(7, 3), (2, 9), (5, 4)]
    lines = [(book, reader) if columns.startswith("book") else (reader, book) for reader, book in asked]
    files = {"asked.csv": "\n".join([columns, *(f"{one},{other}" for one, other in lines)]).encode()}
    rounds = [(reader - less, book - less) for reader, book in asked]
    turned = [pair[::-1] for pair in rounds]
    assert 'in asked.csv "book" is 4 there, and "member" 5: are the two inputs exchanged' in hints(
        turned, files
    )
    assert hints(rounds, files) == ""
    assert hints(turned[:2], files) == "", "two pairs may be like that by chance"
    assert hints(turned, files, names=("a", "b")) == "", "columns that no input is named after"
    wide = {"asked.csv": files["asked.csv"].replace(b"\n", b",1\n").replace(b",1", b",day", 1)}
    assert hints(turned, wide) == "", "which of the other columns is meant isn't known"


def test_a_pair_that_stands_in_both_orders() -> None:
    files = {"asked.csv": b"reader,book\n7,3\n3,7\n5,4\n"}
    assert hints([(3, 7), (7, 3)], files) == ""


def test_a_column_that_is_counted_from_1() -> None:
    books = [5, 1, 7, 3, 2, 12]
    sent = [*zip(range(20, 26), books, strict=True)]
    lines = "".join(f"{reader},{book}\n" for reader, book in sent)
    files = {"lent.csv": f"reader,book\n{lines}".encode()}
    assert 'input 1 "book" is sent as it stands in lent.csv, where it goes from 1' in hints(sent[:3], files)
    assert hints([(reader, book - 1) for reader, book in sent], files) == ""
    assert hints(sent[:3], {"lent.csv": files["lent.csv"].replace(b",12", b",11")}) == "", (
        "of which nobody knows"
    )


def rated(books: int, *, first: int = 1) -> dict[str, bytes]:
    """Ratings by readers of which each has a number, as many as the model has rows."""
    lines = [f"{first + reader}\t{1 + 7 * reader % books}\t3\n" for reader in (*range(ROWS[0]), 4, 4)]
    return {"ratings.tsv": ("reader\tbook\tstars\n" + "".join(lines)).encode()}


@pytest.mark.parametrize("arguments", [["7"], ["--reader=7"], ["3", "7"]])
def test_the_only_number_is_an_argument_that_is_counted_from_1(arguments: list[str]) -> None:
    books = [(2, 5, 1), (11, 3)]

    def said(reader: int, files: dict[str, bytes], arguments: list[str], times: int = 1) -> str:
        rounds = [(reader, book) for book in books[0] * times]
        return hints(rounds, files, arguments)

    found = said(7, rated(9), arguments)
    assert 'input 0 "reader_id" is 7, as it stands in the arguments; in ratings.tsv these go from 1' in found
    assert said(6, rated(9), arguments) == said(6, rated(9), [*arguments, "6"]) == "", "1 is taken away"
    assert said(7, rated(9, first=0), arguments) == "", "rows from 0 on"
    assert said(7, {}, arguments) == said(7, rated(9), []) == ""


@pytest.mark.parametrize(("number", "seen"), [(6, False), (7, True)])
@pytest.mark.parametrize("count", [5, 900])
def test_many_rows_of_one_number(count: int, number: int, seen: bool) -> None:
    lookups = Lookups(lambda: [*rated(9).items()], ["7"])
    lookups.loaded(1, {0: (Column(rows=ROWS[0], is_all=True),)})
    graph = SimpleNamespace(inputs=[TensorSpec("reader", DType.I64, (None,))])
    tensor = Tensor.from_numpy(numpy.full(count, number, "i8"))
    event: Any = SimpleNamespace(
        operation="compute", index=None, tensors=(), graph=graph, graph_id=1, context_id=2, error=None,
        given=((0, None, tensor),),
    )  # fmt: skip
    assert ("take 1 away" in str([*lookups.nn_event(event)])) is seen


TOWNS = ("Altstadt", "Muehlhof", "Nordend", "Waldau", "Seeufer", "bergen")
HOUSES = ("Nordend", "Altstadt", "Seeufer", "Waldau", "Nordend", "Muehlhof", "bergen")
ORDERS = {
    "the list's": TOWNS,
    "by the alphabet": tuple(sorted(TOWNS)),
    "without capitals": tuple(sorted(TOWNS, key=str.lower)),
    "as they appear": tuple(dict.fromkeys(HOUSES)),
    "backwards": TOWNS[::-1],
    "another": ("Waldau", "Altstadt", "bergen", "Nordend", "Seeufer", "Muehlhof"),
}


def districts(
    order: Sequence[str], *, list_: str = "districts.txt", words: Sequence[str] = TOWNS, rows: int = 6,
    at_once: bool = True, name: str = "district", heading: str = "place",
) -> str:  # fmt: skip
    """What is said of a guest that numbers the districts of houses in an order."""
    table = f"id,{heading},rooms\n" + "".join(f"h{at},{one},3\n" for at, one in enumerate(HOUSES))
    files = {"houses.csv": table.encode(), list_: "\n".join(words).encode()}
    lookups = Lookups(lambda: [*files.items()])
    lookups.loaded(1, {0: (Column(rows=rows, is_all=True),)})
    graph = SimpleNamespace(inputs=[TensorSpec(name, DType.I64, (None,))])
    said: list[tuple[str, str]] = []
    ids = [order.index(one) for one in HOUSES]
    for part in [ids] if at_once else [[one] for one in ids]:
        for operation, sent in (("set_input", [numpy.array(part, "i8")]), ("compute", [])):
            event: Any = SimpleNamespace(
                operation=operation, index=0 if sent else None, graph=graph, graph_id=1, context_id=2,
                tensors=[Tensor.from_numpy(one) for one in sent], given=(), error=None,
            )  # fmt: skip
            said += lookups.nn_event(event)
    return "; ".join(text for _, text in said)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("kind", ORDERS)
def test_kinds_in_another_order_than_their_list(kind: str, at_once: bool) -> None:
    order, is_known = ORDERS[kind], kind not in ("the list's", "another")
    found = districts(order, at_once=at_once)
    assert ("districts.txt has as many as the model, 6, in another order" in found) is is_known, found
    assert bool(found) is is_known
    assert bool(districts(order, name="x", heading="district", at_once=at_once)) is is_known
    assert districts(order, list_="names.txt", at_once=at_once) == "", "the list may be there to be shown"
    assert districts(order, rows=7, at_once=at_once) == "", "the model has others"
    assert districts(order, words=order, at_once=at_once) == ""
    assert districts(order, words=(*TOWNS[:5], "other"), at_once=at_once) == "", (
        "others are told apart by the program"
    )


def test_a_list_in_one_line() -> None:
    wrong, right = ORDERS["by the alphabet"], TOWNS
    assert "in another order" in districts(wrong, words=[",".join(TOWNS)])
    assert districts(right, words=[",".join(TOWNS)]) == ""


TITLES = [f"Film {at}" for at in range(1, 16)]


@pytest.mark.parametrize("delimiter", ["|", ";", " "])
@pytest.mark.parametrize(
    ("way", "seen"),
    [
        (lambda at: at % 15, True),
        (lambda at: min(at, 14), True),
        (lambda at: at - 1, False),
        (lambda at: 14 - at % 15, False),
    ],
)
@pytest.mark.parametrize("title", ["", "id;title\n"])
def test_all_lines_of_a_list_that_is_counted_from_1(delimiter: str, way: Any, seen: bool, title: str) -> None:
    """The last number is brought back into the table, so that nothing fails."""
    text = title + "".join(f"{at}{delimiter}{one}\n" for at, one in enumerate(TITLES, 1))
    sent = [way(at) for at in range(1, 16)]
    assert bool(looked_up(sent, "item", {"list.txt": text.encode()})) is seen
    assert looked_up(sent, "item", {"list.txt": text.encode() + b"16|more\n"}) == ""


def test_some_lines_of_a_list_in_any_order() -> None:
    """Of a list that isn't sorted three numbers are told from those that are less by 1."""
    ids = numpy.random.default_rng(4).permutation(15) + 1
    text = "".join(f"{at}|{TITLES[at - 1]}\n" for at in ids).encode()
    sent = ids[3:7].tolist()
    assert 15 not in sent
    assert "take 1 away" in looked_up(sent, "film", {"films.txt": text})
    assert looked_up(sent, "user", {"films.txt": text}) == "", "numbers of something else"
    assert looked_up([one - 1 for one in sent], "film", {"films.txt": text}) == ""


def looked_up(sent: Sequence[int], name: str, files: dict[str, bytes]) -> str:
    """What is said of a guest that sends numbers for a model with 15 rows."""
    lookups = Lookups(lambda: [*files.items()])
    lookups.loaded(1, {0: (Column(rows=15, is_all=True),)})
    graph = SimpleNamespace(inputs=[TensorSpec(name, DType.I64, (None,))])
    said: list[tuple[str, str]] = []
    for operation, tensors in (("set_input", [Tensor.from_numpy(numpy.array(sent, "i8"))]), ("compute", [])):
        event: Any = SimpleNamespace(
            operation=operation, index=0 if tensors else None, graph=graph, graph_id=1, context_id=2,
            tensors=tensors, given=(), error=None,
        )  # fmt: skip
        said += lookups.nn_event(event)
    return "; ".join(text for _, text in said)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("count", [12, 300])
def test_inputs_of_which_one_gets_all_rows_of_the_other(count: int, at_once: bool) -> None:
    """One reader, asked about every book that a list has."""

    def said(
        one: Any, other: Any, lines: int, rows: tuple[int, int] = (3 * count, count), above: str = ""
    ) -> str:
        titles = above + "".join(f"Book {'abc'[at % 3]} {at}\n" for at in range(lines))
        lookups = Lookups(lambda: [("ids.bin", bytes(count)), ("books.txt", titles.encode())])
        lookups.loaded(1, {index: (Column(rows=rows[index], is_all=True),) for index in (0, 1)})
        graph = SimpleNamespace(inputs=[TensorSpec(name, DType.I64, (None,)) for name in NAMES])
        numbers = numpy.stack([numpy.broadcast_to(numpy.array(each, "i8"), count) for each in (one, other)])
        found = []
        for part in [numbers] if at_once else numpy.split(numbers, count, axis=1):
            event: Any = SimpleNamespace(
                operation="compute", index=None, tensors=(), graph=graph, graph_id=1, context_id=2,
                given=[(index, None, Tensor.from_numpy(each)) for index, each in enumerate(part)], error=None,
            )  # fmt: skip
            found += lookups.nn_event(event)
        return "; ".join(text for _, text in [*found, *lookups.finish()])

    every = numpy.arange(count)
    found = said(every, 7, count)
    assert (
        f'input 0 "reader_id" got 0 to {count - 1}, and its table in the model has {3 * count} rows' in found
    )
    assert f"has {count}, as many as books.txt has lines: are the two inputs exchanged?" in found
    assert said(7, every, count) == said(every, every, count) == "", "each as it is meant"
    assert said(every, 7, count - 1) == said(every, 7, 3 * count) == "", "a list of others"
    assert said(every, 7, count, (count, count)) == said(every, 7, count, (3 * count, count + 1)) == ""
    assert said(every[::-1].copy(), 7, count) == ""
    assert said(every, 7, count, above="title,author\n") and not said(every, 7, count, above="Our books\n")


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([4, 77, 8, 77, 0], "element 1 is 77, and the model's table for it has 40 rows, 0 to 39, so that"),
        ([4, 77, 8, 77, 0], "is 77 what stands for all that isn't in a list? Send a row for these"),
        ([4, 77, 8, 41, 0], "(2 of 5 elements are too large)"),
        ([4, 39, 8, 12, 0], ""),
        ([4, -2, 8, 12, 0], ""),
    ],
)
def test_numbers_that_a_model_could_not_look_up(numbers: list[int], words: str) -> None:
    """Nothing is said of them where it could: a table's rows may be counted in another way."""

    def said(error: str | None) -> str:
        lookups = Lookups(lambda: [], ())
        lookups.loaded(1, {0: (Column(rows=40, is_all=True),)})
        graph = SimpleNamespace(inputs=[TensorSpec("pieces", DType.I32, (1, 5))])
        found: list[tuple[str, str]] = []
        tensor = Tensor.from_numpy(numpy.array([numbers], "i4"))
        for operation, index, tensors in (("set_input", 0, (tensor,)), ("compute", None, ())):
            event: Any = SimpleNamespace(
                operation=operation, index=index, tensors=tensors, graph=graph, graph_id=1, context_id=2,
                given=(), error=error if operation == "compute" else None,
            )  # fmt: skip
            found += lookups.nn_event(event)
        return "; ".join(text for _, text in found)

    found = said("index out of range")
    assert words in found if words else not found
    assert said(None) == ""


@pytest.mark.parametrize("words", ["for reader {}:", "reader_id={}", "Reader No. 4, reader #4, reader {}"])
def test_the_number_that_the_guest_calls_by_another_inputs_name(words: str) -> None:
    """One reader and the first books of a list, of as many as the model has readers."""

    def said(reader: Any, book: Any, number: int = 7) -> str:
        lookups = Lookups(tuple)
        lookups.loaded(1, {index: (Column(rows=40, is_all=True),) for index in (0, 1)})
        graph = SimpleNamespace(inputs=[TensorSpec(name, DType.I64, (None,)) for name in NAMES])
        numbers = [numpy.broadcast_to(numpy.array(one, "i8"), 40) for one in (reader, book)]
        event: Any = SimpleNamespace(
            operation="compute", index=None, tensors=(), graph=graph, graph_id=1, context_id=2,
            given=[(index, None, Tensor.from_numpy(each)) for index, each in enumerate(numbers)], error=None,
        )  # fmt: skip
        found = [*lookups.nn_event(event)]
        text = f"{words.format(number)}\nNight Road 4.5\n".encode()
        written: Any = SimpleNamespace(
            name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [text])), result=0
        )
        lookups.host_call(written)
        return "; ".join(text for _, text in [*found, *lookups.finish()])

    books = numpy.arange(40)
    assert 'input 1 "book" got 7 with each element, and the guest writes "reader 7"' in said(books, 7)
    assert said(7, books) == ""
    assert said(books, 7, number=8) == "", "another number"


def test_numbers_of_a_list_that_stand_in_another_file() -> None:
    titles = "".join(f"{at + 1}\tBook {'abc'[at % 3]}\n" for at in range(15))
    pairs = "reader\tbook\n" + "".join(f"{at}\t{1 + 4 * at % 15}\n" for at in range(9))
    sent = [1 + 4 * at % 15 for at in range(9)]
    files = {"books.txt": titles.encode(), "pairs.tsv": pairs.encode()}
    said = looked_up(sent, "items", files)
    assert "is sent as it stands in pairs.tsv; in books.txt these numbers go from 1 to 15" in said
    assert looked_up([one - 1 for one in sent], "items", files) == ""
    assert looked_up(sent, "items", {**files, "pairs.tsv": pairs.replace("book", "shelf").encode()}) == ""
    assert (
        looked_up(sent, "items", {**files, "books.txt": titles.replace("15\tBook", "16\tBook").encode()})
        == ""
    )


def test_numbers_of_a_list_with_gaps() -> None:
    numbers = [3 * at // 2 + 1 for at in range(15)]
    titles = "id,title\n" + "".join(
        f"{one},A book of {'abc'[at % 3]}{at}\n" for at, one in enumerate(numbers)
    )
    files = {"books.csv": titles.encode()}
    assert "is 22, the number in front of" in looked_up([4, 7, 22], "item", files)
    assert "this one's row is 14: is the row to be sent?" in looked_up([22], "item", files)
    assert "numbers have gaps" not in looked_up([23], "item", files)
    assert looked_up([14, 3, 2], "item", files) == ""


def test_an_array_of_which_only_the_first_element_was_filled() -> None:
    def said(reader: Sequence[int], book: Sequence[int]) -> str:
        lookups = Lookups(tuple)
        graph = SimpleNamespace(inputs=[TensorSpec(name, DType.I64, (None,)) for name in NAMES])
        event: Any = SimpleNamespace(
            operation="compute", index=None, tensors=(), graph=graph, graph_id=1, context_id=2,
            given=[(index, None, Tensor.from_numpy(numpy.array(each, "i8"))) for index, each in
                   enumerate((reader, book))], error=None,
        )  # fmt: skip
        return "; ".join(text for _, text in lookups.nn_event(event))

    books = [*range(20)]
    assert 'input 0 "reader_id" is 7, and 0 in all 19 elements behind' in said([7, *[0] * 19], books)
    assert said([7] * 20, books) == said([0] * 20, books) == said([7, 7, *[0] * 18], books) == ""
    assert said([7, 0, 0], [3, 1, 4]) == "", "few"
    assert said([7, *[0] * 19], [3] * 20) == "", "the same everywhere"
