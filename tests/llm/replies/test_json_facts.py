"""Replies in JSON: as asked for, under other names, and broken."""

import json

import pytest

from polyadic.llm.replies.parsed_reply import ParsedFact
from polyadic.llm.replies.parser import read_reply
from polyadic.model.types import Participation

ADA = {"name": "Ada Lovelace", "type": "person", "description": "A mathematician.", "score": 90}
BABBAGE = {"name": "Charles Babbage", "type": "person", "description": "An inventor.", "score": 80}
FACT = {"text": "Ada met Babbage in 1833.", "score": 8, "sentences": [1, 2], "entities": [ADA, BABBAGE]}
NOTES = {"text": "Ada wrote the Notes.", "score": 9, "sentences": [3], "entities": [ADA, {**ADA, "name": "Notes"}]}
REPLY = json.dumps({"facts": [FACT, NOTES]})
MET = ParsedFact(
    "Ada met Babbage in 1833.",
    8.0,
    (
        Participation("Ada Lovelace", "person", "A mathematician.", 90.0),
        Participation("Charles Babbage", "person", "An inventor.", 80.0),
    ),
    (1, 2),
)


def reply(*facts: object) -> str:
    return json.dumps({"facts": facts})


def test_reply_in_the_requested_form_is_read_completely() -> None:
    read = read_reply(REPLY)
    assert read.stated[0] == MET
    assert [one.text for one in read.stated] == [FACT["text"], NOTES["text"]]
    assert not read.problems


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{REPLY}\n```",
        f"Here are the facts:\n\n```\n{REPLY}\n```\nI hope this helps [1].",
        f"Sure! {REPLY} That is all.",
        f"<think>Is {{this}} a fact?</think>{REPLY}",
        f"the prompt opened the tag\n</think>\n\n{REPLY}<|endoftext|>",
        f"{REPLY}<|im_end|>\x00\x07",
        json.dumps([FACT, NOTES]),
        f"{json.dumps(FACT)}\n{json.dumps(NOTES)}",
        json.dumps({"hyperedges": [FACT, NOTES]}),
        json.dumps({"results": {"1": FACT, "2": NOTES}}),
        json.dumps({"answer": {"facts": [FACT, NOTES]}}),
    ],
)
def test_text_around_the_facts_is_ignored(text: str) -> None:
    assert read_reply(text) == read_reply(REPLY)


@pytest.mark.parametrize(
    "fact",
    [
        {"fact": FACT["text"], "completeness": 8, "sentence_ids": "1-2", "participants": [ADA, BABBAGE]},
        {"Hyper-Relation": FACT["text"], "Score": "8", "Sentences": ["S1", "2"], "Nodes": [ADA, BABBAGE]},
        {
            "knowledge": FACT["text"],
            "confidence": "8/10",
            "sentences": ["[1]", 2.0],
            "members": [
                {
                    "entity_name": "Ada Lovelace",
                    "Entity Type": "person",
                    "entity_description": "A mathematician.",
                    "importance": "90",
                },
                {"title": "Charles Babbage", "category": "person", "description": "An inventor.", "key_score": 80},
            ],
        },
        {
            "statement": '"Ada met\n Babbage in 1833."',
            "weight": "80%",
            "sentences": [1, 2, 2],
            "entities": {
                "Ada Lovelace": {"type": "person", "description": "A mathematician.", "score": 90},
                "Charles Babbage": {"type": "person", "description": "An inventor.", "score": 80},
            },
        },
    ],
)
def test_alternative_field_names_are_accepted(fact: object) -> None:
    assert read_reply(reply(fact)).stated == (MET,)


@pytest.mark.parametrize(
    "entities",
    [
        ["Ada", "Babbage"],
        {"Ada": "", "Babbage": ""},
        [{"Ada": ""}, {"Babbage": ""}],
        "Ada, Babbage",
        [["Ada"], ["Babbage"]],
        [{"name": "Ada"}, "Babbage"],
    ],
)
def test_entities_may_be_plain_names(entities: object) -> None:
    (stated,) = read_reply(reply({"text": "They met.", "score": 5, "entities": entities})).stated
    assert stated.participants == (Participation("Ada"), Participation("Babbage"))


def test_entities_may_map_names_to_descriptions() -> None:
    (stated,) = read_reply(reply({"text": "They met.", "entities": {"Ada": "A writer", "Babbage": "A maker"}})).stated
    assert [p.description for p in stated.participants] == ["A writer", "A maker"]


@pytest.mark.parametrize(
    ("scores", "expected", "problems"),
    [
        ([8, 2.5], [8, 2.5], {}),
        (["8", "2,5"], [8, 2.5], {}),
        (["8/10", "85%"], [8, 8.5], {"score mended": 1}),
        ([0.9, 1], [9, 10], {"score mended": 2}),
        ([0.9, 7], [0.9, 7], {}),
        ([1, 1], [1, 1], {}),
        ([0, 12], [0.1, 10], {"score out of range": 2}),
        ([-3, 10**400], [0.1, 10], {"score out of range": 2}),
        ([None, ""], [5, 5], {"score missing": 2}),
        (["high", True], [5, 5], {"score not a number": 2}),
        ([float("nan"), [1]], [5, 5], {"score not a number": 2}),
    ],
)
def test_scores_of_facts(scores: list[object], expected: list[float], problems: dict[str, int]) -> None:
    facts = [{**FACT, "text": f"Fact {number}.", "score": score} for number, score in enumerate(scores)]
    read = read_reply(reply(*facts))
    assert [stated.score for stated in read.stated] == expected
    assert read.problems == problems


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([90, "85%"], [90, 85]), ([0.9, 0.5], [90, 50]), ([0.5, 40], [1, 40]), (["8/10", "high"], [80, 50])],
)
def test_scores_of_entities(scores: list[object], expected: list[float]) -> None:
    entities = [{"name": f"E{number}", "score": score} for number, score in enumerate(scores)]
    (stated,) = read_reply(reply({**FACT, "entities": entities})).stated
    assert [p.score for p in stated.participants] == expected


@pytest.mark.parametrize(
    ("record", "kept", "problem"),
    [
        ({**FACT, "text": " '' "}, 0, "fact without text"),
        ({"entities": [ADA]}, 0, "fact without text"),
        ({**FACT, "text": {"en": "Ada"}}, 0, "value of a wrong kind"),
        ({**FACT, "entities": [ADA, {"type": "person"}, ""]}, 1, "entity without a name"),
        ({**FACT, "text": "Ada knew him.", "sentences": ["the first", 2]}, 1, "sentence not a number"),
        ({**FACT, "entities": [ADA, {**ADA, "name": "the ADA LOVELACE"}]}, 1, "same entity twice in a fact"),
        ({"summary": "of nothing"}, 0, "record of an unknown kind"),
        ("a bare string", 0, "record of an unknown kind"),
        (FACT, 0, "same fact twice"),
        ({**FACT, "text": "word " * 1000}, 1, "text cut, too long"),
        ({**FACT, "entities": [{**ADA, "name": "N" * 201}]}, 1, "name cut, too long"),
        ({**FACT, "entities": [{**ADA, "type": "t" * 101}]}, 1, "type cut, too long"),
        ({**FACT, "entities": [{**ADA, "description": "d " * 501}]}, 1, "description cut, too long"),
        ({**FACT, "entities": [f"E{n}" for n in range(103)]}, 1, "more than 100 entities in a fact"),
    ],
)
def test_invalid_record_is_counted_and_affects_no_other(record: object, kept: int, problem: str) -> None:
    read = read_reply(reply(FACT, record, NOTES))
    assert len(read.stated) == 2 + kept
    assert problem in read.problems


def test_values_are_bounded() -> None:
    entities = [{"name": "n " * 150, "type": "t " * 80, "description": "d " * 800}, *(f"E{n}" for n in range(150))]
    (stated,) = read_reply(reply({"text": "t " * 3000, "entities": entities})).stated
    first = stated.participants[0]
    assert (len(stated.text), len(stated.participants)) == (3999, 100)
    assert (len(first.name), len(first.type), len(first.description)) == (199, 99, 999)


def test_number_of_facts_is_limited_to_500() -> None:
    read = read_reply(reply(*({**FACT, "text": f"Fact {number}."} for number in range(503))))
    assert len(read.stated) == 500
    assert read.problems == {"more than 500 facts": 3}


def test_duplicate_participants_are_merged() -> None:
    again = {"name": '"ada lovelace"', "type": "writer", "description": "A mathematician and writer.", "score": 95}
    (stated,) = read_reply(reply({**FACT, "entities": [ADA, again, {"name": "The Ada Lovelace"}]})).stated
    assert stated.participants == (Participation("Ada Lovelace", "person", "A mathematician and writer.", 95.0),)


def test_fact_with_fewer_than_two_participants_is_kept() -> None:
    read = read_reply(reply({**FACT, "entities": [ADA]}, {"text": "It rained.", "score": 3}))
    assert [len(stated.participants) for stated in read.stated] == [1, 0]
    assert not read.problems


def test_sentence_numbers_are_kept_as_given() -> None:
    (stated,) = read_reply(reply({**FACT, "sentences": [99, 0, -1, "4-6"]})).stated
    assert stated.sentences == (99, 0, -1, 4, 5, 6)


@pytest.mark.parametrize(
    "break_it",
    [
        lambda text: text.replace("}, {", "},, {"),
        lambda text: text.replace('"', "'"),
        lambda text: text.replace("]}]}", "],}],}"),
        lambda text: text.replace("Ada met", 'Ada "the first" met'),
        lambda text: text.replace('"text": ', "text: "),
        lambda text: text.replace('"score": 8,', '"score": 8'),
        lambda text: text.replace("in 1833.", "in\n1833."),
        lambda text: text.replace('"', "“"),
    ],
)
def test_malformed_json_is_repaired(break_it) -> None:  # type: ignore[no-untyped-def]
    read = read_reply(break_it(REPLY))
    assert [len(stated.participants) for stated in read.stated] == [2, 2]
    assert [stated.score for stated in read.stated] == [8, 9]
    assert read.problems


def test_malformed_record_does_not_affect_others() -> None:
    read = read_reply(f'{{"facts": [{json.dumps(FACT)}, {{"text": ]]]"x, {json.dumps(NOTES)}]}}')
    assert {FACT["text"], NOTES["text"]} <= {stated.text for stated in read.stated}
    assert read.problems


def test_truncation_keeps_earlier_facts_and_is_reported() -> None:
    first = REPLY.index(NOTES["text"]) - 10  # type: ignore[arg-type]
    for end in range(first, len(REPLY) - 1):
        read = read_reply(REPLY[:end])
        assert read.stated[0] == MET, end
        assert {"reply cut off", "cut record mended"} & read.problems.keys(), end


@pytest.mark.parametrize(
    ("kept_until", "participants"),
    [('"Notes", "type": "per', ["Ada Lovelace", "Notes"]), ('"Notes"', ["Ada Lovelace"]), ("Ada wrote the", None)],
)
def test_truncated_fact_keeps_its_complete_fields(kept_until: str, participants: list[str] | None) -> None:
    read = read_reply(REPLY[: REPLY.rindex(kept_until) + len(kept_until)])
    assert [[p.name for p in stated.participants] for stated in read.stated[1:]] == (
        [participants] if participants else []
    )


@pytest.mark.parametrize("text", ['{"facts": []}', "[]", '```json\n{"facts": []}\n```', "<|COMPLETE|>"])
def test_explicit_empty_list_is_no_problem(text: str) -> None:
    assert (read_reply(text).stated, read_reply(text).problems) == ((), {})


@pytest.mark.parametrize("text", ["", "  \n", "Nothing here.", "{}", "null", "<think>Hm", '{"facts": [', "[[["])
def test_empty_reply_is_a_problem(text: str) -> None:
    read = read_reply(text)
    assert read.stated == ()
    assert read.problems["no facts in the reply"] == 1


def test_entities_without_a_fact_are_counted() -> None:
    others = [{**ADA, "name": "Byron"}, {**BABBAGE, "name": "Turing"}]
    assert read_reply(json.dumps({"facts": [FACT], "entities": [ADA, *others]})).problems == {
        "entity outside a fact": 2
    }
