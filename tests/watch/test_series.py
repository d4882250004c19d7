"""Windows, rings, copies and arrays of numbers that a guest sends: mistakes, and twins without one."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series import Series

RANDOM = numpy.random.default_rng(43)
AXES = RANDOM.normal(0, 1, (120, 3)).round(4)
Files = dict[str, bytes]


def csv(rows: Any, headings: Sequence[str] = ("x", "y", "z")) -> bytes:
    lines = [",".join(f"{one:.10g}" for one in row) for row in rows.tolist()]
    return "\n".join([",".join(headings), *lines]).encode() + b"\n"


TABLE = {"walk.csv": csv(AXES)}


def hints(files: Files, inputs: Sequence[Any]) -> str:
    """What is said of a guest that reads files and sends inputs one by one."""
    series = Series(lambda: [*files.items()])
    said: list[str] = []
    with numpy.errstate(all="ignore"):
        for array in inputs:
            tensor = Tensor.from_numpy(numpy.ascontiguousarray(array, "f4"))
            series.sent("x", tensor)
            said += series.set("x", tensor)
    return "; ".join([*said, *(text for _, text in series.finish())])


def planes(samples: Any) -> Any:
    return samples.T[None]


def lines(samples: Any) -> Any:
    return samples[None]


Layout = Callable[[Any], Any]


@pytest.mark.parametrize("layout", [planes, lines])
@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_a_ring_as_it_lies(layout: Layout, scale: float) -> None:
    ring, sent, right = numpy.zeros((20, 3)), [], []
    for number, row in enumerate(AXES):
        ring[number % 20] = row * scale + 1
        if number >= 19 and (number - 19) % 7 == 0:
            sent.append(layout(ring.copy()))
            right.append(layout(numpy.roll(ring, -number - 1, 0)))
    assert "a ring was sent as it lies" in hints(TABLE, sent)
    assert hints(TABLE, right) == ""
    assert hints(TABLE, [one[..., ::-1] for one in right]) == "", "backwards is another rule's"
    short = {"rest.csv": csv(AXES[:20])}
    looped = numpy.concatenate([AXES[:20]] * 2) * scale + 1
    assert hints(short, [layout(looped[at : at + 20]) for at in (0, 10, 20)]) == "", "a recording, repeated"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("shape", [(1, 24), (1, 24, 1), (1, 1, 24)])
def test_a_ring_of_the_numbers_of_one_column(end: str, shape: tuple[int, ...]) -> None:
    """Without headings. A day's load repeats itself nearly, each day a little otherwise."""
    hours = numpy.arange(60)
    load = (50 + 12 * numpy.sin(hours * numpy.pi / 12) + RANDOM.normal(0, 1, 60)).round(2)
    files = {"load.txt": end.join(map(str, load.tolist())).encode() + b"\n"}
    windows = [load[at : at + 24] for at in range(12)]
    turned = [numpy.roll(one, at) for at, one in enumerate(windows)]
    assert "of a column, but begin with number" in hints(files, [one.reshape(shape) for one in turned])
    assert hints(files, [one.reshape(shape) for one in windows]) == ""
    forecast = [numpy.append(one[1:], one[0] + 0.4) for one in windows[:3]]
    assert hints(files, [one.reshape(shape) for one in (windows[0], *forecast)]) == ""


@pytest.mark.parametrize(("off", "seen"), [(0.0, True), (0.04, False)])
def test_a_forecast_like_that_of_a_year_before(off: float, seen: bool) -> None:
    """It takes the place of the newest number, and is nearly that of the oldest one."""
    warmth = numpy.random.default_rng(5).normal(50, 9, 24).round(1)
    sent = [warmth[12:], numpy.append(warmth[13:], warmth[12] + off)]
    table = csv(numpy.stack([numpy.arange(24), warmth], 1), ["month", "warmth"])
    said = hints({"year.csv": table}, [one.reshape(1, 12) for one in sent])
    assert ("a ring was sent as it lies" in said) is seen


