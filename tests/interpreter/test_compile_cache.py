"""Code kept in files: a second run compiles nothing, and whatever is wrong with a file is as good as none."""

from __future__ import annotations

import marshal
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pywasm_nn import CodeFolder, Instance, LimitError, Limits, Module, Trap
from pywasm_nn.errors import DeadlineError
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.binary.functions import CodeReader
from pywasm_nn.interpreter.compile import cache
from pywasm_nn.interpreter.compile.cache import HASH, MAGIC, packed, stamp, unpacked
from pywasm_nn.interpreter.compile.compiled import Unsupported, Variant
from pywasm_nn.interpreter.engine import CompileEngine
from pywasm_nn.interpreter.module import CodeCache
from pywasm_nn.interpreter.runtime.memory import Flavour

TEXT = """(module
  (type $one (func (param i32) (result i32)))
  (memory 1) (table 2 funcref) (elem (i32.const 0) $double)
  (global $calls (mut i32) (i32.const 0))
  (func $double (type $one)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (i32.mul (local.get 0) (i32.const 2)))
  (func (export "double") (type $one) (call $double (local.get 0)))
  (func (export "calls") (result i32) (global.get $calls))
  (func (export "read") (type $one) (i32.load offset=4 (local.get 0)))
  (func (export "through") (param i32 i32) (result i32)
    (call_indirect (type $one) (local.get 1) (local.get 0)))
  (func $count (export "count") (type $one)
    (if (result i32) (local.get 0)
      (then (return_call $down (local.get 0))) (else (i32.const 7))))
  (func $down (type $one) (return_call $count (i32.sub (local.get 0) (i32.const 1)))))"""
CALLED = 7
"""Functions of TEXT that `play` calls."""


def play(instance: Instance) -> list[object]:
    """Everything that can be seen of the module: results, traps with their frames, state."""
    exports = instance.exports
    seen: list[object] = [exports.double(21), exports.count(10_000), exports.through(0, 4)]
    for name, arguments in (("read", [65533]), ("through", [1, 4]), ("through", [2, 4])):
        with pytest.raises(Trap) as caught:
            exports[name](*arguments)
        seen.append((str(caught.value), caught.value.frames))
    return [*seen, exports.calls()]


def run(folder: CodeFolder | None, flavour: Flavour | None = None) -> tuple[list[object], int, int]:
    """Play with a new module: what is seen, and how many functions were compiled and cached."""
    with Module.from_text(TEXT, cache=folder).instantiate(flavour=flavour) as instance:
        seen, engine = play(instance), instance.engine
        assert isinstance(engine, CompileEngine)
        return seen, len(engine.compiled), len(engine.cached)


@pytest.fixture
def folder(tmp_path: Path) -> CodeFolder:
    return CodeFolder(tmp_path / "code")


def the_file(folder: CodeFolder) -> Path:
    (found,) = Path(folder.folder).iterdir()
    return found


def test_a_second_run_compiles_nothing(folder: CodeFolder, flavour: Flavour) -> None:
    plain, *_ = run(None, flavour)
    assert run(folder, flavour) == (plain, CALLED, 0)
    assert run(folder, flavour) == (plain, 0, CALLED)


def test_functions_are_added_as_they_are_called(folder: CodeFolder) -> None:
    for compiled, cached in ((1, 0), (0, 1)):
        with Module.from_text(TEXT, cache=folder).instantiate() as instance:
            assert instance.exports.calls() == 0
            assert isinstance(instance.engine, CompileEngine)
            assert (len(instance.engine.compiled), len(instance.engine.cached)) == (compiled, cached)
    assert run(folder)[1:] == (CALLED - 1, 1)
    assert run(folder)[1:] == (0, CALLED)


def test_names_of_kept_code_are_there_before_it_runs(folder: CodeFolder, flavour: Flavour) -> None:
    """CPython looks names up more slowly for a while after one was added."""
    run(folder, flavour)
    module = Module.from_text(TEXT, cache=folder)
    with module.instantiate(flavour=flavour) as instance:
        before = {*instance.namespace}
        play(instance)
        assert {*instance.namespace} == before | {"__builtins__"}  # which explaining a trap adds


