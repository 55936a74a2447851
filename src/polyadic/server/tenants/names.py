"""Valid names of workspaces on a server."""

import re

NAME = r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?"
"""Lower case only: on some file systems ``A`` and ``a`` are the same folder."""


def is_name(name: str) -> bool:
    """Return whether a workspace may have this name; a valid name cannot leave its folder.

    >>> [name for name in ("letters", "kb-2", "..", "a/b", "A", ".server", "a\\n") if is_name(name)]
    ['letters', 'kb-2']
    """
    return re.fullmatch(NAME, name) is not None
