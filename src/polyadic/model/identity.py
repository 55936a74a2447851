"""When two names mean one entity, and two statements one fact (DESIGN: entity and fact identity).

Everything here is a pure function of text, so identifiers are the same in every workspace and after
every history of indexing and deleting.
"""

import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterable

_QUOTES = "\"'“”„‟«»‹›‘’‚‛`´"
_ARTICLE = re.compile(r"^(?:the|an|a)\s+(?=\S)")
_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_QUALIFIER = re.compile(r"(?<=\S)\s+\([^()]*\)\s*$")
_POSSESSIVE = re.compile(r"['’](?:s\b|(?=\s|$))")
_NICKNAME = re.compile(r"""\s["“'‘]([^"“”'‘’]{2,20})["”'’]\s""")
_WORDS_OF_A_PERSON = 5
_NOT_A_WORD = re.compile(r"[^\w]+")
_DIGEST_BYTES = 16


def digest(*parts: str) -> str:
    """A 32-digit hexadecimal identifier of the parts, in their order.

    >>> digest("a", "b") == digest("ab")
    False
    """
    framed = bytearray()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        framed += len(data).to_bytes(8, "big")
        framed += data
    return hashlib.blake2b(framed, digest_size=_DIGEST_BYTES).hexdigest()


def normal_text(text: str) -> str:
    """Text as far as it matters to identity: NFC, white space folded to single spaces.

    >>> normal_text(" one\\n  fact ")
    'one fact'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


@functools.lru_cache(maxsize=65_536)
def entity_key(name: str) -> str:
    """The identity of an entity: NFKC, case-folded, without outer quotes and leading English article.

    Qualifiers stay, so that homonyms stay apart. Empty only if the name is nothing but space and quotes.

    >>> entity_key('"The  Analytical Engine"'), entity_key('The "Titanic"'), entity_key("Mercury (planet)")
    ('analytical engine', 'titanic', 'mercury (planet)')
    """
    folded = normal_text(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))
    bare = folded.strip(_QUOTES + " ")
    return _ARTICLE.sub("", bare).strip(_QUOTES + " ") or bare


def without_qualifier(name: str) -> str:
    """A name without what tells it from others of the same name.

    >>> without_qualifier("Mercury (planet)"), without_qualifier("(I Can't Get No) Satisfaction")
    ('Mercury', "(I Can't Get No) Satisfaction")
    """
    return _QUALIFIER.sub("", name) or name


@functools.lru_cache(maxsize=65_536)
def loose_name(name: str) -> str:
    """A looser form for matching questions and proposing aliases: no accents, parentheses, possessive.

    Two entities may share a loose name; it is never an identity.

    >>> loose_name("The Café de Flore (Paris)"), loose_name("Lovelace's")
    ('cafe de flore', 'lovelace')
    """
    key = entity_key(name)
    bare = _PARENTHESES.sub("", key) or key
    plain = _POSSESSIVE.sub("", bare)
    return _NOT_A_WORD.sub(" ", plain if plain.isascii() else _without_accents(plain)).strip() or key


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", "".join(c for c in decomposed if not unicodedata.combining(c)))


@functools.lru_cache(maxsize=65_536)
def called(name: str) -> frozenset[str]:
    """Loose names under which something of this name may be found: its own, and shorter ones that people bear.

    >>> sorted(called("Robert Adolf Stemmle"))
    ['r a stemmle', 'robert a stemmle', 'robert adolf stemmle', 'robert stemmle']
    >>> sorted(called('Elwyn "Andy" White'))
    ['andy white', 'elwyn andy white', 'elwyn white']
    >>> called("Mercury (planet)"), called("the Kingdom of Arakan")
    (frozenset({'mercury'}), frozenset({'kingdom of arakan'}))
    """
    forms = {loose_name(name)}
    bare = without_qualifier(name)
    nickname = _NICKNAME.search(bare)
    words = (bare[: nickname.start()] + " " + bare[nickname.end() :] if nickname else bare).split()
    if not 2 <= len(words) <= _WORDS_OF_A_PERSON or not all(word[0].isupper() for word in words):
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
    """The identity of a fact: its normalised text and the set of its entities' keys."""
    return digest("fact", normal_text(text), *sorted(set(entity_keys)))


def entity_id(key: str) -> str:
    """The public identifier of the entity with this key."""
    return digest("entity", key)


def document_id(source: str) -> str:
    """The public identifier of the document from this source (an absolute path or a URI)."""
    return digest("document", source)


def chunk_id(document: str, start: int, text: str) -> str:
    """The public identifier of a chunk: its document, where it starts, and its text."""
    return digest("chunk", document, str(start), text)
