"""Find the question that a sentence answers, as in a list of frequently asked questions.

It is the heading of the section, a paragraph of its own before the answer, or the first sentence of the same paragraph
or list item. With labels ("Q: ...", "A: ..."), it is everything up to the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.model.types import Heading, Span
from polyadic.text.chat_messages import is_message
from polyadic.text.headings import is_within
from polyadic.text.list_lead_ins import is_item
from polyadic.text.markup import plain

LONGEST_QUESTION = 160
"""Maximum number of characters of a question."""

_MARKS = ("?", "？", "؟")
_AFTER_A_MARK, _QUOTATION_MARKS = "*_", "\"”’'»*_"
_LABEL = r"\s?\d{0,3}[*_]{0,2}:[*_]{0,2}\s"
_ASKED = re.compile(rf"(?:\W|\d+[.)]\s){{0,6}}(?:[QFP]|Question|Frage|Pregunta|Domanda){_LABEL}", re.IGNORECASE)
_ANSWERED = re.compile(rf"\W{{0,4}}(?:[AR]|Answer|Antwort|Réponse|Respuesta|Risposta){_LABEL}", re.IGNORECASE)
# Later sentences of a section no longer answer its heading alone.
_MOST_SENTENCES = 8


@dataclass(slots=True)
class _Question:
    """A question, the paragraph that it begins, and whether it is all of this paragraph.

    ``is_open`` while an answer with a label ("A:") is to follow.
    """

    span: Span
    paragraph: int
    is_alone: bool = True
    is_open: bool = False

    def is_answered_in(self, paragraph: int) -> bool:
        return paragraph == self.paragraph or (self.is_alone and paragraph == self.paragraph + 1)


def answered_questions(text: str, spans: Sequence[Span], headings: Sequence[Heading]) -> dict[Span, Span]:
    """Map sentences to the question that they answer; sentences without one are omitted.

    Parameters
    ----------
    text
        The text.
    spans
        Its sentences, in order.
    headings
        Its headings.

    >>> from polyadic.text.headings import headings
    >>> from polyadic.text.sentences import sentences
    >>> text = "## May I go?\\n\\nYes.\\n\\n## Prices\\n\\nLow.\\n\\n**Any dogs?**\\n\\nSmall ones. Sorry.\\n\\nBye."
    >>> found = answered_questions(text, sentences(text, "en"), headings(text))
    >>> [(text[q.start : q.end], text[a.start : a.end]) for a, q in found.items()]
    [('## May I go?', 'Yes.'), ('**Any dogs?**', 'Small ones.'), ('**Any dogs?**', 'Sorry.')]
    """
    found: dict[Span, Span] = {}
    of_section: Span | None = None
    since_heading = paragraph = end = 0
    question: _Question | None = None
    for span in spans:
        sentence, between = text[span.start : span.end], text[end : span.start]
        if "<" in sentence:
            # "<summary>May I go?</summary>"
            sentence = plain(sentence)
        if not any(map(str.isalnum, sentence)):
            # Marks of emphasis that were split off.
            end = span.end
            continue
        begins = "\n" in between or not end
        begins_entry = begins and (is_item(sentence) or is_message(sentence))
        begins_paragraph = begins_entry or "\n" in between.partition("\n")[2] or not end
        # The entries of a list, and the messages of a chat, do not answer each other.
        paragraph += 2 if begins_entry else int(begins_paragraph)
        end = span.end
        is_asked = sentence.rstrip(_AFTER_A_MARK).endswith(_MARKS) and len(sentence) <= LONGEST_QUESTION
        if is_within(headings, span.start):
            of_section, since_heading, question = (span if is_asked else None), 0, None
            continue
        since_heading += 1
        is_answer = _ANSWERED.match(sentence) is not None
        if begins and _ASKED.match(sentence) and len(sentence) <= LONGEST_QUESTION:
            question = _Question(span, paragraph, is_open=True)
        elif question is not None and question.is_open and not is_answer and _goes_on(question, span, paragraph):
            question.span = Span(question.span.start, span.end)
        elif is_asked and begins_paragraph and not is_answer:
            question = _Question(span, paragraph)
        elif question is not None and question.is_answered_in(paragraph):
            found[span] = question.span
            question.is_open = False
            question.is_alone = question.is_alone and paragraph != question.paragraph
        elif of_section is not None and since_heading <= _MOST_SENTENCES:
            found[span] = of_section
    return found


def _goes_on(question: _Question, span: Span, paragraph: int) -> bool:
    """Return whether a sentence belongs to the question before its answer."""
    return paragraph == question.paragraph and span.end - question.span.start <= LONGEST_QUESTION


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks: it ends with a question mark or begins with "Q:".

    >>> [is_question(text) for text in ("**May I go?**", "Q: No light", "“Why?”", "Yes.")]
    [True, True, True, False]
    """
    return sentence.rstrip(_QUOTATION_MARKS).endswith(_MARKS) or _ASKED.match(sentence) is not None


def without_label(text: str) -> str:
    """Remove the label of a question or an answer.

    >>> without_label("Q: May I go?"), without_label("**Answer 2:** Yes."), without_label("A. Kern wrote it.")
    ('May I go?', 'Yes.', 'A. Kern wrote it.')
    """
    label = _ASKED.match(text) or _ANSWERED.match(text)
    return text[label.end() :].lstrip() if label else text
