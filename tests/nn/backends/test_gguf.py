"""WasmEdge's text protocol on GGUF models: texts, codes, options, limits, and who may load what."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from struct import pack
from threading import Thread, Timer
from typing import Any

import pytest

from pywasm_nn.errors import DeadlineError
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Code, DType, NNError, Target, Tensor
from pywasm_nn.nn.backends.gguf.base import planned
from pywasm_nn.nn.backends.gguf.header import header_of
from pywasm_nn.nn.backends.gguf.library import Work, shares
from pywasm_nn.nn.backends.gguf.options import KINDS, Settings, checked
from pywasm_nn.nn.backends.gguf.process import Process
from pywasm_nn.nn.backends.gguf.server import Pieces
from pywasm_nn.nn.session import Session
from pywasm_nn.wasi import Capture, Wasi
from pywasm_nn.watch.events import Inference
from pywasm_nn.watch.text import inference_line
from pywasm_nn.watch.trace import Trace

from ..conftest import PASSTHROUGH, Guest, files_that_go
from .gguf_writer import tiny_gguf
from .texts import ADAPTERS, ENDING, ENDLESS, TINY, TextGuest, models

Begin = Callable[..., TextGuest]


@pytest.fixture(scope="module", params=ADAPTERS)
def host(request: pytest.FixtureRequest) -> Iterator[NN]:
    """Models on each package, which stay loaded."""
    nn = models(request.param)
    with nn.load(nn.registry.models["m"]):
        yield nn


@pytest.fixture
def begin(host: NN) -> Iterator[Begin]:
    """Makes guests whose texts are the most probable ones."""
    guests: list[TextGuest] = []

    def make(nn: NN = host, **given: Any) -> TextGuest:
        guests.append(TextGuest(nn, **{"temp": 0, **given}))
        return guests[-1]

    yield make
    for guest in guests:
        guest.instance.close()


def prompt_of(text: bytes) -> Tensor:
    return Tensor(DType.U8, (len(text),), text)


def test_the_model_is_what_its_script_writes() -> None:
    assert TINY.read_bytes() == tiny_gguf()


def test_a_text_is_the_same_by_compute_and_token_by_token_and_again(begin: Begin) -> None:
    guest = begin(**{"n-predict": 16})
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == 0
    whole = guest.text
    assert len(whole) == 16, "a token of this model is a byte"
    assert guest.compute() == 0
    assert guest.text == whole
    for _ in range(2):
        pieces, error = guest.singles(16)
        assert (b"".join(pieces), error) == (whole, 0)
        assert guest.text == whole
        assert guest.call("fini_single", guest.context) == 0


def test_packages_make_equal_texts() -> None:
    pytest.importorskip("xllamacpp")
    pytest.importorskip("llama_cpp")
    made = []
    for adapter in ("xllamacpp", "llama_cpp"):
        guest = TextGuest(models(adapter), temp=0)
        assert guest.prompt(ENDLESS) == 0
        whole = guest.compute(), guest.text
        assert guest.prompt(ENDING) == 0
        made.append((whole, guest.compute(), guest.text, guest.numbers))
        guest.instance.close()
    assert made[0] == made[1]


def test_a_text_ends_with_the_token_for_its_end(begin: Begin) -> None:
    guest = begin()
    assert guest.prompt(ENDING) == 0
    assert guest.compute() == 0
    whole = guest.text
    assert whole.endswith(b"</s>")
    pieces, error = guest.singles()
    assert error == Code.END_OF_SEQUENCE
    assert b"".join(pieces) + b"</s>" == whole == guest.text
    assert guest.reports == [], "the end of a text is no failure"
    assert guest.singles()[1] == Code.END_OF_SEQUENCE, "the next call begins again"


def test_metadata_before_and_after_compute(begin: Begin) -> None:
    guest = begin(**{"n-predict": 5})
    assert guest.prompt(ENDLESS) == 0
    before = json.loads(guest.fetched(1))
    assert sorted(before) == ["input_tokens", "llama_build_number", "llama_commit", "output_tokens"]
    assert guest.numbers == (1 + len(ENDLESS), 0)
    assert guest.text == b""
    assert guest.compute() == 0
    assert guest.numbers == (1 + len(ENDLESS), 5)
    assert guest.singles(3)[1] == 0
    assert guest.numbers == (1 + len(ENDLESS), 3)
    assert guest.fetched(1) == guest.fetched(1, "get_output_single")
    assert guest.call("fini_single", guest.context) == 0
    assert (guest.numbers, guest.text) == ((1 + len(ENDLESS), 0), b"")


ROWS = [
    ("no prompt", {}, None, "compute", 1),
    ("no prompt for a token", {}, None, "compute_single", 1),
    ("a prompt that is an image", {}, b'<img src="data:image/png;base64,AA==">', None, 1),
    ("a prompt that is speech", {}, b'<audio src="data:audio/wav;base64,AA==">', None, 1),
    ("a prompt of more tokens than fit", {"ctx-size": 64}, b"x" * 60, "compute", 102),
    ("the same, token by token", {"ctx-size": 64}, b"x" * 60, "compute_single", 102),
    ("a prompt that no context can hold", {}, b"x" * 9000, None, 102),
    ("a text that fills the context", {"ctx-size": 64}, ENDLESS, "compute", 101),
    ("the longest prompt that fits", {"ctx-size": 64}, b"x" * 59, "compute", 101),
    ("fewer tokens than fill it", {"ctx-size": 64, "n-predict": 40}, ENDLESS, "compute", 0),
    ("no tokens", {"n-predict": 0}, ENDLESS, "compute", 0),
    ("a text that ends", {}, ENDING, "compute", 0),
    ("an embedding", {"embedding": True}, ENDLESS, "compute", 0),
    ("an embedding of too much", {"embedding": True, "batch-size": 4}, ENDLESS, "compute", 102),
    ("a grammar that is none", {"grammar": 'root ::= "a'}, ENDLESS, "compute", 1),
]


@pytest.mark.parametrize(("options", "prompt", "operation", "code"), [row[1:] for row in ROWS],
                         ids=[row[0] for row in ROWS])  # fmt: skip
def test_codes(
    begin: Begin, options: dict[str, Any], prompt: bytes | None, operation: str | None, code: int
) -> None:
    guest = begin(**options)
    error = guest.prompt(prompt) if prompt is not None else 0
    if operation is not None:
        assert error == 0, guest.reports
        error = guest.call(operation, guest.context)
    assert error == code, guest.reports


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (b"{", 2), (b"", 2), (b"[1]", 2), (b'{"temp": 0', 2), (b"\xff", 2), (b'{"unknown": {"a": 1}}', 0),
        (b'{"temp": "hot"}', 1), (b'{"temp": true}', 1), (b'{"n-predict": 1.0}', 1), (b'{"seed": null}', 1),
        (b'{"stream-stdout": 1}', 1), (b'{"reverse-prompt": 5}', 1), (b'{"threads": "many"}', 1),
        (b'{"temp": 1}', 0), (b'{"llama3": true}', 0), (b'{"n-gpu-layers": 100}', 0), (b'{"temp": NaN}', 1),
        (b'{"json-schema": "{"}', 1), (b'{"json-schema": {"type": "object"}}', 1),
    ],
)  # fmt: skip
def test_codes_of_options(begin: Begin, options: bytes, code: int) -> None:
    guest = begin()
    assert guest.set_input(guest.context, 1, options, dims=[1], type=3) == code, guest.reports
    assert guest.begin(options) == code, guest.reports


def test_codes_of_names(begin: Begin) -> None:
    guest = begin()
    assert guest.begin(b"{}", b"other") == Code.NOT_FOUND
    guest.instance.close()
    with files_that_go(m="gone.gguf") as models:
        gone = PASSTHROUGH.instantiate(nn=NN(models=models), report=[].append)
    guest = Guest(gone.memory, lambda name, *given: gone.exports[name](*given), [])
    assert guest.call("load_by_name", *guest.poke(0x100, b"m"), guest.OUT) == Code.MODEL_NOT_FOUND


def test_a_full_context_leaves_the_text_so_far(begin: Begin) -> None:
    guest = begin(**{"ctx-size": 64})
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == Code.CONTEXT_FULL
    whole = guest.text
    assert len(whole) == 64 - 1 - len(ENDLESS)
    assert guest.numbers == (1 + len(ENDLESS), len(whole))
    pieces, error = guest.singles()
    assert (b"".join(pieces), error) == (whole, Code.CONTEXT_FULL)


def test_options_of_a_context_replace_those_of_its_graph(begin: Begin) -> None:
    guest = begin(**{"n-predict": 3})
    assert guest.prompt(ENDLESS) == 0
    assert guest.options(**{"n-predict": 5}) == 0
    assert guest.compute() == 0
    assert len(guest.text) == 5
    assert guest.call("init_execution_context", guest.graph, guest.OUT) == 0
    guest.context = guest.u32()
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == 0
    assert len(guest.text) == 3, "another context has the graph's options"


def test_answered_questions_are_forgotten(begin: Begin) -> None:
    """Each asks the process of llama.cpp several times."""

    def new_places() -> int:
        gc.collect()
        return sum(type(one) is SimpleQueue and id(one) not in old for one in gc.get_objects())

    guest = begin(**{"n-predict": 2})
    others = [one for one in gc.get_objects() if type(one) is SimpleQueue]
    old = {id(one) for one in others}
    for _ in range(3):
        assert (guest.prompt(ENDLESS), guest.compute()) == (0, 0)
    # The thread that passes answers on holds the last place until the next answer comes.
    deadline = time.monotonic() + 60
    while new_places() > 1:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    del others  # kept up to here, so that no id is given twice


def test_a_closed_context_keeps_no_prompt(host: NN) -> None:
    session = Session(host.registry, [].append)
    number = session.init_execution_context(session.load_by_name("m"))
    session.set_input(number, 0, prompt_of(ENDLESS))
    context = session.contexts[number].context
    assert context.inputs
    session.finalize_execution_context(number)
    assert not any(context.inputs)


@pytest.mark.parametrize(
    ("token", "error", "ended"),
    [(None, None, False), (0, None, True), (7, None, True), (None, NNError(Code.BUSY, "later"), True)],
)
def test_a_step_has_ended_with_a_token_or_an_error(
    token: int | None, error: NNError | None, ended: bool
) -> None:
    assert Work(0, [1, 2], 0, None, token=token, error=error).ended is ended


@pytest.mark.parametrize(
    ("waiting", "room", "given"),
    [
        # Sequence and number of tokens of each, in the order of asking; the same of what each gets.
        ([(3, 1), (1, 1), (2, 1), (0, 1)], 8, [(0, 1), (1, 1), (2, 1), (3, 1)]),
        ([(2, 5), (1, 1), (0, 1)], 8, [(0, 1), (1, 1), (2, 5)]),
        ([(0, 9), (2, 1), (1, 3)], 8, [(0, 4), (1, 3), (2, 1)]),
        ([(1, 9), (0, 8)], 8, [(0, 8)]),
    ],
)
def test_a_step_has_its_sequences_in_order(
    waiting: list[tuple[int, int]], room: int, given: list[tuple[int, int]]
) -> None:
    """llama.cpp reads the weights once for sequences that follow each other, and again for any others."""
    works = [Work(sequence, [7] * count, 0, None) for sequence, count in waiting]
    assert [(work.sequence, count) for work, count in shares(works, room)] == given


def test_a_reverse_prompt_ends_the_text(begin: Begin) -> None:
    guest = begin(**{"n-predict": 30})
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == 0
    stop = guest.text[5:8]
    assert guest.options(**{"reverse-prompt": stop.decode()}) == 0
    whole = guest.text
    assert guest.compute() == 0
    assert guest.text == whole[: whole.index(stop) + 3]
    assert b"".join(guest.singles(30)[0]) == whole, "token by token it doesn't count"


def test_a_text_streams_to_the_guests_standard_output(begin: Begin) -> None:
    out = Capture()
    guest = begin(wasi=Wasi(stdout=out), **{"n-predict": 9, "stream-stdout": True})
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == 0
    whole = guest.text
    assert out.value == whole
    assert guest.singles(3)[1] == 0
    assert out.value == whole, "token by token nothing is written"


def test_a_guest_that_may_write_no_more_gets_no_more(begin: Begin) -> None:
    out = Capture()
    guest = begin(wasi=Wasi(stdout=out), limits=Limits(output=4), **{"n-predict": 9, "stream-stdout": True})
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == Code.RUNTIME_ERROR
    assert len(out.value) == 4
    assert guest.options(**{"stream-stdout": False}) == 0
    assert guest.compute() == 0


def test_a_seed_chooses_the_text(begin: Begin) -> None:
    guest = begin(temp=2.0, seed=7, **{"n-predict": 30, "top-k": 0, "top-p": 1.0, "min-p": 0.0})
    assert guest.prompt(ENDLESS) == 0
    texts = []
    for seed in (7, 7, 8):
        assert guest.options(seed=seed) == 0
        assert guest.compute() in (0, Code.CONTEXT_FULL)
        texts.append(guest.text)
    assert texts[0] == texts[1] != texts[2]


def test_grammars_and_schemas_hold(begin: Begin) -> None:
    guest = begin(grammar='root ::= "<" [a-c] [0-9]+ ">"', **{"n-predict": 8})
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == 0
    assert guest.text[:1] == b"<" and guest.text[1:2] in (b"a", b"b", b"c") and guest.text[2:].isdigit()
    schema = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"],
              "additionalProperties": False}  # fmt: skip
    assert guest.options(**{"grammar": "", "json-schema": json.dumps(schema), "n-predict": 60}) == 0
    assert guest.compute() == 0
    assert json.loads(guest.text.removesuffix(b"</s>")) in ({"on": True}, {"on": False})


def test_an_embedding_is_json_of_length_one(begin: Begin) -> None:
    guest = begin(embedding=True)
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == 0
    said = json.loads(guest.text)
    assert said["n_embedding"] == len(said["embedding"]) == 32
    assert sum(number**2 for number in said["embedding"]) == pytest.approx(1, abs=1e-6)
    assert guest.numbers == (1 + len(ENDLESS), 0)
    assert guest.prompt(ENDING) == 0
    assert guest.compute() == 0
    assert json.loads(guest.text) != said
    assert guest.options(embedding=False, **{"n-predict": 4}) == 0
    assert guest.compute() == 0
    assert len(guest.text) == 4


def test_contexts_of_a_graph_dont_disturb_each_other(begin: Begin) -> None:
    guest = begin()
    first = guest.context
    assert guest.call("init_execution_context", guest.graph, guest.OUT) == 0
    second = guest.u32()
    alone = {}
    for context, prompt in ((first, ENDLESS), (second, b"Why")):
        guest.context = context
        assert guest.prompt(prompt) == 0
        alone[context] = guest.singles(8)[0]
        assert guest.call("fini_single", context) == 0
    mixed: dict[int, list[bytes]] = {first: [], second: []}
    for _ in range(8):
        for context, pieces in mixed.items():
            guest.context = context
            pieces += guest.singles(1)[0]
    assert mixed == alone


def test_more_guests_than_slots_get_what_each_gets_alone(begin: Begin, host: NN) -> None:
    prompts = [bytes([letter]) * 3 for letter in b"abcdefg"]
    guests = [begin(**{"n-predict": 40}) for _ in prompts]
    alone = []
    for guest, prompt in zip(guests, prompts, strict=True):
        assert guest.prompt(prompt) == 0
        assert guest.compute() == 0
        alone.append(guest.text)
    assert len(set(alone)) == len(alone)
    threads = [Thread(target=guest.compute) for guest in guests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [guest.text for guest in guests] == alone


@pytest.mark.parametrize("operation", ["compute", "compute_single"])
def test_a_deadline_ends_a_text(host: NN, operation: str) -> None:
    session = Session(host.registry, [].append)
    context = session.init_execution_context(session.load_by_name("m"))
    session.set_input(context, 1, prompt_of(b'{"ignore-eos": true}'))  # words are drawn at random
    session.set_input(context, 0, prompt_of(ENDLESS))
    left = iter([1.0] * 8)

    def patience() -> float:
        try:
            return next(left)
        except StopIteration:
            raise DeadlineError(1) from None

    session.own.patience = patience
    with pytest.raises(DeadlineError):
        for _ in range(8):
            getattr(session, operation)(context)
    session.close()


def test_the_seconds_of_a_compute_end_it(begin: Begin) -> None:
    guest = begin(limits=Limits(compute_seconds=1e-4), **{"ignore-eos": True})
    assert guest.prompt(ENDLESS) == 0
    assert guest.compute() == Code.RUNTIME_ERROR
    assert "0.0001 s" in guest.reports[-1]


BOMB = "root ::= r0\n" + "\n".join(f'r{i} ::= r{i + 1} | r{i + 1} "x"' for i in range(40)) + '\nr40 ::= "z"'
"""A grammar that takes llama.cpp exponential time."""


def test_a_grammar_that_takes_for_ever_is_ended_and_others_go_on(begin: Begin, host: NN) -> None:
    other = begin(**{"n-predict": 20})
    assert other.prompt(ENDLESS) == 0
    session = Session(host.registry, [].append)
    options = json.dumps({"temp": 0, "grammar": BOMB}).encode()
    context = session.init_execution_context(session.load_by_name_with_config("m", options))
    session.set_input(context, 0, prompt_of(ENDLESS))
    Timer(0.5, session.halt).start()
    with pytest.raises(NNError, match="stopped"):
        session.compute(context)
    assert other.compute() == 0, other.reports
    session.set_input(context, 1, prompt_of(b'{"grammar": "root ::= \\"abc\\""}'))
    until = time.monotonic() + 60
    while True:  # it may find the process before its end
        try:
            session.compute(context)
            break
        except NNError:
            assert time.monotonic() < until
            time.sleep(0.5)
    assert bytes(session.get_output(context, 0).view()).startswith(b"abc")
    session.close()


@pytest.mark.skipif(not hasattr(signal, "SIGILL") or os.name == "nt", reason="no such signal here")
def test_a_build_for_another_processor_is_a_sentence_with_the_remedy(host: NN) -> None:
    session = Session(host.registry, [].append)
    graph = session.load_by_name_with_config("m", b'{"temp": 0, "n-predict": 3}')
    context = session.init_execution_context(graph)
    session.set_input(context, 0, prompt_of(ENDLESS))
    text = session.graphs[graph].graph
    process = text.engine(text.settings)._process._process.pid
    os.kill(process, signal.SIGSTOP)  # so that it ends while it is asked
    numbers = (signal.SIGILL, signal.SIGCONT)
    Timer(0.5, lambda: [os.kill(process, number) for number in numbers]).start()
    with pytest.raises(NNError, match=r"SIGILL; .*(built for another processor|another version)"):
        session.compute(context)
    session.compute(context)
    assert len(session.get_output(context, 0).view()) == 3, "another process has begun"
    session.close()


def test_a_model_that_nobody_uses_any_more_leaves_no_process(host: NN) -> None:
    """Though nobody closed the guest, nor the host's models."""

    def running() -> list[Any]:
        return [one._process for one in gc.get_objects() if type(one) is Process]

    before = running()
    guest = TextGuest(models(dict(host.backends)["gguf"]), temp=0, **{"n-predict": 2})
    assert (guest.prompt(ENDLESS), guest.compute()) == (0, 0)
    (process,) = [one for one in running() if one not in before]
    assert process.poll() is None
    del guest
    gc.collect()
    assert process.wait(timeout=30) is not None


