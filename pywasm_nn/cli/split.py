"""Separates the arguments of `run` from the guest's: our options stand before the module and directly after
it, the rest is passed to the guest.

What is here: the rule as a pure function. What is not: the meaning of options (`options.py`, `run.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..enumerations import Enum
from ..records import Frozen


class Takes(Enum):
    """Whether an option has a value."""

    NOTHING = "nothing"
    VALUE = "value"
    """In the next argument, or after `=`."""
    MAYBE = "maybe"
    """Only after `=`, so that `--trace app.wasm` names a module."""


class Split(Frozen):
    """`ours` in the order given; `module`, or None if there is none; `guest`, the guest's arguments after
    argv[0]. `explicit`: `--` stands before them.
    """

    ours: tuple[str, ...]
    module: str | None
    guest: tuple[str, ...]
    explicit: bool = False


NONE: Mapping[str, Takes] = {}


def split(
    arguments: Sequence[str], options: Mapping[str, Takes], before: Mapping[str, Takes] = NONE
) -> Split:
    """Share arguments between `run` and the guest. `options` has the names of all our options, as in
    {"--dir": Takes.VALUE}; `before` has options that are read only before the module.

    Our options stand before the module, or directly after it up to the first argument that is no option, the
    first unknown option, or `--` (which is dropped). An unknown option before the module counts as ours, so
    that it is reported.
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
    """Whether an argument is an option; a lone `-` and a negative number are not."""
    return argument.startswith("-") and argument != "-" and not argument[1:2].isdigit()


def recognise(argument: str, options: Mapping[str, Takes]) -> tuple[str, Takes | None]:
    """The option's name and whether it takes a value; None if it isn't ours. `--dir=x` and `-Sx` contain
    their value.
    """
    name = argument.split("=", 1)[0] if argument.startswith("--") else argument
    takes = options.get(name)
    if takes is Takes.NOTHING and argument != name:
        return name, None
    if takes is None and not argument.startswith("--") and options.get(argument[:2]) is Takes.VALUE:
        return argument[:2], Takes.VALUE
    return name, takes
