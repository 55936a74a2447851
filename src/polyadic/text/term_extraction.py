"""Extract the terms of a document: concepts without proper names.

Only the document itself decides whether words are a term, so that extraction depends on nothing else. A phrase of
several words is a term by its C-value, or if it occurs in a heading; a single word by how often it is the head of a
phrase. Words that occur once may be terms of other documents, and are classified separately.

The C-value is defined by Frantzi, Ananiadou and Mima, "Automatic recognition of multi-word terms" (2000).
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from polyadic.text import english_words
from polyadic.text.headings import headings
from polyadic.text.noun_phrases import OF, Phrase, phrases
from polyadic.text.stopwords import ARTICLES, function_words
from polyadic.text.vocabulary import Vocabulary

_MIN_COUNT = 2
_MIN_C_VALUE = 2.0
_IDENTIFIER = re.compile(r"(?<![\w-])(?:--[A-Za-z][\w-]+|[A-Za-z]\w*_\w+)(?![\w-])")
_PLURALS = {
    "en": (("ies", "y"), ("s", ""), ("es", "")),
    "de": (("ses", ""), ("es", ""), ("s", ""), ("en", ""), ("n", "")),
}
_PLURAL = (("s", ""), ("es", ""))
_MIN_STEM = 3


_Words = tuple[str, ...]


class Termhood(IntEnum):
    """How likely words are a term."""

    NONCE = 1  # a word that occurs once as a noun
    NONCE_PHRASE = 2  # several words that occur together once
    WORD = 3  # a noun that recurs
    TERM = 4  # several words that recur as one, a compound that recurs, an identifier


@dataclass(frozen=True, slots=True)
class DocumentTerm:
    """A term in a sentence, in the singular if the document contains it; ``start`` is an offset in characters."""

    text: str
    termhood: Termhood
    start: int


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """Word usage in a document: ``nouns`` follow an article or a preposition; ``words`` occur in phrases."""

    known: Vocabulary
    nouns: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, found: Sequence[Phrase], known: Vocabulary) -> "_Lexicon":
        nouns = frozenset(phrase.words[_head(phrase.words, known)] for phrase in found if phrase.determined)
        return cls(known, nouns, frozenset(word for phrase in found for word in phrase.words))

    def trimmed(self, words: _Words) -> _Words:
        """Trim a phrase to its head, in the singular; empty if it has no possible head."""
        if self.known.language == "en":
            last = len(words)
            while last and not self._may_be_head(words[last - 1]):
                last -= 1
            words = words[:last]
        elif self.known.language in OF:
            words = _without_of(words, OF[self.known.language])
        if not words or (len(words) == 1 and self.is_generic(words[0])):
            return ()
        at = _head(words, self.known)
        singular = len(words) == 1 or self.known.language == "en"
        return (*words[:at], self._singular(words[at]), *words[at + 1 :]) if singular else words

    def is_noun(self, word: str) -> bool:
        return word in self.nouns or self.known.language == "de"

    def is_generic(self, word: str) -> bool:
        if self.known.language == "en":
            return word in english_words.GENERIC or (word.endswith("s") and word[:-1] in english_words.GENERIC)
        return word.lower() in function_words(self.known.language)

    def is_compound(self, word: str) -> bool:
        """Return whether a German noun ends in another noun of the document: "Widerrufsrecht", "Recht"."""
        if self.known.language != "de":
            return False
        heads = (word[at:].capitalize() for at in range(_MIN_STEM, len(word) - _MIN_STEM))
        return any(head in self.words for head in heads)

    def _may_be_head(self, word: str) -> bool:
        if english_words.is_participle(word):
            return False
        return not english_words.may_be_adjective(word) or word in self.nouns or f"{word}s" in self.words

    def _singular(self, word: str) -> str:
        for ending, replacement in _PLURALS.get(self.known.language, _PLURAL):
            stem = word.removesuffix(ending) + replacement
            if word.endswith(ending) and len(stem) >= _MIN_STEM and stem in self.words:
                return stem
        return word


@dataclass(frozen=True, slots=True)
class TermIndex:
    """The terms of a document: ``multiword`` terms, and ``heads`` with the counts of words as head of a phrase."""

    lexicon: _Lexicon
    multiword: frozenset[_Words]
    heads: Mapping[str, int]

    @classmethod
    def of(cls, text: str, known: Vocabulary) -> "TermIndex":
        """Index the terms of a document.

        >>> text = "The basal cell carcinoma is rare. A basal cell carcinoma grows slowly. Ask a doctor."
        >>> terms = TermIndex.of(text, Vocabulary("en", frozenset({"basal"})))
        >>> [(term.text, term.termhood.name) for term in terms.within("Basal cell carcinomas trouble the doctor.")]
        [('basal cell carcinoma', 'TERM'), ('doctor', 'NONCE')]
        """
        found = list(phrases(text, known))
        lexicon = _Lexicon.of(found, known)
        counts = Counter(trimmed for phrase in found if (trimmed := lexicon.trimmed(phrase.words)))
        titles = [phrase for heading in headings(text) for phrase in phrases(heading.words.lower(), known)]
        in_headings = {trimmed for phrase in titles if len(trimmed := lexicon.trimmed(phrase.words)) > 1}
        heads: Counter[str] = Counter()
        for words, count in counts.items():
            heads[words[_head(words, known)]] += count
        return cls(lexicon, _multiword(counts, lexicon) | in_headings, heads)

    def within(self, sentence: str) -> list[DocumentTerm]:
        """Return the terms of a sentence, in order, each once."""
        found = {term.text: term for term in self._find(sentence)}
        return sorted(found.values(), key=lambda term: term.start)

    def _find(self, sentence: str) -> Iterator[DocumentTerm]:
        for match in _IDENTIFIER.finditer(sentence):
            yield DocumentTerm(match[0], Termhood.TERM, match.start())
        for phrase in phrases(sentence, self.lexicon.known):
            words = self.lexicon.trimmed(phrase.words)
            if words:
                yield from self._term(words, phrase)

    def _term(self, words: _Words, phrase: Phrase) -> Iterator[DocumentTerm]:
        """Yield the longest term in a phrase, else its head if it recurs, else the phrase."""
        for size in range(len(words), 1, -1):
            for first in range(len(words) - size + 1):
                part = words[first : first + size]
                if part in self.multiword:
                    yield DocumentTerm(" ".join(part), Termhood.TERM, phrase.start)
                    return
        head = words[_head(words, self.lexicon.known)]
        if not phrase.determined and not self.lexicon.is_noun(head):
            return
        if self.heads.get(head, 0) >= _MIN_COUNT and not self.lexicon.is_generic(head):
            yield DocumentTerm(head, Termhood.TERM if self.lexicon.is_compound(head) else Termhood.WORD, phrase.start)
        else:
            yield DocumentTerm(
                " ".join(words), Termhood.NONCE_PHRASE if len(words) > 1 else Termhood.NONCE, phrase.start
            )


def _without_of(words: _Words, of: frozenset[str]) -> _Words:
    """Trim prepositions and articles at both ends of a Romance phrase."""
    first, last = 0, len(words)
    while first < last and (words[first] in of or words[first] in ARTICLES):
        first += 1
    while first < last and (words[last - 1] in of or words[last - 1] in ARTICLES):
        last -= 1
    return words[first:last]


def _head(words: Sequence[str], known: Vocabulary) -> int:
    return len(words) - 1 if known.language in ("en", "de") else 0


def _multiword(counts: Counter[_Words], lexicon: _Lexicon) -> frozenset[_Words]:
    """Phrases of several words, and parts of them, with a sufficient C-value."""
    total: Counter[_Words] = Counter()
    longer: dict[_Words, list[_Words]] = {}
    for words, count in counts.items():
        for part in _parts(words, lexicon):
            total[part] += count
    recurring = {words: count for words, count in total.items() if count >= _MIN_COUNT}
    for words in recurring:
        for part in _parts(words, lexicon):
            if part != words and part in recurring:
                longer.setdefault(part, []).append(words)
    return frozenset(
        words
        for words, count in recurring.items()
        if c_value(len(words), count, [recurring[other] for other in longer.get(words, ())]) >= _MIN_C_VALUE
    )


def _parts(words: _Words, lexicon: _Lexicon) -> Iterator[_Words]:
    """Parts of at least two words that may be terms, including the whole phrase."""
    for last in range(2, len(words) + 1):
        for first in range(last - 1):
            part = words[first:last]
            if lexicon.trimmed(part) == part:
                yield part


def c_value(length: int, count: int, longer: Sequence[int]) -> float:
    """Compute the C-value: log2 of the length times the count minus the mean count of longer terms that contain it.

    >>> c_value(2, 10, []), c_value(2, 10, [7, 3]), c_value(3, 4, [4])
    (10.0, 5.0, 0.0)
    """
    nested = sum(longer) / len(longer) if longer else 0.0
    return math.log2(length) * (count - nested)
