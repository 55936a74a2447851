"""Replies in the delimiter format of HyperGraphRAG, well-formed and broken, and of GraphRAG."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from polyadic.llm.replies.parsed_reply import ParsedReply
from polyadic.llm.replies.parser import read_reply
from polyadic.model.types import Participation

MET = '("hyper-relation"<|>"Ada met Babbage in London."<|>8)'
ADA = '("entity"<|>"Ada"<|>"person"<|>"A mathematician."<|>90)'
BABBAGE = '("entity"<|>"Babbage"<|>"person"<|>"An inventor."<|>80)'
WROTE = '("hyper-relation"<|>"Ada wrote the Notes."<|>7)'
NOTES = '("entity"<|>"Notes"<|>"work"<|>"A translation with notes."<|>70)'
RECORDS = [MET, ADA, BABBAGE, WROTE, ADA, NOTES]
REPLY = "##\n".join(RECORDS) + "<|COMPLETE|>"
EXPECTED = read_reply(REPLY)

KNOWS = '("relationship"<|>"Ada"<|>"Babbage"<|>"Ada knows Babbage."<|>9)'
PERSONS = '("entity"<|>"Ada"<|>"person"<|>"A mathematician.")##\n("entity"<|>"Babbage"<|>"person"<|>"An inventor.")##\n'


def test_entities_belong_to_the_last_fact() -> None:
    assert [(s.text, s.score, [p.name for p in s.participants]) for s in EXPECTED.stated] == [
        ("Ada met Babbage in London.", 8, ["Ada", "Babbage"]),
        ("Ada wrote the Notes.", 7, ["Ada", "Notes"]),
    ]
    assert EXPECTED.stated[1].participants[1] == Participation("Notes", "work", "A translation with notes.", 70)
    assert not EXPECTED.problems


@pytest.mark.parametrize(
    "text",
    [
        REPLY.removesuffix("<|COMPLETE|>"),
        REPLY.replace("##\n", "\n"),
        REPLY.replace("##\n", "##\n## \n##\n\n"),
        REPLY.replace("##\n", "##"),
        REPLY.replace("##\n", " "),
        REPLY.replace('"', ""),
        REPLY.replace('"', "“"),
        REPLY.replace('"<|>', "<|>"),
        REPLY.replace("(", "").replace(")", ""),
        REPLY.replace(")##", "##"),
        REPLY.replace('("', '"'),
        REPLY.replace("<|>", "<|>\n"),
        REPLY.replace("<|>", " <|> "),
        REPLY.replace(" ", "\n"),
        REPLY.replace("hyper-relation", "hyper_relation"),
        REPLY.replace("hyper-relation", "Hyperedge"),
        REPLY.replace("hyper-relation", "relation"),
        REPLY.replace("entity", "ENTITY"),
        REPLY.replace("<|>", "{tuple_delimiter}").replace("##", "{record_delimiter}"),
        REPLY.replace("<|>", "<|#|>").replace("<|COMPLETE|>", "<|complete|>"),
        REPLY.replace('."<|>', '."|>'),
        REPLY.replace('."<|>', '."</|>'),
        REPLY.replace("\n(", "\n- ("),
        "**Facts:**\n\n1. " + REPLY.replace("##\n", "\n2. "),
        f"```\n{REPLY}\n```",
        f"<think>Which facts?</think>\nHere they are:\n{REPLY}\nThat is all.",
        f"{REPLY}<|endoftext|>",
        REPLY + "\n" + REPLY[-3:],
        REPLY.replace("##\n(", "<|COMPLETE|>\n("),
        REPLY.replace("##", "<|>##"),
    ],
)
def test_malformed_replies_give_the_same_facts(text: str) -> None:
    assert read_reply(text) == EXPECTED


def problems(text: str) -> Counter[str]:
    return Counter(read_reply(text).problems)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (REPLY.replace("Ada met", "C## and ## Ada met"), "C## and ## Ada met Babbage in London."),
        (REPLY.replace("in London", "(in London)"), "Ada met Babbage (in London)."),
        (REPLY.replace("in London", 'in "London"'), 'Ada met Babbage in "London".'),
        (REPLY.replace("in London", "in an entity"), "Ada met Babbage in an entity."),
    ],
)
def test_delimiters_within_text_are_kept(text: str, inside: str) -> None:
    read = read_reply(text)
    assert read.stated[0].text == inside
    assert len(read.stated) == 2
    assert not read.problems


@pytest.mark.parametrize(
    ("text", "facts", "expected"),
    [
        (REPLY.replace("<|>8)", ")"), 2, {"score missing": 1}),
        (REPLY.replace("<|>8)", "<|>high)"), 2, {"score not a number": 1}),
        (REPLY.replace("<|>8)", "<|>12)"), 2, {"score out of range": 1}),
        (REPLY.replace("<|>8)", "<|>8/10)"), 2, {}),
        (REPLY.replace("<|>8)", "<|>meeting<|>8)"), 2, {"extra field left out": 1}),
        (REPLY.replace('"Babbage"', '""'), 2, {"entity without a name": 1}),
        (REPLY.replace('"Ada met Babbage in London."', '""'), 1, {"fact without text": 1}),
        (REPLY + '##("content_keywords"<|>"history")', 2, {"record of an unknown kind": 1}),
        (f"{REPLY}##\n{MET}##{BABBAGE}##{ADA}", 2, {"same fact twice": 1}),
        (REPLY.replace("\n" + WROTE, "\n" + ADA + WROTE), 2, {"same entity twice in a fact": 1}),
    ],
)
def test_repaired_and_dropped_records_are_counted(text: str, facts: int, expected: dict[str, int]) -> None:
    assert len(read_reply(text).stated) == facts
    assert problems(text) == expected


def test_reply_may_be_truncated_anywhere() -> None:
    whole = REPLY.removesuffix("<|COMPLETE|>")
    for end in range(len(whole)):
        read = read_reply(whole[:end])
        assert {s.text for s in read.stated} <= {s.text for s in EXPECTED.stated}
        begun = whole[:end].count('("hyper-relation"<|>"')
        lost = read.problems.get("reply cut off", 0)
        assert begun - lost <= len(read.stated) <= begun


@pytest.mark.parametrize(
    ("end", "names", "expected"),
    [
        ("A translation with", ["Ada", "Notes"], {"cut record mended": 1, "score missing": 0}),
        ('"A translation with notes."', ["Ada", "Notes"], {}),
        ('"No', ["Ada"], {"reply cut off": 1}),
        ('"Notes"<|>"wo', ["Ada", "Notes"], {"cut record mended": 1}),
        ('##\n("ent', ["Ada"], {"reply cut off": 1}),
    ],
)
def test_truncated_record_is_kept_if_required_fields_exist(
    end: str, names: list[str], expected: dict[str, int]
) -> None:
    read = read_reply(REPLY[: REPLY.rindex(end) + len(end)])
    assert [p.name for p in read.stated[1].participants] == names
    assert read.problems == {reason: count for reason, count in expected.items() if count}


def test_relationship_is_a_binary_fact_described_by_entity_records() -> None:
    for text in (PERSONS + KNOWS, KNOWS + "##\n" + PERSONS):
        read = read_reply(text)
        (stated,) = read.stated
        assert (stated.text, stated.score) == ("Ada knows Babbage.", 9)
        assert stated.participants == (
            Participation("Ada", "person", "A mathematician."),
            Participation("Babbage", "person", "An inventor."),
        )
        assert not read.problems


def test_entity_without_relationship_is_a_unary_statement() -> None:
    read = read_reply(f'{PERSONS}("entity"<|>"Notes"<|>"work"<|>"A translation.")##\n{KNOWS}')
    assert (read.stated[1].text, read.stated[1].participants) == (
        "Notes: A translation.",
        (Participation("Notes", "work", "A translation."),),
    )


@pytest.mark.parametrize(
    ("relationship", "score", "expected"),
    [
        (KNOWS.replace("<|>9", '<|>"acquaintance, science"<|>9'), 9, {"extra field left out": 1}),
        (KNOWS.replace("<|>9", "<|>0.5"), 5, {"score mended": 1}),
        (KNOWS.replace("<|>9", ""), 5, {"score missing": 1}),
        (KNOWS.replace("<|>9", "<|>strong"), 5, {"score not a number": 1}),
        (KNOWS.replace('"Babbage"', '"the BABBAGE"'), 9, {}),
        (
            KNOWS.replace('<|>"Ada knows', '<|>"knowing"<|>"Ada knows').replace("<|>9", ""),
            5,
            {"extra field left out": 1, "score missing": 1},
        ),
    ],
)
def test_relationship_strengths_and_extra_fields_are_read(
    relationship: str, score: float, expected: dict[str, int]
) -> None:
    read = read_reply(PERSONS + relationship)
    assert [(s.text, s.score, len(s.participants)) for s in read.stated] == [("Ada knows Babbage.", score, 2)]
    assert read.problems == expected


def test_entity_described_twice_is_counted() -> None:
    read = read_reply(PERSONS + '("entity"<|>"ada"<|>"person"<|>"A mathematician and writer.")##' + KNOWS)
    assert read.stated[0].participants[0].description == "A mathematician and writer."
    assert read.problems == {"entity described twice": 1}


def recorded() -> list[str]:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with llm-responses")
    lines = (Path(folder) / "llm-responses" / "gpt-4o.jsonl").read_text(encoding="utf-8").splitlines()
    replies = [str(json.loads(line)["response"]) for line in lines]
    return [reply for reply in replies if "<|>" in reply]


RELATIONSHIP = re.compile('[(]["“]relation(?:ship)?["”]<[|]>')


def names(reply: str) -> set[str]:
    """The distinct names of entity records, found simply."""
    return {name.lower().removeprefix("the ") for name in re.findall(r'\("entity"<\|>"([^"]+)"<', reply)}


def read_names(read: ParsedReply) -> set[str]:
    return {p.name.lower().removeprefix("the ") for s in read.stated for p in s.participants}


def is_entity_alone(text: str, participants: tuple[Participation, ...]) -> bool:
    return len(participants) == 1 and text.startswith(f"{participants[0].name}: ")


@pytest.mark.data
def test_recorded_replies_keep_99_percent_of_records() -> None:
    replies = recorded()
    assert len(replies) == 84
    written = kept = counted = 0
    for reply in replies:
        read = read_reply(reply)
        relationships = [s for s in read.stated if not is_entity_alone(s.text, s.participants)]
        wanted = names(reply)
        kept += len(relationships) + len(wanted & read_names(read))
        written += len(RELATIONSHIP.findall(reply)) + len(wanted)
        counted += sum(read.problems.values())
        assert sum(p.type != "" for s in read.stated for p in s.participants) >= len(wanted) - sum(
            read.problems.values()
        )
    assert written - counted <= kept <= written
    assert kept >= 0.99 * written
    assert written > 1150
