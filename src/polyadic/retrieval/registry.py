"""The methods by name."""

from collections.abc import Callable

from polyadic.errors import SettingsError
from polyadic.knowledge import Section
from polyadic.retrieval.auto import Auto
from polyadic.retrieval.method import Method
from polyadic.retrieval.methods.binary import Binary
from polyadic.retrieval.methods.bm25 import BM25
from polyadic.retrieval.methods.chunks import Chunks
from polyadic.retrieval.methods.communities import Communities
from polyadic.retrieval.methods.hierarchy import Hierarchy
from polyadic.retrieval.methods.hypergraph import Hypergraph
from polyadic.retrieval.methods.none import Nothing
from polyadic.retrieval.methods.passages import Passages
from polyadic.retrieval.methods.paths import Paths
from polyadic.retrieval.methods.walk import Walk
from polyadic.retrieval.question_entities import KnownNames, QuestionEntities
from polyadic.retrieval.variant import Variant
from polyadic.settings import Settings

_Make = Callable[[Settings, QuestionEntities], Method]

_ASKING: dict[str, _Make] = {
    "binary": lambda settings, named: Binary(settings.binary, named),
    "binary-bare": lambda settings, named: Binary(settings.binary.model_copy(update={"sentences": False}), named),
    "paths": lambda settings, named: Paths(settings.paths, named),
    "hypergraph": lambda settings, named: Hypergraph(settings.hypergraph, named),
    "hypergraph-without-er": lambda settings, named: _ablated(settings, named, "entity"),
    "hypergraph-without-hr": lambda settings, named: _ablated(settings, named, "fact"),
    "hypergraph-without-er-hr": lambda settings, named: _ablated(settings, named, "entity", "fact"),
    "hypergraph-without-cr": lambda settings, named: _ablated(settings, named, "chunk"),
    "hypergraph-without-all": lambda settings, named: _ablated(settings, named, "entity", "fact", "chunk"),
}
"""Those that ask what a question names."""

_METHODS: dict[str, _Make] = _ASKING | {
    "auto": lambda settings, _: Auto(settings),
    "none": lambda *_: Nothing(),
    "bm25": lambda *_: BM25(),
    "chunks": lambda *_: Chunks(),
    "passages": lambda settings, _: Passages(settings.passages),
    "walk": lambda settings, _: Walk(settings.walk),
    "hierarchy": lambda settings, _: Hierarchy(settings.hierarchy),
    "local": lambda settings, _: Hierarchy(settings.hierarchy, (Section.LOCAL,)),
    "global": lambda settings, _: Hierarchy(settings.hierarchy, (Section.GLOBAL,)),
    "bridge": lambda settings, _: Hierarchy(settings.hierarchy, (Section.BRIDGE,)),
    "communities": lambda *_: Communities(),
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
    method = _METHODS[name](settings, question_entities or KnownNames())
    return method if method.name == name else Variant(name, method)


def asks_for_names(name: str) -> bool:
    """Whether a method asks what a question names, for which the settings may want a language model.

    >>> asks_for_names("hypergraph"), asks_for_names("walk")
    (True, False)
    """
    return name in _ASKING


def _ablated(settings: Settings, named: QuestionEntities, *off: str) -> Method:
    """HyperGraphRAG without some of its retrievals (its Figure 4): of entities (ER), of facts (HR), of chunks (CR)."""
    switched = {f"{side}_retrieval": False for side in off}
    return Hypergraph(settings.hypergraph.model_copy(update=switched), named)
