"""Directories held by handles, as on Windows, whose kernel a few calls of Linux play here: what is held when,
and that a new file is never made through a link. That Windows keeps a held name in place is its own word.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.wasi import folders, held
from pywasm_nn.wasi.errors import Errno

CREAT, DIRECTORY, EXCL, TRUNC = 1, 2, 4, 8
READ, WRITE = 2, 64


class Kernel:
    """CreateFileW and CloseHandle on descriptors; `holding` are the paths that are held now."""

    def __init__(self) -> None:
        self.holding: dict[int, str] = {}

    def CreateFileW(  # noqa: N802 - the name is Windows'
        self, path: str, access: int, share: int, security: None, how: int, flags: int, template: None
    ) -> int:
        assert access == held.GENERIC_READ, "less would not be refused to others"
        assert not share & 4, "deletion is not shared"
        assert flags & held.OPEN_REPARSE_POINT
        new = os.O_CREAT | os.O_EXCL if how == held.CREATE_NEW else os.O_PATH
        handle = os.open(path, new | os.O_NOFOLLOW)
        self.holding[handle] = os.path.normpath(path)
        return handle

    def CloseHandle(self, handle: int) -> None:  # noqa: N802 - the name is Windows'
        del self.holding[handle]
        os.close(handle)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    """The kernel of one test, after which nothing may be held: a guest that is closed later would close
    handles of the next test's kernel."""
    if not hasattr(os, "O_PATH"):
        pytest.skip("this system has no O_PATH to play Windows with")
    monkeypatch.setenv("PYWASM_NN_PORTABLE", "1")
    monkeypatch.setattr(folders, "held_kind", lambda: held.HeldByHandle)
    made = Kernel()
    monkeypatch.setattr(held, "kernel", lambda: made)
    yield made
    assert made.holding == {}


@pytest.fixture
def guest(kernel: Kernel, make_guest: Any, tree: Path) -> Any:
    return make_guest(dirs={"/": tree})


def test_files_are_made_read_changed_and_removed(guest: Any, tree: Path, kernel: Kernel) -> None:
    fd = guest.opened("sub/deep/new", CREAT | EXCL)
    assert guest.write_fd(fd, b"text") == (0, 4)
    assert guest.open("sub/deep/new", CREAT | EXCL)[0] == Errno.EXIST
    assert guest.read_fd(guest.opened("sub/up/sub/deep/new", CREAT, READ), 9) == (0, b"text")
    assert guest.call("path_rename", 3, *guest.put("sub/deep/new"), 3, *guest.put("empty/new")) == 0
    assert guest.call("path_link", 3, 0, *guest.put("empty/new"), 3, *guest.put("sub/new")) == 0
    assert guest.call("path_filestat_set_times", 3, 1, *guest.put("sub/new"), 10**9, 10**9, 5) == 0
    assert (tree / "empty" / "new").stat().st_mtime == 1
    assert guest.call("path_unlink_file", 3, *guest.put("sub/new")) == 0
    assert guest.call("path_create_directory", 3, *guest.put("sub/made")) == 0
    assert guest.call("path_remove_directory", 3, *guest.put("sub/made")) == 0
    assert list(kernel.holding.values()) == [str(tree)], "nothing but the root stays held"
    guest.host.close()
    assert kernel.holding == {}


def test_nothing_leads_out(guest: Any, tree: Path, kernel: Kernel) -> None:
    for path in ("..", "absolute", "out", "parent/secret", "sub/up_up/secret", "sub/deep/far", "proc/etc"):
        for how in (0, CREAT, CREAT | TRUNC):
            assert guest.open(path, how)[0] == Errno.PERM
    assert guest.open("dangling", CREAT | EXCL)[0] == Errno.EXIST
    assert guest.open("dangling", CREAT, follow=0)[0] == Errno.LOOP
    assert not (tree / "nothing").exists()
    assert list(kernel.holding.values()) == [str(tree)]


USES: dict[str, tuple[str, Callable[[Any], int]]] = {
    "open": ("sub/deep", lambda guest: guest.open("sub/deep/new", CREAT)[0]),
    "mkdir": ("sub/deep", lambda guest: guest.call("path_create_directory", 3, *guest.put("sub/deep/new"))),
    "rmdir": ("sub", lambda guest: guest.call("path_remove_directory", 3, *guest.put("sub/bare"))),
    "unlink": ("sub", lambda guest: guest.call("path_unlink_file", 3, *guest.put("sub/leaf"))),
    "symlink": ("sub", lambda guest: guest.call("path_symlink", *guest.put("x"), 3, *guest.put("sub/new"))),
    "utime": (
        "sub/leaf",
        lambda guest: guest.call("path_filestat_set_times", 3, 0, *guest.put("sub/leaf"), 1, 1, 5),
    ),
    "link": (
        "sub/leaf",
        lambda guest: guest.call("path_link", 3, 0, *guest.put("sub/leaf"), 3, *guest.put("new")),
    ),
    "replace": (
        "sub",
        lambda guest: guest.call("path_rename", 3, *guest.put("sub/leaf"), 3, *guest.put("new")),
    ),
}
"""Functions of `os`, what is held while they are at work, and a call of the guest that comes to them."""


@pytest.mark.parametrize("name", USES)
def test_all_on_the_way_is_held_while_it_is_used(
    name: str, guest: Any, tree: Path, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    way, call = USES[name]
    (tree / "sub" / "bare").mkdir()
    seen: list[set[str]] = []
    real = getattr(os, name)

    def watched(*arguments: Any, **options: Any) -> Any:
        if any(str(argument).startswith(str(tree)) for argument in arguments):
            seen.append(set(kernel.holding.values()))
        return real(*arguments, **options)

    monkeypatch.setattr(os, "supports_follow_symlinks", os.supports_follow_symlinks | {watched})
    monkeypatch.setattr(os, name, watched)
    assert call(guest) == 0
    path = [str(tree.joinpath(*way.split("/")[:depth])) for depth in range(way.count("/") + 2)]
    assert any(set(path) <= holding for holding in seen), (path, seen)
