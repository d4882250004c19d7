"""The base of symbol readers: a position, and bounds on the work for one symbol."""

from __future__ import annotations

MOST_SYMBOL = 4000
"""The length of a symbol in characters."""
MOST_STEPS = 5000
"""The number of parts that are read of one symbol, including repeated parts; for a short symbol it is
`STEPS_A_CHARACTER` for each character."""
STEPS_A_CHARACTER = 16
MOST_DEPTH = 100
MOST_TEXT = 2000
"""The length of a name in characters. Parts can be repeated, so a short symbol could encode a name of any
length."""


class NotMangledError(Exception):
    """The symbol is malformed, or its name is too large."""


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
        """The current character; empty at the end."""
        return self.symbol[self.at : self.at + 1]

    def take(self, text: str) -> bool:
        """Skip `text` if it comes next; returns whether it does."""
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
        """Read characters as long as they are among these."""
        start = self.at
        while self.next and self.next in characters:
            self.at += 1
        return self.symbol[start : self.at]

    def decimal(self) -> int:
        """A number without leading zeros: a digit after a 0 belongs to the next number."""
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
        """Begin a part. Each part ends with `leave`, unless an error is raised."""
        self.depth += 1
        self.steps += 1
        if self.depth > MOST_DEPTH or self.steps > self.most:
            raise NotMangledError

    def leave(self, text: str) -> str:
        """End a part whose text is `text`."""
        self.depth -= 1
        if len(text) > MOST_TEXT:
            raise NotMangledError
        return text
