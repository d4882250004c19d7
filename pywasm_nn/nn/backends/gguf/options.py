"""The options of WasmEdge's text protocol: names, kinds, defaults, and the largest values of a guest.

A guest's options choose how its own text is generated (`Settings`). Options that WasmEdge knows and that are
not in `Settings` are checked for their kind and ignored: they name files, addresses, devices or memory, which
belong to the host. Source of names and kinds: `plugins/wasi_nn/GGML/metadata/metadata_parser.cpp` of
https://github.com/WasmEdge/WasmEdge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from ....records import Frozen
from ...errors import Code, NNError
from ...inputs import parse_options

WHOLE = """
attention-type batch-size cache-type-k cache-type-v chunk-size control-vector-layer-end
control-vector-layer-start ctx-size dry-allowed-length dry-last-n-penalty embd-normalize grp-attn-n
grp-attn-w hellaswag-tasks i-chunk i-pos last-n-penalty main-gpu min-keep mirostat multiple-choice-tasks
n-cache-reuse n-chunks n-cpu-moe n-ctx-speculative n-gpu-layers n-gpu-layers-speculative n-junk n-keep
n-max-speculative n-min-speculative n-out-freq n-parallel n-pca-batch n-pca-iterations n-pl n-pp n-predict
n-prev n-print n-probs n-save-freq n-sequences n-tg n-threads-http numa poll poll-batch pooling-type port
ppl-output-type ppl-stride priority priority-batch rope-scaling-type seed threads threads-batch
timeout-read timeout-write top-k ubatch-size verbosity winogrande-tasks yarn-orig-ctx
"""
NUMBERS = """
dry-base dry-multipier dynatemp-exponent dynatemp-range frequency-penalty min-p mirostat-ent mirostat-eta
p-min-speculative p-split-speculative presence-penalty repeat-penalty rope-freq-base rope-freq-scale
slot-prompt-similarity temp top-p typ-p xtc-probability xtc-threshold yarn-attn-factor yarn-beta-fast
yarn-beta-slow yarn-ext-factor
"""
FLAGS = """
always-regenerate-image-embd batched-bench-output-jsonl check-tensors compute-ppl cont-batching cpu-moe
ctx-shift display-prompt embedding enable-chat-template enable-debug-log enable-log endpoint-metrics
endpoint-props endpoint-slots escape hellaswag ignore-eos input-prefix-bos interactive interactive-first
is-pp-shared kl-divergence log-json lora-init-without-apply mask-valid mask-valid-batch multiline-input
multiple-choice no-kv-offload no-perf no-perf-sampling process-output prompt-cache-all prompt-cache-ro
reranking simple-io special spm-infill stream-stdout strict-cpu strict-cpu-batch timing-per-token tts
usage use-color use-mlock use-mmap verbose-prompt warmup webui winogrande
"""
TEXTS = """
chat-template chunk-separator context-files cvector-dimre-method cvector-negative-file
cvector-positive-file embd-out embd-sep flash-attn grammar hf-file hf-file-vocoder hf-repo hf-repo-vocoder
hf-token hostname image input-prefix input-suffix json-schema logits-file lookup-cache-dynamic
lookup-cache-static mmproj model-alias model-url model-url-vocoder model-vocoder out-file
path-prompt-cache prompt-file public-path reverse-prompt slot-save-path split-mode ssl-file-cert
ssl-file-key tensor-split tts-output-file tts-speaker-file
"""
KINDS: Mapping[str, tuple[type, ...]] = {
    name: kinds
    for names, kinds in (
        (WHOLE, (int,)),
        (NUMBERS, (int, float)),
        (FLAGS, (bool,)),
        (TEXTS, (str,)),
    )
    for name in names.split()
}
"""Types of the values, by option. A whole number is accepted for any number, and true for no number."""
RANGES: Mapping[str, tuple[float, float]] = {
    "temp": (0, 100), "top-k": (0, 1 << 20), "top-p": (0, 1), "min-p": (0, 1), "typ-p": (0, 1),
    "repeat-penalty": (0.01, 100), "presence-penalty": (-100, 100), "frequency-penalty": (-100, 100),
    "last-n-penalty": (0, 4096), "dynatemp-range": (0, 100), "dynatemp-exponent": (0, 100),
    "xtc-probability": (0, 1), "xtc-threshold": (0, 1), "ctx-size": (0, 1 << 31), "batch-size": (1, 1 << 31),
}  # fmt: skip
"""Numbers outside are replaced with the nearest: llama.cpp divides by some of them, allocates others, and
ends the process if a probability is no number."""
RANDOM = 0xFFFF_FFFF
"""The seed that means another one each time."""
MOST_RULES = 16 << 10
"""The most characters of a grammar or schema. llama.cpp parses them in the host's process."""
DEEPEST = 32
"""The deepest nesting in a grammar or schema: llama.cpp's parser recurses."""
MOST_TIMES = 1000
"""The largest number of repetitions in a grammar or schema: llama.cpp writes each of them as a rule."""
REPEATED = re.compile(r"\{\s*(\d*)\s*,?\s*(\d*)\s*\}")
COUNTS = ("minItems", "maxItems", "minLength", "maxLength")


