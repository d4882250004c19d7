"""What the command offers: help, completion, JSON, imports, the cache, exit codes, results."""

from __future__ import annotations

import json
import re
from pathlib import Path

from first_contact.mistakes import desk_with_files
from first_contact.place import Place, Report

EXITS = {
    "hello.wat": 0,
    "run count.wat a b": 3,
    "run bad.wasm": 1,
    "run needs.wat": 1,
    "validate bad.wasm": 1,
    "run --engine x hello.wat": 2,
    "run traps.wat": 134,
    "run --timeout 300ms --invoke spin add.wat": 134,
    "run --fuel 10 --invoke spin add.wat": 134,
}
"""Exit codes, as docs/command.md has them."""


def check(place: Place, report: Report) -> None:
    desk = desk_with_files(place)
    helps(place, report, desk)
    completion(place, report, desk)
    for line in ("inspect app.wasm", "doctor", "cache", "nn backends", "nn inspect models/digits.onnx",
                 "nn run models/digits.onnx models/digit.pgm"):  # fmt: skip
        done = place.shell(f"pywasm-nn {line} --json", desk)
        try:
            good = bool(json.loads(done.stdout))
        except ValueError:
            good = False
        report.check(f"{line} --json", good and done.returncode == 0, done.stdout + done.stderr)
    imports(place, report, desk)
    exits(place, report, desk)
    cache(place, report, desk)
    results(place, report, desk)


def helps(place: Place, report: Report, desk: Path) -> None:
    text = place.wasm("--help", where=desk).stdout
    groups = [line for line in text.splitlines() if re.fullmatch(r"[A-Z][\w ]*:", line)]
    report.check("--help: commands in groups", len(groups) >= 5, text)
    examples = re.findall(r"^  (pywasm-nn .*)$", text, re.MULTILINE)
    report.check("--help: two examples", len(examples) == 2, text)
    (desk / "adder.wat").write_text((desk / "add.wat").read_text())
    for example in examples:
        done = place.shell(example, desk)
        report.check(f"--help: {example.partition('#')[0].strip()}", done.returncode == 0, done.stderr)
    names = re.findall(r"^  (\w+)  ", text, re.MULTILINE)
    for name in names:
        done = place.wasm(name, "--help", where=desk)
        wide = [line for line in done.stdout.splitlines() if len(line) > 100]
        report.check(f"{name} --help", done.returncode == 0 and not wide, done.stdout)


def completion(place: Place, report: Report, desk: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = place.wasm("completion", shell, where=desk)
        report.check(f"completion {shell}", done.returncode == 0 and "pywasm" in done.stdout, done.stderr)
    expected = {
        "ins": "inspect", "run --inv": "--invoke", "run --monitor hot": "hotness", "nn ins": "inspect",
        "run add.wat --invoke ha": "half", "nn inspect --nn-backend on": "onnx",
    }  # fmt: skip
    for typed, wanted in expected.items():
        words = typed.split(" ")
        script = (
            'eval "$(pywasm-nn completion bash)";'
            ' function=$(complete -p pywasm-nn | sed "s/.*-F \\([^ ]*\\).*/\\1/");'
            f" COMP_WORDS=(pywasm-nn {' '.join(words)}); COMP_CWORD={len(words)}; $function pywasm-nn;"
            ' echo "${COMPREPLY[@]}"'
        )
        done = place.shell(script, desk)
        report.check(
            f"completion of {typed!r}", wanted in done.stdout and not done.stderr, done.stdout + done.stderr
        )


def imports(place: Place, report: Report, desk: Path) -> None:
    (desk / "host.py").write_text(
        "def log(n):\n    print('logged', n)\n\n\nIMPORTS = {'env': {'log': log}}\n"
    )
    (desk / "game.wat").write_text('(module (func (export "score") (result i32) (i32.const 3)))')
    done = place.shell("pywasm-nn run --host host.py --preload game=game.wat needs.wat", desk)
    report.check("--host and --preload", done.returncode == 0 and "logged 7" in done.stdout, done.stderr)
    done = place.shell("pywasm-nn run --unknown-imports zero needs.wat", desk)
    report.check("--unknown-imports zero", done.returncode == 0, done.stderr)
    done = place.shell("pywasm-nn run --unknown-imports trap needs.wat", desk)
    report.check("--unknown-imports trap", done.returncode == 134 and "log" in done.stderr, done.stderr)


def exits(place: Place, report: Report, desk: Path) -> None:
    """The table in docs/command.md."""
    for line, code in EXITS.items():
        done = place.shell(f"pywasm-nn {line}", desk)
        report.check(
            f"exit code of {line}: {code}", done.returncode == code, f"{done.returncode} {done.stderr}"
        )
    done = place.shell("pywasm-nn inspect app.wasm | true; echo ${PIPESTATUS[0]}", desk)
    report.check("nobody reads: 141, or 0 if it was quicker", done.stdout.strip() in ("0", "141"), done)
    report.check("nobody reads: no traceback", "Traceback" not in done.stderr, done.stderr)
    done = place.shell("pywasm-nn run traps.wat", desk)
    report.check(
        "a trap shows the guest's functions",
        "deep" in done.stderr and "unreachable" in done.stderr,
        done.stderr,
    )


def cache(place: Place, report: Report, desk: Path) -> None:
    folder = ["--cache-dir", "kept"]
    place.wasm("run", *folder, "app.wasm", "--dir", "models", where=desk)
    before = json.loads(place.wasm("cache", *folder, "--json", where=desk).stdout)
    shown = place.wasm("cache", *folder, where=desk).stdout
    report.check("cache shows what is kept", "kept" in shown and bool(before), f"{before} {shown}")
    cleared = place.wasm("cache", *folder, "--clear", where=desk)
    left = [path for path in (desk / "kept").rglob("*") if path.is_file()]
    report.check("cache --clear", cleared.returncode == 0 and not left, f"{cleared.stderr} {left}")


def results(place: Place, report: Report, desk: Path) -> None:
    done = place.shell("pywasm-nn run --invoke add add.wat 2 3", desk)
    report.check("--invoke prints a plain result", done.stdout == "5\n", done.stdout)
    done = place.shell("pywasm-nn run -v --invoke add add.wat 2 3", desk)
    report.check("--invoke -v prints a typed one", "i32:5" in done.stdout, done.stdout)
    done = place.shell("pywasm-nn run --invoke half add.wat 3", desk)
    report.check("--invoke of floats", done.stdout == "1.5\n", done.stdout)
    done = place.shell("pywasm-nn run --trace hello.wat 2>&1", desk)
    begins = any(line.startswith("host") for line in done.stdout.splitlines())
    report.check("the trace begins on a line of its own", begins, done.stdout)
    done = place.shell(
        "pywasm-nn assemble add.wat && pywasm-nn run --monitor hotness --invoke add add.wasm 1 2", desk
    )
    report.check("hotness names functions by export", "add" in done.stderr, done.stderr)
