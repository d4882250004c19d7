"""The user's configuration: `Wasi`, frozen; each instance gets a system of its own from it.

What is not here: that system (`system.py`). Features that aren't used are not imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Protocol

from ..brief import brief, listed, named
from ..checks import check_callable, check_kind, check_mapping, check_path, check_whole, checked_words, refuse
from ..interpreter.runtime.instance import HostFunc
from ..limits import DEFAULTS, Limits
from ..records import Frozen, put
from .clocks import REAL_CLOCKS, Clocks
from .patience import Patience
from .preview1 import preview1
from .streams import Budget, Output, Sink, Source, check_sink, check_source, input_from, output_to
from .system import System

if TYPE_CHECKING:
    from ..component.imports import Running
    from ..component.lowered import Lowered
    from .directories import Directory
    from .folders import Folder
    from .p2.world import World

HostPath = str | os.PathLike[str]


class Listening(Protocol):
    """A listening socket (`socket.socket`; the module `socket` is imported when used)."""

    def dup(self) -> Any: ...


class InMemory(Protocol):
    """A `MemoryDirectory` (its module is imported when used)."""

    @property
    def root(self) -> Any: ...


class Dir(Frozen):
    """A directory for the guest: `host` is its place on the host, `guest` its path in the guest."""

    host: HostPath | InMemory
    guest: str = "/"
    readonly: bool = False

    def __post_init__(self) -> None:
        """Raises TypeError for arguments of the wrong type."""
        if not hasattr(self.host, "root"):  # a MemoryDirectory, without importing its module
            check_path("Dir(host=...)", self.host)
        check_kind("Dir(guest=...)", self.guest, str, "a str")

    @property
    def is_root(self) -> bool:
        """Whether relative and absolute paths lead here: C libraries know no working directory and take "."
        and "/" for the same, so that a guest sees the last of several roots only."""
        return normpath(self.guest) in (".", "/", "//")


class Wasi(Frozen):
    """The configuration of a WASI guest: arguments, environment, directories, standard streams, clocks,
    random numbers.

    `args` is all of argv, the program's name first. `dirs` maps guest paths to directories of the host or to
    `MemoryDirectory`s, or lists `Dir`s. `stdin` is bytes, a binary file, or a callable that gets the number
    of bytes wanted; `stdout` and `stderr` are a binary file (`Capture` keeps the output) or a callable
    that gets bytes; None means the process's own stream. Nothing else is inherited.
    """

    args: Iterable[str | bytes] = ()
    env: Mapping[str, str] | None = None
    dirs: Mapping[str, HostPath | InMemory] | Iterable[Dir] = ()
    stdin: Source = None
    stdout: Sink = None
    stderr: Sink = None
    clocks: Clocks = REAL_CLOCKS
    random: Callable[[int], bytes] = os.urandom
    seed: int | None = None
    """With a seed, clocks and random numbers are the same in every run; `clocks` and `random` are ignored."""
    listen: Iterable[str | Listening] = ()
    """Addresses where the guest may accept connections, such as "127.0.0.1:8080", or listening sockets. They
    get the descriptors from 3 on, as in wasmtime; directories come after them. A given socket becomes
    non-blocking, also for other code that accepts on it."""

    def __post_init__(self) -> None:
        """Raises TypeError and ValueError for unusable arguments. Iterators are stored as tuples, so that
        they can be used more than once."""
        put(self, "args", checked_words("args", self.args))
        if self.env is not None:
            check_mapping("env", self.env, 'a mapping like {"HOME": "/"}')
            for name, value in self.env.items():
                check_kind(f"env[{name!r}]", value, str, "a str")
        put(self, "dirs", checked_dirs(self.dirs))
        check_source("stdin", self.stdin)
        check_sink("stdout", self.stdout)
        check_sink("stderr", self.stderr)
        check_kind("clocks", self.clocks, Clocks, "a Clocks")
        check_callable("random", self.random, "something to call with a number of bytes")
        if self.seed is not None:
            check_whole("seed", self.seed, -(1 << 63))
        if isinstance(self.listen, str) or not isinstance(self.listen, Iterable):
            raise refuse("listen", 'several addresses, as ["127.0.0.1:8080"]', self.listen)
        put(self, "listen", tuple(self.listen))

    def open(self, report: Callable[[str], None], limits: Limits = DEFAULTS) -> WasiHost:
        """A new system for one instance. Raises ValueError for strings that C can't represent, OSError for a
        directory that can't be opened."""
        clocks, random = self.clocks, self.random
        if self.seed is not None:
            from .deterministic import Time, random_from

            clocks, random = Time().clocks(), random_from(self.seed)
        budget = Budget(limits.output, report)
        system = System(
            [c_string(argument) for argument in self.args],
            [variable(name, value) for name, value in (self.env or {}).items()],
            clocks=clocks,
            random=random,
            report=report,
            limits=limits,
        )
        try:
            system.table.add(input_from(self.stdin))
            system.table.add(output_to(self.stdout, sys.stdout, budget))
            system.table.add(output_to(self.stderr, sys.stderr, budget))
            if self.listen:
                from .sockets import listeners

                for listener in listeners(self.listen):
                    system.table.add(listener)
            devices: dict[int, int] = {}
            for directory in self.directories():
                system.table.add(preopened(directory, clocks, devices))
        except BaseException:
            system.close()
            raise
        return WasiHost(system)

    def __repr__(self) -> str:
        """Shows no values of variables, which may be secrets, and uses up no iterators."""
        given = {name: getattr(self, name) for name in ("args", "dirs", "listen", "seed")}
        shown = [f"{name}={brief(value)}" for name, value in given.items() if value not in ((), None)]
        shown += [f"env of {listed(list(self.env))}"] if self.env else []
        return named("Wasi", ", ".join(shown))

    def directories(self) -> list[Dir]:
        """All directories as `Dir`s."""
        if isinstance(self.dirs, Mapping):
            return [Dir(host, guest) for guest, host in self.dirs.items()]
        return list(self.dirs)


