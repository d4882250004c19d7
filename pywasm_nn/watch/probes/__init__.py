"""What a guest makes of answers: it goes on in copies of the process, each time with another answer, and what
it writes there tells which elements it looks at, and as what.
"""

from .asked import Placed
from .following import Probes

__all__ = ["Placed", "Probes"]
