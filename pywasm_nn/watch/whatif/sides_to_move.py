"""Games on a board whose two planes are the marks of the side to move and those of the other one: does the
guest send them as those of the first and the second player, whoever is to move?

What is here: `SidesToMove`, and how texts write boards (`is_written`). What is not: squares that are taken,
and the row and column of a square (`probes/boards.py`), and models that give one value for a board
(`values_of_boards.py`), a verdict (`verdicts_on_boards.py`) or one value for each column
(`columns_of_boards.py`), to which only the question is put.

That side is the letter beside the board in a file, or in a line in which the guest writes whose move it is.
Models of both kinds are right, so the model is asked: if it puts the marks of the side to move in a row with
the planes exchanged, and as sent never does where it could, it takes that side for the other one. Where no
letter says whose turn it is, but a number beside each board which square is right, the model has to find all
of these with the planes exchanged. Where nothing does, the counts of marks tell, as players move in turns, or
the guest, which writes where a letter goes; then the model is asked about positions made up here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...interpreter.runtime.observe import HostEvent
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, only_answer
from ..regex import regex
from ..spoken import Heard, filled_lines
from ..surroundings import Files, text_in
from .asking import MOST, Runs, numbers_of
from .between_texts import Asking
from .boards_in_planes import planes_of
from .columns_of_boards import Chance, are_on_last, chances, falling
from .one_model import OneModel
from .values_of_boards import are_both_ways, are_of_one_player, have_second_to_move, valued, won
from .verdicts_on_boards import VERDICTS, of_mover
from .verdicts_said import contrary_words, said_lost

FEWEST, MOST_SQUARES, MOST_KEPT = 9, 361, 16
"""Squares of a board, and the most inputs that are kept."""
MOST_BYTES, MOST_WORDS = 1 << 16, 1 << 12
MOST_TOGETHER = 1 << 9
"""Words of a text whose boards have each row in a line of its own."""
MOST_OF_A_BOARD = 64
"""Words of which a text makes a board at most."""
IN_A_ROW = ((3, 3), (8, 4), (19, 5))
"""Up to which side of a board how many marks in a row win."""
WORD = regex(r"[^\s,;|/]+")
MOVES = regex(r"(?<![\w.])([^\W\d_])(?: (?:should |can )?(?:to|plays?|moves?|goes|takes|puts?)\b)")
"""A letter of which is said where it goes."""
AROUND = "()[]:"
"""What may stand around words."""
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
BETTER, FEWEST_KNOWN = 2, 4
"""Positions that are won, or known, only with the planes exchanged, and of how many a file has the square."""
QUICK = 0.002
"""Seconds of a run that are allowed to the quickest models."""


class Position(Frozen):
    """An input that is a board, its `marks` [rows, columns] (1 and -1), and the squares' scores."""

    given: Tensor
    marks: Any
    scores: Any

    @property
    def exchanged(self) -> Any:
        """The input with the marks of both sides exchanged."""
        return self.with_marks(-self.marks)

    @property
    def is_valued(self) -> bool:
        """Whether the answer is one number for the whole board."""
        return bool(self.scores.size == 1)

    @property
    def is_of_columns(self) -> bool:
        """Whether the answer is one number for each column."""
        return bool(1 < self.scores.size < self.marks.size and self.scores.size == self.marks.shape[1])

    @property
    def is_verdict(self) -> bool:
        """Whether the answer may be who wins. On a board of three columns it may be of these, too."""
        return self.scores.size in VERDICTS

    def with_marks(self, marks: Any) -> Any:
        """The input as it is with these marks."""
        array = self.given.numpy()
        if array.size == self.marks.size:
            return marks.reshape(array.shape).astype(array.dtype)
        if not has_axis(array):
            planes = planes_of(array)
            assert planes is not None  # the marks were found by these
            return planes.made(marks, array)
        axis, both = axis_of(array), numpy.stack([marks == 1, marks == -1])
        rest = [length for at, length in enumerate(array.shape) if at != axis % array.ndim]
        return numpy.moveaxis(both.reshape(2, *rest), 0, axis).astype(array.dtype)

    def best(self, scores: Any) -> int:
        """The free square with the largest score."""
        return int(numpy.where(self.marks.reshape(-1) == 0, scores, -numpy.inf).argmax())


