"""Arguments that choose documents, and the filter that they make."""

from typing import Annotated

from pydantic import Field

from polyadic.knowledge import Filter
from polyadic.mcp.access import read
from polyadic.mcp.bounds import NAMES
from polyadic.mcp.naming import documents_named
from polyadic.mcp.tools.tool import Arguments, Name, Pairs
from polyadic.workspace import Workspace


class Selecting(Arguments):
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
