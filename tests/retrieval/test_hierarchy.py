"""What the hierarchy's methods find in stores whose hierarchy is known."""

import asyncio
from itertools import cycle, product

import numpy as np
import pytest

from polyadic.config import HierarchySearchSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import SettingsError
from polyadic.generation.extractive_answerer import quote_answer
from polyadic.model.hierarchy import EXTRACTIVE
from polyadic.model.types import (
    Chunk,
    Document,
    Evidence,
    Item,
    ItemKind,
    Knowledge,
    Participation,
    RetrievalSection,
    Span,
)
from polyadic.retrieval.community_search import search_communities
from polyadic.retrieval.hierarchy_items import remove_repeated_facts
from polyadic.retrieval.hierarchy_nodes import names
from polyadic.retrieval.hierarchy_search import NOT_BUILT
from polyadic.retrieval.registry import method_named
from polyadic.storage.protocol import Hits
from tests.retrieval.conftest import read_from_memory
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stores_with_hierarchy import with_hierarchy
from tests.retrieval.stories import FactsByDocument, sentence

STORY: FactsByDocument = {
    "poets": [["Byron", "Missolonghi"], ["Byron", "Shelley"], ["Shelley", "Keats"]],
    "engines": [["Babbage", "Engine"], ["Engine", "Mill", "Store"], ["Engine", "Menabrea"]],
    "between": [["Ada", "Byron"], ["Ada", "Babbage"]],
    "far": [["Darwin", "Beagle"], ["Beagle", "Galapagos"]],
}
SUMMARIES = {
    "Poetry": ["Byron", "Shelley", "Keats"],
    "Computing": ["Babbage", "Engine", "Menabrea"],
    "Voyages": ["Darwin", "Beagle"],
    "Genius": ["Poetry", "Computing"],
}
COMMUNITIES = [
    ["Ada", "Byron", "Shelley", "Keats", "Babbage", "Engine", "Mill", "Store", "Poetry", "Computing", "Genius"],
    ["Byron", "Shelley", "Keats", "Poetry"],
    ["Babbage", "Engine", "Mill", "Store", "Menabrea", "Computing"],
    ["Darwin", "Beagle", "Galapagos", "Voyages"],
]
PARTS = ("local", "bridge", "global")
METHODS = ("hierarchy", "hierarchy-without-bridge", *PARTS, "graphrag", "graphrag-binary")


@pytest.fixture(scope="module")
def reader() -> MemoryReader:
    return with_hierarchy(STORY, SUMMARIES, COMMUNITIES)


@pytest.fixture(scope="module")
def quoting() -> MemoryReader:
    """The same without a language model: findings are facts, word for word."""
    return with_hierarchy(STORY, SUMMARIES, COMMUNITIES, EXTRACTIVE)


def ask(method: str, reader: MemoryReader, question: str, tokens: int = 4000, **settings: object) -> Knowledge:
    chosen = method_named(method, Settings(hierarchy=HierarchySearchSettings.model_validate(settings)))
    return asyncio.run(chosen.retrieve(question, reader, HashingEmbedder(), tokens))


def texts(found: Knowledge, section: RetrievalSection) -> list[str]:
    return [item.text for item in found.items if item.section is section]


@pytest.mark.parametrize("method", METHODS)
def test_knowledge_fits_the_budget_for_any_question(method: str, reader: MemoryReader, quoting: MemoryReader) -> None:
    budgets, others = (1, 20, 60, 4000), ("What are the main themes?", "", "谁?", "?" * 500)
    for question, tokens, store in [
        *product(["Byron meets whom?"], budgets, (reader, quoting)),
        *zip(others, (20, 60, 4000, 60), cycle((reader, quoting)), strict=False),
    ]:
        found = ask(method, store, question, tokens)
        assert found.tokens == sum(item.tokens for item in found.items) <= tokens
        assert len({(item.kind, item.id) for item in found.items}) == len(found.items)
        assert all(item.why and item.places and (item.tokens or item.kind is ItemKind.FACT) for item in found.items)
        assert found.note == ""


