"""Choosing backends, deciding whether to load a guest's bytes, and the named models.

What is here: `Registry`, shared by the sessions of all instances of one `NN`. Models may be registered and
deregistered while guests run. What is not: a guest's handles and argument checks (`session`), the formats
themselves (`formats`), and how long graphs stay loaded (`shared`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from ..checks import check_kind, check_mapping, refuse
from ..plugin import entry_points
from ..processes import available
from ..records import Frozen
from .admission import check_outside, check_parts, untaken
from .answers import targets_of, unavailable
from .backend import TARGET_OPTIONS, Backend, Graph, GraphConfig, Target, check_loaded, for_ever
from .backends import builtin
from .batching import batched
from .blame import blaming
from .child.models import GuestModels
from .damaged import damage_told
from .errors import Code, Nature, NNError
from .formats import KNOWN, Format, Formats, Look
from .models import (
    FilePath,
    Models,
    NamedModel,
    folder_format,
    meaning,
    model_at,
    named_models,
    naming,
    nearest,
    part_beside,
    passed_over,
)
from .shared import KEPT_BYTES, Lease, SharedGraphs, owned

if TYPE_CHECKING:
    from .child.process import Child

ENTRY_POINTS = "pywasm_nn.backends"
"""The entry point group in which packages offer a subclass of `Backend` (or a function that returns a
backend)."""

Report = Callable[[str], None]
Preference = Mapping[str, str | Sequence[str]]
"""The backend to use for each format or encoding, or several in order."""


class Ways(Frozen):
    """How a user adds a backend, trusts guests' models, and names models: by options of the command, or in
    Python."""

    plugin: str = "--nn-plugin FILE.py:NAME"
    trust: str = "--trust-models"
    models: str = "--models DIR"


COMMAND = Ways()
PYTHON = Ways("NN(plugins=[...])", "NN(trust_guest_models=True)", "models=DIR")


class Registry:
    """Backends and named models, with the host's policy. Safe to use from several threads."""

    def __init__(
        self,
        models: Models | None = None,
        *,
        prefer: Preference | None = None,
        plugins: Iterable[Backend | str] = (),
        trust_guest_models: bool = False,
        strict: bool = False,
        kept_bytes: int = KEPT_BYTES,
        ways: Ways = COMMAND,
    ) -> None:
        self.ways = ways
        self.trust_guest_models = trust_guest_models
        self.strict = strict
        self.early: Child | None = None
        """A process for the first guest's own models, if it was started before the guest."""
        self._plugins = tuple(plugin(one) if isinstance(one, str) else checked(one) for one in plugins)
        self._backends: tuple[Backend, ...] | None = None
        self._lock = RLock()
        self.graphs = SharedGraphs(kept_bytes)
        self.broken: list[str] = []
        """Why installed plugins could not be created, one line each."""
        self.prefer = {
            name.lower(): (one,) if isinstance(one, str) else tuple(one)
            for name, one in (prefer or {}).items()
        }
        for format, names in self.prefer.items():
            for name in names:
                self.backend(name, f"for {format}")
        self.formats = Formats(KNOWN, lambda: chain.from_iterable(one.reads for one in self.backends))
        """All formats: the known ones, then those of backends."""
        for format in self.prefer:
            self.word(format)
        self.models = named_models(models, self.formats, self.readable, self.detected)
        self.directory = Path(models) if isinstance(models, str | PathLike) else None
        """Where all models are looked for."""

    def take_early(self) -> Child | None:
        """The process that was started early, for whom asks first."""
        with self._lock:
            child, self.early = self.early, None
        return child

    def register(self, name: str, model: FilePath | Sequence[FilePath] | NamedModel) -> None:
        """Name a model, also for guests that already run. A model that has the name is deregistered first."""
        self.deregister(name)
        with self._lock:
            self.models = {**self.models, name: model_at(model, self.formats)}

    def deregister(self, name: str) -> None:
        """Remove a name: loading it fails with not_found from now on. Existing contexts continue, and the
        graph is closed with the last of them. Nothing happens for an unknown name.
        """
        with self._lock:
            self.models = {known: model for known, model in self.models.items() if known != name}
        self.graphs.forget(name)

    @property
    def backends(self) -> tuple[Backend, ...]:
        """All backends, plugins first: those given, those installed, those of this package by rank. Raises
        NNError(RUNTIME_ERROR) if the installed ones can't be listed now; the next access tries again.
        """
        if self._backends is None:
            self._backends = (*self._plugins, *self._installed(), *builtin())
        return self._backends

    def _installed(self) -> list[Backend]:
        made, broken = [], []
        try:
            entries = entry_points(ENTRY_POINTS)
        except OSError as error:  # out of file descriptors
            reason = f"backends that are installed can't be looked for: {error.strerror}"
            raise NNError(Code.RUNTIME_ERROR, reason) from error
        for entry in entries:
            try:
                made.append(checked(entry.load()()))
            except Exception as error:  # one broken package must not disable the others
                broken.append(f"backend {entry.name} of {entry.value}: {error}")
        self.broken = broken
        return made

    def backend(self, name: str, purpose: str) -> Backend:
        """The backend of this name. Raises ValueError that lists the names."""
        for backend in self.backends:
            if backend.name == name:
                return backend
        names = ", ".join(backend.name for backend in self.backends)
        raise ValueError(f"there is no backend {name!r} {purpose}; there are {names}")

    def word(self, text: str) -> str:
        """The name of the encoding for a format or encoding that a user names. Raises ValueError."""
        word = self.formats.word(text)
        if word is None:
            served = [one for one in self.formats if not self.unserved(one.word)]
            words = ", ".join(sorted({name for one in served for name in (one.name, one.word)}))
            raise ValueError(f"no model format {text!r}; there are {words}")
        return word

    def readable(self, format: str) -> bool:
        """Whether a backend that can be used here reads this format."""
        return any(format in backend.format_names and not unavailable(backend) for backend in self.backends)

    def detect(self, look: Look, *, trusted: bool) -> str | None:
        """The format of the bytes. For an unknown format, the backends are asked: all if the bytes are
        trusted, else those that load guests' bytes.
        """
        known = KNOWN.detect(look)
        return known.name if known else self._own(look, trusted)

    def _of_guest(self, part: bytes | memoryview) -> str | None:
        """The format of a guest's bytes, which only backends see that load such bytes."""
        return self.detect(Look.of(part), trusted=self.trust_guest_models)

    def _own(self, look: Look, trusted: bool) -> str | None:
        for backend in self.backends:
            if not trusted and not backend.from_guests:
                continue
            with blaming(backend.name):
                own = backend.detect(look)
                what = f"what {type(backend).__qualname__}.detect returns"
                check_kind(what, own, (str, type(None)), "the name of a format, or None")
                if own:
                    return own
        return None

    def detected(self, path: Path) -> str | None:
        """The format of a file according to plugins, for a file name with an unknown suffix; None if none
        knows it. Raises NNError for a plugin that fails."""
        with suppress(OSError), Look.into(path) as look:
            try:
                return self._own(look, trusted=True)
            except NNError as error:
                raise NNError(error.code, f"{path}: {error.reason}") from error
        return None

    def format_of(self, model: NamedModel) -> str | None:
        """The format of a named model: from the scheme of its address, the content of its directory, or the
        bytes or else the name of its first file. Raises NNError for an unknown scheme or an unreadable file.
        """
        if not model.addresses:
            return self._format_in(model.paths[0])
        found = {self.formats.of_address(address) for address in model.addresses}
        if len(found) == 1 and (format := found.pop()):
            return format.name
        known = ", ".join(scheme for one in self.formats for scheme in one.schemes) or "none"
        given = ", ".join(model.addresses)
        raise NNError(Code.INVALID_ENCODING, f"no backend here takes {given}; schemes of addresses: {known}")

    def _format_in(self, path: Path) -> str | None:
        if path.is_dir():
            folder = folder_format(path, self.formats)
            if folder is None:
                raise NNError(Code.INVALID_ENCODING, f"{path} is a directory, and no model")
            return folder.name
        try:
            with Look.into(path) as look:
                found = self.detect(look, trusted=True)
        except OSError as error:
            raise NNError(Code.RUNTIME_ERROR, f"{path}: {error.strerror}") from error
        if found is None and (meant := self.formats.of_file(path)):
            return meant.name
        return found

    def unserved(self, encoding: str) -> Format | None:
        """A format of this encoding, if no model with this encoding could ever be loaded here; else None."""
        meant = [one for one in self.formats if one.word == encoding]
        if any(one.tells and not one.refused for one in meant) or any(self.readable(o.name) for o in meant):
            return None
        return meant[0]

    def choose(
        self, encoding: str | None, format: str | None, *, trusted: bool = True
    ) -> tuple[Backend, Format]:
        """The backend for bytes that look like `format` and were declared as `encoding`; either may be None.

        If the bytes aren't in the declared format, only a backend whose first format was declared may read
        them: OpenVINO reads ONNX that is declared as "openvino". Returns the backend and the format as which
        it reads the bytes. Raises NNError(INVALID_ENCODING) if there is none, and UNSUPPORTED_OPERATION if
        the bytes aren't `trusted` and no backend, installed or not, loads untrusted bytes of this format.
        """
        if encoding is None and format is None:
            raise NNError(Code.INVALID_ENCODING, self._unknown(trusted))
        meant = self.formats.meant_by(encoding) if encoding else (str(format),)
        claimants = {b: b.format_names for b in self.backends if set(meant) & set(b.format_names)}
        claimed = set(chain.from_iterable(claimants.values()))
        read = format or next((name for name in meant if name in claimed), meant[0])
        readers = [
            backend
            for backend, names in claimants.items()
            if read in names and (read in meant or names[0] in meant)
        ]
        if readers and not trusted and not any(backend.takes_from_guests(read) for backend in readers):
            raise untaken(readers[0], read)
        candidates = self._preferred(readers, (read, self.formats.named(read).word, encoding or read))
        reasons = []
        for backend in candidates:
            reason = unavailable(backend)
            if reason is None:
                return backend, next(one for one in backend.reads if one.name == read)
            reasons.append(f"{backend.name}: {reason}")
        what = f"no backend here reads {read}"
        if encoding and read not in meant:
            what = f"declared {encoding}, the bytes are {read}, and no backend for {encoding} reads those"
        elif readers and not candidates:
            what = f"the backend that was chosen doesn't read {read}; {', '.join(b.name for b in readers)} do"
        elif refused := self.formats.named(read).refused:
            what += f": {refused}"
        raise NNError(Code.INVALID_ENCODING, what + (f" ({'; '.join(reasons)})" if reasons else ""))

    def _unknown(self, trusted: bool) -> str:
        """Why bytes are of no known format; plugins that don't look at a guest's bytes may know it."""
        own = self._with_own_formats()
        shy = [one.name for one in own if not (trusted or one.from_guests)]
        what = "the bytes are of no format that is known here"
        if alone := self._alone():
            what = f"{alone}; {what}"
        if not own:
            return f"{what}; {self._adding()} them"
        if not shy:
            return "; ".join([what, *self._blind(own)])
        remedy = f"`from_guests` there, or {self.ways.trust}"
        return f"{what}; {', '.join(shy)} may know it, but not from guests: {remedy}"

    def _with_own_formats(self) -> list[Backend]:
        """The backends that read formats of their own."""
        known = {one.name for one in KNOWN}
        return [one for one in self.backends if any(r.name not in known and not r.schemes for r in one.reads)]

    def _blind(self, backends: Iterable[Backend]) -> Iterator[str]:
        """Why bytes are of no format of these backends: such as can't be recognised by their bytes, and what
        tells how these look; and those whose `looks` says no."""
        how = "magic=(0, b'...') there, or looks=lambda look: look[:1] == b'#', tells how such bytes look"
        for one in backends:
            for name in one.blind:
                yield f'the Format "{name}" of {one.name} has neither magic nor looks: {how}'
            for format in one.formats:
                if isinstance(format, Format) and format.looks is not None:
                    yield f'`looks` of the Format "{format.name}" of {one.name} says that it is none'

    def _adding(self) -> str:
        return f"{self.ways.plugin} adds a backend that reads"

    def _alone(self) -> str:
        """Which backends give nothing but the name of a format; "" if none does."""
        how = 'Format("{}", suffixes=..., magic=...) or `detect` would tell how it looks'
        return "; ".join(
            f'{one.name} names its format "{name}" alone: {how.format(name)}'
            for one in self.backends
            for name in one.untold
        )

    def _preferred(self, candidates: list[Backend], keys: Sequence[str]) -> list[Backend]:
        """The candidates that the host prefers, in its order, and no others: an explicit choice is final."""
        names = next((self.prefer[key.lower()] for key in keys if key.lower() in self.prefer), None)
        if names is None:
            return candidates
        return sorted((b for b in candidates if b.name in names), key=lambda b: names.index(b.name))

    def load(
        self,
        parts: Sequence[bytes | memoryview],
        encoding: str | None,
        config: GraphConfig,
        report: Report,
        models: GuestModels,
    ) -> Lease:
        """Load a model from a guest's bytes under the policy for such bytes: in the child process of the
        guest's `models`, or in this process. Raises NNError, and DeadlineError from `models.patience`.
        """
        with damage_told(parts):
            return self._load(parts, encoding, config, report, models)

    def _load(
        self,
        parts: Sequence[bytes | memoryview],
        encoding: str | None,
        config: GraphConfig,
        report: Report,
        models: GuestModels,
    ) -> Lease:
        if not parts:
            raise NNError(Code.INVALID_ARGUMENT, "a model needs at least one part, the guest gave none")
        detected = self._of_guest(parts[0])
        if detected is None and bytes(parts[0][:8]) == b"preload:":
            raise NNError(
                Code.INVALID_ARGUMENT,
                "the bytes are a path of the host (preload:...), which guests may not use; name the model",
                Nature.SECURITY,
            )
        if detected is None and encoding is None:
            for other in filter(None, map(self._of_guest, parts[1:])):
                raise NNError(Code.INVALID_ENCODING, self.formats.unlike(self.formats.named(other), parts))
        backend, format = self.choose(encoding, detected, trusted=self.trust_guest_models)
        check_parts(format, len(parts))
        if not self.trust_guest_models:
            self._admit(backend, format, detected, parts, models.patience)
        if self.in_child(backend) and not self.trust_guest_models:
            with blaming(backend.name):
                config = self.placed(backend, config, report, models.targets(backend))
                return owned(self.noted(models.load(backend, format.name, parts, config), report))
        config = self.placed(backend, config, report)
        with blaming(backend.name):
            graph = check_loaded(backend.load(format.name, parts, config), backend)
            return owned(self.noted(graph, report))

    def in_child(self, backend: Backend) -> bool:
        """Whether models of guests that are not trusted run in a child process."""
        return backend.native or (backend.apart and available() is None)

    def _admit(
        self,
        backend: Backend,
        format: Format,
        detected: str | None,
        parts: Sequence[bytes | memoryview],
        patience: Callable[[], object],
    ) -> None:
        """The only check of a guest's bytes before a backend loads them as `format`.

        Raises NNError: UNSUPPORTED_OPERATION for formats and models that could reach files outside the bytes,
        RUNTIME_ERROR for bytes not in the format, because a framework may read them as another format, which
        nobody has checked. `patience` is called during the check, and may raise.
        """
        name = format.name
        if not backend.takes_from_guests(name):
            raise untaken(backend, name)
        unlike = self.formats.unlike(format, parts) if format.tells else ""
        if unlike or (format.tells and detected != name):
            raise NNError(Code.RUNTIME_ERROR, unlike or f"the bytes are no {name} model")
        # Check for every format, as a framework may recognise ONNX in bytes that we recognise as XML or
        # TFLite.
        for scanned in self.formats:
            if scanned.outside is not None:
                check_outside(scanned, scanned.name == name, parts[0], patience)

    def load_named(
        self,
        name: str,
        options: Mapping[str, Any] | None,
        report: Report,
        patience: Callable[[], float | None] = for_ever,
    ) -> Lease:
        """The graph of a named model, shared by all users with the same configuration. A graph with a guest's
        `options` is closed with its last user. `patience` returns the seconds that a server may take.

        Raises NNError(NOT_FOUND) for an unknown name or missing file; MODEL_NOT_FOUND for a missing file of a
        text model.
        """
        model = self.models.get(name)
        if model is None:
            path = self.formats.is_path(name)
            meant = f"; a name is no path: {naming(name)} gives the file this name" if path else ""
            raise NNError(Code.NOT_FOUND, self.unnamed(name, meant))
        if options is not None:
            backend, _ = self.reader(model)
            model = replace(model, config=backend.guest_config(options, model.config))
        lease = self.graphs.take(
            name, (model.paths, model.addresses, model.encoding, model.config.key), model.size,
            lambda: self.load_told(name, model, report, patience), keep=options is None,
        )  # fmt: skip
        if self.models.get(name) is None:  # deregistered while it was being loaded
            self.graphs.forget(name)
        return lease

    def unnamed(self, name: str, remedy: str = "") -> str:
        """Says that no model has this name, which ones there are, a file that was passed over, and a remedy:
        else the nearest name, or how models get names if none has one."""
        near = nearest(name, self.models)
        meant = remedy or (f'; did you mean "{near}"?' if near else "")
        if not (meant or self.models or self.directory):
            meant = f"; {self.ways.models} names the models in DIR"
        if self.directory is not None:
            taken = [path for model in self.models.values() for path in model.paths]
            known = self._alone() or ("" if near or self._with_own_formats() else f"{self._adding()} it")
            over = passed_over(self.directory, name, self.formats, taken, known)
            meant = f"; {over}{meant}" if over else meant
        return f'no model is named "{name}"; named are: {", ".join(self.models) or "none"}{meant}'

    def asked(self, name: str, options: Mapping[str, Any] | None) -> Target | None:
        """The requested target for a named model; None for an unknown model."""
        model = self.models.get(name)
        if model is None:
            return None
        chosen = {key: options[key] for key in TARGET_OPTIONS if key in options} if options else {}
        return model.config.changed_by(chosen).target

    def files(self, name: str) -> tuple[Path, ...]:
        """The files of a named model; empty for an unknown one."""
        model = self.models.get(name)
        return model.paths if model else ()

    def guest_config(self, graph: Graph, options: Mapping[str, Any]) -> GraphConfig:
        """The configuration that a guest requests for a context of a loaded graph. Raises
        NNError(INVALID_ARGUMENT)."""
        backend = next((one for one in self.backends if one.name == graph.backend), Backend())
        return backend.guest_config(options, GraphConfig())

    def reader(self, model: NamedModel) -> tuple[Backend, Format]:
        """The backend for a named model, and the format as which it reads the model. Raises NNError like
        `load_named`.
        """
        for path in model.paths:
            if not (path.is_file() or path.is_dir()):
                raise NNError(self._absent(path, model.encoding), f"there is no file {path}")
        if model.paths and model.paths[0].is_file() and not model.paths[0].stat().st_size:
            raise NNError(Code.RUNTIME_ERROR, f"the file {model.paths[0]} is empty")
        found = self.format_of(model)
        if found is None and model.encoding is None:
            raise NNError(Code.INVALID_ENCODING, f"{model.paths[0]}: {self._unknown(trusted=True)}")
        backend, format = self.choose(model.encoding, found)
        if model.paths and not model.paths[0].is_dir():
            check_parts(format, len(model.paths), lambda: part_beside(model.paths, format))
        return backend, format

    def load_told(
        self, name: str, model: NamedModel, report: Report, patience: Callable[[], float | None] = for_ever
    ) -> Graph:
        """Load a named model, and report which it is if the name could mean several. Raises NNError like
        `load_named`."""
        if which := meaning(name, model):
            report(f"wasi-nn: {which}")
        return self.load_place(model, report, patience)

    def load_place(
        self, model: NamedModel, report: Report, patience: Callable[[], float | None] = for_ever
    ) -> Graph:
        """Load a model that the host named, which is trusted. Raises NNError like `load_named`."""
        with damage_told(model.paths):
            backend, format = self.reader(model)
            config = self.placed(backend, model.config, report)
            with blaming(backend.name):
                if model.addresses:
                    graph = backend.load_at(format.name, model.addresses, config, patience)
                else:
                    graph = backend.load_files(format.name, model.paths, config)
                return self.noted(batched(check_loaded(graph, backend), config), report)

    def _absent(self, path: Path, encoding: str | None) -> Code:
        """The error code for a model whose file is missing."""
        meant = self.formats.of_file(path)
        names = (*(self.formats.meant_by(encoding) if encoding else ()), meant.name if meant else "")
        is_text = any(self.formats.named(name).makes_text for name in names)
        return Code.MODEL_NOT_FOUND if is_text else Code.NOT_FOUND

    def noted(self, graph: Graph, report: Report) -> Graph:
        """Report the notes of a graph. Strict mode closes a graph with notes and raises
        NNError(UNSUPPORTED_OPERATION)."""
        if graph.notes and self.strict:
            graph.close()
            raise NNError(Code.UNSUPPORTED_OPERATION, "; ".join(graph.notes))
        for note in graph.notes:
            report(f"wasi-nn: {note}")
        return graph

    def placed(
        self, backend: Backend, config: GraphConfig, report: Report, targets: frozenset[Target] | None = None
    ) -> GraphConfig:
        """The config with a target of the backend: for AUTO the best one, for a missing target the CPU, with
        a report.

        Strict mode raises NNError(UNSUPPORTED_OPERATION) instead of the report.
        """
        targets = targets_of(backend) if targets is None else targets
        if config.target in targets:
            return config
        if config.target is Target.AUTO:
            best = next((t for t in (Target.GPU, Target.TPU, Target.CPU) if t in targets), Target.CPU)
            return replace(config, target=best)
        absent = f"{backend.name} has no {config.target.value} here"
        if self.strict:
            raise NNError(Code.UNSUPPORTED_OPERATION, absent)
        report(f"wasi-nn: {absent}, the model runs on the cpu")
        return replace(config, target=Target.CPU)


def plugin(place: str) -> Backend:
    """The backend in a plugin file of the host, given as `file.py:Name`. Raises ValueError with the
    reason."""
    from ..plugin import PluginError, made

    backend = made(place, Backend)
    try:
        return checked(backend)
    except (TypeError, ValueError) as error:
        raise PluginError(f"{place}: {error}") from None


def checked(backend: Backend) -> Backend:
    """The backend of a plugin, after checking its fields. Raises TypeError and ValueError."""
    backend.check()
    return backend


def check_preference(backends: object) -> None:
    """Raises TypeError unless this is a mapping of formats to names of backends."""
    check_mapping("backends", backends, 'a mapping like {"onnx": "numpy"}')
    assert isinstance(backends, Mapping)
    for format, names in backends.items():
        if isinstance(names, bytes) or not isinstance(names, str | Sequence):
            raise refuse(f"backends[{format!r}]", "the name of a backend, or a list of them", names)
        for name in () if isinstance(names, str) else names:
            check_kind(f"each of backends[{format!r}]", name, str, "the name of a backend")
