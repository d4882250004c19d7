"""Real servers of the Open Inference Protocol, started for tests and benchmarks."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pywasm_nn import NN
from pywasm_nn.nn import NNError


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@contextmanager
def running(
    command: list[str], folder: Path, environment: dict[str, str], http: int, model: str
) -> Iterator[None]:
    """A server, once its model can be asked for."""
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=os.environ | environment, stdout=log, stderr=log)
    try:
        ends = time.monotonic() + 120
        while True:
            try:
                NN().load(f"oip+http://127.0.0.1:{http}/{model}").close()
                break
            except NNError as error:
                said = (folder / "log").read_text("utf-8", "replace")[-3000:]
                assert server.poll() is None and time.monotonic() < ends, f"{error}\n{said}"
                time.sleep(0.5)
        yield
    finally:
        server.terminate()
        server.wait(60)


@contextmanager
def triton_serving(home: str, folder: Path, config: str, code: str) -> Iterator[tuple[int, int]]:
    """Ports of Triton for HTTP and gRPC. `home` is `pytriton/tritonserver` of the package nvidia-pytriton,
    `config` the text of config.pbtxt, `code` Python that has a `TritonPythonModel` and may import what is in
    that package's environment."""
    place, (http, grpc) = Path(home).resolve(), free_ports(2)
    packages = place.parents[1]
    (model,) = re.findall(r'^name: "(\w+)"', config)
    version = folder / "models" / model / "1"
    version.mkdir(parents=True)
    (version.parent / "config.pbtxt").write_text(config)
    (version / "model.py").write_text(f"import sys; sys.path.insert(0, {str(packages)!r})\n{code}")
    backends = folder / "backends"
    shutil.copytree(place / "backends", backends)
    stubs = place / "python_backend_stubs" / sysconfig.get_python_version()
    shutil.copy(stubs / "triton_python_backend_stub", backends / "python")
    libraries = [packages / "nvidia_pytriton.libs", sysconfig.get_config_var("LIBDIR"), place / "lib"]
    command = [
        place / "bin" / "tritonserver", f"--model-repository={folder / 'models'}",
        f"--backend-directory={backends}", "--http-address=127.0.0.1", f"--http-port={http}",
        "--grpc-address=127.0.0.1", f"--grpc-port={grpc}", "--allow-metrics=false",
        "--disable-auto-complete-config", "--backend-config=python,shm-default-byte-size=4194304",
    ]  # fmt: skip
    environment = {"LD_LIBRARY_PATH": ":".join(map(str, libraries))}
    with running([str(word) for word in command], folder, environment, http, model):
        yield http, grpc
