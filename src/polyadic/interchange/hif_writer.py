"""Export a workspace as HIF: the derived hypergraph, and the documents with their evidence as metadata."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from polyadic.interchange.bipartite import all_entities, all_facts, all_participations
from polyadic.interchange.document_export import export_documents
from polyadic.interchange.document_schema import VERSION, plain_decision, plain_document
from polyadic.model.identity import document_id
from polyadic.model.resolution import ResolutionDecision
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import Reader


def hif_pieces(reader: Reader, names: SourceNames | None = None) -> Iterator[str]:
    """Yield the file in pieces, ordered by source and identifier.

    Nodes are entities by key, edges are facts by identifier. Evidence and entity resolution decisions are in
    ``metadata.polyadic``. With ``names``, these are the sources of documents.
    """
    yield f'{{"network-type": "undirected",\n"metadata": {{"polyadic": {{"version": {VERSION}, "documents": ['
    yield from _values(plain_document(export) for export in export_documents(reader, names))
    yield '],\n"decisions": ['
    yield from _values(plain_decision(decision) for decision in _decisions(reader, names or SourceNames()))
    yield ']}},\n"nodes": ['
    yield from _values(
        {
            "node": e.key,
            "weight": e.score,
            "attrs": {
                "name": e.name,
                "type": e.type,
                "description": e.description,
                "score": e.score,
                "facts": e.facts,
            },
        }
        for e in all_entities(reader)
    )
    yield '],\n"edges": ['
    yield from _values(
        {"edge": f.id, "weight": f.score, "attrs": {"text": f.text, "score": f.score, "support": f.support}}
        for f in all_facts(reader)
    )
    yield '],\n"incidences": ['
    yield from _values(
        {"edge": fact.id, "node": entity.key} for fact, entities in all_participations(reader) for entity in entities
    )
    yield "]}\n"


def _decisions(reader: Reader, names: SourceNames) -> list[ResolutionDecision]:
    """Return the decisions, by identifier; documents are identified by their exported sources."""
    named = names.distinct(record.source for record in reader.records.documents())
    exported = {document_id(source): document_id(name) for source, name in named.items()}
    decisions = [
        replace(decision, documents=tuple(exported.get(one, one) for one in decision.documents))
        # With a document filter, decisions are hidden: they may name what other documents mention.
        for decision, _ in reader.records.decisions()
    ]
    return sorted(decisions, key=lambda decision: decision.id)


def _values(values: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the values of an array, one per line."""
    for number, value in enumerate(values):
        yield (",\n" if number else "\n") + json.dumps(value, ensure_ascii=False)
