"""Threads close, grow, drop, restore and interrupt what others run: the host lives, and nobody hangs."""

# ruff: noqa: E501 (guests and programs are lines of their own)

from .harness import Attempt

CHURN = r"""
import gc, random, threading, time
from pywasm_nn import *
from pywasm_nn.errors import *
SEED, T, PICK = SEED_, 1.0, PICK_
owner=Module.from_text('''(module (memory (export "m") 1 100) (table (export "t") 4 20 funcref) (global (export "g") (mut i32) (i32.const 0)) (elem (i32.const 0) func $f $f)
 (func $f (export "f") (result i32) (i32.load (i32.const 8))) (func (export "grow") (result i32) (memory.grow (i32.const 1)))
 (func (export "tgrow") (result i32) (table.grow (ref.func $f) (i32.const 1))) )''')
user=Module.from_text('''(module (type $v (func (result i32))) (import "a" "m" (memory 1)) (import "a" "t" (table 1 funcref)) (import "a" "g" (global (mut i32)))
 (func (export "run") (param i32) (result i32) (local i32) (loop $l
  (i32.store (i32.and (local.get 0) (i32.const 0xfffc)) (local.get 0))
  (local.set 1 (i32.add (local.get 1) (i32.load (i32.and (local.get 1) (i32.const 0xfff0)))))
  (global.set 0 (i32.add (global.get 0) (i32.const 1)))
  (local.set 1 (i32.add (local.get 1) (call_indirect (type $v) (i32.and (local.get 0) (i32.const 1)))))
  (memory.fill (i32.const 100) (local.get 0) (i32.const 3000)) (memory.copy (i32.const 4000) (i32.const 0) (i32.const 8000))
  (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1))
 (func (export "rungrow") (result i32) (memory.grow (i32.const 1)))
 (func (export "only") (param i32) (result i64) (local i64) (loop $l (i64.store (i32.const 16) (local.get 1))
   (local.set 1 (i64.add (local.get 1) (i64.load offset=4096 (i32.and (local.get 0) (i32.const 0xff8)))))
   (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1)) )''')
memonly=Module.from_text('''(module (import "a" "m" (memory 1)) (func (export "only") (param i32) (result i64) (local i64) (loop $l (i64.store (i32.const 16) (local.get 1))
   (local.set 1 (i64.add (local.get 1) (i64.load offset=4096 (i32.and (local.get 0) (i32.const 0xff8)))))
   (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1)) (func (export "fill") (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536))) (func (export "grow") (result i32) (memory.grow (i32.const 1))))''')
OK=(WasmError,ValueError)
pool=[]; lock=threading.Lock(); stop=time.time()+T; steps=[0]; bad=[]
hm=Memory.of(1,100)
def make(r):
    a=owner.instantiate(engine=ENGINE)
    x=a.exports
    m=hm if r.random()<.1 else x.m
    l=[a]
    for k in range(2):
        l.append(user.instantiate(imports={'a':{'m':m,'t':x.t,'g':x.g}},engine=ENGINE,limits=Limits(seconds=r.choice([0.05,1]))))
    l.append(memonly.instantiate(imports={'a':{'m':m}},engine=ENGINE,limits=Limits(seconds=r.choice([0.05,1]))))
    return [l,[],None]
def worker(seed):
    r=random.Random(seed)
    while time.time()<stop:
        try:
            with lock:
                if len(pool)<3: p=None
                else: p=r.choice(pool)
            if p is None:
                p=make(r)
                with lock: pool.append(p)
            l=p[0]; k=r.choice(PICK)
            i=r.choice(l)
            steps[0]+=1
            if k==0: l[0].close()
            elif k==1: i.close()
            elif k==2: l[1].exports.run(r.choice([1,10,1000]))
            elif k==3: l[2].exports.only(r.choice([1,100,20000]))
            elif k==4: l[3].exports.only(r.choice([1,100,20000]))
            elif k==5: l[3].exports.grow(); l[3].exports.fill()
            elif k==6: l[1].exports.rungrow()
            elif k==7:
                v=i.memory.array(r.randrange(100),(r.randrange(1,8000),),'u1'); v[:]=r.randrange(256); p[1].append(v); del p[1][:-3]
            elif k==8:
                for v in p[1]: v.sum(); v[:]=7
            elif k==9:
                with lock:
                    if p in pool: pool.remove(p)
                if r.random()<.3: gc.collect()
            elif k==10: i.memory.grow(1)
            elif k==11: p[2]=i.snapshot()
            elif k==12 and p[2]: i.restore(p[2])
            elif k==13:
                i.memory.write(r.randrange(1000),b'x'*r.randrange(60000)); i.memory.read(0,r.randrange(65536)); bytes(i.memory.view(0,100)); l[0].exports.t[0]=l[0].exports.f; l[0].exports.tgrow(); l[0].exports.g.value=3
        except OK: pass
        except BaseException as e:
            import traceback; bad.append(traceback.format_exc())
ts=[threading.Thread(target=worker,args=(SEED*100+k,)) for k in range(4)]
sys.setswitchinterval(1e-5)
[t.start() for t in ts];[t.join() for t in ts]
assert not bad, bad[0]
"""

