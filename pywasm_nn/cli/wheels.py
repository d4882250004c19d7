"""The platforms for which each framework has wheels: the markers of the extras in pyproject.toml, for
`doctor`."""

from __future__ import annotations

BOTH = frozenset({"x86_64", "aarch64"})
WHEELS = {
    "onnx": {"linux": BOTH, "darwin": frozenset({"arm64", "x86_64"}), "win32": frozenset({"AMD64", "ARM64"})},
    "openvino": {"linux": BOTH, "darwin": frozenset({"arm64", "x86_64"}), "win32": frozenset({"AMD64"})},
    "tflite": {"linux": BOTH, "darwin": frozenset({"arm64"}), "win32": frozenset({"AMD64"})},
    "tensorflow": {"linux": frozenset({"x86_64"}), "win32": frozenset({"AMD64"})},
    "gguf": {"linux": BOTH, "darwin": frozenset({"arm64", "x86_64"}), "win32": frozenset({"AMD64"})},
    "torch": {"linux": BOTH, "darwin": frozenset({"arm64"}), "win32": frozenset({"AMD64"})},
}
"""Machines by extra and `sys.platform`."""
ENDED = {
    ("onnx", "darwin", "x86_64"): (3, 14),
    ("tensorflow", "linux", "x86_64"): (3, 14),
    ("tensorflow", "win32", "AMD64"): (3, 14),
}
"""The Python version from which on a platform has no wheels."""


def has_wheel(extra: str, platform: str, machine: str, python: tuple[int, int]) -> bool:
    """Whether an extra installs a wheel on this platform."""
    if machine not in WHEELS[extra].get(platform, frozenset()):
        return False
    ended = ENDED.get((extra, platform, machine))
    return ended is None or python < ended
