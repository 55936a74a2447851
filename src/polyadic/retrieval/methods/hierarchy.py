"""Method ``hierarchy``: HiRetrieval of HiRAG (arXiv 2503.10150, Algorithm 2), and its parts.

Local knowledge: the nearest entities of any layer, with their facts and passages. Global knowledge: the reports of the
communities that contain them. Bridge knowledge: the facts along the shortest paths between the key entities of these
communities. Each has its section in the context and its share of the tokens.

Differences from the paper: a fact joins any number of entities; bridge facts are ordered along the paths, starting with
the path nearest to the question. A membership has a description and a strength only if the prompt asks for them.
Every other difference has a setting of its own, which the preset ``hirag`` switches off (docs/paper-presets.md).
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from polyadic.config import HierarchySearchSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import SettingsError
from polyadic.model.types import Item, Knowledge, RetrievalSection
from polyadic.retrieval.bridge_knowledge import bridge_items, consecutive
from polyadic.retrieval.global_knowledge import global_items
from polyadic.retrieval.hierarchy_nodes import names
from polyadic.retrieval.hierarchy_search import NOT_BUILT, HierarchySearch, find
from polyadic.retrieval.local_knowledge import local_items
from polyadic.retrieval.shared_budget import shared_knowledge
from polyadic.retrieval.shortest_paths import paths_between
from polyadic.retrieval.trace import Trace
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader

_NAMES = 3
SECTIONS = (RetrievalSection.LOCAL, RetrievalSection.BRIDGE, RetrievalSection.GLOBAL)


class HierarchyMethod:
    """Retrieve local, bridge and global knowledge; ``sections`` selects the parts, which share all of the tokens."""

    name = "hierarchy"

    def __init__(self, settings: HierarchySearchSettings, sections: Collection[RetrievalSection] = SECTIONS) -> None:
        self._settings = settings
        self._sections = sections

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        vector = (await embedder.embed([question]))[0]
        trace.done("embed", "the question")
        search = find(question, vector, embedder.unrelated_below, self._settings, reader)
        trace.done("communities", _description(search))
        shares = self._shares(search.whole)
        sections = {
            section: self._items(section, search, int(shares[section] * context_tokens), trace)
            for section in SECTIONS
            if section in self._sections
        }
        result = shared_knowledge(question, self.name, sections, shares, context_tokens, trace)
        return result if search.built else replace(result, note=NOT_BUILT)

    def _items(self, section: RetrievalSection, search: HierarchySearch, tokens: int, trace: Trace) -> list[Item]:
        if section is RetrievalSection.LOCAL:
            items = local_items(search, self._settings.local_facts)
        elif section is RetrievalSection.BRIDGE:
            items = self._bridge(search, trace)
        else:
            items = global_items(search, tokens, self._settings.whole_reports)
        trace.done(str(section), f"{len(items)} items")
        return items

    def _bridge(self, search: HierarchySearch, trace: Trace) -> list[Item]:
        pairs = consecutive(search.keys)
        weighted, bounded = self._settings.paths == "weighted", self._settings.bounded
        paths, graph = paths_between(pairs, search.vector, search.reader, search.hierarchy, weighted, bounded)
        size = f"{len(graph.nodes)} entities and summaries and {len(graph.facts)} facts"
        trace.done("paths", f"{len(paths)} of {len(pairs)} between key entities, among {size}")
        return bridge_items(paths, search, bounded, self._settings.described_memberships)

    def _shares(self, whole: bool) -> Mapping[RetrievalSection, float]:
        """Return the token shares in the settings; for a general question, local and bridge have half of theirs."""
        if len(self._sections) == 1:
            return dict.fromkeys(self._sections, 1.0)
        part = 0.5 if whole else 1.0
        local, bridge = part * self._settings.local_share, part * self._settings.bridge_share
        return {
            RetrievalSection.LOCAL: local,
            RetrievalSection.BRIDGE: bridge,
            RetrievalSection.GLOBAL: max(0.0, 1 - local - bridge),
        }


def _description(search: HierarchySearch) -> str:
    named = ", ".join(names(search.near.rows[:_NAMES], search.reader, search.hierarchy).values())
    if not search.built:
        return f"{NOT_BUILT}; nearest: {named or 'none'}"
    if search.whole:
        return f"the {len(search.communities)} largest, as the question has no specific topic; central: {named}"
    return f"{len(search.communities)} that contain the nearest: {named}"


class HierarchyWithoutIndex:
    """HiRAG without HiIndex (arXiv 2503.10150, Table 1).

    HiRetrieval over the entities of the documents and their communities, without summary entities. This needs a
    hierarchy that was built with ``layers = 0``. An evaluation builds one for this method.
    """

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
