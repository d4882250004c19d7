"""Where short inputs come from: tables of numbers and vocabularies that a guest read, and masks of texts.

The mistakes here are by the hand that wrote the search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.records import changed
from pywasm_nn.watch.facts import Compute
from pywasm_nn.watch.hints.gather import kept_words
from pywasm_nn.watch.hints.models import facts
from pywasm_nn.watch.hints.words import other_mask, other_segments, other_width, two_in_one
from pywasm_nn.watch.origin.scaled import scaled_lines
from pywasm_nn.watch.origin.tables import Part, found_in, table_in
from pywasm_nn.watch.origin.vocabulary import looked_up, words_in
from pywasm_nn.watch.whatif.scaling import unscaled
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_hints import given

RANDOM = numpy.random.default_rng(7)
FLOWERS = RANDOM.uniform(0.2, 9, (40, 4)).round(2)
SPECIES = RANDOM.integers(0, 3, 40)
LOAD = (300 + 80 * numpy.sin(numpy.arange(60) / 3) + RANDOM.normal(0, 9, 60)).round(1)


def csv(delimiter: str = ",", *, first: bool = False, heads: bool = True) -> bytes:
    """A table of flowers; their species comes first or last."""
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    lines = [["species", *names] if first else [*names, "species"]] if heads else []
    for row, species in zip(FLOWERS.tolist(), SPECIES.tolist(), strict=True):
        numbers = [f"{one:.2f}" for one in row]
        lines.append([str(species), *numbers] if first else [*numbers, str(species)])
    return "\n".join(map(delimiter.join, lines)).encode() + b"\n"


def part(data: bytes, array: Any) -> Part | None:
    table = table_in(data)
    assert table is not None
    return worded(found_in(table, numpy.asarray(array, "f4")))


def worded(found: Part | None) -> Part | None:
    """A part without the numbers of its lines, which its words say, too."""
    return None if found is None else changed(found, at=None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
@pytest.mark.parametrize("heads", [True, False])
def test_lines_of_a_table(delimiter: str, heads: bool) -> None:
    data = csv(delimiter, heads=heads and delimiter != " ")
    line = 1 + (heads and delimiter != " ")
    assert part(data, [FLOWERS[0]]) == Part(f"line {line}, columns 1 to 4", "", (0, 4))
    assert part(data, FLOWERS[:5]) == Part(f"line {line}, columns 1 to 4", "", (0, 4))
    assert part(data, [FLOWERS[9]]) == Part(f"line {9 + line}, columns 1 to 4", "", (0, 4))
    assert part(data, FLOWERS[[3, 1, 2]]) == Part(f"line {3 + line}, columns 1 to 4")


def test_lines_in_half_precision() -> None:
    table = table_in(csv())
    assert table is not None
    assert worded(found_in(table, FLOWERS[3:5].astype("f2"))) == Part("line 5, columns 1 to 4", "", (0, 4))


def test_lines_that_are_not_as_in_the_table() -> None:
    found = part(csv(), [FLOWERS[5][::-1]])
    assert found is not None
    assert found.wrong == "the columns are in the reversed order"
    cut = part(csv(), numpy.trunc(FLOWERS[numpy.trunc(FLOWERS).std(1).argmax()])[None])
    assert cut is None or cut.wrong == "the decimals were cut off (atoi for atof?)"
    back = part(csv(), [FLOWERS[10:17][::-1]])
    assert back is not None
    assert back.wrong == "its lines are in the reversed order, the last one first"
    sent = numpy.column_stack([SPECIES, FLOWERS])[:, :4]
    answers = part(csv(first=True), [sent[3]])
    assert answers is not None
    assert answers.wrong == 'the column "species", which is the answer, was sent, and "petal width" was not'


def test_decimals_that_were_cut_off() -> None:
    rows = numpy.array([[1.5, 20.25, 301.75, 4.5], [7.5, 8.25, 9.75, 10.5]])
    data = b"\n".join(b",".join(str(one).encode() for one in row) for row in rows.tolist())
    found = part(data, [numpy.trunc(rows[1])])
    assert found == Part("line 2, columns 1 to 4", "the decimals were cut off (atoi for atof?)")


@pytest.mark.parametrize(("scale", "shift"), [(1, 0), (0.004, -1.2)])
def test_columns(scale: float, shift: float) -> None:
    data = b"hour,load\n" + b"".join(b"%d,%.1f\n" % (n, one) for n, one in enumerate(LOAD.tolist()))
    window = LOAD[20:36] * scale + shift
    assert part(data, [window[:, None]]) == Part('column 2 ("load"), lines 22 to 37')
    turned = part(data, [window[::-1]])
    assert turned is not None
    assert turned.wrong == "it is in the reversed order, the last first"


@pytest.mark.parametrize(
    "array",
    [
        numpy.zeros((1, 4)),
        RANDOM.normal(size=(1, 4)),
        RANDOM.normal(size=(1, 16)),
        numpy.array([[5.0, 5.0, 5.0, 5.0]]),
        (FLOWERS[:1] - FLOWERS.mean(0)) / FLOWERS.std(0),
        numpy.full((1, 4), numpy.nan),
    ],
)
def test_other_numbers_come_from_no_table(array: Any) -> None:
    assert part(csv(), array) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 40, b"some words\nand more of them\n", b"1,2,3\n", b"a,b\nc,d\n", b"\xff\xfe,\n" * 9],
)
def test_other_files_are_no_tables(data: bytes) -> None:
    assert table_in(data) is None


VOCABULARY = (
    "[PAD] [UNK] [CLS] [SEP] the a film was good bad very and not it of plot dull bright actor scene "
    "music long short funny . , story end"
)
WORDS = VOCABULARY.split()
TEXT = "The film was very good, and the music was bright."


def numbers_of(text: str, off: int = 0) -> Any:
    known = {word: number for number, word in enumerate(WORDS)}
    words = text.lower().replace(",", " ,").replace(".", " .").split()
    ids = [2, *(known.get(word, 1) + off for word in words), 3]
    return numpy.array([ids + [0] * (20 - len(ids))], "i8")


def meant(array: Any, text: str = TEXT, name: str = "") -> Part | None:
    vocabulary = words_in("\n".join(WORDS).encode())
    assert vocabulary is not None
    return looked_up(vocabulary, [text], array, name)


def test_words_that_are_right() -> None:
    assert meant(numbers_of(TEXT)) is None
    assert meant(numbers_of("It was not dull of plot .")) is None
    assert meant(numbers_of(TEXT), "another text without them") is None
    assert meant((numbers_of(TEXT) != 0).astype("i8")) is None


@pytest.mark.parametrize("off", [-3, 1, 2])
def test_words_of_which_all_numbers_are_off(off: int) -> None:
    found = meant(numbers_of(TEXT.rstrip("."), off))
    assert found is not None
    assert found.wrong.endswith(f"are the numbers {abs(off)} too {'high' if off > 0 else 'low'}?")


def test_words_that_are_not_found() -> None:
    found = meant(numbers_of("de film was er heel goed en mooi".replace("film", "x").replace("was", "y")))
    assert found is not None
    assert found.wrong == "8 words are [UNK]: is none of them found?"


def ids_of(words: list[str], pad: int = 0, ends: bool = True) -> Any:
    known = {word: number for number, word in enumerate(WORDS)}
    ids = [known.get(word, 1) for word in words]
    ids = [2, *ids, 3] if ends else ids
    return numpy.array([ids + [pad] * (24 - len(ids))], "i8")


SPLIT = TEXT.lower().replace(",", " ,").replace(".", " .").split()


@pytest.mark.parametrize(
    ("array", "wrong"),
    [
        (ids_of(SPLIT), ""),
        (ids_of([word for word in SPLIT if word not in ",."]), ""),
        (ids_of(SPLIT[:6]), ""),
        (ids_of("It was not dull of plot .".lower().split(), ends=False), ""),  # of another text
        (ids_of(TEXT.lower().split()), '"good," is not found, and "good" is in the vocabulary: marks'),
        (ids_of([word for word in TEXT.lower().split() if word in WORDS]), '"good," is not found'),
        (ids_of(TEXT.replace(",", " ,").replace(".", " .").split()), ""),  # marks apart, capitals left
        (ids_of(SPLIT, ends=False), "the vocabulary has [CLS] and [SEP], and neither is around the words"),
        (ids_of(SPLIT, pad=1), 'the last 10 elements are 1, which is "[UNK]"; padding is "[PAD]", 0'),
        (ids_of(SPLIT, pad=4), 'the last 10 elements are 4, which is "the"; padding is "[PAD]", 0'),
        (ids_of([]), ""),
    ],
)
def test_words_of_a_text(array: Any, wrong: str) -> None:
    found = meant(array, name="input_ids")
    assert (found is None) if not wrong else (found is not None and wrong in found.wrong)


MORE = "It was not dull, it was very funny and good.\n"


@pytest.mark.parametrize("text", [TEXT + "\n" + MORE, MORE + TEXT])
def test_words_of_one_line_of_a_text(text: str) -> None:
    found = meant(ids_of(TEXT.lower().split()), text)
    assert found is not None and "marks were left on words" in found.wrong
    assert meant(ids_of(SPLIT), text) is None


def test_only_unknown_words_are_no_mask_in_an_input_of_words() -> None:
    vocabulary, array = words_in("\r\n".join(WORDS).encode()), numpy.array([[1] * 9 + [0] * 5], "i8")
    assert vocabulary is not None
    for name in ("attention_mask", "token_type_ids", "x"):
        assert looked_up(vocabulary, [TEXT], array, name) is None
    found = looked_up(vocabulary, [TEXT], array, "input_ids")
    assert found is not None and "9 words are [UNK]" in found.wrong
    assert meant(array, name="input_ids") is None, "a mask in the words' place"


@pytest.mark.parametrize(
    ("ids", "wrong"),
    [
        (["[CLS]", *SPLIT[:6], "[SEP]"], ""),
        (["[CLS]", *SPLIT[-6:], "[SEP]"], ""),  # the last words, on purpose
        (["[CLS]", *SPLIT[:7]], "[SEP] behind the words was cut off"),
        (SPLIT[-6:], "neither is around the words"),
    ],
)
def test_a_text_that_is_too_long(ids: list[str], wrong: str) -> None:
    array = numpy.array([[WORDS.index(word) for word in ids]], "i8")
    found = meant(array, name="input_ids")
    assert (found is None) if not wrong else (found is not None and wrong in found.wrong)


def test_other_models_than_bert_need_no_ends() -> None:
    """A sum of the vectors of words, with BERT's vocabulary."""
    array = ids_of(SPLIT, ends=False)
    assert meant(array, name="ids") is None
    found = meant(array, name="input_ids")
    assert found is not None and "neither is around the words" in found.wrong


