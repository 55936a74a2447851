"""Text report of an indexing run."""

from collections import Counter

from polyadic.cli.common import LINES_SHOWN, failure_lines, print_some, say, shown, spent
from polyadic.indexing.no_facts_reasons import explain_no_facts
from polyadic.indexing.report import IndexReport
from polyadic.text.counts import count

_TYPES_SHOWN = 10


def print_report(report: IndexReport) -> None:
    """Print results to standard output and problems to standard error.

    If a single input was skipped and nothing was indexed, print only the reason.
    """
    if len(report.skipped) == 1 and not (report.documents or report.pruned or report.unsupported or report.stopped):
        say(f"polyadic: nothing to index: {shown(str(report.skipped[0]))}", err=True)
        return
    resumed = f", {report.resumed:,} resumed" if report.resumed else ""
    say(
        f"{count(report.documents, 'document')}: {report.added:,} added, {report.changed:,} changed{resumed},"
        f" {report.unchanged:,} unchanged"
    )
    if report.pruned:
        owner = "its" if len(report.pruned) == 1 else "their"
        say(f"{count(len(report.pruned), 'document')} deleted because {owner} file or row no longer exists")
    if report.chunks:
        _print_work(report)
    if report.same_text:
        say(f"{count(report.same_text, 'document')} with the same content as another document, kept separately")
    if report.outdated:
        say(
            f"{count(report.outdated, 'document')} kept from an earlier run with another extractor"
            " (to read them again: polyadic index --extractor model|sentences PATH...)"
        )
    for encoding, files in report.encodings.most_common():
        say(f"read as {encoding}: {count(files, 'file')}")
    for note in report.notes[:LINES_SHOWN]:
        say(shown(note))
    if len(report.notes) > LINES_SHOWN:
        say(f"and {len(report.notes) - LINES_SHOWN:,} more notes (--json lists all)")
    for reason in explain_no_facts(report):
        say(f"no facts: {reason}", err=True)
    print_some([f"{number:,} × {problem}" for problem, number in report.problems.most_common()], "problems in replies:")
    print_some([str(skipped) for skipped in report.skipped], f"{_skipped_counts(report)} skipped:")
    print_unsupported(report.unsupported)
    heading = f"{count(len(report.failed), 'chunk')} failed (run the same command again to retry):"
    print_some(failure_lines(report.failed), heading)
    if report.stopped:
        say(f"stopped: {report.stopped}; finished work is kept, run the same command again to resume", err=True)


def _skipped_counts(report: IndexReport) -> str:
    """Count the inputs that were skipped as a whole, and the rows of others."""
    rows = sum(skipped.line > 0 for skipped in report.skipped)
    inputs = len(report.skipped) - rows
    return " and ".join(count(number, what) for number, what in ((inputs, "input"), (rows, "row")) if number)


def print_unsupported(unsupported: Counter[str]) -> None:
    """Print a line that counts the files of unsupported types."""
    if not unsupported:
        return
    types = ", ".join(f"{type_} {files:,}" for type_, files in unsupported.most_common(_TYPES_SHOWN))
    more = f", and {len(unsupported) - _TYPES_SHOWN} other types" if len(unsupported) > _TYPES_SHOWN else ""
    files = count(unsupported.total(), "file")
    say(f"skipped {files}: unsupported file type ({shown(types)}{more}); rename text files to .txt", err=True)


def evidence_counts(report: IndexReport) -> str:
    """Count the evidence that was extracted, the part of it that makes a fact, and the rest by reason."""
    numbers = {
        "with fewer than two entities": report.without_fact,
        "that their text does not support": report.unsupported_evidence,
    }
    described = ", ".join(f"{number:,} {reason}" for reason, number in numbers.items() if number)
    unused = f", {described} (kept, not used)" if described else ""
    found = count(report.evidence, "piece of evidence", "pieces of evidence")
    return f"{found}, {report.evidence_with_fact:,} of them with a fact{unused}"


def _print_work(report: IndexReport) -> None:
    say(f"{count(report.chunks, 'chunk')}, {evidence_counts(report)}")
    if report.usage.calls:
        say(f"{report.extractor}: {spent(report.usage)}")
    if report.throttle_count:
        say(f"slowed down {count(report.throttle_count, 'time')}: the endpoint reported too many requests")
    other_seconds = report.seconds - report.embedding_seconds
    say(
        f"{count(report.texts_embedded, 'text')} embedded in {report.embedding_seconds:.1f} s,"
        f" everything else took {other_seconds:.1f} s"
    )
    if report.embedding_usage.calls:
        say(f"embedding: {spent(report.embedding_usage)}")
