"""Overview of the documents for a language model: the reports of the largest communities, top of the tree first.

A question about the documents as a whole is similar to nothing in them, so similarity cannot choose what to read. The
communities of the hierarchy divide the documents into subjects instead, and each of them gets a share of the tokens.
"""

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.community_search import largest_communities
from polyadic.retrieval.global_items import report_contexts
from polyadic.retrieval.overview import NAME
from polyadic.retrieval.report_items import reports_in_turn
from polyadic.retrieval.token_budget import knowledge
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader

# A title, a summary and a finding: with less, a report says too little.
_TOKENS_OF_A_REPORT = 100


async def report_overview(question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge | None:
    """Return the reports of the largest communities; None if there are none."""
    hierarchy = reader.hierarchy_reader()
    if not hierarchy.community_count:
        return None
    trace = Trace()
    vector = (await embedder.embed([question]))[0]
    largest = largest_communities(max(1, context_tokens // _TOKENS_OF_A_REPORT), vector, reader, hierarchy)
    contexts = report_contexts(largest, reader, hierarchy)
    items = reports_in_turn(contexts, vector, reader, hierarchy, context_tokens)
    trace.done("overview", f"{len(items)} items of the reports of {len(contexts)} communities")
    return knowledge(question, NAME, items, context_tokens, trace) if items else None