def test_capitals_that_were_left() -> None:
    text = "The film was GOOD and the music was bright"
    found = meant(ids_of(text.split()), text)
    assert found is not None and "words were not made lower case" in found.wrong
    assert meant(ids_of(text.lower().split()), text) is None


@pytest.mark.parametrize(
    "text", ["The film was GOOD, and the music was bright!", "The film-music was BRIGHT, good"]
)
def test_capitals_that_were_left_on_words_without_marks(text: str) -> None:
    words = re.findall(r"[A-Za-z]+", text)
    found = meant(ids_of(words), text)
    assert found is not None and '"The" is not found, and "the" is in the vocabulary' in found.wrong
    assert meant(ids_of([word.lower() for word in words]), text) is None


def test_a_vocabulary_with_returns() -> None:
    vocabulary = words_in("\r\n".join(WORDS).encode())
    assert vocabulary is not None
    unknown = looked_up(vocabulary, [TEXT], ids_of(["x"] * 9))
    assert unknown is not None and "is the CR left on each word?" in unknown.wrong
    empty = looked_up(vocabulary, [TEXT], ids_of([]))
    assert empty is not None and 'none of the words "The film was very good , ..." is found' in empty.wrong
    assert looked_up(vocabulary, [TEXT], ids_of(SPLIT)) is None


