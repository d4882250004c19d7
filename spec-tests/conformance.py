"""What of the official suite passes, group by group, on both engines: a section of docs/conformance.md.

    python spec-tests/conformance.py        run everything, write the section

Here are the suite's place, its groups, how one file is run, and the section. `test_core.py` runs the same as
tests and compares the section with what came of them.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from pywasm_nn.interpreter.engine import ENGINES, CompileEngine
from pywasm_nn.interpreter.runtime.instance import Engine, Instance
from pywasm_nn.interpreter.script import ASSERTIONS, Report, run_commands
from pywasm_nn.interpreter.text import parse_script
from pywasm_nn.interpreter.text.script import Command

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "conformance.md"
TITLE, HEADING = "# Conformance", "## The core specification, 3.0"
SECTION = re.compile(rf"{HEADING}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
COMMIT, DATE = "193e551ff22663995b1ac95dc62344133669e14b", "2026-06-17"
"""Of the snapshot (https://github.com/WebAssembly/testsuite) that the figures belong to."""


def find_suite() -> Path | None:
    """The folder of the suite: WASM_TESTSUITE, a clone in `spec-tests/testsuite`, or shared data."""
    places = (
        os.environ.get("WASM_TESTSUITE"),
        ROOT / "spec-tests" / "testsuite",
        ROOT / ".." / "shared" / "spec-testsuite",
    )
    return next((Path(place) for place in places if place and Path(place, "i32.wast").exists()), None)


SUITE = find_suite()
NO_SUITE = "no WebAssembly test suite: set WASM_TESTSUITE, or clone it to spec-tests/testsuite"


@dataclass(frozen=True, slots=True)
class Group:
    """Files of the suite that are about one thing, and how much they must be."""

    name: str
    patterns: str
    files: int
    assertions: int
    native: bool
    """Whether every function must be compiled: none may fall back to `interpret`."""
    features: tuple[str, ...] = ("none",)
    """What is switched on."""


CORE = (
    Group("SIMD", "simd_*", 59, 25515, True),
    Group("relaxed SIMD", "*relaxed*", 7, 69, True),
    Group(
        "memory64",
        "?*[a-z]64 *_64 memory64-imports table_copy_mixed",
        25,
        8282,
        False,
    ),
    Group(
        "multi-memory",
        "*[a-z][0-4] memory-multi memory_grow memory_size_import",
        41,
        768,
        True,
    ),
    Group(
        "GC",
        "array* binary-gc br_on_cast* extern i31 ref_cast ref_eq ref_test struct type-subtyping",
        17,
        657,
        False,
    ),
    Group(
        "function references",
        "br_on_*null call_ref ref ref_as_non_null ref_null return_call_ref",
        7,
        142,
        False,
    ),
    Group("tail calls", "return_call return_call_indirect", 2, 120, True),
    Group("exceptions", "tag throw throw_ref try_table", 4, 90, True),
    Group("annotations", "annotations", 1, 64, True),
    Group("MVP and 2.0 without SIMD", "*", 94, 26791, True),
)
PROPOSALS = (
    Group("annotations of custom sections", "custom/*", 3, 20, True),
    Group(
        "threads",
        "proposals/threads/*",
        4,
        444,
        True,
        ("none", "threads", "-multi-memory", "-multi-table", "-memory64"),
    ),
    Group("wide arithmetic", "proposals/wide-arithmetic/*", 1, 107, True, ("none", "wide-arithmetic")),
    Group("legacy exceptions", "legacy/*", 4, 89, True, ("none", "legacy-exceptions")),
    Group("custom page sizes", "proposals/custom-page-sizes/*", 5, 164, True, ("none", "custom-page-sizes")),
    Group(
        "custom descriptors",
        "proposals/custom-descriptors/*",
        14,
        772,
        True,
        ("none", "custom-descriptors"),
    ),
)
GROUPS = (*PROPOSALS, *CORE)
"""A file belongs to the first group with a pattern that fits its name."""


def group_of(name: str) -> Group:
    return next(g for g in GROUPS if any(fnmatchcase(name, pattern) for pattern in g.patterns.split()))


def files_of_the_suite() -> list[str]:
    """Names of the files that belong to a group, without suffix: those of the core specification at the top,
    those of proposals in their folders."""
    if SUITE is None:
        return []
    patterns = ["*", *(group.patterns for group in PROPOSALS)]
    found = [path for pattern in patterns for path in SUITE.glob(f"{pattern}.wast")]
    return sorted(path.relative_to(SUITE).with_suffix("").as_posix() for path in found)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one file on one engine."""

    report: Report
    called: int = 0
    """Functions that were called, counted per instance; on `compile` only."""
    fallbacks: Counter[str] = field(default_factory=Counter)
    """Why functions that were called were interpreted nevertheless, and how many."""

    @property
    def assertions(self) -> int:
        return self.passed + sum(self.report.failed[kind] for kind in ASSERTIONS)

    @property
    def passed(self) -> int:
        return sum(self.report.passed.values())


class Run(NamedTuple):
    """One file on one engine."""

    name: str
    engine: str


Outcomes = Mapping[Run, Outcome]


class Counting(CompileEngine):
    """Counts what became of functions, also once a closed instance has let go of them."""

    def __init__(self) -> None:
        super().__init__()
        self.called = 0
        self.reasons: Counter[str] = Counter()

    def begin_anew(self, instance: Instance) -> None:
        self.count()
        super().begin_anew(instance)

    def count(self) -> None:
        self.called += len(self.compiled) + len(self.cached) + len(self.interpreted)
        self.reasons.update(self.interpreted.values())


def text_of(name: str) -> str:
    """A file, its newlines as they are: reading as text would change carriage returns in strings."""
    assert SUITE is not None, NO_SUITE
    return (SUITE / f"{name}.wast").read_bytes().decode()


@cache
def commands_of(name: str) -> list[Command]:
    """The commands of a file, read once for all engines."""
    return parse_script(text_of(name))


def run_file(run: Run, commands: Sequence[Command] | None = None) -> Outcome:
    """Run a file of the suite on an engine, or these commands of it."""
    counted: list[Counting] = []

    def make_engine() -> Engine:
        if run.engine != CompileEngine.name:
            return ENGINES[run.engine]()
        counted.append(Counting())
        return counted[-1]

    commands = commands or commands_of(run.name)
    report = run_commands(commands, make_engine, features=group_of(run.name).features)
    for engine in counted:  # of an instance that trapped in its start function, and was never closed
        engine.count()
    return Outcome(
        report,
        sum(engine.called for engine in counted),
        sum((engine.reasons for engine in counted), Counter()),
    )


def every_run() -> list[Run]:
    return [Run(*pair) for pair in product(files_of_the_suite(), ENGINES)]


def section(outcomes: Outcomes) -> str:
    """The section of docs/conformance.md for a run of everything."""
    rows = [row(group, [group], outcomes) for group in (CORE[-1], *CORE[:-1])]
    rows.append(row(None, CORE, outcomes))
    rows += [row(group, [group], outcomes) for group in PROPOSALS]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    return f"""\
{HEADING}

Made by `python spec-tests/conformance.py`; a test fails if it isn't what the suite gives.

Every file of the core specification in the [official test suite](https://github.com/WebAssembly/testsuite),
commit `{COMMIT[:12]}` of {DATE}, on both engines, with every feature switched off; below them files
that are not part of it, those of proposals with their own feature alone. Strict: values to the bit, the
class of the error, and its message. No file and no assertion is skipped or expected to fail.

| group | files | assertions | `interpret` | `compile` | functions called | interpreted |
|---|---:|---:|---:|---:|---:|---:|
{table}

Under the names of the engines: assertions that pass. The last two columns are about `compile`: functions that
are called, counted per instance, and how many of them it hands to `interpret`.

{fallback_list(outcomes)}
The files of each group:

{file_list()}"""


def file_list() -> str:
    """Which files each group has."""
    lines = []
    for group in (CORE[-1], *CORE[:-1], *PROPOSALS):
        names = [name for name in files_of_the_suite() if group_of(name) is group]
        lines.append(f"- {group.name}: {', '.join(f'`{name}`' for name in names)}\n")
    return "".join(lines)


def row(group: Group | None, groups: Iterable[Group], outcomes: Outcomes) -> list[str]:
    """A line of the table: one group, or all."""
    runs = [run for run in outcomes if group_of(run.name) in groups]
    compiled = [outcomes[run] for run in runs if run.engine == "compile"]
    fallen = sum(sum(outcome.fallbacks.values()) for outcome in compiled)
    passed = [sum(outcomes[run].passed for run in runs if run.engine == engine) for engine in ENGINES]
    numbers = [
        len({run.name for run in runs}),
        sum(outcome.assertions for outcome in compiled),
        *passed,
        sum(outcome.called for outcome in compiled),
        fallen,
    ]
    cells = [f"{number:,}" for number in numbers]
    return [group.name, *cells] if group else ["**all**", *(f"**{cell}**" for cell in cells)]


def fallback_list(outcomes: Outcomes) -> str:
    """Which files have functions that `compile` hands over, and why."""
    lines = []
    for run in sorted(outcomes):
        for reason, count in sorted(outcomes[run].fallbacks.items()):
            lines.append(f"- `{run.name}`: {count} {'function' if count == 1 else 'functions'}: {reason}\n")
    if not lines:
        return "Nothing is handed over.\n"
    return "Handed over:\n\n" + "".join(lines)


def main() -> int:
    """Run everything on all cores, write the section, show what failed."""
    if SUITE is None:
        print(NO_SUITE, file=sys.stderr)
        return 1
    runs = every_run()
    with ProcessPoolExecutor() as pool:
        outcomes = dict(zip(runs, pool.map(run_file, runs), strict=True))
    rest = SECTION.sub("", DOCUMENT.read_text("utf-8")).removeprefix(TITLE).strip()
    DOCUMENT.write_text(f"{TITLE}\n\n{section(outcomes)}\n{rest}\n".rstrip() + "\n", "utf-8")
    failed = False
    for run, outcome in outcomes.items():
        for failure in outcome.report.failures:
            failed = True
            print(f"{run.name} on {run.engine}: {failure}")
    print(f"wrote {DOCUMENT.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
