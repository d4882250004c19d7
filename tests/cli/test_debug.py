"""The debugger, driven by piped commands: what a person sees at its prompt."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pywasm_nn import cli
from pywasm_nn.api import Module
from pywasm_nn.cli.commands import Commands
from pywasm_nn.errors import Trap
from pywasm_nn.watch.debug.debugger import Debugger
from pywasm_nn.watch.debug.steps import Step, Stop

from ..conftest import HANGS

GUESTS = Path(__file__).parents[1] / "guests"
DEMO = Path(cli.__file__).parents[1] / "demo"
PROGRAM = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $calls (export "calls") (mut i32) (i32.const 0))
  (global $fixed i64 (i64.const -1))
  (data (i32.const 16) "hello\\n") (data (i32.const 32) "\\10\\00\\00\\00\\06\\00\\00\\00")
  (func $square (param $x i32) (result i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (i32.mul (local.get $x) (local.get $x)))
  (func $sum (param $n i32) (result i32) (local $total i32) (local $f f32)
    (loop $again
      (local.set $total (i32.add (local.get $total) (call $square (local.get $n))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $total))
  (func $main (export "_start")
    (i32.store (i32.const 64) (call $sum (i32.const 3)))
    (drop (call $fd_write (i32.const 1) (i32.const 32) (i32.const 1) (i32.const 40)))))"""
CAT = """(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\40\\00\\00\\00\\40\\00\\00\\00")
  (func (export "_start")
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 4)))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))"""
ENDLESS = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 8) "\\10\\00\\00\\00\\09\\00\\00\\00it loops\\n")
  (func $main (export "_start") (local $i i64)
    (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 0)))
    (loop $again (local.set $i (i64.add (local.get $i) (i64.const 1))) (br $again))))"""
THREADS = """(module
  (import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
  (import "env" "memory" (memory 1 2 shared))
  (export "memory" (memory 0))
  (func (export "wasi_thread_start") (param $number i32) (param $what i32) unreachable)
  (func (export "_start")
    (drop (call $spawn (i32.const 7)))
    (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))))"""

WRITTEN = "breakpoint 1: host  fd_write(fd 1, ciovs ['hello\\n'], nwritten 6) -> 0"

Session = Callable[..., list[str]]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Session:
    """Gives commands, with `;` between them, to a program's debugger; the lines that it answers."""

    def run(commands: str, program: object = PROGRAM, *arguments: object) -> list[str]:
        if isinstance(program, str):
            path = tmp_path / "app.wat"
            path.write_text(program)
        else:
            path = Path(str(program))
        lines = [command.strip() for command in commands.split(";")]
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
        assert cli.call(["debug", str(path), *map(str, arguments)]) == 0
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        assert err == ""
        return [line.rstrip() for line in out.splitlines() if not line.startswith("(wasm)")]

    return run


def test_it_stops_before_the_first_instruction_and_leaves_at_the_end_of_input(session: Session) -> None:
    assert session("")[0] == "0x00a7  main  i32.const 64   |"
    assert session("step") == ["0x00a7  main  i32.const 64   |", "0x00aa  main  i32.const 3   | 64"]


def test_a_program_that_ends(session: Session) -> None:
    assert session("continue; locals; step; quit")[1:] == [
        "hello",
        "the guest has ended, exit code 0",
        "the guest isn't running; run begins it",
        "the guest has ended; run begins it again",
    ]


def test_a_trap_of_another_thread_names_it(session: Session) -> None:
    """The debugger follows the first thread, which waits."""
    lines = session("continue; backtrace; quit", THREADS)
    assert lines[1:] == [
        "trap: unreachable",
        "in thread 1 of the guest:",
        "  0: 0x0071  app.wat!wasi_thread_start   $number=1 $what=7",
        "the guest isn't running; run begins it",
    ]


def test_a_program_that_exits(session: Session) -> None:
    lines = session("c", GUESTS / "args_env.wasm", "--env", "CODE=7", "word")
    assert "argument 1: word" in lines
    assert lines[-1] == "the guest has ended, exit code 7"


@pytest.mark.parametrize(
    ("where", "stop", "place"),
    [
        ("square", "breakpoint 1: square", "0x007a  square"),
        ("squ*", "breakpoint 1: squ*", "0x007a  square"),
        ("1", "breakpoint 1: 1", "0x007a  square"),
        ("0x81", "breakpoint 1: 0x81", "0x0081  square"),
        ("host fd_write", WRITTEN, "0x00b9  main"),
        ("host wasi*", WRITTEN, "0x00b9  main"),
        ("fd_write", WRITTEN, "0x00b9  main"),
    ],
)
def test_breakpoints(session: Session, where: str, stop: str, place: str) -> None:
    lines = session(f"break {where}; continue")
    met = next(
        number for number, line in enumerate(lines) if line.startswith(stop)
    )  # how long it took may follow
    assert lines[met + 1].startswith(place)


