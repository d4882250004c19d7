"""The text format: `.wat` to modules and back, `.wast` scripts to commands.

https://webassembly.github.io/spec/core/text/
"""

from .excerpt import excerpt
from .parser import locate, parse
from .printer import Printer, print_instruction, print_module
from .script import parse_script

__all__ = ["Printer", "excerpt", "locate", "parse", "parse_script", "print_instruction", "print_module"]
