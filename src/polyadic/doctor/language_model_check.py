"""Check of the language model: key, endpoint, JSON, speed and context window."""

import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import takewhile
from time import perf_counter

from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.errors import NoReply, PolyadicError
from polyadic.llm.endpoint_model import EndpointModel, prompt_tokens
from polyadic.llm.language_model import ChatMessage, ModelReply, ModelRequest, ReplySchema
from polyadic.text.tokens import count_tokens

CHECKS = ("key", "endpoint", "JSON", "speed", "context")
"""Names of the results, in this order."""
PROBED = 32_000
"""Tokens of the longest prompt sent to test a context window, unless the whole window is tested."""

_SCHEMA = ReplySchema(
    "colour",
    {
        "type": "object",
        "properties": {"colour": {"type": "string"}},
        "required": ["colour"],
        "additionalProperties": False,
    },
)
_FILLER = "The ferry to the northern islands leaves at nine and is back before dark.\n"
_SLOW = 10.0
_TIMED = 10.0
"""Seconds of streaming after which the speed of a reply is known well enough."""
_SMALLEST_PROMPT = 800  # the smallest allowed context_tokens times _FILLED
# Fraction of the context used by the prompt: token counts differ by model, and the reply needs room.
_FILLED = 0.8


async def language_model(model: EndpointModel, whole_window: bool) -> AsyncGenerator[CheckResult, None]:
    """Check key, endpoint, JSON, speed and context window in this order, up to the first failure.

    Parameters
    ----------
    model
        The model to test. This costs a few calls; the one that tests the context window is long.
    whole_window
        Test all of ``context_tokens``, even if it is more than ``PROBED``.
    """
    try:
        _ = model.endpoint.key
        yield good("key", "none is needed" if not model.endpoint.settings.key_variable else _key_is_set(model))
        yield await _check_endpoint(model)
        async for finding in _check_replies(model):
            yield finding
        yield await _check_window(model, whole_window)
    except PolyadicError as problem:
        yield bad("model", problem.what, problem.next_step)


def _key_is_set(model: EndpointModel) -> str:
    return f"{model.endpoint.settings.key_variable} is set"


async def _check_endpoint(model: EndpointModel) -> CheckResult:
    """Check that the endpoint answers and lists the model; many endpoints list no models at all."""
    import openai

    from polyadic.llm.endpoint_errors import translate_errors

    try:
        async with model.endpoint.turn(0) as client:
            names = sorted([listed.id async for listed in client.models.list()])
    except (openai.APIConnectionError, openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise translate_errors(error, model.endpoint, model.name) from None
    except (openai.OpenAIError, ValueError, AttributeError, TypeError):
        return good("endpoint", f"{model.endpoint.address} answers; it lists no models")
    if model.name in names or not names:
        return good("endpoint", f"{model.endpoint.address} answers and lists {model.name}")
    some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return doubtful("endpoint", f"{model.endpoint.address} does not list {model.name}", f"it lists: {some}")


async def _check_replies(model: EndpointModel) -> AsyncGenerator[CheckResult, None]:
    """Request JSON by schema, then measure the speed of a longer reply, which is cut off if the model is slow."""
    prompt = 'What colour is a clear sky at noon? Reply with JSON only, in this form: {"colour": "..."}'
    requested = model.dialect.json_mode
    reply = await model.complete(ModelRequest("doctor", (ChatMessage("user", prompt),), _SCHEMA))
    supported = model.dialect.json_mode
    descriptions = {
        "schema": "supports JSON schemas",
        "object": "supports JSON objects",
        "text": "has no JSON mode",
    }
    if not _is_json(reply.text):
        yield doubtful(
            "JSON", f"{model.name} did not reply with JSON", "try another model: extraction needs JSON replies"
        )
    elif supported == requested:
        yield good("JSON", f"{model.name} {descriptions[supported]}")
    else:
        yield doubtful(
            "JSON",
            f"{model.name} {descriptions[supported]}",
            f'set json_mode = "{supported}" under [{model.endpoint.section}] to avoid refused calls',
        )
    yield await _check_speed(model)


async def _check_speed(model: EndpointModel) -> CheckResult:
    request = ModelRequest("doctor", (ChatMessage("user", "Write the numbers from 1 to 100, a space between them."),))
    tokens, seconds = await _timed(model, request)
    speed = tokens / max(seconds, 1e-3)
    detail = f"{speed:,.0f} tokens per second ({tokens} in {seconds:.1f} s)"
    if speed < _SLOW:
        return doubtful(
            "speed", detail, "polyadic estimate PATH shows how long indexing takes; a smaller model is faster"
        )
    return good("speed", detail)


async def _timed(model: EndpointModel, request: ModelRequest) -> tuple[int, float]:
    """Return the number of tokens of a reply, or of its part up to ``_TIMED``, and the seconds that they took."""
    started, seconds, text = perf_counter(), 0.0, ""
    async with aclosing(model.stream(request)) as pieces:
        async for piece in pieces:
            seconds = perf_counter() - started
            if isinstance(piece, ModelReply):
                return piece.usage.completion_tokens, piece.seconds
            text += piece
            if seconds > _TIMED:
                break
    return count_tokens([text])[0], seconds


async def _check_window(model: EndpointModel, whole: bool) -> CheckResult:
    """Check that the model sees the beginning of a long prompt.

    Local servers truncate long prompts at the beginning without an error.
    """
    window = model.context_tokens if whole else min(model.context_tokens, PROBED)
    longest = int(window * _FILLED)
    sizes = list(takewhile(lambda size: size >= _SMALLEST_PROMPT, (longest >> n for n in range(32))))
    complete = None
    for size in sizes:
        if await _sees_the_beginning(model, size):
            complete = size
            break
    if complete == longest:
        return good(
            "context", f"a prompt of {complete:,} tokens is read completely (context_tokens = {model.context_tokens:,})"
        )
    if complete is None:
        what = f"{model.name} did not repeat a phrase from the beginning of a prompt, not even of {sizes[-1]:,} tokens"
        return doubtful("context", what, "the context window could not be measured; try another model")
    what = f"a prompt of {longest:,} tokens is truncated at the beginning, one of {complete:,} is not"
    advice = (
        "configure a longer context in the server (Ollama: OLLAMA_CONTEXT_LENGTH; llama.cpp: -c; vLLM: --max-model-len)"
    )
    return bad(
        "context", what, f"{advice}, or set context_tokens = {int(complete / _FILLED)} under [{model.endpoint.section}]"
    )


async def _sees_the_beginning(model: EndpointModel, tokens: int) -> bool:
    from polyadic.llm.endpoint_errors import TOO_LONG

    phrase = secrets.token_hex(3)
    opening = f"The pass phrase is {phrase}.\n"
    question = "\nWhat is the pass phrase that stands at the very beginning? Reply with the pass phrase only."
    around = prompt_tokens(ModelRequest("doctor", (ChatMessage("user", opening + question),)))
    filler = _FILLER * max(0, (tokens - around) // count_tokens([_FILLER])[0])
    try:
        reply = await model.complete(ModelRequest("doctor", (ChatMessage("user", opening + filler + question),)))
    except NoReply as problem:
        # Only this error means that the prompt is too long; others, such as a timeout, say nothing about the window.
        if problem.next_step == TOO_LONG:
            return False
        raise
    return phrase in reply.text


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
