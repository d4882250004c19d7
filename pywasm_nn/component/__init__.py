"""Components: decoded (`binary`), validated (`validate`), linked (`link`), run (`runtime`, `canonical`).

What is not here: the public entry points (`pywasm_nn/components.py`). `abi` is for core modules that import
lowered functions directly.
"""
