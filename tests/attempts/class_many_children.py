# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of several guests, each with a child for its models: memory together, children that are stopped or
that die, descriptions that are giant, questions that are interrupted, and models that change places."""

from __future__ import annotations

from .harness import Attempt

START = """
import gc, json, os, random, resource, signal, struct, sys, tempfile, threading, time
os.mkdir("temporary")
tempfile.tempdir = os.environ["TMPDIR"] = os.path.abspath("temporary")
from pywasm_nn import *
from pywasm_nn.errors import *
from tests.attempts.kit import *
from tests.attempts.kit_models import *
alarm_after(110)
FULL = Limits(seconds=40, memory=256 * MIB, tensor_bytes=256 * MIB)
ONE = Limits(seconds=1, memory=256 * MIB, tensor_bytes=256 * MIB)
LATE = 3.0
'''Seconds after which a call of a guest with one second is late, where four other processes are busy.'''
def own(pid):
    '''Bytes that a process takes; of what it shares its part.'''
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            kinds = {line.split()[0]: int(line.split()[1]) << 10 for line in file if line.startswith("Pss")}
    except OSError:
        return 0
    return kinds.get("Pss:", 0)
class Together(threading.Thread):
    '''The most memory that all children take at one time.'''
    def __init__(self):
        super().__init__(daemon=True)
        self.peak = self.host = self.most = 0
        self.over = False
        self.start()
    def run(self):
        while not self.over:
            pids = children()
            self.peak = max(self.peak, sum(map(own, pids)))
            self.host = max(self.host, own(os.getpid()))
            self.most = max(self.most, len(pids))
            time.sleep(0.02)
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        self.over = True
        self.join()
        print(f"{self.most} children, {self.peak >> 20} MiB together, host {self.host >> 20} MiB", flush=True)
        assert self.peak <= 1 << 30, f"{self.peak >> 20} MiB in {self.most} children"
        assert self.host <= 1 << 30, f"{self.host >> 20} MiB in the host"
def gone(wait=8.0, folders=True):
    started = time.monotonic()
    while (children() or os.listdir("temporary")) and time.monotonic() - started < wait:
        gc.collect()
        time.sleep(0.05)
    assert not children(), "a child stayed"
    assert not folders or not os.listdir("temporary"), os.listdir("temporary")
def holding(mebibytes, rounds=1):
    '''A model that takes so much in one run, and the same again and again.'''
    nodes = [node("ConstantOfShape", "s", "a")] + [node("Add" if at % 2 else "Mul", "a a", f"b{at}") for at in range(rounds)]
    return model([*nodes, *[node("ReduceSum", f"b{at}", f"z{at}") for at in range(rounds)], node("Sum", " ".join(f"z{at}" for at in range(rounds)), "z"), node("Add", "z x")], {"s": [mebibytes << 18]})
