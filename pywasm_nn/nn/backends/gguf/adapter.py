"""The interface to a package that contains llama.cpp, in the process that runs it.

What is here: `Adapter`, which `server` and `library` implement, and the values that it takes and gives. What
is not: the process (`serve`), and wasi-nn (`protocol`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Protocol

from ....records import Frozen
from .options import Settings


class Plan(Frozen):
    """How to load a model, as the host says."""

    path: str
    context: int
    """Tokens of prompt and text together, for each text."""
    slots: int
    """Texts that are generated at the same time; others wait."""
    threads: int
    gpu_layers: int
    pooled: bool
    """Whether the model says how to make one embedding of a prompt."""
    embedding: bool = False
    """Whether it is for embeddings, or for texts."""
    constrained: bool = False
    """Whether it is for texts with grammars."""
    projector: str = ""
    """The file that llama.cpp reads pictures and speech with, for prompts that have some."""


class Prompt(Frozen):
    """What a text begins with. With media, `parts` is the text before, between and after them."""

    tokens: Sequence[int] = ()
    """The tokens of the text."""
    parts: Sequence[bytes] = ()
    media: Sequence[str] = ()
    """Files of pictures and speech, in base64."""


class Ending(Enum):
    """Why a text ends: the model ended it, or it has as many tokens as were asked for."""

    STOP = "stop"
    LENGTH = "length"


class Piece(Frozen):
    """A part of a text: usually a token. `count` is the number of tokens so far, `ending` is given with the
    last piece, which may be empty; `prompt` is the number of the prompt's tokens, 0 if it is as asked for."""

    text: bytes
    count: int
    ending: Ending | None = None
    prompt: int = 0


class Adapter(Protocol):
    """A loaded model. All methods may be called on several threads at once, and raise anything."""

    build: int
    """The number of llama.cpp's build; 0 if it isn't known."""
    commit: str

    def __init__(self, plan: Plan) -> None:
        """Load it."""

    def tokens(self, text: bytes) -> Sequence[int]:
        """The tokens of a prompt, with those that the model wants at its beginning; names of special tokens
        in the text are such tokens."""

    def generate(self, prompt: Prompt, settings: Settings, most: int, take: Callable[[Piece], bool]) -> None:
        """Generate a text of at most `most` tokens; `take` gets its pieces, and returns whether to stop."""

    def embedding(self, tokens: Sequence[int]) -> Sequence[float]:
        """The embedding of a prompt, of length 1."""


MARKER = "LLAMA_MEDIA_MARKER"
"""The variable of the environment that says what stands for a picture in a text; llama.cpp reads it."""
ADAPTERS: Mapping[str, tuple[str, str]] = {
    "xllamacpp": ("server", "ServerAdapter"),
    "llama_cpp": ("library", "LibraryAdapter"),
}
"""The module and class of each backend's adapter."""
