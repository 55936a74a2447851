"""Real reports of a real model, in the form of GraphRAG."""

import json
import os
from pathlib import Path

import pytest

from polyadic.hierarchy.report_replies import DraftReport, findings_of, read_report
from polyadic.llm.replies.parsed_reply import Problems


@pytest.fixture(scope="module")
def replies() -> list[str]:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with llm-responses")
    lines = (Path(folder) / "llm-responses" / "gpt-4o.jsonl").read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["response"]) for line in lines]


def test_all_recorded_reports_are_read(replies: list[str]) -> None:
    problems = Problems()
    drafts = [draft for reply in replies if (draft := read_report(reply, problems))]
    assert len(drafts) == sum('"findings"' in reply for reply in replies) == 101
    assert sum(len(draft.findings) for draft in drafts) == 646
    assert all(draft.title and draft.summary and 2 <= draft.rating <= 8.5 for draft in drafts)
    assert not +problems


def test_recorded_findings_without_facts_are_dropped(replies: list[str]) -> None:
    problems = Problems()
    drafts = [draft for reply in replies if (draft := read_report(reply, Problems()))]
    assert [findings_of(draft, ["f1", "f2"], problems) for draft in drafts] == [()] * 101
    assert +problems == {"finding without facts": 646}


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9, 0.99])
def test_truncated_recorded_reports_keep_complete_findings(replies: list[str], share: float) -> None:
    whole = [(reply, draft) for reply in replies if (draft := read_report(reply, Problems()))]
    for reply, draft in whole:
        cut = read_report(reply[: int(share * len(reply))], Problems())
        assert isinstance(cut, DraftReport)
        assert (cut.title, cut.rating) == (draft.title, draft.rating)
        # All but the last one are as they were; of that, the end may be missing.
        assert cut.findings[:-1] == draft.findings[: len(cut.findings) - 1]
