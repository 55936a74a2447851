"""Find the names in a question, and embed the question and its names."""

from polyadic.embeddings.embedder import Embedder
from polyadic.retrieval.query_entity_extraction import LinkedNames, QueryEntityFinder
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader, Vectors


async def embed_question_and_names(
    question: str,
    finder: QueryEntityFinder,
    reader: Reader,
    embedder: Embedder,
    trace: Trace,
    joined: bool = False,
) -> tuple[LinkedNames, Vectors]:
    """Find the names in a question, then embed the question and its names together.

    Parameters
    ----------
    question, finder, reader, embedder
        The question, and what finds its names and embeds.
    trace
        Receives both steps.
    joined
        Embed the names as one text, joined by commas; without names, the question again. By default each name is
        embedded on its own.

    Returns
    -------
    tuple of LinkedNames and Vectors
        The names, and the vectors of the question (first) and of its names, shape (1 + n, d); (2, d) if joined.
    """
    named = await finder.named(question, reader)
    trace.done("read the question", named.description)
    names = (", ".join(named.names) or question,) if joined else named.names
    vectors = await embedder.embed([question, *names])
    trace.done("embed", "the question and its names")
    return named, vectors
