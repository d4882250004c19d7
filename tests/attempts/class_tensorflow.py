# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts with models of TensorFlow: a guest's own bytes, which must never reach it, and what a guest gives to a
model that the host named."""

from __future__ import annotations

from .code_foreign import LYING
from .harness import Attempt

START = """
import io, json, os, pickle, random, struct, sys, tempfile, threading, time, warnings, zipfile
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.simplefilter("ignore")
from pathlib import Path
from pywasm_nn import *
from pywasm_nn.errors import *
from pywasm_nn.nn import *
from tests.attempts.kit import *
from tests.attempts.kit_models import *
from tests.attempts.kit_foreign import *
import tensorflow
tf = tensorflow.compat.v1
alarm_after(115)
SECRET, TARGET, PWNED = (os.path.abspath(name) for name in ("secret", "target", "pwned"))
class Evil:
    def __reduce__(self):
        return os.mkdir, (PWNED,)
def x():
    return tf.placeholder(tf.float32, [None], name="x")
def frozen(build):
    '''A GraphDef of what `build` puts into a graph.'''
    with tf.Graph().as_default() as graph:
        build()
    return graph.as_graph_def().SerializeToString()
def sneaky(edit, build=lambda: tf.identity(x() * 2, name="y")):
    '''A GraphDef that is changed afterwards.'''
    with tf.Graph().as_default() as graph:
        build()
    made = graph.as_graph_def()
    edit(made)
    return made.SerializeToString()
def endless():
    return tf.while_loop(lambda i: tf.constant(True), lambda i: i + 1, [tf.reduce_sum(x())], name="y")
def recursive():
    '''A function of the library that calls itself.'''
    def edit(made):
        function = made.library.function.add()
        function.signature.name = "f"
        argument = function.signature.input_arg.add(); argument.name, argument.type = "a", 1
        result = function.signature.output_arg.add(); result.name, result.type = "r", 1
        inner = function.node_def.add(); inner.name, inner.op = "again", "f"; inner.input.append("a")
        function.ret["r"] = "again:r:0"
        call = made.node.add(); call.name, call.op = "z", "f"; call.input.append("y")
    return sneaky(edit)
def lying(edit):
    '''A constant whose shape isn't that of its bytes.'''
    def change(made):
        for each in made.node:
            if each.op == "Const":
                edit(each.attr["value"].tensor)
    return sneaky(change, lambda: tf.identity(x() * tf.constant([2.0, 3.0]), name="y"))
def sized(*lengths):
    def edit(tensor):
        del tensor.tensor_shape.dim[:]
        for length in lengths:
            tensor.tensor_shape.dim.add().size = length
    return edit
def saved():
    '''The only file of a SavedModel.'''
    with tf.Graph().as_default(), tf.Session() as session:
        given = x()
        signature = tf.saved_model.predict_signature_def({"x": given}, {"y": tf.io.read_file(tf.constant(SECRET))})
        builder = tf.saved_model.Builder("saved")
        builder.add_meta_graph_and_variables(session, ["serve"], signature_def_map={"serving_default": signature})
        builder.save()
    data = Path("saved/saved_model.pb").read_bytes()
    __import__("shutil").rmtree("saved")
    return data
def archive(**members):
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name.replace("__", "."), data)
    return into.getvalue()
LIMITS = Limits(seconds=30, tensor_bytes=64 * MIB, memory=256 * MIB)
GOOD = frozen(lambda: tf.identity(x() * 2, name="y"))
def named(data, limits=LIMITS, **options):
    '''A guest of a model that the host named.'''
    Path("m.pb").write_bytes(data)
    return Models(ENGINE, limits=limits, pages=300, models={"m": NamedModel((Path("m.pb"),), config=GraphConfig(options=options))})
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
    return Attempt(f"tensorflow: {name}", START + source, cpu, 2 << 30, ("compile",), needs="tensorflow")


