"""Check of the store: integrity, failed chunks, and reasons for missing facts."""

from collections.abc import Iterator

from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.storage.protocol import Store
from polyadic.text.counts import count

_RETRY = "run polyadic index PATH... to retry"


def stored(store: Store) -> Iterator[CheckResult]:
    """Check the integrity of the store and report failed chunks or missing facts."""
    problems = store.problems()
    if problems:
        shown = "; ".join(problems[:3])
        yield bad("store", f"damaged ({shown})", "restore it from a backup, or index into a new folder")
        return
    with store.read() as reader:
        counts, failures, extractors = reader.records.counts(), reader.records.failures(), reader.records.extractors()
    held = f"{count(counts.documents, 'document')}, {count(counts.facts, 'fact')}"
    yield good("store", f"consistent: {held}, all matching their evidence")
    if counts.documents and not counts.facts:
        yield _no_facts(counts.evidence, len(failures), ", ".join(extractors))
    elif failures:
        first = failures[0]
        yield doubtful("chunks", f"{len(failures):,} failed, the first because {first.reason}", _RETRY)


def _no_facts(evidence: int, failures: int, extractors: str) -> CheckResult:
    if failures:
        return bad("facts", f"none, because {failures:,} chunks failed", _RETRY)
    if evidence:
        detail = f"none: {count(evidence, 'statement')} from {extractors}, all with fewer than two things"
        return doubtful(
            "facts", detail, "query with --method chunks, or extract with a model: polyadic index --extractor model"
        )
    return doubtful("facts", f"none: {extractors} found no evidence in the documents", "query with --method chunks")
