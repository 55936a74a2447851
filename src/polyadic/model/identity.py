"""Identity of entities, facts, documents and chunks (docs/architecture.md, "Identity").

All functions are pure functions of text, so identifiers are the same in every workspace and do not depend on the
history of indexing and deleting.
"""

import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterable

from polyadic.text.dates import days_of
from polyadic.text.words import without_accents

_QUOTES = "\"'“”„‟«»‹›‘’‚‛`´"
_ARTICLE = re.compile(r"^(?:the|an|a)\s+(?=\S)")
_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_QUALIFIER = re.compile(r"(?<=\S)\s+\([^()]*\)\s*$")
_POSSESSIVE = re.compile(r"['’](?:s\b|(?=\s|$))")
_NICKNAME = re.compile(r"""\s["“'‘]([^"“”'‘’]{2,20})["”'’]\s""")
_MAX_PERSON_WORDS = 5
_NON_WORD = re.compile(r"[^\w]+")
DIGEST_BYTES = 16


def digest(kind: str, *parts: str) -> str:
    """Compute a 32-digit hexadecimal identifier of a kind and parts, which depends on their order.

    >>> digest("a", "b") == digest("ab")
    False
    """
    hashed = _begun(kind).copy()
    for part in parts:
        hashed.update(_framed(part))
    return hashed.hexdigest()


@functools.lru_cache(maxsize=64)
def _begun(kind: str) -> "hashlib.blake2b":
    """Begin to hash; cached, as there are few kinds of identifiers."""
    return hashlib.blake2b(_framed(kind), digest_size=DIGEST_BYTES)


def _framed(part: str) -> bytes:
    data = part.encode("utf-8", "surrogatepass")
    return len(data).to_bytes(8, "big") + data


def normal_text(text: str) -> str:
    """Normalize text for identity: NFC, runs of white space replaced by single spaces.

    >>> normal_text(" one\\n  fact ")
    'one fact'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


@functools.lru_cache(maxsize=65_536)
def entity_key(name: str) -> str:
    """Return the key of an entity: its name in NFKC, case-folded, without outer quotes and leading English article.

    Qualifiers are kept, so that homonyms have different keys. The key is empty only if the name consists of white
    space and quotes.

    >>> entity_key('"The  Analytical Engine"'), entity_key('The "Titanic"'), entity_key("Mercury (planet)")
    ('analytical engine', 'titanic', 'mercury (planet)')
    """
    folded = normal_text(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))
    bare = folded.strip(_QUOTES + " ")
    return _ARTICLE.sub("", bare).strip(_QUOTES + " ") or bare


def without_qualifier(name: str) -> str:
    """Remove the trailing parenthesized qualifier of a name.

    >>> without_qualifier("Mercury (planet)"), without_qualifier("(I Can't Get No) Satisfaction")
    ('Mercury', "(I Can't Get No) Satisfaction")
    """
    return _QUALIFIER.sub("", name) or name


@functools.lru_cache(maxsize=65_536)
def loose_name(name: str) -> str:
    """Return a looser form for matching questions and proposing aliases: no accents, parentheses or possessive.

    Several entities may share a loose name, so it is never used as an identifier.

    >>> loose_name("The Café de Flore (Paris)"), loose_name("Lovelace's")
    ('cafe de flore', 'lovelace')
    """
    key = entity_key(name)
    bare = _PARENTHESES.sub("", key) or key
    plain = _POSSESSIVE.sub("", bare)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", without_accents(plain))
    return _NON_WORD.sub(" ", plain).strip() or key


@functools.lru_cache(maxsize=65_536)
def called(name: str) -> frozenset[str]:
    """Return the loose names that match a name: its own, short forms if it looks like a person's, days if it is a date.

    >>> sorted(called("Robert Adolf Stemmle"))
    ['r a stemmle', 'robert a stemmle', 'robert adolf stemmle', 'robert stemmle']
    >>> sorted(called('Elwyn "Andy" White'))
    ['andy white', 'elwyn andy white', 'elwyn white']
    >>> called("Mercury (planet)"), sorted(called("11 August 2014"))
    (frozenset({'mercury'}), ['11 august 2014', '20140811'])
    """
    forms = {loose_name(name), *days_of(name)}
    bare = without_qualifier(name)
    nickname = _NICKNAME.search(bare)
    words = (bare[: nickname.start()] + " " + bare[nickname.end() :] if nickname else bare).split()
    if not 2 <= len(words) <= _MAX_PERSON_WORDS or not all(word[0].isupper() for word in words):
        return frozenset(forms)
    *given, last = words
    if nickname:
        forms |= {loose_name(" ".join(words)), loose_name(f"{nickname[1]} {last}")}
    if len(given) > 1 and not _ARTICLE.match(bare.casefold()):
        initials = [word[0] for word in given]
        shorter = ([given[0]], initials, [given[0], *initials[1:]])
        forms |= {loose_name(" ".join((*short, last))) for short in shorter}
    return frozenset(forms)


def fact_id(text: str, entity_keys: Iterable[str]) -> str:
    """Return the identifier of a fact, from its normalized text and the set of its entity keys."""
    return digest("fact", normal_text(text), *sorted(set(entity_keys)))


def entity_id(key: str) -> str:
    """Return the public identifier of the entity with this key."""
    return digest("entity", key)


def document_id(source: str) -> str:
    """Return the public identifier of the document with this source (an absolute path or a URI)."""
    return digest("document", source)


def chunk_id(document: str, start: int, text: str) -> str:
    """Return the public identifier of a chunk, from its document, start offset and text."""
    return digest("chunk", document, str(start), text)
