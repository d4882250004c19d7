"""The host of a guest in a copy of the process: answers are given, text is kept, and nothing else happens.

What is here: WASI's functions that change nothing, files that are opened for reading, and wasi-nn with fixed
outputs. Any other call ends the copy. What is not: the copy itself (`copies.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ...interpreter.runtime.observe import Watched
from ...interpreter.types import ExternKind
from ...namespaces import is_inference
from ..spoken import OUTPUTS
from .copies import Leave, connections, is_file

WASI = ("wasi_snapshot_preview1", "wasi_unstable")
TOLD = -1
"""Among the outputs: an u32, by which the number of bytes that get_output says is divided."""
HARMLESS = frozenset({
    "args_get", "args_sizes_get", "environ_get", "environ_sizes_get", "clock_res_get", "clock_time_get",
    "random_get", "sched_yield", "fd_prestat_get", "fd_prestat_dir_name", "fd_fdstat_get",
    "fd_filestat_get", "path_filestat_get",
})  # fmt: skip
READING = frozenset({"fd_read", "fd_pread", "fd_seek", "fd_tell"})
"""What a copy may do with files: each copy has a position of its own."""
ONWARD = READING | {"path_open", "set_input"}
"""By these calls a guest that has written a line goes on to its next input."""
FIRST_FILE = 3
ONE = b"\1"
WRITES = 1 << 6
"""The right to write to a file."""
NO_SEEK = 70
CHARACTERS, RIGHTS, SEEKING = 2, 8, 1 << 2 | 1 << 5
"""The kind of a descriptor that is a terminal, where its rights stand, and those that no terminal has."""
MOST_TEXT = 8192
MOST_COMPUTES = 16


def can_replace(instance: Watched) -> bool:
    """Whether all that an instance can reach is the host, by functions that a stand-in answers: neither other
    instances, whose host it isn't, nor threads."""
    functions = [one for one in instance.module.imports if one.kind is ExternKind.FUNC]
    known = all(one.module in WASI or is_inference(one.module) for one in functions)
    threads = any(memory.type.shared for memory in instance.mems)
    return known and bool(instance.mems) and not threads and len(instance.store.root().everyone()) == 1


