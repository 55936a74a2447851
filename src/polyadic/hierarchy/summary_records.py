"""Read summaries in the delimiter format of HiRAG (arXiv 2503.10150, Figure 9)."""

from polyadic.llm.replies.cleaning import strip_wrappers, tidy
from polyadic.llm.replies.delimited_records import RecordKind, canonical, may_hold_records, records
from polyadic.llm.replies.parser import LONGEST_REPLY
from polyadic.model.identity import entity_key


def summary_records(reply: str) -> list[dict[str, object]]:
    """Read entity records as summaries, and relationship records as their members, with description and strength.

    A relationship joins a member and a summary, in either order. Empty if the reply has no entity record.

    >>> reply = '("entity"<|>"Port"<|>"location"<|>"A port.")##("relationship"<|>"Pier"<|>"Port"<|>"It is there."<|>9)'
    >>> summary_records(reply)
    [{'name': 'Port', 'type': 'location', 'description': 'A port.', 'members': [{'name': 'Pier', 'description': \
'It is there.', 'strength': '9'}]}]
    """
    bare, _ = strip_wrappers(reply[:LONGEST_REPLY])
    if not may_hold_records(bare):
        return []
    summaries: dict[str, dict[str, object]] = {}
    members: dict[str, list[dict[str, str]]] = {}
    relations: list[list[str]] = []
    for record in records(canonical(bare)):
        fields = [tidy(field) for field in record.fields]
        if record.kind is RecordKind.ENTITY and record.whole:
            name, kind, description = (*fields, "", "", "")[:3]
            key = entity_key(name)
            summaries.setdefault(key, {"name": name, "type": kind, "description": description})
            members.setdefault(key, [])
        elif record.kind is RecordKind.RELATION:
            relations.append(fields)
    for one, another, description, strength in (([*fields, "", "", "", ""])[:4] for fields in relations):
        for end, other in ((one, another), (another, one)):
            if end and entity_key(other) in members and entity_key(end) not in members:
                members[entity_key(other)].append({"name": end, "description": description, "strength": strength})
    return [summary | {"members": members[key]} for key, summary in summaries.items()]
