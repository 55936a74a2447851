"""Questions that name a section by number are answered from that section."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.generation.named_section import SECTION_FOUND
from polyadic.model.types import Document
from polyadic.workspace import Workspace

ACT = "\n\n".join(
    [
        "# Garden Act",
        "## § 1 Scope\n\nThis act holds for gardens that are let by the Harbour Office.",
        "## § 2 Rent\n\n(1) The rent of a garden is due on the first of March. It is paid to the Harbour Office.\n\n"
        "(2) Who pays late owes an amount of twelve crowns. § 3 stays as it is.",
        "## § 3 Notice\n\nA garden may be given up in October under § 2. The Harbour Office confirms it in writing.",
        *(f"## § {n} Reserved\n\nNothing in § 2 or § 3 holds for plot {n} of the garden." for n in range(4, 40)),
    ]
)


ARTICLES = "\n\n".join(
    f"Artículo {n}\nToda persona tiene derecho a la parcela {n} del jardín. Nadie será privado de ella."
    for n in range(1, 30)
)
LONG = "# 7. Further Terms\n\n" + "\n\n".join(
    f"The keeper of shed {n} may add terms to the licence of the shed, as long as the Harbour Office agrees to them."
    for n in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
)

LEASE = "\n\n".join(
    [
        "# Lease of Crane 7",
        *(f"{n}.1 Bolt {n} of the crane is greased in spring.\n\n{n}.2 Bolt {n} is painted." for n in range(5, 30)),
        "51.1 The lessee inspects the ropes every 250 hours.\n\n51.2 Repairs above 8,000 euros need consent.",
        "52.1 The lease runs until 2029.\n\n52.2 Either party may terminate with six months' notice.",
    ]
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder: Path = tmp_path_factory.mktemp("act")
    with Workspace(folder / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as workspace:
        workspace.add(
            [
                Document("memory:act", "Garden Act", ACT),
                Document("memory:articulos", "Declaración", ARTICLES),
                Document("memory:licence", "Shed Licence", LONG),
                Document("memory:lease", "Lease of Crane 7", LEASE),
            ]
        )
        yield workspace


def quotes(kb: Workspace, question: str) -> list[str]:
    return [citation.place.quote for citation in kb.query(question).citations]


def test_a_section_is_quoted_from_its_beginning(kb: Workspace) -> None:
    answer = kb.query("What does § 3 say?")
    assert answer.citations[0].place.quote.startswith("A garden may be given up in October")
    assert answer.citations[0].place.headings[-1] == "§ 3 Notice"
    assert answer.confidence is not None and answer.confidence > 0.5


def test_a_numbered_paragraph_of_a_section_is_quoted(kb: Workspace) -> None:
    assert quotes(kb, "§ 2 (2)")[0].startswith("(2) Who pays late owes")
    assert quotes(kb, "§ 2 Abs. 1")[0].startswith("(1) The rent of a garden")


def test_a_question_about_a_section_is_answered_from_it(kb: Workspace) -> None:
    assert "twelve crowns" in quotes(kb, "Which amount is owed by who pays late under § 2?")[0]


def test_a_section_that_does_not_exist_is_not_made_up(kb: Workspace) -> None:
    assert not any("twelve crowns" in quote for quote in quotes(kb, "What does § 823 say?"))


def test_an_article_without_a_heading_begins_with_its_number(kb: Workspace) -> None:
    assert "la parcela 24 del jardín" in quotes(kb, "¿Qué dice el artículo 24?")[0]


def test_a_section_goes_on_in_the_next_passages(kb: Workspace) -> None:
    answer = kb.query("Which keeper may add terms under section 7 of the Shed Licence?")
    assert any("shed twelve" in item.text for item in answer.knowledge.items)


def test_a_clause_without_a_heading_begins_with_its_number(kb: Workspace) -> None:
    assert quotes(kb, "What does clause 51.2 say?") == ["51.2 Repairs above 8,000 euros need consent."]
    assert "51.1 The lessee" in "".join(quotes(kb, "What does section 51 say?"))


def test_a_section_with_all_words_of_the_question_is_quoted_with_confidence(kb: Workspace) -> None:
    answer = kb.query("What notice does clause 52.2 require?")
    assert "six months' notice" in answer.citations[0].place.quote
    assert (answer.confidence or 0.0) >= SECTION_FOUND
    assert (kb.query("What insurance does clause 52.2 require?").confidence or 0.0) < SECTION_FOUND
