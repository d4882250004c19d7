"""The debugger's prompt: reads commands, and writes what the guest is doing.

What is not here: the commands (`commands.py`), where a guest stops and what is seen there (`watch.debug`),
and how it is begun (`debug.py`).
"""

from __future__ import annotations

import cmd
import signal
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from enum import Enum
from typing import Any

from ..api import Module
from ..errors import WasmError
from ..interpreter.runtime.instance import Instance
from ..watch.debug import given, shown
from ..watch.debug.breakpoints import NotFoundError
from ..watch.debug.debugger import Debugger, Position, Step, Stop
from ..watch.labels import Labels
from .terminal import print_text

SHORT = {
    "b": "break", "d": "delete", "s": "step", "n": "next", "out": "finish", "c": "continue", "r": "run",
    "bt": "backtrace", "where": "backtrace", "f": "frame", "l": "list", "p": "locals", "x": "memory",
    "q": "quit", "h": "help", "EOF": "quit", "exit": "quit",
}  # fmt: skip
"""Other words for commands."""
REPEATED = frozenset({"step", "next"})
"""Commands that an empty line gives again."""


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
            self.say_all(stop.reason.split("\n"))
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
        print_text(text)
        sys.stdout.flush()

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
