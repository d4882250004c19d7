"""The same calls on equal trees, here and under wasmtime: the same error numbers, and the same tree
afterwards."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .trees import below

PATHS = [
    "file", "file/", "file/.", "sub", "sub/", "sub/.", "sub/..", ".", "./", "..", "", "nothing", "nothing/",
    "nothing/x", "file/x", "to_file", "to_file/", "to_sub", "dangling", "dangling/", "absolute", "out",
    "loop", "empty", "empty/", "sub/leaf", "sub/up/file", "sub/up_up/secret", "file\0", "a" * 256, "/file",
]  # fmt: skip
TARGETS = [
    "new", "new/", "file", "empty", "empty/", "sub", "dangling", "../new", ".", "empty/.", "nothing/x", "",
]  # fmt: skip


def everything(directory: Path) -> list[tuple[str, str]]:
    """Every name below a directory, with what it is."""
    return sorted((name, content(entry)) for name, entry in below(directory))


def content(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return os.readlink(entry.path)
    if entry.is_dir():
        return "/"
    with open(entry.path) as file:
        return file.read()


class Side:
    """A guest on its own copy of the tree, both made anew when the guest has changed something."""

    def __init__(self, make: Callable[[Path], Any], tree: Path, place: Path) -> None:
        self.make, self.tree, self.place = make, tree, place
        self.fresh = everything(tree.parent)
        self.renew()

    def renew(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.tree.parent, self.place, symlinks=True)
        self.guest = self.make(self.place / self.tree.name)

    def act(self, call: Callable[[Any], Any]) -> tuple[Any, list[tuple[str, str]]]:
        """The call's answer, and the tree afterwards."""
        answer = call(self.guest)
        after = everything(self.place)
        if after != self.fresh:
            self.renew()
        self.guest.next = 4096
        return answer, after


@pytest.fixture
def both(
    start: Any, tree: Path, wasmtime_guest: Any, tmp_path_factory: Any
) -> Callable[..., tuple[Any, Any]]:
    """Makes one call here and in wasmtime on equal trees, and returns both answers."""
    place = tmp_path_factory.mktemp("sides")
    ours = Side(lambda directory: start(dirs={"/": directory}), tree, place / "ours")
    theirs = Side(wasmtime_guest, tree, place / "theirs")

    def compare(call: Callable[[Any], Any]) -> tuple[Any, Any]:
        (our_answer, our_tree), (their_answer, their_tree) = ours.act(call), theirs.act(call)
        assert our_tree == their_tree, (
            f"the calls left different trees, answering {our_answer}, {their_answer}"
        )
        return our_answer, their_answer

    return compare


def differences(both: Any, calls: dict[Any, Callable[[Any], Any]]) -> dict[Any, tuple[Any, Any]]:
    """Which of the calls answer differently: ours, then wasmtime's."""
    answers = {case: both(call) for case, call in calls.items()}
    return {case: answer for case, answer in answers.items() if answer[0] != answer[1]}


# Where two things are wrong at once the systems may name either; and wasmtime refuses a trailing slash in
# path_remove_directory, which the official suite leaves open.
ONE_PATH: dict[str, tuple[tuple[int, ...], tuple[int, ...], set[str]]] = {
    "path_create_directory": ((), (), set()),
    "path_remove_directory": ((), (), {"empty/", "sub/", "dangling/"}),
    "path_unlink_file": ((), (), {"dangling/"}),
    "path_readlink": ((), (512, 100, 0), set()),
    "path_filestat_get": ((1,), (512,), set()),
}
"""Functions with the parameters before the path and behind it, and paths that may differ."""


@pytest.mark.parametrize("name", ONE_PATH)
def test_functions_of_one_path(both: Any, name: str) -> None:
    before, behind, open_ = ONE_PATH[name]
    calls = {
        path: lambda guest, path=path: guest.call(name, 3, *before, *guest.put(path), *behind)
        for path in PATHS
        if path not in open_
    }
    assert differences(both, calls) == {}


@pytest.mark.parametrize("how", range(16))
def test_opening(both: Any, how: int) -> None:
    calls = {
        (path, rights, follow): lambda guest, path=path, rights=rights, follow=follow: guest.open(
            path, how, rights, follow=follow
        )[0]
        for path in PATHS
        for rights in (2, 64)
        for follow in (0, 1)
        if path != "./" or not how & 4  # exclusively creating a directory that is there: EEXIST or EISDIR
    }
    assert differences(both, calls) == {}


@pytest.mark.parametrize("name", ["path_rename", "path_link"])
def test_functions_of_two_paths(both: Any, name: str) -> None:
    flags = (0,) if name == "path_link" else ()
    calls = {
        (path, target): lambda guest, path=path, target=target: guest.call(
            name, 3, *flags, *guest.put(path), 3, *guest.put(target)
        )
        for path in ["file", "to_file", "sub", "empty", "dangling"]
        for target in TARGETS
    }
    calls |= {
        (path, "new"): lambda guest, path=path: guest.call(
            name, 3, *flags, *guest.put(path), 3, *guest.put("new")
        )
        for path in ["file/", "sub/", "nothing", ".", "../secret", "sub/..", "", "file\0", "loop"]
    }
    assert differences(both, calls) == {}


def test_making_links(both: Any) -> None:
    calls = {
        (text, path): lambda guest, text=text, path=path: guest.call(
            "path_symlink", *guest.put(text), 3, *guest.put(path)
        )
        for text in ["file", "../secret", "/etc", "nothing"]
        for path in TARGETS
    }
    calls |= {
        (text, "new"): lambda guest, text=text: guest.call(
            "path_symlink", *guest.put(text), 3, *guest.put("new")
        )
        for text in ["", "a\0b"]
    }
    assert differences(both, calls) == {}
