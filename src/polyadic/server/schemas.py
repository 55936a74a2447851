"""What requests say and what answers hold beside the values of the core, which stand in the API as they are."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from polyadic.config import AnswerSettings, MethodName
from polyadic.doctor.check_result import CheckResult
from polyadic.model.types import Document, Entity, Fact, SourceSpan, Turn
from polyadic.query.engine import LONGEST_QUESTION
from polyadic.server.jobs.job import Job
from polyadic.server.tenants.names import NAME
from polyadic.storage.protocol import Counts, DocumentRecord

_EXECUTED = ("javascript:", "data:", "vbscript:", "file:", "blob:")
_LONGEST_TEXT = 5_000_000
Identifier = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""Of a document, chunk, fact or entity: 32 hexadecimal digits."""
Short = Annotated[str, StringConstraints(max_length=500)]
Question = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]


class ApiRequest(BaseModel):
    """A request of ours: what it does not know, it refuses."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _example(**values: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", frozen=True, json_schema_extra={"examples": [values]})


class NewWorkspace(ApiRequest):
    model_config = _example(name="letters")

    name: Annotated[str, StringConstraints(pattern=rf"^{NAME}$")] = Field(
        description="lower-case letters, digits, - and _, at most 63"
    )


class WorkspaceList(BaseModel):
    workspaces: list[str]


class WorkspaceView(BaseModel):
    """A workspace and what it holds; ``model`` is empty where it asks no language model."""

    name: str
    counts: Counts
    arities: dict[int, int]
    bytes: int
    embedder: str
    model: str
    method: str
    access: Literal["read", "write"]


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
        default="", description="a URI that is the document's identity; made from the text if left out"
    )
    metadata: dict[Short, Short] = Field(default_factory=dict, max_length=50)

    @field_validator("source")
    @classmethod
    def _is_a_uri(cls, source: str) -> str:
        scheme, colon, rest = source.partition(":")
        is_uri = colon and rest and scheme[:1].isalpha() and all(c.isalnum() or c in "+.-" for c in scheme)
        printed = source.isprintable() and not any(c.isspace() for c in source) and scheme.isascii()
        if source and not (is_uri and printed):
            raise ValueError("a source is a URI such as https://example.org/ada, without spaces")
        if source.lower().startswith(_EXECUTED):
            raise ValueError("a source of this scheme is not taken")
        return source


class NewTexts(ApiRequest):
    texts: list[NewText] = Field(min_length=1, max_length=100)


class DocumentUpdate(ApiRequest):
    """The new text of a document, whose source stays; its title and metadata as well where they are left out."""

    model_config = _example(text="Ada Lovelace wrote the first published program in 1843.")

    text: Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_TEXT)]
    title: Short | None = None
    metadata: dict[Short, Short] | None = Field(default=None, max_length=50)


class DocumentPage(BaseModel):
    """Documents by source; ``next`` is to be passed as ``after`` for those that follow, empty where none do."""

    documents: list[DocumentRecord]
    total: int
    next: str


class SpanView(BaseModel):
    """A place in a document with what surrounds it."""

    document: Identifier
    source: str
    title: str
    start: int
    end: int
    before: str
    text: str
    after: str
    page: int | None


class JobList(BaseModel):
    jobs: list[Job]


class FilterSchema(ApiRequest):
    """Which documents may be heard: any of these, with all of this metadata."""

    model_config = _example(documents=[], where={"year": "1843"})

    documents: list[Identifier] = Field(default_factory=list, max_length=1000)
    where: dict[Short, Short] = Field(default_factory=dict, max_length=20)


class TurnSchema(ApiRequest):
    """A question of the conversation so far and its answer."""

    question: Annotated[str, StringConstraints(max_length=LONGEST_QUESTION)]
    answer: Annotated[str, StringConstraints(max_length=100_000)]

    def turn(self) -> Turn:
        return Turn(self.question, self.answer)


class RetrieveRequest(ApiRequest):
    model_config = _example(question="Who wrote the first published program?", method="walk")

    question: Question
    method: MethodName | None = Field(default=None, description="the workspace's own choice if left out")
    context_tokens: int | None = Field(default=None, ge=1, le=200_000)
    only: FilterSchema | None = None


class AnswerRequest(RetrieveRequest):
    history: list[TurnSchema] = Field(default_factory=list, max_length=50, description="the conversation so far")
    by: Literal["auto", "model", "quotes"] | None = None
    style: Annotated[str, StringConstraints(max_length=1000)] = ""
    think: bool = False

    def how(self, settings: AnswerSettings) -> AnswerSettings:
        """The workspace's way of answering, changed as this says."""
        changed = {"by": self.by, "style": self.style, "format": "think" if self.think else None}
        return settings.model_copy(update={name: value for name, value in changed.items() if value})


class EntityFound(BaseModel):
    """An entity that was searched for; ``similarity`` is None where its name is what was said, or nothing was."""

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
    """An entity and the most complete of its facts."""

    entity: Entity
    facts: list[Fact]


class FactDetail(BaseModel):
    """A fact, what it connects and where it stands."""

    fact: Fact
    entities: list[Entity]
    places: list[SourceSpan]


class Hyperedge(BaseModel):
    """A fact in a neighbourhood, with the identifiers of all entities that it connects."""

    fact: Fact
    entities: list[Identifier]


class Neighbourhood(BaseModel):
    """What lies around entities or facts; ``whole`` is false where more lies there than was asked for."""

    entities: list[Entity]
    facts: list[Hyperedge]
    whole: bool


class HealthCheckView(BaseModel):
    """What was looked at, and what to do where it is not well."""

    findings: list[CheckResult]


class SettingsView(BaseModel):
    """How a workspace works, and the version of the server.

    ``model`` is empty, and ``model_context_tokens`` 0, where it asks no language model. ``methods`` are all that a
    question can be asked by, ``method`` the one that is taken where none is said.
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
    themes_by: Literal["model", "extractive"]
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
                    "detail": "there is nothing here that your key opens",
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
    """A document as a change makes it."""
    title = document.title if changed.title is None else changed.title
    metadata = document.metadata if changed.metadata is None else changed.metadata
    return Document(document.source, title, changed.text, metadata)
