# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of guests that make texts with a GGUF model of the host's: prompts, options, grammars, schemas, pictures,
contexts and the process of llama.cpp that several guests share."""

from __future__ import annotations

from importlib.util import find_spec

from .harness import Attempt

START = """
import gc, json, os, signal, socket, struct, sys, threading, time
from pathlib import Path
from pywasm_nn import *
from pywasm_nn.errors import *
from pywasm_nn.nn import NN
from tests.attempts.kit import *
from tests.attempts.kit_models import children, descriptors
from tests.nn.backends.texts import ENDING, ENDLESS, TINY, TextGuest, models
alarm_after(115)
NNS = models("xllamacpp")
held = NNS.load(NNS.registry.models["m"])
def warm(**options):
    '''The process of llama.cpp has begun, so that its start takes none of a guest's time.'''
    guest = TextGuest(NNS, **{"temp": 0, "n-predict": 2, **options})
    assert (guest.prompt(ENDLESS), guest.compute()) == (0, 0), guest.reports
    guest.instance.close()
def ends(name, do, most=2.6):
    '''A number, a text, or an error of ours: in time.'''
    began = time.monotonic()
    try:
        said = do()
    except (WasmError, GuestExit) as error:
        said = error
        assert not raw(str(error)), str(error)
    took = time.monotonic() - began
    print(name, repr(said)[:120], f"{took:.2f}", flush=True)
    assert took < most, (name, took, repr(said)[:200])
    return said
