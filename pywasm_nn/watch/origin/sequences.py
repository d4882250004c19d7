"""Works out how a tensor came from a sound.

What is here: `heard`. What is not: pictures (`matching.py`), and sounds that were filtered or turned into
spectra, of which nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left, always
from .bits import READ_AS, as_other_bits, is_centred, is_power
from .decoding import Source
from .fixed_header import HEADER, from_byte_44
from .locating import correlation
from .matching import Origin
from .straight import line_through
from .strided import Strided, strided
from .turned import turned
from .turns import turns_at
from .unlabelled import AS_PLAIN, EACH_BYTE, of_each_byte
from .waves import LAWS, expanded

FEWEST = 64
"""Shorter inputs are found anywhere by chance."""
LIKE = 0.98
"""The correlation of the same samples."""
SURELY = 0.995
"""The correlation of samples that were misread, which are compared with more possibilities."""
CERTAINLY = 0.999
"""The correlation of samples at another rate that were misread: any tone is like another."""
EXACT = 0.9999
"""The correlation of the very elements."""
CLEARER = 1e-7
"""Another reading fits better if it correlates by so much more."""
MOST = 1 << 21
"""So many samples of a file are searched."""
RANGES = {1.0: "from -1 to 1", 32768.0: "as i16 from -32768 to 32767"}
FADED = 0.02
"""The last part of a sound, in which it may fade away to nothing."""
ENDS = "it is not the sound: zeros, though the file goes on"
UNDIVIDED = "samples were not divided by 32768"
MISTAKEN = {
    1 / 32768.0: "samples were divided by 32768 twice",
    1 / 32768.0**2: "samples were divided by 32768 three times",
    1 / 255.0: "samples were divided by 255 too many times",
    32768.0 / 255: "samples were divided by 255, and not by 32768",
    32768.0 / 256: "samples were divided by 256, and not by 32768",
    32768.0 / 128: "samples were divided by 128, and not by 32768",
    128.0 / 32768: "samples of 8 bits were divided by 32768",
    32768.0**2: "samples were multiplied by 32768 twice",
}
"""What nobody means, by the scale."""
BY_WIDTH = {
    2: {1 / 256: "samples of 16 bits were divided by 8388608, the range of 24 bits, and not by 32768"},
    3: {
        2.0**23: "samples of 24 bits were not divided by 8388608",
        2.0**31: "samples of 24 bits were made 32 bits, and not divided by 2147483648",
        256.0: "samples of 24 bits were divided by 32768, and not by 8388608",
    },
    4: {
        2.0**31: "samples of 32 bits were not divided by 2147483648",
        2.0**16: "samples of 32 bits were divided by 32768, and not by 2147483648",
        256.0: "samples of 32 bits were divided by 8388608, the range of 24 bits, and not by 2147483648",
    },
}
"""What nobody means either, by the bytes of a sample that is a whole number, and the scale."""
UNDIVIDED_WIDE = (BY_WIDTH[3][2.0**23], BY_WIDTH[3][2.0**31], BY_WIDTH[4][2.0**31])
"""What is right of an input of whole numbers."""
ROUNDED = 0.01
"""Scales differ by less than this part from a usual one."""
USUAL_SHIFT = 0.02
DIFFERENT = 32
"""Fewer values are like those of any sound that hardly moves, read wrongly."""
BYTES, MANY = 256, 4
"""Samples of one byte have so many levels at most; those of two have so many times as many."""
SILENCE = "silence is 128 in samples of 8 bits, and that was not taken away"
IN_THE_MIDDLE = "silence is in the middle of the range and not 0: signed samples were taken as unsigned"
CODES = frozenset(AS_PLAIN.format(law) for law in LAWS.values())
"""Readings that are no mistake where elements are whole numbers: a model may know the bytes themselves
(WaveNet)."""
RAN_OVER = "channels were added in 16 bits, and ran over: sums above 32767 begin again at -32768"
HALVES = (
    "the two halves of the file were added, as if one channel came after the other: samples of two channels "
    "lie in turns"
)
IN_TURNS = "the samples of {} channels lie in turns, as if they were one"
INVERTED = (
    "samples at {:,} Hz were resampled by the inverse of the rate: to {:,} Hz they would be {:,.0f} Hz now"
)
BY_BYTES = (
    "samples at {:,} Hz were resampled as if there were {:,} a second, which are its bytes: they have "
    "{:,.0f} Hz now, not {:,} (is the rate read from another field of the header?)"
)
RATES = 16000, 22050, 8000, 24000, 44100, 48000, 32000
"""Rates that models take, the most usual first."""
LOWEST, TOO_LOW = 4000, 6000
"""Sounds at a lower rate are none, and none are resampled to one below the other."""
SHORTEST, MANY_SAMPLES, MOST_RESAMPLED = 512, 4096, 1 << 15
"""The fewest samples that are looked for at another rate, at the sound's beginning and anywhere, and the most
that are compared."""
INEXACT = 1e-6
"""Samples at another rate that are off by more than this may be others: two channels in turns are like one at
twice the rate."""
HIGH = 44100
"""Sounds are recorded at this rate and above, and resampled for nearly all models."""


class Sounding(Frozen):
    """Samples that an input may be made of, as f64, with the mistake that was made if it is."""

    said: str
    wrong: str
    samples: Any
    end: int | None = None
    """From this one on they are samples of another reading: parts must begin before."""


class Found(Frozen):
    """Where elements lie in samples in some reading, and how like."""

    like: float
    reading: Sounding
    at: int
    scale: float
    shift: float

    def is_better(self, other: Found | None) -> bool:
        """Whether this fits better. A mistaken reading of the very elements is better than a right one of
        which they are an odd multiple."""
        if other is None:
            return True
        if self.reading.wrong and not other.reading.wrong:
            same = is_plain(self.scale, self.shift) and self.like > EXACT
            return same and (self.like > other.like + CLEARER or not is_plain(other.scale, other.shift))
        return self.like > other.like + CLEARER


def is_plain(scale: float, shift: float) -> bool:
    """Whether samples were neither scaled nor moved."""
    return abs(scale - 1) < ROUNDED and abs(shift) < USUAL_SHIFT


def is_settled(best: Found | None) -> bool:
    """Whether no other reading is tried: the samples are found, in a usual range. Those that were moved to
    one end of it may have lost their sign."""
    if best is None or best.reading.wrong or abs(abs(best.shift / best.scale) - 1) < ROUNDED:
        return False
    return any(abs(best.scale / known - 1) < ROUNDED for known in RANGES)


def heard(array: Any, source: Source, left: Left = always) -> Origin | None:
    """Returns how an input of numbers came from a sound, or None if it didn't."""
    if source.is_picture or source.array.dtype.kind != "f" or array.dtype.kind not in "fiu":
        return None
    with numpy.errstate(all="ignore"):
        for type_wrong, numbers in typed(array):
            found = found_in(numbers, source, type_wrong, left)
            if not type_wrong and (found is None or found.wrong):
                exactly = strided(numbers, source)
                found = found if exactly is None else every_nth(exactly, source)
                if exactly is None and (wrong := from_byte_44(numbers, source)):
                    return Origin(source, (f"from byte {HEADER} on",), wrong)
            if found is not None and array.dtype.kind != "f" and found.wrong in UNDIVIDED_WIDE:
                found = changed(found, wrong="")  # whole numbers are not divided
            if found is not None or not left():
                return found
        if array.size > max(array.shape):
            return None if source.rate or source.array.ndim > 1 else in_columns_of(array, source, left)
        flat = array.reshape(-1).astype("f8")
        return again_and_again(flat, source, left) or at_another_rate(flat, source, left)


