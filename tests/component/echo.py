"""Components that pass a value on: from the host through one or two of them to a host function, and back.

What is here: `echo_text`. The types of values are in `shapes.py`.
"""

from __future__ import annotations

from .components import LIBC
from .shapes import NOMINAL, PRIMS, Shape

ENCODINGS = ("utf8", "utf16", "latin1+utf16")


class Types:
    """The definitions that a type needs, in order."""

    def __init__(self, of: Shape) -> None:
        self.shapes = [each for each in of.everything() if each.kind not in PRIMS]
        self._index = {id(each): at for at, each in enumerate(self.shapes)}

    def name(self, of: Shape) -> str:
        return of.kind if of.kind in PRIMS else f"$t{self._index[id(of)]}"

    @property
    def named(self) -> list[int]:
        return [at for at, each in enumerate(self.shapes) if each.kind in NOMINAL]

    def lines(self) -> str:
        """The definitions; those that need a name are imported under one."""
        lines = []
        for at, each in enumerate(self.shapes):
            if each.kind in NOMINAL:
                lines.append(f"(type $d{at} {self.body(each)})")
                lines.append(f'(import "t{at}" (type $t{at} (eq $d{at})))')
            else:
                lines.append(f"(type $t{at} {self.body(each)})")
        return "\n  ".join(lines)

    def body(self, of: Shape) -> str:
        names = [None if part is None else self.name(part) for part in of.parts]
        if of.kind in ("flags", "enum"):
            return f"({of.kind} {' '.join(map(quoted, of.labels))})"
        if of.kind in ("record", "variant"):
            word = {"record": "field", "variant": "case"}[of.kind]
            parts = zip(of.labels, names, strict=True)
            inner = " ".join(f"({word} {quoted(label)} {name or ''})" for label, name in parts)
            return f"({of.kind} {inner})"
        if of.kind == "result":
            ok, error = names
            return f"(result {ok or ''} {f'(error {error})' if error else ''})"
        if of.kind == "fixed":
            return f"(list {names[0]} {of.length})"
        return f"({of.kind} {' '.join(map(str, names))})"


def quoted(label: str) -> str:
    return f'"{label}"'


def echo_text(of: Shape, first: str, second: str) -> str:
    """A component that imports `echo` and exports `near`, which calls it through a component with the first
    encoding of strings, and `far`, which calls `near` through one with the second."""
    types = Types(of)
    arguments = " ".join(f'(with "t{at}" (type $t{at}))' for at in types.named)
    signature = f'(param "x" {types.name(of)}) (result {types.name(of)})'
    return f"""(component
  {types.lines()}
  (import "echo" (func $echo {signature}))
  {bridge("A", types, of, signature, first)}
  {bridge("B", types, of, signature, second)}
  (instance $a (instantiate $A {arguments} (with "echo" (func $echo))))
  (alias export $a "echo" (func $near))
  (instance $b (instantiate $B {arguments} (with "echo" (func $near))))
  (export "near" (func $near))
  (export "far" (func $b "echo")))"""


def bridge(name: str, types: Types, of: Shape, signature: str, encoding: str) -> str:
    flat = of.flat()
    in_memory = len(flat) > 1
    params = ["i32"] if len(flat) > 16 else flat
    given = " ".join(f"(local.get {index})" for index in range(len(params)))
    result = "i32" if in_memory else " ".join(flat)
    body = f"(call $in {given})"
    if in_memory:
        body = f"""(local $r i32)
      (local.set $r (call $realloc (i32.const 0) (i32.const 0) (i32.const 8) (i32.const {of.area()})))
      (call $in {given} (local.get $r)) (local.get $r)"""
    options = f"string-encoding={encoding} (memory $memory) (realloc $realloc)"
    return f"""(component ${name}
  {types.lines()}
  (import "echo" (func $in {signature}))
  {LIBC}
  (core func $in_ (canon lower (func $in) {options}))
  (core module $Main
    (import "libc" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
    (import "host" "echo" (func $in (param {" ".join(params)} {"i32" if in_memory else ""})
      {"" if in_memory else f"(result {result})"}))
    (func (export "echo") (param {" ".join(params)}) (result {result}) {body}))
  (core instance $main (instantiate $Main
    (with "libc" (instance $libc)) (with "host" (instance (export "echo" (func $in_))))))
  (func (export "echo") {signature} (canon lift (core func $main "echo") {options})))"""
