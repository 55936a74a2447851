"""What each tool finds, and that it stays within what was asked for."""

import pytest

from polyadic.mcp import results
from polyadic.model.types import FactDetails, Item, ItemKind, ParticipantDetails, SourceSpan, Span
from tests.mcp.conftest import ADA, DOCUMENTS, TURIN
from tests.mcp.running_server import Connect, problem, result

TEXTS = {document.source: document.text for document in DOCUMENTS}
ADA_ID, TURIN_ID = (document.id for document in DOCUMENTS)


def test_citations_refer_to_the_quoted_span(main: Connect) -> None:
    found = result(main, "query", question="Where did Charles Babbage speak in 1840?")
    assert found["answered"] and 0 < found["confidence"] < 1
    assert found["citations"]
    for place in [*found["citations"], *(place for item in found["knowledge"] for place in item["places"])]:
        assert TEXTS[place["source"]][place["start"] : place["end"]] == place["quote"]
        assert place["uri"] == f"polyadic://document/{place['document']}"
    for cited in found["citations"]:
        assert cited["supported"] and cited["claim"] == f'"{cited["quote"]}"'
        assert f"{cited['claim']} [{cited['marker']}]" in found["answer"]
    (spoke,) = (cited for cited in found["citations"] if "1840" in cited["quote"])
    assert (spoke["source"], spoke["title"], spoke["page"]) == ("/notes/turin.md", "A journey", 1)


def test_query_can_return_knowledge_only(main: Connect) -> None:
    found = result(main, "query", question="Who taught Ada Lovelace?", answer=False, items=1)
    assert found["answer"] is None
    assert not found["answered"]
    assert found["citations"] == []
    assert len(found["knowledge"]) == 1
    assert found["more_items"] > 0
    assert result(main, "query", question="Who taught Ada Lovelace?", items=0)["knowledge"] == []


def test_query_takes_method_and_token_budget(main: Connect) -> None:
    found = result(main, "query", question="Who met Charles Babbage?", answer=False, method="chunks", context_tokens=25)
    assert found["method"] == "chunks"
    assert [item["kind"] for item in found["knowledge"]] == ["chunk"]
    assert found["more_items"] == 1


@pytest.mark.parametrize(
    "name", ["/notes/turin.md", TURIN_ID, TURIN_ID[:8], "a JOURNEY", "turin.md", "/notes/turin.md"]
)
@pytest.mark.parametrize("tool", ["query", "search_facts"])
def test_query_can_be_limited_to_documents(main: Connect, tool: str, name: str) -> None:
    about = {"question": "Charles Babbage", "answer": False} if tool == "query" else {"words": "Charles Babbage"}
    found = result(main, tool, documents=[name], **about)
    items = found["knowledge"] if tool == "query" else found["facts"]
    assert {place["source"] for item in items for place in item["places"]} == {"/notes/turin.md"}


def test_documents_are_filtered_by_folder_and_metadata(main: Connect) -> None:
    everywhere = result(main, "search_facts", words="London", documents=["/notes"])
    assert {place["title"] for fact in everywhere["facts"] for place in fact["places"]} == {"Ada Lovelace", "A journey"}
    life = result(main, "search_facts", words="Turin", where={"kind": "life"})
    assert {place["title"] for fact in life["facts"] for place in fact["places"]} == {"Ada Lovelace"}
    assert "no document has the metadata kind=none" in problem(main, "search_facts", words="x", where={"kind": "none"})


def test_search_facts_orders_by_similarity(main: Connect) -> None:
    facts = result(main, "search_facts", words="Mary Somerville taught Ada Lovelace.", limit=2)["facts"]
    assert facts[0]["text"] == "Mary Somerville taught Ada Lovelace."
    assert facts[0]["score"] > facts[1]["score"]
    assert facts[0]["why"].startswith("similar to the words (")
    assert len(facts) == 2


def test_search_facts_by_entities(main: Connect) -> None:
    together = result(main, "search_facts", entities=["Ada Lovelace", "london"])["facts"]
    assert len(together) == 2
    assert all({"Ada Lovelace", "London"} <= set(fact["entities"]) for fact in together)
    by_both = result(main, "search_facts", entities=["Ada Lovelace"], words="teaching: taught by Mary", limit=1)[
        "facts"
    ]
    assert by_both[0]["text"].startswith("Mary Somerville")
    assert by_both[0]["why"].startswith("connects what was named, similar to the words (")


