"""Questions in lists of frequently asked questions are distinguished from their answers, in any notation."""

import pytest

from polyadic.text.answered_questions import answered_questions, is_question
from polyadic.text.headings import headings
from polyadic.text.markup import plain
from polyadic.text.sentences import sentences

ASKED, FIRST, SECOND = "May I bring a dog?", "Yes.", "Guide dogs are welcome."
FORMS = {
    "heading": "# Help\n\n## May I bring a dog?\n\nYes. Guide dogs are welcome.\n\n## Other\n\nBye now.",
    "labels": "Help\n\nQ: May I bring a dog?\nA: Yes. Guide dogs are welcome.\n\nBye now.",
    "labels of paragraphs": "Q: May I bring a dog?\n\nA: Yes. Guide dogs are welcome.\n\nBye now.",
    "numbered labels": "Question 3: May I bring a dog?\nAnswer 3: Yes. Guide dogs are welcome.\n\nBye now.",
    "German labels": "Frage: May I bring a dog?\nAntwort: Yes. Guide dogs are welcome.\n\nBye now.",
    "labels of list items": "- Q: May I bring a dog?\n  A: Yes. Guide dogs are welcome.\n- Bye now.",
    "bold line": "**May I bring a dog?**\nYes. Guide dogs are welcome.\n\nBye now.",
    "bold paragraph": "__May I bring a dog?__\n\nYes. Guide dogs are welcome.\n\nBye now.",
    "bold in a list": "1. **May I bring a dog?** Yes. Guide dogs are welcome.\n2. Bye now.",
    "Markdown definition": "May I bring a dog?\n: Yes. Guide dogs are welcome.\n\nBye now.",
    "HTML definition": "- May I bring a dog? Yes. Guide dogs are welcome.\n- Bye now.",
    "summary": "<details>\n<summary>May I bring a dog?</summary>\n\nYes. Guide dogs are welcome.\n\n</details>",
    "numbered lines": "1. May I bring a dog?\nYes. Guide dogs are welcome.\n\n2. Bye now.",
}


def found_in(text: str) -> list[tuple[str, str]]:
    """Questions and their answers, in plain words."""
    found = answered_questions(text, sentences(text, "en"), headings(text))
    return [(plain(text[q.start : q.end]), plain(text[a.start : a.end])) for a, q in found.items()]


@pytest.mark.parametrize("form", FORMS)
def test_answers_belong_to_their_question(form: str) -> None:
    found = found_in(FORMS[form])
    assert [question.rpartition(": ")[2] for question, _ in found] == [ASKED, ASKED]
    assert [answer.rpartition(": ")[2] for _, answer in found] == [FIRST, SECOND]


def test_labelled_question_may_have_several_sentences_and_no_question_mark() -> None:
    text = "Q: I lost my key. What now?\nA: Ask at the desk.\n\nQ: No light in the hall\nA: Call the caretaker."
    assert found_in(text) == [
        ("Q: I lost my key. What now?", "A: Ask at the desk."),
        ("Q: No light in the hall", "A: Call the caretaker."),
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("May I go?", True),
        ("**May I go?**", True),
        ("“May I go?”", True),
        ("Q: No light in the hall", True),
        ("A: No.", False),
        ("No.", False),
        ("F. Scott wrote it.", False),
    ],
)
def test_questions_are_told_from_statements(sentence: str, expected: bool) -> None:
    assert is_question(sentence) is expected
