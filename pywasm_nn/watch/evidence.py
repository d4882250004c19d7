"""`Evidence`: what the level "whatif" adds to a trace: where inputs came from, and whether the model would be
surer of other ones.

What is here: which inputs are looked at, and when. What is not: the search for an origin (`origin`), and the
questions to models (`whatif`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..interpreter.module import Module
from ..interpreter.runtime.deadline import paused
from ..interpreter.runtime.observe import HostEvent, Watched
from ..nn.formats.format import First, Normalisation
from ..nn.operation import NNEvent
from ..nn.tensor import Tensor, TensorSpec
from .added import Added
from .amounts import Amounts
from .answers import Answers
from .batches import differ, repeated
from .behind import Behind
from .borders import Borders
from .broken import Broken
from .budget import Budget
from .chained import Chained
from .contexts import Contexts
from .cuts import Cuts
from .early import Early
from .emptied import Emptied
from .ended import Ended
from .feedback import Feedback, states
from .firsts import order_of
from .firsts import unwanted as unwanted_by
from .hints.facts import picture_of
from .hints.models import classes, facts, normalisation, order
from .joined import Joined
from .leftover import Leftover
from .loops import Loops, Standing
from .meanings import Meanings
from .onehots import other_way
from .origin import Origin, Origins
from .origin.begun import only_begun
from .origin.constants import Constants
from .painted import Painted
from .planes import Planes
from .probes import Placed, Probes
from .refetched import Refetched
from .replaced import Replaced
from .rounds import Rounds
from .sayings import Sayings
from .series import Series
from .sheets import Sheets
from .similar import Similar
from .sounds import FOLLOWING, Sounds
from .squeezing import squeezed
from .streams import Streams
from .tiles import Tiles
from .unapplied import Unapplied
from .undone import Undone
from .unfetched import Unfetched
from .unscaled import Forecasts
from .wanted import Wanted
from .whatif import WhatIf
from .whatif.encodings import another, outside
from .whatif.rereadings import reread

LOOKS = 2
"""So many tensors of each input are traced to a file."""
LITTLE, MORE_LOOKS = 1 << 17, 16
"""Tensors of at most so many bytes are traced more often, until an origin is found: sounds begin silently."""
A_LINE = 256
"""Tensors of at most so many bytes are lines of tables, and looked at as often even if their origin is known:
of later lines other numbers are missing."""
MOST_OF_A_TILE = 1 << 15
"""Bytes of a tensor that is looked for in a picture pixel by pixel."""
BEYOND = 1e6
"""Elements of pictures in any range are smaller."""
RGB, BGR = "RGB", "BGR"
WORDS = {RGB: "red, green, blue (RGB)", BGR: "blue, green, red (BGR)"}
ORIGIN = "origin"
"""The rule of hints about where an input came from."""
METADATA = "metadata"
"""The rule of hints about what a model says of its input."""
FOREIGN = ("overwritten", "addresses")
"""Rules about inputs that hold no elements, of which no model is asked."""
ALSO_SAID_BY = {"the shape says": "layout"}
"""Rules of `hints` that say the same as an origin that begins so."""


class Evidence:
    """Gives lines after operations: (None, where an input came from), or a rule and its hint."""

    def __init__(self, arguments: Sequence[str] = (), directories: Mapping[str, Path] | None = None) -> None:
        """`arguments` are those of the guest, and `directories` its ones, with where the host has them."""
        self.budget = self._budget = Budget()
        self._origins = Origins(arguments, self._budget, directories)
        self._whatif = WhatIf(self._budget)
        self._sayings = Sayings(self._origins.files, lambda: self.probes.fixed)
        self._answers = Answers()
        self._amounts = Amounts(self._origins.files)
        self._unfetched = Unfetched()
        self._early = Early()
        self._behind = Behind()
        self._refetched = Refetched()
        self._meanings = Meanings(self._origins.files)
        self._forecasts = Forecasts(self._origins.files)
        self._ended_at = Ended(self._origins.files)
        self._broken = Broken(self._origins.files)
        self._undone = Undone(self._origins.files)
        self.probes = Probes(self._origins.files, self._budget)
        self._feedback = Feedback(self._origins.loud, self._origins.silent_channel)
        self._added = Added()
        self._emptied = Emptied(self._budget)
        self._similar = Similar()
        self._painted = Painted(self._origins.files)
        self._standing = Standing(self._origins.files)
        self._replaced = Replaced(arguments, self._origins.files)
        self._loops = Loops(self._origins.files)
        self._rounds = Rounds()
        self._streams = Streams(self._origins.files, self._origins.about)
        self._contexts = Contexts()
        self._leftover = Leftover(self._origins.files)
        self._chained = Chained()
        self._joined = Joined(self._origins.files)
        self._sounds = Sounds()
        self._wanting = Wanted(self._origins.files)
        self._sheets = Sheets(self._origins.files, self._stands_in_guest)
        self._series = Series(self._origins.files)
        self._planes = Planes(self._origins.pictures, self._origins.files)
        self._tiles = Tiles()
        self._cuts = Cuts()
        self._unapplied = Unapplied(tuple((directories or {}).values()))
        self._looked: Counter[Any] = Counter()
        self._wanted: dict[int | None, Mapping[int, Normalisation]] = {}
        self._orders: dict[int | None, str] = {}
        self._firsts: dict[int | None, Mapping[int, First]] = {}
        self._said: set[str] = set()
        self._empty: dict[Any, str] = {}
        """Inputs whose elements were all equal the last time."""
        self._ended: dict[Any, str] = {}
        """By such an input, the file that was read before it, if it begins with a byte 0."""
        self._known: set[Any] = set()
        """Inputs of which an origin was found."""
        self._parts: dict[Any, str] = {}
        """By input, a hint that holds if the guest sends no other part of a picture."""
        self._borders = Borders()
        self._constants: Constants | None = None
        self._as_is: set[Any] = set()
        """Inputs, with the names of pictures that were sent to them as they are."""

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._origins.constants = self._constants = Constants(module)
        self._emptied.attach(module)
        self._unapplied.attach(module)

    def host_call(self, event: HostEvent, guest: Callable[[], Watched | None] = lambda: None) -> None:
        """A host function returned: it may have read a file. `guest` gives the instance, if copies can go
        on."""
        self._origins.host_call(event)
        self._sayings.host_call(event)
        self._answers.host_call(event)
        self._amounts.host_call(event)
        self._undone.host_call(event)
        self._leftover.host_call(event)
        self._unfetched.host_call(event)
        self._behind.host_call(event)
        self._refetched.host_call(event)
        self._meanings.host_call(event)
        self._forecasts.host_call(event)
        self._broken.host_call(event)
        self._loops.host_call(event)
        self._similar.host_call(event)
        self._painted.host_call(event)
        self._standing.host_call(event)
        self.probes.host_call(event, guest)

    def nn_event(self, event: NNEvent, rules: Container[str]) -> Iterator[tuple[str | None, str]]:
        """Lines after an operation. `rules` are those that gave hints already."""
        self._rounds.read(self._origins.media())
        self._rounds.nn_event(event)
        self._streams.nn_event(event)
        self._contexts.nn_event(event)
        self._leftover.nn_event(event)
        if event.error is None:
            if event.operation.startswith("load") and event.graph_id not in self._wanted:
                self._loaded(event)
            given = event.given
            if event.operation.startswith("set_input") and event.index is not None and event.tensors:
                given = ((event.index, event.specs[0], event.tensors[0]),)
            for index, spec, tensor in given:
                self._sounds.set(event, spec.name, tensor)
                name = f'input {index} "{spec.name}"'
                if picture_of(tensor.shape) is not None:
                    with paused():
                        self._origins.decode()
                yield from self._new((ORIGIN, text) for text in self._emptied.set(name, tensor))
                is_tile, part = self._cut(name, tensor)
                if wrong := self._added.wrong((event.context_id, index), tensor):
                    yield from self._new([(ORIGIN, f"{name}: {wrong}")])
                yield from self._origin(event, index, spec, tensor, rules, is_tile=is_tile, part=part)
                yield from self._by_lines((event.graph_id, event.model, index), name, tensor)
                said = self._wanting.set(event.graph_id, index, tensor)
                yield from self._new((METADATA, f"{name}: {text}") for text in said)
            if event.operation == "compute":
                self._budget.inferred(event.seconds, event.worked)
                yield from self._new(self._sounds.computed(event))
        self._sayings.nn_event(event)
        self._answers.nn_event(event)
        self._undone.nn_event(event)
        self._unfetched.nn_event(event)
        self._early.nn_event(event)
        self._behind.nn_event(event)
        self._refetched.nn_event(event)
        self._meanings.nn_event(event)
        self._forecasts.nn_event(event)
        self._ended_at.nn_event(event)
        self._similar.nn_event(event)
        self._painted.nn_event(event)
        self._standing.nn_event(event)
        self.probes.nn_event(event)
        yield from self._new(self._amounts.nn_event(event))
        yield from self._new(self._chained.nn_event(event))
        yield from self._feedback.nn_event(event)
        for hint in self._loops.nn_event(event):
            self._feedback.leave(event.context_id)
            yield hint
        if any(rule in rules for rule in FOREIGN):
            self._whatif.leave(event.graph_id)
        yield from self._whatif.nn_event(event)

    def _loaded(self, event: NNEvent) -> None:
        """Keep what a model says of its inputs and outputs."""
        self._wanted[event.graph_id] = normalisation(event.parts)
        known = facts(event.parts)
        self._firsts[event.graph_id] = known.firsts
        self._orders[event.graph_id] = order(event.parts) or order_of(known.firsts.get(0))
        self._sounds.loaded(event)
        self._wanting.loaded(event.graph_id, known.columns)
        self.probes.loaded(event.graph_id, known.lasts, classes(event.parts))
        self._whatif.loaded(event.graph_id, known)

    def _origin(
        self,
        event: NNEvent,
        index: int,
        spec: TensorSpec,
        tensor: Tensor,
        rules: Container[str],
        *,
        is_tile: bool,
        part: Origin | None = None,
    ) -> Iterator[tuple[str | None, str]]:
        key = event.graph_id, event.model, index
        name = f'input {index} "{spec.name}"'
        if not self._is_looked_at(event, key, name, tensor):
            self._replaced.came_from(name, tensor, None)
            return
        self._origins.names[key] = spec.name
        found = part if is_tile else self._origins.of(tensor, key)
        found = None if found is None else self._sounds.wanted(event, index, found)
        self._replaced.came_from(name, tensor, None if found is None else found.source.name)
        said: list[tuple[str | None, str]] = []
        if found is not None:
            source = found.source
            self._rounds.came_from(source.name, source.place, is_shown=source.is_picture)
            if key not in self._known or self._looked[key] <= LOOKS or tensor.nbytes > A_LINE:
                said.append((None, f"{name}: {found}"))
            said += self._mistake((key, found.source.name), name, found, rules)
            if self._looked[key] > 1 or key in self._known:
                self._parts.pop(key, None)
            elif found.in_part and all(one[0] == key[0] for one in self._known) and not is_batch(tensor):
                self._parts[key] = f"{name}: compared with {found.source.name}, {found.in_part}"
            self._known.add(key)
            if found.wrong and tensor.nbytes <= A_LINE:
                self._looked[key] = MORE_LOOKS  # later lines have the same mistake, in other words
            cut = self._sheets.cut_out(found.part) if found.part is not None else ""
            plain = self._not_scaled(key, found)
            for wrong in filter(None, (squeezed(found, tensor.shape, spec.shape), cut, plain)):
                said.append((ORIGIN, f"{name}: compared with {found.source.name}, {wrong}"))
            if not plain:
                self._to_ask(event.context_id, index, found)
            self._place(event.context_id, index, found, tensor)
        else:
            self._parts.pop(key, None)
            said += self._unfound(name, tensor, rules)
        said += [(ORIGIN, f"{name}: {wrong}") for wrong in self._by_elements(key, tensor, found)]
        unwanted = self._not_as_wanted(event.graph_id, index, tensor, found)
        unwanted = unwanted or self._other_order(event.graph_id, found)
        unwanted = unwanted or self._by_firsts(event.graph_id, index, found)
        said += [(METADATA, f"{name}: {unwanted}")] if unwanted else []
        yield from self._new(said)
        if unwanted or (found is not None and found.wrong):
            self._whatif.leave(event.graph_id)

    def _not_scaled(self, key: Any, found: Origin) -> str:
        """What is wrong if a line of a table was sent as it is; "" if nothing is known to be."""
        if found.lines is None or found.wrong or self._wanting.scales(key[0], key[2]):
            return ""
        with paused(), self._budget.comparing() as left:
            return self._unapplied.said(found.lines, self._origins.opened()) if left() else ""

    def _place(self, context: int | None, index: int, found: Origin, tensor: Tensor) -> None:
        """Tell the copies of the guest where a picture lies in an input."""
        picture = picture_of(tensor.shape)
        if found.part is not None and found.lies is not None and picture is not None:
            height, width = found.source.array.shape[:2]
            size = picture.height, picture.width
            self.probes.placed(context, index, Placed((height, width), found.part, found.lies, size))

    def _to_ask(self, context: int | None, index: int, found: Origin) -> None:
        """Keep what a model may be asked about an input whose origin is known."""
        if found.lines is not None:
            self._whatif.lines(context, index, found.lines)
        if found.otherwise is not None:
            self._whatif.otherwise(context, index, found.otherwise)
        if found.is_bytes:
            self._whatif.bytes_of_a_file(context, index)

    def _by_lines(self, key: Any, name: str, tensor: Tensor) -> Iterator[tuple[str | None, str]]:
        """What inputs say of how a file's lines and numbers were read."""
        import numpy

        with paused(), numpy.errstate(all="ignore"), self._budget.comparing() as left:
            is_scaled = self._wanting.scales(key[0], key[2])
            called = self._origins.names.get(key, name)
            said = [*self._sheets.set(key, tensor, called, is_scaled=is_scaled)] if left() else []
            said += self._series.set(key, tensor) if left() else ()
            said += self._planes.set(key, tensor) if left() else ()
            said += self._joined.set(key, tensor) if left() else ()
        yield from self._new((ORIGIN, f"{name}: {text}") for text in said)

    def _stands_in_guest(self, text: str) -> bool:
        return self._constants is not None and self._constants.has(text)

    def _unfound(self, name: str, tensor: Tensor, rules: Container[str]) -> list[tuple[str | None, str]]:
        """Lines about an input that comes from no file."""
        is_foreign = any(rule in rules for rule in FOREIGN)
        if wrong := "" if is_foreign else only_begun(tensor, self._origins.files()):
            return [(ORIGIN, f"{name}: {wrong}")]
        if not is_foreign and (wrong := self._origins.nothing_of(tensor)):
            return [(ORIGIN, f"{name}: {wrong}")]
        if picture_of(tensor.shape) is not None and (file := self._origins.undecoded()):
            return [(None, f"{name}: unknown: only Pillow decodes {file} (pip install pillow)")]
        return []

    def _by_elements(self, key: Any, tensor: Tensor, found: Origin | None) -> Iterator[str]:
        """What the elements themselves say of places in a batch or a text, and of those before them."""
        numbers = tensor.numbers()
        if numbers is not None:
            array = numbers.reshape(tensor.shape)
            said = repeated(array, self._origins.pictures_read), other_way(array)
            yield from filter(None, (*said, self._borders.wrong(key, array, found)))

    def _cut(self, name: str, tensor: Tensor) -> tuple[bool, Origin | None]:
        """Whether a small input is among the pixels of the last picture, so that no other search is needed;
        and how it was cut out of a file."""
        numbers = tensor.numbers()
        if numbers is None or tensor.nbytes > MOST_OF_A_TILE or not picture_of(tensor.shape):
            return False, None
        with paused(), self._budget.searching() as left:
            picture = self._origins.last_picture() if left() else None
            array = numbers.reshape(tensor.shape)
            is_tile = self._tiles.set(name, array, picture)
            found = self._cuts.set(name, array, self._origins.sheets(array.shape), left)
        return is_tile or found is not None, found

    def _is_looked_at(self, event: NNEvent, key: Any, name: str, tensor: Tensor) -> bool:
        """Whether an input is traced to a file. Counts how often it is."""
        is_known = key in self._known and tensor.nbytes > A_LINE
        most = LOOKS if tensor.nbytes > LITTLE or is_known else MORE_LOOKS
        if key in self._known and tensor.nbytes <= LITTLE and event.graph is not None:
            most += FOLLOWING * bool(states(event.graph.inputs, event.graph.outputs))
        self._empty.pop(key, None)
        if is_empty(tensor):  # a warm-up is not worth a look
            self._empty[key] = name
            if file := self._origins.ended_at_once():
                self._ended[key] = file
            return False
        is_due = self._looked[key] < most
        self._looked[key] += is_due
        return is_due

    def _new(self, said: Iterable[tuple[str | None, str]]) -> Iterator[tuple[str | None, str]]:
        """Lines that were not said before."""
        for rule, text in said:
            if text not in self._said:
                self._said.add(text)
                yield rule, text

    def read_silence(self) -> bool:
        """Whether the guest read files of which all pictures and sounds are black and silent, or it is known
        why inputs are zeros."""
        return self._origins.silent() or bool(self._emptied.names)

    def read_nothing(self) -> bool:
        """Whether the guest read nothing but models."""
        return self._origins.nothing()

    def finish(self) -> Iterator[tuple[str, str]]:
        """Hints when a guest has ended: at parts of pictures that no others followed."""
        parts, self._parts = self._parts, {}
        for text in parts.values():
            yield ORIGIN, text
        for text in self._tiles.finish():
            yield ORIGIN, text
        file = self._origins.only_alpha() if self._empty else ""
        for name in self._empty.values() if file else ():
            same = f"all elements are equal, as the colours of {file} are"
            yield ORIGIN, f"{name}: {same}: what it shows is in its alpha"
        for key, file in self._ended.items() if not self._looked and not self._emptied.names else ():
            begins = f"all elements are equal, and {file} begins with a byte 0"
            yield ORIGIN, f"{self._empty[key]}: {begins}: was its length that of a text (strlen)?"
        yield from next(
            filter(
                None,
                (
                    [*one.finish()]
                    for one in (self._contexts, self._leftover, self._rounds, self._streams, self._series)
                ),
            ),
            [],
        )
        several = (
            self._behind,
            self._refetched,
            self._amounts,
            self._sayings,
            self._answers,
            self._undone,
            self._unfetched,
            self._early,
            self._forecasts,
            self._ended_at,
            self._broken,
            self._standing,
            self._similar,
            self._painted,
            self._chained,
            self._joined,
            self._replaced,
            self.probes,
            self._meanings,
        )
        yield from next(filter(None, ([*one.finish()] for one in several)), [])

    def _not_as_wanted(
        self, graph: int | None, index: int, tensor: Tensor, found: Origin | None
    ) -> str | None:
        """What the model's metadata has against an input of floats."""
        wanted = self._wanted.get(graph, {}).get(index)
        numbers, picture = tensor.numbers(), picture_of(tensor.shape)
        if wanted is None or numbers is None or picture is None or numbers.dtype.kind != "f":
            return None
        if found is not None and found.wrong and found.encoding is None:
            return None
        low, high = float(numbers.min()), float(numbers.max())
        if not -BEYOND < low < high < BEYOND or any(reread(numbers.reshape(tensor.shape))):
            return None
        text = outside(numbers.reshape(tensor.shape), picture, *wanted)
        if text is None and found is not None and found.encoding is not None:
            text = another(found.encoding, *wanted)
        return text

    def _other_order(self, graph: int | None, found: Origin | None) -> str:
        """What the model says of the order of channels, if a picture was sent in another one."""
        wanted = self._orders.get(graph, "")
        if found is None or not wanted or found.order not in (RGB, BGR) or found.order == wanted:
            return ""
        return f"the model says that it wants {WORDS[wanted]}; the picture was sent as {found.order}"

    def _by_firsts(self, graph: int | None, index: int, found: Origin | None) -> str:
        """What the model does first of all has against the range of a picture."""
        first = self._firsts.get(graph, {}).get(index)
        if first is None or found is None or index in self._wanted.get(graph, {}):
            return ""
        return "" if found.wrong or found.encoding is None else unwanted_by(first, found.encoding)

    def _mistake(
        self, way: Any, name: str, found: Origin, rules: Container[str]
    ) -> list[tuple[str | None, str]]:
        """The hint about an origin. `way` is the input and the file: a guest that also sends the picture as
        it is turns it, or takes its colours away, on purpose."""
        if not found.varied:
            self._as_is.add(way)
        elif way in self._as_is and found.wrong == found.varied:
            return []
        known = [rule for beginning, rule in ALSO_SAID_BY.items() if found.wrong.startswith(beginning)]
        if not found.wrong or any(rule in rules for rule in known):
            return []
        return [(ORIGIN, f"{name}: compared with {found.source.name}, {found.wrong}")]


def is_batch(tensor: Tensor) -> bool:
    """Whether a tensor holds several pictures."""
    numbers = tensor.numbers()
    return numbers is not None and differ(numbers.reshape(tensor.shape))


def is_empty(tensor: Tensor) -> bool:
    """Whether all elements of a tensor are equal."""
    numbers = tensor.numbers()
    return numbers is not None and numbers.size > 1 and bool((numbers == numbers[0]).all())
