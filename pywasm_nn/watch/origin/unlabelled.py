"""Samples in a file without a header, whose name doesn't say their type: the byte order in which they go on
evenly, the law (mu-law, A-law) by which each follows from those before, or 8 bits around 128.

What is here: `unlabelled`. What is not: files whose name says it (`waves.raw`).

A sound hardly changes from one sample to the next. Read in the other byte order its lower bytes, which are
like noise, are the upper ones; bytes of pixels go on evenly in both orders, and packed ones in none. Bytes of
mu-law jump by half of their range where a sound goes through 0, and so do none that are plain numbers.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .waves import LAWS, expanded

EACH_BYTE = (
    "each sample begins one byte after the one before, and has two: its number is to be multiplied by 2"
)
FEWEST, MOST = 512, 1 << 16
"""Samples by which a type is known, and those that are compared."""
EVEN, ODD = 0.5, 0.5
"""Samples go on evenly if from one to the next they differ by less than this part of what noise does, and by
less than this part of what they do in the other byte order."""

AS_PLAIN = "the samples are {}, and were taken as plain numbers of 8 bits"
BEFORE, COMPARED = 8, 1 << 13
"""From how many samples before it a sample is predicted, and how many samples are."""
FORESEEN = 0.35
"""Samples follow a law if their prediction is off by less than this part of the error for plain numbers."""
MIDDLE = 0.25
"""The largest mean of samples, as a part of their deviation."""
JUMP, JUMPS = 96, 0.02
"""The least step between bytes that is a jump, and the least part of steps that are jumps where bytes follow
a law."""

BYTES, SILENCE, BESIDE, QUIET = 256, 128, 1, 0.03
"""How many bytes there are; the one that is silence where they have no sign, by how many it may be off, and
the part of all that it is at least, as the most usual one: no grey is as usual in a photo."""
AS_SIGNED = "samples of 8 bits around 128 were taken as signed: silence is 128, and jumps from -1 to 1 so"


class Unlabelled(Frozen):
    """Samples in -1..1, what they are, and how else they may be read, with what is wrong then."""

    samples: Any
    said: str
    others: tuple[tuple[str, Any], ...]


def unlabelled(data: bytes) -> Unlabelled | None:
    """Returns the signed samples of 16 bits in the bytes of a file, or those of a law, or None if they are
    something else, or if that is not certain."""
    return of_two_bytes(data) or by_law(data) or of_one_byte(data)


def of_two_bytes(data: bytes) -> Unlabelled | None:
    """Signed samples of 16 bits."""
    body = data[: len(data) // 2 * 2]
    if len(body) < 2 * FEWEST:
        return None
    read = {kind: numpy.frombuffer(body, kind) for kind in ("<i2", ">i2", "<u2", ">u2")}
    apart = {kind: uneven(read[kind][:MOST]) for kind in ("<i2", ">i2")}
    little, big = ("<i2", "<u2"), (">i2", ">u2")
    own, other = (little, big) if apart["<i2"] < apart[">i2"] else (big, little)
    signed, unsigned = own
    if apart[signed] > EVEN or apart[signed] > ODD * apart[other[0]]:
        return None
    if jumps(read[signed][:MOST]) > jumps(read[unsigned][:MOST]):
        return None  # such as distances, or pixels of 16 bits
    late = numpy.frombuffer(body[1:-1], signed)
    octets = numpy.frombuffer(body, "u1").astype("f8")
    as_octets = "samples of 16 bits were read as 8 bits"
    return Unlabelled(
        read[signed] / 32768.0,
        "samples of 16 bits" + (", big-endian" if own is big else ""),
        (
            (
                "the two bytes of each sample are in the opposite order: read so they are like noise, "
                f"{'big' if own is little else 'little'}-endian, and the other way they go on evenly",
                read[other[0]] / 32768.0,
            ),
            (
                "samples begin at an odd byte: the first of each is the second of the one before",
                late / 32768.0,
            ),
            (EACH_BYTE, of_each_byte(body, signed)),
            (EACH_BYTE, of_each_byte(body, unsigned)),
            ("signed samples were taken as unsigned (u16)", read[unsigned] / 32768.0),
            (as_octets, (octets - 128) / 128),
            (as_octets, octets.astype("u1").view("i1") / 128.0),
        ),
    )


def by_law(data: bytes) -> Unlabelled | None:
    """Samples of mu-law or A-law, which follow from those before, as the bytes that stand for them don't."""
    begin = data[:COMPARED]
    first = numpy.frombuffer(begin, "u1").astype("f8")
    if len(first) < FEWEST or (abs(numpy.diff(first)) > JUMP).mean() < JUMPS:
        return None
    plain = min(unforeseen(first), unforeseen(numpy.frombuffer(begin, "i1").astype("f8")))
    for law in LAWS.values():
        own = expanded(begin, law)
        if abs(own.mean()) > MIDDLE * own.std() or unforeseen(own) > FORESEEN * plain:
            continue
        other = next(one for one in LAWS.values() if one != law)
        said = AS_PLAIN.format(law)
        taken = f"the samples are {law}, and were taken as {other}"
        octets, signed = (numpy.frombuffer(data, kind).astype("f8") for kind in ("u1", "i1"))
        others = ((said, (octets - 128) / 128), (said, signed / 128), (taken, expanded(data, other)))
        return Unlabelled(expanded(data, law), f"samples of 8 bits, {law}", others)
    return None


