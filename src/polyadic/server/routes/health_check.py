"""Route for the health check of a workspace: the checks of `polyadic doctor` in a form for clients.

No path, address or environment variable is named. No language model is called, because even a read-only client could
spend the operator's money that way.
"""

import asyncio
from collections.abc import Iterator

from fastapi import APIRouter

from polyadic.config import MODEL_ROLES, EndpointSettings
from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.doctor.disk_check import disk
from polyadic.doctor.store_check import stored
from polyadic.embeddings.loading import embedder_name
from polyadic.errors import ModelUnavailable, PolyadicError, install_command
from polyadic.optional_dependencies import has_hierarchy
from polyadic.server.dependencies import Name, ReadingAll, Served
from polyadic.server.openapi import errors
from polyadic.server.problem_details import of_core
from polyadic.server.schemas import HealthCheckView
from polyadic.storage.protocol import Store
from polyadic.storage.url import LocalFolder, StoreLocation
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["workspaces"])

_SAMPLE = ["Sample sentence, about as long as a short fact."]
_LOG = "the server log has details"
# The individual reasons may name an endpoint.
_UNREAD_CHUNKS = doubtful("chunks", "some could not be read", "retry them; the report of the job gives the reasons")


@router.get("/check", summary="Check a workspace", responses=errors(502, 504))
async def check(workspace: Name, kb: ReadingAll, service: Served) -> HealthCheckView:
    """Run the checks of `polyadic doctor`, except those that call a language model. Reads the whole store."""
    async with service.turns.turn(workspace), service.checks:
        return HealthCheckView(findings=await service.work.run(_checked(kb)))


async def _checked(kb: Workspace) -> list[CheckResult]:
    """Check disk, store, embedding model, language model and hierarchy; runs on the workspace loop."""
    results = await asyncio.to_thread(lambda: [*_disk(kb.home), *_stored(kb.store())])
    return [*results, await _embedding(kb), *_model(kb), _hierarchy()]


def _disk(home: StoreLocation) -> Iterator[CheckResult]:
    """Check disk space; for a database, its own server is responsible."""
    if isinstance(home, LocalFolder):
        yield from disk(home.path, "the server's disk")


def _stored(store: Store) -> Iterator[CheckResult]:
    try:
        for finding in stored(store):
            yield _UNREAD_CHUNKS if finding.what == "chunks" else finding
    except PolyadicError as problem:
        yield bad("store", of_core(problem)[2], _LOG)


async def _embedding(kb: Workspace) -> CheckResult:
    """Check that texts can be embedded. Endpoints are not called here."""
    settings = kb.settings.embedding
    if settings.model == "endpoint":
        return _endpoint("embedding", embedder_name(settings), settings)
    try:
        dimension = (await kb.embedder.embed(_SAMPLE)).shape[1]
    except PolyadicError as problem:
        return bad("embedding", of_core(problem)[2], "polyadic models fetch downloads the default model")
    with kb.store().read() as reader:
        stored_dimension = reader.records.counts().dimension
    if stored_dimension and stored_dimension != dimension:
        what = f"{kb.embedder.name} has {dimension} dimensions, but the stored vectors have {stored_dimension}"
        return bad("embedding", what, "run polyadic reembed to embed everything with the model of the settings")
    return good("embedding", f"{kb.embedder.name}: {dimension} dimensions")


def _model(kb: Workspace) -> Iterator[CheckResult]:
    settings = kb.settings.model
    sections = {settings.section_of(role): settings.of_role(role) for role in MODEL_ROLES}
    named = {section: model for section, model in sections.items() if model.name}
    if not named:
        yield good("model", "none is set; answers are quoted sentences")
    for section, model in named.items():
        yield _endpoint(section, model.name, model)


def _endpoint(what: str, name: str, settings: EndpointSettings) -> CheckResult:
    from polyadic.llm.endpoint_connection import Endpoint

    try:
        _ = Endpoint(settings, what).key
    except ModelUnavailable:
        step = "set the environment variable named by key_variable in the server's environment"
        return bad(what, f"the server has no API key for {name}", step)
    return good(what, f"{name} is set and has an API key; polyadic doctor on the server calls it")


def _hierarchy() -> CheckResult:
    if has_hierarchy():
        return good("hierarchy", "the packages to build it are installed")
    return good("hierarchy", f"the packages to build it are not installed ({install_command('hierarchy')})")
