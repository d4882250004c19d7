"""Rules about the elements of a tensor: layout, range, zeros, the bytes of another type.

Each is a pure function of facts that returns a sentence, or None. A wrong hint is worse than a missing one,
so every rule needs more than one sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays import numpy
from ...nn.tensor import DType
from ..facts import OF_SHARES, Answer, Compute, Input, Picture
from .foreign import filling
from .numbers import of_another_type

FLOATS = frozenset({DType.F16.value, DType.F32.value, DType.F64.value, DType.BF16.value})
FEW = 48
"""Tensors with fewer elements are examples rather than pictures."""
MANY_SAMPLES = 64
"""Fewer elements are no sound."""
WINDOW = 1 << 14
"""The number of elements, from the middle of a picture, that decide about its layout."""
TABLE, MOST_OF_A_LINE, MANY_GAPS = 2, 256, 3
"""Dimensions of a table, and elements of a line of it at most; of all one in so many may be missing."""
CLEARLY = 0.75
"""One mean difference is clearly smaller than another if it is below this part of it."""


def is_float(given: Input) -> bool:
    return given.tensor.dtype in FLOATS


def has_numbers(given: Input) -> bool:
    tensor = given.tensor
    return tensor.minimum is not None and tensor.maximum is not None and tensor.std is not None


def not_a_number(given: Input) -> str | None:
    """NaN among the elements. Infinities may be intended, for example in additive masks."""
    if given.values is None or not given.tensor.not_finite or may_be_gaps(given):
        return None
    count = int(numpy.isnan(given.values).sum())
    return f"{given}: {count} of {given.tensor.elements} elements are NaN" if count else None


def may_be_gaps(given: Input) -> bool:
    """Whether few elements of lines of a table are no numbers: a model may know what to put for those that
    are missing."""
    tensor = given.tensor
    line = tensor.shape[-1] if len(tensor.shape) == TABLE else tensor.elements
    return line <= MOST_OF_A_LINE and 0 < MANY_GAPS * (tensor.not_finite or 0) <= tensor.elements


def unknown_gaps(answer: Answer) -> str | None:
    """Missing numbers that the model doesn't know: its answer is none either."""
    if not answer.tensor.not_finite:
        return None
    for given in answer.inputs:
        if may_be_gaps(given):
            count, of = given.tensor.not_finite, given.tensor.elements
            return f"{given}: {count} of {of} elements are no numbers (NaN), and neither is the answer"
    return None


def other_type(given: Input) -> str | None:
    """Elements that make sense only as bits of another type."""
    tensor, values = given.tensor, given.values
    if values is None or not has_numbers(given) or tensor.elements < 4:
        return of_another_type(given)
    low, high = tensor.minimum or 0.0, tensor.maximum or 0.0
    is_float = tensor.dtype in (DType.F32.value, DType.F64.value)
    if is_float and 0 < max(-low, high) < DENORMAL and filling(values) is None:
        return f"{given}: as {tensor.dtype} all elements are almost 0; the bytes look like integers"
    if tensor.dtype == DType.F32.value and looks_like_doubles(values):
        return f"{given}: the bytes that were sent as f32 look like f64 (double): each is two of its elements"
    if tensor.dtype == DType.F32.value and looks_turned(values):
        return (
            f"{given}: elements are beyond all usual numbers; with the 4 bytes of each in the opposite order "
            "they are usual ones: are they big-endian (to_be_bytes, htonl)?"
        )
    if tensor.dtype == DType.I32.value and looks_like_floats(values):
        return f"{given}: the bytes that were sent as i32 look like f32"
    if tensor.dtype in (DType.I32.value, DType.I64.value) and looks_like_text(values):
        return (
            f"{given}: the bytes of a text were sent as {tensor.dtype}: is each to be an element of its own?"
        )
    return None


DENORMAL = 1e-20
"""An upper bound of small integers, and of several small bytes, whose bits are read as a float."""
TWICE = 1 / 255**2 / 2
"""Pixels that were divided by 255 twice have a maximum above this, or are all black."""
SMALL_FLOAT, LARGE_FLOAT = 0x33000000, 0x4B000000
"""The bits of f32 3e-8 and 8 million."""