@pytest.mark.parametrize(
    "data", [b"", b"\xff" * 99, b"one\ntwo\n", b"a line of words\n" * 30, b"same\n" * 30]
)
def test_other_files_are_no_vocabularies(data: bytes) -> None:
    assert words_in(data) is None


def mask_hint(ids: list[int], mask: list[int], name: str = "attention_mask") -> str | None:
    arrays = given(numpy.array([ids], "i8"), "input_ids"), given(numpy.array([mask], "i8"), name, 1)
    return other_mask(Compute(arrays))


def test_masks() -> None:
    ids = [2, 9, 12, 7, 3, 0, 0, 0]
    assert mask_hint(ids, [1, 1, 1, 1, 1, 0, 0, 0]) is None
    assert mask_hint(ids, [1, 1, 1, 0, 0, 0, 0, 0]) is None
    assert mask_hint(ids[:5], [1] * 5) is None
    assert mask_hint([5, 0, 0, 7, 0, 0, 0, 0], [1] * 8) is None
    assert "inverted" in str(mask_hint(ids, [0, 0, 0, 0, 0, 1, 1, 1]))
    assert mask_hint(ids, [0, 0, 0, 0, 0, 1, 1, 1], "key_padding_mask") is None
    assert "the last 3 elements" in str(mask_hint(ids, [1] * 8))
    assert mask_hint([0] * 8, [1] * 8) is None
    assert "padded on opposite sides" in str(mask_hint([0, 0, 0, *ids[:5]], [1, 1, 1, 1, 1, 0, 0, 0]))
    assert "padded on opposite sides" in str(mask_hint(ids, [0, 0, 0, 1, 1, 1, 1, 1]))
    assert mask_hint([0, 0, 0, *ids[:5]], [0, 0, 0, 1, 1, 1, 1, 1]) is None


