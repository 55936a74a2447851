"""Explain why an indexing run found no facts."""

from collections.abc import Iterator

from polyadic.extraction.llm_extractor import UNFOUND_ENTITY
from polyadic.indexing.report import IndexReport
from polyadic.text.counts import count

_PASSAGES = "passages can still be searched (method chunks)"


def explain_no_facts(report: IndexReport) -> Iterator[str]:
    """Yield the reasons why a run with new documents found no fact, each with a hint; nothing for other runs.

    >>> list(explain_no_facts(IndexReport(added=1)))
    ['there is no text in what was read']
    """
    worked = report.added or report.changed or report.resumed or report.failed or report.stopped
    if report.evidence_with_fact or not worked:
        return
    if report.stopped:
        yield "the run stopped before it found one"
    if report.failed:
        chunks = count(len(report.failed), "chunk", "chunks")
        yield f"{chunks} could not be read, the last because {report.failed[-1].reason}"
    if report.without_fact:
        yield _too_few_names(report)
    if not report.stopped and not report.failed and not report.evidence:
        yield _no_evidence(report)


def _too_few_names(report: IndexReport) -> str:
    evidence = count(report.without_fact, "piece of evidence names", "pieces of evidence name")
    reason = f"{evidence} fewer than two entities, and a fact connects at least two"
    if not report.by_model:
        return f"{reason}; {_PASSAGES}, a language model may find more (--extractor model)"
    if dropped := report.problems[UNFOUND_ENTITY]:
        names = count(dropped, "name was", "names were")
        reason += f" ({names} dropped because the text does not contain them: does the model invent names?)"
    return f"{reason}; {_PASSAGES}, a larger model may find more"


def _no_evidence(report: IndexReport) -> str:
    if not report.chunks:
        return "there is no text in what was read"
    if report.by_model:
        return (
            "the model found no evidence in these chunks (lists, tables of numbers, a language that it"
            f" does not know?); {_PASSAGES}, another model may find more"
        )
    return f"no evidence found in these chunks (lists, tables of numbers, headings?); {_PASSAGES}"
