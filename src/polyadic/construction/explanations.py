"""Why there are no facts: whoever looks for them is told."""

from collections.abc import Iterator

from polyadic.construction.index_report import IndexReport


def no_facts(report: IndexReport) -> Iterator[str]:
    """Reasons, each with what to do, for a run that read chunks and found no fact; none for any other run."""
    if report.facts or not report.chunks_read:
        return
    if report.failed:
        yield f"none of {len(report.failed):,} chunks could be read, the last because {report.failed[-1].reason}"
    if report.without_fact:
        yield (
            f"{report.without_fact:,} statements name fewer than two things each, and a fact connects at least two;"
            " passages are found all the same (method chunks), a language model may find more (--extractor model)"
        )
    if not report.failed and not report.evidence:
        yield (
            "nothing in these chunks is a statement (lists, tables of numbers, headings?); passages are found all the"
            " same (method chunks)"
        )
