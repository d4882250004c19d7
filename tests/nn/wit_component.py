"""A component that imports `wasi:nn`, whose lowered imports can be called with any numbers, in any version:
what `wit_guest` is for core modules.

Its core module exports what it imports; each of these functions is lifted with numbers for parameters. Its
memory is read and written by two more.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from pywasm_nn.component.lowered import STANDARD32
from pywasm_nn.components import Component
from pywasm_nn.nn import NN

from ..component.components import component
from .wit_guest import JUNE, NEWEST, UNVERSIONED, Opened, Starter, WitGuest

TENSOR = """
(import "wasi:nn/tensor{0}" (instance $tensor
  (export "tensor" (type $t (sub resource)))
  (type $list (list u32)) (export "tensor-dimensions" (type $dimensions (eq $list)))
  (type $enum (enum "FP16" "FP32" "FP64" "BF16" "U8" "I32" "I64"))
  (export "tensor-type" (type $type (eq $enum)))
  (type $bytes (list u8)) (export "tensor-data" (type $data (eq $bytes)))
  (export "[constructor]tensor"
    (func (param "dimensions" $dimensions) (param "ty" $type) (param "data" $data) (result (own $t))))
  (export "[method]tensor.dimensions" (func (param "self" (borrow $t)) (result $dimensions)))
  (export "[method]tensor.ty" (func (param "self" (borrow $t)) (result $type)))
  (export "[method]tensor.data" (func (param "self" (borrow $t)) (result $data)))))
(alias export $tensor "tensor" (type $Tensor))
"""
ERRORS = """
(import "wasi:nn/errors{0}" (instance $errors
  (export "error" (type $e (sub resource)))
  (type $enum (enum "invalid-argument" "invalid-encoding" "timeout" "runtime-error" "unsupported-operation"
    "too-large" "not-found" "security" "unknown"))
  (export "error-code" (type $code (eq $enum)))
  {1}
  (export "[method]error.code" (func (param "self" (borrow $e)) (result $code)))
  (export "[method]error.data" (func (param "self" (borrow $e)) (result string)))))
(alias export $errors "error" (type $Error))
"""
OWN_ERROR = """
  (export "[constructor]error" (func (param "code" $code) (param "data" string) (result (own $e))))
"""
INFERENCE = """
(import "wasi:nn/inference{0}" (instance $inference
  (export "graph-execution-context" (type $c (sub resource)))
  (alias outer 1 $Tensor (type $T)) (export "tensor" (type $t (eq $T)))
  (alias outer 1 $Error (type $E)) (export "error" (type $e (eq $E)))
  {1}))
(alias export $inference "graph-execution-context" (type $Context))
"""
ONE_CALL = """
  (type $tuple (tuple string (own $t))) (export "named-tensor" (type $named (eq $tuple)))
  (export "[method]graph-execution-context.compute"
    (func (param "self" (borrow $c)) (param "inputs" (list $named))
      (result (result (list $named) (error (own $e))))))
"""
STEPS = """
  (export "[method]graph-execution-context.set-input" (func (param "self" (borrow $c)) (param "name" string)
    (param "tensor" (own $t)) (result (result (error (own $e))))))
  (export "[method]graph-execution-context.compute"
    (func (param "self" (borrow $c)) (result (result (error (own $e))))))
  (export "[method]graph-execution-context.get-output"
    (func (param "self" (borrow $c)) (param "name" string) (result (result (own $t) (error (own $e))))))
"""
GRAPH = """
(import "wasi:nn/graph{0}" (instance $graph
  (export "graph" (type $g (sub resource)))
  (alias outer 1 $Error (type $E)) (export "error" (type $e (eq $E)))
  (alias outer 1 $Context (type $C)) (export "graph-execution-context" (type $c (eq $C)))
  (type $bytes (list u8)) (export "graph-builder" (type $builder (eq $bytes)))
  (type $formats (enum "openvino" "onnx" "tensorflow" "pytorch" "tensorflowlite" "ggml" "autodetect"))
  (export "graph-encoding" (type $encoding (eq $formats)))
  (type $places (enum "cpu" "gpu" "tpu")) (export "execution-target" (type $target (eq $places)))
  (export "[method]graph.init-execution-context"
    (func (param "self" (borrow $g)) (result (result (own $c) (error (own $e))))))
  (export "load" (func (param "builder" (list $builder)) (param "encoding" $encoding)
    (param "target" $target) (result (result (own $g) (error (own $e))))))
  (export "load-by-name" (func (param "name" string) (result (result (own $g) (error (own $e))))))))
(alias export $graph "graph" (type $Graph))
"""
MEMORY = """
(core module $Memory
  (memory (export "memory") 2)
  (global $top (mut i32) (i32.const 0x10000))
  (global $skew (mut i32) (i32.const 0))
  (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get 3)))
    (if (i32.gt_u (global.get $top) (i32.shl (memory.size) (i32.const 16)))
      (then (drop (memory.grow (i32.const 1)))))
    (i32.add (local.get $at) (global.get $skew)))
  (func (export "size") (result i32) (i32.mul (memory.size) (i32.const 65536)))
  (func (export "skew") (param i32) (global.set $skew (local.get 0)))
  (func (export "rewind") (global.set $top (i32.const 0x10000)))
  (func (export "poke") (param i32 i32 i32)
    (memory.copy (local.get 0) (local.get 1) (local.get 2)))
  (func (export "peek") (param i32 i32) (result i32)
    (i32.store (i32.const 0) (local.get 0))
    (i32.store (i32.const 4) (local.get 1))
    (i32.const 0)))
