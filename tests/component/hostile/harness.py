"""Hostile components, each in a process of its own, which says what it took.

What is here: `Hostile`, and what its script finds. A script gets the component's bytes as DATA and raises
AssertionError if the attack got through.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.attempts.harness import Attempt, Outcome, run
from tests.attempts.nursery import Nursery
from tests.component.components import LIBC, assembled

PRELUDE = """
import base64, resource, zlib
from types import SimpleNamespace
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from pywasm_nn import Component, Limits, Trap, BusyError, DeadlineError, ExhaustionError, FuelError, HostError
from pywasm_nn import InvalidError, LimitError, LinkError, MalformedError, WasmError
DATA = zlib.decompress(base64.b85decode({data!r}))

def begin(imports=None, **limits):
    component = Component(DATA, 'hostile.wasm')
    return component.instantiate(imports or {{}}, engine=ENGINE, limits=Limits(**limits))

def refused(error, text, call, *arguments):
    try:
        call(*arguments)
    except error as caught:
        said = str(caught)
        assert text in said, said
        assert len(said) < 20_000 and said.replace(chr(10), '').isprintable(), said[:500]
        return caught
    raise AssertionError('it went through')
"""
BOTH = ("compile", "interpret")


@dataclass(frozen=True)
class Hostile:
    """`data` makes the component; `cpu` and `peak` are what it may take (`tests/attempts/harness.py`)."""

    name: str
    data: Callable[[], bytes]
    script: str
    cpu: float = 4.0
    peak: int = 200 << 20
    engines: tuple[str, ...] = ("compile",)

    def run(self, engine: str, nursery: Nursery) -> Outcome:
        packed = base64.b85encode(zlib.compress(self.data())).decode()
        source = PRELUDE.format(data=packed) + self.script
        return run(Attempt(self.name, source, cpu=self.cpu, peak=self.peak), engine, nursery)


def text(body: str) -> Callable[[], bytes]:
    """A component of these definitions."""
    return lambda: assembled(f"(component {body})")


def lifted(
    core: str, function: str, options: str = "", before: str = "", imports: str = ""
) -> Callable[[], bytes]:
    """A component with a memory and an allocator, a core module of this text, and the function `f` lifted
    from its `f`. `before` are definitions ahead of it, `imports` arguments of the module."""
    return text(f"""{LIBC} {before}
      (core module $M (import "libc" "memory" (memory 1)) {core})
      (core instance $m (instantiate $M (with "libc" (instance $libc)) {imports}))
      (func (export "f") {function}
        (canon lift (core func $m "f") (memory $memory) {options}))""")
