"""Quantities and negations of claims, compared with the sentences that they cite."""

import asyncio

import pytest

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.generation.citation_attribution import Attribution, attribute
from polyadic.generation.context import ContextPiece
from polyadic.model.types import Document, Item, ItemKind, SourceSpan, Span


def attributed(text: str, document: Document) -> Attribution:
    span = Span(0, len(document.text))
    place = SourceSpan(document.id, document.source, document.title, "c", span, document.text)
    item = Item(ItemKind.CHUNK, "i", document.text, 1.0, "", 0, (place,))
    return asyncio.run(attribute(text, [ContextPiece(item, (place,), document.text)], HashingEmbedder()))


def quotes(text: str, document: Document) -> list[str]:
    return [citation.place.quote for citation in attributed(text, document).citations]


def unsupported(text: str, document: Document) -> list[str]:
    return [text[c.span.start : c.span.end] for c in attributed(text, document).claims if not c.supported]


PUMP = Document(
    "memory:pump",
    "The pump",
    "Unplug it for 30 seconds. The pump does not restart by itself. The motor needs 20 cm of space above. A technician"
    " comes within three weeks. It is 1.9 m wide and costs $1,500, not $1,200. In 2030 it had 402,000 visits, in 2031"
    " only 388,500. If the lamp blinks red twice, it is blocked. The filter is washed every 20 to"
    " 30 minutes. Spare lamps are no longer sold.",
)


@pytest.mark.parametrize(
    ("claim", "is_supported"),
    [
        ("Unplug it for half a minute", True),
        ("Unplug it for 30 minutes", False),
        ("The motor needs 0.2 m of space above", True),
        ("The motor needs 0.3 m of space above", False),
        ("A technician comes within 21 days", True),
        ("A technician comes within three days", False),
        ("The pump does not restart by itself", True),
        ("The pump restarts by itself", False),
        ("It costs $1,500", True),
        ("It costs $1,200", False),
        ("It is 9 m wide", False),
        ("In 2031 it had 13,500 visits fewer than 402,000", True),
        ("In 2031 it had 13,600 visits fewer than 402,000", False),
        ("The lamp blinks red two times if it is blocked", True),
        ("The filter is washed every 20 minutes", True),
        ("The filter is washed every 40 minutes", False),
        ("Spare lamps are sold", False),
        ("Spare lamps are no longer sold", True),
    ],
)
def test_quantities_and_negations_of_a_claim_are_compared_with_its_sentence(claim: str, is_supported: bool) -> None:
    assert (unsupported(f"{claim} [1].", PUMP) == []) == is_supported


def test_the_number_of_a_marker_is_none_to_calculate_with() -> None:
    opening = Document("memory:shop", "Shop", "The shop is open from 10 to 12.")
    assert unsupported("The shop is open from 10 to 12 [1].", opening) == []
    assert unsupported("The shop is open from 10 to 11 [1].", opening) != []


def test_no_number_is_added_to_itself() -> None:
    assert unsupported("In 2030 it had 804,000 visits [1].", PUMP) != []


VEREIN = Document(
    "memory:verein",
    "Bericht",
    "Der Kassenwart berichtet von Einnahmen von 12.400 Euro und Ausgaben von 11.150 Euro. Die Prüferinnen haben keine"
    " Fehler gefunden. Im Vorjahr hatte der Verein einen Verlust von 800 Euro.",
)


def test_a_german_noun_is_not_taken_for_a_name_that_a_further_sentence_must_have() -> None:
    text = "Der Verein nahm 12.400 Euro ein und gab 11.150 Euro aus [1]."
    assert [quote[:14] for quote in quotes(text, VEREIN)] == ["Der Kassenwart"]


def test_a_german_negation_contradicts_a_claim() -> None:
    assert unsupported("Die Prüferinnen haben keine Fehler gefunden [1].", VEREIN) == []
    assert unsupported("Die Prüferinnen haben Fehler gefunden [1].", VEREIN) != []
