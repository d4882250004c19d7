"""Pictures and speech within prompts: `<img src="data:image/png;base64,...">`, as WasmEdge's guests write it,
and `<audio src="data:audio/wav;base64,...">`.

What is not here: reading them, which llama.cpp does with the projector that the host named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...errors import Code, NNError

BEGINNING = re.compile(rb'<(?:img src="data:image|audio src="data:audio)/')
WHOLE = re.compile(BEGINNING.pattern + rb"""[\w.+-]{1,64};base64,([A-Za-z0-9+/]+={0,2})"\s{0,9}/?>""")
MOST = 16
"""The most media of a prompt."""


def media_of(prompt: bytes) -> tuple[Sequence[bytes], Sequence[str]]:
    """The text before, between and after the media of a prompt, and the media in base64. Raises
    NNError(INVALID_ARGUMENT) for media that aren't whole, or too many of them."""
    parts, media, at = [], [], 0
    while (beginning := BEGINNING.search(prompt, at)) is not None:
        found = WHOLE.match(prompt, beginning.start())
        if found is None:
            raise NNError(Code.INVALID_ARGUMENT, "the prompt has a picture or speech that is no base64")
        parts.append(prompt[at : found.start()])
        media.append(found[1].decode())
        at = found.end()
        if len(media) > MOST:
            raise NNError(Code.INVALID_ARGUMENT, f"the prompt has more than {MOST} pictures and recordings")
    return [*parts, prompt[at:]], media
