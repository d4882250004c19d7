"""`Hints`: follows a guest's use of inference, keeps the facts that rules need, and runs the rules.

What is here: collecting facts, and giving each hint only once. What is not: the rules (`values.py`, `use.py`,
`places.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from weakref import ref

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ...interpreter.runtime.observe import HostEvent, Watched
from ...nn.formats import KNOWN
from ...nn.operation import NNEvent
from ...nn.tensor import DType, TensorSpec
from ...nn.tensor import Tensor as GivenTensor
from ...records import changed
from .. import events, few
from ..facts import CHANNELS, Answer, Compute, Fit, Input, Load, Missing
from ..surroundings import Surroundings
from . import foreign, ordinary, places, prompts, use, values, words
from .appended import Appended, are_behind, cut_doubles
from .cut_halves import CutRows, cut_halves
from .emptied import Emptied
from .gone import Pointers, Stack, freed, own_record
from .halved import Failed, unhalved
from .heap import freed_in_zig, misfit
from .lagging import Lagging
from .models import scaled_inside
from .own_data import beside_data
from .repeats import Repeats
from .unopened import Unopened

Said = Iterator[tuple[str, str]]
"""Pairs of a rule's name and its sentence."""
Told = Iterator[tuple[str | None, str]]
"""These pairs are the same, but a sentence without a rule says something that is no mistake."""

INPUT_RULES: Sequence[Callable[[Input], str | None]] = (
    values.not_a_number,
    foreign.overwritten,
    values.other_type,
    values.layout,
    values.scaled_twice,
    values.whole_shares,
    prompts.half_signed,
)
COMPUTE_RULES: Sequence[Callable[[Compute], str | None]] = (
    values.swapped,
    values.crossed,
    use.failed_before,
)
TEXT_RULES: Sequence[Callable[[Compute], str | None]] = (
    words.other_mask,
    words.other_segments,
    words.other_width,
    words.two_in_one,
)
"""Rules about computes whose inputs have the values of short tensors of whole numbers, and of masks."""
ANSWER_RULES: Sequence[Callable[[Answer], str | None]] = (use.fetched_again, values.unknown_gaps)
GUESSES: Sequence[Callable[[Answer], str | None]] = (values.scaled,)
"""Rules for traces that don't ask the model: an untrained network may answer as if its pixels were wrong."""

ROUTINE = frozenset({"set_input", "compute", "get_output"})
"""Operations that a context repeats."""
ROUNDS = 8
"""After so many computes without a failure, a context's operations are no longer examined."""
LOOKS = 4
"""So many tensors of each input are examined closely; more would cost time and show nothing new."""
ODD = frozenset({DType.STRING, DType.BF16})
"""Types whose buffers aren't followed: they vary in length, and rules read bf16 as f32."""
MOST_WORDS = 4096
"""Whole numbers of so many words are kept until the compute."""
SAMPLE = 2048
"""The number of elements of a buffer that are remembered, to detect changes."""
MOST_NAMES = 8
"""The number of missing files that are searched for."""
MOVED = 0.25
"""The part of a buffer's elements that must change before it counts as a new tensor: less may just come from
freeing the buffer."""
FEW_OF_A_MASK = 2
"""So many elements of a mask must change: after freeing, no part of a buffer looks like a mask."""


