"""Whether the language model can be had, and can do what is asked of it."""

import json
import secrets
from collections.abc import AsyncIterator
from itertools import takewhile

from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.errors import NoReply, PolyadicError
from polyadic.llm.endpoint_model import EndpointModel, prompt_tokens
from polyadic.llm.language_model import ChatMessage, ModelRequest, ReplySchema
from polyadic.text.tokens import count_tokens

PROBED = 32_000
"""Tokens of the longest prompt that is sent to try a context window, unless more is asked for."""

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
_SMALLEST_WINDOW = 800  # the least that context_tokens may be, filled
# Of the context, what is left free: vocabularies differ, and the reply needs room.
_FILLED = 0.8


async def language_model(model: EndpointModel, whole_window: bool) -> AsyncIterator[CheckResult]:
    """Key, endpoint, model, JSON, speed and context window, in this order; where one fails, the rest is left out.

    Parameters
    ----------
    model
        The model to try. This costs a few calls, of which the one that tries the context window is long.
    whole_window
        Try the whole of ``context_tokens``, also where it is more than ``PROBED``.
    """
    try:
        _ = model.endpoint.key
        yield good("key", "none is needed" if not model.endpoint.settings.key_variable else _held(model))
        yield await _listed(model)
        async for finding in _answers(model):
            yield finding
        yield await _window(model, whole_window)
    except PolyadicError as problem:
        yield bad("model", problem.what, problem.next_step)


def _held(model: EndpointModel) -> str:
    return f"{model.endpoint.settings.key_variable} is set"


async def _listed(model: EndpointModel) -> CheckResult:
    """Whether the endpoint lists the model; many that do not list any have it all the same."""
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
        return good("endpoint", f"{model.endpoint.address} answers and has {model.name}")
    some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return doubtful("endpoint", f"{model.endpoint.address} does not list {model.name}", f"it lists: {some}")


async def _answers(model: EndpointModel) -> AsyncIterator[CheckResult]:
    """One short call that asks for JSON by schema, and one that shows the speed."""
    asked = 'What colour is a clear sky at noon? Reply with JSON only, in this form: {"colour": "..."}'
    wanted = model.dialect.json_mode
    reply = await model.ask(ModelRequest("doctor", (ChatMessage("user", asked),), _SCHEMA))
    got = model.dialect.json_mode
    kept = {
        "schema": "holds replies to a JSON schema",
        "object": "replies with JSON objects",
        "text": "has no JSON mode",
    }
    if not _is_json(reply.text):
        yield doubtful(
            "JSON", f"{model.name} did not reply with JSON when asked to", "try another model: facts come as JSON"
        )
    elif got == wanted:
        yield good("JSON", f"{model.name} {kept[got]}")
    else:
        yield doubtful(
            "JSON", f"{model.name} {kept[got]}", f'json_mode = "{got}" under [model] saves the refused calls'
        )
    counted = await model.ask(
        ModelRequest("doctor", (ChatMessage("user", "Write the numbers from 1 to 100, a space between them."),))
    )
    speed = counted.usage.completion_tokens / max(counted.seconds, 1e-3)
    said = f"{speed:,.0f} tokens a second ({counted.usage.completion_tokens} in {counted.seconds:.1f} s)"
    if speed < _SLOW:
        yield doubtful("speed", said, "polyadic estimate PATH says how long indexing takes; a smaller model is faster")
    else:
        yield good("speed", said)


async def _window(model: EndpointModel, whole: bool) -> CheckResult:
    """Whether what stands at the beginning of a long prompt is still seen at its end.

    Local servers cut prompts off at their beginning and say nothing.
    """
    claimed = model.context_tokens if whole else min(model.context_tokens, PROBED)
    tried = int(claimed * _FILLED)
    sizes = list(takewhile(lambda size: size >= _SMALLEST_WINDOW, (tried >> n for n in range(32))))
    seen = None
    for size in sizes:
        if await _sees_the_beginning(model, size):
            seen = size
            break
    if seen == tried:
        return good("context", f"a prompt of {seen:,} tokens is seen whole (context_tokens = {model.context_tokens:,})")
    if seen is None:
        what = f"{model.name} did not repeat a phrase from the beginning of a prompt, not even of {sizes[-1]:,} tokens"
        return doubtful("context", what, "its context window could not be measured; another model may follow better")
    what = f"of a prompt of {tried:,} tokens the beginning is lost, of one of {seen:,} it is not"
    advice = "give the server a longer context (Ollama: OLLAMA_CONTEXT_LENGTH; llama.cpp: -c; vLLM: --max-model-len)"
    return bad("context", what, f"{advice}, or set context_tokens = {int(seen / _FILLED)} under [model]")


async def _sees_the_beginning(model: EndpointModel, tokens: int) -> bool:
    from polyadic.llm.endpoint_errors import TOO_LONG

    phrase = secrets.token_hex(3)
    opening = f"The pass phrase is {phrase}.\n"
    question = "\nWhat is the pass phrase that stands at the very beginning? Reply with the pass phrase only."
    around = prompt_tokens(ModelRequest("doctor", (ChatMessage("user", opening + question),)))
    filler = _FILLER * max(0, (tokens - around) // count_tokens([_FILLER])[0])
    try:
        reply = await model.ask(ModelRequest("doctor", (ChatMessage("user", opening + filler + question),)))
    except NoReply as problem:
        # What is too long is said to be so; anything else (a timeout, a refusal) says nothing of the window.
        if problem.next_step == TOO_LONG:
            return False
        raise
    return phrase in reply.text


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
