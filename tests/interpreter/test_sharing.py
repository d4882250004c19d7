"""Instances that share memories, tables and globals: what ends with whom, and on which thread.

What is not here: deadlines of one that reaches another (`test_reach.py`), and many steps at random
(`shared_stress.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import pytest

from pywasm_nn import Limits, Module, Trap
from pywasm_nn.errors import BusyError
from pywasm_nn.interpreter.runtime import table
from pywasm_nn.interpreter.runtime.memory import Flavour, Memory

from ..conftest import HANGS, Start

OWNER = '(module (memory (export "memory") 1) (data (i32.const 0) "\\05"))'
USER = """(module (import "host" "step" (func $step)) (import "owner" "memory" (memory 1))
  (func (export "run") (result i32) (call $step) (i32.load (i32.const 0)))
  (func (export "grow") (result i32) (memory.grow (i32.const 1))))"""


def test_a_memory_stays_until_the_last_instance_that_has_it_is_closed(start: Start) -> None:
    owner = start(OWNER)
    users = [start(USER, imports={"host": {"step": lambda: None}, "owner": owner}) for _ in range(2)]
    memory = owner.memory
    owner.close()
    assert [user.exports.run() for user in users] == [5, 5]
    assert users[0].exports.grow() == 1
    assert users[1].memory.pages == 2
    users[0].close()
    assert users[1].exports.run() == 5
    users[1].close()
    assert memory.size == 0


def test_the_owner_is_closed_while_another_thread_runs_on_its_memory(start: Start) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def step() -> None:
        entered.set()
        assert go_on.wait(HANGS)

    owner = start(OWNER)
    user = start(USER, imports={"host": {"step": step}, "owner": owner})
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(user.exports.run()))
    thread.start()
    assert entered.wait(HANGS)
    owner.close()
    go_on.set()
    thread.join()
    assert found == [5]
    user.close()


def test_threads_that_grow_one_memory_get_each_page_once(flavour: Flavour) -> None:
    module = Module.from_text('(module (memory (export "memory") 0 400))')
    with module.instantiate(flavour=flavour) as instance:
        memory, found = instance.memory, list[int]()

        def grow() -> None:
            found.extend(memory.grow(1) for _ in range(100))

        threads = [threading.Thread(target=grow) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == list(range(400))
        assert memory.pages == 400
        memory.store("u8", memory.size - 1, 7)


def test_the_size_of_a_memory_is_never_beyond_what_instances_can_access(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread saw the new `memory.size` while its instance still had the old views: its load trapped."""
    if Flavour.default() is Flavour.STRUCT:
        pytest.skip("a bytearray never grows while threads share it")
    from pywasm_nn.interpreter.runtime import views

    memory, namespace, sizes = Memory.of(1), dict[str, Any](), list[int]()
    memory.bind(namespace, 0)
    set_lengths = views.set_lengths

    def watched(each: Iterable[tuple[memoryview, int]], size: int) -> None:
        set_lengths(each, size)
        sizes.append(memory.size)

    monkeypatch.setattr(views, "set_lengths", watched)
    seen = namespace["u8"]
    assert memory.grow(2) == 1
    assert sizes == [1 << 16], "the size is set last"
    assert memory.size == len(seen) == 3 << 16


@pytest.mark.parametrize("closed", ["before", "meanwhile"])
def test_views_that_python_holds_outlive_all(start: Start, closed: str) -> None:
    numpy = pytest.importorskip("numpy")
    owner = start(OWNER)
    array = owner.memory.array(0, (4,), "u1")
    view = owner.memory.view(0, 4)
    if closed == "meanwhile":
        part = array[:2]
        owner.close()
        assert part[0] == 5
    else:
        owner.close()
    array[1] = 9
    assert bytes(view[:2]) == b"\5\t" and numpy.sum(array) == 14


