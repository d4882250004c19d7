"""A file system in memory: directories for guests without a disk.

What is here: `MemoryDirectory`, which a user gives to guests and reads afterwards, its nodes, and their
`Folder` and `Descriptor`. What is not: resolving paths (`paths.py`, `folders.py`), which is the same as on
the host.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock

from ..brief import named, sized, summarised
from ..checks import check_kind, check_mapping, check_whole
from .codes import FILE_RIGHTS, Advice, FdFlags, Filetype, OpenFlags, Rights, Whence
from .descriptors import Descriptor, Entry, Stat, Times, check_offset, moved
from .errors import Errno, WasiError
from .folders import Folder
from .paths import Place, Steps, walk
from .patience import PIECE, Buffers, Patience, in_pieces, size_of

NAME_MAX = 255
"""Bytes of a name, as on Linux."""
NODE_COST = 512
"""The cost of a name in bytes, besides its letters and content: about what Python needs for it."""
FIRST_DEVICE = 1 << 32
"""The first device number of file systems in memory, beyond the numbers that hosts use."""


@summarised
@dataclass(eq=False, slots=True)
class Node:
    """A file, a directory or a symbolic link."""

    filetype: Filetype
    inode: int
    data: bytearray = field(default_factory=bytearray)
    """The content of a file."""
    names: dict[str, Node] = field(default_factory=dict)
    """The entries of a directory."""
    parent: Node | None = None
    """The parent of a directory, except the root."""
    target: str = ""
    """The target of a symbolic link."""
    links: int = 1
    opened: int = 0
    accessed: int = 0
    modified: int = 0
    changed: int = 0

    @property
    def is_directory(self) -> bool:
        return self.filetype is Filetype.DIRECTORY

    @property
    def size(self) -> int:
        return len(self.data) or len(os.fsencode(self.target))


class MemoryDirectory(Mapping[str, bytes]):
    """A directory in memory: `Wasi(dirs={"/": MemoryDirectory({"in.txt": b"..."})})`.

    Keys are paths with `/`; parents are created as needed, and a key that ends in `/` is an empty directory.
    Changes by guests stay: `directory["out.txt"]` is the content of a file, iteration gives the paths of all
    files. Guests that get the same directory share it. `limit` is in bytes of content; each name costs 512
    bytes and its letters; beyond the limit guests get ENOSPC.
    """

    def __init__(self, files: Mapping[str, bytes | str] | None = None, *, limit: int = 1 << 28) -> None:
        check_whole("limit", limit)
        check_mapping("files", files or {}, 'a mapping like {"in.txt": b"..."}')
        self.limit = limit
        self.used = 0
        self.lock = RLock()
        self._inodes = 1
        self.root = Node(Filetype.DIRECTORY, self._inodes)
        for path, content in (files or {}).items():
            self._place(path, content)

    def _place(self, path: str, content: bytes | str) -> None:
        if not path.strip("/"):
            raise ValueError(f"{path!r} is no path in a directory")
        *parents, name = path.split("/")
        node = self.root
        for part in parents:
            if part in (".", ".."):
                raise ValueError(f"{path!r} is no plain path")
            if part and part not in node.names:
                self.add(node, part, Filetype.DIRECTORY)
            node = node.names[part] if part else node
        if name in (".", "..") or not node.is_directory or node.names.get(name, node) is not node:
            raise ValueError(f"{path!r} is taken or no plain path")
        check_kind(f"files[{path!r}]", content, (str, bytes), "str or bytes")
        if name:
            data = content.encode() if isinstance(content, str) else content
            file = self.add(node, name, Filetype.REGULAR_FILE)
            self.resize(file, len(data), lambda: None)
            file.data[:] = data

    # For the user.

    def __iter__(self) -> Iterator[str]:
        """Paths of all files, sorted."""
        with self.lock:
            return iter(sorted(self._files()))

    def __getitem__(self, path: str) -> bytes:
        """The content of a file. Raises KeyError."""
        with self.lock:
            node: Node | None = self.root
            for part in filter(None, path.split("/")):
                node = node.names.get(part) if node else None
            if node is None or node.filetype is not Filetype.REGULAR_FILE:
                raise KeyError(path)
            return bytes(node.data)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return named("MemoryDirectory", f"of {len(self.root.names)} names, {sized(self.used)} used")

    def _files(self) -> Iterator[str]:
        todo: list[tuple[Node, Path]] = [(self.root, None)]
        while todo:
            node, path = todo.pop()
            for name, child in node.names.items():
                if child.is_directory:
                    todo.append((child, (path, name)))
                elif child.filetype is Filetype.REGULAR_FILE:
                    yield joined((path, name))

    # For folders and files, which hold the lock.

    def add(self, parent: Node, name: str, filetype: Filetype, now: int = 0) -> Node:
        """Make a node under a new name."""
        if not parent.links:
            raise OSError(errno.ENOENT, "the directory was removed")
        self.charge(cost_of(name))
        self._inodes += 1
        node = Node(filetype, self._inodes, accessed=now, modified=now, changed=now)
        if node.is_directory:
            node.parent = parent
        parent.names[name] = node
        parent.modified = parent.changed = now
        return node

    def require(self, count: int) -> None:
        """Raise ENOSPC if `count` more bytes would exceed the limit."""
        if self.used + count > self.limit:
            raise WasiError(Errno.NOSPC, f"the directory in memory is limited to {self.limit} bytes")

    def charge(self, count: int) -> None:
        """Count bytes. Raises ENOSPC beyond the limit."""
        self.require(count)
        self.used += count

    def resize(self, node: Node, size: int, patience: Patience) -> None:
        """Set the size of a file; new bytes are zero."""
        self.require(size - len(node.data))
        if size < len(node.data):
            self.used -= len(node.data) - size
            del node.data[size:]
        while size > len(node.data):
            count = min(size - len(node.data), PIECE)
            node.data.extend(bytes(count))
            self.used += count
            patience()

    def drop(self, node: Node) -> None:
        """A name or a descriptor of the node was removed: free what nothing refers to any more."""
        if not node.links and not node.opened:
            self.used -= len(node.data)
            node.data = bytearray()
        if not node.links:
            # Break the reference to the parent: a folder open on a removed directory would keep its parents
            # in memory without being counted.
            node.parent = None


Path = tuple["Path | None", str] | None
"""Names from the last to the first. Full texts for all paths of a deep tree would need its depth squared."""


def joined(path: Path) -> str:
    """The text of a path."""
    names = []
    while path is not None:
        path, name = path
        names.append(name)
    return "/".join(reversed(names))


def cost_of(name: str, target: str = "") -> int:
    """The cost of a name, and of a link's target. Python uses up to four bytes for a letter."""
    return NODE_COST + sum(len(text) * (1 if text.isascii() else 4) for text in (name, target))


