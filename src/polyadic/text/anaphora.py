"""Detect whether a question refers back to the conversation before it.

Function words decide: a pronoun, possessive or demonstrative without an antecedent in the question, a question that
begins with "and", or one that consists of "why?". Names are recognized by their capitals. In doubt, a question counts
as standalone: most questions of a conversation are, and adding context to those does harm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from polyadic.text.anaphoric_words import (
    ANAPHORA,
    ASKING,
    DEFINES,
    DOCUMENTS,
    ONLY_WHY,
    PLEONASTIC,
    PROXIMAL,
    QUESTION_TOKEN,
    SCRIPT_ANAPHORA,
    SCRIPT_FRAGMENTS,
    AnaphoraLexicon,
)
from polyadic.text.named_entities import NameKind, names
from polyadic.text.stopwords import function_words, words
from polyadic.text.vocabulary import Vocabulary

# Longer questions are paragraphs, which are self-contained.
_MAX_CHARACTERS = 300
_MAX_ELLIPTICAL_TOKENS = 4
_BE = words("is are was were be been has have had exist exists")
_AUXILIARIES = _BE | words("do does did can could may might must shall should will would")
_BEFORE_THAT = _BE | words(
    "did does in on at of by for from to with without after before since until during about like"
)
_AFTER_THOSE = words("who whom of that which with in")


class AnaphoricReference(StrEnum):
    """What a question takes from earlier questions."""

    NOTHING = "nothing"
    TOPIC = "topic"
    """Their topic: "Where was she born?"."""
    PREDICATE = "predicate"
    """Their predicate, about another topic: "And Mir?"."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    shown: str
    named: bool
    noun: bool

    @property
    def is_word(self) -> bool:
        return self.text.isalnum()


def reference(question: str, language: str, said: frozenset[str] = frozenset()) -> AnaphoricReference:
    """Return what a question takes from the conversation before it.

    Parameters
    ----------
    question
        The question.
    language
        ISO 639-1 code. In a language without a lexicon, only very short questions without names refer back.
    said
        Lower-case words of the previous turn: in a question without names, "the station" refers to one of them.

    >>> [reference(question, "en").value for question in ("Who built it?", "And Mir?", "Who built Mir?")]
    ['topic', 'predicate', 'nothing']
    >>> reference("Was muss der Mieter tun, wenn er auszieht?", "de"), reference("¿Dónde murió?", "es")
    (<AnaphoricReference.NOTHING: 'nothing'>, <AnaphoricReference.TOPIC: 'topic'>)
    """
    asked = " ".join(question.split())
    if not asked or len(asked) > _MAX_CHARACTERS:
        return AnaphoricReference.NOTHING
    if language in SCRIPT_ANAPHORA:
        return _in_script(asked, language)
    known = ANAPHORA.get(language)
    tokens = _tokens(asked, language, known)
    if known is None:
        elliptical = len(tokens) <= _MAX_ELLIPTICAL_TOKENS and not any(token.named for token in tokens)
        return AnaphoricReference.TOPIC if elliptical else AnaphoricReference.NOTHING
    return _Analysis(asked, tokens, known, function_words(language), language, said).reference()


def has_lexicon(language: str) -> bool:
    """Return whether the words that refer back are known for a language (ISO 639-1).

    >>> has_lexicon("en"), has_lexicon("fi")
    (True, False)
    """
    return language in ANAPHORA or language in SCRIPT_ANAPHORA


def asks_only_why(question: str) -> bool:
    """Return whether a question asks only for a reason.

    >>> asks_only_why("And why?"), asks_only_why("Why was it built?")
    (True, False)
    """
    return ONLY_WHY.fullmatch(" ".join(question.split())) is not None


def fragment(question: str, language: str) -> str:
    """Return the topic of a fragment that continues the last question; empty for any other question.

    >>> fragment("And after five years?", "en"), fragment("逾期呢?", "zh"), fragment("And why?", "en")
    ('after five years', '逾期', '')
    """
    text = " ".join(question.split())
    if language in SCRIPT_ANAPHORA:
        found = SCRIPT_FRAGMENTS[language].search(text)
        return found.group("of") if found else ""
    known = ANAPHORA.get(language)
    if known is None or not text or len(text) > _MAX_CHARACTERS:
        return ""
    analysis = _Analysis(text, _tokens(text, language, known), known, function_words(language), language, frozenset())
    return analysis.fragment()