class Settings(Frozen):
    """How a text is generated; each field is the option of that name. The defaults are those of llama.cpp."""

    temp: float = 0.8
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    typ_p: float = 1.0
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    last_n_penalty: int = 64
    dynatemp_range: float = 0.0
    dynatemp_exponent: float = 1.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.1
    seed: int = RANDOM
    ignore_eos: bool = False
    grammar: str = ""
    json_schema: str = ""
    n_predict: int = -1
    """The most tokens of a text; negative: until it ends or the context is full."""
    reverse_prompt: str = ""
    """A text that ends the generation."""
    stream_stdout: bool = False
    embedding: bool = False
    """Whether compute returns the embedding of the prompt instead of a text."""
    ctx_size: int = 0
    """Tokens of prompt and text together; 0, or more than the host allows: as many as the host allows."""
    batch_size: int = 2048
    """The most tokens of a prompt for an embedding."""

    @property
    def constrained(self) -> bool:
        """Whether a grammar or schema chooses among the tokens."""
        return bool(self.grammar or self.json_schema)

    def changed_by(self, options: Mapping[str, Any]) -> Settings:
        """These settings with options of `checked` instead."""
        names = {name.replace("_", "-"): name for name in self.__match_args__}
        return replace(self, **{names[name]: value for name, value in options.items() if name in names})


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """The known options, with numbers in their ranges. Raises NNError(INVALID_ARGUMENT) for a value of
    another kind, and for a grammar or schema that llama.cpp can't be trusted with.
    """
    found: dict[str, Any] = {}
    for name in options.keys() & KINDS.keys():
        value: Any = options[name]
        found[name] = value
        kinds = KINDS[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise NNError(Code.INVALID_ARGUMENT, f'option "{name}" is {wanted}, given was {value!r:.100}')
        if isinstance(value, float) and not isfinite(value):
            raise NNError(Code.INVALID_ARGUMENT, f'option "{name}" is {value}, which is no finite number')
        if name in RANGES:
            low, high = RANGES[name]
            found[name] = kinds[-1](min(max(options[name], low), high))
    if "seed" in found:
        found["seed"] &= RANDOM
    check_rules("grammar", found.get("grammar", ""))
    check_rules("json-schema", found.get("json-schema", ""))
    if found.get("json-schema"):
        check_schema(found["json-schema"])
    return found


def check_rules(name: str, text: str) -> None:
    """Raise NNError(INVALID_ARGUMENT) for a grammar or schema that takes llama.cpp too much stack or memory,
    or writes control characters to the terminal with its complaints.
    """
    reason = ""
    depth = deepest = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        deepest = max(deepest, depth)
    if len(text) > MOST_RULES:
        reason = f"is {len(text)} characters, at most {MOST_RULES} are read"
    elif deepest > DEEPEST:
        reason = f"is nested {deepest} deep, at most {DEEPEST} are read"
    elif any(not (char.isprintable() or char in "\n\r\t") for char in text):
        reason = "has control characters"
    elif any(len(n) > 9 or int(n or 0) > MOST_TIMES for pair in REPEATED.findall(text) for n in pair):
        reason = f"repeats more than {MOST_TIMES} times"
    if reason:
        raise NNError(Code.INVALID_ARGUMENT, f'option "{name}" {reason}')


def check_schema(text: str) -> None:
    """Raise NNError(INVALID_ARGUMENT) unless the text is a JSON schema without large counts."""
    try:
        schema = parse_options(text.encode())
    except NNError as error:
        raise NNError(Code.INVALID_ARGUMENT, f'option "json-schema": {error.reason}') from error

    def counts(value: Any) -> bool:
        if isinstance(value, list):
            return any(counts(part) for part in value)
        if not isinstance(value, dict):
            return False
        large = any(isinstance(n := value.get(name), int | float) and n > MOST_TIMES for name in COUNTS)
        return large or any(counts(part) for part in value.values())

    if counts(schema):
        raise NNError(Code.INVALID_ARGUMENT, f'option "json-schema" counts beyond {MOST_TIMES}')
