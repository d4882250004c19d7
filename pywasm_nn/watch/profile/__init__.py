"""Where a run spends its time: guest functions, host calls, models and compiling in one picture.

What is here: the way in. `sampler.py` looks at the running stacks, `files.py` writes them for speedscope,
Perfetto and flame graphs. What is not: counts of instructions (`monitors.py`), and the profilers of the
frameworks, which know the operators of a model.
"""

from .files import FORMATS, summary
from .sampler import Place, Sample, Sampler

__all__ = ["FORMATS", "Place", "Sample", "Sampler", "summary"]
