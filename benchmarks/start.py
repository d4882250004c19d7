"""How long hello world takes, beside `import click` and `import pywasm_nn`, in processor time.

    python benchmarks/start.py [ROUNDS]

Processes take turns, so that what else the machine does meets all of them alike. A ratio is of times of one
round; its median is shown with its quartiles. Modules are there as bytecode and the guest's code is kept, as
on a user's second start. `click` isn't imported for a plain command line, with or without options: its time
is what people know. What guests cost is in `compare.py`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import quantiles

ROOT = Path(__file__).resolve().parents[1]
HELLO = ROOT / "tests" / "guests" / "hello_c.wasm"
MOST = 1.5
"""Times `import click` that hello world may take."""
MILLISECONDS = 2.0
"""That `import pywasm_nn` may take."""


def processor_time(words: list[str], environment: dict[str, str]) -> float:
    """Milliseconds of a process with these arguments for Python."""
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(sys.executable, [sys.executable, *words], environment, file_actions=nowhere)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, words
    return (usage.ru_utime + usage.ru_stime) * 1000


def shown(values: list[float], digits: int) -> str:
    """The median, between the quartiles."""
    low, middle, high = quantiles(values, n=4)
    return f"{middle:8.{digits}f}   ({low:.{digits}f} to {high:.{digits}f})"


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as kept:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": kept}
        processes = {
            "pass": ["-c", "pass"],
            "import click": ["-c", "import click"],
            "import pywasm_nn": ["-c", "import pywasm_nn"],
            "hello world": ["-m", "pywasm_nn", "run", str(HELLO)],
            "hello world --dir .": ["-m", "pywasm_nn", "run", str(HELLO), "--dir", "."],
        }
        for words in processes.values():
            processor_time(words, environment)
        times: dict[str, list[float]] = {name: [] for name in processes}
        for _ in range(rounds):
            for name, words in processes.items():
                times[name].append(processor_time(words, environment))
    for name, values in times.items():
        print(f"{name:32} {shown(values, 1)} ms")
    medians = []
    for name in ("hello world", "hello world --dir ."):
        ratios = [a / b for a, b in zip(times[name], times["import click"], strict=True)]
        medians.append(quantiles(ratios, n=4)[1])
        print(f"{f'{name} / import click':32} {shown(ratios, 2)}, at most {MOST}")
    imports = [a - b for a, b in zip(times["import pywasm_nn"], times["pass"], strict=True)]
    print(f"{'import pywasm_nn - pass':32} {shown(imports, 1)} ms, at most {MILLISECONDS}")
    return int(max(medians) > MOST or quantiles(imports, n=4)[1] > MILLISECONDS)


if __name__ == "__main__":
    sys.exit(main())
