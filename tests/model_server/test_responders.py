"""Ready responders: made facts, names, answers and the needle."""

import json

import pytest

from tests.model_server import NO_ANSWER, ModelServer
from tests.model_server.client import FACTS, SENTENCES, ask, client, text_of
from tests.model_server.names import names

CONTEXT = (
    "Answer from the context.\n[1] The Thames flows through London.\n"
    "[2] Ada Lovelace described the first computer program.\n[3] 长江流经武汉和上海。\n"
)


def test_each_numbered_sentence_is_a_fact(model_server: ModelServer) -> None:
    with client(model_server) as opened:
        facts = json.loads(text_of(ask(opened)))["facts"]
    assert [(fact["sentences"], [e["name"] for e in fact["entities"]]) for fact in facts] == [
        ([1], ["Ada Lovelace", "Charles Babbage", "1843"]),
        ([2], ["Analytical Engine", "Analytical", "Engine", "built"]),
    ]


def test_facts_as_delimited_records(model_server: ModelServer) -> None:
    with client(model_server) as opened:
        text = text_of(ask(opened, f'Use ("hyper-relation"<|>...).\n{SENTENCES}'))
    records = text.split("##")
    assert records[0] == '("hyper-relation"<|>Ada Lovelace wrote to Charles Babbage in 1843.<|>8)'
    assert records[1].startswith('("entity"<|>Ada Lovelace<|>thing<|>')
    assert records[-1] == "<|COMPLETE|>"


@pytest.mark.parametrize(
    "sentence", ["Ada met Bob.", "the rain fell", "巴贝奇设计了分析机。", "《红楼梦》是小说。", "дождь идёт весь день"]
)
def test_names_in_any_language(sentence: str) -> None:
    found = names(sentence)
    assert len(set(found)) >= 2
    assert all(name in sentence for name in found)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who described the first computer program?", "Ada Lovelace described the first computer program. [2]"),
        ("Which river flows through London?", "The Thames flows through London. [1]"),
        ("长江流经哪里?", "长江流经武汉和上海。 [3]"),
        ("Who painted the ceiling of the chapel?", NO_ANSWER),
    ],
)
def test_answers_quote_the_context(model_server: ModelServer, question: str, answer: str) -> None:
    with client(model_server) as opened:
        assert text_of(ask(opened, f"{CONTEXT}\nQuestion: {question}")) == answer


def test_names_of_a_question(model_server: ModelServer) -> None:
    with client(model_server) as opened:
        text = text_of(ask(opened, 'As JSON {"entities": [...]}.\nQuestion: Did Ada Lovelace meet Charles Babbage?'))
    assert json.loads(text) == {"entities": ["Ada Lovelace", "Charles Babbage"]}


def test_needle_is_found(model_server: ModelServer) -> None:
    with client(model_server) as opened:
        assert text_of(ask(opened, "Hay.\nThe pass phrase is blue ocelot.\nHay.")) == "blue ocelot"
        assert text_of(ask(opened, "Hay.\nWhat is the pass phrase?")) == "unknown"


def test_empty_text_has_no_facts(model_server: ModelServer) -> None:
    with client(model_server) as opened:
        assert text_of(ask(opened, FACTS)) == '{"facts": []}'


MEMBERS = "[1] Ada Lovelace (person): wrote notes (in 1843).\n[2] Analytical Engine: a machine\n[3] London"


def test_a_summary_covers_all_members(model_server: ModelServer) -> None:
    with client(model_server) as opened:
        text = text_of(ask(opened, f'Give JSON: {{"summaries": [...]}}.\n{MEMBERS}'))
    (summary,) = json.loads(text)["summaries"]
    assert (summary["name"], summary["members"]) == ("Theme of Ada Lovelace and Analytical Engine", [1, 2, 3])


def test_report_has_one_finding_per_fact(model_server: ModelServer) -> None:
    with client(model_server) as opened:
        asked = f'Give JSON: {{"findings": [{{"text": "...", "facts": [1]}}]}}.\n- Osk (town)\n- Lund\n{SENTENCES}'
        report = json.loads(text_of(ask(opened, asked)))
    assert (report["title"], report["rating"]) == ("Report on Osk", 5)
    assert report["findings"] == [
        {"text": "Ada Lovelace wrote to Charles Babbage in 1843.", "facts": [1]},
        {"text": "The Analytical Engine was never built.", "facts": [2]},
    ]
