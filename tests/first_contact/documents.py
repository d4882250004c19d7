"""Every command and code block of README and docs, run as written, in the order in which they stand."""

from __future__ import annotations

import doctest
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from first_contact.place import Place, Report

LEFT_OUT = {
    'pip install -e ".[all,test]"': "README's second command and the developer's loop: .ci/run does both",
    "op(0xF7": "a row of the instruction table: tests/test_contributing.py adds it",
    "held-out accuracy": "what training prints: it needs scikit-learn and three frameworks",
    "npx asc digits.ts": "needs AssemblyScript from npm",
    "%%wat [--name": "a synopsis",
    "plugin_host.py plugins 8000": "a server, on a fixed port: `service` runs it on a free one",
    "▒": "what the demo draws: the first command is compared with it",
    "Guests see none of it": "prose",
    'input 0 "x": ': "what is said of guests with mistakes, which tests/watch makes",
}
"""Why a block that has these words isn't run."""

TOLERANT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    document: Path
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.document.parent.name}/{self.document.name}:{self.line}"


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document."""
    found: list[Block] = []
    opened: tuple[int, str] | None = None
    body: list[str] = []
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            body.append(line)
        elif opened is None:
            opened, body = (number, line[3:].strip()), []
        else:
            found.append(Block(document, *opened, "\n".join(body) + "\n"))
            opened = None
    return found


def first_command(place: Place) -> str:
    return blocks(place.clone / "README.md")[0].text.strip()


def shown_answer(place: Place) -> str:
    """The three lines of the demo's answer that README shows."""
    lines = blocks(place.clone / "README.md")[1].text.splitlines()
    return "\n".join(line for line in lines if line.endswith(" %"))


def check(place: Place, report: Report) -> None:
    clone = place.clone
    lessons = clone / "docs" / "learn"
    readme(place, report)
    for name in ("cassettes.md", "command.md", "embedding.md", "hints.md", "trace.md"):
        desk = place.desk()
        shutil.copytree(clone / "examples" / "digits" / "models", desk / "models")
        for lesson, name_ in (("03-control.md", "fib.wat"), ("04-memory.md", "sum.wat")):
            block = next(block for block in blocks(lessons / lesson) if f";; {name_}" in block.text)
            (desk / name_).write_text(block.text)
        page(place, report, clone / "docs" / name, desk)
    for lesson in sorted(lessons.glob("[0-9]*.md")):
        page(place, report, lesson, place.desk())
    for folder in sorted((clone / "examples").iterdir()):
        if (folder / "README.md").exists():
            page(place, report, folder / "README.md", folder)
    for name in ("ARCHITECTURE.md", "RATIONALE.md", "conformance.md", "nn-matrix.md", "speed.md"):
        known = [block for block in blocks(clone / "docs" / name) if block.language]
        report.check(f"docs/{name}: has no code that isn't run", not known, known)
    service(place, report)
    links(place, report)


def readme(place: Place, report: Report) -> None:
    """README's Use: the lines in one shell, which goes to the folder that the first line makes."""
    desk = place.desk()
    page(place, report, place.clone / "README.md", desk, skip=2)
    report.check("README: the page of steps was written", (desk / "guest" / "steps.html").exists())


def page(place: Place, report: Report, document: Path, desk: Path, skip: int = 0) -> None:
    """Run the blocks of a document in `desk`. Its `>>>` lines are one session, which comes last."""
    session = ""
    for block in blocks(document)[skip:]:
        why = next((why for words, why in LEFT_OUT.items() if words in block.text), None)
        if why is not None:
            print(f"      {block.name} is left out: {why}")
        elif block.language == "wat":
            comment = re.match(r";; (\S+)", block.text)
            report.check(f"{block.name}: the file has a name", comment is not None, block.text)
            if comment:
                (desk / comment[1]).write_text(block.text)
        elif block.language == "console":
            console(place, report, block, desk)
        elif block.language == "python" and ">>>" in block.text:
            session += block.text + "\n"
        elif block.language == "python":
            program(place, report, block, desk)
        elif block.language == "":
            lines(place, report, block, desk)
        else:
            report.check(f"{block.name}: {block.language} is a language that is known here", False)
    if session:
        examples(place, report, f"{document.parent.name}/{document.name}", session, desk)