def in_columns_of(array: Any, source: Source, left: Left) -> Origin | None:
    """How a frame of a file without a header was read column by column."""
    wrong, flat = turned(array)
    found = found_in(flat, source, "", left) if wrong and left() else None
    return None if found is None or found.wrong else changed(found, wrong=wrong, span=None)


def again_and_again(flat: Any, source: Source, left: Left) -> Origin | None:
    """How elements come from a sound that was played again and again until they were full."""
    count = len(source.array)
    if not FEWEST <= count < flat.size or not numpy.allclose(flat[count:], flat[:-count], rtol=1e-5):
        return None
    found = found_in(flat[:count], source, "", left)
    return None if found is None else changed(found, steps=(*found.steps, "again and again"), span=None)


def at_another_rate(flat: Any, source: Source, left: Left) -> Origin | None:
    """How elements come from a sound at another rate, by straight lines between its samples."""
    filled = flat.nonzero()[0]
    if source.rate < LOWEST or len(filled) < SHORTEST or flat[filled[0] : filled[-1] + 1].std() == 0:
        return None
    is_short = len(filled) < MANY_SAMPLES
    own = flat[filled[0] : filled[-1] + 1][:MOST_RESAMPLED]
    known = [*of_channels(source)]
    right, wrongly = ([one for one in known if bool(one[1]) is is_wrong] for is_wrong in (False, True))
    nearest = 0.0, 0.0
    for readings in (right, wrongly):
        for rate, step, resampled_wrong in steps_of(source, is_short=is_short):
            for said, wrong, samples in readings:
                if not left():
                    return None
                if is_short:
                    at, scale, shift, like = beginning(flat[: filled[-1] + 1], samples, step)
                else:
                    at, scale, shift, like = place_of(own, stretched(samples, step))
                nearest = max(nearest, (0.0 if wrong else abs(like), at * step))
                if abs(like) < (EXACT if is_short else CERTAINLY if wrong or resampled_wrong else SURELY):
                    continue
                begins = filled[0], at * step
                is_doubtful = bool(wrongly) and not wrong and 1 - abs(like) > INEXACT
                if is_doubtful and (turns := in_turns(own, source, begins, left)) is not None:
                    return turns
                part = f"{said}resampled to {rate:,} Hz, from sample {round(at * step):,} on"
                level, _ = level_of(scale, shift)
                both = "; ".join(filter(None, (wrong, resampled_wrong)))
                return Origin(source, (part, level), both, rate=rate)
    return in_turns(own, source, (filled[0], nearest[1]), left) if wrongly else None


