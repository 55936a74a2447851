"""One budget for several kinds of items, by numbers worked out by hand."""

import pytest

from polyadic.model.types import Item, ItemKind, RetrievalSection
from polyadic.retrieval.budget_split import shared_knowledge, split_budget
from polyadic.retrieval.trace import Trace

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
