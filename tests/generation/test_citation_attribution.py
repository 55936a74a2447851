"""From the claims of an answer to the sentences that support them."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.generation.citation_attribution import Attribution, attribute
from polyadic.generation.context import ContextPiece
from polyadic.model.types import Document, Item, ItemKind, SourceSpan, Span
from polyadic.workspace import Workspace
from tests.support.examples import examples
from tests.support.indexers import CountingEmbedder

TEXT = """# Salt and steam

The Undine was built by the Holm yard in Regensburg in 1890. It carried eighty
people, freight and cattle. Sebastian Haberland was its captain for 12 years.

- The chimney was folded down under the bridge.
- 1931: scrapped after a fire.

之后它被拆毁。船长是哈伯兰。
"""
SHIP = Document("memory:ship", "Undine", TEXT)
VOSTOK = Document(
    "memory:vostok", "Vostok 1", "Gagarin took off from Baikonur on 12 April 1961. He landed near Smelovka."
)


def place(document: Document, quote: str = "") -> SourceSpan:
    start = document.text.index(quote)
    stop = start + len(quote) if quote else len(document.text)
    return SourceSpan(
        document.id, document.source, document.title, "c", Span(start, stop), document.text[start:stop], 4
    )


@dataclass(frozen=True)
class Alike:
    """Embedder to which any two texts have the same cosine."""

    cosine: float

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        shared = np.full((len(texts), 1), np.sqrt(self.cosine))
        return np.hstack([shared, np.sqrt(1 - self.cosine) * np.eye(len(texts))]).astype(np.float32)


def piece(*places: SourceSpan, kind: ItemKind = ItemKind.CHUNK, text: str = "") -> ContextPiece:
    return ContextPiece(Item(kind, "i", text or places[0].quote, 1.0, "", 0, places), places, text)


def attributed(text: str, *cited: ContextPiece) -> Attribution:
    return asyncio.run(attribute(text, cited, HashingEmbedder()))


def quotes(text: str, *cited: ContextPiece) -> list[tuple[int, str]]:
    return [(citation.marker, citation.place.quote) for citation in attributed(text, *cited).citations]


def unsupported(text: str, *cited: ContextPiece) -> list[str]:
    return [text[c.span.start : c.span.end] for c in attributed(text, *cited).claims if not c.supported]


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The captain was Sebastian Haberland", "Sebastian Haberland was its captain for 12 years."),
        ("It could carry eighty people and cattle", "It carried eighty\npeople, freight and cattle."),
        ("It was scrapped in 1931", "- 1931: scrapped after a fire."),
        ("船长是哈伯兰", "船长是哈伯兰。"),
    ],
)
def test_a_claim_cites_the_sentence_that_supports_it(claim: str, quote: str) -> None:
    found = attributed(f"{claim} [1].", piece(place(SHIP)))
    (citation,) = found.citations
    assert citation.place.quote == quote == TEXT[citation.place.span.start : citation.place.span.end]
    assert (citation.place.page, citation.place.chunk_id, citation.place.title) == (4, "c", "Undine")
    assert found.claims[0].supported and 0 <= citation.score <= 1


def test_each_occurrence_of_a_marker_cites_its_own_sentence() -> None:
    text = "The yard was Holm [1]. The captain was Haberland.[1] It could fold its chimney [1]."
    found = attributed(text, piece(place(SHIP)))
    assert [citation.place.quote[:20] for citation in found.citations] == [
        "The Undine was built",
        "Sebastian Haberland ",
        "- The chimney was fo",
    ]
    assert [citation.at.start for citation in found.citations] == [i for i, c in enumerate(text) if c == "["]
    assert [claim.citations for claim in found.claims] == [(0,), (1,), (2,)]


def test_clauses_of_one_sentence_cite_their_own_sentences() -> None:
    text = "The Undine was built in Regensburg [1], its captain was Haberland [1] and it was scrapped in 1931 [1]."
    assert [quote[:10] for _, quote in quotes(text, piece(place(SHIP)))] == ["The Undine", "Sebastian ", "- 1931: sc"]


def test_every_marker_of_a_group_is_attributed_for_the_claim_that_it_closes() -> None:
    text = "Haberland was captain of the Undine, and Gagarin landed near Smelovka [1][2]."
    found = quotes(text, piece(place(SHIP)), piece(place(VOSTOK)))
    assert found == [(1, "Sebastian Haberland was its captain for 12 years."), (2, "He landed near Smelovka.")]


def test_a_claim_that_rests_on_two_sentences_cites_both() -> None:
    text = "Gagarin took off from Baikonur on 12 April 1961 and landed near Smelovka [1]."
    assert quotes(text, piece(place(VOSTOK))) == [
        (1, "Gagarin took off from Baikonur on 12 April 1961."),
        (1, "He landed near Smelovka."),
    ]


ISLES = Document(
    "memory:isles",
    "The republic",
    "The republic has five provinces, among them the Belisk Isles, a scatter of some forty islands in the Ullish Sea of"
    " which eleven are inhabited. Its currency is the dorin. A distinct dialect survives there.",
)


def test_the_words_of_a_short_clause_count_more_than_the_names_around_it() -> None:
    text = "- Belisk Isles: about forty islands in the Ullish Sea, of which eleven are inhabited [1]; a dialect [1]"
    assert [quote[:12] for _, quote in quotes(text, piece(place(ISLES)))] == ["The republic", "A distinct d"]


ENOS = Document(
    "memory:enos",
    "Project Mercury",
    "The chimpanzee Enos circled the Earth twice on an Atlas rocket on 29 November 1961. "
    "NASA presented Scott Carpenter, Gordon Cooper, John Glenn and Gus Grissom.",
)


def test_a_sentence_that_only_mentions_a_name_of_a_claim_is_not_cited_too() -> None:
    text = (
        "The chimpanzee Enos circled the Earth twice on an Atlas rocket on 29 November 1961, before John Glenn flew on"
        " the same type of rocket [1]."
    )
    assert [quote[:10] for _, quote in quotes(text, piece(place(ENOS)))] == ["The chimpa"]


def test_what_one_marker_of_a_claim_cites_is_not_cited_for_another() -> None:
    text = "Gagarin took off from Baikonur on 12 April 1961 and landed near Smelovka [1][2]."
    landing = Document("memory:landing", "The landing", "Gagarin landed near Smelovka.")
    assert quotes(text, piece(place(VOSTOK)), piece(place(landing))) == [
        (1, "Gagarin took off from Baikonur on 12 April 1961."),
        (2, "Gagarin landed near Smelovka."),
    ]


def test_a_sentence_with_a_missing_number_is_cited_too_however_long_the_claim_is() -> None:
    built = (
        "The Undine was a steamer with a hull of iron, a chimney that folded, cabins, an engine and an anchor, and the"
        " Holm yard of Regensburg built it"
    )
    document = Document("memory:undine", "", f"{built} in 1890. It served people for 41 years.")
    found = attributed(f"{built} in 1890, and served people for 41 years [1].", piece(place(document)))
    assert [citation.place.quote[:9] for citation in found.citations] == ["The Undin", "It served"]
    assert found.claims[0].supported


@pytest.mark.parametrize(
    ("other", "is_cited"),
    [
        ("Ida Holm was the first to cross it in 1995 with Karl Weber.", False),
        ("She was the first to cross it, in 1995.", True),
        ("Mara Lind was the first to cross it in 1995 with Karl Weber.", True),
    ],
)
def test_a_sentence_that_names_only_others_has_no_number_of_a_claim(other: str, is_cited: bool) -> None:
    first = "Mara Lind was the first to swim through the strait."
    document = Document("memory:strait", "", f"{first} {other}")
    found = quotes("Mara Lind was the first to swim through the strait, in 1995 [1].", piece(place(document)))
    assert ((1, other) in found) is is_cited


def test_a_claim_that_no_sentence_is_near_cites_its_item_as_a_whole() -> None:
    claim = "The nuns of a monastery in Passau owned it [1]."
    found = attributed(claim, piece(place(SHIP)))
    (citation,) = found.citations
    assert citation.whole_item and citation.place == place(SHIP)
    assert not found.claims[0].supported


def test_a_claim_of_which_the_best_sentence_has_a_third_cites_its_item_as_a_whole() -> None:
    (citation,) = attributed("It carried nuns and a bishop [1].", piece(place(SHIP))).citations
    assert citation.whole_item and citation.place == place(SHIP)


@pytest.mark.parametrize(("cosine", "is_quoted"), [(0.6, True), (0.0, False)])
def test_the_more_similar_a_sentence_is_the_fewer_words_of_a_claim_it_needs(cosine: float, is_quoted: bool) -> None:
    claim, cited = (
        "The vessel carried people [1].",
        [piece(place(SHIP, "It carried eighty\npeople, freight and cattle."))],
    )
    found = asyncio.run(attribute(claim, cited, Alike(cosine)))
    assert [not citation.whole_item for citation in found.citations] == [is_quoted]


def test_of_an_item_with_several_spans_the_one_with_the_best_sentence_is_cited_as_a_whole() -> None:
    places = place(VOSTOK), place(SHIP, TEXT[:190])
    (citation,) = attributed("Seven steamers of that yard sank [1].", piece(*places)).citations
    assert citation.whole_item and citation.place == places[1]


def test_a_sentence_that_contradicts_a_number_of_a_claim_is_not_quoted_for_it() -> None:
    found = attributed("The Undine was built by the Holm yard in 1891 [1].", piece(place(SHIP)))
    (citation,) = found.citations
    assert citation.whole_item
    assert not found.claims[0].supported


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The Undine was built in 1890 [1].", []),
        ("The Undine was built in 1891 [1].", ["The Undine was built in 1891"]),
        ("It was built in 1890 [1]. It belonged to a monastery of nuns in Passau [1].", [
            "It belonged to a monastery of nuns in Passau"
        ]),
        ("Built in 1890 and scrapped in 1931, after 41 years [1].", []),
        ("Built in 1890 and scrapped in 1931, after 43 years [1].", [
            "Built in 1890 and scrapped in 1931, after 43 years"
        ]),
        ("Haberland was its captain [1][2].", []),
        ("1. Haberland was its captain [1].\n2. The Holm yard in Regensburg built it [1].", []),
        ("- Crew, command and discipline: Haberland was its captain [1].", []),
        ("Built in 1890 [1]. Scrapped in 1931, after 41 years [1].", []),
    ],
)  # fmt: skip
def test_claims_that_nothing_cited_supports_are_flagged(text: str, claims: list[str]) -> None:
    assert unsupported(text, piece(place(SHIP)), piece(place(VOSTOK))) == claims


def test_the_title_of_a_document_is_the_subject_of_its_sentences() -> None:
    assert unsupported("On Vostok 1 he landed near Smelovka [1].", piece(place(VOSTOK))) == []
    assert unsupported("On Vostok 6 he landed near Smelovka [1].", piece(place(VOSTOK))) != []


def test_a_claim_that_shares_only_its_subject_with_dissimilar_sentences_is_flagged() -> None:
    assert unsupported("On Vostok 1 she baked bread [1].", piece(place(VOSTOK))) != []


LEONOV = Document(
    "memory:leonov",
    "Alexei Leonov",
    """# The second flight: Voskhod 2

