"""A guest that tells kinds of files, its model in process and on real servers: the same digits.

PYWASM_NN_TRITON names `pytriton/tritonserver` of the package nvidia-pytriton, PYWASM_NN_MLSERVER the
command of the package mlserver, each in an environment of its own with onnxruntime; `.ci/full` makes both.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pywasm_nn import NN, run
from pywasm_nn.nn import GraphConfig, NamedModel, NNError

from .serving import free_ports, running, triton_serving

pytest.importorskip("urllib3")
SHARED = Path(__file__).parents[3] / ".." / "shared"
REAL = (SHARED / "models" / "real").resolve()
GUEST = SHARED / "prototypes" / "backends-2" / "filetype.wasm"
MODEL = REAL / "magika_standard_v3_3.onnx"
FILES = ["speech.wav", "magika_config.json", "magika_standard_v3_3.onnx"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (GUEST.exists() and MODEL.exists()), reason="../shared/models/real is absent"),
]
SESSION = f"""
import numpy, onnxruntime
def session():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession({str(MODEL)!r}, options, providers=["CPUExecutionProvider"])
"""
CONFIG = """name: "magika" backend: "python" max_batch_size: 16
input [{name: "bytes" data_type: TYPE_INT32 dims: [2048]}]
output [{name: "target_label" data_type: TYPE_FP32 dims: [214]}]
instance_group [{kind: KIND_CPU count: 1}]
"""
TRITON_MODEL = """
import triton_python_backend_utils as pb
class TritonPythonModel:
    def initialize(self, args):
        self.session = session()
    def execute(self, requests):
        found = []
        for request in requests:
            given = pb.get_input_tensor_by_name(request, "bytes").as_numpy()
            made = self.session.run(None, {"bytes": given})[0]
            found.append(pb.InferenceResponse(output_tensors=[pb.Tensor("target_label", made)]))
        return found
"""
MLSERVER_MODEL = """
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse
class Magika(MLModel):
    async def load(self):
        self.session = session()
        return True
    async def predict(self, payload):
        given = NumpyCodec.decode_input(payload.inputs[0]).astype("i4")
        made = self.session.run(None, {"bytes": given})[0]
        outputs = [NumpyCodec.encode_output("target_label", made)]
        return InferenceResponse(model_name=self.name, id=payload.id, outputs=outputs)
"""


@pytest.fixture(scope="module")
def triton(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """Ports of Triton for HTTP and gRPC."""
    given = os.environ.get("PYWASM_NN_TRITON")
    if not given:
        pytest.skip("PYWASM_NN_TRITON names no nvidia-pytriton")
    with triton_serving(given, tmp_path_factory.mktemp("triton"), CONFIG, SESSION + TRITON_MODEL) as ports:
        yield ports


@pytest.fixture(scope="module")
def mlserver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """Ports of MLServer for HTTP and gRPC."""
    command = os.environ.get("PYWASM_NN_MLSERVER")
    if not command:
        pytest.skip("PYWASM_NN_MLSERVER names no mlserver")
    folder, (http, grpc, metrics) = tmp_path_factory.mktemp("mlserver"), free_ports(3)
    (folder / "model.py").write_text(SESSION + MLSERVER_MODEL)
    model = {
        "name": "magika", "implementation": "model.Magika",
        "inputs": [{"name": "bytes", "datatype": "INT32", "shape": [-1, 2048]}],
        "outputs": [{"name": "target_label", "datatype": "FP32", "shape": [-1, 214]}],
    }  # fmt: skip
    settings = {"host": "127.0.0.1", "http_port": http, "grpc_port": grpc, "metrics_port": metrics,
                "parallel_workers": 0}  # fmt: skip
    (folder / "model-settings.json").write_text(json.dumps(model))
    (folder / "settings.json").write_text(json.dumps(settings))
    command = str(Path(command).absolute())
    with running([command, "start", "."], folder, {}, http, "magika"):
        yield http, grpc


def told(model: object) -> bytes:
    """What the guest says of the files."""
    result = run(GUEST, [f"/{name}" for name in FILES], dirs={"/": REAL}, models={"magika": model})  # type: ignore[dict-item] # a place of any kind
    assert result.exit_code == 0, (result.stderr, result.notes)
    return result.stdout


@pytest.fixture(scope="module")
def in_process() -> bytes:
    pytest.importorskip("onnxruntime")
    return told(MODEL)


@pytest.mark.parametrize("server", ["triton", "mlserver"])
@pytest.mark.parametrize("way", ["http", "binary", "json", "grpc"])
def test_the_same_digits_on_every_way(
    request: pytest.FixtureRequest, in_process: bytes, server: str, way: str
) -> None:
    if way == "grpc":
        pytest.importorskip("tritonclient.grpc")
    if (server, way) == ("mlserver", "binary"):
        pytest.skip("MLServer takes no binary tensors")
    http, grpc = request.getfixturevalue(server)
    assert len(in_process.splitlines()) == len(FILES) and b" 999993\n" in in_process
    address = (
        f"oip+grpc://127.0.0.1:{grpc}/magika" if way == "grpc" else f"oip+http://127.0.0.1:{http}/magika"
    )
    options = {"http": {}, "binary": {"binary": "always"}, "json": {"binary": "never"}, "grpc": {}}[way]
    place = NamedModel(addresses=(address,), config=GraphConfig(options=options))
    assert told(place) == in_process
    with pytest.raises(NNError, match=r"other|not_found"):
        NN().load(address.replace("magika", "other"))
