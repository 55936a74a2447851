"""Replace characters that cannot be encoded as UTF-8."""


def encodable(text: str) -> str:
    """Replace lone surrogates, which JSON escapes and undecodable file names contain, with ``?``.

    >>> encodable("a\\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode("utf-8")
