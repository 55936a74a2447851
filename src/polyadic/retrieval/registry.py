"""The methods by name."""

from collections.abc import Callable

from polyadic.errors import SettingsError
from polyadic.retrieval.auto import Auto
from polyadic.retrieval.method import Method
from polyadic.retrieval.methods.chunks import Chunks
from polyadic.retrieval.methods.hypergraph import Hypergraph
from polyadic.retrieval.methods.none import Nothing
from polyadic.retrieval.methods.walk import Walk
from polyadic.settings import Settings

_METHODS: dict[str, Callable[[Settings], Method]] = {
    "auto": Auto,
    "none": lambda _: Nothing(),
    "chunks": lambda _: Chunks(),
    "hypergraph": lambda settings: Hypergraph(settings.hypergraph),
    "walk": lambda settings: Walk(settings.walk),
}


def method_named(name: str, settings: Settings) -> Method:
    """The method with this name, set up by the settings.

    Raises
    ------
    SettingsError
        There is no such method.

    >>> method_named("walk", Settings()).name
    'walk'
    """
    if name not in _METHODS:
        raise SettingsError(f"there is no method {name!r}", f"use one of {', '.join(_METHODS)}")
    return _METHODS[name](settings)
