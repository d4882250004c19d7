"""How an input came from the files that a guest read: from a picture, a sound or an array.

What is here: `traced` for an input and a picture, `heard` for an input and a sound, `transformation` for two
arrays, and `Origins`, which follows a guest.
"""

from .comparing import transformation
from .decoding import Source, decoded
from .following import Origins
from .matching import Origin, traced
from .sequences import heard

__all__ = ["Origin", "Origins", "Source", "decoded", "heard", "traced", "transformation"]
