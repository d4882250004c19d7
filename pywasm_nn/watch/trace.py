"""`Trace`: an observer that turns what happens into events, and keeps them or passes them on.

What is here: levels, filters, the budget, the ring, and the state between events. What is not: the look of
events (`text.py`, `records.py`), and judging what they say (`hints`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from threading import RLock, local
from time import perf_counter, thread_time
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

from ..brief import counted, named
from ..checks import check_callable, check_whole, checked_words
from ..errors import GuestExit, Trap, WasmError, WasmException
from ..interpreter.instructions.row import Imm
from ..interpreter.module import Module
from ..interpreter.runtime.observe import HostEvent, InstructionEvent, Observer, StandIn, Watched, Write
from ..namespaces import is_inference
from ..printable import printable
from . import events
from .failing import failure
from .filters import Filter
from .labels import Labels, typed, within
from .regex import regex
from .shadow import Shadow
from .surroundings import Surroundings
from .values import argument, kept

if TYPE_CHECKING:
    from ..nn.operation import NNEvent
    from .evidence import Evidence
    from .hints import Hints

E = TypeVar("E", bound=events.Event)

LEVELS = ("host", "nn", "whatif", "calls", "instr")
BUDGET = 100_000
"""The number of events that a trace takes by default."""

LARGE = 1 << 18
"""Bytes of a model from which on its tensors are hardly ever few."""

MOST_KEPT = 64 << 20
"""Bytes of tensors that a trace keeps in total."""

OTHER_TYPE = "other_type"
"""The rule of hints at elements that make sense as bits of another type."""
ABOUT = regex(r'(?:in|out)put \d+(?: ".*?")?(?=[: ])')
DETAIL = regex(r'"[^"]*"|\d+')
"""What two hints on one mistake may differ by: a text that they quote, or a number."""

Sink = Callable[[events.Event], None]


class Here(local):
    """What a trace knows of each thread of Python that it is told something on."""

    number = 0
    """The number of the guest's thread."""
    told = False
    """Whether the host call in progress was already shown as an operation of wasi-nn."""