class StandIn:
    """Answers the host calls of one guest whose context has these outputs, now and when it computes again."""

    def __init__(
        self,
        instance: Watched,
        context: int,
        series: Sequence[Mapping[int, bytes]],
        leave: Leave,
        fill: int | None = None,
        most: int = MOST_COMPUTES,
        others: Mapping[int, Mapping[int, bytes]] | None = None,
        alike: Collection[int] = (),
    ) -> None:
        """The outputs are `series` in turn, and the last of them from then on; those of other contexts are
        always `others`, or, if they are among `alike`, as those of this one. The guest computes at most
        `most` times. `fill` is written behind each answer, to the end of the guest's buffer, unless there are
        zeros: these may be there on purpose."""
        self._memory = instance.mems[0]
        self._engine = instance.engine
        self._made = {*instance.engine.ready}
        self._context = context
        self._series = series
        self._computes = 0
        self._others = others or {}
        self._alike = alike
        self._leave = leave
        self._fill = fill
        self._most = most
        self._reads_input = is_file(0)
        self._behind = 0
        self._texts = [bytearray()]
        self._fetched: set[int] = set()
        self._files: set[int] = set()

    def end(self, how: str) -> None:
        """End the copy."""
        texts = [text.decode("utf-8", "replace") for text in self._texts]
        made = sorted({*self._engine.ready} - self._made)
        said = {"texts": texts, "fetched": sorted(self._fetched), "end": how, "behind": self._behind}
        self._leave(said | {"made": made})

    def __call__(self, module: str, name: str, flat: Sequence[Any], real: Callable[..., Any]) -> Any:
        if name in ONWARD and not self._most and self._fetched and self._texts[-1].endswith(b"\n"):
            self.end(name)
        try:
            answer = self._inference(name, flat) if is_inference(module) else None
            if answer is None and module in WASI:
                answer = self._wasi(name, flat, real)
        except Exception:
            self.end("trap")
        if answer is None:
            self.end("exit" if name == "proc_exit" else name)
        return answer

    def _inference(self, name: str, flat: Sequence[Any]) -> int | None:
        is_own = flat[0] == self._context
        if not is_own and flat[0] not in self._others:
            return None
        if name == "set_input":
            return 0
        if name == "compute":
            return self._computed() if is_own else 0
        if is_own or flat[0] in self._alike:
            outputs = self._series[min(self._computes, len(self._series) - 1)]
        else:
            outputs = self._others[flat[0]]
        if name == "get_output" and (data := outputs.get(flat[1])) is not None:
            _, index, address, room, count = flat
            if len(data) <= room:
                self._memory.write(address, data)
                self._fill_behind(address + len(data), min(len(data), room - len(data)))
                told = len(data) // int.from_bytes(outputs.get(TOLD, ONE), "little")
                self._memory.write(count, told.to_bytes(4, "little"))
                if is_own:
                    self._fetched.add(index)
                return 0
        return None

    def _computed(self) -> int | None:
        if len(self._texts) > self._most:
            return None
        self._computes += 1
        self._texts.append(bytearray())
        return 0

    def _fill_behind(self, address: int, room: int) -> None:
        """Fill what is behind an answer: as much as that, because guests say that their buffer is larger than
        it is, and something else lies there."""
        if self._fill is not None and any(self._memory.view(address, room)):
            self._behind = max(self._behind, room)
            self._memory.write(address, bytes([self._fill]) * room)

    def _wasi(self, name: str, flat: Sequence[Any], real: Callable[..., Any]) -> int | None:
        file = flat[0] if flat else None
        if name == "fd_write" and file in OUTPUTS:
            return self._written(*flat[1:])
        if name == "fd_seek" and file in OUTPUTS:
            return NO_SEEK
        if name == "fd_fdstat_get" and file in OUTPUTS:
            return self._as_terminal(flat, real)
        if name in HARMLESS or (name in READING and self._is_read(file)):
            found: int = real(*flat)
            return found
        if name == "fd_close":
            return real(*flat) if file in self._files else 0
        if name == "path_open" and not flat[4] and not flat[5] & WRITES:
            return self._opened(flat, real)
        return None

    def _is_read(self, file: Any) -> bool:
        """Whether a descriptor is a file, and no stream of which the copy sees nothing."""
        return bool(file >= FIRST_FILE or (file == 0 and self._reads_input))

    def _as_terminal(self, flat: Sequence[Any], real: Callable[..., Any]) -> int:
        """What is written belongs to a terminal, so that C's library keeps no lines back until the end."""
        found: int = real(*flat)
        if found == 0:
            self._memory.write(flat[1], bytes([CHARACTERS]))
            rights = int.from_bytes(self._memory.read(flat[1] + RIGHTS, 8), "little") & ~SEEKING
            self._memory.write(flat[1] + RIGHTS, rights.to_bytes(8, "little"))
        return found

    def _opened(self, flat: Sequence[Any], real: Callable[..., Any]) -> int | None:
        """Opens a file for reading, and returns its error number, or None if it is a pipe or a device, from
        which it would take what the guest itself is to get."""
        before = connections()
        found: int = real(*flat)
        if connections() - before:
            return None
        if found == 0:
            self._files.add(self._word(flat[8]))
        return found

    def _word(self, address: int) -> int:
        return int.from_bytes(self._memory.read(address, 4), "little")

    def _written(self, pieces: int, number: int, count: int) -> int:
        total = 0
        for at in range(pieces, pieces + 8 * number, 8):
            data = self._memory.read(self._word(at), self._word(at + 4))
            room = MOST_TEXT - sum(map(len, self._texts))
            self._texts[-1] += data[: max(0, room)]
            total += len(data)
        self._memory.write(count, total.to_bytes(4, "little"))
        return 0
