"""How sections share a budget, and what a context of them looks like."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.evaluation.datasets import corpus_id
from polyadic.evaluation.question_record import RetrievedRecord
from polyadic.generation.context import lay_out
from polyadic.model.types import (
    Item,
    ItemKind,
    Knowledge,
    RetrievalSection,
)
from polyadic.retrieval.token_budget import split_budget
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stores_with_hierarchy import with_hierarchy
from tests.retrieval.test_hierarchy import STORY, ask, item, reader, texts

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


def test_section_shares_hold_for_any_prefix() -> None:
    queues = {key: [item(f"{key}{i}", 10) for i in range(50)] for key in "ab"}
    kept, omitted = split_budget(queues, {"a": 0.75, "b": 0.25}, 400)
    assert (len(kept), omitted) == (40, 60)
    for count in range(1, 41):
        assert abs(sum(one.id.startswith("a") for one in kept[:count]) - 0.75 * count) <= 1


def test_unused_shares_go_to_other_sections() -> None:
    queues = {"a": [item("a", 10)], "b": [item(f"b{i}", 10) for i in range(9)], "c": [item("c", 10)]}
    kept, omitted = split_budget(queues, {"a": 0.5, "b": 0.5, "c": 0.0}, 60)
    assert ([one.id for one in kept], omitted) == (["a", "b0", "b1", "b2", "b3", "b4"], 4)


QUEUES = st.dictionaries(st.sampled_from("abc"), st.lists(st.tuples(st.sampled_from("uvwxyz"), st.integers(1, 40))))


@given(QUEUES, st.integers(0, 120))
def test_shared_budget_contains_each_item_once(queues: dict[str, list[tuple[str, int]]], room: int) -> None:
    items = {key: [item(name, tokens) for name, tokens in queue] for key, queue in queues.items()}
    kept, omitted = split_budget(items, dict.fromkeys(items, 0.3), room)
    assert sum(one.tokens for one in kept) <= room
    assert len({one.id for one in kept}) == len(kept)
    assert len(kept) + omitted == len({name for queue in queues.values() for name, _ in queue})


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
