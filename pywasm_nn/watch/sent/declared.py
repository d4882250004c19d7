"""What models say of their inputs, against what is sent: the range and the order of channels of a picture.

What is here: `Declared`, which keeps what models say. What is not: reading models (`hints/models.py`), and
elements one by one (`wanted.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...nn.formats.format import Facts, Filters, First, Normalisation
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor, TensorSpec
from ..changes.encodings import another, outside
from ..changes.rereadings import reread
from ..facts import picture_of
from ..hints.models import normalisation, order
from ..origin import Origin
from ..regex import regex
from .filtered import beyond
from .firsts import order_of, unwanted

BEYOND = 1e6
"""Elements of pictures in any range are smaller."""
RGB, BGR = "RGB", "BGR"
WORDS = {RGB: "red, green, blue (RGB)", BGR: "blue, green, red (BGR)"}
ORDERED = regex(r"(?<![A-Za-z])(rgb|bgr)(?![A-Za-z])|(?<=[a-z])(RGB|BGR|Rgb|Bgr)(?![a-z])", re.ASCII)
"""The order of channels as a word of an input's name, such as "bgr", "image_rgb8" and "inputBGR"."""


class Declared:
    """What models say, by graph and input. `graph in declared`: it was loaded."""

    def __init__(self) -> None:
        self._ranges: dict[int | None, Mapping[int, Normalisation]] = {}
        self._orders: dict[int | None, str] = {}
        self._firsts: dict[int | None, Mapping[int, First]] = {}
        self._filters: dict[int | None, Mapping[int, Filters]] = {}
        self._affine: dict[int | None, Mapping[str, tuple[float, int]]] = {}
        self.files: dict[int | None, Sequence[Path]] = {}
        """By graph, the host's files that a model came from."""

    def __contains__(self, graph: int | None) -> bool:
        return graph in self._ranges

    def loaded(self, event: NNEvent, known: Facts) -> None:
        """A model was loaded, whose graph says what is `known`."""
        graph = event.graph_id
        self.files[graph] = [one for one in event.parts if isinstance(one, Path)]
        self._ranges[graph] = normalisation(event.parts)
        self._firsts[graph], self._affine[graph] = known.firsts, known.lasts
        self._filters[graph] = known.filters
        self._orders[graph] = order(event.parts) or order_of(known.firsts.get(0))

    def order(self, graph: int | None, name: str) -> str:
        """The order of channels that a model says it wants, or that the name of the input says: "RGB" or
        "BGR", or "" if neither says any."""
        return self._orders.get(graph, "") or order_in(name)

    def affine_of(self, event: NNEvent, spec: TensorSpec) -> tuple[float, int] | None:
        """The scale and zero point of an input, by its type or by what the model says."""
        return spec.quantization or self._affine.get(event.graph_id, {}).get(spec.name)

    def against(self, graph: int | None, index: int, name: str, tensor: Tensor, found: Origin | None) -> str:
        """Returns what the model has against an input, of which an origin may be known, or "" if it has
        nothing against it."""
        said = self._of_range(self._ranges.get(graph, {}).get(index), tensor, found)
        said = said or self._of_order(graph, name, found)
        numbers = tensor.numbers()
        if said or numbers is None or numbers.dtype.kind != "f":
            return said  # bytes are in no other range than their own, whatever they were made from
        return self._by_firsts(graph, index, found) or self._by_filters(graph, index, tensor, found)

    def _of_range(self, wanted: Normalisation | None, tensor: Tensor, found: Origin | None) -> str:
        """Returns what the model's metadata has against an input of floats, or "" if it has nothing against
        it."""
        numbers, picture = tensor.numbers(), picture_of(tensor.shape)
        if wanted is None or numbers is None or picture is None or numbers.dtype.kind != "f":
            return ""
        if found is not None and found.wrong and found.encoding is None:
            return ""
        low, high = float(numbers.min()), float(numbers.max())
        if not -BEYOND < low < high < BEYOND or any(reread(numbers.reshape(tensor.shape))):
            return ""
        text = outside(numbers.reshape(tensor.shape), picture, *wanted)
        if text is None and found is not None and found.encoding is not None:
            text = another(found.encoding, *wanted)
        return text or ""

    def _of_order(self, graph: int | None, name: str, found: Origin | None) -> str:
        """Returns what the model, or the input's name, says of the order of channels, if a picture was sent
        in another one, or "" if it was not."""
        by_model = self._orders.get(graph, "")
        wanted = by_model or order_in(name)
        if found is None or not wanted or found.order not in (RGB, BGR) or found.order == wanted:
            return ""
        says = "the model says that it wants" if by_model else "its name says that it is for"
        return f"{says} {WORDS[wanted]}; the picture was sent as {found.order}"

    def _by_firsts(self, graph: int | None, index: int, found: Origin | None) -> str:
        """Returns what the model does first of all has against the range of a picture, or "" if that is
        nothing."""
        first = self._firsts.get(graph, {}).get(index)
        if first is None or found is None or index in self._ranges.get(graph, {}):
            return ""
        return "" if found.wrong or found.encoding is None else unwanted(first, found.encoding)

    def _by_filters(self, graph: int | None, index: int, tensor: Tensor, found: Origin | None) -> str:
        """Returns what is wrong with a picture's range by the results of the model's first filters, or ""."""
        filters = self._filters.get(graph, {}).get(index)
        if filters is None or index in self._ranges.get(graph, {}) or (found is not None and found.wrong):
            return ""
        return beyond(filters, tensor, None if found is None else found.encoding)


def order_in(name: str) -> str:
    """The order of channels that the name of an input says, "RGB" or "BGR", or "" if it says not just one."""
    found = {"".join(one).upper() for one in ORDERED.findall(name)}
    return found.pop() if len(found) == 1 else ""
