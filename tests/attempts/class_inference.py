# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of guests of wasi:nn, as core modules and as components: tensors whose sizes overflow, handles that are
dropped, given away, of another kind or of another guest, and lists of all memory."""

from __future__ import annotations

from .harness import Attempt

START = """
import time, resource, itertools
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from pywasm_nn import *
from pywasm_nn.errors import *
from tests.attempts.kit import *
from tests.attempts.kit_models import *
from tests.nn.wit_component import GUESTS, ComponentGuest
from tests.nn.wit_guest import NEWEST, AUGUST, JUNE, UNVERSIONED, WitError, WitGuest
from pywasm_nn.nn import NN
alarm_after(100)
LIMITS = Limits(seconds=2, memory=256 << 20, tensor_bytes=16 << 20, tensor_total=64 << 20, handles=200)
MODEL = model([node("Add", "x x")])
NNS = NN(backends={"onnx": "numpy"}, trust_guest_models=True)
def guests(versions=(NEWEST, AUGUST)):
    for (name, start), version in itertools.product(GUESTS.items(), versions):
        yield f"{name}{version}", lambda: start(version, NNS, limits=LIMITS, engine=ENGINE), version
def ends(name, do, most=2.5):
    '''An answer, an error of wasi:nn, or one of ours: in time.'''
    used = time.process_time()
    try:
        ended = do()
    except WitError as error:
        ended = f"error {error.code} {error.text}"[:120]
    except WasmError as error:
        ended = f"{type(error).__name__} {error}"[:120]
        str(error), repr(error)
    used = time.process_time() - used
    print(name, str(ended)[:120], f"{used:.2f}", flush=True)
    assert used < most, (name, used)
    return ended
def refused(name, do):
    ended = str(ends(name, do))
    assert ended.startswith(("error", "Trap", "LimitError", "ExhaustionError")), (name, ended)
FLOAT = struct.pack("<f", 2.0)
"""


def attempt(name: str, source: str, cpu: float = 15.0) -> Attempt:
    return Attempt(f"inference: {name}", START + source, cpu)


ATTEMPTS = [
    attempt(
        "tensors whose dimensions overflow, or aren't those of their bytes",
        """
for name, begin, version in guests():
    for dims in ((1 << 31, 1 << 31, 1 << 31), (0xFFFFFFFF,) * 8, (0,), (0, 0xFFFFFFFF), (), (1,) * 32, (1,) * 33, (65536, 65536), (3,), (0xFFFFFFFF, 0)):
        for type_ in (0, 1, 2, 4, 6):
            g = begin()
            def run():
                tensor = g.tensor(FLOAT, dims, type_)
                assert g.dimensions(tensor) == dims
                context = g.context(g.load(MODEL))
                if version == NEWEST:
                    g.compute(context, x=tensor)
                else:
                    g.set_input(context, "x", tensor)
                    g.compute_set(context)
            if dims not in ((1,) * 32, ()) or type_ != 1:
                refused(f"{name} {dims} {type_}", run)
            g.instance.close()
""",
        cpu=60.0,
    ),
    attempt(
        "types, encodings and targets that there aren't",
        """
for name, begin, version in guests((NEWEST,)):
    for number in (7, 99, 255, 256, 0x80000000, 0xFFFFFFFF):
        for call in (lambda: g.tensor(FLOAT, (1,), number), lambda: g.load(MODEL, encoding=number), lambda: g.load(MODEL, target=number)):
            g = begin()
            refused(f"{name} {number}", call)
            g.instance.close()
""",
        cpu=30.0,
    ),
    attempt(
        "handles that were dropped, given away, are of another kind, or nobody's",
        """
