"""Works out how a tensor came from a picture: size, part, interpolation, order of channels, range.

What is here: `traced`, a search over the usual ways, with least squares for the range. What is not: decoding
files (`decoding.py`), and sounds and arrays (`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...records import changed, record
from ..hints.facts import Picture, picture_of
from ..whatif.arrangements import alpha_ignored, interleaved, other_layout, row_distance, unsheared
from ..whatif.encodings import MISTAKEN, USUAL, Encoding, per_channel
from .decoding import Source
from .resizing import Geometry, geometries, interpolations, resized

CHUNKS = 64
"""An input is compared in so many pieces, in the order of its elements."""
COARSE = 56
"""Pictures are compared at about so many rows and columns, at which all interpolations are alike."""
LIKE = 0.9
"""The correlation of pieces that show the same."""
ENOUGH = 0.3
"""The part of the pieces that must be alike."""
MOST_WRONG = 0.1
"""The part of the pieces that may differ anywhere, as under a caption."""
EXACT, NEAR = 0.75, 6.0
"""Mean differences in pixels up to which elements are those of the picture, or nearly."""
LEAST_SPREAD = 2.0
"""Pieces whose pixels deviate by less say nothing."""
FEWEST = 8
"""So many pieces must say something."""
CLOSE, ROUGHLY = (0.02, 1.6), (0.09, 9.0)
"""How far a range may be from a usual one, relatively in its scale and in pixels in its shift: where the
elements are exactly those of the picture, and where they are nearly."""
CLEARER = 0.003
"""Another channel of the picture fits better if it correlates by so much more."""
GREY = (0.299, 0.587, 0.114)
GREY_CHANNEL = 3
LETTERS = "RGBY"
"""Channels of a picture; the last is grey."""


Lines = list[tuple[float, float, float] | None]
"""For each channel the scale, the shift and the mean difference in pixels; None where nothing is known."""


@record
class Origin:
    """How an input came from a file. `wrong` is what is surely a mistake in that, if anything is."""

    source: Source
    steps: tuple[str, ...]
    wrong: str = ""

    def __str__(self) -> str:
        return ", ".join([f"{self.source.name} ({self.source.said})", *filter(None, self.steps)])


@record
class Fit:
    """A way from the picture to the elements: which channel of the picture each channel is, and the
    correlations of the pieces that say anything, by their numbers."""

    geometry: Geometry
    order: tuple[int, ...]
    alike: dict[int, float]

    @property
    def share(self) -> float:
        """The part of the pieces that are alike."""
        return sum(value > LIKE for value in self.alike.values()) / max(1, len(self.alike))

    @property
    def score(self) -> float:
        return self.share + sum(self.alike.values()) / max(1, len(self.alike))


def traced(array: Any, source: Source) -> Origin | None:
    """How an input of numbers came from a picture; None if it didn't."""
    import numpy

    picture = picture_of(array.shape)
    if picture is None or array.dtype.kind not in "fiu" or not source.is_picture:
        return None
    with numpy.errstate(all="ignore"):
        elements = numpy.nan_to_num(array.astype("f4"), nan=0.0, posinf=0.0, neginf=0.0)
        for wrong, made, its in readings(elements, picture):
            found = search(interleaved(made, its)[0], its, source)
            if found is not None:
                return described(found, made, its, source, wrong)
    return None


