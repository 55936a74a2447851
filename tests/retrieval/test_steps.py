"""The smaller steps of a walk."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.retrieval.bridge_entities import find_bridges
from polyadic.retrieval.edge_weights import compute_edge_weights, standardize
from polyadic.retrieval.entity_linking import analyze_question
from polyadic.retrieval.personalized_pagerank import subgraph_pagerank
from polyadic.retrieval.seed_distribution import find_start, seed
from polyadic.retrieval.subgraph import CHUNKS_OF_A_FACT, NO_LINKS, assign, position, surround
from polyadic.retrieval.walk_scores import score_chunks, score_facts
from polyadic.storage.protocol import Links
from tests.retrieval.conftest import read_from_memory, written
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stories import documents_of, reader_of

ALL = np.arange(1000, dtype=np.int64)


@given(st.lists(st.floats(-1, 1, width=32), max_size=20))
def test_standardized_values_are_finite_and_keep_their_order(values: list[float]) -> None:
    given_values = np.array(values, dtype=np.float32)
    z = standardize(given_values)
    assert np.isfinite(z).all()
    assert (np.diff(z[np.argsort(given_values, kind="stable")]) >= -1e-3).all()


def test_assign_skips_missing_items() -> None:
    values = np.zeros(3)
    assign(values, np.array([2, 5, 9]), np.array([9, 4, 2]), np.array([1.0, 2.0, 3.0]))
    assert values.tolist() == [3.0, 0.0, 1.0]


def test_widely_stated_fact_adds_few_passages() -> None:
    text = "Ada Lovelace met Lord Byron."
    names = (Participation("Ada Lovelace"), Participation("Lord Byron"))
    documents = []
    for i in range(CHUNKS_OF_A_FACT + 10):
        document = Document(f"memory:{i}", "", text)
        evidence = Evidence(text, 8.0, names, (Span(0, len(text)),), "by hand")
        documents.append((document, Chunk(document.id, Span(0, len(text)), text, 5, 0), [evidence]))
    graph = surround(np.arange(1), np.zeros(0, np.int64), read_from_memory(documents))
    assert graph.sizes == (1, 2, CHUNKS_OF_A_FACT)


def test_hubs_and_numbers_have_low_edge_weights(reader: MemoryReader) -> None:
    graph = surround(np.arange(reader.size("fact")), ALL[: reader.size("chunk")], reader)
    conductance = compute_edge_weights(graph, np.zeros(len(graph.facts), np.float32), reader).entities
    by_name = {e.name: c for e, c in zip(reader.entities(graph.entities), conductance.tolist(), strict=True)}
    assert by_name["1843"] < by_name["Ada Lovelace"] < by_name["Missolonghi"]


def test_seeds_are_the_matches_of_the_question(reader: MemoryReader) -> None:
    question = analyze_question("Who was Ada Lovelace?", reader)
    vector = reader.embedded("Who was Ada Lovelace?")
    start = find_start(question, vector, reader)
    graph = surround(start.facts, start.chunks, reader)
    masses = seed(start, graph, reader)
    assert np.isclose(masses.entities.sum(), 1.0)
    assert graph.entities[np.argmax(masses.entities)] == question.anchors[0]
    assert np.isclose(masses.facts.sum() + masses.chunks.sum(), 1.2, atol=1e-3)


def test_equally_similar_facts_are_ordered_by_question_names() -> None:
    reader = reader_of({"one": [["Carl", "Kiel"]], "two": [["Mira", "Kiel"]], "three": [["Mira", "Oslo"]]})
    question = analyze_question("Did Mira see Oslo?", reader)
    nearest = find_start(question, reader.embedded("meets"), reader).nearest_facts
    assert [fact.text for fact in reader.facts(nearest.rows)] == [
        "Mira meets Oslo.",
        "Mira meets Kiel.",
        "Carl meets Kiel.",
    ]


def test_question_entities_match_by_alias() -> None:
    reader = read_from_memory([*written(), *documents_of({"letter": [["poet Lord Byron", "Oslo"]]})])
    start = find_start(analyze_question("Who was the poet Lord Byron?", reader), reader.embedded("meets"), reader)
    assert [entity.name for entity in reader.entities(start.anchors)] == ["poet Lord Byron"]
    assert [entity.name for entity in reader.entities(start.aliases.targets)] == ["Lord Byron"]

    def reached(aliases: Links) -> float:
        graph = surround(start.facts, start.chunks, reader, aliases)
        conductance = compute_edge_weights(graph, np.zeros(len(graph.facts), np.float32), reader)
        masses = subgraph_pagerank(graph, seed(start, graph, reader), conductance)
        return float(masses.entities[position(start.aliases.targets, graph.entities)].sum())

    assert reached(start.aliases) > 2 * reached(NO_LINKS)


def test_bridge_entities_are_names_absent_from_the_question(reader: MemoryReader) -> None:
    question = analyze_question("Who was Ada Lovelace?", reader)
    start = find_start(question, reader.embedded(question.text), reader)
    graph = surround(start.facts, start.chunks, reader)
    relevance = np.zeros(len(graph.facts), np.float32)
    masses = subgraph_pagerank(graph, seed(start, graph, reader), compute_edge_weights(graph, relevance, reader))
    bridges = find_bridges(graph, masses, question, reader)
    assert set(bridges.names) == {"Lord Byron", "Charles Babbage"}
    assert bridges.questions(question)[0].endswith(": Who was ?")
    scores = score_chunks(graph, masses, question.anchors, bridges, relevance, np.zeros(len(graph.chunks), np.float32))
    best = reader.chunk_places(graph.chunks[np.argsort(-scores)])[0]
    assert best.title == "Ada Lovelace"
    assert score_facts(masses, relevance).max() <= 1.0
