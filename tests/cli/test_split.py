"""The rule that shares arguments between `run` and the guest."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.cli.split import Split, Takes, split

OPTIONS = {
    "--dir": Takes.VALUE,
    "-S": Takes.VALUE,
    "--invoke": Takes.VALUE,
    "--trace": Takes.MAYBE,
    "-v": Takes.NOTHING,
    "--verbose": Takes.NOTHING,
}


def shared(line: str) -> tuple[str, str | None, str]:
    result = split(line.split(), OPTIONS)
    return " ".join(result.ours), result.module, " ".join(result.guest)


@pytest.mark.parametrize(
    ("line", "ours", "module", "guest"),
    [
        ("app.wasm", "", "app.wasm", ""),
        ("app.wasm --dir models", "--dir models", "app.wasm", ""),
        ("--dir models app.wasm", "--dir models", "app.wasm", ""),
        ("--dir=models app.wasm a b", "--dir=models", "app.wasm", "a b"),
        ("app.wasm img.jpg --verbose", "", "app.wasm", "img.jpg --verbose"),
        ("app.wasm --quiet", "", "app.wasm", "--quiet"),
        ("app.wasm --quiet --dir x", "", "app.wasm", "--quiet --dir x"),
        ("app.wasm -v --dir x --quiet -v", "-v --dir x", "app.wasm", "--quiet -v"),
        ("app.wasm -- --dir x", "", "app.wasm", "--dir x"),
        ("app.wasm --dir x -- --dir y", "--dir x", "app.wasm", "--dir y"),
        ("app.wasm a -- b", "", "app.wasm", "a -- b"),
        ("-- app.wasm --dir x", "", "app.wasm", "--dir x"),
        ("--dir x -- app.wasm", "--dir x", "app.wasm", ""),
        ("--trace app.wasm", "--trace", "app.wasm", ""),
        ("app.wasm --trace=host x", "--trace=host", "app.wasm", "x"),
        ("--invoke add app.wasm 1 -2", "--invoke add", "app.wasm", "1 -2"),
        ("app.wasm --invoke add -1 2", "--invoke add", "app.wasm", "-1 2"),
        ("app.wasm -Snn-graph=onnx::d x", "-Snn-graph=onnx::d", "app.wasm", "x"),
        ("app.wasm -S nn-graph=onnx::d x", "-S nn-graph=onnx::d", "app.wasm", "x"),
        ("app.wasm - x", "", "app.wasm", "- x"),
        ("--nonsense app.wasm x", "--nonsense", "app.wasm", "x"),
        ("app.wasm --verbose=yes", "", "app.wasm", "--verbose=yes"),
        ("app.wasm -vq", "", "app.wasm", "-vq"),
        ("-v", "-v", None, ""),
        ("--dir", "--dir", None, ""),
        ("", "", None, ""),
    ],
)
def test_who_gets_what(line: str, ours: str, module: str | None, guest: str) -> None:
    assert shared(line) == (ours, module, guest)


def test_options_of_other_tools_are_read_before_the_module_only() -> None:
    before = {"--mapdir": Takes.VALUE, "-v": Takes.VALUE}
    result = split(["--mapdir", "a:b", "-v", "m.wasm", "--mapdir", "c:d"], OPTIONS, before)
    assert (result.ours, result.module, result.guest) == (
        ("--mapdir", "a:b", "-v"), "m.wasm", ("--mapdir", "c:d"),
    )  # fmt: skip


@given(st.lists(st.sampled_from([*OPTIONS, "--", "-", "x", "--other", "-1", "--dir=y", "--trace=z"])))
def test_nothing_is_lost_or_moved(arguments: list[str]) -> None:
    result = split(arguments, OPTIONS)
    kept = [*result.ours, *([] if result.module is None else [result.module]), *result.guest]
    assert Counter(arguments) - Counter(kept) in (Counter(), Counter(["--"]))
    assert not Counter(kept) - Counter(arguments)
    assert list(result.guest) == arguments[len(arguments) - len(result.guest) :]


@given(st.lists(st.text("-=ad v.é", max_size=5)), st.lists(st.sampled_from(["-v", "--verbose", "--dir=a"])))
def test_after_two_dashes_everything_is_the_guests(guest: list[str], ours: list[str]) -> None:
    assert split(["m.wasm", *ours, "--", *guest], OPTIONS) == Split(
        tuple(ours), "m.wasm", tuple(guest), explicit=True
    )