HOSTILE = [
    {"ctx-size": 1 << 31}, {"ctx-size": -1}, {"n-predict": -1}, {"n-predict": 1 << 62},
    {"batch-size": 1 << 60}, {"threads": 1 << 30}, {"n-gpu-layers": 1 << 30}, {"n-parallel": 1 << 30},
    {"ubatch-size": 1 << 60}, {"hf-repo": "a/b", "hf-file": "c"}, {"model-url": "http://127.0.0.1:1/x"},
    {"mmproj": "/etc/passwd"}, {"image": "/etc/passwd"}, {"prompt-file": "/etc/passwd"},
    {"path-prompt-cache": "/tmp/x"},
    {"model-vocoder": "/etc/passwd", "tts": True, "tts-output-file": "/tmp/x"}, {"slot-save-path": "/tmp"},
    {"temp": -1e300}, {"temp": 1e300}, {"top-k": 1 << 62}, {"top-p": -1.0}, {"repeat-penalty": 0.0},
    {"last-n-penalty": 1 << 62}, {"presence-penalty": 1e300}, {"seed": -1}, {"seed": 1 << 62},
    {"dynatemp-range": 1e300, "dynatemp-exponent": -1e300}, {"xtc-probability": 5.0}, {"min-p": 1e9},
]  # fmt: skip


