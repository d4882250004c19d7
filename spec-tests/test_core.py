"""The official suite's files for WebAssembly 2.0 without SIMD, on every engine: one test a file and engine.

The suite is a snapshot of 3.0, so some of these files use what came later. They are not skipped: `LATER` says
which, why, and how many of their assertions pass today. To pass more or fewer than that is a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.script import ASSERTIONS, KINDS, Report, run_script
from pywasm_nn.interpreter.text import parse_script

WHOLE = """
address align binary binary-leb128 block br call call_indirect comments const conversions custom data
endianness f32 f32_bitwise f32_cmp f64 f64_bitwise f64_cmp fac float_exprs float_literals float_memory
float_misc forward func_ptrs i32 i64 id if inline-module int_exprs int_literals labels left-to-right load
local_get local_set loop memory memory_copy memory_fill memory_init memory_redundancy memory_size
memory_trap names nop obsolete-keywords ref_func return skip-stack-guard-page stack start store switch
table_copy table_fill table_get table_grow table_set table_size token traps type unreachable unwind
utf8-custom-section-id utf8-import-field utf8-import-module utf8-invalid-encoding
"""
"""Files of which every command succeeds."""

REFS = "reference types with a type index or without null"
TAGS = "tags"
REC = "recursive types"
LATER = {
    "br_if": (117, REFS),
    "br_table": (24, REFS),
    "bulk": (65, "the element's number in the message 'uninitialized element 2'"),
    "elem": (70, REFS),
    "exports": (40, TAGS),
    "func": (170, REFS),
    "global": (108, REFS),
    "imports": (102, TAGS),
    "instance": (0, TAGS),
    "linking": (96, REFS),
    "local_init": (0, REFS),
    "local_tee": (96, REFS),
    "ref_is_null": (2, REFS),
    "select": (29, REFS),
    "table": (12, REFS),
    "table-sub": (2, REFS),
    "table_init": (731, REFS),
    "type-canon": (0, REC),
    "type-equivalence": (1, REC),
    "type-rec": (0, REC),
    "unreached-invalid": (118, REFS),
    "unreached-valid": (1, REFS),
}
"""Files that aren't whole yet: how many of their assertions pass today, and what the others wait for."""

NOT_IN_GROUP = {
    "SIMD": "simd_*",
    "relaxed SIMD": "*relaxed*",
    "memory64": "*64 memory64-imports table_copy_mixed",
    "multi-memory": "*[0-4] memory-multi memory_grow memory_size_import",
    "gc": "array* binary-gc br_on_cast* extern i31 ref_cast ref_eq ref_test struct type-subtyping",
    "function-references": "br_on_*null call_ref ref ref_as_non_null ref_null return_call_ref",
    "tail-call": "return_call return_call_indirect",
    "exception-handling": "tag throw throw_ref try_table",
    "annotations": "annotations",
}
"""The other files by what they are about (patterns): groups that aren't implemented yet."""

ASSERTIONS_IN_GROUP = 26791


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [*WHOLE.split(), *LATER])
def test_file(suite: Path, name: str, engine: str, keep_report: Callable[[str, Report], None]) -> None:
    report = run_script((suite / f"{name}.wast").read_text("utf-8"), ENGINES[engine])
    keep_report(engine, report)
    if name in LATER:
        assert sum(report.passed.values()) == LATER[name][0], "\n".join(map(str, report.failures))
    else:
        assert not report.failures, "\n".join(map(str, report.failures))


def test_the_group_is_whole(suite: Path) -> None:
    group = {*WHOLE.split(), *LATER}
    commands = [
        command for name in group for command in parse_script((suite / f"{name}.wast").read_text("utf-8"))
    ]
    assert sum(KINDS[type(command)] in ASSERTIONS for command in commands) == ASSERTIONS_IN_GROUP


def test_every_other_file_waits_for_something(suite: Path) -> None:
    others = {path.stem for path in suite.glob("*.wast")} - {*WHOLE.split(), *LATER}
    patterns = [pattern for words in NOT_IN_GROUP.values() for pattern in words.split()]
    assert not {name for name in others if not any(fnmatchcase(name, pattern) for pattern in patterns)}
