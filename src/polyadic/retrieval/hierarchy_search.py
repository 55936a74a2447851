"""Where a question leads in a hierarchy: what the parts of HiRetrieval (HiRAG, arXiv 2503.10150) start from."""

from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

import numpy as np

from polyadic.config import HierarchySearchSettings
from polyadic.retrieval.community_search import NearCommunity, key_entities, search_communities
from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, nearest, similarity
from polyadic.retrieval.query_analysis import analyze_question
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Hits, Reader, Rows, Vectors

NOT_BUILT = "no hierarchy has been built: polyadic hierarchy build"
SAMPLE = 200
"""Nodes from which the largest communities are found, where a question is about no one thing."""


@dataclass(frozen=True, slots=True)
class HierarchySearch:
    """A question and where it leads.

    Parameters
    ----------
    vector
        The question's, shape (d,).
    near
        The nodes of any layer nearest to it.
    communities
        Those that it leads to, the nearest first.
    keys
        The key entities of each of these; where there are none, the nearest nodes as a whole.
    whole
        Whether the question is about no one thing, and so about the whole.
    """

    vector: Vectors
    near: Hits
    communities: list[NearCommunity]
    keys: list[Nodes]
    whole: bool
    reader: Reader
    themes: HierarchyReader

    @property
    def built(self) -> bool:
        return is_built(self.themes)


def is_built(themes: HierarchyReader) -> bool:
    return themes.summary_count > 0 or themes.community_count > 0


def find(
    question: str, vector: Vectors, unrelated_below: float, settings: HierarchySearchSettings, reader: Reader
) -> HierarchySearch:
    """The nodes nearest to a question after those that it names, their communities, and the key entities of these.

    A question that names nothing and is unlike whatever there is ("What are the main themes?") resembles some entities
    by chance alone. It is about the whole: it leads to the largest communities instead, and to what most is said of
    in each.

    Parameters
    ----------
    unrelated_below
        The cosine below which a text and a question have nothing to do with each other (see Embedder).
    """
    themes = reader.themes()
    named = np.unique(analyze_question(question, reader).anchors)
    near = _named_first(named, nearest(vector, settings.entities, reader, themes), vector, reader)
    alike = partial(similarity, vector=vector, reader=reader, themes=themes)
    whole = is_built(themes) and not len(named) and _most_alike(near, vector, reader) < unrelated_below
    if whole:
        sample = nearest(vector, SAMPLE, reader, themes)
        evenly = Hits(sample.rows, np.ones_like(sample.scores))
        communities = search_communities(evenly, settings.communities, themes, again=0.0)
        keys = key_entities(communities, settings.key_entities, partial(_facts_of_each, reader=reader), themes)
        central = _by_turns(keys)[: settings.entities]
        near = Hits(central, alike(central))
    else:
        communities = search_communities(near, settings.communities, themes)
        keys = key_entities(communities, settings.key_entities, alike, themes)
    keys = keys or [near.rows[: settings.key_entities]]
    return HierarchySearch(vector, near, communities, keys, whole, reader, themes)


def _named_first(named: Rows, near: Hits, vector: Vectors, reader: Reader) -> Hits:
    """As many nodes, the named ones before those that are nearest."""
    alike = reader.similarity("entity", named, vector[None, :])[0]
    order = np.argsort(-alike, kind="stable")
    others = ~np.isin(near.rows, named)
    rows, scores = np.append(named[order], near.rows[others]), np.append(alike[order], near.scores[others])
    return Hits(rows[: len(near.rows)], scores[: len(near.rows)])


def _most_alike(near: Hits, vector: Vectors, reader: Reader) -> float:
    """How much the question resembles the node or fact that it resembles most."""
    return max([*near.scores[:1].tolist(), *reader.nearest("fact", vector, 1).scores.tolist()], default=0.0)


def _facts_of_each(nodes: Nodes, reader: Reader) -> Vectors:
    """In how many facts each entity takes part; summaries come last."""
    counts = np.full(len(nodes), -1.0, dtype=np.float32)
    counts[nodes >= 0] = reader.degrees("entity", entities_in(nodes))
    return counts


def _by_turns(keys: list[Nodes]) -> Nodes:
    """The first of each, then the second of each, each node once."""
    turns = zip_longest(*(nodes.tolist() for nodes in keys))
    return np.array(list(dict.fromkeys(node for turn in turns for node in turn if node is not None)), dtype=np.int64)
