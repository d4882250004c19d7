"""What `--trace=hints` shows: hints and what they are about, and nothing else of a trace.

What is not here: finding hints (`hints`, `evidence`), and writing events (`text`, `records`).
"""

from __future__ import annotations

from collections import deque

from . import events
from .trace import Sink

MOST_HELD = 256
"""Events that a hint may still be about."""
MOST_ORIGINS = 8


class HintsOnly:
    """A sink that passes on each hint after the event that it is about, and of each input the first line that
    says where it came from."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._held: deque[events.Event] = deque(maxlen=MOST_HELD)
        self._inputs: set[str] = set()
        """The inputs whose origin was passed on, in words."""
        self.hints = 0
        """How many hints were passed on."""
        self.operations = 0
        """How many operations of wasi-nn were seen."""

    def __call__(self, event: events.Event) -> None:
        if isinstance(event, events.Hint):
            self.hints += 1
            self._pass_with_subject(event)
        elif isinstance(event, events.Origin):
            input_ = event.text.partition('": ')[0]
            if input_ not in self._inputs and len(self._inputs) < MOST_ORIGINS:
                self._inputs.add(input_)
                self._pass_with_subject(event)
        else:
            self.operations += isinstance(event, events.Inference)
            self._held.append(event)

    def _pass_with_subject(self, event: events.Hint | events.Origin) -> None:
        for subject in self._held:
            if subject.number == event.about:
                self._held.remove(subject)
                self._sink(subject)
                break
        self._sink(event)
