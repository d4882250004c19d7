"""What a person configures: `Wasi`, frozen, from which every instance gets a world of its own.

What is not here: that world (`system.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ..interpreter.runtime import HostFunc
from . import unstable
from .directories import Directory
from .folders import open_folder
from .preview1 import preview1
from .streams import Sink, Source, input_from, output_to
from .system import REAL_CLOCKS, Clocks, System

HostPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Dir:
    """A directory for the guest: `host` is where it is, `guest` the path under which the guest sees it."""

    host: HostPath
    guest: str = "/"
    readonly: bool = False


@dataclass(frozen=True, slots=True)
class Wasi:
    """What a guest of WASI gets: arguments, environment, directories, standard streams, clocks, random
    numbers.

    `args` is all of argv, the program's name first. `dirs` maps guest paths to directories of the host, or
    lists `Dir`s. `stdin` is bytes, a binary file, or a callable that gets the number of bytes wanted;
    `stdout` and `stderr` are a binary file (`Capture` keeps what is written) or a callable that gets bytes;
    None is the process's own. Nothing else is inherited.
    """

    args: Iterable[str | bytes] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    dirs: Mapping[str, HostPath] | Iterable[Dir] = ()
    stdin: Source = None
    stdout: Sink = None
    stderr: Sink = None
    clocks: Clocks = REAL_CLOCKS
    random: Callable[[int], bytes] = os.urandom
    descriptors: int = 4096
    """How many descriptors the guest may have open."""

    def open(self, report: Callable[[str], None]) -> WasiHost:
        """A fresh world. Raises ValueError for strings that C can't hold, OSError for a directory that can't
        be opened."""
        system = System(
            [c_string(argument) for argument in self.args],
            [variable(name, value) for name, value in self.env.items()],
            clocks=self.clocks,
            random=self.random,
            report=report,
            descriptors=self.descriptors,
        )
        try:
            system.table.add(input_from(self.stdin))
            system.table.add(output_to(self.stdout, sys.stdout))
            system.table.add(output_to(self.stderr, sys.stderr))
            for directory in self.directories():
                system.table.add(preopened(directory))
        except BaseException:
            system.close()
            raise
        return WasiHost(system)

    def directories(self) -> list[Dir]:
        """All directories as `Dir`s."""
        if isinstance(self.dirs, Mapping):
            return [Dir(host, guest) for guest, host in self.dirs.items()]
        return list(self.dirs)


@dataclass(frozen=True, slots=True)
class WasiHost:
    """What one instance imports from."""

    system: System

    def lookup(self, module: str, name: str) -> HostFunc | None:
        """A function of preview1, under its module's name or the older one."""
        match module:
            case "wasi_snapshot_preview1":
                return preview1.lookup(name, self.system)
            case "wasi_unstable":
                return unstable.lookup(name, self.system)
        return None

    def close(self) -> None:
        """Close every descriptor."""
        self.system.close()


def preopened(directory: Dir) -> Directory:
    """The descriptor for a directory that a person gives."""
    host = os.fspath(directory.host)
    try:
        folder = open_folder(host)
    except OSError as error:
        message = f"can't give the guest the directory {directory.guest}: {error.strerror}"
        raise type(error)(error.errno, message, host) from error
    return Directory(folder, readonly=directory.readonly, preopen=directory.guest)


def c_string(text: str | bytes) -> bytes:
    """A string as guests get it, in UTF-8."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise ValueError(f"no guest can be given a string with NUL in it: {text!r}")
    return data


def variable(name: str, value: str) -> bytes:
    """A variable of the environment."""
    if not name or "=" in name:
        raise ValueError(f"no environment variable can be called {name!r}")
    return c_string(f"{name}={value}")
