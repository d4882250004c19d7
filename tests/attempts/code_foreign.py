# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""The code that attempts with PyTorch and with TensorFlow share. It runs with what `kit_foreign` has."""

from __future__ import annotations

LYING = """
with named(GOOD) as g:
    context = begun(g)
    answers = {}
    for dims in ((), (0,), (1,), (2,), (1 << 31,), (0xFFFFFFFF,), (1 << 16, 1 << 16), (1,) * 65, (0, 0xFFFFFFFF), (1 << 31, 1 << 31, 1 << 31), (3, 0, 5)):
        for kind in range(9):
            for size in (0, 1, 4, 8, 0xFFFFFFFF):
                answer = give(g, context, dims, kind, bytes(16), size=size)
                assert answer != "limit" and (answer != "trap" or size > 1 << 30), (dims, kind, size, answer)
                if not answer:
                    answer = (g.call("compute", context), g.call("get_output", context, 0, 4096, 64, 800))
                    assert not {"trap", "limit"} & set(answer), (dims, kind, size, answer)
                answers[str(answer)] = answers.get(str(answer), 0) + 1
    print(answers)
    assert give(g, context, (1,), 1, struct.pack("<f", 2)) == g.call("compute", context) == g.call("get_output", context, 0, 4096, 64, 800) == 0
    assert g.guest.instance.memory.read(4096, 4) == struct.pack("<f", 4)
"""
"""Code of an attempt with GOOD, a model that doubles one f32: tensors that are not what the guest says."""
