"""OCR by a vision model behind an endpoint."""

import re
from dataclasses import replace

from polyadic.errors import UnreadableDocument
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelRequest
from polyadic.llm.prompts.library import Prompt
from polyadic.loaders.pages.page_image import WIDTH

PURPOSE = "ocr"
_EMPTY = "(empty)"
_FENCED = re.compile(r"```(?:markdown|md)?[ \t]*\n(.*)\n```", re.DOTALL)


class VisionModel:
    """An OcrEngine that sends each page to a language model that reads images.

    Parameters
    ----------
    model
        The language model, with the budget of the run.
    prompt
        How to transcribe a page.
    at_once
        Maximum number of concurrent calls.
    section
        Section of the settings, for messages.
    """

    def __init__(self, model: CachedModel, prompt: Prompt, at_once: int, section: str) -> None:
        self.name = f"model {model.model.name} {prompt.fingerprint}"
        self.image_width = WIDTH
        self.at_once = at_once
        self._model = model
        self._prompt = prompt
        self._section = section

    def check(self) -> None:
        """Raise ModelUnavailable if the key is missing."""
        self._model.model.check()

    async def recognize(self, image: bytes, document_id: str) -> str:
        """Return the text of a page as Markdown; raises as OcrEngine.recognize."""
        request = page_request(self._prompt, image, document_id)
        # The text is cached by file and page, so that an unchanged page need not be rendered again.
        reply = await self._model.complete(request, lambda reply: False)
        if not reply.complete:
            what = f"{self._model.model.name} used up its tokens before the end of the page"
            raise UnreadableDocument(what, f"raise output_tokens under [{self._section}]")
        return _transcription(reply.text)

    async def close(self) -> None:
        """Do nothing: the workspace closes its models."""


def page_request(prompt: Prompt, image: bytes, document_id: str) -> ModelRequest:
    """Return the request to transcribe a page; the image follows the last message of the prompt."""
    *before, last = prompt.messages()
    return ModelRequest(PURPOSE, (*before, replace(last, images=(image,))), about=document_id)


def _transcription(text: str) -> str:
    """Return a reply without a fence around all of it; empty if the page is.

    >>> _transcription("```markdown\\n# Engines\\n```"), _transcription("(empty)")
    ('# Engines', '')
    """
    stripped = text.strip()
    fenced = _FENCED.fullmatch(stripped)
    return fenced.group(1) if fenced else "" if stripped == _EMPTY else stripped
