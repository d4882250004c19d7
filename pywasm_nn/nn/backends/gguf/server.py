"""llama.cpp through the package xllamacpp, a wheel that contains llama.cpp's own server.

Texts are requested by calls; tokens of prompts, and texts about pictures and speech, over HTTP: it listens on
a random port of 127.0.0.1 and can't be told not to, so it gets a random key (SECURITY.md). What is not here:
the protocol (`protocol`).
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from importlib.metadata import version
from typing import Any

from ...errors import Code, NNError
from .adapter import MARKER, Ending, Piece, Plan, Prompt
from .options import Settings

LOOPBACK = "127.0.0.1"
PATIENCE = 60.0
"""Seconds for an answer over HTTP."""
LAST = 3
"""The pooling type of llama.cpp that takes the last token's embedding."""
MOST_BATCH = 2048
"""The most tokens of one step."""
TAG = ((b"<", b">"), (b"[", b"]"))
"""The first and last character of special tokens. Such a token may end the text, which the next piece
tells."""
SAMPLING = {
    "temp": "temperature", "top_k": "top_k", "top_p": "top_p", "min_p": "min_p", "typ_p": "typical_p",
    "repeat_penalty": "repeat_penalty", "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty", "last_n_penalty": "repeat_last_n",
    "dynatemp_range": "dynatemp_range", "dynatemp_exponent": "dynatemp_exponent",
    "xtc_probability": "xtc_probability", "xtc_threshold": "xtc_threshold", "seed": "seed",
    "ignore_eos": "ignore_eos",
}  # fmt: skip
"""The server's names of settings."""


class ServerAdapter:
    """A model in a server of its own."""

    build = 0

    def __init__(self, plan: Plan) -> None:
        """Load it. Raises RuntimeError."""
        import xllamacpp

        self.commit = f"xllamacpp {version('xllamacpp')}"
        self._key = secrets.token_hex(32)
        self._server: Any = xllamacpp.Server(parameters(xllamacpp.CommonParams(), plan, self._key))
        self._port = int(self._server.listening_address.rpartition(":")[2])

    def tokens(self, text: bytes) -> Sequence[int]:
        """Bytes that are no UTF-8 become replacement characters, as the server takes JSON."""
        content = text.decode("utf-8", "replace")
        request = {"content": content, "add_special": True, "parse_special": True}
        with self._answer("/tokenize", request, PATIENCE) as said:
            answer = json.loads(said.read())
        check(answer)
        found: list[int] = answer["tokens"]
        return found

    def generate(self, prompt: Prompt, settings: Settings, most: int, take: Callable[[Piece], bool]) -> None:
        request: dict[str, Any] = {theirs: getattr(settings, ours) for ours, theirs in SAMPLING.items()}
        if settings.grammar:
            request["grammar"] = settings.grammar
        elif settings.json_schema:
            request["json_schema"] = json.loads(settings.json_schema)
        # The cache would tell a guest by the time that another one had the same prompt.
        more = {"n_predict": most, "stream": True, "timings_per_token": True, "cache_prompt": False}
        pieces = Pieces(take)
        if prompt.media:
            self._ask_with_media({**request, **more}, prompt, pieces)
        else:
            self._server.handle_completions({**request, **more, "prompt": list(prompt.tokens)}, pieces.answer)
        pieces.check()

    def _ask_with_media(self, request: Mapping[str, Any], prompt: Prompt, pieces: Pieces) -> None:
        """Over HTTP, as the server's calls take media in conversations alone."""
        *parts, last = (part.decode("utf-8", "replace") for part in prompt.parts)
        # The server aborts on a prompt without text after its last picture.
        text = os.environ[MARKER].join([*parts, last or "\n"])
        whole = {"prompt_string": text, "multimodal_data": list(prompt.media)}
        with self._answer("/completion", {**request, "prompt": whole}, None) as answer:
            if answer.status != 200:
                check(json.loads(answer.read()))
            for line in answer:
                kind, _, said = line.partition(b": ")
                if kind == b"error":
                    check({"error": json.loads(said)})
                if kind == b"data" and pieces.answer(completion(json.loads(said))):
                    return

    @contextmanager
    def _answer(
        self, path: str, request: Mapping[str, Any], patience: float | None
    ) -> Iterator[HTTPResponse]:
        """The server's answer over HTTP, within so many seconds."""
        connection = HTTPConnection(LOOPBACK, self._port, timeout=patience)
        try:
            connection.request("POST", path, json.dumps(request), {"Authorization": f"Bearer {self._key}"})
            yield connection.getresponse()
        finally:
            connection.close()

    def embedding(self, tokens: Sequence[int]) -> Sequence[float]:
        answer = self._server.handle_embeddings({"input": list(tokens)})
        check(answer)
        found: list[float] = answer["data"][0]["embedding"]
        return found


