"""Parse cluster summaries from model replies, and check them against the members of the cluster."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from polyadic.hierarchy.prompt_context import MemberContext
from polyadic.hierarchy.summarizer import OTHER_TYPE
from polyadic.llm.replies.cleaning import strip_wrappers, tidy
from polyadic.llm.replies.delimited_records import RecordKind, canonical, may_hold_records, records
from polyadic.llm.replies.json_fields import LONGEST_NAME, list_of, numbers_in, record_of, reply_values, text_of
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.llm.replies.parser import LONGEST_REPLY
from polyadic.llm.replies.scores import ScoreScale
from polyadic.model.identity import entity_key

MOST_READ = 200
"""Maximum number of summaries read from one reply."""
_LIST_NAMES = ("summaries", "summary_entities", "entities", "themes", "clusters", "groups", "results", "items", "data")
_NAMES = ("name", "entity_name", "title", "summary_name", "entity", "label")
_DESCRIPTIONS = ("description", "entity_description", "summary", "desc", "explanation")
_TYPES = ("type", "entity_type", "category", "kind", "class")
_REASONS = ("description", "why", "reason", "relationship_description")
_STRENGTHS = ("strength", "relationship_strength", "score", "weight")
_STRENGTH = ScoreScale(10.0, 5.0, with_zero=True)
_MEMBERS = ("members", "member_numbers", "covers", "covered", "numbers", "member", "entities")
# Qualifier of a summary with the name of a member, if its type does not distinguish them.
_QUALIFIER = "theme"


@dataclass(frozen=True, slots=True)
class DraftMembership:
    """Why a member (its number, from 1) belongs to a summary, and how strongly, in [0, 10]."""

    member: int
    description: str
    strength: float


@dataclass(frozen=True, slots=True)
class DraftSummary:
    """A parsed summary; ``members`` are the numbers of its members, from 1, ``memberships`` those that are described.

    If no strength can be read, it is 5.
    """

    name: str
    type: str
    description: str
    members: tuple[int, ...]
    memberships: tuple[DraftMembership, ...] = ()


def read_summaries(
    reply: str, members: Sequence[MemberContext], types: Sequence[str]
) -> tuple[list[DraftSummary], Problems]:
    """Read the usable summaries of a reply, with distinct names, and the problems found.

    Parameters
    ----------
    reply
        Any text.
    members
        Members of the cluster, in the order of their numbers.
    types
        General types; a summary with another type gets OTHER_TYPE. If empty, any type is accepted.

    >>> members = [MemberContext("a", "Ada"), MemberContext("b", "Bob"), MemberContext("c", "Cy"), MemberContext("d",
    ... "Dee")]
    >>> reply = '{"summaries": [{"name": "Ada", "type": "Person", "description": "All.", "members": [1, 2, 7]}]}'
    >>> found, problems = read_summaries(reply, members, ["person"])
    >>> found[0].name, found[0].members
    ('Ada (person)', (1, 2))
    >>> sorted(problems)
    ['member number that does not exist', 'summary named like a member, qualified']
    """
    problems = Problems()
    records = _summary_records(reply) or _records(reply, problems)
    problems[f"more than {MOST_READ} summaries"] += max(0, len(records) - MOST_READ)
    drafts = [draft for one in records[:MOST_READ] if (draft := _draft(one, members, types, problems))]
    named = _by_name(drafts, problems)
    most = max(1, len(members) // 2)
    if len(named) > most:
        problems["more summaries than half of the members"] += len(named) - most
        # Keep those with most members, ties by order.
        chosen = sorted(named, key=lambda draft: -len(draft.members))[:most]
        named = [draft for draft in named if draft in chosen]
    return _disambiguate({entity_key(member.name) for member in members}, named, problems), +problems


def says_none(reply: str) -> bool:
    """Return whether a reply lists no summaries: the model found nothing that the members have in common.

    >>> says_none('{"summaries": []}'), says_none('{"summaries": [{"name": ""}]}'), says_none("{}")
    (True, False, False)
    """
    records = [record_of(value) for value in reply_values(reply, Problems())]
    listed = [record[name] for record in records for name in _LIST_NAMES if isinstance(record.get(name), list)]
    return bool(listed) and not any(listed)


def _records(reply: str, problems: Problems) -> list[dict[str, object]]:
    """Records of the last list in a reply, or single records if there is no list."""
    alone: list[dict[str, object]] = []
    listed: list[dict[str, object]] = []
    for value in reply_values(reply, problems):
        record = record_of(value)
        if isinstance(value, list):
            found = value
        elif held := next((record[name] for name in _LIST_NAMES if isinstance(record.get(name), list | dict)), None):
            # A record with a name and a list of entities is a summary, and the entities are its members.
            is_one = bool(text_of(record, *_NAMES)) and bool(text_of(record, *_DESCRIPTIONS))
            found = [record] if is_one else held if isinstance(held, list) else [held]
        else:
            alone += [record] if text_of(record, *_NAMES) else []
            continue
        # Earlier lists may be drafts.
        listed = [one for part in found if (one := record_of(part))] or listed
    return listed or alone


def _draft(
    record: dict[str, object], members: Sequence[MemberContext], types: Sequence[str], problems: Problems
) -> DraftSummary | None:
    name = text_of(record, *_NAMES, longest=LONGEST_NAME)
    description = text_of(record, *_DESCRIPTIONS)
    if not entity_key(name) or not description:
        problems["summary without a name" if description else "summary without a description"] += 1
        return None
    kind = text_of(record, *_TYPES, longest=LONGEST_NAME)
    numbers = _member_numbers(record, members, problems)
    return DraftSummary(name, _general_type(kind, types), description, numbers, _memberships(record, members, numbers))


def _general_type(kind: str, types: Sequence[str]) -> str:
    """Map a type to a general type, in its spelling.

    >>> _general_type("PERSON", ["person"]), _general_type("theorem", ["person"]), _general_type("theorem", [])
    ('person', 'normal_entity', 'theorem')
    """
    if not types:
        return kind
    return next((known for known in types if known.casefold() == kind.casefold()), OTHER_TYPE)


def _member_numbers(record: dict[str, object], members: Sequence[MemberContext], problems: Problems) -> tuple[int, ...]:
    """Member numbers of a summary; all members if it lists fewer than two."""
    unread = Problems()
    numbers = numbers_in(list_of(record, *_MEMBERS), _numbers_by_name(members), unread)
    known = tuple(sorted(number for number in numbers if 1 <= number <= len(members)))
    problems["member number that does not exist"] += len(numbers) - len(known) + unread.total()
    if len(known) >= 2:
        return known
    problems["summary of fewer than two members, taken as one of all"] += bool(numbers)
    return tuple(range(1, len(members) + 1))


def _numbers_by_name(members: Sequence[MemberContext]) -> dict[str, int]:
    return {tidy(member.name).lower(): number for number, member in enumerate(members, 1)}


def _memberships(
    record: dict[str, object], members: Sequence[MemberContext], covered: Collection[int]
) -> tuple[DraftMembership, ...]:
    """Return the described memberships of a summary, sorted by member; the first description of a member counts."""
    found: dict[int, DraftMembership] = {}
    for part in list_of(record, *_MEMBERS):
        member = record_of(part)
        reason = text_of(member, *_REASONS)
        strength = next((member[name] for name in _STRENGTHS if name in member), None)
        for number in numbers_in([part], _numbers_by_name(members), Problems()) if reason else ():
            if number in covered:
                read = _STRENGTH.read(strength, Problems())
                found.setdefault(number, DraftMembership(number, reason, _STRENGTH.default if read is None else read))
    return tuple(found[number] for number in sorted(found))


def _by_name(drafts: Iterable[DraftSummary], problems: Problems) -> list[DraftSummary]:
    """Merge summaries with the same name: type of the first, longest description, all members."""
    distinct: dict[str, DraftSummary] = {}
    for draft in drafts:
        key = entity_key(draft.name)
        first = distinct.setdefault(key, draft)
        if first is not draft:
            problems["summary named twice, joined"] += 1
            description = max(first.description, draft.description, key=len)
            members = tuple(sorted({*first.members, *draft.members}))
            described = {one.member: one for one in (*draft.memberships, *first.memberships)}
            memberships = tuple(described[number] for number in sorted(described))
            distinct[key] = replace(first, description=description, members=members, memberships=memberships)
    return list(distinct.values())


def _disambiguate(taken: Collection[str], drafts: Sequence[DraftSummary], problems: Problems) -> list[DraftSummary]:
    """Add a qualifier in parentheses to summaries that have the name of a member."""
    used = {*taken, *(key for draft in drafts if (key := entity_key(draft.name)) not in taken)}
    found = []
    for draft in drafts:
        name = draft.name
        if entity_key(name) in taken:
            problems["summary named like a member, qualified"] += 1
            name = _qualified(draft, used)
            used.add(entity_key(name))
        found.append(replace(draft, name=name))
    return found


def _qualified(draft: DraftSummary, used: Collection[str]) -> str:
    kinds = [draft.type] if draft.type not in ("", OTHER_TYPE) else []
    numbered = (f"{_QUALIFIER} {number}" for number in range(2, len(used) + 3))
    names = (f"{draft.name} ({kind})" for kind in (*kinds, _QUALIFIER, *numbered))
    return next(name for name in names if entity_key(name) not in used)


def _summary_records(reply: str) -> list[dict[str, object]]:
    """Read entity records as summaries, and relationship records as their members, with description and strength.

    A relationship joins a member and a summary, in either order. Empty if the reply has no entity record.

    >>> reply = '("entity"<|>"Port"<|>"location"<|>"A port.")##("relationship"<|>"Pier"<|>"Port"<|>"It is there."<|>9)'
    >>> _summary_records(reply)
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
