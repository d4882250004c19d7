"""The public way in: modules from files, instances with WASI and wasi-nn, whole programs.

What is here: `Module`, which is the decoded module (`interpreter.module.Module`) with ways to read and
instantiate one, and `run`. What is not: settings of WASI (`wasi.Wasi`) and of inference (`nn.NN`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

from .errors import GuestExit, LinkError, WasmError
from .host import host_function
from .interpreter import binary, module
from .interpreter.engine import ENGINES
from .interpreter.externs import Global, Tag
from .interpreter.link import instantiate
from .interpreter.memory import Flavour, Memory
from .interpreter.observe import Observer
from .interpreter.runtime import Extern, Func, HostFunc, Instance
from .interpreter.table import Table
from .limits import Limits
from .printable import printable_lines
from .records import record

if TYPE_CHECKING:
    from .interpreter.compile.cache import CodeFolder
    from .nn import NN
    from .nn.tensor import Tensor

FIELDS = (
    b"@", b"module", b"type", b"rec", b"import", b"func", b"table", b"memory", b"tag", b"global", b"export",
    b"start", b"elem", b"data",
)  # fmt: skip
"""How what stands in the first parentheses of the text format may begin."""
StrPath = str | os.PathLike[str]
Importable = Extern | Callable[..., Any]
"""What one name of an import may be given as: something with a type of its own, or a plain typed Python
function."""
Imports = Mapping[str, Mapping[str, Importable] | Instance]
"""Imports by module name: a mapping of names, or an instance whose exports serve."""


class Host(Protocol):
    """The host side of one instance."""

    def lookup(self, module: str, name: str) -> HostFunc | None: ...
    def close(self) -> None: ...


class Provider(Protocol):
    """Settings from which each instance gets a host side of its own: `Wasi`, `NN`."""

    def open(self, report: Callable[[str], None], limits: Limits) -> Host: ...


MOST_NOTES = 100
"""So many notes a `Result` keeps: a guest can fail a million times."""
NOTES_OF_ERRORS = 10
"""So many of them, the last ones, are shown with an error that ends a program."""


def ignore(text: str) -> None:
    """Who doesn't listen to notes for the person."""


def is_text(data: bytes) -> bool:
    """Whether this is a module in the text format, after comments and white space; `(module` may be left
    out."""
    text = data[:65536].lstrip()
    while text.startswith((b";;", b"(;")):
        end = b"\n" if text.startswith(b";;") else b";)"
        text = text.partition(end)[2].lstrip()
    return text.startswith(b"(") and text[1:].lstrip().startswith(FIELDS)


class Module(module.Module):
    """A decoded module: immutable, shared by any number of instances and threads. Pickled as its bytes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.data, self.name)

    @classmethod
    def from_file(cls, path: StrPath, *, cache: CodeFolder | None = None) -> Self:
        """Read a module from a file, in the binary or the text format. `cache` is as in `from_bytes`. Raises
        OSError, MalformedError, InvalidError."""
        with open(path, "rb") as file:
            data = file.read()
        name = os.path.basename(path)
        if is_text(data):
            return cls.from_text(data.decode("utf-8", "replace"), name, cache=cache)
        return cls.from_bytes(data, name, cache=cache)

    @classmethod
    def from_bytes(
        cls, data: bytes | bytearray | memoryview, name: str = "", *, cache: CodeFolder | None = None
    ) -> Self:
        """Decode a module; sections are validated, function bodies when first called. `name` is for messages,
        `cache` a folder where compiled code is kept for other processes.

        Raises MalformedError or InvalidError.
        """
        made = binary.decode(bytes(data), name, cls)
        if cache is not None:
            made.use_code(cache.code_of(made.data))
        if not made.code_cache.proves_valid:
            from .interpreter.validate import validate_module

            validate_module(made)
        return made

    @classmethod
    def from_text(cls, text: str, name: str = "", *, cache: CodeFolder | None = None) -> Self:
        """Assemble a module from the text format. `cache` is as in `from_bytes`. Raises MalformedError (with
        line and column) or InvalidError."""
        from .interpreter.encode import encode
        from .interpreter.text import parse

        return cls.from_bytes(encode(parse(text)), name, cache=cache)

    def validate(self) -> None:
        """Check every function body now. Raises InvalidError or MalformedError."""
        from .interpreter.validate import validate_all

        validate_all(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: exports, imports and features."""
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
        """Bring the module to life. Use the instance in a `with` block, or close it, to give back memory,
        files and models.

        `engine` is "compile" or "interpret"; `flavour` of memory is the fastest unless given; `report` gets
        notes for the person. Raises LinkError for a missing or mistyped import, LimitError, and Trap if the
        module's start traps.
        """
        limits = limits or Limits()
        hosts = open_hosts((wasi, nn), report, limits)

        def lookup(module_name: str, name: str) -> Extern | None:
            given = given_import(imports or {}, module_name, name)
            if given is not None:
                return given
            return found_in(hosts, module_name, name)

        try:
            instance = instantiate(
                self, lookup, ENGINES[engine](), limits=limits, flavour=flavour, observer=observer
            )
        except BaseException:
            for host in hosts:
                host.close()
            raise
        for host in hosts:
            instance.on_close(host.close)
        return instance