Leonov and his drawing. Leonov became the first to walk in space when he had
left Voskhod 2. Leonov slept in the forest.
""",
)


@pytest.mark.parametrize("claim", ["Leonov and his spacewalk", "Leonov and his Voskhod 2"])
def test_a_sentence_with_the_words_of_a_claim_is_better_than_one_below_their_heading(claim: str) -> None:
    ((_, quote),) = quotes(f"{claim} [1].", piece(place(LEONOV)))
    assert quote.startswith("Leonov became")


def test_what_a_fact_resolves_is_known_of_its_sentence() -> None:
    landed = place(VOSTOK, "He landed near Smelovka.")
    claim = "Yuri Gagarin landed near Smelovka on 12 April 1961 [1]."
    assert unsupported(claim, piece(landed)) != []
    resolved = piece(landed, kind=ItemKind.FACT, text="Yuri Gagarin landed near Smelovka on 12 April 1961.")
    assert unsupported(claim, resolved) == []


def test_a_fact_may_cite_the_best_of_its_places() -> None:
    places = place(SHIP, "The Undine was built by the Holm yard"), place(SHIP, "Sebastian Haberland was its captain")
    (citation,) = attributed("Haberland was captain [1].", piece(*places)).citations
    assert citation.place == places[1]


def test_a_passage_of_nothing_but_a_heading_is_cited_whole() -> None:
    heading = place(SHIP, "# Salt and steam")
    assert attributed("Salt [1].", piece(heading)).citations[0].place == heading


def test_an_answer_without_markers_has_no_claims() -> None:
    assert attributed("Salt.") == Attribution()


@pytest.mark.parametrize("cited", [1, 20, 100])
def test_few_texts_are_embedded(cited: int) -> None:
    words = " ".join(f"Sentence {i} tells of engine {i} and more." for i in range(200))
    document = Document("memory:long", "", words)
    text = " ".join(f"It speaks of machines like number {n}00 [{n}]." for n in range(1, cited + 1))
    embedder = CountingEmbedder()
    asyncio.run(attribute(text, [piece(place(document))] * cited, embedder))
    assert len(embedder.embedded) <= 128


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    settings = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(tokens=60, overlap=15))
    with Workspace(tmp_path_factory.mktemp("attribution"), settings) as workspace:
        texts = (Path(__file__).parents[1] / "languages" / "texts").glob("*/*.*")
        workspace.add(
            [SHIP, *(Document(f"memory:{f.name}", f.stem, f.read_text(encoding="utf-8")) for f in sorted(texts))]
        )
        yield workspace


TEXTS = ["Johanna Kessler", "1934年10月2日通车。", "Diego de la Vega en 1744", "Holm in Regensburg", "x" * 300, " 🚢 "]
MARKERS = ["[1]", "[2]", "[3]", "[4](there)", "[2019]", "[1, 2]"]
PARTS = st.sampled_from([*TEXTS, *MARKERS, *MARKERS, ". ", ", ", "。", "\n- ", "\n\n"])


@given(
    question=st.sampled_from(["Wer entwarf die Brücke?", "谁设计了清水桥？", "¿Quién fundó Puerto Lucena?"]),
    parts=st.lists(PARTS, max_size=14),
    method=st.sampled_from(["walk", "chunks", "hypergraph"]),
)
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_citation_quotes_characters_of_its_item(
    kb: Workspace, question: str, parts: list[str], method: str
) -> None:
    items = [item for item in kb.retrieve(question, method).items if item.places][:3]
    text = "".join(parts)
    found = asyncio.run(attribute(text, [ContextPiece(i, i.places, i.text) for i in items], HashingEmbedder()))
    for citation in found.citations:
        where, item = citation.place, items[citation.marker - 1]
        document = kb.show_document(where.source).document
        assert document.text[where.span.start : where.span.end] == where.quote
        assert any(p.span.start <= where.span.start and where.span.end <= p.span.end for p in item.places)
        assert text[citation.at.start : citation.at.end] == f"[{citation.marker}]"
        assert 0 <= citation.score <= 1
    assert [number for claim in found.claims for number in claim.citations] == list(range(len(found.citations)))
    shown = {int(number) for number in re.findall(r"\[(\d)\](?!\()", text)}
    assert {citation.marker for citation in found.citations} == {n for n in shown if n <= len(items)}
