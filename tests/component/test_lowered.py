"""Core modules that import interfaces of the host directly, without a component around them."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Capture, Limits, Linker, MemoryDirectory, Module, Observer, Wasi
from pywasm_nn.component.lowered import LEGACY, STANDARD32, Mangling, core_namespaces
from pywasm_nn.errors import HostCallsError, LinkError, Trap
from pywasm_nn.nn import NN
from pywasm_nn.wasi.p2.world import INTERFACES, all_interfaces

MANGLINGS = (LEGACY, STANDARD32)


def program(mangling: Mangling, version: str = "0.2.6") -> Module:
    """Reads all of `a.txt` in its first directory, and writes it to its output."""
    prefix, realloc = mangling.prefix, "cm32p2_realloc" if mangling.prefix else "cabi_realloc"

    def imported(interface: str, name: str, type_: str, label: str) -> str:
        return f'(import "{prefix}wasi:{interface}@{version}" "{name}" (func ${label} {type_}))'

    parts = [
        imported("cli/stdout", "get-stdout", "(result i32)", "stdout"),
        imported("filesystem/preopens", "get-directories", "(param i32)", "directories"),
        imported(
            "filesystem/types",
            "[method]descriptor.open-at",
            "(param i32 i32 i32 i32 i32 i32 i32)",
            "open",
        ),
        imported("filesystem/types", "[method]descriptor.read", "(param i32 i64 i64 i32)", "read"),
        imported("filesystem/types", mangling.drop("descriptor"), "(param i32)", "drop"),
        imported(
            "io/streams",
            "[method]output-stream.blocking-write-and-flush",
            "(param i32 i32 i32 i32)",
            "write",
        ),
    ]
    return Module.from_text(
        f"""(module {" ".join(parts)}
      (memory (export "{mangling.memory}") 1)
      (data (i32.const 64) "a.txt")
      (global $top (mut i32) (i32.const 1024))
      (func (export "{realloc}") (param i32 i32 i32 i32) (result i32)
        (global.set $top (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -8)))
        (global.get $top)
        (global.set $top (i32.add (global.get $top) (local.get 3))))
      (func (export "open") (result i32)
        (call $directories (i32.const 0))
        (call $open (i32.load (i32.load (i32.const 0))) (i32.const 0) (i32.const 64) (i32.const 5)
          (i32.const 0) (i32.const 1) (i32.const 16))
        (if (i32.load8_u (i32.const 16)) (then unreachable))
        (i32.load (i32.const 20)))
      (func (export "show") (param i32)
        (call $read (local.get 0) (i64.const 100) (i64.const 0) (i32.const 32))
        (if (i32.load8_u (i32.const 32)) (then unreachable))
        (call $write (call $stdout) (i32.load (i32.const 36)) (i32.load (i32.const 40)) (i32.const 48))
        (if (i32.load8_u (i32.const 48)) (then unreachable)))
      (func (export "drop") (param i32) (call $drop (local.get 0))))"""
    )


@pytest.mark.parametrize("mangling", MANGLINGS)
@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_wasi_for_a_core_module(mangling: Mangling, engine: str) -> None:
    output = Capture()
    wasi = Wasi(dirs={"/": MemoryDirectory({"a.txt": b"of a file"})}, stdout=output)
    with program(mangling).instantiate(wasi, engine=engine) as guest:
        handle = guest.exports.open()
        guest.exports.show(handle)
        guest.exports.drop(handle)
        with pytest.raises(Trap, match=f"unknown handle index {handle}"):
            guest.exports.drop(handle)
    assert output.value == b"of a file"


def test_every_function_links_under_both_manglings() -> None:
    """All versions of 0.2, and none of another."""
    host = Wasi().open(print)
    namespaces = core_namespaces(all_interfaces())
    assert len(namespaces) == 2 * 13 * len(INTERFACES)
    for namespace, names in namespaces.items():
        for name in names:
            assert host.lookup(namespace, name), (namespace, name)
        assert host.lookup(namespace.replace("@0.2.", "@0.3."), names[0]) is None
    host.close()


def test_names_of_one_mangling_are_none_of_the_other() -> None:
    host = Wasi().open(print)
    name = "wasi:filesystem/types@0.2.0"
    for mangling, other in (MANGLINGS, MANGLINGS[::-1]):
        assert host.lookup(mangling.prefix + name, mangling.drop("descriptor"))
        assert host.lookup(mangling.prefix + name, other.drop("descriptor")) is None
    host.close()


def test_another_type_than_the_interface_has() -> None:
    module = Module.from_text('(module (import "wasi:cli/stdout@0.2.0" "get-stdout" (func (result i64))))')
    with pytest.raises(LinkError, match="incompatible import type for wasi:cli/stdout@"):
        module.instantiate(Wasi())


def test_without_wasi_it_is_said_who_has_it() -> None:
    with pytest.raises(LinkError) as caught:
        program(LEGACY).instantiate()
    assert any("wasi=Wasi()" in note for note in caught.value.__notes__)


class Ear(Observer):
    """Hears of host calls."""

    wants = frozenset({"host"})

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, Any]] = []

    def host_call(self, event: Any) -> None:
        self.heard.append((event.module, event.name, event.result))


def test_host_calls_are_told_in_the_words_of_wit_and_counted() -> None:
    ear = Ear()
    wasi = Wasi(dirs={"/": MemoryDirectory({"a.txt": b"x"})}, stdout=Capture())
    with program(LEGACY).instantiate(wasi, observer=ear, limits=Limits(host_calls=3)) as guest:
        handle = guest.exports.open()
        with pytest.raises(HostCallsError):
            guest.exports.show(handle)
    assert ear.heard[1:] == [
        ("wasi:filesystem/types", "descriptor.open-at", "ok(descriptor)"),
        ("wasi:filesystem/types", "descriptor.read", "ok((b'x', false))"),
    ]


@pytest.mark.parametrize("mangling", MANGLINGS)
def test_drops_are_told(mangling: Mangling) -> None:
    ear = Ear()
    wasi = Wasi(dirs={"/": MemoryDirectory({"a.txt": b"x"})}, stdout=Capture())
    with program(mangling).instantiate(wasi, observer=ear) as guest:
        handle = guest.exports.open()
        told = len(ear.heard)
        guest.exports.drop(handle)
        assert ear.heard[told:] == [("wasi:filesystem/types", "descriptor.drop", None)]


def test_a_trap_tells_of_the_last_host_call() -> None:
    wasi = Wasi(dirs={"/": MemoryDirectory()})
    with program(LEGACY).instantiate(wasi) as guest, pytest.raises(Trap) as caught:
        guest.exports.open()
    assert caught.value.host_call is not None
    assert caught.value.host_call.name == "wasi:filesystem/types [method]descriptor.open-at"
    assert caught.value.host_call.result == "err(no-entry)"


def test_instances_of_a_linker_share_handles() -> None:
    """As they share descriptors and graphs of the core dialects."""
    wasi = Wasi(dirs={"/": MemoryDirectory({"a.txt": b"shared"})}, stdout=(output := Capture()))
    with Linker(wasi=wasi) as linker:
        one, two = (linker.instantiate(program(mangling)) for mangling in MANGLINGS)
        two.exports.show(one.exports.open())
    assert output.value == b"shared"


def test_what_a_call_was_given_is_not_kept(tmp_path: Path) -> None:
    """A view of guest memory would keep all of it, once the instance is closed."""
    module = Module.from_text(
        """(module
      (import "wasi:nn/tensor@0.2.0-rc-2024-10-28" "[constructor]tensor"
        (func $new (param i32 i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1)
      (func (export "run") (result i32)
        (call $new (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 4))))"""
    )
    guest = module.instantiate(nn=NN())
    assert guest.exports.run() == 1
    assert guest.last_host_call is not None
    assert not any(isinstance(value, memoryview) for value in guest.last_host_call[-1])
    guest.close()


def test_an_instance_that_nobody_closed_is_collected() -> None:
    guest = program(LEGACY).instantiate(Wasi(dirs={"/": MemoryDirectory({"a.txt": b""})}))
    guest.exports.open()
    memory = weakref.ref(guest.memory)
    del guest
    gc.collect()
    assert memory() is None
