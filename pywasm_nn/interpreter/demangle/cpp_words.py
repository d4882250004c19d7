"""Codes of C++ symbols: types, operators and abbreviations of the Itanium C++ ABI.

https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
"""

BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char",
    "s": "short", "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long",
    "x": "long long", "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128", "f": "float",
    "d": "double", "e": "long double", "g": "__float128", "z": "...", "Di": "char32_t", "Ds": "char16_t",
    "Du": "char8_t", "Dn": "std::nullptr_t", "Da": "auto", "Dc": "decltype(auto)", "Dh": "_Float16",
    "De": "decimal128", "Df": "decimal32", "Dd": "decimal64",
}  # fmt: skip
SUFFIXES = {"j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull"}
"""Suffixes of literals by type; literals of other types are written with a cast."""
STANDARD = {
    "Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::string", "Si": "std::istream",
    "So": "std::ostream", "Sd": "std::iostream",
}  # fmt: skip
UNARY = {
    "ps": "+", "ng": "-", "ad": "&", "de": "*", "co": "~", "nt": "!", "pp": "++", "mm": "--",
    "nx": "noexcept ", "sz": "sizeof ", "st": "sizeof ", "az": "alignof ", "at": "alignof ",
    "te": "typeid ", "ti": "typeid ", "tw": "throw ",
}  # fmt: skip
BINARY = {
    "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=",
    "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=",
    "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">",
    "le": "<=", "ge": ">=", "ss": "<=>", "aa": "&&", "oo": "||", "cm": ",", "pm": "->*", "dt": ".",
    "pt": "->", "ds": ".*",
}  # fmt: skip
NAMED = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "cl": "()", "ix": "[]", "qu": "?",
    "aw": " co_await",
}  # fmt: skip
OPERATORS = {**BINARY, **{code: text for code, text in UNARY.items() if not text.endswith(" ")}, **NAMED}
"""The text after the word `operator`, by code."""
