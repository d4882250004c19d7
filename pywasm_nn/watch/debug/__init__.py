"""A debugger without a prompt: where a guest stops (`breakpoints.py`, `debugger.py`), what it shows of the
stopped guest (`shown.py`), and how addresses and values are written (`given.py`).

What is not here: reading commands and printing (`cli.prompt`).
"""
