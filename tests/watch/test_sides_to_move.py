"""Guests send boards as the marks of both players, and of the side to move and the other one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.follower import Follower
from pywasm_nn.watch.whatif import sides_to_move
from pywasm_nn.watch.whatif.sides_to_move import SidesToMove, is_written, marks_in, wins
from pywasm_nn.watch.whatif.values_of_boards import are_held, positions
from tests.watch.oracles import StandIn

DROPS = [
    ("w", ["......", "......", "......", "b.....", "bbb.ww", "www..b"]),
    ("w", ["b.....", "b.....", "b.....", "......", "..www.", "......"]),
    ("b", ["....ww", "b.....", "b.....", "b.....", "......", "www..b"]),
    ("b", ["w.....", "......", "......", "......", "www..b", "bbb..w"]),
    ("b", ["w.....", "..w...", "..w...", "..w...", "......", "bbb..."]),
]
"""Who is to move, and boards on which both can get four in a row, at different squares."""
Way = Callable[[Any, Any], Any]
WAYS: dict[str, Way] = {
    "planes": lambda first, second: numpy.stack([first, second])[None],
    "planes last": lambda first, second: numpy.stack([first, second], axis=-1)[None],
    "signs": lambda first, second: (first * 1.0 - second)[None],
    "signs in a row": lambda first, second: (first * 1.0 - second).reshape(1, -1),
}
FORMS: dict[str, Callable[[str, Sequence[str]], str]] = {
    "before": lambda side, rows: f"{side} {''.join(rows)}",
    "behind": lambda side, rows: f"{'/'.join(rows)} {side}",
    "in fields": lambda side, rows: ",".join([*"".join(rows), side]),
    "nobody": lambda _, rows: "".join(rows),
}


class Player(StandIn):
    """Stands for a model that wins where it can for the side whose marks come first or second, else keeps the
    other from that."""

    def __init__(self, side: int) -> None:
        self._side = side

    def outputs_of(self, _: int, array: Any) -> Sequence[Any]:
        marks = marks_in(array)
        scores = numpy.linspace(0, 0.1, marks.size)
        for place in numpy.flatnonzero(marks == 0).tolist():
            scores[place] += wins(marks, -self._side, place) + 2 * wins(marks, self._side, place)
        return [Tensor.from_numpy(scores.astype("f4").reshape(1, -1))]


def follow(rule: Follower, graph: Any, given: Any, answer: Tensor) -> None:
    """A board is sent, and the model answers."""
    for operation, index, tensor in (("set_input", 0, Tensor.from_numpy(given)), ("compute", None, answer)):
        event: Any = SimpleNamespace(
            error=None, given=(), operation=operation, index=index, tensors=(tensor,),
            specs=(TensorSpec(graph.inputs[0].name, tensor.dtype, tensor.shape),), graph=graph, graph_id=1,
        )  # fmt: skip
        rule.nn_event(event)


def said(monkeypatch: pytest.MonkeyPatch, player: Player, way: Way, form: str, first: str) -> str:
    """What is said of a guest that sends the marks of "w", "b", or of the side to move ("own") first."""
    monkeypatch.setattr(sides_to_move, "Runs", player)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="board")])
    text = "\n".join(["# games", *(FORMS[form](side, rows) for side, rows in DROPS)])
    rule = SidesToMove(lambda: [("games.txt", text.encode())], lambda _, put: put(graph, 1e-3, 1.0))
    for side, rows in DROPS:
        letters = numpy.array([[*row] for row in rows])
        own = side if first == "own" else first
        given = way(letters == own, (letters != own) & (letters != ".")).astype("f4")
        follow(rule, graph, given, player.outputs_of(0, given)[0])
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", WAYS)
def test_marks_of_the_same_player_first(monkeypatch: pytest.MonkeyPatch, way: str, form: str) -> None:
    own, other = Player(1), Player(-1)
    for first in ("w", "b"):
        text = said(monkeypatch, own, WAYS[way], form, first)
        is_told = form != "nobody" or first == "w"  # who began, so that counts tell whose turn it is
        assert ("with the two kinds of marks exchanged" in text) is is_told, first
    assert said(monkeypatch, own, WAYS[way], form, "own") == ""
    assert said(monkeypatch, other, WAYS[way], form, "w") == "", "it may be trained so"


BEGUN = ["x....", "..o..", ".x...", "....o", "x...."]
"""A board of 5 x 5 on which "x" began, and "o" is to move."""


def counted(monkeypatch: pytest.MonkeyPatch, player: Player, way: Way, sent: Sequence[str]) -> str:
    """The hint about a guest without a file that sends a board in four turns, with these marks first."""
    monkeypatch.setattr(sides_to_move, "Runs", player)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="squares")])
    rule = SidesToMove(lambda: [], lambda _, put: put(graph, 1e-3, 1.0))
    letters = numpy.array([[*row] for row in BEGUN])
    for board in (letters, letters.T, letters[::-1], letters[:, ::-1]):
        for own in sent:
            given = way(board == own, (board != own) & (board != ".")).astype("f4")
            follow(rule, graph, given, player.outputs_of(0, given)[0])
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("way", WAYS)
def test_counts_of_marks_say_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    text = counted(monkeypatch, Player(1), WAYS[way], "x")
    assert "in 4 of 4 positions there is one mark more of the first kind" in text
    assert counted(monkeypatch, Player(1), WAYS[way], "o") == "", "of the side to move"
    assert counted(monkeypatch, Player(1), WAYS[way], "xo") == "", "both sides are looked at"
    for other in (Player(-1), Turn(1)):
        assert counted(monkeypatch, other, WAYS[way], "x") == ""


EVEN = ["x....", "..o..", ".x...", "....o", "....."]
"""A board on which either may be to move."""


def written_of(
    monkeypatch: pytest.MonkeyPatch, player: Player, own: str, form: str, way: str = "signs in a row"
) -> str:
    """The hint about a guest that sends these marks of a file's boards first, and writes so of each."""
    monkeypatch.setattr(sides_to_move, "Runs", player)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="squares")])
    letters = numpy.array([[*row] for row in EVEN])
    boards = [letters, letters.T, letters[::-1]]
    text = "\n".join("".join(board.reshape(-1)) for board in boards)
    rule = SidesToMove(lambda: [("evening.txt", text.encode())], lambda _, put: put(graph, 1e-3, 1.0))
    for number, board in enumerate(boards):
        given = WAYS[way](board == own, (board != own) & (board != ".")).astype("f4")
        follow(rule, graph, given, player.outputs_of(0, given)[0])
        data = form.format(number).encode() + b"\n"
        event: Any = SimpleNamespace(
            name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [data]))
        )
        rule.host_call(event)
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("form", ["x plays {}", "{}. x to a{}".replace("a{}", "a4"), "now x should go to {}"])
def test_a_guest_that_writes_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    for way in WAYS:
        text = written_of(monkeypatch, Player(1), "o", form, way)
        assert ('the guest writes of "x" where it goes' in text) is ("should go" not in form)
    for own, words in (
        ("x", form),
        ("o", form.replace("x", "o")),
        ("o", form + ", o plays b2"),
        ("o", "x {}"),
    ):
        assert written_of(monkeypatch, Player(1), own, words) == "", words
    for other in (Player(-1), Turn(1)):
        assert written_of(monkeypatch, other, "o", form) == ""


