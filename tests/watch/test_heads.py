"""Rings of samples that a file has with their heads: sent as they lie, and from their oldest samples on."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.heads import Heads

COUNT = 48


def window(rng: Any, channels: int) -> Any:
    """Samples that go on evenly, each channel by itself, as f32 [samples, channels]."""
    steps = rng.normal(0, 0.1, (COUNT, channels))
    drift = numpy.linspace(0, 3, COUNT)[:, None] * rng.choice([-1, 1], channels)
    return (numpy.cumsum(steps, axis=0) + drift).astype("f4")


def said(records: list[tuple[int, Any, Any]], kind: str, *, behind: bool = False) -> str:
    """What is said of windows that are sent, of a file of numbers with samples; each record is a number, the
    samples in the file and what is sent."""
    parts = [(numpy.array(number, kind).tobytes(), samples.tobytes()) for number, samples, _ in records]
    data = b"".join(b"".join(one[::-1] if behind else one) for one in parts)
    heads = Heads()
    return "".join([heads.set("x", sent, [("a.csv", b"1,2\n"), ("ring.bin", data)]) for *_, sent in records])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize(("kind", "by"), [("<u4", 0), ("<u2", -1), (">u4", 0)])
def test_rings_with_their_heads(seed: int, channels: int, planar: bool, kind: str, by: int) -> None:
    """As they lie, perhaps scaled then; from the oldest sample on; and beside other numbers."""
    rng = numpy.random.default_rng(seed)
    heads = rng.permutation(numpy.arange(3, COUNT - 3))[:9].tolist()
    straight = [window(rng, channels) for _ in heads]
    rings = [numpy.roll(one, head, axis=0) for one, head in zip(straight, heads, strict=True)]

    def sent(samples: Any) -> Any:
        scaled = (samples * 0.3 + 1).astype("f4")[None]
        return scaled.transpose(0, 2, 1) if planar else scaled

    numbers = [(head + by) % COUNT for head in heads]
    as_they_lie = [(n, ring, sent(ring)) for n, ring in zip(numbers, rings, strict=True)]
    for behind in (False, True):
        assert "compared with ring.bin, windows of 48 samples" in said(as_they_lie, kind, behind=behind)
    turned = [(n, ring, sent(one)) for n, ring, one in zip(numbers, rings, straight, strict=True)]
    assert said(turned, kind) == ""
    others = rng.permutation(numbers).tolist()
    assert said([(n, ring, sent(ring)) for n, ring in zip(others, rings, strict=True)], kind) == ""


@pytest.mark.parametrize("what", ["level", "peak", "arrival"])
def test_places_of_something_in_a_window_are_no_heads(what: str) -> None:
    """Of a step to another level, of a beat, of a wave that arrives: the file may say where that is."""
    rng = numpy.random.default_rng(8)
    records = []
    for place in rng.permutation(numpy.arange(8, COUNT - 8))[:9].tolist():
        samples = rng.normal(0, 0.05, (COUNT, 1)).astype("f4")
        if what == "level":
            samples[place:] += 4
        elif what == "peak":
            samples[place] += 4
        else:
            samples[place:] += (4 * numpy.sin(numpy.arange(1, COUNT - place + 1)))[:, None].astype("f4")
        records.append((place, samples, samples[None]))
    assert said(records, "<u4") == ""


def file_of(rows: Any) -> tuple[str, bytes]:
    return "samples.i16", rows.astype("<i2").tobytes()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("channels", [1, 3])
def test_a_ring_whose_head_is_an_argument(seed: int, channels: int) -> None:
    rng = numpy.random.default_rng(seed)
    straight, head = numpy.rint(100 * window(rng, channels)), int(rng.integers(4, COUNT - 4))
    ring = numpy.roll(straight, head, axis=0)
    whole, longer = [file_of(one) for one in (ring, numpy.concatenate([ring, ring]))]

    def told(samples: Any, arguments: list[str], file: tuple[str, bytes]) -> str:
        return Heads(arguments).set("x", (0.3 * samples + 1).astype("f4")[None], [file])

    for named in (head, head - 1):
        wrong = told(ring, ["samples.i16", f"--head={named}", "7000"], whole)
        assert f"break inside, at sample {head}, which the arguments name" in wrong
    assert told(ring, [str(head + 1), f"x{head}", f"{head}.5"], whole) == "", "no argument names it"
    assert told(straight, [str(head)], file_of(straight)) == ""
    assert told(ring, [str(head)], longer) == "", "a part of a file"
    level = numpy.where(numpy.arange(COUNT)[:, None] < head, 0.0, 500.0) + numpy.rint(straight * 0.1)
    assert told(level, [str(head)], file_of(level)) == "", "another level"
