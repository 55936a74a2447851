"""An answer that a model writes is streamed with its citations, each as soon as its sentence is complete."""

import json
from pathlib import Path

import pytest

from tests.model_server import ModelServer, checks_claims, says, step_replies, supported_by_sentences
from tests.server.running_server import ADA, events, make, running

pytestmark = pytest.mark.slow
QUESTION = "Who was Ada Lovelace?"
FIRST, SECOND = "Ada Lovelace met Charles Babbage [1].", "She wrote a program for his engine [1]."


def check_openai_chunks(stream: str) -> None:
    """Chunks without text have the citations of complete sentences, and the last chunk has all citations."""
    lines = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
    *chunks, last = [json.loads(line) for line in lines if line != "[DONE]"]
    at, cited = next((place, chunk) for place, chunk in enumerate(chunks) if "citations" in chunk)
    assert cited["choices"][0]["delta"] == {} and cited["choices"][0]["finish_reason"] is None
    after = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[at:])
    assert SECOND[-20:] in after
    early = [citation for chunk in chunks for citation in chunk.get("citations", ())]
    assert early == last["citations"][:1] and len(last["citations"]) == 2 and last["claims"]


def name_model(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "MODEL__NAME": "recorded",
        "MODEL__BASE_URL": url,
        "MODEL__KEY_VARIABLE": "",
        "EXTRACTION__EXTRACTOR": "sentences",
    }.items():
        monkeypatch.setenv(f"POLYADIC_{name}", value)


def test_effort_streams_its_steps_before_the_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([*step_replies(), says(FIRST)]) as model:
        name_model(model.url, monkeypatch)
        with running(folder) as server, server.client() as client:
            make(client, "letters", ADA)
            asked = {"question": QUESTION, "effort": "high"}
            sent = events(client.post("/v1/workspaces/letters/query/stream", json=asked).text)
            whole = client.post("/v1/workspaces/letters/query", json=asked).json()
    names = [content["name"] if name == "step" else name for name, content in sent]
    assert names.index("look for gaps 1") < names.index("token")
    assert (sent[-1][1]["usage"]["calls"], whole["usage"]["calls"], whole["text"]) == (2, 2, FIRST)


def test_checked_claims_are_those_of_the_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([checks_claims(supported_by_sentences([], [])), says(f"{FIRST} {SECOND}")]) as model:
        name_model(model.url, monkeypatch)
        with running(folder) as server, server.client() as client:
            make(client, "letters", ADA)
            asked = {"question": QUESTION, "check_claims": True}
            sent = events(client.post("/v1/workspaces/letters/query/stream", json=asked).text)
            whole = client.post("/v1/workspaces/letters/query", json=asked).json()
            unchecked = client.post("/v1/workspaces/letters/query", json={"question": QUESTION}).json()
    for answer in (sent[-1][1], whole):
        assert [claim["supported"] for claim in answer["claims"]] == [False, False]
        assert all(citation["whole_item"] for citation in answer["citations"])
        assert answer["usage"]["calls"] == 2
    assert [claim["supported"] for claim in unchecked["claims"]] == [True, True]


def test_citations_arrive_before_the_end_of_the_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([says(f"{FIRST} {SECOND}")], tokens_per_second=20) as model:
        name_model(model.url, monkeypatch)
        with running(folder) as server, server.client() as client:
            make(client, "letters", ADA)
            reply = client.post("/v1/workspaces/letters/query/stream", json={"question": QUESTION})
            asked = {"model": "letters", "messages": [{"role": "user", "content": QUESTION}], "stream": True}
            completion = client.post("/v1/chat/completions", json=asked)
    check_openai_chunks(completion.text)
    sent = events(reply.text)
    names = [name for name, _ in sent]
    at = names.index("citation")
    after = "".join(content["text"] for name, content in sent[at:] if name == "token")
    assert after and after in SECOND
    assert [content for name, content in sent if name == "citation"] == sent[-1][1]["citations"]
