"""Numbers that a guest makes of answers, where a file, a name or what it writes says how they are to be made:
scaled back, out of a logarithm, by a temperature, as an error, in a unit.

What is not here: probabilities and classes (`misread`, `misscaled`, `probes`).
"""

from .following import Amounts

__all__ = ["Amounts"]