def readings(array: Any, picture: Picture) -> Iterator[tuple[str, Any, Picture]]:
    """The elements as they are, and put right as if a mistake had been made, with that mistake."""
    yield "", array, picture
    if alpha := alpha_ignored(array, picture):
        yield "every fourth element is alpha: 4 bytes a pixel were taken for 3", alpha[1], picture
    if sheared := unsheared(array, picture):
        distance = row_distance(interleaved(array, picture)[0]) or 0
        by = abs(distance - picture.width)
        more = f"rows are sheared by {by} pixels: they lie {distance} apart and not {picture.width}"
        yield more, sheared[1], picture
    if picture.channels > 1:
        has, lies = ("NCHW", "NHWC") if picture.planar else ("NHWC", "NCHW")
        yield f"the shape says {has}, the elements lie as in {lies}", other_layout(array, picture), picture
    if picture.height != picture.width:
        turned = changed(picture, height=picture.width, width=picture.height)
        size = f"{turned.width} x {turned.height}"
        said = f"height and width are swapped: the elements are a picture of {size}"
        shape = [*array.shape]
        at = len(shape) - (2 if picture.planar else 3)
        shape[at], shape[at + 1] = shape[at + 1], shape[at]
        yield said, array.reshape(shape), turned


def search(elements: Any, picture: Picture, source: Source) -> Fit | None:
    """The best way from the picture to the elements [height, width, channels], None if none fits."""
    pixels = in_channels(source.array)
    new = picture.height, picture.width
    best: Fit | None = None
    for geometry in geometries(pixels.shape[:2], new):
        made = coarse(geometry.made(pixels, averaged, *new))
        rough = coarse(elements)
        order = order_of(rough, made)
        fit = Fit(geometry, order, alike(rough, made[..., list(order)], picture.planar))
        if len(fit.alike) >= FEWEST and (best is None or fit.score > best.score + CLEARER):
            best = fit
        if best is not None and best.score > 1.98:
            break
    return best if best is not None and best.share >= ENOUGH else None


def in_channels(pixels: Any) -> Any:
    """A picture as f32 with the channels R, G, B and grey, alpha left out."""
    import numpy

    colours = pixels[..., :3].astype("f4")
    if colours.shape[2] < 3:
        return colours[..., :1].repeat(4, axis=2)
    return numpy.concatenate([colours, (colours @ numpy.array(GREY, "f4"))[..., None]], axis=2)


def averaged(picture: Any, height: int, width: int) -> Any:
    """A picture resized for a rough comparison: averaged over whole pixels first, then interpolated."""
    down = max(1, round(picture.shape[0] / height)), max(1, round(picture.shape[1] / width))
    return resized(blocks(picture, *down), height, width)


def blocks(picture: Any, tall: int, wide: int) -> Any:
    """Means of blocks of so many rows and columns."""
    if tall == wide == 1:
        return picture
    height, width = picture.shape[0] // tall, picture.shape[1] // wide
    cut = picture[: height * tall, : width * wide]
    return cut.reshape(height, tall, width, wide, -1).mean(axis=(1, 3))


