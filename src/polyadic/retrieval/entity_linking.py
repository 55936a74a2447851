"""Entity linking: find names and terms of the store in a text; of a question, also the remainder of its words.

Entities of the store that a question mentions by name are its *anchors*; the question without these names is the
*remainder*: "When was the mother of Ada Lovelace born?" has the remainder "When was the mother of born?". Terms
("authorization code") are anchors as well, but stay in the remainder, because they express what is asked.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyadic.model.identity import loose_name
from polyadic.model.types import Span
from polyadic.storage.protocol import Reader, Rows
from polyadic.text.dates import days_of
from polyadic.text.language import detect_language
from polyadic.text.stopwords import likely_function_words, without_article
from polyadic.text.words import WORD

_LONGEST_NAME = 8
_LONGEST_TERM = 4
_MOST_HOMONYMS = 8
# A single lower-case word is only used as a term if at most this many chunks contain it.
_MOST_CHUNKS_OF_A_WORD = 12
_SHORTEST_TERM = 4
# Without a language model, the scores of names are at least this, and those of terms lower.
_LEAST_OF_A_NAME = 50.0
_ARTICLES = frozenset({"a", "an", "the"})
# Articles at the beginning of titles in other languages.
_FOREIGN_ARTICLES = {
    "de": ("der", "die", "das"),
    "es": ("el", "la", "los", "las"),
    "fr": ("le", "la", "les"),
    "it": ("il", "lo", "la", "i", "gli", "le"),
    "pt": ("o", "a", "os", "as"),
    "nl": ("de", "het"),
    "ca": ("el", "la", "els", "les"),
}
# Languages whose genitive appends these to a name without an apostrophe: "Kesslers Zeichnungen".
_GENITIVES = {"de": ("es", "s"), "nl": ("s",), "sv": ("s",), "da": ("s",), "no": ("s",)}


# Endings of singulars by language, and the plural endings that replace them.
_PLURALS = {
    "en": (("y", "ies"), ("ss", "sses"), ("x", "xes"), ("ch", "ches"), ("sh", "shes"), ("", "s")),
    "de": (("", "en"), ("", "n"), ("", "e")),
    "es": (("", "s"), ("", "es")),
    "fr": (("", "s"),),
    "pt": (("", "s"),),
    "ca": (("", "s"),),
}

_SPACE = re.compile(r"\s+")
_ARTICLE_BEFORE = re.compile(r"\b(?:the|an|a)\s+$", re.IGNORECASE)
_POSSESSIVE_AFTER = re.compile(r"^['’]s\b")


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A span that names entities of the store: several for homonyms, at most eight.

    ``is_term`` is true if it is a term for a kind of thing rather than a name.
    """

    span: Span
    entities: tuple[int, ...]
    is_term: bool = False


def link_entities(texts: Sequence[str], reader: Reader) -> list[list[EntityMention]]:
    """Return the mentions in each text from left to right: longest match first, each word in at most one.

    A name needs a capital or a digit if the text uses capitals at all; otherwise any word except function words of its
    language. A name also matches without the article of a title ("del faro": "El faro"), and in a genitive without
    apostrophe. A term matches in singular and plural: several words, or a single word that few chunks contain. All
    texts are looked up together.
    """
    languages = [detect_language(text) for text in texts]
    words = [[Span(*match.span()) for match in WORD.finditer(text)] for text in texts]
    candidates = [list(_candidates(*each)) for each in zip(texts, words, languages, strict=True)]
    wanted = dict.fromkeys(form for runs in candidates for run in runs for form in run.forms)
    named = reader.named(list(wanted))
    known = {name: _foremost(rows, reader) for name, rows in named.items()}
    terms = _terms(known, reader)
    common = _common([name for runs in candidates for run in runs if run.is_lone for name in run.forms[:1]], reader)
    return [_longest(spans, runs, known, terms, common) for spans, runs in zip(words, candidates, strict=True)]


