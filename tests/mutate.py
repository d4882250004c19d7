"""Plant small faults, one at a time, and see whether the tests that run the faulty lines catch each of them.

`python tests/mutate.py --count 200 --seed 1` works on a copy of this checkout in a folder that it keeps
(`--place`). The first run records there which tests run which lines: that takes as long as the tests do, and
`--each 4` records four of each test's parameters only. What became of a fault is a line of `judged.jsonl`
there, and isn't found out again. `--only WORD` takes the faults whose place contains the word, `--list` shows
the faults and runs nothing, `--thorough` gives survivors every test that may catch them, `--renew` begins
anew. At the end are the survivors; exit 1 if more than one in twenty survives.

The random faults are found in the syntax trees of compile/, validate/, nn/ and wasi/; `KNOWN` are those that
a reader planted once and the tests of that day did not see. A fault is caught when a test fails, or hangs.
Faults that change nothing that a test could see are in `HARMLESS`, with the reason; they don't count.

What is not here: how lines are recorded (`covered.py`) and how a fault is planted (`planting.py`).
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import covered
import planting
from harmless import HARMLESS

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "pywasm_nn/interpreter"
FOLDERS = (f"{ENGINE}/compile", f"{ENGINE}/validate", "pywasm_nn/nn", "pywasm_nn/wasi")
TESTS = (
    "tests/wasi", "tests/nn", "tests/interpreter", "spec-tests", "tests/component/test_calls.py",
    "tests/watch", "tests/test_api.py", "tests/test_limits.py", "tests/test_linker.py",
    "tests/test_compiler_page.py",
)  # fmt: skip
"""Where the tests are that concern these folders."""
SHARE = 0.95
"""Of the faults, so many must be caught."""
SECONDS = 60.0
"""Of tests, by the time that they took when they were recorded, this much for each fault."""

LONGEST = 1800.0
"""Seconds that a fault gets at most, however many tests may catch it."""


@dataclass(frozen=True)
class Fault:
    """One replacement in one file."""

    path: str
    line: int
    last: int
    """The lines from `line` to this one run what is faulty."""
    kind: str
    start: int
    """Where it is in the file, in bytes, and its end."""
    end: int
    text: str
    function: tuple[int, int]
    """The lines of the function around it; (0, 0) outside of any."""

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    @cache  # noqa: B019 - of a few thousand faults in a process that ends with them
    def told(self) -> str:
        """Without the number of the line: a change elsewhere in the file changes nothing here."""
        source = (ROOT / self.path).read_bytes()
        line = source.splitlines()[self.line - 1].decode().strip()
        old = " ".join(source[self.start : self.end].decode().split())
        return f"{self.path}: {self.kind} in `{line[:90]}`: {old[:60]!r} -> {self.text[:60]!r}"


@dataclass(frozen=True)
class Known:
    """A fault by its text, which is in the file exactly once."""

    path: str
    old: str
    new: str

    def fault(self) -> Fault:
        """Raises ValueError where the text isn't there once: the code was changed, and this list not."""
        source = (ROOT / self.path).read_bytes()
        if source.count(self.old.encode()) != 1:
            raise ValueError(f"{self.path} has {source.count(self.old.encode())} times {self.old!r}")
        start = source.index(self.old.encode())
        line = source.count(b"\n", 0, start) + 1
        last = line + self.old.count("\n")
        end = start + len(self.old.encode())
        return Fault(self.path, line, last, "known", start, end, self.new, (line, last))


KNOWN = (
    # Ranges of what loops copy or fill, without the index of the memory.
    Known(
        f"{ENGINE}/compile/lowering/ahead.py",
        "place.memidx == first.memidx and place.address.locals == first.address.locals",
        "place.address.locals == first.address.locals",
    ),
    # What a branch back says of a local, in spite of other branches back.
    Known(f"{ENGINE}/compile/analysis/forecast.py", " and heads.get(start + 1) == 1", ""),
    # What an interval becomes where a value isn't the other one.
    Known(
        f"{ENGINE}/compile/forms/intervals.py",
        "interval((self.lo + (self.lo == lo), self.hi - (self.hi == lo)))",
        "interval((max(self.lo, lo), min(self.hi, hi)))",
    ),
    # A loop adds a local to another, which may be negative.
    Known(
        f"{ENGINE}/compile/lowering/loops.py",
        "stride >= 0 and locals_.read(stride).lo < 0",
        "False",
    ),
    # What an instruction took, found by which values of the stack are the same afterwards.
    Known(
        f"{ENGINE}/interpret/watched.py",
        "before[-len(op.params) :] if op.params else before[kept:]",
        "before[kept:]",
    ),
    # A snapshot of an instance, without its tables.
    Known(f"{ENGINE}/runtime/instance.py", "table.restore(elements)", "pass"),
    # `realloc` of a component, of any type.
    Known(
        "pywasm_nn/component/validate/canon.py",
        "if found.composite != wanted:",
        "if found.composite != wanted and option != 'realloc':",
    ),
    # Bytes of another format than declared, read by any backend that can.
    Known(
        "pywasm_nn/nn/registry.py",
        "if read in names and (read in meant or names[0] in meant)",
        "if read in names",
    ),
    # Sizes of outputs in elements of f32, rounded down.
    Known("pywasm_nn/nn/legacy.py", "(-(-needed // ELEMENT))", "(needed // ELEMENT)"),
    # Graphs that nobody uses, the newest closed first.
    Known(
        "pywasm_nn/nn/shared.py",
        "for entry in self._entries.values() if not entry.users",
        "for entry in reversed(self._entries.values()) if not entry.users",
    ),
    # An input that is set again, counted twice.
    Known("pywasm_nn/nn/session.py", "kept - entry.held.get(place, 0)", "kept"),
    # What a guest may write, with one byte more.
    Known(
        "pywasm_nn/wasi/streams.py",
        "self.written + count > self.limit",
        "self.written + count > self.limit + 1",
    ),
    Known(
        "pywasm_nn/wasi/streams.py",
        "len(self._data) + len(data) > self.limit",
        "len(self._data) + len(data) > self.limit + 1",
    ),
)

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
LEAVING = (ast.Raise, ast.Return, ast.Continue, ast.Break)