def test_only_who_asks_gets_files(folder: CodeFolder) -> None:
    run(None)
    assert not os.listdir(folder.folder)


def test_each_variant_has_a_file(folder: CodeFolder) -> None:
    if Flavour.default() is Flavour.STRUCT:
        pytest.skip("this Python has no stride-1 views (ctypes, mmap)")
    for flavour in Flavour:
        assert run(folder, flavour)[1:] == (CALLED, 0)
    assert len(os.listdir(folder.folder)) == 2


def test_code_that_counts_is_other_code(folder: CodeFolder) -> None:
    run(folder)
    for _ in range(2):
        limited = Module.from_text(TEXT, cache=folder).instantiate(limits=Limits(fuel=20))
        with limited as instance, pytest.raises(LimitError):
            instance.exports.count(10_000)


def test_other_modules_have_other_code(folder: CodeFolder) -> None:
    run(folder)
    other = Module.from_text(TEXT.replace("i32.const 2)))", "i32.const 3)))"), cache=folder)
    with other.instantiate() as instance:
        assert instance.exports.double(21) == 63


def test_modules_that_hash_alike_have_other_code(folder: CodeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "source_hash", lambda data: b"the same")
    other = TEXT.replace("i32.const 2)))", "i32.const 3)))")
    for text, doubled in ((TEXT, 42), (other, 63), (TEXT, 42)):
        with Module.from_text(text, cache=folder).instantiate() as instance:
            assert instance.exports.double(21) == doubled
        assert len(os.listdir(folder.folder)) == 1


def test_other_sources_make_other_code(folder: CodeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    run(folder)
    monkeypatch.setattr(cache, "sources", lambda: b"changed")
    assert run(folder)[1:] == (CALLED, 0)


def test_sources_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "compile" / "cache.py"))
    sources = cache.sources.__wrapped__
    assert not sources()
    for folder in ("compile", "text"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "parts.py").write_text("a = 1")
    one = sources()
    assert one and one == sources()

    file = tmp_path / "compile" / "parts.py"
    before = file.stat()
    while (now := tmp_path / "now").write_text("") or now.stat().st_ctime_ns == before.st_ctime_ns:
        pass  # file systems round times
    file.write_text("a = 2")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # as an installer gives all files one time
    two = sources()
    assert two != one or sys.platform == "win32"
    (tmp_path / "text" / "parts.py").write_text("b = 10")  # decides nothing
    assert sources() == two
    (tmp_path / "compile" / "more.py").write_text("")
    assert sources() != two


def test_a_hit_is_known_to_be_valid_and_its_bodies_are_not_read(folder: CodeFolder) -> None:
    run(folder)
    module = Module.from_text(TEXT, cache=folder)
    with module.instantiate() as instance:
        assert instance.exports.double(4) == 8
    assert all(func.kept_body is None for func in module.funcs)