def every_nth(found: Strided, source: Source) -> Origin:
    """Returns the origin of an input that has every n-th sample of a sound, with the rate that this makes."""
    rate = source.rate // found.step if found.step and not source.rate % found.step else 0
    return Origin(source, (found.said,), found.wrong, rate=rate)


def steps_of(source: Source, *, is_short: bool) -> Iterator[tuple[int, float, str]]:
    """The rates to which a sound may be resampled, how many of its samples lie between two, and what is wrong
    with that. By the number of bytes a second, sounds come to a rate that no model takes."""
    frame = source.frame
    for rate in RATES:
        if rate != source.rate:
            yield rate, source.rate / rate, ""
        if rate != source.rate and not is_short:
            yield rate, rate / source.rate, INVERTED.format(source.rate, rate, source.rate**2 / rate)
    for rate in RATES if frame > 1 else ():
        if rate / frame < TOO_LOW:
            wrong = BY_BYTES.format(source.rate, frame * source.rate, rate / frame, rate)
            yield rate, frame * source.rate / rate, wrong


def in_turns(own: Any, source: Source, begins: tuple[int, float], left: Left) -> Origin | None:
    """How elements come exactly from all channels in turns, at another rate, or None if they don't. `begins`:
    the number of the first one in the input, and the sample of all channels to which it is nearest."""
    samples = source.array[:MOST].astype("f8")
    flat, channels = samples.reshape(-1), samples.shape[1]
    for rate in RATES:
        step = source.rate / rate
        numbers = begins[0], round(channels * begins[1] / step)
        if rate != source.rate and left() and (level := turns_at(own, flat, step, numbers)) is not None:
            steps = f"resampled to {rate:,} Hz", level_of(*level)[0]
            return Origin(source, steps, IN_TURNS.format(channels), rate=rate)
    return None


def beginning(own: Any, samples: Any, step: float) -> tuple[int, float, float, float]:
    """How like elements are the first samples at another rate: as `place_of`, but at no other place. So few
    elements, such as a window of a tone, lie at other places by chance."""
    there = stretched(samples[: int((len(own) + 1) * step) + 2], step)[: len(own)]
    if len(there) < len(own) or not there.std() or len(numpy.unique(own)) < DIFFERENT:
        return 0, 0.0, 0.0, 0.0
    scale, shift = line_through(there, own)
    return 0, scale, shift, correlation(there, own)


def of_channels(source: Source) -> Iterator[tuple[str, str, Any]]:
    """The samples of a sound as one channel, and, with what is wrong with them, those of two halves that were
    taken for two channels, and those of all channels in turns."""
    samples = source.array[:MOST].astype("f8")
    if samples.ndim == 1:
        yield "", "", samples
        return
    yield "the mean of its channels, ", "", samples.mean(axis=1)
    if samples.shape[1] == 2:
        yield from ((f"channel {one}, ", "", samples[:, one]) for one in (0, 1))
        yield "", HALVES, halves(samples)
    yield "", IN_TURNS.format(samples.shape[1]), samples.reshape(-1)


