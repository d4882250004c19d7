"""What tests of the interpreter share: while the compiler is tested its intermediate form is checked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pywasm_nn.interpreter.compile import translate


@pytest.fixture(autouse=True, scope="module")
def checked(request: pytest.FixtureRequest) -> Iterator[None]:
    """As PYWASM_NN_CHECK=1 has it, in the tests of the compiler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            translate, "CHECKED", request.module.__name__.rpartition(".")[2].startswith("test_compile")
        )
        yield
