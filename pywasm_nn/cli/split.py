"""Whose argument is it? `run` has options of its own before the module and right after it; the rest is the
guest's.

What is here: the rule as a pure function. What is not: what options mean (`options.py`, `run.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from ..records import record


class Takes(Enum):
    """Whether an option has a value."""

    NOTHING = "nothing"
    VALUE = "value"
    """In the next argument, or after `=`."""
    MAYBE = "maybe"
    """Only after `=`, so that `--trace app.wasm` names a module."""


@record
class Split:
    """`ours` in the order they were given, `module` None if there is none, `guest` what the guest sees after
    argv[0]. `explicit`: `--` stands before it.
    """

    ours: tuple[str, ...]
    module: str | None
    guest: tuple[str, ...]
    explicit: bool = False


NONE: Mapping[str, Takes] = {}


def split(
    arguments: Sequence[str], options: Mapping[str, Takes], before: Mapping[str, Takes] = NONE
) -> Split:
    """Share arguments between `run` and the guest. `options` has every name of ours, as in {"--dir":
    Takes.VALUE}; `before` those of other tools, which are read before the module only.

    Ours are the options before the module, and those right after it up to the first argument that is no
    option, the first option that isn't ours, or `--` (which belongs to nobody). An unknown option before the
    module stays among ours, so that it is reported.
    """
    ours: list[str] = []
    module: str | None = None
    explicit = False
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        if argument == "--":
            at += 1
            explicit = True
            break
        if not is_option(argument):
            if module is not None:
                break
            module = argument
            at += 1
            continue
        name, takes = recognise(argument, options if module is not None else {**before, **options})
        if takes is None and module is not None:
            break
        count = 2 if takes is Takes.VALUE and argument == name else 1
        ours += arguments[at : at + count]
        at += count
    rest = list(arguments[at:])
    if module is None and rest:
        module = rest.pop(0)
    return Split(tuple(ours), module, tuple(rest), explicit)


def is_option(argument: str) -> bool:
    """A lone `-` is a name, and so is a negative number."""
    return argument.startswith("-") and argument != "-" and not argument[1:2].isdigit()


def recognise(argument: str, options: Mapping[str, Takes]) -> tuple[str, Takes | None]:
    """The option's name and what it takes; None if it isn't ours. `--dir=x` and `-Sx` carry their value with
    them.
    """
    name = argument.split("=", 1)[0] if argument.startswith("--") else argument
    takes = options.get(name)
    if takes is Takes.NOTHING and argument != name:
        return name, None
    if takes is None and not argument.startswith("--") and options.get(argument[:2]) is Takes.VALUE:
        return argument[:2], Takes.VALUE
    return name, takes
