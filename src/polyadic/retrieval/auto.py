"""Method ``auto``: whichever serves best on what is there.

On the even-numbered questions of HotpotQA-100 and 2Wiki-101 ``walk`` found more gold passages than any other method,
with facts of a language model as without. It needs facts to walk over: a store with fewer facts than passages (a
script whose names are not recognised, lists of numbers) is searched by ``chunks``.
"""

from dataclasses import replace

from polyadic.knowledge import Knowledge
from polyadic.models.embedder import Embedder
from polyadic.retrieval.methods.chunks import Chunks
from polyadic.retrieval.methods.walk import Walk
from polyadic.retrieval.trace import Trace
from polyadic.settings import Settings
from polyadic.store.protocol import Reader


class Auto:
    """Implements Method; what it returns names the method that was chosen."""

    name = "auto"

    def __init__(self, settings: Settings) -> None:
        self._walk = Walk(settings.walk)
        self._chunks = Chunks()

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        facts, chunks = reader.size("fact"), reader.size("chunk")
        method = self._walk if facts >= chunks else self._chunks
        trace.done("choose", f"{method.name}, as there are {facts} facts and {chunks} passages")
        found = await method.retrieve(question, reader, embedder, context_tokens)
        return replace(found, trace=(*trace.steps, *found.trace))
