"""A question that follows up on a conversation, made to be found without it and without a language model.

Only a question that refers back is changed (``text/anaphora.py``): what the last turn was about is put before it, the
names of its question or, where that has none, its words that say something and the names of its answer. "She" is the
person for whom the last question asked and whom its answer names, or whom the question names. A question about another
thing ("And Mir?") takes what was asked instead. Whatever is added competes with the question's own words: so nothing is
added to a question that stands alone, nor where the conversation has nothing that fits, and no whole question where
names do.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.generation.messages import is_no_answer
from polyadic.model.types import Turn
from polyadic.text.anaphora import (
    AnaphoricReference,
    Antecedent,
    Asked,
    antecedent,
    asked,
    asks_only_why,
    fragment,
    reference,
)
from polyadic.text.cjk import PERSONAL_NAME
from polyadic.text.language import detect_language
from polyadic.text.named_entities import NamedEntity, NameKind, Vocabulary, names, vocabulary
from polyadic.text.stopwords import ARTICLES, function_words
from polyadic.text.stopwords import words as listed
from polyadic.text.words import words

# A topic reaches this far back: question after question may refer to the one before.
_TURNS = 6
_CHARACTERS = 1_500
# Fewer words tell their language from others by chance only.
_TELLING_WORDS = 3
_MOST_TERMS = 8
# Of the names in the first sentence of an answer; where the question had names, these only distract
# (benchmarks/question_condensing.py).
_NAMES_OF_AN_ANSWER = 2

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SPACE = re.compile(r"\s+")
_QUOTATION = re.compile(r'\A"(.+?)" \[1\]', re.DOTALL)
_UNSPACED = ("zh", "ja")
# Two words or more, all with capitals but for what may stand between them: "Marta Quill", "Leonardo da Vinci".
_CAPITALISED = r"[^\W\d_a-zß-ÿ][^\W\d_]*\.?"
_FULL_NAME = re.compile(rf"{_CAPITALISED}(?:[ '’-]+(?:(?:de|da|di|du|von|van|der|la|le|bin|al) )*{_CAPITALISED})+")
_AFTER = [[article] for article in ARTICLES]
# With these a request begins, not a name.
_IMPERATIVES = listed(
    "name tell list give show describe explain summarise summarize compare find say nenne erkläre beschreibe zeige "
    "liste nomme décris explique nombra describe explica"
)


@dataclass(frozen=True, slots=True)
class _Topic:
    """What a turn leaves to the next: its question as resolved, its language, and the beginning of its answer."""

    question: str = ""
    language: str = "en"
    answer: str = ""

    @property
    def said(self) -> frozenset[str]:
        return words(f"{self.question} {self.answer}")

    @property
    def terms(self) -> list[str]:
        """Names of the question; where it has none, its words that say something and the first names of the answer."""
        named = _names(self.question, self.language)
        if named:
            return named[:_MOST_TERMS]
        empty = function_words(self.language)
        telling = [word for word in _WORD.findall(self.question) if word.lower() not in empty]
        return telling[:_MOST_TERMS] + _names(self.answer, self.language)[:_NAMES_OF_AN_ANSWER]

    @property
    def person(self) -> str:
        """The person whom "she" means; empty where the turn tells of none for sure.

        A question for a person ("Who founded Natrion?") has it in the answer; of any other a full name is taken, that
        of the question first. A name after an article ("the Moon") is that of a thing.
        """
        sought = asked(self.question, self.language)
        own, told = _named(self.question, self.language), _named(self.answer, self.language, self.question)
        if sought is Asked.IDENTITY:
            return own[0].text if own else ""
        told = [name for name in told if name.text.lower() not in self.question.lower()]
        candidates = told if sought is Asked.PERSON else own + told
        full = next((name.text for name in candidates if _is_full(name.text)), "")
        single = (name.text for name in told if not any(map(str.isdigit, name.text)))
        return full or (next(single, "") if sought is Asked.PERSON else "")

    @property
    def predicate(self) -> str:
        """The question without its names."""
        rest = self.question
        for name in _names(self.question, self.language):
            rest = rest.replace(name, " ")
        return _SPACE.sub(" ", rest).strip()


def standalone(question: str, history: Sequence[Turn]) -> str:
    """The question with what it takes from the conversation before it; as it is where it takes nothing.

    >>> told = [Turn("Who was Ada Lovelace?", '"Ada Lovelace was a mathematician." [1]')]
    >>> standalone("Where was she born?", told), standalone("What is the GDP of Brazil?", told)
    ('Ada Lovelace: Where was she born?', 'What is the GDP of Brazil?')
    >>> standalone("And Mir?", [Turn("When was Skylab launched?", "In 1973.")])
    'When was launched? And Mir?'
    """
    topic = _Topic()
    for turn in history[-_TURNS:]:
        if asks_only_why(turn.question):
            continue
        resolved, language = _resolved(turn.question[:_CHARACTERS], topic)
        topic = _Topic(resolved, language, _beginning(turn.answer))
    return _resolved(question, topic)[0]


def _resolved(question: str, topic: _Topic) -> tuple[str, str]:
    """The question with what it takes from a topic, and the language that it is in."""
    few = len(_WORD.findall(question)) < _TELLING_WORDS
    language = detect_language(f"{question} {topic.question}" if few else question)
    if not topic.question:
        return question, language
    taken = reference(question, language, topic.said)
    if taken is AnaphoricReference.NOTHING or asks_only_why(question):
        return question, language
    if taken is AnaphoricReference.PREDICATE:
        before = topic.question if language in _UNSPACED else topic.predicate
        return f"{before} {question}", language
    if language in _UNSPACED and antecedent(question, language) is not Antecedent.PERSON:
        return f"{topic.question} {question}", language
    lowered = question.lower()
    terms = [term for term in _antecedents(question, language, topic) if term.lower() not in lowered]
    return (f"{', '.join(terms)}: {question}" if terms else question), language


def _antecedents(question: str, language: str, topic: _Topic) -> list[str]:
    """What the question is about of what the topic names."""
    terms = topic.terms
    meant = Antecedent.THING if fragment(question, language) else antecedent(question, language)
    person = "" if meant is Antecedent.THING else topic.person
    sought = asked(topic.question, topic.language) is Asked.PERSON
    if meant is Antecedent.PERSON and sought and not person:
        # What was asked for was not found, and what the question names is something else.
        return [] if _names(topic.question, topic.language) else terms
    if not person or person in terms:
        return terms
    return [person] if meant is Antecedent.PERSON else [person, *terms] if sought else terms


def elliptic(question: str, history: Sequence[Turn]) -> str:
    """What a question that asks nothing by itself ("And after five years?") asks about; empty for any other.

    >>> elliptic("And after five years?", [Turn("How long is the notice period?", "Three months.")])
    'after five years'
    """
    if not history:
        return ""
    few = len(_WORD.findall(question)) < _TELLING_WORDS
    return fragment(question, detect_language(f"{question} {history[-1].question}" if few else question))


def _is_full(name: str) -> bool:
    return _FULL_NAME.fullmatch(name) is not None or PERSONAL_NAME.fullmatch(name) is not None


def _named(text: str, language: str, context: str = "") -> list[NamedEntity]:
    """The names in a text that are no common nouns and do not follow an article."""
    known = vocabulary(f"{text} {context}", language)
    found = [
        name for name in names(text, known) if name.sort is NameKind.NAME and name.text.lower() not in _IMPERATIVES
    ]
    return [name for name in found if text[: name.start].lower().rsplit(maxsplit=1)[-1:] not in _AFTER]


def _names(text: str, language: str) -> list[str]:
    """What a text names, without numbers by themselves."""
    found = [name.text for name in names(text, Vocabulary(language)) if name.sort in (NameKind.NAME, NameKind.TERM)]
    return [name for name in found if name.lower() not in _IMPERATIVES]


def _beginning(answer: str) -> str:
    """The first sentence quoted, or the beginning of what a model said; nothing of what was no answer."""
    quoted = _QUOTATION.match(answer)
    if quoted:
        return quoted.group(1)
    return "" if is_no_answer(answer) else answer[:_CHARACTERS].partition("\n")[0]