def test_a_breakpoint_at_a_source_line(session: Session) -> None:
    lines = session("b source.c:23; b source.c:14; c; bt; d 2; c; d; b", GUESTS / "source.wasm")
    assert lines[1:5] == [
        "breakpoint 1 at source.c:23",
        "breakpoint 2 at source.c:14",
        "breakpoint 2: source.c:14",
        "0x0096  sum  source.c:14  block   |",
    ]
    assert lines[6].startswith("  1: 0x006e  source.wasm!both     source.c:22")
    assert lines[8:] == [
        "breakpoint 1: source.c:23",
        "0x0074  both  source.c:23  i32.const 0   | 10",
        "  none",
    ]


def test_stepping_by_source_lines(session: Session) -> None:
    lines = session("step line; step line; next line; finish", GUESTS / "source.wasm")
    assert [line.split()[1:3] for line in lines] == [
        ["_start", "source.c:27"],
        ["both", "source.c:22"],
        ["sum", "source.c:14"],
        ["sum", "source.c:16"],
        ["both", "source.c:23"],
    ]


def test_breakpoints_at_inference(session: Session) -> None:
    options = ["--dir", f"{DEMO / 'models'}::models", "models/digit.pgm", "models/digits.onnx"]
    lines = session("b nn set_input; b nn; c; tensors; d; c", DEMO / "app.wasm", *options)
    stops = [line for line in lines if line.startswith("breakpoint")]
    assert stops[2].startswith("breakpoint 2: nn    load(")
    lines = session("b nn set_input; c; tensors; d; c", DEMO / "app.wasm", *options)
    assert lines[2].startswith('breakpoint 1: nn    set_input(ctx 0, #0 "picture" f32[1,1,8,8]')
    assert lines[5] == '  "picture" f32[1,1,8,8] = 0 0.0625 0.5 0.75 1 1 0.4375 0 ...'
    assert lines[-1] == "the guest has ended, exit code 0"


def test_into_over_and_out(session: Session) -> None:
    assert session("b 0x93; c; step; d; finish")[3:] == [
        "0x0093  sum  call $square   | 0 3",
        "0x007a  square  global.get 0   |",
        "0x0095  sum  i32.add   | 0 9",
    ]
    assert session("b 0x93; c; next")[4] == "0x0095  sum  i32.add   | 0 9"
    assert session("step 3")[1] == "0x008d  sum  loop   |"
    assert session("b square; c; d; finish; finish")[-1] == "0x00ae  main  i32.store   | 64 14"
    assert session("b square; c; finish; finish")[5] == "breakpoint 1: square"  # on the way


def test_an_empty_line_steps_again(session: Session) -> None:
    assert len(session("step;;")) == 4
    assert session("locals;;") == session("locals")


def test_what_is_seen(session: Session) -> None:
    lines = session(
        "b square; c; locals; stack; up; locals; stack; globals; memory 16 6; memory $n+29 1 u32; x 16 5 text"
    )
    assert lines[4:] == [
        "    0  i32        $x = 3",
        "  empty",
        "0x0093  sum  call $square   | 0",
        "    0  i32        $n = 3",
        "    1  i32        $total = 0",
        "    2  f32        $f = 0.0",
        "  0",
        "    0  mut i32  calls = 0",
        "    1  i64       = -1",
        "  0x00000010  68 65 6c 6c 6f 0a                                hello.",
        "  0x00000020  16",
        "  'hello'",
    ]


def test_backtrace_and_frames(session: Session) -> None:
    lines = session("b square; c; bt; frame 2; bt 1; frame 3; down")
    assert lines[3:] == [
        "0x007a  square  global.get 0   |",
        "> 0: 0x007a  app.wat!square   $x=3",
        "  1: 0x0093  app.wat!sum      $n=3 $total=0 $f=0.0",
        "  2: 0x00ac  app.wat!main",
        "0x00ac  main  call $sum   | 64",
        "  0: 0x007a  app.wat!square   $x=3",
        "  ... 2 more ...",
        "no frame 3; there are 3",
        "0x0093  sum  call $square   | 0",
    ]


def test_listing(session: Session) -> None:
    assert session("b 0x93; b square; c; list")[5:] == [
        "   0x008d  loop",
        "   0x008f    local.get $total",
        "   0x0091    local.get $n",
        ">* 0x0093    call $square",
        "   0x0095    i32.add",
        "   0x0096    local.set $total",
        "   0x0098    local.get $n",
        "   0x009a    i32.const 1",
        "   0x009c    i32.sub",
    ]


