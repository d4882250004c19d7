"""The public entry points: modules from files, instances with WASI and wasi-nn.

What is here: `Module`, which is the decoded module (`interpreter.module.Module`) with methods that read and
instantiate one. What is not: the configuration of WASI (`wasi.Wasi`) and of inference (`nn.NN`), and whole
programs (`program.run`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, Self

from .checks import check_callable, check_kind, check_path, check_seconds, refuse
from .engines import check_engine, engine_for
from .errors import LinkError, MalformedError, OutOfMemory
from .imports import Imports, check_imports, given_import, tell_missing
from .interpreter import binary, module
from .interpreter.binary.sections import COMPONENT_PREAMBLE, MAGIC, VERSION
from .interpreter.compile.cache import CodeFolder
from .interpreter.pace import uncollected
from .interpreter.runtime.deadline import left_to_all, within
from .interpreter.runtime.group import Group
from .interpreter.runtime.instance import Extern, Func, HostFunc, Instance, Lookup
from .interpreter.runtime.link import instantiate
from .interpreter.runtime.memory import Flavour
from .interpreter.runtime.observe import Observer
from .interpreter.types import FuncType
from .limits import DEFAULTS, Limits
from .namespaces import THREAD_SPAWN
from .printable import printable

FIELDS = (
    b"@", b"module", b"type", b"rec", b"import", b"func", b"table", b"memory", b"tag", b"global", b"export",
    b"start", b"elem", b"data",
)  # fmt: skip
"""Words after the first parenthesis of a module in the text format."""
StrPath = str | os.PathLike[str]
NOTES_OF_ERRORS = 10
"""The number of last notes that are added to an error that ends a program."""
Cache = CodeFolder | bool | None
"""Where compiled code is stored for later processes: a folder, True for the user's own, or nowhere."""


class Host(Protocol):
    """The host side of one instance."""

    def lookup(self, module: str, name: str) -> HostFunc | None: ...
    def close(self) -> None: ...


class Provider(Protocol):
    """A configuration that makes a host side for each instance: `Wasi`, `NN`."""

    def open(self, report: Callable[[str], None], limits: Limits) -> Host: ...


def ignore(text: str) -> None:
    """The default of `report`: drops notes for the user."""


def is_text(data: bytes) -> bool:
    """Whether this is a module in the text format, after comments and white space; `(module` may be left
    out."""
    text = data[:65536].lstrip()
    while text.startswith((b";;", b"(;")):
        end = b"\n" if text.startswith(b";;") else b";)"
        text = text.partition(end)[2].lstrip()
    return text.startswith(b"(") and text[1:].lstrip().startswith(FIELDS)


def no_module(data: bytes) -> str:
    """Why bytes are no core module, as a message."""
    if data.startswith(COMPONENT_PREAMBLE):
        return "this is a component: Component.from_file reads it"
    from .recognise import describe

    return describe(data)


