"""The debugger without a prompt, over programs that end in all kinds of ways."""

from __future__ import annotations

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import WasmError
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.limits import Limits
from pywasm_nn.watch.debug import shown
from pywasm_nn.watch.debug.debugger import Debugger
from pywasm_nn.watch.debug.steps import Step, Stop
from pywasm_nn.watch.labels import Labels

from .test_backtraces import PROGRAMS, fail, misaligned, told, violated

MOST_STOPS = 200
LIMITS = Limits(call_depth=300)


def run(module: Module, debugger: Debugger | None, arguments: tuple[int | float, ...]) -> WasmError:
    running: list[Instance] = []

    def back(a: int) -> int:
        result: int = running[0].exports.again(a)
        return result

    host = {"fail": fail, "back": back, "misaligned": misaligned, "violated": violated}
    settings = {"engine": "interpret", "limits": LIMITS, "observer": debugger}
    with module.instantiate(imports={"host": host}, **settings) as instance:  # type: ignore[arg-type] # of each the right one
        running.append(instance)
        with pytest.raises(WasmError) as caught:
            instance.exports.main(*arguments)
    return caught.value


@pytest.mark.parametrize("step", [Step.INTO, Step.OVER, Step.OUT, Step.LINE])
@pytest.mark.parametrize("name", PROGRAMS)
def test_whoever_looks_changes_nothing(name: str, step: Step) -> None:
    """At each stop everything can be shown, and the program ends as it does without a debugger."""
    text, arguments = PROGRAMS[name]
    module = Module.from_text(text, "test.wat", features=["all"])
    labels = Labels(module)
    stops: list[Stop] = []

    def stopped(stop: Stop) -> None:
        stops.append(stop)
        positions, sources = debugger.positions, debugger.places.sources
        assert shown.where(positions[0], labels, sources)
        assert len(shown.backtrace(positions, 0, 5)) <= 6
        for position in positions[:3]:
            assert len(shown.locals_of(position)) == len(position.frame.locals)
            assert len(shown.stack_of(position)) == max(len(position.frame.stack), 1)
            listing = shown.listing(position, labels, sources, frozenset())
            assert sum(line.startswith(">") for line in listing) == 1
        debugger.go(step if len(stops) < MOST_STOPS else Step.ON)

    debugger = Debugger(module, stopped)
    assert told(run(module, debugger, arguments)) == told(run(module, None, arguments))
    assert stops[0].error is None
    assert stops[-1].error is not None
