"""Runs `.wast` scripts, the form of the official suite
(https://github.com/WebAssembly/spec/tree/main/interpreter#scripts).

What is here: `run_script`, the host module `spectest`, and the comparison of results and errors with a
script's expectations: values bit by bit, errors by class and by the beginning of their message.
What is not: parsing scripts (`text/script.py`), and the scripts themselves (`spec-tests/`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from ..brief import summarised
from ..errors import ExhaustionError, InvalidError, LinkError, MalformedError, Trap, WasmError, WasmException
from ..limits import DEFAULTS, Limits
from ..records import Frozen
from .binary import decode
from .module import Module
from .numerics import bits32, bits64, float32, float64
from .runtime.externs import Global
from .runtime.heap import externalize, has_type, internalize
from .runtime.instance import Engine, Extern, HostFunc, Instance
from .runtime.link import instantiate
from .runtime.memory import Flavour, create_memory
from .runtime.table import Table
from .text import parse_script, script
from .types import (
    F32,
    F64,
    FUNCREF,
    HEAP_TYPE_BY_NAME,
    I32,
    I64,
    V128,
    FuncType,
    GlobalType,
    MemType,
    NumType,
    RefType,
    SizeRange,
    TableType,
    ValType,
)
from .validate import validate_all


class Failure(Frozen):
    """A command that failed."""

    line: int
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}: {self.reason}"


@summarised
@dataclass(slots=True)
class Report:
    """The result of a script: assertions by kind, and all failures.

    Commands without an assertion (a module that must only load) count only if they fail.
    """

    passed: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Add the counts of another script, without its failures."""
        self.passed += other.passed
        self.failed += other.failed

    def __str__(self) -> str:
        kinds = "; ".join(
            f"{kind} {score(self.passed[kind], self.failed[kind])}"
            for kind in sorted(self.passed | self.failed)
        )
        return score(self.passed.total(), self.failed.total()) + (f" ({kinds})" if kinds else "")


def score(passed: int, failed: int) -> str:
    return f"{passed} passed, {failed} failed"


class ScriptError(Exception):
    """An expectation of the script is not met. The text is the reason in the report."""


class HostReference(Frozen):
    """The object behind a script's `(ref.extern 1)`, and inside `(ref.host 1)`."""

    number: int


@summarised
class Result(NamedTuple):
    """A canonical result of an action, with its type."""

    type: ValType
    value: Any

    def __str__(self) -> str:
        return f"{self.type} {self.value!r}"


def run_script(
    text: str,
    make_engine: Callable[[], Engine],
    *,
    limits: Limits | None = None,
    flavour: Flavour | None = None,
    features: Sequence[str] = (),
) -> Report:
    """Run all commands of a script; every instance has an engine of its own. Binary modules are decoded with
    `features`, as in `binary.decode`.

    All errors are in the report; a text that is no script is a failure of the kind "script".
    """
    try:
        commands = parse_script(text)
    except MalformedError as error:
        failure = Failure(error.line, "script", str(error))
        return Report(failed=Counter(script=1), failures=[failure])
    return run_commands(commands, make_engine, limits=limits, flavour=flavour, features=features)


def run_commands(
    commands: Sequence[script.Command],
    make_engine: Callable[[], Engine],
    *,
    limits: Limits | None = None,
    flavour: Flavour | None = None,
    features: Sequence[str] = (),
) -> Report:
    """Run commands of a script, as `run_script` does with all of a text."""
    report = Report()
    runner = ScriptRunner(make_engine, limits or DEFAULTS, flavour or Flavour.default(), features)
    try:
        for command in commands:
            kind = KINDS[type(command)]
            try:
                RUN[type(command)](runner, command)
            except Exception as error:  # any error fails only this command, not the following ones
                reason = str(error) if isinstance(error, ScriptError) else f"{type(error).__name__}: {error}"
                report.failures.append(Failure(command.line, kind, reason))
                report.failed[kind] += 1
            else:
                if kind in ASSERTIONS:
                    report.passed[kind] += 1
    finally:
        runner.close()
    return report