class Trace(Observer):
    """Events of the given `levels` (names of LEVELS) of one instance. Pass it as `observer` when you make the
    instance.

        trace = Trace(["nn", "instr"], only=["square"])
        with module.instantiate(engine="interpret", observer=trace) as app:
            app.exports.square(3)
        for event in trace: ...

    Events go to `sink` as they happen, or are kept in the trace. `only` names the functions and offsets whose
    calls and instructions are shown (see `Filter`). Events after the first `budget` are left out; the last
    event says how many. With `ring`, only the last so many events are kept, and they go to the sink if the
    guest traps. The level "whatif" asks models again where an answer is unsure. `keep_bytes`: tensors of at
    most so many bytes keep them, until all kept bytes reach MOST_KEPT. `surroundings` lets hints say where
    files are.

    Events of all threads of a guest are one trace, and each names its thread; hints, and writes of host
    functions to memory (level "instr"), are those of the first.
    """

    def __init__(
        self,
        levels: Iterable[str] = ("host", "nn"),
        sink: Sink | None = None,
        *,
        only: Filter | Iterable[str] = (),
        budget: int = BUDGET,
        ring: int | None = None,
        keep_bytes: int = 0,
        surroundings: Surroundings | None = None,
    ) -> None:
        """Raises ValueError for an unknown level or a filter that can't be read, TypeError for an argument of
        the wrong type."""
        check_whole("budget", budget)
        check_whole("keep_bytes", keep_bytes)
        if ring is not None:
            check_whole("ring", ring, 1)
        if sink is not None:
            check_callable("sink", sink, "something to call with an event")
        self.levels = checked_levels(levels)
        # Hints about inference also need the host calls.
        self.wants = self.levels | {"host"} if "nn" in self.levels else self.levels
        self.only = only if isinstance(only, Filter) else Filter.of(only)
        self.budget = budget
        self.ring = ring
        self.keep_bytes = keep_bytes
        self._room = MOST_KEPT
        self.omitted = 0
        """Events beyond the budget."""
        self.surroundings = surroundings
        self._sink = sink
        self._events: MutableSequence[events.Event] = deque(maxlen=ring) if ring is not None else []
        self._began = perf_counter()
        self._number = 0
        self._module: Module | None = None
        self._labels: Labels | None = None
        self._hints: Hints | None = None
        self._evidence = evidence(surroundings) if "whatif" in self.levels else None
        self._hinted: set[tuple[str, str, str]] = set()  # rules with hints that were given, without numbers
        self._instance: ref[Watched] | None = None
        self._shadow: Shadow | None = None
        self._here = Here()
        self._turn = RLock()
        """Held while an event is added: threads of a guest do so at the same time."""
        self._owner = self
        """The trace that numbers the events and passes them on."""
        self._before = ""
        """The prefix of functions' names in a component: the name of their core module."""

    # The collected events

    def __iter__(self) -> Iterator[events.Event]:
        yield from self._events
        if self.omitted:
            yield self._omission()

    def __len__(self) -> int:
        return len(self._events) + bool(self.omitted)

    def __getitem__(self, index: int) -> events.Event:
        found: events.Event = list(self)[index]
        return found

    def __repr__(self) -> str:
        return named("Trace", f"of {', '.join(sorted(self.levels))}: {counted(len(self), 'event')}")

    def page(self) -> str:
        """The kept events as one self-contained HTML page, with a slider over the steps. Tensors that kept
        their bytes are shown as pictures. Raises ValueError before an instance was made, MalformedError for a
        body that can't be decoded.
        """
        from .page import page

        return page(self.labels.module, self)

    def _repr_html_(self) -> str:
        """The HTML in a notebook: the page, in a frame of its own."""
        from ..markup import frame, paragraph

        return frame(self.page(), "trace") if len(self) else paragraph("nothing was traced yet")

    def _omission(self) -> events.Omitted:
        return events.Omitted(number=self.budget + 1, at=self._now(), thread=0, count=self.omitted)

    def flush(self) -> None:
        """The trace is over: give the final hints, and tell the sink how many events were left out."""
        self._finish(failed=False)
        if self._sink is not None and self.omitted:
            self._sink(self._omission())

    def _finish(self, failed: bool, end: events.Event | None = None) -> None:
        """Give the final hints."""
        if self._hints is not None:
            if (known := self._evidence) is None:
                said = self._hints.finish(failed=failed)
            else:
                silent, bare = known.read_silence(), known.read_nothing()
                said = self._hints.finish(failed=failed, silent=silent, bare=bare, loud=known.read_sound)
            self._say(said, end)
        if self._evidence is not None:
            with self._sparing(self._evidence):
                self._say(self._evidence.finish(), end)

    # Events

    def inside(self, module: Module) -> Trace:
        """A trace of the same levels for one core module of a component, whose events become this one's."""
        made = Trace(self.levels, only=self.only, budget=self.budget, ring=self.ring)
        made.wants = self.levels & {"calls", "instr"}
        made._owner, made._before = self, f"{within(module)}!"
        return made

    def on_thread(self, number: int, module: Module) -> Trace:
        """A trace for a further thread of the guest, whose events become this one's. Operations of wasi-nn
        are told to this one: all threads have one session."""
        self._here.number = number
        levels = self.levels & {"host", "calls", "instr"}
        made = Trace(levels, only=self.only, budget=self.budget, ring=self.ring)
        made._owner, made._here = self, self._here
        return made

    def attach(self, instance: Watched) -> None:
        self._module, self._labels = instance.module, None
        self._began = perf_counter()
        if self._evidence is not None:
            with self._evidence.budget.following():
                self._evidence.attach(instance.module)
        self._instance = ref(instance)  # weak, so that the trace doesn't keep the instance alive
        if self._owner is self and "instr" in self.levels and self.levels & {"host", "nn"}:
            self._shadow = Shadow(instance.mems)
        if "nn" in self.levels and any(is_inference(import_.module) for import_ in instance.module.imports):
            from .hints import Hints

            self._hints = Hints(instance, self.surroundings, asks_model=self._evidence is not None)

    @property
    def labels(self) -> Labels:
        """Names in the module. Raises ValueError before an instance was made."""
        if self._module is None:
            raise ValueError("the trace watches no instance yet")
        if self._labels is None:
            self._labels = Labels(self._module)
        return self._labels

    def host_call(self, event: HostEvent) -> None:
        told, self._here.told = self._here.told, False
        if "host" in self.levels and not told:
            self._add(
                events.HostCall,
                module=event.module,
                name=event.name,
                arguments=tuple((name, argument(value)) for name, value in event.arguments),
                result=kept(event.result),
                error=None if event.error is None else words(event.error),
                seconds=event.seconds,
            )
        if self._shadow is not None and self._number < self.budget:
            for write in self._shadow.changes():
                self._add(events.HostWrite, memory=change(write))
        if self._evidence is not None:
            with self._sparing(self._evidence):
                self._evidence.host_call(event, self._followed)
            if self.stand_in is not None:  # in a copy, which tells nobody anything
                return
        if self._hints is not None:
            self._show(self._hints.host_call(event))

    @property
    def stand_in(self) -> StandIn | None:
        return None if self._evidence is None else self._evidence.probes.stand_in

    def _followed(self) -> Watched | None:
        """The instance, if it is a core module on its own, whose host a copy can stand in for."""
        from .probes.stand_in import can_replace

        instance = self._instance() if self._instance is not None else None
        return instance if instance is not None and can_replace(instance) else None

    def nn_event(self, event: Any) -> None:
        if "nn" not in self.levels:
            return
        self._here.told = True
        with self._operations.unwarned(event, always=self._evidence is not None):
            told_as = self._operations.inferences(event, min(self.keep_bytes, self._room))
            self._examine(event, told_as)

    @cached_property
    def _operations(self) -> ModuleType:
        """The module loads others that guests without inference don't need; asked for at each operation, it
        took 8 us."""
        from . import inference

        return inference

    def waiting(self, size: int) -> None:
        """Import what the tensors of a large model need, while its process imports a framework."""
        if "nn" in self.levels and (self._evidence is not None or size >= LARGE):
            with suppress(ImportError):
                import numpy  # noqa: F401 - slow to import

    def _examine(self, event: NNEvent, told_as: Iterable[dict[str, Any]]) -> None:
        """Tell an operation as events with these fields, and what rules and evidence say of it."""
        hints, told = self._hints, None
        for index, facts in enumerate(told_as):
            if self.keep_bytes:
                self._room -= sum(len(tensor.data or b"") for tensor in facts["tensors"])
            told = self._add(events.Inference, **facts)
            if hints is not None:
                came_with = index < len(event.given)
                said = hints.given(event, index, told) if came_with else hints.nn_event(event, told)
                self._say((one for one in said if not self._is_explained(one[0], event)), told)
        if self._evidence is not None and told is not None:
            rules = {rule for rule, *_ in self._hinted}
            with self._sparing(self._evidence):
                self._show(self._evidence.nn_event(event, rules), told)

    def _is_explained(self, rule: str, event: NNEvent) -> bool:
        """Whether evidence knows a better reason for what a rule says of an input."""
        known = self._evidence if rule == OTHER_TYPE else None
        return known is not None and known.explains(event)

    @contextmanager
    def _sparing(self, evidence: Evidence) -> Iterator[None]:
        """A block that looks for evidence. A mistake of ours in it ends the search, and not the guest."""
        try:
            with evidence.budget.following():
                yield
        except (WasmError, GuestExit):
            raise
        except Exception as error:
            if evidence.probes.stand_in is not None:
                raise
            self._evidence = None
            self._say([("search", failure(error, "the search for hints"))])

    def enter(self, funcidx: int, arguments: Sequence[Any], depth: int) -> None:
        if "calls" in self.levels and self._shows(funcidx):
            self._add(
                events.Call,
                funcidx=funcidx,
                function=self._before + self.labels.function(funcidx),
                depth=depth,
                arguments=tuple(map(kept, typed(arguments, self.labels.type(funcidx).params))),
            )

    def leave(self, funcidx: int, results: Sequence[Any], depth: int) -> None:
        if "calls" in self.levels and self._shows(funcidx):
            types = self.labels.type(funcidx).results
            left = len(results) != len(types)
            self._add(
                events.Return,
                funcidx=funcidx,
                function=self._before + self.labels.function(funcidx),
                depth=depth,
                results=() if left else tuple(map(kept, typed(results, types))),
                left=left,
            )

    def _shows(self, funcidx: int) -> bool:
        only = self.only
        return not only.chooses_functions or only.shows_function(funcidx, self.labels.function(funcidx))

    def instruction(self, event: InstructionEvent) -> None:
        if self._shadow is not None:
            self._shadow.look() if event.write is None else self._shadow.wrote(event.write)
        if not self._shows(event.funcidx) or (self.only.ranges and not self.only.shows_offset(event.offset)):
            return
        owner = self._owner
        if owner._number >= self.budget and self.ring is None:
            owner.omitted += 1
            return
        labels, write = self.labels, event.write
        self._add(
            events.Instruction,
            funcidx=event.funcidx,
            function=self._before + labels.function(event.funcidx),
            offset=event.offset,
            depth=event.depth,
            text=labels.instruction(event.funcidx, event.op, event.imm),
            explained=self._explained(event),
            popped=tuple(map(kept, event.popped[-events.MOST_VALUES :])),
            stack=tuple(map(kept, event.stack[-events.MOST_VALUES :])),
            locals=tuple(map(kept, event.locals[: events.MOST_VALUES])),
            local=None if event.local is None else (event.local, kept(event.locals[event.local])),
            global_=None if event.global_ is None else (event.global_[0], kept(event.global_[1])),
            memory=None if write is None else change(write),
            read=self._read(event),
            error=None if event.error is None else words(event.error),
        )

    def _read(self, event: InstructionEvent) -> events.MemoryRead | None:
        """The bytes that a load read."""
        op, instance = event.op, self._instance() if self._instance else None
        if instance is None or op.access is None or op.stores or event.error is not None:
            return None
        memarg = event.imm[0] if Imm.LANE in op.imms else event.imm
        address = event.popped[0] + memarg.offset
        value = instance.mems[memarg.memidx].read(address, op.width)
        return events.MemoryRead(memory=memarg.memidx, address=address, value=value)

    def _explained(self, event: InstructionEvent) -> str:
        """ "3 x 3", "returns 9" for the instruction that ends a function, or the reason of a failure."""
        if event.error is not None:
            return words(event.error)
        if event.op.name != "return" and not (
            event.op.name == "end" and self.labels.is_last(event.funcidx, event.offset)
        ):
            from .explain import explain  # needed for instructions only

            return explain(event.op, event.imm, event.popped, event.stack[-1:])
        from .text import listed

        types = self.labels.type(event.funcidx).results
        values = event.stack[len(event.stack) - len(types) :]
        return f"returns {listed(typed(values, types))}".rstrip() if len(values) == len(types) else "returns"

    def ended(self, error: BaseException) -> None:
        if self._here is not self._owner._here:
            return self._owner.ended(error)
        if self._owner is not self:
            return  # the first thread tells how all ended
        if self._evidence is not None and self._evidence.probes.stand_in is not None:
            self._evidence.probes.stand_in.end("trap")
        code = error.code if isinstance(error, GuestExit) else None
        outcome = next((name for kind, name in OUTCOMES.items() if isinstance(error, kind)), "error")
        where = 0
        if isinstance(error, WasmError):
            where = error.thread
            error.traced = self.levels if self.ring is None else self.levels | {"ring"}
        end = self._add(events.End, where, outcome=outcome, code=code, text=words(error))
        self._finish(code != 0, end)
        if self.ring is not None and self._sink is not None and outcome != "exit":
            for event in self._events:
                self._sink(event)
            self._events.clear()

    # Where events go

    def _now(self) -> float:
        return perf_counter() - self._began

    def _add(self, kind: type[E], thread: int | None = None, /, **fields: Any) -> E:
        """Make an event, and pass it on or keep it while there is budget. Its thread is this one unless
        another is given."""
        if self._owner is not self:
            return self._owner._add(kind, thread, **fields)
        number = self._here.number if thread is None else thread
        with self._turn:
            self._number += 1
            event = kind(number=self._number, at=self._now(), thread=number, **fields)
            if self._number > self.budget and self.ring is None:
                self.omitted += 1
            else:
                self._pass(event)
        return event

    def _pass(self, event: events.Event) -> None:
        if self._sink is None or self.ring is not None:
            self._events.append(event)
        else:
            self._sink(event)

    def _show(self, lines: Iterable[tuple[str | None, str]], about: events.Event | None = None) -> None:
        """Passes on origins of inputs, which have no rule, and hints. They are about the last event unless
        another is given."""
        for rule, text in lines:
            if rule is None:
                number = self._number if about is None else about.number
                self._add(events.Origin, text=printable(text), about=number)
            else:
                self._say([(rule, text)], about)

    def _say(self, hints: Iterable[tuple[str, str]], about: events.Event | None = None) -> None:
        """Pass hints on without counting them against the budget: they are few, and matter most to people.
        One that differs from another of its input or output by details alone says nothing new."""
        for rule, text in hints:
            if (key := (rule, *outlined(text))) in self._hinted:
                continue
            self._hinted.add(key)
            with self._turn:
                self._number += 1
                number = self._number - 1 if about is None else about.number
                self._pass(
                    events.Hint(
                        number=self._number,
                        at=self._now(),
                        thread=self._here.number,
                        rule=rule,
                        text=printable(text),
                        about=number,
                    )
                )