@pytest.mark.parametrize(
    ("words", "is_seen"), [("tokens", True), ("word_ids", True), ("counts", False), ("grid", False)]
)
def test_masks_of_floats(words: str, is_seen: bool) -> None:
    """Beside numbers that are no words by their name, floats may weigh steps of which some are 0."""
    ids, shown = [[7, 4, 9, 0, 0, 0], [3, 8, 2, 5, 0, 0]], [[1.0] * 3 + [0.0] * 3, [1.0] * 4 + [0.0] * 2]

    def said(mask: Any, row: int) -> str | None:
        arrays = given(numpy.array([ids[row]], "i4"), words), given(numpy.array([mask], "f4"), "mask", 1)
        return other_mask(Compute(arrays))

    assert [said(shown[row], row) for row in (0, 1)] == [None, None]
    assert ("the last 3 elements" in str(said([1.0] * 6, 0))) is is_seen
    assert ("is it inverted?" in str(said([1 - one for one in shown[0]], 0))) is is_seen
    assert said([-1.0] * 3 + [0.0] * 3, 0) is None, "one that is added"
    assert kept_words(numpy.array([1, 0.0]), "text_mask") is not None
    assert kept_words(numpy.array([1, 0.0]), "values") is None


def batch_hints(ids: list[list[int]], masks: list[list[int]], segments: list[list[int]]) -> list[str | None]:
    names = ("input_ids", "attention_mask", "token_type_ids")
    arrays = [given(numpy.array(one, "i8"), names[at], at) for at, one in enumerate((ids, masks, segments))]
    return [rule(Compute(tuple(arrays))) for rule in (other_mask, other_segments)]


def test_masks_and_segments_of_several_texts() -> None:
    """Pairs of a question and a passage, in a batch with a full row that shows no padding."""
    ids = [
        [101, 9, 12, 102, 44, 7, 8, 102, 0, 0, 0, 0],
        [101, 9, 12, 102, 31, 7, 8, 30, 5, 102, 0, 0],
        [101, 9, 12, 102, 31, 7, 8, 30, 5, 6, 4, 102],
        [101, 9, 102, 31, 8, 5, 102, 0, 0, 0, 0, 0],
    ]
    full = [[1] * 12] * 4
    masks = [[int(word > 0) for word in row] for row in ids]
    segments = [[int(row.index(102) < at and row[at] > 0) for at in range(12)] for row in ids]
    assert batch_hints(ids, masks, segments) == [None, None]
    shown, same = batch_hints(ids, full, [[0] * 12] * 4)
    assert "is 1 at the last 4 elements" in str(shown) and "(so in 2 of 4 rows; this is of row 0)" in str(
        shown
    )
    assert "has two texts" in str(same) and "so in 4 of 4 rows" in str(same)
    assert batch_hints(ids, [masks[0], *full[1:]], [segments[0], *[[0] * 12] * 3]) == [None, None]


