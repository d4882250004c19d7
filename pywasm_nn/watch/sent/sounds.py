"""Whether the samples that a guest sends are those that the model wants: their rate, their range, and that
one input goes on where the one before ended.

What is here: `Sounds`, which compares inputs that came from sounds with the model's name and inputs. What is
not: finding them in a file (`origin.sequences`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any

from ...interpreter.module import Module
from ...interpreter.runtime.deadline import paused
from ...nn.formats import KNOWN
from ...nn.operation import NNEvent
from ...nn.tensor import DType, Tensor, TensorSpec
from ...records import Frozen, changed
from ..budget import Budget
from ..feedback import states
from ..hints.models import asked
from ..origin import Origin
from ..origin.decoding import Source
from ..origin.headerless import BARE
from ..origin.sequences import ENDS, RANGES, UNDIVIDED, rate_wrong
from ..regex import regex
from .own_rate import own_rate, said_in

IN_NAMES = regex(r"(?<![a-z0-9])(8|11|16|22|24|32|44|48)[ _-]?k(?:hz)?(?![a-z0-9])", re.IGNORECASE)
WHOLE_IN_NAMES = regex(r"(?<!\d)(8000|11025|16000|22050|24000|32000|44100|48000)(?!\d)")
THOUSANDS = {11: 11025, 22: 22050, 44: 44100}
WIDE, OTHER_FIELD = 2, "is the rate read from another field of the header?"
"""A sound whose frames have `WIDE` bytes or more has more bytes than frames a second. `OTHER_FIELD` asks
about a rate that is the number of these bytes."""
RATES = frozenset({"sr", "fs", "rate", "sample_rate", "sampling_rate", "samplerate"})
"""Names of inputs that are the rate of another input."""
FOLLOWING, MOST_PARTS = 3, 8
"""So many inputs that follow each other show a rule, and so many are looked at."""
WINDOW = 1024
"""An input that always has so many samples lasts for a time that the model knows."""
LEAST = 16
"""Fewer samples, left out or zeros, are a matter of windows."""
SHARE = 0.25
"""Samples before a window that belong to it are at most this part of it."""
OF_SOUNDS = regex(
    r"(?<![a-z])(?:vad|asr|kws|speech|speaker|voice|audio|sounds?|music|keywords?|hotword|wake[_ -]?word"
    r"|yamnet|whisper|wav2vec\d?|wave?form|wav)(?![a-z])",
    re.IGNORECASE,
)
"""What says in the name of a model, or of its input, that it is of sounds."""
OF_LOGARITHMS = regex(r"(?<![a-z])log|(?<![a-z])db(?![a-z])|decibel", re.IGNORECASE)
"""What says in an input's name that it is of logarithms."""
MOST = 1 << 24
"""Larger models are not searched."""
ONNX, LOG = "onnx", b"\x22\x03Log"
"""A format, and its operation that takes logarithms."""
WITH_CONTEXT, STATE = {576: 16000, 288: 8000}, (2, 128)
"""The rates of Silero's detector of voices by the samples that each input has (32 ms, and before them the
last 4 ms), and lengths of the state that it keeps. Models for both rates are told which by an input."""
FULL, FLOATS = 32768.0, frozenset({DType.F16, DType.F32, DType.F64})
"""The range of samples of 16 bits, and types in which they aren't sent as they are."""
FEATURES = 256
"""An output with more elements that are no probabilities is no answer, but features for another model."""


class Part(Frozen):
    """Where an input lies in a sound: the first sample and the one behind the last, and the zeros before."""

    file: str
    start: int
    end: int
    zeros: int


