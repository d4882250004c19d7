"""A component with types of every kind: a ledger of orders, which asks a stock for prices.

What is here: `SHOP`, its text, and `interface`, which exports types and functions as tools do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .components import LIBC

IN_MEMORY = "(memory $memory) (realloc $realloc)"
TYPES = {
    "currency": '(enum "eur" "usd")',
    "money": '(record (field "currency" $currency) (field "cents" s64))',
    "line": '(record (field "sku" string) (field "count" u16) (field "class" (option string)))',
    "options": '(flags "express" "gift-wrap")',
    "payment": '(variant (case "cash") (case "card" string) (case "none"))',
    "order": """(record (field "number" u32) (field "lines" (list $line)) (field "options" $options)
      (field "payment" $payment) (field "list" (option (list u8))))""",
    "problem": '(variant (case "too-heavy" u32) (case "unknown" string))',
    "ledger": "",
}
"""Types in the order of their definition, by label; a resource has no text, and is defined
before."""
FUNCTIONS = {
    "[constructor]ledger": '(param "owner" string) (result (own $ledger))',
    "[method]ledger.add": """(param "self" (borrow $ledger)) (param "order" $order)
      (result (result u32 (error $problem)))""",
    "[method]ledger.total": '(param "self" (borrow $ledger)) (result s64)',
    "[static]ledger.merge": '(param "first" (own $ledger)) (param "from" u32) (result (own $ledger))',
    "price": '(param "sku" string) (result $money)',
    "list": '(param "names" (list string)) (result (list string))',
    "histogram": '(param "data" (list u8)) (result (list u8))',
    "scale": '(param "values" (list f32)) (param "factor" f32) (result (list f32))',
    "pay": '(param "payment" $payment) (result $payment)',
    "wrapped": '(param "of" $options) (result $options)',
}
"""Functions by their full names, which the core module exports by the last part."""


def interface(name: str, types: Mapping[str, str], functions: Mapping[str, str]) -> str:
    """Definitions that lift functions and export them with types as an instance: a component in between
    gives them their names."""

    def imported(text: str) -> str:
        return re.sub(r"\$([a-z][a-z0-9-]*)", r"$i-\1", text)

    outer, inner, exports, arguments = [], [], [], []
    for label, body in types.items():
        outer.append(f"(type ${label} {body})" if body else "")
        inner.append(f"(type $d-{label} {imported(body)})" if body else "")
        bound = f"(eq $d-{label})" if body else "(sub resource)"
        inner.append(f'(import "t-{label}" (type $i-{label} {bound}))')
        exports.append(f"(type $x-{label} {body})" if body else "")
        exports.append(f'(export ${label} "{label}" (type {f"$x-{label}" if body else f"$i-{label}"}))')
        arguments.append(f'(with "t-{label}" (type ${label}))')
    for index, (full, text) in enumerate(functions.items()):
        core = "constructor" if "constructor" in full else re.split(r"[.\]]", full)[-1]
        plain = '(canon lift (core func $main "' + core + f'") {IN_MEMORY})'
        outer.append(f"(func $f{index} {text} {plain})")
        inner.append(f'(import "f{index}" (func $f{index} {imported(text)}))')
        exports.append(f'(export "{full}" (func $f{index}) (func {text}))')
        arguments.append(f'(with "f{index}" (func $f{index}))')
    lines = [*outer, "(component $Shim", *inner, *exports, ")"]
    lines.append(f"(instance $named (instantiate $Shim {' '.join(arguments)}))")
    lines.append(f'(export "{name}" (instance $named))')
    return "\n  ".join(filter(None, lines))


BOOK, STOCK = "shop:orders/book@1.2.0", "shop:orders/stock@1.2.0"
SHOP = f"""
  (import "{STOCK}" (instance $stock
    (type $c (enum "eur" "usd"))
    (export "currency" (type $currency (eq $c)))
    (type $m (record (field "currency" $currency) (field "cents" s64)))
    (export "money" (type $money (eq $m)))
    (type $l (enum "debug" "none"))
    (export "level" (type $level (eq $l)))
    (export "price-of" (func (param "sku" string) (result $money)))
    (export "log" (func (param "level" $level) (param "text" string)))))
  {LIBC}
  (core func $price (canon lower (func $stock "price-of") (memory $memory) (realloc $realloc)))
  (core func $log (canon lower (func $stock "log") (memory $memory)))
  (type $ledger (resource (rep i32)))
  (core func $new (canon resource.new $ledger))
  (core func $rep (canon resource.rep $ledger))
  (core module $Main
    (import "libc" "memory" (memory 1))
    (import "host" "price" (func $price (param i32 i32 i32)))
    (import "host" "log" (func $log (param i32 i32 i32)))
    (import "host" "new" (func $new (param i32) (result i32)))
    (func (export "constructor") (param i32 i32) (result i32)
      (call $log (i32.const 1) (local.get 0) (local.get 1))
      (call $new (local.get 1)))
    (func (export "add")
      (param $self i32) (param $number i32) (param i32) (param $lines i32) (param i32 i32 i32 i32 i32 i32 i32)
      (result i32)
      (i32.store8 (i32.const 16) (i32.eqz (local.get $lines)))
      (i32.store (i32.const 20) (i32.add (local.get $self) (local.get $lines)))
      (if (i32.eqz (local.get $lines)) (then
        (i32.store8 (i32.const 20) (i32.const 0))
        (i32.store (i32.const 24) (local.get $number))))
      (i32.const 16))
    (func (export "merge") (param i32 i32) (result i32) (local.get 0))
    (func (export "total") (param i32) (result i64) (i64.extend_i32_u (local.get 0)))
    (func (export "price") (param i32 i32) (result i32)
      (call $price (local.get 0) (local.get 1) (i32.const 32)) (i32.const 32))
    (func (export "histogram") (param i32 i32) (result i32)
      (i32.store (i32.const 16) (local.get 0)) (i32.store (i32.const 20) (local.get 1)) (i32.const 16))
    (func (export "list") (param i32 i32) (result i32)
      (i32.store (i32.const 16) (local.get 0)) (i32.store (i32.const 20) (local.get 1)) (i32.const 16))
    (func (export "scale") (param i32 i32 f32) (result i32)
      (i32.store (i32.const 16) (local.get 0)) (i32.store (i32.const 20) (local.get 1)) (i32.const 16))
    (func (export "wrapped") (param i32) (result i32) (local.get 0))
    (func (export "pay") (param i32 i32 i32) (result i32)
      (i32.store8 (i32.const 16) (local.get 0))
      (i32.store (i32.const 20) (local.get 1)) (i32.store (i32.const 24) (local.get 2)) (i32.const 16)))
  (core instance $main (instantiate $Main
    (with "libc" (instance $libc))
    (with "host" (instance
      (export "price" (func $price)) (export "log" (func $log)) (export "new" (func $new))))))
{interface(BOOK, TYPES, FUNCTIONS)}
"""
