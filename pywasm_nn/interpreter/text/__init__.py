"""The text format (https://webassembly.github.io/spec/core/text/): `.wat` to modules and back, and `.wast` scripts."""

from .excerpt import excerpt
from .parser import parse
from .script import parse_script

__all__ = ["excerpt", "parse", "parse_script"]
