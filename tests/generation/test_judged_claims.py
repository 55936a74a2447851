"""Claims that a cross-encoder judges."""

import asyncio

import pytest

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.generation.citation_attribution import Attribution, attribute
from polyadic.generation.context import ContextPiece
from polyadic.generation.streamed_citations import RememberingEmbedder, RememberingJudge, StreamedCitations
from polyadic.model.types import Citation, Document, Item, ItemKind, SourceSpan, Span
from tests.support.scripted_judge import ScriptedJudge

DOGS = "Dogs are kept on a lead since 2019."
TREES = "Trees line its paths."
POOL = "The pool opens for 4 hours."
DOCUMENT = Document("memory:park", "The park", f"{DOGS} {TREES} {POOL}")
GERMAN = Document("memory:park", "Der Park", "Hunde sind an der Leine zu führen. Das Becken kostet 4 Euro.")


def cited(document: Document) -> ContextPiece:
    span = Span(0, len(document.text))
    place = SourceSpan(document.id, document.source, document.title, "c", span, document.text)
    return ContextPiece(Item(ItemKind.CHUNK, "i", document.text, 1.0, "", 0, (place,)), (place,), document.text)


def attributed(text: str, judge: ScriptedJudge, document: Document = DOCUMENT) -> Attribution:
    return asyncio.run(attribute(text, [cited(document)], HashingEmbedder(), judge))


def quotes(found: Attribution) -> list[str]:
    return [citation.place.quote for citation in found.citations if not citation.whole_item]


def test_a_claim_in_other_words_quotes_the_sentence_that_supports_it() -> None:
    found = attributed("Nobody may let an animal run free there [1].", ScriptedJudge({DOGS: 3.0}))
    assert quotes(found) == [DOGS] and found.claims[0].supported


def test_a_claim_in_the_words_of_a_sentence_that_does_not_support_it_is_flagged() -> None:
    found = attributed("Dogs are rarely kept on a lead [1].", ScriptedJudge({}))
    assert not quotes(found) and not found.claims[0].supported


def test_a_claim_with_another_quantity_than_its_source_is_flagged_whatever_the_judge_says() -> None:
    found = attributed("The pool opens for 5 hours [1].", ScriptedJudge({POOL: 9.0}))
    assert not quotes(found) and not found.claims[0].supported


@pytest.mark.parametrize(("odds", "is_supported"), [(1.0, True), (0.0, False)])
def test_the_judge_must_be_surer_of_a_claim_with_a_number_that_its_source_lacks(
    odds: float, is_supported: bool
) -> None:
    found = attributed("Visitors of pool 7 pay 8 euros [1].", ScriptedJudge({}, others=odds))
    assert found.claims[0].supported is is_supported


def test_a_claim_that_its_source_negates_is_flagged_whatever_the_judge_says() -> None:
    document = Document("memory:park", "The park", "The pool is not heated.")
    found = attributed("The pool is heated [1].", ScriptedJudge({document.text: 9.0}), document)
    assert not quotes(found) and not found.claims[0].supported


@pytest.mark.parametrize(("claim", "is_supported"), [("Trees line its paths", True), ("Oaks line its paths", False)])
def test_a_claim_in_the_words_of_its_source_needs_less_certainty(claim: str, is_supported: bool) -> None:
    found = attributed(f"{claim} [1].", ScriptedJudge({}, others=-3.0))
    assert found.claims[0].supported is is_supported


def test_sentences_are_judged_alone_and_together() -> None:
    judge = ScriptedJudge({f"{DOGS} {POOL}": 2.0})
    found = attributed("Dogs are kept on a lead since 2019, and the pool opens for 4 hours [1].", judge)
    assert {text for _, text in judge.calls} == {DOGS, TREES, POOL, f"{DOGS} {POOL}"}
    assert quotes(found) == [DOGS, POOL] and found.claims[0].supported


@pytest.mark.parametrize(("odds", "is_quoted"), [(1.5, False), (2.5, True)])
def test_a_marker_that_adds_nothing_to_a_likelier_one_cites_its_item_as_a_whole(odds: float, is_quoted: bool) -> None:
    claim = "Dogs are kept on a lead since 2019"
    walk = Document("memory:walk", "A walk", "Dogs like a lead.")
    pieces = [cited(DOCUMENT), cited(walk)]
    judge = ScriptedJudge({DOGS: 3.0, walk.text: odds, f"{DOGS} {walk.text}": 3.0})
    found = asyncio.run(attribute(f"{claim} [1][2].", pieces, HashingEmbedder(), judge))
    assert quotes(found) == [DOGS, walk.text][: 1 + is_quoted]
    assert found.claims[0].supported and {citation.marker for citation in found.citations} == {1, 2}


def test_other_languages_are_judged_by_words() -> None:
    judge = ScriptedJudge({})
    found = attributed("Das Becken im Park kostet 4 Euro [1].", judge, GERMAN)
    assert not judge.calls and quotes(found) == ["Das Becken kostet 4 Euro."]


def test_after_many_claims_words_decide() -> None:
    judge = ScriptedJudge({})
    found = attributed("The pool opens for 4 hours [1]. " * 120, judge)
    assert [claim.supported for claim in found.claims] == [False] * 100 + [True] * 20


def test_while_an_answer_is_streamed_a_claim_is_judged_once() -> None:
    scripted = ScriptedJudge({DOGS: 3.0, POOL: 3.0})
    citations = StreamedCitations(RememberingEmbedder(HashingEmbedder()), RememberingJudge(scripted))
    text = "Dogs are kept on a lead [1]. The pool opens for 4 hours [1]. Both are in the park [1]."
    found: list[Citation] = []
    for end in range(1, len(text) + 1):
        found += asyncio.run(citations.further(text[:end], [cited(DOCUMENT)]))
    assert [citation.place.quote for citation in found[:2]] == [DOGS, POOL]
    assert len(scripted.calls) == len(set(scripted.calls))
