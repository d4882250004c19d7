"""What a guest said, made fit to be shown."""

import pickle
import sys
import unicodedata

import pytest

from pywasm_nn import Err, Module
from pywasm_nn.errors import (
    GuestExit,
    HostError,
    InvalidError,
    LimitError,
    LinkError,
    MalformedError,
    Trap,
    TrapKind,
    WasmError,
    WasmException,
)
from pywasm_nn.nn import DType, TensorSpec
from pywasm_nn.nn.errors import Code, NNError
from pywasm_nn.printable import (
    LONGEST,
    MOST_LINES,
    PrintableError,
    is_visible,
    printable,
    printable_lines,
    visible,
    visible_lines,
)
from pywasm_nn.wasi.errors import Errno, WasiError

HARMFUL = [
    *map(chr, range(0x20)),  # C0: NUL, BEL, ESC, line feed
    *map(chr, range(0x7F, 0xA0)),  # DEL and C1: NEL, CSI
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",  # direction
    *"\u2028\u2029",  # lines
    *"\u00a0\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180e\u180f\u200b\u200c\u200d\u2060\u2061\u2064\u206a",
    *"\u2800\u3000\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\U0001d159\U000e0001\U000e0041\U000e0100\U000e01ef",
    *"\ud800\udbff\udc80\udfff",  # halves of pairs, as they stand in names of files that are no text
    *"\ue000\uf8ff\U0010ffff\ufffe\u0378",  # private, never and not yet assigned
]


@pytest.mark.parametrize("character", HARMFUL, ids=lambda c: f"U+{ord(c):04X}")
def test_what_is_not_seen_is_escaped(character: str) -> None:
    for made in (visible, printable, printable_lines):
        assert made(f"a{character}b").encode("utf-8").decode() != f"a{character}b" or character == "\n"
        assert character == "\n" or character not in made(f"a{character}b")
    assert "\n" not in printable(f"a{character}b")


def test_no_format_control_or_separator_is_visible() -> None:
    for code in range(sys.maxunicode + 1):
        kind = unicodedata.category(chr(code))
        if kind in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or (kind == "Zs" and code != 0x20):
            assert not is_visible(chr(code)), hex(code)


def test_what_people_write_stays() -> None:
    for text in ("memory", "größe", "функция", "関数", "שלום", "a b\\n", "{}<>&\"'", "∑ ≠ ½ 😀"):
        assert visible(text) == printable(text) == text


@pytest.mark.parametrize("character", ["a", "\x1b", "\U000e0001", "é"])
@pytest.mark.parametrize("most", [3, 10, 100, LONGEST])
def test_long_text_is_cut_and_never_inside_an_escape(character: str, most: int) -> None:
    for count in (most - 1, most, most + 1, 10 * most):
        made = printable(character * count, most)
        assert len(made) <= most
        body = made.removesuffix("...")
        assert body == visible(character) * (len(body) // len(visible(character)))
        assert made.endswith("...") == (count * len(visible(character)) > most)


def test_a_megabyte_costs_what_is_shown() -> None:
    assert len(printable("\x1b" * 10**7)) <= LONGEST
    assert len(printable_lines("\n" * 10**7 + "a")) < 10 * MOST_LINES
    assert len(printable_lines("a\n" * 10**6)) < 10 * MOST_LINES


def test_further_lines_of_a_message_are_indented() -> None:
    assert printable_lines("a\nerror: b\r\n\tc\n") == "a\n  error: b\n    c"
    assert printable_lines(printable_lines("a\nb")) == "a\n  b"
    assert visible_lines("a\n\tb\x1b") == "a\n\\tb\\x1b"


SAID = "\x1b[2J\u202ename\nerror: forged\x00" + "long" * 10_000

ERRORS = [
    WasmError(SAID),
    MalformedError(SAID),
    MalformedError(SAID, 3),
    MalformedError(SAID, line=1, column=2),
    InvalidError(SAID, func=1, offset=2),
    LinkError(SAID),
    Trap(TrapKind.UNREACHABLE, SAID),
    LimitError("fuel", SAID),
    HostError(SAID, ValueError(SAID)),
    GuestExit(3),
    NNError(Code.RUNTIME_ERROR, SAID),
    WasiError(Errno.NOENT, SAID),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_what_errors_say_is_printable(error: Exception) -> None:
    for copy in (error, pickle.loads(pickle.dumps(error))):
        for line in str(copy).split("\n"):
            assert is_visible(line)
            assert not line.startswith("error:")
            assert len(line) <= LONGEST
        assert (str(copy), vars(copy)) == (str(error), vars(error))
        assert is_visible(repr(copy))
        assert len(repr(copy)) <= 300


def test_every_error_of_ours_is_a_printable_one() -> None:
    import pywasm_nn

    public = [getattr(pywasm_nn, name) for name in pywasm_nn.__all__]
    errors = [one for one in public if isinstance(one, type) and issubclass(one, Exception)]
    found = [*errors]
    for one in found:
        found += one.__subclasses__()
        assert issubclass(one, PrintableError), one
        assert one.__str__ is PrintableError.__str__, f"{one} says what it says in `text`"
        assert one.__repr__ is PrintableError.__repr__ or one is pywasm_nn.Err, one  # which is a value too
    assert WasmException in found


def test_the_error_of_a_component_is_printable() -> None:
    error = Err("\x1b[31m\u202e" + "n" * 100_000)
    assert is_visible(str(error)) and is_visible(repr(error)) and len(repr(error)) <= 300
    assert (str(Err("lost")), repr(Err(5)), Err(5)) == ("lost", "Err(5)", pickle.loads(pickle.dumps(Err(5))))


def test_types_of_imports_and_exports_say_their_names_visibly() -> None:
    text = '(module (import "a\\1b" "b\\c2\\9b" (func)) (func (export "c\\07\\e2\\80\\ae")))'
    module = Module.from_text(text)
    for shown in (*map(str, module.import_types), *map(str, module.export_types)):
        assert shown.isprintable(), ascii(shown)
    long = Module.from_text(f'(module (func (export "{"x" * 100_000}")))')
    assert len(str(long.export_types[0])) <= 1000


def test_dimensions_of_a_model_say_their_names_visibly() -> None:
    assert str(TensorSpec("x", DType.F32, ("N\x1b[31m", 2))).isprintable()