@pytest.mark.parametrize(("name", "seen"), [("attention_mask", True), ("src_mask", False)])
def test_masks_of_a_batch_that_are_1_at_padding(name: str, seen: bool) -> None:
    """In some models that is their meaning."""
    ids = numpy.array([[5, 9, 12, 7, 0, 0, 0], [5, 8, 3, 0, 0, 0, 0], [4, 4, 2, 9, 8, 3, 0]], "i8")
    arrays = given(ids, "src"), given((ids == 0).astype("i8"), name, 1)
    assert ("is it inverted?" in str(other_mask(Compute(arrays)))) is seen


def test_masks_of_roberta() -> None:
    """Its words begin with 0, and padding is 1."""
    ids = [0, 9, 12, 7, 2, 1, 1, 1]
    assert mask_hint(ids, [1, 1, 1, 1, 1, 0, 0, 0]) is None
    assert "the last 3 elements of input 0" in str(mask_hint(ids, [1] * 8))
    assert "is 1 where" in str(mask_hint(ids, [0, 0, 0, 0, 0, 1, 1, 1]))


MEASURES = RANDOM.normal(0, 1, (24, 5)) * [0.3, 4, 900, 20, 60] + [2, 30, 2400, 90, 400]


def classifier(*, scales: bool) -> bytes:
    """A model of three classes for measures that were scaled, or that scales them itself."""
    weights = numpy.random.default_rng(3).normal(0, 6, (5, 3))
    mean, deviation = MEASURES.mean(0), MEASURES.std(0)
    if scales:
        inside = weights / deviation[:, None]
        bias = -(mean / deviation) @ weights
    else:
        inside, bias = weights, numpy.zeros(3)
    nodes = [node("Gemm", ["x", "w", "b"], ["l"]), node("Softmax", ["l"], ["y"], axis=1)]
    inputs, outputs = {"x": ("float32", [1, 5])}, {"y": ("float32", [1, 3])}
    return Model(nodes, inputs, outputs, {"w": inside.astype("f4"), "b": bias.astype("f4")}).data()


@pytest.mark.parametrize("scales", [True, False])
def test_a_scaler_that_was_forgotten(scales: bool, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(classifier(scales=scales))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        tensors = model.tensors({"x": MEASURES[:1].astype("f4")})
        text = unscaled(model.graph, tensors, 0, MEASURES, 0.01)
        assert unscaled(model.graph, tensors, 0, MEASURES[:, :4], 0.01) is None
        assert unscaled(model.graph, tensors, 0, MEASURES[:3], 0.01) is None
    if scales:
        assert text is None
    else:
        assert text is not None
        assert text.endswith("was a scaler forgotten?")


KINDS_OF_FLOWERS = numpy.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])


def flowers(kinds: Sequence[int], seed: int) -> Any:
    spread = numpy.array([0.5, 0.3, 0.4, 0.2])
    return (
        KINDS_OF_FLOWERS[list(kinds)] + numpy.random.default_rng(seed).normal(0, 1, (len(kinds), 4)) * spread
    )


def trained(rows: Any, kinds: Any, shape: str) -> bytes:
    """A network of 16 units, trained on lines of three kinds."""
    random = numpy.random.default_rng(11)
    own = [random.normal(0, 0.7, (4, 16)), numpy.zeros(16), random.normal(0, 0.35, (16, 3)), numpy.zeros(3)]
    first, second = ([numpy.zeros_like(one) for one in own] for _ in range(2))
    for step in range(1, 601):
        units = numpy.maximum(rows @ own[0] + own[1], 0)
        shares = numpy.exp(units @ own[2] + own[3])
        off = (shares / shares.sum(1, keepdims=True) - numpy.eye(3)[kinds]) / len(rows)
        back = off @ own[2].T * (units > 0)
        slopes = [rows.T @ back, back.sum(0), units.T @ off, off.sum(0)]
        for at, slope in enumerate(slopes):
            first[at] = 0.9 * first[at] + 0.1 * slope
            second[at] = 0.999 * second[at] + 0.001 * slope**2
            size = numpy.sqrt(second[at] / (1 - 0.999**step)) + 1e-8
            own[at] = own[at] - 0.01 * first[at] / (1 - 0.9**step) / size
    w, b, v, c = (one.astype("f4") for one in own)
    ends = [node("Relu", ["a"], ["r"]), node("Gemm", ["r", "v", "c"], ["l"]), node("Softmax", ["l"], ["y"])]
    begins = {
        "Gemm": [node("Gemm", ["x", "w", "b"], ["a"])],
        "turned": [node("Gemm", ["x", "w", "b"], ["a"], transB=1)],
        "MatMul": [node("MatMul", ["x", "w"], ["m"]), node("Add", ["m", "b"], ["a"])],
    }[shape]
    constants = {"w": w.T.copy() if shape == "turned" else w, "b": b, "v": v, "c": c}
    return Model(
        [*begins, *ends], {"x": ("float32", ["n", 4])}, {"y": ("float32", ["n", 3])}, constants
    ).data()