class Buffer:
    """The guest memory that an input came from, with a sample of its elements at that time."""

    def __init__(self, tensor: GivenTensor) -> None:
        dtype = DType.U8 if tensor.dtype is DType.BOOL else tensor.dtype
        self.size = tensor.nbytes
        self.step = -(-self.size // dtype.size // SAMPLE)
        self.dtype = dtype.numpy_name
        self.sample = self.sampled(tensor.view())
        self.address: int | None = None

    def sampled(self, data: memoryview) -> bytes:
        """The bytes of every n-th element."""
        if self.step == 1:
            return bytes(data)
        return numpy.frombuffer(data, self.dtype)[:: self.step].tobytes()


class Context:
    """The facts about an execution context."""

    def __init__(self) -> None:
        self.inputs: dict[int, Input] = {}
        self.closely: dict[int, Input] = {}
        """Inputs that were examined closely."""
        self.failed: set[int] = set()
        self.buffers: dict[int, Buffer] = {}
        self.computed: tuple[Input, ...] = ()
        self.set_since = False
        self.fetched: set[int] = set()
        self.computes = 0
        self.unsent: dict[int, Compute] = {}
        """By input, a compute before which its buffer had changed, until the input is set again."""
        self.outputs: dict[int, tuple[str, DType, int]] = {}
        """Names, types and bytes of the last compute's outputs."""
        self.roomy: dict[int, Fit] = {}
        """By output, a buffer that it would have filled, until it is fetched."""

    def forget(self, address: int, other_than: Buffer | None) -> None:
        """What is in a buffer now was sent, perhaps to another context: that it changed is no mistake."""
        for index, buffer in list(self.buffers.items()):
            if buffer is not other_than and buffer.address == address:
                del self.buffers[index]
                self.unsent.pop(index, None)

    @property
    def given(self) -> tuple[Input, ...]:
        """The inputs that are set, in their order."""
        return tuple(self.inputs[index] for index in sorted(self.inputs))

    @property
    def is_routine(self) -> bool:
        """Whether further operations would show nothing new."""
        return self.computes > ROUNDS and not self.failed


class Hints:
    """Gives hints after each event, as rule names with sentences; each sentence once."""

    def __init__(
        self, instance: Watched, surroundings: Surroundings | None, *, asks_model: bool = False
    ) -> None:
        self._answer_rules = ANSWER_RULES if asks_model else (*GUESSES, *ANSWER_RULES)
        self._instance = ref(instance)  # weak, so that hints don't keep the instance alive
        self._module = instance.module
        self._surroundings = surroundings
        self._contexts: dict[int | None, Context] = {}
        self._looked: Counter[tuple[Any, ...]] = Counter()
        self._last: tuple[tuple[int | None, int], events.Tensor] | None = None
        """Context and input of the last set_input, and what it was set to, until the host call that made it
        has ended."""
        self._scaled: dict[int | None, frozenset[str]] = {}
        """By graph, the names of values that the model itself normalises."""
        self._missing: dict[str, None] = {}
        self._opened = False
        """Whether the guest tried to open any file."""
        self._tried = self._loaded = False
        """Whether the guest tried to load a model, and whether that succeeded."""
        self._cut_rows = CutRows()
        self._zeros: dict[int | None, Compute | None] = {}
        """By graph, the first compute if all so far were of zeros; else None."""
        self._emptied, self._appended = Emptied(), Appended()
        self._repeats, self._lagging = Repeats(), Lagging()
        self._stack, self._pointers, self._unopened = Stack(instance), Pointers(), Unopened()
        self._finished = False
        self._said: set[str] = set()

    def _new(self, found: Iterable[tuple[str, str | None]]) -> Said:
        for rule, text in found:
            if text is not None and text not in self._said:
                self._said.add(text)
                yield rule, text

    def _asked(self, rules: Sequence[Callable[[Any], str | None]], fact: Any) -> Said:
        return self._new((rule.__name__, rule(fact)) for rule in rules)

    # Inference

    def nn_event(self, event: NNEvent, told: events.Inference) -> Said:
        """Hints after an operation; `told` is its trace event."""
        operation = event.operation
        context = self._contexts.get(event.context_id)
        if event.error is None and operation == "compute":
            self._lagging.computed(event.context_id, self._memory())
        if context is not None and context.is_routine and event.error is None and operation in ROUTINE:
            if operation == "set_input" and event.index is not None:
                facts = told.tensors[0]
                self._last = (event.context_id, event.index), facts  # its buffer may be another context's
                if facts.minimum or facts.maximum:
                    self._zeros[event.graph_id] = None
                    self._emptied.filled(event.graph_id)
            return
        if operation.startswith("load"):
            yield from self._load(event, told)
        elif operation.startswith("set_input"):
            yield from self._set_input(event, told)
        elif operation == "compute" and event.error is None:
            yield from self._compute(event, told)
        elif operation == "compute" and context is not None:
            yield from self._asked((unhalved,), Failed(context.given, told.reason or ""))
        elif operation == "compute_single" and context is not None:
            context.set_since, context.fetched = False, set()  # a text, token by token
        elif operation.startswith("get_output") and event.error is None and told.tensors:
            yield from self._answer(event, told)
        elif operation == "finalize_execution_context" and context is not None:
            del self._contexts[event.context_id]
            yield from self._left(context)

    def given(self, event: NNEvent, number: int, told: events.Inference) -> Said:
        """Hints about input number `number` of those that came with a compute."""
        if number == 0:
            self._contexts[event.context_id] = Context()
        index, spec, tensor = event.given[number]
        yield from self._taken(event, index, spec, tensor, told.tensors[0])

    def _load(self, event: NNEvent, told: events.Inference) -> Said:
        self._tried = True
        self._loaded = self._loaded or event.error is None
        if event.error is None and event.graph_id not in self._scaled:
            formats = self._surroundings.formats if self._surroundings else KNOWN
            self._scaled[event.graph_id] = scaled_inside(event.parts, formats)
        load = Load(event.wanted, told.asked, told.device, told.backend, told.error)
        yield from self._asked((use.other_device,), load)
        if self._surroundings is not None:
            yield from self._new([("unnamed", places.unnamed(load, self._surroundings))])

    def _set_input(self, event: NNEvent, told: events.Inference) -> Said:
        context = self._contexts.setdefault(event.context_id, Context())
        index = event.index
        if index is None:
            return
        if event.error is not None or not event.tensors:
            context.failed.add(index)
            return
        yield from self._taken(event, index, event.specs[0], event.tensors[0], told.tensors[0])
        self._last = (event.context_id, index), told.tensors[0]

    def _taken(
        self, event: NNEvent, index: int, spec: TensorSpec, tensor: GivenTensor, facts: events.Tensor
    ) -> Said:
        context = self._contexts.setdefault(event.context_id, Context())
        context.set_since = True
        context.failed.discard(index)
        context.unsent.pop(index, None)
        context.buffers.pop(index, None)
        context.closely.pop(index, None)
        kept = facts if facts.data is None else changed(facts, data=None)
        context.inputs[index] = given = Input(index, spec, kept)
        key = (event.graph_id, event.model, index)
        self._looked[key] += 1
        if self._looked[key] > LOOKS:
            return
        is_own = event.floats is None  # and nothing that the host made of f32
        if is_own and tensor.dtype not in ODD and tensor.nbytes and tensor.nbytes == facts.size:
            context.buffers[index] = Buffer(tensor)
        scaled = spec.name in self._scaled.get(event.graph_id, ())
        closely, said = self._examined(changed(given, scaled_inside=scaled), tensor, event)
        yield from said
        yield from self._new([("nuls", prompts.nuls(given, tensor.view()))])
        context.closely[index] = closely

    def _examined(
        self, given: Input, tensor: GivenTensor, event: NNEvent
    ) -> tuple[Input, list[tuple[str, str]]]:
        """The facts about the elements, with few whole numbers themselves, and hints about them."""
        memory, numbers = self._memory(), few.few(tensor)
        names = [spec.name for spec in event.graph.inputs] if event.graph else [ordinary.WORDS[0]]
        if numbers is not None and ordinary.is_ordinary(given, tensor, numbers, names, memory):
            flat = given.picture is None and values.is_flat_picture(numbers, ordinary.apart)
            facts = changed(given, ramp=ordinary.is_ramp(numbers), flat_picture=flat)
            return facts, [*self._asked(INPUT_RULES, facts)]
        with few.unwarned():
            array = tensor.numbers()
            flat = given.picture is None and values.is_flat_picture(array)
            facts = changed(given, values=array, ramp=values.is_ramp(array), flat_picture=flat)
            address = None if self._pointers.knows(given) else foreign.addresses(facts, memory)
            cut = cut_halves(facts, memory) or self._cut_rows.take((event.graph_id, facts.index), facts)
            said = [*self._new([("addresses", address), ("other_type", cut)])]
            said += self._asked(INPUT_RULES, facts) if address is None else ()
            return changed(facts, values=kept_words(array, given.spec.name)), said

    def _compute(self, event: NNEvent, told: events.Inference) -> Said:
        context = self._contexts.setdefault(event.context_id, Context())
        compute = Compute(context.given, tuple(context.failed))
        yield from self._asked(COMPUTE_RULES, compute)
        yield from self._left(context)  # this compute used the old elements again
        self._emptied.computed(event.graph_id, compute)
        for index, buffer in context.buffers.items():
            if self._moved(buffer):
                context.unsent[index] = changed(compute, unsent=(index,))
        empty = values.zeros(compute, lambda _: "a sound, perhaps") is not None
        empty = empty and self._zeros.get(event.graph_id, compute) is not None
        self._zeros[event.graph_id] = (self._zeros.get(event.graph_id) or compute) if empty else None
        context.computed = tuple(context.closely[index] for index in sorted(context.closely))
        yield from self._asked(TEXT_RULES, Compute(context.computed))
        context.set_since, context.fetched = False, set()
        outputs = () if event.delivered else zip(event.specs, event.tensors, strict=True)
        context.outputs = {n: (spec.name, one.dtype, one.nbytes) for n, (spec, one) in enumerate(outputs)}
        context.computes += 1
        for index, tensor in enumerate(told.tensors):
            if tensor.top:
                yield from self._asked(self._answer_rules, Answer(index, tensor, context.computed))

    def _left(self, context: Context) -> Said:
        """Hints about what a round left undone: buffers that were filled and not given to set_input, and
        outputs that were not fetched."""
        unsent, context.unsent = context.unsent, {}
        roomy, context.roomy = context.roomy, {}
        for fit in roomy.values():
            yield from self._asked((use.meant_another,), fit)
        for compute in unsent.values():
            yield from self._asked((use.changed_since,), compute)

    def _answer(self, event: NNEvent, told: events.Inference) -> Said:
        context = self._contexts.setdefault(event.context_id, Context())
        index = event.index or 0
        stale = context.set_since and index in context.fetched
        context.fetched.add(index)
        context.roomy.pop(index, None)
        if event.room is not None and index in context.outputs:
            context.roomy.update(fits(context, index, event.room))
        yield from self._asked(self._answer_rules, Answer(index, told.tensors[0], context.computed, stale))

    def _moved(self, buffer: Buffer) -> bool:
        """Whether another tensor is now in the buffer of an input."""
        memory = self._memory()
        if buffer.address is None or memory is None or buffer.address + buffer.size > memory.size:
            return False
        if (sample := buffer.sampled(memory.view(buffer.address, buffer.size))) == buffer.sample:
            return False
        with few.unwarned():
            return self._differs(buffer, sample)

    @staticmethod
    def _differs(buffer: Buffer, sample: bytes) -> bool:
        """Whether these are elements of another tensor: many differ, and the new ones are in the range of the
        old ones (or in a plausible range, if the old ones were all equal)."""
        old, new = numpy.frombuffer(buffer.sample, buffer.dtype), numpy.frombuffer(sample, buffer.dtype)
        if is_mask(old) and is_mask(new):
            return bool((new != old).sum() >= FEW_OF_A_MASK)
        changed = new[(new != old) & (new != 0)].astype("f8")
        if len(changed) < max(2, MOVED * len(old)):
            return False
        was = old.astype("f8")
        low, high = float(was.min()), float(was.max())
        span = high - low
        if not span:
            low, high, span = -1e6, 1e6, 0.0
        alike = (abs(changed) > 1e-9) & (changed >= low - span) & (changed <= high + span)
        return bool(alike.mean() > 0.95)

    def _memory(self) -> Memory | None:
        instance = self._instance()
        return instance.exported_memory("memory") if instance else None

    # Host calls

    def host_call(self, event: HostEvent) -> Told:
        yield from self._new(self._repeats.host_call(event))
        if (instance := self._instance()) is not None:
            self._stack.seen(instance)
        last, self._last = self._last, None
        arguments = dict(event.arguments)
        if last is not None and event.name.startswith("set_input") and event.error is None:
            yield from self._set_from(*last, event.module, arguments.get("tensor"))
        elif event.name == "path_open":
            self._opened = True
            self._file(arguments.get("fd"), arguments.get("path"), failed=event.error is not None)

    def _set_from(
        self, place: tuple[int | None, int], facts: events.Tensor, module: str, record: Any
    ) -> Told:
        """Hints from the guest's own tensor record of the last set_input."""
        context, memory = self._contexts.get(place[0]), self._memory()
        if context is None or not isinstance(record, tuple):
            return
        buffer, given = context.buffers.get(place[1]), context.inputs[place[1]]
        legacy = module == LEGACY
        address, number = (record[2], None) if legacy else (record[3], record[2])
        for one in self._contexts.values():
            one.forget(address, other_than=buffer)
        if buffer is not None:
            buffer.address = address
        self._lagging.set(place, given, facts, memory, address)
        if are_behind(given, memory, address):
            context.inputs[place[1]] = changed(given, appended=True)
        closely = place[1] in context.closely
        if memory is not None:
            moved = own_record(given, memory, address) or self._pointers.set(given, memory, address)
            if closely:
                moved = moved or beside_data(given, self._module, memory, address)
            yield from self._new([("overwritten", moved)])
        if context.is_routine:
            return
        others = [one.tensor.size for index, one in context.inputs.items() if index != place[1]]
        others += [count for *_, count in context.outputs.values()]
        more = self._appended.set(place, given, memory, address, others)
        cut = cut_doubles(given, memory, address)
        yield from self._new([("changed_since", more), ("other_type", cut)])
        for _rule, text in self._new([("legacy_type", use.legacy_type(given, number))]):
            yield None, text
        yield from self._new([("overwritten", self._gone(given, address, closely))])
        yield from self._new([("cut_short", prompts.cut_short(given, memory, address))])

    def _gone(self, given: Input, address: int, closely: bool) -> str | None:
        """Returns what is wrong with the memory that an input lies in, or None if nothing is. `closely` looks
        at its elements, too."""
        instance, memory, size = self._instance(), self._memory(), given.tensor.size
        if instance is None or memory is None or not size:
            return None
        if self._stack.is_gone(instance, address, size):
            return (
                f"{given}: its address lies on the stack below all functions that are running: is it a local "
                "array of a function that has returned?"
            )
        if address + size <= memory.size and (
            freed(memory, address) or freed_in_zig(memory, address, self._stack.behind(instance))
        ):
            return (
                f"{given}: its address is that of memory that was freed: was it freed, dropped or moved "
                "(as a vector that grows) before set_input?"
            )
        return misfit(given, memory, address) if closely else None

    def _file(self, fd: Any, path: Any, *, failed: bool) -> None:
        given = self._surroundings
        if isinstance(path, str) and given is not None:
            known = list(given.directories)
            start = known[fd - FIRST] if isinstance(fd, int) and 0 <= fd - FIRST < len(known) else ""
            whole = f"{start.rstrip('/')}/{path}" if start not in ("", ".") else path
            self._unopened.asked(whole, failed=failed)
            if failed and given.formats.of_file(path):
                self._missing[whole] = None

    # The end

    def finish(
        self,
        failed: bool,
        *,
        silent: bool = False,
        bare: bool = False,
        loud: Callable[[int], str] = lambda _: "",
    ) -> Said:
        """Hints when a guest has ended, or `failed`: at what it never did, and why it loaded no model.
        `silent`: the files that it read are silent or black, so that zeros are right. `bare`: it read nothing
        but models, so that zeros may be what it means, such as counts of words, silence or an empty board,
        but no picture, unless a file that it never opened says what it means. `loud` names a sound that it
        read, of which not all of so many first samples are silent."""
        left = [one for context in self._contexts.values() for one in self._left(context)]
        yield from left or self._new(("changed_since", text) for text in self._lagging.finish())
        empty = [] if silent else [one for one in self._zeros.values() if one is not None]
        for compute in [] if bare and len(empty) > 1 else empty:  # a trial whether several models run
            why = self._unopened.why(compute, self._surroundings)
            if why or not bare or any(map(is_shown, compute.inputs)):
                yield from self._new([(values.zeros.__name__, why or values.zeros(compute, loud))])
        if not (silent or bare):
            yield from self._new((values.zeros.__name__, text) for text in self._emptied.finish())
        instance = self._instance() if failed else None
        if instance is not None:
            yield from self._new([("overrun", self._stack.overrun(instance))])
        if self._finished or self._loaded or self._surroundings is None:
            return
        self._finished = failed
        given, names = self._surroundings, list(self._missing)
        if failed and not names:
            names = [word for word in given.arguments if given.formats.of_file(word)]
            names = names or places.names_in((data.init for data in self._module.datas), given.formats)
        here = Path()
        said = [places.elsewhere(Missing(name), given, here) for name in names[:MOST_NAMES]]
        if failed and not any(said) and not self._tried and not self._opened:
            said = [places.unopened(given)]
        yield from self._new(("elsewhere", text) for text in said)


def fits(context: Context, index: int, room: int) -> Iterator[tuple[int, Fit]]:
    """The output that a buffer fits, if it is the only one, was not fetched, and is of another type than the
    given one: outputs of one type may share a buffer that is large enough for each."""
    _, dtype, size = context.outputs[index]
    others = [other for other, (*_, count) in context.outputs.items() if count == room]
    if len(others) != 1 or size >= room or others[0] in context.fetched:
        return
    if context.outputs[others[0]][1] is not dtype:
        shown = {n: f'output {n} "{name}" ({count} bytes)' for n, (name, _, count) in context.outputs.items()}
        yield others[0], Fit(shown[index], room, shown[others[0]])


PICTURE = 4
"""Dimensions of a batch of pictures."""

LEGACY = "wasi_nn"
"""The namespace with the legacy records and tensor type numbers."""
FIRST = 3
"""The first descriptor of a preopened directory."""


def is_shown(given: Input) -> bool:
    """Whether an input is a picture, which nobody means to be black. A board has a channel for each kind of
    piece."""
    shape, picture = given.tensor.shape, given.picture
    small = {*shape[1::2]} if len(shape) == PICTURE else {picture.channels} if picture is not None else set()
    return bool(small & {*CHANNELS})


def kept_words(numbers: Any, name: str) -> Any:
    """Returns a copy of few whole numbers, which may be words or their mask, also of floats that an input of
    this name has as a mask, or None for other elements."""
    if numbers is None or len(numbers) > MOST_WORDS:
        return None
    is_mask = numbers.dtype.kind == "f" and ordinary.MASK in name.lower()
    return numbers.copy() if numbers.dtype.kind in "iu" or is_mask else None


def is_mask(numbers: Any) -> bool:
    """Whether these are integers of which each is 0 or 1, not all 0."""
    return numbers.dtype.kind in "iu" and bool(((numbers == 0) | (numbers == 1)).all() and numbers.any())
