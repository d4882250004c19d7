"""The protocol over gRPC, with Triton's client: one channel for all models of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from threading import Event
from typing import Any

import tritonclient.grpc as client
from tritonclient.utils import InferenceServerException

from ...blame import shortened
from ...errors import Code, NNError
from ...tensor import Tensor, TensorSpec
from . import protocol
from .address import Place
from .call import Call, UnreachableError
from .settings import Settings

LARGEST = (1 << 31) - 1
"""The most bytes of a message, protobuf's own limit."""
ELSEWHERE = "StatusCode.UNAVAILABLE"
ABSENT = "StatusCode.NOT_FOUND"
LATE = frozenset({"StatusCode.DEADLINE_EXCEEDED", "StatusCode.CANCELLED"})


class GRPCServer:
    """One server, for all models on it. Safe to use from several threads."""

    def __init__(self, place: Place) -> None:
        self._place = place
        options = [("grpc.max_receive_message_length", LARGEST), ("grpc.max_send_message_length", LARGEST)]
        self._client = client.InferenceServerClient(
            str(place), ssl=place.scheme == "grpcs", channel_args=[*options, ("grpc.enable_http_proxy", 0)]
        )

    def metadata(self, place: Place, settings: Settings, call: Call) -> Mapping[str, Any]:
        """The server's metadata of a model. Raises NNError: NOT_FOUND for an unknown model."""
        try:
            found: Mapping[str, Any] = self._client.get_model_metadata(
                place.model, place.version, lowered(settings), as_json=True, client_timeout=call.remaining()
            )
        except InferenceServerException as error:
            raise self._error(error, settings, call) from None
        return found

    def infer(
        self,
        place: Place,
        settings: Settings,
        call: Call,
        inputs: Sequence[TensorSpec],
        tensors: Sequence[Tensor],
        outputs: Sequence[TensorSpec],
        wanted: Sequence[str],
    ) -> list[Tensor | None]:
        """The outputs for these inputs; `wanted` names the requested ones, empty for all."""
        id_, answered, results = protocol.next_id(), Event(), list[Any]()

        def done(result: Any, error: Any) -> None:
            results.extend((result, error))
            answered.set()

        asked = self._client.async_infer(
            place.model,
            [given(spec, tensor) for spec, tensor in zip(inputs, tensors, strict=True)],
            done,
            model_version=place.version,
            outputs=[client.InferRequestedOutput(name) for name in wanted] or None,
            request_id=id_,
            headers=lowered(settings),
            client_timeout=call.remaining(),
        )
        with call.ending_with(asked.cancel):
            answered.wait()
        result, error = results
        if error is not None:
            raise self._error(error, settings, call)
        return taken(id_, result.get_response(), outputs, wanted, call.most)

    def _error(self, error: InferenceServerException, settings: Settings, call: Call) -> NNError:
        status = error.status()
        if call.over or status in LATE:
            return call.error()
        words = shortened(settings.hidden(" ".join(str(error.message()).split())))
        reason = f"{self._place}: {words}"
        if status == ABSENT:
            return NNError(Code.NOT_FOUND, reason)
        return (UnreachableError if status == ELSEWHERE else NNError)(Code.RUNTIME_ERROR, reason)


def lowered(settings: Settings) -> dict[str, str]:
    """The headers with names in lower case, as gRPC requires."""
    return {name.lower(): value for name, value in settings.secrets().items()}


def given(spec: TensorSpec, tensor: Tensor) -> Any:
    made = client.InferInput(spec.name, list(tensor.shape), protocol.NAMES[tensor.dtype])
    made._raw_content = bytes(tensor.view())  # `set_data_from_numpy` doesn't support bf16, and copies twice
    return made


def taken(
    id_: str, response: Any, specs: Sequence[TensorSpec], wanted: Sequence[str], most: int | None
) -> list[Tensor | None]:
    """The outputs of a response. Raises NNError unless they match the model's metadata."""
    if response.id not in (id_, ""):
        raise protocol.lies("it is to another request")
    by_name, found = {spec.name: spec for spec in specs}, dict[str, Tensor]()
    raw = response.raw_output_contents
    if len(raw) not in (0, len(response.outputs)):
        raise protocol.lies("it has other tensors than outputs")
    for at, one in enumerate(response.outputs):
        spec = by_name.get(one.name)
        if spec is None or spec.name in found:
            raise protocol.lies("it has an output that the model hasn't, or one twice")
        shape = protocol.checked_shape(spec, one.datatype, list(one.shape), most)
        if not raw:
            found[spec.name] = protocol.from_json(spec, shape, elements(one.contents))
        elif len(raw[at]) != prod(shape) * spec.dtype.size:
            raise protocol.lies(f'output "{spec.name}" {spec} has another number of bytes')
        else:
            found[spec.name] = Tensor(spec.dtype, shape, raw[at])
    return protocol.in_order(specs, wanted, found)


def elements(contents: Any) -> list[Any]:
    """The numbers of a tensor that isn't raw, from the field that has them."""
    return next((list(values) for _, values in contents.ListFields()), [])
