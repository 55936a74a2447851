"""What each part of a document is about."""

from polyadic.extraction.sentence_subjects import LONG_DOCUMENT, subjects
from polyadic.model.types import Document
from polyadic.text.sentences import sentences
from polyadic.text.vocabulary import Vocabulary

FILLER = "\n\nThe text goes on." * (LONG_DOCUMENT // 15)


def subject_of(words: str, text: str, title: str = "") -> str:
    found = subjects(Document("memory:1", title, text), Vocabulary("en"), sentences(text, "en"))
    return found.at(text.index(words))


def test_heading_is_the_subject_until_the_next_of_its_level() -> None:
    section = "## 8.4. Debian Tags\n\nTags are set.\n\n### how to write them\n\nThey are long."
    text = f"{section}\n\n## 9. how to remove them\n\nDone.{FILLER}"
    assert subject_of("They are long", text, "The Manual") == "Debian Tags"
    assert subject_of("Done", text, "The Manual") == "The Manual"


def test_changelog_entry_is_the_subject_of_its_items() -> None:
    text = "# NEWS for 3.5.0\n\n## BUG FIXES\n\n- One.\n\n# NEWS for 3.4.0\n\n## BUG FIXES\n\n- Two."
    for title in ("", "NEWS for 3.5.0"):
        assert subject_of("One", text, title) == "NEWS for 3.5.0"
        assert subject_of("Two", text, title) == "NEWS for 3.4.0"
    assert subject_of("Two", text + FILLER) == "NEWS for 3.4.0"


def test_configuration_section_is_the_subject_of_its_settings() -> None:
    text = "## [sshd]\n\nport = ssh\n\n## [recidive]\n\nbantime = 1w"
    assert subject_of("bantime", text, "jail.conf") == "recidive"


def test_one_version_in_a_short_document_does_not_replace_its_title() -> None:
    text = "# Engines\n\nThey turn.\n\n## Engine 1.2\n\nIt runs."
    assert subject_of("It runs", text, "Engines") == "Engines"


def test_numbered_sections_are_no_entries() -> None:
    text = '## 1.13. "Form"\n\nOne.\n\n## 1.14. "You"\n\nTwo.'
    assert subject_of("Two", text, "Licence") == "Licence"