@pytest.mark.parametrize("method", METHODS)
def test_retrieval_is_deterministic(method: str, reader: MemoryReader) -> None:
    again = with_hierarchy(STORY, SUMMARIES, COMMUNITIES)
    question = "Who is Ada, and what is the Engine?"
    assert ask(method, reader, question).items == ask(method, again, question).items


def test_single_sections_equal_their_part_of_the_whole(reader: MemoryReader) -> None:
    question = "What do Byron and the Engine have in common?"
    whole = ask("hierarchy", reader, question)
    assert {item.section for item in whole.items} == {
        RetrievalSection.LOCAL,
        RetrievalSection.BRIDGE,
        RetrievalSection.GLOBAL,
    }
    for part in PARTS:
        alone = ask(part, reader, question)
        assert {item.section for item in alone.items} == {RetrievalSection(part)}
        assert alone.method == part


def test_ablation_without_bridge_keeps_the_other_sections(reader: MemoryReader) -> None:
    question = "What do Byron and the Engine have in common?"
    whole, ablated = (ask(method, reader, question) for method in ("hierarchy", "hierarchy-without-bridge"))
    assert ablated.method == "hierarchy-without-bridge"
    assert {item.section for item in ablated.items} == {RetrievalSection.LOCAL, RetrievalSection.GLOBAL}
    assert set(texts(whole, RetrievalSection.GLOBAL)) <= set(texts(ablated, RetrievalSection.GLOBAL))


def test_ablation_without_index_searches_a_hierarchy_without_layers(reader: MemoryReader) -> None:
    question = "What do Byron and the Engine have in common?"
    own = [[name for name in community if name not in SUMMARIES] for community in COMMUNITIES]
    flat = with_hierarchy(STORY, {}, own)
    ablated = ask("hierarchy-without-index", flat, question)
    assert ablated.method == "hierarchy-without-index"
    assert ablated.items and ablated.items == ask("hierarchy", flat, question).items
    with pytest.raises(SettingsError, match=r"needs a hierarchy without layers.*set layers = 0"):
        ask("hierarchy-without-index", reader, question)


def test_local_knowledge_covers_question_entities(reader: MemoryReader) -> None:
    found = ask("local", reader, "Byron meets Shelley", entities=2)
    assert found.facts[0].text == sentence(["Byron", "Shelley"])
    assert found.facts[0].why in {f"about {name}, which is near the question" for name in ("Byron", "Shelley")}
    assert found.chunks[0].places[0].source == "memory:poets"


def test_local_knowledge_includes_summaries(reader: MemoryReader) -> None:
    found = ask("local", reader, "All about Computing", entities=3)
    (summary,) = (item for item in found.of(ItemKind.ENTITY) if item.text.startswith("Computing"))
    assert summary.text == "Computing (theme): All about Computing."
    assert summary.places[0].source in {"memory:engines", "memory:between"}
    assert all(place.quote != summary.text for place in summary.places)


def test_local_knowledge_does_not_describe_dates() -> None:
    text = "Ada Lovelace wrote the first program in 1843."
    source = Document("memory:ada", "", text)
    people = Participation("Ada Lovelace", "person", "wrote the first program")
    year = Participation("1843", "date", "year of the first program")
    evidence = Evidence(text, 8.0, (people, year), (Span(0, len(text)),), "by hand")
    stored = read_from_memory([(source, Chunk(source.id, Span(0, len(text)), text, 9, 0), [evidence])])
    found = ask("local", stored, "What happened in 1843?")
    assert [item.text for item in found.of(ItemKind.ENTITY)] == ["Ada Lovelace (person): wrote the first program"]
    assert [item.text for item in found.facts] == [text]