@pytest.mark.parametrize("options", HOSTILE, ids=", ".join)
def test_a_guests_options_reach_nothing_of_the_host(begin: Begin, options: dict[str, Any]) -> None:
    guest = begin(**{"n-predict": 4, **options})
    assert guest.prompt(ENDLESS) == 0
    code = guest.compute()
    assert code in (0, Code.CONTEXT_FULL), guest.reports
    assert len(guest.text) <= 256


@pytest.mark.parametrize(
    "rules",
    [
        {"grammar": "root ::= " + "(" * 5000 + '"a"' + ")" * 5000},
        {"grammar": "root ::= [" * 5000},
        {"grammar": 'root ::= "a"{1000000000}'},
        {"grammar": 'root ::= "a"{0,99999999999999999999999999}'},
        {"grammar": "root ::= \x1b[2J"},
        {"grammar": "x" * 40000},
        {"json-schema": '{"type": "string", "maxLength": 1000000000}'},
        {"json-schema": '{"items": [{"minItems": 1e9}]}'},
        {"json-schema": '{"pattern": "^a{1000000}$"}'},
        {"json-schema": '{"not":' * 400 + "1" + "}" * 400},
    ],
)
def test_rules_that_take_the_parsers_stack_or_memory_are_refused(rules: dict[str, str]) -> None:
    with pytest.raises(NNError) as refused:
        checked(rules)
    assert refused.value.code is Code.INVALID_ARGUMENT


