"""What WASI costs: a guest copies 64 MB by fd_read and fd_write in pieces of 64 KB, and Python by its own.

    python benchmarks/wasi_copy.py [ROUNDS]

Rounds alternate. Printed: the median and spread of both, of each round's ratio, for both engines and as this
Python can best and portably. Exit code 1 if a median ratio is above 3.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pywasm_nn import Module, Wasi

PIECE = 1 << 16
SIZE = 64 << 20
MOST = 3.0
GUEST = f"""
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 0) "from")
  (data (i32.const 8) "to")
  (func (export "_start") (local $from i32) (local $to i32)
    (if (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 0)
        (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64)) (then unreachable))
    (local.set $from (i32.load (i32.const 64)))
    (if (call $open (i32.const 3) (i32.const 0) (i32.const 8) (i32.const 2) (i32.const 9)
        (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 64)) (then unreachable))
    (local.set $to (i32.load (i32.const 64)))
    (i32.store (i32.const 32) (i32.const {PIECE}))
    (block $end
      (loop $next
        (i32.store (i32.const 36) (i32.const {PIECE}))
        (if (call $read (local.get $from) (i32.const 32) (i32.const 1) (i32.const 64)) (then unreachable))
        (br_if $end (i32.eqz (i32.load (i32.const 64))))
        (i32.store (i32.const 36) (i32.load (i32.const 64)))
        (if (call $write (local.get $to) (i32.const 32) (i32.const 1) (i32.const 64)) (then unreachable))
        (br $next)))))
"""


def in_python(directory: Path) -> None:
    with (
        open(directory / "from", "rb", buffering=0) as source,
        open(directory / "to", "wb", buffering=0) as to,
    ):
        while data := source.read(PIECE):
            to.write(data)


def seconds(copy: Callable[[Path], None], directory: Path) -> float:
    """How long a copy takes; its result is checked."""
    (directory / "to").unlink(missing_ok=True)
    began = time.perf_counter()
    copy(directory)
    took = time.perf_counter() - began
    if (directory / "to").stat().st_size != SIZE:
        raise AssertionError("the copy is not whole")
    return took


def spread(values: list[float], unit: str) -> str:
    return f"{statistics.median(values):.3g}{unit} ({min(values):.3g} to {max(values):.3g})"


def main(rounds: int) -> int:
    module, worst = Module.from_text(GUEST), 0.0
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        (directory / "from").write_bytes(os.urandom(1 << 20) * (SIZE >> 20))
        for engine in ("compile", "interpret"):
            for portable in ("0", "1"):
                os.environ["PYWASM_NN_PORTABLE"] = portable

                def in_guest(directory: Path, engine: str = engine) -> None:
                    with module.instantiate(Wasi(dirs={"/": directory}), engine=engine) as instance:
                        instance.exports["_start"]()

                in_guest(directory)
                pairs = [(seconds(in_guest, directory), seconds(in_python, directory)) for _ in range(rounds)]
                ratios = [guest / python for guest, python in pairs]
                worst = max(worst, statistics.median(ratios))
                way = f"{engine}, portable" if portable == "1" else engine
                ours, plain = ([pair[side] for pair in pairs] for side in (0, 1))
                print(
                    f"{way}: {spread(ratios, 'x')} of plain Python; "
                    f"{spread(ours, ' s')} against {spread(plain, ' s')}"
                )
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7))
