"""Parts of a picture that show nothing but its ground, which are no pixels divided as whole numbers."""

import numpy
import pytest

from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.matching import unlike
from tests.watch.whatif_models import encoded

STREET = numpy.random.default_rng(4).integers(0, 240, (40, 60, 3), "u1")
STREET[:, 30:] = 90, 120, 140


@pytest.mark.parametrize("kind", ["unit", "signed", "imagenet", "raw"])
def test_a_part_of_plain_ground(kind: str) -> None:
    source = Source("street.png", STREET, "", True)
    made = encoded(STREET[:16, 36:52], kind).astype("f4")
    assert unlike(made.transpose(2, 0, 1)[None], source) == ""


def test_whole_numbers() -> None:
    source = Source("street.png", STREET, "", True)
    made = encoded(STREET[:16, :16] // 255 * 255, "imagenet").astype("f4")
    assert "divided as whole numbers" in unlike(made.transpose(2, 0, 1)[None], source)
