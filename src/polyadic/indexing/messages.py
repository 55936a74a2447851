"""Why there are no facts: whoever looks for them is told."""

from collections.abc import Iterator

from polyadic.extraction.llm_extractor import FROM_NOWHERE
from polyadic.indexing.report import IndexReport

_PASSAGES = "passages are found all the same (method chunks)"


def explain_no_facts(report: IndexReport) -> Iterator[str]:
    """Reasons, each with what to do, for a run that had something to read and found no fact; none for any other run.

    >>> list(explain_no_facts(IndexReport(added=1)))
    ['there is no text in what was read']
    """
    worked = report.added or report.changed or report.resumed or report.failed or report.stopped
    if report.facts or not worked:
        return
    if report.stopped:
        yield "the run stopped before it found one"
    if report.failed:
        chunks = _count(len(report.failed), "chunk", "chunks")
        yield f"{chunks} could not be read, the last because {report.failed[-1].reason}"
    if report.without_fact:
        yield _of_single_things(report)
    if not report.stopped and not report.failed and not report.evidence:
        yield _of_nothing(report)


def _of_single_things(report: IndexReport) -> str:
    statements = _count(report.without_fact, "statement names", "statements name")
    said = f"{statements} fewer than two things, and a fact connects at least two"
    if not report.by_model:
        return f"{said}; {_PASSAGES}, a language model may find more (--extractor model)"
    if dropped := report.problems[FROM_NOWHERE]:
        names = _count(dropped, "name was", "names were")
        said += f" ({names} left out that stand nowhere in the text: does the model invent them?)"
    return f"{said}; {_PASSAGES}, a larger model may find more"


def _of_nothing(report: IndexReport) -> str:
    if not report.chunks:
        return "there is no text in what was read"
    if report.by_model:
        return (
            "the model says that nothing in these chunks is a statement (lists, tables of numbers, a language that it"
            f" does not know?); {_PASSAGES}, another model may find more"
        )
    return f"nothing in these chunks is a statement (lists, tables of numbers, headings?); {_PASSAGES}"


def _count(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
