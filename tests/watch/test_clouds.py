"""Points in space: transposed, not centred, or the first ones alone. Each mistake has right twins."""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.clouds import Clouds
from pywasm_nn.watch.series.scans import points_in

POINTS = numpy.random.default_rng(11).uniform(-1, 1, (400, 3)) * (3, 5, 8) + (20, -30, 40)
POINTS = POINTS[POINTS[:, 1].argsort()].round(3)
LINES = "\n".join(" ".join(f"{one:.3f}" for one in row) for row in POINTS)
MIXED = numpy.random.default_rng(12).permutation(POINTS)


def ply(kind: str, order: str) -> bytes:
    head = f"ply\nformat {kind} 1.0\nelement vertex 400\nproperty uchar red\nproperty double z\n"
    head += "property float x\nproperty float y\nelement face 0\nend_header\n"
    return head.encode() + b"".join(struct.pack(f"{order}Bdff", 7, z, x, y) for x, y, z in POINTS)


PCD = b"# .PCD\nVERSION .7\nFIELDS x y z i\nSIZE 4 4 4 2\nTYPE F F F U\nCOUNT 1 1 1 1\nPOINTS 400\nDATA "


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a", ply("binary_little_endian", "<")), ("a", ply("binary_big_endian", ">")),
        ("a", PCD + b"binary\n" + b"".join(struct.pack("<fffH", *row, 9) for row in POINTS)),
        ("a", PCD + b"ascii\n" + LINES.replace("\n", " 9\n").encode() + b" 9\n"),
        ("a.xyz", LINES.encode()),
        ("a.obj", b"o x\nv " + LINES.replace("\n", "\nv ").encode() + b"\nf 1 2 3\n"),
        ("a.off", b"OFF\n400 0 0\n" + LINES.encode()),
    ],
)  # fmt: skip
def test_files_of_points(name: str, data: bytes) -> None:
    assert numpy.abs(points_in(name, data) - POINTS).max() < 1e-4
    for cut in (5, 60, 130):
        assert points_in(name, data[:cut]) is None or len(points_in(name, data[:cut])) < len(POINTS)


def scaled(points: Any, *, centred: bool = True) -> Any:
    """Points as most models want them."""
    own = points - points.mean(axis=0) * centred
    return (own / numpy.sqrt((own**2).sum(axis=1)).max()).astype("f4")


def hint(*arrays: Any, points: Any = POINTS, name: str = "a.xyz") -> str:
    """What is said of inputs of a guest that read a file of points."""
    clouds, data = Clouds(), "\n".join(" ".join(map(str, row)) for row in points.tolist()).encode()
    said = [clouds.set(array, [(name, data)])[1] for array in arrays]
    return "; ".join([*filter(None, said), *clouds.finish()])


FOURTH = scaled(POINTS[::4])
TURNED = "they have to be transposed"


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (FOURTH.T[None], ""),
        (FOURTH.reshape(1, 3, 100), TURNED),
        (FOURTH[None], ""),
        (FOURTH.T.reshape(1, 100, 3), TURNED),
        (POINTS[:128].astype("f4").reshape(3, 128), TURNED),
        (scaled(POINTS[::4], centred=False).T[None], "were not centred before"),
        (POINTS[::4].astype("f4"), ""),
        ((POINTS[::4] / 100).astype("f4"), ""),
        (scaled(POINTS[:200]), "only the first 200 of 400 points were sent, and the file is sorted by y"),
    ],
)
def test_points_that_were_sent(array: Any, words: str) -> None:
    said = hint(array)
    assert words in said and bool(said) == bool(words)


@pytest.mark.parametrize("by", [1.0, 0.5])
def test_points_around_what_looks_at_them(by: float) -> None:
    """A scanner is at the origin, though there may be more before it than behind."""
    around = POINTS - POINTS.mean(axis=0) + (1.5 * by, 2.4, 5 * by)
    own = scaled(around[::4], centred=False)
    assert numpy.linalg.norm(own.mean(axis=0)) > 0.25
    assert hint(own, points=around) == hint(own.T[None], points=around) == ""


def test_parts_of_points_on_purpose() -> None:
    assert hint(scaled(POINTS[:200]), scaled(POINTS[200:])) == ""
    assert hint(scaled(MIXED[:200]), points=MIXED) == "", "the file is in no order"
    assert hint(scaled(POINTS[::4], centred=False), name="imu.csv") == "", "columns of a sensor"
