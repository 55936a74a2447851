"""Method ``hierarchy-without-index``: HiRAG without HiIndex (arXiv 2503.10150, Table 1).

HiRetrieval over the entities of the documents and their communities, without summary entities. This needs a hierarchy
that was built with ``layers = 0``. An evaluation builds one for this method.
"""

from dataclasses import replace

from polyadic.config import HierarchySearchSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import SettingsError
from polyadic.model.types import Knowledge
from polyadic.retrieval.methods.hierarchy import HierarchyMethod
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader


class HierarchyWithoutIndex:
    """Retrieve as method ``hierarchy`` does, from a hierarchy without layers."""

    name = "hierarchy-without-index"

    def __init__(self, settings: HierarchySearchSettings) -> None:
        self._method = HierarchyMethod(settings)

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        check_no_layers(reader.hierarchy_reader())
        return replace(await self._method.retrieve(question, reader, embedder, context_tokens), method=self.name)


def check_no_layers(hierarchy: HierarchyReader) -> None:
    """Check that a hierarchy has no layers of summaries.

    Raises
    ------
    SettingsError
        It has layers.
    """
    if hierarchy.summary_count:
        raise SettingsError(
            f"the method {HierarchyWithoutIndex.name} needs a hierarchy without layers, but this one has some",
            "set layers = 0 under [hierarchy_build] and run polyadic hierarchy build --rebuild, "
            "or evaluate the method on a data set with polyadic eval, which builds such a hierarchy",
        )
