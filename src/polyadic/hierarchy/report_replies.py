"""Parse community reports from model replies, in our format or GraphRAG's, and check them against the facts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.llm.replies.cleaning import cut, tidy
from polyadic.llm.replies.json_fields import LONGEST_TEXT, list_of, numbers_in, record_of, reply_values, text_of
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.llm.replies.scores import ScoreScale
from polyadic.model.hierarchy import ReportFinding

MOST_FINDINGS = 20
_LONGEST_TITLE = 300
_TITLES = ("title", "name", "headline")
_SUMMARIES = ("summary", "executive_summary", "description", "overview", "abstract")
_RATINGS = ("rating", "impact_severity_rating", "importance", "score", "impact")
_FINDINGS = ("findings", "key_findings", "detailed_findings", "insights", "key_insights", "points")
_FINDING = ("text", "finding", "insight", "statement", "content", "claim")
# GraphRAG's findings have a headline and an explanation.
_HEADLINES, _EXPLANATIONS = ("summary", "title", "headline"), ("explanation", "description", "details", "detail")
_FACTS = ("facts", "fact_numbers", "fact_ids", "fact", "evidence", "sources", "references", "numbers", "citations")
_WRAPPERS = ("report", "community_report", "result", "response", "output", "data")

_SCALE = ScoreScale(10.0, 5.0, with_zero=True)
_RATING_WORDS = {
    "none": 0.0,
    "very low": 1.0,
    "low": 3.0,
    "minor": 3.0,
    "medium": 5.0,
    "moderate": 5.0,
    "average": 5.0,
    "high": 8.0,
    "major": 8.0,
    "very high": 9.0,
    "critical": 10.0,
}
# "[3, 5-7]" and GraphRAG's "[Data: Facts (3, 5); Entities (2, +more)]", with the space before them.
_MARKER = re.compile(
    r"\s{0,3}[\[【](?:(?P<numbers>[\d][\d\s,;–-]{0,200})|(?P<data>(?:data|facts?|sources?)\b[^\[\]【】]{0,500}))[\]】]",
    re.IGNORECASE,
)
_GROUP = re.compile(r"(?P<of>[^\W\d]+)[\s:#]{0,3}\((?P<numbers>[^()]{0,300})\)")
_FACT_GROUP = re.compile(r"facts?|relationships?|sources?|data", re.IGNORECASE)
_NUMBERS = re.compile(r"\d{1,6}(?:\s?[–-]\s?\d{1,6})?")
_MAX_MARKER = 1000


@dataclass(frozen=True, slots=True)
class DraftFinding:
    """A finding, with the fact numbers as given; they may not exist."""

    text: str
    facts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DraftReport:
    """A report before its findings are checked; title and summary may be empty, ``rating`` is in [0, 10]."""

    title: str
    summary: str
    rating: float
    findings: tuple[DraftFinding, ...]


def read_report(reply: str, problems: Problems) -> DraftReport | None:
    """Read the last report in a reply; None if there is none. Repairs are counted in ``problems``.

    >>> reply = '{"title": "Ada", "rating": "high", "findings": [{"summary": "She wrote", "explanation": "Well. [2]"}]}'
    >>> read_report(reply, Problems())
    DraftReport(title='Ada', summary='', rating=8.0, findings=(DraftFinding(text='She wrote: Well.', facts=(2,)),))
    """
    records = [_unwrapped(value) for value in reply_values(reply, problems)]
    # Earlier reports may be drafts.
    record = next((one for one in reversed(records) if any(name in one for name in _FINDINGS)), None)
    if record is None:
        return None
    given = [part for part in list_of(record, *_FINDINGS) if part]
    problems[f"more than {MOST_FINDINGS} findings"] += max(0, len(given) - MOST_FINDINGS)
    findings = [_finding(part, problems) for part in given[:MOST_FINDINGS]]
    distinct = {one.text.casefold(): one for one in reversed(findings) if one.text}
    kept = tuple(one for one in findings if distinct.get(one.text.casefold()) is one)
    problems["finding without text, or twice"] += len(findings) - len(kept)
    title = _without_markers(text_of(record, *_TITLES, longest=_LONGEST_TITLE))
    summary = _without_markers(text_of(record, *_SUMMARIES))
    return DraftReport(title, summary, _rating(record, problems), kept)


def findings_of(draft: DraftReport, facts: Sequence[str], problems: Problems) -> tuple[ReportFinding, ...]:
    """Keep the findings that cite an existing fact, with fact identifiers in place of numbers (from 1).

    >>> draft = DraftReport("", "", 5.0, (DraftFinding("One.", (2, 9)), DraftFinding("Two.", ())))
    >>> findings_of(draft, ["f1", "f2"], Problems())
    (ReportFinding(text='One.', facts=('f2',)),)
    """
    found = []
    for finding in draft.findings:
        known = [number for number in finding.facts if 1 <= number <= len(facts)]
        problems["fact number that does not exist"] += len(finding.facts) - len(known)
        if known:
            found.append(ReportFinding(finding.text, tuple(facts[number - 1] for number in known)))
        else:
            problems["finding without facts"] += 1
    return tuple(found)


def _unwrapped(value: object) -> dict[str, object]:
    record = record_of(value[0] if isinstance(value, list) and len(value) == 1 else value)
    inner = next((record[name] for name in _WRAPPERS if isinstance(record.get(name), dict)), None)
    return record if inner is None or any(name in record for name in _FINDINGS) else record_of(inner)


def _finding(part: object, problems: Problems) -> DraftFinding:
    record = record_of(part)
    text = tidy(part) if isinstance(part, str) else text_of(record, *_FINDING) or _explained(record)
    unread = Problems()
    numbers = numbers_in(list_of(record, *_FACTS), {}, unread)
    problems["fact not a number"] += unread.total()
    return DraftFinding(cut(_without_markers(text), LONGEST_TEXT), numbers or _cited_numbers(text))


def _explained(record: dict[str, object]) -> str:
    headline, explanation = text_of(record, *_HEADLINES), text_of(record, *_EXPLANATIONS)
    return f"{headline.rstrip('.')}: {explanation}" if headline and explanation else headline or explanation


def _rating(record: dict[str, object], problems: Problems) -> float:
    given = next((record[name] for name in _RATINGS if name in record), None)
    word = tidy(given).lower() if isinstance(given, str) else ""
    if word in _RATING_WORDS:
        return _RATING_WORDS[word]
    read = _SCALE.read(given, problems)
    return _SCALE.default if read is None else read


def _cited_numbers(text: str) -> tuple[int, ...]:
    """Return the fact numbers that a text cites in brackets.

    >>> _cited_numbers("So it was [1, 3-4], in [1843] as well [Data: Entities (7); Facts (9, +more)].")
    (1, 3, 4, 9)
    """
    parts: list[object] = []
    for match in _MARKER.finditer(text):
        groups = [(group["of"], group["numbers"]) for group in _GROUP.finditer(match["data"] or "")]
        groups_of_facts = [numbers for of, numbers in groups if _FACT_GROUP.fullmatch(of)] if groups else [match[0]]
        parts += [number for numbers in groups_of_facts for number in _NUMBERS.findall(numbers)]
    return tuple(number for number in numbers_in(parts, {}, Problems()) if number < _MAX_MARKER)


def _without_markers(text: str) -> str:
    """Remove citation markers from a text; a year in brackets is not a marker.

    >>> _without_markers("It was so [1, 3].[Data: Facts (2)] Then [1843] came.")
    'It was so. Then [1843] came.'
    """
    return _MARKER.sub(lambda match: "" if match["data"] or _cited_numbers(match[0]) else match[0], text).strip()
