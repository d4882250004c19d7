"""Models on servers: what is asked, by whom, and which way. Servers that fail: `test_remote_failures`."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
from pathlib import Path
from shutil import which
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from pywasm_nn.nn import NN, Code, DType, NNError, Tensor, TensorSpec

from ..conftest import Guest, floats
from .asking import GIVEN, A, added, at, check, failure, guest_of, loaded, passing
from .oip_server import METADATA, Behaviour, Request, Stand, as_json, good, reply

pytest.importorskip("urllib3")
from pywasm_nn.nn.backends.remote import protocol


def test_what_a_model_is_comes_from_the_server(stand: Stand) -> None:
    model = loaded(stand)
    assert model.inputs == tuple(TensorSpec(name, DType.F32, (None, 2)) for name in "ab")
    assert [spec.name for spec in model.outputs] == ["sum", "prod"]
    assert (model.graph.backend, model.graph.device) == ("remote", f"127.0.0.1:{stand.port}")
    check(model)
    versioned = NN().load(f"{stand.address}/versions/1")
    check(versioned)
    assert stand.inferences[-1].path == "/v2/models/m/versions/1/infer"


def test_every_request_has_an_id_of_its_own_on_one_connection(stand: Stand) -> None:
    model = loaded(stand)
    for _ in range(3):
        check(model)
    ids = [one.said["id"] for one in stand.inferences]
    assert len(set(ids)) == 3 and all(ids)
    assert stand.connections == 1
    assert all(one.binary for one in stand.inferences)


@pytest.mark.parametrize("binary", ["always", "never"])
def test_binary_as_the_host_says(stands: list[Stand], binary: str) -> None:
    stands.append(Stand(lists_binary=binary == "never"))
    check(loaded(stands[0], binary=binary))
    assert [one.binary for one in stands[0].inferences] == [binary == "always"]


def json_only(status: int | None) -> Behaviour:
    """A server that answers binary tensors with an error, or by closing the connection."""

    def infer(stand: Stand, link: socket.socket, request: Request) -> bool | None:
        if not request.binary:
            return good(stand, link, request)
        if status is not None:
            link.sendall(as_json({"error": "what is this"}, status))
        return True

    return infer


@pytest.mark.parametrize("status", [500, 422, 400, None])
def test_a_server_that_does_not_list_binary_tensors_is_tried_once(
    stands: list[Stand], status: int | None
) -> None:
    stands.append(Stand(json_only(status), lists_binary=False))
    nn = NN(models={"m": at(stands[0]), "again": at(stands[0])})
    for name in ("m", "m", "again"):
        reports: list[str] = []
        assert added(guest_of(nn, reports, name)) == (0, floats(4, 6)), reports
    assert [one.binary for one in stands[0].inferences] == [True, False, False, False]


def test_a_server_that_takes_binary_tensors_unlisted_is_remembered(stands: list[Stand]) -> None:
    stands.append(Stand(lists_binary=False))
    model = loaded(stands[0])
    check(model)
    check(model)
    assert [one.binary for one in stands[0].inferences] == [True, True]
    assert stands[0].connections == 2, "the try has a connection of its own"


def test_what_json_can_not_say(stands: list[Stand]) -> None:
    stands.append(Stand())
    with pytest.raises(NNError, match="NaN or infinity") as caught:
        loaded(stands[0], binary="never").compute(GIVEN | {"a": A * np.nan})
    assert caught.value.code is Code.INVALID_ARGUMENT
    halves = {**METADATA, "inputs": [{"name": "a", "datatype": "FP16", "shape": [2]}]}
    stands.append(Stand(metadata=halves))
    with pytest.raises(NNError, match="JSON can't say"):
        loaded(stands[1], binary="never").compute({"a": np.zeros(2, "f2")})


@pytest.mark.parametrize(
    ("scheme", "package", "extra"),
    [("http", "urllib3", "remote"), ("https", "urllib3", "remote"), ("grpc", "tritonclient", "remote-grpc")],
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, scheme: str, package: str, extra: str
) -> None:
    monkeypatch.setattr("pywasm_nn.nn.backends.remote.running.find_spec", lambda name: None)
    with pytest.raises(NNError, match=rf"need {package}: pip install 'pywasm-nn\[{extra}\]'"):
        NN().load(f"oip+{scheme}://127.0.0.1:1/m")


TYPES = [dtype for dtype in DType if dtype not in (DType.STRING, DType.ANY)]


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_of_elements_comes_back_as_it_was_said(dtype: DType, binary: bool) -> None:
    """What is asked is taken for an answer, as those have the same form."""
    spec = TensorSpec("x", dtype, (None, 3))
    array = np.zeros((2, 3), dtype.numpy_name)
    if array.dtype.kind in "iu":
        array.flat[:2] = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
    elif array.dtype.kind == "f":
        array.flat[:2] = np.finfo(array.dtype).tiny, np.finfo(array.dtype).max
    else:
        array.flat[:2] = False, True
    tensor = Tensor.from_numpy(array, dtype)
    if not binary and dtype in protocol.NO_JSON:
        with pytest.raises(NNError, match="JSON can't say"):
            protocol.request("1", [spec], [tensor], [], binary)
        return
    head, views = protocol.request("1", [spec], [tensor], [], binary)
    said = json.loads(head)
    answer = {"id": "1", "outputs": said["inputs"]}
    found = protocol.answer("1", [spec], [], answer, memoryview(b"".join(views)), None)[0]
    assert found is not None
    assert (found.dtype, found.shape, bytes(found.view())) == (dtype, (2, 3), bytes(tensor.view()))


def test_a_guest_computes_on_a_server(stand: Stand) -> None:
    reports: list[str] = []
    assert added(guest_of(NN(models={"m": stand.address}), reports)) == (0, floats(4, 6)), reports


def test_only_what_a_guest_wants_is_asked_for(stand: Stand) -> None:
    from ..test_own import PASSTHROUGH as own_guest  # noqa: N811 - a module of the tests

    reports: list[str] = []
    with own_guest.instantiate(nn=NN(models={"m": stand.address}), report=reports.append) as instance:
        guest = Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)
        assert guest.call("load_by_name", *guest.poke(0x1000, b"m"), guest.OUT) == 0
        assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
        for index in range(2):
            assert guest.set_input(0, index, floats(2, 3)) == 0
        assert guest.call("set_output", 0, 1, 0x8000, 8) == 0
        assert guest.call("compute", 0) == 0, reports
        assert guest.memory.read(0x8000, 8) == floats(4, 9)
    assert stand.inferences[-1].said["outputs"] == [{"name": "prod"}]


# Addresses and options


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("oip+http://user:hunter2@127.0.0.1/m", "name or a password"),
        ("oip+http://127.0.0.1", "MODEL"),
        ("oip+http://127.0.0.1/", "MODEL"),
        ("oip+http:///m", "HOST"),
        ("oip+http://127.0.0.1/a/b", "MODEL"),
        ("oip+http://127.0.0.1/m?x=1", r"\?"),
        ("oip+http://127.0.0.1/m#x", "#"),
        ("oip+http://127.0.0.1:99999/m", "no address"),
        ("oip+http://127.0.0.1:x/m", "no address"),
        ("oip+http://[::1/m", "no address"),
        ("oip+http://127.0.0.1/m\r\nX: y", "characters"),
        ("oip+http://127.0.0.1/m m", "characters"),
    ],
)
def test_addresses_that_can_not_be(address: str, words: str) -> None:
    with pytest.raises(NNError, match=words) as caught:
        NN().load(address)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timeout": 0}, "timeout"), ({"timeout": "1"}, "timeout"), ({"timeout": True}, "timeout"),
        ({"timeout": float("nan")}, "timeout"), ({"binary": "maybe"}, "binary"),
        ({"headers": ["a"]}, "headers"),
        ({"headers": {"A": "plain-secret"}}, "headers"), ({"headers": {"A\r\nB": "env:X"}}, "headers"),
        ({"headers": {"A": "x\r\nB: env:X"}}, "headers"),
    ],
    ids=repr,
)  # fmt: skip
def test_options_of_another_kind(stand: Stand, options: dict[str, Any], words: str) -> None:
    with pytest.raises(NNError, match=f'option "{words}"') as caught:
        loaded(stand, **options)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert "plain-secret" not in str(caught.value)
    assert stand.connections == 0


SECRET = "s3cret-t0ken"


@pytest.mark.parametrize("source", ["env", "file"])
def test_a_header_is_sent_and_never_shown(
    stands: list[Stand], source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands.append(Stand())
    monkeypatch.setenv("OIP_TOKEN", SECRET)
    (tmp_path / "token").write_text(SECRET + "\n")
    place = {"env": "env:OIP_TOKEN", "file": f"file:{tmp_path / 'token'}"}[source]
    model = loaded(stands[0], headers={"Authorization": f"Bearer {place}"})
    check(model)
    assert {one.headers.get("authorization") for one in stands[0].requests} == {f"Bearer {SECRET}"}

    def repeats(stand: Stand, link: socket.socket, request: Request) -> None:
        link.sendall(reply(500, f"bad header {request.headers['authorization']}".encode()))

    stands[0].infer = repeats
    error = failure(model)
    shown = f"{error} {error.reason} {model!r} {model.graph!r} {error.__cause__} {error.__context__}"
    assert SECRET not in shown and "***" in error.reason
    (tmp_path / "token").write_text("another")
    monkeypatch.setenv("OIP_TOKEN", "another")
    stands[0].infer = good
    check(model)
    assert stands[0].requests[-1].headers["authorization"] == "Bearer another"


@pytest.mark.parametrize("value", ["", "two\r\nlines: x", "t\u00fcrkis", "nul\0"])
def test_a_header_that_can_not_be_sent(stand: Stand, value: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(value, encoding="utf-8", newline="")
    with pytest.raises(NNError, match="the header X-Token can't be sent: file:") as caught:
        loaded(stand, headers={"X-Token": f"file:{tmp_path / 'token'}"})
    assert value == "" or value not in str(caught.value)
    assert not stand.requests


def test_a_guests_options_change_nothing_of_the_hosts(stand: Stand) -> None:
    reports: list[str] = []
    guest = passing(NN(models={"m": at(stand, timeout=30)}), reports)
    text = json.dumps({"headers": {"X": "file:/etc/passwd"}, "timeout": 1e9, "binary": "never", "url": "x"})
    name, config = guest.poke(0x1000, b"m"), guest.poke(0x1100, text.encode())
    assert guest.call("load_by_name_with_config", *name, *config, guest.OUT) == 0, reports
    assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
    assert added(guest) == (0, floats(4, 6))
    assert all("x" not in one.headers for one in stand.requests)
    assert [one.binary for one in stand.inferences] == [True]


def test_an_address_in_a_guests_bytes_reaches_no_socket(stand: Stand) -> None:
    for trusted in (False, True):
        guest = passing(NN(trust_guest_models=trusted), [])
        for encoding in range(15):
            assert guest.load(stand.address.encode(), encoding=encoding) != 0
        name = guest.poke(0x1000, stand.address.encode())
        assert guest.call("load_by_name", *name, guest.OUT) == Code.NOT_FOUND
    assert stand.connections == 0


def test_a_proxy_in_the_environment_gets_nothing(
    stands: list[Stand], monkeypatch: pytest.MonkeyPatch
) -> None:
    stands += [Stand(), Stand()]
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{stands[1].port}")
    check(loaded(stands[0]))
    assert stands[1].connections == 0


def test_contexts_on_many_threads(stand: Stand) -> None:
    nn = NN(models={"m": stand.address})
    failures: list[str] = []
    ready = Event()

    def work() -> None:
        guest = guest_of(nn, failures)
        ready.wait()
        for _ in range(20):
            if added(guest) != (0, floats(4, 6)):
                failures.append("another answer")

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    ready.set()
    for thread in threads:
        thread.join()
    assert failures == [] and len(stand.inferences) == 80


@pytest.mark.skipif(which("openssl") is None, reason="no openssl to make a certificate with")
def test_tls_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Secure(Stand):
        def _serve(self, link: socket.socket) -> None:
            try:
                super()._serve(context.wrap_socket(link, server_side=True))
            except (OSError, ssl.SSLError):
                link.close()

    stand = Secure()
    try:
        address = f"oip+https://localhost:{stand.port}/m"
        with pytest.raises(NNError, match="certificate") as caught:
            NN().load(address)
        assert caught.value.code is Code.RUNTIME_ERROR and not stand.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        check(NN().load(address))
        with pytest.raises(NNError, match="certificate"):
            NN().load(address.replace("localhost", "127.0.0.1"))
    finally:
        stand.close()
