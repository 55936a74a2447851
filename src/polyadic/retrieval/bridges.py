"""Bridges: entities that a first walk found strong and the question does not name.

"Where was the composer of Billy Elliot born?" leads to Stephen Warbeck, of whom then is asked what the question
asks: "Stephen Warbeck: Where was the composer of born?".
"""

from dataclasses import dataclass

import numpy as np

from polyadic.retrieval.diffusion import Masses
from polyadic.retrieval.question import Question
from polyadic.retrieval.subgraph import Subgraph
from polyadic.store.protocol import Reader, Rows, Vectors

MOST = 10
LEAST_SCORE = 35.0
LEAST_CHUNKS = 2
FACTS_OF_A_BRIDGE = 10


@dataclass(frozen=True, slots=True)
class Bridges:
    """Entities, strongest first, with their names and strengths."""

    rows: Rows
    names: tuple[str, ...]
    strengths: Vectors

    def questions(self, question: Question) -> list[str]:
        """What is asked of each."""
        return [f"{name}: {question.remainder}" for name in self.names]


def find_bridges(graph: Subgraph, masses: Masses, question: Question, reader: Reader) -> Bridges:
    """The entities with the highest mass for the number of facts they are in; no numbers, no dead ends."""
    strength = masses.entities / np.sqrt(np.maximum(reader.degrees("entity", graph.entities), 1))
    leads_on = reader.spread(graph.entities) >= LEAST_CHUNKS
    names_something = reader.scores("entity", graph.entities) >= LEAST_SCORE
    strength = strength * (leads_on & names_something & ~np.isin(graph.entities, question.anchors))
    best = np.argsort(-strength, kind="stable")[:MOST]
    best = best[strength[best] > 0]
    rows = graph.entities[best]
    return Bridges(rows, tuple(entity.name for entity in reader.entities(rows)), strength[best].astype(np.float32))


def facts_of_bridges(bridges: Bridges, vectors: Vectors, reader: Reader) -> Rows:
    """A few facts of each bridge: those most like what is asked of it."""
    found = [
        reader.facts_of(bridges.rows[i : i + 1], FACTS_OF_A_BRIDGE, vector).targets for i, vector in enumerate(vectors)
    ]
    return np.unique(np.concatenate(found))
