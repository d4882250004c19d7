"""The code of small functions around generated ones, by arity; none is variadic, because variadic calls would
use C stack.

What is here: the code. What is not: which function gets which code (`installing/functions.py`).
"""

from __future__ import annotations

from functools import cache
from types import CodeType

from ...namespace import Namespace


@cache
def stub(arity: int) -> CodeType:
    """The code of stubs with `arity` parameters; the function's index is the default of a further one, which
    nobody gives. The stub's frame stays until the call returns, and isn't counted as the guest's."""
    params = "".join(f"{Namespace.local(n)}, " for n in range(arity))
    call = f"  return prepare(index)({params})\n"
    return code_of(f"def stub({params}index):\n excuse(1)\n try:\n{call} finally:\n  excuse(-1)\n")


@cache
def forwarder(arity: int) -> CodeType:
    """The code of functions with `arity` parameters that only call another function."""
    params = ", ".join(map(Namespace.local, range(arity)))
    return code_of(f"def forward({params}):\n return target({params})\n")


@cache
def weighed(params: str, weight: int) -> CodeType:
    """The code of wrappers that count their functions' many locals as `weight` frames during the call."""
    call = f"  return target({params})\n"
    return code_of(f"def weighed({params}):\n carry({weight})\n try:\n{call} finally:\n  carry({-weight})\n")


@cache
def followed(params: str, step: str) -> CodeType:
    """The code of wrappers that report calls with arguments and results. `step` is the slot's parameter in a
    tail-call form, else None."""
    arguments = "a" if step == "t" else f"({params},)" if params else "()"
    call = f"  r = target({params})\n except BaseException as error:\n  raised('index', error)\n  raise\n"
    begin = f"def followed({params}):\n entered('index', {arguments})\n try:\n"
    return code_of(f"{begin}{call} returned('index', r, {step})\n return r\n")


def code_of(source: str) -> CodeType:
    whole = compile(source, "<wasm stub>", "exec", dont_inherit=True)
    (code,) = (const for const in whole.co_consts if isinstance(const, CodeType))
    return code


def renamed(code: CodeType, old: str, new: str) -> CodeType:
    """The code with one global name replaced."""
    return code.replace(co_names=tuple(new if name == old else name for name in code.co_names), co_name=new)


@cache
def driver(arity: int) -> CodeType:
    """The code of the driver of a function with `arity` parameters that makes tail calls: it runs its step
    and then the steps that follow, each of which leaves the next function and arguments in the slot `t`."""
    params = ", ".join(map(Namespace.local, range(arity)))
    arguments = f"({params},)" if arity else "()"
    begin = f" t = [tail, {arguments}]\n r = tail(t, t[1])\n"
    return code_of(f"def driver({params}):\n{begin} while r is t:\n  f, a = t\n  r = f(t, a)\n return r\n")


@cache
def adapter(arity: int) -> CodeType:
    """The code of the tail-call form of a function that makes no tail calls."""
    arguments = ", ".join(f"a[{n}]" for n in range(arity))
    return code_of(f"def adapter(t, a):\n return target({arguments})\n")


@cache
def tail_stub() -> CodeType:
    """The code of the tail-call form of a function that isn't prepared yet: it prepares the function, and
    then is the next step again."""
    return code_of("def stub(t, a):\n settle('index')\n t[:] = stub, a\n return t\n")


def with_index(code: CodeType, index: int) -> CodeType:
    """A stub's code for the function with this index."""
    return code.replace(co_consts=tuple(index if const == "index" else const for const in code.co_consts))