def test_every_setting_is_a_known_option() -> None:
    names = {name.replace("_", "-") for name in Settings.__match_args__}
    assert names <= KINDS.keys()
    types = {name: type(getattr(Settings(), name.replace("-", "_"))) for name in names}
    assert all(kind in KINDS[name] for name, kind in types.items())


def test_a_guests_bytes_are_refused(host: NN) -> None:
    reports: list[str] = []
    instance = PASSTHROUGH.instantiate(nn=host, report=reports.append)
    guest = Guest(instance.memory, lambda name, *given: instance.exports[name](*given), reports)
    assert guest.load(b"GGUF" + bytes(100), encoding=5) == Code.UNSUPPORTED_OPERATION
    assert "name the model" in reports[-1]


def test_a_guests_bytes_run_if_the_host_trusts_them(host: NN) -> None:
    nn = NN(backends=host.registry.prefer, trust_guest_models=True)
    session = Session(nn.registry, [].append)
    graph = session.load([TINY.read_bytes(), b'{"temp": 0, "n-predict": 3}'], None, Target.CPU)
    context = session.init_execution_context(graph)
    session.set_input(context, 0, prompt_of(ENDLESS))
    session.compute(context)
    assert len(session.get_output(context, 0).view()) == 3
    with pytest.raises(NNError) as refused:
        session.load([TINY.read_bytes(), b"{"], None, Target.CPU)
    assert refused.value.code is Code.INVALID_ENCODING
    session.close()