@pytest.mark.parametrize("form", ["{}'s turn; {} to move: square 4\n", "{} plays 4\n"])
@pytest.mark.parametrize("way", WAYS)
def test_a_single_board_with_a_line_for_each_row(
    monkeypatch: pytest.MonkeyPatch, way: str, form: str
) -> None:
    """What the guest writes of the second marks and their count say who is to move."""
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="squares")])

    def hint(rows: Sequence[str], own: str, letter: str, player: Player) -> str:
        monkeypatch.setattr(sides_to_move, "Runs", player)
        text = "evening game\n" + "\n".join(rows) + "\n"
        rule = SidesToMove(lambda: [("a.txt", text.encode())], lambda _, put: put(graph, 1e-3, 1.0))
        board = numpy.array([[*row] for row in rows])
        given = WAYS[way](board == own, (board != own) & (board != ".")).astype("f4")
        follow(rule, graph, given, player.outputs_of(0, given)[0])
        data = form.format(letter, letter).encode()
        event: Any = SimpleNamespace(
            name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [data]))
        )
        rule.host_call(event)
        return " ".join(text for _, text in rule.finish())

    assert 'the guest writes of "o" where it goes' in hint(BEGUN, "x", "o", Player(1))
    assert hint(BEGUN, "o", "o", Player(1)) == "", "the own marks come first"
    assert hint(BEGUN, "x", "o", Player(-1)) == hint(BEGUN, "x", "o", Turn(1)) == ""
    assert hint(BEGUN, "x", "x", Player(1)) == "" and hint(EVEN, "x", "o", Player(1)) == ""


