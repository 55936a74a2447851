"""Document filter arguments that several tools share."""

from typing import Annotated

from pydantic import Field

from polyadic.mcp.document_references import documents_named
from polyadic.mcp.limits import NAMES
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.tools.tool import Name, Pairs, ToolArguments
from polyadic.model.types import Filter


class DocumentFilterArguments(ToolArguments):
    """The documents to search; all by default."""

    documents: Annotated[list[Name], Field(max_length=NAMES)] = Field(default_factory=list)
    """Search only these documents: each by id, uri, source or title, or a folder of documents."""
    where: Pairs = Field(default_factory=dict)
    """Search only documents that have all of this metadata; keys that end with >= or <= compare, such as date>=."""

    async def only(self, access: WorkspaceAccess) -> Filter | None:
        """Build the filter; None if all documents are searched.

        Raises
        ------
        NotFound
            A name matches no document.
        """
        if not (self.documents or self.where):
            return None
        chosen = await read(
            access.workspace,
            lambda reader: [documents_named(reader, access.names(reader), name) for name in self.documents],
        )
        return Filter(where=self.where, documents=tuple(sorted(frozenset().union(*chosen))))
