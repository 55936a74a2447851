"""Answer an overview question without a language model: quote and cite central sentences."""

from polyadic.generation.quotations import QuotedText, quotation
from polyadic.generation.refusals import no_answer
from polyadic.model.identity import normal_text
from polyadic.model.types import Answer, Item, ItemKind, Knowledge, Usage
from polyadic.text.language import detect_language

OVERVIEW = "no language model was asked: the most central sentences are quoted"
EMPTY = "no language model was asked, and there is no sentence to quote"


def quote_overview(knowledge: Knowledge) -> Answer:
    """Quote the items found by retrieval/overview.py, each sentence after the name of its community.

    A community report by a language model is quoted in its own words, and cites the sentence.

    Returns
    -------
    Answer
        One citation per line, each of exactly the quoted characters; ``answered`` is false only if there is nothing to
        quote.
    """
    quoted = QuotedText.of((_line(item), item.places[0], item.score) for item in knowledge.items)
    return Answer(
        question=knowledge.question,
        text=quoted.text or no_answer(detect_language(knowledge.question)),
        answered=bool(quoted.text),
        citations=quoted.citations,
        knowledge=knowledge,
        usage=Usage(),
        note=OVERVIEW if quoted.text else EMPTY,
        trace=knowledge.trace,
        claims=quoted.claims,
    )


def _line(item: Item) -> str:
    if item.kind is ItemKind.REPORT:
        return normal_text(item.text)
    quote = f'"{quotation(item.places[0])}"'
    return f"{normal_text(item.why)}: {quote}" if item.why else quote
