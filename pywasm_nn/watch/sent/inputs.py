"""`Inputs`: where inputs came from, and what their elements, and the model, say of them.

What is here: which inputs are looked at, and what each is compared with. What is not: the search for an
origin (`origin`), and rules about all that a guest does (`rules.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from ...arrays import numpy
from ...interpreter.module import Module
from ...interpreter.runtime.deadline import paused
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import COMPUTING, NNEvent
from ...nn.tensor import Tensor, TensorSpec
from ...records import changed
from ..budget import LINES, Budget
from ..depicted import Names
from ..facts import picture_of, picture_or_square
from ..feedback import states
from ..follower import inputs_of
from ..hints.models import classes, facts
from ..loops.standing import MEASURED
from ..order.assigned import Assigned
from ..order.joined import Joined
from ..order.replaced import Replaced
from ..order.rounds import Rounds
from ..origin import Origin, Origins
from ..origin.alphabets import alphabets_in
from ..origin.constants import Constants
from ..origin.grams import Grams
from ..origin.laid_out import MOST_BYTES, laid_out
from ..origin.tables import COLUMNS_REVERSED
from ..planes import Planes
from ..probes import Placed, Probes
from ..series import Series
from ..sheets import Sheets
from ..sheets.named import are_looked_up
from ..sheets.own_units import other_units
from ..sheets.sheet import sheet_of
from ..spoken import Heard
from ..whatif import WhatIf
from ..whatif.points import Kept
from .added import Added
from .before_zero import BeforeZero
from .bits_read import BitsRead
from .by_white import by_white
from .bytes_behind import BytesBehind
from .channels import Channels
from .counting import Counting
from .cuts import Cuts
from .declared import Declared
from .divided import Divided
from .elements import Elements
from .emptied import Emptied
from .fields import misread_field
from .files_beside import files_beside
from .float_maps import misread_floats
from .grounds import grounds_of
from .half_used import beyond, half_used
from .in_other_order import in_other_order
from .kept_ones import KeptOnes
from .lookups import Lookups
from .maps import Maps
from .mistyped import halved_floats, mistyped
from .named_after import NamedAfter
from .named_gravity import in_metres
from .noise import Noise
from .normalised import Normalised
from .one_element import OneElement
from .other_rate import at_another_rate, in_another_range, windows_of
from .other_zero import other_zero
from .own_scale import OwnScale
from .palettes import palette_in_header
from .paper_for_ink import paper_for_ink
from .parts import Parts, is_chosen
from .raw_numbers import misread_raw
from .remains import Remains
from .scaled_bands import badly_scaled
from .shapes import classes_of, gives_maps, is_batch, is_uniform
from .sounds import FOLLOWING, Sounds
from .spelt import Spelt
from .squeezing import squeezed
from .steps import Steps
from .tiles import Tiles
from .turned import Turned, without_meant
from .unapplied import Unapplied
from .uncleared import Uncleared
from .uncounted import Uncounted
from .unended import Unended
from .unfollowed import Unfollowed
from .unquantised import Unquantised
from .unquantised_pixels import UnquantisedPixels
from .wanted import Wanted

Line = tuple[str | None, str]
"""A rule and its hint, or None and where an input came from."""
LOOKS = 2
"""So many tensors of each input are traced to a file."""
LITTLE, MORE_LOOKS = 1 << 17, 16
"""Tensors of at most so many bytes are traced more often, until an origin is found: sounds begin silently."""
MOST_AT_ONCE = 2
"""So many mistakes beside another one in one input are by chance."""
A_LINE = 256
"""Tensors of at most so many bytes are lines of tables, and looked at as often even if their origin is known:
of later lines other numbers are missing."""
MOST_OF_A_TILE = 1 << 15
"""Bytes of a tensor that is looked for in a picture pixel by pixel."""
ORIGIN = "origin"
"""The rule of hints about where an input came from."""
METADATA = "metadata"
"""The rule of hints about what a model says of its input."""
FOREIGN = frozenset({"overwritten", "addresses"})
"""Rules about inputs that hold no elements, of which no model is asked."""
ALSO_SAID_BY = {"the shape says": "layout"}
"""Rules of `hints` that say the same as an origin that begins so."""
COMPARED_WITH = ": compared with "
"""Of one input and one file one mistake is said: others mostly come of it."""


class Told(NamedTuple):
    """Rules that learn where inputs came from."""

    whatif: WhatIf
    probes: Probes
    rounds: Rounds
    replaced: Replaced
    assigned: Assigned
    series: Series
    joined: Joined
    lookups: Lookups


class Inputs:
    """Gives lines after operations: (None, where an input came from), or a rule and its hint. `told` learn
    where inputs came from."""

    def __init__(self, origins: Origins, budget: Budget, told: Told, folders: Iterable[Path]) -> None:
        """`folders` are those of the host that the guest sees."""
        files = origins.files
        self._origins, self._budget, self._told = origins, budget, told
        self._added, self._kept_ones = Added(), KeptOnes()
        self._uncleared = Uncleared(files, lambda: [*origins.arguments, *origins.constants])
        self._bytes_behind = BytesBehind(files)
        self._uncounted = Uncounted(files, origins.arguments)
        self._emptied = Emptied(budget)
        self._divided = Divided(origins.last_shown, budget)
        self._bits, self._own_scale = BitsRead(), OwnScale()
        self._one = OneElement(origins.last_shown, files, budget, lambda: self._emptied.is_stuck)
        self._sounds, self._heard = Sounds(budget), Heard()
        self._steps = Steps(lambda: MEASURED.search(self._heard.text) is not None)
        self._unended, self._before_zero = Unended(files), BeforeZero(files)
        self._noise, self._channels, self._wanting = Noise(), Channels(), Wanted(files)
        self._unapplied = Unapplied(tuple(folders), origins.opened)
        unapplied = self._unapplied
        self._sheets = Sheets(
            files, self._stands_in_guest,
            unapplied.unread, unapplied.numbers, unapplied.constants, budget.apart,
        )  # fmt: skip
        self._unfollowed = Unfollowed(origins, budget, self._sheets.boxes, unapplied.numbers)
        self._planes = Planes(origins.pictures, files, origins.arguments)
        self._tiles, self._cuts = Tiles(), Cuts()
        self._unquantised, self._pixels = Unquantised(files), UnquantisedPixels(origins.last_shown)
        self._normalised = Normalised(files, budget)
        self._maps = Maps(files, self._normalised.known)
        self._names = Names(files)
        self.named_after = NamedAfter(self._names, budget)
        self._counting = Counting(origins)
        self._spelt = Spelt(origins)
        self._grams, self._remains = Grams(), Remains(origins.last_sound)
        self._elements = Elements(origins)
        self._looked: Counter[Any] = Counter()
        self._declared = Declared()
        self._empty: dict[Any, str] = {}
        """Inputs whose elements were all equal the last time."""
        self._ended: dict[Any, str] = {}
        """By such an input, the file that was read before it, if it begins with a byte 0."""
        self._known: dict[Any, bool] = {}
        """Inputs of which an origin was found, and whether that is a picture."""
        self._parts = Parts(origins.pictures_read)
        self._turned = Turned(told.whatif.turned_back)

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._origins.constants = Constants(module)
        self._origins.alphabets = alphabets_in(module)
        self._emptied.attach(module)
        self._sounds.attach(module)
        self._unapplied.attach(module)
        self._names.attach(module)
        self._normalised.attach(module)

    def own_numbers(self) -> Any:
        """The floats of the guest's instructions and data."""
        return self._unapplied.every()

    def host_call(self, event: HostEvent) -> None:
        """A host function returned: the guest may have written."""
        self._heard.add(event)

    def nn_event(self, event: NNEvent, rules: Set[str]) -> Iterator[Line]:
        """Lines after an operation without an error. `rules` are those that gave hints already."""
        if event.operation.startswith("load") and event.graph_id not in self._declared:
            self._loaded(event)
        for index, spec, tensor in inputs_of(event):
            yield from self._set(event, index, spec, tensor, rules)
        if event.operation in COMPUTING:
            self._budget.inferred(event.seconds, event.worked)
            self._unended.answered(event.tensors)
            yield from self._sounds.computed(event)

    def _set(
        self, event: NNEvent, index: int, spec: TensorSpec, tensor: Tensor, rules: Set[str]
    ) -> Iterator[Line]:
        """Lines about an input that was set."""
        self._sounds.set(event, spec.name, tensor)
        name = f'input {index} "{spec.name}"'
        if picture_of(tensor.shape) is not None:
            with paused():
                self._origins.decode()
        key = event.graph_id, event.model, index
        divided = [*self._divided.set(key, name, tensor)]
        cut = beyond(event.floats, tensor.dtype.value, self._declared.affine_of(event, spec))
        for text in (*self._emptied.set(name, tensor), *divided, *([f"{name}: {cut}"] if cut else [])):
            yield ORIGIN, text
            self._told.whatif.leave(event.graph_id)
        with paused(), self._budget.comparing() as left:
            self._uncounted.set(key, name, tensor, left)
        self._one.set(key, name, tensor)
        self._steps.set(key, tensor)
        self._unended.set(key, name, tensor)
        self._before_zero.set(key, name, tensor)
        is_tile, part = self._cut(name, tensor)
        self.named_after.read(event.context_id, self._origins.media())
        for kept in (self._added, self._uncleared, self._bytes_behind, self._kept_ones):
            if wrong := kept.wrong((event.context_id, index), tensor):
                yield ORIGIN, f"{name}: {wrong}"
                break
        came = [*self._origin(event, index, spec, tensor, rules, is_tile=is_tile, part=part)]
        yield from (line for line in came if line[0] != ORIGIN or not divided)
        known = tuple(text[: text.find(", ")] for rule, text in came if rule and COMPARED_WITH in text)
        is_foreign = not FOREIGN.isdisjoint(rules)
        by_lines = [] if is_foreign else self._by_lines(key, name, tensor)
        yield from (one for one in by_lines if not (known and one[1].startswith(known)))
        if (usual := self._told.series.clouds.usual) is not None:
            self._told.whatif.points.take(event.context_id, Kept(index, usual, self._names.depicted))
        for text in self._wanting.set(event.graph_id, index, tensor, spec.name):
            yield METADATA, f"{name}: {text}"
        with paused(), self._budget.comparing() as left:
            wrong, how = self._counting.set(event.graph_id, index, tensor) if left() else ("", None)
            # Whether elements are far from a model's mean is seen at once; files are read only then.
            wrong = wrong or self._maps.set(event.graph_id, index, tensor, spec.name)
            rows = self._counting.rows(event.graph_id, index)
            is_open = not wrong and how is None and left()
            said, spelling = self._spelt.set(key, tensor, rows) if is_open else ("", None)
        if spelling is not None:
            self._told.whatif.spellings.take(event.graph_id, index, tensor, spelling)
        if said:
            yield ORIGIN, f"{name}: {said}"
        self._told.whatif.of_inputs.are_counted(event.context_id, index, how)
        if wrong:
            yield METADATA, f"{name}: {wrong}"

    def _loaded(self, event: NNEvent) -> None:
        """Keep what a model says of its inputs and outputs."""
        known = facts(event.parts)
        self._declared.loaded(event, known)
        names = [*self._origins.names_of(event.model, event.parts)]
        self._sounds.loaded(event, names)
        self._wanting.loaded(event.graph_id, known.columns)
        self._maps.loaded(event.graph_id, known.firsts, known.columns)
        self._told.lookups.loaded(event.graph_id, known.columns)
        self._counting.loaded(event.graph_id, known.columns)
        self._sheets.loaded(event.graph_id, known.layers)
        self._told.probes.loaded(event.graph_id, known.lasts, classes(event.parts))
        self._told.whatif.loaded(event.graph_id, known, names)

    def _origin(
        self,
        event: NNEvent,
        index: int,
        spec: TensorSpec,
        tensor: Tensor,
        rules: Set[str],
        *,
        is_tile: bool,
        part: Origin | None = None,
    ) -> Iterator[Line]:
        key = event.graph_id, event.model, index
        name = f'input {index} "{spec.name}"'
        self._parts.set(key, tensor.view())
        self._channels.sent(key, prod(tensor.shape))
        if not self._is_looked_at(event, key, name, tensor):
            self._told.replaced.came_from(name, tensor, None)
            self._told.assigned.came_from(event, index, spec.name, tensor, "")
            return
        self._origins.names[key] = spec.name
        self._origins.rows[key] = self._counting.rows(event.graph_id, index)
        with self._budget.searching() as left:
            is_searched = left()
        found = part if is_tile else self._laid_out(tensor) or self._origins.of(tensor, key)
        found = found or (None if is_tile else self._garbled(tensor))
        found = None if found is None else self._sounds.wanted(event, index, without_meant(found))
        came = None if found is None else found.source.name
        self._told.replaced.came_from(name, tensor, came)
        self._told.assigned.came_from(event, index, spec.name, tensor, came or "")
        wrong = self._by_values(event, spec, key, tensor, found, rules)
        said: list[Line] = [(ORIGIN, f"{name}: {wrong}")] if wrong else []
        if found is None:
            self._parts.unfound(key, is_searched=is_searched)
            said += [] if wrong else self._unfound(key, name, tensor, rules)
        else:
            self._noise.found(key)
            self._steps.found(key, tensor, found)
            if wrong or (found.is_reversed and gives_maps(event.graph)):
                found = changed(found, wrong="")
            said += self._found(event, index, spec, tensor, found, rules)
        by_elements = filter(None, self._elements.wrong(key, tensor, found))
        said += [(ORIGIN, f"{name}: {wrong}") for wrong in by_elements]
        unwanted = self._declared.against(event.graph_id, index, spec.name, tensor, found)
        said += [(METADATA, f"{name}: {unwanted}")] if unwanted else []
        yield from said
        if unwanted or wrong or (found is not None and found.wrong):
            self._told.whatif.leave(event.graph_id)

    def _by_values(
        self,
        event: NNEvent,
        spec: TensorSpec,
        key: Any,
        tensor: Tensor,
        found: Origin | None,
        rules: Set[str],
    ) -> str:
        """Returns what is wrong with the values of an input, by lines and bytes of files and by those before,
        or "" if nothing is."""
        affine = self._declared.affine_of(event, spec)
        with paused(), numpy.errstate(all="ignore"), self._budget.comparing() as left:
            wrong = self._unquantised.wrong(key, tensor, affine) if affine and left() else ""
            if affine and not wrong and (found is None or not found.wrong) and left():
                wrong = self._pixels.wrong(tensor, affine, left) or half_used(event, tensor, affine, found)
            if not wrong and (found is None or not (found.wrong or found.encoding)) and left():
                wrong = self._normalised.wrong(tensor)
            if not wrong and found is not None and left():
                wrong = self._normalised.of_picture(found)
            is_said = not (FOREIGN | {"other_type"}).isdisjoint(rules)
            files = self._origins.files(MOST_BYTES)
            if not wrong and found is None and not is_said and left():
                wrong = mistyped(tensor, files)
            wrong = wrong or halved_floats(tensor, files)
            if not wrong and left():
                own = self._origins.constants.numbers(tensor, found)
                wrong = misread_raw(tensor, files) or misread_raw(tensor, own)
                wrong = wrong or by_white(tensor, [*files, *own], self._normalised.known)
            if not wrong and not (found is not None and found.wrong) and left():
                wrong = self._bits.wrong(key, tensor, files) or misread_floats(tensor, files)
            if not wrong and found is None and left():
                wrong = misread_field(tensor, files, left)
            if not wrong and left():
                wrong = self._grams.wrong(key, tensor, files)
            if not wrong:  # a mean of 0 and a deviation of 1 in each column are seen at once
                wrong = self._own_scale.wrong(
                    key, tensor, files, lambda: self._unapplied.texts(self._origins.opened())
                )
        wrong = wrong or other_zero(tensor, spec.name) or in_metres(tensor, spec.name)
        if not wrong and not (found is not None and found.wrong):
            wrong = paper_for_ink(tensor, spec.name, found)
        return wrong or self._remains.wrong(key, tensor, is_found=found is not None)

    def _found(
        self,
        event: NNEvent,
        index: int,
        spec: TensorSpec,
        tensor: Tensor,
        found: Origin,
        rules: Set[str],
    ) -> list[Line]:
        """Lines about an input whose origin is known."""
        key, name, source = (event.graph_id, event.model, index), f'input {index} "{spec.name}"', found.source
        self.named_after.found(event.context_id, found, self._origins.about(source.name)[0])
        self._channels.found(key, name, found)
        self._told.rounds.came_from(source.name, source.place, is_shown=source.is_picture)
        said: list[Line] = []
        if key not in self._known or self._looked[key] <= LOOKS or tensor.nbytes > A_LINE:
            said.append((None, f"{name}: {found}"))
        if tensor.nbytes > A_LINE or not self._sheets.has_said(key):
            said += self._mistake(key, name, found, rules)
        is_first_model = all(one[0] == key[0] for one in self._known)
        is_alone = is_first_model and not is_batch(tensor) and not is_chosen(found, tensor.shape, spec.shape)
        self._parts.found(key, name, found, may_be_only_one=is_alone)
        self._known[key] = source.is_picture
        if found.wrong and tensor.nbytes <= A_LINE and not self._told.whatif.turned_back.waits(key[0]):
            self._looked[key] = MORE_LOOKS  # later lines have the same mistake, in other words
        shown = source.array.shape[:2] if found.part is not None else (0, 0)
        cut = self._sheets.cut_out(found.part, shown) if found.part is not None else ""
        plain = self._not_scaled(key, found) or self._of_bands(key, spec.name, found)
        narrow = squeezed(
            found, tensor.shape, spec.shape, classes_of(event.graph), f"{spec.name} {event.model or ''}"
        )
        for wrong in filter(None, (narrow, cut, plain)):
            said.append((ORIGIN, f"{name}: compared with {source.name}, {wrong}"))
        if not plain:
            self._told.whatif.of_inputs.come_from(event.context_id, index, found)
            self._in_unit(event.context_id, index, found, tensor)
        affine = self._declared.affine_of(event, spec)
        self._beside(event.graph_id, index, found, tensor, affine)
        self._place(event.context_id, index, found, tensor)
        wanted = self._declared.order(event.graph_id, spec.name)
        self._told.whatif.of_inputs.come_as_in_file(event.context_id, index, found)
        self._told.whatif.in_blue(event.graph_id, event.context_id, index, found, wanted)
        if (grounds := grounds_of(index, found, tensor, self._names.depicted)) is not None:
            self._told.whatif.of_inputs.grounds[event.context_id] = grounds
        self._told.whatif.undivided.take(event.context_id, index, tensor, found)
        self._told.whatif.at_rates.take(event.graph_id, windows_of(index, found, tensor))
        if (usual := at_another_rate(found, tensor) or in_another_range(found)) is not None:
            self._told.whatif.points.take(event.context_id, Kept(index, usual, self._names.depicted, True))
        return said

    def _laid_out(self, tensor: Tensor) -> Origin | None:
        numbers = tensor.numbers() if tensor.nbytes > A_LINE else None
        with paused(), self._budget.comparing() as left:
            if numbers is None or not left():
                return None
            return laid_out(numbers.reshape(tensor.shape), self._origins.files(MOST_BYTES), left)

    def _garbled(self, tensor: Tensor) -> Origin | None:
        numbers = tensor.numbers()
        with paused(), self._budget.comparing() as left:
            return in_other_order(numbers, self._origins.files()) if numbers is not None and left() else None

    def _not_scaled(self, key: Any, found: Origin) -> str:
        """Returns what is wrong if a line of a table was sent as it is, or "" if nothing is."""
        if found.lines is None or found.wrong or self._wanting.scales(key[0], key[2]):
            return ""
        with paused(), numpy.errstate(all="ignore"), self._budget.comparing() as left:
            if self._sheets.has_scaler(key, found.lines):
                return ""
            opened, model = self._origins.opened(), self._declared.files.get(key[0], ())
            return self._unapplied.said(found.lines, opened, model) if left() else ""

    def _of_bands(self, key: Any, name: str, found: Origin) -> str:
        """Returns what is wrong with the level of a spectrum, or "" if nothing is."""
        if found.otherwise is None or self._wanting.scales(key[0], key[2]):
            return ""
        unread = self._unapplied.unread()
        model = [one.stem for one in self._declared.files.get(key[0], ())]
        return badly_scaled(found, self._origins.files(), unread, [name, key[1] or "", *model])

    def _place(self, context: int | None, index: int, found: Origin, tensor: Tensor) -> None:
        """Tell the copies of the guest where a picture lies in an input."""
        picture = picture_of(tensor.shape)
        if found.part is not None and found.lies is not None and picture is not None:
            height, width = found.source.array.shape[:2]
            size = picture.height, picture.width
            self._told.probes.placed(context, index, Placed((height, width), found.part, found.lies, size))

    def _in_unit(self, context: int | None, index: int, found: Origin, tensor: Tensor) -> None:
        """Keep in which other units a model may be asked about lines of a table."""
        numbers = None if found.wrong else tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f":
            return
        with paused(), self._budget.comparing() as left:
            data = dict(self._origins.files()).get(found.source.name) if left() else None
            sheet = sheet_of(found.source.name, data) if data is not None else None
            unit, others = (
                other_units(numbers.reshape(tensor.shape), sheet) if sheet is not None else ("", [])
            )
        if others:
            self._told.whatif.of_inputs.units[context] = index, unit, others

    def _beside(
        self, graph: int | None, index: int, found: Origin, tensor: Tensor, affine: tuple[float, int] | None
    ) -> None:
        """Keep how to ask a model about the files that lie beside one."""
        place = self._origins.about(found.source.name)[0]
        if not found.wrong and place is not None:
            beside = files_beside(index, found, tensor, place, self._budget, self._names.depicted, affine)
            if beside is not None:
                self._told.whatif.beside(graph, beside)

    def _by_lines(self, key: Any, name: str, tensor: Tensor) -> Iterator[Line]:
        """Yields what inputs say of how a file's lines and numbers were read."""
        called = self._origins.names.get(key, name)
        with paused(), numpy.errstate(all="ignore"), self._budget.comparing(LINES) as left:
            is_scaled = self._wanting.scales(key[0], key[2])
            said = [*self._sheets.set(key, tensor, called, is_scaled=is_scaled)] if left() else []
            if not said and self._sheets.is_applied(key):
                said = [*filter(None, [self._wanting.scales_again(key[0], key[2])])]
        with paused(), numpy.errstate(all="ignore"), self._budget.comparing() as left:
            is_shown = self._known.get(key)  # pixels are no series, and comparing them with such takes long
            said += self._told.series.set(key, tensor, called) if left() and not is_shown else ()
            said += self._planes.set(key, tensor) if left() else ()
            said += self._told.joined.set(key, tensor) if left() else ()
        for text in said:
            yield ORIGIN, f"{name}: {text}"

    def _stands_in_guest(self, text: str) -> bool:
        return self._origins.constants.has(text)

    def _unfound(self, key: Any, name: str, tensor: Tensor, rules: Set[str]) -> list[Line]:
        """Lines about an input that comes from no file."""
        if FOREIGN.isdisjoint(rules):
            if wrong := self._unfollowed.wrong(tensor):
                return [(ORIGIN, f"{name}: {wrong}")]
            unlike = "" if self._one.is_known else self._origins.nothing_of(tensor)
            if text := self._noise.wrong(key, unlike and f"{name}: {unlike}"):
                return [(ORIGIN, text)]
        if picture_of(tensor.shape) is not None and (file := self._origins.undecoded()):
            return [(None, f"{name}: unknown: only Pillow decodes {file} (pip install pillow)")]
        return []

    def _cut(self, name: str, tensor: Tensor) -> tuple[bool, Origin | None]:
        """Whether a small input is among the pixels of the last picture, so that no other search is needed;
        and how it was cut out of a file."""
        numbers = tensor.numbers()
        if numbers is None or tensor.nbytes > MOST_OF_A_TILE or not picture_or_square(tensor.shape):
            return False, None
        array = numbers.reshape(tensor.shape)
        with paused(), self._budget.searching() as left:
            if left():
                is_tile = self._tiles.set(name, array, self._origins.last_picture())
                found = self._cuts.set(name, array, self._origins.sheets(array.shape), left)
                return is_tile or found is not None, found
        with paused(), self._budget.comparing() as left:  # copies may have taken all else after the first
            is_followed = self._tiles.is_followed(name) and left()
            is_tile = is_followed and self._tiles.set(name, array, self._origins.last_picture())
            found = self._cuts.again(name, array, self._origins.sheets(array.shape)) if left() else None
            return is_tile or found is not None, found

    def _is_looked_at(self, event: NNEvent, key: Any, name: str, tensor: Tensor) -> bool:
        """Whether an input is traced to a file. Counts how often it is."""
        is_known = key in self._known and tensor.nbytes > A_LINE
        most = LOOKS if tensor.nbytes > LITTLE or is_known else MORE_LOOKS
        kept = () if event.graph is None else states(event.graph.inputs, event.graph.outputs)
        if tensor.nbytes > A_LINE and any(key[-1] == state for state, _ in kept):
            return False  # it comes from the answer before
        if key in self._known and tensor.nbytes <= LITTLE:
            most += FOLLOWING * bool(kept)
        self._empty.pop(key, None)
        if is_uniform(tensor):  # a warm-up is not worth a look
            self._empty[key] = name
            if file := self._origins.ended_at_once(prod(tensor.shape)):
                self._ended[key] = file
            return False
        is_due = self._looked[key] < most
        self._looked[key] += is_due
        return is_due

    def _mistake(self, key: Any, name: str, found: Origin, rules: Set[str]) -> list[Line]:
        """The hint about an origin."""
        wrong = self._turned.wrong(key[0], key[2], name, found)
        if wrong.count("; ") >= MOST_AT_ONCE:  # nobody makes so many: the likeness is by chance
            return []
        if wrong == COLUMNS_REVERSED:
            data = dict(self._origins.files()).get(found.source.name, b"")
            if are_looked_up(data, self._stands_in_guest):
                return []
        known = [rule for beginning, rule in ALSO_SAID_BY.items() if wrong.startswith(beginning)]
        if not wrong or any(rule in rules for rule in known):
            return []
        return [(ORIGIN, f"{name}: compared with {found.source.name}, {wrong}")]

    @property
    def knows_why_zeros(self) -> bool:
        """Whether it is known why inputs are zeros."""
        if palette_in_header(self._origins.files(MOST_BYTES)):
            return True
        return bool(self._emptied.names) or self._uncounted.is_known or self._one.is_known

    @property
    def knows_why_alike(self) -> bool:
        """Whether it is known why inputs from different files are the same."""
        return self._divided.is_known or self._one.is_known

    def finish(self) -> Iterator[tuple[str, str]]:
        """Hints when a guest has ended: at parts of pictures that no others followed, and at empty inputs."""
        of_places = (self._parts, self._tiles, self._divided, self._channels)
        of_rounds = (self._uncounted, self._one, self._steps, self._unended, self._noise, self._before_zero)
        for text in (text for one in (*of_places, *of_rounds) for text in one.finish()):
            yield ORIGIN, text
        yield from ((METADATA, text) for text in self._wanting.finish())
        for key, text in self._sheets.finish():
            yield ORIGIN, f'input {key[-1]} "{self._origins.names[key]}": {text}'
        why = palette_in_header(self._origins.files(MOST_BYTES)) if self._empty else ""
        for name in self._empty.values() if why else ():
            yield ORIGIN, f"{name}: {why}"
        file = self._origins.only_alpha() if self._empty and not why else ""
        for name in self._empty.values() if file else ():
            same = f"all elements are equal, as the colours of {file} are"
            yield ORIGIN, f"{name}: {same}: what it shows is in its alpha"
        for key, file in self._ended.items() if not self._looked and not self._emptied.names else ():
            begins = f"all elements are equal, and {file} begins with a byte 0"
            yield ORIGIN, f"{self._empty[key]}: {begins}: was its length that of a text (strlen)?"