(core instance $memory (instantiate $Memory))
(alias core export $memory "memory" (core memory $mem))
(alias core export $memory "realloc" (core func $realloc))
(alias core export $memory "skew" (core func $skew))
(alias core export $memory "rewind" (core func $rewind))
(alias core export $memory "poke" (core func $poke))
(alias core export $memory "peek" (core func $peek))
(alias core export $memory "size" (core func $size))
(func (export "size") (result u32) (canon lift (core func $size)))
(func (export "skew") (param "by" u32) (canon lift (core func $skew)))
(func (export "rewind") (canon lift (core func $rewind)))
(func (export "poke") (param "at" u32) (param "data" (list u8))
  (canon lift (core func $poke) (memory $mem) (realloc $realloc)))
(func (export "peek") (param "at" u32) (param "count" u32) (result (list u8))
  (canon lift (core func $peek) (memory $mem)))
"""
TENSORS = {
    "[constructor]tensor": (5, True),
    "[method]tensor.dimensions": (2, False),
    "[method]tensor.ty": (1, True),
    "[method]tensor.data": (2, False),
}
OF_ERRORS = {"[method]error.code": (1, True), "[method]error.data": (2, False)}
GRAPHS = {"[method]graph.init-execution-context": (2, False), "load": (5, False), "load-by-name": (3, False)}
"""Functions with how many numbers they take, and whether they give one."""
CONTEXT = "[method]graph-execution-context"
OWN_ERRORS = (JUNE, UNVERSIONED)
DROPS = {"tensor": "Tensor", "errors": "Error", "inference": "Context", "graph": "Graph"}
RESOURCES = {"tensor": "tensor", "errors": "error", "inference": "graph-execution-context", "graph": "graph"}


def functions(version: str) -> dict[str, dict[str, tuple[int, bool]]]:
    """What a version has, by interface."""
    if version == NEWEST:
        inference = {f"{CONTEXT}.compute": (4, False)}
    else:
        inference = {
            f"{CONTEXT}.set-input": (5, False),
            f"{CONTEXT}.compute": (2, False),
            f"{CONTEXT}.get-output": (4, False),
        }
    errors = OF_ERRORS | ({"[constructor]error": (3, True)} if version in OWN_ERRORS else {})
    return {"tensor": TENSORS, "errors": errors, "inference": inference, "graph": GRAPHS}


@cache
def made(version: str) -> tuple[Component, dict[str, str]]:
    """The component, and the names of its exports by those of what it imports."""
    exports: dict[str, str] = {}
    lowered, lifted = [], []

    def pass_on(name: str, numbers: int, gives: bool) -> None:
        exports[name] = export = f"f{len(exports)}"
        params = "".join(f' (param "a{index}" u32)' for index in range(numbers))
        result = " (result u32)" if gives else ""
        lifted.append(f'(func (export "{export}"){params}{result} (canon lift (core func ${export})))')

    for interface, named in functions(version).items():
        for name, (numbers, gives) in named.items():
            lowered.append(
                f'(alias export ${interface} "{name}" (func $i{len(exports)}))'
                f"(core func $f{len(exports)} (canon lower (func $i{len(exports)})"
                " (memory $mem) (realloc $realloc)))"
            )
            pass_on(f"{interface}.{name}", numbers, gives)
        lowered.append(f"(core func $f{len(exports)} (canon resource.drop ${DROPS[interface]}))")
        pass_on(f"{interface}.[resource-drop]{RESOURCES[interface]}", 1, False)
    text = (
        TENSOR.format(version)
        + ERRORS.format(version, OWN_ERROR if version in OWN_ERRORS else "")
        + INFERENCE.format(version, ONE_CALL if version == NEWEST else STEPS)
        + GRAPH.format(version)
        + MEMORY
        + "\n".join(lowered + lifted)
    )
    return component(text), exports


class ComponentGuest(WitGuest):
    """The same guest as a component; its memory is reached by functions."""

    survives_traps = False

    def __init__(self, version: str, nn: NN, **options: Any) -> None:
        self.reports: list[str] = []
        opened = Opened(nn)
        guest, self.names = made(version)
        self.instance = guest.instantiate(nn=opened, report=self.reports.append, **options)
        self.session = opened.sessions[0]

    @property
    def memory(self) -> Any:
        return self

    def call(self, name: str, *arguments: int) -> Any:
        return self.instance.exports[self.names[name]](*arguments)

    def write(self, address: int, data: bytes) -> None:
        self.instance.exports.poke(address, data)

    def read(self, address: int, count: int) -> bytes:
        data: bytes = self.instance.exports.peek(address, count)
        return data

    @property
    def size(self) -> int:
        count: int = self.instance.exports.size()
        return count

    def skew(self, by: int) -> None:
        self.instance.exports.skew(by)

    def rewind(self) -> None:
        self.instance.exports.rewind()

    def drop(self, interface: str, resource: str, handle: int) -> None:
        self.call(f"{interface}.[resource-drop]{resource}", handle)


GUESTS: dict[str, Starter] = {
    "lowered": WitGuest,
    "cm32p2": partial(WitGuest, mangling=STANDARD32),
    "component": ComponentGuest,
}
"""How a guest imports a version of wasi:nn: as a core module with either mangling, or as a component."""
