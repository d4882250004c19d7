"""WasmEdge's text protocol: what guests set and get, on any package that has llama.cpp.

Input 0 is the prompt, input 1 options as JSON. Output 0 is the text (or the embedding as JSON), output 1 JSON
with the numbers of tokens, which can be fetched as soon as the prompt is set. `compute` generates a text,
`compute_single` one token of it. What is not here: the options (`options`), and llama.cpp (`server`,
`library`). Source: `plugins/wasi_nn/GGML` of https://github.com/WasmEdge/WasmEdge.
"""

from __future__ import annotations

import json
from dataclasses import replace
from tempfile import TemporaryDirectory
from threading import Lock
from time import perf_counter

from ...backend import Context, Graph
from ...errors import Code, NNError
from ...inputs import parse_options
from ...tensor import DType, Tensor, TensorSpec
from .adapter import Ending, Piece, Plan, Prompt
from .engines import Engines
from .media import media_of
from .options import Settings, checked
from .process import Engine, Stream

INPUTS = (
    TensorSpec("prompt", DType.U8, (None,), takes_bytes=True),
    TensorSpec("options", DType.U8, (None,), takes_bytes=True),
)
OUTPUTS = (
    TensorSpec("text", DType.U8, (None,), takes_bytes=True),
    TensorSpec("metadata", DType.U8, (None,), takes_bytes=True),
)
PROMPT, OPTIONS = range(2)
TEXT, METADATA = range(2)

RESERVED = 4
"""Tokens of a context that no prompt may take, as in WasmEdge."""
TOKEN_BYTES = 32
"""A prompt with more bytes for each token of the context is too long. llama.cpp isn't asked about it: its
tokenizer can't be interrupted."""


class TextGraph(Graph):
    """A model with the settings that its contexts begin with."""

    def __init__(
        self,
        backend: str,
        engines: Engines,
        plan: Plan,
        settings: Settings,
        folder: TemporaryDirectory[str] | None = None,
    ) -> None:
        """`folder` holds the model's file, and is removed with the graph."""
        super().__init__(backend, INPUTS, OUTPUTS, "GPU" if plan.gpu_layers else "CPU")
        self.plan = plan
        self.settings = settings
        self._engines = engines
        self._folder = folder
        self._lock = Lock()
        self._taken: dict[Plan, Engine] = {}
        self.engine(settings)

    def engine(self, settings: Settings, media: bool = False) -> Engine:
        """The model, loaded for what is wanted: embeddings, texts, or texts with grammars or media, which get
        a process that only they can disturb."""
        constrained = settings.constrained and not settings.embedding
        projector = self.plan.projector if media else ""
        plan = replace(self.plan, embedding=settings.embedding, constrained=constrained, projector=projector)
        with self._lock:
            if plan not in self._taken:
                self._taken[plan] = self._engines.take(plan)
            return self._taken[plan]

    def room(self, settings: Settings) -> int:
        """Tokens of prompt and text together."""
        return min(settings.ctx_size or self.plan.context, self.plan.context)

    def context(self) -> TextContext:
        return TextContext(self)

    def close(self) -> None:
        taken, self._taken = self._taken, {}
        for plan in taken:
            self._engines.release(plan)
        if self._folder is not None:
            self._folder.cleanup()


