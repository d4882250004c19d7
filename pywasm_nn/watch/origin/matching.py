"""Works out how a tensor came from a picture: size, part, interpolation, order of channels, range.

What is here: `traced`, which joins the search for the part (`locating.py`), for colours (`colours.py`) and
for the range (`ranges.py`), and says what of it nobody means. What is not: decoding files (`decoding.py`),
and sounds and arrays (`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left, always
from ..changes.arrangements import other_layout
from ..changes.encodings import USUAL, Encoding, per_channel
from ..changes.rereadings import IN_HALVES, upper_halves
from ..facts import Picture, picture_of
from .alike import Fit, smoothness
from .colours import GREY_CHANNEL, LUMAS, centred, chosen, in_channels, is_coloured, order_said, order_wrong
from .curves import GAMMA_SAID, are_rounded, bend, in_steps
from .decoding import Source
from .fitting import NOISE, fits
from .formulas import IN_ALL
from .interpolating import EXACT, NEAR, Match, matched
from .levels import by_level
from .locating import correlation
from .misreadings import misreadings
from .pieces import OTHER, moved, rows_left, stops
from .ranges import SWAPPED, Range
from .readings import Reading, first, unsigned
from .resizing import Geometry
from .shifted import is_moved
from .signs import SAID, as_signed
from .tiny import LARGEST, as_stored, turn_wrong, unturned_wrong
from .usual_pixels import in_usual_range

FEW, MOST_LEVELS = 4, 65536
"""So few different elements are no picture, among so many."""
APART = 0.15
"""How far apart mean and deviation of two pictures of the same bytes may be, in parts of the deviation."""
LAST_OF_FOUR = 3
"""The channel in which a picture of four has its alpha."""
GREY = 0.9
WHITE = 0.05
"""Cutting a picture may make its white part larger by this, and no more than twice as large."""
LESS = 0.4
"""Bytes were taken for another format if that comes nearer by this factor."""
NEARLY_ALL = 0.8
"""Sides of which at least this share is there were cut to a multiple of something."""
NEARLY, OFF, FARTHEST = 0.8, 3.0, 0.16
"""A part of at least this share of the shorter side is the middle, but for so many pixels, up to this share.
"""
LONGER, SMALL_PART = 0.25, 0.15
"""The part of a long picture that is missing beside its end, and the most of it that is its middle only."""
TOP_LEFT = "it is only the top left"
STEP = 32
"""Sides are multiples of this in networks that halve pictures five times."""
MISSING = 0.08
"""More than this part of a side is missing where steps were rounded down."""


class Origin(Frozen):
    """How an input came from a file. `wrong` is what is surely a mistake in that, if anything is, and
    `in_part` what is one unless the guest sends other parts as well. `encoding` is the range, if it is a
    usual one, `order` the order of channels, if it is certain. `varied` is the part of `wrong` that a guest
    may do on purpose to a picture that it also sends as it is: turned, without colours, inverted. `lines` are
    the numbers of all lines of the table of which the input is one. `span` is the part of a sound that was
    not misread: from which sample on, to which, after how many zeros. `otherwise` are features of a sound by
    other recipes.
    """

    source: Source
    steps: tuple[str, ...]
    wrong: str = ""
    in_part: str = ""
    encoding: Encoding | None = None
    order: str = ""
    varied: str = ""
    lines: Any = None
    span: tuple[int, int, int] | None = None
    apart: float = 0.0
    """How far elements are from those of the picture on average, in pixels."""
    otherwise: Any = None
    resized: tuple[int, int, int, int] | None = None
    """Width and height of the part of a picture, and those that it got, if both changed."""
    is_bytes: bool = False
    """Whether each element is a byte of the file."""
    is_reversed: bool = False
    """Whether all that is wrong are means and deviations for the other order of channels."""
    part: tuple[int, int, int, int] | None = None
    """The rows and columns of a picture from, to."""
    ranges: tuple[tuple[float, float], ...] = ()
    """The exact scale and shift of each channel, if these are no usual range."""
    lies: tuple[int, int, int, int] | None = None
    """The row and column of the input at which that part begins, and its height and width there; None if it
    was turned."""
    turn: str = ""
    """This is the turn of the picture, if nothing else is wrong, else ""."""
    rate: int = 0
    """The guest brought a sound to this rate of samples; 0: none is known."""
    lines_at: tuple[int, int] | None = None
    """The first one of several lines of a table that are one input, and their number."""

    def __str__(self) -> str:
        return ", ".join([f"{self.source.name} ({self.source.said})", *filter(None, self.steps)])


def traced(array: Any, source: Source, left: Left = always) -> Origin | None:
    """Returns how an input of numbers came from a picture, or None if it didn't."""
    picture = picture_of(array.shape)
    if picture is None or array.dtype.kind not in "fiu" or not source.is_picture:
        return None
    if (read := upper_halves(array.reshape(-1))) is not None:
        whole = traced(read.reshape(array.shape), source, left)
        return changed(whole, wrong=IN_HALVES) if whole and whole.encoding and not whole.wrong else None
    with numpy.errstate(all="ignore"):
        pixels = in_channels(source.array)
        if pixels[..., :3].std() == 0:
            return None
        if max(picture.height, picture.width) <= LARGEST:
            return tiny(array, picture, source)
        found: Origin | None = None
        for reading, other, fit in fits(array, picture, pixels, source, left):
            if found is not None and reading.wrong and reading.wrong not in dict(source.others):
                break  # only other pictures are nearer
            if fit is None:
                continue
            if found is None:
                found = described_as_read(fit, reading, other, source)
                if found is None:
                    continue
                is_done = found.apart <= EXACT and not may_be_swapped(found, source)
                if is_done and (found.wrong or found.encoding is not None):
                    return found
                if not source.others:
                    break
            elif reading.wrong in dict(source.others):
                again = described(fit, reading, other, source)
                if again is not None and is_nearer(again, found):
                    return again
        if found is None or (found.encoding is None and not found.wrong):
            found = level_by_level(array, picture, pixels, source) or found
    return found