class ScriptRunner:
    """The state of a script: instances by id, and modules registered for import."""

    def __init__(
        self, make_engine: Callable[[], Engine], limits: Limits, flavour: Flavour, features: Sequence[str]
    ) -> None:
        self.make_engine = make_engine
        self.features = features
        self.limits = limits
        self.flavour = flavour
        self.definitions: dict[str | None, Module] = {}
        """Modules by id; None is the latest one."""
        self.instances: dict[str | None, Instance] = {}
        """Instances by id; None is the latest one."""
        memory, shared = (
            create_memory(MemType(SizeRange(1, 2), shared=shared), limits.memory, flavour)
            for shared in (False, True)
        )
        self.registered: dict[str, Callable[[str], Extern | None]] = {
            "spectest": spectest(memory, shared).get
        }
        self._closers: list[Callable[[], None]] = [memory.close, shared.close]

    def close(self) -> None:
        """Close all instances, the latest first, because later ones import from earlier ones."""
        while self._closers:
            self._closers.pop()()

    def lookup(self, module: str, name: str) -> Extern | None:
        find = self.registered.get(module)
        return find(name) if find else None

    def read(self, source: script.Source) -> Module:
        """The module, with all bodies decoded. Raises MalformedError."""
        module = source.read(decode, self.features)
        for func in module.funcs:
            _ = func.body
        return module

    def define(self, id_: str | None, source: script.Source) -> Module:
        self.definitions.pop(id_, None)
        self.definitions.pop(None, None)
        module = self.read(source)
        validate_all(module)
        self.definitions[None] = self.definitions[id_] = module
        return module

    def instantiate(self, module: Module) -> Instance:
        instance = instantiate(
            module, self.lookup, self.make_engine(), limits=self.limits, flavour=self.flavour
        )
        self._closers.append(instance.close)
        return instance

    def instance(self, id_: str | None) -> Instance:
        if id_ not in self.instances:
            raise ScriptError(f"there is no instance {id_ or ''}".rstrip())
        return self.instances[id_]

    def export(self, id_: str | None, name: str) -> Any:
        export = exported(self.instance(id_), name)
        if export is None:
            raise ScriptError(f"there is no export {name!r}")
        return export

    # Commands

    def module(self, command: script.ModuleCommand) -> None:
        if command.definition:
            self.define(command.id, command.source)
            return
        for name in (None, command.id):  # if this fails, later commands must not use an earlier module
            self.instances.pop(name, None)
        self.keep(command.id, self.instantiate(self.define(command.id, command.source)))

    def new_instance(self, command: script.InstanceCommand) -> None:
        for name in (None, command.id):
            self.instances.pop(name, None)
        if command.module not in self.definitions:
            raise ScriptError(f"there is no module {command.module or ''}".rstrip())
        self.keep(command.id, self.instantiate(self.definitions[command.module]))

    def keep(self, id_: str | None, instance: Instance) -> None:
        self.instances[None] = self.instances[id_] = instance

    def register(self, command: script.Register) -> None:
        self.registered.pop(command.name, None)
        self.registered[command.name] = partial(exported, self.instance(command.instance))

    def action(self, command: script.ActionCommand) -> None:
        self.act(command.action)

    def act(self, action: script.Action) -> tuple[Result, ...]:
        """The results of an action."""
        export = self.export(action.instance, action.name)
        if isinstance(action, script.Get):
            return (Result(export.type.type, export.raw),)
        returned = export.call(*map(argument, action.arguments))
        types = export.type.results
        values = (returned,) if len(types) == 1 else returned or ()
        return tuple(map(Result, types, values))

    # Assertions

    def assert_return(self, command: script.AssertReturn) -> None:
        results = self.act(command.action)
        if len(results) != len(command.expected) or not all(map(matches, command.expected, results)):
            raise ScriptError(f"expected {listed(command.expected)}, got {listed(results)}")

    def assert_trap(self, command: script.AssertTrap) -> None:
        self.expect(Trap, command.message, lambda: self.act(command.action))

    def assert_exhaustion(self, command: script.AssertExhaustion) -> None:
        self.expect(ExhaustionError, command.message, lambda: self.act(command.action))

    def assert_exception(self, command: script.AssertException) -> None:
        self.expect(WasmException, "", lambda: self.act(command.action))

    def assert_malformed(self, command: script.AssertMalformed | script.AssertMalformedCustom) -> None:
        self.expect(MalformedError, command.message, lambda: self.read(command.source))

    def assert_invalid(self, command: script.AssertInvalid) -> None:
        module = self.read(command.source)
        self.expect(InvalidError, command.message, lambda: validate_all(module))

    def assert_invalid_custom(self, command: script.AssertInvalidCustom) -> None:
        self.expect(InvalidError, command.message, lambda: self.read(command.source))

    def assert_unlinkable(self, command: script.AssertUnlinkable) -> None:
        self.assert_not_instantiated(LinkError, command)

    def assert_uninstantiable(self, command: script.AssertUninstantiable) -> None:
        self.assert_not_instantiated(Trap, command)

    def assert_not_instantiated(
        self, error: type[WasmError], command: script.AssertUnlinkable | script.AssertUninstantiable
    ) -> None:
        module = self.read(command.source)
        validate_all(module)
        self.expect(error, command.message, lambda: self.instantiate(module))

    def expect(self, kind: type[WasmError], message: str, attempt: Callable[[], object]) -> None:
        """`attempt` must raise exactly this class of error, with a message that begins with `message`."""
        try:
            attempt()
        except WasmError as error:
            actual = getattr(error, "message", str(error))
            if type(error) is not kind:
                raise ScriptError(
                    f"expected {kind.__name__} {message!r}, got {type(error).__name__} {actual!r}"
                ) from None
            if not actual.startswith(message):
                raise ScriptError(f"expected the message {message!r}, got {actual!r}") from None
        else:
            raise ScriptError(f"expected {kind.__name__} {message!r}, but nothing was wrong")


