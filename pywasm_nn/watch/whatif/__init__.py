"""Whether a model would be far surer of another version of its input: the guest's, changed as by a mistake.

What is here: `ask`, which runs a model on a few changed copies of its inputs, and `WhatIf`, which does so for
what a guest sends while it runs. Nothing changes what the guest gets: the runs have contexts of their own.
"""

from .asking import Outcome, Trial, ask
from .following import WhatIf

__all__ = ["Outcome", "Trial", "WhatIf", "ask"]
