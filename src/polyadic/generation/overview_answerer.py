"""An answer about the documents as a whole, without a language model: their central sentences, quoted and cited."""

from polyadic.generation.messages import no_answer
from polyadic.model.identity import normal_text
from polyadic.model.types import Answer, Citation, ItemKind, Knowledge, Usage
from polyadic.text.language import detect_language

OVERVIEW = "no language model was asked: the sentences are quoted that join most of what the documents speak of"
EMPTY = "no language model was asked, and there is no sentence to quote"


def quote_overview(knowledge: Knowledge) -> Answer:
    """Quote what retrieval/overview.py has found, each sentence after the name of its theme.

    What a language model reported of a theme is told in its words, and cites the sentence.

    Returns
    -------
    Answer
        With one citation a line, each of exactly the quoted characters; ``answered`` is false only where there is
        nothing to quote.
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
