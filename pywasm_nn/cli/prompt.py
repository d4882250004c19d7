"""The debugger's prompt: reads commands, and writes what the guest is doing.

What is here: commands, one method each. What is not: where a guest stops and what is seen there
(`watch.debug`), and how it is begun (`debug.py`).
"""

from __future__ import annotations

import cmd
import inspect
import signal
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from enum import Enum
from typing import Any

from ..api import Module
from ..errors import WasmError
from ..interpreter.names import printable
from ..interpreter.runtime import Instance
from ..interpreter.types import ExternKind
from ..watch.debug import given, shown
from ..watch.debug.breakpoints import NotFoundError
from ..watch.debug.debugger import Debugger, Position, Step, Stop
from ..watch.labels import Labels

SHORT = {
    "b": "break", "d": "delete", "s": "step", "n": "next", "out": "finish", "c": "continue", "r": "run",
    "bt": "backtrace", "where": "backtrace", "f": "frame", "l": "list", "p": "locals", "x": "memory",
    "q": "quit", "h": "help", "EOF": "quit", "exit": "quit",
}  # fmt: skip
"""Other words for commands."""
REPEATED = frozenset({"step", "next"})
"""Commands that an empty line gives again."""
MOST_FRAMES = 20
MOST_FUNCTIONS = 50
BYTES = 64


class Leaving(Enum):
    """Why a guest that has stopped is given up."""

    AGAIN = "again"
    QUIT = "quit"


class Left(BaseException):
    """Unwinds the guest. No WasmError, so that no host function takes it for one of the guest's."""

    def __init__(self, leaving: Leaving) -> None:
        self.leaving = leaving


class NotStoppedError(Exception):
    """There is no guest to look at. The message says what to do."""


