"""A trace as a page: one HTML file that stands alone, with a slider over the steps.

What is here: putting the page together from `page.html`, `page.css` and `page.js` beside this file. What is
not: what the page is told (`steps.py`), and what it does with it (`page.js`).
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from ...interpreter.module import Module
from ...printable import printable
from .. import events
from .steps import steps_of

HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; img-src data:; style-src {style}; script-src {script}; "
    "base-uri 'none'; form-action 'none'"
)
"""What the page may do (https://www.w3.org/TR/CSP3/): run its own script, know its own style, and fetch
nothing."""


def page(module: Module, trace: Iterable[events.Event]) -> str:
    """The page that shows events of a guest made of `module`.

    Names of the guest's are text on the page, whatever is in them. Raises MalformedError if the body of a
    function that ran can't be decoded.
    """
    style, script = (text_of(name) for name in ("page.css", "page.js"))
    policy = POLICY.format(style=source(style), script=source(script))
    title = f"{printable(module.name) or 'a module'}: trace"
    return text_of("page.html").format(
        policy=escape(policy),
        title=escape(title),
        style=style,
        script=script,
        data=embedded(steps_of(module, trace)),
    )


def text_of(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def source(text: str) -> str:
    """An inline script or style as the policy names it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def embedded(data: Any) -> str:
    """JSON that can stand inside a script element: nothing in it ends the element or begins a comment."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