PICKS = {
    "everything": "range(14)",
    "running and closing": "[0, 1, 2, 3, 4, 9]",
    "running and growing": "[3, 4, 5, 6, 10]",
    "arrays that Python holds": "[0, 1, 5, 7, 7, 8, 8, 9, 10]",
    "snapshots": "[1, 3, 5, 11, 12, 12, 10]",
    "tables": "[0, 2, 2, 13, 13, 9]",
    "dropping": "[9, 9, 3, 4, 7, 8]",
}
ATTEMPTS = [
    Attempt(f"threads: {name}", CHURN.replace("SEED_", "7").replace("PICK_", f"list({picks})"), cpu=6.0)
    for name, picks in PICKS.items()
]
SLOW = [
    Attempt(
        f"threads: everything, round {seed}",
        CHURN.replace("SEED_", str(seed)).replace("PICK_", "list(range(14))").replace("1.0", "10.0"),
        cpu=60.0,
    )
    for seed in range(20)
]
OPEN: list[Attempt] = []

RACE = """
import gc, sys, threading, time
from pywasm_nn import *
from pywasm_nn.errors import *
sys.setswitchinterval(1e-5)
T = Module.from_text
OWNER = T('(module (memory (export "m") 1 500) (table (export "t") 2 50 funcref) (global (export "g") (mut i64) (i64.const 0)) (func $f (export "f") (result i64) (i64.load (i32.const 0))) (elem (i32.const 0) func $f $f))')
RUNS = '(local i32) (loop $l %s (br_if $l (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 2000000))))'
def owner(): return OWNER.instantiate(engine=ENGINE)
def user(body, a, imports="", **more):
    return T('(module (type $v (func (result i64))) (import "a" "m" (memory 1)) (import "a" "t" (table 1 funcref)) (import "a" "g" (global (mut i64)))' + imports + '(func (export "f") ' + RUNS % body + '))').instantiate(
        imports={"a": {n: getattr(a.exports, n) for n in "mtg"}, **more}, engine=ENGINE, limits=Limits(seconds=0.5))
def beside(work, *others, wait=0.15):
    # Run work in a thread, the others in this one meanwhile; nobody may hang or raise what isn't ours.
    bad = []
    def guarded(function):
        try: function()
        except (WasmError, ValueError): pass
        except BaseException as error: bad.append(error)
    thread = threading.Thread(target=guarded, args=(work,)); thread.start()
    time.sleep(wait)
    while True:
        for other in others: guarded(other)
        if not thread.is_alive(): break
        time.sleep(0.01)
    thread.join(30)
    assert not thread.is_alive() and not bad, bad
"""
STORE = (
    "(i64.store (i32.and (local.get 0) (i32.const 0xff8)) (i64.const 77))"
    " (drop (i64.load offset=8 (i32.and (local.get 0) (i32.const 0xff8))))"
)
CALLS = "(drop (call_indirect (type $v) (i32.and (local.get 0) (i32.const 1))))"
GROWS = "(drop (memory.grow (i32.const 1))) (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000))"
ALONE = """m = Memory.of(1, 100)
b = T('(module (import "h" "m" (memory 1)) (func (export "f") ' + RUNS % STORE + '))').instantiate(
    imports={"h": {"m": m}}, engine=ENGINE, limits=Limits(seconds=0.5))
"""


def race(name: str, guest: str, body: str) -> Attempt:
    start = "a = owner(); b = user(GUEST, a)\n" if guest else ""
    return Attempt(f"race: {name}", RACE + f"STORE = {STORE!r}\nGUEST = {guest!r}\n" + start + body, cpu=3.0)


