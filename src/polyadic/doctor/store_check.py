"""What state a workspace's store is in, and why it may hold no facts."""

from collections.abc import Iterator

from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.storage.protocol import Store

_AGAIN = "polyadic index PATH... tries them again"


def stored(store: Store) -> Iterator[CheckResult]:
    """Integrity, facts, chunks that could not be read."""
    problems = store.problems()
    if problems:
        shown = "; ".join(problems[:3])
        yield bad("store", f"damaged ({shown})", "restore it from a backup, or index into a new folder")
        return
    with store.read() as reader:
        counts, failures, extractors = reader.counts(), reader.failures(), reader.extractors()
    yield good("store", f"sound: {counts.documents:,} documents, {counts.facts:,} facts, as their evidence says")
    if counts.documents and not counts.facts:
        yield _no_facts(counts.evidence, len(failures), ", ".join(extractors))
    elif failures:
        first = failures[0]
        yield doubtful("chunks", f"{len(failures):,} could not be read, the first because {first.reason}", _AGAIN)


def _no_facts(evidence: int, failures: int, extractors: str) -> CheckResult:
    if failures:
        return bad("facts", f"none, because {failures:,} chunks could not be read", _AGAIN)
    if evidence:
        detail = f"none: each of {evidence:,} statements that {extractors} read names fewer than two things"
        return doubtful(
            "facts", detail, "ask with --method chunks, or read with a model: polyadic index --extractor model"
        )
    return doubtful("facts", f"none: {extractors} found no statement in the documents", "ask with --method chunks")
