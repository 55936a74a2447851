"""Questions that documents ask and answer: in headings and lists, in the first cell of a row, and as titles of rows."""

from collections.abc import Mapping, Sequence

from polyadic.model.types import Heading, SourceSpan, Span
from polyadic.text.answered_questions import answered_questions, is_question, without_label
from polyadic.text.headings import within, without_section_number
from polyadic.text.language import detect_language
from polyadic.text.markup import plain
from polyadic.text.sentences import sentences
from polyadic.text.table_rows import is_pipe_row

# A title asks what its document answers only if this is short, as a row of a table is.
_MOST_SENTENCES = 3


def questions_in(passage: SourceSpan, outline: Sequence[Heading]) -> Mapping[Span, str]:
    """Map sentences of a passage to the plain text of the question that they answer, without its number and label.

    Parameters
    ----------
    passage
        The passage. The spans are those of :func:`sentences` in its text.
    outline
        Headings, with their positions in the document.
    """
    text = passage.quote
    spans = sentences(text, detect_language(text))
    answered = answered_questions(text, spans, within(outline, passage.span.start))
    found = {span: question_words(text[asked.start : asked.end]) for span, asked in answered.items()}
    if "|" in text:
        found |= {span: asked for span in spans if (asked := _asked_in_row(text[span.start : span.end]))}
    is_whole = not passage.span.start and len(spans) <= _MOST_SENTENCES
    if is_whole and not found and is_question(passage.title):
        return dict.fromkeys(spans, passage.title)
    return found


def question_words(question: str) -> str:
    """Return the plain text of a question of a document, without its number and label.

    >>> question_words("### 3.1 Q: May I *go*?")
    'May I go?'
    """
    return without_label(without_section_number(plain(question)))


def _asked_in_row(sentence: str) -> str:
    """Return the first cell of a row of a table if it is a question; else an empty string."""
    first = plain(sentence.strip("| ").partition("|")[0]) if is_pipe_row(sentence) else ""
    return first if is_question(first) else ""
