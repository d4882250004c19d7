"""Models on servers that lie, fail and are gone: an error within the time, and the guest goes on."""

from __future__ import annotations

import socket
import time
from threading import Timer
from typing import Any

import pytest

from pywasm_nn.errors import DeadlineError
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Code, NNError, Tensor

from ..conftest import PASSTHROUGH, Guest, floats
from .asking import A, added, at, check, failure, guest_of, loaded
from .oip_server import METADATA, Behaviour, Request, Stand, answered, as_json, good, reply, with_binary

pytest.importorskip("urllib3")


def said(request: Request, **changes: Any) -> dict[str, Any]:
    """A right answer in JSON, changed."""
    a = {"name": "sum", "datatype": "FP32", "shape": [1, 2], "data": [4, 6]} | changes
    b = {"name": "prod", "datatype": "FP32", "shape": [1, 2], "data": [3, 8]}
    return {"id": request.said["id"], "outputs": [a, b]}


def binary_of(request: Request, *sizes: Any, tail: bytes = bytes(16)) -> bytes:
    outputs = [
        {"name": name, "datatype": "FP32", "shape": [1, 2], "parameters": {"binary_data_size": size}}
        for name, size in zip(("sum", "prod"), sizes, strict=True)
    ]
    return with_binary({"outputs": outputs}, tail)


