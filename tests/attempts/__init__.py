"""Attempts of people who had not read the code: to get out of limits, to end the host, to reach a terminal.

What is here: `harness` (each attempt runs in a process of its own, whose peak of memory and processor time
are measured), and a file of attempts for each class of attack. `python -m tests.attempts` runs them all.
"""
