"""Texts that a guest has in itself: sentences among its data, which some programs ask a model about, tables,
which others send lines and windows of, and lists of words, by which they number those of texts.

What is here: `Constants`, which looks for them when they are first needed. What is not: alphabets
(`alphabets.py`), and numbers that are no text (`own_numbers.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, overload

from ...interpreter.encode import write_signed
from ...interpreter.module import Module
from ...nn.tensor import Tensor
from ..depicted import data_of, pointed
from ..regex import regex
from .matching import Origin
from .own_series import series_in
from .read_files import File
from .tables import table_in
from .vocabulary import MOST_ENTRIES, Vocabulary, words_in

MOST_DATA, MOST_TEXTS = 1 << 20, 32
TEXT = regex(rb"[\n\t\x20-\x7e\xc3-\xf4\x80-\xbf]{12,2000}")
FORMAT = regex(r"%[-+ #0-9.*]*[a-zA-Z]|\{[^}]*\}|[/\\=<>_|]")
"""Texts for messages, and names of files and functions."""
WORDS = regex(r"[^\W\d_]{2,}")
FEWEST_WORDS = 3
LINES = (
    (regex(rb"[\n\r\t\x20-\x7e]{40,}"), "ascii"),
    (regex(rb"(?:[\n\r\t\x20-\x7e]\0){40,}"), "utf-16-le"),
)
"""Texts of one byte or two a character, and in which code."""
DIGIT, MUCH = regex(r"\d"), 0.4
"""Digits are at least this part of a table's text; a message has fewer."""
FEWEST_LINES, MOST_TABLES, MOST_POINTERS = 8, 4, 1 << 17
"""The fewest lines of a table, the most tables, and the most bytes of data in which addresses of words are
looked for."""
BETWEEN, LISTED = regex(r"[\s,;|]+"), regex(r"[^\W_][\w'-]*|[\[<]\w+[\]>]")
"""A pattern for what separates the words of a list, and one for a word."""
TABLES, ARRAYS = ("a table", "table {}"), ("an array", "array {}")
"""What one of its kind is called, and each of several."""
CONSTS = ((4, b"\x41"), (8, b"\x42"))
"""How many bytes an i32 and an i64 have, and the opcodes of `i32.const` and `i64.const`."""
F32_CONST, F64_CONST = 0x43, 0x44
"""These are the opcodes of `f32.const` and `f64.const`."""
MOST_CODE = 1 << 24
"""The most bytes of a module in which numbers are searched for."""
A_PICTURE = "a picture in the program"
ZERO = b"\0"
"""Half of the last character of a text in UTF-16, which optimisers cut off at the end of data."""