def test_filling_a_table_judges_the_element_once_for_each_type(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """900,000 elements in a table that twenty deep types are called through took minutes."""
    judged: list[int] = []
    judge = table.entries_for

    def counted(elements: Any, *about: Any) -> list[Any]:
        judged.append(len(elements))
        return judge(elements, *about)

    monkeypatch.setattr(table, "entries_for", counted)
    text = """(module (type $a (sub (func))) (type $b (sub $a (func))) (table 1000 funcref)
      (func $f (type $b)) (elem declare func $f)
      (func (export "run") (call_indirect (type $a) (i32.const 7)) (call_indirect (type $b) (i32.const 999)))
      (func (export "fill") (table.fill (i32.const 5) (ref.func $f) (i32.const 995))))"""
    instance = start(text)
    with pytest.raises(Trap, match="uninitialized"):
        instance.exports.run()
    judged.clear()
    instance.exports.fill()
    instance.exports.run()
    assert sum(judged) <= 2
    with pytest.raises(Trap):
        instance.tables[0].fill(6, None, 995)


TABLE = """(module (type $v (func)) (import "host" "step" (func $step)) (table (export "table") 4 20 funcref)
  (func (export "run") (call $step) (call_indirect (type $v) (i32.const 0)))
  (func (export "grow") (drop (table.grow (ref.null func) (i32.const 9)))))"""


def test_a_table_that_is_restored_is_never_seen_empty(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that sets an element on another thread found no element at all for a moment."""
    instance = start(TABLE, imports={"host": {"step": lambda: None}})
    with pytest.raises(Trap):
        instance.exports.run()
    seen: list[int] = []
    judge = table.entries_for

    def looked(elements: Any, *about: Any) -> list[Any]:
        seen.append(len(instance.tables[0]))
        return judge(elements, *about)

    state = instance.snapshot()
    monkeypatch.setattr(table, "entries_for", looked)
    monkeypatch.setattr(table.Table, "grow", lambda self, *_: seen.append(len(self)))
    instance.restore(state)
    assert set(seen) <= {4}


def test_restoring_takes_no_quota_and_gives_back_what_was_grown(start: Start) -> None:
    instance = start(TABLE, imports={"host": {"step": lambda: None}}, limits=Limits(table_total=40))
    with pytest.raises(Trap):
        instance.exports.run()
    state = instance.snapshot()
    for _ in range(9):
        instance.exports.grow()
        assert len(instance.exports.table) == 13
        instance.restore(state)
        assert len(instance.exports.table) == 4


def test_what_one_thread_runs_no_other_restores_or_sets(start: Start) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def step() -> None:
        entered.set()
        assert go_on.wait(HANGS)

    instance = start(TABLE, imports={"host": {"step": step}})
    state, kinds = instance.snapshot(), list[str]()

    def run() -> None:
        with pytest.raises(Trap) as trap:
            instance.exports.run()
        kinds.append(str(trap.value))

    thread = threading.Thread(target=run)
    thread.start()
    assert entered.wait(HANGS)
    for touch in (
        instance.snapshot,
        lambda: instance.restore(state),
        lambda: instance.exports.table.__setitem__(0, None),
    ):
        with pytest.raises(BusyError):
            touch()
    go_on.set()
    thread.join()
    assert "uninitialized" in kinds[0]
    instance.exports.table[0] = instance.exports.grow
    go_on.set()
    instance.exports.run()
    instance.restore(state)
    assert instance.exports.table[0] is None and len(instance.exports.table) == 4


class Meanwhile(list[Any]):
    """A list at the end of which something is done, whenever it has been gone through."""

    def __init__(self, items: Any, act: Any) -> None:
        super().__init__(items)
        self.act = act

    def __iter__(self) -> Any:
        yield from list(super().__iter__())
        self.act()


def test_who_takes_a_memory_while_another_lets_it_go_is_told_of_changes(flavour: Flavour) -> None:
    """Its namespace was lost, so that growing or a view at an offset never got there (NameError)."""
    memory = Memory.of(1, flavour=flavour)
    leaves, stays = dict[str, Any](), dict[str, Any]()
    memory.bind(leaves, 0)
    thread = threading.Thread(target=memory.bind, args=(stays, 0))

    rounds: list[int] = []

    def begin() -> None:
        rounds.append(1)
        if len(rounds) == 2:  # the first empties its names, the second takes it out
            thread.start()
            thread.join(0.2)

    memory.namespaces = Meanwhile(memory.namespaces, begin)
    memory.unbind(leaves)
    thread.join(HANGS)
    assert memory.grow(1) == 1
    names = memory.names()
    assert {name: stays[name] for name in names} == names
