"""Fitting to a budget."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyadic.generation.context import lay_out
from polyadic.model.types import Item, ItemKind
from polyadic.retrieval.items import RetrievedRow
from polyadic.retrieval.token_budget import knowledge, knowledge_of, truncate_to_budget
from polyadic.retrieval.trace import Trace
from tests.retrieval.stories import reader_of

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
    reader = reader_of({"one": [["Ada", "Babbage"]]})
    fact, too_long = RetrievedRow(ItemKind.FACT, 0, 5, 1.0, "one"), RetrievedRow(ItemKind.CHUNK, 99, 9, 1.0, "two")
    rows = [fact, too_long, fact]
    found = knowledge_of("q?", "by hand", rows, 10, Trace(), reader)
    assert [(item.id, item.why, item.tokens) for item in found.items] == [(reader.facts(np.array([0]))[0].id, "one", 5)]
    assert (found.tokens, found.omitted) == (5, 1)


MEETINGS = reader_of({"one": [["Ada", "Babbage"], ["Ada", "Menabrea"]], "two": [["Somerville", "Herschel"]]})


def row(kind: ItemKind, number: int, tokens: int) -> RetrievedRow:
    return RetrievedRow(kind, number, tokens, 1.0, "by hand")


def test_facts_of_a_retrieved_passage_take_no_tokens() -> None:
    """In either order, whatever the room."""
    facts = [row(ItemKind.FACT, number, 6) for number in range(3)]
    chunk = row(ItemKind.CHUNK, 0, 10)
    for rows in ([chunk, *facts], [*facts[:2], chunk, facts[2]]):
        found = knowledge_of("q?", "by hand", rows, 16, Trace(), MEETINGS)
        assert [item.tokens for item in found.facts] == [0, 0, 6]
        assert (found.tokens, found.omitted) == (16, 0)


COPIES = reader_of({name: [["Ada", "Babbage"], ["Ada", "Menabrea"]] for name in ("one", "two")})


def test_passage_with_the_text_of_another_file_takes_no_tokens() -> None:
    """A prompt shows both once, so the room is for others."""
    rows = [row(ItemKind.CHUNK, 0, 10), row(ItemKind.CHUNK, 1, 10), row(ItemKind.FACT, 0, 6)]
    found = knowledge_of("q?", "by hand", rows, 10, Trace(), COPIES)
    assert [item.tokens for item in found.items] == [10, 0, 0]
    assert (found.tokens, found.omitted) == (10, 0)
    assert len(lay_out(found, 100).pieces) == 1
    different = knowledge_of("q?", "by hand", rows[:2], 10, Trace(), MEETINGS)
    assert [item.tokens for item in different.items] == [10] and different.omitted == 1


def test_facts_take_their_tokens_as_listed() -> None:
    rows = [row(ItemKind.CHUNK, 0, 10), *(row(ItemKind.FACT, number, 6) for number in range(3))]
    found = knowledge_of("q?", "by hand", rows, 16, Trace(), MEETINGS, as_listed=True)
    assert [item.tokens for item in found.items] == [10, 6] and found.omitted == 2


def test_best_passage_that_does_not_fit_is_cut_around_the_best_sentence() -> None:
    meetings = [["Ada", "Babbage"], *([f"Guest {n}", f"Host {n}"] for n in range(40)), ["Somerville", "Herschel"]]
    reader = reader_of({"one": meetings})
    found = knowledge_of("Whom did Somerville meet?", "by hand", [row(ItemKind.CHUNK, 0, 400)], 60, Trace(), reader)
    (item,) = found.items
    assert "Somerville meets Herschel." in item.text and "Ada" not in item.text
    assert 40 < item.tokens == found.tokens <= 60 and found.omitted == 0
    assert item.text == item.places[0].quote
    assert not knowledge_of("Whom?", "by hand", [row(ItemKind.CHUNK, 0, 400)], 60, Trace(), reader, True).items


def test_passage_that_fits_is_not_cut() -> None:
    found = knowledge_of("Whom did Ada meet?", "by hand", [row(ItemKind.CHUNK, 0, 10)], 500, Trace(), MEETINGS)
    assert [item.tokens for item in found.items] == [10]
    assert "Babbage" in found.items[0].text and "Menabrea" in found.items[0].text


def test_passage_fits_exactly_into_the_room_of_its_facts() -> None:
    rows = [row(ItemKind.FACT, 0, 6), row(ItemKind.FACT, 1, 6), row(ItemKind.CHUNK, 0, 12)]
    found = knowledge_of("q?", "by hand", rows, 12, Trace(), MEETINGS)
    assert [item.tokens for item in found.items] == [0, 0, 12]


def test_passage_is_cut_only_into_forty_tokens_or_more_and_where_a_sentence_shares_a_word() -> None:
    reader = reader_of({"one": [["Ada", "Babbage"], *([f"Guest {n}", f"Host {n}"] for n in range(40))]})

    def cut(question: str, room: int) -> int:
        return len(knowledge_of(question, "by hand", [row(ItemKind.CHUNK, 0, 400)], room, Trace(), reader).items)

    assert [cut("Whom did Ada meet?", room) for room in (39, 40)] == [0, 1]
    assert cut("Which xylophone?", 60) == 0
