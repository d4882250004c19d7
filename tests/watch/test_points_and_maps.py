"""Points and maps of classes that are read at other places than theirs. Each mistake has a right twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes import maps, points
from pywasm_nn.watch.probes.asked import Placed, Sent
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(8)
JOINTS = ("nose", "left eye", "right eye", "left ear", "right ear")
PICTURE = Sent("image", (1, 192, 256, 3), None, None)


def joints(step: int) -> Callable[[Sequence[Any]], str]:
    """A guest that writes x and y of the joints of a pose, [1, 1, 17, 3], in pixels."""

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        places = [
            (name, flat[step * one + 1] * 256, flat[step * one] * 192) for one, name in enumerate(JOINTS)
        ]
        return "".join(f"{name}: {x:.0f},{y:.0f}\n" for name, x, y in places)

    return say


@pytest.mark.parametrize(("step", "seen"), [(3, False), (2, True), (4, True)])
def test_rows_of_a_pose_at_another_distance(step: int, *, seen: bool) -> None:
    pose = RNG.random((1, 1, 17, 3)).astype("f4")
    found = points.mispointed(asked_of(joints(step), pose, sent=[PICTURE]))
    assert (
        f"17 rows of 3 numbers, so that they begin in different columns: are rows taken to be {step}" in found
    ) is seen
    assert seen or not found


def test_two_points_in_each_row() -> None:
    """Rows of two corners and a score, and a key point at their end, of which pairs are written."""
    rows = RNG.random((1, 12, 8)).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(12, 8) * 192
        return "".join(f"{row[0]:.0f},{row[1]:.0f} eye {row[4]:.0f},{row[5]:.0f}\n" for row in flat[:4])

    assert points.mispointed(asked_of(say, rows, sent=[PICTURE])) == ""


PARTS = {"left eye": (7, 12), "right eye": (3, 16), "mouth": (2, 9), "nose": (5, 5)}


def mesh(period: int) -> Any:
    """40 points near each other, in pixels, of which all numbers behind the first two are small."""
    along = numpy.arange(40)[:, None] / 7
    places = RNG.normal(0, 3, (40, period))
    places[:, :2] += numpy.concatenate([60 + 30 * numpy.sin(along), 130 + 30 * numpy.cos(along)], axis=1)
    return places.reshape(1, 1, 1, -1).astype("f4")


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.1])
@pytest.mark.parametrize(("period", "step"), [(3, 3), (3, 2), (3, 1), (3, 4), (4, 4), (4, 3), (5, 5), (5, 3)])
def test_the_middles_of_points(period: int, step: int, scale: float) -> None:
    """Each is made of two points, whose numbers are of one kind."""

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1) * scale
        middles = [
            (name, (flat[step * a :][:2] + flat[step * b :][:2]) / 2) for name, (a, b) in PARTS.items()
        ]
        return "".join(f"{name} {x:.0f} {y:.0f}\n" for name, (x, y) in middles)

    found = points.mispointed(asked_of(say, mesh(period), sent=[PICTURE]))
    assert (f"multiplied by {period}?" in found) is (step != period) is bool(found)


def hand(period: int) -> Any:
    """30 points anywhere in the picture, a row each."""
    return (RNG.random((1, 30, period)) * 190).astype("f4")


@pytest.mark.parametrize("digits", [0, 2])
@pytest.mark.parametrize("made", [mesh, hand])
@pytest.mark.parametrize(("period", "step"), [(3, 3), (3, 2), (3, 4), (2, 2), (4, 4), (5, 5), (5, 2)])
def test_a_width_and_a_height(made: Callable[[int], Any], period: int, step: int, digits: int) -> None:
    """Each is the difference of two elements that follow different kinds, but not all of them."""

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1).astype(float)
        width, height = flat[step * 14] - flat[step * 4], flat[step * 21 + 1] - flat[step * 13 + 1]
        lines = [flat[step * 2 : step * 2 + 2].tolist(), [width], [height]]
        return "".join(" ".join(f"{one:.{digits}f}" for one in line) + "\n" for line in lines)

    found = points.mispointed(asked_of(say, made(period), sent=[PICTURE]))
    assert bool(found) is (step != period) is (f", and not by {period}?" in found)
    assert f"{step}, and not by" in found or f"{step} or" in found or not found


@pytest.mark.parametrize(
    "text",
    [
        lambda x, y, z: f"{x[14] - x[3] + y[14] - y[3]:.0f}",
        lambda x, y, z: f"{max(x[14] - x[3], y[14] - y[3]):.0f} {min(x[9] - x[3], y[9] - y[3]):.0f}",
        lambda x, y, z: f"{numpy.hypot(x[14] - x[3], y[14] - y[3]):.0f} wide",
        lambda x, y, z: f"{numpy.hypot(x[9] - x[1], z[9] - z[1]):.0f} far",
        lambda x, y, z: f"{abs(x[17] - x[4]) + abs(z[17] - z[4]):.1f}",
        lambda x, y, z: f"{x[14] - z[14]:.2f} {x[5] - z[5]:.2f}",
        lambda x, y, z: f"{(x[14] - x[2]) * (y[9] - y[3]):.0f}",
        lambda x, y, z: f"{(x[14] - x[2]) / (abs(y[9] - y[3]) + 1):.0f}",
        lambda x, y, z: f"{(x[14] - x[2] + y[9] - y[3]) / 2:.1f}",
    ],
)
@pytest.mark.parametrize("made", [mesh, hand])
def test_lengths_of_two_kinds(text: Callable[..., str], made: Callable[[int], Any]) -> None:
    """Sums of sides, the longer one, rounded distances, areas and slopes of points that are read rightly."""

    def say(answers: Sequence[Any]) -> str:
        return text(*answers[0][0].reshape(-1, 3).T.astype(float)) + "\n"

    for _ in range(5):
        assert points.mispointed(asked_of(say, made(3), sent=[PICTURE])) == ""


@pytest.mark.parametrize(("period", "step"), [(3, 3), (3, 2), (3, 1), (2, 2), (2, 3), (4, 4), (4, 3)])
@pytest.mark.parametrize("order", [1, -1])
def test_points_one_by_one(period: int, step: int, order: int) -> None:
    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        rows = [flat[step * at :][:2][::order] for at in (1, 4, 6, 9, 11)]
        return "".join(f"at {row[0]:.0f} and {row[1]:.0f}\n" for row in rows)

    found = points.mispointed(asked_of(say, mesh(period), sent=[PICTURE]))
    assert bool(found) is (step != period) is ("points" in found)
    assert points.mispointed_at_once(asked_of(say, mesh(period), sent=[PICTURE])) == found
    rows = mesh(period).reshape(-1, period)
    assert points.mispointed_at_once(asked_of(say, rows, sent=[PICTURE])) == "", "rows may be boxes"


@pytest.mark.parametrize("columns", [5, 6, 7])
@pytest.mark.parametrize("form", ["{2} {3} large", "in the middle {0} {1}", "{4} {5} to {6} {7}"])
def test_sizes_and_middles_of_boxes(form: str, columns: int) -> None:
    """Two corners in each row, and a score and more behind them."""
    rows = RNG.random((1, 16, columns)).astype("f4")
    rows[..., 2:4] += rows[..., :2]

    def say(answers: Sequence[Any]) -> str:
        text = ""
        for left, top, right, bottom in answers[0][0].reshape(16, columns)[:5, :4] * 90:
            numbers = (
                (left + right) / 2,
                (top + bottom) / 2,
                right - left,
                bottom - top,
                left,
                top,
                right,
                bottom,
            )
            text += form.format(*(f"{one:.0f}" for one in numbers)) + "\n"
        return text

    assert points.mispointed(asked_of(say, rows, sent=[PICTURE])) == ""


@pytest.mark.parametrize(("step", "seen"), [(2, False), (1, True), (3, False)])
@pytest.mark.parametrize("add", [0.0, 31.5])
def test_points_that_overlap(step: int, seen: bool, add: float) -> None:
    """The key points of the surest of many rows, which lie beside a box in each."""
    rows = RNG.normal(0, 20, (1, 96, 16)).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        row = answers[0][0].reshape(-1)[37 * 16 :]
        pairs = [add + row[4 + step * at :][:2] for at in range(len(JOINTS))]
        return "".join(f"{name} {x:.1f} {y:.1f}\n" for name, (x, y) in zip(JOINTS, pairs, strict=True))

    found = points.mispointed(asked_of(say, rows, sent=[PICTURE]))
    assert ("to be multiplied by 2?" in found) is seen is bool(found)


def test_ranges_do_not_overlap() -> None:
    """The columns of a page, each from where the one before ends."""
    edges = numpy.sort(RNG.random((1, 96))).astype("f4") * 700

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        return "".join(f"column {one}: {flat[one]:.0f} {flat[one + 1]:.0f}\n" for one in range(8))

    assert points.mispointed(asked_of(say, edges, sent=[PICTURE])) == ""


@pytest.mark.parametrize("step", [3, 2, 4])
def test_a_few_points(step: int) -> None:
    marks = RNG.random((1, 4, 3)).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        flat = answers[0][0].reshape(-1)
        rows = [flat[step * at :][:2] * 1000 for at in range(4) if step * at < 11]
        return "".join(f"corner {row[0]:.0f} {row[1]:.0f}\n" for row in rows)

    found = points.mispointed(asked_of(say, marks, sent=[PICTURE]))
    assert bool(found) is (step != 3) is ("4 points of 3 numbers" in found or "4 rows of 3" in found)


NAMES = ("sky", "road", "grass", "house")


def classes_of(answer: Any, *, planar: bool) -> Any:
    flat = answer.reshape(-1)
    return flat.reshape(4, -1).argmax(0) if planar else flat.reshape(-1, 4).argmax(1)


def counted(best: Any) -> str:
    counts = numpy.bincount(best, minlength=4) * 1000 // best.size
    return ", ".join(f"{name} {one}" for name, one in zip(NAMES, counts, strict=True)) + " of 1000\n"


def named(best: Any) -> str:
    return f"mostly {NAMES[int(numpy.bincount(best, minlength=4).argmax())]}\n"


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("say", [counted, named])
@pytest.mark.parametrize("shape", [(1, 4, 24, 32), (1, 24, 32, 4)])
def test_a_map_of_classes(shape: tuple[int, ...], say: Callable[[Any], str], *, planar: bool) -> None:
    """Each fourth pixel alone is looked at, and "of 1000" stands behind the counts."""
    answer = RNG.random(shape).astype("f4")
    found = maps.misread(asked_of(lambda all_: say(classes_of(all_[0][0], planar=planar)[::4]), answer))
    right = planar == (shape[1] == 4)
    assert found == "" if right else "the guest reads the answer [" in found


def test_places_of_heat() -> None:
    """The place of the largest element of each of four maps, one after the other."""
    answer = RNG.random((1, 4, 24, 32)).astype("f4")

    def say(answers: Sequence[Any]) -> str:
        rows = answers[0][0].reshape(4, -1)
        return "".join(
            f"{name} {row.argmax() // 32},{row.argmax() % 32}\n"
            for name, row in zip(NAMES, rows, strict=True)
        )

    assert maps.misread(asked_of(say, answer)) == ""


KINDS = ("square", "circle", "triangle", "star")
THIRDS = ("upper third", "middle third", "lower third", "nothing")


def surest(scores: Any) -> str:
    kind, cell = numpy.unravel_index(int(scores.argmax()), scores.shape)
    return f"{KINDS[kind]} in row {cell // 12}, column {cell % 12}\n"


def by_kind(scores: Any) -> str:
    best = [(KINDS[kind], int(row.argmax())) for kind, row in enumerate(scores) if row.max() > 0.5]
    return "".join(f"{name}: cell {cell}\n" for name, cell in best)


def counted(scores: Any) -> str:
    return ", ".join(f"{int((row > 0.5).sum())} {KINDS[kind]}s" for kind, row in enumerate(scores)) + "\n"


def third(scores: Any) -> str:
    return f"something in the {THIRDS[3 * (int(scores.argmax()) % 144) // 144]}\n"


@pytest.mark.parametrize("kinds", [3, 4])
@pytest.mark.parametrize("by_place", [True, False])
@pytest.mark.parametrize("say", [surest, by_kind, counted])
def test_classes_and_places_exchanged(say: Callable[[Any], str], kinds: int, *, by_place: bool) -> None:
    shape = (1, 144, kinds) if by_place else (1, kinds, 144)
    answer = RNG.uniform(0, 0.1, shape).astype("f4")
    answer.reshape(-1)[[7, 200]] = 0.9, 0.8
    for rightly in (True, False):

        def guest(answers: Sequence[Any], as_rows: bool = by_place is rightly) -> str:
            flat = answers[0][0].reshape(-1)
            return say(flat.reshape(144, kinds).T if as_rows else flat.reshape(kinds, 144))

        found = maps.misread(asked_of(guest, answer))
        read = f"place * {kinds} + class" if by_place is rightly else "class * 144 + place"
        assert (f"is read at {read}; the answer has" in found) is not rightly
        assert maps.misread(asked_of(lambda answers: third(answers[0][0].max(axis=2)), answer)) == ""


def words_in(picture: tuple[int, int], stride: int, form: str, head: str) -> Callable[[Sequence[Any]], str]:
    """A guest that writes which columns of a picture have a word, by a map with rows so far apart."""
    height, width = picture

    def say(answers: Sequence[Any]) -> str:
        flat = numpy.pad(answers[0][0].reshape(-1), (0, height * stride))
        rows = numpy.stack([flat[row * stride : row * stride + width] for row in range(height)])
        ink = [0, *(rows > 0.3).any(axis=0).astype(int).tolist(), 0]
        steps = numpy.diff(ink)
        ends = zip(numpy.flatnonzero(steps > 0), numpy.flatnonzero(steps < 0) - 1, strict=True)
        return head + ("".join(map(form.format, *zip(*ends, strict=True))) if any(ink) else "no words\n")

    return say


@pytest.mark.parametrize("form", ["word from {} to {}\n", "[{}, {}]\n"])
@pytest.mark.parametrize("picture", [(50, 150), (64, 140), (41, 131)])
@pytest.mark.parametrize("is_said", [True, False])
def test_a_map_read_by_the_width_of_the_picture_in_the_input(
    picture: tuple[int, int], form: str, is_said: bool
) -> None:
    height, width = picture
    map_ = (0.05 * RNG.random((1, 1, 64, 160))).astype("f4")
    map_[0, 0, 10:20, 30:60] = map_[0, 0, 10:30, 90:95] = 0.9
    lies = Placed(picture, (0, 0, *picture), (0, 0, *picture), (64, 160))
    sent = [Sent("x", (1, 3, 64, 160), None, None, None if is_said else lies)]
    head = f"{width} x {height} pixels\n" if is_said else ""
    for stride in (width, 160):
        say = words_in(picture, stride, form, head)
        found = maps.misread(asked_of(say, map_, sent=sent))
        assert (f"as if its rows had {width} elements, as the picture has" in found) is (stride == width)
        assert found == "" or stride == width
