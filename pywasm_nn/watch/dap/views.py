"""Views of a stopped guest for an editor: frames, variables, memory, instructions, as the protocol has them.

What is not here: requests (`adapter.py`).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from ...api import Module
from ...interpreter.names import Names
from ...interpreter.runtime.activations import shown, types_of
from ...interpreter.types import ExternKind
from ...printable import printable
from ..debug import shown as texts
from ..debug.debugger import Debugger
from ..debug.dwarf import Variables
from ..debug.given import BadInputError
from ..debug.rendered import Rendered, Value, parts, text, type_name
from ..debug.steps import Position
from ..labels import Labels

Shown = dict[str, Any]
MOST_VARIABLES = 2000
MOST_INSTRUCTIONS = 1000


def variable(name: str, value: str, type_: str = "", reference: int = 0) -> Shown:
    made: Shown = {"name": printable(name), "value": printable(value), "variablesReference": reference}
    return {**made, "type": type_} if type_ else made


class Views:
    """One stop of a guest. References that it gives are valid until the guest continues."""

    def __init__(self, debugger: Debugger, module: Module, folders: Sequence[Path]) -> None:
        self._debugger = debugger
        self._module = module
        self._folders = folders
        self._labels = Labels(module)
        self._opened: list[Callable[[], list[Shown]]] = []
        self.positions: list[Position] = []

    def begin(self) -> None:
        """The guest has stopped."""
        self._opened, self.positions = [], self._debugger.positions

    def reference(self, open_: Callable[[], list[Shown]]) -> int:
        """A number by which the editor asks for variables."""
        self._opened.append(open_)
        return len(self._opened)

    def variables(self, reference: int) -> list[Shown]:
        """Raises BadInputError for an unknown reference."""
        if not 1 <= reference <= len(self._opened):
            raise BadInputError(f"there are no variables {reference}")
        return self._opened[reference - 1]()[:MOST_VARIABLES]

    def position(self, frame: int) -> Position:
        """Raises BadInputError for an unknown frame."""
        if not 0 <= frame < len(self.positions):
            raise BadInputError(f"there is no frame {frame}")
        return self.positions[frame]

    # Frames

    def frames(self) -> list[Shown]:
        return [self._frame(number, position) for number, position in enumerate(self.positions)]

    def _frame(self, number: int, position: Position) -> Shown:
        labels, sources = texts.of_position(position, self._labels, self._debugger.places.sources)
        name = labels.function(position.funcidx).removeprefix("$")
        made: Shown = {"id": number, "name": printable(name), "line": 0, "column": 0}
        made["instructionPointerReference"] = f"0x{position.offset:x}"
        source = sources.at(position.offset)
        if source is not None:
            made |= {"line": source.line, "source": self.source(source.file)}
        else:
            made["presentationHint"] = "subtle"
        return made

    def source(self, file: str) -> Shown:
        """A source file, with its path if it is there."""
        path = PurePosixPath(file)
        found = [folder / file for folder in self._folders if (folder / file).is_file()]
        return {"name": path.name, **({"path": str(found[0].resolve())} if found else {"path": file})}

    def scopes(self, frame: int) -> list[Shown]:
        position = self.position(frame)
        made = [
            ("Variables", "locals", lambda: self.source_variables(position)),
            ("Locals", "registers", lambda: self.locals(position)),
            ("Operands", "registers", lambda: self.operands(position)),
            ("Globals", "globals", lambda: self.globals(position)),
        ]
        if self._debugger.inference:
            made.append(("Inference", "tensors", self.tensors))
        return [
            {
                "name": name,
                "presentationHint": hint,
                "variablesReference": self.reference(open_),
                "expensive": False,
            }
            for name, hint, open_ in made
        ]

    def rendered(self, position: Position) -> Rendered:
        """The variables of the source at a position."""
        places, module = self._debugger.places, position.instance.module
        return Rendered(places.variables if module is places.module else Variables(module), position)

    def source_variables(self, position: Position) -> list[Shown]:
        """Variables of the source; if they can't be read, a line that says why."""
        try:
            found = self.rendered(position).values()
        except BadInputError as error:
            return [variable("", str(error))]
        return [
            variable(name, told, type_, 0 if value is None else self._parts(value))
            for name, told, type_, value in found
        ]

    def _parts(self, value: Value) -> int:
        """Returns a reference to the parts of a value, or 0 if it has none."""
        try:
            inside = parts(value)
        except BadInputError:
            return 0
        return self.reference(lambda: [self.value(each) for each in inside]) if inside else 0

    def value(self, value: Value) -> Shown:
        """A value of the source, which opens into its parts."""
        try:
            told = text(value)
        except BadInputError as error:
            told = str(error)
        made = variable(value.name, told, type_name(value.type), self._parts(value))
        address = value.place.address
        return {**made, "memoryReference": f"0x{address:x}"} if address >= 0 else made

    def locals(self, position: Position) -> list[Shown]:
        """Parameters and locals as WebAssembly has them."""
        module = position.instance.module
        names = Names.of(module).locals.get(position.funcidx, {})
        types = types_of(module, position.funcidx)
        return [
            variable(f"${names.get(index, index)}", str(shown(type_, value)), str(type_))
            for index, (type_, value) in enumerate(zip(types, position.frame.locals, strict=False))
        ]

    def operands(self, position: Position) -> list[Shown]:
        stack = position.frame.stack
        return [variable(f"[{n}]", texts.value_text(value)) for n, value in enumerate(reversed(stack))]

    def globals(self, position: Position) -> list[Shown]:
        exports = position.instance.module.exports
        names = {each.index: each.name for each in exports if each.kind is ExternKind.GLOBAL}
        return [
            variable(
                names.get(index, f"global {index}"),
                str(shown(each.type.type, each.value)),
                str(each.type.type),
            )
            for index, each in enumerate(position.instance.globals)
        ]

    def tensors(self) -> list[Shown]:
        """The last operation of wasi-nn, and its tensors."""
        told, *tensors = self._debugger.inference
        made = [variable("operation", told.strip())]
        for line in tensors:
            name, separator, values = line.strip().partition(" = ")
            made.append(variable(name, values) if separator else variable("", line.strip()))
        return made

    # Memory and code

    def memory(self, address: int, count: int) -> Shown:
        instance = self._debugger.instance
        if instance is None or not instance.mems:
            raise BadInputError("the module has no memory")
        memory = instance.mems[0]
        start = min(max(address, 0), memory.size)
        data = memory.read(start, min(max(count, 0), memory.size - start, 1 << 20))
        told: Shown = {"address": f"0x{start:x}", "data": b64encode(data).decode()}
        return {**told, "unreadableBytes": count - len(data)} if len(data) < count else told

    def instructions(self, offset: int, first: int, count: int) -> list[Shown]:
        """`count` instructions, beginning `first` after the one at an offset. Raises NotFoundError."""
        funcidx, instr = self._debugger.places.at_offset(offset)
        body = self._module.funcs[funcidx - self._module.imported_funcs].body
        made: list[Shown] = []
        for at in range(instr + first, instr + first + min(max(count, 0), MOST_INSTRUCTIONS)):
            if not 0 <= at < len(body.ops):
                place = f"0x{max(offset + at - instr, 0):x}"
                made.append({"address": place, "instruction": "", "presentationHint": "invalid"})
                continue
            text = self._labels.instruction(funcidx, body.ops[at], body.imms[at])
            told: Shown = {"address": f"0x{body.offsets[at]:x}", "instruction": printable(text)}
            source = self._debugger.places.sources.at(body.offsets[at])
            if source is not None:
                told |= {"location": self.source(source.file), "line": source.line}
            made.append(told)
        return made