def of_one_byte(data: bytes) -> Unlabelled | None:
    """Unsigned samples of 8 bits: they go on evenly around 128, and as signed ones they jump."""
    own = numpy.frombuffer(data[:MOST], "u1")
    if len(own) < FEWEST or uneven(own) > EVEN:
        return None
    counts = numpy.bincount(own, minlength=BYTES)
    is_silent = abs(int(counts.argmax()) - SILENCE) <= BESIDE and counts.max() > QUIET * len(own)
    if not is_silent or abs(own.mean() - SILENCE) > MIDDLE * own.std():
        return None
    signed = own.view("i1")
    if uneven(signed) < uneven(own) or (abs(numpy.diff(signed.astype("i4"))) > SILENCE).mean() < JUMPS:
        return None
    octets = numpy.frombuffer(data, "u1")
    wrong = ((AS_SIGNED, octets.view("i1") / 128.0),)
    return Unlabelled((octets.astype("f8") - SILENCE) / 128, "samples of 8 bits", wrong)


def unforeseen(samples: Any) -> float:
    """Returns the part of what samples vary by that the few before each don't say, or 1 if they don't
    vary."""
    spread = float(samples.std())
    if not spread:
        return 1.0
    own = (samples - samples.mean()) / spread
    before = numpy.lib.stride_tricks.sliding_window_view(own, BEFORE)[:-1]
    weights = numpy.linalg.lstsq(before, own[BEFORE:], rcond=None)[0]
    return float(((own[BEFORE:] - before @ weights) ** 2).mean())


def of_each_byte(body: bytes, kind: str) -> Any:
    """Samples of 16 bits that begin at each byte, in -1..1."""
    both = [numpy.frombuffer(body[at : at + (len(body) - at) // 2 * 2], kind) for at in (0, 1)]
    made = numpy.empty(len(both[0]) + len(both[1]))
    made[::2], made[1::2] = both
    return made / 32768.0


def jumps(numbers: Any) -> int:
    """How often numbers of 16 bits go from one end of their range to the other."""
    return int((abs(numpy.diff(numbers.astype("i4"))) > 1 << 15).sum())


def uneven(numbers: Any) -> float:
    """Returns by how much numbers differ from those before, as a part of what noise does, or 1 if all are
    equal."""
    own = numbers.astype("f8")
    spread = float(own.var())
    return float(((own[1:] - own[:-1]) ** 2).mean()) / (2 * spread) if spread else 1.0
