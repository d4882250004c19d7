"""A plugin of pytest's for `mutate.py`: records which tests run which lines, or runs a list of tests.

Both are asked for in the environment, so that nothing here concerns whoever runs pytest by hand. Lines are
recorded by coverage.py, with the test as context; processes that a test starts record theirs too, where the
folder that `sitecustomize` writes is on their path.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

RECORD = "PYWASM_NN_RECORD"
"""The file of coverage.py's that lines are recorded in; `.jsonl` beside it gets a line for each test."""
EACH = "PYWASM_NN_RECORD_EACH"
"""Of each test with parameters, so many are recorded."""
CHOSEN = "PYWASM_NN_CHOSEN"
"""A file with the names of the tests to run, one in a line."""
PLACES = (
    "interpreter/compile/*", "interpreter/validate/*", "nn/*", "wasi/*",
    "interpreter/interpret/watched.py", "interpreter/runtime/instance.py", "component/validate/canon.py",
)  # fmt: skip
"""Of the package: where lines are recorded."""
CHILD = """
import os
if os.environ.get("PYTEST_CURRENT_TEST") and os.environ.get("PYWASM_NN_RECORD"):
    import covered
    covered.started(os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0])
"""
"""What a process that a test has started does first: the test is its context."""


def site(folder: Path) -> None:
    """Write what must be on the path of processes that are to be recorded."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(CHILD)


def started(context: str | None = None) -> Any:
    """Begin to record in this process."""
    from coverage import Coverage

    package = Path(__file__).parents[1] / "pywasm_nn"
    recorder = Coverage(
        data_file=os.environ[RECORD],
        data_suffix=True,
        config_file=False,
        auto_data=True,
        context=context,
        include=[str(package / place) for place in PLACES],
        messages=False,
    )
    recorder.set_option("run:core", "ctrace")
    recorder.set_option("run:disable_warnings", ["no-data-collected", "module-not-imported"])
    recorder.set_option("run:sigterm", context is not None)
    recorder.start()
    return recorder


def family(test: str) -> str:
    """A test without its parameters."""
    return test.partition("[")[0]


class Recorder:
    """Tells the tracer which test runs, and notes how long it took and how it ended."""

    def __init__(self, told: Path, each: int) -> None:
        self.recorder = started()
        self.each = each
        self.told = told
        self.seconds = 0.0
        self.passed = True
        self.number = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Of tests with very many parameters, some: what they run is much the same."""
        families: dict[str, list[pytest.Item]] = {}
        for item in items:
            families.setdefault(family(item.nodeid), []).append(item)
        kept = {item for family_ in families.values() for item in family_[:: -(-len(family_) // self.each)]}
        items[:] = [item for item in items if item in kept]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.recorder.switch_context(item.nodeid)
        self.seconds, self.passed = 0.0, True
        answer = yield
        with self.told.open("a") as file:
            line = {"test": item.nodeid, "seconds": round(self.seconds, 3), "passed": self.passed}
            file.write(json.dumps(line) + "\n")
        self.number += 1
        if not self.number % 50:  # a test that never ends takes no more than these with it
            self.recorder.save()
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds += report.duration
        self.passed = self.passed and not report.failed and not (report.skipped and report.when == "setup")

    def pytest_unconfigure(self) -> None:
        self.recorder.stop()
        self.recorder.save()


class Chooser:
    """Keeps the tests that are asked for, in the order in which they are."""

    def __init__(self, names: Iterable[str]) -> None:
        self.order = {name: place for place, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.order]
        items.sort(key=lambda item: self.order[item.nodeid])


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get(RECORD):
        config.pluginmanager.register(
            Recorder(Path(os.environ[RECORD] + ".jsonl"), int(os.environ.get(EACH, "1000")))
        )
    if os.environ.get(CHOSEN):
        config.pluginmanager.register(Chooser(Path(os.environ[CHOSEN]).read_text().splitlines()))
