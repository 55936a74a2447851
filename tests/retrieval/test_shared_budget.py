"""Sections and other queues share a budget."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.types import Item, ItemKind, RetrievalSection
from polyadic.retrieval.items import chunk_items, fact_items
from polyadic.retrieval.shared_budget import shared_knowledge, split_budget
from polyadic.retrieval.trace import Trace
from tests.retrieval.stories import reader_of

LOCAL, BRIDGE, GLOBAL = RetrievalSection.LOCAL, RetrievalSection.BRIDGE, RetrievalSection.GLOBAL


def item(name: str, tokens: int, section: RetrievalSection = RetrievalSection.NONE) -> Item:
    return Item(ItemKind.CHUNK, name, name, 1.0, "", tokens, section=section)


def split(queues: dict[str, list[Item]], shares: dict[str, float], room: int) -> tuple[list[str], int]:
    kept, omitted = split_budget(queues, shares, room)
    return [one.id for one in kept], omitted


def test_the_queue_that_has_used_least_of_its_share_is_next() -> None:
    queues = {key: [item(f"{key}{n}", 10) for n in range(4)] for key in "ab"}
    # a has used 10 / 3, less than 10 of b, until it has used 30 as well.
    assert split(queues, {"a": 3.0, "b": 1.0}, 60) == (["a0", "b0", "a1", "a2", "a3", "b1"], 2)


def test_of_queues_that_have_used_nothing_the_first_is_next() -> None:
    assert split({"a": [item("a0", 10)], "b": [item("b0", 10)]}, {"a": 1.0, "b": 3.0}, 60) == (["a0", "b0"], 0)


def test_tokens_count_and_not_items() -> None:
    queues = {"a": [item("a0", 30), item("a1", 10)], "b": [item(f"b{n}", 10) for n in range(4)]}
    assert split(queues, {"a": 1.0, "b": 1.0}, 100)[0] == ["a0", "b0", "b1", "b2", "a1", "b3"]


def test_what_just_fits_is_kept_and_what_does_not_is_skipped() -> None:
    queues = {"a": [item("a0", 6), item("long", 5), item("a1", 4)]}
    assert split(queues, {"a": 1.0}, 10) == (["a0", "a1"], 1)


def test_what_two_queues_have_is_taken_once_and_omitted_once() -> None:
    queues = {key: [item("long", 50), item("x", 5), item(key, 5)] for key in "ab"}
    assert split(queues, {"a": 1.0, "b": 1.0}, 40) == (["x", "b", "a"], 1)


def test_reports_come_last_and_the_trace_has_the_tokens_of_each_section() -> None:
    sections = {
        GLOBAL: [item("report", 5, GLOBAL)],
        LOCAL: [item("fact", 10, LOCAL), item("other", 20, LOCAL)],
        BRIDGE: [item("path", 7, BRIDGE), item("long", 90, BRIDGE)],
    }
    found = shared_knowledge("q?", "by hand", sections, {GLOBAL: 1.0, LOCAL: 1.0, BRIDGE: 1.0}, 50, Trace())
    assert [one.id for one in found.items] == ["fact", "path", "other", "report"]
    assert (found.tokens, found.omitted) == (42, 1)
    sizes = f"{GLOBAL} 5, {LOCAL} 30, {BRIDGE} 7"
    assert found.trace[-1].detail == f"4 items of {sizes} tokens; 1 did not fit into 50"


@pytest.mark.parametrize(("share", "kept"), [(0.0, ["a0"]), (0.01, ["a0", "b0"])])
def test_only_a_queue_without_a_share_is_left_out(share: float, kept: list[str]) -> None:
    assert split({"a": [item("a0", 5)], "b": [item("b0", 5)]}, {"a": 1.0, "b": share}, 50) == (kept, 0)


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


COPIES = reader_of({name: [["Ada", "Babbage"], ["Ada", "Menabrea"]] for name in ("one", "two")})


def test_copy_does_not_take_the_share_of_a_section() -> None:
    first, copy = chunk_items(np.arange(2), np.ones(2, dtype=np.float32), ["", ""], COPIES)
    fact = Item(ItemKind.FACT, "f", "Ada died.", 1.0, "", 5)
    kept, omitted = split_budget({"local": [first, copy, fact]}, {"local": 1.0}, first.tokens + 5)
    assert kept == (first, fact) and omitted == 0
    title = replace(copy, places=(replace(copy.places[0], title="Another title"),))
    assert split_budget({"local": [first, title]}, {"local": 1.0}, 100)[0] == (first, title)


STORY = reader_of({"one": [["Ada", "Babbage"], ["Ada", "Menabrea"]], "two": [["Byron", "Shelley"]]})
FACTS = [replace(fact, tokens=5) for fact in fact_items(np.arange(3), np.ones(3, np.float32), [""] * 3, STORY)]
PASSAGE = replace(chunk_items(np.arange(1), np.ones(1, np.float32), [""], STORY)[0], tokens=10)


def tokens_of(queues: dict[str, list[Item]], room: int) -> list[int]:
    kept, _ = split_budget(queues, dict.fromkeys(queues, 1.0), room, state_once=True)
    return [one.tokens for one in kept]


def test_fact_that_a_taken_passage_states_takes_no_tokens_before_or_after_it() -> None:
    assert tokens_of({"a": [FACTS[0], PASSAGE, FACTS[1], FACTS[2]]}, 15) == [0, 10, 0, 5]
    assert tokens_of({"a": [FACTS[0], PASSAGE]}, 10) == [0, 10]
    assert tokens_of({"a": [FACTS[0], FACTS[2], PASSAGE]}, 14) == [5, 5]
    assert [one.tokens for one in split_budget({"a": [FACTS[0], PASSAGE]}, {"a": 1.0}, 15)[0]] == [5, 10]


def test_tokens_that_a_passage_frees_are_returned_to_the_share_of_their_queue() -> None:
    others = [item(f"b{n}", 5) for n in range(3)]
    kept, _ = split_budget(
        {"a": [*FACTS[:2], item("a", 5)], "b": [PASSAGE, *others]}, {"a": 1.0, "b": 1.0}, 100, state_once=True
    )
    # Once its facts are free, the first queue has used nothing.
    assert [one.id for one in kept] == [FACTS[0].id, PASSAGE.id, FACTS[1].id, "a", "b0", "b1", "b2"]


@given(st.permutations([*FACTS, PASSAGE, item("x", 7), item("y", 4)]), st.integers(0, 40))
def test_stated_facts_leave_more_room(order: list[Item], room: int) -> None:
    kept, omitted = split_budget({"a": order}, {"a": 1.0}, room, state_once=True)
    assert sum(one.tokens for one in kept) <= room and len(kept) + omitted == len(order)
    shown = PASSAGE.id in {one.id for one in kept}
    assert all(one.tokens == (0 if shown else 5) for one in kept if one.id in {FACTS[0].id, FACTS[1].id})
