"""Text guests as WasmEdge's examples have them, prebuilt, run unmodified.

PYWASM_NN_WASMEDGE_GGML names a folder with the .wasm files of `wasmedge-ggml` of
https://github.com/second-state/WasmEdge-WASINN-examples, in folders of their own or not.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pywasm_nn import NN, run

from ..conftest import files_that_go
from .texts import ADAPTERS, models

FOLDER = os.environ.get("PYWASM_NN_WASMEDGE_GGML", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER, reason="PYWASM_NN_WASMEDGE_GGML names no folder of prebuilt guests"),
]
NUMBERS = "Number of output tokens: "
SAID = {
    "llama": NUMBERS, "llama-stream": NUMBERS, "basic": "Response:", "chatml": NUMBERS, "command-r": NUMBERS,
    "gemma": "Response:", "grammar": NUMBERS, "json-schema": NUMBERS, "nnrpc": NUMBERS, "phi-3": "Response:",
    "unload": "----- Test 4 -----", "set-input-twice": "Number of input tokens: ",
    "llama-embedding": "N_Embd: 32",
}  # fmt: skip
"""What each guest prints when all went well."""
PROMPT = "Tell me"


def guest(name: str) -> Path:
    return next(Path(FOLDER).rglob(f"wasmedge-ggml-{name}.wasm"))


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("name", SAID)
def test_a_prebuilt_guest_runs_unmodified(name: str, adapter: str) -> None:
    nn = models(adapter, name="default", **{"n-predict": 12})
    done = run(guest(name), args=["default", PROMPT], env={"n_predict": "12", "enable_log": "false"}, nn=nn)
    out = bytes(done.stdout).decode(errors="replace")
    assert done.exit_code == 0, done
    assert SAID[name] in out
    assert "ERROR" not in out


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_model_without_a_file_is_not_found(adapter: str) -> None:
    with files_that_go(default="gone.gguf") as places:
        nn = NN(models=places, backends={"gguf": adapter})
    done = run(guest("model-not-found"), args=["default"], nn=nn)
    assert b"Model not found" in bytes(done.stdout) + bytes(done.stderr)
