"""Names of a component's core modules for messages, such as `app.wasm/main` in the frames of a trap.

What is here: `named`. Names come from the custom section `component-name`; without a name, the index is used.
As in core modules, a malformed section gives the names before the error, and no exception.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md#name-section
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..interpreter.names import BrokenNames, NameReader
from ..printable import printable
from ..records import changed
from .syntax import (
    Component,
    ComponentDef,
    CoreModuleDef,
    Custom,
    Definition,
    Export,
    ExportAlias,
    Import,
    OuterAlias,
)
from .types import Sort

SECTION, ITEMS = "component-name", 1
"""The name of the section, and the number of its subsections with names of definitions."""
SORTS = {b"\x00\x11": Sort.CORE_MODULE, b"\x04": Sort.COMPONENT}
LONGEST_LABEL, LONGEST_PATH = 40, 60
"""Characters of the last part of a name, and of the parts before it."""


def named(given: Component, name: str) -> Component:
    """The component with this name, and with names for its core modules and those of nested components."""
    labels = labels_of(given.customs)
    counts: Counter[Sort] = Counter()
    definitions = []
    for definition in given.definitions:
        content = definition.content
        if type(content) not in SORT_OF:
            definitions.append(definition)
            continue
        sort = SORT_OF[type(content)](content)
        if isinstance(content, CoreModuleDef | ComponentDef):
            label = labels.get(sort, {}).get(counts[sort]) or str(counts[sort])
            definition = Definition(definition.offset, renamed(content, path(name, label)))
        counts[sort] += 1
        definitions.append(definition)
    return Component(tuple(definitions), given.customs, name)


def renamed(content: CoreModuleDef | ComponentDef, name: str) -> CoreModuleDef | ComponentDef:
    if isinstance(content, ComponentDef):
        return ComponentDef(named(content.component, name))
    module = changed(content.module, name=name)
    module.use_code(content.module.code_cache)
    return CoreModuleDef(module)


def path(outer: str, label: str) -> str:
    """The name of an inner item. Its length is limited, even for deep nesting and long names."""
    before = outer if len(outer) <= LONGEST_PATH else f"...{outer[3 - LONGEST_PATH :]}"
    return "/".join(filter(None, (before, printable(label, LONGEST_LABEL))))


SORT_OF: Mapping[type, Callable[[Any], Sort]] = {
    CoreModuleDef: lambda content: Sort.CORE_MODULE,
    ComponentDef: lambda content: Sort.COMPONENT,
    Import: lambda content: content.type.sort,
    Export: lambda content: content.item.sort,
    ExportAlias: lambda content: content.sort,
    OuterAlias: lambda content: content.sort,
}
"""The index space that a definition adds to, if that may be the one of modules or components."""


def labels_of(customs: Sequence[Custom]) -> dict[Sort, dict[int, str]]:
    """Names by sort and index."""
    found: dict[Sort, dict[int, str]] = {}
    for custom in customs:
        if custom.name == SECTION:
            with suppress(BrokenNames):
                read_labels(NameReader(custom.data), found)
    return found


def read_labels(reader: NameReader, found: dict[Sort, dict[int, str]]) -> None:
    """Read a section. Raises BrokenNames."""
    while reader:
        number, content = reader.byte(), NameReader(reader.take(reader.u32()))
        if number != ITEMS:
            continue
        code = content.take(1)
        sort = SORTS.get(code if code != b"\0" else code + content.take(1))
        if sort is not None:
            names = found.setdefault(sort, {})
            for index, label in content.name_map():
                names.setdefault(index, label)