def test_get_entity_returns_its_facts(main: Connect) -> None:
    entity = result(main, "get_entity", entity="charles babbage", limit=2)
    assert entity["name"] == "Charles Babbage"
    assert entity["fact_count"] == 3
    assert len(entity["facts"]) == 2
    for fact in entity["facts"]:
        assert "Charles Babbage" in fact["entities"]
        (at,) = fact["places"]
        assert fact["text"].endswith(TEXTS[at["source"]][at["start"] : at["end"]])
    assert result(main, "get_entity", entity=entity["id"], limit=0)["facts"] == []


def test_get_document_span_returns_the_text(main: Connect) -> None:
    found = result(main, "get_document_span", document="turin.md", start=40, end=55)
    assert found["text"] == TURIN[40:55]
    assert (found["page"], found["start"], found["end"], found["characters"]) == (2, 40, 55, len(TURIN))


def test_span_is_cut_at_the_document_end(main: Connect) -> None:
    found = result(main, "get_document_span", document=f"polyadic://document/{ADA_ID}", start=10, end=9_000)
    assert (found["text"], found["end"], found["page"]) == (ADA[10:], len(ADA), None)
    assert result(main, "get_document_span", document=ADA_ID)["text"] == ADA
    assert result(main, "get_document_span", document=ADA_ID, start=len(ADA))["text"] == ""


def test_list_documents_is_paginated(main: Connect) -> None:
    first = result(main, "list_documents", limit=1)
    assert (first["total"], [one["source"] for one in first["documents"]]) == (2, ["/notes/ada.md"])
    assert first["documents"][0]["metadata"] == {"kind": "life"}
    assert first["documents"][0]["characters"] == len(ADA)
    second = result(main, "list_documents", limit=1, after=first["next"])
    assert [one["source"] for one in second["documents"]] == ["/notes/turin.md"]
    assert second["next"] is None
    assert result(main, "list_documents", after="/zzz")["documents"] == []


def test_long_text_is_truncated_and_can_be_continued(own: Connect) -> None:
    text = "Ada Lovelace met " + ", ".join(f"Person Number{n} of London" for n in range(70)) + "."
    added = result(own, "add_document", name="long", text=text)
    (passage,) = result(own, "query", question="Ada Lovelace", method="chunks", answer=False, items=1)["knowledge"]
    (place,) = passage["places"]
    assert len(place["quote"]) == 600
    assert place["quote"].endswith("…")
    whole = result(own, "get_document_span", document=added["id"], start=place["start"], end=place["end"])
    assert whole["text"] == text[place["start"] : place["end"]]
    assert whole["text"].startswith(place["quote"].removesuffix("…"))


def test_item_length_is_bounded() -> None:
    at = SourceSpan("d", "memory:d", "T" * 9_000, "c", Span(0, 9_000), "q" * 9_000)
    item = results.retrieved_result(
        Item(ItemKind.FACT, "f", "t" * 9_000, 1.0, "w" * 9_000, 1, (at,) * 9, ("e" * 9_000,) * 90)
    )
    assert (len(item.text), len(item.why), len(item.entities), len(item.entities[0])) == (2_000, 500, 50, 500)
    assert [(len(place.quote), len(place.title), place.end) for place in item.places] == [(600, 500, 9_000)] * 3


def test_details_of_facts_and_dates_of_documents_are_returned(own: Connect) -> None:
    details = FactDetails((ParticipantDetails("Eve", "author", ""),), "1843")
    at = SourceSpan("d", "memory:d", "T", "c", Span(0, 9), "q", date="1843-10-02")
    item = results.retrieved_result(Item(ItemKind.FACT, "f", "t", 1.0, "w", 1, (at,), details=(details,)))
    assert (item.details, item.places[0].date) == (["author: Eve; valid from 1843"], "1843-10-02")
    result(own, "add_document", name="dated", text="Eve saw Adam in Paris.", metadata={"date": "1843-10-02"})
    (found,) = [fact for fact in result(own, "get_entity", entity="Adam")["facts"] if "Paris" in fact["text"]]
    assert (found["details"], [place["date"] for place in found["places"]]) == ([], ["1843-10-02"])


def test_an_added_document_keeps_its_title_and_metadata(own: Connect) -> None:
    added = result(
        own, "add_document", name="a b", title=" Two\nlines ", text="Eve saw Adam.\r\nNoah.", metadata={"k": "v"}
    )
    assert added["source"] == "mcp:a b"
    (listed,) = result(own, "list_documents")["documents"]
    assert (listed["title"], listed["metadata"]) == ("Two lines", {"k": "v"})
    assert result(own, "get_document_span", document=added["uri"])["text"] == "Eve saw Adam.\nNoah."


def test_add_document_cannot_replace_other_sources(own: Connect) -> None:
    added = result(own, "add_document", name="/notes/ada.md", text="Ada Lovelace never existed, says Eve.")
    assert added["source"] == "mcp:/notes/ada.md"
