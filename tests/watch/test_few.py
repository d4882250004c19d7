"""Few elements are traced without numpy, and as if with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import statistics
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch import few
from pywasm_nn.watch.facts import Input
from pywasm_nn.watch.hints import foreign, ordinary, values
from pywasm_nn.watch.hints.gather import INPUT_RULES
from pywasm_nn.watch.tensors import described
from pywasm_nn.watch.trace import LARGE, Trace

FIXTURES = Path(__file__).parents[1] / "nn" / "fixtures"
DIGITS = Path(__file__).parents[2] / "examples" / "digits"
ORDER = numpy.random.default_rng(19)
MEMORY = Module.from_text('(module (memory (export "memory") 1))').instantiate().exported_memory("memory")
ODD = [numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.5, 6e4]


@pytest.mark.parametrize("dtype", few.CODES)
def test_few_are_told_as_many_are(dtype: DType) -> None:
    for count in (1, 2, 3, 10, 100):
        tensors = [ORDER.integers(0, 2 if dtype is DType.BOOL else 90, count)]
        if dtype in (DType.F16, DType.F32, DType.F64):
            tensors += [ORDER.choice(ODD, count), ORDER.normal(size=count), numpy.full(count, numpy.nan)]
        for one in tensors:
            tensor = Tensor.from_numpy(one.astype(dtype.numpy_name))
            array, numbers = tensor.numbers(), few.few(tensor)
            assert array is not None and numbers is not None
            with few.unwarned():
                told, largest = statistics.statistics(array), statistics.largest(array)
            assert str(few.largest(numbers)) == str(largest)
            mine = few.statistics(numbers)
            for name in statistics.Statistics.__match_args__:
                seen, wanted = getattr(mine, name), getattr(told, name)
                assert seen == wanted or seen == pytest.approx(wanted, rel=1e-9, nan_ok=True), name


def test_none_are_few_without_numbers() -> None:
    for tensor in (
        Tensor(DType.STRING, (1,), b"a"),
        Tensor(DType.BF16, (1,), b"ab"),
        Tensor(DType.F32, (0,), b""),
        Tensor(DType.F32, (2,), b"abcd"),
        Tensor(DType.U8, (few.MOST + 1,), bytes(few.MOST + 1)),
    ):
        assert few.few(tensor) is None


def looked(array: Any, name: str = "x") -> tuple[bool, list[str]]:
    """Whether elements are ordinary, and all that rules say of them."""
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(array))
    spec = TensorSpec(name, tensor.dtype, tensor.shape)
    numbers, flat = few.few(tensor), tensor.numbers()
    assert numbers is not None
    with few.unwarned():
        facts = Input(0, spec, described(spec, tensor), flat, ramp=values.is_ramp(flat))
        is_ordinary = ordinary.is_ordinary(facts, tensor, numbers, [name], MEMORY)
        said = [rule(facts) for rule in INPUT_RULES]
        said.append(foreign.addresses(facts, MEMORY))
        if is_ordinary:
            assert ordinary.is_ramp(numbers) == facts.ramp
            mine = values.is_flat_picture(numbers, ordinary.apart)
            assert mine == values.is_flat_picture(flat)
    return is_ordinary, [text for text in said if text]


DIGIT = ORDER.integers(0, 17, 64).astype("f4") / 16
WRONG = {
    "a text": numpy.frombuffer(b"the picture one.pgm, prepared for the network.." + bytes(17), "f4"),
    "a short text": numpy.frombuffer(b"one.pgm, two.pgm" + DIGIT.tobytes()[:48], "f4"),
    "filled": numpy.frombuffer(b"\xdd" * 64, "f4"),
    "doubles": numpy.array([1.5, 2.25, 40.1, 0.3, 12.9], "f8").view("f4"),
    "integers": numpy.arange(1, 17, dtype="<i4").view("f4"),
    "floats": DIGIT.view("<i4"),
    "letters": numpy.frombuffer(b"the picture of a cat on a table.", "<i4"),
    "not a number": numpy.array([1, numpy.nan, 2, 3], "f4"),
    "rows": (numpy.arange(16, dtype="<i4") * 32 + 2048).view("f4"),
    "a vector": numpy.concatenate([numpy.array([2048, 2304, 2304, 64], "<i4").view("f4"), DIGIT[4:]]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_a_rule_sees_is_not_ordinary(wrong: str) -> None:
    assert not looked(WRONG[wrong])[0]


def test_rules_have_nothing_to_say_of_ordinary_elements() -> None:
    ordinary_ones = 0
    for number in range(150):
        count = int(ORDER.choice([1, 2, 6, 48, 64, 100]))
        array = (
            ORDER.normal(size=count).astype("f4"),
            ORDER.integers(0, 256, count).astype("u1"),
            ORDER.integers(0, 1 << 17, count).astype("i4"),
            numpy.frombuffer(ORDER.bytes(4 * count), "f4"),
            numpy.frombuffer(ORDER.bytes(8 * count), "f8"),
            (numpy.arange(count) * 0.5).astype("f4"),
            numpy.frombuffer(ORDER.integers(0x20, 0x7F, 4 * count).astype("u1"), "<i4"),
        )[number % 7]
        is_ordinary, said = looked(array)
        ordinary_ones += is_ordinary
        assert not (is_ordinary and said), (array, said)
    assert ordinary_ones > 20
    assert looked(DIGIT)[0] and looked(numpy.zeros(64, "f4"))[0] and looked(DIGIT.reshape(1, 1, 8, 8))[0]
    assert not looked(numpy.arange(8), "input_ids")[0]
    counts = numpy.arange(8, dtype="f4")
    assert looked(counts)[0] and looked(counts, "vote_share")[1] and not looked(counts, "vote_share")[0]


TRACED = """
import sys
from pathlib import Path
from struct import pack
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session
from pywasm_nn.nn import Target, Tensor, DType, TensorSpec
from pywasm_nn.watch.facts import Input
from pywasm_nn.watch.hints.gather import INPUT_RULES
from pywasm_nn.watch.tensors import described
from pywasm_nn.watch.trace import Trace
trace = Trace(["nn"])
session = Session(Registry(prefer={"onnx": "numpy"}), print)
waits = []
session.watch(trace.nn_event, lambda size: waits.append((size, len(trace))))
model = Path(sys.argv[1]).read_bytes()
ctx = session.init_execution_context(session.load([model], None, Target.CPU))
for index in range(2):
    session.set_input(ctx, index, Tensor(DType.F32, (1, 2), pack("<2f", 3, 4)))