@pytest.mark.parametrize("damage", ["cut", "version", "head"])
def test_a_damaged_file_is_an_error_with_a_reason(host: NN, tmp_path: Path, damage: str) -> None:
    data = tiny_gguf()
    damaged = {"cut": data[:60000], "version": data[:4] + b"\x63" + data[5:], "head": b"GGUF" + bytes(3)}
    path = tmp_path / "m.gguf"
    path.write_bytes(damaged[damage])
    nn = NN(backends=host.registry.prefer)
    with pytest.raises(NNError) as refused:
        nn.load(path)
    assert refused.value.code is Code.RUNTIME_ERROR
    assert refused.value.reason


def test_the_header_is_read_without_the_model() -> None:
    header = header_of(TINY)
    assert (header.architecture, header.context, header.pooled) == ("llama", 256, False)


def header_with(**values: int) -> bytes:
    """A header of GGUF, without a model."""
    pairs = [f"llama.{name}".encode() for name in values]
    parts = [
        pack("<Q", len(name)) + name + pack("<II", 4, value)
        for name, value in zip(pairs, values.values(), strict=True)
    ]
    architecture = pack("<Q", 20) + b"general.architecture" + pack("<IQ", 8, 5) + b"llama"
    return b"GGUF" + pack("<IQQ", 3, 0, 1 + len(parts)) + architecture + b"".join(parts)


