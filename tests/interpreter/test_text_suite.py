"""The official suite's modules, against wasmtime's assembler: every one of the MVP and 2.0, without SIMD."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import wasmtime

from pywasm_nn.errors import MalformedError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.names import Names
from pywasm_nn.interpreter.text import parse, parse_script, print_module
from pywasm_nn.interpreter.text import script as s
from pywasm_nn.interpreter.text.cursor import Cursor

ROOT = Path(__file__).parents[2]
PLACES = [
    *map(Path, filter(None, [os.environ.get("WASM_TESTSUITE")])),
    ROOT / "spec-tests" / "testsuite",
    ROOT / ".." / "shared" / "spec-testsuite",
]
SUITE = next((place for place in PLACES if (place / "const.wast").exists()), None)
pytestmark = pytest.mark.skipif(SUITE is None, reason="the suite (../shared/spec-testsuite) isn't here")

LATER = re.compile(
    r"^(simd_|relaxed_|i8x16_|i16x8_|i32x4_|array|struct|i31|ref_(cast|eq|test)|br_on_cast"
    r"|extern|type-subtyping|return_call_ref|throw|try_table|tag|instance|binary-gc|memory64)|64\.wast$"
)
"""Files of what comes after 2.0 (and SIMD)."""
LATER_TEXT = re.compile(
    r"\((tag) |\((table|memory) (\$\w+ )?i64 "
    r"|\b(array\.|f32x4\.)"
)
"""What comes after 2.0 in files that are older."""

ALONE_IN_REC = ["type-rec.wast:45", "type-rec.wast:185", "type-rec.wast:197"]
"""Here wasmtime defines types anew although equal ones stand alone in `rec`, which is only another way to
write them."""


@cache
def scripts() -> dict[str, list[s.Command]]:
    assert SUITE is not None
    paths = [path for path in sorted(SUITE.glob("*.wast")) if not LATER.search(path.name)]
    # Newlines as they are: `read_text` would make one of carriage return and line feed inside of strings.
    return {path.name: parse_script(path.read_bytes().decode()) for path in paths}


def text_of(source: s.Source) -> str | None:
    """The module's text, or None if it is binary."""
    if isinstance(source, s.TextSource):
        words, starts = source.tokens.words, source.tokens.starts
        cursor = Cursor(source.tokens, next(i for i in range(source.at, -1, -1) if words[i] == "module") - 1)
        first = cursor.at
        cursor.skip()
        text = source.tokens.text[starts[first] : starts[cursor.at - 1] + 1]
        return re.sub(r"^\(\s*module\s+definition", "(module", text)
    if isinstance(source, s.FieldsSource):
        return source.tokens.text
    return source.data.decode() if isinstance(source, s.QuotedSource) else None


def modules() -> list[tuple[str, str, Module]]:
    """Place, text and parsed module of all that are well formed, but those that need what comes later."""
    found = []
    for name, commands in scripts().items():
        for command in commands:
            source = getattr(command, "source", None)
            if source is None or isinstance(command, s.AssertMalformed):
                continue
            text = text_of(source)
            if text is None:
                continue
            try:
                found.append((f"{name}:{command.line}", text, source.read(decode)))
            except MalformedError as error:
                assert LATER_TEXT.search(text), f"{name}:{command.line}: {error}"
    return found


def without_names(module: Module) -> Module:
    return replace(module, customs=tuple(c for c in module.customs if c.name != "name"))


def test_modules_are_those_that_wasmtime_assembles() -> None:
    compared = 0
    for place, text, module in modules():
        try:
            theirs = decode(bytes(wasmtime.wat2wasm(text)))
        except wasmtime.WasmtimeError as error:
            # They refuse characters that change the direction of text, which the specification allows.
            assert "confusing unicode" in str(error), f"{place}: {error}"
            continue
        if place in ALONE_IN_REC:
            continue
        ours = decode(encode(module))
        assert without_names(ours) == without_names(theirs), place
        a, b = Names(ours), Names(theirs)
        assert (a.module, a.functions, a.locals) == (b.module, b.functions, b.locals), place
        compared += 1
    assert compared > 2500


def test_modules_print_and_come_back() -> None:
    for place, _, module in modules():
        assert parse(print_module(module)) == module, place


def test_malformed_texts_are_refused_with_the_suites_words() -> None:
    refused = 0
    for name, commands in scripts().items():
        for command in commands:
            if not isinstance(command, s.AssertMalformed) or isinstance(command.source, s.BinarySource):
                continue
            with pytest.raises(MalformedError) as caught:
                command.source.read(decode)
                pytest.fail(f"{name}:{command.line}: not refused: {command.message}")
            assert caught.value.message.startswith(command.message), f"{name}:{command.line}: {caught.value}"
            refused += 1
    assert refused > 600
