"""What imports may refer to: resource types that come from outside, as in wasmtime."""

from __future__ import annotations

import pytest

from pywasm_nn import Component
from pywasm_nn.errors import InvalidError
from tests.component.components import assembled

RESOURCE = "(type $r (resource (rep i32)))"
OTHERS = '(component $c (type $r (resource (rep i32))) (export "r" (type $r))) (instance $i (instantiate $c))'
NAMED = '(alias outer 1 $r (type $x)) (export "b" (type $b (eq $x)))'
FUNC = '(export "f" (func (param "x" (borrow $b))))'
LOCAL = {
    "equal to it": f'{RESOURCE} (import "b" (type (eq $r)))',
    "in an instance": f'{RESOURCE} (import "i" (instance {NAMED}))',
    "of a function in an instance": f'{RESOURCE} (import "i" (instance {NAMED} {FUNC}))',
    "exported before": f'{RESOURCE} (export $r2 "r" (type $r)) (import "i" (type (eq $r2)))',
    "of a component in this one": f'{OTHERS} (alias export $i "r" (type $r)) (import "i" (instance {NAMED}))',
    "in a component in this one": f'(component {RESOURCE} (import "b" (type (eq $r))))',
    "exported by a component's type": '(type (component (export "r" (type $r (sub resource)))'
    ' (import "b" (type (eq $r)))))',
    "exported by a component that is imported": f'{RESOURCE} (import "c" (component {NAMED}))',
}
FROM_OUTSIDE = {
    "imported": f'(import "r" (type $r (sub resource))) (import "i" (instance {NAMED} {FUNC}))',
    "imported in an instance": '(import "o" (instance $o (export "r" (type (sub resource)))))'
    f'(alias export $o "r" (type $r)) (import "i" (instance {NAMED} {FUNC}))',
    "a type alone": f"{RESOURCE} (type (instance {NAMED} {FUNC}))",
    "outside of a component's type": f"{RESOURCE} (type (component (alias outer 1 $r (type $x))"
    ' (import "b" (type (eq $x)))))',
}


def native(data: bytes) -> str:
    """Why wasmtime refuses a component; empty if it is valid."""
    import wasmtime
    from wasmtime import component

    try:
        component.Component(wasmtime.Engine(), data)
    except wasmtime.WasmtimeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("text", LOCAL.values(), ids=LOCAL)
def test_import_that_refers_to_a_local_resource_is_invalid(text: str) -> None:
    data = assembled(f"(component {text})")
    assert "local resource type found in imports" in native(data)
    with pytest.raises(InvalidError, match="local resource type found in imports") as caught:
        Component(data)
    assert caught.value.offset > 0


@pytest.mark.parametrize("text", FROM_OUTSIDE.values(), ids=FROM_OUTSIDE)
def test_import_that_refers_to_resources_from_outside_is_valid(text: str) -> None:
    data = assembled(f"(component {text})")
    assert native(data) == ""
    Component(data)
