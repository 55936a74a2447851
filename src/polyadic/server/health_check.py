"""What `polyadic doctor` finds of a workspace, as it may be told to clients: no path, address or variable is named.

No language model is asked: whoever may only read could spend the operator's money by looking.
"""

import asyncio
from collections.abc import Iterator

from polyadic.config import EndpointSettings
from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.doctor.disk_check import disk
from polyadic.doctor.store_check import stored
from polyadic.embeddings.loading import embedder_name
from polyadic.errors import ModelUnavailable, PolyadicError
from polyadic.optional_dependencies import has_hierarchy
from polyadic.server.problem_details import of_core
from polyadic.storage.protocol import Store
from polyadic.storage.url import LocalFolder, StoreLocation
from polyadic.workspace import Workspace

_SAMPLE = ["Sample sentence, about as long as a short fact."]
_LOG = "the server's log says more"
# Reasons may name an endpoint.
_UNREAD = doubtful("chunks", "some could not be read", "try them again; the report of their job says why")


async def check(kb: Workspace) -> list[CheckResult]:
    """Disk, store, embedding model, language model and hierarchy; to be run where workspaces work."""
    found = await asyncio.to_thread(lambda: [*_disk(kb.home), *_stored(kb.store())])
    return [*found, await _embedding(kb), *_model(kb), _hierarchy()]


def _disk(home: StoreLocation) -> Iterator[CheckResult]:
    """Of a database it is its server that knows."""
    if isinstance(home, LocalFolder):
        yield from disk(home.path, "the server's disk")


def _stored(store: Store) -> Iterator[CheckResult]:
    try:
        for finding in stored(store):
            yield _UNREAD if finding.what == "chunks" else finding
    except PolyadicError as problem:
        yield bad("store", of_core(problem)[2], _LOG)


async def _embedding(kb: Workspace) -> CheckResult:
    """Whether texts can be embedded; what an endpoint is paid for one sentence is next to nothing."""
    settings = kb.settings.embedding
    if settings.model == "endpoint":
        return _endpoint("embedding", embedder_name(settings), settings)
    try:
        dimension = (await kb.embedder.embed(_SAMPLE)).shape[1]
    except PolyadicError as problem:
        return bad("embedding", of_core(problem)[2], "polyadic models fetch brings the weights of the default model")
    with kb.store().read() as reader:
        held = reader.counts().dimension
    if held and held != dimension:
        what = f"{kb.embedder.name} gives vectors of {dimension} numbers, the store holds vectors of {held}"
        return bad("embedding", what, "polyadic reembed brings the workspace to the model of the settings")
    return good("embedding", f"{kb.embedder.name}: vectors of {dimension} numbers")


def _model(kb: Workspace) -> Iterator[CheckResult]:
    if not kb.settings.model.name:
        yield good("model", "none is set, and none is needed: answers are quoted sentences")
    else:
        yield _endpoint("model", kb.settings.model.name, kb.settings.model)


def _endpoint(what: str, name: str, settings: EndpointSettings) -> CheckResult:
    from polyadic.llm.endpoint import Endpoint

    try:
        _ = Endpoint(settings, what).key
    except ModelUnavailable:
        step = "set the environment variable that key_variable names, where the server is started"
        return bad(what, f"the server has no key for {name}", step)
    return good(what, f"{name} is set, and its key is there; polyadic doctor tries it")


def _hierarchy() -> CheckResult:
    if has_hierarchy():
        return good("hierarchy", "what building it needs is installed")
    return good("hierarchy", "what building it needs is not installed (pip install 'polyadic[hierarchy]')")