def checked_dirs(dirs: Any) -> Mapping[str, HostPath | InMemory] | tuple[Dir, ...]:
    """Directories by guest path, or `Dir`s. Raises TypeError for anything else."""
    if isinstance(dirs, Mapping):
        for guest, host in dirs.items():
            check_kind("a guest path in dirs", guest, str, "a str")
            if not hasattr(host, "root"):  # as in Dir
                check_path(f"dirs[{guest!r}]", host)
        return dirs
    wanted = 'a mapping like {"/": "data"}, guest paths to directories, or a list of Dirs'
    if isinstance(dirs, str | bytes | os.PathLike) or not isinstance(dirs, Iterable):
        raise refuse("dirs", wanted, dirs)
    listed = tuple(dirs)
    for directory in listed:
        check_kind("each of dirs", directory, Dir, "a Dir", f"dirs is {wanted}")
    return listed


class WasiHost:
    """The WASI imports of one instance."""

    def __init__(self, system: System) -> None:
        self.system = system

    def lookup(self, module: str, name: str) -> HostFunc | None:
        """A function of preview1, of snapshot 0 under its module's older name, or of WASI 0.2."""
        if ":" in module:
            return self._lowered.lookup(module, name)
        match module:
            case "wasi_snapshot_preview1":
                return preview1.lookup(name, self.system)
            case "wasi_unstable":
                from . import unstable

                return unstable.lookup(name, self.system)
        return None

    def write_out(self, data: bytes, patience: Patience) -> None:
        """Write all bytes to the guest's current standard output. Raises WasiError if it has none, or if its
        output limit is reached."""
        self.system.write_out(data, patience)

    def unfound(self) -> list[str]:
        """A note on the last path that the guest did not find, for an error that ended it."""
        return self.system.hints.unfound(self.system.table)

    def explain_exit(self, notes: Iterable[str]) -> None:
        """Let a failing exit of the guest carry these notes, as they are then."""
        self.system.notes = notes

    @cached_property
    def _lowered(self) -> Lowered:
        """The interfaces of WASI 0.2 for core modules."""
        from ..component.lowered import Lowered
        from .p2.world import interface_of

        return Lowered(interface_of, self.world, self.system.limits.handles)

    def world(self, running: Running) -> World:
        """The WASI 0.2 imports of a component, or of an instance of a core module."""
        from .p2.world import World

        return World(self.system, running)

    def hear(self, listener: Callable[[int, bytes], None]) -> None:
        """Tell of every piece that is written to standard output (1) or standard error (2) from now on."""
        for number in (1, 2):
            output = self.system.descriptor(number)
            assert isinstance(output, Output)  # as `Wasi.open` made them
            output.heard = partial(listener, number)

    def close(self) -> None:
        """Close every descriptor."""
        self.system.close()


def preopened(directory: Dir, clocks: Clocks, devices: dict[int, int]) -> Directory:
    """The descriptor for a directory that the user gives; `devices` are the device numbers of those in
    memory."""
    from .directories import Directory
    from .inmemory import FIRST_DEVICE, MemoryDirectory, MemoryFolder

    folder: Folder
    host = directory.host
    if isinstance(host, MemoryDirectory):
        device = devices.setdefault(id(host), FIRST_DEVICE + len(devices))
        folder = MemoryFolder(host, host.root, clocks.realtime, device)
    elif isinstance(host, str | os.PathLike):
        folder = host_folder(directory, host)
    else:
        raise refuse("Dir(host=...)", "a path or a MemoryDirectory", host)
    return Directory(folder, readonly=directory.readonly, preopen=directory.guest)


def host_folder(directory: Dir, host: HostPath) -> Folder:
    """The folder for a host directory that the user gives."""
    from .folders import open_folder

    path = os.fspath(host)
    try:
        return open_folder(path)
    except OSError as error:
        message = f"can't give the guest the directory {directory.guest}: {error.strerror}"
        raise type(error)(error.errno, message, path) from error


def c_string(text: str | bytes) -> bytes:
    """A string as guests get it, in UTF-8. Raises ValueError if it contains NUL."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise ValueError(f"no guest can be given a string with NUL in it: {text!r}")
    return data


def variable(name: str, value: str) -> bytes:
    """A variable of the environment."""
    if not name or "=" in name:
        raise ValueError(f"no environment variable can be called {name!r}")
    return c_string(f"{name}={value}")
