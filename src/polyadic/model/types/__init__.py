"""Core data types: documents, facts, retrieved knowledge, answers and usage."""

from polyadic.model.types.answers import Answer, Citation, Claim, Turn
from polyadic.model.types.documents import Chunk, Document, Filter, Heading, Span, page_of
from polyadic.model.types.facts import Entity, Evidence, Fact, FactDetails, ParticipantDetails, Participation, fact_of
from polyadic.model.types.knowledge import Item, ItemKind, Knowledge, RetrievalSection, SourceSpan, TraceStep
from polyadic.model.types.usage import Usage

__all__ = [
    "Answer",
    "Chunk",
    "Citation",
    "Claim",
    "Document",
    "Entity",
    "Evidence",
    "Fact",
    "FactDetails",
    "Filter",
    "Heading",
    "Item",
    "ItemKind",
    "Knowledge",
    "ParticipantDetails",
    "Participation",
    "RetrievalSection",
    "SourceSpan",
    "Span",
    "TraceStep",
    "Turn",
    "Usage",
    "fact_of",
    "page_of",
]
