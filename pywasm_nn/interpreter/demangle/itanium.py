"""C++ symbols of the Itanium C++ ABI, as Clang and GCC write them: `_Z` and a name, which refers to earlier
parts by number.

https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
What is here: names. What is not: types and template arguments (`cpp_types.py`). Names of tables and thunks
that compilers generate (`_ZTV` and the like) are no functions and stay unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from .cpp_types import TypeReader, listed
from .cpp_words import OPERATORS, STANDARD
from .reading import NotMangledError


def demangle(symbol: str) -> str:
    """The source name, without parameters. Raises NotMangledError."""
    reader = NameReader(symbol, 2)
    name = reader.name()
    if not name:
        raise NotMangledError
    return name


class NameReader(TypeReader):
    """Reads a name."""

    def name(self) -> str:
        self.enter()
        self.ends_in_arguments = self.makes_itself = False
        if self.take("N"):
            return self.leave(self.nested())
        if self.take("Z"):
            return self.leave(self.local())
        if self.next == "S" and not self.symbol.startswith("St", self.at):
            name = self.substitution()
            if self.next != "I":
                return self.leave(name)
        else:
            name = "std::" + self.unqualified("") if self.take("St") else self.unqualified("")
            if self.next == "I":
                self.substitutes.append(name)
        if self.next == "I":
            name = applied(name, self.arguments())
            self.ends_in_arguments = True
        return self.leave(name)

    def nested(self) -> str:
        qualifiers = self.qualifiers()
        reference = "&" if self.take("R") else "&&" if self.take("O") else ""
        name = last = ""
        is_new = False
        while not self.take("E"):
            self.leave(name)
            self.enter()
            if is_new:
                self.substitutes.append(name)
            is_new = True
            self.ends_in_arguments = False
            self.take("M")  # the initialiser of a data member
            if self.next == "S" and not self.symbol.startswith("St", self.at):
                name, is_new = self.substitution(), False
                last = name
            elif self.next == "T":
                name = last = self.parameter()
            elif self.next == "I":
                name = applied(name, self.arguments())
                self.ends_in_arguments = True
            elif self.next == "D" and self.symbol[self.at + 1 : self.at + 2] in ("t", "T"):
                name = last = self.decltype()
            elif self.take("St"):
                name, is_new = "std", False
            else:
                part = self.unqualified(last)
                last = part if not part.startswith("~") else last
                name += f"::{part}" if name else part
        self.trailing = "".join(f" {word}" for word in qualifiers) + (f" {reference}" if reference else "")
        return name

    def local(self) -> str:
        """A name inside a function."""
        outer = self.encoding()
        self.expect("E")
        if self.take("s"):
            self.discriminator()
            return f"{outer}::string literal"
        if self.take("d"):
            self.number()
        inner = self.name()
        self.discriminator()
        return f"{outer}::{inner}"

    def discriminator(self) -> None:
        if self.take("__"):
            self.decimal()
            self.take("_")
        elif self.take("_"):
            self.character()

    def encoding(self) -> str:
        """A function with its parameters, which distinguish overloaded functions."""
        self.trailing = ""
        name = self.name()
        if self.next in ("E", ""):
            return name
        trailing, self.trailing = self.trailing, ""
        if self.ends_in_arguments and not self.makes_itself:
            self.type()  # the result
        return f"{name}({listed(self.types())}){trailing}"

    def unqualified(self, around: str) -> str:
        """One part of a name; `around` is the part before it, which gives constructors their name."""
        self.take("L")  # internal linkage
        name = self.unqualified_of(around)
        while self.take("B"):
            name += f"[abi:{self.identifier(self.decimal())}]"
        return name

    def unqualified_of(self, around: str) -> str:
        if self.next.isdigit():
            name = self.identifier(self.decimal())
            return "(anonymous namespace)" if name.startswith("_GLOBAL__N") else name
        if self.next == "C":
            return self.constructor(around)
        if self.next == "D" and self.symbol[self.at + 1 : self.at + 2] in "0123456":
            self.at += 2
            self.makes_itself = True
            return "~" + bare(around)
        if self.take("DC"):
            parts = []
            while not self.take("E"):
                parts.append(self.identifier(self.decimal()))
            return f"[{', '.join(parts)}]"
        if self.take("Ut"):
            return f"'unnamed{self.counter()}'"
        if self.take("Ul"):
            parameters = listed(self.types())
            self.expect("E")
            return f"'lambda{self.counter()}'({parameters})"
        return self.operator()

    def constructor(self, around: str) -> str:
        self.expect("C")
        inherited = self.take("I")
        if self.character() not in "12345":
            raise NotMangledError
        if inherited:
            self.type()
        self.makes_itself = True
        return bare(around)

    def counter(self) -> str:
        """The number that distinguishes unnamed types or lambdas; "" for the first."""
        digits = self.while_in("0123456789")
        self.expect("_")
        return digits

    def operator(self) -> str:
        code = self.identifier(2)
        if code == "cv":
            self.makes_itself = True
            return f"operator {self.type()}"
        if code == "li":
            return f'operator"" {self.identifier(self.decimal())}'
        if code not in OPERATORS:
            raise NotMangledError
        return f"operator{OPERATORS[code]}"

    def substitution(self) -> str:
        """An earlier part of the symbol, or an abbreviation of the standard library."""
        for code, text in STANDARD.items():
            if self.take(code):
                return text
        self.expect("S")
        digits = self.while_in("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        self.expect("_")
        return at(self.substitutes, int(digits, 36) + 1 if digits else 0)


def applied(name: str, arguments: str) -> str:
    """A template's name with its arguments."""
    return f"{name} {arguments}" if name.endswith("<") else name + arguments


def bare(name: str) -> str:
    """The last part of a name without template arguments: the name of its constructors."""
    depth, start = 0, 0
    for index, character in enumerate(name):
        depth += (character == "<") - (character == ">")
        if depth == 0 and name.startswith("::", index):
            start = index + 2
    return name[start:].partition("<")[0]


def at(values: Sequence[str], index: int) -> str:
    if index >= len(values):
        raise NotMangledError
    return values[index]
