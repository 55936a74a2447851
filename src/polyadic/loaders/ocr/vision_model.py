"""Texts of pages and captions of pictures by a vision model behind an endpoint."""

import re
from dataclasses import replace

from polyadic.errors import UnreadableDocument
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import ModelRequest
from polyadic.llm.prompts.library import Prompt
from polyadic.loaders.pages.page_rendering import WIDTH

PAGES, CAPTIONS = "ocr", "captions"
"""Purposes of the calls, for the ledger."""

_EMPTY = "(empty)"
_FENCED = re.compile(r"```(?:markdown|md)?[ \t]*\n(.*)\n```", re.DOTALL)


class VisionModel:
    """An OcrEngine that sends each image to a language model that reads images.

    Parameters
    ----------
    model
        The language model, with the budget of the run.
    prompt
        How to transcribe a page, or describe a picture.
    purpose
        Purpose of the calls.
    at_once
        Maximum number of concurrent calls.
    section
        Section of the settings, for messages.
    """

    def __init__(self, model: CachedModel, prompt: Prompt, purpose: str, at_once: int, section: str) -> None:
        self.name = f"model {model.model.name} {prompt.fingerprint}"
        self.image_width = WIDTH
        self.at_once = at_once
        self._model = model
        self._prompt = prompt
        self._purpose = purpose
        self._section = section

    def check(self) -> None:
        """Raise ModelUnavailable if the key is missing."""
        self._model.model.check()

    async def recognize(self, image: bytes, document_id: str) -> str:
        """Return the reply about an image; raises as OcrEngine.recognize."""
        *before, last = self._prompt.messages()
        messages = (*before, replace(last, images=(image,)))
        request = ModelRequest(self._purpose, messages, about=document_id)
        # The text is cached by file and page, so that an unchanged page need not be rendered again.
        reply = await self._model.complete(request, lambda reply: False)
        if not reply.complete:
            what = f"{self._model.model.name} used up its tokens before the end of its reply"
            raise UnreadableDocument(what, f"raise output_tokens under [{self._section}]")
        return _reply_text(reply.text)

    async def close(self) -> None:
        """Do nothing: the workspace closes its models."""


def _reply_text(text: str) -> str:
    """Return a reply without a fence around all of it; empty if the image is.

    >>> _reply_text("```markdown\\n# Engines\\n```"), _reply_text("(empty)")
    ('# Engines', '')
    """
    stripped = text.strip()
    fenced = _FENCED.fullmatch(stripped)
    return fenced.group(1) if fenced else "" if stripped == _EMPTY else stripped