class SidesToMove(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[str]) -> None:
        self._files, self._ask = files, ask
        self._model = OneModel(board_of, are_all_known=True)
        self._kept: list[Position] = []
        self._heard = Heard()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if not self._model.is_over:
            self._heard.add(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = self._model.computed(event)
        if given is None or len(self._kept) >= MOST_KEPT:
            return
        marks = marks_in(given.numpy())
        scores = only_answer(event.tensors)
        if marks is None and scores is not None:
            return  # a game's beginning
        sizes = () if marks is None else (1, *VERDICTS, marks.shape[1], marks.size)
        if scores is None or marks is None or scores.size not in sizes:
            self._model.is_over = True
            return
        self._kept.append(Position(given, marks, scores.astype("f8").reshape(-1)))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event = self._model.last
        if event is None or not self._kept:
            return
        kept = [*{one.marks.tobytes(): one for one in self._kept}.values()]
        if all(one.is_of_columns for one in kept) and are_on_last([one.marks for one in kept]) is not None:
            wrong = self._of_columns(event, kept)
        elif all(one.is_verdict for one in kept):
            wrong = self._of_verdicts(event, kept)
        elif any(one.is_of_columns for one in kept):
            return
        elif any(one.is_valued for one in kept):
            wrong = self._of_values(event, kept) if len(self._kept) >= BETTER else ""
        else:
            wrong = self._of_squares(event, kept)
        if wrong:
            yield "whatif", f"{self._model.called}: {wrong}"

    def _texts(self) -> list[str]:
        """The files, as texts."""
        return [text_in(data, MOST_BYTES) for _, data in self._files()]

    def _together(self) -> list[list[str]]:
        """The words of each file, of which a board may have each row in a line of its own."""
        return [WORD.findall(text)[:MOST_TOGETHER] for text in self._texts()]

    def _lines(self) -> list[list[str]]:
        """The words of each line of the files, and of what the guest writes of whose move it is."""
        lines = [WORD.findall(line) for text in self._texts() for line in text.splitlines()[:MOST_WORDS]]
        return lines + said_beside(self._heard.text)

    def _of_squares(self, event: NNEvent, kept: Sequence[Position]) -> str | None:
        """Returns what is wrong, by a model with a score for each square."""
        with paused():
            lines = self._lines()
            movers = [mover_of(one.marks.reshape(-1), lines) for one in kept]
            others = [one for one, side in zip(kept, movers, strict=True) if side == -1]
            known = {} if others else squares_of(kept, lines)
        if others and (len(others) >= BETTER or are_counted(kept, movers)):
            return self._ask(event, lambda twin, *left: of_letters(twin, kept, others, *left))
        if known:
            return self._ask(event, lambda twin, *left: found_by(twin, kept, known, *left))
        if any(movers):
            return ""
        boards = [one.marks for one in kept]
        if have_second_to_move(boards):
            why = (
                f"in {sum(int(one.sum()) for one in boards)} of {len(boards)} positions there is one mark "
                "more of the first kind, so that the side with the second marks is to move"
            )
        elif letter := said_to_move(boards, lines + self._together(), self._heard.text):
            why = f'the guest writes of "{letter}" where it goes, whose marks are the second ones'
        else:
            return ""
        return self._ask(event, lambda twin, *left: by_squares(twin, kept, why, *left))

    def _of_columns(self, event: NNEvent, kept: Sequence[Position]) -> str | None:
        """Returns what is wrong, by a model with one value for each column."""
        with paused():
            words = self._together()
            ways = [(one.marks.reshape(-1), one.marks[::-1].reshape(-1)) for one in kept]
            second = sum(any(mover_of(flat, words) == -1 for flat in both) for both in ways)
            made_up = chances(kept[0].marks.shape, wins)
        return self._ask(event, lambda twin, *left: by_columns(twin, kept, made_up, second, *left))

    def _of_values(self, event: NNEvent, kept: Sequence[Position]) -> str | None:
        """Returns what is wrong, by a model with one value for a board."""
        boards = [one.marks for one in kept]
        if not all(one.is_valued for one in kept) or not are_of_one_player(boards):
            return ""
        return self._ask(event, lambda twin, *left: by_values(twin, kept[0], boards, *left))

    def _of_verdicts(self, event: NNEvent, kept: Sequence[Position]) -> str | None:
        """Returns what is wrong, by a model that says who wins."""
        boards = [one.marks for one in kept]
        with paused():
            lines, said = self._lines(), filled_lines(self._heard.text)[:MOST_WORDS]
            lost = said_lost(boards, said, wins, lambda marks, line: mover_of(marks, said_beside(line)))
            second = sum(mover_of(one.reshape(-1), lines) == -1 for one in boards)
        if len(lost) >= BETTER:
            return self._ask(event, lambda twin, *left: by_words(twin, kept, lost, *left))
        if len(kept) < BETTER or not (are_of_one_player(boards) or second >= BETTER):
            return ""
        return self._ask(event, lambda twin, *left: by_verdicts(twin, kept[0], boards, second, *left))


def board_of(tensor: Tensor) -> Tensor | None:
    """Returns a copy of an input that is a board of marks, or None for anything else."""
    numbers = tensor.numbers() if FEWEST <= tensor.size <= 16 * MOST_SQUARES else None
    if numbers is None or marks_in(numbers.reshape(tensor.shape), begun=False) is None:
        return None
    return Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))


