"""A LangChain retriever over a workspace: ``pip install 'polyadic[langchain]'``."""

from polyadic.errors import PackageMissing

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise PackageMissing("the LangChain retriever", "langchain-core", "langchain") from error

from pydantic import Field, SkipValidation

from polyadic.config import MethodName
from polyadic.integrations.result_metadata import metadata
from polyadic.model.types import Filter, Item, Knowledge
from polyadic.workspace import Workspace


class PolyadicRetriever(BaseRetriever):
    """LangChain retriever; its documents are the facts and passages relevant to a question, best first.

    Parameters
    ----------
    workspace
        Workspace to search; it stays open, and the caller closes it.
    method, context_tokens
        Retrieval method and token budget, as for ``Workspace.retrieve``.
    only
        Document filter; all documents by default.

    Examples
    --------
    >>> import tempfile
    >>> from polyadic.model import types
    >>> from polyadic.config import EmbeddingSettings, Settings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kb = Workspace(folder, Settings(embedding=EmbeddingSettings(model="hashing")))
    ...     report = kb.add([types.Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")])
    ...     found = PolyadicRetriever(workspace=kb).invoke("Whom did Ada Lovelace meet?")
    ...     print(found[0].page_content, found[0].metadata["source"])
    ...     kb.close()
    Ada Lovelace met Charles Babbage in London. memory:ada
    """

    workspace: SkipValidation[Workspace]
    method: MethodName | None = None
    context_tokens: int | None = Field(default=None, ge=1)
    only: Filter | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return _documents(self.workspace.retrieve(query, self.method, self.context_tokens, self.only))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return _documents(await self.workspace.aretrieve(query, self.method, self.context_tokens, self.only))


def _documents(knowledge: Knowledge) -> list[Document]:
    return [_document(item) for item in knowledge.items]


def _document(item: Item) -> Document:
    return Document(page_content=item.text, metadata=metadata(item), id=item.id)
