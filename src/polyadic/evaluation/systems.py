"""Systems that an evaluation compares: retrieval methods, and their variants with other settings."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from polyadic.config import METHODS, Settings, SettingsSection
from polyadic.errors import SettingsError
from polyadic.retrieval.registry import fixed_build_settings, needs_hierarchy, needs_model, settings_sections

# A comma separates settings only before the next NAME=, so that a list may contain commas.
_BETWEEN = re.compile(r",\s*(?=[\w.]+\s*=)")


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting with its value as text, as in ``fill=false`` or ``hypergraph.fill=false``; ``section`` may be empty."""

    section: str
    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.section}.{self.name}={self.value}" if self.section else f"{self.name}={self.value}"


@dataclass(frozen=True, slots=True)
class System:
    """A retrieval method, possibly with changed settings: one row of the results.

    Attributes
    ----------
    name
        The method, followed by the changed settings as the user wrote them.
    method
        Name of the method.
    changes
        Changed settings, each with its section.
    """

    name: str
    method: str
    changes: tuple[SettingChange, ...] = ()

    @property
    def needs_hierarchy(self) -> bool:
        return needs_hierarchy(self.method)

    @property
    def needs_model(self) -> bool:
        return needs_model(self.method)

    def settings(self, base: Settings) -> Settings:
        """Return the settings of this system, with those that its method fixes.

        Raises
        ------
        SettingsError
            A value is invalid.
        """
        settings = base
        for change in self.changes:
            section = _changed(getattr(settings, change.section), change)
            settings = settings.model_copy(update={change.section: section})
        build = settings.hierarchy_build.model_copy(update=fixed_build_settings(self.method))
        return settings.model_copy(update={"hierarchy_build": build})


@lru_cache(maxsize=8)
def systems_of(methods: tuple[str, ...], variants: tuple[str, ...]) -> tuple[System, ...]:
    """Return the methods in order, then each variant with all methods that have its settings.

    Raises
    ------
    SettingsError
        A method or setting is unknown, a value is invalid, or a name occurs twice.

    >>> [system.name for system in systems_of(("hypergraph", "walk"), ("fill=false", "hypergraph.facts=20"))]
    ['hypergraph', 'walk', 'hypergraph fill=false', 'hypergraph hypergraph.facts=20']
    """
    if unknown := [method for method in methods if method not in METHODS]:
        raise SettingsError(f"there is no method {unknown[0]!r}", f"use some of {', '.join(METHODS)}, or all")
    systems = [System(method, method) for method in methods]
    for text in variants:
        systems += _variants(text, methods)
    names = [system.name for system in systems]
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise SettingsError(f"method {duplicates[0]} is given twice", "give it once")
    return tuple(systems)


def _variants(text: str, methods: Sequence[str]) -> list[System]:
    changes = list(_parsed(text))
    name = ",".join(map(str, changes))
    systems = []
    for method in methods:
        located = [_located(change, method) for change in changes]
        if None not in located:
            systems.append(System(f"{method} {name}", method, tuple(change for change in located if change)))
    if not systems:
        raise _unknown_setting(name, methods)
    for system in systems:
        system.settings(Settings.model_construct())
    return systems


def _parsed(text: str) -> Iterator[SettingChange]:
    for part in _BETWEEN.split(text.strip()):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise SettingsError(f"the variant {text!r} is not NAME=VALUE[,NAME=VALUE...]", "such as fill=false")
        section, _, own_name = name.rpartition(".")
        yield SettingChange(section, own_name, value)


def _located(change: SettingChange, method: str) -> SettingChange | None:
    """Return the change with the section of this method that has the setting; None if there is none, or it is fixed."""
    for section in settings_sections(method):
        fixed = fixed_build_settings(method) if section == "hierarchy_build" else ()
        if change.section in ("", section) and change.name in _fields(section) and change.name not in fixed:
            return SettingChange(section, change.name, change.value)
    return None


def _unknown_setting(name: str, methods: Sequence[str]) -> SettingsError:
    sections = dict.fromkeys(section for method in methods for section in settings_sections(method))
    known = "; ".join(f"[{section}] {', '.join(_fields(section))}" for section in sections)
    what = f"no method of --methods has all settings of the variant {name}"
    return SettingsError(what, f"known: {known}" if known else "these methods have no settings")


def _fields(section: str) -> Sequence[str]:
    return [*type(Settings.model_fields[section].default).model_fields]


def _changed(section: SettingsSection, change: SettingChange) -> SettingsSection:
    try:
        return type(section).model_validate(section.model_dump() | {change.name: _value(change.value)})
    except ValidationError as error:
        message = error.errors()[0]["msg"]
        raise SettingsError(f"the variant {change} has an invalid value ({message})", "give a valid one") from error


def _value(text: str) -> Any:
    """Parse a value as JSON, else as text.

    >>> _value("false"), _value("plain"), _value('["a", "b"]')
    (False, 'plain', ['a', 'b'])
    """
    try:
        return json.loads(text)
    except ValueError:
        return text
