"""A typed Python module for a component: classes for its types, protocols for its imports and exports.

What is here: `generated`, its text, which depends only on the component. Names come only from the component;
its author's texts are in string literals that they can't end (`source.docstring`). What is not: converting
values to objects of these classes (`typed.py`).
"""

from .module import generated

__all__ = ["generated"]
