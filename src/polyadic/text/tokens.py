"""Count tokens, for token budgets; cut long texts where no token is; rank words by their frequency."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Protocol

# Longer texts are counted in pieces, and the size must not change, so that counts stay the same.
_PIECE = 50_000
_LIBRARY = "bpe_openai"


def split_text(text: str, size: int) -> Iterator[str]:
    """Yield pieces of at most ``size`` characters whose concatenated tokens are those of the text.

    The text is cut before a space that follows a non-space: no token of o200k or of WordPiece spans such a position.
    Only a stretch of ``size`` characters without one is cut at its end, which may split a token.

    >>> list(split_text("one two  three", 9))
    ['one two', '  three']
    """
    start = 0
    while len(text) - start > size:
        cut = text.rfind(" ", start + 1, start + size + 1)
        while cut > start and text[cut - 1].isspace():
            cut = text.rfind(" ", start + 1, cut)
        cut = cut if cut > start else start + size
        yield text[start:cut]
        start = cut
    yield text[start:]


def count_tokens(texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text in o200k, the vocabulary of OpenAI's models since GPT-4o.

    For other models the count is an estimate. Only the text itself is counted, not the overhead of a chat request.
    ``<|endoftext|>`` and similar strings are counted as ordinary characters, not as special tokens. The first call
    loads the vocabulary, which takes a moment.

    >>> count_tokens(["Ada Lovelace", ""])
    [4, 0]
    """
    count = _vocabulary().count
    return [
        _count(text, count) if len(text) <= _PIECE else sum(_count(piece, count) for piece in split_text(text, _PIECE))
        for text in texts
    ]


def _count(text: str, count: Callable[[str], int]) -> int:
    try:
        return count(text)
    except UnicodeEncodeError:  # unpaired surrogate: count it as the replacement character
        return count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def frequency_rank(word: str) -> int | None:
    """Return the rank of a word in o200k, in any case: the smaller, the more frequent; None if it is no single token.

    The vocabulary was learned on text in many languages, most frequent tokens first, so a word that is one token is a
    common one: a regular word or a name, in a high rank also a frequent misspelling.

    >>> frequency_rank("folder") < frequency_rank("folded"), frequency_rank("foldre")
    (True, None)
    """
    spellings = (f"{space}{form}" for form in (word.lower(), word.capitalize(), word.upper()) for space in (" ", ""))
    tokens = (_vocabulary().encode(spelling) for spelling in spellings)
    return min((found[0] for found in tokens if len(found) == 1), default=None)


class _Vocabulary(Protocol):
    def count(self, text: str, /) -> int: ...

    def encode(self, text: str, /) -> list[int]: ...


@cache
def _vocabulary() -> _Vocabulary:
    """Load the tokenizer: only the compiled module of bpe-openai, which contains the vocabulary.

    Importing the package itself reads three vocabularies into dictionaries, which takes half a second and some 60 MB,
    and is needed for decoding only.
    """
    package = find_spec(_LIBRARY)
    folders = package.submodule_search_locations if package else ()
    compiled = PathFinder.find_spec(f"{_LIBRARY}._bindings", folders)
    if compiled is None or compiled.loader is None:
        raise ImportError(f"{_LIBRARY} has no compiled module for this platform", name=_LIBRARY)
    module = module_from_spec(compiled)
    compiled.loader.exec_module(module)
    vocabulary: _Vocabulary = module.tokenizer_for_encoding("o200k_base")
    return vocabulary
