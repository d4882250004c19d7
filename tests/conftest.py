"""What tests share: modules from text, and every way of running one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pywasm_nn.api import Module
from pywasm_nn.interpreter.memory import Flavour
from pywasm_nn.interpreter.runtime import Instance

ROOT = Path(__file__).parents[1]
SHARED = ROOT / ".." / "shared"

Start = Callable[..., Instance]


@pytest.fixture(params=["interpret", "compile"])
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine: the test runs once with each."""
    name: str = request.param
    return name


@pytest.fixture(params=list(Flavour), ids=lambda flavour: flavour.value)
def flavour(request: pytest.FixtureRequest) -> Flavour:
    """A flavour of memory: the test runs once with each."""
    if request.param is Flavour.VIEW and Flavour.default() is Flavour.STRUCT:
        pytest.skip("this Python has no stride-1 views (ctypes, mmap)")
    chosen: Flavour = request.param
    return chosen


@pytest.fixture
def start(engine: str, flavour: Flavour) -> Start:
    """Instantiates a module given as text, with every engine and flavour; keywords are those of
    `Module.instantiate`."""

    def instantiate(text: str, **settings: object) -> Instance:
        return Module.from_text(text, "test.wat").instantiate(engine=engine, flavour=flavour, **settings)  # type: ignore[arg-type] # checked by the callee

    return instantiate


@pytest.fixture(autouse=True, scope="session")
def private_code_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands under test keep code in a folder of this session, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