def child(parent: Node, name: str) -> Node | None:
    """The node with this name in a directory, or None. Raises ENAMETOOLONG for an impossible name."""
    if len(os.fsencode(name)) > NAME_MAX:
        raise WasiError(Errno.NAMETOOLONG, f"a name is longer than {NAME_MAX} bytes")
    return parent.names.get(name)


class MemorySteps(Steps):
    """A walk from node to node."""

    def __init__(self, root: Node) -> None:
        self.entered = [root]

    def enter(self, name: str) -> str | None:
        node = self.node(name)
        if node is None:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        if node.filetype is Filetype.SYMBOLIC_LINK:
            return node.target
        if not node.is_directory:
            raise WasiError(Errno.NOTDIR)
        self.entered.append(node)
        return None

    def leave(self) -> bool:
        if len(self.entered) == 1:
            return False
        self.entered.pop()
        return True

    def link(self, name: str) -> str | None:
        node = self.node(name)
        return node.target if node and node.filetype is Filetype.SYMBOLIC_LINK else None

    def node(self, name: str) -> Node | None:
        return child(self.entered[-1], name)

    def place(self, name: str, slash: bool) -> Place:
        return Place(name, self.entered[-1], slash, name == ".")


class MemoryFolder(Folder):
    """A directory of a tree in memory. `now` gives the time that changes record."""

    def __init__(self, tree: MemoryDirectory, node: Node, now: Callable[[], int], device: int) -> None:
        self.system = self.tree = tree
        self.node = node
        self.now = now
        self.device = device

    @contextmanager
    def resolve(self, path: str, follow: bool) -> Iterator[Place]:
        with self.tree.lock:
            yield walk(MemorySteps(self.node), path, follow)

    def entries(self) -> Iterator[Entry]:
        with self.tree.lock:
            names, nodes = list(self.node.names), list(self.node.names.values())
        for name, node in zip(names, nodes, strict=True):
            yield Entry(os.fsencode(name), node.inode, node.filetype)

    def copy(self) -> Folder:
        return MemoryFolder(self.tree, self.node, self.now, self.device)

    def stat(self) -> Stat:
        return self.stat_of(self.node)

    def stat_of(self, node: Node) -> Stat:
        times = node.accessed, node.modified, node.changed
        links = node.links
        if node.is_directory and links:
            links = 2 + sum(child.is_directory for child in node.names.values())
        return Stat(node.filetype, self.device, node.inode, links, node.size, *times)

    def set_times(self, times: Times) -> None:
        self.set_times_of_node(self.node, times)

    def set_times_of_node(self, node: Node, times: Times) -> None:
        node.accessed, node.modified = times.of(self.stat_of(node))
        node.changed = self.now()

    def at(self, place: Place) -> Node:
        """The node at a place. Raises ENOENT."""
        found: Node | None = place.parent if place.dot else child(place.parent, place.name)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place.name)
        return found

    def status(self, place: Place) -> Stat | None:
        try:
            return self.stat_of(self.at(place))
        except FileNotFoundError:
            return None

    def open(
        self, place: Place, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        if self.status(place) is None and OpenFlags.CREAT in how:
            self.tree.add(place.parent, place.name, Filetype.REGULAR_FILE, self.now())
        node = self.at(place)
        if OpenFlags.TRUNC in how:
            self.tree.resize(node, 0, lambda: None)
            node.modified = node.changed = self.now()
        return MemoryFile(self, node, rights, inheriting, flags)

    def enter(self, place: Place) -> Folder:
        return MemoryFolder(self.tree, self.at(place), self.now, self.device)

    def set_times_of(self, place: Place, stat: Stat, times: Times) -> None:
        self.set_times_of_node(self.at(place), times)

    def make(self, place: Place) -> None:
        if child(place.parent, place.name) is not None:
            raise WasiError(Errno.EXIST)
        self.tree.add(place.parent, place.name, Filetype.DIRECTORY, self.now())

    def remove(self, place: Place) -> None:
        node = self.at(place)
        if not node.is_directory:
            raise WasiError(Errno.NOTDIR)
        if node.names:
            raise WasiError(Errno.NOTEMPTY)
        self.forget(place.parent, place.name)

    def unlink(self, place: Place) -> None:
        self.forget(place.parent, place.name)

    def forget(self, parent: Node, name: str) -> None:
        node = parent.names.pop(name)
        node.links -= 1
        self.tree.used -= cost_of(name, node.target)
        self.tree.drop(node)
        parent.modified = parent.changed = node.changed = self.now()

    def replace(self, old: Place, new: Place) -> None:
        node, parent = self.at(old), new.parent
        there = child(parent, new.name)
        if there is node:
            return
        if node.is_directory:
            above: Node | None = parent
            while above is not None:
                if above is node:
                    raise WasiError(Errno.INVAL, "a directory can't be moved into itself")
                above = above.parent
        if there is not None:
            if node.is_directory and not there.is_directory:
                raise WasiError(Errno.NOTDIR)
            if there.is_directory and not node.is_directory:
                raise WasiError(Errno.ISDIR)
            if there.names:
                raise WasiError(Errno.NOTEMPTY)
        if not parent.links:
            raise OSError(errno.ENOENT, "the directory was removed")
        if there is not None:
            self.forget(parent, new.name)
        self.tree.charge(cost_of(new.name) - cost_of(old.name))
        del old.parent.names[old.name]
        parent.names[new.name] = node
        if node.is_directory:
            node.parent = parent
        for changed in (old.parent, parent):
            changed.modified = changed.changed = self.now()
        node.changed = self.now()

    def add_name(self, old: Place, new: Place) -> None:
        node = self.at(old)
        if not new.parent.links:
            raise OSError(errno.ENOENT, "the directory was removed")
        self.tree.charge(cost_of(new.name, node.target))
        node.links += 1
        node.changed = self.now()
        new.parent.names[new.name] = node

    def make_link(self, text: str, place: Place) -> None:
        if not text:
            raise WasiError(Errno.NOENT, "the link leads nowhere")
        if child(place.parent, place.name) is not None:
            raise WasiError(Errno.EXIST)
        self.tree.require(cost_of(place.name, text))
        self.tree.add(place.parent, place.name, Filetype.SYMBOLIC_LINK, self.now()).target = text
        self.tree.used += cost_of("", text) - NODE_COST

    def target(self, place: Place) -> str:
        node = self.at(place)
        if node.filetype is not Filetype.SYMBOLIC_LINK:
            raise WasiError(Errno.INVAL, "no symbolic link")
        return node.target


class MemoryFile(Descriptor):
    """An open file in memory."""

    applicable = FILE_RIGHTS
    filetype = Filetype.REGULAR_FILE

    def __init__(
        self, folder: MemoryFolder, node: Node, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> None:
        super().__init__(rights, inheriting, flags)
        self.folder_of = folder
        self.tree = folder.tree
        self.node = node
        self.position = 0
        node.opened += 1

    def close(self) -> None:
        with self.tree.lock:
            self.node.opened -= 1
            self.tree.drop(self.node)

    def copy(self) -> Descriptor:
        copied = MemoryFile(self.folder_of, self.node, self.rights, self.inheriting, self.flags)
        copied.position = self.position
        return copied

    def read(self, buffers: Buffers, patience: Patience) -> int:
        count = self.pread(buffers, self.position, patience)
        self.position += count
        return count

    def write(self, buffers: Buffers, patience: Patience) -> int:
        with self.tree.lock:
            if FdFlags.APPEND in self.flags:
                self.position = len(self.node.data)
            count = self.pwrite(buffers, self.position, patience)
            self.position += count
            return count

    def pread(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        check_offset(offset)
        return in_pieces(buffers, patience, lambda piece, done: self.read_piece(piece, offset + done))

    def read_piece(self, buffers: Buffers, offset: int) -> int:
        start = offset
        with self.tree.lock:
            for buffer in buffers:
                data = self.node.data[offset : offset + len(buffer)]
                buffer[: len(data)] = data
                offset += len(data)
                if len(data) < len(buffer):
                    break
            self.node.accessed = self.folder_of.now()
        return offset - start

    def pwrite(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        check_offset(offset)
        self.tree.require(max(offset + size_of(buffers) - len(self.node.data), 0))
        return in_pieces(
            buffers, patience, lambda piece, done: self.write_piece(piece, offset + done, patience)
        )

    def write_piece(self, buffers: Buffers, offset: int, patience: Patience) -> int:
        start = offset
        with self.tree.lock:
            end = offset + size_of(buffers)
            if end > offset and end > len(self.node.data):
                self.tree.resize(self.node, end, patience)
            for buffer in buffers:
                self.node.data[offset : offset + len(buffer)] = buffer
                offset += len(buffer)
            self.node.modified = self.node.changed = self.folder_of.now()
        return offset - start

    def ready(self, write: bool) -> int | None:
        return None

    def waiting(self) -> int:
        return max(len(self.node.data) - self.position, 0)

    def seek(self, offset: int, whence: Whence) -> int:
        self.position = moved(self.position, len(self.node.data), offset, whence)
        return self.position

    def set_size(self, size: int, patience: Patience) -> None:
        check_offset(size)
        with self.tree.lock:
            self.tree.resize(self.node, size, patience)
            self.node.modified = self.node.changed = self.folder_of.now()

    def allocate(self, offset: int, count: int, patience: Patience) -> None:
        check_offset(offset + count)
        if not count:
            raise WasiError(Errno.INVAL, "nothing to allocate")
        with self.tree.lock:
            if offset + count > len(self.node.data):
                self.tree.resize(self.node, offset + count, patience)

    def advise(self, offset: int, count: int, advice: Advice) -> None:
        """Does nothing: memory needs no advice."""
        check_offset(count)

    def sync(self, patience: Patience) -> None:
        """Does nothing: there is no disk."""

    def stat(self) -> Stat:
        return self.folder_of.stat_of(self.node)

    def set_times(self, times: Times) -> None:
        self.folder_of.set_times_of_node(self.node, times)

    def open(
        self, path: str, follow: bool, how: OpenFlags, rights: Rights, inheriting: Rights, flags: FdFlags
    ) -> Descriptor:
        raise WasiError(Errno.NOTDIR)