def test_changing_state(session: Session) -> None:
    lines = session(
        "b square; c; set local $x 10; set global calls 41; d; b 0xae; c; globals; stack; "
        "set memory 16 text J; set memory 80 f64 0.5; memory 80 1 f64; c"
    )
    assert lines[-7:] == [
        "    0  mut i32  calls = 44",
        "    1  i64       = -1",
        "  105",  # 10 x 10 + 2 x 2 + 1
        "  64",
        "  0x00000050  0.5",
        "Jello",
        "the guest has ended, exit code 0",
    ]


def test_run_again_keeps_breakpoints_and_nothing_else(session: Session) -> None:
    lines = session("b square; c; set global 0 7; run; c; globals; d; c; run; c")
    assert lines.count("breakpoint 1: square") == 2
    assert "    0  mut i32  calls = 0" in lines
    assert lines.count("hello") == 2


def test_a_trap_can_be_looked_at(session: Session) -> None:
    commands = "c; bt; locals; memory 0x1000010 4 i32; list; step; set local 0 1; run; c"
    lines = session(commands, GUESTS / "source.wasm")
    assert lines[1].startswith("trap: out of bounds memory access: i32.load of 4 bytes at 0x101000c")
    assert lines[2].startswith("0x00db  sum  source.c:11  i32.load")
    assert lines[3].startswith("> 0: 0x00db  source.wasm!sum      source.c:11   $0=0xffffd0")
    assert "  0x01000010  1  2  3  4" in lines
    assert "the guest has ended; run begins it again" in lines
    assert sum(line.startswith("trap: ") for line in lines) == 2


BAD = """nonsense; break nothing; break 99; break 0xffffff; break x.c:1; break :; break 0x; delete x;
delete 5; step x; frame 9; memory; memory x; memory 0 1 2 3; memory 0 1 f16; memory -1; memory 99999999;
memory $nothing; memory $; memory 0 -5; set; set local; set local x 1; set local 0; set local 0 x;
set local 0 99999999999; set global 9 1; set global 1 5; set global x 5; set memory; set memory 0 i8 300;
set memory 0 f16 1; set memory 70000 i32 1; help nonsense; tensors; functions zzz; !ls; ?; \x00;
set local 0 0x; watch; watch x; watch 0 1; watch 0:0; watch 0:99999999; who; who x; who 0x:; ignore; ignore 1;
ignore 9 1; break sum if; break sum if x; break sum if 1 +; break sum if local 99 > 0; break sum if open(1);
break sum if 9 ** 9 ** 9; break sum after x; back x; back -1; rnext 5; step -5;
down; backtrace x; backtrace -1"""


@pytest.mark.parametrize("command", [command.strip() for command in BAD.split(";")])
def test_bad_commands_say_what_is_wrong(session: Session, command: str) -> None:
    lines = session(f"b square; c; {command}; bt 1")
    assert lines[-1].startswith("  ... 2 more") or len(lines) > 4
    assert len(lines) < 40


def test_words_that_are_nearly_right(session: Session) -> None:
    assert session("brek 1")[1] == "no command brek; break?"
    assert session("break sqare")[1] == "no function sqare; there is square"


def test_what_a_guest_says_writes_to_nobodys_terminal(session: Session) -> None:
    program = """(module
      (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 0) "\\08\\00\\00\\00\\02\\00\\00\\00\\1b[")
      (func $"\\1b[2J" (export "_start")
        (drop (call 0 (i32.const 9) (i32.const 0) (i32.const 1) (i32.const 16)))))"""
    lines = session("b host; bt; c; list", program)
    assert lines
    assert not any("\x1b" in line for line in lines)


def test_a_host_function_without_a_name_is_called_as_it_is_imported(session: Session) -> None:
    lines = session("b host *_write; c", GUESTS / "hello_c.wasm")
    assert lines[-1].endswith("call 2  $wasi_snapshot_preview1.fd_write   |")


def test_help(session: Session) -> None:
    lines = session("help; help break; help x")
    assert "  step [COUNT | line]               instructions, or to another source line, into calls" in lines
    assert "  main.c:41           a source line" in lines
    assert len([line for line in lines if line.startswith("  ")]) >= 20


def test_functions_and_completion(session: Session) -> None:
    assert session("functions s*")[1:] == ["     1  square", "     2  sum"]
    assert session("functions *fd*")[1:] == ["  host  wasi_snapshot_preview1.fd_write"]
    prompt = Commands(Module.from_text(PROGRAM), lambda debugger: 0)
    assert prompt.complete_break("s", "break s", 6, 7) == ["square", "sum"]
    assert prompt.complete_set("l", "set l", 4, 5) == ["local"]
    assert prompt.complete_set("l", "set local l", 10, 11) == []
    assert set(prompt.completenames("st")) == {"step", "stack"}


