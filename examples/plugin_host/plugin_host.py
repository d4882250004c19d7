"""A service that runs other people's plugins: modules with a budget of time, memory and output.

What is here: `PluginHost`, which loads plugins and calls them from any thread, and a small HTTP server over
it. What is not: files, networks or models for plugins; they see the bytes of a request and nothing else.

A plugin imports what it needs of the module `host`, each pointer and length being two i32:

    size() -> i32                  how many bytes the request has
    read(pointer, length) -> i32   copy its first bytes to memory; how many
    write(pointer, length)         append to the answer

and exports its memory as `memory` and a function `run` without parameters.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from pywasm_nn import HostError, Imports, LimitError, Limits, LinkError, Module, Span, WasmError
from pywasm_nn.errors import DeadlineError
from pywasm_nn.interpreter.types import ExternKind, FuncType


@dataclass(frozen=True)
class Budget:
    """What one call may use: seconds, and bytes of linear memory and of the answer."""

    seconds: float = 2
    memory: int = 4 << 20
    output: int = 64 << 10

    @property
    def limits(self) -> Limits:
        return Limits(seconds=self.seconds, memory=self.memory, call_depth=1000, table=10_000)


class Reason(Enum):
    """Why there is no answer; the value is the status of HTTP."""

    UNKNOWN = 404
    TOO_MUCH = 413
    FAILED = 502
    TOO_SLOW = 504


class PluginError(Exception):
    """A plugin gave no answer."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class OutputError(Exception):
    """A plugin wrote more than its budget allows."""


class Call:
    """One request: what the plugin reads, and what it has written."""

    def __init__(self, request: bytes, most: int) -> None:
        self.request = request
        self.answer = bytearray()
        self.most = most

    def size(self) -> int:
        return len(self.request)

    def read(self, target: Span) -> int:
        part = self.request[: len(target)]
        target[: len(part)] = part
        return len(part)

    def write(self, data: Span) -> None:
        if len(self.answer) + len(data) > self.most:
            raise OutputError(f"the answer is longer than {self.most} bytes")
        self.answer += data


@dataclass(frozen=True)
class Plugin:
    """A module that was checked, and what a call of it may use."""

    module: Module
    budget: Budget


class PluginHost:
    """Plugins by name. Every call has an instance of its own, so that nothing stays of it and threads don't
    meet."""

    def __init__(self) -> None:
        self._plugins: dict[str, Plugin] = {}

    def load(self, path: Path, budget: Budget | None = None) -> None:
        """Add a plugin under the name of its file. Raises WasmError if it is no valid module or no plugin."""
        module = Module.from_file(path)
        module.validate()
        functions = {
            export.name: module.func_types[export.index]
            for export in module.exports
            if export.kind is ExternKind.FUNC
        }
        if functions.get("run") != FuncType():
            raise LinkError(f"{path.name} exports no function run without parameters and results")
        self._plugins[path.stem] = Plugin(module, budget or Budget())

    def call(self, name: str, request: bytes) -> bytes:
        """The plugin's answer. Raises PluginError; the host and other plugins go on whatever happens."""
        plugin = self._plugins.get(name)
        if plugin is None:
            raise PluginError(Reason.UNKNOWN, f"there is no plugin {name!r}")
        call = Call(request, plugin.budget.output)
        imports: Imports = {"host": {"size": call.size, "read": call.read, "write": call.write}}
        try:
            with plugin.module.instantiate(imports=imports, limits=plugin.budget.limits) as instance:
                instance.exports.run()
        except DeadlineError as error:
            raise PluginError(Reason.TOO_SLOW, f"{name}: {error}") from error
        except LimitError as error:
            raise PluginError(Reason.TOO_MUCH, f"{name}: {error}") from error
        except HostError as error:
            raise PluginError(Reason.TOO_MUCH, f"{name}: {error.__cause__}") from error
        except WasmError as error:
            raise PluginError(Reason.FAILED, f"{name}: {error}") from error
        return bytes(call.answer)


class PluginServer(ThreadingHTTPServer):
    """POST /NAME gives the plugin the body and answers with what it writes."""

    def __init__(self, address: tuple[str, int], host: PluginHost) -> None:
        super().__init__(address, Handler)
        self.host = host


class Handler(BaseHTTPRequestHandler):
    """One request of HTTP."""

    server: PluginServer
    largest = 1 << 20
    """Bytes of a request that are read at most."""

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "0")
        if not size.isdecimal() or int(size) > self.largest:
            self.rfile.read(self.largest)  # else a client that still sends doesn't hear the answer
            self.answer(Reason.TOO_MUCH.value, b"a request has at most 1 MiB")
            return
        request = self.rfile.read(int(size))
        try:
            self.answer(200, self.server.host.call(self.path.removeprefix("/"), request))
        except PluginError as error:
            self.answer(error.reason.value, str(error).encode())

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: whoever runs the service counts elsewhere."""


def main(folder: str, port: str = "8000") -> None:
    """Serve every plugin in a folder, to this machine alone, until Ctrl-C."""
    host = PluginHost()
    for path in sorted(Path(folder).glob("*.wa[ts]*")):
        host.load(path)
    with PluginServer(("127.0.0.1", int(port)), host) as server:
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:3])
