"""Retrieval methods and their settings sections."""

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
    "hipporag",
    "hipporag2",
    "fastgraphrag",
    "hypergraph",
    "hypergraph-without-er",
    "hypergraph-without-hr",
    "hypergraph-without-er-hr",
    "hypergraph-without-cr",
    "hypergraph-without-all",
    "walk",
    "hierarchy",
    "hierarchy-without-bridge",
    "hierarchy-without-index",
    "local",
    "global",
    "bridge",
    "graphrag",
    "graphrag-binary",
    "raptor",
    "kag",
    "auto",
]
METHODS: tuple[str, ...] = get_args(MethodName)
COMMON_METHODS: tuple[MethodName, ...] = ("auto", "walk", "hypergraph", "chunks")
"""Methods listed in help texts; docs/methods.md describes all."""


class RetrievalSettings(SettingsSection):
    """How knowledge is retrieved for a question."""

    method: MethodName = Field(default="auto", description="retrieval method: auto, or another one (docs/methods.md)")
    context_tokens: int = Field(default=4000, ge=1, description="token budget for the knowledge of a question")
    correct_spelling: bool = Field(default=True, description="correct misspelled words of a question before the search")


class HypergraphSettings(SettingsSection):
    """Method ``hypergraph``: HyperGraphRAG (arXiv 2503.21322), Eq. 14-20 with the paper's numbers."""

    entities: int = Field(default=60, ge=1, description="k_V: entities retrieved")
    facts: int = Field(default=60, ge=1, description="k_H: facts retrieved")
    chunks: int = Field(default=5, ge=1, description="k_C: chunks retrieved")
    entity_threshold: float = Field(default=50.0, description="tau_V: minimum similarity x score of an entity")
    fact_threshold: float = Field(default=5.0, description="tau_H: minimum similarity x score of a fact")
    chunk_threshold: float = Field(default=0.5, description="tau_C: minimum similarity of a chunk")
    entity_retrieval: bool = Field(default=True, description="ER: retrieve by entity")
    fact_retrieval: bool = Field(default=True, description="HR: retrieve by fact (hyperedge)")
    chunk_retrieval: bool = Field(default=True, description="CR: also retrieve chunks")
    words: bool = Field(default=True, description="also retrieve by keywords (BM25); false: as in the paper")
    fill: bool = Field(
        default=True, description="fill the token budget with further items of the rankings; false: as in the paper"
    )
    fallback: int = Field(
        default=5,
        ge=0,
        description="items used if none exceeds a threshold, and the question if it names nothing; 0: as in the paper",
    )
    facts_per_entity: int = Field(
        default=60,
        ge=0,
        description="maximum number of facts of an entity, the nearest to the question; 0: all, as in the paper",
    )
    max_facts: int = Field(
        default=100, ge=0, description="maximum number of facts before filling; 0: no maximum, as in the paper"
    )
    passage_discount: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="factor on the score of each further fact of a passage, for the order; 1: as in the paper",
    )
    one_vector_per_entity: bool = Field(
        default=False,
        description="compare an entity by its best supported description, as in the paper; false: by the nearest one",
    )
    repeat_facts: bool = Field(
        default=False,
        description="repeat facts that a retrieved passage states, and never shorten passages; true: as in the paper",
    )
    question_entities: Literal["names", "model"] = Field(
        default="names",
        description="V_q: how to find entities in the question: names known to the store, or model",
    )


class ChunksSettings(SettingsSection):
    """Method ``chunks``: the passages nearest to the question (the papers' StandardRAG)."""

    passages: int = Field(
        default=20, ge=1, description="maximum number of passages; the papers retrieve 5, here the budget limits them"
    )


class LightRAGSettings(SettingsSection):
    """Method ``lightrag``: LightRAG (arXiv 2410.05779) over facts expanded into pairs."""

    entities: int = Field(default=60, ge=1, description="entities nearest to those in the question")
    relations: int = Field(default=60, ge=1, description="pairs nearest to the question")
    threshold: float = Field(default=0.2, description="minimum similarity of an entity or a pair")
    sentences: bool = Field(
        default=True, description="include the sentence of the fact with each pair; false: only the two names"
    )
    relation_share: float = Field(
        default=0.5, ge=0, le=1, description="fraction of the token budget for pairs; the rest is for passages"
    )


class PathRAGSettings(SettingsSection):
    """Method ``pathrag``: PathRAG (arXiv 2502.14902) over facts expanded into pairs."""

    entities: int = Field(default=40, ge=1, description="N: entities between which to search for paths")
    paths: int = Field(default=15, ge=1, description="K: maximum number of paths")
    decay: float = Field(default=0.8, gt=0, le=1, description="alpha: decay of the flow per edge")
    threshold: float = Field(default=0.05, ge=0.001, le=1, description="theta: minimum flow into an edge")
    sentences: bool = Field(
        default=True, description="include the sentence of the fact with each pair; false: only the two names"
    )
    best_last: bool = Field(default=False, description="put the most reliable path last, as in the paper")


