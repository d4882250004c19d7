"""What a guest writes is heard, whichever way it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.watch.spoken import Spoken, written
from pywasm_nn.watch.written import answers

GUESTS = Path(__file__).parents[1] / "guests"


@pytest.mark.parametrize("guest", ["args_env.wasm", "components/args_env.wasm"])
def test_what_is_written(
    guest: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    heard = bytearray()

    def hear(self: object, event: HostEvent) -> None:
        heard.extend(written(event, 1 << 16))

    monkeypatch.setattr(answers.Answers, "host_call", hear)
    assert cli.call(["run", "--trace=hints", str(GUESTS / guest), "one", "two"]) == 0
    said = capfdbinary.readouterr().out
    assert b"one" in said and bytes(heard) == said


@pytest.mark.parametrize(
    ("text", "value", "fits"),
    [
        ("1.50e2", 150.4, True),
        ("1.50e2", 151, False),
        ("2e-400", 0.0, True),
        ("3e400", 1e300, False),
        ("-3e999", float("-inf"), False),
    ],
)
def test_numbers_beyond_all_floats(text: str, value: float, *, fits: bool) -> None:
    ((word,),) = Spoken(f"the loss is {text}\n").lines
    assert bool(word.fits(value)) is fits