@dataclass(frozen=True, slots=True)
class _Run:
    """Words from ``first`` to before ``last`` that may be a name, with its possible normalized forms.

    ``is_name`` is true if they may be a name, and not only a term; ``is_lower`` if they are in lower case.
    """

    first: int
    last: int
    forms: tuple[str, ...]
    is_name: bool
    is_lower: bool

    @property
    def is_lone(self) -> bool:
        """Whether it is a single word in lower case."""
        return self.is_lower and self.last == self.first + 1


def _foremost(homonyms: Sequence[int], reader: Reader) -> tuple[int, ...]:
    """Return the homonyms; if there are too many, those with most facts."""
    if len(homonyms) <= _MOST_HOMONYMS:
        return tuple(homonyms)
    rows = np.array(homonyms, dtype=np.int64)
    most = np.argsort(-reader.degrees("entity_facts", rows), kind="stable")[:_MOST_HOMONYMS]
    return tuple(rows[np.sort(most)].tolist())


def _terms(known: Mapping[str, tuple[int, ...]], reader: Reader) -> set[int]:
    """Return the entities that are terms, not names."""
    rows = np.array(sorted({row for rows in known.values() for row in rows}), dtype=np.int64)
    entities = zip(rows.tolist(), reader.entities(rows), strict=True)
    return {
        row for row, entity in entities if entity.score < _LEAST_OF_A_NAME and not any(c.isdigit() for c in entity.name)
    }


def _common(words: Sequence[str], reader: Reader) -> set[str]:
    """Return the words that many chunks contain."""
    distinct = list(dict.fromkeys(words))
    held = reader.chunks_with_words(distinct, _MOST_CHUNKS_OF_A_WORD + 1).sources
    return {distinct[place] for place in np.flatnonzero(np.bincount(held) > _MOST_CHUNKS_OF_A_WORD)}


def _candidates(text: str, words: Sequence[Span], language: str) -> Iterator[_Run]:
    """Yield runs of words that may be a name; longest first, then from the left."""
    boundaries = _name_boundaries(text, words, language)
    content = _content(text, words, language)
    loose_ends = [_is_loose_end(text, word) for word in words]
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            last = first + length
            if loose_ends[first] or loose_ends[last - 1]:
                continue
            shown = text[words[first].start : words[last - 1].end]
            if boundaries[first] or boundaries[last - 1]:
                forms = (*_forms(shown, language), *days_of(shown))
                if length == 1 and content[first]:
                    forms = tuple(dict.fromkeys([*forms, *_number_forms(loose_name(shown), language)]))
                yield _Run(first, last, forms, is_name=True, is_lower=shown.islower())
            elif length <= _LONGEST_TERM and content[first] and content[last - 1]:
                yield _Run(first, last, _number_forms(loose_name(shown), language), is_name=False, is_lower=True)


def _content(text: str, words: Sequence[Span], language: str) -> list[bool]:
    """Return for each word whether a term may begin or end with it."""
    common = likely_function_words(language)
    shown = (text[word.start : word.end].lower() for word in words)
    return [len(word) >= _SHORTEST_TERM and word not in common for word in shown]


def _number_forms(term: str, language: str) -> tuple[str, ...]:
    """Return a normalized term and its possible singulars or plurals.

    >>> _number_forms("authorization codes", "en"), _number_forms("deploy key", "en")
    (('authorization codes', 'authorization code'), ('deploy key', 'deploy keies', 'deploy keys'))
    """
    forms = _PLURALS.get(language, ())
    singulars = (term.removesuffix(plural) + singular for singular, plural in forms if term.endswith(plural))
    is_plural = language != "de" and term.endswith("s") and not term.endswith("ss")
    plurals = (term.removesuffix(singular) + plural for singular, plural in forms if term.endswith(singular))
    return tuple(dict.fromkeys([term, *singulars, *(() if is_plural else plurals)]))