def looks_like_doubles(values: Any) -> bool:
    """Whether few elements make sense as doubles only: as f32 some are far too large or too small."""
    if not 4 <= len(values) < FEW or (values.view("<u4") == NAN).any():
        return False
    if not values[0::2].any() and values.any():
        from ..changes.rereadings import halves_of_doubles  # slow to import, and few inputs need it

        return halves_of_doubles(values)
    sizes = abs(values[: len(values) // 2 * 2].copy().view("<f8"))
    halves = values[::2][values[::2] != 0].astype("f8")
    usual = (sizes == 0) | ((sizes > DOUBLES[0]) & (sizes < DOUBLES[1]))
    with numpy.errstate(all="ignore"):
        wild = ~(abs(halves) < WILD[1]) | ((halves < 0) & (halves > -WILD[0]))  # not a probability
    return bool(usual.all() and (sizes > 0).sum() >= 2 and len(halves) >= 2 and wild.mean() > 0.25)


def whole_shares(given: Input) -> str | None:
    """Counts in place of the shares that the input's name asks for."""
    values = given.values
    if values is None or values.dtype.kind != "f" or len(values) < 4 or not OF_SHARES.search(given.spec.name):
        return None
    if values.min() < 0 or not 1 < values.max() <= MOST_COUNTED:
        return None
    if (values != values.round()).any():
        return beyond_a_whole(given, float(values.max()))
    return (
        f"{given}: all elements are whole numbers, {values.sum():g} together, and the input's name asks for "
        "parts of a whole: are they to be divided by their sum?"
    )


def beyond_a_whole(given: Input, largest: float) -> str | None:
    """Percents in place of shares."""
    if largest < MOST_SHARE:
        return None
    return (
        f"{given}: elements come up to {largest:.4g}, and the input's name asks for parts of a whole, which "
        "are at most 1: are they percents?"
    )


MOST_SHARE = 1.5
MOST_COUNTED = 1000
"""Larger numbers may be percents and thousandths."""


def looks_turned(values: Any) -> bool:
    """Whether few elements make sense with their bytes in the opposite order only."""
    known = values[values != 0]
    if not 4 <= len(known) <= FEW:
        return False
    with numpy.errstate(all="ignore"):
        own, turned = abs(known.astype("f8")), abs(known.byteswap().astype("f8"))
        wild = ~((own > WILD[0]) & (own < WILD[1]))
        return bool(wild.mean() >= 0.5 and ((turned > USUAL[0]) & (turned < USUAL[1])).all())


USUAL = 1e-6, 1e6
"""Numbers of tables."""
NAN = 0x7FC00000
"""The bits of the f32 that means a missing number; half of a double hardly ever has them."""
DOUBLES = 1e-6, 1e8
WILD = 1e-12, 1e12
"""Numbers of few elements are within these, and hardly ever beyond those."""


def looks_like_floats(values: Any) -> bool:
    bits = values[values != 0].view("<u4") & 0x7FFFFFFF
    return len(bits) >= 4 and bool(((bits > SMALL_FLOAT) & (bits < LARGE_FLOAT)).all())


def looks_like_text(values: Any) -> bool:
    """Whether the elements that aren't 0 are characters of ASCII, nearly all with one in each byte."""
    used = values[values != 0]
    characters = used.view("u1")
    printable = ((characters >= 0x20) & (characters < 0x7F)) | numpy.isin(characters, (9, 10, 13))
    others = (characters != 0) & ~printable
    return len(used) >= 4 and float(printable.mean()) > 0.8 and float(others.mean()) < 0.05


def layout(given: Input) -> str | None:
    """Elements in another layout (channel after channel, or pixel after pixel) than that of the shape."""
    picture, values = given.picture, given.values
    if picture is None or values is None or picture.channels == 1 or given.tensor.not_finite:
        return None
    spans = lags(values, picture)
    if spans is None:
        return None
    if picture.planar and spans.interleaved:
        return f"{given}: the shape says NCHW, the elements lie as in NHWC, pixel after pixel"
    if not picture.planar and spans.planar:
        return f"{given}: the shape says NHWC, the elements lie as in NCHW, channel after channel"
    return None


class Lags:
    """Mean differences between elements at the distances that are neighbours in either layout."""

    def __init__(self, window: Any, channels: int, width: int) -> None:
        def apart(distance: int) -> float:
            return float(abs(window[distance:] - window[:-distance]).mean())

        steps = abs(numpy.diff(window))
        phases = [float(steps[phase::channels].mean()) for phase in range(channels)]
        self.even = max(phases) < 1.25 * min(phases)
        """Whether steps between adjacent elements are about equal, whatever the channel."""
        self.grey = min(phases) < 0.25 * max(phases)
        self.next, self.pixel = apart(1), apart(channels)
        self.row, self.rows = apart(width), apart(channels * width)
        self.spread = float(window.std())

    @property
    def interleaved(self) -> bool:
        """Whether pixels are neighbours at the distances of NHWC, across and down."""
        across = (self.pixel < CLEARLY * self.next and self.pixel < 0.6 * self.spread) or self.grey
        return across and self.rows < CLEARLY * self.row and self.rows < 0.8 * self.spread

    @property
    def planar(self) -> bool:
        across = self.even and self.next < CLEARLY * self.pixel and self.next < 0.6 * self.spread
        return across and self.row < CLEARLY * self.rows and self.row < 0.8 * self.spread


def lags(values: Any, picture: Picture) -> Lags | None:
    """Returns differences in the middle of the first picture, or None if it is too small, constant or
    periodic."""
    size = picture.channels * picture.height * picture.width
    start = max(0, size - WINDOW) // 2 // picture.channels * picture.channels
    window = values[start : min(size, start + WINDOW)].astype("f4")
    if len(window) < 4 * picture.channels * picture.width or float(window.min()) == float(window.max()):
        return None
    if is_periodic(window, picture.width):
        return None
    return Lags(window, picture.channels, picture.width)


PERIODS = 512
"""Patterns that repeat within so many elements are examples rather than pictures."""


def is_periodic(window: Any, width: int) -> bool:
    """Whether elements repeat with a period that is no multiple of the row width."""
    head = window[: 8 * PERIODS]
    candidates = numpy.flatnonzero(head[2:PERIODS] == head[0]) + 2
    return any(
        period % width and numpy.array_equal(head[period:], head[:-period]) for period in candidates.tolist()
    )


def raw_pixels(given: Input) -> bool:
    """Whether the elements look like the bytes of a picture, converted to floats without scaling. A resized
    picture has fractions, so whole numbers are not required.
    """
    tensor, picture = given.tensor, given.picture
    if not (is_float(given) and has_numbers(given) and tensor.elements >= FEW) or given.ramp:
        return False
    low, high = tensor.minimum or 0.0, tensor.maximum or 0.0
    if tensor.whole:
        return low >= 0 and WHITE < high <= 65535
    return picture is not None and picture.channels == 3 and low >= 0 and DARK < high <= 256


WHITE = 5
"""Normalised pixels go up to 1, or to about 3 standard deviations."""
DARK = 100
"""The maximum of unscaled pictures is above this."""


def is_ramp(values: Any) -> bool:
    """Whether elements go up or down in equal steps: an example, not a picture."""
    if values is None or len(values) < 2:
        return False
    steps = numpy.diff(values[:WINDOW].astype("f8"))
    return float(steps.min()) == float(steps.max())


def apart(values: Any, distance: int) -> float:
    """The mean difference between elements at a distance."""
    flat = values.astype("f4")
    return float(abs(flat[distance:] - flat[:-distance]).mean())


def is_flat_picture(values: Any, apart: Callable[[Any, int], float] = apart) -> bool:
    """Whether a flat tensor is a square picture row by row, of one channel or three: elements are like those
    one row below, and less like those half a row further. Counts, words and sensors aren't.
    """
    if values is None or len(values) < FEW:
        return False
    for channels in (1, 3):
        side = round((len(values) / channels) ** 0.5)
        if side * side * channels != len(values) or side < SMALLEST_SIDE:
            continue
        row, half = side * channels, side // 2 * channels
        if apart(values, row) < CLEARLY * apart(values, row + half):
            return True
    return False


SMALLEST_SIDE = 8


def scaled(answer: Answer) -> str | None:
    """Pictures that weren't normalised. Many models want them so: only an answer that is surer than those of
    such models supports the suspicion."""
    for given in answer.inputs:
        if given.scaled_inside or not raw_pixels(given):
            continue
        if not saturated(answer) or (given.picture is None and not given.flat_picture):
            continue
        kind = "whole numbers" if given.tensor.whole else "numbers"
        return (
            f"{given}: {kind} from {given.tensor.minimum:.0f} to {given.tensor.maximum:.0f}, and "
            f"the answer is all {answer.tensor.top[0][0]}; pixels are usually normalised, to 0..1, to -1..1, "
            "or by mean and std"
        )
    return None


def is_choice(answer: Answer) -> bool:
    """Whether an output is one number for each of several classes, and not for each of several inputs."""
    shape = answer.tensor.shape
    lengths = [length for length in shape if length != 1]
    is_row = len(lengths) == 1 and (len(shape) == 1 or shape[0] == 1)
    return is_row and answer.tensor.dtype in FLOATS and len(answer.tensor.top) >= 2


def is_probability(answer: Answer) -> bool:
    """Whether the elements of an output are probabilities that add up to 1."""
    tensor = answer.tensor
    if not is_choice(answer) or tensor.mean is None or (tensor.minimum or 0) < 0:
        return False
    return abs(tensor.mean * tensor.elements - 1) < 0.02


NOTHING = 1e-13
"""The probability of a class whose logit is 30 below the best. A model that knows what it sees is sure, but
not so sure."""


def saturated(answer: Answer) -> bool:
    """Whether one class has all the weight."""
    if not is_choice(answer) or answer.tensor.not_finite:
        return False
    (_, best), (_, second), *_ = answer.tensor.top
    return second < NOTHING if is_probability(answer) else best - second > 30


def scaled_twice(given: Input) -> str | None:
    """Pixels that were normalised twice."""
    tensor, picture = given.tensor, given.picture
    if picture is None or not has_numbers(given) or tensor.elements < FEW or not tensor.std:
        return None
    high, low = tensor.maximum or 0.0, tensor.minimum or 0.0
    if low < 0 or given.ramp:
        return None
    if is_float(given) and TWICE < high <= 1 / 254:
        return f"{given}: nothing is above {high:.2g}; were the pixels divided by 255 twice?"
    if tensor.dtype == DType.U8.value and high <= 1 and picture.channels == 3:
        return f"{given}: all elements are 0 or 1, but pixels of u8 go to 255; were they normalised first?"
    return None


def zeros(compute: Compute, loud: Callable[[int], str] = lambda _: "") -> str | None:
    """A zero picture, or zeros in all inputs, or in all but single numbers beside a sound. Other inputs, such
    as states and masks, may be zero. `loud` names a sound that the guest read, if its first so many samples
    are no silence."""
    empty = [given for given in compute.inputs if is_zero(given)]
    if not empty:
        return None
    count = empty[0].tensor.elements
    is_all = len(empty) == len(compute.inputs) or (
        all(given.tensor.elements == 1 for given in compute.inputs if not is_zero(given))
        and count >= MANY_SAMPLES
        and bool(loud(count))
    )
    if is_all or (empty[0].picture is not None and empty[0].picture.channels > 1):
        whole = ""
        if empty[0].appended:
            return (
                f"{empty[0]}: all {count} elements are 0, and {count} numbers that make sense lie right "
                f"behind them in memory: was the vector made with {count} zeros, and the numbers appended to "
                "these (push_back, insert), in place of room for them (reserve)?"
            )
        if is_float(empty[0]) and empty[0].picture is not None:
            whole = ", and were its pixels divided as whole numbers (pixel / 255 is 0)"
        elif is_float(empty[0]) and count >= MANY_SAMPLES and (sound := loud(count)):
            whole = f", and were the samples of {sound} divided as whole numbers (sample / 32768 is 0)"
        elif is_float(empty[0]):
            whole = ", and not freed or out of scope (data() of a local vector), with zeros there since"
        return f"{empty[0]}: all {count} elements are 0; was the buffer filled before set_input{whole}?"
    return None


def is_zero(given: Input) -> bool:
    tensor = given.tensor
    return tensor.elements > 1 and tensor.minimum == 0 and tensor.maximum == 0 and not tensor.not_finite


def swapped(compute: Compute) -> str | None:
    """Two inputs of equal shape and type: one is a mask by its name, the other by its values."""
    for mask in compute.inputs:
        for other in compute.inputs:
            alike = (mask.tensor.shape, mask.tensor.dtype) == (other.tensor.shape, other.tensor.dtype)
            masks = is_mask_by_name(mask) and not is_mask_by_name(other)
            if alike and masks and is_binary(other) and has_numbers(mask) and not is_binary(mask):
                return f"{mask} has many values and {other} only 0 and 1: are they swapped?"
    return None


ENDS = (("min", "max"), ("low", "high"), ("lower", "upper"), ("start", "end"), ("begin", "end"))
"""Words in the names of inputs that are the two ends of a range."""


def crossed(compute: Compute) -> str | None:
    """Two numbers that are the ends of a range by their names, the lower one larger than the upper."""
    numbers = {given.spec.name.lower(): given for given in compute.inputs if given.tensor.elements == 1}
    for name, given in numbers.items():
        for low, high in ENDS:
            other = numbers.get(name.replace(low, high)) if low in name else None
            if other is None or given.tensor.minimum is None or other.tensor.minimum is None:
                continue
            if given.tensor.minimum > other.tensor.minimum:
                values = f"{given.tensor.minimum:g} and {other.tensor.minimum:g}"
                return f"{given} is larger than {other} ({values}): are they swapped?"
    return None


def is_mask_by_name(given: Input) -> bool:
    name = given.spec.name.lower()
    return any(word in name for word in ("mask", "segment", "type_ids"))


def is_binary(given: Input) -> bool:
    tensor = given.tensor
    return tensor.whole and tensor.minimum in (0, 1) and tensor.maximum == 1 and not tensor.not_finite
