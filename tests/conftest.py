"""What tests share: modules from text, and every way of running one."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from pywasm_nn import Linker, run
from pywasm_nn.api import Module
from pywasm_nn.errors import DeadlineError
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour

from .attempts.nursery import Nursery, started

ROOT = Path(__file__).parents[1]
SHARED = ROOT / ".." / "shared"

Start = Callable[..., Instance]
Made = TypeVar("Made")

ALL_EXAMPLES = bool(os.environ.get("PYWASM_NN_ALL_EXAMPLES"))
"""Whether tests of random examples take all of them, as .ci/full has it, and not an eighth."""


def examples(count: int, **others: Any) -> settings:
    """A test takes so many random examples, an eighth of them where time matters."""
    return settings(max_examples=count if ALL_EXAMPLES else max(10, count // 8), **others)


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

NATIVE = "wasmtime"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine",
        choices=(NATIVE,),
        help="run everything on this engine that names none itself; what it refuses is skipped",
    )


@pytest.fixture(autouse=True, scope="session")
def default_engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--engine` another engine is the default of every interface."""
    chosen = request.config.getoption("--engine")
    if chosen is None:
        yield
        return
    pytest.importorskip(NATIVE)
    with pytest.MonkeyPatch.context() as patch:
        for function in (Module.instantiate, Linker.__init__, run):
            patch.setitem(function.__kwdefaults__, "engine", chosen)
        patch.setattr("pywasm_nn.cli.run.USUAL", chosen)
        yield


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


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay until the end: the collector needn't look at them each time."""
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
    name: str = request.config.getoption("--engine") or request.param
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


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Starts a process for each source that it is given, without the second that imports take."""
    with started() as made:
        yield made