def matches(wanted: str, got: str) -> bool:
    return doctest.OutputChecker().check_output(wanted, got, TOLERANT)


def console(place: Place, report: Report, block: Block, desk: Path) -> None:
    """`$ command` and what it prints; a terminal shows both streams."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        done = place.shell(f"exec 2>&1; {command}", desk)
        report.check(f"{block.name}: {command}", matches(wanted, done.stdout), done.stdout)


def lines(place: Place, report: Report, block: Block, desk: Path) -> None:
    """Commands without a prompt, in one shell. Lines that are no commands are what those above print."""
    words = ("pywasm-nn ", "python ", "eval ")
    typed = [line for line in block.text.splitlines() if line.startswith(words)]
    shown = [line for line in block.text.splitlines() if line.strip() and not line.startswith(words)]
    script = "set -e; mkdir -p ~/.config/fish/completions\n" + "\n".join(typed)
    where = desk / "c" if "-o ../app.wasm" in block.text else desk  # "In `c`", says the text above it
    done = place.shell(script, where)
    report.check(f"{block.name}: {len(typed)} lines run", done.returncode == 0 and bool(typed), done.stderr)
    if shown:
        report.check(
            f"{block.name}: prints what it says", matches("\n".join(shown), done.stdout), done.stdout
        )
    inside = re.search(r"cd (\w+)", block.text)
    if inside:
        for path in (desk / inside[1]).iterdir():  # the reader stands there from now on
            target = desk / path.name
            if not target.exists():
                target.symlink_to(path)


def examples(place: Place, report: Report, name: str, session: str, desk: Path) -> None:
    """The `>>>` lines of a document."""
    (desk / "examples.txt").write_text(session, encoding="utf-8")
    done = place.script(
        "import doctest, sys\nflags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE\n"
        "failed, tried = doctest.testfile('examples.txt', module_relative=False, optionflags=flags)\n"
        "sys.exit(bool(failed or not tried))\n",
        desk,
    )
    report.check(f"{name}: its session is as printed", done.returncode == 0, done.stdout + done.stderr)


def program(place: Place, report: Report, block: Block, desk: Path) -> None:
    """A program, or a class of the reader's that an option of the command names."""
    if "class Stores(Monitor)" in block.text:
        (desk / "file.py").write_text(block.text)
        command = "pywasm-nn run --engine interpret --monitor file.py:Stores --invoke put sum.wat 8 5"
        done = place.shell(command, desk)
        report.check(f"{block.name}: runs as --monitor file.py:Stores", "bytes" in done.stderr, done.stderr)
        return
    done = place.script(block.text, desk)
    report.check(f"{block.name}: the program runs", done.returncode == 0, done.stderr)


def service(place: Place, report: Report) -> None:
    """The host for plugins as its README runs it, on a free port."""
    folder = place.clone / "examples" / "plugin_host"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = next(block.text for block in blocks(folder / "README.md") if "8000" in block.text)
    for command, wanted in answers(text.replace("8000", str(port))):
        script = (
            f"python plugin_host.py plugins {port} & server=$!\n"
            f"for i in $(seq 600); do python -c"
            f" 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' 2>/dev/null && break;"
            f" sleep 0.2; done\n{command}; kill $server; wait $server 2>/dev/null"
        )
        done = place.shell(script, folder)
        report.check(f"plugin_host: {command.split('/')[-1].strip()}", wanted in done.stdout, done.stdout)


def answers(text: str) -> Iterator[tuple[str, str]]:
    """The lines with curl, and what they are said to answer."""
    for line in text.splitlines():
        if line.startswith("curl"):
            command, _, wanted = line.partition("#")
            yield command.replace("curl ", "curl --silent "), wanted.strip()


def links(place: Place, report: Report) -> None:
    """Links of the documents lead to files that are there."""
    for document in sorted([*place.clone.glob("*.md"), *place.clone.glob("docs/**/*.md")]):
        text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        targets = [t.split("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", text) if not t.startswith("http")]
        missing = [target for target in targets if target and not (document.parent / target).exists()]
        report.check(f"{document.name}: links lead somewhere", not missing, missing)
