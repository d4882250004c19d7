"""What tests share: modules from text, and every way of running one."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from pywasm_nn import Linker, run
from pywasm_nn.api import Module
from pywasm_nn.components import Component
from pywasm_nn.errors import DeadlineError, LinkError
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.native import problem

from .attempts.nursery import Nursery, started
from .children import forked

ROOT = Path(__file__).parents[1]
SHARED = ROOT / ".." / "shared"

Start = Callable[..., Instance]
Made = TypeVar("Made")

ALL_EXAMPLES = bool(os.environ.get("PYWASM_NN_ALL_EXAMPLES"))
"""Whether tests of random examples take all of them, as .ci/full has it, and not a twelfth."""


def examples(count: int, **others: Any) -> settings:
    """A test takes so many random examples, a twelfth of them where time matters."""
    return settings(max_examples=count if ALL_EXAMPLES else max(10, count // 12), **others)


# Random examples are the same in each run, and how long one takes is never judged: the machine may be busy.
settings.register_profile(
    "repeatable",
    examples(
        100, derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
    ),
)
settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a background job and under nohup. Processes that tests start would ignore it as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests multiply small matrices. The other threads of numpy's library wait for them by going round in a
# circle, which doubled the processor time of some tests. Processes that tests start have as many as users'.
with pytest.MonkeyPatch.context() as before_numpy:
    before_numpy.setenv("OPENBLAS_NUM_THREADS", "1")
    import_module("numpy")

# openvino's telemetry would start a thread, which stays, where a test imports openvino itself. While there is
# another thread guests are called from a common depth, and each of a million calls took twice as long.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment] # so says Python that it isn't there

NATIVE = "wasmtime"


def noting(make: Callable[..., None]) -> Callable[..., None]:
    """A constructor of errors that also notes what the native engine refuses."""

    def noted(self: LinkError, message: str, *more: Any, **others: Any) -> None:
        make(self, message, *more, **others)
        if message.startswith(REFUSED):
            refused.append(message)

    return noted


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine",
        choices=(NATIVE,),
        help="run all tests on this engine that name none, or each; what it refuses is skipped",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--engine`, tests that run once on each engine run on that one instead of `compile`."""
    chosen = config.getoption("--engine")
    if chosen is None:
        return
    kept, others = [], []
    for item in items:
        params = getattr(getattr(item, "callspec", None), "params", {})
        if params.get("engine") == "compile":
            params["engine"] = chosen
        (others if params.get("engine") == "interpret" else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=others)


