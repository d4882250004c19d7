"""`Evidence`: what the level "whatif" adds to a trace: where inputs came from, and whether the model would be
surer of other ones.

What is here: which rules are asked, in which order. What is not: inputs (`sent/inputs.py`), questions to
models (`whatif`), and what the guest does with other answers (`probes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..errors import GuestExit, WasmError
from ..interpreter.module import Module
from ..interpreter.runtime.observe import HostEvent, Watched
from ..nn.operation import NNEvent
from .amounts import Amounts
from .amounts.beside_newest import BesideNewest
from .amounts.standardised import Standardised
from .budget import Budget
from .failing import failure
from .feedback import Feedback
from .follower import Follower, Hearing, Said
from .hints.prompts import LineEnds
from .loops import Loops, SameText, Standing
from .loops.sounds_in_turns import MOST_OF_A_SOUND
from .order.assigned import Assigned
from .order.behind import Behind
from .order.chained import Chained
from .order.contexts import Contexts
from .order.crossed_columns import CrossedColumns
from .order.early import Early
from .order.ended import Ended
from .order.exchanged_room import ExchangedRoom
from .order.growing import Growing
from .order.joined import Joined
from .order.leftover import Leftover
from .order.moved_windows import MovedWindows
from .order.oldest import Oldest
from .order.one_argument import OneArgument
from .order.other_vocabulary import OtherVocabulary
from .order.overlaid import Overlaid
from .order.refetched import Refetched
from .order.replaced import Replaced
from .order.rounds import Rounds
from .order.still_ones import StillOnes
from .order.streams import Streams
from .order.unfilled import Unfilled
from .order.worst_moves import WorstMoves
from .origin import Origins
from .probes import Probes
from .sent.degrees import Degrees
from .sent.file_names import FileNames
from .sent.in_turns import InTurns
from .sent.inputs import FOREIGN, METADATA, Inputs, Line, Told
from .sent.line_numbers import LineNumbers
from .sent.lookups import Lookups
from .sent.nothing_sent import NothingSent
from .sent.record_orders import RecordOrders
from .sent.signed_bytes import SignedBytes
from .sent.tones import Tones
from .sent.unapplied import Unapplied
from .series import Series
from .series.drifting import Drifting
from .sheets.exchanged_places import ExchangedPlaces
from .whatif import WhatIf
from .whatif.between_texts import BetweenTexts
from .whatif.in_capitals import InCapitals
from .whatif.letter_orders import LetterOrders
from .whatif.several import Shows
from .whatif.sides_to_move import SidesToMove, wins
from .whatif.signed_letters import SignedLetters
from .whatif.standing_steps import StandingSteps
from .whatif.verdicts_on_boards import CodedBoards
from .whatif.weekdays import Weekdays
from .written.answers import Answers
from .written.broken import Broken
from .written.by_files import ByFiles
from .written.clocked import Clocked
from .written.crosswise import Crosswise
from .written.galleries import Galleries
from .written.known_items import KnownItems
from .written.meanings import Meanings
from .written.miscounted import Miscounted
from .written.old_length import OldLength
from .written.other_class import OtherClass
from .written.other_lines import OtherLines
from .written.painted import Painted
from .written.recognised import Recognised
from .written.sayings import Sayings
from .written.sent_items import SentItems
from .written.signs import Signs
from .written.similar import Similar
from .written.sketched import Sketched
from .written.told_rates import ToldRates
from .written.undone import Undone
from .written.unfetched import StatesAlone, Unfetched
from .written.unscaled import Forecasts
from .written.unscored import Unscored

L = TypeVar("L", bound=Line)


class Evidence:
    """Gives lines after operations: (None, where an input came from), or a rule and its hint."""

    def __init__(self, arguments: Sequence[str] = (), directories: Mapping[str, Path] | None = None) -> None:
        """`arguments` are those of the guest, and `directories` its ones, with where the host has them."""
        self.budget = self._budget = Budget()
        self._origins = Origins(arguments, self._budget, directories)
        origins, last = self._origins, self._origins.last_sound
        files, with_arrays = origins.files, origins.with_arrays
        self._whatif = WhatIf(self._budget, self._shows, files, arguments)
        whatif, reserve = self._whatif, self._budget.reserve
        self.probes = Probes(
            with_arrays, self._budget, whatif.points.meant, arguments, whatif.answer_to, last,
            self._origins.last_picture,
        )  # fmt: skip
        self._feedback = Feedback(self._origins.loud, self._origins.silent_channel, self._origins.has_data)
        self._loops = Loops(files, self._budget, sounds := partial(self._origins.files, MOST_OF_A_SOUND))
        self._rounds = rounds = Rounds(files, lambda: self._inputs.knows_why_alike)
        self._said: set[str] = set()
        replaced, series = Replaced(arguments, files), Series(files, with_arrays, arguments)
        joined, lookups, self._drifting = Joined(files), Lookups(files, arguments), Drifting(files)
        folders = tuple((directories or {}).values())
        assigned = Assigned(arguments, folders, files)
        told = Told(self._whatif, self.probes, rounds, replaced, assigned, series, joined, lookups)
        self._inputs = Inputs(self._origins, self._budget, told, folders)
        self._of_rounds: tuple[Follower, ...] = (
            NothingSent(files), FileNames(sounds), ExchangedRoom(), Contexts(), Leftover(files),
            OneArgument(arguments, folders), rounds, Streams(files, self._origins.about), series,
            InTurns(last, self._budget), Tones(last, self._budget),
            SignedBytes(last, files, self._budget, self._said),
        )  # fmt: skip
        """Rules about what is read, sent and computed in which order."""
        self._of_answers: tuple[Follower, ...] = (
            self._drifting, RecordOrders(files, Unapplied(folders).texts), lookups, LineEnds(files), Behind(),
            Refetched(), Amounts(files),
            Sayings(files, lambda: self.probes.shown), Answers(files), Recognised(files), Undone(with_arrays),
            Unfetched(), StatesAlone(), Unscored(), Early(), Forecasts(files), Ended(files), Broken(files),
            Standing(files), InCapitals(files, arguments, whatif.put, lambda: origins.alphabets, reserve),
            SignedLetters(files, arguments, whatif.put, reserve), SameText(files), Similar(),
            Galleries(files, folders), Painted(files), Sketched(), Clocked(last), ToldRates(files), Chained(),
            joined, replaced, assigned, Oldest(files, arguments), Signs(files, arguments), Miscounted(files),
            Unfilled(files, last), OtherLines(files), OtherClass(files), Overlaid(), CrossedColumns(files),
            ByFiles(files, Unapplied(folders).texts), OldLength(), KnownItems(files), Degrees(arguments),
            BetweenTexts(files, whatif.put), StandingSteps(files, whatif.put),
            Standardised(files, whatif.put, self._inputs.own_numbers), Weekdays(files, whatif.put),
            LetterOrders(files, whatif.put), SidesToMove(files, whatif.put), CodedBoards(wins, whatif.put),
            ExchangedPlaces(files, origins.last_picture), WorstMoves(), BesideNewest(files, whatif.put),
            StillOnes(), Growing(), OtherVocabulary(origins), LineNumbers(files, arguments), SentItems(files),
            MovedWindows(),
        )  # fmt: skip
        """Rules about answers, and what the guest writes of them; the surest first."""
        self._of_words: tuple[Follower, ...] = (Meanings(files), Crosswise(files))
        self._first: dict[str, Follower] = {}
        """By what they are about, the rules that had hints when the guest had ended."""
        self._failed: list[Said] = []
        """Sentences about rules that ended by a mistake of ours, and were not told yet."""

    @property
    def _followers(self) -> tuple[Follower, ...]:
        return (*self._of_rounds, *self._of_answers, *self._of_words)

    @property
    def _hearing(self) -> tuple[Hearing, ...]:
        return (self._origins, self._inputs, *self._followers, self._loops)

    def _spare(self, failed: object, error: Exception) -> None:
        """A mistake of ours in a rule ends that rule, not the others; one in a part that all rules need ends
        what that says of one event. In a copy of the guest it is raised."""
        if isinstance(error, WasmError | GuestExit) or self.probes.stand_in is not None:
            raise error
        self._failed.append(("search", failure(error, "a search for hints")))
        self._of_rounds = tuple([one for one in self._of_rounds if one is not failed])
        self._of_answers = tuple([one for one in self._of_answers if one is not failed])
        self._of_words = tuple([one for one in self._of_words if one is not failed])

    def _shows(self, context: int | None, count: int) -> Shows:
        return self._inputs.named_after.shows(context, count)

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._inputs.attach(module)
        self._loops.attach(module)
        for one in self._followers:
            one.attach(module)

    def host_call(self, event: HostEvent, guest: Callable[[], Watched | None] = lambda: None) -> None:
        """A host function returned: it may have read a file. `guest` gives the instance, if copies can go
        on."""
        for one in self._hearing:
            self._tell(one, one.host_call, event)
        self._tell(self.probes, self.probes.host_call, event, guest)

    def nn_event(self, event: NNEvent, rules: Set[str]) -> Iterator[Line]:
        """Lines after an operation. `rules` are those that gave hints already."""
        self._rounds.read(self._origins.media())
        for one in self._of_rounds:
            self._tell(one, one.nn_event, event)
        if event.error is None:
            lines = self._spared(self._inputs, self._inputs.nn_event(event, rules))
            yield from self._new(line for line in lines if line[0] != METADATA or not self.explains(event))
        for one in (*self._of_answers, *self._of_words):
            try:
                said = [*(one.nn_event(event) or ())]
            except Exception as error:
                self._spare(one, error)
            else:
                yield from self._new(said)
        self._tell(self.probes, self.probes.nn_event, event)
        yield from self._spared(self._feedback, self._feedback.nn_event(event))
        for hint in self._spared(self._loops, self._loops.nn_event(event)):
            self._feedback.leave(event.context_id)
            yield hint
        if not FOREIGN.isdisjoint(rules):
            self._whatif.leave(event.graph_id)
        yield from self._spared(self._whatif, self._whatif.nn_event(event))
        yield from self._failures()

    def explains(self, event: NNEvent) -> bool:
        """Whether it is known why the elements of an input are beyond usual numbers."""
        try:
            return self._drifting.explains(event)
        except Exception as error:
            self._spare(self._drifting, error)
            return False

    def _tell(self, part: object, tell: Callable[..., object], *told: object) -> None:
        """Tell a part something. A mistake of ours is noted."""
        try:
            tell(*told)
        except Exception as error:
            self._spare(part, error)

    def _spared(self, part: object, said: Iterable[L]) -> Iterator[L]:
        """Yields the lines of a part about an event, up to a mistake of ours."""
        try:
            yield from said
        except Exception as error:
            self._spare(part, error)

    def _new(self, said: Iterable[L]) -> Iterator[L]:
        """Lines that were not said before."""
        for line in said:
            if line[1] not in self._said:
                self._said.add(line[1])
                yield line

    def _failures(self) -> Iterator[Said]:
        told, self._failed = self._failed, []
        yield from self._new(told)

    def read_silence(self) -> bool:
        """Whether the guest read files of which all pictures and sounds are black and silent, or it is known
        why inputs are zeros."""
        return self._origins.silent() or self._inputs.knows_why_zeros

    def read_sound(self, count: int) -> str:
        """Returns the name of a sound that the guest read, if some of its first `count` samples are not 0, or
        "" if there is none."""
        return self._origins.loud(count)

    def read_nothing(self) -> bool:
        """Whether the guest read nothing but models."""
        return self._origins.nothing()

    def finish(self) -> Iterator[Said]:
        """Hints when a guest has ended."""
        for part in (self._whatif, self._feedback, self._inputs):
            yield from self._spared(part, part.finish())
        yield from self._first_said("rounds", self._of_rounds)
        of_answers = (*self._of_answers, self.probes)
        if self.probes.explains:
            of_answers = (self.probes, *self._of_answers)
        yield from self._first_said("answers", (*of_answers, *self._of_words))
        yield from self._failures()

    def _first_said(self, about: str, followers: Iterable[Follower]) -> Iterator[Said]:
        """The hints of the first that has any when the guest has ended: what others would say follows from
        it, also if a trace is flushed once more."""
        first = self._first.get(about)
        for one in followers if first is None else (first,):
            try:
                said = [*one.finish()]
            except Exception as error:
                self._spare(one, error)
            else:
                if said:
                    self._first[about] = one
                    yield from said
                    return