def weighing(mebibytes):
    '''A model whose weights are so large.'''
    weights = onnx.numpy_helper.from_array(numpy.zeros(mebibytes << 18, "f4"), "w")
    graph = helper.make_graph([node("ReduceSum", "w", "z"), node("Add", "z x")], "g", [helper.make_tensor_value_info("x", FLOAT, [1])], [helper.make_tensor_value_info("y", FLOAT, None)], [weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
def begun(g, data, value=2.0):
    '''A context of a model, with its input.'''
    answer = g.load(data)
    assert answer == 0, answer
    assert g.call("init_execution_context", g.guest.word(512), 516) == 0
    g.guest.put(600, struct.pack("<f", value)); g.guest.put(620, struct.pack("<I", 1)); g.guest.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
    assert g.call("set_input", g.guest.word(516), 0, 640) == 0
    return g.guest.word(516)
def at_once(count, work):
    '''The answers of so many threads.'''
    answers, gate = [None] * count, threading.Barrier(count)
    def one(at):
        gate.wait()
        try:
            answers[at] = work(at)
        except BaseException as error:
            answers[at] = error
    threads = [threading.Thread(target=one, args=(at,)) for at in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer in answers:
        assert not isinstance(answer, BaseException) or isinstance(answer, LimitError), repr(answer)
    print([answer if not isinstance(answer, bytes) else answer[:4] for answer in answers], flush=True)
    return answers
GOOD = model([node("Add", "x x")])
"""


def attempt(
    name: str, source: str, cpu: float = 40.0, engines: tuple[str, ...] = ("compile",), **more: object
) -> Attempt:
    return Attempt(f"children: {name}", START + source, cpu, engines=engines, **more)  # type: ignore[arg-type]


STOPPED = """
def stopped(do):
    '''What comes of a call while the child is stopped, and when.'''
    heavy = weighing(50) if do == "load 50 MB" else b""
    with Models(ENGINE, "numpy", ONE, pages=1000 if heavy else 64) as g:
        context = begun(g, GOOD)
        if do == "get_output":
            big = begun(g, model([node("ConstantOfShape", "s", "y")], {"s": [1 << 22]}))
        for each in children():
            os.kill(each, signal.SIGSTOP)
        began = time.monotonic()
        answer = {
            "load": lambda: g.load(GOOD),
            "load 50 MB": lambda: g.load(heavy),
            "init": lambda: g.call("init_execution_context", g.guest.word(512), 516),
            "set": lambda: g.call("set_input", context, 0, 640),
            "compute": lambda: g.call("compute", context),
            "finalize": lambda: g.call("finalize_execution_context", context),
            "unload": lambda: (g.call("unload", g.guest.word(512)), g.call("finalize_execution_context", context)),
            "close": lambda: g.guest.instance.close(),
            "trap": lambda: g.call("compute", 0xFFFFFFFF),
            "get_output": lambda: g.call("compute", big),
        }[do]()
        took = time.monotonic() - began
    closed = time.monotonic() - began
    print(do, answer, f"{took:.2f} s, closed {closed:.2f} s", flush=True)
    assert took < LATE and closed < LATE, (do, took, closed)
    gone()
"""

ATTEMPTS = [
    *(
        attempt(
            f"{guests} guests take {mebibytes} MiB at once, {backend}",
            f"""
data = holding({mebibytes}, 3)
with Together():
    guests = [Models(ENGINE, "{backend}", FULL) for _ in range({guests})]
    at_once({guests}, lambda at: [guests[at].all(data) for _ in range(3)])
    answers = at_once({guests}, lambda at: guests[at].all(GOOD))
    for g in guests[1:]:
        g.guest.instance.close()
    guests[0].well()
    guests[0].guest.instance.close()
gone()
""",
            cpu=60.0,
        )
        for guests, mebibytes, backend in ((6, 200, "numpy"), (4, 120, "onnxruntime"), (3, 250, "numpy"))
    ),
    attempt(
        "guests that hold inputs, one after the other, until there is no room",
        """
with Together():
    guests = [Models(ENGINE, "numpy", FULL, pages=900) for _ in range(5)]
    held = 0
    open_ = helper.make_model(helper.make_graph([node("ReduceSum", "x", "y")], "g", [helper.make_tensor_value_info("x", FLOAT, ["n"])], [helper.make_tensor_value_info("y", FLOAT, None)]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    for g in guests:
        if g.load(open_):
            continue
        for _ in range(40):
            if g.call("init_execution_context", g.guest.word(512), 516):
                break
            g.guest.put(620, struct.pack("<I", 12 << 20)); g.guest.put(640, struct.pack("<IIIII", 620, 1, 1, 1 << 20, 48 << 20))
            answer = g.call("set_input", g.guest.word(516), 0, 640)
            assert answer not in ("trap", "limit")
            if not answer:
                answer = g.call("compute", g.guest.word(516))
            if answer:
                break
            held += 1
    print("held", held)
    for g in guests:
        g.guest.instance.close()
gone()
""",
        cpu=60.0,
    ),
    attempt(
        "guests that hold weights: models of 60 MB, again and again",
        """
heavy = weighing(60)
for backend in ("numpy", "onnxruntime"):
    with Together():
        guests = [Models(ENGINE, backend, FULL, pages=1100) for _ in range(4)]
        loaded = 0
        for round in range(5):
            for g in guests:
                answer = g.load(heavy)
                assert answer not in ("trap", "limit"), answer
                loaded += not answer
        print(backend, "loaded", loaded)
        for g in guests:
            g.guest.instance.close()
    gone()
""",
        cpu=60.0,
        peak=1400 << 20,  # the attempt's own model and its guests' memories lie in the host too
    ),
    attempt(
        "one guest has taken the room; whoever comes later gets it back when that one ends",
        """
with Together():
    first, second = Models(ENGINE, "numpy", FULL), Models(ENGINE, "numpy", FULL)
    contexts = [begun(first, holding(100))]
    at_once(2, lambda at: [(first, second)[at].all(holding(240, 2)) for _ in range(4)])
    second.well()
    first.guest.instance.close()
    answer = second.all(holding(200))
    print(answer)
    assert isinstance(answer, bytes), answer
    second.guest.instance.close()
gone()
""",
    ),
    attempt(
        "a guest that began alone grows on when others come",
        """
slow = model([node("ConstantOfShape", "s", "a")] + [node("Sin", "a" if not at else f"b{at - 1}", f"b{at}") for at in range(3)] + [node("ReduceSum", "b2", "z")] + [node("Max", "a b0 b1 b2", "m"), node("ReduceSum", "m", "q"), node("Sum", "z q x")], {"s": [44 << 20]})
with Together():
    guests = [Models(ENGINE, "onnxruntime", FULL) for _ in range(3)]
    for g in guests[:1]:
        g.well()
    def one(at):
        time.sleep(0.3 * at)
        return [guests[at].all(slow) for _ in range(2)]
    at_once(3, one)
    for g in guests[:2]:
        g.guest.instance.close()
    guests[2].well()
    guests[2].guest.instance.close()
gone()
""",
        cpu=90.0,
    ),
    attempt(
        "children die while they grow: their room comes back",
        """
with Together():
    for round in range(4):
        guests = [Models(ENGINE, "numpy", FULL) for _ in range(3)]
        stop = threading.Event()
        def killer():
            chance = random.Random(round)
            while not stop.is_set():
                time.sleep(chance.random() * 0.5)
                for each in children():
                    if chance.random() < 0.5:
                        try:
                            os.kill(each, signal.SIGKILL)
                        except ProcessLookupError:
                            pass
        thread = threading.Thread(target=killer)
        thread.start()
        answers = at_once(3, lambda at: [guests[at].all(holding(150, 2)) for _ in range(4)])
        stop.set()
        thread.join()
        assert not any("trap" in answer or "limit" in answer for answer in answers)
        for g in guests[1:]:
            g.guest.instance.close()
        answer = guests[0].all(holding(150)) if guests[0].load(GOOD) == 0 else guests[0].all(holding(150))
        if not isinstance(answer, bytes):
            answer = guests[0].all(holding(150))
        assert isinstance(answer, bytes), answer
        guests[0].guest.instance.close()
from pywasm_nn.nn.child.together import TOGETHER
assert not TOGETHER._shares, "a share stayed"
gone()
""",
        cpu=60.0,
    ),
    *(
        attempt(f"a stopped child, in {do}", STOPPED + f'\nstopped("{do}")\n')
        for do in (
            "load",
            "load 50 MB",
            "init",
            "set",
            "compute",
            "finalize",
            "unload",
            "close",
            "get_output",
        )
    ),
    attempt(
        "one second for everything: long loads, long runs, giant tensors, each backend",
        """
chain = model([node("Abs", "x" if not k else f"a{k}", f"a{k + 1}") for k in range(60000)] + [node("Abs", "a60000")])
wide = model([node("Abs", "x", f"a{k}") for k in range(40000)] + [node("Sum", " ".join(f"a{k}" for k in range(40000)))])
text = model([node("Identity", "x")]) + b"\\x12" + bytes([0x80, 0x80, 0x80, 0x08]) + b"d" * (1 << 24)
nested = b""
for _ in range(3000):
    nested = b"\\x3a" + number(len(nested)) + nested
for name, data in {"endless": endless(), "sines": sines(), "chain": chain, "wide": wide, "text": text, "nested": nested, "matrices": model([node("ConstantOfShape", "s", "a"), *[node("MatMul", "a a", f"b{k}") for k in range(40)], node("ReduceSum", "b39", "z"), node("Add", "z x")], {"s": [7000, 7000]})}.items():
    for backend in ("numpy", "onnxruntime", "openvino"):
        began = time.monotonic()
        with Models(ENGINE, backend, ONE, pages=400) as g:
            answer = g.all(data)
        took = time.monotonic() - began
        print(name, backend, answer if not isinstance(answer, bytes) else len(answer), f"call {g.longest:.2f} s, {took:.2f} s", flush=True)
        assert g.longest < LATE, (name, backend, g.longest)
gone()
""",
        cpu=70.0,
    ),
    attempt(
        "twenty guests with a second each, whose models never end, at once",
        """
guests = [Models(ENGINE, "onnxruntime", ONE) for _ in range(20)]
began = time.monotonic()
with Together():
    at_once(20, lambda at: guests[at].all(endless()))
took = time.monotonic() - began
print(f"{took:.2f} s, longest {max(g.longest for g in guests):.2f} s")
assert max(g.longest for g in guests) < 2 * LATE
for g in guests:
    g.guest.instance.close()
gone()
""",
        cpu=60.0,
    ),
    attempt(
        "descriptions that are giant: names by the megabyte, a hundred thousand inputs and outputs",
        """
def described(inputs, outputs, long=0):
    name = "n" * long
    graph = helper.make_graph([node("Abs", "x0" + name, "y")] + [node("Abs", "x0" + name, f"o{at}" + name) for at in range(outputs)], "g", [helper.make_tensor_value_info(f"x{at}" + name, FLOAT, [1]) for at in range(inputs)],
                              [helper.make_tensor_value_info("y", FLOAT, [1])] + [helper.make_tensor_value_info(f"o{at}" + name, FLOAT, [1]) for at in range(outputs)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
for backend in ("numpy", "onnxruntime"):
    for name, data in {"names of a megabyte": described(4, 8, 1 << 20), "forty thousand": described(20000, 20000), "one of 20 MB": described(1, 1, 20 << 20)}.items():
        with Models(ENGINE, backend, Limits(seconds=20, memory=256 * MIB, tensor_bytes=256 * MIB), pages=2000) as g:
            answer = g.load(data)
            print(backend, name, len(data), answer, f"{g.longest:.1f} s", own(os.getpid()) >> 20, "MiB", flush=True)
            assert answer not in ("trap",)
            if answer != "limit":
                g.well()
gone()
""",
        cpu=90.0,
        peak=1200 << 20,
    ),
    attempt(
        "names that are no UTF-8, that are empty, twice the same, or have what ends a line of JSON",
        """
plain = model([node("Add", "xxxxxxxx xxxxxxxx")]).replace(b"\\x01x", b"\\x01x")
for old in (b"xxxxxxxx",):
    for new in (b"\\xff" * 8, b"\\xed\\xa0\\x80\\xed\\xb0\\x80ab", b"\\0" * 8, b'"}]},"x"', b"\\n\\n\\r\\n{}\\n\\n", b"\\xe2\\x80\\xa8\\xe2\\x80\\xaeab", b"NaNNaNNa", b"\\x1b[31mred"):
        graph = helper.make_graph([node("Add", "xxxxxxxx xxxxxxxx")], "g", [helper.make_tensor_value_info("xxxxxxxx", FLOAT, [1])], [helper.make_tensor_value_info("y", FLOAT, [1])])
        data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString().replace(old, new)
        for backend in ("numpy", "onnxruntime", "openvino"):
            with Models(ENGINE, backend, FULL) as g:
                answer = g.all(data)
                assert answer not in ("trap", "limit"), (new, backend)
                print(backend, new, answer)
                g.well()
gone()
""",
        cpu=60.0,
    ),
    attempt(
        "a question is interrupted at any moment: no answer comes to another question",
        """
plus, times = model([node("Add", "x x")]), model([node("Mul", "x c")], {})
graph = helper.make_graph([node("Mul", "x c")], "g", [helper.make_tensor_value_info("x", FLOAT, [1])], [helper.make_tensor_value_info("y", FLOAT, None)], [onnx.numpy_helper.from_array(numpy.array([50.0], "f4"), "c")])
times = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
class Now(BaseException):
    pass
def now(*_):
    raise Now
signal.signal(signal.SIGALRM, now)
chance = random.Random(5)
counts = {}
g = Models(ENGINE, "numpy", Limits(seconds=100))
for _ in range(1):
    for round in range(150):
        data, right = ((plus, 4.0), (times, 100.0))[round % 2]
        answer = None
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.random() * (0.003, 0.01, 0.1)[round % 3])
            answer = g.all(data)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except BaseException as error:
            signal.setitimer(signal.ITIMER_REAL, 0)
            answer = type(error).__name__
        if isinstance(answer, bytes):
            assert answer == struct.pack("<f", right), (round, answer)
            answer = "right"
        counts[answer] = counts.get(answer, 0) + 1
        if not isinstance(g.call("unload", 12345), int):  # it was stopped in the middle
            g.guest.instance.close()
            g = Models(ENGINE, "numpy", Limits(seconds=100))
            g.load(GOOD)
            continue
        for handle in ("finalize_execution_context", 516), ("unload", 512):
            try:
                g.call(handle[0], g.guest.word(handle[1]))
            except BaseException:
                pass
print(counts)
assert counts.get("right", 0) > 2 and counts.get("Now", 0) > 9
g.guest.instance.close()
gone(folders=False)  # one that was interrupted as it was made may stay, empty
""",
        cpu=90.0,
    ),
    attempt(
        "deadlines while the child begins: nothing stays behind",
        """
for seconds in (0.001, 0.01, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3):
    for _ in range(4):
        try:
            with Models(ENGINE, "numpy", Limits(seconds=seconds)) as g:
                answer = g.all(GOOD)
            assert g.longest < seconds + LATE
        except (LimitError, LinkError) as error:
            answer = repr(error)[:60]
    print(seconds, answer, flush=True)
gone()
threads = [thread.name for thread in threading.enumerate()]
print(threads)
assert len(threads) <= 2 and len(descriptors()) < 40, (threads, descriptors())
""",
        cpu=60.0,
    ),
    attempt(
        "the host forks while its guests have children",
        """
g = Models(ENGINE, "numpy", Limits(seconds=20))
context = begun(g, GOOD)
mine = set(children())
pid = os.fork()
if not pid:
    try:
        answer = g.call("compute", context)
        assert answer not in (0, "trap"), answer
        again = g.all(GOOD)
        assert again == struct.pack("<f", 4), again
        g.guest.instance.close()
        os._exit(0)
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(7)
assert os.waitpid(pid, 0)[1] == 0
assert mine <= set(children()), "the fork ended a child of its parent"
assert g.call("compute", context) == 0
g.guest.instance.close()
gone()
""",
        cpu=20.0,
    ),
    attempt(
        "outputs that change their size in each run",
        """
grow = model([node("Cast", "x", "i", to=7), node("ConstantOfShape", "i", "y")])
for backend in ("numpy", "onnxruntime"):
    with Together(), Models(ENGINE, backend, FULL) as g:
        context = begun(g, grow)
        chance = random.Random(2)
        answers = {}
        for round in range(120):
            size = chance.choice((1, 5, 1000, 1 << 16, 1 << 20, 1 << 23, 50 << 20, 64 << 20, 1 << 28, (1 << 31) - 128))
            g.guest.put(600, struct.pack("<f", size))
            answer = (g.call("set_input", context, 0, 640), g.call("compute", context), g.call("get_output", context, 0, 1 << 20, 1 << 20, 700))
            answers[str(answer)] = answers.get(str(answer), 0) + 1
            assert "trap" not in answer and "limit" not in answer
            if answer[1] == 5:  # there is no memory for that
                g.call("finalize_execution_context", context)
                g.call("unload", g.guest.word(512))
                context = begun(g, grow)
        print(backend, answers)
        g.well()
gone()
""",
        cpu=80.0,
    ),
    attempt(
        "models that change places: thousands of loads, unloads and contexts, in every order",
        """
named = {"good": "good.onnx", "other": "other.onnx"}
open("good.onnx", "wb").write(GOOD)
open("other.onnx", "wb").write(model([node("Mul", "x x")]))
chance = random.Random(8)
with Together(), Models(ENGINE, "numpy", Limits(seconds=60), models=named) as g:
    before = own(os.getpid())
    for round in range(6000):
        kind = chance.randrange(8)
        number = chance.choice((0, 1, 2, 3, 10, 50, 0xFFFFFFFF))
        if kind == 0:
            answer = g.load(chance.choice((GOOD, GOOD[:40], b"", GOOD * 2)))
        elif kind == 1:
            g.guest.put(1000, chance.choice((b"good", b"othe", b"none", b"\\xff\\xff\\0/")))
            answer = g.call("load_by_name", 1000, 4, 512)
        elif kind == 2:
            text = json.dumps({"threads": chance.randrange(3), "x": round}).encode()
            g.guest.put(1000, b"good"); g.guest.put(2000, text)
            answer = g.call("load_by_name_with_config", 1000, 4, 2000, len(text), 512)
        elif kind == 3:
            answer = g.call("unload", number)
        elif kind == 4:
            answer = g.call("init_execution_context", number, 516)
        elif kind == 5:
            answer = g.call("finalize_execution_context", number)
        elif kind == 6:
            answer = g.call("compute", number)
        else:
            answer = g.call("get_output", number, chance.choice((0, 1)), 4096, 64, 700)
        assert answer not in ("trap", "limit"), (round, kind, answer)
    grown = own(os.getpid()) - before
    print(f"the host grew by {grown >> 20} MiB")
    assert grown < 64 << 20 and len(children()) <= 1
gone()
""",
        cpu=60.0,
    ),
    attempt(
        "the killer is there as soon as a child begins",
        """
stop = threading.Event()
def killer():
    while not stop.is_set():
        for each in children():
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
thread = threading.Thread(target=killer)
thread.start()
answers = {}
try:
    with Models(ENGINE, "numpy", Limits(seconds=60)) as g:
        for round in range(60):
            answer = g.all(GOOD)
            answers[str(answer)] = answers.get(str(answer), 0) + 1
            assert answer not in ("trap", "limit"), answer
finally:
    stop.set()
    thread.join()
print(answers)
gone()
""",
        cpu=60.0,
    ),
    attempt(
        "guests are dropped amid their questions, from other threads",
        """
for round in range(8):
    guests = [Models(ENGINE, "onnxruntime", Limits(seconds=2)) for _ in range(3)]
    threads = [threading.Thread(target=lambda g=g: g.all(endless())) for g in guests]
    for thread in threads:
        thread.start()
    time.sleep(0.1 * round)
    for g in guests:
        try:
            g.guest.instance.close()
        except BusyError:
            pass
    del guests, g
    for thread in threads:
        thread.join()
    del thread, threads
gone()
""",
        cpu=60.0,
    ),
]
