"""Arguments that choose documents, and the filter that they make."""

from typing import Annotated

from pydantic import Field

from polyadic.mcp.document_references import documents_named
from polyadic.mcp.limits import NAMES
from polyadic.mcp.request_context import read
from polyadic.mcp.tools.tool import Name, Pairs, ToolArguments
from polyadic.model.types import Filter
from polyadic.workspace import Workspace


class DocumentFilterArguments(ToolArguments):
    """Which documents are heard; all if nothing is said."""

    documents: Annotated[list[Name], Field(max_length=NAMES)] = Field(default_factory=list)
    """Hear these documents only, as if there were no others: each by id, uri, source or title, or a folder of them."""
    where: Pairs = Field(default_factory=dict)
    """Hear only documents that have all of these metadata."""

    async def only(self, workspace: Workspace) -> Filter | None:
        """The filter; none where all documents are heard.

        Raises
        ------
        NotFound
            A name is none of a document.
        """
        if not (self.documents or self.where):
            return None
        names = self.documents
        chosen = await read(workspace, lambda reader: [documents_named(reader, name) for name in names])
        return Filter(where=self.where, documents=tuple(sorted(frozenset().union(*chosen))))