def halves(samples: Any) -> Any:
    """The mean of the first and the second half of samples whose two channels lie in turns."""
    flat = samples.reshape(-1)
    return (flat[: len(samples)] + flat[len(samples) :]) / 2


def stretched(samples: Any, step: float) -> Any:
    """Samples at each step, between two of them along a straight line."""
    places = numpy.arange(min(4 * MOST_RESAMPLED, int((len(samples) - 1) / step))) * step
    return numpy.interp(places, numpy.arange(len(samples)), samples)


def typed(array: Any) -> Iterator[tuple[str, Any]]:
    """The elements as they are, and their bytes as another type."""
    flat = array.reshape(-1)
    if flat.dtype.kind != "f" or numpy.isfinite(flat).all():
        yield "", flat.astype("f8")
    if flat.dtype.itemsize != 4:
        return
    for kind, said in (
        ("<f8", "the bytes are elements of f64, but were sent as f32"),
        (">f4", "the bytes of each element of f32 are in the opposite order (big-endian)"),
        ("<i2", "the bytes are samples of i16, but were sent as f32"),
        ("<i4", "the bytes are elements of i32, but were sent as f32"),
        ("|u1", "the bytes are samples of u8, but were sent as f32"),
    ):
        if flat.nbytes % numpy.dtype(kind).itemsize == 0:
            read = numpy.frombuffer(flat.tobytes(), kind)[: flat.size].astype("f8")
            if numpy.isfinite(read).all() and abs(read).max() < 1e12:
                yield said, read


def found_in(flat: Any, source: Source, type_wrong: str, left: Left) -> Origin | None:
    """Where elements lie in a sound, read rightly or wrongly."""
    filled = numpy.flatnonzero(flat)
    length = int(filled[-1]) + 1 if len(filled) else 0
    first = int(filled[0]) if len(filled) else 0
    if length - first < FEWEST or flat[first:length].std() == 0:
        return None
    best: Found | None = None
    is_varied = len(set(flat[first:length].tolist())) >= DIFFERENT
    if type_wrong and not is_varied:
        return None
    for reading in readings(source):
        if reading.wrong and (type_wrong or is_settled(best)):
            break  # two such mistakes at once fit nearly anything
        if reading.wrong and not left():
            break
        at, scale, shift, like = place_of(flat[first:length], reading.samples)
        if reading.end is not None and at >= reading.end:
            continue
        if may_be_meant(reading, scale, shift, flat) or (
            reading.wrong and not is_varied and not (is_plain(scale, shift) and like > EXACT)
        ):
            continue  # sounds that hardly move fit nearly anything
        found = Found(abs(like), reading, at, scale, shift)
        if abs(like) >= (SURELY if reading.wrong or type_wrong else LIKE) and found.is_better(best):
            best = found
        if is_settled(best):
            break
    if best is None:
        return None
    reading, at, scale, shift = best.reading, best.at, best.scale, best.shift
    if type_wrong and not any(abs(abs(scale) / known - 1) < ROUNDED for known in (*RANGES, *MISTAKEN)):
        return None
    before, behind = silence(flat, reading.samples, at, first, length)
    at, first, length = at - before, first - before, length + behind
    part = f"{reading.said}samples {at:,} to {at + length - first - 1:,}"
    level, wrong = level_of(scale, shift, 0 if source.is_float or source.law else source.width)
    wrong = SILENCE if wrong == IN_THE_MIDDLE and source.width == 1 else wrong
    is_ranged = source.rate and READ_AS not in reading.wrong
    wrong = wrong if is_ranged else ""  # nobody knows the range without a header, or of other bits
    lead = f"after {first:,} zeros" if first >= FEWEST // 2 else ""
    rest = f"then {flat.size - length:,} zeros" if flat.size > length else ""
    more = at + length - first < (1 - FADED) * len(reading.samples)
    empty = f"from element {length:,} on {ENDS}"
    ends = empty if more and flat.size - length > 0.04 * flat.size else ""
    rate = rate_wrong(source.rate) if not (type_wrong or reading.wrong) else ""
    few = levels_wrong(flat[first:length], reading.samples[at : at + length - first], source)
    mistakes = "; ".join(filter(None, (type_wrong, reading.wrong, wrong, rate, ends, few)))
    span = None if type_wrong or reading.wrong else (at, at + length - first, first)
    return Origin(source, (part, lead, level, rest), mistakes, span=span)


