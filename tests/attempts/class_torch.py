# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts with models of PyTorch: a guest's own bytes, which must never reach it, and what a guest gives to a
model that the host named."""

from __future__ import annotations

from .code_foreign import LYING
from .harness import Attempt

START = """
import io, itertools, os, pickle, random, struct, sys, tempfile, threading, time, warnings, zipfile
warnings.simplefilter("ignore")
from pathlib import Path
from pywasm_nn import *
from pywasm_nn.errors import *
from pywasm_nn.nn import *
from tests.attempts.kit import *
from tests.attempts.kit_models import *
from tests.attempts.kit_foreign import *
import torch
alarm_after(115)
NUMBERS = itertools.count()
RAISED = 'raise Exception("' + ''.join(each for each in HOSTILE if each not in '\\0\\n\\r\\u2028\\u2029\\x85') + '")\\nreturn x'
SECRET, TARGET, PWNED = (os.path.abspath(name) for name in ("secret", "target", "pwned"))
def script(body, more=""):
    '''TorchScript of a function of x.'''
    made = type(f"Made{next(NUMBERS)}", (torch.jit.ScriptModule,), {})()
    if more:
        made.define(more)
    made.define("def forward(self, x: Tensor) -> Tensor:\\n" + "\\n".join("    " + line for line in body.splitlines()) + "\\n")
    into = io.BytesIO()
    torch.jit.save(made, into)
    return into.getvalue()
class Evil:
    def __reduce__(self):
        return os.mkdir, (PWNED,)
def changed(data, edit):
    '''An archive with members changed, stored as PyTorch stores them.'''
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            new.writestr(name, edit(name, old.read(name)))
    return into.getvalue()
def exported():
    class Adds(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(1))
        def forward(self, x):
            return x + self.w
    into = io.BytesIO()
    torch.export.save(torch.export.export(Adds().eval(), (torch.zeros(1),)), into)
    return into.getvalue()
GOOD = script("return x + x")
LIMITS = Limits(seconds=30, tensor_bytes=64 * MIB, memory=256 * MIB)
def named(data, limits=LIMITS, name="m.pt", **options):
    '''A guest of a model that the host named.'''
    Path(name).write_bytes(data)
    return Models(ENGINE, limits=limits, pages=300, models={"m": NamedModel((Path(name),), config=GraphConfig(options=options))})
def begun(g):
    g.guest.put(1000, b"m")
    assert g.call("load_by_name", 1000, 1, 512) == 0
    assert g.call("init_execution_context", g.guest.word(512), 516) == 0
    return g.guest.word(516)
def give(g, context, dims, kind, data, index=0, size=None):
    g.guest.put(1 << 20, data); g.guest.put(620, b"".join(struct.pack("<I", each) for each in dims)); g.guest.put(700, struct.pack("<IIIII", 620, len(dims), kind, 1 << 20, len(data) if size is None else size))
    return g.call("set_input", context, index, 700)