ATTEMPTS += [
    race("the owner is closed", STORE, "beside(b.exports.f, a.close)"),
    race(
        "the owner is dropped and collected",
        STORE,
        "del a; beside(b.exports.f, gc.collect, lambda: [bytearray(65536) for _ in range(50)])",
    ),
    race("all names are dropped while it runs", STORE, "f = b.exports.f; del a, b; beside(f, gc.collect)"),
    race("the owner closes while its function runs", CALLS, "beside(b.exports.f, a.close, gc.collect)"),
    race(
        "another user closes",
        STORE,
        "c = user(STORE, a); beside(b.exports.f, c.close, a.close); c.close(); a.close()",
    ),
    race("the memory itself is closed", STORE, "beside(b.exports.f, a.exports.m.close)"),
    race(
        "a memory of the host's is closed",
        "",
        ALONE + "beside(b.exports.f, m.close, lambda: m.grow(1)); b.close(); del b; gc.collect(); m.close()",
    ),
    race(
        "the host grows the memory",
        STORE,
        "beside(b.exports.f, lambda: a.exports.m.grow(1), lambda: a.exports.m.write(0, b'1' * 60000))",
    ),
    race(
        "arrays are made, kept and written",
        STORE + "(drop (memory.grow (i32.const 0)))",
        """
kept = []
def use():
    kept.append(a.exports.m.array(0, (8000,), "i8")); kept[0][:] = 3; a.exports.m.grow(1); a.close(); kept[-1].sum()
beside(b.exports.f, use); b.close(); a.close(); del a, b; gc.collect(); [k.sum() for k in kept]
""",
    ),
    race(
        "memory grows inside, views outside",
        GROWS,
        """
views = []
def use():
    v = a.exports.m.view(0, 60000); v[0:10] = b"0123456789"; views.append(v); bytes(v)
beside(b.exports.f, use)
""",
    ),
    race(
        "a table is changed and grown",
        CALLS,
        """
def use():
    a.exports.t[0] = None; a.exports.t[0] = a.exports.f; a.exports.t.grow(1, None)
beside(b.exports.f, use)
""",
    ),
    race(
        "a global is set",
        "(global.set 0 (i64.add (global.get 0) (i64.const 1)))",
        "beside(b.exports.f, lambda: setattr(a.exports.g, 'value', 5))",
    ),
    race(
        "a snapshot is taken and given back",
        STORE,
        "s, t = a.snapshot(), b.snapshot()\n"
        "beside(b.exports.f, lambda: a.restore(s), lambda: b.restore(t), b.snapshot, a.snapshot)",
    ),
    race(
        "instances are made on what runs",
        STORE,
        "beside(b.exports.f, lambda: user(STORE, a).close(), lambda: user('(nop)', a))",
    ),
    race(
        "a linker is closed",
        "",
        """
l = Linker(engine=ENGINE, limits=Limits(seconds=2)); a = l.instantiate(OWNER, "a"); b = user(STORE, a)
c = l.instantiate(T('(module (import "a" "m" (memory 1)) (func (export "f") ' + RUNS % STORE + '))'))
beside(c.exports.f, l.close); l.close()
""",
    ),
    race(
        "a guest closes its owner through the host",
        "",
        """
a = owner()
b = user("(call $c)" + STORE, a, '(import "h" "c" (func $c))', h={"c": lambda: a.close()})
beside(b.exports.f, gc.collect); b.close(); a.close()
""",
    ),
    race(
        "three threads on one function",
        STORE,
        """
each = lambda: beside(b.exports.f, a.close, b.close, wait=0)
threads = [threading.Thread(target=each) for _ in range(3)]
[t.start() for t in threads]; [t.join(60) for t in threads]; assert not any(t.is_alive() for t in threads)
""",
    ),
    race(
        "one traps while another closes",
        "(drop (i64.load (i32.const -8)))",
        "for _ in range(20): beside(b.exports.f, a.close, wait=0); a = owner(); b = user(GUEST, a)",
    ),
    race(
        "the interpreter ends while guests run",
        STORE,
        "threading.excepthook = lambda *_: None\n"
        "threading.Thread(target=lambda: b.exports.f(), daemon=True).start(); time.sleep(0.05)",
    ),
    race(
        "a fork while guests run",
        STORE,
        """
forked = []
def fork():
    if forked: return
    forked.append(1)
    pid = os.fork()
    if not pid:
        import signal; signal.alarm(20)
        c = owner()
        try: user(STORE, c).exports.f()
        except DeadlineError: pass
        c.close(); os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
beside(b.exports.f, fork)
""",
    ),
]
