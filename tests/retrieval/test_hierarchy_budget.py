"""How sections share a budget, and what a context of them looks like."""

from dataclasses import replace

import numpy as np

from polyadic.evaluation.datasets import corpus_id
from polyadic.evaluation.question_record import RetrievedRecord
from polyadic.generation.context import lay_out
from polyadic.model.types import (
    Item,
    ItemKind,
    Knowledge,
    RetrievalSection,
)
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stores_with_hierarchy import with_hierarchy
from tests.retrieval.test_hierarchy import STORY, ask, reader, texts

__all__ = ["reader"]


def test_context_has_a_heading_per_section(reader: MemoryReader) -> None:
    found = ask("hierarchy", reader, "What do Byron and the Engine have in common?")
    context = lay_out(found, 4000)
    shown = [piece.item.section for piece in context.pieces]
    assert shown == sorted(shown, key=[RetrievalSection.LOCAL, RetrievalSection.BRIDGE, RetrievalSection.GLOBAL].index)
    assert len(set(shown)) == 3
    headings = [line for line in context.text.splitlines() if line and line[0] not in "[ "]
    assert len(headings) == 3


def test_community_reports_are_ordered_by_coverage_then_rating(reader: MemoryReader) -> None:
    found = ask("graphrag", reader, "Byron")
    reports = found.of(ItemKind.REPORT)
    assert reports[0].text.startswith("The world of Ada. What Ada is about.\nIt is found that ")
    assert {item.section for item in found.items} == {RetrievalSection.NONE}
    assert found.facts and found.chunks


def test_shares_of_the_sections_can_be_set(reader: MemoryReader) -> None:
    question = "What do Byron and the Engine have in common?"
    without = ask("hierarchy", reader, question, bridge_share=0)
    assert {one.section for one in without.items} == {RetrievalSection.LOCAL, RetrievalSection.GLOBAL}
    assert not texts(ask("hierarchy", reader, question, local_share=0.5, bridge_share=0.5), RetrievalSection.GLOBAL)


def test_summaries_count_for_one_document() -> None:
    place = with_hierarchy(STORY, {}).chunk_places(np.array([0, 1, 2]))
    report = Item(ItemKind.REPORT, "r", "report", 1.0, "", 5, tuple(place))
    found = Knowledge(
        "?", "global", (report, replace(report, kind=ItemKind.FACT, id="f", places=tuple(place[2:]))), 10, 0, ()
    )
    assert found.items[0].shown_places == tuple(place[:1])
    assert found.documents == (place[0].source, place[2].source, place[1].source)
    counted = [RetrievedRecord.of(one).passages for one in found.items]
    assert counted == [(corpus_id(place[0].source),), (corpus_id(place[2].source),)]
