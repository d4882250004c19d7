"""Runs all attempts, or those with a word in their names, so often: `python -m tests.attempts 10 word`.

The word `open` runs those that are known to get through.
"""

from __future__ import annotations

import sys

from .all import ATTEMPTS, OPEN, SLOW
from .harness import Attempt, run
from .nursery import Nursery, started


def show(attempt: Attempt, engine: str, rounds: int, nursery: Nursery) -> bool:
    """Run an attempt so often, and say in a line what came of it; whether it got through."""
    if attempt.lacks:
        print(f"{attempt.name}\t{engine}\tskipped: {attempt.lacks}", flush=True)
        return False
    outcomes = [run(attempt, engine, nursery) for _ in range(rounds)]
    wrong = [outcome.wrong for outcome in outcomes if outcome.wrong]
    cpu, peak = max(o.cpu for o in outcomes), max(o.peak for o in outcomes)
    end = wrong[0] if wrong else "failed"
    print(f"{attempt.name}\t{engine}\t{cpu:.2f} s\t{peak >> 20} MiB\t{end}", flush=True)
    return bool(wrong)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    words = sys.argv[2:]
    attempts = [*ATTEMPTS, *SLOW]
    if words == ["open"]:
        attempts, words = OPEN, []
    with started() as nursery:
        through = sum(
            show(attempt, engine, rounds, nursery)
            for attempt in attempts
            if not words or any(word in attempt.name for word in words)
            for engine in attempt.engines
        )
    print(f"{through} got through")
    return bool(through)


if __name__ == "__main__":
    sys.exit(main())
