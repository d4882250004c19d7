"""A headless Chromium of the tests': pages opened, moved by mouse and keyboard, asked and pictured.

What is here: the few messages of the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/)
that this takes, over the pipes that Chromium reads as files 3 and 4. What is not: what a page should do.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What Chromium may be called; the first is a package of Debian's with no screen in it."""
PATIENCE = 60.0
"""Seconds after which an answer that didn't come is an error."""
KEYS = {
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PageUp": 33, "PageDown": 34,
    "End": 35, "Home": 36, "Tab": 9,
}  # fmt: skip
"""Windows' numbers of keys without a character, which is what Chromium acts on."""


def program() -> str | None:
    """The path of a Chromium that can be started here, or None."""
    names = PROGRAMS if hasattr(os, "posix_spawn") else ()
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """One Chromium with one page."""

    def __init__(self, profile: Path) -> None:
        """Start Chromium; `profile` is an empty directory for it."""
        path = program()
        assert path is not None
        theirs_in, self._send = os.pipe()
        self._receive, theirs_out = os.pipe()
        import fcntl  # where there is posix_spawn

        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (theirs_in, theirs_out)]
        words = [
            path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", f"--user-data-dir={profile}", "about:blank",
        ]  # fmt: skip
        quiet = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
        pipes = [(os.POSIX_SPAWN_DUP2, fd, target) for fd, target in zip(high, (3, 4), strict=True)]
        self._pid = os.posix_spawn(path, words, os.environ, file_actions=[quiet, *pipes], setpgroup=0)
        for fd in (theirs_in, theirs_out, *high):
            os.close(fd)
        self._rest = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def _message(self) -> dict[str, Any]:
        end = monotonic() + PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, end - monotonic()))
            chunk = os.read(self._receive, 1 << 16) if ready else b""
            if not chunk:
                raise TimeoutError("Chromium doesn't answer")
            self._rest += chunk
        whole, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(whole)
        if "method" in message:
            self.events.append(message)
        return message

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while (answer := self._message()).get("id") != number:
            pass
        assert "error" not in answer, answer["error"]
        result: dict[str, Any] = answer["result"]
        return result

    def happened(self, method: str) -> list[dict[str, Any]]:
        """Parameters of the events of this name, until now."""
        return [event["params"] for event in self.events if event["method"] == method]

    def open(self, url: str, width: int = 1200, height: int = 800) -> None:
        """Show a page and wait until it has loaded."""
        self.events.clear()
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self._ask("Page.navigate", url=url)
        while not self.happened("Page.loadEventFired"):
            self._message()

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """What a person reads in the first element that the selector finds."""
        found = self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText")
        assert found is not None, f"nothing is {selector}"
        return str(found)

    def box(self, selector: str) -> tuple[float, float, float, float]:
        """Left, top, width, height of an element on the screen."""
        code = f"(r => [r.x, r.y, r.width, r.height])(document.querySelector({json.dumps(selector)})"
        x, y, width, height = self.evaluate(code + ".getBoundingClientRect())")
        return x, y, width, height

    def press(self, key: str, shift: bool = False) -> None:
        """Press and release a key: a name of KEYS, or a character."""
        code = KEYS.get(key) or ord(key.upper())
        settings: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        if key not in KEYS:
            settings["text"] = key
        self._ask("Input.dispatchKeyEvent", type="keyDown", **settings)
        self._ask("Input.dispatchKeyEvent", type="keyUp", **settings)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse at one point and release it at another, with the way between. One point: a
        click."""
        way = [
            (start[0] + (end[0] - start[0]) * i / 8, start[1] + (end[1] - start[1]) * i / 8) for i in range(9)
        ]
        pressed = {"button": "left", "clickCount": 1}
        self._ask("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], **pressed)
        for x, y in way:
            self._ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self._ask("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], **pressed)

    def click(self, selector: str) -> None:
        x, y, width, height = self.box(selector)
        middle = (x + width / 2, y + height / 2)
        self.drag(middle, middle)

    def screenshot(self) -> bytes:
        """What is on the screen, as PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._send)
        os.close(self._receive)


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser that is gone afterwards."""
    started = Browser(profile)
    try:
        yield started
    finally:
        started.close()