class Prompt(cmd.Cmd):
    """Lets a person run a guest, again and again."""

    prompt = "(wasm) "

    def __init__(self, module: Module, begin: Callable[[Debugger], int]) -> None:
        """`begin` makes an instance that the debugger watches, runs it to its end and gives its exit code."""
        super().__init__()
        self.module = module
        self.labels = Labels(module)
        self.debugger = Debugger(module, self.stopped)
        self.begin = begin
        self.is_terminal = sys.stdin.isatty()
        self.selected = 0
        """Which frame is looked at."""
        self.leaving: Leaving | None = None
        self.is_over = False
        """Whether the guest has come to its end, so that it can't go on."""

    # Running

    def main(self) -> None:
        """Run the guest until the person has had enough. Raises Failure if it can't be begun."""
        before = signal.signal(signal.SIGINT, self.on_interrupt)
        try:
            while self.run_once() is Leaving.AGAIN:
                pass
        finally:
            signal.signal(signal.SIGINT, before)

    def run_once(self) -> Leaving | None:
        """Run the guest to its end; then commands are read until it shall run again, or no more."""
        self.leaving, self.is_over = None, False
        try:
            code = self.begin(self.debugger)
            self.say(f"the guest has ended, exit code {code}")
        except Left as left:
            return left.leaving
        except WasmError as error:
            if not self.is_over:  # nothing of the guest had begun
                self.say(f"error: {error}")
        except KeyboardInterrupt:
            self.say("the guest was stopped inside of a host function")
        self.debugger.machines.clear()
        self.is_over = True
        self.converse()
        return self.leaving

    def stopped(self, stop: Stop) -> None:
        """The guest has stopped: read commands until it shall go on."""
        self.selected = 0
        self.is_over = stop.error is not None
        if stop.error is not None:
            self.say(f"{type(stop.error).__name__.lower().removesuffix('error')}: {stop.reason}")
            if stop.error.__cause__ is not None:
                self.say(f"because of {stop.error.__cause__}")
        elif stop.reason not in {step.value for step in Step}:
            self.say(stop.reason)
        if positions := self.debugger.positions:
            self.say(shown.where(positions[0], self.labels, self.debugger.places.sources))
        self.converse()
        if self.leaving is not None:
            raise Left(self.leaving)

    def converse(self) -> None:
        """Read commands until one lets the guest go on, or leaves it."""
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            while True:
                try:
                    self.cmdloop()
                    return
                except KeyboardInterrupt:
                    self.say("")
        finally:
            signal.signal(signal.SIGINT, handler)

    def on_interrupt(self, number: int, frame: Any) -> None:
        """Ctrl-C while the guest runs: it stops before its next instruction. Again, if it hangs in the host:
        it is given up."""
        if not self.debugger.interrupt():
            raise KeyboardInterrupt

    def say(self, text: str) -> None:
        print("\n".join(map(printable, text.split("\n"))), flush=True)

    def say_all(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(line)

    # Reading

    def precmd(self, line: str) -> str:
        if not self.is_terminal:
            self.say("" if line == "EOF" else line)
        return line

    def parseline(self, line: str) -> tuple[str | None, str | None, str]:
        command, argument, line = super().parseline(line)
        return SHORT.get(command or "", command), argument, line

    def onecmd(self, line: str) -> bool:
        try:
            return bool(super().onecmd(line))
        except (NotFoundError, NotStoppedError, given.BadInputError, WasmError) as error:
            self.say(str(error))
            return False

    def default(self, line: str) -> None:
        word = line.split()[0]
        close = get_close_matches(word, self.commands(), 1)
        self.say(f"no command {word}; " + (f"{close[0]}?" if close else "help lists them"))

    def emptyline(self) -> bool:
        word = SHORT.get(self.lastcmd.split()[0], self.lastcmd.split()[0]) if self.lastcmd.strip() else ""
        return self.onecmd(self.lastcmd) if word in REPEATED else False

    def commands(self) -> list[str]:
        return [name[3:] for name in self.get_names() if name.startswith("do_")]

    def positions(self) -> list[Position]:
        """Functions that are running. Raises NotStoppedError if there are none."""
        positions = self.debugger.positions
        if not positions:
            raise NotStoppedError("the guest isn't running; run begins it")
        return positions

    def position(self) -> Position:
        """The one that is looked at."""
        positions = self.positions()
        return positions[min(self.selected, len(positions) - 1)]

    def instance(self) -> Instance:
        return self.position().instance

    def go(self, step: Step, argument: str = "") -> bool:
        """Let the guest go on."""
        if self.is_over:
            raise NotStoppedError("the guest has ended; run begins it again")
        self.debugger.go(step, given.number(argument) if argument else 1)
        return True

    # Commands

    def do_break(self, argument: str) -> None:
        """break [WHERE]: stop there, or list where to stop

        WHERE is
          sum, shop::*, 12    a function by name (globs too) or index
          0x1f40              a byte offset of the module
          main.c:41           a source line
          host fd_write       host calls by name (globs too), host alone: all
          nn compute          operations of wasi-nn by name, nn alone: all"""
        if argument:
            made = self.debugger.add(argument)
            count = f", {len(made.places)} places" if len(made.places) > 1 else ""
            self.say(f"breakpoint {made.number} at {made.text}{count}")
        else:
            self.say_all(
                [f"  {made.number:3}  {made.text}" for made in self.debugger.breakpoints] or ["  none"]
            )

    def complete_break(self, text: str, line: str, begin: int, end: int) -> list[str]:
        labels = [
            self.labels.function(funcidx).removeprefix("$") for funcidx in range(len(self.module.func_types))
        ]
        return [word for word in ["host", "nn", *labels] if word.startswith(text)]

    def do_delete(self, argument: str) -> None:
        """delete [NUMBER]: forget a breakpoint, or all of them"""
        numbers = (
            [given.number(argument)] if argument else [made.number for made in self.debugger.breakpoints]
        )
        for number in numbers:
            if not self.debugger.remove(number):
                self.say(f"no breakpoint {number}")

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

    def do_stack(self, argument: str) -> None:
        """stack: the operand stack, top first"""
        self.say_all(shown.stack_of(self.position()))

    def do_globals(self, argument: str) -> None:
        """globals: all globals with their values"""
        self.say_all(shown.globals_of(self.instance()))

    def do_memory(self, argument: str) -> None:
        """memory ADDRESS [COUNT [FORMAT]]: what lies there

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
        """list: instructions around the one at hand, with source lines"""
        position = self.position()
        places = [place for made in self.debugger.breakpoints for place in made.places]
        here = frozenset(instr for funcidx, instr in places if funcidx == position.funcidx)
        self.say_all(shown.listing(position, self.labels, self.debugger.places.sources, here))

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
        """set WHAT WHICH VALUE: change the guest's state

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
        """help [COMMAND]: what commands there are, or what one does"""
        word = SHORT.get(arg, arg)
        if word in self.commands():
            self.say(help_of(self, word))
        elif arg:
            self.default(arg)
        else:
            for name in self.commands():
                usage, _, text = help_of(self, name).partition("\n")[0].partition(": ")
                self.say(f"  {usage:<34}{text}")


def help_of(prompt: Prompt, command: str) -> str:
    """What the command says of itself."""
    return inspect.getdoc(getattr(prompt, f"do_{command}")) or ""
