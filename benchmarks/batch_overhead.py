"""What `BatchRunner` costs: processor time of a guest, against a loop that keeps the module and makes an
instance each time.

    python benchmarks/batch_overhead.py [ROUNDS]

A guest that classifies a picture (tests/digit_reader.py), 100 in a round, rounds of both alternate. The ratio
is that of the fastest rounds. Exit code 1 if it is above what it may be.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pywasm_nn import NN, Capture, GuestExit, Module, Wasi  # noqa: E402 - after the path is set
from pywasm_nn.batch import BatchRunner  # noqa: E402 - after the path is set
from tests.digit_reader import GUEST, MODELS, pictures  # noqa: E402 - after the path is set

MOST = 1.15
GUESTS = 100


def by_hand() -> Callable[[bytes], bytes]:
    """A function that runs the guest as a loop in Python would."""
    module, nn = Module.from_text(GUEST, "digits.wat"), NN(models=MODELS)

    def run(picture: bytes) -> bytes:
        output = Capture()
        wasi = Wasi(args=["digits.wat"], stdin=picture, stdout=output, stderr=Capture())
        with module.instantiate(wasi, nn) as app:
            try:
                app.exports["_start"]()
            except GuestExit as end:
                assert not end.code
        return output.value

    return run


def seconds(run: Callable[[bytes], object], inputs: list[bytes]) -> float:
    """Processor time of a guest."""
    began = time.process_time()
    for picture in inputs:
        run(picture)
    return (time.process_time() - began) / len(inputs)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    inputs = pictures(GUESTS)
    ways = {"by hand": by_hand(), "BatchRunner": BatchRunner(Module.from_text(GUEST), models=MODELS)}
    assert [ways["by hand"](one) for one in inputs] == [row["stdout"] for row in ways["BatchRunner"](inputs)]
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            times[name].append(seconds(run, inputs))
    best = {name: min(each) for name, each in times.items()}
    for name, each in best.items():
        print(f"{name:12} {each * 1e3:.3f} ms a guest")
    ratio = best["BatchRunner"] / best["by hand"]
    print(f"ratio {ratio:.3f}, at most {MOST}")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
