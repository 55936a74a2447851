"""Retrieved knowledge in the form of LightRAG's ``/query/data``."""

from typing import Any, Literal

from pydantic import BaseModel

from polyadic.model.types import Item, ItemKind, Knowledge
from polyadic.server.lightrag_workspace import file_path
from polyadic.workspace import Workspace


class LightRAGData(BaseModel):
    """Retrieved items by kind.

    A relationship is a fact: ``src_id`` and ``tgt_id`` are the first two entities that it connects, ``entities`` are
    all. Community reports are among the chunks.
    """

    entities: list[dict[str, Any]]
    relationships: list[dict[str, Any]]
    chunks: list[dict[str, Any]]
    references: list[dict[str, str]]


class LightRAGDataResponse(BaseModel):
    status: Literal["success"] = "success"
    message: str = "Query executed successfully"
    data: LightRAGData
    metadata: dict[str, Any]


def retrieved_data(kb: Workspace, knowledge: Knowledge, mode: str) -> LightRAGDataResponse:
    """Convert knowledge retrieved from a workspace; references are numbered in the order of the items."""
    named = _entities(kb, knowledge)
    numbers: dict[str, str] = {}
    data = LightRAGData(entities=[], relationships=[], chunks=[], references=[])
    for item in knowledge.items:
        path = file_path(item.places[0].source) if item.places else ""
        shared = {
            "source_id": item.places[0].chunk_id if item.places else "",
            "file_path": path,
            "reference_id": numbers.setdefault(path, str(len(numbers) + 1)),
        }
        if item.kind is ItemKind.ENTITY:
            data.entities.append(named.get(item.id, _summary(item)) | shared)
        elif item.kind is ItemKind.FACT:
            data.relationships.append(_relationship(item) | shared)
        else:
            data.chunks.append({"content": item.text, "chunk_id": item.id, **shared})
    data.references = [{"reference_id": number, "file_path": path} for path, number in numbers.items() if path]
    return LightRAGDataResponse(
        data=data,
        metadata={
            "query_mode": mode,
            "keywords": {"high_level": [], "low_level": []},
            "processing_info": {
                "entities_after_truncation": len(data.entities),
                "relations_after_truncation": len(data.relationships),
                "final_chunks_count": len(data.chunks),
            },
        },
    )


def _entities(kb: Workspace, knowledge: Knowledge) -> dict[str, dict[str, Any]]:
    """Return the retrieved entities that are in documents, by identifier; the others are summaries of these."""
    identifiers = [item.id for item in knowledge.items if item.kind is ItemKind.ENTITY]
    with kb.store().read() as reader:
        found = [one for identifier in identifiers for one in reader.entities(reader.rows("entity", identifier, 1))]
    return {one.id: {"entity_name": one.name, "entity_type": one.type, "description": one.description} for one in found}


def _summary(item: Item) -> dict[str, Any]:
    name, _, description = item.text.partition(": ")
    return {"entity_name": name, "entity_type": "", "description": description}


def _relationship(fact: Item) -> dict[str, Any]:
    source, target = (*fact.entities, "", "")[:2]
    return {
        "src_id": source,
        "tgt_id": target,
        "entities": list(fact.entities),
        "description": fact.text,
        "keywords": "",
        "weight": fact.score,
    }