LIES: dict[str, Any] = {
    "no JSON": lambda r: reply(200, b"hello"),
    "no object": lambda r: reply(200, b"[1]"),
    "nested deep": lambda r: reply(200, b"[" * 100_000),
    "no outputs": lambda r: as_json({"id": r.said["id"]}),
    "outputs are none": lambda r: as_json({"outputs": 3}),
    "an output is none": lambda r: as_json({"outputs": [3, None]}),
    "another request": lambda r: as_json(said(r) | {"id": "other"}),
    "one is missing": lambda r: as_json({"outputs": said(r)["outputs"][:1]}),
    "one twice": lambda r: as_json({"outputs": said(r)["outputs"][:1] * 2}),
    "one that the model hasn't": lambda r: as_json(said(r, name="other")),
    "another type": lambda r: as_json(said(r, datatype="FP64")),
    "a type that is none": lambda r: as_json(said(r, datatype={"x": 1})),
    "another rank": lambda r: as_json(said(r, shape=[2])),
    "another length": lambda r: as_json(said(r, shape=[1, 3], data=[1, 2, 3])),
    "a negative length": lambda r: as_json(said(r, shape=[-1, 2], data=[])),
    "a length of 2^80": lambda r: as_json(said(r, shape=[1 << 80, 2])),
    "a length that is true": lambda r: as_json(said(r, shape=[True, 2])),
    "a length with a point": lambda r: as_json(said(r, shape=[1.0, 2])),
    "a shape that is none": lambda r: as_json(said(r, shape="12")),
    "rank 1,000": lambda r: as_json(said(r, shape=[1] * 1000)),
    "too few elements": lambda r: as_json(said(r, data=[1])),
    "elements that are text": lambda r: as_json(said(r, data=["1", "2"])),
    "elements that are objects": lambda r: as_json(said(r, data=[{}, {}])),
    "ragged elements": lambda r: as_json(said(r, data=[[1], [2, 3]])),
    "no data": lambda r: as_json(said(r, data=None)),
    "bytes too few": lambda r: binary_of(r, 8, 8, tail=bytes(15)),
    "bytes too many": lambda r: binary_of(r, 8, 8, tail=bytes(17)),
    "a size that isn't the shape's": lambda r: binary_of(r, 12, 4),
    "a negative size": lambda r: binary_of(r, -8, 24),
    "a size that is text": lambda r: binary_of(r, "8", 8),
    "a head longer than all": lambda r: reply(200, b"{}", Inference_Header_Content_Length="900"),
    "a head of -1": lambda r: reply(200, b"{}", Inference_Header_Content_Length="-1"),
    "compressed": lambda r: reply(200, b"{}", Content_Encoding="gzip"),
    "no HTTP": lambda r: b"hello\r\n\r\n",
    "nothing": lambda r: b"",
    "less than said": lambda r: as_json(said(r)).replace(b"Content-Length: ", b"Content-Length: 9"),
    "endless headers": lambda r: b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 100_000,
    "a header without end": lambda r: b"HTTP/1.1 200 OK\r\n" + b"a" * 1_000_000,
    "a bad chunk": lambda r: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_gives_an_error_and_the_guest_goes_on(stands: list[Stand], lie: str) -> None:
    answers = [LIES[lie], answered]

    def infer(stand: Stand, link: socket.socket, request: Request) -> bool | None:
        link.sendall(answers.pop(0)(request))
        return lie in ("nothing", "less than said", "endless headers", "a header without end", "no HTTP")

    stands.append(Stand(infer))
    reports: list[str] = []
    guest = guest_of(NN(models={"m": at(stands[0], timeout=20)}), reports)
    began = time.monotonic()
    assert added(guest) == (Code.RUNTIME_ERROR, b""), reports
    assert "runtime_error: " in reports[-1] and "Traceback" not in reports[-1]
    assert time.monotonic() - began < 20
    assert added(guest) == (0, floats(4, 6)), reports
    assert len(stands[0].inferences) == 2, "nothing is sent twice"


METADATA_LIES: dict[str, Any] = {
    "no inputs": {**METADATA, "inputs": None},
    "none at all": {**METADATA, "inputs": []},
    "no list": {**METADATA, "outputs": {"a": 1}},
    "a name that is none": {**METADATA, "inputs": [{"name": 3, "datatype": "FP32", "shape": [1]}]},
    "two of a name": {**METADATA, "inputs": METADATA["inputs"][:1] * 2},
    "a type that nobody knows": {**METADATA, "inputs": [{"name": "a", "datatype": "FP9", "shape": [1]}]},
    "text": {**METADATA, "inputs": [{"name": "a", "datatype": "BYTES", "shape": [1]}]},
    "no shape": {**METADATA, "inputs": [{"name": "a", "datatype": "FP32"}]},
    "a length of -2": {**METADATA, "inputs": [{"name": "a", "datatype": "FP32", "shape": [-2]}]},
    "no object": [1, 2],
    "very long": {**METADATA, "platform": "x" * (5 << 20)},
}


@pytest.mark.parametrize("lie", METADATA_LIES)
def test_metadata_that_can_not_be(stands: list[Stand], lie: str) -> None:
    stands.append(Stand(metadata=METADATA_LIES[lie]))
    with pytest.raises(NNError) as caught:
        loaded(stands[0])
    assert caught.value.code in (Code.RUNTIME_ERROR, Code.UNSUPPORTED_OPERATION, Code.TOO_LARGE)


def sending(data: bytes, times: int = 1, pause: float = 0.0) -> Behaviour:
    """Sends something again and again, whatever is asked."""

    def infer(stand: Stand, link: socket.socket, request: Request) -> bool:
        link.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(times):
            link.sendall(data)
            time.sleep(pause)
        return True

    return infer


def test_an_answer_is_read_as_far_as_the_model_and_the_limits_go(stands: list[Stand]) -> None:
    piece = b"100000\r\n" + bytes(1 << 20) + b"\r\n"
    stands.append(Stand(sending(piece, times=200)))
    error = failure(loaded(stands[0], limits=Limits(tensor_bytes=1 << 20)))
    assert error.code is Code.TOO_LARGE and "more than 3145728 bytes" in error.reason

    def claims(stand: Stand, link: socket.socket, request: Request) -> bool:
        link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n")
        return True

    stands.append(Stand(claims))
    error = failure(loaded(stands[1], limits=Limits(tensor_bytes=1 << 20)))
    assert error.code is Code.TOO_LARGE and "999999999999 bytes" in error.reason


def large(stand: Stand, link: socket.socket, request: Request) -> None:
    link.sendall(as_json(said(request, shape=[1 << 20, 2], data=[])))


def test_an_output_that_is_too_large_is_not_made(stands: list[Stand]) -> None:
    stands.append(Stand(large))
    error = failure(loaded(stands[0], limits=Limits(tensor_bytes=1 << 20)))
    assert error.code is Code.TOO_LARGE and "8388608 bytes" in error.reason


# Servers that fail


def never(stand: Stand, link: socket.socket, request: Request) -> bool:
    link.recv(1)
    return True


def dies(stand: Stand, link: socket.socket, request: Request) -> bool:
    """In the middle of an answer, and altogether."""
    link.sendall(answered(request)[:150])
    stand.close()
    return True


SLOW: dict[str, Behaviour] = {
    "never answers": never, "answers byte by byte": sending(b"1\r\nx\r\n", times=10_000, pause=0.05),
}  # fmt: skip


@pytest.mark.parametrize("how", SLOW)
def test_a_server_that_takes_too_long_is_left(stands: list[Stand], how: str) -> None:
    stands.append(Stand(SLOW[how]))
    model = loaded(stands[0], timeout=0.5)
    began = time.monotonic()
    error = failure(model)
    assert error.code is Code.RUNTIME_ERROR and "within 0.5 s" in error.reason
    assert time.monotonic() - began < 10
    stands[0].infer = good
    check(model)


@pytest.mark.parametrize("how", SLOW)
def test_the_limit_of_a_compute_cuts_the_connection(stands: list[Stand], how: str) -> None:
    stands.append(Stand(SLOW[how]))
    model = loaded(stands[0], limits=Limits(compute_seconds=0.5))
    error = failure(model)
    assert error.code is Code.RUNTIME_ERROR and "after 0.5 s, the limit" in error.reason
    stands[0].infer = good
    check(model)


def test_a_guests_deadline_ends_its_waiting(stands: list[Stand]) -> None:
    stands.append(Stand(never))
    nn, reports = NN(models={"m": at(stands[0])}), []
    guest = guest_of(nn, reports, limits=Limits(seconds=1.0))
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        added(guest)
    assert time.monotonic() - began < 20


def test_a_guests_deadline_ends_its_waiting_for_a_model(stands: list[Stand]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        nn = NN(models={"m": f"oip+http://127.0.0.1:{silent.getsockname()[1]}/m"})
        began = time.monotonic()
        with pytest.raises(DeadlineError), PASSTHROUGH.instantiate(nn=nn, limits=Limits(seconds=1.0)) as it:
            guest = Guest(it.memory, lambda name, *values: it.exports[name](*values), [])
            guest.call("load_by_name", *guest.poke(0x1000, b"m"), guest.OUT)
        assert time.monotonic() - began < 20


def test_interrupt_from_another_thread(stands: list[Stand]) -> None:
    stands.append(Stand(never))
    context: Any = loaded(stands[0])._context
    for index in range(2):
        context.accept_input(index, Tensor.from_numpy(A))
    context.rearm()
    timer = Timer(0.3, context.interrupt)
    timer.start()
    with pytest.raises(NNError, match="ended"):
        context.compute()
    timer.join()
    context.interrupt()
    with pytest.raises(NNError, match="ended"):
        context.compute()


def test_a_server_killed_in_the_middle(stands: list[Stand]) -> None:
    stands.append(Stand(dies))
    reports: list[str] = []
    guest = guest_of(NN(models={"m": at(stands[0])}), reports)
    assert added(guest) == (Code.RUNTIME_ERROR, b"")
    assert added(guest) == (Code.RUNTIME_ERROR, b"")
    assert "refused" in reports[-1].lower(), reports


def test_a_connection_closed_meanwhile_is_made_anew(stand: Stand) -> None:
    model = loaded(stand)
    check(model)
    stand.drop()
    time.sleep(0.1)
    check(model)
    assert stand.connections == 2 and len(stand.inferences) == 2


def test_no_redirect_is_followed(stands: list[Stand]) -> None:
    stands.append(Stand())
    for status in (301, 302, 303, 307, 308):
        stands.append(
            Stand(lambda s, link, r, status=status: link.sendall(  # type: ignore[misc] # a default argument
                reply(status, b"", Location=stands[0].address.removeprefix("oip+") + "/infer")))
        )  # fmt: skip
        error = failure(loaded(stands[-1]))
        assert error.code is Code.RUNTIME_ERROR and f"redirects ({status})" in error.reason
    assert stands[0].connections == 0


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": "out of\\n memory\\u001b[31m"}', "out of memory"),
        (b"Internal Server Error", "Internal Server Error"),
        (b"", "no reason given"),
        (b"\xff\xfe", "answers 500"),
        (b'{"error": ' + b"[" * 50_000, "answers 500"),
    ],
)
def test_a_servers_words_reach_the_person(stands: list[Stand], body: bytes, words: str) -> None:
    stands.append(Stand(lambda s, link, r: link.sendall(reply(500, body))))
    reports: list[str] = []
    guest = guest_of(NN(models={"m": at(stands[0])}), reports)
    assert added(guest) == (Code.RUNTIME_ERROR, b"")
    assert words in reports[-1] and "\x1b" not in reports[-1] and len(reports[-1]) < 1000


def test_an_unknown_model_is_not_found(stand: Stand) -> None:
    for path in ("other", "m/versions/2"):
        with pytest.raises(NNError, match="404: no such model here") as caught:
            NN().load(f"oip+http://127.0.0.1:{stand.port}/{path}")
        assert caught.value.code is Code.NOT_FOUND


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(NNError, match=f"127.0.0.1:{port}: .*refused") as caught:
        NN().load(f"oip+http://127.0.0.1:{port}/m")
    assert caught.value.code is Code.RUNTIME_ERROR
    with pytest.raises(NNError):
        NN().load("oip+http://no-such-host.invalid:80/m")


# Several servers


def test_another_server_takes_over(stands: list[Stand]) -> None:
    stands += [Stand(), Stand(), Stand()]
    model = loaded(*stands)
    check(model)
    assert [len(one.inferences) for one in stands] == [1, 0, 0]
    stands[0].close()
    check(model)
    check(model)
    assert [len(one.inferences) for one in stands] == [1, 2, 0]
    stands[1].infer = lambda s, link, r: link.sendall(reply(503, b"busy"))
    check(model)
    assert [len(one.inferences) for one in stands] == [1, 3, 1]
    for one in stands:
        one.close()
    assert "refused" in failure(model).reason.lower()


def test_a_server_that_is_not_there_is_passed_at_load(stands: list[Stand]) -> None:
    stands += [Stand(), Stand()]
    stands[0].close()
    check(loaded(*stands))


def test_an_error_of_the_model_is_no_reason_to_ask_another(stands: list[Stand]) -> None:
    stands += [Stand(lambda s, link, r: link.sendall(reply(500, b"bad input"))), Stand()]
    assert "bad input" in failure(loaded(*stands)).reason
    assert not stands[1].requests


def test_servers_with_another_model_are_refused(stands: list[Stand]) -> None:
    stands += [Stand(), Stand(metadata={**METADATA, "outputs": METADATA["outputs"][:1]})]
    model = loaded(*stands)
    stands[0].close()
    assert "another model under the name" in failure(model).reason
