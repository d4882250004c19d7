"""Variables of the source in a stopped guest: which there are at an instruction, and where their values are.

Read by pyelftools from the debug information: https://dwarfstd.org/doc/DWARF5.pdf (2.6, 3.3) and
https://yurydelendik.github.io/webassembly-dwarf. What is not here: how a value is written (`rendered.py`),
and source lines, which need no package (`sources.py`).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from ...interpreter.module import Module
from ...interpreter.types import F32
from ...printable import printable
from ...records import Frozen
from .given import BadInputError
from .shown import type_of_local
from .steps import Position

SCOPES = frozenset({"DW_TAG_lexical_block", "DW_TAG_try_block", "DW_TAG_catch_block"})
VARIABLES = frozenset({"DW_TAG_variable", "DW_TAG_formal_parameter"})
AROUND = frozenset({"DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_module"})
ELSEWHERE = ("DW_AT_abstract_origin", "DW_AT_specification")
"""Attributes that name the entry that tells more of the same thing."""
MOST_DEPTH = 64
MOST_OPERATIONS = 1000
MASK = 0xFFFFFFFF


P = ParamSpec("P")
T = TypeVar("T")


class NowhereError(Exception):
    """The variable has no value here: the compiler has removed it."""


def careful(read: Callable[P, T]) -> Callable[P, T]:
    """A function that reads debug information. Its bytes are the guest's, and pyelftools believes them:
    whatever it raises for broken ones becomes a BadInputError."""

    @wraps(read)
    def reading(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return read(*arguments, **named)
        except (BadInputError, NowhereError):
            raise
        except Exception as error:
            raise BadInputError(f"the debug information is broken: {type(error).__name__}") from None

    return reading


class Place(Frozen):
    """Where a value is: at an address of memory, or else its own bytes (`address` is -1)."""

    address: int
    data: bytes = b""


class Variable(Frozen):
    """A variable with its entry in the debug information."""

    name: str
    entry: Any
    function: Any


class Variables:
    """The variables of one module."""

    def __init__(self, module: Module) -> None:
        self._module = module

    @cached_property
    def _info(self) -> Any:
        """Raises BadInputError if the package is missing, or the module has no debug information."""
        try:
            from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo
        except ImportError:
            raise BadInputError(
                "variables of the source need a package: pip install pywasm-nn[debug]"
            ) from None
        if not self._module.custom(".debug_info"):
            raise BadInputError("the module tells no variables: compile it with -g")
        sections = {}
        for name in list(signature(DWARFInfo.__init__).parameters)[2:]:
            data = self._module.custom("." + name.removesuffix("_sec"))
            found = data and DebugSectionDescriptor(io.BytesIO(data), name, 0, len(data), 0)
            sections[name] = found or None
        config = DwarfConfig(little_endian=True, machine_arch="wasm", default_address_size=4)
        return DWARFInfo(config, **sections)

    @careful
    def at(self, position: Position) -> list[Variable]:
        """The variables of the function at a position, those of inner blocks last. Raises BadInputError."""
        address = position.offset - self._module.code_offset
        function = self._function(address)
        return [] if function is None else list(self._inside(function, function, address, 0))

    @careful
    def all_at(self, position: Position) -> list[Variable]:
        """The same, with variables outside of functions first."""
        inside = self.at(position)
        address = position.offset - self._module.code_offset
        units = [unit for unit in self._info.iter_CUs() if self._covers(unit.get_top_DIE(), address)]
        outside = [
            Variable(name_of(entry), entry, None)
            for unit in units
            for entry in unit.get_top_DIE().iter_children()
            if entry.tag == "DW_TAG_variable" and "DW_AT_location" in entry.attributes and name_of(entry)
        ]
        return outside + inside

    def _function(self, address: int) -> Any:
        for unit in self._info.iter_CUs():
            top = unit.get_top_DIE()
            if self._covers(top, address):
                found = self._function_in(top, address, 0)
                if found is not None:
                    return found
        return None

    def _function_in(self, entry: Any, address: int, depth: int) -> Any:
        for child in entry.iter_children():
            if child.tag == "DW_TAG_subprogram" and self._covers(child, address, default=False):
                return child
            if child.tag in AROUND and depth < MOST_DEPTH:
                found = self._function_in(child, address, depth + 1)
                if found is not None:
                    return found
        return None

    def _inside(self, entry: Any, function: Any, address: int, depth: int) -> Iterator[Variable]:
        for child in entry.iter_children():
            if child.tag in VARIABLES and name_of(child):
                yield Variable(name_of(child), child, function)
        for child in entry.iter_children():
            if child.tag in SCOPES and depth < MOST_DEPTH and self._covers(child, address):
                yield from self._inside(child, function, address, depth + 1)

    def _covers(self, entry: Any, address: int, default: bool = True) -> bool:
        """Whether an entry's code contains an address; `default` for an entry without addresses."""
        attributes = entry.attributes
        if "DW_AT_ranges" in attributes:
            lists = self._info.range_lists()
            if lists is None:
                return default
            base = attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in attributes else 0
            top = entry.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
            base = base or (top.value if top is not None else 0)
            for each in lists.get_range_list_at_offset(attributes["DW_AT_ranges"].value, entry.cu):
                if hasattr(each, "base_address"):
                    base = each.base_address
                elif each.begin_offset + added(each, base) <= address < each.end_offset + added(each, base):
                    return True
            return False
        if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
            return default
        low, high = attributes["DW_AT_low_pc"], attributes["DW_AT_high_pc"]
        end: int = high.value if high.form == "DW_FORM_addr" else low.value + high.value
        return bool(low.value <= address < end)

    # Places

    def place(self, variable: Variable, position: Position) -> Place:
        """Where a variable is. Raises NowhereError."""
        attributes = variable.entry.attributes
        if "DW_AT_const_value" in attributes:
            value = attributes["DW_AT_const_value"].value
            return Place(-1, bytes(value) if isinstance(value, list | bytes) else bits(int(value)))
        if "DW_AT_location" not in attributes:
            raise NowhereError
        code = self._code(attributes["DW_AT_location"], variable.entry, position)
        return Evaluation(position, variable.function, self).run(code)

    def _code(self, attribute: Any, entry: Any, position: Position) -> bytes:
        """The expression that tells a place, of those for several ranges of code."""
        if isinstance(attribute.value, list | bytes):
            return bytes(attribute.value)
        address = position.offset - self._module.code_offset
        lists = self._info.location_lists()
        if lists is None:
            raise NowhereError
        top = entry.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
        base = top.value if top is not None else 0
        for each in lists.get_location_list_at_offset(attribute.value, entry):
            if hasattr(each, "base_address"):
                base = each.base_address
            elif each.begin_offset + added(each, base) <= address < each.end_offset + added(each, base):
                return bytes(each.loc_expr)
        raise NowhereError

    def frame_base(self, function: Any, position: Position) -> int:
        attribute = None if function is None else function.attributes.get("DW_AT_frame_base")
        if attribute is None:
            raise NowhereError
        place = Evaluation(position, None, self).run(self._code(attribute, function, position))
        return place.address if place.address >= 0 else int.from_bytes(place.data[:4], "little")


