"""What readers of symbols share: a position, and bounds on what a symbol may cost."""

from __future__ import annotations

MOST_SYMBOL = 4000
"""Characters of a symbol."""
MOST_STEPS = 5000
"""Parts that are read of one symbol, those included that it names again; of a short one, `STEPS_A_CHARACTER`
for each of its characters."""
STEPS_A_CHARACTER = 16
MOST_DEPTH = 100
MOST_TEXT = 2000
"""Characters of a name; each part may be named again, so that a short symbol could stand for any length."""


class NotMangledError(Exception):
    """The symbol isn't what it looks like, or too much."""


class Reader:
    """A symbol with a position."""

    def __init__(self, symbol: str, at: int) -> None:
        self.symbol = symbol
        self.at = at
        self.depth = 0
        self.steps = 0
        self.most = min(MOST_STEPS, STEPS_A_CHARACTER * len(symbol))

    @property
    def next(self) -> str:
        """The character at hand; empty at the end."""
        return self.symbol[self.at : self.at + 1]

    def take(self, text: str) -> bool:
        """Go past `text` if it is at hand."""
        found = self.symbol.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise NotMangledError

    def character(self) -> str:
        character = self.next
        if not character:
            raise NotMangledError
        self.at += 1
        return character

    def while_in(self, characters: str) -> str:
        """As many characters as are among these."""
        start = self.at
        while self.next and self.next in characters:
            self.at += 1
        return self.symbol[start : self.at]

    def decimal(self) -> int:
        """A number without leading zeros: what follows a 0 is another."""
        if self.take("0"):
            return 0
        digits = self.while_in("0123456789")
        if not digits or len(digits) > 9:
            raise NotMangledError
        return int(digits)

    def identifier(self, length: int) -> str:
        text = self.symbol[self.at : self.at + length]
        if len(text) < length:
            raise NotMangledError
        self.at += length
        return text

    def enter(self) -> None:
        """Begin a part. Each has a `leave`, unless the symbol isn't right."""
        self.depth += 1
        self.steps += 1
        if self.depth > MOST_DEPTH or self.steps > self.most:
            raise NotMangledError

    def leave(self, text: str) -> str:
        """End a part that stands for `text`."""
        self.depth -= 1
        if len(text) > MOST_TEXT:
            raise NotMangledError
        return text
