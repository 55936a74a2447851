"""Errors as clients see them: one line, and no path of this machine that the client did not name."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError
from starlette.exceptions import HTTPException

from polyadic.errors import PolyadicError, without_addresses
from polyadic.loaders.skipped import printable
from polyadic.mcp.limits import cut

_log = logging.getLogger(__name__)

# An absolute path of two parts or more; what follows a host or a scheme is none.
_PATH = re.compile(r"(?<![\w:/.…~-])~?(?:/[^\s/'\",;:()]+){2,}/?")
_LONGEST = 500
_SHOWN = 3


class BadArguments(PolyadicError):
    """What a tool was called with is not what it takes."""


def bad_arguments(tool: str, error: ValidationError) -> BadArguments:
    """What is wrong with the arguments of a tool, without repeating them."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    told = [_told(problem["loc"], problem["msg"]) for problem in problems[:_SHOWN]]
    more = [f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
    return BadArguments(
        f"{tool} cannot be called like this ({'; '.join([*told, *more])})", "its schema says what it takes"
    )


def one_line(error: Exception, said: str, folder: Path | None = None) -> str:
    """What to tell a client about an error.

    Parameters
    ----------
    error
        What was raised. Where models are is left out. What neither we nor the server around us explain is a defect: its
        words go to the log only.
    said
        What the client sent: paths that stand in it are no secret.
    folder
        The folder of the workspace, if one was found.

    >>> one_line(PolyadicError("/srv/kb/main/store.sqlite cannot be used"), "", Path("/srv/kb/main"))
    '…/main/store.sqlite cannot be used'
    """
    if isinstance(error, PolyadicError):
        text = str(error)
    elif isinstance(error, HTTPException):
        text = error.detail
    elif isinstance(error, OSError):
        text = f"a file cannot be used ({error.strerror})"
    else:
        _log.error("a request failed unexpectedly", exc_info=error)
        text = f"unexpected {type(error).__name__}: this is a defect, please report it with what the server logged"
    if folder is not None:
        text = text.replace(f"{folder}", f"…/{folder.name}")
    text = without_addresses(text, said)
    shown = _PATH.sub(lambda path: path[0] if path[0].rstrip("/.") in said else f"…/{Path(path[0]).name}", text)
    return cut(printable(" ".join(shown.split())), _LONGEST)


def _told(where: Sequence[str | int], what: str) -> str:
    name = cut(".".join(map(str, where)), 60)
    told = what.removeprefix("Value error, ").rstrip(".")
    told = f"{told[:1].lower()}{told[1:]}"
    return f"{name}: {told}" if name else told
