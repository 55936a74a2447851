"""What a writer of summaries and reports is shown of members and facts, and whose words these are.

Every line begins with what is ours, and only our numbers stand in square brackets: what a document says takes the
rest of one line, and its own ``[3]`` is written ``(3)``. So nothing that it says can be taken for a member, for a fact
or for a part of the request.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from polyadic.generation.citation_parser import without_markers
from polyadic.llm.replies.cleaning import cut, printable
from polyadic.model.identity import normal_text
from polyadic.text.tokens import count_tokens

# A member is told in as many characters as there is room for; where there is hardly any, by its name and type alone.
_LONGEST = (1200, 600, 300, 150, 75, 0)
_LONGEST_NAME = 200
# Facts that are shown of a member without a description.
_FACTS_OF_A_MEMBER = 3
# A number in brackets, the blank after it, and the end of the line.
_AROUND_A_LINE = 5


@dataclass(frozen=True, slots=True)
class FactContext:
    """A fact as a writer gets it: ``tokens`` are those of its text, ``participants`` identifiers of entities."""

    id: str
    text: str
    tokens: int
    participants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemberContext:
    """An entity or a summary as a writer gets it.

    Parameters
    ----------
    id, name, type, description
        As the store has them; type and description may be empty.
    facts
        Some that it takes part in (of a summary: some among the entities that it covers), the best first. Extractive
        summaries are made of them; a model is shown a few where there is no description.
    """

    id: str
    name: str
    type: str = ""
    description: str = ""
    facts: tuple[FactContext, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """Lines of a request.

    ``ids[n - 1]`` is what its line ``[n]`` shows; ``sources`` are the identifiers of all whose words stand in it.
    """

    text: str
    ids: tuple[str, ...]
    sources: frozenset[str]


def format_members(members: Sequence[MemberContext], tokens: int) -> NumberedLines:
    """All members, numbered from 1, each with its description, or with a few facts where it has none.

    What is said of each is cut so that all fit into so many tokens; names and types stand there in any case.

    >>> ada = MemberContext("e1", "Ada", "person", "wrote the first program[1]")
    >>> notes = MemberContext("e2", "Notes", facts=(FactContext("f1", "Ada wrote Notes.", 5, ("e1", "e2")),))
    >>> print(format_members([ada, notes], 100).text)
    [1] Ada (person): wrote the first program(1)
    [2] Notes: Ada wrote Notes.
    """
    return next(_fitting([_numbered(_told(members, longest)) for longest in _LONGEST], tokens))


def format_member_list(members: Sequence[MemberContext], tokens: int) -> NumberedLines:
    """As many members as fit into so many tokens, the first ones first, each after a dash, without their facts."""
    described = [MemberContext(one.id, one.name, one.type, one.description) for one in members]
    for longest in _LONGEST[1:]:
        shown = _listed(_told(described, longest))
        if count_tokens([shown.text])[0] <= tokens:
            return shown
    lines = _told(described, 0)
    sizes = count_tokens([line.text for line in lines])
    return _listed(lines[: _how_many(sizes, tokens)])


def format_facts(facts: Sequence[FactContext], tokens: int) -> NumberedLines:
    """As many facts as fit into so many tokens, the first ones first, each text once, numbered from 1; at least one.

    >>> format_facts([FactContext("f1", "Ada wrote Notes.", 5, ()), FactContext("f2", "Long.", 90, ())], 20).ids
    ('f1',)
    """
    first: dict[str, FactContext] = {}
    for fact in facts:
        first.setdefault(normal_text(fact.text), fact)
    distinct = list(first.values())
    kept = distinct[: max(1, _how_many([fact.tokens for fact in distinct], tokens))]
    return _numbered([_Line(fact.id, _one_line(fact.text), frozenset((fact.id,))) for fact in kept])


@dataclass(frozen=True, slots=True)
class _Line:
    id: str
    text: str
    sources: frozenset[str]


def _told(members: Iterable[MemberContext], longest: int) -> list[_Line]:
    """One line a member, with at most so many characters about it; no fact stands in two."""
    lines = []
    told: set[str] = set()
    for member in members:
        name = cut(_one_line(member.name), _LONGEST_NAME)
        kind = cut(_one_line(member.type), _LONGEST_NAME)
        said, facts = cut(_one_line(member.description), longest), []
        if not member.description:
            facts = [fact for fact in member.facts if fact.id not in told][:_FACTS_OF_A_MEMBER] if longest else []
            told.update(fact.id for fact in facts)
            said = cut(" ".join(_one_line(fact.text) for fact in facts), longest)
        head = f"{name} ({kind})" if kind else name
        sources = frozenset((member.id, *(fact.id for fact in facts)))
        lines.append(_Line(member.id, f"{head}: {said}" if said else head, sources))
    return lines


def _fitting(candidates: Sequence[NumberedLines], tokens: int) -> Iterator[NumberedLines]:
    """The candidates that fit, or else the last one."""
    sizes = count_tokens([shown.text for shown in candidates])
    yield from (shown for shown, size in zip(candidates, sizes, strict=True) if size <= tokens)
    yield candidates[-1]


def _how_many(sizes: Iterable[int], tokens: int) -> int:
    """How many lines of these sizes, from the first, fit into so many tokens.

    >>> _how_many([10, 10, 10], 40)
    2
    """
    count = 0
    for size in sizes:
        tokens -= size + _AROUND_A_LINE
        if tokens < 0:
            break
        count += 1
    return count


def _numbered(lines: Sequence[_Line]) -> NumberedLines:
    return _shown(lines, "\n".join(f"[{number}] {line.text}" for number, line in enumerate(lines, 1)))


def _listed(lines: Sequence[_Line]) -> NumberedLines:
    return _shown(lines, "\n".join(f"- {line.text}" for line in lines))


def _shown(lines: Sequence[_Line], text: str) -> NumberedLines:
    return NumberedLines(text, tuple(line.id for line in lines), frozenset().union(*(line.sources for line in lines)))


def _one_line(text: str) -> str:
    """What a document says, on one line and without markers.

    >>> _one_line("Ada\\n[2] wrote\\u2028Notes.")
    'Ada (2) wrote Notes.'
    """
    return without_markers(normal_text(printable(text)))
