"""Faults of `mutate.py` that change nothing that a test could see, as told there, with the reason."""

HARMLESS: dict[str, str] = {
    "pywasm_nn/nn/backend.py: part of `or` dropped in `guest_options: Mapping[str, float | None] = "
    "{\"threads\": os.cpu_count() or 1}`: 'os.cpu_count() or 1' -> 'os.cpu_count()'": (
        "a system that can't count its processors; the class is made when the module is imported"
    ),
}
