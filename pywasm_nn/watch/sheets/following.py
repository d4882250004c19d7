"""`Sheets`: the inputs that a guest sends line by line, beside the tables that it read.

What is here: which inputs are compared, and when. What is not: the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Layer
from ...nn.tensor import Tensor
from .box_texts import written_boxes
from .boxes import Box, listed, misplaced
from .by_layer import has_scaler, unlike_layer
from .by_lists import AS_IS, BEGUN, RIGHT, by_constants, of_lists, of_measured
from .by_scaler import by_scaler
from .fixes import of_fixes
from .grades import by_alphabet
from .hours import in_milliseconds, whole
from .kept_ones import never_equal, never_reset, one_never_equal
from .listed_kinds import lists_of, ones_elsewhere
from .misread import misread
from .mixed_units import in_one_unit
from .named import unlike_names
from .one_unscaled import FEWEST as FEW
from .one_unscaled import one_converted, one_unscaled
from .orders import alphabetical, as_they_appear, one_number
from .out_of_range import out_of_range
from .periods import exchanged_date, of_few_lines, other_period
from .places import exchanged
from .repeats import last_line_twice
from .rounded import as_whole
from .rows import FEWEST, as_doubles, straight
from .scales import of_another, unused
from .sheet import FEWEST_LINES, Sheet, sheet_of
from .units import Units, far_by_unit

Files = Sequence[tuple[str, bytes]]

MOST_ELEMENTS, MOST_ROWS, COMPARED = 64, 512, 24
"""Elements of an input that may be a line, inputs that are kept, and those that are compared."""
FEWEST_OF_A_BATCH, MOST_OF_A_BATCH = 2, 64
MOST_TABLES = 4
MOST_LOOKED_AT = 4
"""So many lines of a batch are compared with lists of numbers: the first may have no gap."""
OFTEN = 2
"""So many lines of an input are compared with the program's own numbers."""
LATER = (8, 12, 24)
"""Inputs are compared again when there are so many: not every line shows a mistake."""


