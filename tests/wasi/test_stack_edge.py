"""Host functions that are called where the guest has used up its stack: they begin with room for all that
they do, or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Limits, Module, Wasi
from pywasm_nn.errors import ExhaustionError, HostError
from pywasm_nn.host import host_function

DEPTH = 2000
OPENS = """(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 64) "sub/deep/link")
  (func $down (export "down") (param $frames i32) (param $create i32) (result i32)
    (if (result i32) (local.get $frames)
      (then (call $down (i32.sub (local.get $frames) (i32.const 1)) (local.get $create)))
      (else (call $open (i32.const 3) (i32.const 1) (i32.const 64) (i32.const 13) (local.get $create)
        (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 0))))))"""
CALLS = """(module
  (import "host" "f" (func $f (result i32)))
  (func $down (export "down") (param $frames i32) (result i32)
    (if (result i32) (local.get $frames)
      (then (call $down (i32.sub (local.get $frames) (i32.const 1))))
      (else (call $f)))))"""
EDGE = [1000, 1900, *range(DEPTH - 140, DEPTH + 2)]
"""How many frames lie below the one that calls; the last have no frame left for it."""


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    deep = tmp_path / "sub" / "deep"
    deep.mkdir(parents=True)
    os.symlink("../file", deep / "link")
    (tmp_path / "sub" / "file").write_bytes(b"")
    return tmp_path


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts the descriptors that /proc shows")
@pytest.mark.parametrize("portable", ["0", "1"])
def test_nothing_stays_open_that_the_guest_knows_no_number_of(
    directory: Path, portable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYWASM_NN_PORTABLE", portable)
    ends = set()
    with Module.from_text(OPENS).instantiate(
        Wasi(dirs={"/": directory}), limits=Limits(call_depth=DEPTH)
    ) as instance:
        instance.exports.down(0, 0)
        for frames in EDGE:
            before = open_files()
            try:
                assert instance.exports.down(frames, 0) == 0
                opened = 1
            except ExhaustionError:
                opened = 0
            ends.add(opened)
            assert open_files() - before == opened, f"{frames} frames down"
    assert ends == {0, 1}


def test_a_users_function_runs_to_its_end_or_not_at_all() -> None:
    begun, ended = [], []

    def below(frames: int) -> int:
        return below(frames - 1) if frames else 0

    def f() -> int:
        begun.append(1)
        below(40)
        ended.append(1)
        return 0

    class Host:
        def open(self, report: Any, limits: Any) -> Host:
            return self

        def lookup(self, module: str, name: str) -> Any:
            return host_function(f)

        def close(self) -> None:
            pass

    module = Module.from_text(CALLS)
    with module.instantiate(Host(), limits=Limits(call_depth=DEPTH)) as instance:
        exhausted = 0
        for frames in EDGE:
            try:
                instance.exports.down(frames)
            except ExhaustionError:
                exhausted += 1
        assert 0 < exhausted < len(EDGE) - 60
        assert len(begun) == len(ended) == len(EDGE) - exhausted


def test_few_frames_are_shared_with_host_functions() -> None:
    class Host:
        def open(self, report: Any, limits: Any) -> Host:
            return self

        def lookup(self, module: str, name: str) -> Any:
            return host_function(lambda: None)

        def close(self) -> None:
            pass

    text = '(module (import "host" "f" (func $f)) (func (export "main") (call $f)))'
    with Module.from_text(text).instantiate(Host(), limits=Limits(call_depth=30)) as instance:
        instance.exports.main()


def test_the_recursion_limit_is_as_it_was() -> None:
    before = sys.getrecursionlimit()
    with pytest.raises(HostError):
        test = Module.from_text('(module (import "host" "f" (func $f)) (func (export "main") (call $f)))')

        def endless() -> None:
            endless()

        with test.instantiate(imports={"host": {"f": endless}}) as instance:
            instance.exports.main()
    assert sys.getrecursionlimit() == before
