"""WebAssembly itself, with the standard library only: from bytes or text to a module, and to instances.

What is not here: particular hosts (`wasi`, `nn`), and the public entry points (`api`).
"""
