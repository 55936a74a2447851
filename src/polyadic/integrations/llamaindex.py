"""A LlamaIndex retriever over a workspace: ``pip install 'polyadic[llamaindex]'``."""

from polyadic.errors import PackageMissing

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
except ImportError as error:
    raise PackageMissing("the LlamaIndex retriever", "llama-index-core", "llamaindex") from error

from polyadic.config import MethodName
from polyadic.integrations.result_metadata import metadata
from polyadic.model.types import Filter, Item, ItemKind, Knowledge
from polyadic.workspace import Workspace

# A model is told where something comes from; how it was found, and by what numbers, is for programs.
_FOR_PROGRAMS = ("kind", "id", "score", "why", "document", "start", "end")


class PolyadicRetriever(BaseRetriever):
    """Nodes are the facts and passages that bear on a question, best first; their scores compare one kind only.

    Parameters
    ----------
    workspace
        What is asked; it stays open, and whoever opened it closes it.
    method, context_tokens
        As for ``Workspace.retrieve``: how knowledge is found, and how many tokens it may have.
    only
        The documents that may be heard; all if left out.
    callback_manager
        As for every retriever of LlamaIndex.

    Examples
    --------
    >>> import tempfile
    >>> from polyadic.model import types
    >>> from polyadic.config import EmbeddingSettings, Settings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kb = Workspace(folder, Settings(embedding=EmbeddingSettings(model="hashing")))
    ...     report = kb.add([knowledge.Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")])
    ...     found = PolyadicRetriever(kb).retrieve("Whom did Ada Lovelace meet?")
    ...     print(found[0].text, found[0].metadata["source"])
    ...     kb.close()
    Ada Lovelace met Charles Babbage in London. memory:ada
    """

    def __init__(
        self,
        workspace: Workspace,
        method: MethodName | None = None,
        context_tokens: int | None = None,
        only: Filter | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._workspace = workspace
        self._method = method
        self._context_tokens = context_tokens
        self._only = only

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = query_bundle.query_str
        return _nodes(self._workspace.retrieve(question, self._method, self._context_tokens, self._only))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = query_bundle.query_str
        return _nodes(await self._workspace.aretrieve(question, self._method, self._context_tokens, self._only))


def _nodes(found: Knowledge) -> list[NodeWithScore]:
    return [NodeWithScore(node=_node(item), score=item.score) for item in found.items]


def _node(item: Item) -> TextNode:
    # A fact is worded to stand alone, so only the text of a passage is found in its document at these characters.
    span = item.places[0].span if item.kind is ItemKind.CHUNK and item.places else None
    node = TextNode(
        id_=item.id,
        text=item.text,
        metadata=metadata(item),
        excluded_llm_metadata_keys=list(_FOR_PROGRAMS),
        excluded_embed_metadata_keys=list(_FOR_PROGRAMS),
        start_char_idx=span.start if span else None,
        end_char_idx=span.end if span else None,
    )
    if item.places:
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=item.places[0].document_id)
    return node
