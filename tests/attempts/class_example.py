"""An attempt of each kind, to show how they are written."""

from .harness import Attempt

ATTEMPTS = [
    Attempt(
        "endless loop",
        """
from pywasm_nn import DeadlineError, Limits, Module
module = Module.from_text('(module (func (export "f") (loop (br 0))))')
with module.instantiate(engine=ENGINE, limits=Limits(seconds=1)) as instance:
    try:
        instance.exports.f()
    except DeadlineError:
        pass
    else:
        raise AssertionError("it returned")
""",
    ),
]