def coarse(picture: Any) -> Any:
    step = max(1, min(picture.shape[:2]) // COARSE)
    return blocks(picture, step, step)


def order_of(elements: Any, made: Any) -> tuple[int, ...]:
    """For each channel of the elements the channel of the picture that it is most like; its own number where
    nothing is clear."""
    count = elements.shape[2]
    there = elements.reshape(len(elements), -1).std(axis=1) > 0  # rows that something fills
    elements, made = elements[there], made[there]
    found = []
    for channel in range(count):
        own = channel if count >= 3 else GREY_CHANNEL
        likeness = [correlation(elements[..., channel], made[..., other]) for other in range(4)]
        best = max(range(4), key=likeness.__getitem__)
        found.append(best if likeness[best] > likeness[min(own, 3)] + CLEARER else min(own, 3))
    return tuple(found)


def correlation(one: Any, other: Any) -> float:
    """How much two arrays of numbers go together, also if one is inverted; 0 where one is constant."""
    import numpy

    a, b = one.reshape(-1), other.reshape(-1)
    there = numpy.isfinite(b)
    a, b = a[there].astype("f8"), b[there].astype("f8")
    if not len(b) or not (spread := float(a.std()) * float(b.std())):
        return 0.0
    return abs(float(((a - a.mean()) * (b - b.mean())).mean()) / spread)


def alike(elements: Any, pixels: Any, planar: bool) -> dict[int, float]:
    """The correlation of elements and pixels in each piece, channel by channel; pieces of pixels that are
    nearly constant, or empty, are left out."""
    import numpy

    channels = pixels.shape[2]
    rows = numpy.array_split(
        numpy.arange(pixels.shape[0]), max(1, min(pixels.shape[0] // 2, CHUNKS // channels))
    )
    found: dict[int, float] = {}
    for number in range(channels):
        for block, chunk in enumerate(rows):
            part = pixels[chunk, :, number]
            there = numpy.isfinite(part)
            if there.sum() < 16 or float(part[there].std()) < LEAST_SPREAD:
                continue
            place = number * len(rows) + block if planar else block * channels + number
            found[place] = correlation(elements[chunk, :, number], part)
    return found


def pieces_of(height: int, channels: int) -> list[Any]:
    """Rows in pieces, so that there are about CHUNKS pieces in all channels."""
    import numpy

    count = max(1, min(height // 2, CHUNKS // channels))
    return numpy.array_split(numpy.arange(height), count)


def described(fit: Fit, array: Any, picture: Picture, source: Source, wrong: str) -> Origin:
    """The steps of a fit as words, after refining the interpolation and finding the range."""
    pixels, elements = in_channels(source.array), interleaved(array, picture)[0]
    new = picture.height, picture.width
    good = rows_alike(fit, picture)
    choices = interpolations() if fit.geometry.resizes else {"": resized}
    found: list[tuple[float, str, Lines]] = []
    for name, resize in choices.items():
        made = fit.geometry.made(pixels, resize, *new)
        lines: Lines = [None] * picture.channels
        for channel, rows in good.items():
            lines[channel] = line(elements[rows, :, channel], made[rows, :, fit.order[channel]])
        apart = [one[2] for one in lines if one is not None]
        found.append((sum(apart) / max(1, len(apart)), name, lines))
    least, name, lines = min(found, key=lambda one: one[0])
    how = f"nearly {name}" if name and least > EXACT else name
    if least > NEAR:
        how = "changed" if not name else "interpolated in another way"
    said, mistake = range_of(lines, fit.order, CLOSE if least <= EXACT else ROUGHLY)
    steps = (fit.geometry.said, how, order_said(fit.order, source.array.shape[2]), layout_said(picture), said)
    return Origin(source, steps, wrong or mistake or repeated(fit.order) or stops(fit, array, picture))


def order_said(order: tuple[int, ...], have: int) -> str:
    if have < 3 or set(order) == {GREY_CHANNEL}:
        return "grey"
    return "".join(LETTERS[channel] for channel in order)


def layout_said(picture: Picture) -> str:
    return "" if picture.channels == 1 else "CHW" if picture.planar else "HWC"


def repeated(order: tuple[int, ...]) -> str:
    """Says which channel is there twice, if one is and another isn't."""
    for place, channel in enumerate(order):
        first = order.index(channel)
        if first != place and channel != GREY_CHANNEL and len(set(order)) == len(order) - 1:
            return f"channel {place} is {LETTERS[channel]}, as channel {first} is"
    return ""


def rows_alike(fit: Fit, picture: Picture) -> dict[int, Any]:
    """The rows of each channel whose pieces are alike; channels without any are left out."""
    import numpy

    channels = picture.channels
    height = picture.height
    step = max(1, min(picture.height, picture.width) // COARSE)
    count = max(1, min(height // step // 2, CHUNKS // channels))
    pieces = numpy.array_split(numpy.arange(height // step), count)
    found: dict[int, list[Any]] = {}
    for place, value in fit.alike.items():
        channel, block = (
            (place // count, place % count) if picture.planar else (place % channels, place // channels)
        )
        if value > LIKE:
            chunk = pieces[block]
            found.setdefault(channel, []).append(numpy.arange(chunk[0] * step, (chunk[-1] + 1) * step))
    return {channel: numpy.sort(numpy.concatenate(rows)) for channel, rows in found.items()}


def line(elements: Any, pixels: Any) -> tuple[float, float, float]:
    """Scale and shift with which pixels come nearest to the elements, and the mean difference in pixels."""
    import numpy

    a, b = elements.reshape(-1).astype("f8"), pixels.reshape(-1).astype("f8")
    there = numpy.isfinite(b)
    a, b = a[there], b[there]
    if not len(b) or not b.std():
        return 0.0, float(a.mean()) if len(a) else 0.0, 255.0
    scale = float(((a - a.mean()) * (b - b.mean())).mean() / b.var())
    shift = float(a.mean() - scale * b.mean())
    apart = float(numpy.abs(scale * b + shift - a).mean())
    return scale, shift, apart / abs(scale) if scale else 255.0


def range_of(lines: Lines, order: tuple[int, ...], within: tuple[float, float]) -> tuple[str, str]:
    """The range as words (a usual encoding, a mistaken one, or numbers), and what is surely wrong with it, if
    anything is. None stands for a channel of which nothing is known."""
    bgr = order[::-1] == tuple(sorted(order)) and len(order) == 3
    for encoding in (*USUAL, *MISTAKEN):
        if fits(lines, encoding, bgr != encoding.is_bgr, within):
            surely = encoding.said if encoding.is_mistake else ""
            return f"pixels {encoding.said}", f"pixels are {surely}" if surely else ""
    for encoding in USUAL:
        if len(encoding.mean) == 3 and fits(lines, encoding, bgr == encoding.is_bgr, within):
            said = f"pixels {encoding.said} in the wrong order of channels"
            return said, f"{said}: these are {'BGR' if bgr else 'RGB'}, and the numbers for the other order"
    known = [one for one in lines if one is not None]
    parts = [f"{scale:.4g} x pixel {shift:+.4g}" for scale, shift, _ in known]
    return parts[0] if len(set(parts)) == 1 else "; ".join(parts), ""


def fits(
    lines: Lines,
    encoding: Encoding,
    reverse: bool,
    within: tuple[float, float],
) -> bool:
    """Whether all known channels are in an encoding, whose channels may lie in the reverse order."""
    if not any(lines) or not encoding.fits(len(lines)):
        return False
    means, deviations = per_channel(encoding, len(lines))
    step = -1 if reverse and len(encoding.mean) == len(lines) else 1
    pairs = zip(lines, means[::step], deviations[::step], strict=True)
    return all(one is None or is_close(one, mean, deviation, within) for one, mean, deviation in pairs)


def is_close(
    found: tuple[float, float, float], mean: float, deviation: float, within: tuple[float, float]
) -> bool:
    scale, shift, _ = found
    relative, pixels = within
    wanted = 1 / deviation
    return abs(scale - wanted) <= relative * wanted and abs(shift / wanted + mean) <= pixels + relative * mean


def stops(fit: Fit, array: Any, picture: Picture) -> str:
    """Where the elements stop being those of the picture: "from element 49,152 on it is not the picture:
    zeros"; "" if they don't."""
    import numpy

    good = [place for place, value in fit.alike.items() if value > LIKE]
    bad = [place for place, value in fit.alike.items() if value <= LIKE]
    if len(bad) <= MOST_WRONG * len(fit.alike) or not good:
        return ""
    size = picture.channels * picture.height * picture.width
    flat = array.reshape(-1)[:size]
    others = numpy.flatnonzero(flat != flat[-1])
    tail = int(others[-1]) + 1 if len(others) else 0
    pieces = max(fit.alike) + 1
    after = [place for place in bad if (place + 1 + picture.channels) * size > tail * pieces]
    if len(after) >= len(bad) - 1 and size - tail > size // (2 * pieces):
        value = float(flat[-1])
        return f"from element {tail:,} on it is not the picture: {f'all {value:.4g}' if value else 'zeros'}"
    if min(bad) > max(good):
        return f"from about element {min(bad) * size // pieces:,} on it is not the picture"
    return ""
