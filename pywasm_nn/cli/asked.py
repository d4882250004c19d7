"""The options of `run` and `debug` as the user wrote them.

What is not here: how options are declared (`run.py`), and what values mean (`options.py`).
"""

from __future__ import annotations

from ..records import Frozen
from ..wasi import Dir
from . import options


class Asked(Frozen):
    """Options by their names, with the values of those that weren't given."""

    module: str
    arguments: tuple[str, ...] = ()
    dir: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    tcplisten: tuple[str, ...] = ()
    deterministic: bool = False
    argv0: str | None = None
    invoke: str | None = None
    preload: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    unknown_imports: str | None = None
    models: str | None = None
    nn_graph: tuple[str, ...] = ()
    nn_preload: tuple[str, ...] = ()
    nn_backend: tuple[str, ...] = ()
    nn_plugin: tuple[str, ...] = ()
    nn_config: tuple[str, ...] = ()
    nn_strict: bool = False
    trust_models: bool = False
    settings: tuple[str, ...] = ()
    """-S"""
    max_memory: str | None = None
    fuel: int | None = None
    max_host_calls: int | None = None
    max_heap: str | None = None
    max_output: str | None = None
    max_stack: int | None = None
    features: tuple[str, ...] = ()
    compat: str | None = None
    verbose: bool = False
    timeout: str | None = None
    engine: str | None = None
    trace: str | None = None
    monitor: tuple[str, ...] = ()
    monitor_format: str = "text"
    monitor_file: str | None = None
    no_cache: bool = False
    cache_dir: str | None = None
    trace_only: tuple[str, ...] = ()
    trace_budget: int | None = None
    trace_format: str = "text"
    trace_file: str | None = None
    trace_html: str | None = None
    trace_fail: str | None = None
    expect_output: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    record: str | None = None
    replay: str | None = None
    quiet: bool = False
    stdin: bytes | None = None
    """The guest's standard input in place of the process's own."""

    @property
    def directories(self) -> list[Dir]:
        """The guest's directories from --dir. Raises click.UsageError."""
        return [options.directory(text, self.compat) for text in self.dir]

    @property
    def is_watched(self) -> bool:
        """Whether anything observes the guest."""
        return bool(self.is_traced or self.monitor or self.trace_fail or self.expect_output or self.expect)

    @property
    def is_traced(self) -> bool:
        """Whether a trace is written."""
        return self.trace is not None or bool(self.trace_html)
