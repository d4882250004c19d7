"""Validates a whole component, definition by definition."""

from __future__ import annotations

from ...errors import InvalidError
from ...interpreter.pace import Patience, unhurried
from ...interpreter.validate import validate_all
from ..syntax import (
    Builtin,
    Component,
    ComponentDef,
    CoreExportAlias,
    CoreInlineExports,
    CoreInstantiate,
    CoreModuleDef,
    CoreTypeDef,
    Export,
    ExportAlias,
    ExportDecl,
    Import,
    InlineExports,
    Instantiate,
    Lift,
    Lower,
    OuterAlias,
    Start,
    TypeDef,
    ValueDef,
    core_modules,
)
from ..types import ComponentType
from . import canon, externs, instances, typedefs
from .scope import Budget, Rules, Scope, component_type


def validate(given: Component, patience: Patience = unhurried) -> ComponentType:
    """The type of a component. Bodies of core functions aren't validated. Raises InvalidError, or what
    `patience` raises."""
    scope = Scope("component", None, Budget(patience), DEFINITIONS)
    scope.define_all(given.definitions)
    return component_type(scope)


def validate_bodies(given: Component) -> None:
    """Validate every function body of the core modules, including those of nested components. Raises
    InvalidError or MalformedError."""
    for module in core_modules(given):
        validate_all(module)


def refuse(scope: Scope, given: Start | ValueDef) -> None:
    """Raise InvalidError for gated features that aren't supported here."""
    what = "start functions" if isinstance(given, Start) else "value definitions"
    raise InvalidError(f"{what} are a gated feature (🪙) that isn't supported")


DEFINITIONS: Rules = {
    CoreModuleDef: instances.define_core_module,
    CoreInstantiate: instances.define_core_instance,
    CoreInlineExports: instances.define_core_exports,
    CoreTypeDef: typedefs.define_core_type,
    ComponentDef: instances.define_component,
    Instantiate: instances.define_instance,
    InlineExports: instances.define_exports,
    ExportAlias: externs.define_export_alias,
    CoreExportAlias: externs.define_core_export_alias,
    OuterAlias: externs.define_outer_alias,
    TypeDef: typedefs.define_type,
    Lift: canon.define_lift,
    Lower: canon.define_lower,
    Builtin: canon.define_builtin,
    Start: refuse,
    ValueDef: refuse,
    Import: externs.define_import,
    Export: externs.define_export,
    ExportDecl: externs.define_export_declaration,
}
"""The function for each kind of definition, which adds the definition to a scope."""
