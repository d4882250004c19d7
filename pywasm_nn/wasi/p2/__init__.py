"""WASI 0.2 (0.2.0 to 0.2.12) for components, on the same `System` as preview1.

What is here: an interface of WIT in a file each, or a package of them: `io.py`, `cli.py`, `clocks.py`,
`chance.py`, `files.py`; `refused.py` for sockets and http, which are granted to nobody; `world.py` with all
of them for one guest. What is not: what functions do (`system.py`, `descriptors.py`, `folders.py`), and how
values cross (`component`).
https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals
"""
