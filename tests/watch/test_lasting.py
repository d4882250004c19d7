"""Times of the rows of an answer to features of a recording."""

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.lasting import too_long
from tests.watch.test_origin import samples_of, wav
from tests.watch.test_uses_of_answers import Say, asked_of

ROWS, BANDS = 48, 40
EDF = b"0       ".ljust(236) + b"12".ljust(8) + b"2".ljust(8) + b"1".ljust(4) + bytes(512)
SOUND = wav(samples_of(16000), 2000)
FEATURES = Sent("x", (1, BANDS, ROWS), numpy.zeros((1, BANDS, ROWS), "f4"), None)


def events(second: float, column: int) -> Say:
    """A guest that says from when to when a class is likely."""

    def said(answers: Sequence[Any]) -> str:
        likely = numpy.flatnonzero(answers[0][0].reshape(ROWS, -1)[:, column] > 0.5)
        if not len(likely):
            return "nothing\n"
        return f"from {likely[0] * second:.2f} s to {likely[-1] * second:.2f} s\n"

    return said


@pytest.mark.parametrize(("file", "data", "seconds"), [("a.edf", EDF, 24.0), ("a.wav", SOUND, 8.0)])
@pytest.mark.parametrize("column", [0, 3])
def test_rows_that_last_longer_than_the_recording(
    file: str, data: bytes, seconds: float, column: int
) -> None:
    answer = numpy.random.default_rng(1).random((ROWS, 1, 4)).astype("f4")

    def hint(second: float, sent: Sequence[Sent] = (FEATURES,), *more: tuple[str, bytes]) -> str:
        say = events(second, column)
        return too_long(asked_of(say, answer, files=[(file, data), *more], sent=sent))

    own = seconds / ROWS
    assert f"its 48 rows last {2 * seconds:.4g} s; {file} lasts" in hint(2 * own)
    assert hint(own) == hint(own / 2) == hint(1.3 * own) == ""
    assert hint(2 * own, ()) == "", "no features"
    assert hint(2 * own, (FEATURES,), ("b.edf", EDF)) == "", "several recordings"
