"""Damaged modules: every module of the suite cut short or with bits flipped, as text and as binary.

Whatever comes in, what comes out is a module or one of the documented errors, and soon; and of binaries just
those are taken that wasmtime takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from random import Random

import pytest
import wasmtime
from conformance import NO_SUITE, SUITE, files_of_the_suite
from modules import modules_of

from pywasm_nn.errors import InvalidError, MalformedError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.text.parser import text_of
from pywasm_nn.interpreter.validate import validate_all
from tests.fuzz.targets import time_limit

pytestmark = pytest.mark.skipif(SUITE is None, reason=NO_SUITE)

SECONDS = 10
"""What takes longer than this hangs: the suite's largest module takes a tenth of it."""
MOST_FLIPS = 4
THEIRS = (
    "memory64", "multi_memory", "tail_call", "function_references", "gc", "exceptions", "relaxed_simd",
    "threads", "wide_arithmetic",
)  # fmt: skip
"""What wasmtime may have to be asked for of 3.0, and of the proposals that are on here."""
OURS = ("-legacy-exceptions",)
"""The default features without what wasmtime doesn't have."""


@cache
def originals() -> list[tuple[str, bytes | None, bytes]]:
    """Place, text and bytes of every module."""
    return [
        (found.place, None if found.text is None else found.text.encode(), found.data)
        for name in files_of_the_suite()
        for found in modules_of(name)
    ]


def damaged(random: Random, whole: bytes) -> bytes:
    """The bytes cut short, or with some bits flipped."""
    if random.random() < 0.5:
        return whole[: random.randrange(len(whole))]
    data = bytearray(whole)
    for _ in range(random.randint(1, MOST_FLIPS)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def check(data: bytes, *, is_text: bool, features: Sequence[str] = ()) -> str:
    """Read and validate a module: "module", or the documented error that it gives."""
    try:
        with time_limit(SECONDS):
            validate_all(parse(text_of(data)) if is_text else decode(data, features=features))
    except (MalformedError, InvalidError) as error:
        return type(error).__name__
    return "module"


def their_engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    for feature in THEIRS:
        setattr(config, f"wasm_{feature}", True)
    return wasmtime.Engine(config)


def they_accept(engine: wasmtime.Engine, data: bytes) -> bool:
    try:
        wasmtime.Module.validate(engine, data)
    except wasmtime.WasmtimeError:
        return False
    return True


@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_damage_gives_a_module_or_a_documented_error(count: int) -> None:
    modules, engine = originals(), their_engine()
    outcomes: Counter[str] = Counter()
    for case in range(count):
        random = Random(case)
        place, text, data = modules[case % len(modules)]
        is_text = text is not None and random.random() < 0.5
        broken = damaged(random, text if text is not None and is_text else data)
        what = f"case {case}, {place} as {'text' if is_text else 'binary'}: {broken!r}"
        try:
            outcome = check(broken, is_text=is_text)
        except Exception as error:
            pytest.fail(f"{error!r} for {what}")
        outcomes[outcome] += 1
        if not is_text:
            accepted = outcome == "module" and check(broken, is_text=False, features=OURS) == "module"
            assert accepted == they_accept(engine, broken), f"{outcome}, not so in wasmtime: {what}"
    print(dict(outcomes))
    assert all(outcomes[kind] > count // 50 for kind in ("module", "MalformedError", "InvalidError"))