def _in_script(question: str, language: str) -> AnaphoricReference:
    if SCRIPT_FRAGMENTS[language].search(question):
        return AnaphoricReference.PREDICATE
    return AnaphoricReference.TOPIC if SCRIPT_ANAPHORA[language].search(question) else AnaphoricReference.NOTHING


def _tokens(question: str, language: str, known: AnaphoraLexicon | None) -> list[_Token]:
    # The first word is capitalized in any case.
    no_names = known.light | known.interrogatives | ASKING[language] if known else frozenset()
    found = [
        (name.start, name.start + len(name.text), name.sort)
        for name in names(question, Vocabulary(language))
        if name.text.lower() not in no_names
    ]
    spans = [(start, end) for start, end, sort in found if sort is not NameKind.TERM]
    nouns = [(start, end) for start, end, sort in found if sort is NameKind.TERM]
    return [
        _Token(match.group().lower(), match.group(), _within(match.start(), spans), _within(match.start(), nouns))
        for match in QUESTION_TOKEN.finditer(question)
    ]


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


@dataclass(frozen=True, slots=True)
class _Analysis:
    question: str
    tokens: Sequence[_Token]
    known: AnaphoraLexicon
    empty: frozenset[str]
    language: str
    said: frozenset[str]

    def reference(self) -> AnaphoricReference:
        rest = self.tokens[self._opening() :]
        own = any(token.named or token.noun for token in rest)
        if len(rest) < len(self.tokens):
            if self._is_fragment(rest):
                return AnaphoricReference.PREDICATE if own else AnaphoricReference.TOPIC
            if not own:
                return AnaphoricReference.TOPIC
        dependent = self._is_elliptical() or self._repeats_a_noun() or self._has_clitic()
        refers = dependent or any(self._refers(at) for at in range(len(self.tokens)))
        return AnaphoricReference.TOPIC if refers else AnaphoricReference.NOTHING

    def fragment(self) -> str:
        rest = self.tokens[self._opening() :]
        if len(rest) == len(self.tokens) or not self._is_fragment(rest):
            return ""
        return " ".join(token.shown for token in rest if token.is_word)

    def _opening(self) -> int:
        """Number of tokens that mark the question as a continuation."""
        text = " ".join(token.text for token in self.tokens)
        asides = [aside for aside in self.known.asides if text.startswith(f"{aside} ")]
        if asides:
            return max(len(aside.split()) for aside in asides)
        return int(len(self.tokens) > 1 and self.tokens[0].text in self.known.openers)

    def _is_fragment(self, rest: Sequence[_Token]) -> bool:
        """Whether the rest after an opening has no question word and no auxiliary."""
        asking = self.known.interrogatives | ASKING[self.language]
        return not any(token.text in asking and not token.named for token in rest)

    def _is_elliptical(self) -> bool:
        """Whether the question has no content word, or only a verb without subject."""
        if any(token.named for token in self.tokens):
            return False
        content = [place for place, token in enumerate(self.tokens) if self._is_content(token)]
        if not content:
            return any(token.is_word for token in self.tokens)
        if not self.known.drops_subject or DEFINES.match(self.question):
            return False
        asked = [place for place in content if not (place and self.tokens[place - 1].text in self.known.interrogatives)]
        return len(asked) <= 1 and not any(token.text in self.known.determiners for token in self.tokens)

    def _repeats_a_noun(self) -> bool:
        """Whether a question without names repeats a noun of the previous turn: "the station"."""
        if any(token.named for token in self.tokens):
            return False
        pairs = pairwise(self.tokens)
        return any(a.text in self.known.definite and b.text in self.said and self._is_content(b) for a, b in pairs)

    def _is_content(self, token: _Token) -> bool:
        return token.is_word and token.text not in self.empty and token.text not in self.known.light

    def _refers(self, at: int) -> bool:
        token, known = self.tokens[at], self.known
        # Capitalized "Sie" within a German question is the polite "you".
        if token.named or (self.language == "de" and at and token.shown in ("Sie", "Ihr", "Ihre", "Ihnen")):
            return False
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        if token.text in known.pronouns or (token.text in known.final and at and following is None):
            return self._pronoun_refers(at)
        if token.text in known.possessives:
            # German "sein" is also "to be".
            verb = token.text == "sein" and not (following and following.shown[0].isupper())
            return not verb and not self._has_antecedent(at)
        if token.text in known.demonstratives:
            return self._demonstrative_refers(at)
        return self.language == "en" and token.text in ("that", "there") and self._is_deictic(at)

    def _pronoun_refers(self, at: int) -> bool:
        """Whether a pronoun refers back: its antecedent is never in its own clause, except for French inversion."""
        if self.language == "en" and self.tokens[at].text == "it" and PLEONASTIC.search(self.question):
            return False
        if self.language == "fr" and at != len(self.tokens) - 1:
            return not self._has_antecedent(at)
        return not self._named_after_a_clause() and (not self._clause_begins_before(at) or not self._has_antecedent(at))

    def _demonstrative_refers(self, at: int) -> bool:
        word, following = self.tokens[at].text, self.tokens[at + 1].text if at + 1 < len(self.tokens) else ""
        if (
            (word in PROXIMAL and following in DOCUMENTS)
            or (word == "those" and following in _AFTER_THOSE)
            or (word, following) == ("such", "as")
        ):
            return False
        if not at and any(token.named for token in self.tokens):
            return False
        return not self._clause_begins_before(at) or not self._has_antecedent(at)

    def _is_deictic(self, at: int) -> bool:
        """Whether English "that" is a demonstrative, and "there" an adverb of place."""
        before = self.tokens[at - 1].text if at else ""
        following = self.tokens[at + 1].text if at + 1 < len(self.tokens) else ""
        if self.tokens[at].text == "there":
            return before not in _AUXILIARIES and following not in _BE and not self._has_antecedent(at)
        return before in _BEFORE_THAT and self._demonstrative_refers(at)

    def _clause_begins_before(self, at: int) -> bool:
        """Whether a further clause begins before a token; "for which" and "after him" do not begin one."""
        first = 1 + (len(self.tokens) > 1 and self.tokens[1].text in ASKING[self.language] | self.known.interrogatives)
        last = at - 1 if at == len(self.tokens) - 1 or self.tokens[at].text in ("him", "them") else at
        return any(token.text in self.known.breaks or not token.is_word for token in self.tokens[first:last])

    def _has_antecedent(self, at: int) -> bool:
        """Whether a token has an antecedent: a name or noun before it, or a name after an opening clause."""
        before = self.tokens[:at]
        named = self._named_after_a_clause() or any(token.named for token in before)
        return named or self._has_noun_phrase(before)

    def _named_after_a_clause(self) -> bool:
        """Whether a question begins with a subordinate clause and has a name: "Before he left, what did Ada ..."."""
        subordinate = self.tokens[0].text in self.known.breaks and any(not token.is_word for token in self.tokens)
        return subordinate and any(token.named for token in self.tokens)

    def _has_noun_phrase(self, before: Sequence[_Token]) -> bool:
        """Whether there is a noun, recognized by a determiner or auxiliary before it, or in German by its capital.

        Within one clause, the noun that is asked for ("which ship") is not an antecedent.
        """
        one_clause = not self._clause_begins_before(len(before))
        phrase = asked = False
        for place, token in enumerate(before):
            if token.text in self.known.interrogatives:
                phrase = asked = True
            elif token.text in self.known.determiners or (self.language == "en" and token.text in _AUXILIARIES):
                phrase, asked = True, False
            elif not self._is_content(token):
                phrase = asked = False
            elif (phrase or (self.language == "de" and place and token.shown[0].isupper())) and not (
                asked and one_clause
            ):
                return True
        return False

    def _has_clitic(self) -> bool:
        """Whether there is a clitic pronoun (which looks like an article) without antecedent."""
        found = self.known.clitics.search(self.question) if self.known.clitics else None
        if found is None:
            return False
        following = QUESTION_TOKEN.findall(self.question[found.start() :].lower())[:2]
        at = len(QUESTION_TOKEN.findall(self.question[: found.start()]))
        return following[-1] not in DOCUMENTS and not self._has_antecedent(at)
