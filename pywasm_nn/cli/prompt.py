"""The debugger's prompt: reads commands, and prints the state of the guest.

What is not here: the commands (`commands.py`), stopping a guest and showing its state (`watch.debug`), and
starting it (`debug.py`).
"""

from __future__ import annotations

import cmd
import signal
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from ..api import Module
from ..backtrace import written
from ..errors import WasmError
from ..interpreter.runtime.instance import Instance
from ..watch.debug import given, shown
from ..watch.debug.breakpoints import NotFoundError
from ..watch.debug.debugger import Debugger
from ..watch.debug.steps import BACKWARDS, Position, Step, Stop
from ..watch.labels import Labels
from .terminal import print_text

SHORT = {
    "b": "break", "d": "delete", "s": "step", "n": "next", "out": "finish", "c": "continue", "r": "run",
    "bt": "backtrace", "where": "backtrace", "f": "frame", "l": "list", "p": "print", "x": "memory",
    "rstep": "back", "rs": "back", "rn": "rnext", "rc": "rcontinue",
    "q": "quit", "h": "help", "EOF": "quit", "exit": "quit",
}  # fmt: skip
"""Abbreviations and other names of commands."""
REPEATED = frozenset({"step", "next", "back", "rnext"})
"""Commands that an empty line repeats."""


class Leaving(Enum):
    """Why the user abandons a stopped guest."""

    AGAIN = "again"
    QUIT = "quit"


class Left(BaseException):
    """Unwinds the guest. It is no WasmError, so that no host function handles it as an error of the guest."""

    def __init__(self, leaving: Leaving) -> None:
        self.leaving = leaving


class NotStoppedError(Exception):
    """There is no stopped guest. The message says what to do."""


class Prompt(cmd.Cmd):
    """Runs a guest under the user's control, as often as the user wants."""

    prompt = "(wasm) "

    def __init__(self, module: Module, begin: Callable[[Debugger], int]) -> None:
        """`begin` makes an instance that the debugger watches, runs it to its end and returns its exit
        code."""
        super().__init__()
        self.module = module
        self.labels = Labels(module)
        self.debugger = Debugger(module, self.stopped)
        self.begin = begin
        self.folders: list[Path] = []
        """Where source files are looked for, besides the working directory."""
        self.is_terminal = sys.stdin.isatty()
        self.selected = 0
        """The number of the selected frame."""
        self.leaving: Leaving | None = None
        self.is_over = False
        """Whether the guest has ended, so that it can't continue."""

    # Running

    def main(self) -> None:
        """Run the guest until the user quits. Raises Failure if it can't be started."""
        before = signal.signal(signal.SIGINT, self.on_interrupt)
        try:
            while self.run_once() is Leaving.AGAIN:
                pass
        finally:
            signal.signal(signal.SIGINT, before)

    def run_once(self) -> Leaving | None:
        """Run the guest to its end; then read commands until the user restarts it or quits."""
        self.leaving, self.is_over = None, False
        try:
            code = self.begin(self.debugger)
            self.say(f"the guest has ended, exit code {code}")
        except Left as left:
            return left.leaving
        except WasmError as error:
            if not self.is_over:  # the guest had not started
                self.say(f"error: {error}")
        except KeyboardInterrupt:
            self.say("the guest was stopped inside of a host function")
        self.debugger.gone()
        self.is_over = True
        self.converse()
        return self.leaving

    def stopped(self, stop: Stop) -> None:
        """The guest has stopped: read commands until the user lets it continue."""
        self.selected = 0
        self.is_over = stop.error is not None
        if stop.error is not None:
            self.say(f"{type(stop.error).__name__.lower().removesuffix('error')}: {stop.reason}")
            if stop.error.__cause__ is not None:
                self.say(f"because of {stop.error.__cause__}")
            if isinstance(stop.error, WasmError) and stop.error.thread:
                # Its functions aren't those that are shown here.
                self.say_all(written(stop.error))
        elif stop.reason not in {step.value for step in Step}:
            self.say_all(stop.reason.split("\n"))
        if positions := self.debugger.positions:
            self.say(shown.where(positions[0], self.labels, self.debugger.places.sources))
        self.converse()
        if self.leaving is not None:
            raise Left(self.leaving)

    def converse(self) -> None:
        """Read commands until one continues or abandons the guest."""
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
        """Handle Ctrl-C while the guest runs: it stops before its next instruction. A second Ctrl-C, if the
        guest hangs in the host, abandons it."""
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
        from difflib import get_close_matches  # needed for this mistake only

        word = line.split()[0]
        close = get_close_matches(word, self.commands(), 1)
        self.say(f"no command {word}; " + (f"{close[0]}?" if close else "help lists them"))

    def emptyline(self) -> bool:
        word = SHORT.get(self.lastcmd.split()[0], self.lastcmd.split()[0]) if self.lastcmd.strip() else ""
        return self.onecmd(self.lastcmd) if word in REPEATED else False

    def commands(self) -> list[str]:
        return [name[3:] for name in self.get_names() if name.startswith("do_")]

    def positions(self) -> list[Position]:
        """Running functions, innermost first. Raises NotStoppedError if there are none."""
        positions = self.debugger.positions
        if not positions:
            raise NotStoppedError("the guest isn't running; run begins it")
        return positions

    def position(self) -> Position:
        """The position of the selected frame."""
        positions = self.positions()
        return positions[min(self.selected, len(positions) - 1)]

    def instance(self) -> Instance:
        return self.position().instance

    def go(self, step: Step, argument: str = "") -> bool:
        """Let the guest continue."""
        if self.is_over and not (step in BACKWARDS and self.debugger.knows_past):
            raise NotStoppedError("the guest has ended; run begins it again")
        self.debugger.go(step, given.number(argument) if argument else 1)
        return True
