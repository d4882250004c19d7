"""Where a run spends its time: guest functions, host calls, models and compiling together.

What is here: the public names. `sampler.py` samples the running stacks, `files.py` writes them for
speedscope, Perfetto and flame graphs. What is not: instruction counts (`monitors.py`), and the frameworks'
own profilers, which know a model's operators.
"""

from .files import FORMATS, summary
from .sampler import Place, Sample, Sampler

__all__ = ["FORMATS", "Place", "Sample", "Sampler", "summary"]
