"""Which names served workspaces may have."""

import re

NAME = r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?"
"""Lower case alone: on some file systems ``A`` and ``a`` are one folder."""


def is_name(name: str) -> bool:
    """Whether a workspace may be called so; no such name leads out of a folder.

    >>> [name for name in ("letters", "kb-2", "..", "a/b", "A", ".server", "a\\n") if is_name(name)]
    ['letters', 'kb-2']
    """
    return re.fullmatch(NAME, name) is not None
