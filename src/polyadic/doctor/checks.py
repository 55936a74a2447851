"""Health check of a workspace: disk, store, embedding model, reranker and language model."""

from collections.abc import AsyncGenerator

from polyadic.config import Settings
from polyadic.doctor.check_result import CheckResult, bad, good
from polyadic.doctor.disk_check import disk
from polyadic.doctor.embedding_check import embedding
from polyadic.doctor.language_model_check import language_model
from polyadic.doctor.reranker_check import reranking
from polyadic.doctor.store_check import stored
from polyadic.embeddings.loading import embedder_name, load_embedder
from polyadic.errors import PolyadicError
from polyadic.storage.url import LocalFolder, StoreLocation


async def run_checks(home: StoreLocation, settings: Settings, whole_window: bool) -> AsyncGenerator[CheckResult, None]:
    """Run all checks, cheap ones first, and yield each result as soon as it is known.

    Nothing is changed. A language model, if one is set, gets a few short requests and a long one.

    Parameters
    ----------
    home
        Location of the workspace.
    settings
        Settings of the workspace.
    whole_window
        Test the language model's whole context window.
    """
    if isinstance(home, LocalFolder):
        for finding in disk(home.path):
            yield finding
    dimension = 0
    try:
        if not home.exists():
            yield good("store", f"none in {home} yet; create it with polyadic index PATH")
        else:
            store = home.open(embedder_name(settings.embedding))
            try:
                for finding in stored(store):
                    yield finding
                with store.read() as reader:
                    dimension = reader.records.counts().dimension
            finally:
                store.close()
    except PolyadicError as problem:
        yield bad("store", problem.what, problem.next_step)
    try:
        embedder = load_embedder(settings.embedding)
    except PolyadicError as problem:
        yield bad("embedding", problem.what, problem.next_step)
    else:
        async for finding in embedding(embedder, dimension):
            yield finding
        await embedder.close()
    async for finding in reranking(settings.reranker):
        yield finding
    if not settings.model.name:
        yield good("model", "none is set, and none is needed (polyadic init --preset sets one up)")
        return
    from polyadic.llm.endpoint_model import EndpointModel

    model = EndpointModel(settings.model)
    async for finding in language_model(model, whole_window):
        yield finding
    await model.close()