class Constants(Sequence[str]):
    """The sentences in the data segments of a module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._by_rows: dict[int, list[Vocabulary]] = {}

    @cached_property
    def _found(self) -> list[str]:
        found = sorted(dict.fromkeys(sentences(self._module)), key=lambda text: -len(text.split()))
        return found[:MOST_TEXTS]  # the longest: a C library has many short messages

    @cached_property
    def tables(self) -> list[File]:
        """The tables of numbers that were compiled in, as if the guest had read them."""
        return [*named(TABLES, [*islice(tables(self._module), MOST_TABLES)])]

    @cached_property
    def of_numbers(self) -> list[bytes]:
        """The texts that have little but numbers, of any length."""
        found = (text.encode() for text in texts(self._module) if is_of_digits(text))
        return [*islice(found, MOST_TABLES)]

    @cached_property
    def arrays(self) -> list[File]:
        """The series of numbers that were compiled in, as columns. What lies behind one in memory may be
        taken for a part of it, so that nothing is known of where it ends."""
        texts = ("\n".join(f"{one:.7g}" for one in run).encode() for run in series_in(self._module))
        return [*named(ARRAYS, [*islice(texts, MOST_TABLES)])]

    @cached_property
    def _lists(self) -> list[tuple[str, ...]]:
        """The lists of words: in one text, or each word by its address."""
        found = [*filter(None, map(words_of, texts(self._module)))]
        return [*found, *pointed(self._module)] if data_of(self._module) <= MOST_POINTERS else found

    def pixels(self, array: Any) -> bytes:
        """The bytes of a picture that was compiled in, if an input was made of them, or b""."""
        from .own_pixels import own_pixels  # few guests have such ones

        return own_pixels(self._module, array)

    def numbers(self, tensor: Tensor, found: Origin | None = None) -> list[tuple[str, bytes]]:
        """The same of bytes that became floats, one each, in their order, as a file; none if the input was
        `found` in a file."""
        array = tensor.numbers()
        is_read = found is not None and found.source.name != A_PICTURE
        if array is None or array.dtype.kind != "f" or is_read:
            return []
        from .own_pixels import own_bytes

        data = own_bytes(self._module, array)
        return [("numbers in the program", data)] if data else []

    def vocabularies(self, rows: int) -> list[Vocabulary]:
        """The lists of words that may be those of a model that knows so many numbers: some come before or
        behind them, such as padding."""
        if rows not in self._by_rows:
            found = [one for one in self._lists if rows - MOST_ENTRIES <= len(one) <= rows]
            kept = ("\n".join(words).encode() for words in dict.fromkeys(found))
            self._by_rows[rows] = [*filter(None, map(words_in, kept))]
        return self._by_rows[rows]

    def has(self, text: str) -> bool:
        """Whether a text stands anywhere in the module: in its data, as C, Rust or AssemblyScript keep it, or
        as a number."""
        ways = text.encode(), text.encode("utf-16-le")
        is_there = any(one in data.init[:MOST_DATA] + ZERO for data in self._module.datas for one in ways)
        return is_there or self._compares(ways[0])

    def _compares(self, text: bytes) -> bool:
        """Whether an instruction has the first letters of a text as its number: so compilers compare short
        ones, which stand nowhere else then."""
        code = self._module.data[:MOST_CODE]
        firsts = [(opcode, (text + ZERO)[:size]) for size, opcode in CONSTS if len(text + ZERO) >= size]
        numbers = [(opcode, int.from_bytes(first, "little", signed=True)) for opcode, first in firsts]
        return any(opcode + write_signed(number) in code for opcode, number in numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)


def is_of_digits(text: str) -> bool:
    """Whether a text has several numbers and little else."""
    return len(DIGIT.findall(text)) > MUCH * len(text) and len(BETWEEN.split(text)) > FEWEST_WORDS


def sentences(module: Module) -> Iterator[str]:
    """Texts of several words that are no messages."""
    left = MOST_DATA
    for data in module.datas:
        for match in TEXT.finditer(data.init[:left]):
            text = match[0].decode("utf-8", "replace")
            if len(WORDS.findall(text)) >= FEWEST_WORDS and not FORMAT.search(text):
                yield text.strip()
        left -= min(left, len(data.init))


def named(names: tuple[str, str], found: Sequence[bytes]) -> Iterator[File]:
    """Tables as files."""
    one, several = names
    for number, data in enumerate(found, 1):
        file = File(f"{several.format(number) if len(found) > 1 else one} in the program")
        file.read(data, 0)
        yield file


def tables(module: Module) -> Iterator[bytes]:
    """Texts with lines of numbers, such as a CSV that was compiled in (`#embed`, `include_str!`)."""
    for text in texts(module):
        if text.count("\n") >= FEWEST_LINES and table_in(text.encode()) is not None:
            yield text.encode()


def words_of(text: str) -> tuple[str, ...]:
    """Returns the different words of a text that is nothing else, or () if it is."""
    words = tuple(BETWEEN.split(text))
    is_list = len({*words}) == len(words) and all(map(LISTED.fullmatch, words))
    return words if is_list else ()


def texts(module: Module) -> Iterator[str]:
    """The longer texts among a module's data, as C, Zig and Rust keep them, and AssemblyScript (UTF-16)."""
    left = MOST_DATA
    for data in module.datas:
        for lines, code in LINES:
            for match in lines.finditer(data.init[:left] + ZERO):
                yield match[0].decode(code).strip()
        left -= min(left, len(data.init))
