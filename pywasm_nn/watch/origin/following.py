"""`Origins`: keeps what a guest reads from files, and says how its inputs came from that.

What is here: the bytes of files, by what WASI's functions read, and the bounds on them. What is not: the
search (`matching.py`, `sequences.py`, `tables.py`, `vocabulary.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from time import thread_time
from typing import Any
from zlib import crc32

from ...arrays import numpy
from ...interpreter.module import Module
from ...interpreter.runtime.deadline import paused
from ...interpreter.runtime.observe import HostEvent
from ...nn.formats import KNOWN
from ...nn.tensor import Tensor
from ...records import changed
from ..budget import Budget, Left, never
from ..facts import picture_of
from .bags import counted_in
from .batched import in_order, later_misread
from .blank import is_empty, is_only_alpha
from .bytewise import bytes_in
from .calculated import by_loops
from .characters import Alphabets, spelled
from .cleared import address_of, cleared
from .constants import A_PICTURE, Constants
from .cut import Sheet, behind_each_other, numbered
from .decoding import JPEG, Source, needs_pillow, white
from .headerless import as_pixels, sides_exchanged
from .in_columns import in_columns
from .interpolating import EXACT
from .kinds import media_among
from .layouts import layout_of, nearest_layout, packed_of
from .letters import letters_in
from .lined import column_by_column, floats_in
from .long_records import in_long_records
from .matching import Origin, unlike
from .one_place import in_one_place
from .other_types import in_another_type, in_upper_halves
from .ranked import best_of, is_exact, plainly
from .read_files import (
    MOST_HEADER,
    MOST_OF_A_BUFFER,
    MOST_OF_A_TEXT,
    File,
    is_data,
    is_text,
    samples_in,
    sources_of,
)
from .remnants import Remnants
from .rows_of_words import looked_up_in_rows
from .running import running_levels, running_pixels
from .runs import in_header, mistaken, runs_of, without_header
from .shaped import in_rows
from .tables import Part, found_in, is_begun
from .unread import STANDARD_INPUT, by_whole_file
from .vocabulary import Vocabulary, without_entries
from .windowed import begins_with, heard_in

MOST_KEPT = 64 << 20
"""Bytes of files that are kept in total."""
MOST_FILES = 64
MOST_DECODING = 0.3
"""Seconds after which no more files are decoded."""
MOST_PIECES = 8
"""So many different lengths of reads of one file are kept."""
MOST_TRIED = 4
"""So many files are tried for an input, the last ones first."""
MOST_OF_A_TABLE = 1 << 14
"""Inputs of more bytes come from no table and no text."""
MOST_OF_A_LINE = 1 << 8
"""Inputs of at most so many bytes are compared with tables though there is no time for a search."""
MOST_OF_A_BAG = 1 << 19
"""Inputs of more bytes count no words, and are no bytes of a text."""
MOST_OF_A_LIST = 1 << 18
"""Longer files are no list of names."""
MOST_COLUMNS, MOST_ROWS = 64, 8
"""Inputs of so many numbers, and so many of each, are compared with lines of a table."""
MATRIX = 2
"""An input of more dimensions is a series, and no batch of lines."""
LEAST_PUT = 512
"""Pieces of fewer bytes are no pictures."""
LEAST_NOISE = 3072
"""Fewer elements may look like noise by chance."""
STREAMS = {0: STANDARD_INPUT}
FIRST = 3
"""The first descriptor of a directory."""


class Origins:
    """Follows a guest's reads and inputs."""

    def __init__(
        self,
        arguments: Sequence[str] = (),
        budget: Budget | None = None,
        directories: Mapping[str, Path] | None = None,
    ) -> None:
        self.arguments = arguments
        self._directories = tuple((directories or {}).values())
        self._budget = budget or Budget()
        self._files: list[File] = [File(name) for name in STREAMS.values()]
        self._open: dict[int, File] = dict(zip(STREAMS, self._files, strict=True))
        self._room = MOST_KEPT
        self._decoding = 0.0
        """Seconds that decoding took."""
        self.constants = Constants(Module())
        """Texts and tables that the guest has in itself."""
        self.alphabets: Alphabets = {}
        self._remnants = Remnants()
        self._are_put_over = self._are_totals = False
        """Whether it was said that pieces of files are put over each other, or that totals run on: so they
        are in the next inputs, too."""
        self.names: dict[Any, str] = {}
        """The names of inputs, where they are known."""
        self.rows: dict[Any, int] = {}
        """By input, how many rows the table has in which it is looked up; 0: unknown."""
        self._sent: dict[Any, list[Any]] = {}
        """The last inputs of few numbers, by input."""
        self._tables: dict[Any, int] = {}
        """How many tables were read when they were sent."""

    def decode(self) -> None:
        """Decode compressed pictures that were read, as long as there is time for that."""
        for file in reversed(self._files):
            if not file.data.startswith(JPEG) or file.is_left:
                continue
            if self._decoding > MOST_DECODING:
                file.is_left = True
                continue
            began = thread_time()
            with self._budget.searching():
                file.sources()
            self._decoding += thread_time() - began

    def files(self, most: int = MOST_OF_A_LIST) -> list[tuple[str, bytes]]:
        """The names and bytes of files that were read, and have no more than so many, and of tables that the
        guest has in itself."""
        read = [file for file in (*self._files, *self.constants.tables) if 0 < len(file.data) <= most]
        return [(file.name, bytes(file.data)) for file in read]

    def with_arrays(self) -> list[tuple[str, bytes]]:
        """The same, with series of numbers that the guest has in itself."""
        return [*self.files(), *((file.name, bytes(file.data)) for file in self.constants.arrays)]

    def opened(self) -> list[Path]:
        """Where the host has the files that were opened."""
        return [file.place for file in self._files if file.place is not None]

    def about(self, name: str) -> tuple[Path | None, int]:
        """Where the host has a file that was read, and how often its bytes were read again."""
        file = next((one for one in reversed(self._files) if one.name == name and one.data), None)
        return (None, 0) if file is None else (file.place, file.again)

    def names_of(self, named: str | None, parts: Sequence[Any]) -> Iterator[str]:
        """What a model is called: by the guest, and by its files, also those that the guest has read."""
        yield named or ""
        for part in parts:
            yield Path(part if isinstance(part, Path) else self._read_for(part)).stem

    def _read_for(self, data: Any) -> str:
        """Returns the name of the file that was read for a part of a model, or "" if it isn't known."""
        read = (one for one in reversed(self._files) if len(one.data) == len(data) and one.data)
        first = bytes(data[:MOST_HEADER])
        return next((one.name for one in read if bytes(one.data[:MOST_HEADER]) == first), "")

    def media(self) -> list[tuple[int, str, int]]:
        """The numbers, names and checksums of pictures and sounds that were read, and of files like these."""
        return media_among(self._files)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if event.error is not None or event.result:
            return
        arguments = dict(event.arguments)
        match event.name:
            case "path_open":
                self._opened(event.arguments, str(arguments.get("path")))
            case "fd_read" | "fd_pread":
                self._read(event.name, arguments)
            case "fd_seek" if (file := self._open.get(arguments["fd"])) is not None:
                file.at = int(arguments.get("newoffset", 0))
            case "fd_close":
                self._open.pop(arguments["fd"], None)

    def _opened(self, arguments: tuple[tuple[str, Any], ...], path: str) -> None:
        number = arguments[-1][1]
        if isinstance(number, int) and len(self._files) < MOST_FILES:
            self._open[number] = file = File(path)
            directory = dict(arguments).get("fd")
            at = directory - FIRST if isinstance(directory, int) else -1
            if 0 <= at < len(self._directories):
                file.place = self._directories[at] / path
            self._files.append(file)

    def _read(self, name: str, arguments: dict[str, Any]) -> None:
        file = self._open.get(arguments["fd"])
        pieces, count = arguments.get("iovs"), arguments.get("nread")
        if file is None or not isinstance(pieces, list) or not isinstance(count, int):
            return
        at = int(arguments.get("offset", 0)) if name == "fd_pread" else file.at
        if name == "fd_read":
            file.at += count
        file.ended |= count < sum(len(piece) for piece in pieces)
        if at + count - len(file.data) > self._room:
            return
        before = len(file.data)
        if len(file.pieces) < MOST_PIECES and pieces:
            file.pieces.add(
                len(pieces[0]) + (len(pieces) > 1)
            )  # C's library reads the last byte of these itself
        for piece in pieces:
            part = bytes(piece[: min(count, len(piece))])
            file.read(part, at)
            if len(part) >= LEAST_PUT:
                file.put(address_of(piece), len(part))
            at, count = at + len(part), count - len(part)
        self._room -= max(0, len(file.data) - before)

    def of(self, tensor: Tensor, way: Any = None) -> Origin | None:
        """Returns how an input came from a file that was read, or None if that isn't found. `way` says which
        input it is: several of one may be found where none alone is."""
        numbers = tensor.numbers()
        if numbers is None or not numbers.size:
            return None
        array = numbers.reshape(tensor.shape)
        with paused(), numpy.errstate(all="ignore"), self._budget.searching() as left:
            if not left():
                return self._line(array, way) or self._begun(array)
            if numbers.nbytes <= MOST_OF_A_TABLE and (part := self._written(array, way)) is not None:
                return part
            if numbers.nbytes <= MOST_OF_A_BAG and (part := self._of_a_text(array, way)) is not None:
                return part
            if numbers.size < 48 or numbers.min() == numbers.max():
                return None
            return self._shown(array, left)

    def _line(self, array: Any, way: Any) -> Origin | None:
        """Returns how a short input came from a table or a text when searches have taken all of their time,
        or None. Lines show a mistake after several of them, and comparing them takes hardly any time."""
        is_list = array.dtype.kind in "iu" and array.nbytes <= MOST_OF_A_TABLE
        if not is_list and (array.nbytes > MOST_OF_A_LINE or array.dtype.kind != "f"):
            return None
        with self._budget.comparing() as left:
            if not left():
                return None
            if not is_list:
                return self._written(array, way)
            return self._behind_a_text(array, way, self._lists()) or self._of_words(array, way)

    def _of_words(self, array: Any, way: Any) -> Origin | None:
        """Returns what is wrong with the numbers of words of a text that was read, or None if nothing is. Of
        several texts the first one often has no word that is looked up wrongly."""
        lists = self._lists()
        for file in lists[:MOST_TRIED] if array.ndim <= MATRIX else ():
            vocabulary = file.vocabulary()
            if vocabulary is not None:
                texts = [*(one.text() for one in lists if one is not file and is_text(one)), *self.arguments]
                part = self._looked_up(vocabulary, texts, array, way)
                if part is not None and part.wrong:
                    return Origin(Source(file.name, None, str(vocabulary)), (part.said,), part.wrong)
        return None

    def _looked_up(self, vocabulary: Vocabulary, texts: Sequence[str], array: Any, way: Any) -> Part | None:
        name, count = self.names.get(way, ""), self.rows.get(way, 0)
        return looked_up_in_rows(vocabulary, texts, array, name, count)

    def _lists(self) -> list[File]:
        """Returns the files that were read and are no longer than lists of names, the last one first."""
        return [file for file in reversed(self._files) if 0 < len(file.data) <= MOST_OF_A_LIST]

    def _behind_a_text(self, array: Any, way: Any, read: Sequence[File]) -> Origin | None:
        """Returns the origin of a text behind which the end of the one before was left, or None."""
        named = [(one.name, one.text()) for one in read if is_text(one)]
        texts = [*(text for _, text in named), *self.arguments]
        if wrong := self._remnants.wrong(way, array, texts):
            return Origin(Source(named[0][0] if named else "its arguments", None, "a text"), (), wrong)
        return None

    def _begun(self, array: Any) -> Origin | None:
        """How an input came from the sound that was read last, if it is that as it is from its beginning on:
        this is seen at once, and a sound of another rate may come after many others."""
        source = self.last_sound()
        if source is None or not source.rate or not begins_with(array, source):
            return None
        with self._budget.comparing() as left:
            return heard_in(array, source, never) if left() else None

    def _shown(self, array: Any, left: Left) -> Origin | None:
        """How an input came from a picture or a sound, or from a file's bytes."""
        if (cut := by_whole_file(array, self._files, best_of, left)) is not None:
            return cut
        files = in_order(array, self._sources(array))
        found = None if len(files) == 1 == len(files[0]) else plainly(array, files, left)
        for sources in files if found is None and left() else ():
            found = best_of(array, sources, left)
            if found is not None or not left():
                break
        found = by_loops(later_misread(found, array, files, left), array, files, left)
        if found is None or found.wrong or found.in_part:
            runs = None if found is not None and is_exact(found) else self._runs(array)
            found = runs if runs is not None and (runs.wrong or found is None) else found
        if found is None and left():
            found = best_of(array, as_pixels(A_PICTURE, self.constants.pixels(array), array), left)
        if found is not None and not found.wrong and found.apart <= EXACT and found.lies is not None:
            found = changed(found, wrong=sides_exchanged(found.source))
        if found is not None and not found.wrong:
            empty = cleared(array, found, self._files)
            found = changed(found, wrong=empty, varied=empty)
        return found

    def _runs(self, array: Any) -> Origin | None:
        """An input whose rows are runs of a file's bytes."""
        read = [file for file in reversed(self._files) if file.data]
        for file in read[:MOST_TRIED]:
            data = bytes(file.data)
            packed = packed_of(data[:MOST_HEADER])
            layout = packed or layout_of(data[:MOST_HEADER])
            shaped = array if layout is None else in_rows(array, layout.height, layout.width)
            picture = picture_of(shaped.shape)
            if picture is None:
                continue
            runs = runs_of(shaped, picture, data, white(data[:MOST_HEADER]))
            if runs is not None:
                near = nearest_layout(data, runs.begins)
                wrong = mistaken(runs, near, len(data), is_all=file.ended)
                if not wrong and near is None:
                    wrong = in_header(runs, packed) if packed is not None else without_header(runs, data)
                return Origin(Source(file.name, None, file.size()), (str(runs),), wrong)
        return None

    def _of_a_text(self, array: Any, way: Any) -> Origin | None:
        """How an input counts the words of a text, or is its bytes."""
        read = self._lists()
        for file in read:
            if (lexicon := file.lexicon()) is not None and array.shape[-1:] == (len(lexicon.words),):
                others = [one.text() for one in read if one.name != file.name and is_text(one)]
                texts = [*others, " ".join(self.arguments)]
                part = counted_in(lexicon, texts, array) or letters_in([*lexicon.words], texts, array)
                if part is not None:
                    return Origin(Source(file.name, None, str(lexicon)), (part.said,), part.wrong)
        is_list = picture_of(array.shape) is None and array.dtype.kind in "iu"
        named = [(one.name, one.text()) for one in read if is_list and is_text(one)]
        if found := spelled(named, self.arguments, array, self.alphabets):
            return Origin(Source(found[0], None, "an alphabet"), (found[1].said,), found[1].wrong)
        if is_list and (left := self._behind_a_text(array, way, read)) is not None:
            return left
        for file in read[:MOST_TRIED]:
            if (is_list or is_text(file)) and (part := bytes_in(bytes(file.data), array)) is not None:
                source = Source(file.name, None, file.size())
                return Origin(source, (part.said,), part.wrong, is_bytes=True, varied=part.varied)
        return None

    def _written(self, array: Any, way: Any) -> Origin | None:
        """How an input came from a table of numbers, or from a vocabulary and a text."""
        rows = self._rows_of(array, way)
        read = [file for file in reversed(self._files) if file.data]
        for file in (*read[:MOST_TRIED], *self.constants.tables):
            table, vocabulary = file.table(), file.vocabulary()
            part: Part | None = None
            if table is not None:
                part = found_in(table, array)
                if rows is not None and array.size > array.shape[-1] and (part is None or is_begun(part)):
                    part = in_long_records(table, rows) or part
                if part is None and rows is not None:
                    lists = [(one.name, one.lists()) for one in read if one is not file]
                    is_window = array.size > array.shape[-1]
                    is_series = is_window and array.ndim > MATRIX
                    part = in_columns(table, rows, lists, is_window=is_window, is_series=is_series)
            elif vocabulary is not None:
                texts = [one for one in read if one.name != file.name and len(one.data) <= MOST_OF_A_TEXT]
                said = [*(one.text() for one in texts), " ".join(self.arguments), *self.constants]
                part = self._looked_up(vocabulary, said, array, way)
            if part is not None:
                what = str(vocabulary if table is None else table)
                source = Source(file.name, None, what, place=part.window)
                lines = None
                is_batch = array.ndim == MATRIX or array.size == array.shape[-1]
                if table is not None and part.columns is not None and is_batch:
                    start, count = part.columns
                    lines = table.numbers[:, start : start + count]
                is_one = array.size > array.shape[-1] or (part.at is not None and part.at[1] == 1)
                varied, at = (part.varied, part.at) if is_one else ("", None)
                return Origin(source, (part.said,), part.wrong, varied=varied, lines=lines, lines_at=at)
        if (own := self._of_own_series(array) or self._of_own_list(array, way)) is not None:
            return own
        if (turned := self._turned_floats(array, rows, read)) is not None:
            return turned
        tables = [(file.name, table) for file in read[:MOST_TRIED] if (table := file.table()) is not None]
        if found := in_another_type(tables, array):
            return Origin(Source(found[0], None, "a table"), (found[1].said,), found[1].wrong)
        named = [(file.name, file.text()) for file in read[:MOST_TRIED] if is_text(file)]
        if halved := in_upper_halves([*named, ("the arguments", " ".join(self.arguments))], array):
            return Origin(Source(halved[0], None, "numbers"), (), halved[1])
        return None

    def _turned_floats(self, array: Any, rows: Any, read: Sequence[File]) -> Origin | None:
        """How a batch came from the rows of a file of floats alone, column by column."""
        if rows is None or array.ndim != MATRIX or len(array) != len(rows):
            return None
        for file in read[:MOST_TRIED]:
            table = floats_in(bytes(file.data), rows.shape[1]) if file.table() is None else None
            if table is not None and (part := column_by_column(table, rows)) is not None:
                return Origin(Source(file.name, None, "rows of floats"), (part.said,), part.wrong)
        return None

    def _of_own_series(self, array: Any) -> Origin | None:
        """How an input is a part of a series that the guest has in itself."""
        for file in self.constants.arrays:
            table = file.table()
            part = None if table is None else found_in(table, array)
            if part is not None:
                return Origin(Source(file.name, None, str(table)), (part.said,), part.wrong)
        return None

    def _of_own_list(self, array: Any, way: Any) -> Origin | None:
        """How an input numbers the words of a text by a list that the guest has in itself."""
        rows = self.rows.get(way, 0)
        if not rows or array.dtype.kind not in "iu":
            return None
        texts = [file.text() for file in self._files if file.data and len(file.data) <= MOST_OF_A_TEXT]
        for own in self.constants.vocabularies(rows):
            if (part := without_entries(own, [*texts, " ".join(self.arguments)], array, rows)) is not None:
                return Origin(Source("a list in the program", None, str(own)), (part.said,), part.wrong)
        return None

    def _rows_of(self, array: Any, way: Any) -> Any:
        """Returns the last inputs like this one, or its own lines, as rows, or None if it has no numbers."""
        width = array.shape[-1] if array.ndim else 0
        if array.dtype.kind != "f" or not 0 < width <= MOST_COLUMNS:
            return None
        rows = array.reshape(-1, width).astype("f8")
        if len(rows) > 1 or way is None:
            return rows
        sent = self._sent.setdefault((way, width), [])
        tables = sum(file.table() is not None for file in self._files if file.data)
        if self._tables.setdefault((way, width), tables) != tables:
            sent.clear()  # those before are lines of another file
            self._tables[way, width] = tables
        sent.append(rows[0])
        del sent[:-MOST_ROWS]
        return numpy.stack(sent)

    def in_one_place(self, tensor: Tensor) -> str:
        """Returns what is wrong with an input if the pieces of a file were put over each other, or ""."""
        numbers = tensor.numbers()
        with paused(), numpy.errstate(all="ignore"), self._budget.searching() as left:
            if numbers is None or self._are_put_over:
                return ""
            found = in_one_place(numbers.reshape(tensor.shape), self._files, left)
        self._are_put_over = bool(found)
        return found

    def running_on(self, tensor: Tensor) -> str:
        """Returns what is wrong with an input whose elements are totals that run on, or ""."""
        numbers = tensor.numbers()
        if numbers is None or not numbers.size or numbers.dtype.kind != "f" or self._are_totals:
            return ""
        array = numbers.reshape(tensor.shape)
        with paused(), numpy.errstate(all="ignore"), self._budget.searching() as left:
            sources = next(self._sources(array), []) if picture_of(tensor.shape) is not None else []
            read = [(file.name, bytes(file.data)) for file in self._files if file.data]
            found = running_pixels(array, sources, left) or running_levels(array, read, left)
        self._are_totals = bool(found)
        return found

    def nothing_of(self, tensor: Tensor) -> str:
        """Returns the mistake in an input that doesn't show the picture that the guest read before it, or ""
        if none can be said. Its elements are like noise, or have few levels."""
        numbers = tensor.numbers()
        if numbers is None or numbers.size < LEAST_NOISE:
            return ""
        array = numbers.reshape(tensor.shape)
        source = self.last_shown(array)
        with paused(), numpy.errstate(all="ignore"), self._budget.searching():
            return "" if source is None else unlike(array, source)

    def last_shown(self, array: Any) -> Source | None:
        """The last picture that was read, as far as it may be in an input."""
        return next((one for several in self._sources(array) for one in several if one.is_picture), None)

    def last_picture(self) -> tuple[str, Any] | None:
        """Returns the name and the pixels of the last picture that was read, or None if there is none."""
        shown = (one for file in reversed(self._files) if file.data for one in file.sources())
        return next(((one.name, one.array) for one in shown if one.is_picture), None)

    def sheets(self, shape: Sequence[int]) -> Iterator[Sheet]:
        """Yields what small inputs of a shape may be parts of, the last file first."""
        for file in [one for one in reversed(self._files) if one.data][:MOST_TRIED]:
            data, sources = bytes(file.data[:MOST_OF_A_BUFFER]), file.sources()
            for source in [one for one in sources if one.is_picture][:MOST_TRIED]:
                yield Sheet(source, source.array[..., :3])
                yield from numbered(source)
            if not sources:
                yield from behind_each_other(file.name, data, shape)

    def pictures(self) -> list[tuple[str, Any]]:
        """The names and the pixels of all pictures that were read."""
        shown = (one for file in self._files if file.data for one in file.sources() if one.is_picture)
        return [(one.name, one.array) for one in shown]

    def undecoded(self) -> str:
        """Returns the name of the last picture that only Pillow can decode, or "" if there is none."""
        read = (file for file in reversed(self._files) if needs_pillow(bytes(file.data[:16])))
        return next((file.name for file in read if not file.sources()), "")

    def pictures_read(self) -> int:
        """How many different pictures were read."""
        read = [one for file in self._files if file.data for one in file.sources() if one.is_picture]
        return len({(one.array.shape, crc32(one.array.tobytes())) for one in read})

    def silent(self) -> bool:
        """Whether files were read that hold a picture, a sound or zeros, and all of these are black, silent,
        or zeros; or the last two of them have the same bytes, so that nothing is their difference."""
        read = [file for file in self._files if file.data and is_data(file)]
        if len(read) > 1 and read[-1].data == read[-2].data:
            return True
        kept = [file.sources() or [Source(file.name, None, "")] for file in read]
        return bool(kept) and all(is_empty(one.array) for many in kept for one in many)

    def nothing(self) -> bool:
        """Whether nothing was read but models, and weights beside them: inputs may be of any numbers."""
        read = [(PurePath(file.name), KNOWN.of_file(file.name)) for file in self._files if file.data]
        weights = {path.with_suffix(form.beside) for path, form in read if form is not None and form.beside}
        return all(form is not None or path in weights for path, form in read)

    def has_data(self) -> bool:
        """Whether anything but models was read, or the guest has series of numbers in itself."""
        return not self.nothing() or bool(self.constants.tables or self.constants.arrays)

    def only_alpha(self) -> str:
        """Returns the name of a picture that was read, whose colours are all equal and whose alpha isn't, or
        "" if there is none."""
        shown = (
            one for file in reversed(self._files) if file.data for one in file.sources() if one.is_picture
        )
        return next((one.name for one in shown if is_only_alpha(one.array)), "")

    def ended_at_once(self, elements: int) -> str:
        """Returns the last file's name, if it begins with a byte 0 and is no text, or "" if it doesn't, or if
        so many bytes are 0, as of a silent beginning."""
        read = next((file for file in reversed(self._files) if file.data), None)
        begins = read is not None and read.data[0] == 0 and any(read.data[: min(elements, MOST_HEADER)])
        return read.name if read is not None and begins and KNOWN.of_file(read.name) is None else ""

    def loud(self, count: int) -> str:
        """Returns the name of a sound that was read, if of each such one some of the first `count` samples
        are not 0, or "" if there is none."""
        sounds = [one for file in reversed(self._files) if file.data for one in samples_in(file)]
        return sounds[0].name if sounds and all(one.array[:count].any() for one in sounds) else ""

    def last_sound(self) -> Source | None:
        """Returns the sound that was read last, or None if there is none."""
        return next((one for file in reversed(self._files) if file.data for one in samples_in(file)), None)

    def silent_channel(self) -> str:
        """Returns what to say of the last sound that was read, if one of its channels is silent and another
        isn't, or "" if that is not so."""
        sounds = [one for file in self._files if file.data for one in file.sources() if one.rate]
        if not sounds or sounds[-1].array.ndim == 1:
            return ""
        loud = sounds[-1].array.any(axis=0).tolist()
        if all(loud) or not any(loud):
            return ""
        one, other = loud.index(False), loud.index(True)
        return f"channel {one} of {sounds[-1].name} is silent, and channel {other} is not"

    def _sources(self, array: Any) -> Iterator[list[Source]]:
        """Files as pictures and sounds, the last one first; bytes as many as the input's pixels, too."""
        for file in reversed(self._files):
            if not file.data:
                continue
            if found := sources_of(file, array):
                yield found
