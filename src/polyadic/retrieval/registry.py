"""Registry of retrieval methods by name."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from polyadic.config import Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import NO_MODEL, SettingsError
from polyadic.model.types import Knowledge, RetrievalSection
from polyadic.retrieval.logical_form import QuestionSolver
from polyadic.retrieval.method import Method
from polyadic.retrieval.methods.auto import Auto
from polyadic.retrieval.methods.bm25 import BM25
from polyadic.retrieval.methods.chunks import Chunks
from polyadic.retrieval.methods.fastgraphrag import FastGraphRAG
from polyadic.retrieval.methods.graphrag import GraphRAG
from polyadic.retrieval.methods.hierarchy import HierarchyMethod, HierarchyWithoutIndex
from polyadic.retrieval.methods.hipporag import HippoRAG
from polyadic.retrieval.methods.hipporag2 import HippoRAG2
from polyadic.retrieval.methods.hypergraph import HypergraphRAG
from polyadic.retrieval.methods.kag import KAG
from polyadic.retrieval.methods.lightrag import LightRAG
from polyadic.retrieval.methods.none import NoRetrieval
from polyadic.retrieval.methods.pathrag import PathRAG
from polyadic.retrieval.methods.raptor import Raptor
from polyadic.retrieval.methods.walk import Walk
from polyadic.retrieval.query_entity_extraction import QueryEntityFinder, StoreEntityFinder
from polyadic.storage.protocol import Reader

_Factory = Callable[[Settings, QueryEntityFinder], Method]

_ENTITY_METHODS: dict[str, _Factory] = {
    "lightrag": lambda settings, named: LightRAG(settings.lightrag, named),
    "lightrag-bare": lambda settings, named: LightRAG(settings.lightrag.model_copy(update={"sentences": False}), named),
    "pathrag": lambda settings, named: PathRAG(settings.pathrag, named),
    "hipporag": lambda settings, named: HippoRAG(settings.hipporag, named),
    "fastgraphrag": lambda settings, named: FastGraphRAG(settings.fastgraphrag, named),
    "hypergraph": lambda settings, named: HypergraphRAG(settings.hypergraph, named),
    "hypergraph-without-er": lambda settings, named: _ablated(settings, named, "entity"),
    "hypergraph-without-hr": lambda settings, named: _ablated(settings, named, "fact"),
    "hypergraph-without-er-hr": lambda settings, named: _ablated(settings, named, "entity", "fact"),
    "hypergraph-without-cr": lambda settings, named: _ablated(settings, named, "chunk"),
    "hypergraph-without-all": lambda settings, named: _ablated(settings, named, "entity", "fact", "chunk"),
}
"""Methods that need the entities named in the question."""

_HIERARCHY_METHODS: dict[str, _Factory] = {
    "hierarchy": lambda settings, _: HierarchyMethod(settings.hierarchy),
    "hierarchy-without-bridge": lambda settings, _: HierarchyMethod(
        settings.hierarchy, (RetrievalSection.LOCAL, RetrievalSection.GLOBAL)
    ),
    "hierarchy-without-index": lambda settings, _: HierarchyWithoutIndex(settings.hierarchy),
    "local": lambda settings, _: HierarchyMethod(settings.hierarchy, (RetrievalSection.LOCAL,)),
    "global": lambda settings, _: HierarchyMethod(settings.hierarchy, (RetrievalSection.GLOBAL,)),
    "bridge": lambda settings, _: HierarchyMethod(settings.hierarchy, (RetrievalSection.BRIDGE,)),
    "graphrag": lambda settings, _: GraphRAG(settings.graphrag),
    "graphrag-binary": lambda settings, _: GraphRAG(settings.graphrag.model_copy(update={"pairs": True})),
}
"""Methods that search the hierarchy, which has to be built first."""

_METHODS: dict[str, _Factory] = (
    _ENTITY_METHODS
    | _HIERARCHY_METHODS
    | {
        "auto": lambda settings, _: Auto(settings),
        "none": lambda *_: NoRetrieval(),
        "bm25": lambda *_: BM25(),
        "chunks": lambda settings, _: Chunks(settings.chunks),
        "hipporag2": lambda settings, _: HippoRAG2(settings.hipporag2),
        "raptor": lambda settings, _: Raptor(settings.raptor),
        "walk": lambda settings, _: Walk(settings.walk),
    }
)

_MODEL_METHODS: dict[str, Callable[[Settings, QuestionSolver], Method]] = {
    "kag": lambda settings, solver: KAG(settings.kag, solver),
}
"""Methods that solve the question step by step with a language model."""

_FIXED_BUILD_SETTINGS: dict[str, dict[str, int]] = {"hierarchy-without-index": {"layers": 0}}
"""Settings of ``[hierarchy_build]`` that a method fixes."""

_SECTIONS = {"auto": "walk", "local": "hierarchy", "global": "hierarchy", "bridge": "hierarchy"}
"""Settings sections of methods whose names do not begin with that of their section."""


def method_named(
    name: str,
    settings: Settings,
    question_entities: QueryEntityFinder | None = None,
    solver: QuestionSolver | None = None,
) -> Method:
    """Create the method with this name.

    Parameters
    ----------
    name
        One of settings.METHODS.
    settings
        Settings; each method uses its own section.
    question_entities
        Finds the entities of the question for methods that need them; by default without a language model.
    solver
        Plans and answers the steps of the question for methods that need it.

    Raises
    ------
    SettingsError
        The name is unknown, or the method needs a language model and there is no solver.

    >>> method_named("walk", Settings()).name
    'walk'
    """
    if name in _MODEL_METHODS:
        if solver is None:
            raise NO_MODEL
        return _MODEL_METHODS[name](settings, solver)
    if name not in _METHODS:
        known = ", ".join((*_METHODS, *_MODEL_METHODS))
        raise SettingsError(f"there is no method {name!r}", f"use one of {known}")
    method = _METHODS[name](settings, question_entities or StoreEntityFinder())
    return method if method.name == name else _RenamedMethod(name, method)


def asks_for_names(name: str) -> bool:
    """Return whether a method needs the entities named in the question, for which a language model may be configured.

    >>> asks_for_names("hypergraph"), asks_for_names("walk")
    (True, False)
    """
    return name in _ENTITY_METHODS


def needs_hierarchy(name: str) -> bool:
    """Return whether a method searches the hierarchy, which ``polyadic hierarchy build`` creates.

    >>> needs_hierarchy("graphrag"), needs_hierarchy("raptor"), needs_hierarchy("walk")
    (True, False, False)
    """
    return name in _HIERARCHY_METHODS


def needs_model(name: str) -> bool:
    """Return whether a method needs a language model to retrieve.

    >>> needs_model("kag"), needs_model("hypergraph")
    (True, False)
    """
    return name in _MODEL_METHODS


def settings_sections(name: str) -> tuple[str, ...]:
    """Return the names of the settings sections that only this method, its variants and its index depend on.

    >>> settings_sections("hypergraph-without-er"), settings_sections("local"), settings_sections("bm25")
    (('hypergraph',), ('hierarchy', 'hierarchy_build'), ())
    """
    parts = name.split("-")
    prefixes = ("_".join(parts[:end]) for end in range(len(parts), 0, -1))
    own = next((prefix for prefix in prefixes if prefix in Settings.model_fields), _SECTIONS.get(name))
    return (*([own] if own else []), *(["hierarchy_build"] if needs_hierarchy(name) else []))


def fixed_build_settings(name: str) -> Mapping[str, int]:
    """Return the settings of ``[hierarchy_build]`` that a method fixes for the hierarchy that it searches.

    >>> fixed_build_settings("hierarchy-without-index"), fixed_build_settings("hierarchy")
    ({'layers': 0}, {})
    """
    return _FIXED_BUILD_SETTINGS.get(name, {})


def _ablated(settings: Settings, named: QueryEntityFinder, *off: str) -> Method:
    """HyperGraphRAG without some of its retrievals (its Figure 4): of entities (ER), of facts (HR), of chunks (CR)."""
    switched = {f"{node_type}_retrieval": False for node_type in off}
    return HypergraphRAG(settings.hypergraph.model_copy(update=switched), named)


class _RenamedMethod:
    """A method under another name: same results, reported under that name."""

    def __init__(self, name: str, method: Method) -> None:
        self.name = name
        self._method = method

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        knowledge = await self._method.retrieve(question, reader, embedder, context_tokens)
        return replace(knowledge, method=self.name)
