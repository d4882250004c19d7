"""Tables with texts in them, and what a guest's inputs say of how it read their lines.

What is not here: tables of numbers that are read rightly (`origin.tables`), and how columns are scaled
(`origin.scaled`).
"""

from .following import Sheets

__all__ = ["Sheets"]
