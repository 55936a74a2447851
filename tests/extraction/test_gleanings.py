"""What is asked for again: missing facts, and replies that were cut off."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from polyadic.config import ExtractionSettings
from polyadic.model.types import Document
from tests.extraction.test_llm_extractor import ADA, FIRST, FOURTH, SECOND, THIRD
from tests.model_server import Asked, CutText, EmptyText, ModelServer, Replaced, Status, ready
from tests.model_server.facts import FactRow
from tests.support.with_a_model import (
    SENTENCES,
    evidence,
    fact,
    replies,
    serving,
    workspace,
)

# further looks


def by_look(*looks: Sequence[FactRow]) -> ModelServer:
    """Says in the n-th look at a passage what is given for it, nothing after that."""

    def rows(asked: Asked) -> Sequence[FactRow]:
        look = sum(message.role == "assistant" for message in asked.messages)
        return looks[look] if look < len(looks) else ()

    return ModelServer([replies(rows), *ready()])


ONE = fact(FIRST, ["Ada Lovelace", "London"], [1])
TWO = fact(SECOND, ["Charles Babbage", "Analytical Engine"], [2])
REST = [fact(THIRD, ["Luigi Menabrea", "Turin"], [3]), fact(FOURTH, ["Mary Somerville", "Chelsea"], [4])]


@pytest.mark.parametrize(
    ("looks", "gleanings", "calls", "facts"),
    [
        (([ONE], [TWO]), 0, 1, 1),
        (([ONE, TWO, REST[0]],), 3, 1, 3),  # one short sentence in four is no sign of anything
        (([ONE], [TWO, *REST]), 3, 2, 4),
        (([ONE], [TWO], REST), 1, 2, 2),
        (([ONE], [TWO], REST), 5, 3, 4),
        (([ONE], []), 5, 2, 1),
        (([], [ONE]), 0, 2, 1),
        (([], []), 0, 2, 0),
        (([ONE], [ONE]), 5, 2, 1),
        (([ONE], [ONE, TWO], [ONE, TWO]), 5, 3, 2),
    ],
)
def test_gleanings_ask_for_missing_facts(
    tmp_path: Path, looks: Sequence[Sequence[FactRow]], gleanings: int, calls: int, facts: int
) -> None:
    with by_look(*looks) as server, workspace(tmp_path, server, ExtractionSettings(gleanings=gleanings)) as kb:
        report = kb.add([ADA])
        assert (len(server.calls), report.usage.calls) == (calls, calls)
        assert report.evidence_with_fact == kb.status().counts.facts == facts
        assert not facts or {f.support for f in kb.facts_of("Ada Lovelace")} == {1}


def test_gleaning_conversation_contains_previous_turns(tmp_path: Path) -> None:
    with by_look([ONE], [TWO], REST) as server, workspace(tmp_path, server, ExtractionSettings(gleanings=5)) as kb:
        kb.add([ADA])
        last = server.calls[-1].asked.messages
        assert [m.role for m in last] == ["system", "user", "assistant", "user", "assistant", "user"]
        assert "[[Ada Lovelace]] met" in last[2].text and "[[Charles Babbage]]" in last[4].text
        assert "2, 3, 4" in last[3].text and "3, 4" in last[5].text and "2, 3" not in last[5].text


@pytest.mark.parametrize("fault", [Status(500), EmptyText(), Replaced("I have nothing to add.")])
def test_failed_gleaning_keeps_the_first_reply(tmp_path: Path, fault: Replaced | EmptyText | Status) -> None:
    with by_look([ONE], [TWO]) as server, workspace(tmp_path, server, ExtractionSettings(gleanings=2)) as kb:
        server.misbehave(fault, on=(2,))
        report = kb.add([ADA])
        assert (report.evidence_with_fact, report.failed, len(server.calls)) == (1, [], 2)
        assert report.problems


def test_truncated_replies_are_requested_in_halves(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path / "wide", server) as kb:
        kb.add([ADA])
        whole, longest = evidence(kb, ADA.source), server.completion_tokens
        server.reset()
        with workspace(tmp_path / "narrow", server, output_tokens=longest - 10) as narrow:
            report = narrow.add([ADA])
            assert (report.evidence_with_fact, dict(report.problems), len(server.calls)) == (len(SENTENCES), {}, 3)
            halves = evidence(narrow, ADA.source)
            assert [(e.text, e.keys, e.spans) for e in halves] == [(e.text, e.keys, e.spans) for e in whole]
            narrow.delete("memory:ada")
            narrow.add([ADA])
            assert len(server.calls) == 3
        asked = [call.asked.last_user_text for call in server.calls]
        assert all("[2]" in one and "[3]" not in one for one in asked[1:])
        assert SENTENCES[1] in asked[2].partition("Sentences:")[0]


def test_truncated_reply_on_one_sentence_keeps_complete_facts(tmp_path: Path) -> None:
    rows = [fact(f"{FIRST} So {'it was said ' * n}", ["Ada Lovelace", "London"], [1]) for n in range(9)]
    with serving(*rows) as server, workspace(tmp_path, server, output_tokens=400) as kb:
        report = kb.add([Document("memory:ada", "", FIRST)])
        assert 1 <= report.evidence_with_fact < len(rows)
        assert report.problems["reply cut off at output_tokens"] == 1


def test_reply_without_a_complete_fact_says_why(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server) as kb:
        cut = (Replaced('{"facts": [{"text": "Ada Lovelace met Charles Babbage'), CutText())
        server.misbehave(*cut, times=None)
        report = kb.add([ADA])
        assert [f.reason.partition(" (")[0] for f in report.failed] == [
            "recorded reached output_tokens before its first fact was complete"
        ]