class Sounds:
    """Gives hints as pairs of a rule's name and a sentence."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._rates: dict[Any, int] = {}
        """By graph, the rate that the model's name says."""
        self._names: dict[Any, str] = {}
        self._linear: set[Any] = set()
        """Graphs that surely take no logarithm."""
        self._sent: dict[Any, dict[str, int]] = {}
        """By context, the rates that were sent as inputs of their own."""
        self._found: dict[Any, tuple[int, Origin]] = {}
        """By context, the last input that came from a sound, until the next compute."""
        self._whole: dict[Any, tuple[int, Origin]] = {}
        """The same of samples of 16 bits without a header, as they are."""
        self._of_sounds: dict[Any, str] = {}
        """By graph, what says that the model is of sounds."""
        self._first: dict[Any, tuple[int, str]] = {}
        """By graph and input, the rate of the first sound that was sent as it is, and its file."""
        self._parts: dict[Any, list[Part]] = {}
        self._module: Module | None = None
        self._own: int | None = None
        """The rate by the program's own numbers, once it was looked for; 0 for none."""

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def loaded(self, event: NNEvent, names: Sequence[str]) -> None:
        """A model was loaded, which has these names."""
        for name in names:
            if rate := rate_in(name):
                self._rates[event.graph_id], self._names[event.graph_id] = rate, name
            if rate or OF_SOUNDS.search(name):
                self._of_sounds[event.graph_id] = f"the model's name, {name},"
        if asked(event.parts, KNOWN, lambda format: without_logarithms(format.name)):
            self._linear.add(event.graph_id)

    def wanted(self, event: NNEvent, index: int, found: Origin) -> Origin:
        """An origin without what the model wants so, or what its answer has yet to show."""
        if not found.source.rate:
            self._keep_whole(event, index, found)
            return found
        if found.otherwise is not None:
            return self._logarithms(event, index, found)
        if ENDS in found.wrong and found.span is not None and event.graph is not None and event.tensors:
            kept = states(event.graph.inputs, event.graph.outputs)
            found = self._with_state(event, index, found, prod(event.tensors[0].shape)) if kept else found
        self._found[event.context_id] = index, found
        unsure = [UNDIVIDED]
        if event.graph_id in self._rates:
            unsure.append(rate_wrong(found.source.rate))
        wrong = "; ".join(part for part in found.wrong.split("; ") if part not in unsure)
        return changed(found, wrong=wrong)

    def _with_state(self, event: NNEvent, index: int, found: Origin, size: int) -> Origin:
        """What is wrong with zeros in an input of so many samples, of a model with a state."""
        start, end, lead = span = found.span or (0, 0, 0)
        parts = self._parts.get((event.graph_id, index), [])
        is_context = bool(parts) and parts[-1].end == end and not lead and end - start <= SHARE * size
        if is_context and not without_context(span, size):
            rest = [part for part in found.wrong.split("; ") if ENDS not in part]
            return changed(found, wrong="; ".join(rest))  # the end of the input before, and then silence
        return changed(found, wrong=without_context(span, size) or found.wrong)

    def _keep_whole(self, event: NNEvent, index: int, found: Origin) -> None:
        """Keep samples of 16 bits without a header that were sent as they are: of sounds most models want
        them from -1 to 1, and of sensors nobody knows."""
        is_whole = not found.wrong and RANGES[FULL] in found.steps and BARE in found.source.said
        name = event.graph.inputs[index].name if event.graph is not None else ""
        if is_whole and OF_SOUNDS.search(name):
            self._of_sounds.setdefault(event.graph_id, f'the input\'s name, "{name}",')
        is_float = bool(event.tensors) and event.tensors[0].dtype in FLOATS
        if is_whole and is_float and event.graph_id in self._of_sounds:
            self._whole[event.context_id] = index, found

    def _logarithms(self, event: NNEvent, index: int, found: Origin) -> Origin:
        """Features of a sound, with what the model says of logarithms."""
        if found.otherwise.found.is_log or event.graph is None:
            return found
        name = event.graph.inputs[index].name
        if OF_LOGARITHMS.search(name):
            return changed(found, wrong=f'"{name}" says logarithms, and its elements are powers as they are')
        return found if event.graph_id in self._linear else changed(found, wrong="")

    def set(self, event: NNEvent, name: str, tensor: Tensor) -> None:
        """An input was set."""
        numbers = tensor.numbers()
        if name.lower() in RATES and numbers is not None and numbers.size == 1:
            self._sent.setdefault(event.context_id, {})[name] = int(numbers[0])

    def computed(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """Hints after a compute."""
        index, found = self._whole.pop(event.context_id, (0, None))
        if found is not None and event.graph is not None and is_answer(event.tensors):
            yield (
                "origin",
                f'input {index} "{event.graph.inputs[index].name}": compared with {found.source.name}, '
                f"{UNDIVIDED}: {self._of_sounds[event.graph_id]} says that it is of sounds, which are mostly "
                "wanted from -1 to 1",
            )
        index, found = self._found.pop(event.context_id, (0, None))
        if found is None or event.graph is None:
            return
        said = f'input {index} "{event.graph.inputs[index].name}": compared with {found.source.name}, '
        if UNDIVIDED in found.wrong and is_answer(event.tensors):
            yield "origin", said + UNDIVIDED
        rates = [(value, f'"{name}" is') for name, value in self._sent.get(event.context_id, {}).items()]
        if named := self._rates.get(event.graph_id):
            rates.append((named, f"the model's name, {self._names[event.graph_id]}, says"))
        if not rates and (own := rate_by_shape(event.graph.inputs, event.graph.outputs)):
            rates.append((own, "a model of such windows and such a state (Silero's) is for"))
        is_said = bool(rates or rate_wrong(found.source.rate))
        if not is_said and found.span is not None and (own := self._own_rate(found.source)):
            rates.append((own, "the program's own numbers are for"))
        for rate, who in rates:
            if rate != found.source.rate and found.span is not None:
                yield (
                    "origin",
                    f"{said}samples at {found.source.rate:,} Hz were not resampled: {who} {rate:,} Hz",
                )
                break
            if wrong := by_bytes(found, rate):
                yield "origin", f"{said}{wrong}, and {who} {rate:,} Hz: {OTHER_FIELD}"
                break
        if not rates and found.span is not None and (wrong := self._of_two_rates(event, index, found)):
            yield "origin", said + wrong
        if found.span is not None and states(event.graph.inputs, event.graph.outputs):
            parts = self._parts.setdefault((event.graph_id, index), [])
            parts.append(Part(found.source.name, *found.span))
            # a sound that begins silently hides the zeros of the first ones
            if len(parts) <= MOST_PARTS and (wrong := torn(parts[-FOLLOWING:])):
                parts += [parts[-1]] * MOST_PARTS
                yield "origin", said + wrong

    def _of_two_rates(self, event: NNEvent, index: int, found: Origin) -> str:
        """Returns what is wrong with sounds of two rates in an input that always lasts as long as at one, or
        "" if nothing is known to be."""
        source, shape = found.source, event.graph.inputs[index].shape if event.graph is not None else None
        is_fixed = any(isinstance(length, int) and length >= WINDOW for length in shape or ())
        if rate_wrong(source.rate) or not is_fixed:
            return ""
        rate, file = self._first.setdefault((event.graph_id, index), (source.rate, source.name))
        if rate == source.rate:
            return ""
        return (
            f"samples at {source.rate:,} Hz were sent as they are, and so were those of {file} at {rate:,} "
            "Hz, as if both had the model's rate: were they to be resampled?"
        )

    def _own_rate(self, source: Source) -> int:
        """Returns the rate for which the program is made, or 0 if none is known. The program may use the
        number of the file's bytes a second to tell how long the sound is."""
        if self._own is None:
            with paused(), self._budget.comparing() as left:
                self._own = own_rate(self._module, left) if self._module is not None else 0
        may_be_bytes = source.frame >= WIDE and self._own == source.rate * source.frame
        if may_be_bytes and self._module is not None and self._own not in said_in(self._module):
            return 0
        return self._own


def by_bytes(found: Origin, wanted: int) -> str:
    """Returns to what a sound was resampled if it would have come to the rate that is wanted with as many
    samples a second as it has bytes, or "" if it wouldn't."""
    source, now = found.source, found.rate
    if not now or source.frame < WIDE or now * source.frame != wanted:
        return ""
    return (
        f"samples at {source.rate:,} Hz were resampled to {now:,} Hz, as if there were "
        f"{source.frame * source.rate:,} a second, which are its bytes"
    )


def without_logarithms(name: str) -> Callable[[memoryview], bool] | None:
    """Whether a model has no logarithm, for formats of which that can be told."""
    return (lambda data: data.nbytes <= MOST and LOG not in bytes(data)) if name == ONNX else None


def rate_in(name: str) -> int:
    """Returns the rate that a name says, or 0 if it says none, or several."""
    found = {int(word) for word in WHOLE_IN_NAMES.findall(name)}
    found |= {THOUSANDS.get(int(word), 1000 * int(word)) for word in IN_NAMES.findall(name.replace("_", " "))}
    return found.pop() if len(found) == 1 else 0


def rate_by_shape(inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...]) -> int:
    """Returns the rate of the only known model of sounds that has inputs and outputs of such shapes, or 0 if
    it is another one, or made for several rates."""
    if len(inputs) != len(states(inputs, outputs)) + 1 or any(one.name.lower() in RATES for one in inputs):
        return 0
    lengths = [[length for length in one.shape or () if isinstance(length, int)] for one in inputs]
    kept = [one for one in lengths if len(one) > 1 and (one[0], one[-1]) == STATE]
    windows = [WITH_CONTEXT.get(one[-1], 0) for one in lengths if one and one not in kept]
    return windows[0] if len(kept) == len(windows) == 1 else 0


