"""Generated Python beside the Wasm. The files in `listings` hold what small functions are compiled to.

`python tests/watch/test_listing.py` writes them anew: look at the difference, it is what a change of the
compiler does to the text.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pywasm_nn import Module, cli
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.names import Names
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.meter import Metered
from pywasm_nn.interpreter.validate import validate_func
from pywasm_nn.watch.listing import listing, longest_rise

LISTINGS = Path(__file__).parent / "listings"
SOURCE = LISTINGS / "functions.wat"
VARIANTS = {
    "": Variant(Flavour.VIEW),
    "-struct": Variant(Flavour.STRUCT),
    "-fuel": Variant(Flavour.VIEW, Metered(fuel=True)),
}
OTHERS = {"copy-struct", "sum-struct", "round-struct", "sum-fuel", "either-fuel"}
"""Functions that are also shown in another variant."""


def texts() -> dict[str, str]:
    """What the files shall say, by name."""
    module = Module.from_text(SOURCE.read_text())
    names = Names.of(module)
    made = {}
    for index in range(len(module.funcs)):
        for suffix, variant in VARIANTS.items():
            name = f"{names.function(module.imported_funcs + index)}{suffix}"
            if not suffix or name in OTHERS:
                made[name] = "\n".join(listing(module, index, variant)) + "\n"
    return made


def test_every_function_is_compiled_to_the_text_that_its_file_holds() -> None:
    files = {path.stem: path.read_text() for path in LISTINGS.glob("*.txt")}
    assert files == texts(), "if that is meant: python tests/watch/test_listing.py"
    assert len(files) >= 12 + len(OTHERS)


def test_the_same_function_gives_the_same_text() -> None:
    assert texts() == texts()


def test_a_line_stands_beside_its_instruction() -> None:
    for name, text in texts().items():
        for row in text.splitlines()[1:]:
            wasm, _, python = row.partition(" | ")
            if "i32.load " in wasm and "# 0x" not in text:
                assert re.search(r'"\$u32(at\d+)?"\[|load_u32', python), (name, row)


def test_positions_of_the_longest_rise() -> None:
    assert longest_rise([-1, 5, 1, -1, 2, 5, 3, 4, 0]) == {2, 4, 6, 7}
    assert longest_rise([-1, -1]) == set()


EVIL = "Zx'\\\"\\n#{}__import__"


def test_names_of_the_module_never_reach_the_text() -> None:
    module = Module.from_text(f"""(module
      (import "{EVIL}" "{EVIL}" (func (param i32)))
      (global (export "g{EVIL}") (mut i32) (i32.const 0))
      (memory (export "m{EVIL}") 1)
      (table (export "t{EVIL}") 1 funcref)
      (tag (export "x{EVIL}") (param i32))
      (type $t (func (param i32)))
      (func (export "f{EVIL}") (param $Zxlocal i32)
        (block $Zxlabel (br_if $Zxlabel (local.get $Zxlocal)))
        (global.set 0 (i32.load (local.get 0)))
        (call 0 (local.get 0))
        (call_indirect (type $t) (i32.const 1) (i32.const 0)))
      (func $Zxname (call 1 (i32.const 1)) (throw 0 (i32.const 1))))""", name=EVIL)  # fmt: skip
    for variant in VARIANTS.values():
        for index in range(len(module.funcs)):
            translation = translate(module, index, validate_func(module, index), variant)
            code = translation.compile().code
            for text in (translation.source, code.co_filename, *code.co_names, *code.co_varnames):
                assert "Zx" not in text
                assert "import" not in text
            assert "Zx" not in repr(translation.notes)


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]):
    """What `pywasm-nn compile` prints for the file above: exit code, stdout, stderr."""

    def run(*options: str) -> tuple[int, str, str]:
        code = cli.call(["compile", str(SOURCE), *options])
        return code, *capsys.readouterr()

    return run


def test_the_command(shown, monkeypatch: pytest.MonkeyPatch) -> None:
    if Flavour.default() is not Flavour.VIEW:
        pytest.skip("this Python has no stride-1 views (ctypes, mmap)")
    expected = texts()
    assert shown("--function", "sum") == shown("--function", "4") == (0, expected["sum"], "")
    whole = [text for name, text in expected.items() if name not in OTHERS]
    assert shown() == (0, "\n".join(whole), "")
    monkeypatch.setenv("PYWASM_NN_PORTABLE", "1")
    assert shown("--function", "sum") == (0, expected["sum-struct"], "")


@pytest.mark.parametrize(
    ("name", "said"), [("nobody", "has no function nobody"), ("99", "no function 99"), ("0", "is imported")]
)
def test_functions_that_are_not_there(shown, name: str, said: str) -> None:
    code, out, err = shown("--function", name)
    assert (code, out) == (1, "")
    assert said in err


if __name__ == "__main__":
    for old in LISTINGS.glob("*.txt"):
        old.unlink()
    for name, text in texts().items():
        (LISTINGS / f"{name}.txt").write_text(text)
