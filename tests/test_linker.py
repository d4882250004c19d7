"""Modules that use each other, through `Linker`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn import BusyError, Dir, Linker, LinkError, Memory, Module, Trap, TrapKind, Wasi

LIBRARY = """
(module
  (import "host" "double" (func $double (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "quadruple") (param i32) (result i32) (call $double (call $double (local.get 0)))))
"""
APP = """
(module
  (import "library" "quadruple" (func $quadruple (param i32) (result i32)))
  (import "library" "memory" (memory 1))
  (func (export "main") (param i32) (result i32)
    (i32.store (i32.const 16) (local.get 0))
    (call $quadruple (i32.load (i32.const 16)))))
"""


def double(value: int) -> int:
    return 2 * value


def test_a_chain_of_modules(engine: str) -> None:
    with Linker(engine=engine) as linker:
        linker.function("host")(double)
        library = linker.instantiate(Module.from_text(LIBRARY), "library")
        app = linker.instantiate(Module.from_text(APP))
        assert app.exports.main(-5) == -20
        assert library.memory.load("s32", 16) == -5
    for closed in (library, app):
        with pytest.raises(Trap) as caught:
            next(iter(closed.exports[name] for name in closed.exports if name != "memory"))(1)
        assert caught.value.kind is TrapKind.CLOSED


def test_a_function_is_still_callable_where_it_was_decorated_and_may_have_another_name() -> None:
    linker = Linker()

    @linker.function("host", "double")
    def any_name(value: int) -> int:
        return double(value)

    assert any_name(4) == 8
    with linker.instantiate(Module.from_text(LIBRARY)) as library:
        assert library.exports.quadruple(4) == 16


def test_a_name_is_defined_once_and_a_missing_one_is_named() -> None:
    with Linker() as linker:
        linker.define("host", "double", double)
        with pytest.raises(ValueError, match="host::double is defined"):
            linker.define("host", "double", double)
        with pytest.raises(LinkError, match="library::quadruple"):
            linker.instantiate(Module.from_text(APP))
        linker.define("library", "memory", Memory.of(1))
        with pytest.raises(LinkError, match="library::quadruple"):
            linker.instantiate(Module.from_text(APP))


def test_instances_share_one_wasi(tmp_path: Path) -> None:
    """What one opens, another reads by the same descriptor; closing one of them leaves it open."""
    (tmp_path / "a.txt").write_text("shared")
    opener = Module.from_text("""(module
      (import "wasi_snapshot_preview1" "path_open"
        (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 0) "a.txt")
      (func (export "open") (result i32)
        (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 5) (i32.const 0)
                          (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64)))
        (i32.load (i32.const 64))))""")
    reader = Module.from_text("""(module
      (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 0) "\\20\\00\\00\\00\\40\\00\\00\\00")
      (func (export "read") (param i32) (result i32)
        (call $read (local.get 0) (i32.const 0) (i32.const 1) (i32.const 8))))""")
    with Linker(Wasi(dirs=[Dir(tmp_path, "/", readonly=True)])) as linker:
        first = linker.instantiate(opener)
        second = linker.instantiate(reader)
        fd = first.exports.open()
        first.close()
        assert fd > 3
        assert second.exports.read(fd) == 0
        assert second.memory.read(32, 6) == b"shared"


def test_closing_while_a_guest_runs_is_refused_and_loses_nothing(engine: str) -> None:
    linker = Linker(engine=engine)
    linker.function("host")(double)
    linker.instantiate(Module.from_text(LIBRARY), "library")

    @linker.function("host", "close")
    def close() -> None:
        with pytest.raises(BusyError):
            linker.close()

    app = linker.instantiate(
        Module.from_text("""(module
          (import "host" "close" (func $close))
          (import "library" "quadruple" (func $quadruple (param i32) (result i32)))
          (func (export "main") (result i32) (call $close) (call $quadruple (i32.const 3))))""")
    )
    assert app.exports.main() == 12
    linker.close()
    linker.close()
    with pytest.raises(Trap):
        app.exports.main()


def test_a_snapshot_has_the_tables_too() -> None:
    text = """(module (table (export "table") 2 funcref) (elem declare func $one $two)
      (func $one (result i32) (i32.const 1)) (func $two (result i32) (i32.const 2))
      (func (export "set") (param i32) (table.set (local.get 0) (ref.func $two)))
      (func (export "call") (param i32) (result i32) (call_indirect (result i32) (local.get 0)))
      (func (export "start") (table.set (i32.const 0) (ref.func $one))))"""
    with Module.from_text(text).instantiate() as instance:
        exports = instance.exports
        exports.start()
        before = instance.snapshot()
        exports.set(0)
        exports.set(1)
        assert (exports.call(0), exports.call(1)) == (2, 2)
        instance.restore(before)
        assert exports.call(0) == 1
        with pytest.raises(Trap):
            exports.call(1)
