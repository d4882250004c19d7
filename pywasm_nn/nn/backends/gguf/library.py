"""llama.cpp through the package llama-cpp-python, by the functions of its C interface.

A text has a sequence of the context of llama.cpp. What several texts want computed at a moment is one batch,
which the thread of one of them runs. What is not here: the protocol (`protocol`).
Source: https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from queue import PriorityQueue
from threading import Condition
from typing import Any

from ....brief import summarised
from ...errors import Code, NNError
from .adapter import Ending, Piece, Plan, Prompt
from .options import Settings

BATCH = 512
"""The most tokens of one step."""
EMBEDDING_BATCH = 2048
LAST, BY_MODEL = 3, -1
"""Ways to make one embedding of a prompt: the last token's, or as the model says."""
COMPANY = 0.05
"""The most seconds to wait until all texts want their next token."""
LONGEST = 256
"""Bytes of a token, at first."""


@summarised
@dataclass(slots=True, eq=False)
class Work:
    """Tokens of a sequence that are to be computed, and the token that follows them."""

    sequence: int
    tokens: Sequence[int]
    position: int
    sampler: Any
    done: int = 0
    """The number of tokens that were computed."""
    at: int = 0
    """The last token's place in the batch."""
    token: int | None = None
    error: NNError | None = None

    @property
    def ended(self) -> bool:
        return self.token is not None or self.error is not None


def shares(waiting: Sequence[Work], room: int) -> Sequence[tuple[Work, int]]:
    """How many tokens each gets of the next step, those that want the fewest first.

    In the order of the sequences: llama.cpp reads the model's weights once for the sequences that follow each
    other in a batch, such as 1, 2, 3, and for any others once more. Four in falling order cost more than four
    steps of one.
    """
    taken = []
    for work in sorted(waiting, key=lambda work: len(work.tokens)):
        count = min(len(work.tokens) - work.done, room)
        if count:
            taken.append((work, count))
            room -= count
    return sorted(taken, key=lambda share: share[0].sequence)


