"""From what an answer cites to the very sentence that bears it out."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.generation.citation_attribution import claims_of, narrow_citations
from polyadic.model.types import Document, ItemKind, SourceSpan, Span
from polyadic.workspace import Workspace
from tests.support.indexers import CountingEmbedder

TEXT = """# Salt and steam

The Undine was built by the Holm yard in Regensburg. It carried eighty
people, freight and cattle. Sebastian Haberland was its captain.

- The chimney was folded down under the bridge.
- 1931: scrapped after a fire.

之后它被拆毁。船长是哈伯兰。
"""
SHIP = Document("memory:ship", "Undine", TEXT)


def place(document: Document, start: int = 0, end: int | None = None) -> SourceSpan:
    stop = len(document.text) if end is None else end
    return SourceSpan(
        document.id, document.source, document.title, "c", Span(start, stop), document.text[start:stop], 4
    )


def found(text: str, *cited: SourceSpan) -> list[tuple[SourceSpan, float]]:
    return asyncio.run(narrow_citations(text, [[where] for where in cited], HashingEmbedder()))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The captain was Sebastian Haberland", "Sebastian Haberland was its captain."),
        ("It could carry eighty people and cattle", "It carried eighty\npeople, freight and cattle."),
        ("It was scrapped in 1931", "- 1931: scrapped after a fire."),
        ("船长是哈伯兰", "船长是哈伯兰。"),
    ],
)
def test_citation_points_to_the_supporting_sentence(claim: str, quote: str) -> None:
    ((where, score),) = found(f"{claim} [1].", place(SHIP))
    assert where.quote == quote == TEXT[where.span.start : where.span.end]
    assert (where.page, where.chunk_id, where.title) == (4, "c", "Undine")
    vectors = asyncio.run(HashingEmbedder().embed([f"{claim}.", f"Undine: {' '.join(quote.split())}"]))
    assert score == pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5)


def test_each_marker_is_attributed_separately() -> None:
    text = "The yard was Holm [1]. The captain was Haberland.[2] It could fold its chimney [3][1]."
    quotes = [where.quote for where, _ in found(text, place(SHIP), place(SHIP), place(SHIP))]
    assert quotes[1:] == ["Sebastian Haberland was its captain.", "- The chimney was folded down under the bridge."]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Ada wrote. [1] Bob read. [2]", ["Ada wrote.", "Bob read."]),
        ("Ada wrote.[1] Bob read.[2]", ["Ada wrote.", "Bob read."]),
        ("Ada wrote [1]. Bob [2] read.", ["Ada wrote.", "Bob read."]),
        ("艾达写了它。[1]鲍勃读了它[2]。", ["艾达写了它。", "鲍勃读了它。"]),
        ("[1] Ada wrote, Bob read", ["Ada wrote, Bob read", "Ada wrote, Bob read"]),
        ("- Ada [1]\n- Bob [2]", ["- Ada", "- Bob"]),
        ("[1][2]", ["", ""]),
        ("", ["", ""]),
    ],
)
def test_claims_are_split_by_markers(text: str, claims: list[str]) -> None:
    assert claims_of(text, 2) == claims


def test_fact_citation_uses_the_best_of_its_places() -> None:
    first, second = TEXT.index("The Undine"), TEXT.index("Sebastian")
    places = [place(SHIP, first, first + 52), place(SHIP, second, second + 36)]
    ((where, _),) = asyncio.run(narrow_citations("Haberland was captain [1].", [places], HashingEmbedder()))
    assert where == places[1]


def test_headings_only_stay_unchanged() -> None:
    heading = place(SHIP, 0, 16)
    assert found("Salt [1].", heading)[0][0] == heading
    assert found("Salt.") == []


@pytest.mark.parametrize(("cited", "most"), [(1, 13), (5, 65), (20, 260), (100, 400)])
def test_attribution_cost_is_bounded(cited: int, most: int) -> None:
    words = " ".join(f"Sentence {i} tells of engine {i} and more." for i in range(200))
    document = Document("memory:long", "", words)
    text = " ".join(f"It tells of engine {n} [{n}]." for n in range(1, cited + 1))
    embedder = CountingEmbedder()
    asyncio.run(narrow_citations(text, [[place(document)]] * cited, embedder))
    assert len(embedder.embedded) <= most


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    settings = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(tokens=60, overlap=15))
    with Workspace(tmp_path_factory.mktemp("narrow"), settings) as workspace:
        texts = (Path(__file__).parents[1] / "languages" / "texts").glob("*/*.*")
        workspace.add(
            [SHIP, *(Document(f"memory:{f.name}", f.stem, f.read_text(encoding="utf-8")) for f in sorted(texts))]
        )
        yield workspace


@given(
    question=st.sampled_from(
        ["Wer entwarf die Brücke?", "谁设计了清水桥？", "¿Quién fundó Puerto Lucena?", "Who built it?"]
    ),
    claim=st.sampled_from(
        ["Johanna Kessler", "1934年10月2日通车", "Diego de la Vega en 1744", "Holm in Regensburg", ""]
    ),
    method=st.sampled_from(["walk", "chunks", "hypergraph"]),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_quotations_equal_the_document_text(kb: Workspace, question: str, claim: str, method: str) -> None:
    items = [item for item in kb.retrieve(question, method).items if item.places][:8]
    text = " ".join(f"{claim} [{n}]." for n in range(1, len(items) + 1))
    narrow = asyncio.run(narrow_citations(text, [item.places for item in items], HashingEmbedder()))
    for item, (where, score) in zip(items, narrow, strict=True):
        document = kb.show_document(where.source).document
        assert document.text[where.span.start : where.span.end] == where.quote
        around = next(p for p in item.places if p.span.start <= where.span.start and where.span.end <= p.span.end)
        assert around.chunk_id == where.chunk_id
        assert item.kind is ItemKind.FACT or item.id == where.chunk_id
        assert np.isfinite(score) and -1.01 <= score <= 1.01
