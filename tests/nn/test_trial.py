"""A guest's model is tried in a child process: verdicts, deaths, and that nothing reaches outside."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import sleep

import pytest

from pywasm_nn.nn import NN, Backend, Code, Context, DType, Graph, GraphConfig, NNError, Tensor, TensorSpec
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.trial import Jury, try_out

from .conftest import ADD_MUL


class DyingContext(Context):
    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        if os.environ.get("PYWASM_NN_TEST_PARENT") == str(os.getppid()):
            os.kill(os.getpid(), signal.SIGSEGV)
        return list(inputs)


class DyingGraph(Graph):
    def context(self) -> Context:
        return DyingContext(self)


class Native(Backend):
    """Dies as its model says, but only in a child of these tests."""

    name = "native"
    formats = ("native",)
    native = True

    def detect(self, data: bytes | memoryview) -> str | None:
        return "native" if bytes(data[:4]) == b"DIE " else None

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        word = bytes(parts[0])[4:].decode()
        if os.environ.get("PYWASM_NN_TEST_PARENT") == str(os.getppid()):
            if word == "abort":
                os.abort()
            if word == "exit":
                os._exit(0)
            if word == "hang":
                sleep(60)
            if word == "cwd":
                raise NNError(Code.NOT_FOUND, f"{os.listdir()} in {Path.cwd()}")
        if word == "broken":
            raise ValueError("no such model")
        spec = TensorSpec("x", DType.F32, (None, 2) if word == "run" else (1,))
        return (DyingGraph if word == "run" else Graph)(self.name, [spec], [spec])


@pytest.fixture
def jury(monkeypatch: pytest.MonkeyPatch) -> Iterator[Jury]:
    monkeypatch.setenv("PYWASM_NN_TEST_PARENT", str(os.getpid()))
    jury = Jury(seconds=20)
    yield jury
    jury.close()


def refusal(jury: Jury, word: str) -> NNError:
    with pytest.raises(NNError) as caught:
        try_out(Native(), "native", [f"DIE {word}".encode()], GraphConfig(), jury)
    return caught.value


def test_a_dead_child_is_a_runtime_error_with_the_reason(jury: Jury) -> None:
    for deaths, (word, how) in enumerate(
        {"abort": "SIGABRT", "run": "SIGSEGV", "exit": "exit code 0"}.items()
    ):
        error = refusal(jury, word)
        assert error.code is Code.RUNTIME_ERROR
        assert error.reason == f"native: the model killed the process it was tried in ({how})"
        assert jury.deaths == deaths + 1
    try_out(Native(), "native", [b"DIE not"], GraphConfig(), jury)
    refusal(jury, "abort")
    assert jury.deaths == 3, "the same bytes were tried twice"


def test_one_that_takes_too_long_is_given_up(jury: Jury) -> None:
    jury.seconds = 3
    assert refusal(jury, "hang").reason == "native: the model took longer than 3 s"


def test_the_frameworks_reason_comes_through(jury: Jury) -> None:
    error = refusal(jury, "broken")
    assert (error.code, error.reason) == (Code.RUNTIME_ERROR, "native: ValueError: no such model")
    assert jury.deaths == 0


def test_the_child_works_in_an_empty_directory(
    jury: Jury, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights").write_bytes(b"w")
    reason = refusal(jury, "cwd").reason
    assert reason.startswith("[] in ")
    assert str(tmp_path) not in reason


def test_the_registry_tries_guests_bytes_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tried: list[str] = []

    def try_it(backend: Backend, *rest: object) -> None:
        tried.append(backend.name)

    monkeypatch.setattr("pywasm_nn.nn.registry.try_out", try_it)
    path = tmp_path / "m.native"
    path.write_bytes(b"DIE not")
    for trust in (True, False):
        registry = Registry({"m": path}, plugins=[Native()], trust_guest_models=trust)
        registry.load([b"DIE not"], None, GraphConfig(), lambda text: None)
        registry.load_named("m", None, lambda text: None)
    assert tried == ["native"]


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
def test_real_frameworks_live(backend: str, jury: Jury) -> None:
    found = NN().registry.backend(backend, "here")
    if reason := found.unavailable():
        pytest.skip(reason)
    try_out(found, "onnx", [ADD_MUL], GraphConfig(), jury)
    with pytest.raises(NNError) as caught:
        try_out(found, "onnx", [ADD_MUL[:-30]], GraphConfig(), jury)
    assert caught.value.code is Code.RUNTIME_ERROR
    assert backend in caught.value.reason
    assert jury.deaths == 0
