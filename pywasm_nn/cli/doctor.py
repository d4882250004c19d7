"""`doctor`: shows installed packages, their abilities here, and the command that installs a missing one."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

import click

from ..records import Frozen
from .failure import Exit
from .nn_options import with_plugins
from .terminal import print_lines, print_text
from .wheels import WHEELS, has_wheel

DISTRIBUTIONS = {
    "onnxruntime": ("onnxruntime",),
    "openvino": ("openvino",),
    "ai_edge_litert": ("ai-edge-litert",),
    "tflite_runtime": ("tflite-runtime",),
    "llama_cpp": ("llama-cpp-python",),
    "tensorflow": ("tensorflow-cpu", "tensorflow"),
}
"""The distributions that contain an importable package."""


CPU_BUILD = """
         without a GPU first `pip install torch` from PyTorch's own index, folder whl/cpu (its site shows how,
         under "Start locally"): the build on PyPI brings 3 GB of CUDA, and imports nothing without"""


class Finding(Frozen):
    """The result of one check. `fix` is a command, or "" if nothing is wrong or no command helps."""

    subject: str
    ok: bool
    version: str
    what: str
    fix: str = ""


def installed(distribution: str) -> str:
    """The version of an installed distribution, or ""."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def findings(plugins: Sequence[str] = ()) -> Iterator[Finding]:
    """All findings, the most important first. `plugins` are backends in files."""
    from ..interpreter.features import FEATURES
    from ..interpreter.runtime.memory import Flavour
    from ..native import INSTALL, problem
    from ..native import installed as native

    yield Finding("python", True, platform.python_version(), f"{platform.system()} {platform.machine()}")
    yield Finding("pywasm-nn", True, installed("pywasm-nn") or "source", "engine: compile, interpret")
    reason = problem()
    yield Finding("engine wasmtime", not reason, native(), reason or "native code", reason and INSTALL)
    flavour = Flavour.default()
    yield Finding("memory", True, "", f"{flavour.name.lower()} flavour")
    numpy = installed("numpy")
    yield Finding(
        "numpy", bool(numpy), numpy, "ONNX without any framework", "" if numpy else "pip install numpy"
    )
    for feature in FEATURES.values():
        switch = "" if feature.default else f"; --features {feature.name} switches it on"
        what = f"{feature.name}: {feature.title} (phase {feature.phase}){switch}"
        yield Finding("feature", True, "on" if feature.default else "off", what)
    yield from backends(plugins)


def fix_for(extra: str) -> str:
    """How to install an extra, or why there is no wheel; "" without an extra."""
    machine, python = platform.machine(), sys.version_info[:2]
    if extra in WHEELS and not has_wheel(extra, sys.platform, machine, python):
        where = f"Python {python[0]}.{python[1]} on {sys.platform} {machine}"
        return f"there is no wheel for {where}; [all] leaves it out"
    fix = f"pip install 'pywasm-nn[{extra}]'" if extra else ""
    return f"{fix}{CPU_BUILD}" if extra == "torch" and sys.platform == "linux" else fix


def backends(plugins: Sequence[str]) -> Iterator[Finding]:
    """One finding for each inference backend."""
    from ..nn import answers
    from .nn_model import configured

    registry = configured((), plugins).registry
    for backend in registry.backends:
        missing = answers.missing(backend)
        names = [name for package in backend.packages for name in DISTRIBUTIONS.get(package, (package,))]
        found = next((v for v in map(installed, names) if v), "")
        what = f"runs {', '.join(backend.format_names)}"
        installing = f"pip install {names[0]}" if names else ""
        fix = fix_for(backend.extra) or installing if missing else ""
        yield Finding(f"backend {backend.name}", missing is None, found, missing or what, fix)
    for broken in registry.broken:
        yield Finding("plugin", False, "", broken)


@click.command(name="doctor")
@with_plugins
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(plugins: tuple[str, ...], as_json: bool) -> int:
    """Show what is installed, what it can do here, and how to install missing packages."""
    found = list(findings(plugins))
    if as_json:
        print_lines(json.dumps([asdict(finding) for finding in found], indent=2))
        return Exit.OK
    for finding in found:
        line = f"  {finding.subject:<20} {finding.version:<10} {finding.what}".rstrip()
        print_text(line, *(("ok     ", "green") if finding.ok else ("missing", "yellow")))
        if finding.fix:
            print_lines(f"         {finding.fix}")
    return Exit.OK
