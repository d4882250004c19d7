"""Features of sounds by their input's name: powers for logarithms, and twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sent.loudness import not_logarithms

POWERS = numpy.random.default_rng(4).chisquare(2, (1, 32, 60)) * numpy.geomspace(1, 1e-5, 60)
LOGARITHMS = numpy.log10(POWERS + 1e-9)
TONE = 0.02 + 30 / (1 + (numpy.arange(96.0) - 20) ** 4)
"""This is a single spectrum, as magnitudes."""
SCALED = (LOGARITHMS - LOGARITHMS.min() + 0.01) / (LOGARITHMS.max() - LOGARITHMS.min())


@pytest.mark.parametrize(
    ("name", "made", "seen"),
    [
        ("log_mel", POWERS, True),
        ("mel_db", 100 * POWERS, True),
        ("spectrogram", POWERS, False),
        ("logits", POWERS, False),
        ("catalogue", POWERS, False),
        ("log_mel", LOGARITHMS, False),
        ("log_mel", SCALED, False),
        ("log_mel", POWERS**0.5 + 1, False),
        ("log_mel", POWERS.reshape(1, -1), False),
        ("log_bins", TONE[None], True),
        ("bins", TONE[None], False),
        ("log_bins", numpy.log(TONE)[None], False),
        ("log1p_bins", numpy.log1p(TONE)[None], False),
        ("log_bins", 20 * numpy.log10(TONE / 1e-5)[None], False),
        ("log_bins", TONE[None, :20], False),
        ("log_prices", numpy.full((1, 1), 9.0), False),
        ("log_mel", (POWERS > 1).astype("f4"), False),
    ],
)
def test_powers_where_the_name_says_logarithms(name: str, made: Any, seen: bool) -> None:
    assert bool(not_logarithms(name, made.astype("f4"))) is seen
