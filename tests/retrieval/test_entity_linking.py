"""Known names in questions."""

from time import perf_counter

import pytest

from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.retrieval.entity_linking import analyze_question, link_entities
from tests.retrieval.conftest import read_from_memory
from tests.retrieval.memory_reader import MemoryReader


@pytest.mark.parametrize(
    ("question", "mentions", "remainder"),
    [
        ("When was Ada Lovelace's father born?", ("Ada Lovelace",), "When was father born?"),
        ("who was ada lovelace's father?", ("ada lovelace",), "who was father?"),
        ("Did Lord Byron write Don Juan in 1824?", ("Lord Byron", "Don Juan", "1824"), "Did write in ?"),
        ("What is a mill?", (), "What is a mill?"),
        ("what is a mill?", ("mill",), "what is ?"),
        ("Who designed the ANALYTICAL ENGINE?", ("ANALYTICAL ENGINE",), "Who designed ?"),
        ("", (), ""),
    ],
)
def test_names_are_linked(question: str, mentions: tuple[str, ...], remainder: str, reader: MemoryReader) -> None:
    read = analyze_question(question, reader)
    assert (read.mentions, read.remainder) == (mentions, remainder)


@pytest.mark.slow
def test_long_questions_take_linear_time(reader: MemoryReader) -> None:
    started = perf_counter()
    read = analyze_question("Did the Lord Byron's friend know Ada Lovelace, a Lady? " * 4000, reader)
    assert perf_counter() - started < 10
    assert len(read.mentions) == 8000
    assert read.remainder.startswith("Did friend know , a Lady? Did friend know")


def test_homonyms_are_one_mention_of_several_anchors(reader: MemoryReader) -> None:
    read = analyze_question("How hot is Mercury?", reader)
    assert read.mentions == ("Mercury",)
    assert sorted(entity.name for entity in reader.entities(read.anchors)) == ["Mercury (element)", "Mercury (planet)"]
    assert read.groups.tolist() == [0, 0]


def test_many_homonyms_keep_those_with_most_facts() -> None:
    text = "Springfield lies here."
    documents = []
    for state in range(12):
        document = Document(f"memory:{state}", "", text)
        names = (Participation(f"Springfield ({state})"), Participation("the plain"))
        said = [Evidence(f"{text} {i}", 8.0, names, (Span(0, 1),), "by hand") for i in range(1 + (state >= 4))]
        documents.append((document, Chunk(document.id, Span(0, len(text)), text, 4, 0), said))
    found = read_from_memory(documents)
    anchors = found.entities(analyze_question("Where is Springfield?", found).anchors)
    assert {entity.name for entity in anchors} == {f"Springfield ({state})" for state in range(4, 12)}


def test_lookups_of_several_texts_are_batched(reader: MemoryReader) -> None:
    found = link_entities(["Ada Lovelace and Lord Byron", "nothing"], reader)
    assert [len(mentions) for mentions in found] == [2, 0]


def with_terms(terms: list[str], further: int = 0) -> MemoryReader:
    """A store in which some terms take part in a fact, and as many further passages hold the same words."""
    documents = []
    for number in range(1 + further):
        text = f"Here are {', '.join(terms)} in passage {number}."
        document = Document(f"memory:{number}", "", text)
        taking_part = tuple(Participation(name, score=40.0) for name in (*terms, "some more"))
        said = [Evidence(text, 8.0, taking_part, (Span(0, 1),), "by hand")] if number == 0 else []
        documents.append((document, Chunk(document.id, Span(0, len(text)), text, 4, 0), said))
    return read_from_memory(documents)


@pytest.mark.parametrize(
    ("question", "mention"),
    [
        ("How long may an authorization code live?", "authorization code"),
        ("Do authorization codes expire under OAuth?", "authorization codes"),
        ("Does the Sign-in page exist, or a sign-in flow?", "sign-in flow"),
        ("What is a handshake in TLS?", "handshake"),
        ("what is a handshake", "handshake"),
    ],
)
def test_terms_are_linked_and_kept_in_the_remainder(question: str, mention: str) -> None:
    found = with_terms(["authorization code", "sign-in flows", "handshake", "code"])
    read = analyze_question(question, found)
    assert read.mentions == (mention,)
    assert read.remainder == question
    assert not len(read.names)


def test_frequent_single_word_is_no_term() -> None:
    assert analyze_question("What is a handshake in TLS?", with_terms(["handshake"], further=50)).mentions == ()
    several = with_terms(["secret handshake"], further=50)
    assert analyze_question("What is a secret handshake in TLS?", several).mentions == ("secret handshake",)


def test_names_are_linked_in_scripts_without_spaces(reader: MemoryReader) -> None:
    assert analyze_question("谁写了第一个程序？", reader).remainder == "谁写了第一个程序？"