@pytest.mark.parametrize("way", WAYS)
def test_boards_that_nobody_wins_at_once(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """The letter beside a board says who is to move, and the model is asked about others."""
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="squares")])

    def hint(boards: Sequence[Sequence[str]], own: str, player: Player, side: str = "o") -> str:
        monkeypatch.setattr(sides_to_move, "Runs", player)
        text = "\n".join(f"{''.join(rows)} {side}" for rows in boards)
        rule = SidesToMove(lambda: [("a.txt", text.encode())], lambda _, put: put(graph, 1e-3, 1.0))
        for rows in boards:
            board = numpy.array([[*row] for row in rows])
            given = WAYS[way](board == own, (board != own) & (board != ".")).astype("f4")
            follow(rule, graph, given, player.outputs_of(0, given)[0])
        return " ".join(text for _, text in rule.finish())

    for boards in ([BEGUN], [BEGUN, BEGUN[::-1]], [EVEN, EVEN[::-1]]):
        assert f"in {len(boards)} of {len(boards)} positions the side to move" in hint(boards, "x", Player(1))
        assert hint(boards, "o", Player(1)) == hint(boards, "x", Player(1), side="x") == "", "of the mover"
        assert hint(boards, "x", Player(-1)) == hint(boards, "x", Turn(1)) == "", "it may be trained so"
    assert hint([EVEN], "x", Player(1)) == "", "its marks may say another one"


class Missing(Player):
    """A small model that doesn't see one line of three or more."""

    def outputs_of(self, index: int, array: Any) -> Sequence[Any]:
        [scores] = super().outputs_of(index, array)
        numbers = scores.numpy().copy()
        self._asked = getattr(self, "_asked", 0) + 1
        return [Tensor.from_numpy(-numbers if self._asked % 16 == 0 else numbers)]


def test_a_model_that_misses_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "where it goes" in written_of(monkeypatch, Missing(1), "o", "x plays {}")


class Turn(Player):
    """A model that finds out from a count of marks who is to move."""

    def outputs_of(self, index: int, array: Any) -> Sequence[Any]:
        marks = marks_in(array)
        self._side = 1 if (marks == 1).sum() <= (marks == -1).sum() else -1
        return super().outputs_of(index, array)


def test_a_model_that_counts_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for way in WAYS.values():
        assert said(monkeypatch, Turn(1), way, "behind", "w") == ""


def test_boards_in_texts() -> None:
    board = numpy.array([[1, 1, 0], [0, -1, 0], [0, -1, 0]])
    assert is_written(board, ["noughts:\nxx.\n.o.\n.o.\n"])
    assert is_written(board, ["xx..o..o. x"])
    assert not is_written(board, ["x..xoo..."]), "column by column"
    assert not is_written(board, ["xx..o..o.", "x..xoo..."])
    assert not is_written(board, ["xx..o....", "a text"])


ROWS = [
    "x...o.x..",
    "o..xx....",
    "xx.oo.x..",
    ".x.ox....",
    "x.oxo.x..",
]
"""Boards on which the second kind is to move."""


class Knowing(StandIn):
    """A model that finds the square, but only with the planes as it learned them: the own marks `first`."""

    def __init__(self, squares: Sequence[int], *, is_own_first: bool) -> None:
        self._squares, self._is_own_first = squares, is_own_first

    def outputs_of(self, _: int, array: Any) -> Sequence[Any]:
        marks = marks_in(array)
        scores = numpy.linspace(0, 0.1, marks.size)[::-1].copy()
        for row, square in zip(ROWS, self._squares, strict=True):
            own = numpy.array([" o x".find(one) - 2 if one != "." else 0 for one in row])
            if (marks.reshape(-1) == (-own if self._is_own_first else own)).all():
                scores[square] = 1
        return [Tensor.from_numpy(scores.astype("f4").reshape(1, -1))]