def is_component(path: StrPath) -> bool:
    """Whether a file begins with the preamble of a component. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(len(COMPONENT_PREAMBLE)) == COMPONENT_PREAMBLE


class Module(module.Module):
    """A decoded module: immutable, shared by any number of instances and threads. Pickled as its bytes, and
    the folder of its compiled code if it has one."""

    def __reduce__(self) -> tuple[Any, ...]:
        settings: dict[str, Any] = {"cache": self.code_cache.folder, "features": self.features}
        return partial(type(self).from_bytes, **settings), (self.data, self.name)

    @classmethod
    def from_file(
        cls,
        path: StrPath,
        *,
        cache: Cache = None,
        features: Iterable[str] = (),
        seconds: float | None = None,
    ) -> Self:
        """Read a module from a file, in the binary or the text format. Arguments are those of
        `from_bytes`. Raises OSError, MalformedError, InvalidError, DeadlineError."""
        check_path("path", path, "a module's bytes are read by Module.from_bytes")
        with open(path, "rb") as file:
            data = file.read()
        name = os.path.basename(path)
        if is_text(data):
            return cls.from_text(data.decode("utf-8", "replace"), name, cache=cache, features=features)
        if not data.startswith(MAGIC + VERSION):
            raise MalformedError(f"{os.fspath(path)}: {no_module(data)}")
        return cls.from_bytes(data, name, cache=cache, features=features, seconds=seconds)

    @classmethod
    def from_bytes(
        cls,
        data: bytes | bytearray | memoryview,
        name: str = "",
        *,
        cache: Cache = None,
        features: Iterable[str] = (),
        seconds: float | None = None,
    ) -> Self:
        """Decode a module. Sections are validated now, function bodies when they are first called. `name` is
        for messages, `cache` a folder that stores compiled code for other processes (True: the user's own).
        `features` switch proposals on or off, such as "custom-page-sizes" or "-threads"
        (`interpreter.features`). `seconds` is the longest time to take, besides the deadline of the call in
        which a host function reads a module.

        Raises MalformedError or InvalidError, DeadlineError, MemoryLimitError if the machine has no memory
        left, and ValueError for an unknown feature.
        """
        check_kind("data", data, (bytes, bytearray, memoryview), "bytes", "text is read by Module.from_text")
        check_kind("name", name, str, "a str")
        folder = code_folder(cache)
        if seconds is not None:
            check_seconds("seconds", seconds)
        with OutOfMemory(), within(seconds), uncollected(len(data)):
            data, features = bytes(data), check_features(features)
            code = None if folder is None else folder.code_of(data, features)
            made = binary.decode(data, name, into=cls, features=features, patience=left_to_all, code=code)
            if not made.code_cache.proves_valid:
                from .interpreter.validate import validate_module

                validate_module(made, left_to_all)
        return made

    @classmethod
    def from_text(
        cls,
        text: str,
        name: str = "",
        *,
        cache: Cache = None,
        features: Iterable[str] = (),
    ) -> Self:
        """Assemble a module from the text format. `cache` and `features` as in `from_bytes`. Raises
        MalformedError (with line and column) or InvalidError."""
        check_kind("text", text, str, "a str", "a binary module is read by Module.from_bytes")
        from .interpreter.encode import encode
        from .interpreter.text import locate, parse

        with OutOfMemory():
            data = encode(parse(text))
        made = cls.from_bytes(data, name, cache=cache, features=features)
        vars(made)["locate"] = partial(locate, text)
        return made

    def validate(self) -> None:
        """Check every function body now. Raises InvalidError or MalformedError."""
        from .interpreter.validate import validate_all

        with OutOfMemory():
            validate_all(self)

    def _repr_html_(self) -> str:
        """HTML for notebooks: exports, imports and features."""
        from .interpreter.summary import html

        return html(self)

    def instantiate(
        self,
        wasi: Provider | None = None,
        nn: Provider | None = None,
        imports: Imports | None = None,
        *,
        engine: str = "compile",
        limits: Limits | None = None,
        observer: Observer | None = None,
        flavour: Flavour | None = None,
        report: Callable[[str], None] = ignore,
    ) -> Instance:
        """Make an instance of the module. Use it in a `with` block, or close it, to release memory, files and
        models.

        `engine` is "compile", "interpret", or "wasmtime" for native code, if that package is installed;
        `flavour` is the kind of memory, by default the fastest; `report` gets notes for the user. A reactor,
        a module that exports `_initialize` and no `_start`, is initialised. Raises LinkError for missing and
        mistyped imports, and for what an engine can't run; LimitError, Trap if the module's start traps, and
        TypeError or ValueError for unusable arguments.
        """
        check_settings(wasi, nn, engine, limits, flavour, report)
        if imports is None:
            imports = {}
        else:
            check_imports(imports)
        if observer is not None:
            check_kind("observer", observer, Observer, "an Observer, such as a Trace or Monitor")
        limits = limits or DEFAULTS
        hosts = open_hosts((wasi, nn), report, limits)
        closers = [host.close for host in hosts]
        lookup, group = lookup_in(imports, hosts), Group(limits)
        if starts_threads(self, lookup, hosts):
            from .wasi.threads import Threads

            threads = Threads(self, lookup, partial(engine_for, engine), limits, flavour, observer)
            lookup, group = threads.lookup, threads.group
            closers.append(threads.close)  # the last one, which is called first
        group.report, group.explain = report, partial(unfound, hosts)
        try:
            with OutOfMemory():
                instance = instantiate(
                    self,
                    lookup,
                    engine_for(engine, observer),
                    flavour=flavour,
                    observer=observer,
                    group=group,
                )
        except BaseException as error:
            for close in reversed(closers):
                close()
            if isinstance(error, LinkError):
                tell_missing(error, imports)
            raise
        for close in closers:
            instance.on_close(close)
        initialize(instance)
        return instance


def starts_threads(guest: module.Module, lookup: Lookup, hosts: Sequence[Host]) -> bool:
    """Whether the module imports `thread-spawn` as the host's WASI provides it: no import of the user's."""
    wanted = any((import_.module, import_.name) == THREAD_SPAWN for import_ in guest.imports)
    return wanted and lookup(*THREAD_SPAWN) is None and provides_wasi(hosts)


def provides_wasi(hosts: Sequence[Host]) -> bool:
    """Whether one of the hosts has WASI's functions."""
    return found_in(hosts, "wasi_snapshot_preview1", "sched_yield") is not None


def lookup_in(imports: Imports, hosts: Sequence[Host]) -> Lookup:
    """Finds an import among those that the user gives, and then among those of the hosts."""

    def lookup(module_name: str, name: str) -> Extern | None:
        given = given_import(imports, module_name, name)
        return found_in(hosts, module_name, name) if given is None else given

    return lookup


def check_settings(
    wasi: object, nn: object, engine: object, limits: object, flavour: object, report: object
) -> None:
    """Raises TypeError or ValueError for unusable settings of an instance."""
    check_provider("wasi", wasi, "a Wasi")
    check_provider("nn", nn, "an NN")
    check_engine(engine)
    check_callable("report", report, "something to call with a line of text")
    if limits is not None:
        check_kind("limits", limits, Limits, "a Limits")
    if flavour is not None:
        check_kind("flavour", flavour, Flavour, "a Flavour")


def check_provider(name: str, value: object, wanted: str) -> None:
    """Raises TypeError unless the value can open hosts, as `Wasi` and `NN` do. A path has an `open`, too."""
    if value is None or (hasattr(value, "open") and not isinstance(value, type | os.PathLike)):
        return
    hint = ""
    if isinstance(value, Mapping):
        hint = "imports are given as imports={...}"
    elif isinstance(value, str | os.PathLike):
        hint = "directories are given as Wasi(dirs=...), models as NN(models=...)"
    raise refuse(name, wanted, value, hint)


def check_features(features: Iterable[str]) -> Sequence[str]:
    """The features as they were given. Raises TypeError, ValueError for what names no feature."""
    if features == ():
        return ()
    from .interpreter.features import chosen

    words = features if isinstance(features, str) or not isinstance(features, Iterable) else tuple(features)
    chosen(words)
    return words


def code_folder(cache: Cache) -> CodeFolder | None:
    """The folder for compiled code that a user gives: for True the user's own, for None and False none.
    Raises TypeError for anything else."""
    if cache is True:
        return CodeFolder()
    if cache is None or cache is False:
        return None
    check_kind("cache", cache, CodeFolder, "a CodeFolder, or True for the user's own")
    return cache


def initialize(instance: Instance) -> None:
    """Call `_initialize` of a reactor, which must come before any other call
    (https://github.com/WebAssembly/WASI/blob/main/legacy/application-abi.md). If it fails, close the
    instance."""
    exports = instance.exports
    if "_initialize" not in exports or "_start" in exports:
        return
    function = exports["_initialize"]
    if not isinstance(function, Func) or function.type != FuncType():
        return
    try:
        function()
    except BaseException:
        instance.close()
        raise


def open_hosts(
    providers: Iterable[Provider | None], report: Callable[[str], None], limits: Limits
) -> list[Host]:
    """A host from each given provider, connected by `connect`; if one can't be opened, none stays open.
    Reports are made printable, and the last ones become notes of a failing exit."""
    hosts: list[Host] = []
    notes: deque[str] = deque(maxlen=NOTES_OF_ERRORS)

    def report_printable(text: str) -> None:
        text = printable(text)
        notes.append(text)
        report(text)

    try:
        for provider in providers:
            if provider is not None:
                hosts.append(provider.open(report_printable, limits))
    except BaseException:
        for host in hosts:
            host.close()
        raise
    connect(hosts, notes)
    return hosts


def connect(hosts: Sequence[Host], notes: Iterable[str]) -> None:
    """Give each host that streams text itself (`speak_to`: models) the guest's standard output, which another
    host owns (`write_out`), and each that lets guests exit (`explain_exit`) the last notes of all hosts. By
    attributes, because isinstance with a protocol takes 0.1 ms."""
    for explain_exit in filter(None, [getattr(host, "explain_exit", None) for host in hosts]):
        explain_exit(notes)
    write = next(filter(None, (getattr(host, "write_out", None) for host in hosts)), None)
    speakers = [getattr(host, "speak_to", None) for host in hosts] if write is not None else []
    for speak_to in filter(None, speakers):
        speak_to(write)


def unfound(hosts: Sequence[Host]) -> list[str]:
    """What hosts know about a guest's failure (`unfound`: files) and haven't said."""
    known = filter(None, [getattr(host, "unfound", None) for host in hosts])
    return [text for tell in known for text in tell()]


def found_in(hosts: Sequence[Host], module_name: str, name: str) -> HostFunc | None:
    """The import from the first host that provides it."""
    return next(filter(None, (host.lookup(module_name, name) for host in hosts)), None)
