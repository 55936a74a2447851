"""The methods, and the section of each: how knowledge is found."""

from typing import Literal, get_args

from pydantic import Field

from polyadic.config.section import SettingsSection

MethodName = Literal[
    "none",
    "bm25",
    "chunks",
    "lightrag",
    "lightrag-bare",
    "pathrag",
    "hipporag2",
    "hypergraph",
    "hypergraph-without-er",
    "hypergraph-without-hr",
    "hypergraph-without-er-hr",
    "hypergraph-without-cr",
    "hypergraph-without-all",
    "walk",
    "hierarchy",
    "local",
    "global",
    "bridge",
    "graphrag",
    "auto",
]
METHODS: tuple[str, ...] = get_args(MethodName)
COMMON_METHODS: tuple[MethodName, ...] = ("auto", "walk", "hypergraph", "chunks")
"""Those that help texts name; docs/methods.md describes the others."""


class RetrievalSettings(SettingsSection):
    """How knowledge is found for a question."""

    method: MethodName = Field(default="auto", description="auto, or any method that query --method names")
    context_tokens: int = Field(default=4000, ge=1, description="how many tokens of knowledge a question may bring")


class HypergraphSettings(SettingsSection):
    """Method ``hypergraph``: HyperGraphRAG (arXiv 2503.21322), Eq. 14-20 with the paper's numbers."""

    entities: int = Field(default=60, ge=1, description="k_V: entities retrieved")
    facts: int = Field(default=60, ge=1, description="k_H: facts retrieved")
    chunks: int = Field(default=5, ge=1, description="k_C: chunks retrieved")
    entity_threshold: float = Field(default=50.0, description="tau_V: least similarity x score of an entity")
    fact_threshold: float = Field(default=5.0, description="tau_H: least similarity x score of a fact")
    chunk_threshold: float = Field(default=0.5, description="tau_C: least similarity of a chunk")
    entity_retrieval: bool = Field(default=True, description="ER: retrieve by entity")
    fact_retrieval: bool = Field(default=True, description="HR: retrieve by fact (hyperedge)")
    chunk_retrieval: bool = Field(default=True, description="CR: retrieve chunks beside")
    words: bool = Field(
        default=True, description="also what matches words of the question (BM25); false: as in the paper"
    )
    fill: bool = Field(default=True, description="go on along the rankings while there is room; false: as in the paper")
    question_entities: Literal["names", "model"] = Field(
        default="names",
        description="V_q: the names in the question that the store knows, or model",
    )


class LightRAGSettings(SettingsSection):
    """Method ``lightrag``: LightRAG (arXiv 2410.05779) over facts broken into pairs."""

    entities: int = Field(default=60, ge=1, description="entities nearest to what the question names")
    relations: int = Field(default=60, ge=1, description="pairs nearest to the question")
    threshold: float = Field(default=0.2, description="least similarity of an entity or a pair")
    sentences: bool = Field(default=True, description="each pair with the sentence of its fact; false: two names")
    relation_share: float = Field(default=0.5, ge=0, le=1, description="share of the tokens for pairs before passages")


class PathRAGSettings(SettingsSection):
    """Method ``pathrag``: PathRAG (arXiv 2502.14902) over facts broken into pairs."""

    entities: int = Field(default=40, ge=1, description="N: entities between which paths are sought")
    paths: int = Field(default=15, ge=1, description="K: most paths retrieved")
    decay: float = Field(default=0.8, gt=0, le=1, description="alpha: what of the flow is left after each pair")
    threshold: float = Field(default=0.05, ge=0.001, le=1, description="theta: least flow into a pair")
    sentences: bool = Field(default=True, description="each pair with the sentence of its fact; false: two names")
    best_last: bool = Field(default=False, description="the most reliable path last, as in the paper")


class HippoRAG2Settings(SettingsSection):
    """Method ``hipporag2``: HippoRAG 2 (arXiv 2502.14802), Personalised PageRank over names and passages."""

    facts: int = Field(default=5, ge=1, description="facts nearest to the question, whose entities are starting points")
    entities: int = Field(default=15, ge=1, description="most entities to start from")
    passage_weight: float = Field(default=0.05, ge=0, description="weight of a passage as a starting point")
    damping: float = Field(default=0.5, gt=0, lt=1, description="how far it strays from where it starts")
    synonyms_above: float = Field(default=0.8, ge=-1, le=1, description="least cosine of two names that mean one thing")


class WalkSettings(SettingsSection):
    """Method ``walk``: Personalised PageRank over the hypergraph, no language model."""

    passages: int = Field(default=15, ge=1, description="most passages retrieved")
    facts: int = Field(default=30, ge=0, description="most facts shown beside the best one of each passage")
    damping: float = Field(default=0.85, gt=0, lt=1, description="how far the walk strays from where it starts")
    second_walk: bool = Field(default=True, description="walk again through what the first walk found")


class HierarchySearchSettings(SettingsSection):
    """Method ``hierarchy``: HiRetrieval of HiRAG (arXiv 2503.10150), Algorithm 2."""

    entities: int = Field(default=20, ge=1, description="n: entities of any layer nearest to the question")
    key_entities: int = Field(default=10, ge=2, description="m: key entities of a community")
    communities: int = Field(default=8, ge=1, description="most communities that are told and bridged")
    paths: Literal["weighted", "plain"] = Field(
        default="weighted", description="weighted: relevant, small facts first; plain: fewest steps, as in the paper"
    )
    local_share: float = Field(default=0.4, ge=0, le=1, description="share of the tokens for entities and their facts")
    bridge_share: float = Field(default=0.35, ge=0, le=1, description="share of the tokens for facts along paths")


class HierarchyBuildSettings(SettingsSection):
    """How the hierarchy is built: HiIndex of HiRAG (arXiv 2503.10150), Algorithm 1."""

    by: Literal["auto", "model", "extractive"] = Field(
        default="auto", description="what writes summaries and reports: model, extractive, or auto: model if named"
    )
    types: tuple[str, ...] = Field(
        default=("organization", "person", "location", "event", "technology"),
        description="general types that guide a model's summaries",
    )
    cluster_members: int = Field(default=20, ge=2, le=1000, description="most members of a cluster")
    soft_above: float = Field(default=0.1, gt=0, lt=1, description="least probability that makes a further membership")
    sparsity_change: float = Field(default=0.001, ge=0, description="epsilon: no further layer below this change")
    layers: int = Field(default=5, ge=0, le=20, description="most layers of summaries")
    community_members: int = Field(default=3, ge=2, description="fewest members of a community")
    community_split: int = Field(default=50, ge=3, description="communities with more members are split")
    report_tokens: int = Field(default=4000, ge=100, description="tokens of facts that a report is made from")
    renew_above: float = Field(
        default=0.2, ge=0, le=1, description="share of new entities above which everything is clustered anew"
    )
    seed: int = Field(default=0, ge=0, description="of all that is drawn")
