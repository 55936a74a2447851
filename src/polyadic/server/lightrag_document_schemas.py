"""Schemas of the LightRAG-compatible routes for documents."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polyadic.server.schemas import Identifier

DocumentStatus = Literal["pending", "parsing", "analyzing", "processing", "preprocessed", "processed", "failed"]
Text = Annotated[str, StringConstraints(min_length=1, max_length=5_000_000)]
Source = Annotated[str, StringConstraints(max_length=500)]


class LightRAGTextRequest(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Ada Lovelace wrote the first program."}]})

    text: Text
    file_source: Source | None = None
    description: Source | None = None


class LightRAGTextsRequest(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"texts": ["Ada wrote it."], "file_sources": ["ada"]}]})

    texts: list[Text] = Field(min_length=1, max_length=100)
    file_sources: list[Source] | None = Field(default=None, max_length=100)


class LightRAGInsertResponse(BaseModel):
    """Reply to added documents; ``track_id`` is the identifier of the indexing job."""

    status: Literal["success", "reprocessing_started"] = "success"
    message: str = "The document was accepted and is being indexed."
    track_id: str


class LightRAGDocument(BaseModel):
    """A document, or in ``track_status`` a job; the times of documents are not known and empty."""

    id: str
    content_summary: str
    content_length: int
    status: DocumentStatus
    created_at: str = ""
    updated_at: str = ""
    track_id: str | None = None
    chunks_count: int | None = None
    error_msg: str | None = None
    metadata: dict[str, Any] | None = None
    file_path: str


class LightRAGDocumentsRequest(BaseModel):
    """A page of documents; they are always sorted by file path, so sort fields are ignored."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"page": 1, "page_size": 50}]})

    status_filter: DocumentStatus | None = None
    status_filters: list[DocumentStatus] | None = Field(default=None, max_length=10)
    page: int = Field(default=1, ge=1, le=1_000)
    page_size: int = Field(default=50, ge=10, le=200)

    @property
    def includes_processed(self) -> bool:
        wanted = self.status_filters or ([self.status_filter] if self.status_filter else [])
        return not wanted or "processed" in wanted


class LightRAGPagination(BaseModel):
    page: int
    page_size: int
    total_count: int
    total_pages: int
    has_next: bool
    has_prev: bool


class LightRAGDocumentPage(BaseModel):
    documents: list[LightRAGDocument]
    pagination: LightRAGPagination
    status_counts: dict[str, int]


class LightRAGStatuses(BaseModel):
    """The first documents by file path, at most 1000."""

    statuses: dict[str, list[LightRAGDocument]]


class LightRAGStatusCounts(BaseModel):
    status_counts: dict[str, int]


class LightRAGTrackStatus(BaseModel):
    """The state of a job, as one document that stands for all of its documents."""

    track_id: str
    documents: list[LightRAGDocument]
    total_count: int
    status_summary: dict[str, int]


class LightRAGPipelineStatus(BaseModel):
    """The queued and running jobs; ``history_messages`` has the latest jobs, the oldest first."""

    autoscanned: bool = False
    busy: bool
    job_name: str
    job_start: str | None
    docs: int
    batchs: int
    cur_batch: int
    request_pending: bool
    latest_message: str
    history_messages: list[str]


class LightRAGDeleteRequest(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"doc_ids": ["5f0c7d2a9b31e8445f0c7d2a9b31e844"]}]})

    doc_ids: list[Identifier] = Field(min_length=1, max_length=1000)


class LightRAGDeleteResponse(BaseModel):
    """``deletion_started`` also if the documents are deleted already."""

    status: Literal["deletion_started", "busy"]
    message: str
    doc_id: str


class LightRAGCancelResponse(BaseModel):
    status: Literal["cancellation_requested", "not_busy"]
    message: str