def added(each: Any, base: int) -> int:
    """The number to add to the offsets of a list's entry."""
    return 0 if getattr(each, "is_absolute", False) else base


def bits(value: int) -> bytes:
    return (value & (1 << 64) - 1).to_bytes(8, "little")


def name_of(entry: Any) -> str:
    """Returns the name of an entry, also if another one tells it, or "" if there is none."""
    for _ in range(4):
        found = entry.attributes.get("DW_AT_name")
        if found is not None:
            return printable(found.value.decode("utf-8", "replace"))
        other = next((name for name in ELSEWHERE if name in entry.attributes), None)
        if other is None:
            return ""
        entry = entry.get_DIE_from_attribute(other)
    return ""


class Evaluation:
    """Runs an expression of DWARF that tells a place: https://dwarfstd.org/doc/DWARF5.pdf (2.5)."""

    def __init__(self, position: Position, function: Any, variables: Variables) -> None:
        self._position, self._function, self._variables = position, function, variables
        self._stack: list[int] = []
        self._raw = b""
        self._is_value = False

    def run(self, code: bytes) -> Place:
        """Raises NowhereError, also for operations that no compiler to WebAssembly uses."""
        stream = io.BytesIO(code)
        try:
            for _ in range(MOST_OPERATIONS):
                opcode = stream.read(1)
                if not opcode:
                    break
                self._step(opcode[0], stream)
        except (IndexError, ValueError):
            raise NowhereError from None
        if self._is_value:
            return Place(-1, self._raw or bits(self._stack[-1]))
        if not self._stack:
            raise NowhereError
        return Place(self._stack[-1] & MASK)

    def _step(self, opcode: int, stream: io.BytesIO) -> None:
        stack = self._stack
        if opcode == 0x03:  # addr
            stack.append(int.from_bytes(stream.read(4), "little"))
        elif opcode == 0x91:  # fbreg
            stack.append(
                self._variables.frame_base(self._function, self._position) + leb(stream, signed=True)
            )
        elif opcode == 0xED:  # WASM_location
            self._wasm(stream)
        elif opcode == 0x9F:  # stack_value
            self._is_value = True
        elif 0x30 <= opcode <= 0x4F:
            stack.append(opcode - 0x30)
        elif opcode in (0x10, 0x11):
            stack.append(leb(stream, signed=opcode == 0x11))
        elif 0x08 <= opcode <= 0x0F:
            size = 1 << (opcode - 0x08) // 2
            stack.append(int.from_bytes(stream.read(size), "little", signed=bool(opcode & 1)))
        elif opcode == 0x23:  # plus_uconst
            stack[-1] += leb(stream)
            self._raw = b""
        elif opcode in (0x1C, 0x22):
            right = stack.pop()
            stack[-1] += right if opcode == 0x22 else -right
            self._raw = b""
        elif opcode == 0x06:  # deref
            memory, address = self._position.instance.mems[0], stack.pop() & MASK
            if address + 4 > memory.size:
                raise NowhereError
            stack.append(int.from_bytes(memory.read(address, 4), "little"))
        else:
            raise NowhereError

    def _wasm(self, stream: io.BytesIO) -> None:
        """A local, a global, or an operand."""
        kind = stream.read(1)[0]
        index = int.from_bytes(stream.read(4), "little") if kind == 3 else leb(stream)
        position = self._position
        values = {0: position.frame.locals, 2: position.frame.stack}
        value = position.instance.globals[index].raw if kind in (1, 3) else values[kind][index]
        if isinstance(value, float):
            is_single = kind == 0 and type_of_local(position, index) is F32
            self._raw = struct.pack("<f" if is_single else "<d", value)
            self._stack.append(0)
        elif isinstance(value, int):
            self._stack.append(value)
        else:
            raise NowhereError


def leb(stream: io.BytesIO, *, signed: bool = False) -> int:
    value = shift = 0
    while shift < 70:
        (byte,) = stream.read(1)
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value - (1 << shift) if signed and byte & 0x40 else value
    raise ValueError("a number is too long")
