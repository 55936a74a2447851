"""Cut a passage that does not fit into the token budget around its best sentences."""

from polyadic.model.types import Span
from polyadic.retrieval.relevance.question_features import read_asked
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences
from polyadic.text.tokens import count_tokens


def excerpt(question: str, passage: str, most_tokens: int) -> tuple[Span | None, int]:
    """Return the part of a passage that fits, with its number of tokens: whole sentences around the best one.

    The best sentence shares most words with the question; the part grows by the better neighbour. None if the best
    sentence alone is too long, or if no sentence shares a word.

    >>> text = "It rained. Ada Lovelace met Charles Babbage in 1833. They spoke of engines. Then they went home."
    >>> span, tokens = excerpt("When did Ada Lovelace meet Babbage?", text, 18)
    >>> text[span.start : span.end]
    'It rained. Ada Lovelace met Charles Babbage in 1833.'
    """
    asked = read_asked(question)
    spans = sentences(passage, detect_language(passage))
    overlaps = [asked.overlap(passage[span.start : span.end]) for span in spans]
    if not any(overlaps):
        return None, 0
    first = last = max(range(len(spans)), key=overlaps.__getitem__)
    size = _tokens(passage, spans[first].start, spans[last].end)
    if size > most_tokens:
        return None, 0
    while True:
        # The sentence after reads on; the one before is taken first only if it says more of what is asked.
        neighbours = [place for place in (last + 1, first - 1) if 0 <= place < len(spans)]
        grown = None
        for place in sorted(neighbours, key=lambda place: -overlaps[place]):
            start, end = spans[min(first, place)].start, spans[max(last, place)].end
            if (tokens := _tokens(passage, start, end)) <= most_tokens:
                grown = place, tokens
                break
        if grown is None:
            return Span(spans[first].start, spans[last].end), size
        place, size = grown
        first, last = min(first, place), max(last, place)


def _tokens(passage: str, start: int, end: int) -> int:
    return count_tokens([passage[start:end]])[0]
