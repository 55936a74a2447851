"""The sum of an indexing run for people: what was done, what was not, and why."""

from collections import Counter
from collections.abc import Sequence

from polyadic.cli.common import count, say, shown, spent
from polyadic.indexing.messages import explain_no_facts
from polyadic.indexing.report import IndexReport

_SHOWN = 20
_TYPES_SHOWN = 10


def print_report(report: IndexReport) -> None:
    """What was done on standard output, what was not on standard error; where nothing was read, why in one line."""
    if len(report.skipped) == 1 and not (report.documents or report.withdrawn or report.unsupported or report.stopped):
        say(f"polyadic: nothing to index: {shown(str(report.skipped[0]))}", err=True)
        return
    resumed = f", {report.resumed:,} taken up again" if report.resumed else ""
    say(
        f"{count(report.documents, 'document')}: {report.added:,} added, {report.changed:,} changed{resumed},"
        f" {report.unchanged:,} unchanged"
    )
    if report.withdrawn:
        say(f"{count(len(report.withdrawn), 'document')} deleted, as what they were read from is gone")
    if report.chunks:
        _print_work(report)
    if report.same_text:
        say(f"{count(report.same_text, 'document')} with the same content as another, kept as documents of their own")
    if report.outdated:
        say(
            f"{count(report.outdated, 'document')} read in another way before, kept so"
            " (to read again: polyadic index --extractor model|sentences PATH...)"
        )
    for encoding, files in report.encodings.most_common():
        say(f"read as {encoding}: {count(files, 'file')}")
    for note in report.notes[:_SHOWN]:
        say(shown(note))
    if len(report.notes) > _SHOWN:
        say(f"and {len(report.notes) - _SHOWN:,} more such notes (all of them: --json)")
    for reason in explain_no_facts(report):
        say(f"no facts: {reason}", err=True)
    _print_some([f"{number:,} × {problem}" for problem, number in report.problems.most_common()], "in the replies:")
    _print_some([str(skipped) for skipped in report.skipped], f"{count(len(report.skipped), 'thing')} not read:")
    print_unsupported(report.unsupported)
    failed = [f"{f.source}, characters {f.span.start}–{f.span.end}: {f.reason}" for f in report.failed]
    _print_some(failed, f"{count(len(failed), 'chunk')} without facts (the same command tries them again):")
    if report.stopped:
        say(f"stopped: {report.stopped}; what was finished is kept, and the same command goes on from there", err=True)


def print_unsupported(unsupported: Counter[str]) -> None:
    """A line that counts the files of types that are not read."""
    if not unsupported:
        return
    types = ", ".join(f"{type_} {files:,}" for type_, files in unsupported.most_common(_TYPES_SHOWN))
    more = f", and {len(unsupported) - _TYPES_SHOWN} other types" if len(unsupported) > _TYPES_SHOWN else ""
    say(f"skipped {count(unsupported.total(), 'file')}: unsupported file type ({shown(types)}{more})", err=True)


def _print_work(report: IndexReport) -> None:
    facts = count(report.facts, "fact")
    rest = f", {report.without_fact:,} that name fewer than two things (kept, not used)"
    said = facts + (rest if report.without_fact else "")
    say(f"{count(report.chunks, 'chunk')}, {count(report.evidence, 'statement')}: {said}")
    if report.usage.calls:
        say(f"{report.extractor}: {spent(report.usage)}")
    if report.slowed:
        say(f"slowed down {count(report.slowed, 'time')}: the endpoint said that there were too many calls")
    besides = report.seconds - report.embedding_seconds
    say(
        f"{count(report.texts_embedded, 'text')} embedded in {report.embedding_seconds:.1f} s,"
        f" everything else took {besides:.1f} s"
    )
    if report.embedding_usage.calls:
        say(f"embedding: {spent(report.embedding_usage)}")


def _print_some(lines: Sequence[str], heading: str) -> None:
    if not lines:
        return
    say(heading, err=True)
    for line in lines[:_SHOWN]:
        say(f"  {shown(line)}", err=True)
    if len(lines) > _SHOWN:
        say(f"  and {len(lines) - _SHOWN:,} more (all of them: --json)", err=True)
