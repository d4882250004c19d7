"""Source lines of a C program, from what its compiler wrote about it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pywasm_nn.api import Module
from pywasm_nn.backtrace import written
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.module import Custom
from pywasm_nn.sources import Sources

GUEST = Path(__file__).parents[1] / "guests" / "source.wasm"
TEXT = GUEST.with_suffix(".c").read_text().splitlines()


def trapped(module: Module, engine: str) -> Trap:
    with module.instantiate(engine=engine) as instance, pytest.raises(Trap) as caught:
        instance.exports["_start"]()
    return caught.value


def test_a_backtrace_names_lines(engine: str) -> None:
    assert written(trapped(Module.from_file(GUEST), engine)) == [
        "  0: 0x00db  source.wasm!sum      source.c:11   $0=0xffffd0 $1=0x1010000",
        "  1: 0x0089  source.wasm!both     source.c:23   $0=0x3ffffff0",
        "  2: 0x0056  source.wasm!_start   source.c:27",
    ]
    assert "return numbers[index]" in TEXT[11 - 1]  # put into `sum` by the compiler
    assert "sum(table + far, count)" in TEXT[23 - 1]
    assert "both(far)" in TEXT[27 - 1]


def test_notes_of_an_error_name_the_same_lines(engine: str) -> None:
    """Also in another process, which doesn't have the module."""
    error = trapped(Module.from_file(GUEST), engine)
    sent = pickle.dumps(error)
    assert len(sent) < 3000
    for one in (error, pickle.loads(sent), pickle.loads(pickle.dumps(pickle.loads(sent)))):
        (told, *_) = one.__notes__
        assert told.splitlines()[1:] == written(error)
    assert "source.c:11" in told


def test_a_module_is_read_once_for_all_its_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module.from_file(GUEST)
    read = [trapped(module, "compile").__notes__]
    monkeypatch.setattr("pywasm_nn.sources.Program", lambda *_: pytest.fail("read again"))
    assert [trapped(module, "compile").__notes__] == read


def test_where_the_code_of_a_line_begins() -> None:
    module = Module.from_file(GUEST)
    sources = Sources(module)
    assert sources.files() == ["source.c"]
    for line in (23, 27):
        for offset in sources.offsets("source.c", line):
            assert str(sources.at(offset)) == f"source.c:{line}"
    assert sources.offsets("guests/source.c", 27) == []
    assert sources.offsets("source.c", 24) == sources.offsets("source.c", 27)  # the next line with code
    assert sources.offsets("source.c", 1000) == []
    assert sources.at(-1) is None
    assert sources.at(0) is None
    assert sources.at(10**9) is None


def test_a_module_without_debug_information_has_no_lines() -> None:
    assert Sources(Module.from_text("(func)")).at(30) is None


@pytest.mark.parametrize("seed", range(60))
def test_damaged_debug_information_gives_other_lines_or_none(seed: int) -> None:
    random = Random(seed)
    module = Module.from_file(GUEST)
    damaged = []
    for custom in module.customs:
        data = bytearray(custom.data)
        if custom.name.startswith(".debug") and data:
            for _ in range(random.choice((0, 1, 3))):
                data[random.randrange(len(data))] = random.choice(
                    (0, 1, 0x7F, 0x80, 0xFF, random.randrange(256))
                )
            data = data[: random.choice((len(data), len(data), random.randrange(len(data))))]
        damaged.append(Custom(custom.name, bytes(data)))
    sources = Sources(replace(module, customs=tuple(damaged)))
    for offset in range(0, module.code_offset + 260, 7):
        line = sources.at(offset)
        assert line is None or str(line).isprintable()
    sources.files()