@pytest.mark.parametrize("shape", ["Gemm", "turned", "MatMul"])
@pytest.mark.parametrize("kinds", [[0, 0, 0, 1, 1, 1, 2, 2, 2], [0] * 9, [0, 1] * 5])
def test_the_first_layer_of_a_forgotten_scaler(shape: str, kinds: list[int], tmp_path: Path) -> None:
    many = [*range(3)] * 50
    rows = flowers(many, 1)
    mean, deviation = rows.mean(0), rows.std(0)
    lines = flowers(kinds, 2)
    for is_right, made in ((False, (rows - mean) / deviation), (True, rows)):
        data = trained(made, many, shape)
        layer = facts([data]).layers[0]
        assert layer.weights.shape == (16, 4)
        (tmp_path / "m.onnx").write_bytes(data)
        with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
            tensors = model.tensors({"x": lines[:1].astype("f4")})
            text = unscaled(model.graph, tensors, 0, lines, 0.01, layer=layer)
            batch = model.tensors({"x": lines.astype("f4")})
            whole = unscaled(model.graph, batch, 0, lines, 0.01, layer=layer)
        assert (text is None) == (whole is None), "line by line, and as a batch"
        if is_right:
            assert text is None, "so it was trained"
        elif 2 in kinds:
            assert text is not None
            assert "was a scaler forgotten" in text


HEADINGS = "age,weight,income,score,distance,class"
LINES = numpy.column_stack([MEASURES.round(2), RANDOM.integers(0, 3, len(MEASURES))])
CSV = (HEADINGS + "\n" + "\n".join(",".join(f"{one:g}" for one in line) for line in LINES)).encode()
MEAN, DEVIATION = LINES[:, :5].mean(0), LINES[:, :5].std(0)
GIVEN = LINES[3:9, :5]


def scaled(rows: Any) -> Part | None:
    table = table_in(CSV)
    assert table is not None
    return worded(scaled_lines(table, numpy.asarray(rows, "f4").astype("f8")))


def test_addresses_are_no_scaled_lines() -> None:
    """Numbers next to zero that go up with a column are what memory that was freed holds."""
    assert scaled(GIVEN * 1e-5 + 0.25) is not None
    assert scaled(GIVEN * 1e-39 + 2.4e-38) is None


@pytest.mark.parametrize(
    "rows",
    [
        (GIVEN - MEAN) / DEVIATION,
        (GIVEN - MEAN * 1.1) / (DEVIATION * 0.8),
        (GIVEN - LINES[:, :5].min(0)) / numpy.ptp(LINES[:, :5], axis=0),
        GIVEN / LINES[:, :5].max(0),
        GIVEN * 0.01,
    ],
)
def test_lines_that_were_scaled(rows: Any) -> None:
    assert scaled(rows) == Part("lines 5 to 10, columns 1 to 5, each scaled")


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ((GIVEN - MEAN) / DEVIATION**2, "it was divided by the variance, not the deviation"),
        (((GIVEN - MEAN) / DEVIATION - MEAN) / DEVIATION, "it was scaled twice"),
        ((GIVEN - DEVIATION) / MEAN, "mean and deviation were exchanged"),
        (((GIVEN - MEAN) / DEVIATION)[:, ::-1], "the columns are in the reversed order"),
        ((numpy.trunc(GIVEN) - MEAN) / DEVIATION, "the decimals were cut off (atoi for atof?)"),
        (((GIVEN - MEAN) / DEVIATION)[:, [0, 1, 2, 0, 1, 2]], "columns 1 to 3 were sent twice"),
        (
            numpy.column_stack([numpy.ones(6), numpy.ones(6), (GIVEN - MEAN) / DEVIATION])[:, :6],
            "the columns are shifted by 2: 2 of 6 elements come from none of them",
        ),
        (
            (LINES[3:9, 1:] - LINES[:, 1:].mean(0)) / LINES[:, 1:].std(0),
            'the column "class", which is the answer, was sent, and "age" was not',
        ),
        (
            (numpy.vstack([numpy.zeros(5), LINES[:6, :5]]) - MEAN) / DEVIATION,
            "the first input is a line of zeros: were the headings read as numbers?",
        ),
    ],
)
def test_lines_that_were_scaled_wrongly(rows: Any, wrong: str) -> None:
    found = scaled(rows)
    assert found is not None
    assert found.wrong == wrong


