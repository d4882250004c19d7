"""A trace as a page: one self-contained HTML file, with a slider over the steps.

What is here: putting the page together from `page.html`, `page.css` and `page.js` in this directory. What is
not: the data of the page (`steps.py`), and its behaviour (`page.js`).
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
"""Content security policy of the page (https://www.w3.org/TR/CSP3/): it may run its own script, use its own
style, and fetch nothing."""


def page(module: Module, trace: Iterable[events.Event]) -> str:
    """The page that shows the events of a guest made from `module`.

    Names from the guest are escaped, so they can't become markup. Raises MalformedError if the body of a
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
    """The hash by which the policy names an inline script or style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def embedded(data: Any) -> str:
    """JSON for a script element: escaped so that it can neither end the element nor begin a comment."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