class TextContext(Context):
    graph: TextGraph

    def __init__(self, graph: TextGraph) -> None:
        super().__init__(graph)
        self.settings = graph.settings
        self._prompt = Prompt()
        self._asked = 0
        """Tokens of the prompt, with those of its media when the text has begun."""
        self._text = bytearray()
        self._last = b""
        self._count = 0
        """Tokens of the text."""
        self._began = self._seconds = 0.0
        """When the text began, and the time that it took so far."""
        self._stream: Stream | None = None
        """The text that is being generated."""
        self._interrupted = False

    # Inputs

    def accept_input(self, index: int, tensor: Tensor) -> None:
        data = bytes(tensor.view())
        if index == OPTIONS:
            self.settings = self.settings.changed_by(checked(parse_options(data)))
        else:
            self._end()
            self._prompt = self._read(data)
            self._asked = len(self._prompt.tokens)
        super().accept_input(index, tensor)

    def _read(self, prompt: bytes) -> Prompt:
        """A prompt's tokens and media. Raises NNError."""
        parts, media = media_of(prompt)
        if media and not self.graph.plan.projector:
            what = "the prompt has a picture or speech, and the host named no projector (option mmproj)"
            raise NNError(Code.INVALID_ARGUMENT, what)
        prompt = b"".join(parts)
        most = TOKEN_BYTES * self.graph.room(self.settings)
        if len(prompt) > most:
            what = f"a prompt of {len(prompt)} bytes; {most} are more than the context's tokens can be"
            raise NNError(Code.PROMPT_TOO_LONG, what)
        return Prompt(self.graph.engine(self.settings).tokens(prompt, self.patience), parts, media)

    def _given(self) -> Prompt:
        """The prompt. Raises NNError if there is none, or too much of it."""
        prompt = self._prompt
        if self.inputs[PROMPT] is None or not (prompt.tokens or prompt.media):
            raise NNError(Code.INVALID_ARGUMENT, "no prompt was set, or one without any token")
        most = self.graph.room(self.settings) - RESERVED
        if self.settings.embedding:
            most = min(most, self.settings.batch_size)
            if prompt.media:
                raise NNError(Code.INVALID_ARGUMENT, "there are embeddings of texts alone")
        if len(prompt.tokens) > most:
            what = f"the prompt has {len(prompt.tokens)} tokens, at most {most} fit"
            raise NNError(Code.PROMPT_TOO_LONG, what)
        return prompt

    # Texts

    def compute(self) -> None:
        """Generate a text, or compute the embedding. Raises NNError(CONTEXT_FULL), with the text so far as
        the output, if the context can't hold all tokens that the guest asked for."""
        self._end()
        self._clear()
        prompt, settings = self._given(), self.settings
        full = False
        if settings.embedding:
            found = self.graph.engine(settings).embedding(prompt.tokens, self.patience)
            numbers = ",".join(f"{number:.10}" for number in found)
            self._text += f'{{"n_embedding": {len(found)}, "embedding": [{numbers}]}}'.encode()
        elif settings.n_predict:
            full = self._generate(prompt)
        for index in self.targets:
            self._put(index, self.output(index))
        if full:
            raise self._full()

    def _full(self) -> NNError:
        room = self.graph.room(self.settings)
        return NNError(Code.CONTEXT_FULL, f"the context of {room} tokens is full")

    def _generate(self, prompt: Prompt) -> bool:
        """Generate the whole text. Returns whether the context became full before."""
        settings = self.settings
        room = self.graph.room(settings) - len(prompt.tokens)
        wanted = settings.n_predict if settings.n_predict > 0 else room + 1
        searched = settings.reverse_prompt.encode()
        stream = self._begin(prompt, min(wanted, room))
        try:
            while True:
                piece = self._next(stream)
                if settings.stream_stdout and piece.text:
                    self.write(piece.text)
                if searched and self._text.find(searched, -len(searched) - len(piece.text)) >= 0:
                    return False
                if piece.ending is not None:
                    return piece.ending is Ending.LENGTH and piece.count < wanted
        finally:
            self._end()

    def compute_single(self) -> None:
        """Generate one more token of a text; the first call after a prompt or an end begins it. Raises
        NNError: END_OF_SEQUENCE, CONTEXT_FULL."""
        stream = self._stream
        if stream is None:
            self._clear()
            prompt = self._given()
            stream = self._begin(prompt, self.graph.room(self.settings) - len(prompt.tokens))
        try:
            ending = self._next(stream).ending
        except BaseException:
            self._end()
            raise
        if ending is None:
            return
        self._end()
        if ending is Ending.LENGTH:
            raise NNError(
                Code.CONTEXT_FULL, f"the context of {self.graph.room(self.settings)} tokens is full"
            )
        raise NNError(Code.END_OF_SEQUENCE, "the text has ended")

    def _begin(self, prompt: Prompt, most: int) -> Stream:
        engine = self.graph.engine(self.settings, bool(prompt.media))
        self._began = perf_counter()
        self._stream = engine.begin(prompt, self.settings, most)
        if self._interrupted:
            self._stream.stop()
        return self._stream

    def _next(self, stream: Stream) -> Piece:
        piece = stream.next(self.patience)
        self._seconds = perf_counter() - self._began
        self._count, self._asked = piece.count, piece.prompt or self._asked
        if piece.text:
            self._last = piece.text
            self._text += piece.text
        return piece

    def _end(self) -> None:
        """End a text that is being generated."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.stop()

    def _clear(self) -> None:
        self._text.clear()
        self._last, self._count, self._seconds = b"", 0, 0.0

    def rearm(self) -> None:
        self._interrupted = False

    def interrupt(self) -> bool:
        """Stop the generation; the embedding of a prompt is computed to its end."""
        self._interrupted, stream = True, self._stream
        if stream is not None:
            stream.stop()
        return True

    def finish_single(self) -> None:
        self._end()
        self._clear()

    # Outputs

    def output(self, index: int) -> Tensor:
        """The text so far, empty before a compute, or the numbers of tokens."""
        return as_tensor(bytes(self._text) if index == TEXT else self._metadata())

    def output_single(self, index: int) -> Tensor:
        """The last token, empty before the first, or the numbers of tokens."""
        return as_tensor(self._last if index == TEXT else self._metadata())

    @property
    def remark(self) -> str:
        rate = f", {self._count / self._seconds:.1f} tokens/s" if self._count and self._seconds else ""
        return f"{self._asked} tokens in, {self._count} out{rate}"

    def _metadata(self) -> bytes:
        engine = self.graph.engine(self.settings)
        said = {
            "input_tokens": self._asked,
            "output_tokens": self._count,
            "llama_build_number": engine.build,
            "llama_commit": engine.commit,
        }
        return json.dumps(said).encode()

    def close(self) -> None:
        self._end()
        super().close()


def as_tensor(data: bytes) -> Tensor:
    return Tensor(DType.U8, (len(data),), data)