def described_as_read(fit: Fit, reading: Reading, other: Any, source: Source) -> Origin | None:
    """As `described`, but None for bytes that got their sign back and are in another range than the file's
    own."""
    found = described(fit, reading, other, source)
    return None if found is not None and reading.is_in_bytes and found.encoding is None else found


def is_nearer(again: Origin, found: Origin) -> bool:
    """Whether an input is nearer to another picture than to one: of few colours all channels fit, but not in
    a usual range."""
    if is_swapped(found) and not is_swapped(again):
        return again.apart < found.apart + EXACT
    if found.encoding is None and again.encoding is not None:
        return again.apart < found.apart + EXACT
    return again.apart < LESS * found.apart


def is_swapped(found: Origin) -> bool:
    """Whether black and white are swapped."""
    return any(step.startswith(SWAPPED) for step in found.steps)


def may_be_swapped(found: Origin, source: Source) -> bool:
    """Whether black and white are swapped, which may be what a misreading of the file leaves."""
    return is_swapped(found) and bool(source.others)


def level_by_level(array: Any, picture: Picture, pixels: Any, source: Source) -> Origin | None:
    """How an input came from the levels of a picture, where arithmetic of bytes went wrong."""
    wrong, how = by_level(first(array, picture), pixels)
    return Origin(source, (how,), wrong) if wrong else None


def tiny(array: Any, picture: Picture, source: Source) -> Origin | None:
    """How an input came from a picture of its own size, too small to be found in another way."""
    own = first(array, picture)
    found = as_stored(own, source, array.dtype.str)
    wrongly = [] if found is not None else [*misreadings(source)]
    # Of bytes that are alike, several misreadings are nearly right.
    for wrong, pixels in sorted(wrongly, key=lambda one: -alikeness(own, one[1])):
        again = as_stored(own, changed(source, array=pixels, top=255, data=b""), array.dtype.str)
        if again is not None and not again.wrong:
            return Origin(source, again.steps, wrong)
    for reading in () if found is not None else unsigned(array, picture):
        again = as_stored(reading.pixels, source, array.dtype.str)
        if again is not None and not again.wrong and are_levels(reading.pixels, source):
            return Origin(source, again.steps, reading.wrong)
    if found is None and as_signed(own, source):
        return Origin(source, (), SAID)
    if found is None:
        return None
    wrong = found.wrong or unturned_wrong(found.turned, source)
    return Origin(source, found.steps, wrong, "", found.encoding, "", found.turn, turn=found.turned)


