"""Ctrl-C at any moment: exit code 130, and nothing on stderr that isn't meant for a person.

Moments are calls of Python functions, counted from the one that installs the handler: what is before it is
Python's own start. So a test meets the same moments on every machine.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from pywasm_nn import cli, demo
from pywasm_nn.cli.interrupts import Handler, is_interruption
from pywasm_nn.errors import HostError

from ..conftest import HANGS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a process sends itself SIGINT")
ROOT = Path(cli.__file__).parents[2]
DRIVER = """
import atexit, os, signal, sys
moment, count = int(sys.argv[1]), 0
del sys.argv[1]
def profile(frame, event, argument):
    global count
    if event == "call":
        count += 1
        if count == moment:
            sys.setprofile(None)
            os.kill(os.getpid(), signal.SIGINT)
from pywasm_nn import cli
from pywasm_nn.cli.interrupts import Handler
signal.signal(signal.SIGINT, signal.default_int_handler)
install = Handler.install
def installed(handler):
    install(handler)
    sys.setprofile(profile)
Handler.install = installed
if not moment:
    atexit.register(lambda: print(count, file=sys.stderr))
cli.main()
"""
APP = ["run", "--no-cache", "--dir", f"{demo.path() / 'models'}::models", str(demo.path() / "app.wasm")]
HELLO = ["run", "--no-cache", str(Path(__file__).parents[1] / "guests" / "hello_c.wasm")]


def test_nothing_is_imported_before_ctrl_c_is_ours() -> None:
    """But for the package itself and what Python has loaded when it starts."""
    source = "import sys; before = {*sys.modules}; import pywasm_nn; print(*{*sys.modules} - before)"
    command = [sys.executable, "-S", "-c", source]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=HANGS, check=True)
    assert done.stdout.split() == ["pywasm_nn"]


def interrupted(moment: int, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The command line with Ctrl-C at a moment; 0 for none, then the number of moments is its last line."""
    command = [sys.executable, "-c", DRIVER, str(moment), *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=HANGS, check=False)