class Finder(ast.NodeVisitor):
    """Finds the places of one file where a small fault can be planted."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source
        self.faults: list[Fault] = []
        self.function = (0, 0)
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.place(node)
        return self.source[start:end].decode()

    def add(
        self, node: ast.expr | ast.stmt, kind: str, text: str, place: tuple[int, int] | None = None
    ) -> None:
        start, end = place or self.place(node)
        last = node.end_lineno or node.lineno
        self.faults.append(Fault(self.path, node.lineno, last, kind, start, end, text, self.function))

    def visit_Raise(self, node: ast.Raise) -> None:
        """Words of an error are no fault of the kind that is looked for."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Text: columns in it aren't those of the file before Python 3.12."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in ("__repr__", "__str__"):
            outer = self.function
            self.function = (node.lineno + 1, node.end_lineno or node.lineno) if outer == (0, 0) else outer
            for statement in node.body:
                self.visit(statement)
            self.function = outer

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node.body[-1], LEAVING) and not node.orelse:
            self.add(node.test, "guard dropped", "False")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            between = self.place(left)[1], self.place(right)[0]
            old, new = COMPARISONS[type(op)]
            gap = self.source[slice(*between)].decode()
            if gap.count(old) == 1:
                at = between[0] + gap.index(old)
                self.add(node, "comparison flipped", new, (at, at + len(old)))
            self.off_by_one(right)
            left = right
        self.off_by_one(node.left)
        self.generic_visit(node)

    def off_by_one(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            self.add(node, "bound off by one", str(node.value + 1))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Add | ast.Sub):
            self.off_by_one(node.right)
        flag = node.right.attr if isinstance(node.right, ast.Attribute) else getattr(node.right, "id", "")
        if isinstance(node.op, ast.BitOr) and flag.isupper():
            self.add(node, "flag forgotten", self.text(node.left))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = "and" if isinstance(node.op, ast.And) else "or"
        for dropped in node.values:
            rest = f" {word} ".join(self.text(value) for value in node.values if value is not dropped)
            self.add(node, f"part of `{word}` dropped", rest if len(node.values) == 2 else f"({rest})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.add(node, "`not` dropped", f"({self.text(node.operand)})")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.add(node, "step forgotten", "pass")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            self.add(node.func, "bound turned", "max" if node.func.id == "min" else "min")
        self.generic_visit(node)


def faults_in(folder: str) -> list[Fault]:
    """All faults that can be planted in the files below a folder."""
    found: list[Fault] = []
    for file in sorted((ROOT / folder).rglob("*.py")):
        path, source = file.relative_to(ROOT).as_posix(), file.read_bytes()
        finder = Finder(path, source)
        finder.visit(ast.parse(source))
        found += finder.faults
    return found


def parses(fault: Fault) -> bool:
    """Whether the file is Python with the fault too: else no test would be needed to catch it."""
    try:
        ast.parse(fault.planted((ROOT / fault.path).read_bytes()))
    except SyntaxError:
        return False
    return True


def chosen(count: int, seed: int) -> list[Fault]:
    """The known faults, and as many of each folder, picked by chance, most of them also after a change."""
    faults = [known.fault() for known in KNOWN]
    for folder in FOLDERS:
        every = {fault.told(): fault for fault in faults_in(folder)}
        picked = sorted(every, key=lambda told: sha256(f"{seed} {told}".encode()).digest())
        faults += islice(filter(parses, map(every.__getitem__, picked)), count // len(FOLDERS))
    return faults


def prepare(place: Path) -> Path:
    """A copy of the checkout, in which the data beside it is found as from here."""
    copy = place / "main"
    if not copy.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "dist")
        shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
        shared = ROOT.parent / "shared"
        if shared.is_dir() and not (place / "shared").is_symlink():
            (place / "shared").symlink_to(shared.resolve())
        covered.site(place / "site")
    return copy


def pytest(place: Path, copy: Path, plugin: str, tests: Iterable[str], **settings: str) -> None:
    """Run pytest in the copy, quietly and in the background of whatever else runs."""
    path = os.pathsep.join(map(str, (copy, copy / "tests", place / "site")))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **settings}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", plugin, *tests]
    subprocess.run(command, cwd=copy, env=environment, stdin=subprocess.DEVNULL, check=False)


