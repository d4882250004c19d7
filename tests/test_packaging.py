"""What the distribution says of itself: extras for every platform, links, files for guests."""

from __future__ import annotations

import re
import tomllib
from itertools import product
from typing import Any

import pytest

from pywasm_nn.cli import doctor
from pywasm_nn.cli.wheels import WHEELS, has_wheel
from pywasm_nn.nn import NN

from .conftest import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
PLATFORMS = [
    ("linux", "x86_64"), ("linux", "aarch64"), ("linux", "riscv64"), ("darwin", "arm64"),
    ("darwin", "x86_64"), ("win32", "AMD64"), ("win32", "ARM64"), ("win32", "x86"), ("emscripten", "wasm32"),
]  # fmt: skip


def test_every_extra_of_a_framework_has_a_backend() -> None:
    extras = {backend.extra for backend in NN().registry.backends} - {""}
    assert set(EXTRAS) == extras | {
        "all", "debug", "examples", "test", "tflite-runtime", "remote-grpc", "wasmtime",
    }  # fmt: skip


@pytest.mark.parametrize("extra", WHEELS)
def test_markers_and_doctor_agree_on_every_platform(extra: str) -> None:
    from packaging.requirements import Requirement

    (requirement,) = map(Requirement, EXTRAS[extra])
    assert requirement.marker is not None
    for (system, machine), minor in product(PLATFORMS, (11, 12, 13, 14)):
        place = {"sys_platform": system, "platform_machine": machine, "python_version": f"3.{minor}"}
        assert requirement.marker.evaluate(place) is has_wheel(extra, system, machine, (3, minor)), place


def test_doctor_says_where_there_is_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert doctor.fix_for("openvino") == "pip install 'pywasm-nn[openvino]'"
    assert "no wheel" in doctor.fix_for("tflite")


@pytest.mark.parametrize(("platform", "told"), [("linux", True), ("win32", False)])
def test_doctor_says_where_the_small_build_of_pytorch_is(
    monkeypatch: pytest.MonkeyPatch, platform: str, told: bool
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr("platform.machine", lambda: {"linux": "x86_64", "win32": "AMD64"}[platform])
    assert ("whl/cpu" in doctor.fix_for("torch")) is told
    assert doctor.fix_for("torch").startswith("pip install 'pywasm-nn[torch]'")


def test_doctor_shows_lines_as_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = doctor.Finding("backend torch", False, "", "torch isn't installed", f"pip{doctor.CPU_BUILD}")
    monkeypatch.setattr(doctor, "findings", lambda plugins: iter([found]))
    assert doctor.command.main([], standalone_mode=False) == 0
    out = capsys.readouterr().out
    assert "\\n" not in out and len(out.splitlines()) == 4


def test_all_brings_no_framework_of_gigabytes() -> None:
    assert not {"torch", "tensorflow"} & set(re.findall(r"\w+", "".join(EXTRAS["all"])))


def test_the_readme_of_an_index_has_whole_links() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for rule in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert pictures and all("//raw." in picture for picture in pictures)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links and all(link.startswith("https://") for link in links)
    assert all(url.startswith("https://github.com/") for url in PROJECT["project"]["urls"].values())