@pytest.fixture(autouse=True, scope="session")
def default_engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--engine` another engine is the default of every interface."""
    chosen = request.config.getoption("--engine")
    if chosen is None:
        yield
        return
    if missing := problem():
        pytest.exit(missing, 1)
    with pytest.MonkeyPatch.context() as patch:
        for function in (Module.instantiate, Component.instantiate, Linker.__init__, run):
            patch.setitem(function.__kwdefaults__, "engine", chosen)
        patch.setattr("pywasm_nn.cli.options.USUAL", chosen)
        patch.setattr(LinkError, "__init__", noting(LinkError.__init__))
        yield


REFUSED = "engine wasmtime can't"
"""Begins the message of what the native engine refuses."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With `--engine` a test that meets a refusal is skipped with the reason, and so are those that
    `tests/native/different.py` names."""
    report = yield
    if item.config.getoption("--engine") is None or not report.failed:
        return report
    from .native.different import DIFFERENT

    named = DIFFERENT.get(item.nodeid) or DIFFERENT.get(item.nodeid.partition("[")[0])
    # What a fixture of several tests has met is raised again.
    met = [*refused, str(call.excinfo.value) if call.excinfo else ""]
    reason = named or next((text for text in met if text.startswith(REFUSED)), "")
    if reason:
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.reportinfo()[1] or 0, f"Skipped: {reason}")
    return report


refused: list[str] = []
"""What the native engine has refused during this test."""


def pytest_runtest_setup() -> None:
    refused.clear()


HANGS = 900
"""Seconds after which a process that a test waits for hangs, however busy the machine is. A test that hangs
itself is ended by faulthandler (pyproject.toml)."""


def in_time(make: Callable[[], Made]) -> Made:
    """What `make` makes within a short deadline of its own; a busy machine may need several attempts."""
    while True:
        with suppress(DeadlineError):
            return make()


def frames_of(thread: int) -> Iterator[FrameType]:
    """What a thread is doing, innermost first."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        yield frame
        frame = frame.f_back


def pytest_sessionstart() -> None:
    """What is collected stays: the collector would look at it again and again, a fifth of all the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay until the end: the collector needn't look at them each time, and
    needn't look as often as is usual at what tests keep for others."""
    gc.enable()
    gc.set_threshold(50_000)
    keep_the_rest()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """What a file of tests leaves in caches stays: tests that ask for a collection wait for it no more. Most
    files leave too little to look for."""
    yield
    if nextitem is not None and nextitem.path != item.path:
        more, collections, _ = gc.get_count()
        if collections or more > 10_000:
            keep_the_rest()


def keep_the_rest() -> None:
    """After garbage has gone: the collector no longer looks at what is there."""
    gc.collect()
    gc.freeze()


@contextmanager
def interrupted_in(function: str) -> Iterator[None]:
    """Sends this process SIGINT once the main thread is in a Python function of this name: never before,
    and not at a time when it should be there."""
    main = threading.main_thread().ident
    assert main is not None
    over = threading.Event()

    def send() -> None:
        while not over.is_set():
            if any(frame.f_code.co_name == function for frame in frames_of(main)):
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.001)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.fixture(params=["interpret", "compile"])
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine: the test runs once with each, or, with `--engine`, with that one."""
    name: str = request.param
    return name


@pytest.fixture(params=list(Flavour), ids=lambda flavour: flavour.value)
def flavour(request: pytest.FixtureRequest) -> Flavour:
    """A flavour of memory: the test runs once with each."""
    if request.param is Flavour.VIEW and Flavour.default() is Flavour.STRUCT:
        pytest.skip("this Python has no stride-1 views (ctypes, mmap)")
    chosen: Flavour = request.param
    return chosen


@lru_cache(maxsize=8)
def assembled(text: str) -> Module:
    """A module from text. A test that runs on every engine and flavour has it read once."""
    return Module.from_text(text, "test.wat")


@pytest.fixture
def start(engine: str, flavour: Flavour) -> Start:
    """Instantiates a module given as text, with every engine and flavour; keywords are those of
    `Module.instantiate`."""

    def instantiate(text: str, **settings: object) -> Instance:
        return assembled(text).instantiate(engine=engine, flavour=flavour, **settings)  # type: ignore[arg-type] # checked by the callee

    return instantiate


@pytest.fixture
def no_main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that `multiprocessing` starts anew don't import pytest, the main module of this one."""
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "__spec__", None)
    monkeypatch.delattr(main, "__file__", raising=False)


Check = Callable[..., tuple[int, str]]


@pytest.fixture(scope="session")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """What mypy says of files in a folder in strict mode. The package is read once for all."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.mktemp("mypy")

    def check(folder: Path, *files: str) -> tuple[int, str]:
        done = subprocess.run(
            [
                sys.executable, "-m", "mypy", "--strict", "--warn-unreachable", "--no-error-summary",
                "--python-version", "3.11", "--cache-dir", str(cache), "--config-file", "", *files,
            ],
            cwd=folder, env={"MYPYPATH": str(ROOT), "PATH": ""}, capture_output=True, text=True,
            timeout=HANGS, check=False,
        )  # fmt: skip
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout

    return check


@pytest.fixture(autouse=True, scope="session")
def kept_bytecode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Of the hundreds of processes that tests start, one compiles what all of them import, also where
    Python was told to write no bytecode."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(autouse=True, scope="session")
def private_code_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands under test keep code in a folder of this session, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def quick_children(kept_bytecode: None) -> Iterator[None]:
    """Children for models start without the time that imports take."""
    with forked():
        yield


@pytest.fixture
def real_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children for models are started as users' are."""
    monkeypatch.setattr("pywasm_nn.nn.child.process.subprocess", subprocess)


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Starts a process for each source that it is given, without the second that imports take."""
    with started() as made:
        yield made
