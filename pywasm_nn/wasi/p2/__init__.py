"""WASI 0.2 (0.2.0 to 0.2.12) for components, on the same `System` as preview1.

What is here: each interface or package of WIT in a file: `io.py`, `cli.py`, `clocks.py`, `chance.py`,
`files.py`; `refused.py` for sockets and http, which no guest may use; `world.py` with all of them for one
guest. What is not: the operations (`system.py`, `descriptors.py`, `folders.py`), and crossing values
(`component`).
https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals
"""
