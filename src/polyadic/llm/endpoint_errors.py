"""Translate an endpoint's errors into messages: what happened, and what to do next."""

import json
import re
from urllib.request import getproxies

import openai

from polyadic.errors import ModelUnavailable, NoReply, PolyadicError
from polyadic.llm.endpoint_connection import Endpoint
from polyadic.llm.throttled_client import LARGEST_REPLY, ReplyTooLarge

TOO_LONG = (
    "set context_tokens of the model to what it holds, "
    "or lower window_tokens under [chunking] or context_tokens under [retrieval]"
)
"""Next step for a request that does not fit."""

_CONTEXT = re.compile(
    r"context[ _](?:length|window|size)|maximum context|maximum sequence|too many tokens|prompt is too long"
    r"|less than \d+ tokens",
    re.IGNORECASE,
)
_REPLY_LIMIT = re.compile(
    r"max_(?:completion_)?tokens\b.*(?:too large|at most|maximum|exceed|less than)", re.IGNORECASE | re.DOTALL
)
_FILTERED = re.compile(r"content[ _](?:filter|policy|management)", re.IGNORECASE)
# Some endpoints send a whole page for an error; its beginning is enough.
_READ = 2000
_PREFIX = re.compile(r"^Error code: \d+(?: - )?")
_NOT_REACHED = ("ConnectError", "ConnectTimeout", "UnsupportedProtocol")


def translate_errors(error: openai.OpenAIError, endpoint: Endpoint, model: str) -> PolyadicError:
    """Translate a client error: ModelUnavailable if any other request would fail as well, else NoReply."""
    if isinstance(error, openai.APIConnectionError):
        return _connection(error, endpoint)
    if isinstance(error, ReplyTooLarge):
        what = f"{endpoint.address} sent more than {LARGEST_REPLY // 1_000_000} MB for one reply"
        return NoReply(what, f"check base_url and name under [{endpoint.section}]")
    if isinstance(error, openai.APIError):
        return _by_status(error, endpoint, model) or _by_meaning(error, endpoint, model) or _otherwise(error, endpoint)
    return no_reply(endpoint)


def no_reply(endpoint: Endpoint) -> NoReply:
    """Return the error for a response that is not a reply: a web page, or JSON of another kind."""
    what = f"{endpoint.address} sent something that is not a model reply"
    return NoReply(what, f"check base_url under [{endpoint.section}]; it often ends in /v1")


def message_of(error: openai.APIError) -> str:
    """Return the message of an error, wherever the endpoint put it; empty for a web page."""
    message = _PREFIX.sub("", error.message)
    if message or not error.body:
        return message
    message = error.body if isinstance(error.body, str) else json.dumps(error.body, ensure_ascii=False)
    return "" if message.startswith("<") else message


def is_too_long(error: openai.APIError) -> bool:
    """Return whether the request, or the requested reply length, exceeds the model's limits."""
    return error.code == "context_length_exceeded" or says_too_long(message_of(error))


def says_too_long(message: str) -> bool:
    """Return whether a message says that the request, or the requested reply length, exceeds the model's limits.

    >>> says_too_long("This model's maximum context length is 8192 tokens."), says_too_long("Unsupported: 'max_tokens'")
    (True, False)
    """
    return bool(_CONTEXT.search(message[:_READ]) or _REPLY_LIMIT.search(message[:_READ]))


def _connection(error: openai.APIConnectionError, endpoint: Endpoint) -> PolyadicError:
    section, where = endpoint.section, endpoint.address
    cause = type(error.__cause__).__name__
    detail = endpoint.quoted(str(error.__cause__ or "")) or cause
    if cause in _NOT_REACHED:
        proxy = ", and the proxy that the environment names" if getproxies() else ""
        return ModelUnavailable(
            f"{where} cannot be reached ({detail})",
            f"check base_url under [{section}], and that the server is running{proxy}",
        )
    if cause == "ProxyError":
        what = f"the proxy set in the environment cannot reach {where} ({detail})"
        return ModelUnavailable(what, "fix HTTP_PROXY or HTTPS_PROXY, or add the endpoint to NO_PROXY")
    if isinstance(error, openai.APITimeoutError):
        what = f"{where} gave no reply within {endpoint.settings.timeout:g} s"
        return NoReply(what, f"raise timeout under [{section}], or lower at_once")
    return NoReply(f"{where} cut the connection", "try again")


def _by_status(error: openai.APIError, endpoint: Endpoint, model: str) -> PolyadicError | None:
    """Translate an error by its HTTP status or error code."""
    section, where, detail = endpoint.section, endpoint.address, _quoted(error, endpoint)
    status = _status(error)
    if status in (401, 403):
        variable = endpoint.settings.key_variable
        held = f"the key in {variable}" if variable else "a call without a key"
        reason = f"{status}, {detail}" if detail and status == 403 else f"{status}"
        return ModelUnavailable(f"{where} refuses {held} ({reason})", f"check it, and base_url under [{section}]")
    if status == 402 or error.code == "insufficient_quota":
        return ModelUnavailable(f"the account at {where} has no credit left", "top it up, then run this again")
    if error.code in ("model_not_found", "DeploymentNotFound") or (status == 404 and model in detail):
        return ModelUnavailable(
            f"{where} has no model {model}", f"check name under [{section}]; polyadic doctor lists them"
        )
    if status == 404:
        return ModelUnavailable(
            f"there is no model endpoint at {where} (404)", f"check base_url under [{section}]; it often ends in /v1"
        )
    if status == 429:
        return ModelUnavailable(
            f"{where} reports too many calls{_bracketed(detail)}",
            f"lower at_once or set requests_per_minute under [{section}], then run this again",
        )
    return None


def _by_meaning(error: openai.APIError, endpoint: Endpoint, model: str) -> PolyadicError | None:
    """Translate an error by its message, which varies more between endpoints than the status."""
    message = message_of(error)[:_READ]
    if _REPLY_LIMIT.search(message) and not _CONTEXT.search(message):
        what = f"{model} does not allow replies as long as output_tokens{_bracketed(_quoted(error, endpoint))}"
        return ModelUnavailable(what, f"lower output_tokens under [{endpoint.section}]")
    if is_too_long(error) or _status(error) == 413:
        short = TOO_LONG if endpoint.section.startswith("model") else f"lower window under [{endpoint.section}]"
        return NoReply(f"the request is longer than {model} can hold", short)
    if error.code == "content_filter" or _FILTERED.search(message):
        return NoReply(f"{endpoint.address} withheld a reply because of its content filter", "rephrase the input")
    return None


def _otherwise(error: openai.APIError, endpoint: Endpoint) -> NoReply:
    detail = _bracketed(_quoted(error, endpoint))
    status = _status(error)
    if not status:
        return NoReply(f"{endpoint.address} ended its reply early{detail}", "try again")
    later = "try again later" if status >= 500 else "run polyadic doctor to find the reason"
    return NoReply(f"{endpoint.address} answers {status}{detail}", later)


def _status(error: openai.APIError) -> int:
    """Return the HTTP status; 0 for an error in the middle of a stream, which has none."""
    return error.status_code if isinstance(error, openai.APIStatusError) else 0


def _quoted(error: openai.APIError, endpoint: Endpoint) -> str:
    return endpoint.quoted(message_of(error))


def _bracketed(detail: str) -> str:
    return f" ({detail})" if detail else ""
