"""A question that follows up on a conversation takes what it needs of it, without a model, and no more."""

import pytest

from polyadic.generation.refusals import no_answer
from polyadic.generation.rule_question_condenser import standalone
from polyadic.model.types import Turn

SKYLAB = Turn("When was Skylab launched?", '"Skylab was launched in 1973." [1]\n"Mir was launched in 1986." [2]')


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who built it?", "Skylab: Who built it?"),
        ("What is the GDP of Brazil?", "What is the GDP of Brazil?"),
        ("And Mir?", "When was launched? And Mir?"),
        ("Did Skylab fall, and where did it fall?", "Did Skylab fall, and where did it fall?"),
        ("Why?", "Why?"),
    ],
)
def test_names_are_added_to_questions_that_refer_back(question: str, found: str) -> None:
    assert standalone(question, [SKYLAB]) == found


def test_question_without_history_is_unchanged() -> None:
    assert standalone("Who built it?", []) == "Who built it?"


def test_a_chain_of_references_keeps_its_topic() -> None:
    history = [SKYLAB, Turn("Who built it?", "NASA."), Turn("And when did it fall?", "In 1979.")]
    assert standalone("And where?", history).startswith("Skylab")


def test_unrelated_question_ends_the_topic() -> None:
    history = [SKYLAB, Turn("Who was Ada Lovelace?", no_answer("en"))]
    assert standalone("Where was she born?", history) == "Ada Lovelace: Where was she born?"


def test_reference_may_resolve_to_the_first_answer_sentence() -> None:
    history = [
        Turn("Who was the first woman in space?", '"Valentina Tereshkova flew Vostok 6." [1]\n"So did Ada." [2]')
    ]
    found = standalone("Where was she born?", history)
    assert "Valentina Tereshkova" in found and "Ada" not in found


def test_refusals_do_not_set_the_topic() -> None:
    history = [Turn("Who was the first woman in space?", no_answer("en"))]
    assert standalone("Where was she born?", history) == "first, woman, space: Where was she born?"


def test_lowercase_conversations_use_content_words() -> None:
    history = [Turn("what is a binding in dhcp?", "")]
    assert standalone("how long does it last?", history) == "binding, dhcp: how long does it last?"


def test_headings_and_labels_of_the_answer_are_not_added() -> None:
    minutes = "MINUTES OF THE COMMITTEE MEETING Thornleigh Allotment Society, scout hut Present: I. Solheim (chair)"
    history = [Turn("who is the treasurer of the allotment society?", f'"{minutes}" [1]')]
    found = standalone("And the secretary?", history)
    assert found == "treasurer, allotment, society, I. Solheim: And the secretary?"


@pytest.mark.parametrize(
    ("before", "question", "found"),
    [
        ("Wer war Johanna Kessler?", "Wo wurde sie geboren?", "Johanna Kessler: Wo wurde sie geboren?"),
        ("¿Quién era Tomás Arrieta?", "¿Dónde murió?", "Tomás Arrieta: ¿Dónde murió?"),
        ("林若川是谁？", "他出生在哪里？", "林若川: 他出生在哪里？"),
        ("Wie hoch ist der Eiffelturm?", "Und wann?", "Eiffelturm: Und wann?"),
        ("Qui a conçu la tour Eiffel ?", "Et quand ?", "Eiffel: Et quand ?"),
    ],
)
def test_references_resolve_in_other_languages(before: str, question: str, found: str) -> None:
    assert standalone(question, [Turn(before, "")]) == found


FOUNDED = '"Marta Quill founded Natrion in 2015 together with Ben Oduya." [1]'


@pytest.mark.parametrize(
    ("before", "answer", "question", "found"),
    [
        ("Who founded Natrion?", FOUNDED, "Where was she born?", "Marta Quill: Where was she born?"),
        ("Who founded Natrion?", FOUNDED, "Where is it now?", "Natrion: Where is it now?"),
        ("Who founded Natrion?", no_answer("en"), "Where was she born?", "Where was she born?"),
        ("Who founded Natrion?", FOUNDED, "Why?", "Why?"),
        ("When was Natrion founded?", FOUNDED, "Where was she born?", "Marta Quill: Where was she born?"),
        ("Who was Ada?", "Ada knew Charles Babbage.", "Where was she born?", "Ada: Where was she born?"),
        ("Who stood on the Moon first?", "The Moon saw Neil Armstrong.", "Is he dead?", "Neil Armstrong: Is he dead?"),
        (
            "Wer gründete Natrion?",
            "Natrion wurde von Marta Quill gegründet.",
            "Wo wurde sie geboren?",
            "Marta Quill, Natrion: Wo wurde sie geboren?",
        ),
        (
            "¿Quién fundó Natrion?",
            "Marta Quill fundó Natrion.",
            "¿Dónde nació ella?",
            "Marta Quill: ¿Dónde nació ella?",
        ),
        ("清水桥是谁设计的？", "云溪镇的桥由工程师林若川设计。", "他出生在哪里？", "林若川: 他出生在哪里？"),
    ],
)
def test_personal_pronoun_resolves_to_the_answer_person(before: str, answer: str, question: str, found: str) -> None:
    assert standalone(question, [Turn(before, answer)]) == found


def test_long_conversation_is_truncated() -> None:
    history = [Turn(f"Who built it? {'x' * 50_000}", "y" * 50_000)] * 50
    assert len(standalone("And who?", history)) < 4_000


def test_terms_that_were_put_before_a_question_are_not_repeated_without_their_names() -> None:
    turns = [
        Turn("Who bakes the cakes for the fair?", '"Wenna Tregear bakes the cakes for Kate." [1]'),
        Turn("How many did she bake?", '"She baked 12." [1]'),
    ]
    assert standalone("And Kate?", turns) == "How many did she bake? And Kate?"
