"""The example service `examples/plugin_host`: typed, within its budgets, memory flat over many calls."""

from __future__ import annotations

import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import InvalidError, LinkError

ROOT = Path(__file__).parents[1]
SERVICE = ROOT / "examples" / "plugin_host"
THREADS = 4


def load_service() -> Any:
    spec = spec_from_file_location("plugin_host", SERVICE / "plugin_host.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    sys.modules["plugin_host"] = module
    spec.loader.exec_module(module)
    return module


service = load_service()
BUDGET = service.Budget(seconds=30, memory=1 << 20, output=1 << 18)
SHORT = service.Budget(seconds=0.05)
KEPT = 4 << 20
"""Bytes of 64 instances: each has 64 KiB at least."""
FAILURES = {"endless": "TOO_SLOW", "greedy": "FAILED", "verbose": "TOO_MUCH", "nobody": "UNKNOWN"}


def make_host() -> Any:
    """All plugins of the example; only the one that never answers has little time."""
    made = service.PluginHost()
    for path in (SERVICE / "plugins").glob("*.wat"):
        made.load(path, SHORT if path.stem == "endless" else BUDGET)
    return made


@pytest.fixture
def host() -> Any:
    return make_host()


def test_mypy_finds_nothing(checked: Callable[..., tuple[int, str]]) -> None:
    assert checked(SERVICE, "plugin_host.py") == (0, "")


def test_a_plugin_answers(host: Any) -> None:
    assert host.call("upper", b"Hello, World {0x7f}") == b"HELLO, WORLD {0X7F}"
    assert host.call("upper", b"") == b""
    assert host.call("upper", b"a" * 200_000) == b"A" * 200_000


@pytest.mark.parametrize(("name", "reason"), FAILURES.items())
def test_plugins_that_misbehave_are_stopped_for_the_right_reason(host: Any, name: str, reason: str) -> None:
    with pytest.raises(service.PluginError) as caught:
        host.call(name, b"request")
    assert caught.value.reason.name == reason
    assert name in str(caught.value)
    assert host.call("upper", b"still here") == b"STILL HERE"


def test_what_is_no_plugin_is_refused_when_it_is_loaded(host: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.wat").write_text('(module (func (export "run") (result i32) (i64.const 1)))')
    with pytest.raises(InvalidError):
        host.load(tmp_path / "bad.wat")
    takes_one, no_function = '(func (export "run") (param i32))', '(memory (export "run") 1)'
    for text in ("(module)", f"(module {takes_one})", f"(module {no_function})"):
        (tmp_path / "odd.wat").write_text(text)
        with pytest.raises(LinkError, match="no function run"):
            host.load(tmp_path / "odd.wat")


def test_a_plugin_that_wants_more_than_there_is_fails_when_it_is_called(host: Any, tmp_path: Path) -> None:
    (tmp_path / "odd.wat").write_text('(module (import "env" "f" (func)) (func (export "run")))')
    host.load(tmp_path / "odd.wat")
    with pytest.raises(service.PluginError, match="env::f"):
        host.call("odd", b"")


@pytest.fixture
def address(host: Any) -> Iterator[str]:
    with service.PluginServer(("127.0.0.1", 0), host) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_the_service_answers_over_http(address: str) -> None:
    def post(name: str, body: bytes) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"{address}/{name}", body, timeout=30) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    with ThreadPoolExecutor(THREADS) as pool:
        names = ["upper", *FAILURES] * 4
        statuses = [status for status, _ in pool.map(post, names, [b"x"] * len(names))]
    assert statuses == [200, 504, 502, 413, 404] * 4
    assert post("upper", b"hello") == (200, b"HELLO")
    assert post("upper", b"x" * ((1 << 20) + 1))[0] == 413


def resident() -> int:
    """Bytes that this process has in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def serve(calls: int) -> None:
    """So many calls over the threads, each checked; one in a hundred is stopped by a limit."""
    host = make_host()

    def call(number: int) -> None:
        if number % 100:
            request = b"request %d" % number
            assert host.call("upper", request) == request.upper()
            return
        name, reason = list(FAILURES.items())[number // 100 % 4]
        try:
            host.call(name, b"")
        except service.PluginError as error:
            assert error.reason.name == reason
        else:
            raise AssertionError(f"{name} answered")

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(call, range(calls)))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc")
@pytest.mark.parametrize("calls", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_calls_over_four_threads_leave_memory_flat(calls: int) -> None:
    """In a process of its own, where nothing else moves its memory."""
    done = subprocess.run(
        [sys.executable, __file__, str(calls)],
        cwd=ROOT, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    grown = int(done.stdout)
    assert grown < KEPT


if __name__ == "__main__":
    serve(int(sys.argv[1]))
    grown = KEPT
    for _ in range(3):  # what is kept grows each time, heaps of threads once
        if grown >= KEPT:
            before = resident()
            serve(int(sys.argv[1]))
            grown = resident() - before
    print(grown)
