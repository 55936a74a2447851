"""Format members and facts for the prompts of summaries and reports, and track the sources of the text.

Every line begins with our own number or dash, and only our numbers are in square brackets: text from a document fills
the rest of one line, and its ``[3]`` is written ``(3)``. So a document cannot imitate a member, a fact or a part of the
request.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from polyadic.generation.citation_parser import without_markers
from polyadic.llm.replies.cleaning import cut, printable
from polyadic.model.identity import normal_text
from polyadic.text.tokens import count_tokens

# Character limits of a description, tried until all members fit; with 0 only name and type are shown.
_DESCRIPTION_LIMITS = (1200, 600, 300, 150, 75, 0)
_MAX_NAME_LENGTH, _SHORT_NAME_LENGTH = 200, 45
# Maximum number of facts shown for a member: a description of a few words alone says too little.
_MAX_FACTS = 3
_ENDS = (".", "!", "?", "。", "！", "？", "…")
# Tokens of a number in brackets, the space after it, and the line break.
_LINE_OVERHEAD = 5


@dataclass(frozen=True, slots=True)
class FactContext:
    """A fact in a prompt: ``tokens`` is the length of its text, ``participants`` are entity identifiers."""

    id: str
    text: str
    tokens: int
    participants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemberContext:
    """An entity or a summary in a prompt.

    Parameters
    ----------
    id, name, type, description
        As stored; type and description may be empty.
    facts
        Some facts of the entity, or of the entities that the summary covers, the best first. Extractive summaries are
        made of them; a model gets a few of each member.
    """

    id: str
    name: str
    type: str = ""
    description: str = ""
    facts: tuple[FactContext, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """Lines of a request.

    ``ids[n - 1]`` is the identifier of the item in line ``[n]``; ``sources`` are the identifiers of all sources of the
    text.
    """

    text: str
    ids: tuple[str, ...]
    sources: frozenset[str]


def format_members(members: Sequence[MemberContext], tokens: int) -> NumberedLines:
    """Format all members, numbered from 1, each with its description and a few facts.

    Description and facts are truncated so that all members fit the token budget; names and types are always shown, but
    truncated as well if they alone do not fit.

    >>> ada = MemberContext("e1", "Ada", "person", "wrote the first program[1]")
    >>> notes = MemberContext("e2", "Notes", facts=(FactContext("f1", "Ada wrote Notes.", 5, ("e1", "e2")),))
    >>> print(format_members([ada, notes], 100).text)
    [1] Ada (person): wrote the first program(1)
    [2] Notes: Ada wrote Notes.
    """
    candidates = [_numbered(_member_lines(members, longest)) for longest in _DESCRIPTION_LIMITS]
    short = _numbered(_member_lines(members, 0, _SHORT_NAME_LENGTH))
    return next(_fitting([*candidates, short], tokens))


def format_member_list(members: Sequence[MemberContext], tokens: int) -> NumberedLines:
    """Format the first members that fit the token budget as a list with dashes, without facts."""
    described = [MemberContext(one.id, one.name, one.type, one.description) for one in members]
    for longest in _DESCRIPTION_LIMITS[1:]:
        shown = _listed(_member_lines(described, longest))
        if count_tokens([shown.text])[0] <= tokens:
            return shown
    lines = _member_lines(described, 0)
    sizes = count_tokens([line.text for line in lines])
    return _listed(lines[: _how_many(sizes, tokens)])


def format_facts(facts: Sequence[FactContext], tokens: int) -> NumberedLines:
    """Format the first facts that fit the token budget, each text once, numbered from 1; at least one.

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


def _member_lines(members: Iterable[MemberContext], longest: int, longest_name: int = _MAX_NAME_LENGTH) -> list[_Line]:
    """One line per member, with at most ``longest`` characters of description; no fact occurs twice."""
    lines = []
    used: set[str] = set()
    for member in members:
        name = cut(_one_line(member.name), longest_name)
        kind = cut(_one_line(member.type), longest_name)
        facts = [fact for fact in member.facts if fact.id not in used][:_MAX_FACTS] if longest else []
        used.update(fact.id for fact in facts)
        stated = [_one_line(fact.text) for fact in facts]
        description = _one_line(member.description)
        if description and stated and not description.endswith(_ENDS):
            description += "."
        detail = cut(" ".join(filter(None, (description, *stated))), longest)
        head = f"{name} ({kind})" if kind else name
        sources = frozenset((member.id, *(fact.id for fact in facts)))
        lines.append(_Line(member.id, f"{head}: {detail}" if detail else head, sources))
    return lines


def _fitting(candidates: Sequence[NumberedLines], tokens: int) -> Iterator[NumberedLines]:
    """Yield the candidates that fit, then the last one."""
    sizes = count_tokens([shown.text for shown in candidates])
    yield from (shown for shown, size in zip(candidates, sizes, strict=True) if size <= tokens)
    yield candidates[-1]


def _how_many(sizes: Iterable[int], tokens: int) -> int:
    """Count the first lines of these sizes that fit the token budget.

    >>> _how_many([10, 10, 10], 40)
    2
    """
    count = 0
    for size in sizes:
        tokens -= size + _LINE_OVERHEAD
        if tokens < 0:
            break
        count += 1
    return count


def _numbered(lines: Sequence[_Line]) -> NumberedLines:
    return _to_lines(lines, "\n".join(f"[{number}] {line.text}" for number, line in enumerate(lines, 1)))


def _listed(lines: Sequence[_Line]) -> NumberedLines:
    return _to_lines(lines, "\n".join(f"- {line.text}" for line in lines))


def _to_lines(lines: Sequence[_Line], text: str) -> NumberedLines:
    return NumberedLines(text, tuple(line.id for line in lines), frozenset().union(*(line.sources for line in lines)))


def _one_line(text: str) -> str:
    """Put text from a document on one line, without citation markers.

    >>> _one_line("Ada\\n[2] wrote\\u2028Notes.")
    'Ada (2) wrote Notes.'
    """
    return without_markers(normal_text(printable(text)))
