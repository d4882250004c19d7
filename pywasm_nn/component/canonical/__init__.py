"""The canonical ABI as generated Python: how values cross between a component's memory and everybody else.

What is here: `faces` (the Python classes of types), `helpers` (what generated functions call), `reading` and
`writing` (types as text), `adapters` (whole functions, made when first called), `misfits` (which part of a
Python value doesn't fit a type). What is not: which functions there are (`link.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md
"""
