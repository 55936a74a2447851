"""An answer that a model writes is streamed with its citations, each as soon as its sentence is complete."""

from pathlib import Path

import pytest

from tests.model_server import ModelServer, says
from tests.server.running_server import ADA, events, make, running

pytestmark = pytest.mark.slow
FIRST, SECOND = "Ada Lovelace met Charles Babbage [1].", "She wrote a program for his engine [1]."


def test_citations_arrive_before_the_end_of_the_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([says(f"{FIRST} {SECOND}")], tokens_per_second=20) as model:
        for name, value in {
            "MODEL__NAME": "recorded",
            "MODEL__BASE_URL": model.url,
            "MODEL__KEY_VARIABLE": "",
            "EXTRACTION__EXTRACTOR": "sentences",
        }.items():
            monkeypatch.setenv(f"POLYADIC_{name}", value)
        with running(folder) as server, server.client() as client:
            make(client, "letters", ADA)
            reply = client.post("/v1/workspaces/letters/query/stream", json={"question": "Who was Ada Lovelace?"})
    sent = events(reply.text)
    names = [name for name, _ in sent]
    at = names.index("citation")
    after = "".join(content["text"] for name, content in sent[at:] if name == "token")
    assert after and after in SECOND
    assert [content for name, content in sent if name == "citation"] == sent[-1][1]["citations"]
