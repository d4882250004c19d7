"""The canonical ABI as generated Python: conversion of values between a component's memory and its callers
and hosts.

What is here: `faces` (the Python classes of types), `helpers` (functions that generated code calls),
`reading` and `writing` (code for types), `adapters` (whole functions, generated on the first call), `misfits`
(checks of Python values against types). What is not: linking functions (`link.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md
"""