class Sheets:
    """Gives sentences after inputs."""

    def __init__(
        self,
        files: Callable[[], Files] = tuple,
        texts: Callable[[str], bool] = lambda _: False,
        unread: Callable[[], Iterable[tuple[str, bytes]]] = tuple,
        own: Callable[[], Iterable[Any]] = tuple,
        constants: Callable[[], Any] = tuple,
        apart: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`texts` says whether a text is in the guest itself, `unread` gives texts that it could open and
        never did, `own` the numbers among the guest's data, `constants` the floats of its instructions.
        Time within `apart` is that of a search, and not of comparisons."""
        self._apart = apart
        self._files, self._unread, self._own, self._constants = files, unread, own, constants
        self._texts = texts
        self._rows: dict[Any, list[Any]] = {}
        self._lengths: set[int] = set()
        """Of the tables, in lines."""
        self._begins: dict[Any, dict[str, int]] = {}
        """By input, how many of it were sent before each file was read."""
        self._units: dict[Any, Units] = {}
        self._layers: dict[int | None, Mapping[int, Layer]] = {}
        """By graph and an input's index, its first layer."""
        self._gaps: set[Any] = set()
        """Inputs of which some elements were NaN, with their widths."""
        self._done: set[Any] = set()
        self._as_is: dict[Any, str] = {}
        """By input, what is wrong if its lines are to be scaled by lists of numbers, and were sent as they
        are."""
        self._begun: dict[Any, str] = {}
        """By input, what is wrong if of lines no more than the first numbers is ever sent; "" if more is."""
        self._compared_with_own: Counter[Any] = Counter()
        """By input, how many lines were compared with the guest's numbers."""
        self._is_applied = False
        """Whether lines of any input were scaled by such lists."""
        self._twice: dict[Any, str] = {}
        """Maps an input whose last line was sent twice to what is wrong, if nothing follows."""
        self._applied: set[Any] = set()
        """Inputs that are lines, exactly scaled by such lists of a file."""

    def loaded(self, graph: int | None, layers: Mapping[int, Layer]) -> None:
        """A model was loaded, whose inputs have these first layers."""
        self._layers[graph] = layers

    def set(self, key: Any, tensor: Tensor, called: str = "", *, is_scaled: bool = False) -> Iterator[str]:
        """An input was set. `called` is its name, `is_scaled`: the model scales it itself."""
        self._twice.pop(key, None)  # what follows says that somebody looks closer at the last line
        numbers = tensor.numbers()
        width = tensor.shape[-1] if tensor.shape else 0
        if numbers is None or key in self._done or not 0 < width <= MOST_ELEMENTS or len(tensor.shape) > 2:
            return
        kept = self._rows.setdefault((key, width), [])
        before = len(kept)
        if before >= MOST_ROWS:
            return
        if not numpy.isfinite(numbers).all():
            self._gaps.add((key, width))
        kept += list(numbers.reshape(-1, width).astype("f8"))
        begins = self._begins.setdefault((key, width), {})
        for name, _ in self._files():
            begins.setdefault(name, before)
        starts = {*begins.values()}
        if (key, width) in self._gaps:
            yield from self._with_gaps(key, kept, begins)
            return

        @cache
        def takes_raw() -> bool:
            return is_scaled or self.has_scaler(key, numpy.stack(kept[:COMPARED]))

        said = ""
        if len(kept) <= LATER[-1]:
            each = (self._by_lists(key, one, takes_raw) for one in kept[before:][:MOST_LOOKED_AT])
            said = self._by_scaler(kept, begins) or next(filter(None, each), "")
        said = said or self._filled_by_columns(numbers.reshape(-1, width))
        if not said and before < FEW <= len(kept):
            said = self._one_unscaled(key, kept, begins)
        if said := said or of_fixes(kept, before, self._files()):
            self._done.add(key)
            yield said
            return
        is_due = any(before - at < one <= len(kept) - at for one in (FEWEST, *LATER) for at in starts)
        if not is_due and not {len(kept) - at - by for at in starts for by in (0, 1)} & self._lengths:
            return
        if said := self._last_line_twice(kept, begins):
            self._twice[key] = said
        units = self._units.setdefault(key, Units(called, str(key)))
        for name, said in self._compared(kept, begins, units, takes_raw):
            self._done.add(key)
            yield f"compared with {name}, {said}"
            return

    def has_scaler(self, key: Any, rows: Any) -> bool:
        """Whether the first layer of an input's model scales lines such as these, [lines, elements]."""
        layer = self._layers.get(key[0], {}).get(key[-1])
        return layer is not None and has_scaler(layer, rows)

    def is_applied(self, key: Any) -> bool:
        """Whether an input is lines that were scaled by lists of numbers in a file."""
        return key in self._applied and key not in self._done

    def has_said(self, key: Any) -> bool:
        """Whether something is known to be wrong with how an input came from lines."""
        return key in self._done

    def _with_gaps(self, key: Any, every: Sequence[Any], begins: Mapping[str, int]) -> Iterator[str]:
        """Yields what is wrong with how lines were read, of which some elements are NaN."""
        for sheet in self.read():
            kept = every[begins.get(sheet.name, 0) :]
            if len(kept) in (FEWEST, *LATER, len(sheet.rows)) and FEWEST <= len(kept) <= len(sheet.rows):
                rows = numpy.stack(kept[:COMPARED])
                if said := misread(sheet, rows, range(len(rows))):
                    self._done.add(key)
                    yield f"compared with {sheet.name}, {said}"
                    return

    def _by_scaler(self, every: Sequence[Any], begins: Mapping[str, int]) -> str:
        """Returns what is wrong with the first lines of a table that are scaled by the numbers of another, or
        "" if nothing is."""
        sheets = self.read()
        for sheet in sheets if len(sheets) > 1 else ():
            kept = every[begins.get(sheet.name, 0) :]
            others = [one for one in sheets if one is not sheet]
            if kept and (said := by_scaler(sheet, numpy.stack(kept), others)):
                return f"compared with {sheet.name}, {said}"
        return ""

    def _last_line_twice(self, every: Sequence[Any], begins: Mapping[str, int]) -> str:
        """Returns what is wrong if all lines of a table were sent, and the last one once more, or ""."""
        for sheet in [one for one in self.read() if len(one.rows) >= FEWEST_LINES]:
            kept = every[begins.get(sheet.name, 0) :]
            if len(kept) == len(sheet.rows) + 1 and (said := last_line_twice(sheet, numpy.stack(kept))):
                return f"compared with {sheet.name}, {said}"
        return ""

    def _one_unscaled(self, key: Any, every: Sequence[Any], begins: Mapping[str, int]) -> str:
        """Returns what is wrong with one column of the first lines of a table, or "" if nothing is."""
        layer = self._layers.get(key[0], {}).get(key[-1])
        for sheet in self.read():
            kept = every[begins.get(sheet.name, 0) :][: min(COMPARED, len(sheet.rows))]
            if len(kept) < FEW:
                continue
            rows = numpy.stack(kept)
            said = (one_unscaled(sheet, rows, layer) if layer else "") or one_converted(sheet, rows)
            said = said or out_of_range(sheet, rows) or of_few_lines(sheet, rows)
            said = said or (unlike_layer(sheet, rows, layer) if layer else "")
            if said:
                return f"compared with {sheet.name}, {said}"
        return ""

    def _by_lists(self, key: Any, row: Any, takes_raw: Callable[[], bool]) -> str:
        """Returns what is wrong with a line that is scaled by two lists of numbers without names, or "" if
        nothing is. `takes_raw` says whether the model scales lines itself."""
        is_first = self._compared_with_own[key] < OFTEN
        with self._apart() if is_first else nullcontext():
            found = of_lists(self._files(), row, self._own if is_first else tuple)
            found = found if found.how else of_measured(self._files(), row)
            by_own = by_constants(self._files(), row, self._constants) if is_first and not found.how else ""
        self._compared_with_own[key] += 1
        if found.how == RIGHT:
            self._is_applied = True
            self._applied.add(key)
        elif found.how == AS_IS and not takes_raw():
            self._as_is.setdefault(key, found.said)
        elif found.how == BEGUN:
            self._begun.setdefault(key, found.said)
        elif found.how and found.how != AS_IS:
            self._is_applied = True
            return found.said
        elif by_own:
            self._is_applied = True
            return by_own
        if found.how != BEGUN and row.any():
            self._begun[key] = ""  # the others come later, one by one
        return ""

    def _filled_by_columns(self, rows: Any) -> str:
        """Returns what is wrong with a batch that is lines of a table, scaled by lists, if only its
        columns lie one behind the other, or "" if that is not so."""
        count, width = rows.shape
        if not FEWEST_OF_A_BATCH <= count <= MOST_OF_A_BATCH or width < FEWEST_OF_A_BATCH:
            return ""
        turned = rows.reshape(width, count).T.astype("f8")
        files = self._files()
        if any(of_lists(files, row).how != RIGHT for row in turned[:FEWEST_OF_A_BATCH]):
            return ""
        if any(of_lists(files, row.astype("f8")).how for row in rows[:FEWEST_OF_A_BATCH]):
            return ""
        return (
            f"its {rows.size} elements are {count} lines of a table, scaled, only if all of one column come "
            f"first, then all of the next: the shape says {count} rows of {width} numbers, a line each (is "
            f"element (line, column) put at column * {count} + line?)"
        )

    def finish(self) -> Iterator[tuple[Any, str]]:
        """Inputs with sentences when the guest has ended: until then others may be scaled."""
        kept = ({} if self._is_applied else self._as_is) | self._twice
        kept |= {key: one for key, one in self._begun.items() if one}
        yield from ((key, said) for key, said in kept.items() if key not in self._done)

    def cut_out(self, part: tuple[int, int, int, int], size: tuple[int, int]) -> str:
        """Returns what is wrong with the place of a part of a picture of such a height and width, or "" if
        nothing is known to be wrong."""
        return exchanged(part, self.read()) or misplaced(part, self.boxes(size), size[1])

    def boxes(self, size: tuple[int, int]) -> list[Box]:
        """The parts of a picture of such a height and width that tables and other texts list."""
        return [*listed(self.read()), *written_boxes(self._files(), size)]

    def read(self) -> list[Sheet]:
        """The tables that were read."""
        return [sheet for name, data in self._files() if (sheet := sheet_of(name, data)) is not None]

    def _compared(
        self, every: Sequence[Any], begins: Mapping[str, int], units: Units, takes_raw: Callable[[], bool]
    ) -> Iterator[tuple[str, str]]:
        sheets = self.read()
        self._lengths |= {len(one.rows) for one in sheets}
        for sheet in [one for one in reversed(sheets) if len(one.rows) >= FEWEST_LINES][:MOST_TABLES]:
            count, kept = len(sheet.rows), every[begins.get(sheet.name, 0) :]
            if not FEWEST <= len(kept) <= count:
                continue
            rows = numpy.stack(kept[:COMPARED])
            others = [one for one in sheets if one is not sheet]
            for order in (range(count), range(count)[::-1]):
                said = self._wrong(sheet, rows, order[: len(rows)], others, units)
                if not said and not takes_raw():
                    said = unused(sheet, rows, order[: len(rows)], others)
                if said:
                    yield sheet.name, said
            if said := by_alphabet(sheet, rows):
                yield sheet.name, said

    def _wrong(
        self, sheet: Sheet, rows: Any, lines: Sequence[int], others: Sequence[Sheet], units: Units
    ) -> str:
        """Returns what is wrong with inputs that follow the lines of a table, or "" if nothing is."""

        def known(text: str) -> bool:
            rows = [row for one in others for row in one.rows]
            rows += [one.words for one in lists_of(self._files())]
            return self._texts(text) or any(text in row for row in rows)

        said = misread(sheet, rows, lines) or in_milliseconds(sheet, rows, lines)
        said = said or in_one_unit(sheet, rows, lines)
        if said := said or other_period(sheet, rows, lines) or exchanged_date(sheet, rows, lines):
            return said
        if said := as_whole(sheet, rows, lines):
            return said
        found = straight(rows, whole(sheet)[list(lines)])
        if not found.fits.any():
            return as_doubles(sheet, rows, lines)
        return (
            alphabetical(sheet, found, self._texts)
            or as_they_appear(sheet, rows, lines, known)
            or ones_elsewhere(sheet, rows, lines, self._files(), self._unread)
            or one_number(sheet, rows, lines)
            or never_reset(sheet, rows, lines)
            or never_equal(sheet, rows, lines, self._texts)
            or one_never_equal(sheet, rows, lines, self._texts)
            or of_another(sheet, found, others)
            or units.other(sheet, found)
            or unlike_names(sheet, found, self._files(), units.model, self._texts)
            or far_by_unit(sheet, rows, found)
        )
