"""A typed Python module for a component: classes for its types, protocols for what it imports and exports.

What is here: `generated`, its text, which is the same for the same component. Names come from the component
alone; what its author wrote is in literals that can't end early (`source.docstring`). What is not: how values
become objects of these classes (`typed.py`).
"""

from .module import generated

__all__ = ["generated"]
