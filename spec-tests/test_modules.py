"""The modules of the official suite: read, printed and encoded, against wasmtime's assembler.

Our parser and decoder share one table of instructions, so only an outside assembler can catch a wrong opcode.
What is not here: running them (`test_core.py`), and damaged ones (`test_damage.py`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from operator import attrgetter

import pytest
import wasmtime
from conformance import NO_SUITE, PROPOSALS, SUITE, Group, commands_of, files_of_the_suite, group_of
from modules import Found, modules_of

from pywasm_nn.errors import InvalidError, MalformedError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.names import Names
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.text import script as s
from pywasm_nn.interpreter.validate import validate_all

pytestmark = pytest.mark.skipif(SUITE is None, reason=NO_SUITE)

EVERYTHING = ("all",)
THEY_REFUSE = {"names:19": "likely-confusing unicode character"}
"""Modules that wasmtime's assembler can't read, and what it says."""

THEY_CHOOSE = {
    "type-rec:45", "type-rec:185", "type-rec:197", "type-subtyping:344", "type-subtyping:373",
    "proposals/custom-descriptors/exact-casts:428",
}  # fmt: skip
"""Modules where a function type that is only written out is another one to wasmtime: it passes over a final
type that stands alone in `rec`, and takes one that isn't final."""


NOT_KEPT = {"name", "metadata.code.branch_hint"}
"""Custom sections that are not compared: names are, as what they say, and branch hints are only checked."""


def without_names(module: Module) -> Module:
    """The module with its other custom sections sorted: where a text places them is ignored."""
    customs = sorted((c for c in module.customs if c.name not in NOT_KEPT), key=lambda c: (c.name, c.data))
    return replace(module, customs=tuple(customs))


def assembled(found: Found) -> bytes | None:
    """What wasmtime makes of a module's text; None where it is known to refuse. It knows instructions of
    legacy exceptions only as they stand in a sequence, so it gets these texts without folded expressions."""
    assert found.text is not None
    text = print_module(found.module) if found.place.startswith("legacy/") else found.text
    try:
        return bytes(wasmtime.wat2wasm(text))
    except wasmtime.WasmtimeError as error:
        assert found.place in THEY_REFUSE, f"{found.place}: {error}"
        assert THEY_REFUSE[found.place] in str(error), found.place
        return None


@pytest.mark.parametrize("name", files_of_the_suite())
def test_modules_are_those_that_wasmtime_assembles(name: str) -> None:
    for found in modules_of(name):
        if found.text is None or found.place in THEY_CHOOSE or (data := assembled(found)) is None:
            continue
        ours, theirs = found.decoded, decode(data, features=EVERYTHING)
        assert without_names(ours) == without_names(theirs), found.place
        a, b = Names(ours), Names(theirs)
        assert (a.module, a.functions, a.locals) == (b.module, b.functions, b.locals), found.place
        # They name table 0 where they needn't.
        assert len(encode(theirs)) <= len(data), found.place


@pytest.mark.parametrize("name", files_of_the_suite())
def test_modules_print_and_come_back(name: str) -> None:
    for found in modules_of(name):
        if found.text is not None:
            assert parse(print_module(found.module)) == found.module, found.place


@pytest.mark.parametrize("name", files_of_the_suite())
def test_canonical_bytes_come_back(name: str) -> None:
    for found in modules_of(name):
        assert encode(found.decoded) == found.data, found.place
        assert found.decoded == found.module, found.place


@pytest.mark.parametrize("name", files_of_the_suite())
def test_malformed_modules_are_refused_with_the_suites_words(name: str) -> None:
    features = group_of(name).features
    for command in commands_of(name):
        if not isinstance(command, s.AssertMalformed):
            continue
        with pytest.raises(MalformedError) as caught:
            for func in command.source.read(decode, features).funcs:
                _ = func.body
            pytest.fail(f"{name}:{command.line}: not refused: {command.message}")
        assert caught.value.message.startswith(command.message), f"{name}:{command.line}: {caught.value}"


def test_these_are_many() -> None:
    assert sum(len(modules_of(name)) for name in files_of_the_suite()) > 4000


WORDS = {
    "threads": r"\bshared\b|\.atomic\.|\batomic\.fence",
    "wide arithmetic": r"i64\.(add128|sub128|mul_wide)",
    "legacy exceptions": r"\(try\b|\brethrow\b|\bdelegate\b",
    "custom page sizes": r"\(pagesize 1\)",
    "custom descriptors": r"\((descriptor|describes|exact)\b|_desc\b|_desc_eq",
}
"""What is written only where the proposal of this group is used."""


@pytest.mark.parametrize(
    "group", [group for group in PROPOSALS if group.name in WORDS], ids=attrgetter("name")
)
def test_a_module_that_needs_a_proposal_is_refused_by_its_name(group: Group) -> None:
    """With every feature off; the modules of its files that don't need it are valid then, too."""
    feature = group.features[1]
    refused = 0
    files = (name for name in files_of_the_suite() if group_of(name) is group)
    for found in chain.from_iterable(map(modules_of, files)):
        try:
            validate_all(found.decoded)
        except (InvalidError, MalformedError):
            continue
        needs = found.text is None or re.search(WORDS[group.name], found.text) is not None
        try:
            validate_all(decode(found.data, features=["none"]))
        except MalformedError as error:
            assert (error.feature, error.proposal) == (feature, feature), found.place
            assert needs, found.place
            refused += 1
        except InvalidError:  # nothing of the proposal but its looser rule for a branch on a cast
            assert "br_on_cast" in str(found.text), found.place
            assert not needs, found.place
        else:
            assert found.text is None or not needs, found.place
    print(f"{group.name}: {refused} refused")
    assert refused > 0