def asked(name, prompt=ENDLESS, seconds=1.0, most=2.6, how="compute", limits=None, **options):
    '''One question of a guest with a deadline: what comes of all its calls.'''
    def do():
        guest = TextGuest(NNS, limits=limits or Limits(seconds=seconds), **{"temp": 0})
        if len(prompt) > 60_000:
            guest.memory.grow(len(prompt) // 65536 + 1)
        try:
            codes = [guest.set_input(guest.context, 1, json.dumps(options).encode(), dims=[1], type=3)] if options else []
            codes.append(guest.prompt(prompt))
            if not any(codes):
                codes.append(guest.call(how, guest.context))
            for report in guest.reports:
                assert not raw(report, "\\n") and len(report) < 5000, report[:300]
            return codes
        finally:
            guest.instance.close()
    return ends(name, do, most)
def well():
    '''A text is made as ever, within some seconds.'''
    until = time.monotonic() + 20
    while True:
        guest = TextGuest(NNS, **{"temp": 0, "n-predict": 8})
        code = guest.prompt(ENDLESS) or guest.compute()
        if not code:
            assert len(guest.text) == 8
            guest.instance.close()
            return
        guest.instance.close()
        assert time.monotonic() < until, guest.reports
def size(pid):
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    except (OSError, IndexError):
        return 0
"""


def attempt(name: str, source: str, cpu: float = 20.0) -> Attempt:
    return Attempt(f"texts: {name}", START + source, cpu, engines=("compile",))


ALL = [
    attempt(
        "prompts of every bytes and lengths",
        """
warm()
for name, prompt in {
    "nothing": b"", "a null": b"\\0", "nulls": bytes(200), "no UTF-8": bytes(range(128, 256)), "half a character": "€".encode()[:2] * 40, "surrogates": "\\ud800".encode("utf-8", "surrogatepass") * 50,
    "special tokens": b"<s></s><unk>" * 20, "escapes": HOSTILE.encode("utf-8", "surrogatepass"), "one letter": b"a" * 250, "blanks": b" " * 250, "lines": b"\\n" * 250, "braces": b"{%% {{ }} %s" * 15,
    "a megabyte": b"a" * (1 << 20), "blanks by the megabyte": b" " * (1 << 20), "special tokens by the megabyte": b"</s>" * (1 << 18), "no UTF-8 by the megabyte": b"\\xff" * (1 << 20),
    "json": b'", "n_predict": 99999, "x": "', "a template": b"<|im_start|>system\\n" * 10, "media": b"<__media__>" * 20, "a picture that is none": b'<img src="data:image/png;base64,' + b"A" * 9000, "a path": b'<img src="/etc/passwd">', "an address": b'<img src="http://127.0.0.1:1/">',
}.items():
    for how in ("compute", "compute_single"):
        said = asked(f"{name} {how}", prompt, how=how)
        assert isinstance(said, list), said
well()
""",
    ),
    attempt(
        "grammars that take for ever, each way, under a deadline",
        """
warm(), warm(grammar='root ::= "a"')
BOMBS = {
    "alternatives that double": "root ::= r0\\n" + "\\n".join(f'r{i} ::= r{i + 1} | r{i + 1} "x"' for i in range(40)) + '\\nr40 ::= "z"',
    "rules that double": "root ::= r0\\n" + "\\n".join(f"r{i} ::= r{i + 1} r{i + 1}" for i in range(40)) + '\\nr40 ::= "z"?',
    "repetitions of repetitions": 'root ::= ((((("a"*)*)*)*)*)*',
    "optional parts that repeat": 'root ::= ("a"? "b"? "c"?){900}',
    "repeats that multiply": 'root ::= a{900}\\na ::= b{900}\\nb ::= c{900}\\nc ::= "x"{900}',
    "itself on the left": 'root ::= root "a" | "a"', "itself alone": "root ::= root", "itself by another": "root ::= a\\na ::= b\\nb ::= a", "hidden on the left": 'root ::= e root "a" | "b"\\ne ::= ""',
    "nothing for ever": 'root ::= (""*)*', "no root": 'other ::= "a"', "an unknown rule": "root ::= nothing", "twice": 'root ::= "a"\\nroot ::= "b"',
    "any characters": "root ::= [^a]* [^b]* [^c]* [^d]* [^e]* [^f]* [^g]* [^h]*", "ambiguous": 'root ::= x*\\nx ::= "a" | "aa" | [a-z] | [a-z][a-z] | [^ ]',
    "what no token is": 'root ::= "\\\\U0010ffff"*', "what ends at once": 'root ::= ""', "classes by the thousand": "root ::= [" + "a-z" * 5000 + "]*",
    "ranges turned around": "root ::= [z-a]", "escapes": 'root ::= "\\\\x1b[31m\\\\x07"', "raw escapes": 'root ::= "\\x1b]0;x\\x07" |\\u202e', "nulls": 'root ::= "\\0"', "no end": 'root ::= "', "parentheses": "root ::= " + "(" * 30 + '"a"' + ")" * 30,
}
for name, grammar in BOMBS.items():
    said = asked(name, grammar=grammar)
    assert isinstance(said, (list, DeadlineError)), said
well()
""",
        cpu=60.0,
    ),
    attempt(
        "schemas that nest, repeat, refer to themselves and to other hosts",
        """
warm(), warm(grammar='root ::= "a"')
server = socket.create_server(("127.0.0.1", 0))
server.setblocking(False)
port = server.getsockname()[1]
deep = {}
for _ in range(8):
    deep = {"type": "object", "properties": {"a": deep, "b": deep}, "required": ["a", "b"]}
double = {"$defs": {f"d{k}": {"anyOf": [{"$ref": f"#/$defs/d{k + 1}"}, {"$ref": f"#/$defs/d{k + 1}"}]} for k in range(40)} | {"d40": {"const": 1}}, "$ref": "#/$defs/d0"}
SCHEMAS = {
    "deep": {"type": "array", "items": {"type": "array", "items": {"type": "array"}}}, "wide": {"type": "object", "properties": {f"p{k}": {"type": "number"} for k in range(300)}, "required": [f"p{k}" for k in range(300)]},
    "optional by the hundred": {"type": "object", "properties": {f"p{k}": {"type": "number"} for k in range(300)}}, "doubling": double, "itself": {"$ref": "#"}, "itself in a list": {"type": "array", "items": {"$ref": "#"}},
    "another host": {"$ref": f"http://127.0.0.1:{port}/schema.json"}, "another host, https": {"$ref": f"https://127.0.0.1:{port}/schema.json#/a"}, "a file": {"$ref": "file:///etc/passwd"}, "a path": {"$ref": "/etc/passwd"},
    "an id elsewhere": {"$id": f"http://127.0.0.1:{port}/", "$ref": "a.json"}, "many": {"enum": [str(k) for k in range(2000)]}, "all": {"allOf": [{"minLength": k} for k in range(500)]}, "one": {"oneOf": [{"const": k} for k in range(500)]},
    "a pattern": {"type": "string", "pattern": "^(a+)+$"}, "patterns that nest": {"type": "string", "pattern": "^" + "(" * 200 + "a" + ")*" * 200 + "$"}, "a format": {"type": "string", "format": "date-time"}, "numbers": {"type": "integer", "minimum": -(10**18), "maximum": 10**18},
    "wild numbers": {"type": "integer", "minimum": 10**40}, "lengths": {"type": "string", "minLength": 999, "maxLength": 1000}, "items": {"type": "array", "minItems": 999, "maxItems": 1000}, "hostile": {"const": HOSTILE.encode("utf-8", "replace").decode()}, "false": False, "true": True, "null": None, "a text": "object",
    "wrong types": {"type": 5, "properties": [], "required": {}}, "types by the thousand": {"type": ["string", "null"] * 2000}, "prefix": {"prefixItems": [{"type": "null"}] * 900},
}
for name, schema in {**SCHEMAS, "deep objects": deep if len(json.dumps(deep)) < 1 << 14 else {"not": {}}}.items():
    said = asked(name, **{"json-schema": json.dumps(schema)[:15_000]})
    assert isinstance(said, (list, DeadlineError)), said
try:
    server.accept()
    raise SystemExit("somebody connected")
except BlockingIOError:
    pass
well()
""",
        cpu=60.0,
    ),
    attempt(
        "options that are deep, long, doubled, of every type, and a thousand",
        """
warm()
guest = TextGuest(NNS, temp=0, limits=Limits(seconds=1))
ODD = [b"[" * 100_000, b"{\\"a\\":" * 50_000, b'{"temp": ' + b"1" * 5000 + b"}", b'{"seed": ' + b"9" * 4000 + b"}", b'{"temp": 1e99999}', b'{"temp": -Infinity}', b'{"temp": 0, "temp": "x"}', b'{"reverse-prompt": "' + b"x" * 20_000 + b'"}', b'{"reverse-prompt": ""}', b'{"reverse-prompt": "\\\\ud800"}', b'{"grammar": "\\\\ud800"}', b'{"grammar": "\\\\u0000"}', b'{"' + b"k" * 20_000 + b'": 1}', b'{"__class__": 1, "__init__": {}}', b'{"n_predict": 5, "prompt": "x", "id_slot": 3, "cache_prompt": true, "return_tokens": true}', b"\\xef\\xbb\\xbf{}", b"{} {}", b"nan", b"null", b"1", b'"x"', b'{"stream-stdout": true, "stop": [], "n_probs": 100000, "logit_bias": [[1, 1e9]], "lora": [{"id": 0, "scale": 9}]}', b"{" + b",".join(b'"k%d": %d' % (k, k) for k in range(2000)) + b"}"]
for odd in ODD:
    def do():
        one = TextGuest(NNS, temp=0, limits=Limits(seconds=1))
        code = one.set_input(one.context, 1, odd[:40_000], dims=[1], type=3)
        again = one.begin(odd[:20_000])
        assert code and again or not code, (odd[:30], code, again)
        codes = [code, again, one.prompt(ENDLESS), one.compute()] if not (code or again) else [code, again]
        for report in one.reports:
            assert not raw(report, "\\n") and len(report) < 5000, report[:300]
        one.instance.close()
        return codes
    assert isinstance(ends(repr(odd[:30]), do), (list, LimitError))
def storm():
    for number in range(1000):
        guest.options(**{"seed": number})
ends("a storm", storm, 20)
well()
""",
        cpu=25.0,
    ),
    attempt(
        "as many processes and gigabytes as there are settings",
        """
warm()
before = children()
guests, peak, most = [], 0, 0
for number in range(40):
    guest = TextGuest(NNS, limits=Limits(seconds=20), **{"temp": 0, "n-predict": 2, "ctx-size": 64 + number, "batch-size": 1 + number, "ubatch-size": 1 + number, "n-parallel": 1 + number, "threads": 1 + number, "n-gpu-layers": number, "embedding": bool(number % 3 == 2)})
    guests.append(guest)
    guest.prompt(ENDLESS), guest.compute()
    now = children()
    peak, most = max(peak, sum(map(size, now))), max(most, len(now))
print(most, peak >> 20)
assert most <= 4, most
assert peak < 2 << 30, peak
for guest in guests:
    guest.instance.close()
well()
""",
        cpu=40.0,
    ),
    attempt(
        "contexts, graphs and prompts until the limits",
        """
warm()
guest = TextGuest(NNS, temp=0, limits=Limits(seconds=20, contexts=100, graphs=20, tensor_total=1 << 20))
made = []
while not (code := guest.call("init_execution_context", guest.graph, guest.OUT)):
    made.append(guest.u32())
assert len(made) < 100 and code, (len(made), code)
while not (code := guest.begin(b'{"temp": 0}')):
    pass
assert code
kept = sum(not guest.set_input(context, 0, b"x" * 20_000, dims=[1], type=3) for context in made)
kept_ = sum(not guest.set_input(context, 1, b'{"reverse-prompt": "' + b"x" * 20_000 + b'"}', dims=[1], type=3) for context in made)
print(len(made), kept, kept_, guest.reports[-1])
assert kept * 20_000 <= 1 << 20, kept
codes = {guest.call("compute", context) for context in made[:20]}
print(codes)
guest.instance.close()
well()
""",
    ),
    attempt(
        "outputs before, between and after, of wild indices, and to addresses outside",
        """
warm()
guest = TextGuest(NNS, temp=0, limits=Limits(seconds=5), **{"n-predict": 4})
def call(name, *arguments):
    try:
        return guest.call(name, *arguments)
    except Trap as error:
        return error
for step in ("none", "prompt", "single", "finished", "compute", "finished again"):
    if step == "prompt":
        assert guest.prompt(ENDLESS) == 0
    if step == "single":
        assert call("compute_single", guest.context) == 0
    if step.startswith("finished"):
        call("fini_single", guest.context)
    if step == "compute":
        assert call("compute", guest.context) == 0
    for how in ("get_output", "get_output_single"):
        for index in (0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff):
            for at, room in ((0x8000, 0), (0x8000, 1), (0x8000, 20000), (0xfffffff0, 64), (0, 0xffffffff), (65535, 2), (0x7fffffff, 0x7fffffff)):
                said = call(how, guest.context, index, at, room, guest.OUT)
                assert isinstance(said, (int, Trap))
    for context in (99, 0xffffffff, 0x80000000):
        for name in ("compute", "compute_single", "fini_single"):
            assert call(name, context) != 0
for number in range(2000):
    call("compute_single", guest.context), call("fini_single", guest.context)
guest.instance.close()
well()
""",
        cpu=30.0,
    ),
    attempt(
        "texts of others: by numbers of contexts and graphs, the same slot, and what is left of a prompt",
        """
warm()
secret = b"The secret is 0xC0FFEE and 12345"
first = TextGuest(NNS, temp=0, **{"n-predict": 40})
assert (first.prompt(secret), first.compute()) == (0, 0)
told = first.text
second = TextGuest(NNS, temp=0, **{"n-predict": 40})
for context in range(0, 64):
    for index in (0, 1):
        code = second.call("get_output", context, index, 0x8000, 20000, second.OUT)
        if not code:
            assert secret not in second.memory.read(0x8000, 20000) and told not in second.memory.read(0x8000, 20000)
third = TextGuest(NNS, temp=0, **{"n-predict": 40})
assert (second.prompt(secret[:-6]), second.compute(), third.prompt(secret[:-6]), third.compute()) == (0,) * 4
assert second.text == third.text
alone = models("xllamacpp")
other = TextGuest(alone, temp=0, **{"n-predict": 40})
assert (other.prompt(secret[:-6]), other.compute()) == (0, 0) and other.text == second.text, "an answer depends on what others asked"
assert other.numbers == second.numbers
""",
        cpu=25.0,
    ),
    attempt(
        "the process stands still: who asks waits no longer than the deadline, also where the pipe is full",
        """
warm()
pids = children()
for pid in pids:
    os.kill(pid, signal.SIGSTOP)
try:
    for round in range(4):  # each prompt is as long as any may be, and takes six times that as JSON
        asked(f"stopped {round}", prompt=bytes([255]) * 8000, most=2.6)
    asked("stopped, in compute", most=2.6)
finally:
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
well()
held.close()
""",
        cpu=40.0,
    ),
    attempt(
        "whoever finds the port asks without the key",
        """
import http.client
warm(), warm(grammar='root ::= "a"')
def ports():
    found = set()
    inodes = {os.readlink(path) for pid in children() for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:] + Path("/proc/net/tcp6").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
            found.add((words[1].split(":")[0], int(words[1].split(":")[1], 16)))
    return found
found = ports()
print(found)
for address, port in found:
    assert address == "0100007F", address
    for method, path in (("GET", "/props"), ("GET", "/slots"), ("GET", "/metrics"), ("GET", "/v1/models"), ("GET", "/models"), ("GET", "/lora-adapters"), ("POST", "/completion"), ("POST", "/completions"), ("POST", "/v1/completions"), ("POST", "/v1/chat/completions"), ("POST", "/infill"), ("POST", "/tokenize"), ("POST", "/detokenize"), ("POST", "/embedding"), ("POST", "/v1/embeddings"), ("POST", "/apply-template"), ("POST", "/rerank"), ("POST", "/slots/0?action=save"), ("POST", "/props"), ("POST", "/v1/messages"), ("POST", "/api/show"), ("GET", "/"), ("GET", "/index.html"), ("POST", "/models/load"), ("OPTIONS", "/completion")):
        for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer x"}, {"X-Api-Key": ""}, {"Origin": "http://evil.example"}):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            try:
                connection.request(method, path, b'{"prompt": "x", "content": "x", "filename": "x", "n_predict": 1}' if method == "POST" else None, {"Content-Type": "application/json", **headers})
                answer = connection.getresponse()
                body = answer.read(2000)
            except (OSError, http.client.HTTPException):
                continue
            finally:
                connection.close()
            assert answer.status >= 400 or path in ("/health", "/v1/health") or not body.strip() or method == "OPTIONS" or (path in ("/v1/models", "/models", "/", "/index.html") and b"tiny" not in body and b"/" not in body[:0]), (method, path, headers, answer.status, body[:300])
            assert b"fixtures" not in body, (path, body[:300])
well()
""",
    ),
    attempt(
        "the process is killed, stopped and gone on at random while guests ask",
        """
import random
warm()
chance = random.Random(5)
stop = []
def kill():
    while not stop:
        time.sleep(chance.uniform(0.05, 0.6))
        for pid in children():
            try:
                os.kill(pid, chance.choice((signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT, signal.SIGSEGV, signal.SIGTERM)))
            except ProcessLookupError:
                pass
killer = threading.Thread(target=kill)
killer.start()
codes = {}
until = time.monotonic() + 12
while time.monotonic() < until:
    said = asked("one", seconds=1.0, most=4.0, how=chance.choice(("compute", "compute_single")))
    codes[str(said)[:40]] = codes.get(str(said)[:40], 0) + 1
stop.append(1)
killer.join()
for pid in children():
    os.kill(pid, signal.SIGCONT)
print(codes)
well()
""",
        cpu=40.0,
    ),
    attempt(
        "closed, dropped and stopped amid texts, from other threads",
        """
import random
warm()
chance = random.Random(7)
def one(number):
    try:
        guest = TextGuest(NNS, temp=0, limits=Limits(seconds=0.3), **{"ignore-eos": True})
    except WasmError:
        return
    guest.prompt(ENDLESS)
    timer = threading.Timer(chance.uniform(0, 0.05), guest.instance.close)
    timer.start()
    try:
        for _ in range(300):
            if guest.call("compute_single", guest.context) not in (0, 101, 100):
                break
    except (WasmError, AssertionError, GuestExit) as error:
        print(type(error).__name__, end=" ")
    timer.join()
for turn in range(10):
    threads = [threading.Thread(target=one, args=(k,)) for k in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
        assert not each.is_alive()
for _ in range(20):
    guest = TextGuest(NNS, temp=0)
    guest.prompt(ENDLESS), guest.call("compute_single", guest.context)
    del guest
gc.collect()
well()
assert len(children()) <= 2, children()
""",
        cpu=30.0,
    ),
    attempt(
        "one guest's grammar keeps the process; others wait no longer than their deadline",
        """
warm(), warm(grammar='root ::= "a"')
BOMB = "root ::= r0\\n" + "\\n".join(f'r{i} ::= r{i + 1} | r{i + 1} "x"' for i in range(40)) + '\\nr40 ::= "z"'
def hold():
    for _ in range(3):
        try:
            asked("holds", seconds=4.0, most=7.0, grammar=BOMB)
        except AssertionError as error:
            failed.append(error)
failed = []
threads = [threading.Thread(target=hold) for _ in range(4)]
for each in threads:
    each.start()
time.sleep(0.5)
for _ in range(4):
    asked("with a grammar", seconds=1.0, grammar='root ::= "abc"')
    said = asked("without", seconds=1.0, **{"n-predict": 5})
    assert said == [0, 0, 0] or isinstance(said, DeadlineError) or isinstance(said, list), said
for each in threads:
    each.join()
assert not failed, failed
for _ in range(40):
    if asked("again", seconds=10.0, most=11, grammar='root ::= "abc"') == [0, 0, 0]:
        break
    time.sleep(0.3)
else:
    raise SystemExit("grammars never work again")
well()
""",
        cpu=60.0,
    ),
    attempt(
        "a guest that may write no more, streams on",
        """
warm()
for how in ("compute", "compute_single"):
    written = Capture()
    guest = TextGuest(NNS, temp=0, limits=Limits(seconds=5, output=50), wasi=Wasi(stdout=written), **{"stream-stdout": True, "ignore-eos": True})
    for _ in range(5):
        guest.prompt(ENDLESS)
        for _ in range(60):
            if guest.call(how, guest.context):
                break
    assert len(written.value) <= 50, len(written.value)
    guest.instance.close()
out = os.pipe()
for how in ("compute", "compute_single"):  # nobody reads
    guest = TextGuest(NNS, temp=0, limits=Limits(seconds=1), wasi=Wasi(stdout=open(out[1], "wb", buffering=0, closefd=False)), **{"stream-stdout": True})
    def fill():
        while True:
            guest.prompt(ENDLESS), guest.call(how, guest.context)
    def calls():
        while True:
            ends("no reader", lambda: (guest.prompt(ENDLESS), guest.call(how, guest.context)), 3.0)
            if time.monotonic() - began > 6:
                return
    began = time.monotonic()
    calls()
    guest.instance.close()
well()
""",
        cpu=40.0,
    ),
    attempt(
        "what is left when all is closed: processes, descriptors, ports, files and threads",
        """
import tempfile
def everything():
    return sorted(path.name for path in Path(tempfile.gettempdir()).iterdir())
files, fds = everything(), descriptors()
for turn in range(3):
    nn = models("xllamacpp")
    guests = [TextGuest(nn, temp=0, **{"n-predict": 3}) for _ in range(5)]
    for guest in guests:
        assert (guest.prompt(ENDLESS), guest.compute()) == (0, 0)
    guests[0].options(grammar='root ::= "a"')
    guests[0].compute()
    for guest in guests[:3]:
        guest.instance.close()
    del guests, guest, nn
    gc.collect()
held.close()
del NNS, held
gc.collect()
until = time.monotonic() + 10
while children() and time.monotonic() < until:
    time.sleep(0.1)
assert not children(), children()
assert len(descriptors()) <= len(fds) + 1, (fds, descriptors())
new = [name for name in everything() if name not in files]
assert not [name for name in new if "pywasm" in name or "llama" in name or "gguf" in name], new
assert threading.active_count() <= 2, threading.enumerate()
""",
        cpu=30.0,
    ),
    attempt(
        "the host is killed: the process of llama.cpp ends too",
        """
import subprocess
code = '''
import os, sys, time
from tests.attempts.kit_models import children
from tests.nn.backends.texts import *
g = TextGuest(models("xllamacpp"), temp=0, **{"n-predict": 2})
g.prompt(ENDLESS), g.compute()
print(*children(), flush=True)
time.sleep(60)
'''
host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")})
pids = [int(word) for word in host.stdout.readline().split()]
assert pids
host.kill()
host.wait()
until = time.monotonic() + 10
def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
while any(map(alive, pids)) and time.monotonic() < until:
    time.sleep(0.1)
assert not any(map(alive, pids)), pids
""",
    ),
    attempt(
        "embeddings of everything, and options that change between two calls",
        """
warm()
for prompt in (b"", b"a", b"a" * 255, b"a" * 256, b"a" * 5000, bytes(100), b"\\xff" * 100):
    for how in ("compute", "compute_single"):
        for more in ({}, {"batch-size": 1}, {"n-predict": 0}, {"grammar": 'root ::= "a"'}, {"stream-stdout": True}):
            asked(f"{prompt[:4]} {how} {more}", prompt, how=how, most=3.0, embedding=True, **more)
guest = TextGuest(NNS, temp=0, limits=Limits(seconds=10))
for number in range(60):
    guest.prompt(ENDLESS)
    guest.options(**({"embedding": True}, {"grammar": 'root ::= "ab"'}, {"n-predict": 3}, {"ctx-size": 64}, {"reverse-prompt": "a"}, {"n-predict": 0})[number % 6])
    guest.call(("compute", "compute_single")[number % 2], guest.context)
    if number % 7 == 0:
        guest.call("fini_single", guest.context)
guest.instance.close()
well()
""",
        cpu=50.0,
    ),
    attempt(
        "bytes of a guest as a model: everywhere, and as a name",
        """
data = TINY.read_bytes()
guest = Guest("compile", module="wasi_ephemeral_nn", pages=64, limits=Limits(seconds=5), nn=NNS)
for parts in ([data], [b"GGUF"], [b"GGUF" + bytes(100_000)], [data[:4] + b"\\xff" * 60], [data, b"{}"], [b"", data], [b"{}", data]):
    at, pairs = 65536, b""
    for part in parts:
        guest.put(at, part)
        pairs += struct.pack("<II", at, len(part))
        at += len(part) + 16
    guest.put(0, pairs)
    for encoding in range(0, 12):
        assert guest("load", 0, len(parts), encoding, 0, 512) != 0, encoding
for name in (b"/etc/passwd", str(TINY).encode(), b"../m", b"m\\0", b"./m", b"m/", b"M", b"", b"m" * 5000, b"file://" + str(TINY).encode(), b"http://127.0.0.1:1/m.gguf", HOSTILE.encode("utf-8", "replace")):
    guest.put(1024, name)
    assert guest("load_by_name", 1024, len(name), 512) != 0, name
    guest.put(30000, b"{}")
    assert guest("load_by_name_with_config", 1024, len(name), 30000, 2, 512) != 0, name
guest.instance.close()
""",
    ),
    attempt(
        "a thousand questions at once from fifty guests",
        """
warm()
def many():
    guest = TextGuest(NNS, temp=0, limits=Limits(seconds=1))
    for _ in range(20):
        try:
            guest.prompt(ENDLESS)
            guest.call("compute", guest.context)
        except WasmError:
            break
    guest.instance.close()
threads = [threading.Thread(target=many) for _ in range(50)]
with within(60):
    for each in threads:
        each.start()
    for each in threads:
        each.join()
well()
assert len(children()) <= 2
assert sum(map(size, children())) < 1 << 30
""",
        cpu=60.0,
    ),
]
ATTEMPTS = ALL if find_spec("xllamacpp") else []
