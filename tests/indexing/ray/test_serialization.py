"""What Ray Data carries comes out as it went in."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from polyadic.indexing.ray.serialization import DONE, FOUND, BatchResult, RayDocument
from polyadic.indexing.report import IndexReport
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document, Span, Usage
from polyadic.storage.protocol import FailedChunk

texts = st.text(st.characters(exclude_categories=["Cs"]))
documents = st.builds(Document, texts, texts, texts, st.dictionaries(texts, texts), st.lists(st.integers(0)).map(tuple))
skipped = st.builds(SkippedInput, texts, texts, texts, st.integers(0))
usages = st.builds(Usage, st.integers(0), st.integers(0), st.integers(0), st.floats(0, 1e9))
failures = st.builds(FailedChunk, texts, texts, st.builds(Span, st.integers(0, 9), st.integers(9)), texts)


@given(documents | skipped)
def test_documents_round_trip(one: Document | SkippedInput) -> None:
    assert FOUND.unpacked(FOUND.packed(RayDocument.of(one))).one == one


@given(st.lists(skipped), st.dictionaries(texts, st.integers(1)), st.lists(failures), usages, st.floats(0, 1e9), texts)
def test_results_round_trip(
    left: list[SkippedInput],
    problems: dict[str, int],
    failed: list[FailedChunk],
    usage: Usage,
    seconds: float,
    stopped: str,
) -> None:
    report = IndexReport(
        added=3, skipped=left, problems=Counter(problems), failed=failed, usage=usage, seconds=seconds, stopped=stopped
    )
    unpacked = DONE.unpacked(DONE.packed(BatchResult(report, ("what", "next"))))
    assert unpacked == BatchResult(report, ("what", "next"))
    assert isinstance(unpacked.report.problems, Counter)