class Map:
    """Which tests run which lines, and how long they take."""

    def __init__(self, place: Path, copy: Path) -> None:
        from coverage import Coverage

        self.copy = copy
        self.seconds: dict[str, float] = {}
        for file in place.glob("lines*.jsonl"):
            for line in map(json.loads, file.read_text().splitlines()):
                if line["passed"]:
                    self.seconds[line["test"]] = line["seconds"]
        merged = Coverage(data_file=str(place / "merged"), config_file=False)
        merged.combine([str(file) for file in place.glob("lines*.*.*") if file.suffix != ".jsonl"], keep=True)
        self.data = merged.get_data()
        self.lines: dict[str, dict[int, list[str]]] = {}

    def tests(self, fault: Fault) -> set[str]:
        """Tests that run what is faulty; that failing, the function around it; that failing, its file."""
        if fault.path not in self.lines:
            self.lines[fault.path] = self.data.contexts_by_lineno(str(self.copy / fault.path))
        lines = self.lines[fault.path]
        everywhere = (1, max(lines, default=0))
        for first, last in ((fault.line, fault.last), fault.function, everywhere):
            found = {
                test for line in range(first, last + 1) for test in lines.get(line, ())
            } & self.seconds.keys()
            if found:
                return found
        return set()

    def order(self, tests: Iterable[str], seconds: float) -> list[str]:
        """The quickest of each test's parameters first, as long as there is time for them."""
        families: dict[str, list[str]] = defaultdict(list)
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            families[covered.family(test)].append(test)
        chosen = []
        for test in (test for each in zip_longest(*families.values()) for test in each if test is not None):
            seconds -= self.seconds[test] + 0.01
            if seconds < 0 and chosen:
                break
            chosen.append(test)
        return chosen


def judged(place: Path) -> dict[str, Any]:
    """What became of faults, by how they are told."""
    file = place / "judged.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return {line["fault"]: line for line in map(json.loads, lines)}


def plant(place: Path, copy: Path, faults: list[Fault], thorough: bool) -> None:
    """Have the tests that run them judge faults."""
    known = Map(place, copy)
    rows = []
    for number, fault in enumerate(faults):
        tests = known.order(known.tests(fault), float("inf") if thorough else SECONDS)
        patience = LONGEST if thorough else 120 + 5 * sum(known.seconds[test] for test in tests)
        names = {"name": fault.told(), "file": str(copy / fault.path), "number": number, "thorough": thorough}
        rows.append(asdict(fault) | names | {"tests": tests, "patience": patience})
    (place / "faults.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = sorted({test.partition("::")[0] for row in rows for test in row["tests"]})
    settings = {planting.FAULTS: str(place / "faults.jsonl"), planting.JUDGED: str(place / "judged.jsonl")}
    pytest(place, copy, "planting", files, **settings)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--place", type=Path, default=Path(tempfile.gettempdir(), "pywasm-nn-faults"))
    parser.add_argument("--each", type=int, default=1000)
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--thorough", action="store_true")
    options = parser.parse_args()
    drawn = [fault for fault in chosen(options.count, options.seed) if options.only in fault.told()]
    faults = [fault for fault in drawn if fault.told() not in HARMLESS]
    if options.list:
        print(*(fault.told() for fault in faults), sep="\n")
        return
    if options.renew:
        shutil.rmtree(options.place, ignore_errors=True)
    copy = prepare(options.place)
    if not (options.place / "recorded").exists():
        settings = {covered.RECORD: str(options.place / "lines"), covered.EACH: str(options.each)}
        pytest(options.place, copy, "covered", TESTS, **settings)
        (options.place / "recorded").touch()
    before = judged(options.place)
    if options.thorough:
        before = {name: line for name, line in before.items() if line["caught"]}
    new = [fault for fault in faults if fault.told() not in before]
    if new:
        plant(options.place, copy, new, options.thorough)
    after = judged(options.place)
    alive = [fault for fault in faults if not after.get(fault.told(), {"caught": False})["caught"]]
    harmless = len(drawn) - len(faults)
    print(f"{len(faults) - len(alive)} of {len(faults)} faults were caught, {harmless} are harmless")
    for fault in alive:
        print(fault.line, fault.told())
    sys.exit(len(alive) > (1 - SHARE) * len(faults))


if __name__ == "__main__":
    main()
