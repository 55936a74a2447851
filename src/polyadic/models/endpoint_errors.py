"""What an endpoint's errors mean: what happened, and what to do next."""

import re

import openai

from polyadic.errors import ModelUnavailable, NoReply, PolyadicError
from polyadic.models.endpoint import Endpoint

_CONTEXT = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long", re.IGNORECASE
)
_FILTERED = re.compile(r"content[ _](?:filter|policy|management)", re.IGNORECASE)
_LONGEST = 200


def explained(error: openai.OpenAIError, endpoint: Endpoint, model: str) -> PolyadicError:
    """The error in our words; ModelUnavailable if no other request will fare better, else NoReply."""
    if isinstance(error, openai.APIStatusError):
        return _status(error, endpoint, model)
    section, where = endpoint.section, endpoint.address
    if isinstance(error, openai.APITimeoutError):
        what = f"{where} gave no reply within {endpoint.settings.timeout:g} s"
        return NoReply(what, f"raise timeout under [{section}], or lower at_once")
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__).__name__
        if cause in ("ConnectError", "UnsupportedProtocol", "ConnectTimeout"):
            what = f"{where} cannot be reached ({_line(str(error.__cause__), endpoint)})"
            return ModelUnavailable(what, f"check base_url under [{section}], and that the server is running")
        return NoReply(f"{where} cut the connection", "try again")
    return NoReply(
        f"{where} sent what is no reply ({_line(str(error), endpoint)})", "check base_url; it often ends in /v1"
    )


def _status(error: openai.APIStatusError, endpoint: Endpoint, model: str) -> PolyadicError:
    section, where, code = endpoint.section, endpoint.address, str(error.code or "")
    said = _line(error.message, endpoint)
    if error.status_code in (401, 403):
        variable = endpoint.settings.key_variable
        held = f"the key in {variable}" if variable else "a call without a key"
        return ModelUnavailable(
            f"{where} refuses {held} ({error.status_code})", f"check it, and base_url under [{section}]"
        )
    if error.status_code == 404:
        if code == "model_not_found" or model in error.message:
            return ModelUnavailable(
                f"{where} has no model {model}", f"check name under [{section}]; polyadic doctor lists them"
            )
        return ModelUnavailable(
            f"there is no model endpoint at {where} (404)", f"check base_url under [{section}]; it often ends in /v1"
        )
    if error.status_code == 429:
        if code == "insufficient_quota":
            return ModelUnavailable(f"the account at {where} has no credit left", "top it up, then run this again")
        tries = endpoint.settings.retries + 1
        what = f"{where} still says that there are too many calls, after {tries} tries"
        return ModelUnavailable(
            what, f"lower at_once or set requests_per_minute under [{section}], then run this again"
        )
    if code == "context_length_exceeded" or _CONTEXT.search(error.message):
        what = f"the request is longer than {model} can hold"
        return NoReply(what, "set context_tokens under [model] to what it holds, or lower tokens under [chunking]")
    if code == "content_filter" or _FILTERED.search(error.message):
        return NoReply(f"{where} withholds a reply by its content filter", "nothing can be done from here")
    return NoReply(f"{where} answers {error.status_code} ({said})", "polyadic doctor looks for the reason")


def _line(message: str, endpoint: Endpoint) -> str:
    """A message on one line, shortened, without the key even if the server repeats it."""
    line = " ".join(message.split()).replace(endpoint.key, "***")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