def test_the_guest_reads_a_file_and_not_the_commands(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("from a file\n")
    assert "from a file" in session("c", CAT, "--stdin", path)
    assert session("c; c", CAT)[-1] == "the guest has ended; run begins it again"


def test_ctrl_c_in_the_guest_returns_to_the_prompt(tmp_path: Path) -> None:
    (tmp_path / "endless.wat").write_text(ENDLESS)
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "pywasm_nn", "debug", "endless.wat"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2])},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("continue\n")
    process.stdin.flush()
    while "it loops" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate("locals\nquit\n", timeout=HANGS)
    assert "interrupted" in out
    assert "i64        $i = " in out
    assert "Traceback" not in out
    assert process.returncode == 0


def test_a_module_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\n"))
    path = tmp_path / "app.wat"
    path.write_text('(module (import "nowhere" "f" (func)))')
    assert cli.call(["debug", str(path)]) == 1
    assert cli.call(["debug", str(tmp_path / "nothing.wasm")]) == 1
    assert cli.call(["debug"]) == 2


def test_an_invalid_body(session: Session) -> None:
    program = """(module (func $bad (result i32) (i64.const 1))
      (func (export "_start") (drop (call $bad))))"""
    assert session("b bad; c; bt", program)[2].startswith("trap: invalid function body: type mismatch")


CALLS_BACK = """(module (import "host" "back" (func $back (param i32) (result i32)))
  (func $again (export "again") (param $p i32) (result i32) (i32.div_u (i32.const 6) (local.get $p)))
  (func $main (export "main") (param $p i32) (result i32)
    (i32.add (call $back (local.get $p)) (i32.const 1))))"""


@pytest.mark.parametrize(("argument", "ends"), [(2, "result"), (0, "trap")])
def test_a_host_function_that_calls_back(argument: int, ends: str) -> None:
    """Without a prompt: frames of both calls are there, and stepping out goes from one to the other."""
    seen: list[tuple[str, list[str]]] = []
    module = Module.from_text(CALLS_BACK)

    def stopped(stop: Stop) -> None:
        names = [debugger.places.label(position.funcidx) for position in debugger.positions]
        seen.append((stop.reason.split(":")[0], names))
        debugger.go(Step.OUT if names[:1] == ["again"] else Step.ON)

    def back(a: int) -> int:
        result: int = app.exports.again(a)
        return result

    debugger = Debugger(module, stopped)
    debugger.add("again")
    app = module.instantiate(imports={"host": {"back": back}}, engine="interpret", observer=debugger)
    with app:
        if ends == "result":
            assert app.exports.main(argument) == 4
            assert seen == [
                ("step", ["main"]),
                ("breakpoint 1", ["again", "main"]),
                ("step out", ["main"]),
            ]
        else:
            with pytest.raises(Trap):
                app.exports.main(argument)
            assert seen == [
                ("step", ["main"]),
                ("breakpoint 1", ["again", "main"]),
                ("integer divide by zero", ["again", "main"]),
            ]
        assert all(machine.done for machine in debugger.machines)


def test_back_at_the_prompt(session: Session) -> None:
    lines = session("b 0xae; c; back 2; rnext; b square; rcontinue; locals; d; rc; c")
    assert lines[2:8] == [
        "breakpoint 1: 0xae",
        "0x00ae  main  i32.store   | 64 14",
        "0x00a2  sum  local.get $total   |",
        "0x00a1  sum  end   |",
        "breakpoint 2 at square",
        "breakpoint 2: square",
    ]
    assert "    0  i32        $x = 1" in lines
    assert lines[-4:-2] == ["the beginning of what is known", "0x00a7  main  i32.const 64   |"]
    assert lines.count("hello") == 1


def test_the_host_is_not_asked_twice(session: Session) -> None:
    assert session("b host; c; d; finish; rc; c").count("hello") == 1
    lines = session("c; rc; bt; c", GUESTS / "source.wasm")
    assert lines[1].startswith("trap: out of bounds memory access")
    assert "the beginning of what is known" in lines
    assert sum(line.startswith("trap: ") for line in lines) == 2


def test_variables_of_the_source(session: Session) -> None:
    guest = GUESTS / "variables.wasm"
    lines = session(
        "b variables.c:23 if scale == 9; c; print shape->at.y; p *shape; info locals; p nothing; info", guest
    )
    assert lines[2] == "breakpoint 1: variables.c:23 if scale == 9"
    assert lines[4] == "shape->at.y = 1.5"
    assert "name = " in lines[5]
    assert "  size = 27" in lines
    assert "  letter = 119 'w'" in lines
    assert lines[-2].startswith("no variable nothing here; there are shape, scale, size")
    assert lines[-1] == "write info locals"
    shown = session("b variables.c:16; c; source", guest)
    assert ">    16      big large = 1ull << 40;" in shown
    assert len([line for line in shown if line.startswith("  ")]) >= 10
    said = session("info locals; print x")
    assert said[1:] == ["the module tells no variables: compile it with -g"] * 2
