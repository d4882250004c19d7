"""A debugger without a prompt: where a guest stops (`breakpoints.py`, `debugger.py`), what is seen there
(`shown.py`), and what a person may write for an address or a value (`given.py`).

What is not here: reading commands and printing (`cli.prompt`).
"""
