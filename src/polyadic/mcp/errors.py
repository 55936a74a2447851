"""Errors as clients see them: one line, without paths of this machine that the client did not name."""

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

# An absolute path of two parts or more, but not the path of a URL.
_PATH = re.compile(r"(?<![\w:/.…~-])~?(?:/[^\s/'\",;:()]+){2,}/?")
_MAX_LENGTH = 500
_MAX_PROBLEMS = 3


class BadArguments(PolyadicError):
    """The arguments of a tool call are not valid."""


def bad_arguments(tool: str, error: ValidationError) -> BadArguments:
    """Build the error for invalid arguments of a tool, without repeating their values."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    messages = [_message(problem["loc"], problem["msg"]) for problem in problems[:_MAX_PROBLEMS]]
    more = [f"and {len(problems) - _MAX_PROBLEMS} more"] if len(problems) > _MAX_PROBLEMS else []
    return BadArguments(
        f"invalid arguments for {tool} ({'; '.join([*messages, *more])})", "see the input schema of the tool"
    )


def one_line(error: Exception, sent: str, folder: Path | None = None) -> str:
    """Build the one-line message that the client gets for an error.

    Parameters
    ----------
    error
        The exception. Addresses of models are removed. Unexpected exceptions are reported as defects, and their text
        goes to the log only.
    sent
        What the client sent: paths in it need not be hidden.
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
    text = without_addresses(text, sent)
    visible = _PATH.sub(lambda path: path[0] if path[0].rstrip("/.") in sent else f"…/{Path(path[0]).name}", text)
    return cut(printable(" ".join(visible.split())), _MAX_LENGTH)


def _message(location: Sequence[str | int], message: str) -> str:
    name = cut(".".join(map(str, location)), 60)
    text = message.removeprefix("Value error, ").rstrip(".")
    text = f"{text[:1].lower()}{text[1:]}"
    return f"{name}: {text}" if name else text