def is_answer(tensors: Sequence[Tensor]) -> bool:
    """Whether outputs say something of a sound; features for another model don't."""
    for tensor in tensors:
        numbers = tensor.numbers()
        if numbers is None or not numbers.size:
            continue
        if numbers.size <= FEATURES or (numbers.min() >= 0 and numbers.max() <= 1):
            return True
    return not tensors


def without_context(span: tuple[int, int, int], size: int) -> str:
    """Returns what is wrong with an input of a size, of a model that keeps a state, if it is a window of new
    samples and then a few zeros, or "" if its place in the sound doesn't say so."""
    start, end, lead = span
    count, rest = end - start, size - (end - start)
    if lead or start % count or not LEAST <= rest <= SHARE * count:
        return ""
    return (
        f"the context is missing: each input is {count:,} new samples and then {rest} zeros, and the model "
        f"keeps a state; it wants the last {rest} samples of the window before in front of the {count:,} new "
        "ones"
    )


def torn(parts: Sequence[Part]) -> str:
    """Returns what is wrong with parts that follow each other, of a model that keeps a state, or "" if
    nothing is."""
    if len(parts) < FOLLOWING or len({part.file for part in parts}) > 1:
        return ""
    gaps = {after.start - before.end for before, after in pairwise(parts)}
    zeros = {part.zeros for part in parts}
    if len(gaps) > 1:
        return ""
    if (gap := gaps.pop()) >= LEAST:
        first = parts[-1].start - gap
        return (
            f"{gap:,} samples are left out between inputs ({first:,} to {parts[-1].start - 1:,}), though the "
            "model's state goes on"
        )
    if gap == 0 and len(zeros) == 1 and (lead := zeros.pop()) >= LEAST:
        return (
            f"each input begins with {lead} zeros, though the sound goes on before it: is the end of the "
            "input before to be there?"
        )
    return ""
