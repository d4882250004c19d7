"""Python source in the format of `ruff format`: definitions, broken into lines if they are too long, and
docstrings.

What is here: the layout of lines. What is not: their contents (`classes.py`, `module.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

WIDTH = 88
"""The length of lines in characters, where it can be kept."""
STEP = "    "


def indented(lines: Iterable[str]) -> Iterator[str]:
    return (STEP + line if line else line for line in lines)


def docstring(text: str) -> list[str]:
    """A text from anybody as the lines of a docstring. Three double quotes in it become single quotes."""
    text = text.strip().replace("\\", "\\\\")
    while '"""' in text:
        text = text.replace('"""', "'''")
    first, *rest = [line.rstrip() for line in text.split("\n")]
    first = f" {first}" if first.startswith('"') else first
    if rest:
        return [f'"""{first}', *rest, '"""']
    return [f'"""{first}{" " * first.endswith(chr(34))}"""']


def function(name: str, params: Sequence[str], result: str, depth: int) -> list[str]:
    """The head of a function; `depth` is its indentation."""
    width = WIDTH - depth * len(STEP)
    whole = f"def {name}({', '.join(params)}) -> {result}:"
    if len(whole) <= width or not params:
        return [whole]
    inner = ", ".join(params)
    lines = [inner]
    if len(inner) + len(STEP) > width:
        lines = [line for param in params for line in broken(param, ",", width - len(STEP))]
    return [f"def {name}(", *indented(lines), *broken(f") -> {result}", ":", width)]


def broken(text: str, end: str, width: int) -> list[str]:
    """An annotation with the text before and after it, in several lines if it is too long for one."""
    head, bracket, rest = text.partition("[")
    parts = arguments(rest)
    if len(text) + len(end) <= width or not bracket or not parts:
        return [text + end]
    inner = ", ".join(parts)
    lines = [inner]
    if len(inner) + len(STEP) > width:
        lines = [line for part in parts for line in broken(part, ",", width - len(STEP))]
    return [f"{head}[", *indented(lines), f"]{end}"]


def arguments(text: str) -> list[str]:
    """The parts between commas up to the bracket that ends the text; empty if it ends earlier."""
    parts, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        if sign == "," and not depth:
            parts.append(text[begin:at].strip())
            begin = at + 1
        depth += (sign == "[") - (sign == "]")
        if depth < 0:
            return [*parts, text[begin:at].strip()] if at == len(text) - 1 else []
    return []


def assignment(name: str, parts: Sequence[str], sign: str) -> list[str]:
    """`name = one | two`."""
    whole = f"{name} = {f' {sign} '.join(parts)}"
    if len(whole) <= WIDTH or len(parts) == 1:
        return [whole]
    inner = f" {sign} ".join(parts)
    rest = [f"{sign} {part}" for part in parts[1:]]
    lines = [inner] if len(inner) + len(STEP) <= WIDTH else [parts[0], *rest]
    return [f"{name} = (", *indented(lines), ")"]


def entry(key: str, values: Sequence[str]) -> list[str]:
    """Lines for an entry of the table, whose value consists of several names."""
    if len(values) == 1:
        return [f'"{key}": ({values[0]},),']
    return [f'"{key}": (', *indented(f"{each}," for each in values), "),"]


def imported(module: str, names: Sequence[str]) -> list[str]:
    """The import of names from a module."""
    whole = f"from {module} import {', '.join(names)}"
    if len(whole) <= WIDTH:
        return [whole]
    return [f"from {module} import (", *indented(f"{name}," for name in names), ")"]
