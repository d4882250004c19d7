"""Exceptions that guests and hosts throw at each other, and their tags.

What is here: which tag of wasmtime is which `Tag`, and `WasmException` in either direction. What is not:
exceptions of Python, which no guest can catch (`store.py`).
"""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any

from ..errors import WasmException
from ..interpreter.runtime.externs import Tag
from .binding import message_of
from .externs import loaded, put
from .failure import of_type

if TYPE_CHECKING:
    from .store import NativeStore


class Tags:
    """The tags that the guests of a store know."""

    def __init__(self, store: NativeStore) -> None:
        self._store = store
        self._known: list[tuple[Tag, Any]] = []

    def know(self, tag: Tag, native: Any) -> None:
        """A tag is wasmtime's `native`."""
        self._known.append((tag, native))

    def native(self, tag: Tag) -> Any:
        """wasmtime's structure for a tag; tags of the host and of other stores get one."""
        for known, native in self._known:
            if known is tag:
                return native
        api = self._store.api
        made = api.layouts.wasmtime_tag_t()
        with of_type(tag.type) as type_:
            tag_type = api.wasm_tagtype_new(api.wasm_functype_copy(type_))
        error = api.tag_new(self._store.context, tag_type, byref(made))
        api.wasm_tagtype_delete(tag_type)
        assert not error, message_of(error)  # its type crosses the border
        self.know(tag, made)
        return made

    def thrown(self, exception: WasmException) -> int:
        """Let wasmtime throw an exception of a host function; returns the trap that stands for it."""
        api, context = self._store.api, self._store.context
        assert isinstance(exception.tag, Tag)  # of a guest, or of `Tag.carrying`
        types = exception.tag.type.params
        fields = (api.layouts.wasmtime_val_t * max(len(types), 1))()
        for index, (type_, value) in enumerate(zip(types, exception.payload, strict=True)):
            fields[index] = put(self._store, type_, value)
        made = api.layouts.wasmtime_exnref_t()
        native = self.native(exception.tag)
        error = api.exnref_new(context, byref(native), fields, len(types), byref(made))
        if error:
            message_of(error)
            raise MemoryError
        trap: int = api.context_set_exception(context, byref(made))
        return trap

    def caught(self) -> WasmException | None:
        """The exception that has left wasmtime, or None."""
        api, context = self._store.api, self._store.context
        thrown, native = api.layouts.wasmtime_exnref_t(), api.layouts.wasmtime_tag_t()
        if not api.context_take_exception(context, byref(thrown)):
            return None
        try:
            api.exnref_tag(context, byref(thrown), byref(native))
            for tag, known in self._known:
                if api.tag_eq(context, byref(known), byref(native)):
                    return WasmException(tag, payload=self._payload(tag, thrown))
            return None
        finally:
            api.exnref_unroot(byref(thrown))

    def _payload(self, tag: Tag, thrown: Any) -> tuple[Any, ...]:
        api, values = self._store.api, []
        for index, type_ in enumerate(tag.type.params):
            value = api.layouts.wasmtime_val_t()
            api.exnref_field(self._store.context, byref(thrown), index, byref(value))
            values.append(loaded(self._store, type_, value))
        return tuple(values)
