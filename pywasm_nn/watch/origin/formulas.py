"""Ranges that come from a formula with a mistake in it: (pixel - mean) / deviation with other signs, numbers
or order.

What is here: the formulas as encodings. What is not: steps that are right by themselves, but taken too often
or too seldom (`ranges.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..changes.encodings import CAFFE, IMAGENET, IMAGENET_DEVIATION, Encoding

Numbers = Sequence[float]
IN_ALL = " in all channels"
CONTRASTED = "divided by 0.5, and 0.5 taken away only then"
BRIGHTER = "from 0 to 2: divided by 127.5, but 1 was not taken away"
MEAN = tuple(one / 255 for one in IMAGENET)
DEVIATION = tuple(one / 255 for one in IMAGENET_DEVIATION)
"""ImageNet's, of pixels from 0 to 1."""
CLIP = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
CIFAR = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
CIFAR_OLD = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


def line(said: str, scale: Numbers, shift: Numbers, *, is_mistake: bool = True) -> Encoding:
    """The encoding of elements scale * pixel + shift, with pixels from 0 to 1; one number stands for all."""
    count = max(len(scale), len(shift))
    scales, shifts = ([*one] * (count // len(one)) for one in (scale, shift))
    means = tuple(-255 * b / a for a, b in zip(scales, shifts, strict=True))
    return Encoding(said, means, tuple(255 / a for a in scales), is_mistake)


def over(one: Numbers, other: Numbers) -> list[float]:
    return [a / b for a, b in zip(one, other, strict=True)]


def minus(one: Numbers) -> list[float]:
    return [-a for a in one]


PAIRS = ("CLIP's", CLIP), ("CIFAR-10's", CIFAR), ("CIFAR-10's", CIFAR_OLD)
OTHERS = tuple(
    line(f"by {name} mean and deviation", [1 / d for d in own[1]], minus(over(*own)), is_mistake=False)
    for name, own in PAIRS
)
"""Usual encodings that hardly any guest needs, so that they are no mistakes."""
INVERSE, TAKEN = [1 / d for d in DEVIATION], minus(over(MEAN, DEVIATION))
FORMULAS = (
    line(
        "normalised with ImageNet's mean and deviation exchanged",
        [1 / m for m in MEAN],
        minus(over(DEVIATION, MEAN)),
    ),
    line(
        "normalised by ImageNet's mean, and then multiplied by its deviation, not divided",
        DEVIATION,
        [-m * d for m, d in zip(MEAN, DEVIATION, strict=True)],
    ),
    line(
        "normalised with ImageNet's mean added, not taken away, and divided by its deviation",
        INVERSE,
        minus(TAKEN),
    ),
    line(
        "normalised by ImageNet's mean, and divided by the square of its deviation (its variance)",
        [1 / d**2 for d in DEVIATION],
        over(TAKEN, DEVIATION),
    ),
    line("divided by ImageNet's deviation, but its mean was not taken away", INVERSE, (0.0,)),
    line("divided by ImageNet's deviation, and its mean taken away only then", INVERSE, minus(MEAN)),
    *(
        line(
            f"divided by {name} deviation, and its mean taken away only then",
            [1 / d for d in own[1]],
            minus(own[0]),
        )
        for name, own in (*PAIRS, ("MNIST's", ([0.1307], [0.3081])))
    ),
    line(CONTRASTED, (2.0,), (-0.5,)),
    line(
        "normalised by ImageNet's mean divided by its deviation, but not divided by that themselves",
        (1.0,),
        TAKEN,
    ),
    line(
        f"normalised by the first of ImageNet's means and deviations{IN_ALL}",
        [INVERSE[0]] * 3,
        [TAKEN[0]] * 3,
    ),
    line(
        f"normalised by the last of ImageNet's means and deviations{IN_ALL}",
        [INVERSE[2]] * 3,
        [TAKEN[2]] * 3,
    ),
    line(
        "normalised by ImageNet's mean and deviation of pixels up to 255, though they were from 0 to 1",
        [1 / d for d in IMAGENET_DEVIATION],
        TAKEN,
    ),
    line("minus Caffe's means, though they were from 0 to 1", (1.0,) * 3, minus(CAFFE[::-1])),
    line("with Caffe's means added, not taken away", (255.0,) * 3, CAFFE[::-1]),
    line(BRIGHTER, (2.0,), (0.0,)),
    line("from -1 to 0: divided by 255, not 127.5, and 1 taken away", (1.0,), (-1.0,)),
    line("from 1 to 3: 1 was added, not taken away", (2.0,), (1.0,)),
    line("divided by 127.5 twice", (2 / 127.5,), (0.0,)),
)
"""What nobody means."""


def twice() -> Iterator[Encoding]:
    """Two normalisations in a row, which nobody means."""
    first, last = (([d[at]], [m[at]]) for at in (0, 2) for m, d in [(MEAN, DEVIATION)])
    steps: dict[str, tuple[Numbers, Numbers]] = {
        "ImageNet's mean and deviation": (DEVIATION, MEAN),
        "ImageNet's first mean and deviation in all channels": first,
        "ImageNet's last mean and deviation in all channels": last,
        "the mean 0.5 and deviation 0.5": ([0.5], [0.5]),
        "CLIP's mean and deviation": CLIP[::-1],
        "CIFAR-10's mean and deviation": CIFAR[::-1],
        "CIFAR-10's older mean and deviation": CIFAR_OLD[::-1],
    }
    for one, (deviation, mean) in steps.items():
        for other, (width, middle) in steps.items():
            count = max(len(deviation), len(width))
            d, m, w, k = ([*part] * (count // len(part)) for part in (deviation, mean, width, middle))
            scale = [1 / (a * b) for a, b in zip(d, w, strict=True)]
            shift = [(-b / a - e) / c for a, b, c, e in zip(d, m, w, k, strict=True)]
            yield line(f"normalised twice, by {one}, and then by {other}", scale, shift)


TWICE = (*twice(),)
