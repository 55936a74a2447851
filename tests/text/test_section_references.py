"""Which sections a question names by number, and which headings have that number."""

import pytest

from polyadic.text.section_references import SectionReference, section_references, without_section_references


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("§ 823 Abs. 1", [("section", "823", "1")]),
        ("What does § 90a say?", [("section", "90a", "")]),
        ("What does Section 3.4 of the RFC require?", [("section", "3.4", "")]),
        ("Article I Section 8 of the constitution", [("article", "I", ""), ("section", "8", "")]),
        ("Rule 12(b)(6)", [("rule", "12", "b")]),
        ("Art. 5 Abs. 2 GG", [("article", "5", "2")]),
        ("What is in Appendix B?", [("appendix", "B", "")]),
        ("第十二条规定什么？", [("条", "十二", "")]),
        ("What changed in version 3.20.0?", [("", "3.20.0", "")]),
        ("What part of the book is about whales?", []),
        ("How many chapters are there?", []),
        ("Who was born in 1815?", []),
    ],
)
def test_references_of_a_question(question: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(one.kind, one.number, one.subsection) for one in section_references(question)] == expected


@pytest.mark.parametrize(
    ("reference", "heading", "is_named"),
    [
        (SectionReference("section", "1"), "§ 1 Scope", True),
        (SectionReference("section", "1"), "§ 11 Scope", False),
        (SectionReference("section", "1"), "1.  Introduction", True),
        (SectionReference("section", "1"), "1.1.  Key Words", False),
        (SectionReference("section", "1"), "Abschnitt 1 - Personen", False),
        (SectionReference("section", "1"), "Damages under § 1", False),
        (SectionReference("article", "5"), "Article 5: Principles", True),
        (SectionReference("appendix", "B"), "Appendix B.  Examples", True),
        (SectionReference("", "3.1"), "rsync (3.1) unstable", True),
        (SectionReference("条", "十二"), "第十二条 合同", True),
    ],
)
def test_headings_with_a_number(reference: SectionReference, heading: str, is_named: bool) -> None:
    assert reference.is_named_by(heading) is is_named


def test_a_question_without_its_references() -> None:
    assert without_section_references("Does § 5 (2) hold?") == "Does  hold?"