session.compute(ctx)
session.get_output(ctx, 1)
print([event.tensors[0].maximum for event in trace if event.tensors], waits == [(len(model), 0)])
spec = TensorSpec("x", DType.F32, (1, 2))
facts = Input(0, spec, described(spec, Tensor(DType.F32, (1, 2), pack("<2f", 3, 4))))
print([rule(facts) for rule in INPUT_RULES if rule(facts)], {"numpy"} & set(sys.modules))
trace.waiting(LARGE - 1)
print({"numpy"} & set(sys.modules))
trace.waiting(LARGE)
print({"numpy"} & set(sys.modules))
"""


def test_small_models_are_traced_without_numpy() -> None:
    """A large one's tensors need it: it is imported while the child, whose first words are waited for,
    imports a framework."""
    source = TRACED.replace("LARGE", str(LARGE))
    done = subprocess.run(
        [sys.executable, "-c", source, FIXTURES / "add_mul_dyn.onnx"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.split("\n")[:4] == ["[4.0, 4.0, 16.0] True", "[] set()", "set()", "{'numpy'}"]


def test_together_all_use_the_time_of_waiting() -> None:
    from pywasm_nn.watch.together import Together

    waited: list[int] = []

    class Waiter(Trace):
        def waiting(self, size: int) -> None:
            waited.append(size)

    Together([Waiter(["nn"]), Waiter(["host"])]).waiting(5)
    assert waited == [5]


def test_the_digits_example_is_traced_without_numpy() -> None:
    """Its process never had to import it: that took longer than its run."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pywasm_nn", "run", "--trace=host,nn",
         "--dir", "models", "app.wasm"],
        cwd=DIGITS, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    imported = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line]
    assert "pywasm_nn.watch.trace" in imported and "nn    compute(" in done.stderr
    assert "numpy" not in imported
