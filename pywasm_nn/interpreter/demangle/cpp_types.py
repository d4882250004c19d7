"""Types and template arguments in C++ symbols.

A type is a text with a hole for its declarator: `int (*` and `)(char)`. What is not here: names
(`itanium.py`).
"""

from __future__ import annotations

from .cpp_words import BINARY, BUILTIN, SUFFIXES, UNARY
from .reading import NotMangledError, Reader

QUALIFIERS = {"r": "restrict", "V": "volatile", "K": "const"}
POINTERS = {"P": "*", "R": "&", "O": "&&"}
HOLE = "\0"
"""Marks the place of the declarator in the type of a function or an array."""


class TypeReader(Reader):
    """Reads types and template arguments, with the expressions in them."""

    def __init__(self, symbol: str, at: int) -> None:
        super().__init__(symbol, at)
        self.substitutes: list[str] = []
        """Parts that substitutions can refer to."""
        self.parameters: list[str] = []
        """Template arguments that `T_` refers to: those of the innermost name read."""
        self.ends_in_arguments = False
        """Whether the last name ends in template arguments; then the function's type begins with its
        result."""
        self.makes_itself = False
        """Whether the last name is a constructor, a destructor or a conversion, whose type has no result."""
        self.trailing = ""
        """Qualifiers that follow the parameters of the last name."""

    # Names inside of types

    def name(self) -> str:
        raise NotImplementedError

    def encoding(self) -> str:
        raise NotImplementedError

    def substitution(self) -> str:
        raise NotImplementedError

    def operator(self) -> str:
        raise NotImplementedError

    # Types

    def type(self) -> str:
        """A type without a declarator."""
        return self.open_type().replace(HOLE, "")

    def open_type(self) -> str:
        self.enter()
        letter = self.next
        if self.take("u"):
            return self.leave(self.identifier(self.decimal()))
        for code in (letter, self.symbol[self.at : self.at + 2]):
            if code in BUILTIN and not (letter == "D" and len(code) == 1):
                self.at += len(code)
                return self.leave(BUILTIN[code])
        if letter == "S" and not self.symbol.startswith("St", self.at):
            text = self.substitution()
            if self.next == "I":
                text += self.arguments()
                self.substitutes.append(text)
            return self.leave(text)
        text = self.new_type(letter)
        self.substitutes.append(text)
        return self.leave(text)

    def new_type(self, letter: str) -> str:
        if letter in QUALIFIERS and letter:
            return self.qualified()
        if letter in POINTERS and letter:
            self.at += 1
            return pointing(self.open_type(), POINTERS[letter])
        match letter:
            case "F":
                return self.function("")
            case "A":
                return self.array()
            case "M":
                return self.member()
            case "T" if self.symbol[self.at + 1 : self.at + 2] in ("s", "u", "e"):
                self.at += 2
                return self.name()
            case "T":
                text = self.parameter()
                if self.next == "I":
                    self.substitutes.append(text)
                    text += self.arguments()
                return text
            case "D":
                return self.special()
            case "C" | "G":
                self.at += 1
                return f"{self.type()} {'complex' if letter == 'C' else 'imaginary'}"
            case "U":
                self.at += 1
                word = self.identifier(self.decimal())
                word += self.arguments() if self.next == "I" else ""
                return f"{self.type()} {word}"
        parameters = self.parameters
        text = self.name()
        self.parameters = parameters
        return text

    def qualifiers(self) -> list[str]:
        return [QUALIFIERS[letter] for letter in self.while_in("rVK")][::-1]

    def qualified(self) -> str:
        words = "".join(f" {word}" for word in self.qualifiers())
        if self.next == "F":
            return self.function(words)
        inner = self.open_type()
        if HOLE in inner and inner.endswith("]"):  # `const` of an array applies to its elements
            base, _, rest = inner.partition(" " + HOLE)
            return f"{base}{words} {HOLE}{rest}"
        return inner + words

    def function(self, words: str) -> str:
        self.expect("F")
        self.take("Y")  # extern "C"
        result = self.open_type()
        parameters = []
        reference = ""
        while not self.take("E"):
            if self.symbol[self.at : self.at + 2] in ("RE", "OE"):
                reference = " &" if self.character() == "R" else " &&"
                continue
            parameters.append(self.type())
        return filled(result, f" {HOLE}({listed(parameters)}){words}{reference}")

    def array(self) -> str:
        self.expect("A")
        size = ""
        if self.next.isdigit():
            size = str(self.decimal())
        elif self.next != "_":
            size = self.expression()
        self.expect("_")
        return filled(self.open_type(), f" {HOLE}[{size}]")

    def member(self) -> str:
        """A pointer to a member."""
        self.expect("M")
        class_ = self.type()
        inner = self.open_type()
        if HOLE in inner:
            return inner.replace(HOLE, f"({class_}::*{HOLE})", 1)
        return f"{inner} {class_}::*"

    def special(self) -> str:
        """Types that begin with D."""
        if self.take("Dp"):
            return f"{self.type()}..."
        if self.symbol[self.at : self.at + 2] in ("Dt", "DT"):
            return self.decltype()
        if self.take("Dv"):
            size = str(self.decimal()) if self.next.isdigit() else self.expression()
            self.expect("_")
            return f"{self.type()} vector[{size}]"
        for code, word in (("Do", " noexcept"), ("Dx", "")):
            if self.take(code):
                words = "".join(f" {word}" for word in self.qualifiers())
                return self.function(words + word)
        raise NotMangledError

    def decltype(self) -> str:
        self.at += 2
        text = self.expression()
        self.expect("E")
        return f"decltype({text})"

    def types(self) -> list[str]:
        """Types up to an E or the end of the symbol."""
        found = []
        while self.next not in ("E", "", "."):
            found.append(self.type())
        return found

    def parameter(self) -> str:
        """A template parameter, replaced by its argument."""
        self.expect("T")
        digits = self.while_in("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        self.expect("_")
        index = int(digits, 36) + 1 if digits else 0
        return self.parameters[index] if index < len(self.parameters) else "auto"

    # Template arguments

    def arguments(self) -> str:
        """ "<int, 3>" """
        self.enter()
        self.expect("I")
        arguments: list[str] = []
        while not self.take("E"):
            arguments.append(self.argument())
        self.parameters = arguments
        written = ", ".join(argument for argument in arguments if argument)
        return self.leave(f"<{written}>")

    def argument(self) -> str:
        if self.take("L"):
            return self.literal()
        if self.take("X"):
            text = self.expression()
            self.expect("E")
            return text
        if self.take("J"):
            arguments = []
            while not self.take("E"):
                arguments.append(self.argument())
            return ", ".join(argument for argument in arguments if argument)
        return self.type()

    def literal(self) -> str:
        """A literal, after its L."""
        if self.take("_Z"):
            text = self.encoding()
            self.expect("E")
            return text
        code = self.next
        type_ = self.type()
        digits = self.while_in("n0123456789abcdef.")
        self.expect("E")
        number = digits.replace("n", "-", 1)
        if code == "b" and number in ("0", "1"):
            return "true" if number == "1" else "false"
        if code == "i" or code in SUFFIXES:
            return number + SUFFIXES.get(code, "")
        return f"({type_}){number}" if number else type_.replace("std::nullptr_t", "nullptr")

    def expression(self) -> str:
        """The expressions that are common in template arguments."""
        self.enter()
        return self.leave(self.expression_of(self.symbol[self.at : self.at + 2]))

    def expression_of(self, code: str) -> str:
        if code.startswith("L"):
            self.at += 1
            return self.literal()
        if code.startswith("T"):
            return self.parameter()
        if code.startswith("f"):
            return self.function_parameter()
        if code[:1].isdigit():
            return self.name()
        self.at += 2
        match code:
            case "sr":
                type_ = self.type()
                name = self.identifier(self.decimal()) if self.next.isdigit() else self.operator()
                return f"{type_}::{name}" + (self.arguments() if self.next == "I" else "")
            case "sp":
                return f"{self.expression()}..."
            case "sZ":
                return f"sizeof...({self.expression()})"
            case "cl":
                called = self.expression()
                return f"{called}({', '.join(self.expressions())})"
            case "cv" | "sc" | "cc" | "dc" | "rc":
                type_ = self.type()
                value = ", ".join(self.expressions()) if self.take("_") else self.expression()
                return f"({type_})({value})"
            case "tl" | "il":
                type_ = self.type() if code == "tl" else ""
                return f"{type_}{{{', '.join(self.expressions())}}}"
            case "st" | "at" | "ti":
                return f"{UNARY[code]}({self.type()})"
            case "qu":
                condition, first, second = self.expression(), self.expression(), self.expression()
                return f"({condition}) ? ({first}) : ({second})"
        if code in UNARY:
            return f"{UNARY[code]}({self.expression()})"
        if code in BINARY:
            first, second = self.expression(), self.expression()
            return f"({first}) {BINARY[code]} ({second})"
        raise NotMangledError

    def expressions(self) -> list[str]:
        found = []
        while not self.take("E"):
            found.append(self.expression())
        return found

    def function_parameter(self) -> str:
        """ "fp": a reference to a parameter of the function."""
        if self.take("fpT"):
            return "this"
        self.expect("fp")
        self.while_in("rVK")
        digits = self.while_in("0123456789")
        self.expect("_")
        return f"fp{digits}"

    def number(self) -> int:
        """ "_" is 0, "0_" is 1."""
        digits = self.while_in("0123456789")
        self.expect("_")
        return int(digits) + 1 if digits else 0


def listed(parameters: list[str]) -> str:
    """The parameters of a function."""
    return "" if parameters == ["void"] else ", ".join(parameters)


def filled(inner: str, around: str) -> str:
    """The type `inner` (a function's result, an array's element) with the rest of the type in its hole."""
    return inner.replace(HOLE, around.strip(), 1) if HOLE in inner else inner + around


def pointing(inner: str, symbol: str) -> str:
    """A pointer or a reference to a type."""
    if HOLE not in inner:
        if symbol == "&&" and inner.endswith("&"):
            return inner  # references collapse
        return inner.removesuffix("&&") + "&" if symbol == "&" and inner.endswith("&&") else inner + symbol
    if f"){HOLE}" in inner or f"*{HOLE}" in inner or f"&{HOLE}" in inner:
        return inner.replace(HOLE, symbol + HOLE, 1)
    return inner.replace(HOLE, f"({symbol}{HOLE})", 1)
