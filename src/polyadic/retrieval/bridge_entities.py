"""Bridge entities: strong in the first walk, and not named by the question.

"Where was the composer of Billy Elliot born?" leads to Stephen Warbeck, and the second walk then uses the bridge
question "Stephen Warbeck: Where was the composer of born?".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.alias_expansion import expand_aliases
from polyadic.retrieval.entity_linking import AnalyzedQuestion
from polyadic.retrieval.personalized_pagerank import PPRScores
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.retrieval.subgraph import Places, Subgraph
from polyadic.storage.incidence import among, distinct
from polyadic.storage.protocol import ChunkFactsPrefetch, Links, Reader, Rows, Vectors

MOST = 10
LEAST_SCORE = 35.0
LEAST_CHUNKS = 2
FACTS_OF_A_BRIDGE = 10
DEAD_ENDS = 20
FACTS_IN_A_CHUNK = 200


@dataclass(frozen=True, slots=True)
class BridgeEntities:
    """Entities, strongest first, with their names and strengths, and links to entities with equivalent names."""

    rows: Rows
    names: tuple[str, ...]
    strengths: Vectors
    aliases: Links

    @property
    def either(self) -> Rows:
        """The bridges and the entities with equivalent names."""
        return distinct(self.rows, self.aliases.targets)

    def questions(self, question: AnalyzedQuestion) -> list[str]:
        """Return the bridge question of each bridge."""
        return [f"{name}: {question.remainder}" for name in self.names]


def find_bridges(graph: Subgraph, masses: PPRScores, question: AnalyzedQuestion, reader: Reader) -> BridgeEntities:
    """Return the entities with the highest score relative to their number of facts; no numbers, no dead ends.

    An entity leads to further passages by its facts, by a title, or by another entity with an equivalent name.
    """
    strength = masses.entities / np.sqrt(np.maximum(reader.degrees("entity_facts", graph.entities), 1))
    names_something = reader.scores("entity", graph.entities) >= LEAST_SCORE
    strength = strength * (names_something & ~among(graph.entities, question.anchors))
    leads_on = reader.degrees("entity_chunks", graph.entities) >= LEAST_CHUNKS
    dead_ends = np.sort(_strongest(strength * ~leads_on, DEAD_ENDS))
    # All entities that may be among the best in the end, so that names are looked up once.
    eligible = graph.entities[np.sort(np.append(dead_ends, _strongest(strength * leads_on, MOST)))]
    titled = _titled_dead_ends(eligible, graph.entities[dead_ends], reader)
    reader.prefetch(ChunkFactsPrefetch(distinct(titled.targets), FACTS_IN_A_CHUNK))
    same = expand_aliases(eligible, reader)
    elsewhere = _named_elsewhere(titled, reader)
    leads_on[dead_ends] = among(graph.entities[dead_ends], np.append(elsewhere, same.sources))
    best = _strongest(strength * leads_on, MOST)
    rows = graph.entities[best]
    names = tuple(entity.name for entity in reader.entities(rows))
    of_best = among(same.sources, rows)
    aliases_of_best = Links(same.sources[of_best], same.targets[of_best])
    return BridgeEntities(rows, names, strength[best].astype(np.float32), aliases_of_best)


def _strongest(strength: NDArray[np.floating[Any]], most: int) -> Places:
    """Return the positions of the highest strengths above 0, in descending order."""
    best = np.argsort(-strength, kind="stable")[:most]
    return best[strength[best] > 0]


def _titled_dead_ends(eligible: Rows, dead_ends: Rows, reader: Reader) -> Links:
    """Return the first chunk about each dead end; all eligible entities are looked up, because they are needed next."""
    titled = reader.links("topic_chunks", eligible, 1)
    of_dead_ends = among(titled.sources, dead_ends)
    return Links(titled.sources[of_dead_ends], titled.targets[of_dead_ends])


def _named_elsewhere(titled: Links, reader: Reader) -> Rows:
    """Return the entities that name a document whose facts do not mention them, so that it leads to new knowledge."""
    stated = reader.links("chunk_facts", distinct(titled.targets), FACTS_IN_A_CHUNK)
    facts_in, entities_of = (
        targets_by_source(stated),
        targets_by_source(reader.links("fact_entities", distinct(stated.targets))),
    )
    unnamed = [
        entity
        for entity, chunk in zip(titled.sources.tolist(), titled.targets.tolist(), strict=True)
        if not any(entity in entities_of[fact] for fact in facts_in.get(chunk, ()))
    ]
    return np.array(unnamed, dtype=np.int64)


def facts_of_bridges(bridges: BridgeEntities, vectors: Vectors, reader: Reader) -> Rows:
    """Return a few facts of each bridge and its equivalents: those most similar to its bridge question."""
    place = {row: at for at, row in enumerate(bridges.rows.tolist())}
    bearing = np.array([place[row] for row in bridges.aliases.sources.tolist()], dtype=np.int64)
    named = np.concatenate([bridges.rows, bridges.aliases.targets])
    toward = np.concatenate([vectors, vectors[bearing]])
    return distinct(reader.facts_of(named, FACTS_OF_A_BRIDGE, toward).targets)
