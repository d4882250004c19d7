"""The adapter between an editor and the debugger: its requests, and the events that it gets.

The guest runs on the thread that calls `main`; another thread reads requests. While the guest runs, only
`pause` and the end of the session are handled at once; other requests wait until it stops. What is not here:
how messages are written (`messages.py`), and how the guest is made (`cli.dap`).
"""

from __future__ import annotations

import _thread
import io
import re
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from ...api import Module
from ...errors import WasmError
from ...printable import printable
from ...records import Frozen
from ..debug.breakpoints import Breakpoint, NotFoundError
from ..debug.conditions import Condition
from ..debug.debugger import Debugger
from ..debug.given import BadInputError, number
from ..debug.steps import Step, Stop
from .messages import BrokenError, Channel, Message
from .views import Views

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsFunctionBreakpoints": True,
    "supportsInstructionBreakpoints": True,
    "supportsStepBack": True,
    "supportsSteppingGranularity": True,
    "supportsEvaluateForHovers": True,
    "supportsReadMemoryRequest": True,
    "supportsDisassembleRequest": True,
    "supportsTerminateRequest": True,
}
ENDING = ("disconnect", "terminate")
THREAD = 1
"""The number of the guest's only thread."""


class RefusedError(Exception):
    """A request can't be done. The message says why."""


class Abandoned(BaseException):
    """Unwinds the guest. It is no Exception, so that no host function handles it."""


class Launched(Frozen):
    """A program that is ready: `begin` makes an instance that the debugger watches, runs it to its end and
    returns its exit code. `folders` are searched for source files."""

    module: Module
    begin: Callable[[Debugger], int]
    folders: tuple[Path, ...]


class Output(io.RawIOBase):
    """A file whose text the editor shows."""

    def __init__(self, channel: Channel, category: str) -> None:
        self._channel, self._category = channel, category

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        text = bytes(data).decode("utf-8", "replace")
        self._channel.event("output", {"category": self._category, "output": text})
        return len(data)


