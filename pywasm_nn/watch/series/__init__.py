"""Inputs of many numbers that follow each other, such as windows of a sensor: how they came from the window
before, and from the numbers in a file.

What is not here: windows into which answers are put (`loops`), and lines of a table (`sheets`).
"""

from .following import Series

__all__ = ["Series"]
