"""Features beyond the core specification: each can be switched on and off, and a module that needs one that
is off is told its name."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.api import Module
from pywasm_nn.errors import InvalidError, MalformedError, Trap
from pywasm_nn.interpreter.compile.cache import CodeFolder
from pywasm_nn.interpreter.features import ALL, CORE, DEFAULT, FEATURES, chosen
from pywasm_nn.interpreter.instructions import OPS
from pywasm_nn.program import run

WIDE = """(module (func (export "_start")
  (drop (i64.add128 (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4))) drop))"""
BYTES = '(module (memory 3 (pagesize 1)) (func (export "_start") (drop (i32.load8_u (i32.const 2)))))'
ATOMIC = '(module (memory 1) (func (export "_start") (drop (i32.atomic.load (i32.const 0)))))'
LEGACY = '(module (tag) (func (export "_start") (try (do (throw 0)) (catch 0))))'
OF_THE_CORE = {
    "memory64": ("(module (memory i64 1))", "malformed limits flags"),
    "multi-memory": ("(module (memory 1) (memory 1))", "multiple memories"),
    "multi-table": ("(module (table 1 funcref) (table 1 funcref))", "multiple tables"),
}
"""Features that `none` leaves on."""
DESCRIBED = """(module (rec
    (type $point (descriptor $about) (struct (field i32)))
    (type $about (describes $point) (struct)))
  (func (export "_start")
    (drop (ref.get_desc $point (struct.new_default_desc $point (struct.new $about))))))"""
GUESTS = {
    "wide-arithmetic": WIDE,
    "custom-page-sizes": BYTES,
    "custom-descriptors": DESCRIBED,
    "legacy-exceptions": LEGACY,
    "threads": ATOMIC,
}


def binary(feature: str) -> bytes:
    return Module.from_text(GUESTS[feature], features=["all"]).data


def test_there_is_a_guest_for_each_feature() -> None:
    assert {*GUESTS, *OF_THE_CORE} == ALL
    assert set(OF_THE_CORE) == CORE
    assert {op.feature for op in OPS.values()} <= {"", *FEATURES}


@pytest.mark.parametrize("feature", GUESTS)
@pytest.mark.parametrize("engine", ["interpret", "compile"])
def test_it_can_be_switched(feature: str, engine: str) -> None:
    others = [f"-{other}" for other in ALL]
    for features in (["none", feature], ["all"], [*others, feature]):
        with Module.from_bytes(binary(feature), features=features).instantiate(engine=engine) as app:
            app.exports["_start"]()
    for features in (["none"], [f"-{feature}"], ["all", f"-{feature}"]):
        with pytest.raises(MalformedError) as caught:
            Module.from_bytes(binary(feature), features=features).validate()
        assert (caught.value.feature, caught.value.proposal) == (feature, feature)
        assert f"features=['{feature}']" in str(caught.value)


def test_what_is_on_by_default() -> None:
    assert {"threads", "wide-arithmetic", "legacy-exceptions"} == DEFAULT - CORE
    assert chosen(()) == DEFAULT
    assert chosen(["all", "-threads"]) == ALL - {"threads"}
    assert chosen(["none", "threads"]) - CORE == {"threads"}


@pytest.mark.parametrize("feature", OF_THE_CORE)
def test_what_is_part_of_the_core_can_be_forbidden(feature: str) -> None:
    text, message = OF_THE_CORE[feature]
    data = Module.from_text(text, features=["none"]).data
    with pytest.raises((MalformedError, InvalidError), match=f"{message}.* {feature}"):
        Module.from_bytes(data, features=[f"-{feature}"])


def test_unusable_features_are_named() -> None:
    data = binary("threads")
    with pytest.raises(ValueError, match="no feature 'theads'; there are threads, "):
        Module.from_bytes(data, features=["theads"])
    for wrong in ("threads", 3, [3], None):
        with pytest.raises(TypeError, match="features must be a list of names"):
            Module.from_bytes(data, features=wrong)  # type: ignore[arg-type] # the mistake that is tested


def test_a_pickled_module_keeps_them() -> None:
    module = Module.from_bytes(binary("custom-page-sizes"), features=["custom-page-sizes"])
    assert pickle.loads(pickle.dumps(module)) == module
    assert pickle.loads(pickle.dumps(module)).features == ("custom-page-sizes",)


def test_stored_code_doesnt_switch_a_feature_on(tmp_path: Path) -> None:
    data, folder = binary("wide-arithmetic"), CodeFolder(tmp_path)
    for _ in range(2):
        with Module.from_bytes(data, cache=folder).instantiate() as app:
            app.exports["_start"]()
    with (
        Module.from_bytes(data, cache=folder, features=["none"]).instantiate() as app,
        pytest.raises(Trap) as caught,
    ):
        app.exports["_start"]()
    assert getattr(caught.value.__cause__, "feature", "") == "wide-arithmetic"


@pytest.mark.parametrize("command", ["run", "validate", "compile"])
def test_commands_say_the_switch(command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "app.wasm"
    path.write_bytes(binary("custom-page-sizes"))
    assert cli.call([command, str(path)]) == 1
    err = capfd.readouterr().err
    assert "custom-page-sizes, which is off" in err
    assert cli.call([command, "--features", "custom-page-sizes", str(path)]) == 0
    assert cli.call([command, "--features", "pagesize", str(path)]) == 2
    assert "no feature 'pagesize'" in capfd.readouterr().err


def test_run_helps_with_the_option(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "app.wasm"
    path.write_bytes(binary("wide-arithmetic"))
    assert cli.call(["run", "--features=-wide-arithmetic", str(path)]) == 1
    assert "--features wide-arithmetic" in capfd.readouterr().err
    assert cli.call(["run", "-W", "wide-arithmetic=n", str(path)]) == 1
    assert cli.call(["run", "-W", "wide-arithmetic", str(path)]) == 0
    assert run(path).exit_code == 0
    with pytest.raises(Trap):
        run(path, features=["none"])


def test_inspect_says_what_a_module_uses(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "app.wasm"
    for feature, said in {
        "wide-arithmetic": "wide arithmetic", "custom-page-sizes": "custom page sizes", "threads": "atomics",
        "custom-descriptors": "custom descriptors",
    }.items():  # fmt: skip
        path.write_bytes(binary(feature))
        assert cli.call(["inspect", str(path)]) == 0
        assert said in capfd.readouterr().out
    assert cli.call(["doctor"]) == 0
    out = capfd.readouterr().out
    assert all(f"{feature.name}: {feature.title}" in out for feature in FEATURES.values())


@pytest.mark.parametrize("engine", ["interpret", "compile"])
def test_a_memory_of_bytes_counts_bytes(engine: str) -> None:
    text = """(module (memory (export "memory") 5 9 (pagesize 1))
      (func (export "size") (result i32) memory.size)
      (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
      (func (export "store") (param i32) (i32.store16 (local.get 0) (i32.const -1)))
      (func (export "fill") (param i32) (memory.fill (i32.const 0) (i32.const 7) (local.get 0))))"""
    with Module.from_text(text, features=["custom-page-sizes"]).instantiate(engine=engine) as app:
        size, grow, store = app.exports.size, app.exports.grow, app.exports.store
        assert size() == 5
        store(3)
        with pytest.raises(Trap, match="out of bounds memory access"):
            store(4)
        assert app.memory.read(0, 5) == b"\0\0\0\xff\xff"
        assert [grow(3), grow(2), size(), grow(1), grow(1), size()] == [5, -1, 8, 8, -1, 9]
        store(7)
        app.exports.fill(9)
        with pytest.raises(Trap, match="out of bounds memory access"):
            app.exports.fill(10)
        assert app.memory.read(0, 9) == b"\7" * 9


def test_inline_data_fills_its_memory() -> None:
    text = '(module (memory (export "memory") (pagesize 1) (data "abc")))'
    with Module.from_text(text, features=["all"]).instantiate() as app:
        assert (app.memory.pages, app.memory.read(0, 3)) == (3, b"abc")