class Adapter:
    """One session of an editor."""

    def __init__(self, channel: Channel, launch: Callable[[Mapping[str, Any]], Launched]) -> None:
        """`launch` makes the program from the arguments of the request `launch`; it raises RefusedError."""
        self._channel = channel
        self._launch = launch
        self._requests: SimpleQueue[Message | None] = SimpleQueue()
        self._launched: Launched | None = None
        self._debugger: Debugger | None = None
        self._views: Views | None = None
        self._by_source: dict[str, list[int]] = {}
        """Numbers of breakpoints by the source file or kind that they were set for."""
        self._stops_on_entry = False
        self._is_running = False
        self._waits = False
        """Whether a request has come that the guest must stop for."""
        self._entered = False

    def main(self) -> None:
        """Answer requests until the editor ends the session."""
        Thread(target=self._read, name="pywasm-nn DAP", daemon=True).start()
        with self._outputs(), self._interrupts():
            try:
                if self._converse(until="configurationDone"):
                    self._run()
                    self._converse(until="")
            except Abandoned:
                pass

    # Threads

    def _read(self) -> None:
        """Read requests; interrupt the guest for those that can't wait."""
        while True:
            try:
                request = self._channel.receive()
            except (BrokenError, OSError, ValueError):
                request = None
            urgent = request is None or request.get("command") in (*ENDING, "pause")
            self._waits = self._waits or urgent
            self._requests.put(request)
            if urgent and self._is_running:
                _thread.interrupt_main()
            if request is None:
                return

    @contextmanager
    def _interrupts(self) -> Any:
        def interrupt(number: int, frame: Any) -> None:
            if self._debugger is not None and self._is_running:
                self._debugger.interrupt()

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def _outputs(self) -> Any:
        """The guest's output goes to the editor."""
        before = sys.stdout, sys.stderr
        made = [
            io.TextIOWrapper(io.BufferedWriter(Output(self._channel, name)), "utf-8", write_through=True)
            for name in ("stdout", "stderr")
        ]
        sys.stdout, sys.stderr = made
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before

    # The guest

    def _run(self) -> None:
        assert self._launched is not None and self._debugger is not None
        self._is_running, code = True, 1
        try:
            code = self._launched.begin(self._debugger)
        except WasmError as error:
            if not self._entered:
                self._tell(str(error))
        except Exception as error:
            self._tell(str(error) or type(error).__name__)
        finally:
            self._is_running = False
        self._debugger.gone()
        self._flush()
        self._channel.event("exited", {"exitCode": code})
        self._channel.event("terminated", {})

    def _tell(self, text: str) -> None:
        self._channel.event("output", {"category": "stderr", "output": printable(text) + "\n"})

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()

    def _stopped(self, stop: Stop) -> None:
        """The guest has stopped: answer requests until one lets it continue."""
        assert self._debugger is not None and self._views is not None
        first, self._entered = not self._entered, True
        if first and not (self._stops_on_entry or self._waits or stop.error):
            self._debugger.go(Step.ON)
            return
        self._is_running = False
        self._views.begin()
        self._flush()
        told: Message = {
            "reason": reason_of(stop, first, self._stops_on_entry),
            "threadId": THREAD,
            "allThreadsStopped": True,
        }
        text = printable(stop.reason)
        self._channel.event("stopped", {**told, "description": text, "text": text})
        if not self._converse(until="resume"):
            raise Abandoned
        self._is_running = True
        if self._waits:
            self._debugger.interrupt()

    # Requests

    def _converse(self, until: str) -> bool:
        """Answer requests until this one; returns whether it came, and not the end of the session."""
        while True:
            request = self._requests.get()
            if request is None:
                return False
            command = str(request.get("command", ""))
            self._waits = self._waits and command not in (*ENDING, "pause")
            try:
                body = self._answer(command, request)
            except (RefusedError, NotFoundError, BadInputError, WasmError) as error:
                self._channel.answer(request, {}, printable(str(error)) or "it can't be done")
                continue
            self._channel.answer(request, body)
            if command == "launch":
                self._channel.event("initialized", {})
            if command in ENDING:
                return False
            if command == until or (until == "resume" and command in STEPS):
                return True

    def _answer(self, command: str, request: Message) -> Message:
        """The body of the response to a request. Raises RefusedError and errors of the debugger."""
        arguments = request.get("arguments") or {}
        method = HANDLERS.get(command)
        if method is None or not isinstance(arguments, dict):
            raise RefusedError(f"there is no request {printable(command)}")
        try:
            return method(self, arguments, command)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RefusedError(f"{printable(command)}: a bad or missing argument: {error}") from None

    def _initialize(self, arguments: Message, command: str) -> Message:
        return dict(CAPABILITIES)

    def _do_launch(self, arguments: Message, command: str) -> Message:
        if self._launched is not None:
            raise RefusedError("a program was launched already")
        self._launched = launched = self._launch(arguments)
        self._debugger = Debugger(launched.module, self._stopped)
        self._views = Views(self._debugger, launched.module, launched.folders)
        self._stops_on_entry = bool(arguments.get("stopOnEntry"))
        return {}

    def _nothing(self, arguments: Message, command: str) -> Message:
        return {}

    @property
    def _running(self) -> tuple[Debugger, Views]:
        """Raises RefusedError if there is no program."""
        if self._debugger is None or self._views is None:
            raise RefusedError("no program was launched")
        return self._debugger, self._views

    # Breakpoints

    def _set_breakpoints(self, arguments: Message, command: str) -> Message:
        debugger, _ = self._running
        source = arguments["source"]
        path = str(source.get("path") or source.get("name"))
        file = known_file(path, debugger.places.sources.files())
        wanted = [(f"{file}:{int(each['line'])}", each) for each in arguments.get("breakpoints", ())]
        return {"breakpoints": self._replace(path, wanted)}

    def _set_function_breakpoints(self, arguments: Message, command: str) -> Message:
        wanted = [(str(each["name"]), each) for each in arguments["breakpoints"]]
        return {"breakpoints": self._replace(command, wanted)}

    def _set_instruction_breakpoints(self, arguments: Message, command: str) -> Message:
        wanted = [
            (f"0x{number(each['instructionReference']) + int(each.get('offset', 0)):x}", each)
            for each in arguments["breakpoints"]
        ]
        return {"breakpoints": self._replace(command, wanted)}

    def _replace(self, kind: str, wanted: list[tuple[str, Message]]) -> list[Message]:
        """Set the breakpoints of a kind in place of the earlier ones."""
        debugger, _ = self._running
        for made in self._by_source.pop(kind, ()):
            debugger.remove(made)
        told: list[Message] = []
        numbers = self._by_source.setdefault(kind, [])
        for place, options in wanted:
            try:
                added = debugger.add(place + condition_of(options))
            except (NotFoundError, BadInputError, WasmError) as error:
                told.append({"verified": False, "message": printable(str(error))})
                continue
            numbers.append(added.number)
            told.append({"id": added.number, "verified": True, **self._line_of(added)})
        return told

    def _line_of(self, made: Breakpoint) -> Message:
        debugger, views = self._running
        module = debugger.places.module
        for funcidx, instr in sorted(made.places)[:1]:
            offset = module.funcs[funcidx - module.imported_funcs].body.offsets[instr]
            source = debugger.places.sources.at(offset)
            if source is not None:
                return {"line": source.line, "source": views.source(source.file)}
        return {}

    # A stopped guest

    def _step(self, arguments: Message, command: str) -> Message:
        debugger, _ = self._running
        by_lines = arguments.get("granularity", "statement") != "instruction" and debugger.line is not None
        step = STEPS[command][by_lines]
        debugger.go(step)
        return {"allThreadsContinued": True} if command in ("continue", "reverseContinue") else {}

    def _threads(self, arguments: Message, command: str) -> Message:
        return {"threads": [{"id": THREAD, "name": "guest"}]}

    def _stack(self, arguments: Message, command: str) -> Message:
        _, views = self._running
        frames = views.frames()
        start = int(arguments.get("startFrame") or 0)
        count = int(arguments.get("levels") or 0) or len(frames)
        return {"stackFrames": frames[start : start + count], "totalFrames": len(frames)}

    def _scopes(self, arguments: Message, command: str) -> Message:
        return {"scopes": self._running[1].scopes(int(arguments["frameId"]))}

    def _variables(self, arguments: Message, command: str) -> Message:
        found = self._running[1].variables(int(arguments["variablesReference"]))
        start = int(arguments.get("start") or 0)
        count = int(arguments.get("count") or 0) or len(found)
        return {"variables": found[start : start + count]}

    def _evaluate(self, arguments: Message, command: str) -> Message:
        _, views = self._running
        position = views.position(int(arguments.get("frameId") or 0))
        expression = str(arguments["expression"])
        try:
            shown = views.value(views.rendered(position).find(expression))
        except BadInputError as no_variable:
            try:
                value = Condition(expression).value(position, views.rendered(position).number)
            except BadInputError as error:
                is_name = re.fullmatch(r"[\w.>*\[\]-]+", expression) is not None
                raise (no_variable if is_name else error) from None
            return {"result": str(value), "variablesReference": 0}
        return {**shown, "result": shown["value"]}

    def _read_memory(self, arguments: Message, command: str) -> Message:
        address = number(str(arguments["memoryReference"])) + int(arguments.get("offset") or 0)
        return self._running[1].memory(address, int(arguments["count"]))

    def _disassemble(self, arguments: Message, command: str) -> Message:
        offset = number(str(arguments["memoryReference"])) + int(arguments.get("offset") or 0)
        first, count = int(arguments.get("instructionOffset") or 0), int(arguments["instructionCount"])
        return {"instructions": self._running[1].instructions(offset, first, count)}


