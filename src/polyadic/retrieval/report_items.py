"""From communities to items of knowledge: what their reports are about, and what they find.

A report is told in parts, so that of each the part that bears on the question fits in and can be cited by itself: its
*head*, title and summary; and its findings. A finding that is a fact, word for word, is that fact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyadic.model.hierarchy import Community, Report, ReportFinding
from polyadic.model.types import Item, ItemKind, RetrievalSection
from polyadic.retrieval.hierarchy_items import counted, extractive, first_places
from polyadic.retrieval.items import fact_items
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader, Rows, Vectors


@dataclass(frozen=True, slots=True)
class ReportContext:
    """A community with its report, how near it is to the question, and why it is told."""

    community: Community
    report: Report
    nearness: float
    why: str


@dataclass(frozen=True, slots=True)
class _Finding:
    """A finding, the facts that it rests on, those nearest to the question first, and how near the first is."""

    of: ReportContext
    number: int
    finding: ReportFinding
    facts: Rows
    alike: float


def heads(told: Sequence[ReportContext], vector: Vectors, reader: Reader, themes: HierarchyReader) -> list[Item]:
    """An item for each report: its title and summary.

    It rests on the facts of its findings that are nearest to the question, shape (d,).
    """
    bases = _Bases([finding for one in told for finding in one.report.findings], vector, reader, themes)
    places = first_places(
        [bases.nearest(tuple(fact for f in one.report.findings for fact in f.facts))[0] for one in told], reader
    )
    items = []
    for one, where in zip(told, places, strict=True):
        report = one.report
        text = f"{report.title}. {report.summary}" if report.summary else report.title
        why = f"report on {one.why}{extractive(report.by)}"
        items.append(
            Item(ItemKind.REPORT, one.community.id, text, one.nearness, why, 0, where, section=RetrievalSection.GLOBAL)
        )
    return counted(items)


def whole_reports(
    told: Sequence[ReportContext], vector: Vectors, reader: Reader, themes: HierarchyReader
) -> list[Item]:
    """An item for each report as it was written."""
    whole = {one.community.id: one for one in told}
    items = heads(told, vector, reader, themes)
    return [
        replace(
            item, text=whole[item.id].report.text, tokens=whole[item.id].community.tokens, section=RetrievalSection.NONE
        )
        for item in items
    ]


def findings(
    told: Sequence[ReportContext], vector: Vectors, reader: Reader, themes: HierarchyReader, most: int
) -> list[Item]:
    """At most so many findings: of each report in turn the one nearest to the question, then the next of each."""
    bases = _Bases([finding for one in told for finding in one.report.findings], vector, reader, themes)
    turns: list[tuple[int, int, _Finding]] = []
    for place, one in enumerate(told):
        near = [
            _Finding(one, number, finding, *bases.nearest(finding.facts))
            for number, finding in enumerate(one.report.findings)
            if finding.facts
        ]
        near.sort(key=lambda finding: -finding.alike)
        turns += [(turn, place, finding) for turn, finding in enumerate(near)]
    chosen = [finding for _, _, finding in sorted(turns, key=lambda turn: turn[:2])[:most]]
    return _finding_items(chosen, reader)


def _finding_items(chosen: Sequence[_Finding], reader: Reader) -> list[Item]:
    whys = [f"finding of the report on {one.of.why}{extractive(one.of.report.by)}" for one in chosen]
    firsts = np.array([one.facts[0] for one in chosen], dtype=np.int64)
    facts = fact_items(firsts, np.array([one.alike for one in chosen], dtype=np.float32), whys, reader)
    places = first_places([one.facts for one in chosen], reader)
    told = []
    for one, fact, why, where in zip(chosen, facts, whys, places, strict=True):
        if one.finding.text == fact.text:
            told.append(replace(fact, section=RetrievalSection.GLOBAL))
            continue
        name, text = f"{one.of.community.id}:{one.number + 1}", f"{one.of.report.title}: {one.finding.text}"
        told.append(Item(ItemKind.REPORT, name, text, one.alike, why, 0, where, section=RetrievalSection.GLOBAL))
    counts = {item.id: item for item in counted([item for item in told if item.kind is ItemKind.REPORT])}
    return [counts.get(item.id, item) for item in told if item.places]


class _Bases:
    """The facts that findings rest on, and how near each is to the question."""

    def __init__(
        self, all_findings: Sequence[ReportFinding], vector: Vectors, reader: Reader, themes: HierarchyReader
    ) -> None:
        identifiers = sorted({fact for finding in all_findings for fact in finding.facts})
        rows = themes.facts(identifiers)
        alike = reader.similarity("fact", rows, vector[None, :])[0]
        known = zip(identifiers, rows.tolist(), alike.tolist(), strict=True)
        self._known = {identifier: (row, nearness) for identifier, row, nearness in known}

    def nearest(self, identifiers: Sequence[str]) -> tuple[Rows, float]:
        """The rows of these facts, the nearest first, and how near that is."""
        found = sorted({self._known[identifier] for identifier in identifiers}, key=lambda one: (-one[1], one[0]))
        return np.array([row for row, _ in found], dtype=np.int64), found[0][1] if found else 0.0