def parameters(params: Any, plan: Plan, key: str) -> Any:
    """The server's parameters."""
    params.model.path = plan.path
    params.n_ctx, params.n_parallel = plan.context * plan.slots, plan.slots
    params.kv_unified = params.fit_params = params.ctx_shift = params.warmup = False
    params.n_gpu_layers = plan.gpu_layers
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = plan.threads
    params.cache_ram_mib = params.n_ctx_checkpoints = 0
    params.special = True  # a special token's name belongs to the text, as in WasmEdge
    params.verbosity = -1
    params.hostnames, params.port, params.api_keys = [LOOPBACK], 0, [key]
    params.ui = params.endpoint_slots = params.endpoint_props = False
    params.n_threads_http = 1
    if plan.projector:
        params.mmproj.path, params.mmproj_use_gpu = plan.projector, plan.gpu_layers > 0
        params.n_threads_http = plan.slots + 1  # each text with media has one
    if plan.embedding:
        params.embedding = True
        params.n_batch = params.n_ubatch = min(plan.context, MOST_BATCH)
        if not plan.pooled:
            import xllamacpp

            params.pooling_type = xllamacpp.llama_pooling_type(LAST)
    return params


class Pieces:
    """The server's answers as pieces of a text. A piece that may be the end of the text waits for its
    successor."""

    def __init__(self, take: Callable[[Piece], bool]) -> None:
        self._take = take
        self._held: Piece | None = None
        self._count = self._prompt = 0
        self._error: NNError | None = None

    def answer(self, answer: Mapping[str, Any]) -> bool:
        """Take an answer; returns whether the server shall stop."""
        try:
            check(answer)
        except NNError as error:
            self._error = error
            return True
        (choice,) = answer["choices"]
        timings = answer.get("timings", {})
        self._count = timings.get("predicted_n", self._count)
        self._prompt = timings.get("prompt_n", self._prompt)
        said, text = choice["finish_reason"], choice["text"].encode()
        ending = Ending(said) if said else None
        held, self._held = self._held, None
        if held is not None:
            if ending and not text:
                return self._take(Piece(held.text, self._count, ending, self._prompt))
            if self._take(held):
                return True
        if not text and ending is None:
            return False
        piece = Piece(text, self._count, ending, self._prompt)
        if ending is None and any(text.startswith(first) and text.endswith(last) for first, last in TAG):
            self._held = piece
            return False
        return self._take(piece)

    def check(self) -> None:
        """Raise the error that was the last answer."""
        if self._error is not None:
            raise self._error


def completion(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """An answer of llama.cpp's own kind over HTTP, as one of the calls. The last tells why the text ends."""
    if "error" in answer:
        return answer
    reason = (Ending.LENGTH if answer.get("stop_type") == "limit" else Ending.STOP).value
    choice = {"text": answer["content"], "finish_reason": reason if answer["stop"] else None}
    return {"choices": [choice], "timings": answer.get("timings", {})}


def check(answer: Any) -> None:
    """Raise NNError if the server answered an error."""
    error = answer.get("error")
    if error is None:
        return
    code = Code.INVALID_ARGUMENT if error.get("code") == 400 else Code.RUNTIME_ERROR
    if error.get("type") == "exceed_context_size_error":
        code = Code.PROMPT_TOO_LONG
    raise NNError(code, f"llama.cpp: {error.get('message')}")
