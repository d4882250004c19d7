"""Validation of components: what a definition may refer to, and which type may replace another.

What is here: `validate`, which returns the type of the whole component, or raises InvalidError with the
offset of the invalid definition. `scope` has the index spaces, `subtype` and `rewrite` work on types,
`typedefs`, `externs`, `instances` and `canon` have a function for each kind of definition. Bodies of core
functions are validated when first called, or by `validate_bodies`.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md
"""

from .component import validate, validate_bodies

__all__ = ["validate", "validate_bodies"]
