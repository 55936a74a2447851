"""Questions about the documents as a whole get the reports of the largest communities, each as one block."""

import asyncio
from itertools import groupby, pairwise

import numpy as np

from polyadic.config import Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Item, ItemKind, Knowledge
from polyadic.retrieval.community_search import largest_communities
from polyadic.retrieval.global_knowledge import report_contexts, report_overview, reports_in_turn
from polyadic.retrieval.registry import method_named
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stores_with_hierarchy import with_hierarchy
from tests.retrieval.stories import reader_of

QUESTION = "What are the main themes?"
NAMES = {letter: [f"{word}{letter}" for word in ("Ada", "Byron", "Engine", "Mill", "Loom", "Note")] for letter in "xyz"}
FACTS = {letter: [list(pair) for pair in pairwise(names)] for letter, names in NAMES.items()}
# The smallest first; a part of the largest, which is larger than the smallest, is on the next level.
COMMUNITIES = [NAMES["z"][:3], NAMES["y"][:5], NAMES["x"], NAMES["x"][:4]]


def store(by: str = "by hand") -> MemoryReader:
    return with_hierarchy(FACTS, {}, COMMUNITIES, by)


def survey(tokens: int = 4000, by: str = "by hand") -> Knowledge:
    found = asyncio.run(report_overview(QUESTION, store(by), HashingEmbedder(), tokens))
    assert found is not None
    return found


def heads(knowledge: Knowledge) -> list[Item]:
    return [item for item in knowledge.items if item.kind is ItemKind.REPORT and ":" not in item.id]


def test_largest_communities_of_the_top_level_come_first() -> None:
    found = survey()
    communities = store().records.hierarchy().communities
    sizes = {one.id: (one.level, len(one.members)) for one in communities}
    assert [sizes[item.id] for item in heads(found)] == [(0, 6), (0, 5), (0, 3), (1, 4)]


def test_each_report_is_one_block() -> None:
    blocks = [list(block) for _, block in groupby(survey().items, lambda item: item.id.partition(":")[0])]
    assert len(blocks) == len(COMMUNITIES)
    for block in blocks:
        assert block[0].id and ":" not in block[0].id
        assert [item.id.partition(":")[2] for item in block[1:]] == [str(n + 1) for n in range(len(block) - 1)]


def test_every_report_of_the_top_gets_its_summary_before_any_gets_a_second_finding() -> None:
    reader, whole = store(), survey()
    vector = reader.embedded(QUESTION)
    largest = largest_communities(9, vector, reader, reader.hierarchy_reader())
    contexts = report_contexts(largest, reader, reader.hierarchy_reader())
    room = sum(item.tokens for item in heads(whole)[:3]) + 3
    found = reports_in_turn(contexts, vector, reader, reader.hierarchy_reader(), room)
    assert [item.id for item in found] == [item.id for item in heads(whole)[:3]]


def test_findings_are_about_all_documents_of_a_report() -> None:
    reader = with_hierarchy(FACTS, {}, [[*NAMES["x"], *NAMES["y"][:2], *NAMES["z"][:2]]])
    vector = reader.embedded(QUESTION)
    largest = largest_communities(1, vector, reader, reader.hierarchy_reader())
    contexts = report_contexts(largest, reader, reader.hierarchy_reader())
    whole = reports_in_turn(contexts, vector, reader, reader.hierarchy_reader(), 4000)
    about = [item.places[0].document_id for item in whole]
    assert len(whole) == 1 + 7 and len(set(about)) == 3
    room = sum(item.tokens for item in whole[:1]) + max(item.tokens for item in whole) * 3
    shown = reports_in_turn(contexts, vector, reader, reader.hierarchy_reader(), room)
    assert len(shown) < len(whole) and {item.places[0].document_id for item in shown} == set(about)


def test_facts_quoted_in_two_reports_are_shown_once() -> None:
    found = survey(by="extractive")
    assert len({(item.kind, item.id) for item in found.items}) == len(found.items)
    assert all(item.places for item in found.items)


def test_without_reports_there_is_no_such_overview() -> None:
    assert asyncio.run(report_overview(QUESTION, reader_of(FACTS), HashingEmbedder(), 4000)) is None


def test_relevance_decides_between_communities_of_one_size() -> None:
    reader = with_hierarchy(FACTS, {}, [NAMES["z"][:4], NAMES["y"][:4]])
    for letter in "yz":
        near = largest_communities(
            1, reader.embedded(" meets ".join(NAMES[letter][:2])), reader, reader.hierarchy_reader()
        )
        (community,) = reader.hierarchy_reader().communities(np.array([one.row for one in near]))
        assert community.report is not None and community.report.title == f"The world of Ada{letter}"


def test_method_hierarchy_uses_the_same_blocks() -> None:
    method = method_named("global", Settings())
    found = asyncio.run(method.retrieve(QUESTION, store(), HashingEmbedder(), 4000))
    assert [item.id for item in found.items] == [item.id for item in survey().items]