def outlined(text: str) -> tuple[str, str]:
    """Returns what a hint is about ('input 0 "x"'), and its sentence without numbers and quoted words."""
    about = ABOUT.match(text)
    return ("", text) if about is None else (about[0], DETAIL.sub("0", text[about.end() :]))


def checked_levels(levels: Iterable[str]) -> frozenset[str]:
    """The levels, with those that they need. Raises ValueError for an unknown one."""
    found = frozenset(checked_words("levels", levels))
    if unknown := sorted(found - set(LEVELS)):
        raise ValueError(f"no level {unknown[0]!r}; there are {', '.join(LEVELS)}")
    return found | {"nn"} if "whatif" in found else found


def evidence(surroundings: Surroundings | None) -> Evidence:
    """The remarks of the level "whatif", whose modules are needed for nothing else."""
    began = thread_time()
    from .evidence import Evidence

    made = Evidence(surroundings.arguments, surroundings.directories) if surroundings else Evidence()
    made.budget.took(thread_time() - began)
    return made


OUTCOMES: dict[type[BaseException], str] = {GuestExit: "exit", Trap: "trap", WasmException: "exception"}
"""Names of the ways in which a call can end."""


def change(write: Write) -> events.MemoryChange:
    return events.MemoryChange(
        memory=write.memidx,
        address=write.address,
        count=write.count,
        before=write.before,
        after=write.after,
    )


def words(error: BaseException) -> str:
    """An error as one line."""
    if isinstance(error, GuestExit):
        return f"exit {error.code}"
    return printable(str(error) or type(error).__name__)
