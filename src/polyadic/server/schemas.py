"""Request and response schemas of the REST API; values of the core are used as they are."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from polyadic.config import AnswerSettings, Effort, MethodName
from polyadic.doctor.check_result import CheckResult
from polyadic.model.types import Document, Entity, Fact, SourceSpan, Turn
from polyadic.query.engine import LONGEST_QUESTION
from polyadic.query.workspace_status import DocumentCost, PaidTotal
from polyadic.server.jobs.job import Job
from polyadic.server.tenants.names import NAME
from polyadic.storage.protocol import Counts, DocumentRecord, LedgerEntry

_EXECUTED = ("javascript:", "data:", "vbscript:", "file:", "blob:")
_LONGEST_TEXT = 5_000_000
Identifier = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""Identifier of a document, chunk, fact or entity: 32 hexadecimal digits."""
Short = Annotated[str, StringConstraints(max_length=500)]
Question = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]


class ApiRequest(BaseModel):
    """Base class of request bodies; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _example(**values: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", frozen=True, json_schema_extra={"examples": [values]})


class NewWorkspace(ApiRequest):
    model_config = _example(name="letters")

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


class NewText(ApiRequest):
    model_config = _example(
        text="Ada Lovelace wrote the first published program.",
        title="Ada Lovelace",
        source="https://example.org/ada",
        metadata={"year": "1843"},
    )

    text: Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_TEXT)]
    title: Short = ""
    source: Annotated[str, StringConstraints(max_length=1000)] = Field(
        default="", description="URI that identifies the document; derived from the text by default"
    )
    metadata: dict[Short, Short] = Field(default_factory=dict, max_length=50)

    @field_validator("source")
    @classmethod
    def _is_a_uri(cls, source: str) -> str:
        scheme, colon, rest = source.partition(":")
        is_uri = colon and rest and scheme[:1].isalpha() and all(c.isalnum() or c in "+.-" for c in scheme)
        is_printable = source.isprintable() and not any(c.isspace() for c in source) and scheme.isascii()
        if source and not (is_uri and is_printable):
            raise ValueError("a source must be a URI such as https://example.org/ada, without spaces")
        if source.lower().startswith(_EXECUTED):
            raise ValueError("a source must not have this URI scheme")
        return source


class NewTexts(ApiRequest):
    texts: list[NewText] = Field(min_length=1, max_length=100)


class DocumentUpdate(ApiRequest):
    """The new text of a document. The source stays, and so do title and metadata where they are omitted."""

    model_config = _example(text="Ada Lovelace wrote the first published program in 1843.")

    text: Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_TEXT)]
    title: Short | None = None
    metadata: dict[Short, Short] | None = Field(default=None, max_length=50)


class DocumentPage(BaseModel):
    """Documents by source; pass ``next`` as ``after`` to get the next page. ``next`` is empty on the last page."""

    documents: list[DocumentRecord]
    total: int
    next: str


class SpanView(BaseModel):
    """A span of a document with the text before and after it."""

    document: Identifier
    source: str
    title: str
    start: int
    end: int
    before: str
    text: str
    after: str
    page: int | None


class RenderedDocument(BaseModel):
    """A Markdown document as elements; ``marked`` is whether ``mark`` elements contain the text of the span."""

    blocks: list[dict[str, Any]]
    marked: bool


class PageList(BaseModel):
    """The pages of a document; ``starts`` are the characters of the text at which they begin."""

    starts: list[int]
    has_images: bool


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


class FilterSchema(ApiRequest):
    """Document filter: any of these documents, with all of this metadata; a key such as ``date>=`` compares as text."""

    model_config = _example(documents=[], where={"year": "1843"})

    documents: list[Identifier] = Field(default_factory=list, max_length=1000)
    where: dict[Short, Short] = Field(default_factory=dict, max_length=20)


class TurnSchema(ApiRequest):
    """A previous question of the conversation and its answer."""

    question: Annotated[str, StringConstraints(max_length=LONGEST_QUESTION)]
    answer: Annotated[str, StringConstraints(max_length=100_000)]

    def turn(self) -> Turn:
        return Turn(self.question, self.answer)


class RetrieveRequest(ApiRequest):
    model_config = _example(question="Who wrote the first published program?", method="walk")

    question: Question
    method: MethodName | None = Field(default=None, description="retrieval method; the workspace's setting by default")
    context_tokens: int | None = Field(default=None, ge=1, le=200_000)
    only: FilterSchema | None = None


class AnswerRequest(RetrieveRequest):
    history: list[TurnSchema] = Field(default_factory=list, max_length=50, description="the conversation so far")
    by: Literal["auto", "model", "quotes"] | None = None
    style: Annotated[str, StringConstraints(max_length=1000)] = ""
    think: bool = False
    effort: Effort | None = Field(
        default=None, description="how far a language model searches on; the workspace's setting by default"
    )

    def how(self, settings: AnswerSettings) -> AnswerSettings:
        """Return the workspace's answer settings with the overrides of this request."""
        changed = {"by": self.by, "style": self.style, "format": "think" if self.think else None, "effort": self.effort}
        return settings.model_copy(update={name: value for name, value in changed.items() if value})


class StreamRequest(AnswerRequest):
    rendered: bool = Field(default=False, description="also send the answer as elements, in `blocks` events")


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
    """A fact, the entities it connects and the places where it is stated."""

    fact: Fact
    entities: list[Entity]
    places: list[SourceSpan]


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


def document_with(changed: DocumentUpdate, document: Document) -> Document:
    """Apply an update to a document."""
    title = document.title if changed.title is None else changed.title
    metadata = document.metadata if changed.metadata is None else changed.metadata
    return Document(document.source, title, changed.text, metadata)
