"""Condense a follow-up question into a standalone question by rules, without a language model.

Only a question that refers back is changed (``text/anaphora.py``). The topic of the last turn is put before it: the
names of its question or, without names, its content words and the names of its answer. "She" refers to the person that
the last question asked for and its answer names, or that the question names. A question about another thing ("And
Mir?") gets the last question without its names instead. Whatever is added competes with the question's own words. So
nothing is added to a standalone question or if no candidate fits, and no whole question if names suffice.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.generation.refusals import is_no_answer
from polyadic.model.types import Turn
from polyadic.text.anaphora import AnaphoricReference, asks_only_why, fragment, has_lexicon, reference
from polyadic.text.antecedents import Antecedent, Asked, antecedent, asked
from polyadic.text.cjk import PERSONAL_NAME
from polyadic.text.language import detect_language
from polyadic.text.named_entities import NamedEntity, NameKind, names
from polyadic.text.stopwords import ARTICLES, function_words
from polyadic.text.stopwords import words as listed
from polyadic.text.vocabulary import Vocabulary, vocabulary
from polyadic.text.words import words

# Number of turns to trace a topic back: each question may refer to the one before.
_TURNS = 6
_CHARACTERS = 1_500
# With fewer words the detected language is unreliable.
_TELLING_WORDS = 3
# So few words may leave out what the last question named.
_FEW_WORDS = 4
_MOST_TERMS = 8
# From the first sentence of an answer; if the question has names, these only distract
# (benchmarks/question_condensing.py).
_NAMES_OF_AN_ANSWER = 2
_MOST_NAME_WORDS = 5

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SPACE = re.compile(r"\s+")
_QUOTATION = re.compile(r'\A"(.+?)" \[1\]', re.DOTALL)
_UNSPACED = ("zh", "ja")
# Two or more capitalized words, possibly joined by particles: "Marta Quill", "Leonardo da Vinci".
_CAPITALIZED = r"[^\W\d_a-zß-ÿ][^\W\d_]*\.?"
_FULL_NAME = re.compile(rf"{_CAPITALIZED}(?:[ '’-]+(?:(?:de|da|di|du|von|van|der|la|le|bin|al) )*{_CAPITALIZED})+")
_AFTER = [[article] for article in ARTICLES]
# Words that begin a request, not a name.
_IMPERATIVES = listed(
    "name tell list give show describe explain summarise summarize compare find say nenne erkläre beschreibe zeige "
    "liste nomme décris explique nombra describe explica"
)


@dataclass(frozen=True, slots=True)
class _Topic:
    """The topic of a turn: its resolved question, its language, and the beginning of its answer."""

    question: str = ""
    language: str = "en"
    answer: str = ""

    @property
    def words(self) -> frozenset[str]:
        return words(f"{self.question} {self.answer}")

    @property
    def terms(self) -> list[str]:
        """Names of the question; without names, its content words and the first names of the answer."""
        named = _names(self.question, self.language)
        if named:
            return named[:_MOST_TERMS]
        empty = function_words(self.language)
        telling = [word for word in _WORD.findall(self.question) if word.lower() not in empty]
        answered = [name for name in _names(self.answer, self.language) if not _is_label(name, self.answer)]
        return telling[:_MOST_TERMS] + answered[:_NAMES_OF_AN_ANSWER]

    @property
    def person(self) -> str:
        """The person that "she" refers to; empty if the turn names none for certain.

        For a question about a person ("Who founded Natrion?") it is the answer's; otherwise it is a full name, from the
        question first. A name after an article ("the Moon") is not a person.
        """
        expected = asked(self.question, self.language)
        own, answered = _named(self.question, self.language), _named(self.answer, self.language, self.question)
        if expected is Asked.IDENTITY:
            return own[0].text if own else ""
        answered = [name for name in answered if name.text.lower() not in self.question.lower()]
        candidates = answered if expected is Asked.PERSON else own + answered
        full = next((name.text for name in candidates if _is_full(name.text)), "")
        single = (name.text for name in answered if not any(map(str.isdigit, name.text)))
        return full or (next(single, "") if expected is Asked.PERSON else "")

    @property
    def predicate(self) -> str:
        """The question without its names, and without terms that were put before it ("Ada: Where was she born?")."""
        rest = self.question.rpartition(": ")[2]
        for name in _names(self.question, self.language):
            rest = rest.replace(name, " ")
        return _SPACE.sub(" ", rest).strip()


def standalone(question: str, history: Sequence[Turn]) -> str:
    """Add what a follow-up question takes from the conversation; a standalone question is returned unchanged.

    >>> turns = [Turn("Who was Ada Lovelace?", '"Ada Lovelace was a mathematician." [1]')]
    >>> standalone("Where was she born?", turns), standalone("What is the GDP of Brazil?", turns)
    ('Ada Lovelace: Where was she born?', 'What is the GDP of Brazil?')
    >>> standalone("And Mir?", [Turn("When was Skylab launched?", "In 1973.")])
    'When was launched? And Mir?'
    """
    return _resolved(question, _topic_of(history))[0]


def refers_back(question: str, history: Sequence[Turn]) -> bool:
    """Return whether a question may need the conversation to be understood.

    Where rules cannot tell, it may: if the language has no lexicon, the earlier questions have no topic, or the
    question has few words and no name ("For which machine?").

    >>> turns = [Turn("Who was Ada Lovelace?", '"Ada Lovelace was a mathematician." [1]')]
    >>> [refers_back(question, turns) for question in ("Where was she born?", "Why?", "In which year?")]
    [True, True, True]
    >>> refers_back("What is the GDP of Brazil?", turns)
    False
    """
    topic = _topic_of(history)
    language = _language_of(question, topic)
    if not topic.question or not has_lexicon(language):
        return bool(history)
    if reference(question, language, topic.words) is not AnaphoricReference.NOTHING:
        return True
    return len(_WORD.findall(question)) <= _FEW_WORDS and not _names(question, language)


def _topic_of(history: Sequence[Turn]) -> _Topic:
    topic = _Topic()
    for turn in history[-_TURNS:]:
        if asks_only_why(turn.question):
            continue
        resolved, language = _resolved(turn.question[:_CHARACTERS], topic)
        topic = _Topic(resolved, language, _beginning(turn.answer))
    return topic


def _language_of(question: str, topic: _Topic) -> str:
    few = len(_WORD.findall(question)) < _TELLING_WORDS
    return detect_language(f"{question} {topic.question}" if few else question)


def _resolved(question: str, topic: _Topic) -> tuple[str, str]:
    """Resolve a question against a topic; return it with its language."""
    language = _language_of(question, topic)
    if not topic.question:
        return question, language
    kind = reference(question, language, topic.words)
    if kind is AnaphoricReference.NOTHING or asks_only_why(question):
        return question, language
    if kind is AnaphoricReference.PREDICATE:
        before = topic.question if language in _UNSPACED else topic.predicate
        return f"{before} {question}", language
    if language in _UNSPACED and antecedent(question, language) is not Antecedent.PERSON:
        return f"{topic.question} {question}", language
    lowered = question.lower()
    terms = [term for term in _antecedents(question, language, topic) if term.lower() not in lowered]
    return (f"{', '.join(terms)}: {question}" if terms else question), language


def _antecedents(question: str, language: str, topic: _Topic) -> list[str]:
    """Return the names of the topic that the question may refer to."""
    terms = topic.terms
    referent = Antecedent.THING if fragment(question, language) else antecedent(question, language)
    person = "" if referent is Antecedent.THING else topic.person
    asks_for_person = asked(topic.question, topic.language) is Asked.PERSON
    if referent is Antecedent.PERSON and asks_for_person and not person:
        # The requested person was not found, and the names in the question are something else.
        return [] if _names(topic.question, topic.language) else terms
    if not person or person in terms:
        return terms
    return [person] if referent is Antecedent.PERSON else [person, *terms] if asks_for_person else terms


def elliptic(question: str, history: Sequence[Turn]) -> str:
    """Return the topic of an elliptic question ("And after five years?"); empty for any other question.

    >>> elliptic("And after five years?", [Turn("How long is the notice period?", "Three months.")])
    'after five years'
    """
    if not history:
        return ""
    few = len(_WORD.findall(question)) < _TELLING_WORDS
    return fragment(question, detect_language(f"{question} {history[-1].question}" if few else question))


def _is_label(name: str, text: str) -> bool:
    """Return whether a name is a heading or a label in a text: in capitals, longer than names are, or before a colon.

    >>> text = "MINUTES OF THE MEETING Present: I. Solheim (chair)"
    >>> [_is_label(name, text) for name in ("MINUTES OF THE MEETING", "Present", "I. Solheim", "NASA")]
    [True, True, False, False]
    """
    words = name.split()
    is_heading = len(words) > 1 and any(len(word) > 1 and word.isalpha() and word.isupper() for word in words)
    return is_heading or len(words) > _MOST_NAME_WORDS or f"{name}:" in text


def _is_full(name: str) -> bool:
    return _FULL_NAME.fullmatch(name) is not None or PERSONAL_NAME.fullmatch(name) is not None


def _named(text: str, language: str, context: str = "") -> list[NamedEntity]:
    """Return the names in a text, without common nouns and names that follow an article."""
    known = vocabulary(f"{text} {context}", language)
    found = [
        name for name in names(text, known) if name.sort is NameKind.NAME and name.text.lower() not in _IMPERATIVES
    ]
    return [name for name in found if text[: name.start].lower().rsplit(maxsplit=1)[-1:] not in _AFTER]


def _names(text: str, language: str) -> list[str]:
    """Return the names and terms in a text, without plain numbers."""
    named = [name.text for name in names(text, Vocabulary(language)) if name.sort in (NameKind.NAME, NameKind.TERM)]
    return [name for name in named if name.lower() not in _IMPERATIVES]


def _beginning(answer: str) -> str:
    """Return the first quoted sentence, or the beginning of a model's answer; empty if the turn was not answered."""
    quoted = _QUOTATION.match(answer)
    if quoted:
        return quoted.group(1)
    return "" if is_no_answer(answer) else answer[:_CHARACTERS].partition("\n")[0]