OWN = {
    "a loop without end": "frozen(endless)",
    "a function that calls itself": "recursive()",
    "giant constants by a fill": 'frozen(lambda: tf.add(tf.fill([1 << 20, 1 << 20], 1.0), tf.reduce_sum(x()), name="y"))',
    "a constant that says a vast shape": "lying(sized(1 << 31, 1 << 31))",
    "a constant that says a negative shape": "lying(sized(-5, -(1 << 62)))",
    "a constant of two hundred dimensions": "lying(sized(*[2] * 200))",
    "a constant whose bytes are missing": 'lying(lambda tensor: setattr(tensor, "tensor_content", b"1"))',
    "one that reads a file": 'frozen(lambda: (x(), tf.identity(tf.io.read_file(tf.constant(SECRET)), name="y")))',
    "one that writes a file": 'frozen(lambda: (x(), tf.io.write_file(tf.constant(TARGET), tf.constant("written"), name="y")))',
    "one that lists files": 'frozen(lambda: (x(), tf.identity(tf.io.matching_files(tf.constant("/etc/*")), name="y")))',
    "one that calls Python": 'frozen(lambda: tf.py_func(lambda a: os.mkdir(PWNED), [x()], tf.float32, name="y"))',
    "one that prints": 'frozen(lambda: (x(), tf.print(HOSTILE, output_stream="file://" + PWNED)))',
    "a chain of fifty thousand": 'sneaky(lambda made: [(lambda added: (setattr(added, "name", f"n{at}"), setattr(added, "op", "Neg"), added.input.append(f"n{at - 1}" if at else "y"), added.attr["T"].CopyFrom(made.node[-2].attr["T"])))(made.node.add()) for at in range(50_000)])',
    "nodes in a circle": 'sneaky(lambda made: [each.input.append("^y") for each in made.node if each.op == "Mul"])',
    "nodes of no name, the same name, and hostile names": "sneaky(lambda made: [setattr(made.node.add(), 'name', each) for each in ('', 'y', 'y', HOSTILE, '^y', 'y:0', '../x', 'a' * 100000)])",
    "operators that there are not": "sneaky(lambda made: [setattr(made.node.add(), 'op', each) for each in ('', 'Evil', HOSTILE, '_Send', '_Recv', '_Arg', '_Retval', 'x' * 100000)])",
    "the file of a SavedModel": "saved()",
    "a SavedModel in an archive": 'archive(saved_model__pb=saved(), assets="x")',
    "a model of Keras with a pickled function": 'archive(config__json=json.dumps({"class_name": "Lambda", "config": {"function": ["gASV", None, None]}}), metadata__json="{}", model__weights__h5=pickle.dumps(Evil()))',
    "an archive that unpacks to gigabytes": "archive(saved_model__pb=bytes(400 << 20))",
    "text of a graph": """b'node { name: "y" op: "ReadFile" input: "x" }'""",
    "the name of a file, of a folder, and of a server": 'SECRET.encode() + b"\\\\0/etc\\\\0gs://bucket/m\\\\0http://127.0.0.1:1/m.pb"',
}

ATTEMPTS = [
    *(attempt(f"a guest's own: {name}", f"refused(ENGINE, {data})\n") for name, data in OWN.items()),
    attempt(
        "a guest's own: damaged graphs, three hundred",
        """
chance = random.Random(3)
with Models(ENGINE, pages=96) as g:
    for round in range(300):
        data = bytearray(GOOD)
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
with named(frozen(lambda: tf.fill([tf.cast(tf.reduce_sum(x()), tf.int32)], 1.0, name="y"))) as g:
    context = begun(g)
    for value, right in ((5.0, (0, 0)), (20e6, None), (5.0, (0, 0)), (-3.0, None), (7.0, (0, 0))):
        give(g, context, (1,), 1, struct.pack("<f", value))
        answer = g.call("compute", context), g.call("get_output", context, 0, 4096, 64, 800)
        print(value, answer)
        assert (answer == right) if right else (0 not in answer and not {"trap", "limit"} & set(answer)), (value, answer)
""",
    ),
    attempt(
        "the host's: options, indices, contexts and graphs without end",
        """
Path("m.pb").write_bytes(GOOD)
with Models(ENGINE, limits=LIMITS, pages=300, models={"m": Path("m.pb")}) as g:
    g.guest.put(1000, b"m")
    for options in ({"threads": -1}, {"threads": 1 << 40}, {"threads": 10 ** 400}, {"signature": HOSTILE}, {"tags": [HOSTILE]}, {"outputs": ["../x"]}, {"inputs": {"x": 1}}, {"target": "gpu"}, {"path": PWNED}, [], None, {HOSTILE: 1}):
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
        "the host's: what it says of a failure is printable, and a long run harms nobody",
        """
def fails():
    given = x()
    with tf.control_dependencies([tf.debugging.Assert(tf.reduce_sum(given) > 5, [tf.constant(HOSTILE)])]):
        return tf.identity(given, name="y")
Path("m.pb").write_bytes(frozen(fails))
said = []
forward = forwarding("wasi_ephemeral_nn", "load_by_name iii init_execution_context ii set_input iii compute i", 30)
with forward.instantiate(engine=ENGINE, nn=NN(models={"m": Path("m.pb")}), report=said.append) as instance:
    call = instance.exports
    instance.memory.write(1000, b"m")
    assert call.load_by_name(1000, 1, 512) == 0 and call.init_execution_context(0, 516) == 0, said
    instance.memory.write(620, struct.pack("<I", 1)); instance.memory.write(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
    assert call.set_input(0, 0, 640) == 0
    print(call.compute(0), said)
assert said and not any(raw(line) for line in said), said
with named(frozen(lambda: tf.while_loop(lambda i, a: i < 10.0, lambda i, a: (i + 1.0, tf.reduce_sum(tf.matmul(tf.ones([2000, 2000]) * a, tf.ones([2000, 2000]))) * 0 + a), [0.0, tf.reduce_sum(x())], name="y")), Limits(seconds=1)) as g:
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
]
