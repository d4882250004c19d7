"""Wheel and sdist, the metadata, and what the extras would install."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import Parser

from first_contact.place import Place, Report

EXTRAS = {
    "all": {"onnxruntime", "openvino", "ai-edge-litert"},
    "onnx": {"onnxruntime"},
    "openvino": {"openvino"},
    "tflite": {"ai-edge-litert"},
}
"""What each extra installs where there are wheels: on Linux."""


def check(place: Place, report: Report) -> None:
    desk = place.desk()
    done = place.shell(
        f"python -m pip install -q build && python -m build -q --outdir {desk} {place.clone}", place.clone
    )
    report.check("wheel and sdist are built", done.returncode == 0, done.stderr)
    (wheel,) = desk.glob("*.whl")
    (sdist,) = desk.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (told,) = [name for name in names if name.endswith("METADATA")]
        metadata = Parser().parsestr(archive.read(told).decode())
    for wanted in (
        "py.typed",
        "include/wasi_nn.h",
        "include/wasi_nn.ts",
        "include/wasi_nn.rs",
        "demo/app.wasm",
    ):
        report.check(f"the wheel has {wanted}", any(name.endswith(wanted) for name in names))
    strangers = [name for name in names if not name.startswith("pywasm_nn")]
    report.check("the wheel has nothing else", not strangers, strangers)
    with tarfile.open(sdist) as archive_of_sources:
        held = {name.partition("/")[2] for name in archive_of_sources.getnames()}
    tracked = place.shell("git ls-files", place.clone).stdout.split("\n")
    missing = [name for name in tracked if name and name not in held and not name.startswith((".git", ".ci"))]
    report.check("the sdist has every file", not missing, missing[:20])
    urls = metadata.get_all("Project-URL") or []
    report.check("metadata: urls, author, classifiers", len(urls) >= 3 and "Author" in metadata
                 and len(metadata.get_all("Classifier") or []) > 5, urls)  # fmt: skip
    body = str(metadata.get_payload())
    relative = [link for link in body.split("](")[1:] if not link.startswith(("http", "#"))]
    report.check("metadata: links of the README are absolute", not relative, [link[:60] for link in relative])
    extras(place, report)
    workflows = "".join(path.read_text() for path in (place.clone / ".github" / "workflows").glob("*.y*ml"))
    for system in ("ubuntu", "macos", "windows", "arm"):
        report.check(f"a workflow for {system}", system in workflows)


def extras(place: Place, report: Report) -> None:
    for extra, wanted in EXTRAS.items():
        done = place.shell(f"python -m pip install --dry-run --ignore-installed '.[{extra}]'", place.clone)
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("Would install")] or [""]
        found = {package for package in wanted if f" {package}-" in line.replace("_", "-")}
        report.check(
            f"[{extra}] would install {', '.join(sorted(wanted))}", found == wanted, line + done.stderr
        )
        report.check(f"[{extra}] installs no framework without backend",
                     not any(f" {name}-" in line for name in ("torch", "tensorflow")), line)  # fmt: skip
