"""The process in which llama.cpp runs: loads one model and answers its host.

A question is a line of JSON on standard input, with a number; answers are lines of JSON on standard output
with the number of their question. Bytes are text in Latin-1. It ends with its host. What is not here: asking
(`process`), and llama.cpp (`server`, `library`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from threading import Lock, Thread
from typing import Any, BinaryIO

from ...errors import Code, NNError
from .adapter import ADAPTERS, Adapter, Piece, Plan, Prompt
from .options import Settings

Question = Mapping[str, Any]
ROOM, MEDIA_ROOM = 1 << 30, 4 << 30
"""Bytes of address space that texts with grammars may take, and those with media, after the model was
loaded."""


class Answerer:
    """Answers questions, each on a thread of its own."""

    def __init__(self, adapter: Adapter, out: BinaryIO) -> None:
        self._adapter = adapter
        self._out = out
        self._lock = Lock()
        self._texts: dict[int, bool] = {}
        """Whether a text shall stop, by the number of its question."""
        self._kinds = {"tokens": self._tokens, "embedding": self._embedding, "begin": self._begin}

    def take(self, question: Question) -> None:
        """Begin to answer; stopping a text has no answer of its own."""
        number = question["id"]
        if question["op"] == "stop":
            if number in self._texts:
                self._texts[number] = True
        else:
            if question["op"] == "begin":
                self._texts[number] = False
            Thread(target=self._answer, args=(question,), daemon=True).start()

    def say(self, answer: Mapping[str, Any]) -> None:
        with self._lock:
            self._out.write(json.dumps(answer).encode() + b"\n")
            self._out.flush()

    def _answer(self, question: Question) -> None:
        try:
            value = self._kinds[question["op"]](question)
        except Exception as error:
            self.say({"id": question["id"], "error": told(error)})
        else:
            self.say({"id": question["id"], "value": value})

    def _tokens(self, question: Question) -> list[int]:
        return list(self._adapter.tokens(question["text"].encode("latin-1")))

    def _embedding(self, question: Question) -> list[float]:
        return list(self._adapter.embedding(question["tokens"]))

    def _begin(self, question: Question) -> None:
        """Send pieces until the last."""
        number = question["id"]

        def take(piece: Piece) -> bool:
            ending = piece.ending.value if piece.ending else None
            text = piece.text.decode("latin-1")
            self.say(
                {"id": number, "text": text, "count": piece.count, "ending": ending, "prompt": piece.prompt}
            )
            return self._texts[number]

        try:
            settings = Settings(**question["settings"])
            parts = [part.encode("latin-1") for part in question["parts"]]
            prompt = Prompt(question["tokens"], parts, question["media"])
            self._adapter.generate(prompt, settings, question["most"], take)
        finally:
            del self._texts[number]


def told(error: Exception) -> list[Any]:
    """An error as JSON: code and reason."""
    if isinstance(error, NNError):
        return [int(error.code), error.reason]
    return [int(Code.RUNTIME_ERROR), f"llama.cpp: {error}" if str(error) else type(error).__name__]


def bounded(room: int) -> None:
    """Limit the address space to what it is now and so much more; Linux only."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + room, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main(name: str, plan: str) -> None:
    """Serve until standard input ends."""
    out = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):  # libraries write there
        os.dup2(silence, descriptor)
    module, class_ = ADAPTERS[name]
    how = Plan(**json.loads(plan))
    try:
        adapter: Adapter = getattr(import_module(f".{module}", __package__), class_)(how)
    except Exception as error:
        out.write(json.dumps({"id": 0, "error": told(error)}).encode() + b"\n")
        out.flush()
        return
    answerer = Answerer(adapter, out)
    if how.projector or how.constrained:
        bounded(MEDIA_ROOM if how.projector else ROOM)
    answerer.say({"id": 0, "value": {"build": adapter.build, "commit": adapter.commit}})
    with suppress(OSError):
        for line in sys.stdin.buffer:
            answerer.take(json.loads(line))


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # whatever llama.cpp's threads are doing
