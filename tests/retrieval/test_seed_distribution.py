"""Where a walk starts, by numbers worked out by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from polyadic.retrieval import seed_distribution
from polyadic.retrieval.entity_linking import AnalyzedQuestion
from polyadic.retrieval.seed_distribution import Seeds, find_start, seed
from polyadic.retrieval.subgraph import NO_LINKS, surround
from polyadic.storage.protocol import Hits, Vectors
from tests.retrieval.conftest import read_from_memory, written
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stories import documents_of, reader_of

STORE = {"one": [["Ada", "Byron"]], "two": [["Ada", "Kiel"], ["Ada", "Oslo"]], "three": [["Ada", "Kiel"]], "bare": []}
BARE = 3


@pytest.fixture(scope="module")
def store() -> MemoryReader:
    return reader_of(STORE)


def entity(reader: MemoryReader, name: str) -> int:
    return [one.name for one in reader.entities(np.arange(reader.size("entity")))].index(name)


def fact(reader: MemoryReader, text: str) -> int:
    return [one.text for one in reader.facts(np.arange(reader.size("fact")))].index(text)


def floats(*values: float) -> Vectors:
    return np.array(values, dtype=np.float32)


def asked(reader: MemoryReader, *mentions: tuple[str, ...], terms: tuple[str, ...] = ()) -> AnalyzedQuestion:
    """A question with these mentions, each with the entities that bear its name."""
    pairs = [(group, name) for group, names in enumerate(mentions) for name in names]
    rows = [entity(reader, name) for _, name in pairs]
    return AnalyzedQuestion(
        "x",
        np.array(rows, dtype=np.int64),
        np.array([row for row, (_, name) in zip(rows, pairs, strict=True) if name not in terms], dtype=np.int64),
        np.array([group for group, _ in pairs], dtype=np.int64),
        tuple(names[0] for names in mentions),
        "x",
    )


def weights(reader: MemoryReader, question: AnalyzedQuestion) -> list[float]:
    return [float(weight) for weight in find_start(question, reader.embedded("x"), reader).weights]


def nearest(reader: MemoryReader, question: AnalyzedQuestion) -> dict[str, float]:
    """The factor by which the question raises the similarity of each fact."""
    vector = reader.embedded("Ada")
    hits = find_start(question, vector, reader).nearest_facts
    plain = reader.similarity("fact", hits.rows, vector[None, :])[0] * 0.8**0.5
    factors = hits.scores / plain
    return dict(zip((one.text for one in reader.facts(hits.rows)), factors.tolist(), strict=True))


def test_a_rarer_anchor_weighs_more(store: MemoryReader) -> None:
    # Ada is in three passages, Byron in one.
    ada, byron = 3**-0.5, 1.0
    assert weights(store, asked(store, ("Ada",), ("Byron",))) == pytest.approx(
        [ada / (ada + byron), byron / (ada + byron)]
    )


def test_a_term_weighs_a_fifth_of_a_name_and_terms_alone_half_of_all(store: MemoryReader) -> None:
    # Byron and Oslo are in one passage each.
    mentions = (("Byron",), ("Oslo",))
    assert weights(store, asked(store, *mentions, terms=("Oslo",))) == pytest.approx([1 / 1.2, 0.2 / 1.2])
    assert weights(store, asked(store, *mentions, terms=("Byron", "Oslo"))) == pytest.approx([0.25, 0.25])
    assert weights(store, asked(store)) == []


def test_a_fact_gains_by_its_share_of_the_names(store: MemoryReader) -> None:
    found = nearest(store, asked(store, ("Byron",), ("Oslo",)))
    assert found == pytest.approx({"Ada meets Byron.": 1.1, "Ada meets Kiel.": 1.0, "Ada meets Oslo.": 1.1}, rel=1e-5)


def test_homonyms_count_as_one_name(store: MemoryReader) -> None:
    # One name for Byron and Ada, of which the rarer counts; another for Oslo.
    found = nearest(store, asked(store, ("Byron", "Ada"), ("Oslo",)))
    assert found == pytest.approx({"Ada meets Byron.": 1.1, "Ada meets Kiel.": 1.1, "Ada meets Oslo.": 1.2}, rel=1e-5)


def test_the_names_of_terms_count_as_far_as_they_weigh(store: MemoryReader) -> None:
    found = nearest(store, asked(store, ("Byron",), ("Oslo",), terms=("Byron", "Oslo")))
    assert found == pytest.approx({"Ada meets Byron.": 1.05, "Ada meets Kiel.": 1.0, "Ada meets Oslo.": 1.05}, rel=1e-5)


def start(reader: MemoryReader, chunks: Hits, lexical: Hits, anchor_weights: Vectors) -> Seeds:
    facts = [fact(reader, text) for text in ("Ada meets Kiel.", "Ada meets Byron.", "Ada meets Oslo.")]
    anchors = np.array([entity(reader, name) for name in ("Ada", "Oslo")], dtype=np.int64)
    near = Hits(np.array(facts, dtype=np.int64), floats(0.8, 0.4, 0.2))
    return Seeds(anchors, anchor_weights, NO_LINKS, near, chunks, lexical, NO_HITS.rows, np.arange(3), np.arange(4))


NO_HITS = Hits(np.zeros(0, np.int64), floats())


def test_the_start_has_anchors_facts_and_passages_by_weight(store: MemoryReader) -> None:
    graph = surround(np.arange(3), np.arange(4), store)
    # The passage without facts competes with facts for one of three places.
    chunks, lexical = Hits(np.array([BARE, 0]), floats(0.6, 0.3)), Hits(np.array([1, 0]), floats(3, 1))
    masses = seed(start(store, chunks, lexical, floats(0.6, 0.2)), graph, store)
    by_name = {one.name: mass for one, mass in zip(store.entities(graph.entities), masses.entities, strict=True)}
    assert by_name == pytest.approx({"Ada": 0.6, "Oslo": 0.2, "Byron": 0, "Kiel": 0})
    total = 0.8**4 + 0.6**4 + 0.4**4
    by_text = {one.text: mass for one, mass in zip(store.facts(graph.facts), masses.facts, strict=True)}
    assert by_text == pytest.approx(
        {"Ada meets Kiel.": 0.8**4 / total, "Ada meets Byron.": 0.4**4 / total, "Ada meets Oslo.": 0}
    )
    assert masses.chunks.tolist() == pytest.approx(
        [0.1 / 17 + 0.1 * 0.25, 0.1 * 0.75, 0, 0.1 * 16 / 17 + 0.6**4 / total]
    )


def test_the_weight_of_anchors_outside_the_subgraph_goes_to_the_others(store: MemoryReader) -> None:
    graph = surround(np.array([fact(store, "Ada meets Byron.")]), np.zeros(0, np.int64), store)
    given = start(store, NO_HITS, NO_HITS, floats(0.6, 0.2))
    given = Seeds(
        given.anchors, given.weights, NO_LINKS, NO_HITS, NO_HITS, NO_HITS, NO_HITS.rows, graph.facts, graph.chunks
    )
    masses = seed(given, graph, store)
    assert sorted(masses.entities.tolist()) == pytest.approx([0, 0.8])
    assert not masses.facts.any() and not masses.chunks.any()


def test_what_is_unlike_the_question_is_no_seed(store: MemoryReader) -> None:
    graph = surround(np.arange(3), np.arange(4), store)
    masses = seed(start(store, Hits(np.array([0, 1]), floats(-0.5, -0.9)), NO_HITS, floats(0, 0)), graph, store)
    assert not masses.chunks.any() and not masses.entities.any()
    assert masses.facts.sum() == pytest.approx(1.0)


def test_facts_that_are_as_near_keep_their_order() -> None:
    def embed(texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    facts = [[f"N{number}", "Red" if number % 2 else "Blue"] for number in range(40)]
    reader = MemoryReader(documents_of({"one": facts}), embed)
    found = find_start(asked(reader, ("Red",)), floats(1), reader)
    texts = [one.text for one in reader.facts(np.arange(40))]
    expected = [row for colour in ("Red", "Blue") for row, text in enumerate(texts) if colour in text]
    assert found.nearest_facts.rows.tolist() == expected
    masses = seed(found, surround(found.facts, found.chunks, reader), reader)
    assert np.flatnonzero(masses.facts).tolist() == expected[:3]


def neighbourhood(monkeypatch: pytest.MonkeyPatch, **most: int) -> tuple[set[str], set[str]]:
    """The facts around a question, and the documents, of which so many are read as are the nearest."""
    for name in ("NEAREST_FACTS", "NEAREST_CHUNKS", "LEXICAL_CHUNKS"):
        monkeypatch.setattr(seed_distribution, name, most.get(name, 0))
    reader = read_from_memory([*written(), *documents_of({"letter": [["poet Lord Byron", "Oslo"]]})])
    rows = np.array([entity(reader, name) for name in ("poet Lord Byron", "Mercury (planet)")], dtype=np.int64)
    question = AnalyzedQuestion("mill", rows, rows, np.arange(2), ("x", "y"), "mill")
    found = find_start(question, reader.embedded("Charles Babbage was born in London in 1791."), reader)
    facts = {one.text for one in reader.facts(found.facts)}
    return facts, {place.title for place in reader.chunk_places(found.chunks)}


BYRON = {"Lord Byron died at Missolonghi in 1824.", "Lord Byron wrote Don Juan."}
NAMED = {"poet Lord Byron meets Oslo.", "Mercury (planet) is the planet nearest to the Sun.", *BYRON}
BORN, MET = "Charles Babbage was born in London in 1791.", "Charles Babbage met Ada Lovelace at a party."
ENGINE = {"The Analytical Engine was designed by Charles Babbage.", "The Analytical Engine had a store and a mill."}


def test_subgraph_has_the_facts_and_passages_of_the_named_entities_and_their_aliases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert neighbourhood(monkeypatch) == (NAMED, {"Lord Byron", "Mercury (planet)"})


def test_around_a_question_are_the_nearest_facts_and_the_facts_of_the_nearest_passages_and_the_best_by_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert neighbourhood(monkeypatch, NEAREST_FACTS=1)[0] == {*NAMED, BORN}
    assert neighbourhood(monkeypatch, NEAREST_CHUNKS=1) == (
        {*NAMED, BORN, MET},
        {"Lord Byron", "Mercury (planet)", "Charles Babbage"},
    )
    assert neighbourhood(monkeypatch, LEXICAL_CHUNKS=1) == (
        {*NAMED, *ENGINE},
        {"Lord Byron", "Mercury (planet)", "Analytical Engine"},
    )