def are_levels(pixels: Any, source: Source) -> bool:
    """Whether pixels are as bright as those of a picture of bytes, and as different, in whichever order of
    channels: bytes that get their sign back are the file's own."""
    there = source.array[..., :3].astype("f8")
    spread = float(there.std())
    is_near = abs(float(pixels.mean() - there.mean())) <= APART * spread
    return source.top != 255 or (is_near and abs(float(pixels.std()) - spread) <= APART * spread)


def alikeness(own: Any, pixels: Any) -> float:
    """Returns the correlation of elements with pixels of the same size, or 0 for others."""
    return abs(correlation(own.reshape(-1), pixels.reshape(-1))) if own.shape == pixels.shape else 0.0


def unlike(array: Any, source: Source) -> str:
    """Returns the mistake in an input of three channels that doesn't show the picture, or "" if it isn't
    sure."""
    picture = picture_of(array.shape)
    if picture is None or picture.channels != 3 or array.dtype.kind not in "fiu":
        return ""
    levels = len(set(array.reshape(-1)[:: max(1, array.size // MOST_LEVELS)].tolist()))
    there = len(numpy.unique(source.array[..., :3]))
    if levels <= 1:
        return ""  # a warm-up with zeros, which is another rule's
    own = first(array, picture)
    if levels <= FEW and there > 8 * FEW:
        if not is_divided(own, source):
            return ""
        return (
            f"its elements have only {levels} different values, the pixels of {source.name} {there}: "
            "were they divided as whole numbers (pixel / 255 is 0 or 1)?"
        )
    rounded = in_steps(array) if there > 8 * FEW else ""
    if rounded and are_rounded(array.reshape(-1), source.array[..., :3].reshape(-1)):
        return f"{rounded} (the pixels of {source.name} have {there} values)"
    other = first(other_layout(array, picture), picture)
    if any(is_grey(pixels) for pixels in (own, other)):
        return ""  # what is three times the same is no noise, but a picture of thin lines
    if source.array.ndim == 3 and source.array.shape[2] >= 3:
        shown = source.array[..., :3]
        if not is_grey(shown) and smoothness(shown.mean(axis=2)) < NOISE:
            return ""  # coloured grain, which is another if it is made smaller; thin lines are grey
    if all(smoothness(pixels.mean(axis=2)) < NOISE for pixels in (own, other)):
        return (
            f"its elements are no picture, though {source.name} was read: neighbours have nothing in common. "
            "Was the buffer freed, overwritten, or of another type?"
        )
    return ""


def is_grey(pixels: Any) -> bool:
    """Whether the three channels of all pixels go together."""
    return all(
        abs(correlation(pixels[..., 0].reshape(-1), pixels[..., one].reshape(-1))) > GREY for one in (1, 2)
    )


def is_divided(own: Any, source: Source) -> bool:
    """Whether no more elements are larger than the least than there are white pixels, as of pixel / 255. A
    guest may also make a picture of few values, such as of edges: none of these is in a picture without white
    pixels."""
    most = (own > own.min(axis=(0, 1))).mean()
    if not most and is_ground(own, source):
        return False
    white = (source.array[..., :3] >= source.top).mean()
    return bool(most <= white + min(white, WHITE))


def is_ground(own: Any, source: Source) -> bool:
    """Whether an input of one colour is a part of a picture's ground: that colour, as it is or in a usual
    range, is one that the picture has. Of pixel / 255 no colour is left."""
    pixels = source.array[..., : own.shape[2]].reshape(-1, own.shape[2])
    colours = [own[0, 0], *(bytes_of(own[0, 0], one) for one in USUAL if one.fits(own.shape[2]))]
    return any(bool((abs(pixels - one).max(axis=1) < 0.5).any()) and one.max() >= 1 for one in colours)


def bytes_of(colour: Any, encoding: Encoding) -> Any:
    """The pixel that becomes a colour in a usual range."""
    means, deviations = per_channel(encoding, len(colour))
    return colour * numpy.array(deviations) + numpy.array(means)


def ranged(match: Match, elements: Any, top: int, coloured: bool) -> tuple[tuple[int, ...], Range, bool]:
    """Returns the colour of each channel, the range of all, and whether the colours are certain."""
    lines = [match.table.get(channel) for channel in range(elements.shape[2])]
    order, found, certain = chosen(lines, top)
    if found.wrong.endswith(IN_ALL) and not coloured:
        found = Range(found.said)  # grey pixels, normalised once, are in all channels
    if found.encoding is not None or found.wrong:
        return order, centred(found, elements), certain
    return in_usual_range(elements, match.made) or (order, found, certain)


def is_odd(found: Range) -> bool:
    """Whether a range is neither a usual one nor a known mistake."""
    return found.encoding is None and not found.wrong


def described(fit: Fit, reading: Reading, pixels: Any, source: Source) -> Origin | None:
    """Returns the steps of a fit as words, after refining the interpolation and finding the range, or None
    for bytes that were misread and don't fit nearly, or only in part: a picture read as planes shows itself
    nine times, and two mistakes at once fit nearly anything."""
    elements = reading.pixels
    match = matched(fit, elements, pixels)
    known, geometry = sorted(match.table), match.geometry
    coloured = is_coloured(source.array)
    order, found, certain = ranged(match, elements, source.white, coloured)
    curve = bent(match, elements, order) if match.apart > EXACT else ""
    complete = len(known) == elements.shape[2] and certain
    steps = steps_said(match, order_said(order, source.array.shape[2]), reading, found)
    shift, first = places_wrong(match, elements, order, reading.planar)
    first = first or one_value(elements, order, match.table, source)
    if reading.wrong and match.apart > (EXACT if OTHER in first or is_odd(found) else NEAR):
        return None
    lines = [match.table[channel][order[channel]] for channel in known]
    if match.apart > EXACT and (
        (is_odd(found) and are_unlike(lines)) or is_moved(elements, pixels, geometry.turned)
    ):
        return None
    turn, inverted = turned_or_inverted(found, elements, geometry, source)
    is_sure = complete and not shift and not is_vague(order, match, found)
    other_order = order_wrong(order, coloured) * is_sure
    mistakes = (
        reading.wrong,
        turn or unturned_wrong(geometry.turned, source),
        inverted,
        curve or found.wrong,
        shift or other_order,
        first,
        steps_wrong(geometry, source),
    )
    wrong = "; ".join(filter(None, mistakes))
    meant = curve * (GAMMA_SAID in curve), other_order, first * lacks_one(elements)
    varied = reading.wrong * reading.is_turned, turn, inverted, *meant
    return Origin(
        source,
        steps,
        wrong,
        "" if wrong else part_wrong(geometry, source),
        found.encoding if not found.is_reversed else None,
        order_said(order, 3) if complete and coloured and source.is_ordered else "",
        "; ".join(filter(None, varied)),
        apart=match.apart,
        is_reversed=found.is_reversed and wrong == found.wrong,
        resized=sides_of(geometry),
        ranges=() if wrong or found.encoding or not complete else exact_lines(match, lines),
        part=None if reading.is_turned else geometry.part,
        lies=None if geometry.turned or reading.is_turned else (*geometry.place, *geometry.size),
        turn=geometry.turned if turn and wrong == turn else "",
    )


def steps_said(match: Match, order: str, reading: Reading, found: Range) -> tuple[str, ...]:
    """Returns the steps from a picture to elements, in words, with "" for steps that were left out."""
    layout = "CHW" if reading.planar else "HWC"
    has_layout = reading.pixels.shape[2] > 1
    return match.geometry.said, interpolation_said(match), order, layout * has_layout, found.said


def is_vague(order: tuple[int, ...], match: Match, found: Range) -> bool:
    """Whether it isn't sure which colours the channels are: all of them, or one, seem to be brightness, but
    in no usual range. Other colours, too, lie near some line over luma, and nearly along one over grey."""
    has_grey = match.apart > EXACT and max(order) == GREY_CHANNEL
    return (order in LUMAS or has_grey) and found.encoding is None


def turned_or_inverted(found: Range, elements: Any, geometry: Geometry, source: Source) -> tuple[str, str]:
    """Returns what is wrong with the turn of a picture, and with its colours if they are inverted, or "" for
    each. A model may want grey ink inverted. Nobody turns a picture and inverts it, too: that is how a shade
    looks that goes on evenly."""
    if not found.said.startswith(SWAPPED) or elements.shape[2] < 3:
        return turn_wrong(geometry.turned, source), ""
    is_wrong = is_coloured(source.array) and not geometry.turned
    return "", "colours are inverted (255 - pixel)" * is_wrong


def interpolation_said(match: Match) -> str:
    """How elements were made of the picture's pixels, in words, or "" if they are some of these."""
    if match.apart > NEAR:
        return "interpolated in another way" if match.name else "changed"
    return f"nearly {match.name}" if match.name and match.apart > EXACT else match.name


def exact_lines(match: Match, lines: Sequence[tuple[float, float, float]]) -> tuple[tuple[float, float], ...]:
    """The scale and shift of each channel, if the elements lie on these lines; else ()."""
    return tuple((scale, shift) for scale, shift, _ in lines) if match.apart <= EXACT else ()


def are_unlike(lines: Sequence[tuple[float, float, float]]) -> bool:
    """Whether some channels come from colours and others from their inverse, as where they come from
    neither."""
    return len({scale > 0 for scale, _, _ in lines}) > 1


def places_wrong(match: Match, elements: Any, order: tuple[int, ...], planar: bool) -> tuple[str, str]:
    """Returns how elements have moved, and the first one that isn't the picture's, or "" for each that is
    right."""
    if match.apart > NEAR and not set(order) <= {0, 1, 2}:
        return "", ""
    lines = {channel: match.table[channel][order[channel]] for channel in sorted(match.table)}
    first = stops(elements, match.made, order, lines, planar)
    return (
        moved(elements, match.made, order, lines, planar),
        first or rows_left(elements, match.made, order, lines),
    )


def sides_of(geometry: Geometry) -> tuple[int, int, int, int] | None:
    """Returns width and height of a part before and after it was resized, or None if it wasn't."""
    top, left, bottom, right = geometry.part
    (high, wide) = geometry.size
    return (right - left, bottom - top, wide, high) if geometry.resizes else None


def one_value(elements: Any, order: tuple[int, ...], known: Container[int], source: Source) -> str:
    """A channel that has one value only, beside others that are colours: often alpha."""
    channels = elements.shape[2]
    empty = [
        channel for channel in range(channels) if channel not in known and not elements[..., channel].std()
    ]
    if channels < 3 or len(empty) != 1 or empty[0] == LAST_OF_FOUR:
        return ""
    rest = "colours"
    if source.is_ordered:
        rest = order_said([order[channel] for channel in range(channels) if channel != empty[0]], 3)
    value = float(elements[0, 0, empty[0]])
    return f"channel {empty[0]} is all {value:.4g}, and the others are {rest}: was alpha taken for a colour?"


def lacks_one(elements: Any) -> bool:
    """Whether one of several channels has one value."""
    return elements.shape[2] > 1 and int((elements.std(axis=(0, 1)) == 0).sum()) == 1


def bent(match: Match, elements: Any, order: tuple[int, ...]) -> str:
    """How the elements of all channels come from pixels, if that isn't along straight lines."""
    found = {
        bend(elements[..., channel].reshape(-1), match.made[..., order[channel]].reshape(-1))
        for channel in match.table
    }
    return found.pop() if len(found) == 1 else ""


def steps_wrong(geometry: Geometry, source: Source) -> str:
    """Whether pixels were taken in whole steps, rounded down, so that right and lower ends are missing."""
    top, left, *ends = geometry.part
    if top or left or any(geometry.place) or geometry.turned:
        return ""
    old, new = source.array.shape[:2], geometry.size
    steps = [most // count for most, count in zip(old, new, strict=True)]
    taken = [step * count for step, count in zip(steps, new, strict=True)]
    near = all(abs(end - own) <= step for end, own, step in zip(ends, taken, steps, strict=True))
    missing = max(1 - own / most for own, most in zip(taken, old, strict=True))
    if not near or min(steps) < 1 or max(steps) < 2 or missing < MISSING:
        return ""
    wanted = " and ".join(f"{most / count:.2f}" for most, count in zip(old, new, strict=True))
    return (
        f"it is only the top left {taken[1]} x {taken[0]} of {old[1]} x {old[0]} pixels: the steps between "
        f"rows and columns were rounded down ({steps[0]} and {steps[1]} for {wanted})"
    )


def off_the_middle(geometry: Geometry, height: int, width: int) -> str:
    """Returns what is wrong with a part, nearly as large as the shorter side, that is nearly the middle, or
    "" if nothing is. A part may be chosen: that the middle was meant says one direction, in which it is in
    the middle and needn't be, or that it is as far off in both."""
    top, left, bottom, right = geometry.part
    side, tall, wide = min(height, width), bottom - top, right - left
    if not NEARLY * side <= min(tall, wide) <= max(tall, wide) <= side or any(geometry.place):
        return ""
    across, down = left - (width - wide) / 2, top - (height - tall) / 2
    least = max(OFF, OFF * wide / geometry.size[1])
    if max(abs(across), abs(down)) < least or max(abs(across), abs(down)) > FARTHEST * side:
        return ""
    is_free = min(width - wide, height - tall) >= 2 * least
    if not is_free or not (min(abs(across), abs(down)) <= 1 or abs(across - down) <= 1):
        return ""
    sides = [
        f"{abs(by):.0f} pixels too far {where[by > 0]}"
        for by, where in ((across, ("left", "right")), (down, ("up", "down")))
        if abs(by) >= least
    ]
    return (
        f"the part of {wide} x {tall} pixels is not the middle of {width} x {height}: {' and '.join(sides)}"
    )


def not_the_middle(geometry: Geometry, height: int, width: int) -> str:
    """Returns what is wrong with the left or upper end of a long picture, as high or as wide as it is, and
    with the middle of a picture that is much larger, or "" if nothing is."""
    top, left, bottom, right = geometry.part
    tall, wide, whole = bottom - top, right - left, f"{width} x {height} pixels"
    if any(geometry.place) or geometry.turned:
        return ""
    if geometry.resizes and not top + left and tall != wide * height / width:
        where, rest = ("left", 1 - wide / width) if tall == height else ("upper", 1 - tall / height)
        squeezed = tall * geometry.size[1] / (wide * geometry.size[0])
        in_shape = abs(squeezed - 1) <= max(1 / tall, 1 / wide, 1 / min(geometry.size))
        if (tall == height or wide == width) and rest >= LONGER and in_shape:
            return (
                f"it is only the {where} {wide} x {tall} of {whole}, in the input's shape: the middle is "
                "usual, or the whole"
            )
    is_middle = abs(2 * top + tall - height) <= 2 and abs(2 * left + wide - width) <= 2
    if not geometry.resizes and is_middle and tall * wide <= SMALL_PART * height * width:
        return f"it is only the middle {wide} x {tall} of {whole}: the picture was not resized"
    return ""


def part_wrong(geometry: Geometry, source: Source) -> str:
    """Whether only the top left of a larger picture is there, which nobody means of the only input."""
    top, left, bottom, right = geometry.part
    height, width = source.array.shape[:2]
    if off := off_the_middle(geometry, height, width) or not_the_middle(geometry, height, width):
        return off
    if top + left or geometry.resizes or min(bottom / height, right / width) >= NEARLY_ALL:
        return ""
    if right != bottom and (right, bottom) == (width // STEP * STEP, height // STEP * STEP):
        return ""  # models of any size want such sides
    whole = f"{width} x {height} pixels"
    return f"{TOP_LEFT} {right} x {bottom} of {whole}: the picture was not resized"
