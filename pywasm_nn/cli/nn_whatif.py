"""`nn whatif`: a model on changed copies of its inputs, without a guest.

What is not here: the changes, and judging the answers (`watch.whatif`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ..printable import printable
from . import options
from .failure import Exit, Failure
from .nn_options import about_a_model
from .terminal import print_text

if TYPE_CHECKING:
    from ..nn.tensor import TensorSpec
    from ..watch.whatif import Trial


@click.command(name="whatif")
@about_a_model
def command(
    model: str,
    inputs: tuple[str, ...],
    nn_backend: tuple[str, ...],
    plugins: tuple[str, ...],
    scale: float | None,
) -> int:
    """Run MODEL on changed copies of INPUTs: in other orders, encodings and types.

    Each line is a change, the class that the model chooses, and its probability; where it was asked, the
    answers to the same elements in random order follow. INPUTs are .npy arrays, or pictures as for `nn run`.
    """
    from ..nn import NNError
    from ..nn.models import model_at
    from ..watch.whatif import ask
    from .nn_model import configured, opened
    from .nn_run import given

    nn = configured([options.backend_choice(text) for text in nn_backend], plugins)
    with opened(nn, [model]) as loaded:
        arrays = given(loaded, model_at(model, nn.registry.formats).paths, inputs, scale)
        try:
            tensors = loaded.tensors(arrays)
            outcome = ask(loaded.graph, tensors, every=True)
        except NNError as error:
            raise Failure(error.reason) from None
        if outcome.sent is None:
            print_text(f"nothing can be compared: {unlike_a_choice(loaded.outputs)}")
        else:
            show("as sent", outcome.sent)
        for trial in outcome.trials:
            show(trial.change.said, trial)
        text = outcome.sentence(loaded.inputs)
        if text:
            print_text(f"hint: {printable(text)}")
        elif outcome.sent is not None:
            print_text("no change is far better")
    return Exit.OK


def unlike_a_choice(outputs: Sequence[TensorSpec]) -> str:
    """Says why a model's outputs are no choice of a class."""
    if len(outputs) == 1:
        name = printable(outputs[0].name)
        return f'the output "{name}" {outputs[0]} is no choice of one class for one input'
    names = ", ".join(printable(spec.name) for spec in outputs)
    return f"answers are those of models with one output, and a class beside it at most; here are {names}"


def show(said: str, trial: Trial) -> None:
    """Print one change and the answers to it."""
    random = f"  (in random order {', '.join(map(str, trial.shuffled))})" if trial.shuffled else ""
    print_text(f"  {said}: {trial.answer or 'no answer'}{random}")