def exported(instance: Instance, name: str) -> Any:
    """The exported Func, Table, Memory, Global or Tag of this name, or None."""
    if name not in instance.exports:
        return None
    return instance.exports[name]


def spectest(memory: Extern, shared: Extern) -> dict[str, Extern]:
    """The host module that the suite's modules import (its functions print nothing)."""
    externs: dict[str, Extern] = {
        "global_i32": Global(GlobalType(I32), 666),
        "global_i64": Global(GlobalType(I64), 666),
        "global_f32": Global(GlobalType(F32), float32(0x4426A666)),
        "global_f64": Global(GlobalType(F64), 666.6),
        "table": Table(TableType(FUNCREF, SizeRange(10, 20)), 20),
        "table64": Table(TableType(FUNCREF, SizeRange(10, 20), I64), 20),
        "memory": memory,
        "shared_memory": shared,
    }
    signatures: tuple[tuple[NumType, ...], ...] = ((), (I32,), (I64,), (F32,), (F64,), (I32, F32), (F64, F64))
    for params in signatures:
        name = "_".join(["print", *map(str, params)])
        externs[name] = HostFunc(FuncType(params), lambda instance: ignore, "spectest", name)
    return externs


def ignore(*arguments: Any) -> None:
    """The body of spectest's functions."""


FROM_BITS: dict[NumType, Callable[[int], Any]] = {I32: int, I64: int, F32: float32, F64: float64, V128: int}
BITS: dict[NumType, tuple[type, Callable[[Any], int]]] = {
    I32: (int, int),
    I64: (int, int),
    F32: (float, bits32),
    F64: (float, bits64),
    V128: (int, int),
}
"""The Python class of canonical values, and the function that gives their bits."""
HOSTS: dict[str, Callable[[HostReference], Any]] = {"extern": externalize, "host": internalize}
"""Conversions of a host reference by its kind in scripts."""
ARGUMENTS: dict[type, Callable[[Any], Any]] = {
    script.Const: lambda const: FROM_BITS[const.type](const.bits),
    script.RefNull: lambda null: None,
    script.RefHost: lambda host: HOSTS[host.kind](HostReference(host.number)),
}


