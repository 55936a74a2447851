"""Read summaries in the delimiter format of HiRAG (arXiv 2503.10150, Figure 9)."""

from polyadic.llm.replies.cleaning import strip_wrappers, tidy
from polyadic.llm.replies.parser import LONGEST_REPLY
from polyadic.llm.replies.record_scanner import RecordKind, canonical, may_hold_records, records
from polyadic.model.identity import entity_key


def summary_records(reply: str) -> list[dict[str, object]]:
    """Read entity records as summaries, and relationship records as the names of their members.

    A relationship joins a member and a summary, in either order. The strength and the reason are not used. Empty if the
    reply has no entity record.

    >>> reply = '("entity"<|>"Port"<|>"location"<|>"A port.")##("relationship"<|>"Pier"<|>"Port"<|>"It is there."<|>9)'
    >>> summary_records(reply)
    [{'name': 'Port', 'type': 'location', 'description': 'A port.', 'members': ['Pier']}]
    """
    bare, _ = strip_wrappers(reply[:LONGEST_REPLY])
    if not may_hold_records(bare):
        return []
    summaries: dict[str, dict[str, object]] = {}
    members: dict[str, list[str]] = {}
    relations: list[list[str]] = []
    for record in records(canonical(bare)):
        fields = [tidy(field) for field in record.fields]
        if record.kind is RecordKind.ENTITY and record.whole:
            name, kind, description = (*fields, "", "", "")[:3]
            key = entity_key(name)
            summaries.setdefault(key, {"name": name, "type": kind, "description": description})
            members.setdefault(key, [])
        elif record.kind is RecordKind.RELATION:
            relations.append(fields[:2])
    for ends in relations:
        for end, other in (ends, ends[::-1]) if len(ends) == 2 else ():
            if entity_key(other) in members and entity_key(end) not in members:
                members[entity_key(other)].append(end)
    return [summary | {"members": members[key]} for key, summary in summaries.items()]
