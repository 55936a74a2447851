"""JSON schema of ``metadata.polyadic`` in a HIF file: documents, evidence and decisions (docs/interchange.md).

Writing builds plain values. Reading validates every bound with Pydantic, because a file may come from any source. Files
of facts have the same fields of evidence.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from polyadic.errors import DecisionRefused
from polyadic.interchange.document_export import ChunkExport, DocumentExport
from polyadic.interchange.validation import (
    Date,
    DocumentId,
    EntityScore,
    FactScore,
    Name,
    Qualifiers,
    StrictModel,
    Text,
)
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span

VERSION = 1


class EntityFields(BaseModel):
    """An entity of a piece of evidence."""

    name: Text
    type: Text = ""
    description: Text = ""
    score: EntityScore
    role: Text = ""
    value: Text = ""

    def participation(self) -> Participation:
        return Participation(self.name, self.type, self.description, self.score, self.role, self.value)


class EvidenceFields(BaseModel):
    """A piece of evidence; spans are pairs of characters."""

    text: Name
    score: FactScore
    extractor: Text
    spans: Sequence[list[int]]
    entities: Sequence[EntityFields]
    unsupported: Text = ""
    valid_from: Date = ""
    valid_to: Date = ""
    qualifiers: Qualifiers = Field(default_factory=dict)

    def evidence(self) -> Evidence:
        """Return the evidence; raises ValueError for an invalid span."""
        return Evidence(
            text=self.text,
            score=self.score,
            participants=tuple(entity.participation() for entity in self.entities),
            spans=tuple(Span(start, end) for start, end in self.spans),
            extractor=self.extractor,
            unsupported=self.unsupported,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            qualifiers=tuple(self.qualifiers.items()),
        )


def plain_document(export: DocumentExport) -> dict[str, Any]:
    """Convert a document to JSON values, always in the same order."""
    document = export.document
    return {
        "source": document.source,
        "title": document.title,
        "text": document.text,
        "metadata": dict(sorted(document.metadata.items())),
        "pages": list(document.pages),
        "pipeline_config": export.pipeline_config,
        "extractor": export.extractor,
        "chunks": [_plain_chunk(chunk_export) for chunk_export in export.chunk_exports],
    }


def plain_decision(decision: ResolutionDecision) -> dict[str, Any]:
    """Convert an entity resolution decision to JSON values."""
    return {
        "kind": decision.kind.value,
        "names": list(decision.names),
        "into": decision.into,
        "documents": list(decision.documents),
    }


def plain_entities(evidence: Evidence) -> list[dict[str, Any]]:
    """Convert the participants of evidence to JSON values."""
    return [
        {"name": p.name, "type": p.type, "description": p.description, "score": p.score}
        | _filled(role=p.role, value=p.value)
        for p in evidence.participants
    ]


def plain_spans(evidence: Evidence) -> list[list[int]]:
    return [[span.start, span.end] for span in evidence.spans]


def plain_optional(evidence: Evidence) -> dict[str, Any]:
    """Return the optional fields that evidence has."""
    return _filled(
        unsupported=evidence.unsupported,
        valid_from=evidence.valid_from,
        valid_to=evidence.valid_to,
        qualifiers=dict(evidence.qualifiers),
    )


def _filled(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def _plain_chunk(chunk_export: ChunkExport) -> dict[str, Any]:
    chunk = chunk_export.chunk
    failure = {} if chunk_export.failure is None else {"failure": chunk_export.failure}
    evidence = [
        {
            "text": item.text,
            "score": item.score,
            "extractor": item.extractor,
            "spans": plain_spans(item),
            "entities": plain_entities(item),
            **plain_optional(item),
        }
        for item in chunk_export.evidence
    ]
    bounds = {"start": chunk.span.start, "end": chunk.span.end, "new_from": chunk.new_from, "tokens": chunk.tokens}
    return {**bounds, **failure, "evidence": evidence}


class EntitySchema(EntityFields, StrictModel):
    """An entity without fields of other formats."""


class EvidenceSchema(EvidenceFields, StrictModel):
    spans: list[list[int]]
    entities: list[EntitySchema]


class ChunkSchema(StrictModel):
    start: int = Field(ge=0)
    end: int
    new_from: int
    tokens: int = Field(ge=0)
    # Present only if extraction failed; see has_failed.
    failure: Text = ""
    evidence: list[EvidenceSchema]

    @property
    def has_failed(self) -> bool:
        return "failure" in self.model_fields_set

    def chunk_export(self, document: Document) -> ChunkExport:
        span = Span(self.start, self.end)
        chunk = Chunk(document.id, span, document.text[self.start : self.end], self.tokens, self.new_from)
        evidence = tuple(schema.evidence() for schema in self.evidence)
        return ChunkExport(chunk, evidence, self.failure if self.has_failed else None)


class DocumentSchema(StrictModel):
    source: Name
    title: Text
    text: Text
    metadata: dict[Text, Text]
    pages: list[int]
    pipeline_config: Text
    extractor: Text
    chunks: list[ChunkSchema]

    @field_validator("pipeline_config")
    @classmethod
    def _config_is_an_object(cls, config: str) -> str:
        try:
            value = json.loads(config)
        except (ValueError, RecursionError) as error:
            raise ValueError("a pipeline_config must be a JSON object in a string") from error
        if not isinstance(value, Mapping):
            raise ValueError("a pipeline_config must be a JSON object in a string")
        return config

    @model_validator(mode="after")
    def _offsets_lie_in_the_text(self) -> "DocumentSchema":
        length = len(self.text)
        if self.pages != sorted(set(self.pages)) or any(not 0 <= page <= length for page in self.pages):
            raise ValueError("page offsets must increase and lie within the text")
        for number, chunk in enumerate(self.chunks):
            if not chunk.start <= chunk.new_from <= chunk.end <= length:
                raise ValueError(f"chunk {number} lies outside the text")
            if chunk.has_failed and chunk.evidence:
                raise ValueError(f"chunk {number} has failed and has evidence")
            for span in (span for evidence in chunk.evidence for span in evidence.spans):
                if len(span) != 2 or not 0 <= span[0] <= span[1] <= length:
                    raise ValueError(f"chunk {number} has evidence outside the text")
        if len({(chunk.start, chunk.end) for chunk in self.chunks}) < len(self.chunks):
            raise ValueError("a chunk occurs twice")
        return self

    def to_export(self) -> DocumentExport:
        document = Document(self.source, self.title, self.text, dict(self.metadata), tuple(self.pages))
        chunk_exports = tuple(chunk.chunk_export(document) for chunk in self.chunks)
        return DocumentExport(document, self.pipeline_config, self.extractor, chunk_exports)


class DecisionSchema(StrictModel):
    kind: Literal["merge", "split", "cannot-link", "keep"]
    names: list[Name]
    into: Text
    documents: list[DocumentId]

    def decision(self) -> ResolutionDecision:
        return ResolutionDecision(DecisionKind(self.kind), tuple(self.names), self.into, tuple(self.documents))


class WorkspaceSchema(StrictModel):
    version: Literal[1]
    documents: list[DocumentSchema]
    decisions: list[DecisionSchema] = Field(default_factory=list)

    @field_validator("documents")
    @classmethod
    def _documents_are_unique(cls, documents: list[DocumentSchema]) -> list[DocumentSchema]:
        if len({document.source for document in documents}) < len(documents):
            raise ValueError("a document occurs twice")
        return documents

    @field_validator("decisions")
    @classmethod
    def _decisions_are_consistent(cls, decisions: list[DecisionSchema]) -> list[DecisionSchema]:
        resolved = [schema.decision() for schema in decisions]
        if len({decision.id for decision in resolved}) < len(resolved):
            raise ValueError("a decision occurs twice")
        try:
            EntityResolution.of(resolved)
        except DecisionRefused as problem:
            raise ValueError(problem.what) from problem
        return decisions
