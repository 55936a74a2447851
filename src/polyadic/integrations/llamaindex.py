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

# The model sees where an item comes from; how it was found, and its score, are for programs only.
_HIDDEN_FROM_MODELS = ("kind", "id", "score", "why", "document", "start", "end")


class PolyadicRetriever(BaseRetriever):
    """LlamaIndex retriever; its nodes are the facts and passages relevant to a question, best first.

    Scores are comparable within one kind of item only.

    Parameters
    ----------
    workspace
        Workspace to search; it stays open, and the caller closes it.
    method, context_tokens
        Retrieval method and token budget, as for ``Workspace.retrieve``.
    only
        Document filter; all documents by default.
    callback_manager
        As for every LlamaIndex retriever.

    Examples
    --------
    >>> import tempfile
    >>> from polyadic.model import types
    >>> from polyadic.config import EmbeddingSettings, Settings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kb = Workspace(folder, Settings(embedding=EmbeddingSettings(model="hashing")))
    ...     report = kb.add([types.Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")])
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


def _nodes(knowledge: Knowledge) -> list[NodeWithScore]:
    return [NodeWithScore(node=_node(item), score=item.score) for item in knowledge.items]


def _node(item: Item) -> TextNode:
    # Facts are reworded to stand alone, so only the text of a passage occurs verbatim at these characters.
    span = item.places[0].span if item.kind is ItemKind.CHUNK and item.places else None
    node = TextNode(
        id_=item.id,
        text=item.text,
        metadata=metadata(item),
        excluded_llm_metadata_keys=list(_HIDDEN_FROM_MODELS),
        excluded_embed_metadata_keys=list(_HIDDEN_FROM_MODELS),
        start_char_idx=span.start if span else None,
        end_char_idx=span.end if span else None,
    )
    if item.places:
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=item.places[0].document_id)
    return node