def may_be_meant(reading: Sounding, scale: float, shift: float, flat: Any) -> bool:
    """Whether a misreading is none: of other bits at an odd scale, or of codes that are whole numbers."""
    is_odd = READ_AS in reading.wrong and not (is_power(scale) and is_centred(scale, shift))
    return is_odd or (reading.wrong in CODES and not (flat % 1).any())


def silence(flat: Any, samples: Any, at: int, first: int, length: int) -> tuple[int, int]:
    """How many zeros before and behind a part of a sound are zeros of the sound itself. `at` is the place in
    the sound of the part from `first` to `length`."""

    def count(these: Any) -> int:
        loud = numpy.flatnonzero(these)
        return int(loud[0]) if len(loud) else len(these)

    end = at + length - first
    before = count(samples[max(0, at - first) : at][::-1])
    return before, count(samples[end : end + flat.size - length])


def levels_wrong(own: Any, samples: Any, source: Source) -> str:
    """Whether elements have the levels of one byte only, though the samples have those of two."""
    have, there = len(numpy.unique(own)), len(numpy.unique(samples))
    if source.width < 2 or have > BYTES or there < MANY * have:
        return ""
    return f"the elements have {have} different values, the samples {there}: their lower bytes were lost"


def rate_wrong(rate: int) -> str:
    """Returns what is probably wrong with a rate that hardly any model takes, or "" if nothing is."""
    if rate < HIGH:
        return ""
    return f"samples at {rate:,} Hz were not resampled: models of sound mostly want 16,000 or 22,050 Hz"


def level_of(scale: float, shift: float, width: int = 0) -> tuple[str, str]:
    """The range in words, and what nobody means of it. `width` is the bytes of a sample, if that is a whole
    number."""
    size = abs(scale)
    sign = ", upside down" if scale < 0 else ""
    if abs(shift) > USUAL_SHIFT * max(size, 1e-12):
        if abs(shift / size - 1) < 0.05:
            return f"{scale:.4g} x sample {shift:+.4g}", IN_THE_MIDDLE
        return f"{scale:.4g} x sample {shift:+.4g}", ""
    mistaken = MISTAKEN | BY_WIDTH.get(width, {})
    nearest = min((*RANGES, *mistaken), key=lambda known: abs(size / known - 1))
    for known, said in RANGES.items():
        if known == nearest and abs(size / known - 1) < ROUNDED:
            return said + sign, UNDIVIDED if known == 32768.0 else ""
    for known, wrong in mistaken.items():
        if known == nearest and abs(size / known - 1) < ROUNDED:
            return f"times {scale:.4g}", wrong
    return f"times {scale:.4g}", ""


def readings(source: Source) -> Iterator[Sounding]:
    """Yields what the samples may be: those of the sound, a mean of its channels, or a mistake."""
    samples = source.array[:MOST].astype("f8")
    if samples.ndim == 1:
        yield Sounding("", "", samples)
    else:
        yield Sounding("the mean of its channels, ", "", samples.mean(axis=1))
        for channel in range(samples.shape[1]):
            yield Sounding(f"channel {channel}, ", "", samples[:, channel])
        yield from run_over(samples, source)
        count = samples.shape[1]
        said = IN_TURNS.format(count)
        yield Sounding("", said if source.rate else "", samples.reshape(-1))  # an array is sent so
        if count == 2:
            yield Sounding("", HALVES, halves(samples))
    yield from misread(source)


def run_over(samples: Any, source: Source) -> Iterator[Sounding]:
    """The sum of channels of 16 bits in as many bits, if that is not the sum."""
    whole = (samples * 32768).round().sum(axis=1)
    rest = (whole + 32768) % 65536 - 32768
    if source.width == 2 and (rest != whole).any():
        yield Sounding("the sum of its channels, ", RAN_OVER, rest / (32768 * samples.shape[1]))


