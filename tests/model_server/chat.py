"""POST /chat/completions, whole and streamed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from aiohttp import web

from tests.model_server.checks import check_chat, within_context
from tests.model_server.counting import beginning, tokens_of
from tests.model_server.endpoint import Endpoint, abort
from tests.model_server.errors import ApiError, fault
from tests.model_server.misbehaviour import Misbehaviour
from tests.model_server.records import Visit
from tests.model_server.replies import chunks, usage_of, whole
from tests.model_server.request_parsing import chat_asked
from tests.model_server.schemas import check_reply
from tests.model_server.types import Asked, Responder, Said

_CUT = "the connection was cut in the middle of the reply"


class Chat(Endpoint):
    route = "chat"

    def read(self, body: dict[str, Any], headers: Mapping[str, str], number: int) -> Asked:
        return chat_asked(body, headers, number)

    async def answer(self, request: web.Request, visit: Visit, kinds: Sequence[Misbehaviour]) -> web.StreamResponse:
        check_chat(self.settings, visit.asked)
        read, prompt_tokens = within_context(self.settings, visit.asked)
        said = _limited(_reply(self.settings.responders, read), visit.asked.max_tokens)
        for kind in kinds:
            said = kind.change(said)
        said = _counted(said, prompt_tokens)
        visit.prompt_tokens = said.prompt_tokens or 0
        await self.pause(self.settings.delay - visit.seconds)
        send = self._stream if visit.asked.stream else self._send
        return await send(request, visit, said)

    async def _send(self, request: web.Request, visit: Visit, said: Said) -> web.StreamResponse:
        await self.pause(self._writing(said))
        payload = json.dumps(whole(visit.asked, said, _usage(said))).encode()
        if said.cut:
            return await _send_half(request, visit, payload)
        visit.end(200, said.text, said.completion_tokens or 0)
        return web.Response(body=payload, content_type="application/json")

    async def _stream(self, request: web.Request, visit: Visit, said: Said) -> web.StreamResponse:
        events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks(visit.asked, said, _usage(said))]
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(request)
        for event in events[: len(events) // 2] if said.cut else events:
            await self.pause(self._writing(said) / len(events))
            await response.write(event)
        if said.cut:
            visit.end(0, said.text, error=_CUT)
            return abort(request)
        visit.end(200, said.text, said.completion_tokens or 0)
        await response.write(b"data: [DONE]\n\n")
        return response

    def _writing(self, said: Said) -> float:
        """The seconds that writing a reply takes."""
        speed = self.settings.tokens_per_second
        return (said.completion_tokens or 0) / speed if speed else 0.0


def _reply(responders: Sequence[Responder], asked: Asked) -> Said:
    """What the first responder with an answer says, checked against what was asked for."""
    try:
        answer = next((a for respond in responders if (a := respond(asked)) is not None), None)
    except ApiError:
        raise
    except Exception as error:
        raise fault(f"a responder failed: {type(error).__name__}: {error}") from error
    if answer is None:
        raise fault(f"no responder answers this request: {asked.text[-300:]!r}")
    said = Said(answer) if isinstance(answer, str) else answer
    if said.text is not None and said.finish_reason == "stop":
        check_reply(asked, said.text)
    return said


def _limited(said: Said, most: int | None) -> Said:
    text = said.text or ""
    if most is None or tokens_of(text) <= most:
        return said
    return replace(said, text=beginning(text, most), finish_reason="length")


def _counted(said: Said, prompt_tokens: int) -> Said:
    own = said.completion_tokens
    return replace(
        said,
        prompt_tokens=prompt_tokens if said.prompt_tokens is None else said.prompt_tokens,
        completion_tokens=tokens_of((said.text or "") + (said.refusal or "")) if own is None else own,
    )


def _usage(said: Said) -> dict[str, int]:
    return usage_of(said.prompt_tokens or 0, said.completion_tokens or 0)


async def _send_half(request: web.Request, visit: Visit, payload: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(payload))})
    await response.prepare(request)
    await response.write(payload[: len(payload) // 2])
    visit.end(0, error=_CUT)
    return abort(request)
