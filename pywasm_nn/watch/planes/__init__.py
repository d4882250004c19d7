"""Inputs of pixels that arithmetic of bytes spoilt, or that were cut out of a film in the wrong place.

What is not here: the search for the part of a picture that was sent, and how it was resized (`origin`).
"""

from .following import Planes

__all__ = ["Planes"]
