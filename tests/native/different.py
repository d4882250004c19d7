"""Tests that mean something else on the engine `wasmtime`, with the reason: `pytest --engine wasmtime` skips
them where they fail. What the engine refuses in so many words needs no entry."""

VALUES = "native frames show no values of locals, and no address of an access"
UNITS = "Limits.call_depth is bytes of stack there"
AT_ONCE = "wasmtime validates all bodies when an instance is made"
FRAMES = "wasmtime keeps 20 frames"
WATCHED = "--engine wasmtime can't show calls"
ADDED = "wasmtime doesn't know an instruction that the test adds"
SHARED = "engine wasmtime can't run a guest with a shared memory"
SUMMARY = "is about what `compile` says that it did"
ADDRESSES = "wasmtime reserves more addresses for a memory than the test's process may map for all"
UNSEEN = "no other thread sees which functions run natively"
STRUCTURES = "engine wasmtime can't run a module with structures"
VALIDATES = "kept native code doesn't say that this package has validated the module"
QUIET = "wasmtime tells nobody what a limit refused to a guest"
IMAGE = "wasmtime keeps a descriptor of a module's first memory for as long as the module is there"
HOSTILE = "tests/component/hostile/test_hostile.py::test_hostile_component_is_refused"
ATTEMPT = "tests/attempts/test_attempts.py::test_attempt_fails"

DIFFERENT = {
    f"{HOSTILE}[memories of 64 MiB in 64 instances-compile]": ADDRESSES,
    f"{HOSTILE}[two components that call each other without end-compile]": ADDRESSES,
    "tests/wasi/test_stack_edge.py::test_a_users_function_runs_to_its_end_or_not_at_all": UNITS,
    "tests/cli/test_code_cache.py::test_a_second_run_compiles_nothing": SUMMARY,
    "tests/cli/test_code_cache.py::test_the_users_cache_unless_told_otherwise": SUMMARY,
    "tests/watch/test_backtraces.py::test_what_is_told": VALUES,
    "tests/watch/test_backtraces.py::test_of_a_deep_stack_both_ends_are_told": FRAMES,
    "tests/watch/test_backtraces.py::test_two_instances_and_their_modules": VALUES,
    "tests/watch/test_backtraces.py::test_what_is_limited_or_watched_tells_the_same": AT_ONCE,
    "tests/component/test_calls.py::test_a_host_function_begins_only_if_there_is_room_for_it": UNITS,
    "tests/test_api.py::test_an_invalid_body_is_found_by_validate_or_else_when_it_is_called": AT_ONCE,
    "tests/cli/test_threads.py::test_a_deadline_ends_an_endless_group": SHARED,
    "tests/cli/test_threads.py::test_fuel_ends_an_endless_group": SHARED,
    "tests/cli/test_threads.py::test_ctrl_c_ends_an_endless_group": SHARED,
    "tests/cli/test_components.py::test_a_trace_of_calls_says_in_which_core_module": WATCHED,
    "tests/cli/test_components.py::test_monitors_count_in_each_core_module": WATCHED,
    "tests/test_linker.py::test_a_snapshot_has_the_tables_too": "engine wasmtime can't copy state",
    "tests/test_guests.py::test_traps_name_kind_and_functions": FRAMES,
    "tests/test_guests.py::test_recursion_has_exactly_its_frames_on_every_thread": UNITS,
    "tests/test_notes.py::test_a_traceback_shows_the_guest_and_the_last_host_call": VALUES,
    "tests/test_notes.py::test_an_error_of_the_hosts_has_them": VALUES,
    "tests/test_notes.py::test_of_many_frames_some_at_each_end_are_shown": FRAMES,
    "tests/test_contributing.py::test_runs": ADDED,
    "tests/test_contributing.py::test_an_instruction_without_a_meaning_is_no_wrong_program": ADDED,
    "tests/component/test_cache.py::test_a_second_component_compiles_nothing": SUMMARY,
    "tests/watch/test_profile.py::test_time_goes_to_the_function_that_takes_it": UNSEEN,
    "tests/watch/test_profile.py::test_a_host_function_that_waits_is_seen_below_its_caller": UNSEEN,
    "tests/watch/test_profile.py::test_files_are_what_their_readers_expect": UNSEEN,
    "tests/watch/test_profile.py::test_functions_have_their_source_lines": UNSEEN,
    "tests/watch/test_sources.py::test_a_backtrace_names_lines": VALUES,
    "tests/watch/test_threads.py::test_the_command_names_the_thread": WATCHED,
    "tests/watch/test_copies.py::test_no_copies": IMAGE,
    f"{ATTEMPT}[across: a structure as parameter-compile]": STRUCTURES,
    "tests/test_refusals.py::test_a_program_that_exits_with_an_error_has_a_note": QUIET,
    "tests/test_refusals.py::test_a_trap_has_it_once": QUIET,
    "tests/test_refusals.py::test_an_instance_says_it_with_one_failure": QUIET,
    "tests/test_refusals.py::test_memories_together": QUIET,
    "tests/test_refusals.py::test_a_result_has_it_though_the_guest_took_no_notice": QUIET,
    "tests/test_refusals.py::test_the_command_says_it_of_a_guest_that_ends_well_when_asked": QUIET,
    "tests/test_refusals.py::test_a_component_that_returns_an_error": QUIET,
    "tests/test_refusals.py::test_a_component_that_took_no_notice": QUIET,
    "tests/test_refusals.py::test_the_command_says_it_in_one_line": QUIET,
    "tests/test_learn.py::test_the_guide_for_embedders_does_what_it_says": VALUES,
    "tests/test_repr.py::test_what_a_person_wants_to_know_is_said": "says `compile` in so many words",
    "tests/component/test_cache.py::test_modules_with_stored_code_are_not_validated_again": VALIDATES,
    "tests/component/test_linked.py::test_limits_are_those_of_the_linker": "fuel has another unit there",
}
"""Reasons by name, with parameters or without."""