class LibraryAdapter:
    """A model with one context."""

    build = 0

    def __init__(self, plan: Plan) -> None:
        """Load it. Raises RuntimeError."""
        import llama_cpp

        self._llama: Any = llama_cpp
        self.commit = f"llama-cpp-python {version('llama-cpp-python')}"
        llama_cpp.llama_backend_init()
        model = llama_cpp.llama_model_default_params()
        model.n_gpu_layers = plan.gpu_layers
        self._model = llama_cpp.llama_model_load_from_file(plan.path.encode(), model)
        if not self._model:
            raise RuntimeError("it refuses the file")
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        self._size = EMBEDDING_BATCH if plan.embedding else BATCH
        self._context = llama_cpp.llama_init_from_model(self._model, self._parameters(plan))
        if not self._context:
            raise RuntimeError("it makes no context of this size")
        self._batch = llama_cpp.llama_batch_init(self._size, 0, 1)
        self._free: PriorityQueue[int] = PriorityQueue()
        """Sequences of nobody, the lowest first: those in use shall be neighbours (`shares`)."""
        for sequence in range(plan.slots):
            self._free.put(sequence)
        self._texts = 0
        self._pending: list[Work] = []
        self._changed = Condition()
        self._busy = False
        """Whether a thread uses the context."""

    def _parameters(self, plan: Plan) -> Any:
        params = self._llama.llama_context_default_params()
        params.n_ctx, params.n_seq_max = plan.context * plan.slots, plan.slots
        params.n_batch = params.n_ubatch = self._size
        params.n_threads = params.n_threads_batch = plan.threads
        params.kv_unified = False
        if plan.embedding:
            params.embeddings = True
            params.pooling_type = BY_MODEL if plan.pooled else LAST
        return params

    def tokens(self, text: bytes) -> Sequence[int]:
        room = len(text) + 16
        found = (self._llama.llama_token * room)()
        count = self._llama.llama_tokenize(self._vocabulary, text, len(text), found, room, True, True)
        if count < 0:
            raise RuntimeError("it can't tell the tokens of the prompt")
        return list(found[:count])

    def generate(self, prompt: Prompt, settings: Settings, most: int, take: Callable[[Piece], bool]) -> None:
        tokens = prompt.tokens
        with self._sampler(tokens, settings) as sampler, self._sequence() as sequence:
            work = Work(sequence, tokens, 0, sampler)
            for count in range(1, most + 1):
                token = self._next(work)
                ends = self._llama.llama_vocab_is_eog(self._vocabulary, token) and not settings.ignore_eos
                ending = Ending.STOP if ends else None
                if take(Piece(self._piece(token), count, ending)) or ending:
                    return
                work = Work(sequence, [token], work.position + len(work.tokens), sampler)
            take(Piece(b"", most, Ending.LENGTH))

    @contextmanager
    def _sequence(self) -> Iterator[int]:
        """A sequence of one's own; waits until one is free."""
        sequence = self._free.get()
        with self._changed:
            self._texts += 1
        try:
            yield sequence
        finally:
            with self._changed:
                self._texts -= 1
                self._changed.notify_all()
            with self._alone():
                memory = self._llama.llama_get_memory(self._context)
                self._llama.llama_memory_seq_rm(memory, sequence, -1, -1)
            self._free.put(sequence)

    def _next(self, work: Work) -> int:
        """The token that follows. The thread of one text computes for all that wait."""
        with self._changed:
            self._pending.append(work)
            self._changed.notify_all()
        while together := self._company(work):
            try:
                self._step(together)
            finally:
                with self._changed:
                    self._pending = [one for one in self._pending if not one.ended]
                    self._busy = False
                    self._changed.notify_all()
        if work.error is not None:
            raise work.error
        assert work.token is not None
        return work.token

    def _company(self, work: Work) -> Sequence[Work]:
        """Wait until no other thread computes, and take all waiting work; empty if another thread has done
        this thread's work by then."""
        with self._changed:
            self._changed.wait_for(lambda: work.ended or not self._busy)
            if work.ended:
                return ()
            self._busy = True
            self._changed.wait_for(lambda: len(self._pending) >= self._texts, COMPANY)
            return list(self._pending)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A block in which no other thread uses the context."""
        with self._changed:
            self._changed.wait_for(lambda: not self._busy)
            self._busy = True
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _step(self, together: Sequence[Work]) -> None:
        """Compute as many tokens as fit into a batch."""
        self._batch.n_tokens = 0
        taken = shares(together, self._size)
        for work, count in taken:
            self._add(work, count)
        code = self._llama.llama_decode(self._context, self._batch)
        for work, _ in taken:
            if code:
                work.error = NNError(Code.RUNTIME_ERROR, f"llama.cpp computes nothing: {code}")
            elif work.done == len(work.tokens):
                work.token = self._llama.llama_sampler_sample(work.sampler, self._context, work.at)

    def _add(self, work: Work, count: int) -> None:
        """Put the next tokens of a sequence into the batch."""
        batch = self._batch
        for place in range(work.done, work.done + count):
            at = batch.n_tokens
            batch.token[at], batch.pos[at] = work.tokens[place], work.position + place
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, work.sequence
            batch.logits[at] = place == len(work.tokens) - 1
            work.at = at
            batch.n_tokens += 1
        work.done += count

    def _piece(self, token: int) -> bytes:
        room = LONGEST
        while True:
            found = ctypes.create_string_buffer(room)
            size = self._llama.llama_token_to_piece(self._vocabulary, token, found, room, 0, True)
            if size >= 0:
                return found.raw[:size]
            room = -size

    @contextmanager
    def _sampler(self, tokens: Sequence[int], settings: Settings) -> Iterator[Any]:
        """A chain of samplers, in the order of llama.cpp's own programs. Raises NNError for a grammar that is
        none."""
        llama = self._llama
        chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        try:
            for sampler in self._samplers(tokens, settings):
                if not sampler:
                    raise NNError(Code.INVALID_ARGUMENT, "llama.cpp: the grammar is none")
                llama.llama_sampler_chain_add(chain, sampler)
            yield chain
        finally:
            llama.llama_sampler_free(chain)

    def _samplers(self, tokens: Sequence[int], settings: Settings) -> Iterator[Any]:
        llama, s = self._llama, settings
        size = llama.llama_vocab_n_tokens(self._vocabulary)
        if s.ignore_eos:
            yield llama.llama_sampler_init_logit_bias(size, len(self._ends), self._ends)
        if rules := self._rules(settings):
            yield llama.llama_sampler_init_grammar(self._vocabulary, rules.encode(), b"root")
        penalties = llama.llama_sampler_init_penalties(
            size, s.last_n_penalty, s.repeat_penalty, s.frequency_penalty, s.presence_penalty
        )
        for token in tokens[-s.last_n_penalty :] if s.last_n_penalty else ():
            llama.llama_sampler_accept(penalties, token)
        yield penalties
        yield llama.llama_sampler_init_top_k(s.top_k)
        yield llama.llama_sampler_init_typical(s.typ_p, 0)
        yield llama.llama_sampler_init_top_p(s.top_p, 0)
        yield llama.llama_sampler_init_min_p(s.min_p, 0)
        yield llama.llama_sampler_init_xtc(s.xtc_probability, s.xtc_threshold, 0, s.seed)
        yield llama.llama_sampler_init_temp_ext(s.temp, s.dynatemp_range, s.dynatemp_exponent)
        yield llama.llama_sampler_init_dist(s.seed)

    def _rules(self, settings: Settings) -> str:
        """The grammar, or that of the schema."""
        if settings.grammar or not settings.json_schema:
            return settings.grammar
        from llama_cpp.llama_grammar import json_schema_to_gbnf

        try:
            return str(json_schema_to_gbnf(settings.json_schema))
        except Exception as error:
            raise NNError(Code.INVALID_ARGUMENT, f"llama.cpp: the schema: {error}") from error

    @cached_property
    def _ends(self) -> Any:
        """The tokens that end a text, as impossible ones."""
        llama = self._llama
        size = llama.llama_vocab_n_tokens(self._vocabulary)
        found = [token for token in range(size) if llama.llama_vocab_is_eog(self._vocabulary, token)]
        biases = [llama.llama_logit_bias(token=token, bias=-math.inf) for token in found]
        return (llama.llama_logit_bias * len(biases))(*biases)

    def embedding(self, tokens: Sequence[int]) -> Sequence[float]:
        llama = self._llama
        with self._alone():
            llama.llama_memory_clear(llama.llama_get_memory(self._context), True)
            self._batch.n_tokens = 0
            self._add(Work(0, tokens, 0, None), len(tokens))
            if llama.llama_decode(self._context, self._batch):
                raise RuntimeError("it can't compute the embedding")
            found = llama.llama_get_embeddings_seq(self._context, 0)
            if not found:
                raise RuntimeError("it has no embedding of the prompt")
            values = found[: llama.llama_model_n_embd(self._model)]
        length = math.sqrt(sum(value * value for value in values)) or 1.0
        return [value / length for value in values]