def open_hosts(
    providers: Iterable[Provider | None], report: Callable[[str], None], limits: Limits
) -> list[Host]:
    """A host from each provider that there is; none stays open if one can't be opened. What they report is
    printable."""
    hosts: list[Host] = []

    def report_printable(text: str) -> None:
        report(printable_lines(text))

    try:
        for provider in providers:
            if provider is not None:
                hosts.append(provider.open(report_printable, limits))
    except BaseException:
        for host in hosts:
            host.close()
        raise
    return hosts


def found_in(hosts: Sequence[Host], module_name: str, name: str) -> HostFunc | None:
    """The import from the first host that has it."""
    return next(filter(None, (host.lookup(module_name, name) for host in hosts)), None)


def given_import(imports: Imports, module_name: str, name: str) -> Extern | None:
    """What the embedder gave for an import, as something with a type. None if nothing was given."""
    space = imports.get(module_name)
    if space is None:
        return None
    exports: Any = space.exports if isinstance(space, Instance) else space
    if name not in exports:
        return None
    found = exports[name]
    if isinstance(found, Func | HostFunc | Table | Memory | Global | Tag):
        return found
    if not callable(found):
        raise LinkError(
            f"import {module_name}::{name} was given as {type(found).__name__}, which can't be imported"
        )
    return host_function(found, module_name, name)


@record
class Result:
    """What a program did: its exit code, what it wrote, its inferences, and notes for the person, as `report`
    gets them, the last MOST_NOTES: why a call of wasi-nn failed, where a file is that wasn't found."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    nn_calls: tuple[Inference, ...] = ()
    notes: tuple[str, ...] = ()


@record
class Inference:
    """One compute of the guest: the model's name if it has one, and the outputs in the model's order."""

    model: str | None
    tensors: tuple[Tensor, ...]
    seconds: float

    @property
    def outputs(self) -> tuple[Any, ...]:
        """As numpy arrays."""
        return tuple(tensor.numpy() for tensor in self.tensors)


def run(
    path: StrPath,
    args: Sequence[str] = (),
    *,
    dirs: Mapping[str, StrPath] | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    models: Any = None,
    nn: NN | None = None,
    engine: str = "compile",
    limits: Limits | None = None,
    cache: CodeFolder | None = None,
    observer: Observer | None = None,
    report: Callable[[str], None] = ignore,
) -> Result:
    """Run a WASI program to its end and return what it did.

    `args` follow the program's name, `dirs` maps guest paths to directories of the host, `models` are a
    directory or names with paths (as `NN.models`; `nn` gives all settings instead), `cache` is as in
    `Module.from_bytes`, `observer` sees what the program does (a `Trace`). Raises what
    `Module.from_file` and `Module.instantiate` raise, and Trap, LimitError or HostError if the program ends
    so, with the last notes as notes of the error. A program without `_start` raises LinkError.
    """
    from .nn import NN
    from .wasi import Capture, Wasi

    program = Module.from_file(path, cache=cache)
    inferences: list[Inference] = []
    notes: deque[str] = deque(maxlen=MOST_NOTES)

    def infer(event: Any) -> None:
        if event.operation == "compute" and event.error is None:
            inferences.append(Inference(event.model, tuple(event.tensors), event.seconds))

    def note(text: str) -> None:
        notes.append(text)
        report(text)

    stdout, stderr = Capture(), Capture()
    wasi = Wasi(
        args=(program.name, *args), env=env or {}, dirs=dirs or {}, stdin=stdin, stdout=stdout, stderr=stderr
    )
    inference = (nn or NN(models=models)).watched_by(infer)
    exit_code = 0
    with program.instantiate(
        wasi, inference, engine=engine, limits=limits, observer=observer, report=note
    ) as instance:
        if "_start" not in instance.exports:
            raise LinkError(f"{program.name} has no _start to run")
        try:
            instance.exports["_start"]()
        except GuestExit as exit_:
            exit_code = exit_.code
        except WasmError as error:
            for text in list(notes)[-NOTES_OF_ERRORS:]:
                error.add_note(text)
            raise
    return Result(exit_code, stdout.value, stderr.value, tuple(inferences), tuple(notes))