def argument(value: script.Argument) -> Any:
    """The canonical value of a script's argument."""
    return ARGUMENTS[type(value)](value)


def bits_of(type_: NumType, result: Result) -> int | None:
    """The bits of a number; None if it has another type or isn't canonical (True, for example)."""
    class_, to_bits = BITS[type_]
    return to_bits(result.value) if result.type is type_ and type(result.value) is class_ else None


def matches(pattern: script.Pattern, result: Result) -> bool:
    """Whether a result matches a script's expectation."""
    return PATTERNS[type(pattern)](pattern, result)


def matches_nan(pattern: script.NanPattern, result: Result) -> bool:
    """https://webassembly.github.io/spec/core/exec/numerics.html#nan-propagation"""
    bits = bits_of(pattern.type, result)
    quiet = 0x7FC00000 if pattern.type is F32 else 0x7FF8000000000000
    if bits is None:
        return False
    if pattern.canonical:
        return bits & (1 << pattern.type.bits - 1) - 1 == quiet
    return bits & quiet == quiet


def matches_vector(pattern: script.VectorPattern, result: Result) -> bool:
    """Compares lane by lane."""
    bits = bits_of(V128, result)
    if bits is None:
        return False
    for lane in pattern.lanes:
        if not matches(lane, Result(lane.type, FROM_BITS[lane.type](bits & (1 << lane.type.bits) - 1))):
            return False
        bits >>= lane.type.bits
    return True


def matches_host(host: script.RefHost, value: Any) -> bool:
    expected = HOSTS[host.kind](HostReference(host.number))
    return type(value) is type(expected) and externalize(value) == externalize(expected)


PATTERNS: dict[type, Callable[[Any, Result], bool]] = {
    script.Const: lambda const, result: bits_of(const.type, result) == const.bits,
    script.NanPattern: matches_nan,
    script.VectorPattern: matches_vector,
    script.RefNull: lambda null, result: result.value is None,
    script.RefHost: lambda host, result: matches_host(host, result.value),
    script.RefPattern: lambda pattern, result: has_type(
        result.value, RefType(HEAP_TYPE_BY_NAME[pattern.heap], nullable=False)
    ),
    script.Either: lambda either, result: any(matches(pattern, result) for pattern in either.patterns),
}


def listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values)) or "nothing"


KINDS: dict[type, str] = {
    script.ModuleCommand: "module",
    script.InstanceCommand: "module",
    script.Register: "register",
    script.ActionCommand: "action",
    script.AssertReturn: "return",
    script.AssertTrap: "trap",
    script.AssertUninstantiable: "trap",
    script.AssertExhaustion: "exhaustion",
    script.AssertException: "exception",
    script.AssertMalformed: "malformed",
    script.AssertInvalid: "invalid",
    script.AssertUnlinkable: "unlinkable",
    script.AssertMalformedCustom: "custom",
    script.AssertInvalidCustom: "custom",
}
ASSERTIONS = frozenset(KINDS.values()) - {"module", "register", "action"}
RUN: dict[type, Callable[[ScriptRunner, Any], None]] = {
    script.ModuleCommand: ScriptRunner.module,
    script.InstanceCommand: ScriptRunner.new_instance,
    script.Register: ScriptRunner.register,
    script.ActionCommand: ScriptRunner.action,
    script.AssertReturn: ScriptRunner.assert_return,
    script.AssertTrap: ScriptRunner.assert_trap,
    script.AssertUninstantiable: ScriptRunner.assert_uninstantiable,
    script.AssertExhaustion: ScriptRunner.assert_exhaustion,
    script.AssertException: ScriptRunner.assert_exception,
    script.AssertMalformed: ScriptRunner.assert_malformed,
    script.AssertInvalid: ScriptRunner.assert_invalid,
    script.AssertUnlinkable: ScriptRunner.assert_unlinkable,
    script.AssertMalformedCustom: ScriptRunner.assert_malformed,
    script.AssertInvalidCustom: ScriptRunner.assert_invalid_custom,
}