@pytest.mark.parametrize("layout", [planes, lines])
@pytest.mark.parametrize("size", [4, 8])
def test_a_window_that_moves_by_bytes(layout: Layout, size: int) -> None:
    window, step = AXES[:24].copy(), 8
    sent = [layout(window.copy())]
    whole = (24 - step) * 3
    flat = window.reshape(-1)
    flat[: whole // size] = flat[step * 3 : step * 3 + whole // size].copy()
    window[24 - step :] = AXES[24 : 24 + step]
    assert f"1 of {size}, and the others stayed" in hints({}, [*sent, layout(window)])
    assert hints({}, [layout(AXES[at : at + 24]) for at in range(0, 72, step)]) == ""
    assert hints({}, [layout(AXES[:24]), layout(AXES[:24])]) == ""


@pytest.mark.parametrize("size", [4, 8])
def test_windows_that_begin_too_far_apart(size: int) -> None:
    def sent(step: int, count: int) -> list[Any]:
        whole = numpy.concatenate([AXES, numpy.zeros((400, 3))])
        return [planes(whole[at * step : at * step + 10]) for at in range(count)]

    assert "added to a pointer" in hints(TABLE, sent(10 * size, -(-120 // (10 * size)) + 1))
    assert hints(TABLE, sent(10, 12)) == "" and hints(TABLE, sent(40, 3)) == "", "some windows of a table"
    assert hints(TABLE, sent(30, 5)) == "", "another distance"


def test_one_window_in_all_rounds() -> None:
    assert "the same one was sent" in hints(TABLE, [planes(AXES[:40])] * 3)
    assert hints(TABLE, [planes(AXES[at : at + 40]) for at in (0, 40, 80)]) == ""
    assert hints(TABLE, [planes(AXES[:40])] * 2) == "" and hints(TABLE, [planes(AXES[:40])] * 5) == ""


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def copied(array: Any, count: int) -> Any:
    begun = numpy.zeros_like(array)
    begun.reshape(-1)[:count] = array.reshape(-1)[:count]
    return begun


def test_copies_of_elements_where_bytes_are_counted() -> None:
    array = RANDOM.normal(0, 1, (8, 16)).astype("f4")
    for name, data in (("a.npy", npy(array)), ("a.f32", array.tobytes())):
        assert "memcpy and the like count bytes" in hints({name: data}, [copied(array, 32)])
        assert hints({name: data}, [array]) == "" and hints({name: data}, [copied(array, 40)]) == ""
    short = npy(copied(array, 32))
    assert hints({"a.npy": short}, [copied(array, 32)]) == "", "zeros in the file, too"


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (0,), (1, 0, 3)])
def test_inputs_of_next_to_nothing(shape: tuple[int, ...]) -> None:
    assert hints(TABLE, [numpy.full(shape, float(at)) for at in range(8)]) == ""


def test_an_array_by_columns() -> None:
    array = RANDOM.normal(0, 1, (30, 4)).astype("f4")
    data = npy(numpy.asfortranarray(array))
    misread = numpy.frombuffer(data[-array.nbytes :], "f4").reshape(30, 4)
    for scale in (1, 0.1):
        assert "fortran_order" in hints({"a.npy": data}, [misread[None] * scale])
        assert "fortran_order" in hints({"a.npy": data}, [misread.T[None] * scale])
        assert hints({"a.npy": data}, [array * scale]) == "" and hints({"a.npy": data}, [array.T[None]]) == ""
        assert hints({"a.npy": npy(array)}, [array.T * scale]) == ""


def test_a_header_taken_for_elements() -> None:
    array = RANDOM.normal(0, 1, (30, 4)).astype("f4")
    data = npy(array)
    early = numpy.frombuffer(data[80 : 80 + array.nbytes], "f4")
    assert "48 bytes of the header" in hints({"a.npy": data}, [early])
    assert hints({"a.npy": data}, [array]) == ""


def packed(count: int, begin: int) -> bytes:
    return b"".join(
        bytes([at % 256] * begin) + row.tobytes() for at, row in enumerate(AXES[:count].astype("<f4"))
    )


@pytest.mark.parametrize("begin", [1, 2])
def test_records_with_padding(begin: int) -> None:
    data = packed(100, begin)

    def read(apart: int, first: int) -> Any:
        rows = [numpy.frombuffer(data[first + apart * at :][:12], "<f4") for at in range(20)]
        return planes(numpy.array(rows))

    assert f"a struct has {4 - begin} bytes of padding" in hints({"log.bin": data}, [read(16, 4)])
    assert hints({"log.bin": data}, [read(12 + begin, begin)]) == ""
    assert hints({"log.bin": packed(100, 4)}, [planes(AXES[:20])]) == "", "records of 16 bytes"


@pytest.mark.parametrize("by", [1.0, 10.0])
def test_signed_words_as_unsigned(by: float) -> None:
    words = RANDOM.integers(-90, 90, (9, 3)).astype("<i2")
    for kind in ("<i2", ">i2"):
        own = words.astype(kind)
        loaded = own.view(kind.replace("i", "u"))
        assert "signed numbers were loaded" in hints(
            {"w.bin": own.tobytes()}, [one[None] / by for one in loaded]
        )
        assert hints({"w.bin": own.tobytes()}, [one[None] / by for one in own]) == ""
    counts = RANDOM.integers(0, 65535, (9, 3)).astype("<u2")
    assert hints({"w.bin": counts.tobytes()}, [one[None] / by for one in counts]) == "", "large counts"


def test_numbers_of_which_the_first_are_scaled() -> None:
    hours = RANDOM.uniform(100, 400, (40, 1)).round(1)
    table = {"load.csv": csv(numpy.hstack([hours, hours[::-1]]), ("kw", "c"))}
    scale = {"scale.csv": b"column,mean,std\nkw,240.5,61.5\nc,11,5\n"}
    window, scaled = hours[10:34, 0], (hours[10:34, 0] - 240.5) / 61.5
    for count in (1, 2, 8):
        part = numpy.concatenate([scaled[:count], window[count:]])
        assert "size of a pointer" in hints(table | scale, [part[None]])
        assert hints(table, [part[None]]) == "", "nobody knows what the first are"
    for right in (window, scaled, numpy.concatenate([[7.0], window[1:]])):
        assert hints(table | scale, [right[None]]) == ""


def test_numbers_of_two_bytes_in_half_of_an_input() -> None:
    halves = AXES[:20].astype("<f2").tobytes()
    array = numpy.frombuffer(halves + bytes(len(halves)), "<f4").reshape(1, 20, 3)
    said = hints({"w.f16": halves}, [array])
    assert "its first 120 of 240 bytes are all of the file's" in said
    assert f"of which the first is {float(AXES[:1, 0].astype('f2')[0]):.4g}" in said
    assert hints({"w.f16": halves}, [AXES[:20].astype("<f2")[None]]) == ""
    assert (
        hints({"w.f32": AXES[:10].astype("<f4").tobytes()}, [numpy.pad(AXES[:10], ((0, 10), (0, 0)))[None]])
        == ""
    )


@pytest.mark.parametrize("kind", ["<i2", "|u1", "<f4"])
def test_a_last_piece_with_the_end_of_the_one_before(kind: str) -> None:
    sound = numpy.concatenate([[0] * 44, RANDOM.integers(0, 200, 250)]).astype(kind)
    pieces = [sound[at : at + 64] / 100 for at in range(44, 294, 64)]
    cut = pieces[3]
    assert len(cut) == 58
    kept, cleared = numpy.concatenate([cut, pieces[2][58:]]), numpy.concatenate([cut, numpy.zeros(6)])
    long = numpy.concatenate([sound, sound[:30]])
    assert hints({"a.bin": sound.tobytes()}, [*(one[None] for one in pieces[:3]), cleared[None]]) == ""
    begun, rest = long[-40:] / 100, long[-104:-40] / 100
    sent = [rest[None], numpy.concatenate([begun, rest[40:]])[None]]
    assert "first 40 elements are the last ones of the file" in hints({"a.bin": long.tobytes()}, sent)
    empty = [rest[None], numpy.concatenate([begun, numpy.zeros(24)])[None]]
    assert hints({"a.bin": long.tobytes()}, empty) == ""
    assert hints({"b.bin": numpy.sort(sound).tobytes()}, sent) == "" and len(kept) == 64


def test_samples_and_channels_that_are_exchanged() -> None:
    windows = [AXES[at : at + 20] for at in (0, 20, 40)]
    assert "channel by channel" in hints(TABLE, [one.reshape(1, 3, 20) for one in windows])
    assert "line by line" in hints(TABLE, [one.T.copy().reshape(1, 20, 3) for one in windows])
    assert hints(TABLE, [planes(one) for one in windows]) == ""
    assert hints(TABLE, [lines(one) for one in windows]) == ""


@pytest.mark.parametrize("times", [2, 4])
def test_samples_that_are_sent_several_times(times: int) -> None:
    def window(at: int) -> Any:
        return planes(numpy.repeat(AXES[at : at + 40 // times], times, axis=0))

    assert f"sent {times} times" in hints(TABLE, [window(at * 40 // times) for at in range(3)])
    assert hints(TABLE, [window(at) for at in range(0, 120, 40 // times)]) == "", "all of a slower table"


@pytest.mark.parametrize("step", [20, 10])
def test_one_window_that_overlaps_with_others(step: int) -> None:
    count = (120 - 20) // step + 1
    assert "its own" in hints(TABLE, [planes(AXES[:20])] * count)
    assert hints(TABLE, [planes(AXES[at : at + 20]) for at in range(0, 101, step)]) == ""
    assert hints(TABLE, [planes(AXES[:20])] * (count + 1)) == "", "as one measures its time"


WORDS = (800 * numpy.sin(numpy.arange(120)[:, None] / (5, 7, 9)) + RANDOM.normal(0, 9, (120, 3))).astype(
    "<i2"
)
RECORDS = b"".join(b"\0" + row.tobytes() for row in WORDS)
"""Records of 7 bytes."""


def recorded(read: Any) -> str:
    return hints({"wrist.bin": RECORDS}, [planes(read[at : at + 20]) for at in (0, 20, 40)])


def test_records_whose_first_ones_are_above_0() -> None:
    turns = numpy.arange(160)[:, None] / (9, 7, 5)
    words = (numpy.sin(turns) * numpy.array([[700]] * 100 + [[2000]] * 60) + 900).astype("<i2")
    data = {"wrist.bin": b"".join(b"\0" + row.tobytes() for row in words)}
    assert words[:60].min() >= 0 > words[100:].min()
    for read, expected in ((words, False), (words.view("<u2"), True)):
        told = hints(data, [planes(read[at : at + 32] / 256) for at in range(0, 160, 32)])
        assert ("read as unsigned ones" in told) == expected, told


def test_records_whose_first_ones_fill_a_byte_at_most() -> None:
    """In either order of bytes they are the same but for a factor; a larger number tells."""
    turns = numpy.arange(160) / 9
    words = (numpy.sin(turns) * 60 + numpy.array([90] * 100 + [2000] * 60)).astype("<u2")
    data = {"meter.u16": words.tobytes()}
    for read, expected in ((words, False), (words.view(">u2"), True)):
        told = hints(data, [read[None, at : at + 32].astype("<f4") / 3000 for at in range(0, 160, 32)])
        assert ("opposite order" in told) == expected, told


def test_records_of_whole_numbers() -> None:
    assert recorded(WORDS) == recorded(WORDS / 100) == ""
    assert "read as unsigned ones" in recorded(WORDS.view("<u2") / 100)
    assert "whole numbers were divided" in recorded(numpy.trunc(WORDS / 100))
    assert "opposite order" in recorded(WORDS.view(">i2") / 100)
    wide = [numpy.frombuffer(RECORDS[8 * at + 2 : 8 * at + 8], "<i2") for at in range(100)]
    assert "records of 7 bytes fill the file" in recorded(numpy.array(wide))


def test_pictures_of_small_numbers_are_no_records() -> None:
    """A thermal camera's frames of 8 x 8 small numbers of 16 bits, read as they lie."""
    across, frame = numpy.arange(8), numpy.arange(10)[:, None, None]
    spot = 60 * numpy.exp(-((across[:, None] - frame * 0.7) ** 2 + (across - 4) ** 2) / 4)
    words = (spot + 84).round().astype("<u2")
    assert hints({"frames.amg": words.tobytes()}, [(one[None] / 4).astype("f2") for one in words]) == ""


LOUD = (20000 * numpy.sin(numpy.arange(180) / numpy.array([[2.9], [3.3], [7]]))).T.astype("<i2")
"""Numbers that go up and down over most of what 16 bits have."""


@pytest.mark.parametrize(("head", "kind"), [(b"", "<u2"), (b"\0\1\2\3\4", "<u2"), (b"\0\1\2\3\4", ">u2")])
def test_large_numbers_that_lost_their_sign(head: bytes, kind: str) -> None:
    words = LOUD.astype(kind.replace("u", "i"))
    data = {"belt.imu": head + words.tobytes()}
    read = [words.view(kind)[at : at + 60] for at in (0, 60, 120)]
    right = [LOUD[at : at + 60] for at in (0, 60, 120)]
    assert "sign" in hints(data, [planes(one / 8192) for one in read])
    assert hints(data, [planes(one / 8192) for one in right]) == ""
    counts = numpy.cumsum(RANDOM.integers(0, 9000, (180, 3)), axis=0).astype(kind)
    assert hints({"c.bin": head + counts.tobytes()}, [planes(counts[:60] / 8192)]) == "", "they run over"
    noise = RANDOM.integers(0, 65536, (180, 3)).astype(kind)
    assert hints({"n.bin": head + noise.tobytes()}, [planes(noise[:60] / 8192)]) == "", "noise"


@pytest.mark.parametrize("kind", ["<i2", ">i2"])
def test_a_first_window_without_numbers_below_0(kind: str) -> None:
    words = numpy.concatenate([numpy.abs(WORDS[:20]) + 1, WORDS[20:]]).astype(kind)
    data = {"wrist.bin": words.tobytes()}
    for read, seen in ((words, False), (words.view(kind.replace("i", "u")), True)):
        windows = [planes(read[at : at + 20] / 100) for at in (0, 20, 40)]
        assert ("read as unsigned ones" in hints(data, windows)) is seen


def test_rows_at_another_distance() -> None:
    rows = RANDOM.normal(0, 1, (6, 13)).astype("<f4")
    data = rows.tobytes()
    apart = [numpy.frombuffer(data[48 * at : 48 * at + 52], "<f4") for at in range(6)]
    assert "is each to begin 52 bytes behind" in hints({"standard input": data}, [row[None] for row in apart])
    assert hints({"standard input": data}, [row[None] for row in rows]) == ""
    assert hints({"standard input": data}, [row[None] for row in apart[:4]]) == ""


@pytest.mark.parametrize(
    ("step", "count", "seen"), [(1, 6, True), (20, 6, False), (1, 101, False), (2, 11, True), (2, 8, False)]
)
def test_windows_that_are_too_near(step: int, count: int, seen: bool) -> None:
    windows = [planes(AXES[at * step : at * step + 20]) for at in range(count)]
    assert ("take up all if they begin" in hints(TABLE, windows)) == seen


PICTURES = RANDOM.integers(0, 256, (5, 20, 20)).astype("u1")
PICTURES[:, 9, 9] = 0
IDX = bytes((0, 0, 8, 3)) + numpy.array([5, 20, 20], ">u4").tobytes() + PICTURES.tobytes()


def letters(begins: Sequence[int], scale: float = 1 / 255, shift: float = 0.0, turned: bool = False) -> str:
    """What is said of pictures of an IDX file that a guest takes from these bytes on."""
    bytes_ = numpy.frombuffer(IDX, "u1")
    sent = [bytes_[at : at + 400].reshape(1, 1, 20, 20) * scale + shift for at in begins]
    return hints({"letters.idx": IDX}, [one.swapaxes(2, 3) if turned else one for one in sent])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("scale", "shift"), [(1 / 255, 0.0), (1.0, 0.0), (-1 / 255, 1.0), (0.0127, -0.42)])
def test_pictures_that_begin_where_none_does(scale: float, shift: float, turned: bool) -> None:
    said = letters([8, 408], scale, shift, turned)
    assert "from byte 8 on: 8 bytes before picture 1, in the header" in said
    said = letters([16, 417, 818], scale, shift, turned)
    assert "from byte 417 on: 1 bytes behind the beginning of picture 2" in said
    assert "2 bytes before the beginning of picture 4" in letters([16 + 3 * 400 - 2], scale, shift, turned)
    assert letters([16, 416, 816], scale, shift, turned) == "", "as they lie"


WINDOWS = csv(numpy.random.default_rng(8).normal(size=(60, 3)).cumsum(axis=0).round(3))


@pytest.mark.parametrize(
    ("text", "seen"), [("", True), ("run 3: still\n", False), ("mean latency 2.1\n", False)]
)
def test_one_window_may_be_measured(text: str, *, seen: bool) -> None:
    """Five runs on one of five windows are a measurement, if the guest says so."""
    series = Series(lambda: [("walk.csv", WINDOWS)])
    table = numpy.genfromtxt(WINDOWS.decode().splitlines(), delimiter=",", skip_header=1)
    for _ in range(5):
        assert [*series.set("x", Tensor.from_numpy(table[None, :12].astype("f4")))] == []
    call: Any = SimpleNamespace(
        name="fd_write", error=None, arguments=(("fd", 1), ("ciovs", [text.encode()]))
    )
    series.host_call(call)
    assert bool([*series.finish()]) is seen


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_window_that_is_compared_with_itself_turned(is_alone: bool) -> None:
    rows = numpy.random.default_rng(9).normal(size=(90, 3)).cumsum(axis=0)
    window = rows[20:60].astype("<f4")
    back = numpy.ascontiguousarray(window[::-1])
    files = {"day.raw": b"\1\2\3\4" + rows.astype("<f4").tobytes()}
    said = hints(files, [back[None]] if is_alone else [window[None], back[None]])
    assert ("the opposite order" in said) is is_alone
