"""The results of the compiler's stages for a function, as text for users: `pywasm-nn compile --stage` and
docs/compiler.md."""

from __future__ import annotations

from ..module import Module
from ..namespace import Namespace
from ..validate import FuncFacts, validate_func
from .analysis.counted import counted_loop
from .compiled import Unsupported, Variant
from .forms.show import shown
from .lowering import Emitter
from .translate import translate


def stage(module: Module, index: int, variant: Variant, name: str) -> list[str]:
    """Lines that show the result of the stage "analysis", "tree" or "python" for the defined function
    `index`, or why it can't be compiled."""
    facts = validate_func(module, index)
    try:
        source = translate(module, index, facts, variant).source
    except Unsupported as reason:
        return [f"isn't compiled: {reason}"]
    if name == "python":
        return source.splitlines()
    emitter = Emitter(module, index, facts, variant)
    if name == "analysis":
        return conclusions(emitter, facts)
    return shown(emitter.run())


def conclusions(emitter: Emitter, facts: FuncFacts) -> list[str]:
    """Results of the analyses before translation."""
    forecast, body = emitter.forecast, emitter.body
    made = [f"kept signed: {', '.join(map(Namespace.local, sorted(forecast.signed))) or 'none'}"]
    for index, changed in sorted(forecast.changed.items()):
        set_ = [
            f"{Namespace.local(local)}{f' ({r.lo}..{r.hi})' if r else ''}" for local, r in changed.items()
        ]
        made.append(f"{body.ops[index].name} at {index} sets {', '.join(set_) or 'nothing'}")
        found = counted_loop(body, facts, index) if body.ops[index].name == "loop" else None
        if found is not None:
            others = "".join(f", {Namespace.local(local)} goes along" for local, *_ in found.strides)
            bound = Namespace.local(found.bound) if found.bound_is_local else str(found.bound)
            local = Namespace.local(found.local)
            made.append(f"  it counts {local} by {found.step} while {found.test} {bound}{others}")
    return made
