"""Pictures and speech in prompts: only where the host named a projector, and never one that a guest names."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from pywasm_nn.nn import NN, Code, NNError
from pywasm_nn.nn.backends.gguf.media import MOST, media_of

from .gguf_writer import tiny_projector
from .texts import ENDLESS, TINY, TextGuest, models

NEEDS_XLLAMACPP = "xllamacpp"
PICTURE_TOKENS = 16
"""Vectors that the projector makes of a picture."""


def png(red: int, green: int, blue: int, side: int = 40) -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes((red, green, blue)) * side) * side
    size = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", size)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def img(data: bytes) -> bytes:
    return b'<img src="data:image/png;base64,' + b64encode(data) + b'">'


RED, BLUE = img(png(255, 0, 0)), img(png(0, 0, 255))


@pytest.fixture(scope="module")
def projector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("projector") / "mmproj.gguf"
    path.write_bytes(tiny_projector())
    return path


@pytest.fixture(scope="module")
def host(projector: Path) -> Iterator[NN]:
    """A model that sees, and stays loaded."""
    pytest.importorskip(NEEDS_XLLAMACPP)
    nn = models("xllamacpp", mmproj=str(projector))
    with nn.load(nn.registry.models["m"]):
        yield nn


def seeing(nn: NN, *prompts: bytes, **options: object) -> list[bytes]:
    guest = TextGuest(nn, **{"temp": 0, "n-predict": 8, **options})
    texts = []
    for prompt in prompts:
        assert guest.prompt(prompt) == 0, guest.reports
        assert guest.compute() == 0, guest.reports
        texts.append(guest.text)
    guest.instance.close()
    return texts


def test_a_text_depends_on_the_picture(host: NN) -> None:
    red, blue, again, none = seeing(host, RED + b"What?", BLUE + b"What?", RED + b"What?", b"What?")
    assert len({red, blue, none}) == 3
    assert red == again


def test_where_a_picture_stands_matters_and_there_may_be_several(host: NN) -> None:
    prompts = [RED + b"What?", b"What?" + RED, RED + b"What?" + BLUE, BLUE + b"What?" + RED]
    assert len(set(seeing(host, *prompts))) == len(prompts)


def test_a_picture_counts_as_tokens_of_the_prompt(host: NN) -> None:
    guest = TextGuest(host, temp=0, **{"n-predict": 4})
    assert guest.prompt(b"What?") == 0
    assert guest.compute() == 0
    alone, _ = guest.numbers
    assert guest.prompt(RED + b"What?") == 0
    assert guest.numbers[0] == alone, "until a compute those of the text"
    assert guest.compute() == 0
    asked, made = guest.numbers
    assert (asked >= alone + PICTURE_TOKENS, made) == (True, 4)
    guest.instance.close()


def test_a_text_on_a_picture_comes_token_by_token_too(host: NN) -> None:
    (whole,) = seeing(host, RED + b"What?")
    guest = TextGuest(host, temp=0)
    assert guest.prompt(RED + b"What?") == 0
    for _ in range(2):
        pieces, error = guest.singles(8)
        assert (b"".join(pieces), error) == (whole, 0)
        assert guest.call("fini_single", guest.context) == 0
    guest.instance.close()


def test_a_context_that_a_picture_fills_is_full(host: NN) -> None:
    guest = TextGuest(host, temp=0, **{"ignore-eos": True})
    assert guest.prompt(RED + ENDLESS) == 0
    assert guest.compute() == Code.CONTEXT_FULL, guest.reports
    asked, made = guest.numbers
    assert 250 <= asked + made <= 257
    assert guest.prompt(RED * 10 + b"x" * 150) == 0
    assert guest.compute() == Code.PROMPT_TOO_LONG, guest.reports
    guest.instance.close()


def test_a_picture_with_a_grammar(host: NN) -> None:
    (text,) = seeing(host, RED + b"What?", grammar='root ::= "yes" | "no"', **{"n-predict": 4})
    assert text.removesuffix(b"</s>") in (b"yes", b"no")


def test_guests_at_once_see_their_own_pictures(host: NN) -> None:
    prompts = [img(png(n * 40, 255 - n * 40, 128)) + b"What?" for n in range(6)]
    alone = [seeing(host, prompt)[0] for prompt in prompts]
    assert len(set(alone)) > 3
    made: dict[int, bytes] = {}
    threads = [
        Thread(target=lambda n=n, prompt=prompt: made.update({n: seeing(host, prompt)[0]}))
        for n, prompt in enumerate(prompts)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [made[n] for n in range(len(prompts))] == alone


@pytest.mark.parametrize(
    "data", [b"no picture at all", png(1, 2, 3)[:40], b"\x89PNG\r\n\x1a\n" + bytes(500), b"RIFF" + bytes(100)]
)
def test_a_damaged_picture_is_an_error_and_the_guest_goes_on(host: NN, data: bytes) -> None:
    guest = TextGuest(host, temp=0, **{"n-predict": 4})
    assert guest.prompt(img(data) + b"What?") == 0
    assert guest.compute() == Code.INVALID_ARGUMENT, guest.reports
    assert guest.prompt(RED + b"What?") == 0
    assert guest.compute() == 0, guest.reports
    guest.instance.close()


def test_a_picture_of_a_billion_pixels_is_an_error_and_the_guest_goes_on(host: NN) -> None:
    bomb = bytearray(png(1, 2, 3))
    bomb[16:24] = struct.pack(">II", 30000, 30000)
    bomb[29:33] = struct.pack(">I", zlib.crc32(bytes(bomb[12:29])))
    guest = TextGuest(host, temp=0, **{"n-predict": 4})
    assert guest.prompt(img(bytes(bomb)) + b"What?") == 0
    assert guest.compute() in (Code.INVALID_ARGUMENT, Code.RUNTIME_ERROR)
    assert guest.prompt(RED + b"What?") == 0
    assert guest.compute() == 0, guest.reports
    guest.instance.close()


def test_speech_needs_a_projector_of_speech(host: NN) -> None:
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16)
    samples = struct.pack("<4sI4s", b"RIFF", 3236, b"WAVE") + form + struct.pack("<4sI", b"data", 3200)
    samples += bytes(3200)
    guest = TextGuest(host, temp=0)
    assert guest.prompt(b'<audio src="data:audio/wav;base64,' + b64encode(samples) + b'">What?') == 0
    assert guest.compute() == Code.INVALID_ARGUMENT, guest.reports
    guest.instance.close()


def test_no_embedding_of_a_picture(host: NN) -> None:
    guest = TextGuest(host, embedding=True)
    assert guest.prompt(RED) == 0
    assert guest.compute() == Code.INVALID_ARGUMENT
    guest.instance.close()


@pytest.mark.parametrize("adapter", ["xllamacpp", "llama_cpp"])
def test_a_guest_names_no_projector(adapter: str, projector: Path) -> None:
    pytest.importorskip(adapter)
    guest = TextGuest(models(adapter), temp=0, mmproj=str(projector), image="/etc/passwd")
    assert guest.prompt(RED + b"What?") == Code.INVALID_ARGUMENT
    assert "the host named no projector" in guest.reports[-1]
    assert guest.options(mmproj=str(projector)) == 0
    assert guest.prompt(RED + b"What?") == Code.INVALID_ARGUMENT
    guest.instance.close()


def test_a_guest_changes_no_projector(host: NN) -> None:
    assert seeing(host, RED, mmproj="/etc/passwd", image="/etc/passwd") == seeing(host, RED)


def test_a_projector_is_found_beside_its_model(tmp_path: Path) -> None:
    pytest.importorskip(NEEDS_XLLAMACPP)
    (tmp_path / "m.gguf").write_bytes(TINY.read_bytes())
    (tmp_path / "mmproj.gguf").write_bytes(tiny_projector())
    nn = models("xllamacpp", tmp_path / "m.gguf", mmproj="mmproj.gguf")
    assert len(set(seeing(nn, RED + b"What?", BLUE + b"What?"))) == 2


@pytest.mark.parametrize(
    ("named", "code"), [("gone.gguf", Code.MODEL_NOT_FOUND), ("m.gguf", Code.RUNTIME_ERROR)]
)
def test_a_projector_that_is_none_is_an_error_when_the_model_is_loaded(
    tmp_path: Path, named: str, code: Code
) -> None:
    pytest.importorskip(NEEDS_XLLAMACPP)
    (tmp_path / "m.gguf").write_bytes(TINY.read_bytes())
    nn = models("xllamacpp", tmp_path / "m.gguf", mmproj=named)
    with pytest.raises(NNError, match="projector") as refused:
        nn.load(nn.registry.models["m"])
    assert refused.value.code is code


def test_llama_cpp_python_says_that_it_sees_nothing(projector: Path) -> None:
    pytest.importorskip("llama_cpp")
    nn = models("llama_cpp", mmproj=str(projector))
    with pytest.raises(NNError, match="xllamacpp does") as refused:
        nn.load(nn.registry.models["m"])
    assert refused.value.code is Code.UNSUPPORTED_OPERATION


def test_media_are_taken_out_of_prompts() -> None:
    speech = b'<audio src="data:audio/x-wav;base64,AQID" />'
    assert media_of(b"a" + RED + b"b" + speech) == (
        [b"a", b"b", b""],
        [b64encode(png(255, 0, 0)).decode(), "AQID"],
    )
    assert media_of(b'<img src="cat.png"> <imgs') == ([b'<img src="cat.png"> <imgs'], [])
    assert media_of(b"") == ([b""], [])


@pytest.mark.parametrize(
    "prompt",
    [
        b'<img src="data:image/png;base64,">', b'<img src="data:image/png;base64,A B">',
        b'<img src="data:image/png,AAAA">', b'<img src="data:image/png;base64,AAAA', RED * (MOST + 1),
        b'<img src="data:image/png;base64,AAAA" onload="x">', b'<img src="data:image/' + b"x" * 100,
        b'<img src="data:image/png;base64,AA===">', RED[:-3],
    ],
)  # fmt: skip
def test_media_that_are_not_whole_are_refused(prompt: bytes) -> None:
    with pytest.raises(NNError) as refused:
        media_of(b"Look: " + prompt)
    assert refused.value.code is Code.INVALID_ARGUMENT