@pytest.mark.parametrize("paths", ["plain", "weighted"])
def test_bridge_facts_form_a_chain(paths: str) -> None:
    reader = with_hierarchy(STORY, {}, [["Missolonghi", "Byron", "Ada", "Babbage", "Engine"]])
    found = ask("bridge", reader, "Missolonghi? Engine?", entities=2, key_entities=2, paths=paths)
    steps = [("Byron", "Missolonghi"), ("Ada", "Byron"), ("Ada", "Babbage"), ("Babbage", "Engine")]
    chain = [sentence(step) for step in steps]
    assert [item.text for item in found.items] in (chain, chain[::-1])
    names_on_it = ["Missolonghi", "Byron", "Ada", "Babbage", "Engine"]
    expected = (" — ".join(names_on_it), " — ".join(names_on_it[::-1]))
    assert {item.why.removeprefix("on the path ") for item in found.items} <= set(expected)


def test_membership_text_lists_members_on_the_path() -> None:
    apart: FactsByDocument = {"one": [["Ada", "Byron"]], "two": [["Mill", "Engine"]]}
    reader = with_hierarchy(apart, {"Machines": ["Ada", "Mill"]}, [["Ada", "Byron", "Mill", "Engine", "Machines"]])
    found = ask("bridge", reader, "Byron? Engine?", entities=2, key_entities=2)
    chain = [item.text for item in found.items]
    assert chain[0] in {sentence(["Ada", "Byron"]), sentence(["Mill", "Engine"])}
    assert chain[1] in {
        "Machines covers Ada and Mill: All about Machines.",
        "Machines covers Mill and Ada: All about Machines.",
    }
    assert set(chain) == {sentence(["Ada", "Byron"]), sentence(["Mill", "Engine"]), chain[1]}
    assert {item.why for item in found.items} <= {
        "on the path Byron — Ada — Machines — Mill — Engine",
        "on the path Engine — Mill — Machines — Ada — Byron",
    }
    covering = found.of(ItemKind.ENTITY)[0]
    assert {place.quote for place in covering.places} <= {sentence(["Ada", "Byron"]), sentence(["Mill", "Engine"])}


def test_bridge_contains_all_facts_among_path_entities() -> None:
    documents: FactsByDocument = {
        "one": [["Ada", "Byron"], ["Byron", "Ada", "Keats"], ["Ada", "Zoe"]],
        "two": [["Byron", "Ada", "Pisa"]],
    }
    reader = with_hierarchy(documents, {}, [["Ada", "Byron", "Keats"]])
    found = ask("bridge", reader, "Ada? Byron?", entities=2, key_entities=2)
    assert {item.text for item in found.items} == {
        sentence(["Ada", "Byron"]),
        sentence(["Byron", "Ada", "Keats"]),
        sentence(["Byron", "Ada", "Pisa"]),
    }


def test_reports_are_split_into_findings_with_facts(reader: MemoryReader) -> None:
    found = ask("global", reader, "Darwin on the Beagle")
    heads = [item for item in found.items if ":" not in item.id]
    assert heads[0].text == "The world of Darwin. What Darwin is about."
    assert heads[0].why.startswith("report on a community that holds ")
    assert all(name in heads[0].why for name in ("Darwin", "Beagle"))
    finding = next(item for item in found.items if "Galapagos" in item.text)
    assert finding.text == f"The world of Darwin: It is found that {sentence(['Beagle', 'Galapagos'])}"
    assert (finding.kind, [place.quote for place in finding.places]) == (
        ItemKind.REPORT,
        [sentence(["Beagle", "Galapagos"])],
    )


def test_extractive_reports_are_labelled_and_their_findings_are_facts(quoting: MemoryReader) -> None:
    found = ask("global", quoting, "Darwin on the Beagle")
    assert all(item.why.endswith("; extractive") for item in found.items)
    assert sentence(["Beagle", "Galapagos"]) in [item.text for item in found.facts]


def test_facts_appear_once_over_all_sections(quoting: MemoryReader) -> None:
    found = ask("hierarchy", quoting, "What do Byron and the Engine have in common?")
    facts = [item.id for item in found.facts]
    assert len(facts) == len(set(facts))


