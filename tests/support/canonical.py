"""All that a workspace knows in one canonical text: sorted, content-derived identifiers, no vectors, no times.

Two stores with the same evidence must give the same text, byte for byte, whatever their history.
"""

import json
from dataclasses import fields

from polyadic.model.identity import loose_name
from polyadic.storage.protocol import Store
from tests.support.lookups import chunks_of


def canonical(store: Store) -> str:
    lines: list[list[object]] = []
    with store.read() as reader:
        counts = reader.records.counts()
        records = reader.records.documents()
        for record in records:
            document = reader.records.document(record.id)
            stored = {one.name: getattr(document, one.name) for one in fields(document) if one.compare}
            lines.append(["document", stored])
            for chunk in chunks_of(reader, record.id):
                lines.append(["chunk", chunk.id, chunk.document_id, chunk.span.start, chunk.span.end, chunk.tokens])
        everything = reader.rows("fact")
        places = reader.fact_places(everything)
        for fact, at in zip(reader.facts(everything), places, strict=True):
            where: list[object] = [[p.chunk_id, p.span.start, p.span.end, p.quote] for p in at]
            lines.append(
                ["fact", fact.id, fact.text, fact.score, fact.support, fact.tokens, list(fact.entities), where]
            )
        rows = reader.rows("entity")
        titled = reader.links("topic_chunks", rows, 3)
        chunk_ids = [place.chunk_id for place in reader.chunk_places(titled.targets)]
        keys = dict(zip(rows.tolist(), (entity.key for entity in reader.entities(rows)), strict=True))
        subjects = [keys[row] for row in titled.sources.tolist()]
        lines.append(["titled", list(zip(subjects, chunk_ids, strict=True))])
        names = [entity.name for entity in reader.entities(rows)]
        named = reader.named([loose_name(name) for name in names])
        lines.append(["named", {loose: sorted(keys[row] for row in found) for loose, found in named.items()}])
        spread, degrees = reader.degrees("entity_chunks", rows).tolist(), reader.degrees("entity_facts", rows).tolist()
        for entity, chunks, degree in zip(reader.entities(rows), spread, degrees, strict=True):
            assert degree == entity.facts
            lines.append(
                ["entity", entity.key, entity.name, entity.type, entity.description, entity.score, entity.facts, chunks]
            )
        lines.append(["counts", counts.evidence, counts.evidence_with_fact, counts.participations])
        lines.append(["vectors", counts.vectors])
        for decision, _ in reader.records.decisions():
            lines.append(["decision", decision.kind, decision.keys, decision.into, sorted(decision.documents)])
    with store.write() as writer:
        for _, chunks in writer.current([record.id for record in records]):
            for chunk, evidence in chunks:
                lines.append(["evidence", chunk.id, [[e.text, e.score, sorted(e.keys)] for e in evidence]])
    return "\n".join(sorted(json.dumps(line, ensure_ascii=False, sort_keys=True) for line in lines))
