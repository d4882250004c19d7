"""The debug adapter, by a scripted editor over a socket and over pipes."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from .dap_client import Client

GUESTS = Path(__file__).parents[1] / "guests"


def begin(client: Client, program: str, lines: dict[str, list[Any]], **settings: Any) -> list[Any]:
    """Launch a guest with breakpoints at source lines; returns what was told of them."""
    assert client.ask("initialize", adapterID="pywasm-nn")["supportsStepBack"]
    client.ask("launch", program=str(GUESTS / program), **settings)
    client.event("initialized")
    told = []
    for path, breaks in lines.items():
        wanted = [each if isinstance(each, dict) else {"line": each} for each in breaks]
        source = {"path": str(GUESTS / path)}
        told += client.ask("setBreakpoints", source=source, breakpoints=wanted)["breakpoints"]
    client.ask("configurationDone")
    return told


def top(client: Client) -> tuple[str, int]:
    frame = client.ask("stackTrace", threadId=1)["stackFrames"][0]
    return frame["name"], frame["line"]


def variables(client: Client, scope: str, frame: int = 0) -> dict[str, str]:
    scopes = {each["name"]: each for each in client.ask("scopes", frameId=frame)["scopes"]}
    found = client.ask("variables", variablesReference=scopes[scope]["variablesReference"])["variables"]
    return {each["name"]: each["value"] for each in found}


@pytest.mark.parametrize("over_port", [True, False], ids=["socket", "pipes"])
def test_a_session_in_c(over_port: bool) -> None:
    with Client(over_port) as client:
        (told,) = begin(client, "variables.wasm", {"variables.c": [18]})
        assert told["verified"]
        assert told["line"] == 18
        stop = client.event("stopped")
        assert stop["reason"] == "breakpoint"
        assert client.ask("threads")["threads"] == [{"id": 1, "name": "guest"}]
        frames = client.ask("stackTrace", threadId=1)["stackFrames"]
        assert [frame["name"] for frame in frames] == ["area", "_start"]
        assert frames[0]["source"]["path"] == str(GUESTS / "variables.c")
        assert top(client) == ("area", 18)
        client.ask("next", threadId=1)
        client.event("stopped")
        assert top(client) == ("area", 19)
        client.ask("stepBack", threadId=1)
        assert client.event("stopped")["reason"] == "step"
        assert top(client) == ("area", 18)
        assert any(int(value) == 7 for value in variables(client, "Locals").values())
        client.ask("continue", threadId=1)
        client.event("stopped")
        assert any(int(value) == 9 for value in variables(client, "Locals").values())
        client.ask("reverseContinue", threadId=1)
        client.event("stopped")
        assert any(int(value) == 7 for value in variables(client, "Locals").values())
        data = b64decode(client.ask("readMemory", memoryReference="0x0", count=16)["data"])
        assert len(data) == 16
        code = client.ask(
            "disassemble",
            memoryReference=frames[0]["instructionPointerReference"],
            instructionOffset=-2,
            instructionCount=5,
        )["instructions"]
        assert len(code) == 5
        assert code[2]["address"] == frames[0]["instructionPointerReference"]
        assert client.ask("evaluate", expression="local 1 + 1", frameId=0)["result"] == "8"
        assert client.ask("evaluate", expression="scale * 2", frameId=0)["result"] == "14"
        shape = client.ask("evaluate", expression="shape", frameId=0)
        (target,) = client.ask("variables", variablesReference=shape["variablesReference"])["variables"]
        inside = client.ask("variables", variablesReference=target["variablesReference"])["variables"]
        found = {each["name"]: each for each in inside}
        assert found["at"]["value"] == "{x = 3, y = 1.5}"
        assert found["colour"]["value"] == "GREEN (5)"
        assert found["name"]["type"] == "char *" or "char" in found["name"]["type"]
        place = found["tag"]["memoryReference"]
        tag = client.ask("readMemory", memoryReference=place, count=4)["data"]
        assert b64decode(tag) == bytes([1, 2, 3, 4])
        values = variables(client, "Variables")
        assert (values["scale"], values["size"], values["large"]) == ("7", "21", "1099511627776")
        client.ask("stepOut", threadId=1)
        client.event("stopped")
        assert top(client)[0] == "_start"
        client.ask("setBreakpoints", source={"path": str(GUESTS / "variables.c")}, breakpoints=[])
        client.ask("continue", threadId=1)
        assert client.event("exited")["exitCode"] == 0
        client.event("terminated")
        client.ask("disconnect")
        assert client.process.wait(20) == 0


def test_conditional_and_counted_breakpoints() -> None:
    with Client() as client:
        begin(client, "variables.wasm", {"variables.c": [{"line": 18, "condition": "scale == 9"}]})
        client.event("stopped")
        assert client.ask("evaluate", expression="$1", frameId=0)["result"] == "9"
        told = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "area"}, {"name": "nowhere"}])[
            "breakpoints"
        ]
        assert [each["verified"] for each in told] == [True, False]
        assert "no function nowhere" in told[1]["message"]
        client.ask("disconnect")
        assert client.process.wait(20) == 0
    with Client() as client:
        begin(client, "variables.wasm", {"variables.c": [{"line": 18, "hitCondition": "2"}]})
        client.event("stopped")
        assert client.ask("evaluate", expression="local 1", frameId=0)["result"] == "9"


def test_a_session_in_rust() -> None:
    with Client() as client:
        (told,) = begin(client, "variables_rust.wasm", {"variables.rs": [26]})
        assert told["verified"]
        client.event("stopped")
        assert top(client) == ("area", 26)
        values = variables(client, "Variables")
        assert (values["name"], values["numbers"], values["size"]) == ('"square"', "[10, 20, 30]", "21")
        assert values["point"].startswith("0x")
        assert client.ask("evaluate", expression="point.y")["result"] == "1.5"
        client.ask("next", threadId=1)
        client.event("stopped")
        assert top(client) == ("area", 25)  # of the loop
        client.ask("stepBack", threadId=1)
        client.event("stopped")
        assert top(client) == ("area", 26)


def test_a_trap_stops_and_can_be_gone_back_from() -> None:
    with Client() as client:
        begin(client, "source.wasm", {})
        stop = client.event("stopped")
        assert stop["reason"] == "exception"
        assert "out of bounds memory access" in stop["text"]
        assert top(client)[0] == "sum"
        client.ask("stepBack", threadId=1)
        client.event("stopped")
        client.ask("reverseContinue", threadId=1)
        client.event("stopped")
        assert top(client)[0] == "_start"
        client.ask("continue", threadId=1)
        assert client.event("stopped")["reason"] == "exception"
        client.ask("continue", threadId=1)
        assert client.event("exited")["exitCode"] != 0


def test_output_and_entry_and_tensors() -> None:
    demo = Path(__file__).parents[2] / "pywasm_nn" / "demo"
    with Client() as client:
        options = ["--dir", f"{demo / 'models'}::models"]
        client.ask("initialize")
        words = ["models/digit.pgm", "models/digits.onnx"]
        client.ask("launch", program=str(demo / "app.wasm"), options=options, args=words, stopOnEntry=True)
        client.ask("configurationDone")
        assert client.event("stopped")["reason"] == "entry"
        client.ask("setFunctionBreakpoints", breakpoints=[{"name": "nn compute"}])
        client.ask("continue", threadId=1)
        client.event("stopped")
        shown = variables(client, "Inference")
        assert any("f32[1,10]" in name for name in shown)
        client.ask("continue", threadId=1)
        assert client.event("exited")["exitCode"] == 0
        assert client.output()


ENDLESS = """(module (func (export "_start") (local $i i64)
  (loop $again (local.set $i (i64.add (local.get $i) (i64.const 1))) (br $again))))"""


def test_pause_and_disconnect_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "endless.wat").write_text(ENDLESS)
    for ends in (False, True):
        with Client() as client:
            begin(client, str(tmp_path / "endless.wat"), {})
            if not ends:
                client.send("pause", threadId=1)
                assert client.event("stopped")["reason"] == "pause"
            client.send("disconnect")
            assert client.process.wait(20) == 0


def test_bad_requests_are_refused(tmp_path: Path) -> None:
    with Client() as client:
        assert "no program" in client.refused("stackTrace", threadId=1)
        assert "no program is given" in client.refused("launch")
        assert "there is no such file" in client.refused("launch", program=str(tmp_path / "none.wasm"))
        assert client.refused("launch", program="x.wasm", args="words")
        assert client.refused("launch", program=str(GUESTS / "variables.wasm"), options=["--no-such"])
        assert "there is no request" in client.refused("noSuchThing")
        begin(client, "variables.wasm", {"variables.c": [18, 9999]})
        client.event("stopped")
        for command, arguments in BAD:
            assert client.refused(command, **arguments)
        client.raw(b'{"command": "next", "arguments": 5}')
        client.raw(b"[]")  # no object: the session ends
        assert client.process.wait(20) == 0


BAD: list[tuple[str, dict[str, Any]]] = [
    ("scopes", {}),
    ("scopes", {"frameId": 99}),
    ("variables", {"variablesReference": 12345}),
    ("variables", {"variablesReference": "x"}),
    ("evaluate", {"expression": "open(1)"}),
    ("evaluate", {"expression": ""}),
    ("readMemory", {"memoryReference": "zzz", "count": 1}),
    ("readMemory", {"memoryReference": "0"}),
    ("disassemble", {"memoryReference": "0xffffff", "instructionCount": 3}),
    ("setBreakpoints", {}),
    ("setBreakpoints", {"source": {"path": "x.c"}, "breakpoints": [{}]}),
    ("launch", {"program": "x.wasm"}),
]
