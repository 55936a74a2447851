"""The methods by name."""

from collections.abc import Callable

from polyadic.errors import SettingsError
from polyadic.retrieval.auto import Auto
from polyadic.retrieval.method import Method
from polyadic.retrieval.methods.chunks import Chunks
from polyadic.retrieval.methods.hypergraph import Hypergraph
from polyadic.retrieval.methods.none import Nothing
from polyadic.retrieval.methods.walk import Walk
from polyadic.retrieval.question_entities import KnownNames, QuestionEntities
from polyadic.settings import Settings

_METHODS: dict[str, Callable[[Settings, QuestionEntities], Method]] = {
    "auto": lambda settings, _: Auto(settings),
    "none": lambda *_: Nothing(),
    "chunks": lambda *_: Chunks(),
    "hypergraph": lambda settings, named: Hypergraph(settings.hypergraph, named),
    "walk": lambda settings, _: Walk(settings.walk),
}


def method_named(name: str, settings: Settings, question_entities: QuestionEntities | None = None) -> Method:
    """The method with this name, set up by the settings.

    Parameters
    ----------
    name
        One of settings.METHODS.
    settings
        Each method takes its own section of them.
    question_entities
        For the methods that ask what a question names; without a language model if left out.

    Raises
    ------
    SettingsError
        There is no such method.

    >>> method_named("walk", Settings()).name
    'walk'
    """
    if name not in _METHODS:
        raise SettingsError(f"there is no method {name!r}", f"use one of {', '.join(_METHODS)}")
    return _METHODS[name](settings, question_entities or KnownNames())