def misread(source: Source) -> Iterator[Sounding]:
    """The file's bytes, read wrongly: with the header, from an odd byte, in another width or byte order."""
    for said, samples in source.others:
        yield Sounding("", said, samples)
    data, start = source.data, source.start
    if not start:
        return
    width = source.width
    body = data[start : start + MOST * width]
    whole = data[: len(data) // 2 * 2]
    if start > HEADER:
        said = (
            f"the file's header has {start} bytes and {HEADER} were skipped: the others are taken for samples"
        )
        rest = data[HEADER : HEADER + (len(data) - HEADER) // 2 * 2]
        read = numpy.frombuffer(rest[: 2 * MOST], "<i2") / 32768.0
        yield Sounding("after 44 bytes, ", said, read, (start - HEADER) // 2)
    if width == 2:
        yield from misread_pairs(body, whole)
    else:
        yield from misread_widths(source, body)
    for said, read in as_other_bits(source, body):
        yield Sounding("", said, read)


def misread_pairs(body: bytes, whole: bytes) -> Iterator[Sounding]:
    """Samples of 16 bits; `whole` is the file."""
    signed = numpy.frombuffer(body[: len(body) // 2 * 2], "<i2")
    said = "the header of the file was taken for samples"
    yield Sounding("from the file's beginning, ", said, numpy.frombuffer(whole[: 2 * MOST], "<i2") / 32768.0)
    said = "the two bytes of each sample are in the opposite order (big-endian)"
    yield Sounding("", said, signed.byteswap() / 32768.0)
    said = "samples begin at an odd byte: the first byte of each is the second of the one before"
    odd = body[1 : 1 + (len(body) - 1) // 2 * 2]
    yield Sounding("", said, numpy.frombuffer(odd, "<i2") / 32768.0)
    yield Sounding("", EACH_BYTE, of_each_byte(body[: 2 * MOST], "<i2"))
    said = "signed samples were taken as unsigned (u16)"
    yield Sounding("", said, signed.view("<u2") / 32768.0)


def misread_widths(source: Source, body: bytes) -> Iterator[Sounding]:
    """Samples of other widths."""
    width = source.width
    if width == 3 and not source.is_float:
        wide = source.array.reshape(-1)[:MOST].astype("f8")
        said = "samples of 24 bits have a sign, and were taken without one: those below 0 come out above all"
        yield Sounding("", said, wide + 2 * (wide < 0))
    if source.law:
        other = next(law for law in LAWS.values() if law != source.law)
        yield Sounding("", f"the samples are {source.law}, and were taken as {other}", expanded(body, other))
        said = AS_PLAIN.format(source.law)
        yield Sounding("", said, (numpy.frombuffer(body, "u1").astype("f8") - 128) / 128)
        yield Sounding("", said, numpy.frombuffer(body, "i1") / 128.0)
    elif width == 1:
        yield Sounding("", SILENCE, numpy.frombuffer(body, "u1") / 128.0)
        said = "samples of 8 bits are unsigned, and were taken as signed"
        yield Sounding("", said, numpy.frombuffer(body, "i1") / 128.0)


def place_of(part: Any, samples: Any) -> tuple[int, float, float, float]:
    """Where a part lies in samples, its scale and shift there, and the correlation."""
    count = len(part)
    if count > len(samples):
        return 0, 0.0, 0.0, 0.0
    samples = samples.astype("f8")  # sums of as many f32 are off by more than a quiet part's spread
    own = part - part.mean()
    size = 1 << (len(samples) + count).bit_length()
    product = numpy.fft.irfft(numpy.fft.rfft(samples, size) * numpy.fft.rfft(own[::-1], size), size)
    match = product[count - 1 : len(samples)]
    energy = numpy.concatenate([[0.0], numpy.cumsum(samples * samples)])
    sums = numpy.concatenate([[0.0], numpy.cumsum(samples)])
    spread = energy[count:] - energy[:-count] - (sums[count:] - sums[:-count]) ** 2 / count
    floor = 1e-9 * count + 1e-6 * float(spread.max())
    likeness = match / (numpy.sqrt(numpy.maximum(spread, floor)) * float(numpy.sqrt((own * own).sum())))
    at = int(abs(likeness).argmax())
    there = samples[at : at + count]
    scale = float(match[at]) / max(float(((there - there.mean()) ** 2).sum()), 1e-30)
    return at, scale, float(part.mean() - scale * there.mean()), float(likeness[at])