def moments(arguments: Sequence[str], count: int) -> list[int]:
    """Some moments from all over the run."""
    interrupted(0, arguments)  # the first run may write bytecode, and so takes more calls
    whole = interrupted(0, arguments)
    assert whole.returncode == 0, whole.stderr
    total = int(whole.stderr.split()[-1])
    return [1 + (total - 1) * number // (count + 1) for number in range(count)]


def check(arguments: Sequence[str], count: int) -> None:
    for moment in moments(arguments, count):
        done = interrupted(moment, arguments)
        assert (done.returncode, moment) == (130, moment), done.stderr
        assert done.stderr.strip() == "", f"at moment {moment}"


def test_ctrl_c_while_the_first_file_is_imported() -> None:
    """Nothing of ours is imported by importing the entry point, and what `main` imports first is guarded."""
    source = """
        import gc, sys  # which are no files
        class Pressed:
            def find_spec(name, path, target=None):
                raise KeyboardInterrupt
        sys.modules.pop("__future__", None)
        import pywasm_nn
        before = {*sys.modules}
        from pywasm_nn.cli import main
        print({*sys.modules} - before)
        sys.meta_path[:0] = [Pressed]
        main()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True, text=True, timeout=HANGS, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "{'pywasm_nn.cli'}\n", "")


def test_ctrl_c_while_hello_world_runs() -> None:
    check(HELLO, 8)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [HELLO, APP, ["--help"], ["doctor"]], ids=["hello", "app", "help", "doctor"]
)
def test_ctrl_c_at_many_moments(arguments: list[str]) -> None:
    check(arguments, 100)


def test_ctrl_c_that_waits_is_not_forgotten_where_the_work_ends_first() -> None:
    """It came while a module was imported, and nothing is left to do after that."""
    source = """
import os, signal, sys
from pywasm_nn.cli import interrupts
interrupts.RETRY = 3600
signal.signal(signal.SIGINT, signal.default_int_handler)
handler = interrupts.Handler((lambda: None).__code__)
handler.install()
interrupts.is_importing = lambda frame: True
os.kill(os.getpid(), signal.SIGINT)
handler.finish()
"""
    assert run_here(source).returncode == 130


def run_here(code: str, **settings: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", "import signal; signal.signal(2, signal.default_int_handler)\n" + code]
    return subprocess.run(
        command, capture_output=True, text=True, env=env, timeout=HANGS, check=False, **settings
    )  # type: ignore[call-overload] # checked by the callee


INTERRUPT = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize(
    "code",
    [
        "class D:\n  def __set_name__(self, owner, name):\n    interrupt()\nclass C: a = D()",
        "try:\n  interrupt()\nexcept Exception:\n  pass",
        "class D:\n  def __del__(self): interrupt()\nD()",
        "import weakref\nclass D: pass\nd = D(); weakref.finalize(d, interrupt); del d",
        "try:\n  interrupt()\nexcept BaseException as error:\n  raise ValueError('of whoever') from error",
        "try:\n  interrupt()\nfinally:\n  raise OSError('cleaning up')",
    ],
    ids=["set_name", "caught", "del", "finalize", "cause", "context"],
)
@pytest.mark.parametrize("imported", [False, True], ids=["plain", "imported"])
def test_ctrl_c_where_python_makes_something_else_of_it(tmp_path: Path, code: str, imported: bool) -> None:
    if imported and "cleaning up" in code:
        return  # while a module is imported nothing is raised, so this error is another
    source = f"def interrupt():\n  {INTERRUPT}\n{code}\n"
    (tmp_path / "place.py").write_text(source)
    body = "import place" if imported else f"exec({source!r}, {{}})"
    done = run_here(
        textwrap.dedent(f"""
        import sys; sys.path.insert(0, {str(tmp_path)!r})
        from pywasm_nn import cli
        from pywasm_nn.cli import root
        def command(*given, **settings):
            {body}
            import time
            time.sleep(20)
        root.root.main = command
        cli.main()""")
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_ctrl_c_at_exit() -> None:
    done = run_here(
        f"from pywasm_nn import cli\nimport atexit, sys\ndef late():\n  {INTERRUPT}\n"
        "atexit.register(late)\nsys.argv[1:] = ['--version']\ncli.main()"
    )
    assert done.returncode == 130
    assert done.stdout.startswith("pywasm-nn") and done.stderr == ""


def test_ctrl_c_in_native_code_that_does_not_listen(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        textwrap.dedent("""
        import hashlib, os, signal, threading
        from pywasm_nn.nn.backends.onnx_numpy import NumpyBackend

        class Slow(NumpyBackend):
            name = "slow"
            def load(self, *given, **settings):
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
                hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2_000_000_000)
        """)
    )
    options = ["--nn-plugin", f"{tmp_path / 'slow.py'}:Slow", "--nn-backend", "onnx=slow", "--trust-models"]
    done = run_here(
        f"import sys\nfrom pywasm_nn import cli\nsys.argv[1:] = {[APP[0], *options, *APP[1:]]!r}\ncli.main()"
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_a_signal_that_is_not_ctrl_c_does_not_end_the_process() -> None:
    """A host's own timer, for example."""
    done = run_here(
        "import time\nfrom pywasm_nn.cli import interrupts\n"
        "interrupts.PATIENCE = 0.01\nhandler = interrupts.Handler(None)\nhandler.install()\nhandler.watch()\n"
        "heard = []\nsignal.signal(signal.SIGALRM, lambda *given: heard.append(given))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\n"
        "while len(heard) < 10: time.sleep(0.02)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0)\nprint('went on')"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "went on\n", "")


def test_ctrl_c_that_is_ignored_stays_so() -> None:
    done = run_here(
        "signal.signal(2, signal.SIG_IGN)\nimport sys\nfrom pywasm_nn import cli\n"
        f"sys.argv[1:] = {HELLO!r}\n{INTERRUPT}\ntry:\n  cli.main()\nfinally:\n  {INTERRUPT}"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello, world!\n", "")


def test_what_is_behind_an_error() -> None:
    cause = KeyboardInterrupt()
    wrapped = RuntimeError("of __set_name__")
    wrapped.__cause__ = cause
    outer = HostError("f", wrapped)
    outer.__context__ = wrapped
    wrapped.__context__ = outer
    assert is_interruption(outer) and not is_interruption(HostError("f", ValueError()))


def test_the_handler_of_tests_is_left_alone() -> None:
    before, thresholds = signal.getsignal(signal.SIGINT), gc.get_threshold()
    other = cli.MANY_OBJECTS + 1
    gc.set_threshold(other)
    try:
        assert cli.call(["--version"]) == 0
        assert gc.get_threshold()[0] == other
    finally:
        gc.set_threshold(*thresholds)
    assert signal.getsignal(signal.SIGINT) is before
    assert not isinstance(getattr(before, "__self__", None), Handler)