def axis_of(array: Any) -> int:
    """The axis of two planes: the only one of that length, or the last but two."""
    places = [at for at, length in enumerate(array.shape) if length == len(DIRECTIONS) // 2]
    return places[0] if places else -1


def has_axis(array: Any) -> bool:
    """Whether an array has an axis of two planes."""
    return [*array.shape].count(len(DIRECTIONS) // 2) == 1


def marks_in(array: Any, *, begun: bool = True) -> Any:
    """Returns 1 and -1 for the marks of a board, [rows, columns], and 0 for free squares, or None if an array
    is none: it has planes of zeros and ones, or these numbers. If it has `begun`, there are both."""
    lengths = [length for length in array.shape if length != 1]
    known = {*array.reshape(-1).tolist()}
    is_square = known <= {0, 1} and not has_axis(array)
    if is_square and (found := planes_of(array)) is not None:
        marks = found.marks(array)
        return marks if not begun or {1, -1} <= {*marks.reshape(-1).tolist()} else None
    if known <= {0, 1} and lengths.count(2) == 1 and array.size >= 2 * FEWEST:
        planes = numpy.moveaxis(array, axis_of(array), 0).astype("f8")
        if (begun and not planes.reshape(2, -1).any(axis=1).all()) or planes.sum(axis=0).max() > 1:
            return None
        flat, lengths = (planes[0] - planes[1]).reshape(-1), [one for one in lengths if one != 2]
    elif known == {-1, 0, 1} or (not begun and known < {-1, 0, 1}):
        flat = array.astype("f8").reshape(-1)
    else:
        return None
    side = round(flat.size**0.5)
    shape = (side, side) if len(lengths) == 1 else tuple(lengths)
    is_board = len(shape) == 2 and FEWEST <= flat.size <= MOST_SQUARES and flat.size == shape[0] * shape[1]
    return flat.reshape(shape) if is_board else None


def mover_of(flat: Any, lines: Sequence[Sequence[str]]) -> int:
    """Returns 1 or -1 for the marks of the side whose letter stands beside a board in a line, or 0 if none
    does, or lines say both."""
    found = set()
    for words in lines:
        for start, end, letters in written(flat, words):
            beside = [*words[max(0, start - 1) : start], *words[end : end + 1]]
            sides = {side for side, letter in letters.items() for one in beside if side and one == letter}
            found |= sides if len(sides) == 1 else {0}
    return found.pop() if len(found) == 1 else 0


def said_beside(heard: str) -> list[list[str]]:
    """Returns the words of each line that says of one letter that it is to move (`x.o.., x to move`), without
    other letters, of which it may say that they won."""
    found = []
    for line in filled_lines(heard)[:MOST_WORDS]:
        if len(going := {*MOVES.findall(line)}) == 1:
            words = [one.strip(AROUND) for one in WORD.findall(line)]
            found.append([one if len(one) > 1 or not one.isalpha() or one in going else "" for one in words])
    return found


def said_to_move(boards: Sequence[Any], lines: Sequence[Sequence[str]], heard: str) -> str:
    """Returns the letter of the second marks, if a file has each board with the same letters, and the guest
    writes of that one, for each board, where it goes, and never of the other one, or "". None has more of the
    second marks, which would not be to move, and none is sent both ways; of a single board the counts of
    marks have to say the same."""
    over = [int(one.sum()) for one in boards]
    if min(over) < 0 or are_both_ways(boards) or over == [0]:
        return ""
    ways = []
    for one in boards:
        found = [letters for words in lines for *_, letters in written(one.reshape(-1), words)]
        if not found:
            return ""
        ways += [(letters[1], letters[-1]) for letters in found]
    (first, second), *others = {*ways}
    going = Counter(MOVES.findall(heard))
    return second if not others and going[second] >= len(boards) and not going[first] else ""


def squares_of(positions: Sequence[Position], lines: Sequence[Sequence[str]]) -> dict[int, int]:
    """Returns the square that a number behind each board says, by the place of its position, or {} without
    one. Only positions in which the second kind has fewer marks count, as if it were to move; the squares
    are counted from 0 or 1, and must be free."""
    numbers = {}
    for place, one in enumerate(positions):
        flat = one.marks.reshape(-1)
        behind = {
            int(last)
            for words in lines
            for _, end, _ in written(flat, words)
            if (last := words[-1]).isdecimal() and end < len(words)
        }
        if flat.sum() > 0 and len(behind) == 1:
            numbers[place] = behind.pop()
    for start in (0, 1):
        squares = {place: number - start for place, number in numbers.items()}
        are_free = all(
            0 <= at < positions[place].marks.size and not positions[place].marks.reshape(-1)[at]
            for place, at in squares.items()
        )
        if are_free and len(squares) >= FEWEST_KNOWN and len({*squares.values()}) > BETTER:
            return squares
    return {}


def written(flat: Any, words: Sequence[str]) -> Iterator[tuple[int, int, dict[int, str]]]:
    """Yields where words are a board, square by square, and the letter of each kind of square."""
    for start in range(len(words)):
        text, end = "", start
        while end < min(len(words), start + MOST_OF_A_BOARD) and len(text) < len(flat):
            text, end = text + words[end], end + 1
        if len(text) == len(flat) and (letters := letters_of(flat, text)):
            yield start, end, letters


def letters_of(flat: Any, text: str) -> dict[int, str]:
    """The letter of each kind of square, or {} if a text isn't that board."""
    found: dict[int, str] = {}
    for mark, letter in zip(flat.astype(int).tolist(), text, strict=True):
        if found.setdefault(mark, letter) != letter:
            return {}
    return found if len({*found.values()}) == len(found) else {}


def is_written(marks: Any, texts: Sequence[str]) -> bool:
    """Whether a text has a board row by row, and none has it column by column."""
    words = [WORD.findall(text)[:MOST_WORDS] for text in texts]
    by_rows, by_columns = (
        any(next(written(flat, one), None) is not None for one in words)
        for flat in (marks.reshape(-1), marks.T.reshape(-1))
    )
    return by_rows and not by_columns


def wins(marks: Any, side: int, place: int) -> bool:
    """Whether a side has enough marks in a row with another one at this place."""
    count = next((most for until, most in IN_A_ROW if max(marks.shape) <= until), 0)
    row, column = divmod(place, marks.shape[1])
    for down, across in DIRECTIONS:
        length = 1
        for sign in (1, -1):
            at = row + sign * down, column + sign * across
            while 0 <= at[0] < marks.shape[0] and 0 <= at[1] < marks.shape[1] and marks[at] == side:
                length, at = length + 1, (at[0] + sign * down, at[1] + sign * across)
        if 0 < count <= length:
            return True
    return False


def are_counted(positions: Sequence[Position], movers: Sequence[int]) -> bool:
    """Whether the counts of marks say the same of each position as the letter beside it, if the first kind
    began: the second one is to move where it has a mark less."""
    pairs = zip(positions, movers, strict=True)
    return all(int(one.marks.sum()) == (side == -1) for one, side in pairs if side)


def of_letters(
    graph: Graph,
    positions: Sequence[Position],
    others: Sequence[Position],
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a hint if a model wins for the side to move only with both kinds of marks exchanged, where that
    side has the second ones (`others`), or "". If hardly any of these can be won at once, it is asked about
    positions made up here. Raises NNError."""
    better, worse = of_others(graph, others, seconds, most)
    if worse:
        return ""
    if better < BETTER:
        why = (
            f"in {len(others)} of {len(positions)} positions the side to move has the second marks, by the "
            "letter beside the board"
        )
        return by_squares(graph, positions, why, seconds, most)
    return (
        f"in {len(others)} positions the side to move has the second marks, by the letter beside the "
        f"board; as sent the best free square doesn't win {better} of these, and does with the two "
        "kinds of marks exchanged: does the model want the own marks of the side to move first, and not "
        "always those of one player?"
    )


def of_others(graph: Graph, positions: Sequence[Position], seconds: float, most: float) -> tuple[int, int]:
    """Returns in how many positions a model wins for the second marks only with both kinds exchanged, and in
    how many only as sent. Raises NNError."""
    better = worse = 0
    with Runs(graph, [positions[0].given], most, once_open=max(seconds, QUICK)) as runs:
        for one in positions:
            scores = numbers_of(runs, one.exchanged)
            if scores is None or scores.size != one.marks.size:
                break
            own, other = (wins(one.marks, -1, one.best(by)) for by in (one.scores, scores))
            better, worse = better + (other and not own), worse + (own and not other)
    return better, worse


def found_by(
    graph: Graph, positions: Sequence[Position], known: Mapping[int, int], seconds: float, most: float = MOST
) -> str:
    """Returns a hint if a model finds the square that a file has for each position only with both kinds of
    marks exchanged, or "". Raises NNError."""
    missed = 0
    with Runs(graph, [positions[0].given], most, once_open=max(seconds, QUICK)) as runs:
        for place, square in known.items():
            one = positions[place]
            scores = numbers_of(runs, one.exchanged)
            if scores is None or scores.size != one.marks.size or one.best(scores) != square:
                return ""
            missed += one.best(one.scores) != square
    if missed < BETTER:
        return ""
    return (
        f"in {len(known)} positions the second kind has fewer marks, and so is to move; the square that a "
        f"file has beside each board isn't the best one in {missed} of these as sent, and is in all with the "
        "two kinds of marks exchanged: does the model want the own marks of the side to move first, and not "
        "always those of one player?"
    )


def by_squares(
    graph: Graph, positions: Sequence[Position], why: str, seconds: float, most: float = MOST
) -> str:
    """Returns a hint if a model wins for the side to move, which for this reason has the second marks, only
    with both kinds of marks exchanged, or "". Raises NNError."""
    first = positions[0]
    with Runs(graph, [first.given], most, once_open=max(seconds, QUICK)) as runs:

        def best_of(marks: Any) -> int | None:
            scores = numbers_of(runs, first.with_marks(marks))
            if scores is None or scores.size != marks.size:
                return None
            return int(numpy.where(marks.reshape(-1) == 0, scores, -numpy.inf).argmax())

        if not won([one.marks for one in positions], wins, best_of):
            return ""
    return (
        f"{why}; asked about positions in which these are to move, the model's best free square "
        "wins at once for the first kind, and with the two kinds of marks exchanged for the side to move: "
        "does the model want the own marks of the side to move first (1, not -1), and not those of the other "
        "one?"
    )


def by_columns(
    graph: Graph,
    positions: Sequence[Position],
    made_up: Sequence[Sequence[Chance]],
    second: int,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a hint if a model knows boards with the bottom at the other end, or with the own marks of the
    side to move first, which has the second ones in so many, or "". Raises NNError."""
    first = positions[0]
    with Runs(graph, [first.given], most, once_open=max(seconds, QUICK)) as runs:

        def best_of(marks: Any) -> int | None:
            scores = numbers_of(runs, first.with_marks(marks))
            if scores is None or scores.size != first.scores.size:
                return None
            is_free = (marks == 0).any(axis=0)
            return int(numpy.where(is_free, scores, -numpy.inf).argmax())

        return falling([one.marks for one in positions], made_up, best_of, second)


def by_values(
    graph: Graph, position: Position, boards: Sequence[Any], seconds: float, most: float = MOST
) -> str:
    """Returns a hint if a model's values are those of the side to move only with both kinds of marks
    exchanged, where that side has the second ones, or "". Raises NNError."""
    with Runs(graph, [position.given], most, once_open=max(seconds, QUICK)) as runs:

        def value_of(marks: Any) -> float | None:
            numbers = numbers_of(runs, position.with_marks(marks))
            return float(numbers[0]) if numbers is not None and numbers.size == 1 else None

        if not valued(boards, wins, value_of):
            return ""
    count = sum(int(one.sum()) for one in boards)
    return (
        f"in {count} of {len(boards)} positions there is one mark more of the first kind, so that the side "
        "with the second marks is to move; asked about such positions, the model gives high values where the "
        "first kind could win at once, and with the two kinds of marks exchanged where the side to move can: "
        "does the model want the own marks of the side to move first, and not always those of one player?"
    )


def by_verdicts(
    graph: Graph,
    position: Position,
    boards: Sequence[Any],
    second: int,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a hint if a model's verdicts are for the side to move only with both kinds of marks exchanged,
    where that side has the second ones, in so many boards by the letter beside it, or "". Raises NNError."""
    with Runs(graph, [position.given], most, once_open=max(seconds, QUICK)) as runs:

        def scores_of(marks: Any) -> Any:
            return numbers_of(runs, position.with_marks(marks))

        if not of_mover(boards[0].shape, boards, wins, scores_of):
            return ""
    count = second or sum(int(one.sum()) for one in boards)
    why = "by the letter beside the board" if second else "as there is one mark more of the first"
    return (
        f"in {count} of {len(boards)} positions the side to move has the second marks, {why}; asked about "
        "such positions, the model says that the first marks win though the others can at once, and with the "
        "two kinds of marks exchanged it says what is so of all: does the model want the own marks of the "
        "side to move first, and not always those of one player?"
    )


def by_words(
    graph: Graph, positions: Sequence[Position], lost: Sequence[int], seconds: float, most: float = MOST
) -> str:
    """Returns a hint if a model says of positions that they are won which the guest says to be lost, or "".
    Raises NNError."""
    first = positions[0]
    with Runs(graph, [first.given], most, once_open=max(seconds, QUICK)) as runs:

        def scores_of(marks: Any) -> Any:
            return numbers_of(runs, first.with_marks(marks))

        boards, answers = ([getattr(one, name) for one in positions] for name in ("marks", "scores"))
        return contrary_words(boards, answers, lost, wins, scores_of)
