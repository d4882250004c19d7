"""The commands of the debugger's prompt: a method for each command, whose docstring is its help.

What is not here: reading them, and running the guest (`prompt.py`).
"""

from __future__ import annotations

import inspect
from pathlib import Path

from ..interpreter.types import ExternKind
from ..watch.debug import given, shown
from ..watch.debug.dwarf import Variables
from ..watch.debug.rendered import Rendered, text
from ..watch.debug.steps import Step
from .prompt import SHORT, Leaving, NotStoppedError, Prompt

MOST_FRAMES = 20
MOST_FUNCTIONS = 50
BYTES = 64
"""The default number of bytes that `memory` shows."""


class Commands(Prompt):
    """The prompt with its commands."""

    def do_break(self, argument: str) -> None:
        """break [WHERE]: stop there, or list where to stop

        WHERE is
          sum, shop::*, 12    a function by name (globs too) or index
          0x1f40              a byte offset of the module
          main.c:41           a source line
          host fd_write       host calls by name (globs too), host alone: all
          nn compute          operations of wasi-nn by name, nn alone: all
        also `sum if local 0 > 3`, `sum if $n == 5 and u32 0x400 != 0`, and `sum after 10`: not ten times"""
        if argument:
            made = self.debugger.add(argument)
            count = f", {len(made.places)} places" if len(made.places) > 1 else ""
            self.say(f"breakpoint {made.number} at {made.text}{count}")
        else:
            made_ = [(made.number, made.text) for made in self.debugger.breakpoints]
            made_ += [(made.number, f"watch {made.text}") for made in self.debugger.stops.watches]
            self.say_all([f"  {number:3}  {text}" for number, text in sorted(made_)] or ["  none"])

    def complete_break(self, text: str, line: str, begin: int, end: int) -> list[str]:
        labels = [
            self.labels.function(funcidx).removeprefix("$") for funcidx in range(len(self.module.func_types))
        ]
        return [word for word in ["host", "nn", *labels] if word.startswith(text)]

    def do_delete(self, argument: str) -> None:
        """delete [NUMBER]: forget a breakpoint, or all of them"""
        debugger = self.debugger
        made_ = [made.number for made in debugger.breakpoints] + [
            made.number for made in debugger.stops.watches
        ]
        numbers = [given.number(argument)] if argument else made_
        for number in numbers:
            if not self.debugger.remove(number):
                self.say(f"no breakpoint {number}")

    def do_ignore(self, argument: str) -> None:
        """ignore NUMBER COUNT: let a breakpoint be reached so many times more before it stops"""
        words = argument.split()
        if len(words) != 2:
            raise given.BadInputError("write ignore 1 10")
        number, count = map(given.number, words)
        if not self.debugger.stops.ignore(number, max(count, 0)):
            self.say(f"no breakpoint {number}")

    def do_watch(self, argument: str) -> None:
        """watch ADDRESS[:COUNT]: stop when these bytes of memory change; 4 bytes, if COUNT is left out"""
        positions = self.debugger.positions
        made = self.debugger.watch(argument, self.position() if positions else None)
        self.say(f"watchpoint {made.number} at {made.text}")

    def do_who(self, argument: str) -> bool:
        """who ADDRESS[:COUNT]: back to the instruction that wrote these bytes last"""
        position = self.position()
        if self.is_over and not self.debugger.knows_past:
            return self.go(Step.BACK_WRITER)
        self.debugger.look_for(argument, position)
        return True

    def do_step(self, argument: str) -> bool:
        """step [COUNT | line]: instructions, or to another source line, into calls"""
        return self.go(Step.LINE) if argument == "line" else self.go(Step.INTO, argument)

    def do_next(self, argument: str) -> bool:
        """next [line]: an instruction, or to another source line, over calls"""
        return self.go(Step.OVER_LINE if argument == "line" else Step.OVER)

    def do_finish(self, argument: str) -> bool:
        """finish: to the caller"""
        return self.go(Step.OUT)

    def do_continue(self, argument: str) -> bool:
        """continue: to the next breakpoint"""
        return self.go(Step.ON)

    def do_back(self, argument: str) -> bool:
        """back [COUNT | line]: instructions back, into calls; or source lines back, over calls

        What the host answered is known, and it isn't asked again when the guest goes forward once more."""
        return self.go(Step.BACK_LINE) if argument == "line" else self.go(Step.BACK, argument)

    def do_rnext(self, argument: str) -> bool:
        """rnext [line]: back by an instruction, or by a source line, over calls"""
        return self.go(Step.BACK_LINE if argument == "line" else Step.BACK_OVER)

    def do_rcontinue(self, argument: str) -> bool:
        """rcontinue: back to a breakpoint, or to the beginning"""
        return self.go(Step.BACK_ON)

    def do_run(self, argument: str) -> bool:
        """run: begin again, with the same breakpoints"""
        self.leaving = Leaving.AGAIN
        return True

    def do_quit(self, argument: str) -> bool:
        """quit: leave"""
        self.leaving = Leaving.QUIT
        return True

    def do_backtrace(self, argument: str) -> None:
        """backtrace [COUNT]: functions that are running, innermost first"""
        most = given.number(argument) if argument else MOST_FRAMES
        self.say_all(shown.backtrace(self.positions(), self.selected, max(most, 1)))

    def do_frame(self, argument: str) -> None:
        """frame [NUMBER]: look at another of these functions"""
        number = given.number(argument) if argument else self.selected
        if not 0 <= number < len(self.positions()):
            raise NotStoppedError(f"no frame {number}; there are {len(self.positions())}")
        self.selected = number
        self.say(shown.where(self.position(), self.labels, self.debugger.places.sources))

    def do_up(self, argument: str) -> None:
        """up: look at the caller"""
        self.do_frame(str(self.selected + 1))

    def do_down(self, argument: str) -> None:
        """down: look at the function that is called"""
        self.do_frame(str(self.selected - 1))

    def do_locals(self, argument: str) -> None:
        """locals: parameters and locals with their values"""
        self.say_all(shown.locals_of(self.position()) or ["  none"])

    def do_print(self, argument: str) -> None:
        """print NAME: a variable of the source, as shape->at.x, table[2] or *other

        Needs the package pyelftools, and a guest that was compiled with -g."""
        if not argument:
            raise given.BadInputError("write print NAME, as print shape->at.x")
        self.say(f"{argument} = {text(self.rendered().find(argument))}")

    def do_info(self, argument: str) -> None:
        """info locals: variables of the source in this function"""
        if argument != "locals":
            raise given.BadInputError("write info locals")
        self.say_all([f"  {line}" for line in self.rendered().lines()] or ["  none"])

    def rendered(self) -> Rendered:
        """The variables of the source in the selected frame."""
        position, places = self.position(), self.debugger.places
        module = position.instance.module
        return Rendered(places.variables if module is places.module else Variables(module), position)

    def do_stack(self, argument: str) -> None:
        """stack: the operand stack, top first"""
        self.say_all(shown.stack_of(self.position()))

    def do_globals(self, argument: str) -> None:
        """globals: all globals with their values"""
        self.say_all(shown.globals_of(self.instance()))

    def do_memory(self, argument: str) -> None:
        """memory ADDRESS [COUNT [FORMAT]]: bytes or numbers in memory

        ADDRESS is 1024, 0x400, $p or $p+8; FORMAT is hex, text, i8, u8 ... u64, f32, f64."""
        words = argument.split()
        if not 1 <= len(words) <= 3:
            raise given.BadInputError("write memory ADDRESS [COUNT [FORMAT]]")
        format_ = words[2] if len(words) > 2 else "hex"
        count = given.number(words[1]) if len(words) > 1 else BYTES
        position = self.position()
        if not position.instance.mems:
            raise given.BadInputError("the module has no memory")
        start = given.address(position, words[0])
        self.say_all(shown.memory_at(position.instance.mems[0], start, max(count, 0), format_))

    def do_list(self, argument: str) -> None:
        """list: instructions around the current one, with source lines"""
        position = self.position()
        places = [place for made in self.debugger.breakpoints for place in made.places]
        here = frozenset(instr for funcidx, instr in places if funcidx == position.funcidx)
        self.say_all(shown.listing(position, self.labels, self.debugger.places.sources, here))

    def do_source(self, argument: str) -> None:
        """source: lines of the source file around the current one"""
        position = self.position()
        line = shown.of_position(position, self.labels, self.debugger.places.sources)[1].at(position.offset)
        if line is None:
            raise given.BadInputError("the module tells no source line here")
        self.say_all(shown.source_around(line, [Path.cwd(), *self.folders]))

    def do_functions(self, argument: str) -> None:
        """functions [GLOB]: functions by name"""
        defined, imported = self.debugger.places.functions(argument or "*")
        lines = [f"  {funcidx:4}  {self.debugger.places.label(funcidx)}" for funcidx in defined]
        lines += [f"  host  {name}" for name in imported]
        left_out = len(lines) - MOST_FUNCTIONS
        self.say_all(lines[:MOST_FUNCTIONS] or [f"  none {argument}".rstrip()])
        if left_out > 0:
            self.say(f"  ... {left_out} more ...")

    def do_tensors(self, argument: str) -> None:
        """tensors: the last operation of wasi-nn, with its tensors"""
        self.say_all([f"  {line}" for line in self.debugger.inference] or ["  none yet"])

    def do_set(self, argument: str) -> None:
        """set WHAT WHICH VALUE: change the guest's state; its past is forgotten

        set local $p 5; set global 0 -1; set memory 0x400 i32 5; set memory $p text hello"""
        words = argument.split(maxsplit=3)
        match words:
            case ["local", which, text]:
                position = self.position()
                index = given.local_index(position, which)
                position.frame.locals[index] = given.value(shown.type_of_local(position, index), text)
            case ["global", which, text]:
                self.set_global(which, text)
            case ["memory", address, format_, text]:
                position = self.position()
                if not position.instance.mems:
                    raise given.BadInputError("the module has no memory")
                position.instance.mems[0].write(given.address(position, address), given.packed(format_, text))
            case _:
                raise given.BadInputError("write set local $p 5, set global 0 5 or set memory 0x400 i32 5")
        self.debugger.changed()

    def complete_set(self, text: str, line: str, begin: int, end: int) -> list[str]:
        first = len(line[:begin].split()) == 1
        return [word for word in ("local", "global", "memory") if first and word.startswith(text)]

    def set_global(self, which: str, text: str) -> None:
        instance = self.instance()
        exports = {e.name: e.index for e in self.module.exports if e.kind is ExternKind.GLOBAL}
        index = exports[which] if which in exports else given.number(which)
        if not 0 <= index < len(instance.globals):
            raise given.BadInputError(f"no global {which}; there are {len(instance.globals)}")
        global_ = instance.globals[index]
        if not global_.type.mutable:
            raise given.BadInputError(f"global {which} can't change")
        global_.value = given.value(global_.type.type, text)

    def do_help(self, arg: str) -> None:
        """help [COMMAND]: list the commands, or explain one"""
        word = SHORT.get(arg, arg)
        if word in self.commands():
            self.say_all(help_of(self, word).split("\n"))
        elif arg:
            self.default(arg)
        else:
            for name in self.commands():
                usage, _, text = help_of(self, name).partition("\n")[0].partition(": ")
                self.say(f"  {usage:<34}{text}")


def help_of(prompt: Commands, command: str) -> str:
    """The docstring of a command."""
    return inspect.getdoc(getattr(prompt, f"do_{command}")) or ""