def _forms(name: str, language: str) -> tuple[str, ...]:
    """Return the possible normalized forms of a name, the literal one first.

    >>> _forms("Kesslers", "de")[:3], _forms("the Kesslers", "en")
    (('kesslers', 'kessler', 'der kesslers'), ('kesslers',))
    >>> _forms("las Torres", "es")
    ('las torres', 'torres', 'el torres', 'la torres', 'los torres')
    """
    loose = loose_name(name)
    if language not in _GENITIVES and language not in _FOREIGN_ARTICLES:
        return (loose,)
    bare = without_article(loose, language)
    if bare != without_article(bare, language):
        return (loose,)
    stems = [bare, *(bare.removesuffix(ending) for ending in _GENITIVES.get(language, ()) if bare.endswith(ending))]
    titles = (f"{article} {stem}" for stem in stems for article in _FOREIGN_ARTICLES.get(language, ()))
    return tuple(dict.fromkeys([loose, *stems, *titles]))


def _is_loose_end(text: str, word: Span) -> bool:
    """Return whether a word is an article or a possessive "s", which normalized names lack at their ends."""
    shown = text[word.start : word.end].lower()
    return shown in _ARTICLES or (shown == "s" and text[max(word.start - 1, 0)] in "'’")


def _name_boundaries(text: str, words: Sequence[Span], language: str) -> list[bool]:
    """Return for each word whether a name may begin or end with it."""
    shown = [text[word.start : word.end] for word in words]
    capitals = [any(c.isupper() for c in word) for word in shown]
    cased = any(capitals)
    common = likely_function_words(language)
    marked = (not cased or capital or word[0].isdigit() for capital, word in zip(capitals, shown, strict=True))
    # "Who" at the start of a question is not the band.
    return [is_name and ((i > 0 and cased) or shown[i].lower() not in common) for i, is_name in enumerate(marked)]


def _longest(
    words: Sequence[Span],
    runs: Sequence[_Run],
    known: Mapping[str, tuple[int, ...]],
    terms: Collection[int],
    common: Collection[str],
) -> list[EntityMention]:
    """Return mentions, each word in at most one; ``terms`` are entities that are terms, ``common`` frequent words."""
    taken: set[int] = set()
    mentions = []
    for run in runs:
        if known.keys().isdisjoint(run.forms) or not taken.isdisjoint(range(run.first, run.last)):
            continue
        rows = dict.fromkeys(row for form in run.forms for row in known.get(form, ()))
        is_term = not (run.is_lone and run.forms[0] in common)
        entities = tuple(row for row in rows if (is_term if row in terms else run.is_name))[:_MOST_HOMONYMS]
        if entities:
            taken.update(range(run.first, run.last))
            span = Span(words[run.first].start, words[run.last - 1].end)
            mentions.append(EntityMention(span, entities, all(row in terms for row in entities)))
    return sorted(mentions, key=lambda mention: mention.span)


@dataclass(frozen=True, slots=True)
class AnalyzedQuestion:
    """A question with the entities that it names.

    ``anchors`` are entities; ``groups`` gives the index of each anchor's mention, which homonyms share. ``names`` are
    the anchors that are names, not terms.
    """

    text: str
    anchors: Rows
    names: Rows
    groups: Rows
    mentions: tuple[str, ...]
    remainder: str


def analyze_question(text: str, reader: Reader) -> AnalyzedQuestion:
    """Link a question to the entities that it names."""
    mentions = link_entities([text], reader)[0]
    return AnalyzedQuestion(
        text,
        np.array([row for mention in mentions for row in mention.entities], dtype=np.int64),
        np.array([row for mention in mentions if not mention.is_term for row in mention.entities], dtype=np.int64),
        np.array([group for group, mention in enumerate(mentions) for _ in mention.entities], dtype=np.int64),
        tuple(text[mention.span.start : mention.span.end] for mention in mentions),
        _without(text, [mention.span for mention in mentions if not mention.is_term]),
    )


def _without(text: str, spans: Sequence[Span]) -> str:
    """Remove spans from a text, with an article before and a possessive after them.

    >>> _without("When was the Engine's wheel made?", [Span(13, 19)])
    'When was wheel made?'
    """
    ends = (0, *(span.end for span in spans))
    starts = (*(span.start for span in spans), len(text))
    between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    kept = [_POSSESSIVE_AFTER.sub("", _ARTICLE_BEFORE.sub("", gap)) for gap in between]
    return _SPACE.sub(" ", " ".join(kept)).strip()
