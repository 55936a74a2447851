"""OCR by a document parser behind HTTP: Docling Serve or MinerU."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from polyadic.config import OcrSettings
from polyadic.errors import ModelUnavailable, PolyadicError, SettingsError, UnreadableDocument
from polyadic.llm.endpoint_connection import Endpoint

ParserName = Literal["docling", "mineru"]

_WIDTH = 1984
"""Width of an image in pixels: 240 per inch for a page of A4."""
# Share of a call in a limit on tokens per minute, about what a vision model needs for a page.
_TOKENS = 3000
_IMAGES = re.compile(r"<!--.*?-->|!\[[^\]]*\]\([^)\s]*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _ParserApi:
    """The route of a parser, and its form fields besides ``files``."""

    path: str
    fields: Mapping[str, str]


_APIS: Mapping[ParserName, _ParserApi] = {
    "docling": _ParserApi("/v1/convert/file", {"to_formats": "md", "image_export_mode": "placeholder"}),
    "mineru": _ParserApi("/file_parse", {"return_md": "true"}),
}


class ParserEndpoint:
    """An OcrEngine that sends each page to a document parser and receives Markdown."""

    def __init__(self, parser: ParserName, settings: OcrSettings) -> None:
        self._endpoint = Endpoint(settings, "ocr")
        self.name = f"{parser} {self._endpoint.address}"
        self.image_width = _WIDTH
        self.at_once = settings.at_once
        self._parser = parser
        self._api = _APIS[parser]

    def check(self) -> None:
        """Raise SettingsError without an address, and ModelUnavailable if the key is missing."""
        if not self._endpoint.settings.base_url:
            what = f"engine under [ocr] is {self._parser}, but base_url is empty"
            raise SettingsError(what, "set it to the address of the server, such as http://localhost:5001")
        _ = self._endpoint.key

    async def recognize(self, image: bytes, document_id: str) -> str:
        """Return the text of a page as Markdown; raises as OcrEngine.recognize."""
        import openai

        from polyadic.llm.endpoint_errors import no_reply, translate_errors

        problem: PolyadicError
        try:
            async with self._endpoint.turn(_TOKENS) as client:
                reply = await client.post(
                    self._api.path,
                    cast_to=object,
                    body=dict(self._api.fields),
                    files=[("files", ("page.png", image, "image/png"))],
                    options={"headers": self._headers()},
                )
            return self._text(reply)
        except openai.NotFoundError:
            what = f"{self._endpoint.address} has no {self._api.path}"
            problem = ModelUnavailable(what, "check engine and base_url under [ocr]")
        except openai.OpenAIError as error:
            problem = translate_errors(error, self._endpoint, self._parser)
        except (ValueError, RecursionError):
            problem = no_reply(self._endpoint)
        # The original error is not kept as the cause, because the endpoint's message may repeat the key.
        raise problem from None

    async def close(self) -> None:
        await self._endpoint.close()

    def _headers(self) -> dict[str, Any]:
        """Docling Serve expects a key in a header of its own; the client sends it as a bearer token as well."""
        import openai

        key = self._endpoint.key if self._endpoint.settings.key_variable else None
        keys: dict[str, Any] = {"X-Api-Key": key} if key else {"Authorization": openai.Omit()}
        return {"Content-Type": "multipart/form-data", **keys}

    def _text(self, reply: Any) -> str:
        """Return the Markdown of a reply, without links to images, which are not received."""
        text = _markdown(reply)
        if text is None:
            reason = self._endpoint.quoted(_failure(reply) or "no Markdown in its reply")
            raise UnreadableDocument(f"{self._endpoint.address} could not parse the page ({reason})", "")
        return _IMAGES.sub("", text).strip()


def _markdown(reply: Any) -> str | None:
    """Return the text of a parser's reply; None if it has none.

    >>> _markdown({"document": {"md_content": "# Engines"}}), _markdown({"results": {"page": {"md_content": "Two"}}})
    ('# Engines', 'Two')
    """
    match reply:
        case {"document": {"md_content": str(text)}}:
            return text
        case {"results": {**by_file}} if len(by_file) == 1:
            (result,) = by_file.values()
            found = result.get("md_content") if isinstance(result, dict) else None
            return found if isinstance(found, str) else None
    return None


def _failure(reply: Any) -> str:
    """Return the error message of a parser's reply; empty if it has none."""
    match reply:
        case {"errors": [{"error_message": str(message)}, *_]}:
            return message
        case {"error": str(message)} | {"detail": str(message)}:
            return message
    return ""