STEPS: dict[str, tuple[Step, Step]] = {
    "continue": (Step.ON, Step.ON),
    "next": (Step.OVER, Step.OVER_LINE),
    "stepIn": (Step.INTO, Step.LINE),
    "stepOut": (Step.OUT, Step.OUT),
    "stepBack": (Step.BACK, Step.BACK_LINE),
    "reverseContinue": (Step.BACK_ON, Step.BACK_ON),
}
"""Requests that let the guest continue: by instructions, and by source lines."""
HANDLERS: dict[str, Callable[[Adapter, Message, str], Message]] = {
    "initialize": Adapter._initialize,
    "launch": Adapter._do_launch,
    "configurationDone": Adapter._nothing,
    "setExceptionBreakpoints": Adapter._nothing,
    "pause": Adapter._nothing,
    "disconnect": Adapter._nothing,
    "terminate": Adapter._nothing,
    "setBreakpoints": Adapter._set_breakpoints,
    "setFunctionBreakpoints": Adapter._set_function_breakpoints,
    "setInstructionBreakpoints": Adapter._set_instruction_breakpoints,
    "threads": Adapter._threads,
    "stackTrace": Adapter._stack,
    "scopes": Adapter._scopes,
    "variables": Adapter._variables,
    "evaluate": Adapter._evaluate,
    "readMemory": Adapter._read_memory,
    "disassemble": Adapter._disassemble,
    **dict.fromkeys(STEPS, Adapter._step),
}


def reason_of(stop: Stop, first: bool, on_entry: bool) -> str:
    """The protocol's word for why the guest has stopped; `first`: before its first instruction."""
    if stop.error is not None:
        return "exception"
    if first and on_entry:
        return "entry"
    if first or stop.reason == "interrupted":
        return "pause"
    word = stop.reason.split(" ")[0]
    return {"breakpoint": "breakpoint", "watchpoint": "data breakpoint"}.get(word, "step")


def known_file(path: str, files: list[str]) -> str:
    """The file of the debug information that an editor's path means: the one with the longest equal end."""
    parts = re.split(r"[/\\]+", path)

    def common(file: str) -> int:
        count = 0
        others = [part for part in re.split(r"[/\\]+", file) if part not in (".", "")]
        for one, two in zip(reversed(parts), reversed(others), strict=False):
            if one != two:
                break
            count += 1
        return count

    best = max(files, key=common, default="")
    return best if best and common(best) else parts[-1]


def condition_of(options: Message) -> str:
    """The conditions of a breakpoint in the debugger's notation. Raises BadInputError."""
    told = f" if {options['condition']}" if options.get("condition") else ""
    if options.get("hitCondition"):
        match = re.fullmatch(r"\s*(>=|>|==)?\s*(\d+)\s*", str(options["hitCondition"]))
        if match is None:
            raise BadInputError("write a number of hits, as 5 or > 4")
        count = int(match[2]) - (match[1] != ">")
        told += f" after {max(count, 0)}"
    return told
