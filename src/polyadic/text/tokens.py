"""Counting tokens, to fit text into a budget."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec

from polyadic.text.split import split_text

# Of a longer text counts have always been sums over pieces, and what is counted again is to be the same.
_PIECE = 50_000
_LIBRARY = "bpe_openai"


def count_tokens(texts: Sequence[str]) -> list[int]:
    """How many tokens each text has in o200k, the vocabulary of OpenAI's models since GPT-4o.

    Other models cut text a little differently, so for them this is an estimate. Only the text itself is
    counted, not what a chat endpoint wraps around it; ``<|endoftext|>`` and its like in a text are the
    characters that they are, not one special token. The first call reads the vocabulary, which takes a moment.

    >>> count_tokens(["Ada Lovelace", ""])
    [4, 0]
    """
    count = _counter()
    return [
        _count(text, count) if len(text) <= _PIECE else sum(_count(piece, count) for piece in split_text(text, _PIECE))
        for text in texts
    ]


def _count(text: str, count: Callable[[str], int]) -> int:
    try:
        return count(text)
    except UnicodeEncodeError:  # half of a surrogate pair, which counts as the sign that stands for what is unknown
        return count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


@cache
def _counter() -> Callable[[str], int]:
    """What counts the tokens of one text: the compiled part of bpe-openai, by itself.

    It has its own vocabulary. The package around it reads three of them into dictionaries when it is imported, for half
    a second and some 60 MB; only decoding needs these.
    """
    package = find_spec(_LIBRARY)
    folders = package.submodule_search_locations if package else ()
    compiled = PathFinder.find_spec(f"{_LIBRARY}._bindings", folders)
    if compiled is None or compiled.loader is None:
        raise ImportError(f"{_LIBRARY} has no compiled part here", name=_LIBRARY)
    module = module_from_spec(compiled)
    compiled.loader.exec_module(module)
    counter: Callable[[str], int] = module.tokenizer_for_encoding("o200k_base").count
    return counter
