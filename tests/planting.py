"""A plugin of pytest's for `mutate.py`: plants one fault after the other and runs the tests that it is told.

Tests are collected once. For each fault the process is forked; the fork gives the functions of the faulty
file their new code and runs tests until one fails, so that a fault costs no more than the tests. A test
that fails in a fork without any fault doesn't count. The file itself has the fault meanwhile too, for
processes that tests start. Where a fault isn't in a function (but in a table or a class), or a function can't
be given the code, a fresh process runs the tests.

What is not here: which faults there are and which tests concern them (`mutate.py`).
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import CodeType, FunctionType
from typing import Any

import pytest
from covered import CHOSEN, family

FAULTS = "PYWASM_NN_FAULTS"
"""A file with a fault in each line of JSON: a `mutate.Fault`, and the `tests` to run, in order."""
JUDGED = "PYWASM_NN_JUDGED"
"""The file that gets a line for each fault: what became of it."""
MEMORY = 12 << 30
"""Bytes of addresses that a faulty process may have."""
NAME = 4096
"""Bytes for the name of a test."""
PASSED, FAILED, UNSUITABLE = 0, 1, 77
"""How a fork ends; unsuitable where functions can't be given the code."""


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def own(code: CodeType) -> tuple[object, ...]:
    """What a piece of code does, without the functions in it."""
    constants = [(type(each), each) for each in code.co_consts if not isinstance(each, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames


def swap(path: str, source: bytes, faulty: bytes) -> bool:
    """Give the functions of an imported file the code of the faulty one; whether that is all of the fault."""
    if not any(getattr(module, "__file__", None) == path for module in list(sys.modules.values())):
        return True  # who imports it gets the fault
    named: dict[tuple[str, int], list[CodeType]] = {}
    for code in codes(compile(faulty, path, "exec", dont_inherit=True)):
        named.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
    changed: dict[CodeType, CodeType] = {}
    for code in codes(compile(source, path, "exec", dont_inherit=True)):
        same = named.get((code.co_qualname, code.co_firstlineno), [])
        if len(same) != 1:
            if code in same:
                continue
            return False
        if own(code) != own(same[0]) and not code.co_flags & 2:  # neither a module nor a class is a function
            return False
        if code != same[0]:
            changed[code] = same[0]
    gc.unfreeze()
    for found in gc.get_objects():
        if (
            isinstance(found, FunctionType)
            and found.__code__.co_filename == path
            and found.__code__ in changed
        ):
            try:
                found.__code__ = changed[found.__code__]
            except ValueError:  # it reads other variables of functions around it
                return False
    return True


class Planting:
    """Runs tests for each fault instead of each test once."""

    def __init__(self, faults: Path, judged: Path) -> None:
        self.faults = [json.loads(line) for line in faults.read_text().splitlines()]
        self.judged = judged
        self.caught: dict[str, list[str]] = {}
        """Tests that have caught faults in a file: they come first for the next one."""
        self.sound: dict[str, bool] = {}
        """Whether tests that have caught a fault pass in a fork without any."""
        self.told: int | None = None
        """In a fork: the file that says which test runs."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.told is not None and report.failed:
            os._exit(FAILED)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("tests can't be collected without any fault")
        items = {item.nodeid: item for item in session.items}
        for fault in self.faults:
            first = [test for test in self.caught.get(fault["path"], ()) if test in fault["tests"]]
            fault["tests"] = list(dict.fromkeys([*reversed(first), *fault["tests"]]))
            began = time.monotonic()
            with Planted(fault) as planted:
                test, how = self.judge(fault, items, planted)
            if test in items and test not in first:
                self.caught.setdefault(fault["path"], []).append(test)
            with self.judged.open("a") as file:
                took = round(time.monotonic() - began, 1)
                line = {
                    "fault": fault["name"],
                    "caught": how != "survived",
                    "how": how,
                    "by": test,
                    "seconds": took,
                }
                file.write(json.dumps({**line, "tests": len(fault["tests"])}) + "\n")
            print(f"\n{how} {took:.0f} s {fault['name']} {test}", flush=True)
        return True

    def judge(self, fault: Any, items: Any, planted: Planted) -> tuple[str, str]:
        """The test that caught a fault, and how it ended."""
        chosen = [items[test] for test in fault["tests"] if test in items and self.sound.get(test, True)]
        if fault["thorough"]:  # what was recorded of a test says which parameters it has, not what they run
            families = set(map(family, fault["tests"]))
            others = [item for test, item in items.items() if family(test) in families and item not in chosen]
            chosen = others + chosen
        while chosen:
            test, how = self.forked(chosen, fault["patience"], planted.path, planted.source, planted.faulty)
            if how == "unsuitable":
                return fresh(fault, [item.nodeid for item in chosen])
            if test not in items or self.is_sound(items[test], fault["patience"], planted):
                return test, how
            chosen.remove(items[test])
        return "", "survived"

    def is_sound(self, item: pytest.Item, patience: float, planted: Planted) -> bool:
        """Whether a test passes in a fork without a fault: some need a browser or threads."""
        if item.nodeid not in self.sound:
            planted.write(planted.source)
            _, how = self.forked([item], patience, planted.path, planted.source, planted.source)
            planted.write(planted.faulty)
            self.sound[item.nodeid] = how == "survived"
        return self.sound[item.nodeid]

    def forked(
        self, chosen: list[pytest.Item], patience: float, path: str, source: bytes, faulty: bytes
    ) -> tuple[str, str]:
        """Run tests in a fork until one fails: the last test, and how it ended."""
        with TemporaryFile() as told:
            child = os.fork()
            if not child:
                self.told = told.fileno()
                self.run(chosen, path, source, faulty)
            status = ended(child, patience)
            test = os.pread(told.fileno(), NAME, 0).decode().strip()
        if status == UNSUITABLE:
            return "", "unsuitable"
        if status == PASSED:
            return "", "survived"
        return test, "hangs" if status is None else "caught" if status == FAILED else "ends the process"

    def run(self, chosen: list[pytest.Item], path: str, source: bytes, faulty: bytes) -> None:
        """In a fork: run tests until one fails. Doesn't return."""
        assert self.told is not None
        try:
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            if not swap(path, source, faulty):
                os._exit(UNSUITABLE)
            for item, after in zip(chosen, [*chosen[1:], None], strict=True):
                os.pwrite(self.told, item.nodeid.encode().ljust(NAME), 0)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            os._exit(PASSED)
        except BaseException:
            os._exit(FAILED)


class Planted:
    """A file has a fault while the block runs."""

    def __init__(self, fault: Any) -> None:
        self.path: str = fault["file"]
        self.file = Path(self.path)
        self.source = self.file.read_bytes()
        self.status = self.file.stat()
        self.faulty = self.source[: fault["start"]] + fault["text"].encode() + self.source[fault["end"] :]
        self.time = int(self.status.st_mtime) + 2 + 1000 * fault["number"]

    def write(self, content: bytes) -> None:
        """Give the file a content and another time, so that no old bytecode passes for it."""
        self.file.write_bytes(content)
        self.time += 1
        os.utime(self.file, (self.time, self.time))

    def __enter__(self) -> Planted:
        self.write(self.faulty)
        return self

    def __exit__(self, *_: object) -> None:
        self.file.write_bytes(self.source)
        os.utime(self.file, ns=(self.status.st_atime_ns, self.status.st_mtime_ns))


def ended(child: int, patience: float) -> int | None:
    """How a process ended, which is over with all that it started; None if it had to be killed."""
    until = time.monotonic() + patience
    pause = 0.002
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            sweep(child)
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)
    sweep(child)
    os.waitpid(child, 0)
    return None


def sweep(session: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(session, signal.SIGKILL)


def fresh(fault: Any, tests: list[str]) -> tuple[str, str]:
    """Run tests in a process of their own."""
    names = Path(os.environ[JUDGED] + ".chosen")
    names.write_text("\n".join(tests))
    environment = {name: value for name, value in os.environ.items() if name != FAULTS} | {CHOSEN: str(names)}
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "covered", *files]
    log = Path(os.environ[JUDGED] + ".log")
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(fault["patience"])
        except subprocess.TimeoutExpired:
            status = None
        sweep(process.pid)
        process.wait()
    failed = [
        line.split()[1]
        for line in log.read_text(errors="replace").splitlines()
        if line.startswith(("FAILED ", "ERROR "))
    ]
    if status == 0:
        return "", "survived"
    return (failed or [""])[
        0
    ], "hangs" if status is None else "caught" if failed else f"ends the process ({status})"


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get(FAULTS):
        config.pluginmanager.register(Planting(Path(os.environ[FAULTS]), Path(os.environ[JUDGED])))
