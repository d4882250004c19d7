"""Runs all attempts, or those with a word in their names, so often: `python -m tests.attempts 10 word`.

The word `open` runs those that are known to get through.
"""

from __future__ import annotations

import sys

from .all import ATTEMPTS, OPEN, SLOW
from .harness import run


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    words = sys.argv[2:]
    through = 0
    attempts = OPEN if words == ["open"] else [*ATTEMPTS, *SLOW]
    for attempt in attempts:
        if attempts is not OPEN and words and not any(word in attempt.name for word in words):
            continue
        for engine in attempt.engines:
            outcomes = [run(attempt, engine) for _ in range(rounds)]
            wrong = [outcome.wrong for outcome in outcomes if outcome.wrong]
            through += bool(wrong)
            cpu, peak = max(o.cpu for o in outcomes), max(o.peak for o in outcomes)
            print(
                f"{attempt.name}\t{engine}\t{cpu:.2f} s\t{peak >> 20} MiB\t{wrong[0] if wrong else 'failed'}",
                flush=True,
            )
    print(f"{through} got through")
    return bool(through)


if __name__ == "__main__":
    sys.exit(main())
