"""The fixture `wasm_cassette`, in runs of pytest in processes of their own: one in this process would disable
faulthandler at its end, and so take handlers of signals from wasmtime.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

GUEST = Path(__file__).parent / "guests" / "cat.wasm"
TEST = f"""
from pathlib import Path

def test_it(wasm_cassette):
    text = Path(__file__).with_name("text").read_bytes()
    first = wasm_cassette.run({str(GUEST)!r}, stdin=text)
    second = wasm_cassette.run({str(GUEST)!r}, stdin=text * 2)
    assert (first.stdout, second.stdout) == (b"some text", b"some text" * 2)
"""
PLUGIN = ("-p", "pywasm_nn.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:benchmark")


def test_the_first_run_records_and_later_ones_need_nothing(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # of others, which take longer than the test
    pytester.makepyfile(test_one=TEST)
    text = pytester.path / "text"
    text.write_bytes(b"some text")
    outcome = pytester.runpytest_subprocess(*PLUGIN, "--cassette=replay")
    outcome.assert_outcomes(failed=1)
    outcome.stdout.fnmatch_lines(["*CassetteError: *test_one.test_it.cassette is not there*"])
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=1)
    kept = sorted(path.name for path in (pytester.path / "cassettes").iterdir())
    assert kept == ["test_one.test_it.2.cassette", "test_one.test_it.cassette"]
    text.write_bytes(b"other text")
    pytester.runpytest_subprocess(*PLUGIN, "--cassette=replay").assert_outcomes(passed=1)
    pytester.runpytest_subprocess(*PLUGIN, "--cassette=record").assert_outcomes(failed=1)