"""


def attempt(name: str, source: str, cpu: float = 60.0) -> Attempt:
    return Attempt(f"torch: {name}", START + source, cpu, 2 << 30, ("compile",), needs="torch")


OWN = {
    "a loop without end": 'script("while True:\\n    x = x + 1\\nreturn x")',
    "giant tensors": 'script("return torch.zeros([1 << 40]) + x")',
    "a constant that is expanded": 'script("return torch.zeros([1]).expand([1 << 40]).clone()")',
    "one that reads a file": 'script(f"return torch.from_file({SECRET!r}, False, 6, dtype=0)")',
    "one that writes a file": 'script(f"return torch.from_file({TARGET!r}, True, 6, dtype=0).fill_(120)")',
    "one that saves a file": 'script(f"torch.save(x, {PWNED!r})\\nreturn x")',
    "one that raises hostile text": "script(RAISED)",
    "a chain of ten thousand": 'script("\\n".join(["x = x + x"] * 10000) + "\\nreturn x")',
    "blocks inside of blocks": 'script("".join("    " * at + "if bool(x.sum() > 0):\\n" for at in range(60)) + "    " * 60 + "x = x + 1\\nreturn x")',
    "a pickle": "pickle.dumps(Evil())",
    "a pickle in an archive": 'changed(GOOD, lambda name, data: pickle.dumps(Evil()) if name.endswith("data.pkl") else data)',
    "a checkpoint of the old kind": "(lambda into: (torch.save(Evil(), into, _use_new_zipfile_serialization=False), into.getvalue())[1])(io.BytesIO())",
    "a checkpoint of the new kind": '(lambda into: (torch.save({"model": Evil()}, into), into.getvalue())[1])(io.BytesIO())',
    "an export whose weights are pickles": 'changed(exported(), lambda name, data: data.replace(b\'"use_pickle": false\', b\'"use_pickle": true\') if name.endswith("config.json") else pickle.dumps(Evil()) if "/weights/weight_" in name else data)',
    "an export with Python text": """changed(exported(), lambda name, data: data.replace(b'"guards_code": []', b'"guards_code": ["__import__(\\'os\\').mkdir(\\'pwned\\')"]') if name.endswith("model.json") else data)""",
    "an archive that unpacks to gigabytes": '(lambda into: ([archive.writestr(f"m/data/{at}", bytes(200 << 20)) for archive in [zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED)] for at in range(2)], into.getvalue())[1])(io.BytesIO())',
    "an archive whose names leave it": '(lambda into: ([archive.writestr(name, b"x") for archive in [zipfile.ZipFile(into, "w")] for name in ("../pwned", PWNED, "m/../../pwned", "m/version", "m/data.pkl")], into.getvalue())[1])(io.BytesIO())',
    "the code of a module that sets its state": """changed(GOOD, lambda name, data: data + b"\\n  def __setstate__(self, state: str) -> NoneType:\\n    y = torch.from_file('target', True, 6, dtype=0)\\n    return None\\n" if name.endswith(".py") else data)""",
    "the name of a file, and of a server": 'SECRET.encode() + b"\\\\0http://127.0.0.1:1/m.pt"',
}

ATTEMPTS = [
    *(attempt(f"a guest's own: {name}", f"refused(ENGINE, {data})\n") for name, data in OWN.items()),
    attempt(
        "a guest's own: damaged archives, three hundred",
        """
