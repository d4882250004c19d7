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
    "pywasm_nn/interpreter/compile/lowering/control.py: part of `and` dropped in `if e.stack.armed and not operand.flags & TRAP:`: 'e.stack.armed and not operand.flags & TRAP' -> 'e.stack.armed'": (
        "one operand that may trap waits at most; here it is the condition, which isn't on the stack any more"
    ),
    "pywasm_nn/interpreter/compile/lowering/comparisons.py: comparison flipped in `if min(x.lo, y.lo) < 0 and can_be_signed(x, bits) and can_be_signed(y, bits):`: '<' -> '<='": (
        "both numbers are made signed although neither is negative: they compare the same"
    ),
    "pywasm_nn/interpreter/compile/lowering/floats.py: flag forgotten in `e.stack.push(relabelled(x, x.flags & EFFECTS | QUIET))`: 'x.flags & EFFECTS | QUIET' -> 'x.flags & EFFECTS'": (
        "nobody asks whether an f64 may be a signalling NaN"
    ),
    "pywasm_nn/interpreter/compile/analysis/forecast.py: part of `or` dropped in `count = len(op.params or ())`: 'op.params or ()' -> 'op.params'": (
        "only instructions with types in their row are asked"
    ),
    "pywasm_nn/interpreter/compile/lowering/memory.py: comparison flipped in `if base.lo < 0 or base.hi > MASK[bits]:`: '<' -> '<='": (
        "an operand in the canonical range is its own canonical form"
    ),
    "pywasm_nn/interpreter/validate/constants.py: guard dropped in `if first.name == \"global.get\":`: 'first.name == \"global.get\"' -> 'False'": (
        "only a fast path is lost: the general rule checks the global, too"
    ),
    "pywasm_nn/interpreter/validate/stack.py: bound off by one in `found = listed([\"any\" if t is Unknown else t for t in actual[-MOST_NAMED - 1 :]])`: '1' -> '2'": (
        "one more type than a message names: `listed` keeps the last ones"
    ),
    "pywasm_nn/interpreter/validate/clauses.py: part of `and` dropped in `if own.describes and above.describes and not matches_heap(own.describes, above.describes):`: 'own.describes and above.describes and not matches_heap(own.d' -> '(above.describes and not matches_heap(own.describes, above.d'": (
        "a type describes one if and only if its super type does: that was checked before"
    ),
}