def test_a_hit_reads_the_code_section_when_a_function_is_asked_for(
    folder: CodeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    original = CodeReader.read

    def counted(reader: CodeReader, pos: int) -> int:
        read.append(pos)
        return original(reader, pos)

    monkeypatch.setattr(CodeReader, "read", counted)
    plain = Module.from_text(TEXT)
    assert read == [plain.code_offset]
    run(folder)
    read.clear()
    again = Module.from_text(TEXT, cache=folder)
    with again.instantiate() as instance:
        assert instance.exports.count(10) == 7
        assert read == []
        assert play(instance) == run(None)[0]  # with frames of traps
    again = Module.from_text(TEXT, cache=folder)
    read.clear()
    assert (again, again.code_offset) == (plain, plain.code_offset)
    assert [(f.offset, f.size) for f in again.funcs] == [(f.offset, f.size) for f in plain.funcs]
    assert read == [plain.code_offset]
    again.validate()


def test_locating_functions_later_heeds_the_time(folder: CodeFolder) -> None:
    class Kept(CodeCache):
        proves_valid = True  # type: ignore[assignment] # a property there

    def patience() -> float:
        if over:
            raise DeadlineError(1)
        return 1

    over: list[bool] = []
    data = Module.from_text(f"(module {'(func)' * 200})").data
    module = decode(data, patience=patience, code=Kept())
    over.append(True)
    with pytest.raises(DeadlineError):
        module.funcs[0]
    over.clear()
    assert len(module.funcs[199].body.ops) == 1


def test_where_the_time_ended_is_told_of_kept_code_too(folder: CodeFolder) -> None:
    text = f"""(module (func (export "forever") (call 2)) (func (export "once"))
      (func (loop (br 0))) {"(func)" * 200})"""
    with Module.from_text(text, cache=folder).instantiate() as instance:
        instance.exports.once()
    for _ in range(2):
        with Module.from_text(text, cache=folder).instantiate(limits=Limits(seconds=0.05)) as instance:
            with pytest.raises(DeadlineError) as caught:
                instance.exports.forever()
            assert [frame.funcidx for frame in caught.value.frames] == [2, 0]


def test_an_invalid_body_is_never_kept(folder: CodeFolder) -> None:
    data = Module.from_text('(module (func (export "f") (result i32) (i32.const 1)))').data
    bad = data.replace(bytes([0x41, 1, 0x0B]), bytes([0x01, 1, 0x0B]))
    for _ in range(2):
        with Module.from_bytes(bad, cache=folder).instantiate() as instance, pytest.raises(Trap):
            instance.exports.f()
    assert not os.listdir(folder.folder)


def test_what_an_end_by_force_leaves_is_kept(folder: CodeFolder) -> None:
    text = """(module (memory 1) (func (export "f") (call $g) unreachable) (func $g))"""
    for compiled in (2, 0):
        with Module.from_text(text, cache=folder).instantiate() as instance:
            with pytest.raises(Trap):
                instance.exports.f()
            assert isinstance(instance.engine, CompileEngine)
            assert len(instance.engine.compiled) == compiled


BEGIN = len(MAGIC) + 2 * HASH
"""Where the module lies in a file."""
END = BEGIN + len(Module.from_text(TEXT).data)
DAMAGES = {
    "empty": lambda data: b"",
    "cut in the head": lambda data: data[: len(MAGIC) + HASH],
    "cut at the end": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "another format": lambda data: b"x" + data[1:],
    "another stamp": lambda data: data[: len(MAGIC)] + bytes(HASH) + data[len(MAGIC) + HASH :],
    "another length": lambda data: data[: BEGIN - HASH] + bytes(HASH) + data[BEGIN:],
    "cut in the module": lambda data: data[: BEGIN + 20],
    "another module": lambda data: data[:BEGIN] + b"x" * (END - BEGIN) + data[END:],
    "a shorter module": lambda data: data[:BEGIN] + data[END:],
    "another check": lambda data: data[:END] + bytes(HASH) + data[END + HASH :],
    "other functions": lambda data: data[: END + HASH] + marshal.dumps({0: b"(((("}),
    "no code at all": lambda data: os.urandom(len(data)),
    "a bit in the middle": lambda data: (
        data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_a_damaged_file_is_replaced(folder: CodeFolder, damage) -> None:  # type: ignore[no-untyped-def] # a lambda
    sound = run(folder)[0]
    file = the_file(folder)
    file.write_bytes(damage(file.read_bytes()))
    assert run(folder) == (sound, CALLED, 0)
    assert run(folder) == (sound, 0, CALLED)


def test_every_flipped_bit_is_noticed(folder: CodeFolder) -> None:
    run(folder)
    file = the_file(folder)
    key, data = (stamp(Variant(Flavour.default()), ()), Module.from_text(TEXT).data), file.read_bytes()
    assert folder.read(*key)
    for at in range(0, len(data), max(1, len(data) // 500)):
        file.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        assert folder.read(*key) == {}


def test_a_file_of_another_module_under_this_name(folder: CodeFolder) -> None:
    sound = run(folder)[0]
    file = the_file(folder)
    with Module.from_text('(module (func (export "f")))', cache=folder).instantiate() as instance:
        instance.exports.f()
    (other,) = set(Path(folder.folder).iterdir()) - {file}
    os.replace(other, file)
    assert run(folder) == (sound, CALLED, 0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no users")
class TestWhoMayWrite:
    def test_a_folder_that_others_write_is_not_used(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o777)
        folder = CodeFolder(tmp_path)
        assert "others may write" in folder.refusal
        assert run(folder)[1:] == run(folder)[1:] == (CALLED, 0)
        assert not os.listdir(tmp_path)

    def test_a_folder_of_another_user_is_not_used(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        assert "isn't the user's own" in CodeFolder(tmp_path).refusal

    def test_a_file_that_others_write_is_not_used(self, folder: CodeFolder) -> None:
        run(folder)
        the_file(folder).chmod(0o666)
        assert run(folder)[1:] == (CALLED, 0)
        assert the_file(folder).stat().st_mode & 0o777 == 0o600

    def test_a_file_of_another_user_is_not_used(
        self, folder: CodeFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run(folder)
        monkeypatch.setattr(os, "geteuid", lambda: the_file(folder).stat().st_uid + 1)
        assert run(folder)[1:] == (CALLED, 0)

    def test_a_new_folder_is_private(self, folder: CodeFolder) -> None:
        assert os.stat(folder.folder).st_mode & 0o777 == 0o700

    def test_a_pipe_in_place_of_a_file_stops_nobody(self, folder: CodeFolder) -> None:
        run(folder)
        file = the_file(folder)
        file.unlink()
        os.mkfifo(file, 0o600)
        assert run(folder)[1:] == (CALLED, 0)
        assert run(folder)[1:] == (0, CALLED)


def test_a_folder_that_can_not_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = CodeFolder(tmp_path / "file")
    assert folder.refusal
    assert run(folder)[1:] == (CALLED, 0)


def test_a_disk_that_is_full(folder: CodeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert run(folder)[1:] == (CALLED, 0)
    assert not os.listdir(folder.folder)


def test_what_was_not_used_for_the_longest_time_goes_first(tmp_path: Path) -> None:
    texts = [f'(module (func (export "f") (result i32) (i32.const {n})))' for n in range(4)]

    def call(folder: CodeFolder, text: str) -> Path:
        """Call the module's function; the file that was used."""
        before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        with Module.from_text(text, cache=folder).instantiate() as instance:
            instance.exports.f()
        (used,) = (p for p in tmp_path.iterdir() if p.stat().st_mtime_ns != before.get(p))
        return used

    def grow_old(ages: dict[Path, int]) -> None:
        for path, age in ages.items():
            os.utime(path, (1_000_000_000 - age, 1_000_000_000 - age))

    tmp_path.chmod(0o700)
    first, second, third = (call(CodeFolder(tmp_path), text) for text in texts[:3])
    grow_old({first: 3, second: 2, third: 1})
    call(CodeFolder(tmp_path), texts[0])
    small = CodeFolder(tmp_path, most=first.stat().st_size * 7 // 2)
    (tmp_path / "abandoned.tmp").write_bytes(b"")
    (tmp_path / "else").write_bytes(bytes(10_000))
    grow_old({tmp_path / "abandoned.tmp": 0})
    fourth = call(small, texts[3])
    assert {*tmp_path.iterdir()} == {first, third, fourth, tmp_path / "else"}


@pytest.mark.parametrize(("spare", "kept"), [(0, 1), (-1, 0)])
def test_files_may_have_as_many_bytes_as_they_are_allowed(tmp_path: Path, spare: int, kept: int) -> None:
    folder = CodeFolder(tmp_path / "any")
    run(folder)
    exact = CodeFolder(tmp_path / "exact", most=the_file(folder).stat().st_size + spare)
    run(exact)
    assert len(os.listdir(exact.folder)) == kept


def test_many_at_once(folder: CodeFolder) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: run(folder)[0], range(12)))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert run(folder)[1:] == (0, CALLED)


def test_why_there_is_no_code_is_kept_too() -> None:
    kept = unpacked(packed(Unsupported("nests too deep")))
    assert isinstance(kept, Unsupported)
    assert str(kept) == "nests too deep"


def test_where_the_users_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert CodeFolder().folder == str(tmp_path / "pywasm-nn")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert CodeFolder().folder == str(tmp_path / ".cache" / "pywasm-nn")