def test_lines_of_no_table() -> None:
    assert scaled(RANDOM.normal(size=(8, 5))) is None
    assert scaled(GIVEN[:4]) is None
    assert scaled(numpy.zeros((8, 5))) is None
    assert scaled(RANDOM.permuted(GIVEN, axis=0)) is None


ONE, TWO = [101, 9, 12, 7, 31, 102, 0, 0], [101, 9, 12, 7, 102, 8, 44, 7, 102, 0]


@pytest.mark.parametrize(
    ("ids", "segments", "said"),
    [
        (ONE, [0] * 8, ""),
        (ONE, [0] * 6 + [1, 1], ""),  # at the padding, which nobody reads
        (ONE, [1] * 6 + [0, 0], "there is one text"),
        (ONE, [0, 0, 0, 1, 1, 1, 0, 0], "no separator (102) stands before that: was it left out"),
        (TWO, [0] * 5 + [1] * 4 + [0], ""),
        (TWO, [0] * 10, "has two texts"),
        (TWO, [1] * 5 + [0] * 5, "is it inverted?"),
        (TWO, [0] * 4 + [1] * 5 + [0], "becomes 1 at element 4, and the second text in input 0"),
        ([5, 9, 12, 7, 9, 8, 44, 7, 9, 0], [0] * 10, ""),  # no separators that are known
        (TWO, [0] * 5 + [2] * 4 + [0], ""),
    ],
)
def test_segments(ids: list[int], segments: list[int], said: str) -> None:
    arrays = (
        given(numpy.array([ids], "i8"), "input_ids"),
        given(numpy.array([segments], "i8"), "token_type_ids", 1),
    )
    found = other_segments(Compute(arrays))
    assert (found is not None and said in found) if said else found is None


def test_segments_and_mask_exchanged() -> None:
    """The mask is 0 throughout, and the segments are 1 at the words."""
    arrays = [
        given(numpy.array([values], "i8"), name, index)
        for index, (values, name) in enumerate(
            [(ONE, "input_ids"), ([0] * 8, "attention_mask"), ([1] * 6 + [0, 0], "token_type_ids")]
        )
    ]
    found = other_segments(Compute(tuple(arrays)))
    assert found is not None and 'input 1 "attention_mask" is 0 throughout: are the two exchanged?' in found


@pytest.mark.parametrize(
    ("ids", "name", "seen"),
    [
        ([5, 0, 9, 0, 12, 0, 7, 0, 0, 0], "ids", True),
        ([5, 0, 9, 0, 12, 0, 7, 0, 0, 0], "counts", False),
        ([5, 9, 12, 7, 0, 0, 0, 0, 0, 0], "ids", False),
        ([5, 0, 9, 0, 0, 0, 0, 0, 0, 0], "ids", False),
        ([5, 0, 9, 0, 12, 0, 7, 3, 0, 0], "ids", False),
    ],
)
def test_words_of_64_bits(ids: list[int], name: str, seen: bool) -> None:
    found = other_width(Compute((given(numpy.array([ids], "i4"), name),)))
    assert (found is not None and "are they numbers of 64 bits" in found) is seen


@pytest.mark.parametrize(("ids", "seen"), [([5, 9, 12, 7], True), ([5, 0, 9, 0], False)])
def test_words_of_32_bits(ids: list[int], seen: bool) -> None:
    sent = numpy.array([ids], "i4").view("i8")
    found = two_in_one(Compute((given(sent, "ids"),)))
    assert (found is not None and "is 5 and 9 in one" in found) is seen
    assert two_in_one(Compute((given(numpy.array([ids], "i4"), "ids"),))) is None