def found(
    monkeypatch: pytest.MonkeyPatch, way: Way, start: int, *, squares: Sequence[int], **kinds: bool
) -> str:
    """What is said of a guest that sends "x" first, though "o" is to move by the counts."""
    model = Knowing([4 + 1, 8, 2, 0, 7][: len(ROWS)], is_own_first=kinds["is_own_first"])
    monkeypatch.setattr(sides_to_move, "Runs", model)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="board")])
    text = "\n".join(f"{row};{square + start}" for row, square in zip(ROWS, squares, strict=True))
    rule = SidesToMove(lambda: [("a.csv", text.encode())], lambda _, put: put(graph, 1e-3, 1.0))
    for row in ROWS:
        letters = numpy.array([*row]).reshape(3, 3)
        given = way(letters == "x", letters == "o").astype("f4")
        follow(rule, graph, given, model.outputs_of(0, given)[0])
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("way", WAYS)
def test_squares_that_a_file_has_beside_boards(monkeypatch: pytest.MonkeyPatch, way: str, start: int) -> None:
    right = [5, 8, 2, 0, 7]
    assert "the second kind has fewer marks" in found(
        monkeypatch, WAYS[way], start, squares=right, is_own_first=True
    )
    assert found(monkeypatch, WAYS[way], start, squares=right, is_own_first=False) == ""
    assert found(monkeypatch, WAYS[way], start, squares=[7, 2, 5, 0, 1], is_own_first=True) == "", (
        "of another kind of number"
    )


GAMES = {
    "in a row": (3, [0, 4, 8, 2, 6, 7]),
    "falling": (5, [20, 21, 15, 22, 16, 17, 23]),
}
"""Sides of boards, and the squares of a game's moves."""


def can_win(marks: Any, side: int) -> bool:
    free = numpy.flatnonzero(marks == 0).tolist()
    return any(wins(marks, side, at) for at in free)


class Valuing(StandIn):
    """A model with one value for a board. By `sort` it is that of the side whose marks come first, if that is
    to move ("own"), of the first player by whose turn it is ("first"), of the side to move by the counts
    ("turn"), or what the first marks are ahead of the others ("ahead")."""

    def __init__(self, sort: str) -> None:
        self._sort = sort

    def outputs_of(self, _: int, array: Any) -> Sequence[Any]:
        marks = marks_in(array, begun=False)
        first, second = (can_win(marks, side) for side in (1, -1))
        is_second = bool(marks.sum() > 0)
        value = {
            "own": 6.0 * first - 3,
            "first": -5.0 * second + second * first if is_second else 5.0 * first,
            "turn": 4.0 * (second if is_second else first),
            "ahead": 2.0 * first - 2.0 * second,
        }[self._sort]
        return [Tensor.from_numpy(numpy.array([[value]], "f4"))]


def valued(monkeypatch: pytest.MonkeyPatch, sort: str, way: Way, game: str, sent: str) -> str:
    """What is said of a guest that sends the marks of the first player first, of the side to move ("own"), of
    the other one ("other"), or in both ways, move by move from the empty board on."""
    model = Valuing(sort)
    monkeypatch.setattr(sides_to_move, "Runs", model)
    graph: Any = SimpleNamespace(inputs=[SimpleNamespace(name="board")])
    rule = SidesToMove(lambda: [], lambda _, put: put(graph, 1e-3, 1.0))
    side, moves = GAMES[game]
    marks = numpy.zeros((side, side))
    for number in range(len(moves) + 1):
        signs = {"first": (1,), "own": ((-1) ** number,), "other": (-((-1) ** number),), "both": (1, -1)}
        for sign in signs[sent]:
            given = way(marks == sign, marks == -sign).astype("f4")
            follow(rule, graph, given, model.outputs_of(0, given)[0])
        if number < len(moves):
            marks.reshape(-1)[moves[number]] = (-1) ** number
    return " ".join(text for _, text in rule.finish())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("way", WAYS)
def test_one_value_for_a_board(monkeypatch: pytest.MonkeyPatch, way: str, game: str) -> None:
    for sent in ("first", "other"):
        assert "one mark more of the first kind" in valued(monkeypatch, "own", WAYS[way], game, sent)
    for sent in ("own", "both"):
        assert valued(monkeypatch, "own", WAYS[way], game, sent) == "", sent
    for sort in ("first", "turn", "ahead"):
        assert valued(monkeypatch, sort, WAYS[way], game, "first") == "", sort


def test_positions_are_made_as_marks_fall() -> None:
    board = numpy.zeros((6, 7))
    board[5, 2], board[4, 2] = 1, -1
    kinds = positions([board], wins)
    assert [len(kind) for kind in kinds] == [2, 2, 2]
    assert all(are_held(one) and one.sum() == 1 for kind in kinds for one in kind)
    assert not are_held(numpy.eye(3))