@pytest.mark.parametrize(
    ("trained", "asked", "given"),
    [
        (None, None, 4096),
        (None, 9000, 9000),
        (64, None, 64),
        (64, 32, 32),
        (64, 9000, 64),
        (8192, None, 4096),
    ],
)
def test_how_many_tokens_of_context_a_model_gets(
    tmp_path: Path, trained: int | None, asked: int | None, given: int
) -> None:
    """As many as the host asks for or else 4,096, but no more than the model was trained for, if it says."""
    file = tmp_path / "model.gguf"
    file.write_bytes(header_with() if trained is None else header_with(context_length=trained))
    assert planned(file, {} if asked is None else {"ctx-size": asked}, 1).context == given


def test_a_tag_waits_until_it_is_known_whether_it_ends_the_text() -> None:
    taken: list[tuple[bytes, int, str | None]] = []
    pieces = Pieces(
        lambda piece: taken.append((piece.text, piece.count, piece.ending and piece.ending.value))
    )
    said = [("a", 1, None), ("<b>", 2, None), ("c", 3, None), ("<e>", 4, None), ("", 4, "stop")]
    for text, count, ending in said:
        choice = {"text": text, "finish_reason": ending}
        pieces.answer({"choices": [choice], "timings": {"predicted_n": count}})
    assert taken == [(b"a", 1, None), (b"<b>", 2, None), (b"c", 3, None), (b"<e>", 4, "stop")]


def test_a_trace_shows_prompt_text_and_tokens_a_second(host: NN) -> None:
    trace = Trace(["nn"])
    session = host.watched_by(trace.nn_event).open([].append, Limits()).session
    graph = session.load_by_name_with_config("m", b'{"temp": 0, "n-predict": 6}')
    context = session.init_execution_context(graph)
    session.set_input(context, 0, prompt_of(ENDLESS + b"\x1b[2J"))
    session.compute(context)
    text = bytes(session.get_output(context, 0).view()).decode()
    session.compute_single(context)
    session.get_output_single(context, 0)
    session.close()
    told = [inference_line(event) for event in trace if isinstance(event, Inference)][2:]
    assert '#0 "prompt" 8 bytes  "Once\\x1b[2J")' in told[0]
    assert re.search(r"compute\(ctx 0, 9 tokens in, 6 out, [0-9.]+ tokens/s\)", told[1])
    assert f'#0 "text" 6 bytes)  "{text}"' in told[2]
    assert "compute_single(ctx 0, 9 tokens in, 1 out" in told[3]
    assert f'#0 "text" 1 bytes)  "{text[0]}"' in told[4]
