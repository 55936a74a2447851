"""Fitting to a budget."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.types import Item, ItemKind
from polyadic.retrieval.items import RetrievedRow
from polyadic.retrieval.token_budget import knowledge, knowledge_of, truncate_to_budget
from polyadic.retrieval.trace import Trace
from tests.retrieval.stories import told

ITEMS = st.lists(
    st.builds(
        lambda kind, name, tokens: Item(kind, name, name, 1.0, "by hand", tokens),
        st.sampled_from(list(ItemKind)),
        st.sampled_from("abcdef"),
        st.integers(0, 50),
    ),
    max_size=20,
)


@given(ITEMS, st.integers(0, 200))
def test_result_respects_the_budget_without_duplicates(items: list[Item], budget: int) -> None:
    kept, omitted = truncate_to_budget(items, budget)
    assert sum(item.tokens for item in kept) <= budget
    identities = [(item.kind, item.id) for item in kept]
    assert len(set(identities)) == len(identities)
    assert omitted + len(kept) == len({(item.kind, item.id) for item in items})


@given(ITEMS, st.integers(0, 200))
def test_order_is_kept(items: list[Item], budget: int) -> None:
    kept, _ = truncate_to_budget(items, budget)
    places = [items.index(item) for item in kept]
    assert places == sorted(places)


def test_shorter_item_uses_the_remaining_budget() -> None:
    long, short = (Item(ItemKind.FACT, name, name, 1.0, "", tokens) for name, tokens in (("long", 9), ("short", 3)))
    assert truncate_to_budget([long, short], 5) == ((short,), 1)


def test_what_just_fits_is_kept() -> None:
    items = [Item(ItemKind.FACT, name, name, 1.0, "", 5) for name in "abc"]
    assert truncate_to_budget(items, 10) == ((items[0], items[1]), 1)


def test_knowledge_counts_tokens_and_traces() -> None:
    item = Item(ItemKind.FACT, "a", "a", 1.0, "", 7)
    found = knowledge("q?", "by hand", [item], 10, Trace())
    assert (found.tokens, found.omitted, found.trace[-1].name) == (7, 0, "fit")


def test_items_are_fetched_only_if_they_fit() -> None:
    """What is too long, and what comes twice, is told by its row and its tokens alone."""
    reader = told({"one": [["Ada", "Babbage"]]})
    fact, too_long = RetrievedRow(ItemKind.FACT, 0, 5, 1.0, "one"), RetrievedRow(ItemKind.CHUNK, 99, 9, 1.0, "two")
    rows = [fact, too_long, fact]
    found = knowledge_of("q?", "by hand", rows, 10, Trace(), reader)
    assert [(item.id, item.why, item.tokens) for item in found.items] == [(reader.facts(np.array([0]))[0].id, "one", 5)]
    assert (found.tokens, found.omitted) == (5, 1)
