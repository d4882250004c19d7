"""Sockets: listeners that a guest is given before it runs, and the connections that it accepts on them.

What is not here: making connections, which preview1 can't, and waiting for several descriptors (`system.py`).
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .codes import (
    CONNECTION_RIGHTS,
    LISTENER_RIGHTS,
    NO_FLAGS,
    FdFlags,
    Filetype,
    ReceiveFlags,
    ShutdownFlags,
)
from .descriptors import MAX_BUFFERS, Buffers, Descriptor
from .errors import Errno, WasiError

if TYPE_CHECKING:
    from .provider import Listening

HOW = {
    ShutdownFlags.RD: socket.SHUT_RD,
    ShutdownFlags.WR: socket.SHUT_WR,
    ShutdownFlags.RD | ShutdownFlags.WR: socket.SHUT_RDWR,
}


class Socket(Descriptor):
    """What listeners and connections have in common."""

    filetype = Filetype.SOCKET_STREAM

    def __init__(self, socket_: socket.socket, flags: FdFlags = NO_FLAGS) -> None:
        super().__init__(self.applicable)
        self.socket = socket_
        self.set_flags(flags)

    def close(self) -> None:
        self.socket.close()

    def set_flags(self, flags: FdFlags) -> None:
        super().set_flags(flags)
        self.socket.setblocking(FdFlags.NONBLOCK not in flags)

    def ready(self, write: bool) -> int | None:
        return self.socket.fileno()


class Listener(Socket):
    """A socket that waits for connections."""

    applicable = LISTENER_RIGHTS
    preopen = ""

    def accept(self, flags: FdFlags) -> Descriptor:
        connection, _ = self.socket.accept()
        return Connection(connection, flags)

    def receive(self, buffers: Buffers, flags: ReceiveFlags) -> int:
        raise WasiError(Errno.NOTCONN)

    def send(self, buffers: Buffers) -> int:
        raise WasiError(Errno.NOTCONN)

    def shutdown(self, how: ShutdownFlags) -> None:
        raise WasiError(Errno.NOTCONN)


class Connection(Socket):
    """A stream of bytes in both directions."""

    applicable = CONNECTION_RIGHTS

    def accept(self, flags: FdFlags) -> Descriptor:
        raise WasiError(Errno.INVAL, "a connection accepts no others")

    def read(self, buffers: Buffers) -> int:
        return self.receive(buffers, ReceiveFlags(0))

    def write(self, buffers: Buffers) -> int:
        return self.send(buffers)

    def receive(self, buffers: Buffers, flags: ReceiveFlags) -> int:
        how = socket.MSG_PEEK if ReceiveFlags.PEEK in flags else 0
        if ReceiveFlags.WAITALL in flags:
            how |= getattr(socket, "MSG_WAITALL", 0)
        wanted = list(filter(len, buffers[:MAX_BUFFERS]))
        if not wanted:
            return 0
        if hasattr(self.socket, "recvmsg_into"):
            return self.socket.recvmsg_into(wanted, 0, how)[0]
        return self.socket.recv_into(wanted[0], 0, how)

    def send(self, buffers: Buffers) -> int:
        if hasattr(self.socket, "sendmsg"):
            return self.socket.sendmsg(buffers[:MAX_BUFFERS])
        return self.socket.send(next(filter(len, buffers), b""))

    def shutdown(self, how: ShutdownFlags) -> None:
        if how not in HOW:
            raise WasiError(Errno.INVAL, "neither direction is to be shut down")
        self.socket.shutdown(HOW[how])


def listeners(places: Iterable[str | Listening]) -> list[Listener]:
    """Listeners on what a person gives: "HOST:PORT", or a listening socket, which stays theirs too.

    Raises ValueError for another text, OSError for an address that can't be had.
    """
    made: list[Listener] = []
    try:
        for place in places:
            made.append(Listener(listening(place) if isinstance(place, str) else place.dup()))
    except BaseException:
        for listener in made:
            listener.close()
        raise
    return made


def listening(text: str) -> socket.socket:
    """A socket that listens at HOST:PORT, [HOST]:PORT for IPv6."""
    host, port = address(text)
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise type(error)(error.errno, f"can't listen at {text}: {error.strerror}") from error


def address(text: str) -> tuple[str, int]:
    """The host and the port in HOST:PORT. Raises ValueError."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{text!r} is no HOST:PORT to listen at")
    return host.removeprefix("[").removesuffix("]"), int(port)
