"""WebAssembly itself, on the standard library alone: from bytes or text to a module, from there to instances.

What is not here: any particular host (`wasi`, `nn`), and the way in for people (`api`).
"""