def test_facts_quoted_by_an_extractive_summary_are_not_repeated() -> None:
    place = with_hierarchy(STORY, {}).chunk_places(np.array([0]))[0]

    def item_of(kind: ItemKind, text: str, section: RetrievalSection = RetrievalSection.LOCAL) -> Item:
        return Item(kind, text, text, 1.0, "", 100, (place,), section=section)

    fact = item_of(ItemKind.FACT, "Ada met Byron.")
    items = [
        item_of(ItemKind.ENTITY, "Ada, Byron: Ada met Byron."),
        item_of(ItemKind.ENTITY, "Poets: Ada met Byron. Keats wrote."),
        item_of(ItemKind.ENTITY, "Poets covers Ada and Byron: Ada met Byron.", RetrievalSection.BRIDGE),
        item_of(ItemKind.REPORT, "The poets. Ada met Byron.", RetrievalSection.GLOBAL),
        item_of(ItemKind.REPORT, "The poets: It is said that Ada met Byron.", RetrievalSection.GLOBAL),
    ]
    assert remove_repeated_facts(items) == tuple(items)
    once = remove_repeated_facts([*items, fact])
    assert [item.text for item in once] == [
        "Poets: Keats wrote.",
        "Poets covers Ada and Byron",
        "The poets.",
        "The poets: It is said that Ada met Byron.",
        "Ada met Byron.",
    ]
    assert [item.tokens < 100 for item in once] == [True, True, True, False, False]


def test_nested_communities_with_equal_coverage_prefer_the_specific_one(reader: MemoryReader) -> None:
    hierarchy = reader.hierarchy_reader()
    every = np.arange(reader.size("entity"))
    shelley = next(row for row, name in names(every, reader, hierarchy).items() if name == "Shelley")
    near = search_communities(Hits(np.array([shelley]), np.array([0.8], np.float32)), 8, hierarchy)
    titles = [
        community.report.title
        for community in hierarchy.communities(np.array([one.row for one in near]))
        if community.report
    ]
    assert titles == ["The world of Byron", "The world of Ada"]
    assert [round(one.nearness, 2) for one in near] == [0.8, 0.4]


def test_communities_are_bounded(reader: MemoryReader) -> None:
    found = ask("global", reader, "Byron Engine Darwin Ada", communities=2)
    assert len([item for item in found.items if ":" not in item.id]) == 2


@pytest.mark.parametrize("question", ["What are the main themes?", "Give me an overview."])
def test_unspecific_question_uses_the_largest_communities(reader: MemoryReader, question: str) -> None:
    found = ask("hierarchy", reader, question, communities=2)
    assert "the 2 largest, as the question has no specific topic" in found.trace[1].detail
    heads = [item.text for item in found.of(ItemKind.REPORT) if ":" not in item.id]
    assert heads == ["The world of Ada. What Ada is about.", "The world of Babbage. What Babbage is about."]


@pytest.mark.parametrize("method", METHODS)
def test_missing_hierarchy_is_reported(method: str) -> None:
    found = ask(method, with_hierarchy(STORY, {}), "Byron meets whom in Missolonghi?")
    assert found.note == NOT_BUILT == "there is no up-to-date hierarchy: polyadic hierarchy build"
    assert any(NOT_BUILT in step.detail for step in found.trace)
    assert bool(found.items) is (method != "global")
    assert not found.of(ItemKind.REPORT)
    answer = asyncio.run(quote_answer(found, HashingEmbedder(), with_hierarchy(STORY, {})))
    assert answer.note.endswith(NOT_BUILT)


@pytest.mark.parametrize("method", METHODS)
def test_quotations_come_from_documents(method: str, reader: MemoryReader) -> None:
    found = ask(method, reader, "Ada meets Byron?")
    answer = asyncio.run(quote_answer(found, HashingEmbedder(), reader))
    texts = [" ".join(map(sentence, facts)) for facts in STORY.values()]
    assert all(any(citation.place.quote in text for text in texts) for citation in answer.citations)
    assert answer.citations


def item(name: str, tokens: int, section: RetrievalSection = RetrievalSection.NONE) -> Item:
    return Item(ItemKind.FACT, name, name, 1.0, "", tokens, section=section)
