"""Rust's symbols from version 0 on: `_R` and a path, which refers to earlier parts by position.

https://doc.rust-lang.org/rustc/symbol-mangling/v0.html
Crates are written without their hash, and values of constants without their type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .reading import NotMangledError, Reader

BASE_62 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
BASIC = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize",
    "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_", "s": "i16", "t": "u16",
    "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
}  # fmt: skip
NAMESPACES = {"C": "closure", "S": "shim"}


def demangle(symbol: str) -> str:
    """The path. Raises NotMangledError."""
    reader = Symbol(symbol, 2)
    path = reader.path(in_type=False)
    if reader.next and reader.next not in ".$":
        reader.path(in_type=False)  # the crate that made this instance of a generic function
    if reader.next and reader.next not in ".$":
        raise NotMangledError
    return path


class Symbol(Reader):
    """Reads each kind of part, recognised by its first letter."""

    def __init__(self, symbol: str, at: int) -> None:
        super().__init__(symbol, at)
        self.start = at
        self.lifetimes = 0
        """The number of lifetimes that are bound around the current part."""

    def number(self) -> int:
        """A number in base 62: `_` is 0, `0_` is 1."""
        digits = self.while_in(BASE_62)
        self.expect("_")
        if len(digits) > 12:
            raise NotMangledError
        value = 0
        for digit in digits:
            value = value * 62 + BASE_62.index(digit)
        return value + 1 if digits else 0

    def optional(self, letter: str) -> int:
        """A number after a letter; 0 if the letter is missing."""
        return self.number() + 1 if self.take(letter) else 0

    def name(self) -> str:
        """An identifier, perhaps in Punycode."""
        is_punycode = self.take("u")
        length = self.decimal()
        self.take("_")
        text = self.identifier(length)
        return unpunycoded(text) if is_punycode else text

    def path(self, in_type: bool) -> str:
        self.enter()
        return self.leave(self.path_of(self.character(), in_type))

    def path_of(self, kind: str, in_type: bool) -> str:
        match kind:
            case "C":
                self.optional("s")
                return self.name()
            case "N":
                namespace, outer = self.character(), self.path(in_type)
                number, name = self.optional("s"), self.name()
                if namespace.islower():
                    return f"{outer}::{name}" if name else outer
                kind = NAMESPACES.get(namespace, namespace)
                return f"{outer}::{{{kind}{':' + name if name else ''}#{number}}}"
            case "M" | "X":
                self.optional("s")
                self.path(in_type=True)
                type_ = self.type()
                return f"<{type_}>" if kind == "M" else f"<{type_} as {self.path(in_type=True)}>"
            case "Y":
                type_ = self.type()
                return f"<{type_} as {self.path(in_type=True)}>"
            case "I":
                outer = self.path(in_type)
                arguments = ", ".join(self.arguments())
                return f"{outer}{'' if in_type else '::'}<{arguments}>"
            case "B":
                return self.again(lambda: self.path(in_type))
        raise NotMangledError

    def again(self, read: Callable[[], str]) -> str:
        """A part that occurs earlier in the symbol."""
        position = self.start + self.number()
        here = self.at
        if position >= here:
            raise NotMangledError
        self.at = position
        text = read()
        self.at = here
        return text

    def arguments(self) -> Iterator[str]:
        """Generic arguments: lifetimes, types, constants."""
        while not self.take("E"):
            if self.take("L"):
                yield self.lifetime(self.number())
            elif self.take("K"):
                yield self.constant()
            else:
                yield self.type()

    def lifetime(self, index: int) -> str:
        if not index:
            return "'_"
        depth = self.lifetimes - index
        if depth < 0:
            raise NotMangledError
        return f"'{chr(ord('a') + depth)}" if depth < 26 else f"'_{depth}"

    def type(self) -> str:
        self.enter()
        if self.next in BASIC:
            return self.leave(BASIC[self.character()])
        if self.next in "CNMXYI":
            return self.leave(self.path(in_type=True))
        return self.leave(self.type_of(self.character()))

    def type_of(self, kind: str) -> str:
        match kind:
            case "A":
                return f"[{self.type()}; {self.constant()}]"
            case "S":
                return f"[{self.type()}]"
            case "T":
                parts = list(self.types())
                return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
            case "R" | "Q":
                lifetime = self.lifetime(self.number()) + " " if self.take("L") else ""
                lifetime = "" if lifetime == "'_ " else lifetime
                return f"&{lifetime}{'mut ' if kind == 'Q' else ''}{self.type()}"
            case "P":
                return f"*const {self.type()}"
            case "O":
                return f"*mut {self.type()}"
            case "F":
                return self.function()
            case "D":
                return self.object()
            case "B":
                return self.again(self.type)
        raise NotMangledError

    def types(self) -> Iterator[str]:
        while not self.take("E"):
            yield self.type()

    def binder(self) -> tuple[str, int]:
        """Bound lifetimes, as "for<'a> ", and their number."""
        count = self.optional("G")
        if count > 26:
            raise NotMangledError
        self.lifetimes += count
        names = ", ".join(self.lifetime(number) for number in range(count, 0, -1))
        return (f"for<{names}> " if count else ""), count

    def function(self) -> str:
        bound, count = self.binder()
        unsafe = "unsafe " if self.take("U") else ""
        abi = ""
        if self.take("K"):
            abi = f'extern "{"C" if self.take("C") else self.name().replace("_", "-")}" '
        parameters = ", ".join(self.types())
        result = self.type()
        self.lifetimes -= count
        return f"{bound}{unsafe}{abi}fn({parameters})" + ("" if result == "()" else f" -> {result}")

    def object(self) -> str:
        bound, count = self.binder()
        traits = []
        while not self.take("E"):
            traits.append(self.trait())
        self.lifetimes -= count
        self.expect("L")
        lifetime = self.lifetime(self.number())
        return f"dyn {bound}{' + '.join(traits)}" + ("" if lifetime == "'_" else f" + {lifetime}")

    def trait(self) -> str:
        """A trait of a trait object, with its associated types."""
        path, fixed = self.path(in_type=True), []
        while self.take("p"):
            fixed.append(f"{self.name()} = {self.type()}")
        if not fixed:
            return path
        opened = path.removesuffix(">") + ", " if path.endswith(">") else path + "<"
        return f"{opened}{', '.join(fixed)}>"

    def constant(self) -> str:
        self.enter()
        kind = self.character()
        if kind == "B":
            return self.leave(self.again(self.constant))
        if kind == "p":
            return self.leave("_")
        sign = "-" if self.take("n") else ""
        digits = self.while_in("0123456789abcdef")
        self.expect("_")
        if kind == "b":
            return self.leave("true" if digits == "1" else "false")
        if kind == "c":
            code = int(digits or "0", 16)
            if code > 0x10FFFF:
                raise NotMangledError
            return self.leave(repr(chr(code)))
        if kind not in BASIC:
            raise NotMangledError
        return self.leave(sign + (str(int(digits or "0", 16)) if len(digits) <= 16 else f"0x{digits}"))


def unpunycoded(text: str) -> str:
    """A non-ASCII identifier: its ASCII letters, and after the last `_` the encoded others."""
    ascii_, _, rest = text.rpartition("_")
    try:
        decoded = f"{ascii_}-{rest}" if ascii_ else rest
        return decoded.encode("ascii").decode("punycode")
    except UnicodeError:
        raise NotMangledError from None
