"""The tools that agents call, one per file."""

from typing import Any

from polyadic.mcp.tools import (
    add_document,
    get_document_span,
    get_entity,
    get_job,
    list_documents,
    query,
    search_facts,
)
from polyadic.mcp.tools.tool import Tool

TOOLS: dict[str, Tool[Any]] = {
    module.TOOL.name: module.TOOL
    for module in (query, search_facts, get_entity, get_document_span, list_documents, add_document, get_job)
}
"""All tools by name, in the order in which clients list them."""
