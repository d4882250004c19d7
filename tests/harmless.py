"""Faults of `mutate.py` that change nothing that a test could see, as told there, with the reason."""

# ruff: noqa: E501 - each is told as mutate.py prints it

HARMLESS: dict[str, str] = {
    "pywasm_nn/nn/backend.py: part of `or` dropped in `guest_options: Mapping[str, float | None] = "
    "{\"threads\": os.cpu_count() or 1}`: 'os.cpu_count() or 1' -> 'os.cpu_count()'": (
        "a system that can't count its processors; the class is made when the module is imported"
    ),
    "pywasm_nn/interpreter/validate/constants.py: part of `or` dropped in `if (len(body.ops) == 2 and self._is_one_step(body, expected, globals_)) or computes(body, `: '(len(body.ops) == 2 and self._is_one_step(body, expected, gl' -> 'len(body.ops) == 2 and self._is_one_step(body, expected, glo'": (
        "the first part is a fast path: the general rule decides the same"
    ),
    "pywasm_nn/interpreter/validate/constants.py: `not` dropped in `if not op.constant or op.params is None:`: 'not op.constant' -> '(op.constant)'": (
        "only a fast path is lost: what begins with no constant has too few operands"
    ),
    "pywasm_nn/interpreter/validate/stack.py: part of `or` dropped in `if actual is expected or actual is Unknown or expected is Unknown:`: 'actual is expected or actual is Unknown or expected is Unkno' -> '(actual is Unknown or expected is Unknown)'": (
        "equal types match by the rule, too, more slowly"
    ),
    "pywasm_nn/interpreter/validate/constants.py: guard dropped in `if self._checked.get(id(body)) == expected:`: 'self._checked.get(id(body)) == expected' -> 'False'": (
        "only the time of checking equal expressions again"
    ),
}