class GraphRAGSettings(SettingsSection):
    """Method ``graphrag``: local search of GraphRAG (arXiv 2404.16130)."""

    entities: int = Field(default=60, ge=1, description="entities nearest to the question")
    communities: int = Field(default=20, ge=1, description="maximum number of communities to report")
    report_share: float = Field(
        default=0.5, ge=0, le=1, description="fraction of the token budget for reports; the rest is for facts"
    )
    pairs: bool = Field(
        default=False, description="expand facts into pairs of entities, ordered as GraphRAG's relationships"
    )


class HippoRAGSettings(SettingsSection):
    """Method ``hipporag``: HippoRAG (arXiv 2405.14831), Personalized PageRank over names."""

    node_specificity: bool = Field(
        default=True, description="divide the weight of a seed entity by the number of its passages"
    )
    damping: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="damping factor of PageRank: probability of following an edge instead of restarting",
    )
    synonyms_above: float = Field(
        default=0.8, ge=-1, le=1, description="minimum cosine similarity of two synonymous entities"
    )


class FastGraphRAGSettings(SettingsSection):
    """Method ``fastgraphrag``: the fast-graphrag project, PageRank over entities, then facts and passages by score."""

    entities: int = Field(default=20, ge=1, description="entities nearest to the question that become seeds")
    name_similarity: float = Field(
        default=0.4, ge=-1, le=1, description="minimum cosine similarity of a name in the question to its entity"
    )
    damping: float = Field(
        default=0.85,
        gt=0,
        lt=1,
        description="damping factor of PageRank: probability of following an edge instead of restarting",
    )
    entity_score: float = Field(default=0.005, ge=0, description="minimum PageRank score of an entity")
    ranked_entities: int = Field(default=128, ge=1, description="maximum number of entities whose scores count")
    facts: int = Field(default=64, ge=1, description="maximum number of facts")
    passages: int = Field(default=8, ge=1, description="maximum number of passages")
    synonyms_above: float = Field(
        default=0.8, ge=-1, le=1, description="minimum cosine similarity of two entities joined as identical"
    )
    passage_share: float = Field(
        default=0.75, ge=0, le=1, description="fraction of the token budget for passages; the rest is for facts"
    )


class HippoRAG2Settings(SettingsSection):
    """Method ``hipporag2``: HippoRAG 2 (arXiv 2502.14802), Personalized PageRank over names and passages."""

    facts: int = Field(default=5, ge=1, description="facts nearest to the question, whose entities become seeds")
    entities: int = Field(default=15, ge=1, description="maximum number of seed entities")
    passage_weight: float = Field(default=0.05, ge=0, description="weight of a passage in the reset distribution")
    damping: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="damping factor of PageRank: probability of following an edge instead of restarting",
    )
    synonyms_above: float = Field(
        default=0.8, ge=-1, le=1, description="minimum cosine similarity of two synonymous names"
    )


class RaptorSettings(SettingsSection):
    """Method ``raptor``: the collapsed tree of RAPTOR (arXiv 2401.18059)."""

    nodes: int = Field(default=20, ge=1, description="maximum number of passages and summaries")
    layers: int = Field(default=5, ge=0, le=20, description="maximum number of layers of summaries")
    cluster_tokens: int = Field(default=3500, ge=1, description="size of a cluster that is summarized, in tokens")
    summary_tokens: int = Field(default=100, ge=1, description="size of a summary, in tokens")
    soft_above: float = Field(
        default=0.1, gt=0, lt=1, description="minimum probability of membership in a further cluster"
    )
    seed: int = Field(default=0, ge=0, description="random seed of clustering")


class KAGSettings(SettingsSection):
    """Method ``kag``: KAG (arXiv 2409.13731), logical forms solved step by step with a language model."""

    steps: int = Field(default=5, ge=1, le=20, description="maximum number of steps; plan and steps take a call each")
    step_tokens: int = Field(default=2000, ge=100, description="token budget for the context of a step")
    facts: int = Field(default=10, ge=0, description="maximum number of facts of a step")
    passages: int = Field(default=10, ge=1, description="maximum number of passages of a step")
    name_similarity: float = Field(
        default=0.4, ge=-1, le=1, description="minimum cosine similarity of a name to the entity it is linked to"
    )
    pagerank_weight: float = Field(
        default=0.5, ge=0, le=1, description="weight of PageRank in the rank of a passage; the rest is for similarity"
    )
    damping: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="damping factor of PageRank: probability of following an edge instead of restarting",
    )
    synonyms_above: float = Field(
        default=0.8, ge=-1, le=1, description="minimum cosine similarity of two synonymous entities"
    )


