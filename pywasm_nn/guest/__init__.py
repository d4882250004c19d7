"""Starting points for guests: bindings of wasi-nn for C, AssemblyScript and Rust, and an example guest in
each of these languages and as text.

What is here: their locations, and `begin`. What is not: compilers. The first comment of each source says how
to build and run it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ..demo import path as demo_path

LANGUAGES = ("c", "assemblyscript", "rust", "wat")
MODEL_FILES = ("digits.onnx", "digit.pgm")


def include() -> Path:
    """The folder of the bindings: `wasi_nn.h`, `pywasm_nn.h`, `wasi_nn.ts` and `wasi_nn.rs`."""
    return Path(__file__).parent / "include"


def begin(language: str, folder: Path) -> Path:
    """Make a guest that classifies, with its model and picture; returns the source file. Raises
    FileExistsError if the folder is not empty."""
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    shutil.copytree(Path(__file__).parent / language, folder, dirs_exist_ok=True)
    if language != "wat":
        shutil.copytree(include(), folder / "include")
    (folder / "models").mkdir()
    for name in MODEL_FILES:
        shutil.copyfile(demo_path() / "models" / name, folder / "models" / name)
    return next(path for path in sorted(folder.rglob("*")) if path.stem in ("classify", "main"))


def steps(source: Path) -> list[str]:
    """The lines about building and running in the first comment of a source."""
    lines = [line.strip("/*; \n") for line in source.read_text("utf-8").splitlines()[:10]]
    last = next(at for at, line in enumerate(lines) if line.startswith("run:"))
    return [line for line in lines[: last + 1] if line.startswith(("build:", "(", "run:"))]
