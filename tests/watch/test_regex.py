"""Patterns of the rules: compiled when they are first used, and each of them can be."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pywasm_nn.watch.regex import regex

IMPORTING = """
import re, sys
compile = re.compile
def compiled(*given):
    if sys._getframe(1).f_globals["__name__"].startswith("pywasm_nn.watch"):
        print(*given)
    return compile(*given)
re.compile = compiled
import pywasm_nn.watch.evidence
"""
EACH = """
import re
from importlib import import_module
from pkgutil import walk_packages
from pywasm_nn import watch
from pywasm_nn.watch import regex
made = []
regex.regex = lambda *given: made.append(re.compile(*given)) or made[-1]
for module in walk_packages(watch.__path__, "pywasm_nn.watch."):
    import_module(module.name)
print(len(made))
"""


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    word = regex(r"(?P<first>[a-z])\w*", re.IGNORECASE)
    compiled = re.compile(r"(?P<first>[a-z])\w*", re.IGNORECASE)
    text = "One two, 3 Four"
    assert word.pattern == compiled.pattern
    assert word.findall(text) == compiled.findall(text)
    assert word.sub("-", text) == compiled.sub("-", text)
    assert word.split(text) == compiled.split(text)
    found = word.fullmatch("Two")
    assert found is not None and found["first"] == "T"
    assert (word.flags, word.groups, dict(word.groupindex)) == (compiled.flags, 1, {"first": 1})
    assert regex(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_a_mistake_in_a_pattern_is_said_when_it_is_used() -> None:
    broken = regex("(")
    with pytest.raises(re.error, match="missing"):
        broken.search("x")


def test_each_pattern_of_the_rules_can_be_compiled() -> None:
    made = subprocess.run([sys.executable, "-c", EACH], capture_output=True, text=True, check=True)
    assert int(made.stdout) > 300


def test_importing_the_rules_compiles_few_patterns() -> None:
    made = subprocess.run([sys.executable, "-c", IMPORTING], capture_output=True, text=True, check=True)
    assert len(made.stdout.splitlines()) < 10
