"""The rules that follow a guest, in the order in which they are asked.

What is here: `of_rounds`, `of_answers` and `of_words`. What is not: telling them what the guest does, and
which of their hints are said (`evidence.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .amounts import Amounts
from .amounts.beside_newest import BesideNewest
from .amounts.standardised import Standardised
from .budget import Budget
from .follower import Follower
from .hints.prompts import LineEnds
from .loops import SameText, Standing
from .loops.sounds_in_turns import MOST_OF_A_SOUND
from .order.behind import Behind
from .order.chained import Chained
from .order.contexts import Contexts
from .order.crossed_columns import CrossedColumns
from .order.early import Early
from .order.ended import Ended
from .order.exchanged_room import ExchangedRoom
from .order.growing import Growing
from .order.leftover import Leftover
from .order.moved_windows import MovedWindows
from .order.oldest import Oldest
from .order.one_argument import OneArgument
from .order.other_vocabulary import OtherVocabulary
from .order.overlaid import Overlaid
from .order.past_heads import PastHeads
from .order.refetched import Refetched
from .order.same_frame import SameFrame
from .order.stale_masks import StaleMasks
from .order.still_ones import StillOnes
from .order.stones import Stones
from .order.streams import Streams
from .order.unfilled import Unfilled
from .order.worst_moves import WorstMoves
from .origin import Origins
from .sent.degrees import Degrees
from .sent.file_names import FileNames
from .sent.in_turns import InTurns
from .sent.inputs import Inputs, Told
from .sent.line_numbers import LineNumbers
from .sent.nothing_sent import NothingSent
from .sent.record_orders import RecordOrders
from .sent.short_ends import ShortEnds
from .sent.signed_bytes import SignedBytes
from .sent.sounds_in_memory import SoundsInMemory
from .sent.tones import Tones
from .sent.unapplied import Unapplied
from .sent.unturned import Unturned
from .sent.wrapped_sums import WrappedSums
from .series.counters import Counters
from .series.drifting import Drifting
from .series.over_gaps import OverGaps
from .series.stale_parts import StaleParts
from .sheets.exchanged_places import ExchangedPlaces
from .whatif.between_texts import BetweenTexts
from .whatif.epoch_days import EpochDays
from .whatif.halves_of_bytes import HalvesOfBytes
from .whatif.in_capitals import InCapitals
from .whatif.letter_orders import LetterOrders
from .whatif.sides_to_move import SidesToMove, wins
from .whatif.signed_letters import SignedLetters
from .whatif.standing_steps import StandingSteps
from .whatif.verdicts_on_boards import CodedBoards
from .whatif.weekdays import Weekdays
from .written.answers import Answers
from .written.argmaxed import Argmaxed
from .written.as_signed import AsSigned
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
from .written.ranks import Ranks
from .written.recognised import Recognised
from .written.sayings import Sayings
from .written.sent_items import SentItems
from .written.signs import Signs
from .written.similar import Similar
from .written.sketched import Sketched
from .written.summed_errors import SummedErrors
from .written.told_rates import ToldRates
from .written.undone import Undone
from .written.undone_early import UndoneEarly
from .written.unfetched import StatesAlone, Unfetched
from .written.unscaled import Forecasts
from .written.unscored import Unscored


class Parts(NamedTuple):
    """The parts of the search that rules ask: origins of inputs, rules about inputs, the budget, the guest's
    arguments, the host's folders that the guest sees, and the hints that were given already."""

    origins: Origins
    inputs: Inputs
    told: Told
    drifting: Drifting
    in_memory: SoundsInMemory
    budget: Budget
    arguments: Sequence[str]
    folders: tuple[Path, ...]
    said: set[str]


def of_rounds(parts: Parts) -> tuple[Follower, ...]:
    """Rules about what is read, sent and computed in which order."""
    origins, told, budget = parts.origins, parts.told, parts.budget
    arguments, folders = parts.arguments, parts.folders
    files, last, sounds = origins.files, origins.last_sound, partial(origins.files, MOST_OF_A_SOUND)
    return (
        NothingSent(files), FileNames(sounds), ExchangedRoom(), Contexts(), Leftover(files),
        OneArgument(arguments, folders), SameFrame(), told.rounds, Streams(files, origins.about),
        PastHeads(), told.series, InTurns(last, budget), Tones(last, budget),
        SignedBytes(last, files, budget, parts.said), parts.in_memory, Stones(), OverGaps(files),
    )  # fmt: skip


def of_answers(parts: Parts) -> tuple[Follower, ...]:
    """Rules about answers, and what the guest writes of them; the surest first."""
    origins, told, arguments, folders = parts.origins, parts.told, parts.arguments, parts.folders
    files, with_arrays, last = origins.files, origins.with_arrays, origins.last_sound
    whatif, reserve = told.whatif, parts.budget.reserve
    return (
        parts.drifting, StaleParts(files), Counters(files), RecordOrders(files, Unapplied(folders).texts),
        told.lookups, LineEnds(files), Behind(), Refetched(), Amounts(files),
        Sayings(files, lambda: told.probes.shown), Answers(files), Recognised(files), Undone(with_arrays),
        Unfetched(), StatesAlone(), Unscored(), Early(), Forecasts(files), Ended(files), Broken(files),
        Standing(files), InCapitals(files, arguments, whatif.put, lambda: origins.alphabets, reserve),
        SignedLetters(files, arguments, whatif.put, reserve), SameText(files), Similar(),
        Galleries(files, folders), Painted(files), Argmaxed(), Sketched(), Clocked(last), ToldRates(files),
        Chained(), told.joined, told.replaced, told.assigned, Oldest(files, arguments),
        Signs(files, arguments), Miscounted(files), Unfilled(files, last), OtherLines(files),
        OtherClass(files), Overlaid(), CrossedColumns(files), ByFiles(files, Unapplied(folders).texts),
        OldLength(), KnownItems(files), Degrees(arguments), BetweenTexts(files, whatif.put),
        StandingSteps(files, whatif.put), Standardised(files, whatif.put, parts.inputs.own_numbers),
        Weekdays(files, whatif.put), LetterOrders(files, whatif.put), SidesToMove(files, whatif.put),
        CodedBoards(wins, whatif.put), ExchangedPlaces(files, origins.last_picture), WorstMoves(),
        BesideNewest(files, whatif.put), StillOnes(), Growing(), OtherVocabulary(origins),
        LineNumbers(files, arguments), SentItems(files), MovedWindows(), StaleMasks(), Ranks(),
        ShortEnds(origins), HalvesOfBytes(files, whatif.put, reserve), SummedErrors(files),
        UndoneEarly(files, parts.budget), AsSigned(), Unturned(files, parts.budget),
        WrappedSums(files, origins.last_picture), EpochDays(files, whatif.put, reserve),
    )  # fmt: skip


def of_words(parts: Parts) -> tuple[Follower, ...]:
    """Rules about the guest's own words, asked last."""
    return (Meanings(parts.origins.files), Crosswise(parts.origins.files))