class WalkSettings(SettingsSection):
    """Method ``walk``: Personalized PageRank over the hypergraph, no language model."""

    passages: int = Field(default=15, ge=1, description="maximum number of passages")
    facts: int = Field(default=30, ge=0, description="maximum number of facts besides the best one of each passage")
    damping: float = Field(
        default=0.85,
        gt=0,
        lt=1,
        description="damping factor of PageRank: probability of following an edge instead of restarting",
    )
    second_walk: bool = Field(default=True, description="run a second PageRank seeded with the results of the first")


class HierarchySearchSettings(SettingsSection):
    """Method ``hierarchy``: HiRetrieval of HiRAG (arXiv 2503.10150), Algorithm 2."""

    entities: int = Field(default=20, ge=1, description="n: entities of all layers nearest to the question")
    key_entities: int = Field(default=10, ge=2, description="m: key entities of a community")
    communities: int = Field(
        default=8,
        ge=0,
        description="maximum number of communities to report and connect; 0: all of the nearest, as in the paper",
    )
    paths: Literal["weighted", "plain"] = Field(
        default="weighted",
        description="weighted: prefer relevant and small facts; plain: fewest steps, as in the paper",
    )
    one_vector_per_entity: bool = Field(
        default=False,
        description="compare an entity by its best supported description, as in the paper; false: by the nearest one",
    )
    named_first: bool = Field(
        default=True, description="put the entities that a question names before the nearest; false: as in the paper"
    )
    general_questions: bool = Field(
        default=True, description="use the largest communities for general questions; false: as in the paper"
    )
    local_facts: bool = Field(
        default=True,
        description="add facts and passages of the nearest entities; false: descriptions only, as in the paper",
    )
    whole_reports: bool = Field(
        default=False, description="show reports whole, as in the paper; false: their findings, the nearest first"
    )
    described_memberships: bool = Field(
        default=False,
        description="show each membership with its description and strength, as in the paper; false: one per summary",
    )
    bounded: bool = Field(
        default=True, description="bound the search for paths and the facts on them; false: as in the paper"
    )
    local_share: float = Field(
        default=0.4, ge=0, le=1, description="fraction of the token budget for entities and their facts"
    )
    bridge_share: float = Field(
        default=0.35, ge=0, le=1, description="fraction of the token budget for facts along paths"
    )


class HierarchyBuildSettings(SettingsSection):
    """How the hierarchy is built: HiIndex of HiRAG (arXiv 2503.10150), Algorithm 1."""

    by: Literal["auto", "model", "extractive"] = Field(
        default="auto",
        description="how to write summaries and reports: model, extractive, or auto: model if one is set",
    )
    types: tuple[str, ...] = Field(
        default=("organization", "person", "location", "event", "technology"),
        description="general entity types that guide the summaries of a model",
    )
    cluster_members: int = Field(default=20, ge=2, le=1000, description="maximum size of a cluster")
    mixture: Literal["diagonal", "raptor"] = Field(
        default="diagonal",
        description="Gaussian mixtures; diagonal: of diagonal covariances; raptor: of full ones, as in the paper",
    )
    reduction: Literal["pca", "umap", "umap-unseeded"] = Field(
        default="pca",
        description="pca or umap reduces vectors before clustering; umap-unseeded: as RAPTOR does, not repeatable",
    )
    soft_above: float = Field(
        default=0.1, gt=0, lt=1, description="minimum probability of membership in a further cluster"
    )
    sparsity_change: float = Field(
        default=0.001, ge=0, description="epsilon: stop adding layers when the cluster sparsity changes less"
    )
    sparsity_members: Literal["own", "all"] = Field(
        default="own",
        description="own: the sparsity counts a member in its most likely cluster; all: in each, as in the paper",
    )
    layers: int = Field(default=5, ge=0, le=20, description="maximum number of layers")
    redundant_layers: bool = Field(
        default=False, description="keep a layer that repeats the one below it, as in the paper"
    )
    community_members: int = Field(default=3, ge=2, description="minimum size of a community")
    community_split: int = Field(default=50, ge=3, description="size above which a community is split")
    report_facts: int = Field(default=3, ge=1, description="minimum number of facts of a community with a report")
    report_tokens: int = Field(
        default=4000, ge=100, description="token budget for the facts in the context of a report"
    )
    renew_above: float = Field(
        default=0.2, ge=0, le=1, description="fraction of new entities above which everything is clustered again"
    )
    seed: int = Field(default=0, ge=0, description="random seed of clustering")
