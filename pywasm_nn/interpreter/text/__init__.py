"""The text format (https://webassembly.github.io/spec/core/text/): `.wat` to modules and back, and `.wast` scripts."""

from .excerpt import excerpt
from .parser import parse

__all__ = ["excerpt", "parse"]