for name, begin, version in guests((NEWEST, AUGUST, JUNE, UNVERSIONED)):
    def uses(g, handle):
        return {"data": lambda: g.data(handle), "dimensions": lambda: g.dimensions(handle), "context": lambda: g.context(handle), "drop tensor": lambda: g.drop("tensor", "tensor", handle),
                "drop graph": lambda: g.drop("graph", "graph", handle), "drop context": lambda: g.drop("inference", "graph-execution-context", handle), "drop error": lambda: g.drop("errors", "error", handle),
                "compute": (lambda: g.compute(handle)) if version == NEWEST else (lambda: g.compute_set(handle))}
    for use in uses(None, 0):
        for wild in (0, 5, 0x0FFFFFFF, 0x10000000, 0x80000000, 0xFFFFFFFF):
            g = begin()
            refused(f"{name} {use} {wild}", uses(g, wild)[use])
            g.instance.close()
        for kind in ("tensor", "graph", "context"):
            g = begin()
            tensor, graph = g.tensor(FLOAT, (1,)), g.load(MODEL)
            context = g.context(graph)
            handle = {"tensor": tensor, "graph": graph, "context": context}[kind]
            g.drop({"tensor": "tensor", "graph": "graph", "context": "inference"}[kind], {"tensor": "tensor", "graph": "graph", "context": "graph-execution-context"}[kind], handle)
            refused(f"{name} {use} of dropped {kind}", uses(g, handle)[use])
            g.instance.close()
""",
        cpu=60.0,
    ),
    attempt(
        "a tensor that is given twice in one call, or after it was given",
        """
for name, begin, version in guests():
    g = begin()
    context = g.context(g.load(MODEL))
    tensor = g.tensor(FLOAT, (1,))
    if version == NEWEST:
        refused(f"{name} twice in one call", lambda: g.compute(context, x=tensor, y=tensor))
    else:
        g.set_input(context, "x", tensor)
        refused(f"{name} set again", lambda: g.set_input(context, "x", tensor))
    refused(f"{name} read after", lambda: g.data(tensor))
    g.instance.close()
""",
    ),
    attempt(
        "tensors, graphs, contexts and errors until the limits, and what is left after",
        """
for name, begin, version in guests():
    for make in (lambda: g.tensor(FLOAT, (1,)), lambda: g.load(MODEL), lambda: g.context(graph), lambda: g.call("graph.load", 0x100, 0, 1, 0, 0x10)):
        g = begin()
        graph = g.load(MODEL)
        count = 0
        try:
            while count < 1000:
                make()
                count += 1
        except (WitError, WasmError) as error:
            print(name, count, str(error)[:80])
        assert count <= 260, (name, count)
        g.instance.close()
    g = begin()
    refused(f"{name} large", lambda: [g.tensor(bytes(8 << 20), (2 << 20,)) for k in range(20)])
    g.instance.close()
    assert not g.session.held if hasattr(g.session, "held") else True
""",
        cpu=60.0,
    ),
    attempt(
        "names that are long, wild, hostile, and repeated",
        """
for name, begin, version in guests():
    for text in (b"", b"x" * 4096, b"x" * 5000, b"\\xff\\xfe", HOSTILE.encode("utf-8", "ignore"), b"../../etc/passwd", b"\\0"):
        g = begin()
        refused(f"{name} by name {text[:10]}", lambda: g.load_by_name(text))
        assert not raw("".join(g.reports)), g.reports
        g.instance.close()
    g = begin()
    context = g.context(g.load(MODEL))
    if version == NEWEST:
        refused(f"{name} names", lambda: g.compute(context, **{HOSTILE.replace(chr(0), ""): g.tensor(FLOAT, (1,))}))
        refused(f"{name} many", lambda: g.compute(context, **{f"x{k}": g.tensor(FLOAT, (1,)) for k in range(20)}))
    g.instance.close()
""",
    ),
    attempt(
        "an allocator that answers addresses outside, unaligned, or where the arguments are",
        """
for name, begin, version in guests():
    for skew in (1, 2, 3, 0x7FFFFFFF, 0xFFFF0000, 0xFFFFFFFC, 0x10000000):
        g = begin()
        tensor = g.tensor(FLOAT, (1,))
        g.skew(skew)
        ends(f"{name} {skew:x} data", lambda: g.data(tensor))
        g.instance.close()
        g = begin()
        g.skew(skew)
        ends(f"{name} {skew:x} dimensions", lambda: g.dimensions(g.tensor(FLOAT, (1,))))
        g.instance.close()
    for area in (1, 0xFFFFFFFF, 0xFFFFFFF0, 0x20000):
        g = begin()
        refused(f"{name} area {area:x}", lambda: g.call("graph.load", 0x100, 0, 1, 0, area))
        g.instance.close()
""",
        cpu=30.0,
    ),
]
