"""Schemas of the REST API: base classes, workspaces, jobs and the graph; values of the core are used as they are.

Those of documents, questions, the hierarchy and entity resolution are in modules of their own.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polyadic.doctor.check_result import CheckResult
from polyadic.model.types import Entity, Fact, FactDetails, SourceSpan
from polyadic.query.workspace_status import DocumentCost, PaidTotal
from polyadic.server.jobs.job import Job
from polyadic.server.tenants.tenant_backend import NAME
from polyadic.storage.protocol import Counts, LedgerEntry

Identifier = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""Identifier of a document, chunk, fact or entity: 32 hexadecimal digits."""
Short = Annotated[str, StringConstraints(max_length=500)]


class ApiRequest(BaseModel):
    """Base class of request bodies; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def example(**values: Any) -> ConfigDict:
    """Return the configuration of a request body with an example for the API reference."""
    return ConfigDict(extra="forbid", frozen=True, json_schema_extra={"examples": [values]})


class NewWorkspace(ApiRequest):
    model_config = example(name="letters")

    name: Annotated[str, StringConstraints(pattern=rf"^{NAME}$")] = Field(
        description="lower-case letters, digits, - and _, at most 63"
    )


class WorkspaceList(BaseModel):
    """Workspaces by name; pass ``next`` as ``after`` to get the next page. ``next`` is empty on the last page."""

    workspaces: list[str]
    next: str


class WorkspaceView(BaseModel):
    """A workspace and its contents.

    ``model`` is empty if it uses no language model. ``filtered``: the key has a document filter;
    ``bytes`` is then 0.
    """

    name: str
    counts: Counts
    arities: dict[int, int]
    bytes: int
    embedder: str
    model: str
    method: str
    access: Literal["read", "write"]
    filtered: bool


class LedgerPage(BaseModel):
    """Totals by purpose, the most expensive documents first, and all calls, the oldest first.

    ``next`` is the ``start`` of the next page of documents and calls; None on the last page.
    """

    purposes: list[PaidTotal]
    documents: list[DocumentCost]
    calls: list[LedgerEntry]
    next: int | None


class JobList(BaseModel):
    """Jobs, the latest first; pass ``next`` as ``after`` to get the next page. ``next`` is empty on the last page."""

    jobs: list[Job]
    next: str


class WatchedFolderView(BaseModel):
    """A folder that the server watches for a workspace.

    ``state`` is ``missing`` while the folder does not exist: its documents are kept. It is ``failed`` if the folder
    cannot be watched; the server log says why. ``documents`` counts the documents from it, ``failed_chunks`` their
    chunks whose extraction failed. ``job`` is the latest job that reads its changes; ``created`` in it is the time of
    the latest change. Files that could not be read before are read again with each change, so the report of the job
    lists all of them.
    """

    id: str
    name: str
    state: Literal["watching", "missing", "failed"]
    documents: int
    failed_chunks: int
    job: Job | None


class WatchedFolderList(BaseModel):
    """The folders that the server watches for a workspace."""

    folders: list[WatchedFolderView]


class EntityFound(BaseModel):
    """A search hit; ``similarity`` is None if the name matched exactly or no query was given."""

    entity: Entity
    similarity: float | None


class EntityList(BaseModel):
    entities: list[EntityFound]


class FactFound(BaseModel):
    fact: Fact
    similarity: float | None


class FactList(BaseModel):
    facts: list[FactFound]


class EntityDetail(BaseModel):
    """An entity and its most complete facts."""

    entity: Entity
    facts: list[Fact]


class FactDetail(BaseModel):
    """A fact, the entities it connects, the places where it is stated, and what they say besides its text."""

    fact: Fact
    entities: list[Entity]
    places: list[SourceSpan]
    details: list[FactDetails]


class Hyperedge(BaseModel):
    """A fact in a neighbourhood, with the identifiers of all entities it connects."""

    fact: Fact
    entities: list[Identifier]


class Neighbourhood(BaseModel):
    """Entities and facts around a starting point; ``complete`` is false if the limit cut it off."""

    entities: list[Entity]
    facts: list[Hyperedge]
    complete: bool


class PathView(BaseModel):
    """A shortest path: its entities in order (``path``), the facts between them in order, and all their entities."""

    path: list[Identifier]
    entities: list[Entity]
    facts: list[Hyperedge]


class HealthCheckView(BaseModel):
    """The checks that were run, and what to do about each problem."""

    findings: list[CheckResult]


class SettingsView(BaseModel):
    """The settings of a workspace, and the version of the server.

    ``model`` answers questions; it is empty and ``model_context_tokens`` is 0 if no language model is set. ``methods``
    lists all retrieval methods, ``method`` is the default. ``ocr`` says whether scanned pages and pictures are read.
    """

    model: str
    model_context_tokens: int
    embedder: str
    extractor: Literal["model", "sentences"]
    entity_types: list[str]
    gleanings: int
    chunk_tokens: int
    chunk_overlap: int
    language: str
    method: str
    methods: list[str]
    context_tokens: int
    answers: Literal["model", "quotes"]
    hierarchy_by: Literal["model", "extractive"]
    ocr: bool
    version: str


class Health(BaseModel):
    status: Literal["ok"] = "ok"


class Problem(BaseModel):
    """Problem details (RFC 9457)."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:polyadic:problem:nothing-here",
                    "title": "Not Found",
                    "status": 404,
                    "detail": "not found, or your key has no access to it",
                    "request_id": "5f0c7d2a9b31e844",
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str
    request_id: str
