"""Instances that share memories, tables and globals, made, run, grown, trapped, interrupted, closed and
dropped at random from several threads: no step may end the process, or raise what isn't an error of ours.

`python tests/interpreter/shared_stress.py STEPS [SEED]` runs that many steps on four threads and prints how
many there were of each kind, and which errors came of them.
"""

from __future__ import annotations

import faulthandler
import random
import sys
import threading
from collections import Counter
from typing import Any

from pywasm_nn import Limits, Module
from pywasm_nn.errors import BusyError, DeadlineError, FuelError, LinkError, Trap
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Memory

THREADS = 4
POOL = 12
"""Instances that are alive at one time."""
LOOKS = 400
"""Rounds of a guest's loop."""
EXPECTED = (Trap, BusyError, DeadlineError, FuelError, LinkError)
OWNER = Module.from_text("""(module
  (type $v (func)) (memory (export "memory") 1 60) (table (export "table") 8 20 funcref)
  (global (export "global") (mut funcref) (ref.null func))
  (func (export "grow") (drop (memory.grow (i32.const 1)))
    (drop (table.grow (ref.null func) (i32.const 1))))
  (func $sum (export "sum") (param $n i32) (local $s i32)
    (loop (local.set $s (i32.add (local.get $s) (i32.load (i32.and (local.get $s) (i32.const 0xfff0)))))
      (i32.store offset=4 (i32.and (local.get $s) (i32.const 0xfff0)) (local.get $n))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (func $step (export "step") (call $sum (i32.const 20)))
  (func (export "spread") (param i32) (table.set (local.get 0) (ref.func $step)))
  (func (export "trap") (call $sum (i32.const 5)) (i32.store (i32.const -1) (i32.const 0)))
  (func (export "spin") (loop (call $step) (br 0)))
  (func (export "bulk") (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000))
    (memory.copy (i32.const 100) (i32.const 0) (i32.const 60000)))
  (func (export "indirect") (param i32) (call_indirect (type $v) (local.get 0)))
  (elem declare func $step))""")
USER = Module.from_text("""(module
  (type $v (func)) (import "owner" "memory" (memory 1)) (import "owner" "table" (table 8 funcref))
  (import "owner" "global" (global $g (mut funcref)))
  (func (export "grow") (drop (memory.grow (i32.const 1))))
  (func $sum (export "sum") (param $n i32) (local $s i32)
    (loop (local.set $s
        (i32.add (local.get $s) (i32.load offset=8 (i32.and (local.get $s) (i32.const 0xfff0)))))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (func $step (export "step") (call $sum (i32.const 20)))
  (func (export "spread") (param i32)
    (table.set (local.get 0) (ref.func $step)) (global.set $g (ref.func $step)))
  (func (export "trap") (unreachable))
  (func (export "spin") (loop (call $step) (br 0)))
  (func (export "bulk") (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000)))
  (func (export "indirect") (param i32) (call_indirect (type $v) (local.get 0)))
  (elem declare func $step))""")
LENT = Module.from_text("""(module (import "owner" "memory" (memory 1))
  (func (export "sum") (param $n i32) (local $s i32)
    (loop (local.set $s
        (i32.add (local.get $s) (i32.load offset=8 (i32.and (local.get $s) (i32.const 0xfff0)))))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (func (export "grow") (drop (memory.grow (i32.const 1)))))""")
CALLS = ("grow", "sum", "spread", "trap", "spin", "bulk", "indirect", "step")
KINDS = ("make", "call", "call", "call", "call", "call", "close", "drop", "view", "grow", "table", "snapshot")


class Stress:
    """Instances that all threads see, and what became of the steps."""

    def __init__(self, steps: int) -> None:
        self.pool: list[Instance | None] = [None] * POOL
        self.views: list[Any] = [None] * POOL
        self.left = steps
        self.done: Counter[str] = Counter()
        self.wrong: list[BaseException] = []

    def run(self, seed: int) -> None:
        chance = random.Random(seed)
        done: Counter[str] = Counter()
        while self.left > 0 and not self.wrong:
            self.left -= 1
            kind = chance.choice(KINDS)
            done[kind] += 1
            try:
                getattr(self, kind)(chance, chance.randrange(POOL))
            except EXPECTED as error:
                done[type(error).__name__] += 1
            except BaseException as error:
                self.wrong.append(error)
                raise
        self.done += done

    def make(self, chance: random.Random, place: int) -> None:
        """Put an instance in a place, which an owner or one that imports of another may be; the one that was
        there is dropped, not closed."""
        limits = Limits(
            seconds=chance.choice((None, 0.001, 0.05)), fuel=chance.choice((20_000, 200_000)), table=30
        )
        engine = "compile" if chance.random() < 0.8 else "interpret"
        owner = self.pool[chance.randrange(POOL)]
        if owner is None or "table" not in owner.exports or chance.random() < 0.3:
            self.pool[place] = OWNER.instantiate(engine=engine, limits=limits)
            return
        module = chance.choice((USER, LENT))
        self.pool[place] = module.instantiate(engine=engine, limits=limits, imports={"owner": owner})

    def call(self, chance: random.Random, place: int) -> None:
        instance, name = self.pool[place], chance.choice(CALLS)
        if instance is None or name not in instance.exports:
            return
        if name in ("spread", "indirect"):
            instance.exports[name](chance.randrange(9))
        elif name == "sum":
            instance.exports[name](chance.randrange(1, LOOKS))
        else:
            instance.exports[name]()

    def close(self, chance: random.Random, place: int) -> None:
        instance = self.pool[place]
        if instance is not None:
            instance.close()
            if chance.random() < 0.5:
                self.pool[place] = None

    def drop(self, chance: random.Random, place: int) -> None:
        self.pool[place] = None

    def view(self, chance: random.Random, place: int) -> None:
        """Keep a view of memory, and use one that was kept."""
        instance, kept = self.pool[place], self.views[place]
        if kept is not None:
            kept[chance.randrange(len(kept))] = 0
        if instance is not None and instance.mems:
            self.views[place] = instance.memory.view(0, chance.randrange(1, 65536))

    def grow(self, chance: random.Random, place: int) -> None:
        instance = self.pool[place]
        memory: Memory | None = instance.mems[0] if instance is not None else None
        if memory is not None:
            memory.grow(1)

    def table(self, chance: random.Random, place: int) -> None:
        """Put a function of one instance into the table of another by way of the host."""
        giver, taker = self.pool[place], self.pool[chance.randrange(POOL)]
        if giver is not None and taker is not None and "table" in taker.exports and "step" in giver.exports:
            taker.exports.table[chance.randrange(8)] = giver.exports.step

    def snapshot(self, chance: random.Random, place: int) -> None:
        instance = self.pool[place]
        if instance is not None and chance.random() < 0.2:
            try:
                instance.restore(instance.snapshot())
            except ValueError as error:  # as it says of itself, and nothing else
                if "has grown since the snapshot" not in str(error):
                    raise
                self.done["grown since the snapshot"] += 1


def main(steps: int, seed: int) -> int:
    """Run, and print what was done; 1 if something rose that should not."""
    faulthandler.enable()
    sys.setswitchinterval(1e-4)
    stress = Stress(steps)
    threads = [threading.Thread(target=stress.run, args=(seed + number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(", ".join(f"{kind} {count}" for kind, count in sorted(stress.done.items())))
    return int(bool(stress.wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
