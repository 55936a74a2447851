"""Answer an overview question without a language model: quote and cite central sentences."""

from polyadic.generation.no_answer_texts import no_answer
from polyadic.model.identity import normal_text
from polyadic.model.types import Answer, Citation, ItemKind, Knowledge, Usage
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
    lines, citations = [], []
    for number, item in enumerate(knowledge.items, 1):
        place = item.places[0]
        quoted = f'"{normal_text(place.quote)}"'
        named = f"{normal_text(item.why)}: {quoted}" if item.why else quoted
        lines.append(f"{normal_text(item.text) if item.kind is ItemKind.REPORT else named} [{number}]")
        citations.append(Citation(number, place, item.score))
    return Answer(
        question=knowledge.question,
        text="\n".join(lines) or no_answer(detect_language(knowledge.question)),
        answered=bool(lines),
        citations=tuple(citations),
        knowledge=knowledge,
        usage=Usage(),
        note=OVERVIEW if lines else EMPTY,
        trace=knowledge.trace,
    )