chance = random.Random(3)
held = own_memory()
with Models(ENGINE, pages=64) as g:
    for round in range(300):
        data = bytearray(GOOD if round % 2 else exported() if round < 4 else GOOD)
        for _ in range(chance.randrange(1, 30)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        answer = g.load(bytes(data[: chance.randrange(len(data))] if round % 3 else data), encoding=chance.randrange(12))
        assert isinstance(answer, int) and answer, answer
    g.well()
""",
    ),
    attempt(
        "the host's: dimensions, types and sizes that lie",
        LYING,
    ),
    attempt(
        "the host's: outputs that are larger than a tensor may be, by what the guest gives",
        """
with named(script("return torch.zeros([int(x.sum().item())]) + 1")) as g:
    context = begun(g)
    for value, right in ((5.0, (0, 0)), (20e6, None), (5.0, (0, 0)), (-3.0, None), (float("nan"), None), (1e30, None), (7.0, (0, 0))):
        give(g, context, (1,), 1, struct.pack("<f", value))
        answer = g.call("compute", context), g.call("get_output", context, 0, 4096, 64, 800)
        print(value, answer)
        assert (answer == right) if right else (0 not in answer and not {"trap", "limit"} & set(answer)), (value, answer)
with named(script("return x.expand([1 << 16, 1 << 16])")) as g:  # 16 GiB to look at, 4 bytes to hold
    context = begun(g)
    give(g, context, (1,), 1, struct.pack("<f", 1))
    before = own_memory()
    answer = g.call("compute", context), g.call("get_output", context, 0, 4096, 64, 800)
    print("expanded", answer, own_memory() - before >> 20, "MiB")
    assert 0 not in answer and own_memory() - before < 64 * MIB
""",
    ),
    attempt(
        "the host's: what it writes to its input, and keeps, nobody else sees",
        """
with named(script("x.add_(1)\\nreturn x")) as g:
    one, two = begun(g), begun(g)
    for context, value in ((one, 1.0), (two, 50.0), (one, None), (two, None), (one, None)):
        if value is not None:
            give(g, context, (1,), 1, struct.pack("<f", value))
            assert g.guest.instance.memory.read(1 << 20, 4) == struct.pack("<f", value)
        assert g.call("compute", context) == g.call("get_output", context, 0, 4096, 64, 800) == 0
        found = struct.unpack("<f", g.guest.instance.memory.read(4096, 4))[0]
        assert found == {one: 2.0, two: 51.0}[context], (context, found)
""",
    ),
    attempt(
        "the host's: options, indices, contexts and graphs without end",
        """
import json
Path("m.pt").write_bytes(GOOD)
with Models(ENGINE, limits=LIMITS, pages=300, models={"m": Path("m.pt")}) as g:
    g.guest.put(1000, b"m")
    for options in ({"threads": -1}, {"threads": 1 << 40}, {"threads": 10 ** 400}, {"threads": 1.5}, {"target": "gpu"}, {"path": PWNED}, {"map_location": "cuda"}, {"weights_only": False}, {"extra_files": {"a": "b"}}, [], None, {"device": HOSTILE}, {HOSTILE: 1}):
        text = json.dumps(options).encode()
        g.guest.put(2000, text)
        answer = g.call("load_by_name_with_config", 1000, 1, 2000, len(text), 512)
        assert answer not in ("trap", "limit"), options
    context = begun(g)
    for index in (1, 2, 1 << 31, 0xFFFFFFFF):
        assert give(g, context, (1,), 1, bytes(4), index=index) not in (0, "trap", "limit")
        assert g.call("get_output", context, index, 4096, 64, 800) not in (0, "trap", "limit")
    made = 0
    while g.call("init_execution_context", g.guest.word(512), 516) == 0:
        made += 1
        assert made < 5000
    print(made, "contexts")
    assert give(g, context, (1,), 1, struct.pack("<f", 2)) == g.call("compute", context) == 0
""",
    ),
    attempt(
        "the host's: what it raises is printable, and a long run harms nobody",
        """
Path("m.pt").write_bytes(script(RAISED))
said = []
forward = forwarding("wasi_ephemeral_nn", "load_by_name iii init_execution_context ii set_input iii compute i", 30)
with forward.instantiate(engine=ENGINE, nn=NN(models={"m": Path("m.pt")}), report=said.append) as instance:
    call = instance.exports
    instance.memory.write(1000, b"m")
    assert call.load_by_name(1000, 1, 512) == 0 and call.init_execution_context(0, 516) == 0, said
    instance.memory.write(620, struct.pack("<I", 1)); instance.memory.write(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
    assert call.set_input(0, 0, 640) == 0
    assert call.compute(0) != 0
print(said)
assert said and not any(raw(line) for line in said), said
with named(script("for i in range(60):\\n    x = x + torch.ones([2000, 2000]).mm(torch.ones([2000, 2000])).sum()\\nreturn x"), Limits(seconds=1)) as g:
    context = begun(g)
    give(g, context, (1,), 1, bytes(4))
    answer = g.call("compute", context)
    print(answer, g.longest)
    assert answer in (0, "limit")  # nothing ends the run (SECURITY.md), and all goes on afterwards
    give(g, context, (1,), 1, bytes(4))
    after = g.call("get_output", context, 0, 4096, 64, 800)
    assert after == "trap" if answer == "limit" else after in (0, 5), "who was stopped stays so"
""",
        cpu=110.0,
    ),
    attempt(
        "the host's: eight guests on one model at once",
        """
Path("m.pt").write_bytes(GOOD)
shared = NN(models={"m": Path("m.pt")})
wrong = []
def work(seed):
    with Models(ENGINE, limits=LIMITS) as g:
        pass
    forward = Guest(ENGINE, module="wasi_ephemeral_nn", pages=300, limits=LIMITS, nn=shared)
    forward.put(1000, b"m")
    assert forward("load_by_name", 1000, 1, 512) == 0 and forward("init_execution_context", forward.word(512), 516) == 0
    for at in range(60):
        value = seed * 1000 + at
        forward.put(600, struct.pack("<f", value)); forward.put(620, struct.pack("<I", 1)); forward.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
        codes = [forward("set_input", forward.word(516), 0, 640), forward("compute", forward.word(516)), forward("get_output", forward.word(516), 0, 4096, 4, 700)]
        found = struct.unpack("<f", forward.instance.memory.read(4096, 4))[0]
        if any(codes) or found != 2 * value:
            wrong.append((seed, at, codes, found))
    forward.instance.close()
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong[:5]
""",
    ),
]
