"""Citations of a streamed answer: each is known once the sentence that it belongs to is complete."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.generation.citation_attribution import TextEmbedder, attribute
from polyadic.generation.cited_claims import complete_until, marker_spans
from polyadic.generation.claim_support import SupportJudge
from polyadic.generation.context import ContextPiece
from polyadic.model.types import Citation
from polyadic.text.language import detect_language


class RememberingEmbedder:
    """Embedder with a cache, because the beginning of a streamed answer is attributed several times."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors |= dict(zip(new, await self._embedder.embed(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])


class RememberingJudge:
    """Judge with a cache, likewise."""

    def __init__(self, judge: SupportJudge) -> None:
        self._judge = judge
        self._scores: dict[tuple[str, tuple[tuple[str, str], ...]], NDArray[np.float64]] = {}

    async def scores(self, first: str, seconds: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        key = first, tuple(seconds)
        if key not in self._scores:
            self._scores[key] = await self._judge.scores(first, seconds)
        return self._scores[key]


class StreamedCitations:
    """Attribute the citations of an answer while it is streamed.

    Parameters
    ----------
    embedder, judge
        Compare claims with sentences, as for :func:`~polyadic.generation.citation_attribution.attribute`.
    """

    def __init__(self, embedder: TextEmbedder, judge: SupportJudge | None = None) -> None:
        self._embedder = embedder
        self._judge = judge
        self._read = 0
        self._known = 0

    async def further(self, text: str, cited: Sequence[ContextPiece]) -> Sequence[Citation]:
        """Return the citations of sentences that have become complete since the last call.

        Parameters
        ----------
        text
            The answer so far, with markers from ``[1]``; it begins with the text of the last call.
        cited
            For each marker in turn, the piece of the context that it cites.
        """
        end = complete_until(text, detect_language(text))
        if not any(marker.span.start >= self._read for marker in marker_spans(text[:end], len(cited))):
            return ()
        found = (await attribute(text[:end], cited, self._embedder, self._judge)).citations
        known, self._known, self._read = self._known, len(found), end
        return found[known:]
