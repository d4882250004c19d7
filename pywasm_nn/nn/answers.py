"""What a backend says about itself, checked: a mistake of a plugin is told in one line with its name and the
method's.

What is not here: loading and running models (`registry`, `backend`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ..checks import check_kind, check_mapping, refuse
from .backend import Backend, OptionKinds, Target
from .blame import blaming
from .errors import NNError


def answering(backend: Backend, method: str) -> blaming:
    """A block whose exceptions become NNError(RUNTIME_ERROR) with the plugin's name and the method's."""
    return blaming(f"{backend.name}: {type(backend).__qualname__}.{method}")


def unavailable(backend: Backend) -> str | None:
    """Why it can't be used here, and how to change that; None if it can. Raises NNError for a mistake."""
    return reason(backend, backend.unavailable)


def missing(backend: Backend) -> str | None:
    """Why it can't be used here, or doesn't know that; None if it can be used."""
    try:
        return reason(backend, backend.missing)
    except NNError as error:
        return error.reason


def reason(backend: Backend, ask: Callable[[], str | None]) -> str | None:
    with answering(backend, "missing"):
        said = ask()
        check_kind("the answer", said, (str, type(None)), "the reason as a str, or None")
        return said


def targets_of(backend: Backend) -> frozenset[Target]:
    """The devices on which it runs graphs here. Raises NNError for a mistake."""
    with answering(backend, "targets"):
        found: object = backend.targets()
        wanted = "several Targets, as frozenset({Target.CPU})"
        if isinstance(found, str) or not isinstance(found, Collection):
            raise refuse("the answer", wanted, found)
        for one in found:
            check_kind("each of the answer", one, Target, "a Target, as Target.CPU")
        return frozenset(found)


def host_options_of(backend: Backend) -> OptionKinds | None:
    """The options that a host may set, None if it doesn't tell. Raises NNError for a mistake."""
    with answering(backend, "host_options"):
        told: object = backend.host_options()
        if told is None:
            return None
        wanted = 'a mapping of names to tuples of types, as {"threads": (int,)}'
        check_mapping("the answer", told, wanted)
        assert isinstance(told, Mapping)
        for name, kinds in told.items():
            if not isinstance(kinds, tuple) or not all(isinstance(kind, type) for kind in kinds):
                raise refuse(f"the types of {name!r}", "a tuple of types, as (int, float)", kinds)
        return told
