"""A debugger without a prompt: where a guest stops (`breakpoints.py`, `debugger.py`), how far it runs
(`steps.py`), what it shows of the stopped guest (`shown.py`), how addresses and values are written
(`given.py`), and its past: where to go back (`past.py`), points in time (`timeline.py`, `states.py`), and the
host's answers (`ledger.py`).

What is not here: reading commands and printing (`cli.prompt`).
"""
