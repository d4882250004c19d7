"""Windows that are the beginning of a longer ring, as it lies in memory; and windows in the right order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series import Series


def hints(name: str, data: bytes, windows: Iterator[Any]) -> str:
    series = Series(lambda: [(name, data)])
    with numpy.errstate(all="ignore"):
        said = [one for own in windows for one in series.set("x", Tensor.from_numpy(own[None].astype("f4")))]
    return "; ".join(said)


def scaled(window: Any, *, by_itself: bool) -> Any:
    return (window - window.mean()) / window.std() if by_itself else window / 1000


def of_ring(samples: Any, ring: int, count: int, hop: int) -> Iterator[tuple[Any, Any]]:
    """The beginning of a ring as it lies, and its newest samples."""
    for now in range(ring + 5, min(len(samples), ring + 12 * hop), hop):
        places = numpy.arange(ring)
        lies = samples[now - 1 - (now - 1 - places) % ring]
        yield lies[:count], samples[now - count : now]


@pytest.mark.parametrize("kind", ["<i2", ">i2", "<f4", "text"])
@pytest.mark.parametrize(("ring", "count", "hop"), [(128, 96, 50), (64, 64, 23), (256, 40, 30)])
@pytest.mark.parametrize("by_itself", [True, False])
@pytest.mark.parametrize("header", [0, 44])
def test_a_ring_from_its_first_place(
    kind: str, ring: int, count: int, hop: int, by_itself: bool, header: int
) -> None:
    order = numpy.random.default_rng(ring)
    samples = (numpy.cumsum(order.normal(0, 60, 900)) + order.normal(0, 90, 900)).round()
    data = "\n".join(f"{one:g}" for one in samples).encode()
    if kind != "text":
        data = bytes(range(header)) + samples.astype(kind).tobytes()
    both = [*of_ring(samples, ring, count, hop)]
    said = hints("heart.dat", data, (scaled(one, by_itself=by_itself) for one, _ in both))
    assert f"a ring of {ring} was sent" in said or (ring == count and "a ring was sent as it lies" in said)
    for right in (
        [one for _, one in both],
        [one[::-1] for _, one in both],
        [numpy.concatenate([one[-20:], one[:-20]]) for _, one in both],  # a part, and one before it
        [numpy.concatenate([samples[at + 300 :][:24], samples[at:][:24]]) for at in range(0, 300, 24)],
    ):
        assert "ring of" not in hints("heart.dat", data, (scaled(one, by_itself=by_itself) for one in right))


def test_a_series_that_repeats_itself() -> None:
    samples = numpy.tile(numpy.random.default_rng(2).normal(0, 900, 48).round(), 20)
    data = samples.astype("<i2").tobytes()
    assert "ring of" not in hints("a.dat", data, (samples[at : at + 40] / 7 for at in range(0, 900, 17)))


def in_channels(samples: Any, kind: str, ends: list[int]) -> list[tuple[str, bytes]]:
    """Files of samples, [samples, channels], that end so."""
    parts = [*zip([0, *ends], [*ends, len(samples)], strict=True)]
    if kind != "text":
        return [(f"part{at}.dat", samples[a:b].astype(kind).tobytes()) for at, (a, b) in enumerate(parts)]
    texts = ["\n".join(",".join(f"{one:g}" for one in row) for row in samples[a:b]) for a, b in parts]
    return [(f"part{at}.csv", f"x,y,z,w\n{text}\n".encode()) for at, text in enumerate(texts)]


@pytest.mark.parametrize("kind", ["<i2", "<f4", "text"])
@pytest.mark.parametrize("ends", [[], [64], [80, 200]])
def test_a_ring_that_is_always_cut_at_its_half(kind: str, ends: list[int]) -> None:
    order = numpy.random.default_rng(5)
    samples = (numpy.cumsum(order.normal(0, 60, (320, 4)), axis=0)).round()
    files = in_channels(samples, kind, ends)
    count, hop, places = 40, 20, numpy.arange(40)
    right = [samples[now - count : now] for now in range(count, 320, hop)]
    lies = [samples[now - 1 - (now - 1 - places) % count] for now in range(count, 320, hop)]
    exchanged = [numpy.concatenate([one[hop:], one[:hop]]) for one in right]  # in each window on purpose
    for windows, is_ring in ((lies, True), (right, False), (exchanged, None if kind == "text" else False)):
        read: list[tuple[str, bytes]] = []
        series, said = Series(lambda read=read: read), ""
        for now, own in zip(range(count, 320, hop), windows, strict=True):
            read[:] = files[: sum(end < now for end in ends) + 1]
            with numpy.errstate(all="ignore"):
                said += "".join(series.set("x", Tensor.from_numpy((own[None] / 1000).astype("f4"))))
        assert is_ring is None or ("oldest sample" in said) is is_ring
